/* SPDX-License-Identifier: MIT */
/*
 * sort_numbers: reads numbers from a file or standard input, sorts them, writes them. Run it with --help.
 *
 * 1. numbers_read.c reads them.
 * 2. cdp_quicksort() sorts them, which is all that a program needs of the library.
 * 3. numbers_write.c writes them, and stderr says what ran where and how long.
 */
#include "chosen_device.h"
#include "host_work.h"
#include "numbers.h"
#include "progress.h"
#include "sort_settings.h"

#include <stdio.h>
#include <string.h>

static const char PROGRAM[] = "sort_numbers";
static const refused_settings ALL_SETTINGS = {NULL, NULL};

/* The command line. */
typedef struct command {
  sort_settings settings;
  bool binary;
  const char *input;  /* NULL and "-" are standard input */
  const char *output; /* NULL is standard output */
} command;

static void help(void) {
  puts(
      "Usage: sort_numbers [option...] [file]\n"
      "Sorts the numbers of a file, or of standard input (no file, or -), and writes them one a line.\n"
      "\n"
      "Text has one or more numbers a line, separated by blanks (spaces, tabs). Whole numbers are decimal; for f32 and f64\n"
      "fractions, exponents, inf and nan too: the nearest number of the type is taken, and written with the fewest digits\n"
      "that read back the same.\n"
      "Floating point is sorted by value, -0 before 0, and every nan comes last: -inf ... -0 0 ... inf nan -nan.\n"
      "\n"
      "  --binary         reads and writes raw keys in the machine's own byte order instead of text\n"
      "  --output FILE    writes to FILE (-o FILE), which appears complete or not at all; it may be the input; -: to standard\n"
      "                   output, as without it\n"
      "  --help           this text (-h)\n"
      "  --version        the version of the library");
  settings_help("i64", &ALL_SETTINGS);
  puts("\n"
       "What ran where and how long is said on stderr. Exit code: 0 sorted; 1 the input or the output is at fault;\n"
       "2 the command line is; 3 the device or the library failed.");
}

/* A lone "-" is standard output, as for sort(1); a file of that name is "./-". */
static bool take_output(command *wanted, argument_list *list, const argument *found) {
  wanted->output = argument_value(list, found);
  if (wanted->output == NULL)
    return false;
  if (strcmp(wanted->output, "-") == 0)
    wanted->output = NULL;
  return true;
}

/* Takes one operand or option into the command. */
static bool take(void *into, argument_list *list, const argument *found) {
  command *wanted = into;
  if (found->name[0] == '\0') {
    if (wanted->input != NULL) {
      usage_error(list, "one file at a time: '%s' is one too many", found->value);
      return false;
    }
    wanted->input = found->value;
    return true;
  }
  if (strcmp(found->name, "--binary") == 0) {
    wanted->binary = true;
    return argument_has_no_value(list, found);
  }
  if (strcmp(found->name, "--output") == 0 || strcmp(found->name, "-o") == 0)
    return take_output(wanted, list, found);
  return settings_take(&wanted->settings, &ALL_SETTINGS, list, found);
}

/* Sorts, on the simulated device where there is no GPU and nobody asked for one. An exit code. */
static int sort(number_list *numbers, cdp_options *options) {
  int code = EXIT_SORTED;
  if (numbers->count >= 2)
    code = settle_device_telling(stderr, PROGRAM, numbers->type, options);
  if (code != EXIT_SORTED)
    return code;
  progress_begin(PROGRAM, 1, announce_work(PROGRAM, numbers->type, options, work_of(numbers->count)));
  progress_at(0, "sorting");
  const cdp_status status = cdp_quicksort(numbers->keys, numbers->count, numbers->type, options);
  progress_end();
  return report_status(PROGRAM, status);
}

/* Reads, sorts, writes, reports. */
static int sort_file(const command *wanted, number_list *numbers, output_file *out) {
  cdp_options options = wanted->settings.options;
  const double begun = clock_milliseconds();
  if (!numbers_read(numbers, wanted->input != NULL ? wanted->input : "-"))
    return EXIT_DATA;
  const double was_read = clock_milliseconds();
  const int code = sort(numbers, &options);
  if (code != EXIT_SORTED)
    return code;
  const double sorted = clock_milliseconds();
  if (!numbers_write(numbers, out) || !output_close(out, true))
    return EXIT_DATA;
  const double written = clock_milliseconds();

  fprintf(stderr, "%s: %zu %s numbers sorted, %s, ", PROGRAM, numbers->count, type_name(numbers->type),
          order_name(options.order));
  if (numbers->count < 2)
    fputs("which needs no device\n", stderr);
  else
    fprintf(stderr, "on %s\n", cdp_last_device());
  fprintf(stderr, "%s: read in %.1f ms, sorted in %.1f ms (copies to the device and back included), written in %.1f ms\n",
          PROGRAM, was_read - begun, sorted - was_read, written - sorted);
  return EXIT_SORTED;
}

static int run(const command *wanted, number_list *numbers) {
  output_file out;
  /* Sorting nothing checks the options: better now than after a long input, and so it is with the output. */
  const cdp_status status = cdp_quicksort(NULL, 0, wanted->settings.type, &wanted->settings.options);
  if (status == CDP_ERROR_OPTION)
    return report_status(PROGRAM, status);
  if (!output_prepare(&out, PROGRAM, wanted->output))
    return EXIT_DATA;
  const int code = sort_file(wanted, numbers, &out);
  if (code != EXIT_SORTED)
    output_close(&out, false);
  return code;
}

int main(int argument_count, char **words) {
  command wanted = {.settings = {.type = CDP_I64, .options = CDP_OPTIONS_INIT}};
  requested_text text = NO_TEXT;
  if (!read_arguments(PROGRAM, argument_count, words, take, &wanted, &text))
    return EXIT_USAGE;
  if (text != NO_TEXT) {
    if (text == HELP_TEXT)
      help();
    else
      print_version(PROGRAM);
    return end_output(PROGRAM, EXIT_SORTED);
  }
  number_list numbers = {.type = wanted.settings.type, .binary = wanted.binary};
  const int code = run(&wanted, &numbers);
  numbers_release(&numbers);
  return code;
}
