/* SPDX-License-Identifier: MIT */
/*
 * The sorts for others' kernels (cdpsort/device.cuh), on the simulated device: places in memory, by a block and by grids.
 */
#include "block_items.h"

#include <array>

namespace cdp::simulated {

namespace {

template <typename Key, typename Value, typename Compare>
__global__ void block_kernel([[maybe_unused]] Key *keys, [[maybe_unused]] Value *values, [[maybe_unused]] uint32_t count,
                             [[maybe_unused]] Compare compare) {
#ifndef __clang_analyzer__
  if constexpr (std::is_same_v<Value, cdpsort::NoValue>)
    cdpsort::block_sort_keys(keys, count, compare);
  else
    cdpsort::block_sort_pairs(keys, values, count, compare);
#endif
}

template <typename Key, typename Value, typename Compare>
void check_block(uint64_t seed, uint32_t threads, uint32_t count, uint32_t distinct, Compare compare) {
  std::vector<Key> keys(count);
  fill(keys, seed, distinct);
  Guarded<Key> array(keys);
  Guarded<Value> with(numbers<Value>(count));
  run_grid(seed, {1, threads, 0}, block_kernel<Key, Value, Compare>, array.data(), with.data(), count, compare);
  array.must_keep_guards();
  with.must_keep_guards();
  must_be_sorted(keys, array.keys(), compare, "a block's sort", seed);
  must_belong(keys, array.keys(), with.keys());
}

/* _i: the seed. Any count, and any number of threads. */
START_TEST(blocks_sort_memory) {
  const uint64_t seed = static_cast<uint64_t>(_i) * 100 + 11;
  const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 100, 127, 128, 129, 500};
  for (const uint32_t count : counts) {
    check_block<uint32_t, uint32_t>(seed + count, 64, count, MANY, cdpsort::Less{});
    check_block<Record, uint16_t>(seed + count, 96, count, 5, RecordOrder{});
    check_block<double, uint64_t>(seed + count, 1, count, 9, cdpsort::Greater{});
    check_block<uint16_t, uint32_t>(seed + count, 33, count, MANY, NoOrder{});
  }
}
END_TEST

__global__ void keys_kernel([[maybe_unused]] float *keys, [[maybe_unused]] uint32_t count) {
#ifndef __clang_analyzer__
  cdpsort::block_sort_keys(keys, count);
#endif
}

START_TEST(blocks_sort_keys_alone) {
  std::vector<float> keys(300);
  fill(keys, 5, MANY);
  Guarded<float> array(keys);
  run_grid(5, {1, 64, 0}, keys_kernel, array.data(), 300u);
  array.must_keep_guards();
  must_be_sorted(keys, array.keys(), cdpsort::Less{}, "keys alone", 5);
}
END_TEST

/* Two columns of a matrix, by the sum of both: what is fetched is no key that lies anywhere. */
struct Columns {
  uint32_t *left;
  uint32_t *right;
  uint32_t operator()(uint64_t row) const {
    return left[row] + right[row];
  }
  void operator()(uint64_t low, uint64_t high) const {
    ck_assert(low < high);
    std::swap(left[low], left[high]);
    std::swap(right[low], right[high]);
  }
};

__global__ void near_kernel([[maybe_unused]] cdpsort::network::Step begin, [[maybe_unused]] uint64_t last_size,
                            [[maybe_unused]] uint64_t count, [[maybe_unused]] Columns columns) {
#ifndef __clang_analyzer__
  Columns swap = columns;
  cdpsort::Less compare;
  cdpsort::network::do_near_steps(begin, last_size, count, columns, compare, swap);
#endif
}

__global__ void far_kernel([[maybe_unused]] cdpsort::network::Step step, [[maybe_unused]] uint64_t count,
                           [[maybe_unused]] Columns columns) {
#ifndef __clang_analyzer__
  Columns swap = columns;
  cdpsort::Less compare;
  cdpsort::network::do_far_step(step, count, columns, compare, swap);
#endif
}

/* The grids of sort_places(), here by a kernel that stands for each of its own: around a part, and each number of parts. */
void check_grids(uint64_t seed, uint64_t count) {
  using cdpsort::network::SORT_THREADS;
  std::vector<uint32_t> left(count);
  std::vector<uint32_t> right(count);
  fill(left, seed, 1000);
  fill(right, seed + 1, 1000);
  Guarded<uint32_t> lefts(left);
  Guarded<uint32_t> rights(right);
  const Columns columns = {lefts.data(), rights.data()};
  const auto blocks_of = [](uint64_t blocks) { return GridShape{static_cast<uint32_t>(blocks), SORT_THREADS, 0}; };
  const int error = cdpsort::network::for_each_grid(
      count,
      [&](uint64_t blocks, cdpsort::network::Step begin, uint64_t last_size) {
        run_grid(seed, blocks_of(blocks), near_kernel, begin, last_size, count, columns);
        return 0;
      },
      [&](uint64_t blocks, cdpsort::network::Step step) {
        run_grid(seed, blocks_of(blocks), far_kernel, step, count, columns);
        return 0;
      });
  ck_assert_int_eq(error, 0);
  lefts.must_keep_guards();
  rights.must_keep_guards();
  std::vector<std::array<uint32_t, 2>> before;
  std::vector<std::array<uint32_t, 2>> after;
  for (uint64_t row = 0; row < count; row++) {
    before.push_back({left[row], right[row]});
    after.push_back({lefts.data()[row], rights.data()[row]});
  }
  must_be_sorted(
      before, after, [](const auto &a, const auto &b) { return a[0] + a[1] < b[0] + b[1]; }, "a sort of rows", seed);
}

START_TEST(grids_sort_places) {
  constexpr uint64_t PART = cdpsort::network::SORT_PART;
  const uint64_t counts[] = {2, 3, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 1, 3 * PART + 5, 4 * PART, 5 * PART - 1};
  for (const uint64_t count : counts)
    check_grids(static_cast<uint64_t>(_i) * 100 + count, count);
}
END_TEST

/* A grid that cannot be launched is the last. */
START_TEST(grids_end_with_the_first_error) {
  for (int fails = 0; fails < 6; fails++) {
    int grids = 0;
    const auto launch = [&] { return grids++ == fails ? 7 : 0; };
    const int error = cdpsort::network::for_each_grid(
        4 * cdpsort::network::SORT_PART, [&](uint64_t, cdpsort::network::Step, uint64_t) { return launch(); },
        [&](uint64_t, cdpsort::network::Step) { return launch(); });
    ck_assert_int_eq(error, 7);
    ck_assert_int_eq(grids, fails + 1);
  }
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("block_places");
  TCase *sorts = tcase_create("sorts");
  const int seeds = static_cast<int>(SEEDS);
  tcase_set_timeout(sorts, TEST_SECONDS);
  tcase_add_loop_test(sorts, blocks_sort_memory, 0, seeds);
  tcase_add_test(sorts, blocks_sort_keys_alone);
  tcase_add_loop_test(sorts, grids_sort_places, 0, 1);
  tcase_add_test(sorts, grids_end_with_the_first_error);
  suite_add_tcase(suite, sorts);
  return run_suite(suite);
}
