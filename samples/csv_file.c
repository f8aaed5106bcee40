/* SPDX-License-Identifier: MIT */
/* Writing figures as CSV: see csv_file.h. */
#include "csv_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

bool csv_open(csv_file *csv, const char *program, const char *path, const char *columns) {
  *csv = (csv_file){.program = program, .path = path};
  if (path == NULL)
    return true;
  csv->file = fopen(path, "w");
  if (csv->file == NULL) {
    fprintf(stderr, "%s: %s: cannot be written: %s\n", program, path, strerror(errno));
    return false;
  }
  fprintf(csv->file, "%s\n", columns);
  return true;
}

/* What stands before a field. False where no file is wanted. */
static bool begin_field(csv_file *csv) {
  if (csv->file == NULL)
    return false;
  if (csv->in_row)
    fputc(',', csv->file);
  csv->in_row = true;
  return true;
}

void csv_text(csv_file *csv, const char *text) {
  if (!begin_field(csv))
    return;
  const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
  if (quoted)
    fputc('"', csv->file);
  for (; *text != '\0'; text++) {
    if (*text == '"')
      fputc('"', csv->file);
    fputc(*text, csv->file);
  }
  if (quoted)
    fputc('"', csv->file);
}

void csv_whole(csv_file *csv, uint64_t number) {
  if (begin_field(csv))
    fprintf(csv->file, "%" PRIu64, number);
}

void csv_number(csv_file *csv, double number) {
  if (begin_field(csv))
    fprintf(csv->file, "%.6g", number);
}

void csv_end_row(csv_file *csv) {
  if (csv->file != NULL)
    fputc('\n', csv->file);
  csv->in_row = false;
}

void csv_flush(csv_file *csv) {
  if (csv->file != NULL)
    fflush(csv->file);
}

bool csv_close(csv_file *csv) {
  if (csv->file == NULL)
    return true;
  /* Both are always called: an early failure must not leave the file open. */
  const bool written = fflush(csv->file) == 0 && ferror(csv->file) == 0;
  const int error = errno;
  const bool closed = fclose(csv->file) == 0;
  csv->file = NULL;
  if (!written || !closed)
    fprintf(stderr, "%s: %s: cannot be written: %s\n", csv->program, csv->path, strerror(written ? errno : error));
  return written && closed;
}
