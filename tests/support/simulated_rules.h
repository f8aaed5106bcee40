/* SPDX-License-Identifier: MIT */
/*
 * The simulated device's rules and reports for tests in C that link the static library. With more multiprocessors one block
 * finishes smaller ranges, so that few keys make a recursion of many grids.
 */
#ifndef CDPSORT_TESTS_SIMULATED_RULES_H
#define CDPSORT_TESTS_SIMULATED_RULES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For the calling thread's sorts from now on. resident_blocks: how many are under way at once. */
void simulated_rules_set(uint32_t multiprocessors, uint32_t resident_blocks);

/* Refuses so many of 1024 launches from the device in the calling thread's sorts from now on, drawn by the sort's seed, tails
   among them. 0: none. */
void simulated_rules_refuse(uint32_t chance);

/* Refuses one of the host's launches in each of the calling thread's sorts from now on: the first is 1. 0: none. */
void simulated_rules_refuse_launch(uint64_t number);

/* What the simulated device itself has counted in the calling thread's last launch from the host. */
typedef struct simulated_counts {
  uint64_t number;         /* which of the host's launches it was in its sort, from 1 on */
  uint64_t grids_launched; /* the host's included */
  uint64_t launches_refused;
  uint64_t tails_refused; /* of them */
  uint64_t blocks_run;
  uint32_t max_pending;
} simulated_counts;

simulated_counts simulated_counts_read(void);

/* Launches that sorts have taken from the account they share and not given back: 0 when none is under way. */
uint32_t simulated_launches_taken(void);

#ifdef __cplusplus
}
#endif

#endif
