/* SPDX-License-Identifier: MIT */
/* Tables for people: see text_table.h. */
#include "text_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, GAP_LEAST = 1, CELLS_FIRST = 256 };

void text_table_begin(text_table *made, const char *columns) {
  *made = (text_table){.columns = columns, .complete = true};
}

void text_table_end(text_table *made) {
  free(made->cells);
  *made = (text_table){.columns = made->columns};
}

static bool make_room(text_table *made) {
  if (made->count < made->room)
    return true;
  const size_t room = made->room == 0 ? CELLS_FIRST : 2 * made->room;
  void *cells = made->complete ? realloc(made->cells, room * sizeof *made->cells) : NULL;
  if (cells == NULL) {
    made->complete = false;
    return false;
  }
  made->cells = cells;
  made->room = room;
  return true;
}

static void add_cell(text_table *made, const char *text, size_t length) {
  if (!make_room(made))
    return;
  snprintf(made->cells[made->count++], sizeof *made->cells, "%.*s", (int)length, text);
}

void text_table_add(text_table *made, const char *format, ...) {
  char line[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(line, sizeof line, format, values);
  va_end(values);
  const char *cell = line;
  for (size_t length = strcspn(cell, "\t"); cell[length] != '\0'; length = strcspn(cell, "\t")) {
    add_cell(made, cell, length);
    cell += length + 1;
  }
  add_cell(made, cell, strlen(cell));
}

static size_t column_width(const text_table *made, size_t column) {
  const size_t columns = strlen(made->columns);
  size_t width = 0;
  for (size_t cell = column; cell < made->count; cell += columns) {
    const size_t length = strlen(made->cells[cell]);
    width = length > width ? length : width;
  }
  return width;
}

size_t text_table_width(const text_table *made, size_t gap) {
  const size_t columns = strlen(made->columns);
  size_t width = (columns - 1) * gap;
  for (size_t column = 0; column < columns; column++)
    width += column_width(made, column);
  return width;
}

static void print_rows(const text_table *made) {
  const size_t columns = strlen(made->columns);
  const int gap = text_table_width(made, GAP) <= TEXT_LINE_CHARACTERS ? GAP : GAP_LEAST;
  for (size_t row = 0; row + columns <= made->count; row += columns) {
    /* No blanks at the end of a line. */
    size_t used = columns;
    while (used > 0 && made->cells[row + used - 1][0] == '\0')
      used--;
    for (size_t column = 0; column < used; column++) {
      const int width = (int)column_width(made, column);
      const bool left = made->columns[column] == 'l';
      const int padded = !left ? width : column + 1 < used ? -width : 0;
      printf("%*s%*s", column == 0 ? 0 : gap, "", padded, made->cells[row + column]);
    }
    putchar('\n');
  }
}

void text_table_print(text_table *made) {
  if (made->complete)
    print_rows(made);
  else
    puts("(not enough memory for the table)");
  text_table_end(made);
}

short_text short_number(uint64_t number) {
  static const char units[] = "kMGTPE";
  short_text made;
  if (number < 1000000) {
    snprintf(made.text, sizeof made.text, "%" PRIu32, (uint32_t)number);
    return made;
  }
  double value = (double)number / 1e3;
  size_t unit = 0;
  /* 999.5 is rounded to 1000 when it is printed. */
  for (; value >= 999.5; unit++)
    value /= 1e3;
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  snprintf(made.text, sizeof made.text, "%.*f%c", decimals, value, units[unit]);
  return made;
}

void print_number(int width, int decimals, double number) {
  if (number > 0)
    printf("%*.*f", width, decimals, number);
  else
    printf("%*s", width, "");
}

double ratio_of(double dividend, double divisor) {
  return divisor > 0 ? dividend / divisor : 0;
}
