/* SPDX-License-Identifier: MIT */
/* Writing numbers: see numbers.h. */
#include "numbers.h"
#include "sort_settings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The longest number is a double such as -1.7976931348623157e+308; with its newline it has 25 characters. */
enum { BUFFER_BYTES = 1 << 16, NUMBER_CHARACTERS = 32 };

/* ---- Numbers as text ------------------------------------------------------------------------------------------- */

static size_t format_integer(char *text, bool negative, uint64_t magnitude) {
  char digits[20]; /* of 2^64 - 1, last first */
  size_t count = 0;
  size_t length = 0;
  do {
    digits[count++] = (char)('0' + magnitude % 10);
    magnitude /= 10;
  } while (magnitude != 0);
  if (negative)
    text[length++] = '-';
  while (count > 0)
    text[length++] = digits[--count];
  return length;
}

static size_t format_signed(char *text, int64_t value) {
  return format_integer(text, value < 0, value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value);
}

/* The fewest digits that read back as the same number. The sign of a zero is kept by any number of them. A number
   that FLT_DIG digits or fewer can say is written so by "%.6g", which leaves zeros at the end out; a subnormal one need not be. */
static size_t format_floating(char *text, double value, bool is_narrow) {
  const bool is_subnormal = fabs(value) < (is_narrow ? (double)FLT_MIN : DBL_MIN);
  const int least = is_narrow ? FLT_DIG : DBL_DIG;
  int length = 0;
  for (int digits = is_subnormal ? 1 : least; digits <= (is_narrow ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG); digits++) {
    length = snprintf(text, NUMBER_CHARACTERS, "%.*g", digits, value);
    const double again = is_narrow ? (double)strtof(text, NULL) : strtod(text, NULL);
    if (isnan(value) || again == value)
      break;
  }
  return (size_t)length;
}

/* Formats the number at `at` and returns how many characters it has. */
static size_t format_number(char *text, const number_list *numbers, size_t at) {
  switch (numbers->type) {
  case CDP_U32:
    return format_integer(text, false, ((const uint32_t *)numbers->keys)[at]);
  case CDP_I32:
    return format_signed(text, ((const int32_t *)numbers->keys)[at]);
  case CDP_U64:
    return format_integer(text, false, ((const uint64_t *)numbers->keys)[at]);
  case CDP_I64:
    return format_signed(text, ((const int64_t *)numbers->keys)[at]);
  case CDP_F32:
    return format_floating(text, (double)((const float *)numbers->keys)[at], true);
  case CDP_F64:
    return format_floating(text, ((const double *)numbers->keys)[at], false);
  default: /* it reads no others */
    break;
  }
  return 0;
}

static bool write_text(const number_list *numbers, FILE *file) {
  static char buffer[BUFFER_BYTES];
  size_t filled = 0;
  for (size_t i = 0; i < numbers->count; i++) {
    if (sizeof buffer - filled < NUMBER_CHARACTERS + 1) {
      if (fwrite(buffer, 1, filled, file) != filled)
        return false;
      filled = 0;
    }
    filled += format_number(buffer + filled, numbers, i);
    buffer[filled++] = '\n';
  }
  return fwrite(buffer, 1, filled, file) == filled;
}

static bool write_all(const number_list *numbers, FILE *file) {
  if (numbers->count == 0) /* and keys may be NULL */
    return fflush(file) == 0;
  const bool written = numbers->binary
                           ? fwrite(numbers->keys, type_bytes(numbers->type), numbers->count, file) == numbers->count
                           : write_text(numbers, file);
  /* A full disk may show only when the last of the C library's buffer goes out. */
  return written && fflush(file) == 0;
}

bool numbers_write(const number_list *numbers, output_file *out) {
  if (!output_begin(out))
    return false;
  return write_all(numbers, out->file) || output_complain(out);
}
