/* SPDX-License-Identifier: MIT */
/*
 * The shared memory that the simulated device lets a kernel have: 48 KB, or what it was allowed, whoever launches it, as CUDA
 * does (cudaFuncAttributeMaxDynamicSharedMemorySize). Each test is a process, and so begins with nothing allowed.
 */
#include "runtime/runtime.cuh"

#include "run_suite.h"

#include <cstring>
#include <thread>

namespace cdp::simulated {

namespace {

constexpr uint32_t MORE = SHARED_BYTES_UNASKED + 1;

/* Blocks that ran, and the code of the last launch from the device. */
uint32_t blocks_run;
int child_code;

__global__ void kernel(uint32_t number) {
  blocks_run += number;
}

template <typename Key>
__global__ void instance_kernel(Key number) {
  blocks_run += static_cast<uint32_t>(number);
}

__global__ void parent_kernel(ChildStream where, uint32_t bytes) {
  child_code = launch_child(where, {1, 1, bytes}, kernel, 1u);
}

int launch_kernel(uint32_t bytes) {
  return launch_from_host({1, 1, bytes}, nullptr, kernel, 1u);
}

int launch_parent(ChildStream where, uint32_t bytes) {
  child_code = -1;
  const int code = launch_from_host({1, 1, 0}, nullptr, parent_kernel, where, bytes);
  ck_assert_msg(code == LAUNCH_OK, "%d: %s", code, last_report().broken_rule);
  return child_code;
}

START_TEST(host_is_refused_what_was_not_allowed) {
  ck_assert_int_eq(launch_kernel(SHARED_BYTES_UNASKED), LAUNCH_OK);
  ck_assert_uint_eq(blocks_run, 1);
  ck_assert_int_eq(launch_kernel(MORE), LAUNCH_INVALID_VALUE);
  ck_assert_int_eq(last_report().code, LAUNCH_INVALID_VALUE);
  ck_assert_ptr_nonnull(std::strstr(last_report().broken_rule, "more shared memory than it is allowed"));
  ck_assert_uint_eq(blocks_run, 1);
  ck_assert_int_eq(allow_shared_bytes(kernel, MORE), LAUNCH_OK);
  ck_assert_int_eq(launch_kernel(MORE), LAUNCH_OK);
  ck_assert_int_eq(launch_kernel(MORE + 1), LAUNCH_INVALID_VALUE);
  ck_assert_uint_eq(blocks_run, 2);
}
END_TEST

/* A refused launch runs nothing, and ends nothing: its launcher sees the code. _i: the stream. */
START_TEST(device_is_refused_what_was_not_allowed) {
  const ChildStream where = static_cast<ChildStream>(_i);
  ck_assert_int_eq(launch_parent(where, SHARED_BYTES_UNASKED), LAUNCH_OK);
  ck_assert_int_eq(launch_parent(where, MORE), LAUNCH_INVALID_VALUE);
  ck_assert_uint_eq(last_report().launches_refused, 1);
  ck_assert_uint_eq(blocks_run, 1);
  ck_assert_int_eq(allow_shared_bytes(kernel, MORE), LAUNCH_OK);
  ck_assert_int_eq(launch_parent(where, MORE), LAUNCH_OK);
  ck_assert_int_eq(launch_parent(where, MORE + 1), LAUNCH_INVALID_VALUE);
  ck_assert_uint_eq(blocks_run, 2);
}
END_TEST

/* Instances of a template are kernels of their own, and so is a kernel's launcher. */
START_TEST(one_kernel_is_allowed_at_a_time) {
  ck_assert_int_eq(allow_shared_bytes(instance_kernel<uint32_t>, MORE), LAUNCH_OK);
  ck_assert_int_eq(launch_from_host({1, 1, MORE}, nullptr, instance_kernel<uint32_t>, 1u), LAUNCH_OK);
  ck_assert_int_eq(launch_from_host({1, 1, MORE}, nullptr, instance_kernel<uint64_t>, uint64_t{1}), LAUNCH_INVALID_VALUE);
  ck_assert_int_eq(launch_kernel(MORE), LAUNCH_INVALID_VALUE);
  ck_assert_int_eq(allow_shared_bytes(parent_kernel, MORE), LAUNCH_OK);
  ck_assert_int_eq(launch_parent(ChildStream::fire_and_forget, MORE), LAUNCH_INVALID_VALUE);
  ck_assert_uint_eq(blocks_run, 1);
}
END_TEST

START_TEST(what_was_allowed_last_holds) {
  ck_assert_int_eq(allow_shared_bytes(kernel, MAX_BLOCK_SHARED_BYTES), LAUNCH_OK);
  ck_assert_int_eq(allow_shared_bytes(kernel, MAX_BLOCK_SHARED_BYTES + 1), LAUNCH_INVALID_VALUE);
  ck_assert_int_eq(launch_kernel(MAX_BLOCK_SHARED_BYTES), LAUNCH_OK);
  ck_assert_int_eq(allow_shared_bytes(kernel, 100), LAUNCH_OK);
  ck_assert_int_eq(launch_kernel(100), LAUNCH_OK);
  ck_assert_int_eq(launch_kernel(101), LAUNCH_INVALID_VALUE);
  set_rules(Rules{});
  ck_assert_int_eq(launch_kernel(101), LAUNCH_INVALID_VALUE);
  ck_assert_uint_eq(blocks_run, 2);
}
END_TEST

START_TEST(each_host_thread_allows_for_itself) {
  ck_assert_int_eq(allow_shared_bytes(kernel, MORE), LAUNCH_OK);
  int code = LAUNCH_OK;
  std::thread([&code] { code = launch_kernel(MORE); }).join();
  ck_assert_int_eq(code, LAUNCH_INVALID_VALUE);
  ck_assert_int_eq(launch_kernel(MORE), LAUNCH_OK);
}
END_TEST

/* The one that the rules say, and no other: what follows runs. */
START_TEST(rules_refuse_one_launch) {
  Rules rules;
  rules.refused_launch = 2;
  set_rules(rules);
  for (uint64_t number = 1; number <= 3; number++) {
    ck_assert_int_eq(launch_kernel(0), number == 2 ? LAUNCH_OUT_OF_RESOURCES : LAUNCH_OK);
    ck_assert_uint_eq(last_report().number, number);
  }
  ck_assert_uint_eq(blocks_run, 2);
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("simulated_limits");
  TCase *shared = tcase_create("shared memory");
  tcase_add_test(shared, host_is_refused_what_was_not_allowed);
  tcase_add_loop_test(shared, device_is_refused_what_was_not_allowed, 0, static_cast<int>(ChildStream::tail) + 1);
  tcase_add_test(shared, one_kernel_is_allowed_at_a_time);
  tcase_add_test(shared, what_was_allowed_last_holds);
  tcase_add_test(shared, each_host_thread_allows_for_itself);
  suite_add_tcase(suite, shared);
  TCase *refused = tcase_create("refused");
  tcase_add_test(refused, rules_refuse_one_launch);
  suite_add_tcase(suite, refused);
  return run_suite(suite);
}
