/* SPDX-License-Identifier: MIT */
/* Cells, the CSV file, the line of progress: see table_output.h. */
#include "table_output.h"
#include "sort_settings.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- Cells ----------------------------------------------------------------------------------------------------- */

double ratio_of(double dividend, double divisor) {
  return divisor > 0 ? dividend / divisor : 0;
}

void print_number(int width, int decimals, double number) {
  if (number > 0)
    printf("%*.*f", width, decimals, number);
  else
    printf("%*s", width, "");
}

void write_number(FILE *file, double number) {
  if (number > 0)
    fprintf(file, ",%.6g", number);
  else
    fputc(',', file);
}

/* ---- CSV ------------------------------------------------------------------------------------------------------- */

int open_csv(FILE **file, const char *program, const char *path, const char *names) {
  *file = NULL;
  if (path == NULL)
    return EXIT_SORTED;
  *file = fopen(path, "w");
  if (*file == NULL) {
    fprintf(stderr, "%s: %s: cannot be written: %s\n", program, path, strerror(errno));
    return EXIT_DATA;
  }
  fprintf(*file, "%s\n", names);
  return EXIT_SORTED;
}

int close_csv(FILE *file, const char *program, const char *path, int code) {
  if (file == NULL)
    return code;
  const bool failed = ferror(file) != 0;
  if (fclose(file) == 0 && !failed)
    return code;
  fprintf(stderr, "%s: %s: cannot be written\n", program, path);
  return code != EXIT_SORTED ? code : EXIT_DATA;
}

/* ---- Progress -------------------------------------------------------------------------------------------------- */

void show_progress(const char *program, const char *text, uint32_t log2_count) {
  /* Takes the line away with the terminal's own "erase to the end", which all of today know. */
  static const char erase[] = "\r\033[K";
  if (isatty(STDERR_FILENO) == 0)
    return;
  if (text == NULL)
    fputs(erase, stderr);
  else
    fprintf(stderr, "%s%s: 2^%" PRIu32 " keys, %s", erase, program, log2_count, text);
  fflush(stderr);
}
