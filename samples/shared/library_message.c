/* SPDX-License-Identifier: MIT */
/* What the library says, told to whoever typed a command line: see chosen_device.h. */
#include "chosen_device.h"
#include "sort_settings.h"

#include <stdio.h>
#include <string.h>

/* What the library calls options and values, and what a command line does. */
static const struct {
  const char *theirs;
  const char *ours;
} COMMAND_LINE_WORDS[] = {
    {"options.depth_limit", "--depth-limit"},
    {"options.leaf_items", "--leaf"},
    {"options.fan_out", "--fan-out"},
    {"options.scheme", "--scheme"},
    {"options.child_streams", "--streams"},
    {"options.order", "--order"},
    {"tuning.oversampling", "--oversampling"},
    {"tuning.block_items", "--block-items"},
    {"set options.device = CDP_DEVICE_SIMULATED", "give --device simulated"},
    {"options.device", "--device"},
    {"choose CDP_FAN_OUT_CLASSIC (2), or leave the pivot at 0 or CDP_PIVOT_SAMPLED_MEDIAN (4)",
     "choose --fan-out 2, or --pivot sampled-median"},
    {"CDP_FAN_OUT_CLASSIC (2)", "2"},
    {"CDP_DEPTH_MAX (1000000)", "1000000"},
    {"CDP_OVERSAMPLING_MAX (1024)", "1024"},
    {"CDP_DEPTH_NONE", "none"},
};

enum { MESSAGE_CHARACTERS = 1024 };

/* Puts one text in the place of another, wherever that is. What does not fit is cut. */
static void replace(char text[MESSAGE_CHARACTERS], const char *theirs, const char *ours) {
  for (char *at = strstr(text, theirs); at != NULL; at = strstr(at + strlen(ours), theirs)) {
    char rest[MESSAGE_CHARACTERS];
    snprintf(rest, sizeof rest, "%s", at + strlen(theirs));
    snprintf(at, MESSAGE_CHARACTERS - (size_t)(at - text), "%s%s", ours, rest);
  }
}

const char *library_message(void) {
  static char text[MESSAGE_CHARACTERS];
  snprintf(text, sizeof text, "%s", cdp_last_message());
  /* The library knows a rule by its number. */
  for (int pivot = 0; pivot < 10; pivot++) {
    char theirs[32];
    char ours[48];
    snprintf(theirs, sizeof theirs, "options.pivot is %d,", pivot);
    snprintf(ours, sizeof ours, "--pivot is %s,", pivot_name((cdp_pivot)pivot));
    replace(text, theirs, ours);
  }
  for (size_t at = 0; at < sizeof COMMAND_LINE_WORDS / sizeof COMMAND_LINE_WORDS[0]; at++)
    replace(text, COMMAND_LINE_WORDS[at].theirs, COMMAND_LINE_WORDS[at].ours);
  return text;
}
