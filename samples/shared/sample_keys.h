/* SPDX-License-Identifier: MIT */
/*
 * What the samples that measure have in common: generated keys, sorted again and again, and every result checked.
 *
 * 1. key_settings_take() reads how many keys of which distribution are wanted.
 * 2. settle_device() finds out whether there is a GPU, and falls back to the simulated device where there is none.
 * 3. sample_keys_make() generates the keys and remembers their fingerprint.
 * 4. sample_keys_reset() puts them back as they were generated; then comes a sort; sample_keys_check() checks it.
 */
#ifndef CDPSORT_SAMPLES_SAMPLE_KEYS_H
#define CDPSORT_SAMPLES_SAMPLE_KEYS_H

#include "recursion_keys.h"
#include "sort_settings.h"
#include "spread.h"

/* Which keys are wanted. */
typedef struct key_settings {
  uint64_t count;
  const struct distribution *distribution; /* struct: in C++ no member may change what its type's name means */
  uint64_t least;                          /* the program's own: fewer are refused */
} key_settings;

/* Whether an option is one of these: --count, --distribution. */
bool is_key_option(const argument *option);

/* Puts it into the settings. False, and a message, where its value is none. */
bool key_settings_take(key_settings *settings, argument_list *list, const argument *option);

/* The lines of --help about them, and about --distribution alone. */
void key_settings_help(const char *count_default);
void distributions_help(void);

/*
 * Sorts two keys, to see whether the device can be used; where there is no GPU and nobody asked for one, says so on stdout and
 * has `options` ask for the simulated device. Returns an exit code; where it is not EXIT_SORTED, there was a message.
 */
int settle_device(const char *program, cdp_options *options);

/* The same, after a look at whether keys of this type can be sorted so at all. */
int settle_sort(const char *program, cdp_type type, cdp_options *options);

/* Whether the last sort ran on the simulated device. */
bool was_simulated(void);

/* What the last sort ran on, in a few words, such as "NVIDIA H200": cdp_last_device() up to the bracket. */
typedef struct device_text {
  char text[80];
} device_text;
device_text short_device(void);

/* Keys to sort, and what the result must be. */
typedef struct sample_keys {
  void *keys;   /* to be sorted in place */
  void *given;  /* as they were generated */
  void *sorted; /* the first result that was found to be right */
  uint64_t count;
  cdp_type type;
  cdp_order order;
  fingerprint before;
  bool has_sorted;
} sample_keys;

/* False, and a message, where memory is exhausted. */
bool sample_keys_make(sample_keys *made, const char *program, const key_settings *wanted, const sort_settings *settings);
void sample_keys_release(sample_keys *made);

void sample_keys_reset(sample_keys *made);

/*
 * NULL, or what is wrong with the keys after a sort. The first result is checked for order, and for being a permutation by its
 * fingerprint. Only identical keys are equal, so that there is just one right result, and later ones are compared with it.
 */
const char *sample_keys_check(sample_keys *made);

/*
 * Sorts the keys `runs` times, timed and checked; puts them back before each. *fault is as sample_keys_check() has it: the
 * times are good where CDP_OK is returned and *fault is NULL.
 */
enum { RUNS_MOST = 1000 };
cdp_status time_runs(sample_keys *keys, const cdp_options *options, uint32_t runs, spread *milliseconds, const char **fault);

/* A number of runs, 1 to RUNS_MOST. False, and a message, where the option's value is none. */
bool take_runs(argument_list *list, const argument *option, uint32_t *runs);

#endif
