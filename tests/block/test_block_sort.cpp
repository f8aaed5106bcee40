/* SPDX-License-Identifier: MIT */
/*
 * The sorts for others' kernels (cdpsort/device.cuh), on the simulated device: registers of a block of every shape. Order and
 * permutation are judged here: keys of structures, orders of their own, and orders that are none.
 */
#include "block_items.h"

#include <cmath>

namespace cdp::simulated {

namespace {

enum class Way : uint32_t { blocked, striped, merged };

/* Sorts a tile; merges one that is bitonic. */
template <typename Key, uint32_t THREADS, uint32_t ITEMS, typename Compare>
__global__ void tile_kernel([[maybe_unused]] Key *keys, [[maybe_unused]] Way way, [[maybe_unused]] Compare compare) {
#ifndef __clang_analyzer__
  using Sort = cdpsort::BlockSort<Key, THREADS, ITEMS>;
  Sort sort(block_shared<typename Sort::Shared>());
  Key *const tile = keys + blockIdx.x * Sort::TILE_ITEMS;
  Key own[ITEMS];
  for (uint32_t item = 0; item < ITEMS; item++)
    own[item] = tile[item * THREADS + threadIdx.x];
  if (way == Way::merged)
    sort.merge_striped(own, compare);
  else
    sort.sort(own, compare);
  if (way == Way::striped)
    sort.to_striped(own);
  for (uint32_t item = 0; item < ITEMS; item++)
    tile[way == Way::striped ? item * THREADS + threadIdx.x : threadIdx.x * ITEMS + item] = own[item];
#endif
}

template <typename Key, uint32_t THREADS, uint32_t ITEMS, typename Compare = cdpsort::Less>
void check_tiles(uint64_t seed, uint32_t distinct = MANY, Compare compare = {}) {
  using Sort = cdpsort::BlockSort<Key, THREADS, ITEMS>;
  constexpr uint32_t TILES = 2;
  std::vector<Key> keys(TILES * Sort::TILE_ITEMS);
  fill(keys, seed, distinct);
  for (const Way way : {Way::blocked, Way::striped, Way::merged}) {
    if (way == Way::merged && !std::is_same_v<Compare, NoOrder>)
      for (uint32_t tile = 0; tile < TILES; tile++) { // rises, and falls
        const auto begin = keys.begin() + tile * Sort::TILE_ITEMS;
        std::sort(begin, begin + Sort::TILE_ITEMS, compare);
        std::reverse(begin + (seed % Sort::TILE_ITEMS), begin + Sort::TILE_ITEMS);
      }
    Guarded<Key> array(keys);
    run_grid(seed, {TILES, THREADS, static_cast<uint32_t>(sizeof(typename Sort::Shared))},
             tile_kernel<Key, THREADS, ITEMS, Compare>, array.data(), way, compare);
    array.must_keep_guards();
    const std::vector<Key> all = array.keys();
    for (uint32_t tile = 0; tile < TILES; tile++) {
      const uint32_t begin = tile * Sort::TILE_ITEMS;
      must_be_sorted(std::vector<Key>(keys.begin() + begin, keys.begin() + begin + Sort::TILE_ITEMS),
                     std::vector<Key>(all.begin() + begin, all.begin() + begin + Sort::TILE_ITEMS), compare,
                     way == Way::merged ? "a merge" : "a sort", seed);
    }
  }
}

/* _i: the seed. Each number of items, and blocks of one warp to several: all rounds that there are. */
START_TEST(sorts_tiles_of_every_shape) {
  const uint64_t seed = static_cast<uint64_t>(_i) * 100 + 7;
  check_tiles<uint32_t, 32, 2>(seed);
  check_tiles<uint32_t, 64, 2>(seed);
  check_tiles<uint32_t, 256, 2>(seed);
  check_tiles<uint32_t, 32, 4>(seed);
  check_tiles<uint32_t, 128, 4>(seed);
  check_tiles<uint32_t, 32, 8>(seed);
  check_tiles<uint32_t, 64, 8>(seed);
  check_tiles<uint32_t, 128, 8>(seed);
  check_tiles<uint32_t, 256, 8>(seed);
  check_tiles<uint32_t, 512, 8>(seed);
  check_tiles<uint32_t, 64, 16>(seed);
  check_tiles<uint32_t, 256, 16>(seed);
  check_tiles<uint32_t, 64, 32>(seed);
  check_tiles<uint32_t, 1024, 2>(seed);
}
END_TEST

/* Types of every size, both ways that items are compared, and few distinct keys. */
START_TEST(sorts_tiles_of_every_type) {
  const uint64_t seed = static_cast<uint64_t>(_i) * 100 + 8;
  check_tiles<uint8_t, 64, 8>(seed);
  check_tiles<int16_t, 64, 8>(seed);
  check_tiles<int32_t, 128, 8>(seed, 5);
  check_tiles<uint64_t, 128, 8>(seed);
  check_tiles<int64_t, 128, 4>(seed);
  check_tiles<uint64_t, 64, 16>(seed, 3);
  check_tiles<float, 128, 8>(seed, 100);
  check_tiles<double, 64, 8>(seed, 100);
  check_tiles<uint32_t, 128, 8, cdpsort::Greater>(seed);
  check_tiles<uint64_t, 64, 4, cdpsort::Greater>(seed, 9);
  check_tiles<Record, 128, 8, RecordOrder>(seed, 4, {});
}
END_TEST

/* -0.0 and 0.0 are equal, and neither may take the other's place; NaNs are in no order. */
START_TEST(loses_nothing_without_an_order) {
  const uint64_t seed = static_cast<uint64_t>(_i) * 100 + 9;
  check_tiles<uint32_t, 128, 8, NoOrder>(seed);
  check_tiles<Record, 64, 8, NoOrder>(seed, MANY, {});
  constexpr uint32_t COUNT = 128 * 8;
  std::vector<float> keys(COUNT);
  std::mt19937_64 random(seed);
  const float values[] = {0.0f, -0.0f, std::nanf("1"), -std::nanf("2"), 1.0f, -1.0f};
  for (float &key : keys)
    key = values[random() % 6];
  Guarded<float> array(keys);
  run_grid(seed, {1, 128, COUNT * 4}, tile_kernel<float, 128, 8, cdpsort::Less>, array.data(), Way::striped, cdpsort::Less{});
  must_be_sorted(keys, array.keys(), NoOrder{}, "a sort of zeros and NaNs", seed);
}
END_TEST

template <typename Key, typename Value, uint32_t THREADS, uint32_t ITEMS, typename Compare>
__global__ void pairs_kernel([[maybe_unused]] Key *keys, [[maybe_unused]] Value *values, [[maybe_unused]] Compare compare) {
#ifndef __clang_analyzer__
  using Sort = cdpsort::BlockSort<Key, THREADS, ITEMS, Value>;
  Sort sort(block_shared<typename Sort::Shared>());
  Key own[ITEMS];
  Value with[ITEMS];
  for (uint32_t item = 0; item < ITEMS; item++) {
    own[item] = keys[threadIdx.x * ITEMS + item];
    with[item] = values[threadIdx.x * ITEMS + item];
  }
  sort.sort(own, with, compare);
  sort.to_striped(own, with);
  for (uint32_t item = 0; item < ITEMS; item++) {
    keys[item * THREADS + threadIdx.x] = own[item];
    values[item * THREADS + threadIdx.x] = with[item];
  }
#endif
}

template <typename Key, typename Value, uint32_t THREADS, uint32_t ITEMS, typename Compare>
void check_pairs(uint64_t seed, uint32_t distinct, Compare compare) {
  using Sort = cdpsort::BlockSort<Key, THREADS, ITEMS, Value>;
  std::vector<Key> keys(Sort::TILE_ITEMS);
  fill(keys, seed, distinct);
  Guarded<Key> array(keys);
  Guarded<Value> with(numbers<Value>(keys.size()));
  run_grid(seed, {1, THREADS, static_cast<uint32_t>(sizeof(typename Sort::Shared))},
           pairs_kernel<Key, Value, THREADS, ITEMS, Compare>, array.data(), with.data(), compare);
  array.must_keep_guards();
  with.must_keep_guards();
  must_be_sorted(keys, array.keys(), compare, "a sort of pairs", seed);
  must_be_sorted(numbers<Value>(keys.size()), with.keys(), NoOrder{}, "values", seed);
  must_belong(keys, array.keys(), with.keys());
}

START_TEST(values_go_with_their_keys) {
  const uint64_t seed = static_cast<uint64_t>(_i) * 100 + 10;
  check_pairs<uint32_t, uint32_t, 128, 8>(seed, 10, cdpsort::Less{});
  check_pairs<uint32_t, double, 64, 8>(seed, MANY, cdpsort::Less{});
  check_pairs<uint64_t, uint16_t, 64, 16>(seed, 10, cdpsort::Greater{});
  check_pairs<uint8_t, uint64_t, 32, 4>(seed, MANY, cdpsort::Less{});
  check_pairs<Record, uint32_t, 64, 4>(seed, 3, RecordOrder{});
  check_pairs<float, uint32_t, 256, 2>(seed, 50, NoOrder{});
}
END_TEST

/* The last of a tile fill it up, with a key that others have as well: they stay where they are. */
template <typename Key, uint32_t THREADS, uint32_t ITEMS>
void check_short_tile(uint64_t seed, uint32_t count, Key last) {
  using Sort = cdpsort::BlockSort<Key, THREADS, ITEMS, uint32_t>;
  std::vector<Key> keys(Sort::TILE_ITEMS, last);
  std::vector<Key> own(count);
  fill(own, seed, 2);
  for (uint32_t index = 0; index < count; index++)
    keys[index] = own[index] == 0 ? last : own[index];
  Guarded<Key> array(keys);
  Guarded<uint32_t> with(numbers<uint32_t>(keys.size()));
  run_grid(seed, {1, THREADS, static_cast<uint32_t>(sizeof(typename Sort::Shared))},
           pairs_kernel<Key, uint32_t, THREADS, ITEMS, cdpsort::Less>, array.data(), with.data(), cdpsort::Less{});
  must_be_sorted(keys, array.keys(), cdpsort::Less{}, "a short tile", seed);
  const std::vector<uint32_t> values = with.keys();
  for (uint32_t index = 0; index < values.size(); index++)
    ck_assert_msg((index < count) == (values[index] < count), "place %u of %u has value %u", index, count, values[index]);
}

START_TEST(short_tiles_leave_what_fills_them_up_behind) {
  const uint64_t seed = static_cast<uint64_t>(_i) * 100 + 11;
  check_short_tile<uint32_t, 64, 8>(seed, 300, UINT32_MAX);
  check_short_tile<uint64_t, 128, 4>(seed, 1, UINT64_MAX);
  check_short_tile<uint32_t, 32, 2>(seed, 40, UINT32_MAX);
  check_short_tile<int32_t, 256, 16>(seed, 4095, INT32_MAX);
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("block_sort");
  TCase *sorts = tcase_create("sorts");
  const int seeds = static_cast<int>(SEEDS);
  tcase_set_timeout(sorts, TEST_SECONDS);
  tcase_add_loop_test(sorts, sorts_tiles_of_every_shape, 0, seeds);
  tcase_add_loop_test(sorts, sorts_tiles_of_every_type, 0, seeds);
  tcase_add_loop_test(sorts, loses_nothing_without_an_order, 0, seeds);
  tcase_add_loop_test(sorts, values_go_with_their_keys, 0, seeds);
  tcase_add_loop_test(sorts, short_tiles_leave_what_fills_them_up_behind, 0, seeds);
  suite_add_tcase(suite, sorts);
  return run_suite(suite);
}
