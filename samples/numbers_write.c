/* SPDX-License-Identifier: MIT */
/*
 * Writing numbers: see numbers.h.
 *
 * A regular file is never seen half written: the numbers go to a new file beside it, and only when the last byte has been
 * accepted does that file take the name. Where anything fails, or the program is interrupted, the new file is removed, and
 * what had the name before still has it.
 */
#define _XOPEN_SOURCE 700 /* for fchmod() and realpath() */

#include "numbers.h"
#include "sort_settings.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest number is a double such as -1.7976931348623157e+308; with its newline it has 25 characters. */
enum { BUFFER_BYTES = 1 << 16, NUMBER_CHARACTERS = 32 };

/* Where the numbers go. Without `unfinished` they go straight into `file`. */
typedef struct output {
  const char *name; /* for messages */
  char *target;     /* what the unfinished file shall be called in the end */
  char *unfinished;
  FILE *file;
} output;

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

/* The fewest digits that read back as the same number. The sign of a zero is kept by any number of them. */
static size_t format_f32(char *text, float value) {
  int length = 0;
  for (int digits = 6; digits <= 9; digits++) {
    length = snprintf(text, NUMBER_CHARACTERS, "%.*g", digits, (double)value);
    const float again = strtof(text, NULL);
    if (isnan(value) || again == value)
      break;
  }
  return (size_t)length;
}

static size_t format_f64(char *text, double value) {
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(text, NUMBER_CHARACTERS, "%.*g", digits, value);
    const double again = strtod(text, NULL);
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
    return format_f32(text, ((const float *)numbers->keys)[at]);
  case CDP_F64:
    return format_f64(text, ((const double *)numbers->keys)[at]);
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

/* ---- The file that is written ---------------------------------------------------------------------------------- */

/* What an interrupted program must remove; read by the handler below. */
static char *volatile unfinished_path;

static void remove_unfinished(int signal_number) {
  if (unfinished_path != NULL)
    (void)unlink(unfinished_path);
  /* The handler is gone after its first call (SA_RESETHAND): this ends the program the way the signal ends programs. */
  (void)raise(signal_number);
}

/* Watches for what commonly ends a program that writes. What the caller of the program ignores stays ignored. */
static void watch_signals(void) {
  static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
  for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
    struct sigaction before;
    if (sigaction(watched[i], NULL, &before) != 0 || before.sa_handler == SIG_IGN)
      continue;
    struct sigaction action = {.sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    (void)sigaction(watched[i], &action, NULL);
  }
}

static bool complain(const output *out, const char *what) {
  fprintf(stderr, "sort_numbers: %s: %s: %s\n", out->name, what, strerror(errno));
  return false;
}

/* Makes the new file beside the target, which is `path` or what it links to. `existing` is NULL where there is none yet. */
static bool open_beside(output *out, const char *path, const struct stat *existing) {
  out->target = existing != NULL ? realpath(path, NULL) : strdup(path);
  if (out->target == NULL)
    return complain(out, "cannot be written");
  const size_t bytes = strlen(out->target) + 48;
  out->unfinished = malloc(bytes);
  if (out->unfinished == NULL)
    return complain(out, "cannot be written");
  snprintf(out->unfinished, bytes, "%s.unfinished-%ld", out->target, (long)getpid());
  /* "x": a file that is there already is somebody else's. */
  out->file = fopen(out->unfinished, "wbx");
  if (out->file == NULL) {
    complain(out, "cannot be written");
    free(out->unfinished);
    out->unfinished = NULL;
    return false;
  }
  unfinished_path = out->unfinished;
  watch_signals();
  if (existing != NULL)
    (void)fchmod(fileno(out->file), existing->st_mode & 07777);
  return true;
}

static bool output_open(output *out, const char *path) {
  struct stat existing;
  if (path == NULL) {
    out->file = stdout;
    return true;
  }
  if (stat(path, &existing) != 0)
    return open_beside(out, path, NULL);
  if (access(path, W_OK) != 0)
    return complain(out, "cannot be written");
  if (S_ISREG(existing.st_mode))
    return open_beside(out, path, &existing);
  /* A pipe or a device such as /dev/null must not be replaced by a file. */
  out->file = fopen(path, "wb");
  return out->file != NULL || complain(out, "cannot be written");
}

/* Closes the output and gives it its name, or removes it where it is not good. */
static bool output_close(output *out, bool good) {
  if (out->file != NULL && fclose(out->file) != 0 && good)
    good = complain(out, "cannot be written");
  if (out->unfinished != NULL) {
    if (good && rename(out->unfinished, out->target) != 0)
      good = complain(out, "cannot be given its name");
    unfinished_path = NULL;
    if (!good)
      (void)unlink(out->unfinished);
  }
  free(out->unfinished);
  free(out->target);
  return good;
}

bool numbers_write(const number_list *numbers, const char *path) {
  output out = {.name = path != NULL ? path : "standard output"};
  bool good = output_open(&out, path);
  if (good && !write_all(numbers, out.file))
    good = complain(&out, "cannot be written");
  return output_close(&out, good);
}
