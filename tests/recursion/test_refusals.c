/* SPDX-License-Identifier: MIT */
/*
 * Launches that are refused at any time, as a GPU does whose pending launches other programs' sorts fill too: nothing is lost.
 * 1. One sort a seed, of which one launch in sixteen, one in four or every one is refused, drawn by the seed, tails included.
 * 2. Several host threads whose sorts share a limit that each alone would keep.
 *
 * Linked with the static library, for the rules of the simulated device. A failure names its seed; the batch of that seed
 * alone:
 *
 *     CDPSORT_TEST_FIRST_SEED=<seed> CDPSORT_TEST_SEEDS=1 build/bin/tests/test_refusals
 */
#define _POSIX_C_SOURCE 200809L // pthread_barrier_wait()

#include "environment.h"
#include "host_check.h"
#include "run_suite.h"
#include "simulated_rules.h"

#include "engine.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define SEEDS (FEW_ROUNDS ? 100 : 500)
#define BATCH_SEEDS 100
#define PENDING_LIMIT_REFUSED 69 /* cudaErrorLaunchPendingCountExceeded */

#define CHANCE_ALL 1024

static int first_seed;
static int seeds;

/* What a seed draws. */
typedef struct draw {
  host_case sort;
  uint32_t chance;
  uint32_t pending_limit;
  uint32_t multiprocessors;
  uint32_t resident_blocks;
} draw;

/* What the sorts of a batch were told. */
typedef struct tally {
  uint64_t launched; /* by the device */
  uint64_t refused;
  uint64_t tails_refused;
} tally;

static bool one_in(uint64_t *state, uint64_t chance) {
  return host_random_below(state, chance) == 0;
}

/* Many small leaves, so that there are many grids; or, one in six, an array that is sorted in two launches. */
static void draw_options(uint64_t *state, cdp_options *options) {
  static const uint32_t fan_outs[] = {0,  CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN, CDP_FAN_OUT_MIN, 16,
                                      64, CDP_FAN_OUT_MAX};
  static const cdp_scheme schemes[] = {CDP_SCHEME_DEFAULT, CDP_SCHEME_LAST_BLOCK, CDP_SCHEME_CONTROLLER};
  *options = (cdp_options)CDP_OPTIONS_INIT;
  options->device = CDP_DEVICE_SIMULATED;
  options->order = (cdp_order)host_random_below(state, 2);
  options->seed = host_random(state);
  if (one_in(state, 6))
    return;
  options->leaf_items = CDP_LEAF_MIN;
  options->fan_out = fan_outs[host_random_below(state, sizeof fan_outs / sizeof *fan_outs)];
  options->scheme = schemes[host_random_below(state, sizeof schemes / sizeof *schemes)];
  options->child_streams = (cdp_child_streams)host_random_below(state, 3);
}

static void draw_from(uint64_t seed, draw *drawn) {
  static const uint32_t chances[] = {64, 64, 64, 256, 256, CHANCE_ALL};
  uint64_t state = seed * UINT64_C(0xD1342543DE82EF95) + 1;
  host_case *sort = &drawn->sort;
  sort->type = (cdp_type)(CDP_U32 + (int)host_random_below(&state, 6));
  sort->count = 1600 + (size_t)host_random_below(&state, 6000);
  sort->distribution = one_in(&state, 2) ? HOST_UNIFORM : (host_distribution)host_random_below(&state, HOST_DISTRIBUTIONS);
  sort->seed = host_random(&state);
  sort->offset_items = (size_t)host_random_below(&state, 8);
  draw_options(&state, &sort->options);
  drawn->chance = chances[host_random_below(&state, sizeof chances / sizeof *chances)];
  drawn->pending_limit = one_in(&state, 4) ? 1 + (uint32_t)host_random_below(&state, 40) : 2048;
  drawn->multiprocessors = 24 + (uint32_t)host_random_below(&state, 25);
  drawn->resident_blocks = 1 + (uint32_t)host_random_below(&state, 12);
}

static void set_pending_limit(uint32_t limit) {
  cdp_fault fault = {0};
  ck_assert_int_eq(cdp_engine_simulated()->set_pending_limit(limit, &fault), CDP_OK);
}

/* What a study says was refused is what the device has refused. */
static void check_study(int seed, const cdp_study *study, const simulated_counts *counts) {
  const cdp_study_depth sum = study_total(study);
  ck_assert_msg(sum.launches_refused == counts->launches_refused, "seed %d: %llu launches refused, %llu of them counted", seed,
                (unsigned long long)counts->launches_refused, (unsigned long long)sum.launches_refused);
  ck_assert_msg(study->first_fault == (counts->launches_refused != 0 ? PENDING_LIMIT_REFUSED : 0),
                "seed %d: the first fault is %d", seed, study->first_fault);
}

static void sort_under(int seed, tally *sum) {
  draw drawn;
  cdp_study study;
  char why[HOST_WHY_BYTES];
  draw_from((uint64_t)seed, &drawn);
  simulated_rules_set(drawn.multiprocessors, drawn.resident_blocks);
  simulated_rules_refuse(drawn.chance);
  set_pending_limit(drawn.pending_limit);
  const bool studied = seed % 2 == 0;
  ck_assert_msg(host_sort(&drawn.sort, studied ? &study : NULL, why),
                "seed %d: chance %u, multiprocessors %u, resident blocks %u, pending limit %u; %s", seed, drawn.chance,
                drawn.multiprocessors, drawn.resident_blocks, drawn.pending_limit, why);
  ck_assert_msg(simulated_launches_taken() == 0, "seed %d: %u launches were not given back", seed, simulated_launches_taken());
  const simulated_counts counts = simulated_counts_read();
  if (studied)
    check_study(seed, &study, &counts);
  if (drawn.chance == CHANCE_ALL)
    ck_assert_msg(counts.grids_launched == 1, "seed %d: a launch was not refused", seed);
  sum->launched += counts.grids_launched - 1;
  sum->refused += counts.launches_refused;
  sum->tails_refused += counts.tails_refused;
}

/* _i: the batch. */
START_TEST(sorts_what_is_left_to_it) {
  tally sum = {0};
  const int first = first_seed + _i * BATCH_SEEDS;
  const int end = first + BATCH_SEEDS < first_seed + seeds ? first + BATCH_SEEDS : first_seed + seeds;
  for (int seed = first; seed < end; seed++)
    sort_under(seed, &sum);
  (void)printf("seeds %d to %d: %llu grids launched, %llu launches refused, %llu of them tails\n", first, end - 1,
               (unsigned long long)sum.launched, (unsigned long long)sum.refused, (unsigned long long)sum.tails_refused);
  if (end - first < BATCH_SEEDS)
    return;
  ck_assert_uint_gt(sum.launched, BATCH_SEEDS);
  ck_assert_uint_gt(sum.refused, BATCH_SEEDS / 2);
  ck_assert_uint_gt(sum.tails_refused, BATCH_SEEDS / 20);
}
END_TEST

/* ---- Several host threads -------------------------------------------------------------------------------------- */

#define THREADS 4
#define SORTS 6
#define ROUNDS_MOST 20
#define SHARED_LIMIT 12

typedef struct sorter {
  uint64_t seed;
  bool sorted;
  uint64_t refused;
  char why[HOST_WHY_BYTES];
} sorter;

static pthread_barrier_t beginning;

static void *sort_many(void *argument) {
  sorter *own = argument;
  own->sorted = true;
  simulated_rules_set(12, 8);
  (void)pthread_barrier_wait(&beginning);
  for (uint64_t turn = 0; turn < SORTS && own->sorted; turn++) {
    host_case sort = simulated_case((cdp_type)(CDP_U32 + (int)((own->seed + turn) % 6)), 6000 + turn * 977, HOST_UNIFORM,
                                    own->seed * SORTS + turn);
    sort.options.leaf_items = CDP_LEAF_MIN;
    sort.options.fan_out = turn % 2 == 0 ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MIN;
    sort.options.scheme = CDP_SCHEME_LAST_BLOCK;
    own->sorted = host_sort(&sort, NULL, own->why);
    own->refused += simulated_counts_read().launches_refused;
  }
  return NULL;
}

/* How many launches were refused while so many threads sorted. */
static uint64_t sort_at_once(uint64_t seed, uint32_t count) {
  sorter sorters[THREADS];
  pthread_t handles[THREADS];
  uint64_t refused = 0;
  memset(sorters, 0, sizeof sorters);
  ck_assert_int_eq(pthread_barrier_init(&beginning, NULL, count), 0);
  for (uint32_t index = 0; index < count; index++) {
    sorters[index].seed = seed + index;
    ck_assert_int_eq(pthread_create(&handles[index], NULL, sort_many, &sorters[index]), 0);
  }
  for (uint32_t index = 0; index < count; index++)
    ck_assert_int_eq(pthread_join(handles[index], NULL), 0);
  for (uint32_t index = 0; index < count; index++) {
    ck_assert_msg(sorters[index].sorted, "thread %u: %s", index, sorters[index].why);
    refused += sorters[index].refused;
  }
  (void)pthread_barrier_destroy(&beginning);
  return refused;
}

/* A sort alone asks for no more than the limit, and several together do. When they meet is for the host to say: rounds are made
   until they have. */
START_TEST(threads_share_the_pending_limit) {
  set_pending_limit(SHARED_LIMIT);
  for (uint64_t seed = 0; seed < THREADS; seed++)
    ck_assert_uint_eq(sort_at_once(seed, 1), 0);
  uint64_t refused = 0;
  for (uint64_t round = 0; round < ROUNDS_MOST && refused == 0; round++)
    refused = sort_at_once(round * THREADS, THREADS);
  ck_assert_uint_gt(refused, 0);
}
END_TEST

int main(void) {
  first_seed = number_from_environment("CDPSORT_TEST_FIRST_SEED", 0);
  seeds = number_from_environment("CDPSORT_TEST_SEEDS", SEEDS);
  if (first_seed < 0 || seeds < 1)
    return EXIT_FAILURE;
  Suite *suite = suite_create("refusals");
  TCase *refusing = tcase_create("refused");
  tcase_set_timeout(refusing, TEST_SECONDS);
  tcase_add_loop_test(refusing, sorts_what_is_left_to_it, 0, (seeds + BATCH_SEEDS - 1) / BATCH_SEEDS);
  tcase_add_test(refusing, threads_share_the_pending_limit);
  suite_add_tcase(suite, refusing);
  return run_suite(suite);
}
