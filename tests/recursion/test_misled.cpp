/* SPDX-License-Identifier: MIT */
/*
 * Short arrays that are made against their sample (device/recursion/short_array.cuh): the keys that it draws are the least of
 * all, so that one bucket has nearly everything. Nothing is gathered then; the whole array is sorted behind the grid, by a
 * sample of its own.
 *
 * Linked with the static library, to be told by the kernels' own functions where a sample is drawn.
 */
#include "block/mapped_shape.cuh"
#include "block/splitters.cuh"

#include "engine.h"
#include "host_data.h"
#include "run_suite.h"
#include "simulated_rules.h"

#include <cdpsort/study.h>

extern "C" {
#include "options.h"
}

#include <algorithm>
#include <vector>

namespace cdp::simulated {

namespace {

constexpr uint64_t SEEDS = 5;
constexpr uint32_t MULTIPROCESSORS = 8;

cdp_options simulated_options(uint64_t seed) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.device = CDP_DEVICE_SIMULATED;
  options.seed = seed;
  return options;
}

/* Random keys, but for those that are drawn. */
template <typename Bits>
std::vector<Bits> misleading_keys(uint64_t count, cdp_type type, uint64_t seed) {
  const cdp_options options = simulated_options(seed);
  cdp_device_facts facts = {};
  facts.multiprocessors = MULTIPROCESSORS;
  facts.pending_limit = [](int) { return 2048u; };
  facts.launches_from_device = true;
  cdp_settings settings;
  cdp_plan plan;
  ck_assert_int_eq(cdp_options_resolve(&options, type, &settings), CDP_OK);
  ck_assert_int_eq(cdp_engine_plan(&settings, type, count, &facts, false, &plan), CDP_OK);
  ck_assert_int_eq(plan.path, CDP_PATH_SHORT);
  constexpr uint32_t EACH = MultiwayShape<Bits>::SAMPLES_PER_THREAD;
  const uint32_t samples = sample_threads<Bits, EACH>(plan.short_fan_out, plan.short_oversampling) * EACH;
  std::vector<Bits> keys(count);
  host_fill(keys.data(), type, count, HOST_UNIFORM, seed);
  for (Bits &key : keys)
    key |= 1u << 20;
  const uint64_t hash = sample_hash(seed, Range{0, count, Side::keys, 0});
  for (uint32_t index = 0; index < samples; index++)
    keys[sample_position(hash, index, samples, count)] = index;
  return keys;
}

template <typename Bits>
cdp_study sort_misleading(uint64_t count, cdp_type type, uint64_t seed) {
  std::vector<Bits> keys = misleading_keys<Bits>(count, type, seed);
  std::vector<Bits> expected(keys);
  std::sort(expected.begin(), expected.end());
  const cdp_options options = simulated_options(seed);
  cdp_study study;
  const cdp_status status = cdp_study_quicksort(keys.data(), count, type, &options, &study);
  ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
  ck_assert_msg(keys == expected, "%llu keys, seed %llu", static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(seed));
  ck_assert_uint_eq(simulated_launches_taken(), 0);
  return study;
}

uint64_t sorted_items(const cdp_study &study) {
  uint64_t items = 0;
  for (const cdp_study_depth &depth : study.depths)
    items += depth.leaf_items + depth.equal_items;
  return items;
}

/* Longer than a block sorts behind the grid: a task, of the whole array and once. */
template <typename Bits>
void check_task(uint64_t count, cdp_type type, uint64_t seed) {
  simulated_rules_set(MULTIPROCESSORS, 8);
  const cdp_study study = sort_misleading<Bits>(count, type, seed);
  ck_assert_uint_eq(study.depths[0].tasks, 0);
  ck_assert_uint_eq(study.depths[0].leaves, 0);
  ck_assert_uint_eq(study.depths[1].tasks, 1);
  ck_assert_uint_eq(study.depths[1].max_task_items, count);
  ck_assert_uint_eq(sorted_items(study), count);
}

START_TEST(long_arrays_become_a_task) {
  const uint64_t seed = static_cast<uint64_t>(_i);
  check_task<uint32_t>(30000 + seed, CDP_U32, seed);
  check_task<uint64_t>(20000 + seed, CDP_U64, seed);
}
END_TEST

START_TEST(shorter_ones_are_sorted_by_a_block) {
  const uint64_t seed = static_cast<uint64_t>(_i);
  simulated_rules_set(MULTIPROCESSORS, 8);
  const cdp_study study = sort_misleading<uint32_t>(9000 + seed, CDP_U32, seed);
  ck_assert_uint_eq(sorted_items(study), 9000 + seed);
  ck_assert_uint_eq(study.depths[0].tasks + study.depths[1].tasks, 0);
  ck_assert_uint_gt(study.depths[1].block_partitions, 0);
  sort_misleading<uint64_t>(5000 + seed, CDP_U64, seed);
}
END_TEST

/* Launches behind the grid are refused at random. */
START_TEST(refusals_lose_nothing) {
  const uint64_t seed = static_cast<uint64_t>(_i);
  simulated_rules_set(MULTIPROCESSORS, 3);
  simulated_rules_refuse(700);
  uint64_t refused = 0;
  for (uint64_t turn = 0; turn < 4; turn++) {
    const cdp_study study = sort_misleading<uint32_t>(turn % 2 == 0 ? 30000 : 9000, CDP_U32, 10 * seed + turn);
    for (const cdp_study_depth &depth : study.depths)
      refused += depth.launches_refused;
  }
  ck_assert_uint_gt(refused, 0);
  simulated_rules_refuse(0);
}
END_TEST

/* ---- Long arrays ------------------------------------------------------------------------------------------------------------ */

/* Mapped arrays with more buckets than a block has words for (device/recursion/mapped_packed.cuh), whose keys are spread evenly where
   they are drawn, and equal elsewhere: a counter overflows in every share, of 8 bits, then of 16. Returns how often all keys were read
   and written at depth 0. */
double overflowing_moves(uint64_t count, uint64_t seed) {
  simulated_rules_set(4, 6);
  const uint32_t samples = MapLook<uint32_t, DEVICE_KIND>::MAX_SAMPLES / 2;
  const uint64_t hash = sample_hash(seed, Range{0, count, Side::keys, 0});
  std::vector<uint32_t> keys(count, 0x60000000u);
  for (uint32_t index = 0; index < samples; index++)
    keys[sample_position(hash, index, samples, count)] = index * (UINT32_MAX / samples);
  std::vector<uint32_t> expected(keys);
  std::sort(expected.begin(), expected.end());
  const cdp_options options = simulated_options(seed);
  cdp_study study;
  const cdp_status status = cdp_study_quicksort(keys.data(), count, CDP_U32, &options, &study);
  ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
  ck_assert(keys == expected);
  return static_cast<double>(study.depths[0].bytes_moved) / static_cast<double>(4 * count);
}

/* The map is given up then, and what is told of depth 0 is that by splitters all keys are read twice, and written twice, for nearly all
   are equal to one of those; and whatever has been counted in counters that might overflow. */
START_TEST(counters_overflow) {
  const uint64_t seed = static_cast<uint64_t>(_i);
  static const struct {
    uint64_t count;
    double counts;           /* of all keys */
  } cases[] = {{90000, 0},   // a word for each bucket: 402
               {300000, 3},  // with 16 bits, and in words twice: 768 for 1,340 buckets
               {400000, 5}}; // with 8 bits, with 16, and in words three times: for 1,786 buckets
  for (const auto &one : cases) {
    const double moves = overflowing_moves(one.count, seed) - one.counts;
    ck_assert_msg(moves >= 4 && moves < 4.2, "%llu keys: %f", static_cast<unsigned long long>(one.count), moves);
  }
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("misled");
  TCase *sorts = tcase_create("sorts");
  tcase_set_timeout(sorts, TEST_SECONDS);
  tcase_add_loop_test(sorts, long_arrays_become_a_task, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(sorts, shorter_ones_are_sorted_by_a_block, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(sorts, refusals_lose_nothing, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(sorts, counters_overflow, 0, SEEDS);
  suite_add_tcase(suite, sorts);
  return run_suite(suite);
}
