/* SPDX-License-Identifier: MIT */
/*
 * One sort a seed on the simulated device: keys, options, limits and schedule are all drawn from it. A failure names the seed
 * and everything that it drew; the same seed fails again, with
 *
 *     CDPSORT_TEST_FIRST_SEED=<seed> CDPSORT_TEST_SEEDS=1 build/bin/tests/test_seeds
 *
 * Linked with the static library, for the limits. Compiled with CDPSORT_TEST_4_BYTES_ONLY it sorts no others
 * (planted_bugs.sh).
 */
#include "environment.h"
#include "host_data.h"
#include "run_suite.h"
#include "simulated_rules.h"

#include "engine.h"
#include "plan_limits.h"

#include <stdio.h>
#include <string.h>

#define ITEMS_MOST 30000u
#define SEEDS (FEW_ROUNDS ? 100 : 500)
#define SECONDS_PER_SORT 120
#define PENDING_LIMIT_REFUSED 69 /* cudaErrorLaunchPendingCountExceeded */

/* What a seed draws. */
typedef struct draw {
  host_case sort;
  cdp_plan_limits limits;
  uint32_t pending_limit;
  uint32_t multiprocessors;
  uint32_t resident_blocks;
} draw;

/* A number in [least, most] with small ones as likely as large ones. */
static uint32_t draw_scale(uint64_t *state, uint32_t least, uint32_t most) {
  uint64_t span = most - least + 1;
  span >>= host_random_below(state, 12);
  return least + (uint32_t)host_random_below(state, span > 0 ? span : 1);
}

static bool one_in(uint64_t *state, uint64_t chance) {
  return host_random_below(state, chance) == 0;
}

static uint32_t draw_depth_limit(uint64_t *state) {
  if (!one_in(state, 4))
    return 0;
  const uint32_t limit = (uint32_t)host_random_below(state, 8);
  return limit == 0 ? CDP_DEPTH_NONE : limit;
}

/* The default, the classic recursion, or a power of two. A rule for one pivot goes with the first two alone. */
static uint32_t draw_fan_out(uint64_t *state, cdp_pivot pivot) {
  const uint64_t kind = host_random_below(state, 4);
  const uint64_t power = host_random_below(state, 8);
  const uint32_t many = CDP_FAN_OUT_MIN << (one_in(state, 2) ? power : 0); // the least has the most levels
  if (kind < 2)
    return kind == 0 ? 0 : CDP_FAN_OUT_CLASSIC;
  return pivot == CDP_PIVOT_DEFAULT || pivot == CDP_PIVOT_SAMPLED_MEDIAN ? many : CDP_FAN_OUT_CLASSIC;
}

/* At least half of the seeds have a rule that goes with many children. */
static cdp_pivot draw_pivot(uint64_t *state) {
  const cdp_pivot pivot = (cdp_pivot)host_random_below(state, CDP_PIVOT_MEAN + 1);
  return one_in(state, 2) ? CDP_PIVOT_SAMPLED_MEDIAN : pivot;
}

static cdp_type draw_type(uint64_t *state) {
  const cdp_type type = (cdp_type)(CDP_U32 + (int)host_random_below(state, 6));
#ifdef CDPSORT_TEST_4_BYTES_ONLY
  return type == CDP_U64 ? CDP_U32 : type == CDP_I64 ? CDP_I32 : type == CDP_F64 ? CDP_F32 : type;
#else
  return type;
#endif
}

static const cdp_tuning without_one_block = {.size = sizeof without_one_block, .disable = CDP_DISABLE_ONE_BLOCK};
static const cdp_tuning small_ranges = {.size = sizeof small_ranges, .block_items = 1};

/* One in six is a short array, which other draws hardly ever make; in a quarter of those, buckets are
   too few to fit a block each. */
static void draw_short(uint64_t *state, draw *drawn) {
  if (!one_in(state, 6))
    return;
  cdp_options *options = &drawn->sort.options;
  drawn->sort.count = 1600 + (size_t)host_random_below(state, 10000);
  options->depth_limit = 0;
  options->leaf_items = 0;
  options->scheme = CDP_SCHEME_DEFAULT;
  options->child_streams = CDP_STREAMS_DEFAULT;
  options->pivot = CDP_PIVOT_DEFAULT;
  options->fan_out = 0;
  options->tuning = one_in(state, 4) ? &without_one_block : NULL;
  drawn->limits.short_fan_out = one_in(state, 4) ? CDP_FAN_OUT_MIN : 0;
}

/* So many keys of which seven in eight are the same: those are worth a grid of their own to be written (device/tuning.h). */
static void draw_many_equal(uint64_t *state, draw *drawn) {
  drawn->sort.count = 310000 + (size_t)host_random_below(state, 50000);
  drawn->sort.distribution = HOST_LOST_PIVOT;
  drawn->sort.options.depth_limit = (uint32_t)host_random_below(state, 2);
  drawn->sort.options.leaf_items = 0;
  drawn->sort.options.tuning = NULL;
  drawn->limits.task_capacity = 0;
}

/* One in five is launched by the host, in many levels, which small leaves and few children make; a third of those ends in the
   network. In some, equal keys are so many that they are left to the next level. */
static void draw_host(uint64_t *state, draw *drawn) {
  if (!one_in(state, 5))
    return;
  cdp_options *options = &drawn->sort.options;
  drawn->sort.count = 4000 + (size_t)host_random_below(state, ITEMS_MOST - 4000);
  options->scheme = CDP_SCHEME_HOST;
  options->fan_out = one_in(state, 2) ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MIN;
  options->pivot = CDP_PIVOT_DEFAULT;
  options->leaf_items = CDP_LEAF_MIN;
  options->tuning = one_in(state, 2) ? &small_ranges : NULL;
  options->depth_limit = one_in(state, 3) ? 1 + (uint32_t)host_random_below(state, 3) : 0;
  if (one_in(state, 2))
    drawn->limits.task_capacity = 0;
  if (one_in(state, 3))
    drawn->sort.distribution = one_in(state, 2) ? HOST_LOST_PIVOT : HOST_FEW_DISTINCT;
  if (one_in(state, 6))
    draw_many_equal(state, drawn);
}

/* One in ten is divided by a map, launched by the device or by the host; a third of those is in order, or in the opposite one. */
static void draw_mapped(uint64_t *state, draw *drawn) {
  if (!one_in(state, 10))
    return;
  memset(&drawn->limits, 0, sizeof drawn->limits);
  drawn->sort.count = 30000 + (size_t)host_random_below(state, 60000);
  drawn->sort.options = (cdp_options)CDP_OPTIONS_INIT;
  drawn->sort.options.device = CDP_DEVICE_SIMULATED;
  drawn->sort.options.order = one_in(state, 2) ? CDP_ASCENDING : CDP_DESCENDING;
  drawn->sort.options.scheme = one_in(state, 3) ? CDP_SCHEME_HOST : CDP_SCHEME_DEFAULT;
  drawn->sort.options.seed = host_random(state);
  if (one_in(state, 3))
    drawn->sort.distribution = one_in(state, 2) ? HOST_SORTED : HOST_REVERSED;
}

static void draw_from(uint64_t seed, draw *drawn) {
  uint64_t state = seed * UINT64_C(0xD1342543DE82EF95) + 1;
  memset(drawn, 0, sizeof *drawn);
  host_case *sort = &drawn->sort;
  sort->type = draw_type(&state);
  const uint32_t max_leaf_items = host_key_bytes(sort->type) == 4 ? CDP_LEAF_MAX_4_BYTES : CDP_LEAF_MAX_8_BYTES;
  sort->count = one_in(&state, 2) ? (size_t)host_random_below(&state, ITEMS_MOST + 1) : draw_scale(&state, 0, ITEMS_MOST);
  sort->distribution = (host_distribution)host_random_below(&state, HOST_DISTRIBUTIONS);
  sort->seed = host_random(&state);
  sort->offset_items = (size_t)host_random_below(&state, 8);
  sort->options = (cdp_options)CDP_OPTIONS_INIT;
  sort->options.device = CDP_DEVICE_SIMULATED;
  sort->options.order = (cdp_order)host_random_below(&state, 2);
  sort->options.depth_limit = draw_depth_limit(&state);
  sort->options.leaf_items = one_in(&state, 8) ? 0 : draw_scale(&state, CDP_LEAF_MIN, max_leaf_items);
  sort->options.scheme = (cdp_scheme)host_random_below(&state, 4);
  sort->options.child_streams = (cdp_child_streams)host_random_below(&state, 3);
  sort->options.pivot = draw_pivot(&state);
  sort->options.fan_out = draw_fan_out(&state, sort->options.pivot);
  sort->options.seed = host_random(&state);
  drawn->pending_limit = one_in(&state, 2) ? draw_scale(&state, 1, 40) : 2048;
  drawn->limits.task_capacity = one_in(&state, 4) ? 1 + (uint32_t)host_random_below(&state, 16) : 0;
  drawn->limits.worklist_capacity = one_in(&state, 4) ? 1 + (uint32_t)host_random_below(&state, 16) : 0;
  drawn->limits.task_budget = one_in(&state, 3) ? 1 + (uint32_t)host_random_below(&state, 8) : 0;
  drawn->multiprocessors = 1 + (uint32_t)host_random_below(&state, 48);
  drawn->resident_blocks = 1 + (uint32_t)host_random_below(&state, 12);
  draw_short(&state, drawn);
  draw_host(&state, drawn);
  draw_mapped(&state, drawn);
}

/* _i: the seed. */
START_TEST(sorts_what_the_seed_draws) {
  draw drawn;
  cdp_fault fault = {0};
  cdp_study study;
  char why[HOST_WHY_BYTES];
  draw_from((uint64_t)_i, &drawn);
  cdp_plan_limit(&drawn.limits);
  simulated_rules_set(drawn.multiprocessors, drawn.resident_blocks);
  ck_assert_int_eq(cdp_engine_simulated()->set_pending_limit(drawn.pending_limit, &fault), CDP_OK);
  const bool sorted = host_sort(&drawn.sort, _i % 2 == 0 ? &study : NULL, why);
  ck_assert_msg(sorted,
                "seed %d: multiprocessors %u, resident blocks %u, pending limit %u, tasks %u, collected %u, budget %u; %s", _i,
                drawn.multiprocessors, drawn.resident_blocks, drawn.pending_limit, drawn.limits.task_capacity,
                drawn.limits.worklist_capacity, drawn.limits.task_budget, why);
  ck_assert_msg(simulated_launches_taken() == 0, "seed %d: %u launches were not given back", _i, simulated_launches_taken());
  // Nothing but the pending limit refuses a launch. What is refused for another reason is sorted all the same, only slowly.
  host_describe(&drawn.sort, why, sizeof why);
  if (_i % 2 == 0)
    ck_assert_msg(study.first_fault == 0 || study.first_fault == PENDING_LIMIT_REFUSED,
                  "seed %d: a launch was refused with code %d; %s", _i, study.first_fault, why);
}
END_TEST

int main(void) {
  const int first = number_from_environment("CDPSORT_TEST_FIRST_SEED", 0);
  const int seeds = number_from_environment("CDPSORT_TEST_SEEDS", SEEDS);
  if (first < 0 || seeds < 1)
    return EXIT_FAILURE;
  Suite *suite = suite_create("seeds");
  TCase *sorting = tcase_create("seed");
  tcase_set_timeout(sorting, SECONDS_PER_SORT);
  tcase_add_loop_test(sorting, sorts_what_the_seed_draws, first, first + seeds);
  suite_add_tcase(suite, sorting);
  (void)printf("seeds %d to %d\n", first, first + seeds - 1);
  return run_suite(suite);
}
