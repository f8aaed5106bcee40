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

/* What the options of a command line ask for. */
typedef struct sort_settings {
  cdp_type type;
  cdp_options options; /* options.tuning is NULL, or points to `tuning` of the settings that were taken first */
  cdp_tuning tuning;
} sort_settings;

/* Options that a program has not, with a blank before and behind each; and what is said behind their name to whoever gives one,
   NULL: that there is no such option. */
typedef struct refused_settings {
  const char *names;
  const char *why;
} refused_settings;

/* All but --type, --order, --device and --seed. */
#define WAYS_TO_SORT                                                                                                           \
  " --depth-limit --leaf --scheme --streams --fan-out --one-block --short --block-items --oversampling --pivot --preset "

/* The tuning of settings, which their options point to from then on. */
cdp_tuning *settings_tuning(sort_settings *settings);

/*
 * Puts an option that is about sorting into the settings. False, and a message, for an option or a value that is none, and for
 * an operand: a program that has operands takes them itself.
 */
bool settings_take(sort_settings *settings, const refused_settings *refused, argument_list *list, const argument *option);

/* The paragraph of --help about them. `type_default` is the program's own. */
void settings_help(const char *type_default, const refused_settings *refused);

/* The words of the command line for these values; "default" for a 0 that is none of them. */
const char *type_name(cdp_type type);
const char *order_name(cdp_order order);
const char *scheme_name(cdp_scheme scheme);
const char *child_streams_name(cdp_child_streams streams);
const char *pivot_name(cdp_pivot pivot);

size_t type_bytes(cdp_type type);

#endif
