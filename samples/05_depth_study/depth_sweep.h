/* SPDX-License-Identifier: MIT */
/*
 * A sweep over the knobs of the recursion: what the sample `depth_study` measures.
 *
 * 1. sweep_take() reads the values of each knob.
 * 2. sweep_plan() crosses them. What the library refuses is left out, and so is what would be the same sort as another one:
 *    when the host launches no child is on any stream, without partitions there is neither pivot nor leaf, and with two
 *    children the default leaf is the greatest.
 * 3. sweep_measure() measures one after the other.
 *
 * A depth limit that the recursion does not come to changes nothing, and is not measured again: limits are taken from the
 * greatest to the least, so that by then it is known how deep the recursion goes, unless it came to the limit before.
 */
#ifndef CDPSORT_SAMPLES_DEPTH_SWEEP_H
#define CDPSORT_SAMPLES_DEPTH_SWEEP_H

#include "sample_keys.h"

enum knob { KNOB_FAN_OUT, KNOB_PIVOT, KNOB_SCHEME, KNOB_STREAMS, KNOB_LEAF, KNOB_DEPTH_LIMIT, KNOBS };

enum { KNOB_VALUES_MOST = 24 };

/* The values of one knob, as cdp_options has them. */
typedef struct knob_values {
  uint32_t values[KNOB_VALUES_MOST];
  size_t count;
} knob_values;

typedef enum sort_state {
  SORT_PLANNED, /* not measured, or not yet */
  SORT_MEASURED,
  SORT_UNREACHED /* its depth limit lies below the recursion: the figures are those without the limit */
} sort_state;

/* One combination, and what was measured. */
typedef struct swept_sort {
  cdp_options options;
  sort_state state;
  timing time;
  uint32_t depth_count;
  uint32_t batches;
  cdp_study_depth total;
} swept_sort;

typedef struct sweep {
  knob_values knobs[KNOBS];
  bool full;
  double seconds_most; /* 0: as long as it takes */
  swept_sort *sorts;
  size_t count;
  uint32_t greatest_leaf; /* of the keys' type */
  size_t impossible;      /* combinations that the library refuses */
  size_t alike;           /* that would have been the same sort as another one */
  size_t not_crossed;     /* pivot rules with another scheme than the first: see sweep_take() */
} sweep;

/* Whether an option names a knob, in the singular or the plural, or is --full. */
bool is_knob_option(const argument *option);

/*
 * Takes the values of a knob, separated by commas, or "all". --full is "all" for every knob that is not given, with the pivot
 * rules other than the first tried with the first scheme and streams alone: who launches does not know about pivots.
 */
bool sweep_take(sweep *made, argument_list *list, const argument *option);

void sweep_help(void);

/* Crosses the values; `base` has all other options. EXIT_SORTED, or a message and another exit code. */
int sweep_plan(sweep *made, const char *program, const sort_settings *base);

/* Has all of them sorted on a device that was found later. */
void sweep_use_device(sweep *made, int32_t device);

/* What is to be done with each combination as soon as it was measured and found right. */
typedef void sweep_visit(const swept_sort *sort, void *of_caller);

/* Measures what was planned, after a word about how long it takes. EXIT_SORTED, or a message and another exit code. */
int sweep_measure(sweep *made, sample_keys *keys, uint32_t runs, sweep_visit *visit, void *of_caller);

void sweep_release(sweep *made);

/* The sort that is the same as one with these options; NULL where it is not among the sweep's. */
const swept_sort *sweep_find(const sweep *made, const cdp_options *options);

uint32_t knob_value(const cdp_options *options, enum knob knob);
void set_knob(cdp_options *options, enum knob knob, uint32_t value);
const char *knob_name(enum knob knob);

/* A value as the command line has it. */
typedef struct knob_text {
  char text[24];
} knob_text;
knob_text knob_word(enum knob knob, uint32_t value);

/* A number to put depth limits in order: CDP_DEPTH_NONE is none at all. The default, 0, comes last, though it is
   2 * log2(count) + 8: a greater limit may be given, and ranges with bad pivots come to the default as to any other. */
uint64_t depth_limit_rank(uint32_t depth_limit);

#endif
