/* SPDX-License-Identifier: MIT */
/* Numbers of keys on a command line, all of them powers of two: a set of bits, of which bit n stands for 2^n keys. */
#ifndef CDPSORT_SAMPLES_SIZE_LIST_H
#define CDPSORT_SAMPLES_SIZE_LIST_H

#include "sort_settings.h"

/* All bits from `first` to `last`, which is less than 63. */
uint64_t sizes_between(uint32_t first, uint32_t last);

/* The greatest n for which there are 2^n keys. */
uint32_t greatest_log2(uint64_t sizes);

/*
 * Takes the option's value: with commas between them ranges of exponents, 10-25, exponents, 20, and numbers of keys that are
 * written as such, 2^20 or 1Mi. Exponents may be log2_least to log2_most. False, and a message, where it is none of this.
 */
bool take_sizes(argument_list *list, const argument *option, uint32_t log2_least, uint32_t log2_most, uint64_t *sizes);

/* The lines of --help about --sizes; the text says what the default is. */
void sizes_help(const char *sizes_default);

#endif
