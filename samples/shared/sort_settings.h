/* SPDX-License-Identifier: MIT */
/*
 * How to sort, in words: what the command lines of the samples have in common.
 *
 * A program keeps the options that are its own, and hands every other to settings_take(), which knows those that end up in a
 * cdp_options. Everything here reports a misuse on stderr itself.
 */
#ifndef CDPSORT_SAMPLES_SORT_SETTINGS_H
#define CDPSORT_SAMPLES_SORT_SETTINGS_H

#include "command_line.h"

#include <cdpsort/tuning.h>

#include <stdbool.h>
#include <stdio.h>

/* What the options of a command line ask for. */
typedef struct sort_settings {
  cdp_type type;
  cdp_options options; /* options.tuning is NULL, or points to `tuning` of the settings that were taken first */
  cdp_tuning tuning;
} sort_settings;

/* The tuning of settings, which their options point to from then on. */
cdp_tuning *settings_tuning(sort_settings *settings);

/*
 * Puts an option that is about sorting into the settings. False, and a message, for an option or a value that is none, and for
 * an operand: a program that has operands takes them itself.
 */
bool settings_take(sort_settings *settings, argument_list *list, const argument *option);

/* Whether it is one of those that are not about the way to sort: --type, --order, --device, --seed. */
bool is_plain_setting(const argument *option);

/* The lines of --help about these four but for --seed, and the paragraph about all. `type_default` is the program's own. */
void plain_settings_help(const char *type_default);
void settings_help(const char *type_default);

/* The words of the command line for these values; "default" for a 0 that is none of them. */
const char *type_name(cdp_type type);
const char *order_name(cdp_order order);
const char *scheme_name(cdp_scheme scheme);
const char *child_streams_name(cdp_child_streams streams);
const char *pivot_name(cdp_pivot pivot);

size_t type_bytes(cdp_type type);

/*
 * Whether a sort that ended with this status may be tried again on the simulated device: where there is no GPU and nobody
 * named a device, neither by --device nor in the environment. The caller of a library call must never get the simulated
 * device unasked; whoever runs a sample is told in its first line.
 */
bool may_simulate(cdp_status status, const cdp_options *options);

/* Says so, before anything else is printed, in one line, with what to do about the GPU that the last call had not found. */
void print_simulated_notice(FILE *stream, const char *program);

/* Exit code for a status that is not CDP_OK. */
int exit_code(cdp_status status);

/* Exit code for any status of the library's last call, after its message where that is not CDP_OK. */
int report_status(const char *program, cdp_status status);

#endif
