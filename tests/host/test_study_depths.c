/* SPDX-License-Identifier: MIT */
/*
 * cdp_study_quicksort() of sorts that go as deep as they may: input that is made against the middle pivot, by asking the study what
 * was the pivot, and more depths than there are rows. Linked with the static library, for the simulated device's rules.
 */
#include "run_suite.h"
#include "studied.h"

#include <math.h>
#include <string.h>

#define HOSTILE_ITEMS 200u
#define HOSTILE_DEPTHS 32u /* 4 * log2(200), rounded up: no limit is higher */

static host_case hostile_case(cdp_scheme scheme) {
  host_case sort = study_case(HOSTILE_ITEMS, HOST_UNIFORM, scheme);
  sort.options.pivot = CDP_PIVOT_MIDDLE;
  sort.options.depth_limit = CDP_DEPTH_MAX;
  return sort;
}

static void sort_copy(const host_case *sort, const uint32_t *keys, cdp_study *study) {
  uint32_t sorted[HOSTILE_ITEMS];
  char why[HOST_WHY_BYTES];
  memcpy(sorted, keys, sizeof sorted);
  ck_assert_msg(cdp_study_quicksort(sorted, HOSTILE_ITEMS, CDP_U32, &sort->options, study) == CDP_OK, "%s", cdp_last_message());
  ck_assert_msg(host_check_sorted(keys, sorted, HOSTILE_ITEMS, CDP_U32, CDP_ASCENDING, why), "%s", why);
}

/*
 * Where the pivot of this depth lies in the input, if `open` are the positions without a key as yet and the others were the
 * greatest keys, one a depth: found by halving, for the number of equal items tells whether the pivot is a 0 or a 1.
 */
static size_t find_pivot(uint32_t *keys, const size_t *open, size_t open_count, uint32_t depth) {
  const host_case sort = hostile_case(CDP_SCHEME_LAST_BLOCK);
  size_t first = 0, candidates = open_count;
  while (candidates > 1) {
    size_t ones = candidates / 2;
    ones -= 2 * ones == open_count ? 1 : 0; // else there are as many zeros
    for (size_t index = 0; index < open_count; index++)
      keys[open[index]] = index >= first && index < first + ones ? 1 : 0;
    cdp_study study;
    sort_copy(&sort, keys, &study);
    const uint64_t equal = study.depths[depth].equal_items;
    ck_assert(equal == ones || equal == open_count - ones);
    if (equal == ones) {
      candidates = ones;
    } else {
      first += ones;
      candidates -= ones;
    }
  }
  return first;
}

/* An input whose middle key is the greatest one, at one depth after the other (after McIlroy, "A Killer Adversary for
   Quicksort", 1999). */
static void make_hostile_keys(uint32_t *keys) {
  size_t open[HOSTILE_ITEMS];
  size_t open_count = HOSTILE_ITEMS;
  for (size_t index = 0; index < HOSTILE_ITEMS; index++)
    open[index] = index;
  for (uint32_t depth = 0; depth < HOSTILE_DEPTHS; depth++) {
    const size_t found = find_pivot(keys, open, open_count, depth);
    keys[open[found]] = UINT32_MAX - depth;
    memmove(&open[found], &open[found + 1], (open_count - found - 1) * sizeof *open);
    open_count--;
  }
  for (size_t index = 0; index < open_count; index++)
    keys[open[index]] = (uint32_t)index;
}

/* A recursion as deep as the adversary could make it, whatever the limit that was asked for; then, and sooner by default or
   where the host launches, the rest is sorted bitonically. */
START_TEST(hostile_input_goes_as_deep_as_the_limit) {
  uint32_t keys[HOSTILE_ITEMS];
  cdp_study study;
  make_hostile_keys(keys);
  for (int scheme = CDP_SCHEME_LAST_BLOCK; scheme <= CDP_SCHEME_HOST; scheme++) {
    const uint32_t depths = HOSTILE_DEPTHS;
    const uint32_t usual_depths = 2 * 8 + 8;
    host_case sort = hostile_case((cdp_scheme)scheme);
    sort_copy(&sort, keys, &study);
    cdp_study_depth sum = study_total(&study);
    for (uint32_t depth = 0; depth < depths; depth++)
      ck_assert_uint_eq(study.depths[depth].equal_items, 1);
    ck_assert_uint_eq(study.depth_count, depths + 1);
    ck_assert_uint_eq(study.depths[depths].network_items, HOSTILE_ITEMS - depths);
    ck_assert_uint_eq(sum.equal_items + sum.leaf_items + sum.network_items, HOSTILE_ITEMS);
    ck_assert_uint_eq(sum.fallback_depth, 1);

    sort.options.depth_limit = 0;
    sort_copy(&sort, keys, &study);
    sum = study_total(&study);
    ck_assert_uint_eq(study.depth_count, usual_depths + 1);
    ck_assert_uint_eq(sum.fallback_depth, 1);
  }
}
END_TEST

/* What is deeper than the rows is counted in the last one. Powers of two, of which the mean of least and greatest takes away
   those of the greatest power alone, go as deep as they may: 4 * 17 levels. The host launches fewer. _i: the scheme. */
START_TEST(last_row_counts_all_that_is_deeper) {
  enum { DEEP_ITEMS = (1 << 16) + 1 };
  static double keys[DEEP_ITEMS];
  static double sorted[DEEP_ITEMS];
  host_case sort = study_case(DEEP_ITEMS, HOST_UNIFORM, scheme_of(_i));
  cdp_study study;
  char why[HOST_WHY_BYTES];
  sort.options.pivot = CDP_PIVOT_MEAN;
  sort.options.depth_limit = CDP_DEPTH_MAX;
  for (int index = 0; index < DEEP_ITEMS; index++)
    keys[index] = sorted[index] = ldexp(1.0, index * 7 % 2000 - 1000);
  ck_assert_msg(cdp_study_quicksort(sorted, DEEP_ITEMS, CDP_F64, &sort.options, &study) == CDP_OK, "%s", cdp_last_message());
  ck_assert_msg(host_check_sorted(keys, sorted, DEEP_ITEMS, CDP_F64, CDP_ASCENDING, why), "%s", why);
  const cdp_study_depth *last = &study.depths[CDP_STUDY_DEPTHS - 1];
  ck_assert_uint_eq(study.depth_count, CDP_STUDY_DEPTHS);
  ck_assert_uint_ge(last->tasks + last->block_partitions, 68 - (CDP_STUDY_DEPTHS - 1));
  ck_assert_uint_gt(last->fallback_depth, 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("study_depths");
  TCase *deep = tcase_create("deep");
  tcase_set_timeout(deep, TEST_SECONDS);
  tcase_add_checked_fixture(deep, make_device, NULL);
  tcase_add_test(deep, hostile_input_goes_as_deep_as_the_limit);
  tcase_add_loop_test(deep, last_row_counts_all_that_is_deeper, 0, SCHEMES - 1);
  suite_add_tcase(suite, deep);
  return run_suite(suite);
}
