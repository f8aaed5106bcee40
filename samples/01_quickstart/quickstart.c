/* SPDX-License-Identifier: MIT */
/*
 * The shortest complete program: a few keys, sorted on the GPU, or on the simulated device where there is none.
 *
 * Build it against the installed library with: cc quickstart.c -lcdpsort
 */
#include <cdpsort/cdpsort.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argument_count, char **words) {
  /* It takes no argument. --help and --version are answered, and whatever else stands there is not ignored. */
  if (argument_count == 2 && strcmp(words[1], "--version") == 0) {
    printf("quickstart (cdpsort) %d.%d.%d\n", CDP_VERSION_MAJOR, CDP_VERSION_MINOR, CDP_VERSION_PATCH);
    return EXIT_SUCCESS;
  }
  if (argument_count > 1) {
    const int is_question = strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0;
    fputs("Usage: quickstart\nSorts ten numbers, and prints them.\n", is_question ? stdout : stderr);
    return is_question ? EXIT_SUCCESS : 2;
  }

  int32_t keys[] = {31, -4, 15, 92, -65, 35, 8, -9, 79, 3};
  const size_t count = sizeof keys / sizeof keys[0];
  cdp_options options = CDP_OPTIONS_INIT;

  cdp_status status = cdp_quicksort(keys, count, CDP_I32, &options);

  /* Without a GPU the library fails rather than be slow unasked. A sample may ask, where the environment asked for nothing. */
  if (status == CDP_ERROR_NO_DEVICE && getenv("CDPSORT_DEVICE") == NULL) {
    puts("No GPU can be used, so this runs on the simulated device, exact but slow.");
    options.device = CDP_DEVICE_SIMULATED;
    status = cdp_quicksort(keys, count, CDP_I32, &options);
  }
  if (status != CDP_OK) {
    fprintf(stderr, "quickstart: %s\n", cdp_last_message());
    return EXIT_FAILURE;
  }

  printf("Sorted on %s:", cdp_last_device());
  for (size_t i = 0; i < count; i++)
    printf(" %d", (int)keys[i]);
  putchar('\n');

  /* What was printed may still be in a buffer: only now a full disk shows. */
  if (fflush(stdout) != 0 || ferror(stdout) != 0) {
    fputs("quickstart: standard output cannot be written\n", stderr);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
