/* SPDX-License-Identifier: MIT */
/*
 * Blocks and grids on the simulated device: the order they run in, which is the seed's, and launches from the device, when they
 * run and which are refused.
 */
#include "simulated_notes.h"

#include <set>
#include <string>
#include <thread>

namespace cdp::simulated {

namespace {

/* ---- Order ----------------------------------------------------------------------------------------------------- */

__global__ void order_kernel() {
  note(blockIdx.x * 64 + threadIdx.x);
  __syncthreads();
  note(blockIdx.x * 64 + threadIdx.x);
}

std::string order_of(uint64_t seed) {
  start(seed);
  expect_clean(launch_from_host({4, 64, 0}, nullptr, order_kernel));
  ck_assert_uint_eq(notes.count, 512);
  ck_assert_uint_eq(last_report().blocks_run, 4);
  return std::string(reinterpret_cast<const char *>(notes.entries), notes.count * sizeof(uint32_t));
}

START_TEST(order_is_the_seeds) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::string once = order_of(seed);
    ck_assert(order_of(seed) == once);
    orders.insert(once);
  }
  ck_assert_uint_eq(orders.size(), 20);
}
END_TEST

START_TEST(blocks_come_in_any_order) {
  std::set<uint32_t> first_blocks;
  bool interleaved = false;
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    order_of(seed);
    first_blocks.insert(notes.entries[0] / 64);
    for (uint32_t at = 2; at < notes.count; ++at)
      interleaved |= notes.entries[at] / 64 != notes.entries[at - 1] / 64 && notes.entries[at] / 64 == notes.entries[0] / 64;
  }
  ck_assert_uint_eq(first_blocks.size(), 4);
  ck_assert(interleaved);
}
END_TEST

/* ---- Launches -------------------------------------------------------------------------------------------------- */

__global__ void child_kernel(uint32_t entry) {
  note(entry);
}

__global__ void parent_kernel(ChildStream where) {
  note(static_cast<uint32_t>(launch_child(where, {1, 1, 0}, child_kernel, 1000)));
  __syncthreads();
  note(2000);
}

/* Where the child's note is among its parent's: 0, 1 or 2. */
uint32_t child_position(uint64_t seed, ChildStream where) {
  start(seed);
  expect_clean(launch_from_host({1, 1, 0}, nullptr, parent_kernel, where));
  ck_assert_uint_eq(notes.count, 3);
  ck_assert_uint_eq(last_report().grids_launched, 2);
  for (uint32_t at = 0; at < 3; ++at) {
    if (notes.entries[at] == 1000)
      return at;
  }
  ck_abort_msg("the child did not run");
}

START_TEST(children_run_early_and_late) {
  for (const ChildStream where : {ChildStream::fire_and_forget, ChildStream::named}) {
    std::set<uint32_t> positions;
    for (uint64_t seed = 0; seed < SEEDS; ++seed)
      positions.insert(child_position(seed, where));
    ck_assert_uint_eq(positions.count(0), 1);
    ck_assert_uint_eq(positions.count(2), 1);
  }
  for (uint64_t seed = 0; seed < SEEDS; ++seed)
    ck_assert_uint_eq(child_position(seed, ChildStream::tail), 2);
}
END_TEST

/* Notes its depth; above 0, launches two children beside it and one behind them. */
__global__ void family_kernel(uint32_t depth) {
  if (threadIdx.x == 0 && depth > 0) {
    launch_child(ChildStream::tail, {1, 1, 0}, child_kernel, 100 * depth + blockIdx.x);
    launch_child(ChildStream::fire_and_forget, {2, 33, 0}, family_kernel, depth - 1);
    launch_child(ChildStream::named, {1, 33, 0}, family_kernel, depth - 1);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    note(depth);
}

__global__ void root_kernel() {
  launch_child(ChildStream::tail, {1, 1, 0}, child_kernel, 1001);
  launch_child(ChildStream::fire_and_forget, {2, 33, 0}, family_kernel, 2);
  launch_child(ChildStream::tail, {3, 33, 0}, family_kernel, 1);
  launch_child(ChildStream::tail, {1, 1, 0}, child_kernel, 1002);
}

START_TEST(tails_run_behind_all_descendants) {
  // A family of depth 1 and b blocks: b, their tails b, and 3 blocks of depth 0 for each. Depth 2: 2 + 2 + 2 * 3 * (1 + 1 + 3).
  constexpr uint32_t FIRST = 2 + 2 + 2 * 3 * 5;
  constexpr uint32_t SECOND = 3 + 3 + 3 * 3;
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    start(seed);
    expect_clean(launch_from_host({1, 1, 0}, nullptr, root_kernel));
    ck_assert_uint_eq(notes.count, FIRST + 1 + SECOND + 1);
    ck_assert_uint_eq(notes.entries[FIRST], 1001);
    ck_assert_uint_eq(notes.entries[FIRST + 1 + SECOND], 1002);
  }
}
END_TEST

__global__ void many_children_kernel() {
  for (uint32_t child = 0; child < 9; ++child) {
    const int code = launch_child(ChildStream::tail, {1, 1, 0}, child_kernel, child);
    note(1000 + static_cast<uint32_t>(code));
  }
}

START_TEST(launches_past_the_limit_are_refused) {
  start(6, 4);
  expect_clean(launch_from_host({1, 1, 0}, nullptr, many_children_kernel));
  ck_assert_uint_eq(notes.count, 9 + 4);
  for (uint32_t child = 0; child < 9; ++child)
    ck_assert_uint_eq(notes.entries[child], 1000u + static_cast<uint32_t>(child < 4 ? LAUNCH_OK : LAUNCH_PENDING_LIMIT));
  for (uint32_t child = 0; child < 4; ++child)
    ck_assert_uint_eq(notes.entries[9 + child], child);
  ck_assert_uint_eq(last_report().launches_refused, 5);
  ck_assert_uint_eq(last_report().max_pending, 4);
  ck_assert_uint_eq(last_report().grids_launched, 5);
}
END_TEST

__global__ void bad_children_kernel() {
  note(static_cast<uint32_t>(launch_child(ChildStream::named, {0, 1, 0}, child_kernel, 1)));
  note(static_cast<uint32_t>(launch_child(ChildStream::named, {1, 1025, 0}, child_kernel, 1)));
  note(static_cast<uint32_t>(launch_child(ChildStream::named, {1, 1, MAX_BLOCK_SHARED_BYTES + 1}, child_kernel, 1)));
}

START_TEST(impossible_shapes_are_refused) {
  start(7);
  ck_assert_int_eq(launch_from_host({0, 32, 0}, nullptr, order_kernel), LAUNCH_INVALID_SHAPE);
  ck_assert_int_eq(launch_from_host({1, 0, 0}, nullptr, order_kernel), LAUNCH_INVALID_SHAPE);
  ck_assert_int_eq(launch_from_host({1, 32, MAX_BLOCK_SHARED_BYTES + 1}, nullptr, order_kernel), LAUNCH_INVALID_VALUE);
  ck_assert_uint_eq(notes.count, 0);
  ck_assert_int_eq(allow_shared_bytes(bad_children_kernel, MAX_BLOCK_SHARED_BYTES), LAUNCH_OK);
  expect_clean(launch_from_host({1, 1, MAX_BLOCK_SHARED_BYTES}, nullptr, bad_children_kernel));
  ck_assert_uint_eq(notes.count, 3);
  ck_assert_uint_eq(notes.entries[0], LAUNCH_INVALID_SHAPE);
  ck_assert_uint_eq(notes.entries[1], LAUNCH_INVALID_SHAPE);
  ck_assert_uint_eq(notes.entries[2], LAUNCH_INVALID_VALUE);
}
END_TEST

__global__ void sum_kernel(unsigned int *sum, uint32_t depth) {
  atomicAdd(sum, 1);
  __syncthreads();
  if (threadIdx.x == 0 && depth > 0)
    launch_child(ChildStream::fire_and_forget, {2, 64, 0}, sum_kernel, sum, depth - 1);
}

START_TEST(host_threads_do_not_meet) {
  unsigned int sums[2] = {0, 0};
  int codes[2] = {-1, -1};
  {
    std::thread threads[2];
    for (int number = 0; number < 2; ++number)
      threads[number] = std::thread([number, &sums, &codes] {
        codes[number] = launch_from_host({1, 64, 0}, nullptr, sum_kernel, &sums[number], 7);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  for (int number = 0; number < 2; ++number) {
    ck_assert_int_eq(codes[number], LAUNCH_OK);
    ck_assert_uint_eq(sums[number], 16320);
  }
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *const suite = suite_create("simulated_schedule");
  TCase *const tests = tcase_create("simulated_schedule");
  tcase_set_timeout(tests, TEST_SECONDS);
  for (const TTest *test :
       {order_is_the_seeds, blocks_come_in_any_order, children_run_early_and_late, tails_run_behind_all_descendants,
        launches_past_the_limit_are_refused, impossible_shapes_are_refused, host_threads_do_not_meet})
    tcase_add_test(tests, test);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
