/* SPDX-License-Identifier: MIT */
/*
 * Arrays so long that a block has no word for each bucket of their map, and longer ones: every distribution, keys that a map makes
 * little of, and how often keys are counted.
 *
 * Linked with the static library: to look at plans, and to have a simulated device of other sizes.
 */
#include "mapped_keys.h"

/* Arrays so long that there are no more buckets to divide them into are sorted by blocks, still on chip: a bucket that a block
   can sort there is no reason to give the map up. */
START_TEST(fullest_maps_are_sorted_on_chip) {
  for (int turn = 0; turn < 2; turn++) {
    const bool is_by_host = _i % 2 != 0;
    const size_t items = is_by_host ? (turn == 0 ? 500000 : 1100000) : (turn == 0 ? 640000 : 1900000);
    host_case sort = simulated_case(turn == 0 ? CDP_U32 : CDP_I64, items, HOST_UNIFORM, (uint64_t)_i);
    sort.options.scheme = is_by_host ? CDP_SCHEME_HOST : CDP_SCHEME_LAST_BLOCK;
    const cdp_plan plan = plan_of(&sort.options, sort.type, sort.count);
    ck_assert_uint_ne(plan.map_buckets, 0);
    cdp_study study;
    must_study(&sort, &study);
    // A simulated device looks at so few keys that those beyond the least and the greatest of them may be too many for a block.
    ck_assert_uint_eq(study.depths[0].max_task_items, sort.count);
    ck_assert_uint_ge(study.depths[1].leaf_items, sort.count / 100 * 98);
    if (turn == 1 && !is_by_host) // a block has too many keys of a bucket for 8 bits: counted twice, and moved twice
      ck_assert_uint_eq(study.depths[0].bytes_moved, 6 * sort.count * 8);
    // On average they are longer than a team's room, of 256 keys and of 768. The host's maps have 32 groups of 32 at most.
    ck_assert_uint_gt(sort.count / (is_by_host ? 1024 : plan.map_buckets), turn == 0 ? 256 : 768);
  }
}
END_TEST

/* So many keys that a block has no word for each of their buckets, whose counters have 16 bits then. And so many that they have 8,
   and that a team has no counters for all groups. */
static size_t long_items(bool is_wide) {
  return is_wide ? 480000 : 170000;
}

static size_t longest_items(bool is_wide) {
  return is_wide ? 1000000 : 360000;
}

/* Keys read and written, in numbers of all of them, before the buckets are sorted: counted once, and moved twice. _i: how long. */
START_TEST(buckets_are_counted_at_once) {
  for (int turn = ROUND_FIRST(_i); turn < 8; turn += ROUND_STRIDE) {
    const bool is_wide = turn % 2 != 0;
    const size_t items = _i == 0 ? MANY_ITEMS : _i == 1 ? long_items(is_wide) : longest_items(is_wide);
    host_case sort = simulated_case(is_wide ? CDP_I64 : CDP_F32, items, HOST_UNIFORM, 8 * (uint64_t)_i + (uint64_t)turn);
    sort.options.scheme = turn < 4 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_HOST;
    sort.options.order = turn % 3 == 0 ? CDP_ASCENDING : CDP_DESCENDING;
    sort.offset_items = (size_t)turn;
    cdp_study study;
    must_study(&sort, &study);
    const uint64_t bytes = sort.count * (is_wide ? 8 : 4);
    ck_assert_uint_eq(study.depths[0].max_task_items, sort.count);
    ck_assert_uint_ge(study.depths[1].leaf_items, sort.count / 100 * 97);
    // A simulated device looks at so few keys that its first and last buckets may overflow counters of 8 bits.
    if (_i == 2)
      ck_assert_uint_ge(study.depths[0].bytes_moved, 5 * bytes);
    else
      ck_assert_uint_eq(study.depths[0].bytes_moved, 5 * bytes);
    // Hardly a bucket is too long for a team; where the host launches, there are not as many.
    if (sort.options.scheme != CDP_SCHEME_HOST)
      ck_assert_uint_lt(study.depths[1].block_partitions, study.depths[1].leaves / 10);
  }
}
END_TEST

/* Counters of 8 bits: some sorts count all keys once, and in others a block counts its share again, in 16 bits or in words. */
START_TEST(shares_that_overflow_are_counted_again) {
  uint32_t again = 0;
  const uint32_t sorts = FEW_ROUNDS ? 8 : 16;
  for (uint32_t seed = 0; seed < sorts; seed++) {
    host_case sort = simulated_case(CDP_U32, longest_items(false), HOST_UNIFORM, seed);
    cdp_study study;
    must_study(&sort, &study);
    const uint64_t bytes = study.depths[0].bytes_moved;
    ck_assert_uint_ge(bytes, 5 * sort.count * 4);
    ck_assert_uint_le(bytes, 7 * sort.count * 4); // twice: so many counters of 16 bits there are for 1,608 buckets
    again += bytes != 5 * sort.count * 4 ? 1 : 0;
  }
  ck_assert_msg(again > 0 && again < sorts, "%u of %u sorts", again, sorts);
}
END_TEST

/* _i: the distribution. */
START_TEST(long_arrays_of_every_distribution) {
  for (int turn = 0; turn < 2; turn++) {
    if (FEW_ROUNDS && turn != _i % 2)
      continue;
    host_case sort = turn_case(6 * turn + _i % 6, (host_distribution)_i, (uint64_t)_i);
    const bool is_wide = sort.type == CDP_U64 || sort.type == CDP_I64 || sort.type == CDP_F64;
    sort.count = (turn == 0 ? long_items(is_wide) : longest_items(is_wide)) + (size_t)_i;
    must_sort(&sort);
  }
}
END_TEST

/* Frequent values leave so few other keys of a long array that their buckets are counted at once: none is moved. Half of the keys
   are of such values, or all. */
START_TEST(frequent_values_shorten_long_arrays) {
  for (int turn = ROUND_FIRST(_i); turn < 4; turn += ROUND_STRIDE) {
    const bool is_wide = turn % 2 != 0;
    const size_t count = long_items(is_wide);
    const cdp_study study = sort_odd_keys(turn < 2 ? 5 : 6, 4 * (uint64_t)_i + (uint64_t)turn, count, is_wide,
                                          _i % 2 == 0 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_HOST);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_uint_eq(sum.tasks, 1);
    ck_assert_uint_ge(sum.equal_items, count / 100 * (turn < 2 ? 45 : 99));
    // Counted once, moved twice at most, and half of them written, or all: those of frequent values. Counted twice, they would be read
    // once more.
    ck_assert_uint_lt(study.depths[0].bytes_moved, (turn < 2 ? 6 : 7) * count * (is_wide ? 8 : 4));
  }
}
END_TEST

/* More values than a map knows as frequent, each of more keys than a block sorts on chip: buckets of equal keys, which nobody divides,
   and for which no map is given up. Of 400 values in steps none is left out of so long an array's map, and of 100 some are. */
START_TEST(long_buckets_of_equal_keys) {
  for (int turn = ROUND_FIRST(_i); turn < 2; turn++) {
    const bool is_wide = turn != 0;
    const size_t count = longest_items(is_wide);
    const cdp_study study =
        sort_odd_keys(is_wide ? 15 : 14, (uint64_t)_i, count, is_wide, _i % 2 == 0 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_HOST);
    const cdp_study_depth sum = study_total(&study);
    ck_assert_uint_eq(sum.tasks, 1);
    // Two values may have one bucket.
    ck_assert_uint_le(sum.block_partitions, 4);
    ck_assert_uint_ge(sum.leaf_items, count / 100 * (is_wide ? 98 : 30));
    ck_assert_uint_ge(sum.leaf_items + sum.equal_items, count / 100 * 97);
  }
}
END_TEST

/* _i: the kind. Each has both widths and both who launch, every second one the other way round. */
START_TEST(long_arrays_of_odd_keys) {
  for (int turn = 0; turn < 4; turn++) {
    if (FEW_ROUNDS ? turn != _i % 4 : (turn + turn / 2 + _i) % 2 != 0)
      continue;
    sort_odd_keys(_i, 10 * (uint64_t)_i + (uint64_t)turn, long_items(turn % 2 != 0), turn % 2 != 0,
                  turn < 2 ? CDP_SCHEME_LAST_BLOCK : CDP_SCHEME_HOST);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("mapped_long");
  TCase *sorting = tcase_create("sorting");
  tcase_set_timeout(sorting, TEST_SECONDS);
  tcase_add_checked_fixture(sorting, make_device, NULL);
  tcase_add_loop_test(sorting, fullest_maps_are_sorted_on_chip, 0, 2);
  tcase_add_loop_test(sorting, buckets_are_counted_at_once, 0, 3);
  tcase_add_test(sorting, shares_that_overflow_are_counted_again);
  tcase_add_loop_test(sorting, long_arrays_of_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(sorting, long_arrays_of_odd_keys, 0, ODD_KEYS);
  tcase_add_loop_test(sorting, frequent_values_shorten_long_arrays, 0, 4);
  tcase_add_loop_test(sorting, long_buckets_of_equal_keys, 0, 2);
  suite_add_tcase(suite, sorting);
  return run_suite(suite);
}
