/* SPDX-License-Identifier: MIT */
/* On which device a sample runs: see chosen_device.h. */
#include "chosen_device.h"
#include "command_line.h"

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
