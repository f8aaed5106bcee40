/* SPDX-License-Identifier: MIT */
/*
 * When a blocking call reads host memory, and how long the memory stays that it takes.
 */
#include "gpu_check.h"

#include <cdpsort/buckets.h>
#include <cdpsort/pairs.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

using namespace gpu_check;

namespace {

constexpr size_t WORDS = 100000;
constexpr uint32_t STALE = 7;

/* Pinned words, stale ones at first. */
class PinnedWords {
public:
  PinnedWords() {
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void **>(&words), WORDS * sizeof *words));
    std::fill_n(words, WORDS, STALE);
  }
  ~PinnedWords() {
    cudaFreeHost(words);
  }
  PinnedWords(const PinnedWords &) = delete;
  PinnedWords &operator=(const PinnedWords &) = delete;

  uint32_t *words = nullptr;
};

/* Of pageable memory, so many that the library copies them by several threads, through pinned memory, in chunks of 4 MiB. */
START_TEST(test_long_pageable_arrays) {
  for (const size_t count : {(size_t{64} << 20) / sizeof(uint32_t), (size_t{200} << 20) / sizeof(uint32_t) + 3}) {
    std::vector<uint32_t> keys(count);
    uint32_t state = 1;
    for (uint32_t &key : keys)
      key = state = state * 1664525u + 1013904223u;
    std::vector<uint32_t> values = keys;
    std::vector<uint32_t> expected = keys;
    std::sort(expected.begin(), expected.end());
    CHECK_SORT(cdp_quicksort_pairs(keys.data(), values.data(), sizeof(uint32_t), count, CDP_U32, nullptr));
    ck_assert(keys == expected);
    ck_assert(values == expected); // each key's value is the key
  }
}
END_TEST

/* Falling numbers, a while after the stream has come to it. */
void write_late(void *words) {
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  for (size_t index = 0; index < WORDS; index++)
    static_cast<uint32_t *>(words)[index] = static_cast<uint32_t>(WORDS - index);
}

/* Keys and values may still be on their way, by a stream that waits for no other. */
START_TEST(test_reads_host_memory_after_the_wait) {
  const PinnedWords keys;
  const PinnedWords values;
  cudaStream_t stream = nullptr;
  CHECK_SORT(cdp_quicksort(keys.words, WORDS, CDP_U32, nullptr)); // kernels are loaded now
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_CUDA(cudaLaunchHostFunc(stream, write_late, keys.words));
  CHECK_CUDA(cudaLaunchHostFunc(stream, write_late, values.words));
  CHECK_SORT(cdp_quicksort_pairs(keys.words, values.words, sizeof(uint32_t), WORDS, CDP_U32, nullptr));
  for (size_t index = 0; index < WORDS; index++)
    ck_assert_msg(keys.words[index] == index + 1 && values.words[index] == index + 1, "pair %zu is %u and %u", index,
                  keys.words[index], values.words[index]);
  CHECK_CUDA(cudaStreamDestroy(stream));
}
END_TEST

/* Splitters, too: those that are not in order yet are not refused. */
START_TEST(test_reads_splitters_after_the_wait) {
  const PinnedWords keys;
  const PinnedWords splitters;
  uint64_t begins[5] = {};
  cudaStream_t stream = nullptr;
  const auto write_splitters = [](void *memory) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    for (uint32_t index = 0; index < 3; index++)
      static_cast<uint32_t *>(memory)[index] = STALE - 1 + index;
  };
  splitters.words[0] = 9;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_CUDA(cudaLaunchHostFunc(stream, write_splitters, splitters.words));
  CHECK_SORT(cdp_divide(keys.words, nullptr, 0, WORDS, CDP_U32, nullptr, splitters.words, 3, begins));
  ck_assert_msg(begins[1] == 0 && begins[2] == 0 && begins[3] == WORDS && begins[4] == WORDS, "%llu %llu %llu %llu",
                static_cast<unsigned long long>(begins[1]), static_cast<unsigned long long>(begins[2]),
                static_cast<unsigned long long>(begins[3]), static_cast<unsigned long long>(begins[4]));
  CHECK_CUDA(cudaStreamDestroy(stream));
}
END_TEST

size_t free_bytes() {
  size_t free_now = 0;
  size_t all = 0;
  CHECK_CUDA(cudaMemGetInfo(&free_now, &all));
  return free_now;
}

/* A call's memory stays for the next one, up to the ceiling, and goes when it is asked to. */
START_TEST(test_memory_stays_and_goes) {
  const Subject subject = make_subject(CDP_U32, 1 << 23, Distribution::random);
  const auto sort = [&subject] { CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, CDP_U32, nullptr)); };
  sort();
  CHECK_SORT(cdp_trim_memory());
  const size_t trimmed = free_bytes();
  sort();
  const size_t kept = free_bytes();
  ck_assert_msg(kept + subject.memory.bytes <= trimmed, "%zu bytes are free, %zu before", kept, trimmed);
  CHECK_SORT(cdp_set_memory_ceiling(0));
  sort();
  const size_t without = free_bytes();
  CHECK_SORT(cdp_set_memory_ceiling(UINT64_MAX));
  ck_assert_msg(without >= trimmed, "%zu bytes are free, %zu at first", without, trimmed);
  check_sorted(subject, CDP_ASCENDING, "with memory kept and not");
}
END_TEST

/* Each has a stream and memory, and leaves them. */
START_TEST(test_short_threads_leave_nothing) {
  const Subject subject = make_subject(CDP_U32, 1 << 12, Distribution::random);
  const auto sort = [&subject] { CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, CDP_U32, nullptr)); };
  std::thread(sort).join();
  const size_t before = free_bytes();
  for (uint32_t turn = 0; turn < pick(1000, 50); turn++)
    std::thread(sort).join();
  ck_assert_uint_ge(free_bytes(), before);
}
END_TEST

/* The end of all that the library keeps. */
START_TEST(test_call_after_a_device_reset) {
  for (int turn = 0; turn < 3; turn++) {
    const PinnedWords keys;
    write_late(keys.words);
    CHECK_SORT(cdp_quicksort(keys.words, WORDS, CDP_U32, nullptr));
    for (size_t index = 0; index < WORDS; index++)
      ck_assert_uint_eq(keys.words[index], index + 1);
    CHECK_CUDA(cudaDeviceReset());
  }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_memory");
  TCase *test_case = add_case(suite, "memory");
  tcase_add_test(test_case, test_reads_host_memory_after_the_wait);
  tcase_add_test(test_case, test_long_pageable_arrays);
  tcase_add_test(test_case, test_reads_splitters_after_the_wait);
  tcase_add_test(test_case, test_memory_stays_and_goes);
  tcase_add_test(test_case, test_short_threads_leave_nothing);
  tcase_add_test(test_case, test_call_after_a_device_reset); // the last: what other tests have kept is gone
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
