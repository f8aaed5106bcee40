/* SPDX-License-Identifier: MIT */
/* What the library says, told to whoever typed a command line: see device.h. */
#include "device.h"
#include "sort_settings.h"

#include <stdlib.h>
#include <string.h>

/* What the library calls options and values, and what a command line does. The first that fits is taken. */
static const struct {
  const char *theirs;
  const char *ours;
} COMMAND_LINE_WORDS[] = {
    {"options.depth_limit", "--depth-limit"},
    {"options.leaf_items", "--leaf"},
    {"options.fan_out", "--fan-out"},
    {"options.pivot", "--pivot"},
    {"options.scheme", "--scheme"},
    {"options.child_streams", "--streams"},
    {"options.order", "--order"},
    {"tuning.oversampling", "--oversampling"},
    {"tuning.block_items", "--block-items"},
    {"set options.device = CDP_DEVICE_SIMULATED", "give --device simulated"},
    {"options.device", "--device"},
    {"choose CDP_FAN_OUT_CLASSIC (2), or leave the pivot at 0 or CDP_PIVOT_SAMPLED_MEDIAN (4)",
     "choose --fan-out 2, or --pivot sampled-median"},
    {"CDP_DEPTH_NONE", "none"},
};

/* A message in the making. What does not fit is cut. */
typedef struct message_text {
  char text[1024];
  size_t length;
} message_text;

static void add_text(message_text *made, const char *text, size_t length) {
  const size_t room = sizeof made->text - 1 - made->length;
  length = length < room ? length : room;
  memcpy(made->text + made->length, text, length);
  made->length += length;
  made->text[made->length] = '\0';
}

/* "CDP_FAN_OUT_CLASSIC (2)" is 2. Returns how many characters of the message were taken, which may be none. */
static size_t add_constant(message_text *made, const char *message) {
  if (strncmp(message, "CDP_", 4) != 0)
    return 0;
  const size_t name = strspn(message, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  if (strncmp(message + name, " (", 2) != 0)
    return 0;
  const char *value = message + name + 2;
  const size_t digits = strspn(value, "0123456789");
  if (digits == 0 || value[digits] != ')')
    return 0;
  add_text(made, value, digits);
  return name + 2 + digits + 1;
}

/* The library knows a rule by its number. */
static size_t add_pivot(message_text *made, const char *message) {
  static const char before[] = "options.pivot is ";
  if (strncmp(message, before, strlen(before)) != 0)
    return 0;
  char *end;
  const long number = strtol(message + strlen(before), &end, 10);
  const char *name = pivot_name((cdp_pivot)number);
  add_text(made, "--pivot is ", strlen("--pivot is "));
  add_text(made, name, strlen(name));
  return (size_t)(end - message);
}

static size_t add_word(message_text *made, const char *message) {
  for (size_t at = 0; at < sizeof COMMAND_LINE_WORDS / sizeof COMMAND_LINE_WORDS[0]; at++) {
    const char *theirs = COMMAND_LINE_WORDS[at].theirs;
    if (strncmp(message, theirs, strlen(theirs)) != 0)
      continue;
    add_text(made, COMMAND_LINE_WORDS[at].ours, strlen(COMMAND_LINE_WORDS[at].ours));
    return strlen(theirs);
  }
  return 0;
}

const char *library_message(void) {
  static message_text made;
  made.length = 0;
  for (const char *message = cdp_last_message(); *message != '\0';) {
    size_t taken = add_pivot(&made, message);
    if (taken == 0)
      taken = add_word(&made, message);
    if (taken == 0)
      taken = add_constant(&made, message);
    if (taken == 0) {
      taken = 1;
      add_text(&made, message, taken);
    }
    message += taken;
  }
  return made.length > 0 ? made.text : "";
}
