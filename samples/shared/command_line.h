/* SPDX-License-Identifier: MIT */
/*
 * Walking over a command line, which is the same in all samples.
 *
 * A program says with an argument_taker how it takes one option. run_program() is then all that its main() has to call; a
 * program that is more than that calls read_arguments(). Everything here reports a misuse on stderr itself.
 */
#ifndef CDPSORT_SAMPLES_COMMAND_LINE_H
#define CDPSORT_SAMPLES_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the programs exit with; 1 is for what goes in or comes out. */
enum { EXIT_SORTED = 0, EXIT_DATA = 1, EXIT_USAGE = 2, EXIT_LIBRARY = 3 };

/* A walk over a command line. `program` opens every message. */
typedef struct argument_list {
  const char *program;
  int count;
  char **words;
  int next;
  bool options_ended; /* after "--" everything is an operand */
} argument_list;

/* One step of it: an option ("--type u32", "--type=u32", "-h"), or an operand, which has no name. */
typedef struct argument {
  char name[32];     /* "--type"; "" for an operand */
  const char *value; /* the operand; for an option what follows its '=', or NULL */
} argument;

argument_list arguments_begin(const char *program, int count, char **words);

/* The value of an option: what follows its '=', or else the next word. NULL, and a message, where there is none. */
const char *argument_value(argument_list *list, const argument *option);

/* False, and a message, where a value was given to an option that takes none. */
bool argument_has_no_value(const argument_list *list, const argument *option);

/* The option's value is the name of a file beside the report. False, and a message, where there is none, or "-". */
bool take_path(argument_list *list, const argument *option, const char **path);

/* Says that a command line makes no sense, printf() fashion. */
void usage_error(const argument_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next of some values with commas between them. False when there is none left; *rest is NULL then. */
enum { VALUE_CHARACTERS = 32 };
bool next_value(const char **rest, char word[VALUE_CHARACTERS]);

/* A whole number of decimal digits alone. False where it is none or does not fit. */
bool parse_whole(const char *text, uint64_t *number);

/* A number of keys: "1000", "64K" (thousands), "1Mi" (powers of 1024), "2^20". False where it is none or does not fit. */
bool parse_count(const char *text, uint64_t *count);

/*
 * Puts an option or an operand into what the program keeps of its command line, which `command` points to. False, and a
 * message, where it makes no sense.
 */
typedef bool argument_taker(void *command, argument_list *list, const argument *found);

/* A text that a command line asks for in place of work. */
typedef enum requested_text { NO_TEXT, HELP_TEXT, VERSION_TEXT } requested_text;

/*
 * Hands one option or operand after the other to `take`, but for --help, -h and --version, which set *text: the last one counts.
 * False as soon as one makes no sense.
 */
bool read_arguments(const char *program, int count, char **words, argument_taker *take, void *command, requested_text *text);

/* Prints the program's name and the library's version. */
void print_version(const char *program);

/* A program that reads its command line, and then tells what it can do or does it. */
typedef struct sample_program {
  const char *name;
  argument_taker *take;
  void (*help)(void);
  int (*run)(void *command); /* returns an exit code */
} sample_program;

/* What a program ends with: its exit code, or a message and another one where standard output could not be written. */
int end_output(const char *program, int code);

/* What main() returns: the exit code of run(); another one, and a message, where standard output could not be written. */
int run_program(const sample_program *program, int count, char **words, void *command);

#endif
