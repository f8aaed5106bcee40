/* SPDX-License-Identifier: MIT */
/*
 * What the engine of CUDA asks of CUDA, by a CUDA runtime without a device (fake_cuda.h): when it waits, what it keeps between calls and
 * for how long. Each test is a process of its own.
 */
#include "fake_cuda.h"
#include "run_suite.h"

#include <cdpsort/copy.h>
#include <cdpsort/pairs.h>
#include <cdpsort/segments.h>
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

/* Long arrays in pageable memory, in and out, whatever their length. Kernels do nothing here, so that the result is the copied input. */
void must_copy(size_t count, uint32_t seed) {
  std::vector<uint32_t> input(count);
  std::vector<uint32_t> output(count, 0);
  for (size_t index = 0; index < count; index++)
    input[index] = static_cast<uint32_t>(index) * 2654435761u + seed;
  const cdp_status status = cdp_quicksort_copy(input.data(), output.data(), count, CDP_U32, nullptr);
  ck_assert_msg(status == CDP_OK, "%s: %s", cdp_status_name(status), cdp_last_message());
  ck_assert_msg(output == input, "%zu keys: other bytes came back", count);
  ck_assert_int_eq(fake_misuses(), 0);
}

constexpr size_t STAGED_KEYS = (size_t{64} << 20) / sizeof(uint32_t); /* the fewest that are copied by way of pinned memory */
constexpr size_t CHUNK_KEYS = (size_t{4} << 20) / sizeof(uint32_t);

START_TEST(long_pageable_arrays_go_through_pinned_chunks) {
  fake_copies_are_late(true);
  for (const size_t count : {STAGED_KEYS, STAGED_KEYS + 1, STAGED_KEYS + CHUNK_KEYS, 2 * STAGED_KEYS - 3}) {
    const size_t before = fake_copies();
    must_copy(count, static_cast<uint32_t>(count));
    ck_assert_uint_ge(fake_copies() - before, 2 * ((count + CHUNK_KEYS - 1) / CHUNK_KEYS));
  }
  ck_assert_int_eq(fake_pinned_made(), 1); // kept between calls
  ck_assert_int_eq(fake_counts_read().events, 0);
  ck_assert_int_eq(cdp_trim_memory(), CDP_OK);
  ck_assert_int_eq(fake_pinned_blocks(), 0);
  must_copy(STAGED_KEYS, 1);
  ck_assert_int_eq(cdp_set_memory_ceiling(0), CDP_OK);
  ck_assert_int_eq(fake_pinned_blocks(), 0);
  must_copy(STAGED_KEYS, 2);
  ck_assert_int_eq(fake_pinned_blocks(), 0); // nothing is kept under a ceiling of 0
}
END_TEST

/* Threads share out a chunk whose length no number of them divides. */
START_TEST(odd_bytes_are_copied_too) {
  fake_copies_are_late(true);
  for (const size_t more : {size_t{1}, size_t{7}, size_t{4095}}) {
    std::vector<uint8_t> input((size_t{64} << 20) + more);
    std::vector<uint8_t> output(input.size(), 0);
    for (size_t index = 0; index < input.size(); index++)
      input[index] = static_cast<uint8_t>(index * 167 + 13);
    ck_assert_int_eq(cdp_quicksort_copy(input.data(), output.data(), input.size(), CDP_U8, nullptr), CDP_OK);
    ck_assert(output == input);
  }
}
END_TEST

START_TEST(short_arrays_are_copied_by_cuda) {
  fake_copies_are_late(true);
  must_copy(STAGED_KEYS - 1, 3);
  ck_assert_int_eq(fake_pinned_made(), 0);
}
END_TEST

START_TEST(without_pinned_memory_cuda_copies) {
  fake_copies_are_late(true);
  fake_has_no_pinned_memory(true);
  must_copy(STAGED_KEYS + 5, 4);
  ck_assert_int_eq(fake_pinned_made(), 0);
}
END_TEST

START_TEST(two_calls_at_once_have_chunks_of_their_own) {
  std::thread other([] { must_copy(STAGED_KEYS + 7, 5); });
  must_copy(STAGED_KEYS + 9, 6);
  other.join();
  ck_assert_int_le(fake_pinned_made(), 4); // in and out, of two calls
  ck_assert_int_eq(fake_pinned_blocks(), 1);
}
END_TEST

/* Long segments, and the network where the host launches, have grids of as many blocks as the device holds. */
START_TEST(occupancy_is_asked_once_in_a_context) {
  const DeviceKeys device;
  const uint64_t offsets[] = {0, KEYS / 2, KEYS};
  cdp_segments segments = {};
  segments.count = 2;
  segments.begins = offsets;
  segments.ends = offsets + 1;
  segments.offset_bytes = sizeof offsets[0];
  cdp_options by_host = CDP_OPTIONS_INIT;
  by_host.scheme = CDP_SCHEME_HOST;
  by_host.fan_out = CDP_FAN_OUT_CLASSIC;
  int asked = 0;
  for (int call = 0; call < 5; call++) {
    must_sort(device.keys);
    ck_assert_int_eq(cdp_quicksort(device.keys, KEYS, CDP_U32, &by_host), CDP_OK);
    ck_assert_int_eq(cdp_segmented_sort(device.keys, nullptr, 0, KEYS, CDP_U32, nullptr, &segments), CDP_OK);
    if (call == 0)
      asked = fake_occupancy_questions();
  }
  ck_assert_int_gt(asked, 0);
  ck_assert_int_eq(fake_occupancy_questions(), asked);
  fake_device_reset();
  ck_assert_int_eq(cdp_quicksort(device.keys, KEYS, CDP_U32, &by_host), CDP_OK);
  ck_assert_int_gt(fake_occupancy_questions(), asked);
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
       {host_keys_are_copied_after_the_wait, long_pageable_arrays_go_through_pinned_chunks, odd_bytes_are_copied_too,
        occupancy_is_asked_once_in_a_context, short_arrays_are_copied_by_cuda, without_pinned_memory_cuda_copies,
        two_calls_at_once_have_chunks_of_their_own, calls_keep_a_stream_and_a_pool, ceiling_is_the_pools_threshold,
        call_after_a_reset_of_the_device_works, threads_leave_nothing, threads_at_once_have_streams_of_their_own,
        child_of_a_fork_gets_a_status, device_without_pools_has_blocking_calls,
        thread_without_a_context_is_lent_that_of_the_keys, study_gives_back_what_it_takes})
    tcase_add_test(tests, test);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
