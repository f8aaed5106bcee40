/* SPDX-License-Identifier: MIT */
/*
 * What is left of a sort that does not complete: the grids in its trace that never began, or began and did not end.
 */
#ifndef CDPSORT_TESTS_UNFINISHED_H
#define CDPSORT_TESTS_UNFINISHED_H

#include <cstdint>

/* Prints them, with whoever launched the first of them. trace: a host copy of a trace as the device has left it, of so many
   events (device/recursion/trace.cuh). */
void print_unfinished(void *trace, uint32_t capacity);

#endif
