/* SPDX-License-Identifier: MIT */
/*
 * What collectives, atomics, intrinsics and named barriers compute on the simulated device, whatever the order that threads run in.
 */
#include "simulated_notes.h"

namespace cdp::simulated {

namespace {

__global__ void collectives_kernel() {
  const uint32_t lane = threadIdx.x % 32;
  const uint64_t wide = 0x100000000u * lane + 7;
  for (uint32_t round = 0; round < 10; ++round) {
    require(__shfl_sync(FULL, lane + round, 5) == 5 + round, __LINE__);
    require(__shfl_sync(FULL, lane, 3, 8) == lane / 8 * 8 + 3, __LINE__);
    require(__shfl_xor_sync(FULL, wide, 9) == 0x100000000u * (lane ^ 9) + 7, __LINE__);
    require(__shfl_up_sync(FULL, static_cast<int32_t>(lane) - 9, 3) == static_cast<int32_t>(lane < 3 ? lane : lane - 3) - 9,
            __LINE__);
    require(__shfl_down_sync(FULL, lane, 2, 16) == (lane % 16 < 14 ? lane + 2 : lane), __LINE__);
    require(__match_any_sync(FULL, lane % 3) == 0x49249249u << lane % 3, __LINE__);
    require(__ballot_sync(FULL, lane % 3 == round % 3) == 0x49249249u << round % 3, __LINE__);
    require(__any_sync(FULL, lane == 7) == 1 && __any_sync(FULL, 0) == 0, __LINE__);
    require(__all_sync(FULL, lane < 32) == 1 && __all_sync(FULL, lane != 7) == 0, __LINE__);
    require(__syncthreads_count(threadIdx.x < 40 + round) == static_cast<int>(40 + round), __LINE__);
    require(__syncthreads_or(threadIdx.x == 77) == 1 && __syncthreads_or(0) == 0, __LINE__);
    require(__syncthreads_and(1) == 1 && __syncthreads_and(threadIdx.x != 5) == 0, __LINE__);
    const uint32_t half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    require(__ballot_sync(half, 1) == half, __LINE__);
    __syncwarp();
  }
}

START_TEST(collectives_compute) {
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    start(seed);
    expect_clean(launch_from_host({2, 96, 0}, nullptr, collectives_kernel));
    ck_assert_msg(notes.count == 0, "wrong in line %u", notes.entries[0]);
  }
}
END_TEST

__global__ void partial_warp_kernel() {
  note(__ballot_sync(FULL, 1));
}

START_TEST(absent_lanes_are_ignored) {
  start(1);
  expect_clean(launch_from_host({1, 7, 0}, nullptr, partial_warp_kernel));
  ck_assert_uint_eq(notes.count, 7);
  ck_assert_uint_eq(notes.entries[0], 0x7f);
}
END_TEST

struct Totals {
  unsigned int sum;
  int difference;
  unsigned long long wide;
  int least;
  unsigned int most;
  unsigned int bits;
  unsigned int last;
  unsigned int swapped;
};

__global__ void atomics_kernel(Totals *totals) {
  const uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&totals->sum, number);
  atomicSub(&totals->difference, 2);
  atomicAdd(&totals->wide, 0x100000000u);
  atomicMin(&totals->least, -static_cast<int>(number));
  atomicMax(&totals->most, number);
  atomicOr(&totals->bits, 1u << number % 32);
  atomicExch(&totals->last, number);
  atomicCAS(&totals->swapped, number, number + 1);
  __threadfence();
}

START_TEST(atomics_compute) {
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    start(seed);
    Totals totals = {};
    totals.swapped = 255;
    totals.last = 256;
    expect_clean(launch_from_host({4, 64, 0}, nullptr, atomics_kernel, &totals));
    ck_assert_uint_eq(totals.sum, 255 * 256 / 2);
    ck_assert_int_eq(totals.difference, -512);
    ck_assert_uint_eq(totals.wide, 0x10000000000u);
    ck_assert_int_eq(totals.least, -255);
    ck_assert_uint_eq(totals.most, 255);
    ck_assert_uint_eq(totals.bits, FULL);
    ck_assert_uint_lt(totals.last, 256);
    ck_assert_uint_eq(totals.swapped, 256);
  }
  ck_assert_int_eq(__popc(0xf1), 5);
  ck_assert_int_eq(__popcll(~0ull), 64);
  ck_assert_int_eq(__clz(0), 32);
  ck_assert_int_eq(__clzll(1), 63);
  ck_assert_int_eq(__ffs(8), 4);
  ck_assert_uint_eq(min(3u, 7), 3);
  ck_assert_int_eq(max(-3, 2), 2);
}
END_TEST

struct TeamWords {
  unsigned int words[128];
};

/* Two teams, of which one meets three times as often as the other. */
__global__ void teams_kernel() {
  unsigned int *const written = block_shared<TeamWords>().words;
  const uint32_t team = threadIdx.x / 64;
  for (uint32_t round = 0; round < (team == 0 ? 9u : 3u); ++round) {
    written[threadIdx.x] = round;
    named_barrier(team + 1, 64);
    require(written[team * 64 + (threadIdx.x + 1) % 64] == round, __LINE__);
    require(named_barrier_or(team + 1, 64, threadIdx.x % 64 == round), __LINE__);
    require(!named_barrier_or(team + 1, 64, false), __LINE__);
  }
  __syncthreads();
}

START_TEST(teams_meet_by_themselves) {
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    start(seed);
    expect_clean(launch_from_host({2, 128, sizeof(TeamWords)}, nullptr, teams_kernel));
    ck_assert_msg(notes.count == 0, "wrong in line %u", notes.entries[0]);
  }
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *const suite = suite_create("simulated_collectives");
  TCase *const tests = tcase_create("simulated_collectives");
  tcase_set_timeout(tests, TEST_SECONDS);
  for (const TTest *test : {collectives_compute, absent_lanes_are_ignored, atomics_compute, teams_meet_by_themselves})
    tcase_add_test(tests, test);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
