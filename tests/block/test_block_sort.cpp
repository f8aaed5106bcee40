/* SPDX-License-Identifier: MIT */
/*
 * The sorts for others' kernels (cdpsort/device.cuh), on the simulated device: registers of a block of every shape, and places in
 * memory. Order and permutation are judged here: keys of structures, orders of their own, and orders that are none.
 */
#include "block/device_header.cuh"

#include "block_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace cdp::simulated {

namespace {

constexpr uint64_t SEEDS = 3;
constexpr uint32_t MANY = ~0u;

/* ---- Keys -------------------------------------------------------------------------------------------------------------- */

/* A key of 12 bytes, compared by two of its numbers; the third tells which it was. */
struct Record {
  uint32_t major;
  float minor;
  uint32_t number;
};

struct RecordOrder {
  bool operator()(const Record &left, const Record &right) const {
    return left.major != right.major ? left.major < right.major : left.minor < right.minor;
  }
};

/* No order at all, but a function of its arguments. */
struct NoOrder {
  template <typename Key>
  bool operator()(const Key &left, const Key &right) const {
    uint32_t bits[2] = {};
    std::memcpy(&bits[0], &left, std::min(sizeof left, sizeof bits[0]));
    std::memcpy(&bits[1], &right, std::min(sizeof right, sizeof bits[1]));
    return ((bits[0] * 2654435761u ^ bits[1] * 40503u) >> 7 & 1) != 0;
  }
};

template <typename Key>
void fill(std::vector<Key> &keys, uint64_t seed, uint32_t distinct) {
  std::mt19937_64 random(seed);
  for (Key &key : keys)
    key = static_cast<Key>(distinct == MANY ? random() : random() % distinct);
}

void fill(std::vector<Record> &keys, uint64_t seed, uint32_t distinct) {
  std::mt19937_64 random(seed);
  uint32_t number = 0;
  for (Record &key : keys)
    key = {static_cast<uint32_t>(distinct == MANY ? random() % 64 : random() % distinct), static_cast<float>(random() % 16),
           number++};
}

/* As std::memcmp(), of keys of any kind: bit by bit is what is meant, of NaNs as well. */
int compare_bytes(const void *left, const void *right, size_t bytes) {
  return std::memcmp(left, right, bytes);
}

/* All of a key, to compare multisets. */
template <typename Key>
std::vector<Key> in_byte_order(std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end(),
            [](const Key &left, const Key &right) { return compare_bytes(&left, &right, sizeof left) < 0; });
  return keys;
}

/* What one array is, with guard items before and behind. */
template <typename Key>
class Guarded {
public:
  explicit Guarded(const std::vector<Key> &keys) : all_(keys.size() + 2 * GUARDS) {
    std::memset(static_cast<void *>(all_.data()), 0x5A, all_.size() * sizeof(Key));
    std::copy(keys.begin(), keys.end(), all_.begin() + GUARDS);
    before_ = all_;
  }
  Key *data() {
    return all_.data() + GUARDS;
  }
  std::vector<Key> keys() const {
    return {all_.begin() + GUARDS, all_.end() - GUARDS};
  }
  void must_keep_guards() const {
    ck_assert_mem_eq(all_.data(), before_.data(), GUARDS * sizeof(Key));
    ck_assert_mem_eq(&*all_.end() - GUARDS, &*before_.end() - GUARDS, GUARDS * sizeof(Key));
  }

private:
  static constexpr size_t GUARDS = 40;
  std::vector<Key> all_;
  std::vector<Key> before_;
};

/* Ends the test unless `after` is a permutation of `before`, and in order if there is one. */
template <typename Key, typename Compare>
void must_be_sorted(const std::vector<Key> &before, const std::vector<Key> &after, Compare compare, const char *what,
                    uint64_t seed) {
  const std::vector<Key> wanted = in_byte_order(before);
  const std::vector<Key> found = in_byte_order(after);
  ck_assert_msg(before.size() == after.size() &&
                    (before.empty() || compare_bytes(wanted.data(), found.data(), wanted.size() * sizeof(Key)) == 0),
                "%s of %zu items, seed %llu: other items", what, before.size(), static_cast<unsigned long long>(seed));
  if constexpr (!std::is_same_v<Compare, NoOrder>)
    ck_assert_msg(std::is_sorted(after.begin(), after.end(), compare), "%s of %zu items, seed %llu: not in order", what,
                  before.size(), static_cast<unsigned long long>(seed));
}

/* ---- Registers --------------------------------------------------------------------------------------------------------- */

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

/* Values tell where keys were. */
template <typename Key, typename Value>
void must_belong(const std::vector<Key> &before, const std::vector<Key> &after, const std::vector<Value> &values) {
  for (size_t index = 0; index < after.size(); index++)
    ck_assert_msg(compare_bytes(&before[static_cast<size_t>(values[index])], &after[index], sizeof(Key)) == 0,
                  "value %zu of %zu is another key's", index, after.size());
}

template <typename Value>
std::vector<Value> numbers(size_t count) {
  std::vector<Value> values(count);
  for (size_t index = 0; index < count; index++)
    values[index] = static_cast<Value>(index);
  return values;
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

/* ---- Places in memory -------------------------------------------------------------------------------------------------- */

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
  Suite *suite = suite_create("block_sort");
  TCase *sorts = tcase_create("sorts");
  const int seeds = static_cast<int>(SEEDS);
  tcase_set_timeout(sorts, TEST_SECONDS);
  tcase_add_loop_test(sorts, sorts_tiles_of_every_shape, 0, seeds);
  tcase_add_loop_test(sorts, sorts_tiles_of_every_type, 0, seeds);
  tcase_add_loop_test(sorts, loses_nothing_without_an_order, 0, seeds);
  tcase_add_loop_test(sorts, values_go_with_their_keys, 0, seeds);
  tcase_add_loop_test(sorts, short_tiles_leave_what_fills_them_up_behind, 0, seeds);
  tcase_add_loop_test(sorts, blocks_sort_memory, 0, seeds);
  tcase_add_test(sorts, blocks_sort_keys_alone);
  tcase_add_loop_test(sorts, grids_sort_places, 0, 1);
  tcase_add_test(sorts, grids_end_with_the_first_error);
  suite_add_tcase(suite, sorts);
  return run_suite(suite);
}
