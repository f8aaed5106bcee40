/* SPDX-License-Identifier: MIT */
/*
 * The rules of a block on the simulated device: which meetings of threads cannot be, and which memory they may write; every broken
 * rule must be seen and told.
 */
#include "simulated_notes.h"

#include <cstring>
#include <initializer_list>
#include <string>

namespace cdp::simulated {

namespace {

/* The run must have failed, with a report that holds every part. */
void expect_broken(int code, std::initializer_list<const char *> parts) {
  ck_assert_int_eq(code, LAUNCH_RULE_BROKEN);
  for (const char *part : parts)
    ck_assert_msg(std::strstr(last_report().broken_rule, part) != nullptr, "no \"%s\" in: %s", part, last_report().broken_rule);
}

std::string place(unsigned line) {
  return "test_simulated_block.cpp:" + std::to_string(line);
}

__global__ void clean_kernel() {
  note(threadIdx.x);
}

/* ---- Meetings that cannot be ----------------------------------------------------------------------------------- */

constexpr unsigned BARRIER_LINE = __LINE__ + 3;
__global__ void ended_kernel() {
  if (threadIdx.x != 17)
    __syncthreads();
}

START_TEST(barrier_that_a_thread_misses) {
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    start(seed);
    expect_broken(launch_from_host({3, 64, 0}, nullptr, ended_kernel),
                  {"grid 1 (launched by the host), block ", "waits at the barrier in ", place(BARRIER_LINE).c_str(),
                   "thread 17 has ended"});
  }
}
END_TEST

__global__ void two_barriers_kernel() {
  if (threadIdx.x < 32) {
    __syncthreads();
    return;
  }
  __syncthreads();
}

__global__ void barrier_and_warp_kernel() {
  if (threadIdx.x == 3)
    __syncthreads();
  else
    __syncwarp();
}

START_TEST(barriers_at_two_places) {
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    start(seed);
    expect_broken(launch_from_host({1, 64, 0}, nullptr, two_barriers_kernel),
                  {place(BARRIER_LINE + 15).c_str(), place(BARRIER_LINE + 18).c_str()});
    expect_broken(launch_from_host({1, 32, 0}, nullptr, barrier_and_warp_kernel), {"waits at the barrier", "at __syncwarp"});
  }
}
END_TEST

/* Every way for lanes of a warp to miss each other. */
__global__ void lanes_kernel(int way) {
  const uint32_t lane = threadIdx.x;
  switch (way) {
  case 0: // a lane has ended
    if (lane != 9)
      __ballot_sync(FULL, 1);
    break;
  case 1: // a mask without its own lane
    __ballot_sync(0xfffffffeu, 1);
    break;
  case 2: // different masks
    __shfl_sync(lane < 8 ? 0x00ffffffu : FULL, lane, 8);
    break;
  case 3: // different collectives
    if (lane < 8)
      __any_sync(FULL, 1);
    else
      __all_sync(FULL, 1);
    break;
  case 4: // a value from outside of the mask
    if (lane < 4)
      __shfl_sync(0xfu, lane, 4);
    break;
  case 5: // three meetings, each waiting for the next
    __syncwarp(lane == 0 ? 0x3u : lane == 1 ? 0x6u : 0x5u);
    break;
  default:
    __shfl_sync(FULL, lane, 0, 24);
    break;
  }
}

START_TEST(lanes_that_miss_each_other) {
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    start(seed);
    expect_broken(launch_from_host({1, 32, 0}, nullptr, lanes_kernel, 0), {"waits at __ballot_sync in", "thread 9 has ended"});
    expect_broken(launch_from_host({1, 32, 0}, nullptr, lanes_kernel, 1), {"thread 0", "which lacks its own lane"});
    expect_broken(launch_from_host({1, 32, 0}, nullptr, lanes_kernel, 2), {"mask ffffffff", "mask 00ffffff"});
    expect_broken(launch_from_host({1, 32, 0}, nullptr, lanes_kernel, 3), {"__any_sync", "__all_sync"});
    expect_broken(launch_from_host({1, 32, 0}, nullptr, lanes_kernel, 4), {"the value of lane 4", "not in mask 0000000f"});
    expect_broken(launch_from_host({1, 3, 0}, nullptr, lanes_kernel, 5), {"waits at __syncwarp in", ", but thread"});
    expect_broken(launch_from_host({1, 32, 0}, nullptr, lanes_kernel, 6), {"width"});
  }
  expect_clean(launch_from_host({1, 32, 0}, nullptr, clean_kernel));
  ck_assert_str_eq(last_report().broken_rule, "");
}
END_TEST

/* ---- The grid's barrier ---------------------------------------------------------------------------------------- */

constexpr uint32_t TOGETHER = 5;

/* Each block adds to the next one's sum, round after round; all wait for each other between. */
__global__ void rounds_kernel(uint32_t *sums) {
  for (uint32_t round = 1; round <= 4; ++round) {
    if (threadIdx.x == 40)
      sums[round * TOGETHER + blockIdx.x] = sums[(round - 1) * TOGETHER + (blockIdx.x + 1) % TOGETHER] + 1;
    grid_barrier(nullptr);
    require(sums[round * TOGETHER + threadIdx.x % TOGETHER] == round, __LINE__);
    __syncthreads();
  }
}

__global__ void child_kernel() {
  grid_barrier(nullptr);
}

/* Ways to miss each other at the grid's barrier. */
__global__ void missed_kernel(int way) {
  const bool first = blockIdx.x == 0;
  if (way == 0 && first) // a block that ends
    return;
  if (way == 1 && first && threadIdx.x == 3) // a thread that ends
    return;
  if (way == 2 && first) // another place
    grid_barrier(nullptr);
  else if (way == 3 && threadIdx.x < 32) // the block's barrier
    __syncthreads();
  else if (way == 4 && threadIdx.x == 0) // a grid that the device launched
    launch_child(ChildStream::fire_and_forget, {1, 1, 0}, child_kernel);
  else
    grid_barrier(nullptr);
}

START_TEST(grid_barrier_waits_for_all_blocks) {
  int blocks = 0;
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    uint32_t sums[5 * TOGETHER] = {};
    start(seed, 2048, TOGETHER);
    ck_assert_int_eq(resident_blocks(rounds_kernel, 64, 0, &blocks), LAUNCH_OK);
    ck_assert_int_eq(blocks, TOGETHER);
    expect_clean(launch_together({TOGETHER, 64, 0}, nullptr, rounds_kernel, sums));
    ck_assert_msg(notes.count == 0, "wrong in line %u", notes.entries[0]);
  }
  ck_assert_int_eq(launch_together({TOGETHER + 1, 64, 0}, nullptr, missed_kernel, 9), LAUNCH_TOO_MANY_TOGETHER);
  ck_assert_ptr_nonnull(std::strstr(last_report().broken_rule, "more blocks were launched together"));
  ck_assert_int_eq(resident_blocks(rounds_kernel, 64, SHARED_BYTES_UNASKED + 1, &blocks), LAUNCH_OK);
  ck_assert_int_eq(blocks, 0);
}
END_TEST

START_TEST(grid_barrier_that_is_missed) {
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    start(seed);
    expect_broken(launch_from_host({3, 64, 0}, nullptr, missed_kernel, 9),
                  {"waits at the grid's barrier in test_simulated_block.cpp:", "was not launched together"});
    expect_broken(launch_together({3, 64, 0}, nullptr, missed_kernel, 0), {"the grid's barrier", "has ended"});
    expect_broken(launch_together({3, 64, 0}, nullptr, missed_kernel, 1), {"the grid's barrier", "thread 3 has ended"});
    expect_broken(launch_together({3, 64, 0}, nullptr, missed_kernel, 2), {"the grid's barrier", ", but of block "});
    expect_broken(launch_together({3, 64, 0}, nullptr, missed_kernel, 3), {"the grid's barrier", "waits at the barrier in"});
    expect_broken(launch_together({1, 1, 0}, nullptr, missed_kernel, 4), {"grid 2", "was not launched together"});
    expect_clean(launch_together({3, 64, 0}, nullptr, missed_kernel, 9));
  }
}
END_TEST

/* ---- Expectations ---------------------------------------------------------------------------------------------- */

__global__ void expecting_kernel(uint32_t unexpected) {
  expect(threadIdx.x != unexpected);
}

START_TEST(expectations_that_do_not_hold) {
  expect_clean(launch_from_host({2, 64, 0}, nullptr, expecting_kernel, 64));
  expect_broken(launch_from_host({2, 64, 0}, nullptr, expecting_kernel, 33),
                {"grid 1 (launched by the host), block ", "thread 33: what test_simulated_block.cpp:", "does not hold"});
}
END_TEST

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

struct SharedBytes {
  unsigned char bytes[64];
};

__global__ void shared_kernel(int offset) {
  volatile unsigned char *const bytes = block_shared<SharedBytes>().bytes;
  note(bytes[63]);
  bytes[offset] = 1;
}

START_TEST(shared_memory_is_fresh_and_guarded) {
  start(3);
  expect_clean(launch_from_host({5, 1, 64}, nullptr, shared_kernel, 63));
  for (uint32_t block = 0; block < 5; ++block)
    ck_assert_uint_eq(notes.entries[block], POISON_BYTE);
  expect_broken(launch_from_host({1, 1, 64}, nullptr, shared_kernel, 66),
                {"2 bytes behind the end of the shared memory of 64 bytes"});
  expect_broken(launch_from_host({1, 1, 64}, nullptr, shared_kernel, -1), {"before the beginning of the shared memory"});
  expect_broken(launch_from_host({1, 1, 63}, nullptr, shared_kernel, 0), {"uses 64 bytes of shared memory", "with 63"});
}
END_TEST

__global__ void write_kernel(volatile unsigned char *memory, int offset) {
  memory[offset] = 1;
}

START_TEST(allocations_are_guarded) {
  start(4);
  auto *const memory = static_cast<unsigned char *>(allocate_memory(100));
  ck_assert_ptr_nonnull(memory);
  ck_assert_uint_eq(reinterpret_cast<uintptr_t>(memory) % MEMORY_ALIGNMENT, 0);
  ck_assert_uint_eq(memory[0], POISON_BYTE);
  ck_assert_uint_eq(memory[99], POISON_BYTE);
  expect_clean(launch_from_host({1, 1, 0}, nullptr, write_kernel, memory, 99));
  expect_broken(launch_from_host({1, 1, 0}, nullptr, write_kernel, memory, 103), {"3 bytes behind the end", "100 bytes"});
  expect_broken(launch_from_host({1, 1, 0}, nullptr, write_kernel, memory, -1), {"before the beginning of an allocation"});
  memory[100] = 1; // by the host, between runs: seen on release, and told to the next launch
  ck_assert(!release_memory(memory));
  ck_assert_int_eq(last_report().code, LAUNCH_RULE_BROKEN);
  expect_broken(launch_from_host({1, 1, 0}, nullptr, clean_kernel), {"0 bytes behind the end"});
  expect_clean(launch_from_host({1, 1, 0}, nullptr, clean_kernel));
  ck_assert(release_memory(nullptr));
  ck_assert_ptr_null(allocate_memory(SIZE_MAX - 100));
}
END_TEST

__device__ __attribute__((noinline)) uint32_t descend(uint32_t depth) {
  volatile unsigned char frame[256];
  for (volatile unsigned char &byte : frame)
    byte = static_cast<unsigned char>(depth);
  return depth == 0 ? frame[0] : descend(depth - 1) + frame[depth % 256];
}

__global__ void stack_kernel(uint32_t depth) {
  note(descend(depth));
}

START_TEST(overrun_stacks_are_reported) {
  start(5);
  expect_clean(launch_from_host({1, 1, 0}, nullptr, stack_kernel, 100));
#ifndef __SANITIZE_ADDRESS__ /* which would report the overrun itself */
  int code = LAUNCH_OK;
  for (uint32_t depth = 150; code == LAUNCH_OK && depth < 500; ++depth)
    code = launch_from_host({1, 1, 0}, nullptr, stack_kernel, depth);
  expect_broken(code, {"thread 0 overran its stack"});
#endif
}
END_TEST

/* ---- Named barriers -------------------------------------------------------------------------------------------- */

__global__ void wrong_barrier_kernel(uint32_t kind) {
  switch (kind) {
  case 0:
    return named_barrier(16, 64);
  case 1:
    return named_barrier(1, 40);
  case 2:
    return named_barrier(1, threadIdx.x < 32 ? 32 + 32 : 96);
  case 3:
    return threadIdx.x < 32 ? named_barrier(1, 64) : named_barrier(1, 64);
  case 4:
    return threadIdx.x < 32 ? named_barrier(1, 64) : __syncthreads();
  default:
    if (threadIdx.x < 32)
      named_barrier(1, 64);
  }
}

START_TEST(wrong_named_barriers_are_reported) {
  static const char *const parts[] = {"barrier 16 of 64 threads is none",
                                      "barrier 1 of 40 threads is none",
                                      "a named barrier",
                                      "a named barrier",
                                      "a named barrier",
                                      "a named barrier"};
  for (uint32_t kind = 0; kind < 6; ++kind) {
    start(kind);
    // Two calls in one line are one place; two lines are two.
    if (kind == 3)
      expect_clean(launch_from_host({1, 64, 0}, nullptr, wrong_barrier_kernel, kind));
    else
      expect_broken(launch_from_host({1, 96, 0}, nullptr, wrong_barrier_kernel, kind), {parts[kind]});
  }
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *const suite = suite_create("simulated_block");
  TCase *const tests = tcase_create("simulated_block");
  tcase_set_timeout(tests, TEST_SECONDS);
  for (const TTest *test :
       {barrier_that_a_thread_misses, barriers_at_two_places, lanes_that_miss_each_other, grid_barrier_waits_for_all_blocks,
        grid_barrier_that_is_missed, expectations_that_do_not_hold, shared_memory_is_fresh_and_guarded, allocations_are_guarded,
        overrun_stacks_are_reported, wrong_named_barriers_are_reported})
    tcase_add_test(tests, test);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
