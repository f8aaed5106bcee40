/* SPDX-License-Identifier: MIT */
/*
 * Merging (device/block/block_merge.cuh): where two runs are divided, and a whole sort in a block's registers.
 */
#include "block/block_merge.cuh"

#include "block_check.h"
#include "each_holds.h"

#include <algorithm>

namespace cdp::simulated {

namespace {

constexpr uint64_t SEEDS = 4;

/* ---- Two runs ---------------------------------------------------------------------------------------------------------- */

constexpr uint32_t MAX_RUN = 70;
constexpr uint32_t RUN_ROOM = 3 * MAX_RUN;

/* Each thread is told how many of the first `rank` items, its number, come from the first run. */
template <typename Bits>
__global__ void path_kernel(RunPair pair, const Bits *stage, uint32_t *from_first) {
  from_first[threadIdx.x] = merge_path(pair, threadIdx.x, stage);
}

/* Of runs of so many items, the first of which begins at some place of the stage. A few values, so that there are equal ones. */
template <typename Bits>
void check_path(uint32_t first_items, uint32_t second_items, uint64_t values, uint64_t seed) {
  static Bits stage[RUN_ROOM + RUN_ROOM / WARP_LANES + 1];
  static uint32_t from_first[2 * MAX_RUN + 1];
  uint64_t state = seed;
  const uint32_t begin = static_cast<uint32_t>(seed % MAX_RUN);
  const RunPair pair = {begin, begin + first_items, begin + first_items + second_items};
  std::vector<Bits> items(first_items + second_items);
  for (Bits &item : items)
    item = static_cast<Bits>(host_random_below(&state, values));
  std::sort(items.begin(), items.begin() + first_items);
  std::sort(items.begin() + first_items, items.end());
  for (uint32_t index = 0; index < items.size(); index++)
    stage[padded(begin + index)] = items[index];
  run_grid(seed, {1, first_items + second_items + 1, 0}, path_kernel<Bits>, pair, static_cast<const Bits *>(stage),
           static_cast<uint32_t *>(from_first));
  // As std::merge() goes: the second run's item comes first where it is less.
  uint32_t first = 0;
  uint32_t second = 0;
  for (uint32_t rank = 0;; rank++) {
    EACH_HOLDS_MSG(from_first[rank] == first, "runs of %u and %u items: %u of the first %u come from the first run, not %u",
                   first_items, second_items, first, rank, from_first[rank]);
    if (rank == first_items + second_items)
      return;
    if (first == first_items || (second < second_items && items[first_items + second] < items[first]))
      second++;
    else
      first++;
  }
}

/* _i: the seed. Runs of no item, of one, of two, and around a warp's lanes. */
START_TEST(runs_are_divided_where_they_are_merged) {
  uint64_t seed = static_cast<uint64_t>(_i) * 1000;
  for (const uint32_t first_items : {0u, 1u, 2u, 31u, 32u, 33u, MAX_RUN})
    for (const uint32_t second_items : {0u, 1u, 2u, 31u, 32u, 33u, MAX_RUN})
      for (const uint64_t values : {UINT64_C(1), UINT64_C(2), UINT64_C(9), UINT64_C(1) << 32}) {
        check_path<uint32_t>(first_items, second_items, values, seed);
        check_path<uint64_t>(first_items, second_items, values, seed);
        seed++;
      }
}
END_TEST

/* ---- A block's registers ----------------------------------------------------------------------------------------------- */

template <typename Bits, uint32_t ITEMS>
struct MergeStorage {
  Bits guard_before[4];
  Bits stage[merge_room(MultiwayShape<Bits>::BLOCK_THREADS * ITEMS)];
  Bits guard_behind[4];
};

/* What the block finds of its guards: 0, or how many were written. */
uint32_t guards_written;

/* Not for the static analyser: it takes each look at threadIdx for another thread's. */
template <typename Bits, uint32_t ITEMS>
__global__ void sort_kernel([[maybe_unused]] BlockRules<Bits> rules, [[maybe_unused]] const Bits *source,
                            [[maybe_unused]] Range range) {
#ifndef __clang_analyzer__
  auto &storage = block_shared<MergeStorage<Bits, ITEMS>>();
  constexpr Bits GUARD = static_cast<Bits>(0xA5A5A5A5A5A5A5A5u);
  if (threadIdx.x < 4)
    storage.guard_before[threadIdx.x] = storage.guard_behind[threadIdx.x] = GUARD;
  __syncthreads();
  block_register_sort<Bits, ITEMS>(rules, source, range, storage.stage);
  __syncthreads();
  if (threadIdx.x < 4 && (storage.guard_before[threadIdx.x] != GUARD || storage.guard_behind[threadIdx.x] != GUARD))
    atomicAdd(&guards_written, 1u);
#endif
}

template <typename Bits, uint32_t ITEMS>
void check_sort(KeyKind kind, uint32_t count, host_distribution distribution, uint64_t seed) {
  Keys<Bits> keys(kind, count, distribution, seed, seed % 5);
  Keys<Bits> elsewhere(kind, count, HOST_UNIFORM, seed + 1, seed % 3);
  const GridShape shape = {1, MultiwayShape<Bits>::BLOCK_THREADS, sizeof(MergeStorage<Bits, ITEMS>)};
  const Range range = {0, count, Side::keys, 0};
  cdp_study study = {};
  BlockRules<Bits> rules = rules_of<Bits>(elsewhere.data(), nullptr, map_of<Bits>(kind));
  rules.counters = study.depths;
  guards_written = 0;
  run_grid(seed, shape, sort_kernel<Bits, ITEMS>, rules, static_cast<const Bits *>(keys.data()), range);
  keys.must_hold_sorted(elsewhere, "to another place");
  keys.must_be_untouched("the source");
  rules.sides[0] = keys.data();
  run_grid(seed, shape, sort_kernel<Bits, ITEMS>, rules, static_cast<const Bits *>(keys.data()), range);
  keys.must_be_sorted("in place");
  ck_assert_msg(guards_written == 0, "%u keys: memory beside the stage was written", count);
  ck_assert_uint_eq(study.depths[0].leaf_items, 2 * count);
}

/* Around what one warp holds, two and all: with three warps, a run is merged with none. */
template <typename Bits, uint32_t ITEMS>
void check_sort_sizes(uint64_t seed) {
  static constexpr host_distribution DISTRIBUTIONS[] = {HOST_UNIFORM,  HOST_FEW_DISTINCT, HOST_EXTREMES,  HOST_SORTED,
                                                        HOST_REVERSED, HOST_ORGAN_PIPE,   HOST_ALL_EQUAL, HOST_STAGGERED};
  constexpr uint32_t WARP = WARP_LANES * ITEMS;
  constexpr uint32_t MOST = MultiwayShape<Bits>::BLOCK_THREADS * ITEMS;
  for (const uint32_t count :
       {0u, 1u, 2u, 31u, 33u, WARP - 1, WARP, WARP + 1, 2 * WARP - 1, 2 * WARP, 2 * WARP + 1, MOST - 1, MOST})
    for (uint32_t turn = 0; turn < 3; turn++, seed++)
      check_sort<Bits, ITEMS>(KEY_KINDS<Bits>[turn], count, DISTRIBUTIONS[seed % 8], seed);
}

/* Each thread's items lie beside each other. */
template <typename Bits, uint32_t ITEMS>
__global__ void merge_kernel([[maybe_unused]] Bits *keys) {
#ifndef __clang_analyzer__
  auto &storage = block_shared<MergeStorage<Bits, ITEMS>>();
  Bits items[ITEMS];
  for (uint32_t item = 0; item < ITEMS; item++)
    items[item] = keys[threadIdx.x * ITEMS + item];
  block_merge_sort(items, MultiwayShape<Bits>::BLOCK_THREADS, storage.stage);
  for (uint32_t item = 0; item < ITEMS; item++)
    keys[threadIdx.x * ITEMS + item] = items[item];
#endif
}

/* Numbers in order but for two, which have changed places, each of them the first, the second, one in the middle or one of the last
   two of a warp's: warps of which nothing moves do not merge. */
template <typename Bits>
void check_nearly_sorted(uint64_t seed) {
  constexpr uint32_t ITEMS = 2;
  constexpr uint32_t WARP = WARP_LANES * ITEMS;
  constexpr uint32_t COUNT = MultiwayShape<Bits>::BLOCK_THREADS * ITEMS;
  static Bits keys[COUNT];
  std::vector<uint32_t> places;
  for (uint32_t first = 0; first < COUNT; first += WARP)
    for (const uint32_t behind : {0u, 1u, WARP / 2, WARP - 2, WARP - 1})
      places.push_back(first + behind);
  for (const uint32_t one : places)
    for (const uint32_t other : places) {
      for (uint32_t index = 0; index < COUNT; index++)
        keys[index] = index;
      std::swap(keys[one], keys[other]);
      run_grid(seed, {1, MultiwayShape<Bits>::BLOCK_THREADS, sizeof(MergeStorage<Bits, ITEMS>)}, merge_kernel<Bits, ITEMS>,
               static_cast<Bits *>(keys));
      for (uint32_t index = 0; index < COUNT; index++)
        EACH_HOLDS_MSG(keys[index] == index, "keys %u and %u exchanged: key %u is out of order", one, other, index);
    }
}

START_TEST(what_is_nearly_in_order_is_merged) {
  check_nearly_sorted<uint32_t>(static_cast<uint64_t>(_i));
  check_nearly_sorted<uint64_t>(static_cast<uint64_t>(_i));
}
END_TEST

/* _i: the seed. What a tile has to a thread, and what is merged of a range. */
START_TEST(blocks_sort_their_registers) {
  const uint64_t seed = static_cast<uint64_t>(_i) * 1000;
  check_sort_sizes<uint32_t, MultiwayShape<uint32_t>::TILE_ITEMS_PER_THREAD>(seed);
  check_sort_sizes<uint64_t, MultiwayShape<uint64_t>::TILE_ITEMS_PER_THREAD>(seed);
  check_sort_sizes<uint32_t, MERGED_ITEMS_PER_THREAD>(seed);
  check_sort_sizes<uint64_t, MERGED_ITEMS_PER_THREAD>(seed);
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("merge");
  TCase *merging = tcase_create("merging");
  tcase_set_timeout(merging, TEST_SECONDS);
  tcase_add_loop_test(merging, runs_are_divided_where_they_are_merged, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(merging, blocks_sort_their_registers, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(merging, what_is_nearly_in_order_is_merged, 0, static_cast<int>(SEEDS));
  suite_add_tcase(suite, merging);
  return run_suite(suite);
}
