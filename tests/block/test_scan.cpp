/* SPDX-License-Identifier: MIT */
/*
 * Sums over a warp and over a block (device/block/scan.cuh, and the counts of device/block/splitters.cuh), against sums that are
 * made here one after the other; and that nothing is written but what the caller gave room for.
 */
#include "block/splitters.cuh"

#include "block_check.h"

#include <algorithm>

namespace cdp::simulated {

namespace {

constexpr uint64_t SEEDS = 6;
constexpr uint32_t MAX_THREADS = 1024;
constexpr uint32_t GUARD = 0xA5A5A5A5u;

/* What each thread was told. */
template <typename Value>
struct Told {
  Value inclusive;
  Value warp;
  Value lower;
  Value total;
  uint32_t lower_warps;
  uint32_t warps_total;
};

template <typename Value>
struct SumStorage {
  uint32_t guard_before[4];
  Value warp_totals[WARP_LANES];
  uint32_t guard_between[4];
  uint32_t counts[WARP_LANES];
  uint32_t guard_behind[4];
};

template <typename Value>
Value values[MAX_THREADS];
template <typename Value>
Told<Value> told[2][MAX_THREADS];
bool guards_are_whole;

/* Twice, with a barrier between: the totals' room may be used again then. */
template <uint32_t BLOCK_WARPS, typename Value>
__global__ void sum_kernel(uint32_t lanes_kept) {
  auto &storage = block_shared<SumStorage<Value>>();
  if (threadIdx.x < 4)
    storage.guard_before[threadIdx.x] = storage.guard_between[threadIdx.x] = storage.guard_behind[threadIdx.x] = GUARD;
  __syncthreads();
  for (uint32_t turn = 0; turn < 2; turn++) {
    const Value value = threadIdx.x % WARP_LANES < lanes_kept ? values<Value>[threadIdx.x] : 0;
    Told<Value> own;
    own.inclusive = warp_inclusive_sum(value);
    own.warp = warp_sum(value);
    own.lower = lower_threads_sum<BLOCK_WARPS>(value, storage.warp_totals, own.total);
    own.lower_warps = lower_warps_sum<BLOCK_WARPS>(static_cast<uint32_t>(own.warp), storage.counts, own.warps_total);
    told<Value>[turn][threadIdx.x] = own;
    __syncthreads();
  }
  if (threadIdx.x == 0)
    for (uint32_t word = 0; word < 4; word++)
      guards_are_whole = guards_are_whole && storage.guard_before[word] == GUARD && storage.guard_between[word] == GUARD &&
                         storage.guard_behind[word] == GUARD;
}

template <typename Value>
void must_be_sums(uint32_t threads, uint32_t lanes_kept) {
  const auto value_of = [=](uint32_t thread) { return thread % WARP_LANES < lanes_kept ? values<Value>[thread] : Value{0}; };
  Value total = 0;
  uint32_t lower_warps = 0;
  for (uint32_t thread = 0; thread < threads; thread++)
    total += value_of(thread);
  Value lower = 0;
  for (uint32_t first = 0; first < threads; first += WARP_LANES) {
    Value warp = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
      warp += value_of(first + lane);
    Value inclusive = 0;
    for (uint32_t thread = first; thread < first + WARP_LANES; thread++) {
      inclusive += value_of(thread);
      for (const auto &turn : told<Value>) {
        const Told<Value> &own = turn[thread];
        ck_assert_msg(own.inclusive == inclusive && own.warp == warp, "thread %u of %u: not its warp's sums", thread, threads);
        ck_assert_msg(own.lower == lower && own.total == total, "thread %u of %u: not the block's sums", thread, threads);
        ck_assert_msg(own.lower_warps == lower_warps && own.warps_total == static_cast<uint32_t>(total),
                      "thread %u of %u: not the warps' sums", thread, threads);
      }
      lower += value_of(thread);
    }
    lower_warps += static_cast<uint32_t>(warp);
  }
}

template <uint32_t BLOCK_WARPS, typename Value>
void check_sums(uint64_t seed) {
  uint64_t state = seed;
  for (const uint32_t lanes_kept : {0u, 1u, 2u, 31u, 32u}) {
    for (Value &value : values<Value>)
      value = static_cast<Value>(host_random(&state)); // sums wrap round, as all numbers' do
    std::memset(told<Value>, 0xEE, sizeof told<Value>);
    guards_are_whole = true;
    run_grid(seed, {1, BLOCK_WARPS * WARP_LANES, sizeof(SumStorage<Value>)}, sum_kernel<BLOCK_WARPS, Value>, lanes_kept);
    must_be_sums<Value>(BLOCK_WARPS * WARP_LANES, lanes_kept);
    ck_assert_msg(guards_are_whole, "%u warps: memory beside the totals was written", BLOCK_WARPS);
  }
}

template <typename Value>
void check_all_blocks(uint64_t seed) {
  check_sums<1, Value>(seed);
  check_sums<2, Value>(seed);
  check_sums<3, Value>(seed);
  check_sums<31, Value>(seed);
  check_sums<32, Value>(seed);
}

/* _i: the seed. Blocks of one warp, of two, and of as many as there may be. */
START_TEST(sums_are_those_of_lower_threads) {
  check_all_blocks<uint32_t>(static_cast<uint64_t>(_i));
  check_all_blocks<unsigned long long>(static_cast<uint64_t>(_i));
}
END_TEST

/* ---- Counts ------------------------------------------------------------------------------------------------------------ */

uint32_t counts[MAX_BUCKETS];
uint32_t begins[MAX_BUCKETS + 1];

template <typename Bits>
__global__ void counts_kernel(uint32_t items) {
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  for (uint32_t index = threadIdx.x; index < MAX_BUCKETS; index += blockDim.x) {
    storage.counts[index] = counts[index];
    storage.begins[index] = GUARD;
  }
  if (threadIdx.x == 0)
    storage.begins[MAX_BUCKETS] = GUARD;
  __syncthreads();
  scan_counts(storage, items);
  for (uint32_t index = threadIdx.x; index <= MAX_BUCKETS; index += blockDim.x)
    begins[index] = storage.begins[index];
}

template <typename Bits>
void check_counts(uint32_t items, uint64_t seed) {
  uint64_t state = seed;
  for (uint32_t &count : counts)
    count = static_cast<uint32_t>(host_random_below(&state, 1000));
  run_grid(seed, {1, MultiwayShape<Bits>::BLOCK_THREADS, sizeof(MultiwayStorage<Bits>)}, counts_kernel<Bits>, items);
  uint32_t sum = 0;
  for (uint32_t index = 0; index <= items; index++) {
    ck_assert_msg(begins[index] == sum, "%u counts: %u begins at %u instead of %u", items, index, begins[index], sum);
    sum += index < items ? counts[index] : 0;
  }
  for (uint32_t index = items + 1; index <= MAX_BUCKETS; index++)
    ck_assert_msg(begins[index] == GUARD, "%u counts: place %u was written", items, index);
}

/* _i: the seed. Around one count, one a thread, and as many as each thread takes. */
START_TEST(counts_become_places) {
  constexpr uint32_t THREADS = MultiwayShape<uint32_t>::BLOCK_THREADS;
  for (const uint32_t items : {0u, 1u, 2u, THREADS - 1, THREADS, THREADS + 1, MAX_BUCKETS / 2, MAX_BUCKETS - 1, MAX_BUCKETS}) {
    check_counts<uint32_t>(items, static_cast<uint64_t>(_i));
    check_counts<uint64_t>(items, static_cast<uint64_t>(_i));
  }
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("scan");
  TCase *sums = tcase_create("sums");
  tcase_set_timeout(sums, TEST_SECONDS);
  tcase_add_loop_test(sums, sums_are_those_of_lower_threads, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(sums, counts_become_places, 0, static_cast<int>(SEEDS));
  suite_add_tcase(suite, sums);
  return run_suite(suite);
}
