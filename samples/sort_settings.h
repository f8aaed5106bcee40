/* SPDX-License-Identifier: MIT */
/*
 * What the command lines of the samples have in common: how to sort, in words.
 *
 * A program walks over its command line with next_argument(), keeps the options that are its own, and hands every other to
 * settings_take(), which knows those that end up in a cdp_options. Everything here reports a misuse on stderr itself.
 */
#ifndef CDPSORT_SAMPLES_SORT_SETTINGS_H
#define CDPSORT_SAMPLES_SORT_SETTINGS_H

#include <cdpsort/cdpsort.h>

#include <stdbool.h>
#include <stdio.h>

/* What the programs exit with; 1 is for what goes in or comes out. */
enum { EXIT_SORTED = 0, EXIT_DATA = 1, EXIT_USAGE = 2, EXIT_LIBRARY = 3 };

/* What the options of a command line ask for. */
typedef struct sort_settings {
  cdp_type type;
  cdp_options options;
} sort_settings;

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

/* The next option or operand; false at the end. */
bool next_argument(argument_list *list, argument *found);

/* The value of an option: what follows its '=', or else the next word. NULL, and a message, where there is none. */
const char *argument_value(argument_list *list, const argument *option);

/* False, and a message, where a value was given to an option that takes none. */
bool argument_has_no_value(const argument_list *list, const argument *option);

/*
 * What programs without operands have in common: their command line has options, and one of them is --help.
 * is_help_or_operand() says whether a word is no option of the program's own; then take_help() takes it: *help becomes true, or
 * there is a message, and false, for an operand.
 */
bool is_help_or_operand(const argument *found);
bool take_help(const argument_list *list, const argument *found, bool *help);

/* What a program ends with: its exit code, or a message and another one where standard output could not be written. */
int end_output(const char *program, int code);

/* Says that a command line makes no sense, printf() fashion. */
void usage_error(const argument_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts an option that is about sorting into the settings. False, and a message, for an option or a value that is none. */
bool settings_take(sort_settings *settings, argument_list *list, const argument *option);

/* The paragraph of --help about these options. `type_default` is the program's own. */
void settings_help(const char *type_default);

/* The words of the command line for these values; "default" for a 0 that is none of them. */
const char *type_name(cdp_type type);
const char *order_name(cdp_order order);
const char *scheme_name(cdp_scheme scheme);
const char *child_streams_name(cdp_child_streams streams);
const char *pivot_name(cdp_pivot pivot);

size_t type_bytes(cdp_type type);

/* A whole number of decimal digits alone. False where it is none or does not fit. */
bool parse_whole(const char *text, uint64_t *number);

/* A number of keys: "1000", "64K" (thousands), "1Mi" (powers of 1024), "2^20". False where it is none or does not fit. */
bool parse_count(const char *text, uint64_t *count);

/*
 * Whether a sort that ended with this status may be tried again on the simulated device: where there is no GPU and nobody
 * named a device, neither by --device nor in the environment. The caller of a library call must never get the simulated
 * device unasked; whoever runs a sample is told in its first line.
 */
bool may_simulate(cdp_status status, const cdp_options *options);

/* Says so, before anything else is printed, and then what the library's last call had to say about the GPU. */
void print_simulated_notice(FILE *stream, const char *program);

/* Exit code for a status that is not CDP_OK. */
int exit_code(cdp_status status);

/* Exit code for any status of the library's last call, after its message where that is not CDP_OK. */
int report_status(const char *program, cdp_status status);

#endif
