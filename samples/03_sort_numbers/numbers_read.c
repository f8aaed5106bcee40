/* SPDX-License-Identifier: MIT */
/*
 * Reading numbers: see numbers.h.
 *
 * 1. Text is read a buffer at a time; a number cut by the buffer's end moves to its beginning before the next is read.
 * 2. Each word between blanks is one number. Whole numbers are read by hand, which is several times faster than strtoll() and
 *    knows a fraction from an overflow; floating point is left to strtof() and strtod(), which round correctly.
 */
#include "numbers.h"
#include "sort_settings.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20, SHOWN_CHARACTERS = 40 };
enum { FIRST_CAPACITY = 1 << 16 }; /* in bytes: a multiple of every key */

/* Where the reader is. */
typedef struct text_place {
  const char *name; /* for messages */
  uint64_t line;
} text_place;

typedef enum verdict { GOOD, NOT_A_NUMBER, NOT_WHOLE, OUT_OF_RANGE } verdict;

/* ---- One number ------------------------------------------------------------------------------------------------ */

static verdict read_floating(const char *word, size_t length, cdp_type type, void *key);

/* Why a word is not a whole number: f64 takes it, or it is too large even for that, or it is no number at all. */
static verdict not_whole(const char *word, size_t length) {
  double value;
  const verdict read = read_floating(word, length, CDP_F64, &value);
  return read == GOOD ? NOT_WHOLE : read;
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
  uint64_t magnitude = 0;
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

static const char *range_of(cdp_type type) {
  switch (type) {
  case CDP_U32:
    return "0 to 4294967295";
  case CDP_I32:
    return "-2147483648 to 2147483647";
  case CDP_U64:
    return "0 to 18446744073709551615";
  case CDP_I64:
    return "-9223372036854775808 to 9223372036854775807";
  case CDP_F32:
    return "-3.40282347e+38 to 3.40282347e+38";
  default:
    break;
  }
  return "-1.7976931348623157e+308 to 1.7976931348623157e+308";
}

static void complain_about_word(const text_place *place, const char *word, size_t length, verdict why, cdp_type type) {
  fprintf(stderr, "sort_numbers: %s:%" PRIu64 ": ", place->name, place->line);
  show_word(word, length);
  if (why == OUT_OF_RANGE) {
    fprintf(stderr, " is out of the range of %s, %s\n", type_name(type), range_of(type));
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

/* Makes room for twice as much, so that a byte is copied less than once on average. NULL, and a message, without memory. */
static void *grow(void *memory, size_t *capacity, const char *name, const char *what) {
  const size_t wanted = *capacity == 0 ? FIRST_CAPACITY : 2 * *capacity;
  void *grown = wanted > *capacity ? realloc(memory, wanted) : NULL;
  if (grown == NULL)
    fprintf(stderr, "sort_numbers: %s: not enough memory for more than %zu bytes of %s\n", name, *capacity, what);
  else
    *capacity = wanted;
  return grown;
}

/* Whether a read has failed, and the message. */
static bool is_broken(FILE *file, const text_place *place) {
  if (ferror(file) != 0)
    fprintf(stderr, "sort_numbers: %s:%" PRIu64 ": cannot be read: %s\n", place->name, place->line, strerror(errno));
  return ferror(file) != 0;
}

/* Takes one word into the list. */
static bool take_word(number_list *numbers, const text_place *place, const char *word, size_t length) {
  const size_t bytes = type_bytes(numbers->type);
  if (numbers->count * bytes == numbers->capacity) {
    void *grown = grow(numbers->keys, &numbers->capacity, place->name, "numbers");
    if (grown == NULL)
      return false;
    numbers->keys = grown;
  }
  void *key = (char *)numbers->keys + numbers->count * bytes;
  const bool floating = numbers->type == CDP_F32 || numbers->type == CDP_F64;
  const verdict read =
      floating ? read_floating(word, length, numbers->type, key) : read_integer(word, length, numbers->type, key);
  if (read != GOOD) {
    complain_about_word(place, word, length, read, numbers->type);
    return false;
  }
  numbers->count++;
  return true;
}

/* Takes the words of a buffer, behind which there is a byte more. The last one waits where more may follow: *rest receives where
   it begins. */
static bool take_words(number_list *numbers, text_place *place, const char *buffer, size_t bytes, bool at_end, size_t *rest) {
  size_t at = 0;
  while (at < bytes) {
    const size_t begin = at;
    if (is_blank(buffer[at])) {
      place->line += buffer[at++] == '\n';
      continue;
    }
    while (at < bytes && !is_blank(buffer[at]))
      at++;
    if (at == bytes && !at_end) {
      *rest = begin;
      return true;
    }
    if (!take_word(numbers, place, buffer + begin, at - begin))
      return false;
  }
  *rest = bytes;
  return true;
}

static bool read_words(number_list *numbers, FILE *file, const char *name, char *buffer) {
  text_place place = {.name = name, .line = 1};
  size_t kept = 0;
  while (feof(file) == 0) {
    if (kept == BUFFER_BYTES) {
      complain_about_word(&place, buffer, kept, NOT_A_NUMBER, numbers->type);
      return false;
    }
    const size_t bytes = kept + fread(buffer + kept, 1, BUFFER_BYTES - kept, file);
    if (is_broken(file, &place))
      return false;
    buffer[bytes] = '\0';
    size_t rest;
    if (!take_words(numbers, &place, buffer, bytes, feof(file) != 0, &rest))
      return false;
    kept = bytes - rest;
    memmove(buffer, buffer + rest, kept);
  }
  return true;
}

static bool read_text(number_list *numbers, FILE *file, const char *name) {
  char *buffer = malloc(BUFFER_BYTES + 1);
  if (buffer == NULL)
    fprintf(stderr, "sort_numbers: %s: not enough memory to read it\n", name);
  const bool good = buffer != NULL && read_words(numbers, file, name, buffer);
  free(buffer);
  return good;
}

/* The bytes are the keys. Pipes may give a part of what was asked for, and a part of a key. */
static bool read_binary(number_list *numbers, FILE *file, const char *name) {
  const size_t key_bytes = type_bytes(numbers->type);
  size_t filled = 0;
  while (feof(file) == 0) {
    if (filled == numbers->capacity) {
      void *grown = grow(numbers->keys, &numbers->capacity, name, "numbers");
      if (grown == NULL)
        return false;
      numbers->keys = grown;
    }
    filled += fread((char *)numbers->keys + filled, 1, numbers->capacity - filled, file);
    if (is_broken(file, &(text_place){.name = name, .line = 1}))
      return false;
  }
  numbers->count = filled / key_bytes;
  if (filled % key_bytes == 0)
    return true;
  fprintf(stderr, "sort_numbers: %s: %zu bytes are not a whole number of %s keys of %zu bytes: %zu too many at the end\n", name,
          filled, type_name(numbers->type), key_bytes, filled % key_bytes);
  return false;
}

bool numbers_read(number_list *numbers, const char *path) {
  const bool standard_input = strcmp(path, "-") == 0;
  const char *name = standard_input ? "standard input" : path;
  FILE *file = standard_input ? stdin : fopen(path, "rb");
  if (file == NULL) {
    fprintf(stderr, "sort_numbers: %s: cannot be opened: %s\n", name, strerror(errno));
    return false;
  }
  const bool good = numbers->binary ? read_binary(numbers, file, name) : read_text(numbers, file, name);
  /* Every read has been checked: closing a file that was only read has nothing to report. */
  if (!standard_input)
    (void)fclose(file);
  return good;
}

void numbers_release(number_list *numbers) {
  free(numbers->keys);
}
