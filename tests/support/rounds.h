/* SPDX-License-Identifier: MIT */
/*
 * How many rounds of a loop a test makes. Rounds differ in their options, types, sizes or seeds alone. A machine that builds for use makes
 * all of them. Continuous integration makes each ROUND_STRIDE-th, under the sanitizers fewer still: they look for what an oracle does not
 * see, and a sort takes four times as long there.
 *
 * The build sets CDPSORT_TEST_STRIDE. A stride is a prime from 5 on: it goes evenly into no number of types, schemes or orders, so that all
 * of them have their turn.
 */
#ifndef CDPSORT_TESTS_ROUNDS_H
#define CDPSORT_TESTS_ROUNDS_H

#ifndef CDPSORT_TEST_STRIDE
#define CDPSORT_TEST_STRIDE 1
#endif
#define ROUND_STRIDE (CDPSORT_TEST_STRIDE)

/* Whether some are left out. */
#define FEW_ROUNDS (ROUND_STRIDE > 1)

/* Where such a loop begins: at `round` where rounds are left out, so that loops within a loop are not all at the same one. */
#define ROUND_FIRST(round) (FEW_ROUNDS ? (round) % ROUND_STRIDE : 0)

/* The same for nested loops, whose rounds are counted: whether one is left out. Inner loops may have as many rounds as the stride. */
static inline int leaves_round_out(int round, int first) {
  return (round + (FEW_ROUNDS ? round / ROUND_STRIDE : 0)) % ROUND_STRIDE != ROUND_FIRST(first);
}

#endif
