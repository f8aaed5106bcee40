/* SPDX-License-Identifier: MIT */
/* Writing figures as CSV: see csv_file.h. */
#include "csv_file.h"

#include <inttypes.h>
#include <string.h>

bool csv_open(csv_file *csv, const char *program, const char *path, const char *columns) {
  *csv = (csv_file){.columns = columns, .is_wanted = path != NULL};
  return path == NULL || output_prepare(&csv->out, program, path);
}

/* One message is enough. */
static void give_up(csv_file *csv) {
  csv->is_wanted = false;
  csv->has_failed = true;
}

/* The first field opens the file. */
static bool begin_file(csv_file *csv) {
  if (!output_begin(&csv->out)) {
    give_up(csv);
    return false;
  }
  fprintf(csv->out.file, "%s\n", csv->columns);
  return true;
}

/* What stands before a field. False where no file is wanted. */
static bool begin_field(csv_file *csv) {
  if (!csv->is_wanted || (csv->out.file == NULL && !begin_file(csv)))
    return false;
  if (csv->in_row)
    fputc(',', csv->out.file);
  csv->in_row = true;
  return true;
}

void csv_text(csv_file *csv, const char *text) {
  if (!begin_field(csv))
    return;
  const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
  if (quoted)
    fputc('"', csv->out.file);
  for (; *text != '\0'; text++) {
    if (*text == '"')
      fputc('"', csv->out.file);
    fputc(*text, csv->out.file);
  }
  if (quoted)
    fputc('"', csv->out.file);
}

void csv_whole(csv_file *csv, uint64_t number) {
  if (begin_field(csv))
    fprintf(csv->out.file, "%" PRIu64, number);
}

void csv_number(csv_file *csv, double number) {
  if (begin_field(csv))
    fprintf(csv->out.file, "%.6g", number);
}

void csv_end_row(csv_file *csv) {
  if (!csv->is_wanted)
    return;
  fputc('\n', csv->out.file);
  csv->in_row = false;
  if (fflush(csv->out.file) != 0 || ferror(csv->out.file) != 0) {
    output_complain(&csv->out);
    give_up(csv);
  } else if (!output_publish(&csv->out)) {
    give_up(csv);
  }
}

bool csv_close(csv_file *csv) {
  const bool has_rows = csv->out.file != NULL && !csv->has_failed;
  return (output_close(&csv->out, has_rows) || !has_rows) && !csv->has_failed;
}
