/* SPDX-License-Identifier: MIT */
/* Cells, the line of progress: see table_output.h. */
#include "table_output.h"

#include <inttypes.h>
#include <stdio.h>
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

void write_number(csv_file *csv, double number) {
  if (number > 0)
    csv_number(csv, number);
  else
    csv_text(csv, "");
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
