/* SPDX-License-Identifier: MIT */
/* On which device a sample runs: see chosen_device.h. */
#include "chosen_device.h"
#include "sort_settings.h"

#include <stdlib.h>
#include <string.h>

/* Whether a sort that ended with this status may be tried again on the simulated device. */
static bool may_simulate(cdp_status status, const cdp_options *options) {
  const char *named = getenv("CDPSORT_DEVICE");
  const bool automatic = named == NULL || named[0] == '\0' || strcmp(named, "auto") == 0;
  return status == CDP_ERROR_NO_DEVICE && options->device == CDP_DEVICE_AUTO && automatic;
}

/* Why no GPU can be used, and what to do about it, in as few words as can be: the library's own are for programmers. */
static void print_simulated_notice(FILE *stream, const char *program) {
  enum { NO_CUDA = 0, INSUFFICIENT_DRIVER = 35, NO_DEVICE = 100 }; /* as CUDA numbers its errors; 0 is none */
  const int error = cdp_last_cuda_error();
  fprintf(stream, "%s: no GPU can be used, so this runs on the simulated device, exact but slow (", program);
  if (error == NO_CUDA)
    fputs("this cdpsort was built without CUDA: build it with the CUDA toolkit)\n", stream);
  else if (error == INSUFFICIENT_DRIVER)
    fputs("CUDA error 35: install an NVIDIA driver, or a newer one)\n", stream);
  else if (error == NO_DEVICE)
    fputs("CUDA error 100: see whether nvidia-smi -L and CUDA_VISIBLE_DEVICES show one)\n", stream);
  else
    fprintf(stream, "CUDA error %d: see CUDA's documentation)\n", error);
}

int settle_device_telling(FILE *stream, const char *program, cdp_type type, cdp_options *options) {
  uint32_t keys[2] = {1, 0};
  cdp_options plain = CDP_OPTIONS_INIT;
  /* Sorting nothing checks the options. */
  const int code = report_status(program, cdp_quicksort(NULL, 0, type, options));
  if (code != EXIT_SORTED)
    return code;
  plain.device = options->device;
  cdp_status status = cdp_quicksort(keys, 2, CDP_U32, &plain);
  if (may_simulate(status, options)) {
    print_simulated_notice(stream, program);
    options->device = plain.device = CDP_DEVICE_SIMULATED;
    status = cdp_quicksort(keys, 2, CDP_U32, &plain);
  }
  return report_status(program, status);
}

int settle_device(const char *program, cdp_type type, cdp_options *options) {
  return settle_device_telling(stdout, program, type, options);
}

bool was_simulated(void) {
  return strncmp(cdp_last_device(), "simulated", strlen("simulated")) == 0;
}

void print_simulated_times_notice(const char *follows) {
  if (was_simulated())
    printf(
        "\nThis is the simulated device: counts are exact, but times are those of the simulation and say nothing about a GPU.\n"
        "%s\n",
        follows);
}

device_text short_device(void) {
  device_text made;
  const size_t length = strcspn(cdp_last_device(), "(,");
  snprintf(made.text, sizeof made.text, "%.*s", (int)length, cdp_last_device());
  for (size_t end = strlen(made.text); end > 0 && made.text[end - 1] == ' '; end--)
    made.text[end - 1] = '\0';
  return made;
}

int exit_code(cdp_status status) {
  /* An option out of its range is found by the library, but it was the command line that had it. */
  return status == CDP_ERROR_OPTION ? EXIT_USAGE : EXIT_LIBRARY;
}

int report_status(const char *program, cdp_status status) {
  if (status == CDP_OK)
    return EXIT_SORTED;
  fprintf(stderr, "%s: %s\n", program, library_message());
  return exit_code(status);
}

/* ---- Messages -------------------------------------------------------------------------------------------------- */

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
