/* SPDX-License-Identifier: MIT */
/*
 * What the engine of CUDA asks of CUDA, by a CUDA runtime without a device (fake_cuda.h): when it waits, what it keeps between calls and
 * for how long. Each test is a process of its own.
 */
#include "fake_cuda.h"
#include "run_suite.h"

#include <cdpsort/pairs.h>
#include <cdpsort/study.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr size_t KEYS = 100000;

/* Keys in device memory. */
class DeviceKeys {
public:
  DeviceKeys() : keys(fake_device_memory(KEYS * sizeof(uint32_t))) {
    memset(keys, 0, KEYS * sizeof(uint32_t));
  }
  ~DeviceKeys() {
    fake_device_memory_free(keys);
  }
  DeviceKeys(const DeviceKeys &) = delete;
  DeviceKeys &operator=(const DeviceKeys &) = delete;

  void *const keys;
};

void must_sort(void *keys) {
  const cdp_status status = cdp_quicksort(keys, KEYS, CDP_U32, nullptr);
  ck_assert_msg(status == CDP_OK, "%s: %s", cdp_status_name(status), cdp_last_message());
}

/* Pinned keys that a stream of the program's still writes. */
START_TEST(host_keys_are_copied_after_the_wait) {
  std::vector<uint32_t> keys(KEYS, 7);
  fake_write_later(keys.data(), KEYS, 42);
  must_sort(keys.data());
  ck_assert_uint_eq(fake_copied_word(), 42);
  ck_assert_uint_eq(keys[0], 42);
  std::vector<uint32_t> values(KEYS, 7);
  fake_write_later(values.data(), KEYS, 43);
  ck_assert_int_eq(cdp_quicksort_pairs(keys.data(), values.data(), 4, KEYS, CDP_U32, nullptr), CDP_OK);
  ck_assert_uint_eq(fake_copied_word(), 43);
  ck_assert_int_eq(fake_misuses(), 0);
}
END_TEST

START_TEST(calls_keep_a_stream_and_a_pool) {
  const DeviceKeys device;
  must_sort(device.keys);
  ck_assert_uint_eq(fake_threshold(), fake_device_bytes() / 16);
  fake_counts first = fake_counts_read();
  ck_assert(first.streams_created == 1 && first.pools_created == 1 && first.plain_allocations == 0);
  fake_counts_clear();
  for (int call = 0; call < 10; call++) {
    must_sort(device.keys);
    ck_assert_int_eq(cdp_quicksort_on_stream(device.keys, KEYS, CDP_U32, nullptr, nullptr), CDP_OK);
    ck_assert_int_eq(cdp_argsort_on_stream(device.keys, nullptr, device.keys, 4, 0, CDP_U32, nullptr, nullptr), CDP_OK);
  }
  const fake_counts more = fake_counts_read();
  ck_assert(more.streams_created == 0 && more.pools_created == 0 && more.allocations == 20 && more.events == 0);
  ck_assert(more.device_waits == 10 && more.stream_waits == 10 && more.trims == 0);
  ck_assert_int_eq(more.allocated, 1); // the keys
  ck_assert_int_eq(fake_misuses(), 0);
}
END_TEST

START_TEST(ceiling_is_the_pools_threshold) {
  const DeviceKeys device;
  ck_assert_int_eq(cdp_set_memory_ceiling(1 << 20), CDP_OK); // before there is a pool
  must_sort(device.keys);
  ck_assert_uint_eq(fake_threshold(), 1 << 20);
  ck_assert_int_eq(cdp_set_memory_ceiling(0), CDP_OK);
  ck_assert_uint_eq(fake_threshold(), 0);
  ck_assert_int_eq(cdp_set_memory_ceiling(UINT64_MAX), CDP_OK);
  ck_assert_uint_eq(fake_threshold(), fake_device_bytes() / 16);
  fake_counts_clear();
  ck_assert_int_eq(cdp_trim_memory(), CDP_OK);
  ck_assert_int_eq(fake_counts_read().trims, 1);
  ck_assert_int_eq(fake_misuses(), 0);
}
END_TEST

START_TEST(call_after_a_reset_of_the_device_works) {
  {
    const DeviceKeys device;
    must_sort(device.keys);
  }
  fake_device_reset();
  const DeviceKeys device;
  fake_counts_clear();
  must_sort(device.keys);
  must_sort(device.keys);
  const fake_counts counts = fake_counts_read();
  ck_assert(counts.streams_created == 1 && counts.pools_created == 1);
  ck_assert_int_eq(cdp_trim_memory(), CDP_OK);
  ck_assert_int_eq(fake_misuses(), 0);
}
END_TEST

/* One after another: each finds what the one before has left. */
START_TEST(threads_leave_nothing) {
  const DeviceKeys device;
  for (int turn = 0; turn < 1000; turn++)
    std::thread([&device] { must_sort(device.keys); }).join();
  const fake_counts counts = fake_counts_read();
  ck_assert(counts.streams == 1 && counts.pools_created == 1 && counts.allocated == 1);
  ck_assert_int_eq(fake_misuses(), 0);
}
END_TEST

START_TEST(threads_at_once_have_streams_of_their_own) {
  const DeviceKeys device;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 32; thread++)
    threads.emplace_back([&device] {
      for (int turn = 0; turn < 20; turn++)
        must_sort(device.keys);
    });
  for (std::thread &thread : threads)
    thread.join();
  ck_assert_int_le(fake_counts_read().streams, 16);
  ck_assert_int_eq(fake_counts_read().allocated, 1);
  ck_assert_int_eq(fake_misuses(), 0);
}
END_TEST

START_TEST(child_of_a_fork_gets_a_status) {
  const DeviceKeys device;
  must_sort(device.keys);
  fake_counts_clear();
  const pid_t child = fork();
  if (child == 0) {
    uint32_t keys[2] = {2, 1};
    const bool is_told = cdp_quicksort(keys, 2, CDP_U32, nullptr) == CDP_ERROR_NO_DEVICE &&
                         strstr(cdp_last_message(), "fork()") != nullptr && keys[0] == 2 && cdp_trim_memory() == CDP_OK &&
                         fake_counts_read().trims == 0;
    _exit(is_told ? 0 : 1);
  }
  int ended = 1;
  ck_assert_int_eq(waitpid(child, &ended, 0), child);
  ck_assert_int_eq(ended, 0);
  must_sort(device.keys);
}
END_TEST

START_TEST(device_without_pools_has_blocking_calls) {
  fake_pools_supported(false);
  const DeviceKeys device;
  must_sort(device.keys);
  ck_assert_int_eq(cdp_quicksort_on_stream(device.keys, KEYS, CDP_U32, nullptr, nullptr), CDP_ERROR_UNSUPPORTED);
  ck_assert_msg(strstr(cdp_last_message(), "give a workspace") != nullptr, "%s", cdp_last_message());
  const fake_counts counts = fake_counts_read();
  ck_assert(counts.plain_allocations == 1 && counts.allocations == 0 && counts.allocated == 1);
}
END_TEST

/* Keys in a context of the program's own, which a thread without a context would not reach. */
START_TEST(thread_without_a_context_is_lent_that_of_the_keys) {
  const DeviceKeys device;
  int own = 0;
  fake_memory_context(&own);
  must_sort(device.keys);
  ck_assert_ptr_eq(fake_launch_context(), &own);
  ck_assert_ptr_null(fake_current_context());
  ck_assert_int_eq(cdp_quicksort_on_stream(device.keys, KEYS, CDP_U32, nullptr, nullptr), CDP_OK);
  ck_assert_ptr_eq(fake_launch_context(), &own);
  ck_assert_ptr_null(fake_current_context());
  std::vector<uint32_t> keys(KEYS, 7);
  must_sort(keys.data()); // of host memory nothing is lent
  ck_assert_ptr_null(fake_launch_context());
  ck_assert_int_eq(fake_misuses(), 0);
}
END_TEST

START_TEST(study_gives_back_what_it_takes) {
  const DeviceKeys device;
  double milliseconds = 0;
  ck_assert_int_eq(cdp_time_quicksort(device.keys, KEYS, CDP_U32, nullptr, &milliseconds), CDP_OK);
  ck_assert(milliseconds == 1);
  const fake_counts counts = fake_counts_read();
  ck_assert(counts.events == 0 && counts.streams == 1 && counts.allocated == 1);
  ck_assert_int_eq(fake_misuses(), 0);
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("cuda_calls");
  TCase *tests = tcase_create("cuda_calls");
  tcase_set_timeout(tests, TEST_SECONDS);
  for (const TTest *test :
       {host_keys_are_copied_after_the_wait, calls_keep_a_stream_and_a_pool, ceiling_is_the_pools_threshold,
        call_after_a_reset_of_the_device_works, threads_leave_nothing, threads_at_once_have_streams_of_their_own,
        child_of_a_fork_gets_a_status, device_without_pools_has_blocking_calls,
        thread_without_a_context_is_lent_that_of_the_keys, study_gives_back_what_it_takes})
    tcase_add_test(tests, test);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
