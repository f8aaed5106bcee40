/* SPDX-License-Identifier: MIT */
/* Command lines of the samples: see command_line.h. */
#include "command_line.h"

#include <cdpsort/cdpsort.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void usage_error(const argument_list *list, const char *format, ...) {
  va_list values;
  fprintf(stderr, "%s: ", list->program);
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fprintf(stderr, " (%s --help tells more)\n", list->program);
}

argument_list arguments_begin(const char *program, int count, char **words) {
  return (argument_list){.program = program, .count = count, .words = words, .next = 1, .options_ended = false};
}

/* The next option or operand; false at the end. */
static bool next_argument(argument_list *list, argument *found) {
  if (list->next < list->count && !list->options_ended && strcmp(list->words[list->next], "--") == 0) {
    list->options_ended = true;
    list->next++;
  }
  if (list->next >= list->count)
    return false;

  const char *word = list->words[list->next++];
  *found = (argument){.name = "", .value = word};
  /* A lone "-" is an operand: it stands for standard input. */
  if (list->options_ended || word[0] != '-' || word[1] == '\0')
    return true;

  /* A name too long for the field is cut, and so is none that anybody knows. */
  const char *equals = strchr(word, '=');
  size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
  if (length >= sizeof found->name)
    length = sizeof found->name - 1;
  memcpy(found->name, word, length);
  found->name[length] = '\0';
  found->value = equals != NULL ? equals + 1 : NULL;
  return true;
}

const char *argument_value(argument_list *list, const argument *option) {
  if (option->value != NULL)
    return option->value;
  if (list->next < list->count)
    return list->words[list->next++];
  usage_error(list, "%s needs a value", option->name);
  return NULL;
}

bool argument_has_no_value(const argument_list *list, const argument *option) {
  if (option->value == NULL)
    return true;
  usage_error(list, "%s takes no value", option->name);
  return false;
}

bool take_path(argument_list *list, const argument *option, const char **path) {
  *path = argument_value(list, option);
  if (*path == NULL || strcmp(*path, "-") != 0)
    return *path != NULL;
  usage_error(list, "%s -: standard output has the report; name a file (./- is one of that name)", option->name);
  return false;
}

bool next_value(const char **rest, char word[VALUE_CHARACTERS]) {
  if (*rest == NULL)
    return false;
  const size_t length = strcspn(*rest, ",");
  snprintf(word, VALUE_CHARACTERS, "%.*s", (int)length, *rest);
  *rest = (*rest)[length] == ',' ? *rest + length + 1 : NULL;
  return true;
}

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

bool parse_whole(const char *text, uint64_t *number) {
  uint64_t sum = 0;
  if (*text == '\0')
    return false;
  for (; *text != '\0'; text++) {
    if (*text < '0' || *text > '9')
      return false;
    const uint64_t digit = (uint64_t)(*text - '0');
    if (sum > (UINT64_MAX - digit) / 10)
      return false;
    sum = sum * 10 + digit;
  }
  *number = sum;
  return true;
}

/* number * factor; false where that does not fit. */
static bool multiply(uint64_t *number, uint64_t factor) {
  if (factor != 0 && *number > UINT64_MAX / factor)
    return false;
  *number *= factor;
  return true;
}

bool parse_count(const char *text, uint64_t *count) {
  static const char *const suffixes[] = {"", "K", "M", "G"};
  char digits[24];
  const size_t length = strspn(text, "0123456789");
  const char *rest = text + length;
  if (length >= sizeof digits)
    return false;
  memcpy(digits, text, length);
  digits[length] = '\0';
  uint64_t number;
  if (!parse_whole(digits, &number))
    return false;

  if (*rest == '^') {
    uint64_t exponent;
    if (!parse_whole(rest + 1, &exponent) || exponent > 64)
      return false;
    const uint64_t base = number;
    for (number = 1; exponent > 0; exponent--)
      if (!multiply(&number, base))
        return false;
    *count = number;
    return true;
  }

  const bool binary = *rest != '\0' && strcmp(rest + 1, "i") == 0;
  uint64_t factor = 1;
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++, factor *= binary ? 1024 : 1000) {
    const size_t suffix = strlen(suffixes[i]);
    if (strncmp(rest, suffixes[i], suffix) == 0 && strlen(rest) == suffix + (binary ? 1 : 0) && (i > 0 || !binary)) {
      *count = number;
      return multiply(count, factor);
    }
  }
  return false;
}

/* ---- Programs -------------------------------------------------------------------------------------------------- */

bool read_arguments(const char *program, int count, char **words, argument_taker *take, void *command, requested_text *text) {
  argument_list list = arguments_begin(program, count, words);
  argument found;
  bool good = true;
  while (good && next_argument(&list, &found)) {
    const bool help = strcmp(found.name, "--help") == 0 || strcmp(found.name, "-h") == 0;
    if (help || strcmp(found.name, "--version") == 0) {
      *text = help ? HELP_TEXT : VERSION_TEXT;
      good = argument_has_no_value(&list, &found);
    } else {
      good = take(command, &list, &found);
    }
  }
  return good;
}

void print_version(const char *program) {
  const int version = cdp_version();
  printf("%s (cdpsort) %d.%d.%d\n", program, version / 10000, version / 100 % 100, version % 100);
}

int end_output(const char *program, int code) {
  if (fflush(stdout) == 0 && ferror(stdout) == 0)
    return code;
  fprintf(stderr, "%s: standard output cannot be written\n", program);
  return EXIT_DATA;
}

int run_program(const sample_program *program, int count, char **words, void *command) {
  requested_text text = NO_TEXT;
  int code = EXIT_SORTED;
  if (!read_arguments(program->name, count, words, program->take, command, &text))
    return EXIT_USAGE;
  if (text == VERSION_TEXT) {
    print_version(program->name);
  } else if (text == HELP_TEXT) {
    program->help();
    puts("\n"
         "Exit code: 0 all is well, and every result was checked; 1 a result was wrong, memory is missing or a file cannot be\n"
         "written; 2 the command line is at fault; 3 the device or the library failed.");
  } else {
    code = program->run(command);
  }
  return end_output(program->name, code);
}
