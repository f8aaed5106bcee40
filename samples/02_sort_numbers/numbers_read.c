/* SPDX-License-Identifier: MIT */
/*
 * Reading numbers: see numbers.h.
 *
 * 1. The file is read a buffer at a time; a number cut by the buffer's end moves to its beginning before the next is read.
 * 2. Each word between blanks is one number. Whole numbers are read by hand, which is several times faster than strtoll() and
 *    knows a fraction from an overflow; floating point is left to strtof() and strtod(), which round correctly.
 */
#include "numbers.h"
#include "sort_settings.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20, FIRST_CAPACITY = 1 << 16, SHOWN_CHARACTERS = 40 };

/* Where the reader is. A word is in [word, word + length) and is always followed by a byte that ends it. */
typedef struct text_reader {
  FILE *file;
  const char *name; /* for messages */
  uint64_t line;
  char *buffer; /* BUFFER_BYTES and one more, which ends the last word */
} text_reader;

typedef enum verdict { GOOD, NOT_A_NUMBER, NOT_WHOLE, OUT_OF_RANGE } verdict;

/* Begins a message: "sort_numbers: FILE:LINE: ". */
static void complain_at(const text_reader *reader) {
  fprintf(stderr, "sort_numbers: %s:%" PRIu64 ": ", reader->name, reader->line);
}

/* ---- The list -------------------------------------------------------------------------------------------------- */

/* Makes room for more. Doubling keeps the copies at less than one per number. */
static bool numbers_grow(number_list *numbers, const char *name) {
  const size_t bytes = type_bytes(numbers->type);
  const size_t capacity = numbers->capacity == 0 ? FIRST_CAPACITY : 2 * numbers->capacity;
  void *keys = capacity > numbers->capacity && capacity <= SIZE_MAX / bytes ? realloc(numbers->keys, capacity * bytes) : NULL;
  if (keys == NULL) {
    fprintf(stderr, "sort_numbers: %s: not enough memory for more than %zu numbers\n", name, numbers->count);
    return false;
  }
  numbers->keys = keys;
  numbers->capacity = capacity;
  return true;
}

void numbers_release(number_list *numbers) {
  free(numbers->keys);
  numbers->keys = NULL;
  numbers->count = numbers->capacity = 0;
}

/* ---- One number ------------------------------------------------------------------------------------------------ */

/* Why a word is not a whole number: because it has a fraction or an exponent, or because it is no number at all. */
static verdict not_whole(const char *word, size_t length) {
  char *end;
  const bool plain = memchr(word, 'x', length) == NULL && memchr(word, 'X', length) == NULL;
  (void)strtod(word, &end);
  return plain && end == word + length ? NOT_WHOLE : NOT_A_NUMBER;
}

/* A whole number as its sign and its magnitude. */
static verdict read_magnitude(const char *word, size_t length, bool *negative, uint64_t *magnitude) {
  size_t i = 0;
  uint64_t sum = 0;
  bool fits = true;
  *negative = word[0] == '-';
  if (word[0] == '-' || word[0] == '+')
    i++;
  if (i == length)
    return NOT_A_NUMBER;
  for (; i < length; i++) {
    const unsigned digit = (unsigned)(unsigned char)word[i] - '0';
    if (digit > 9)
      return not_whole(word, length);
    /* Goes on after an overflow: what follows may show that this is no number. */
    fits = fits && sum <= (UINT64_MAX - digit) / 10;
    sum = sum * 10 + digit;
  }
  *magnitude = sum;
  return fits ? GOOD : OUT_OF_RANGE;
}

static verdict read_integer(const char *word, size_t length, cdp_type type, void *key) {
  bool negative;
  uint64_t magnitude;
  const verdict read = read_magnitude(word, length, &negative, &magnitude);
  if (read != GOOD)
    return read;

  /* How far the type goes on this side of zero; negative numbers reach one further. */
  const uint64_t beyond = negative ? 1 : 0;
  uint64_t most = negative ? 0 : UINT64_MAX;
  if (type == CDP_U32 && !negative)
    most = UINT32_MAX;
  if (type == CDP_I32)
    most = (uint64_t)INT32_MAX + beyond;
  if (type == CDP_I64)
    most = (uint64_t)INT64_MAX + beyond;
  if (magnitude > most)
    return OUT_OF_RANGE;

  /* Two's complement, in as many bytes as the type has: the bits are the same for signed and unsigned. */
  const uint64_t bits = negative ? UINT64_C(0) - magnitude : magnitude;
  const uint32_t low_bits = (uint32_t)bits;
  if (type_bytes(type) == 4)
    memcpy(key, &low_bits, sizeof low_bits);
  else
    memcpy(key, &bits, sizeof bits);
  return GOOD;
}

/* Decimal numbers, "inf", "infinity" and "nan", with or without a sign. No hexadecimal, no payloads of NaN. */
static verdict read_floating(const char *word, size_t length, cdp_type type, void *key) {
  char *end;
  double value;
  if (memchr(word, 'x', length) != NULL || memchr(word, 'X', length) != NULL || memchr(word, '(', length) != NULL)
    return NOT_A_NUMBER;
  errno = 0;
  if (type == CDP_F32) {
    const float narrow = strtof(word, &end);
    memcpy(key, &narrow, sizeof narrow);
    value = (double)narrow;
  } else {
    value = strtod(word, &end);
    memcpy(key, &value, sizeof value);
  }
  if (end != word + length)
    return NOT_A_NUMBER;
  /* Too small to be told from zero is rounded, as every decimal is; too large is an error. */
  return errno == ERANGE && isinf(value) ? OUT_OF_RANGE : GOOD;
}

/* ---- Messages about one number --------------------------------------------------------------------------------- */

/* Shows a word on a terminal without harm to it: the first characters, and those that do not print by their codes. */
static void show_word(const char *word, size_t length) {
  fputc('\'', stderr);
  for (size_t i = 0; i < length && i < SHOWN_CHARACTERS; i++) {
    const unsigned char character = (unsigned char)word[i];
    if (character > ' ' && character < 0x7F)
      fputc(character, stderr);
    else
      fprintf(stderr, "\\x%02X", character);
  }
  fputs(length > SHOWN_CHARACTERS ? "...'" : "'", stderr);
}

static void say_range(cdp_type type) {
  switch (type) {
  case CDP_U32:
    fprintf(stderr, "0 to %" PRIu32, UINT32_MAX);
    return;
  case CDP_I32:
    fprintf(stderr, "%" PRId32 " to %" PRId32, INT32_MIN, INT32_MAX);
    return;
  case CDP_U64:
    fprintf(stderr, "0 to %" PRIu64, UINT64_MAX);
    return;
  case CDP_I64:
    fprintf(stderr, "%" PRId64 " to %" PRId64, INT64_MIN, INT64_MAX);
    return;
  case CDP_F32:
    fprintf(stderr, "%.9g to %.9g", (double)-FLT_MAX, (double)FLT_MAX);
    return;
  case CDP_F64:
    fprintf(stderr, "%.17g to %.17g", -DBL_MAX, DBL_MAX);
    return;
  }
}

static void complain_about_word(const text_reader *reader, const char *word, size_t length, verdict why, cdp_type type) {
  complain_at(reader);
  show_word(word, length);
  if (why == OUT_OF_RANGE) {
    fprintf(stderr, " is out of the range of %s, ", type_name(type));
    say_range(type);
    fputc('\n', stderr);
  } else if (why == NOT_WHOLE) {
    fprintf(stderr, " is not a whole number, which %s asks for; --type f64 takes it\n", type_name(type));
  } else {
    fputs(" is not a number\n", stderr);
  }
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

static bool is_blank(char character) {
  return character == ' ' || (character >= '\t' && character <= '\r');
}

/* Takes one word into the list. */
static bool take_word(number_list *numbers, const text_reader *reader, const char *word, size_t length) {
  if (numbers->count == numbers->capacity && !numbers_grow(numbers, reader->name))
    return false;
  const size_t bytes = type_bytes(numbers->type);
  void *key = (char *)numbers->keys + numbers->count * bytes;
  const bool floating = numbers->type == CDP_F32 || numbers->type == CDP_F64;
  const verdict read =
      floating ? read_floating(word, length, numbers->type, key) : read_integer(word, length, numbers->type, key);
  if (read != GOOD) {
    complain_about_word(reader, word, length, read, numbers->type);
    return false;
  }
  numbers->count++;
  return true;
}

/* Takes the words of the buffer. The last one waits where more may follow: *rest receives where it begins. */
static bool take_words(number_list *numbers, text_reader *reader, size_t bytes, bool at_end, size_t *rest) {
  const char *buffer = reader->buffer;
  size_t at = 0;
  while (at < bytes) {
    if (is_blank(buffer[at])) {
      reader->line += buffer[at] == '\n';
      at++;
      continue;
    }
    const size_t begin = at;
    while (at < bytes && !is_blank(buffer[at]))
      at++;
    if (at == bytes && !at_end) {
      *rest = begin;
      return true;
    }
    if (!take_word(numbers, reader, buffer + begin, at - begin))
      return false;
  }
  *rest = bytes;
  return true;
}

static bool read_text(number_list *numbers, text_reader *reader) {
  size_t kept = 0;
  bool at_end = false;
  while (!at_end) {
    const size_t wanted = BUFFER_BYTES - kept;
    if (wanted == 0) {
      complain_about_word(reader, reader->buffer, BUFFER_BYTES, NOT_A_NUMBER, numbers->type);
      return false;
    }
    const size_t bytes = kept + fread(reader->buffer + kept, 1, wanted, reader->file);
    if (ferror(reader->file) != 0) {
      complain_at(reader);
      fprintf(stderr, "cannot be read: %s\n", strerror(errno));
      return false;
    }
    at_end = feof(reader->file) != 0;
    reader->buffer[bytes] = '\0';
    size_t rest;
    if (!take_words(numbers, reader, bytes, at_end, &rest))
      return false;
    kept = bytes - rest;
    memmove(reader->buffer, reader->buffer + rest, kept);
  }
  return true;
}

static bool read_binary(number_list *numbers, FILE *file, const char *name) {
  const size_t bytes = type_bytes(numbers->type);
  size_t filled = 0;
  while (feof(file) == 0) {
    /* A whole buffer more at the end of the list, and no read is lost where a pipe gives a part of a key. */
    numbers->count = filled / bytes;
    if (filled == numbers->capacity * bytes && !numbers_grow(numbers, name))
      return false;
    filled += fread((char *)numbers->keys + filled, 1, numbers->capacity * bytes - filled, file);
    if (ferror(file) != 0) {
      fprintf(stderr, "sort_numbers: %s: cannot be read after %zu bytes: %s\n", name, filled, strerror(errno));
      return false;
    }
  }
  numbers->count = filled / bytes;
  if (filled % bytes != 0) {
    fprintf(stderr, "sort_numbers: %s: %zu bytes are not a whole number of %s keys of %zu bytes: %zu too many at the end\n",
            name, filled, type_name(numbers->type), bytes, filled % bytes);
    return false;
  }
  return true;
}

bool numbers_read(number_list *numbers, const char *path) {
  const bool standard_input = strcmp(path, "-") == 0;
  text_reader reader = {.name = standard_input ? "standard input" : path, .line = 1};
  reader.file = standard_input ? stdin : fopen(path, "rb");
  if (reader.file == NULL) {
    fprintf(stderr, "sort_numbers: %s: cannot be opened: %s\n", reader.name, strerror(errno));
    return false;
  }

  bool good;
  if (numbers->binary) {
    good = read_binary(numbers, reader.file, reader.name);
  } else {
    reader.buffer = malloc(BUFFER_BYTES + 1);
    good = reader.buffer != NULL && read_text(numbers, &reader);
    if (reader.buffer == NULL)
      fprintf(stderr, "sort_numbers: %s: not enough memory to read it\n", reader.name);
    free(reader.buffer);
  }
  /* Every read has been checked: closing a file that was only read has nothing to report. */
  if (!standard_input)
    (void)fclose(reader.file);
  return good;
}
