/* SPDX-License-Identifier: MIT */
/*
 * Bitonic sort: what a warp sorts in registers (device/block/bitonic.cuh), and the network of any length, by one block
 * (device/block/network.cuh). Order and permutation are the oracle's to judge; what is only read must stay as it is.
 */
#include "block/sort.cuh"

#include "block_check.h"

namespace cdp::simulated {

namespace {

constexpr uint64_t SEEDS = 3;
constexpr uint32_t WARPS = 2;
constexpr host_distribution DISTRIBUTIONS[] = {HOST_UNIFORM,  HOST_FEW_DISTINCT, HOST_EXTREMES, HOST_SORTED,
                                               HOST_REVERSED, HOST_ORGAN_PIPE,   HOST_ALL_EQUAL};

/* ---- A warp's registers ------------------------------------------------------------------------------------------------ */

/* Every warp sorts keys of its own, `count` of them, `apart` from those of the next. Not for the static analyser: it takes each
   look at threadIdx for another thread's. */
template <typename Bits, uint32_t ITEMS>
__global__ void warp_kernel([[maybe_unused]] const Bits *source, [[maybe_unused]] Bits *destination,
                            [[maybe_unused]] uint32_t count, [[maybe_unused]] uint32_t apart, [[maybe_unused]] KeyMap<Bits> map,
                            [[maybe_unused]] bool is_raw) {
#ifndef __clang_analyzer__
  const uint32_t first = threadIdx.x / WARP_LANES * apart;
  warp_sort_keys<Bits, ITEMS>(source + first, destination + first, count, map, is_raw, is_raw);
#endif
}

/* What the keys of one warp are, and where they lie among those of all. */
template <typename Bits, uint32_t ITEMS>
void check_warp(KeyKind kind, uint32_t count, host_distribution distribution, uint64_t seed, bool is_raw) {
  // Keys that have entered are numbers.
  const KeyKind judged = is_raw ? kind : KEY_KINDS<Bits>[0];
  Keys<Bits> keys(judged, count, distribution, seed, seed % 5);
  Keys<Bits> elsewhere(judged, count, HOST_UNIFORM, seed + 1, seed % 3);
  run_grid(seed, {1, WARP_LANES, 0}, warp_kernel<Bits, ITEMS>, keys.data(), elsewhere.data(), count, 0u, map_of<Bits>(kind),
           is_raw);
  keys.must_hold_sorted(elsewhere, "to another place");
  keys.must_be_untouched("the source");
  run_grid(seed, {1, WARP_LANES, 0}, warp_kernel<Bits, ITEMS>, keys.data(), keys.data(), count, 0u, map_of<Bits>(kind), is_raw);
  keys.must_be_sorted("in place");
}

template <typename Bits, uint32_t ITEMS>
void check_warp_sizes(uint64_t seed) {
  constexpr uint32_t MOST = WARP_LANES * ITEMS;
  uint64_t turn = seed;
  for (const uint32_t count : {0u, 1u, 2u, 3u, 31u, 32u, 33u, MOST / 2 - 1, MOST / 2, MOST / 2 + 1, MOST - 1, MOST})
    for (const host_distribution distribution : DISTRIBUTIONS) {
      check_warp<Bits, ITEMS>(KEY_KINDS<Bits>[turn % KINDS], count, distribution, turn, turn % 4 != 0);
      turn++;
    }
}

/* _i: the seed. All sizes of leaves. */
START_TEST(warps_sort_their_registers) {
  const uint64_t seed = static_cast<uint64_t>(_i) * 1000;
  check_warp_sizes<uint32_t, 8>(seed);
  check_warp_sizes<uint32_t, 16>(seed);
  check_warp_sizes<uint32_t, 32>(seed);
  check_warp_sizes<uint64_t, 4>(seed);
  check_warp_sizes<uint64_t, 8>(seed);
  check_warp_sizes<uint64_t, 16>(seed);
}
END_TEST

/* Warps side by side, each with keys of its own, and a key between theirs that belongs to nobody. */
START_TEST(warps_keep_to_their_keys) {
  constexpr uint32_t COUNT = 200;
  constexpr uint32_t APART = COUNT + 1;
  const KeyKind kind = KEY_KINDS<uint32_t>[_i % KINDS];
  Keys<uint32_t> keys(kind, WARPS * APART, HOST_UNIFORM, static_cast<uint64_t>(_i));
  run_grid(static_cast<uint64_t>(_i), {1, WARPS * WARP_LANES, 0}, warp_kernel<uint32_t, 8>, keys.data(), keys.data(), COUNT,
           APART, map_of<uint32_t>(kind), true);
  for (uint32_t warp = 0; warp < WARPS; warp++) {
    char why[HOST_WHY_BYTES];
    ck_assert_msg(
        host_check_sorted(keys.original().data() + warp * APART, keys.data() + warp * APART, COUNT, kind.type, kind.order, why),
        "warp %u: %s", warp, why);
    ck_assert_uint_eq(keys.data()[warp * APART + COUNT], keys.original()[warp * APART + COUNT]);
  }
}
END_TEST

/* ---- The network ------------------------------------------------------------------------------------------------------- */

template <typename Bits>
__global__ void network_kernel([[maybe_unused]] BlockRules<Bits> rules, [[maybe_unused]] Range range) {
#ifndef __clang_analyzer__
  sort_by_network(rules, range, first_network_step<Bits>());
#endif
}

/* A range of an array of which a key before and one behind is not the range's. */
template <typename Bits>
void check_network(KeyKind kind, uint32_t count, host_distribution distribution, uint64_t seed, Side side) {
  Keys<Bits> keys(kind, count + 2, distribution, seed, seed % 5);
  Keys<Bits> scratch(kind, count + 2, HOST_UNIFORM, seed + 7);
  const KeyMap<Bits> map = map_of<Bits>(kind);
  if (side == Side::scratch) // keys that a partition has written there have entered
    for (uint32_t index = 0; index < count + 2; index++)
      scratch.data()[index] = scratch.original()[index] = map.enter(keys.original()[index]);
  run_grid(seed, {1, Shape<Bits>::BLOCK_THREADS, 0}, network_kernel<Bits>, rules_of(keys.data(), scratch.data(), map),
           Range{1, count + uint64_t{1}, side, side == Side::scratch ? 1u : 0u});
  char why[HOST_WHY_BYTES];
  ck_assert_msg(host_check_sorted(keys.original().data() + 1, keys.data() + 1, count, kind.type, kind.order, why),
                "%u %s keys, seed %llu: %s", count, host_type_name(kind.type), static_cast<unsigned long long>(seed), why);
  ck_assert_msg(keys.data()[0] == keys.original().front() && keys.data()[count + 1] == keys.original().back(),
                "%u keys: one beside the range has changed", count);
  scratch.must_be_untouched("the scratch array");
}

template <typename Bits>
void check_network_sizes(uint64_t seed) {
  constexpr uint32_t LEAF = Shape<Bits>::LEAF_ITEMS;
  uint64_t turn = seed;
  for (const uint32_t count : {0u, 1u, 2u, LEAF - 1, LEAF, LEAF + 1, 2 * LEAF - 1, 2 * LEAF, 2 * LEAF + 1, 3 * LEAF + 5,
                               4 * LEAF - 1, 4 * LEAF, 4 * LEAF + 1}) {
    for (const Side side : {Side::keys, Side::scratch}) {
      check_network<Bits>(KEY_KINDS<Bits>[turn % KINDS], count, DISTRIBUTIONS[turn % 7], turn, side);
      turn++;
    }
  }
}

/* _i: the seed. Around one leaf, and around each number of leaves at which a step is added. */
START_TEST(network_sorts_any_length) {
  check_network_sizes<uint32_t>(static_cast<uint64_t>(_i) * 100);
  check_network_sizes<uint64_t>(static_cast<uint64_t>(_i) * 100);
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("bitonic");
  TCase *sorts = tcase_create("sorts");
  tcase_set_timeout(sorts, TEST_SECONDS);
  tcase_add_loop_test(sorts, warps_sort_their_registers, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(sorts, warps_keep_to_their_keys, 0, 3 * static_cast<int>(KINDS));
  tcase_add_loop_test(sorts, network_sorts_any_length, 0, static_cast<int>(SEEDS));
  suite_add_tcase(suite, sorts);
  return run_suite(suite);
}
