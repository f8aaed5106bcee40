/* SPDX-License-Identifier: MIT */
/* Writing figures as CSV: see csv_file.h. */
#include "csv_file.h"
#include "chosen_device.h"

#include <stdarg.h>

bool csv_open(csv_file *csv, const char *program, const char *path, const char *columns) {
  *csv = (csv_file){.columns = columns, .is_wanted = path != NULL};
  return path == NULL || output_prepare(&csv->out, program, path);
}

/* One message is enough. */
static void give_up(csv_file *csv) {
  csv->is_wanted = false;
  csv->has_failed = true;
}

void csv_row(csv_file *csv, const char *format, ...) {
  if (!csv->is_wanted)
    return;
  if (csv->out.file == NULL) { /* the first row opens the file */
    if (!output_begin(&csv->out)) {
      give_up(csv);
      return;
    }
    fprintf(csv->out.file, "device,%s\n", csv->columns);
  }
  va_list values;
  fprintf(csv->out.file, "%s,", short_device().text);
  va_start(values, format);
  vfprintf(csv->out.file, format, values);
  va_end(values);
  fputc('\n', csv->out.file);
  const bool written = fflush(csv->out.file) == 0 && ferror(csv->out.file) == 0;
  if (!(written ? output_publish(&csv->out) : output_complain(&csv->out)))
    give_up(csv);
}

bool csv_close(csv_file *csv) {
  const bool has_rows = csv->out.file != NULL && !csv->has_failed;
  return (output_close(&csv->out, has_rows) || !has_rows) && !csv->has_failed;
}

csv_text csv_number(double number) {
  csv_text made = {""};
  if (number > 0)
    snprintf(made.text, sizeof made.text, "%.6g", number);
  return made;
}
