/* SPDX-License-Identifier: MIT */
/*
 * The calls of ranges.h as calls: workspaces, allocators, and wrong arguments, which touch nothing. What they make of keys is
 * test_ranges.cpp's.
 */
#include "call_check.h"
#include "host_tables.h"
#include "run_suite.h"
#include "tile_sizes.h"

#include <cdpsort/ranges.h>

using namespace host_tables;

namespace {

constexpr uint64_t NO_ANSWER = 0xDEAD;

#define MUST(call) ck_assert_msg((call) == CDP_OK, "%s", cdp_last_message())

/* As the header says; and for as many keys as a call takes. */
START_TEST(tells_the_workspace) {
  const cdp_options options = simulated_options(1);
  const uint64_t most = CDP_COUNT_MAX;
  size_t bytes = 0;
  for (const cdp_type type : {CDP_U8, CDP_U16, CDP_F32, CDP_U64}) {
    const uint64_t tile = simulated_merge_tile(static_cast<uint32_t>(host_key_bytes(type)));
    for (const uint64_t count : {tile, tile + 1, 1000 * tile, most}) {
      MUST(cdp_merge_workspace(count - count / 3, count / 3, type, &options, &bytes));
      ck_assert_uint_le(bytes, 8 * (count / tile) + 768);
      MUST(cdp_unique_workspace(count, type, &options, &bytes));
      ck_assert_uint_le(bytes, 8 * (count / simulated_walk_tile(static_cast<uint32_t>(host_key_bytes(type)))) + 768);
    }
  }
}
END_TEST

/* Memory that no refused call may touch. */
struct Untouched {
  alignas(CDP_WORKSPACE_ALIGNMENT) unsigned char memory[2048];
  Bytes before;

  Untouched() : before(random_bytes(sizeof memory, 7)) {
    memcpy(memory, before.data(), sizeof memory);
  }
  ~Untouched() {
    ck_assert_mem_eq(memory, before.data(), sizeof memory);
  }
  template <typename T = unsigned char>
  T *at(size_t byte) {
    return reinterpret_cast<T *>(memory + byte);
  }
};

START_TEST(refuses_wrong_keys_and_answers) {
  const cdp_options options = simulated_options(1);
  Untouched all;
  unsigned char *const low = all.at(0);
  unsigned char *const high = all.at(512);
  uint64_t *const answer = all.at<uint64_t>(1024);
  uint64_t *const odd = all.at<uint64_t>(1028);
  const auto sorted = [&](const void *keys, uint64_t *to) { return cdp_is_sorted(keys, 16, CDP_U32, &options, to); };
  must_fail(CDP_ERROR_NULL, sorted(nullptr, answer), "keys is NULL");
  must_fail(CDP_ERROR_NULL, sorted(low, nullptr), "sorted_count is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, sorted(low + 1, answer), "keys");
  must_fail(CDP_ERROR_ALIGNMENT, sorted(low, odd), "sorted_count");
  must_fail(CDP_ERROR_POINTER, sorted(low, all.at<uint64_t>(56)), "keys and sorted_count overlap");
  must_fail(CDP_ERROR_TYPE, cdp_is_sorted(low, 16, static_cast<cdp_type>(0), &options, answer), "type");
  must_fail(CDP_ERROR_SIZE, cdp_is_sorted(low, CDP_COUNT_MAX + 1, CDP_U8, &options, answer), "CDP_COUNT_MAX");
  must_fail(CDP_ERROR_NULL, cdp_is_sorted_on_stream(low, 16, CDP_U32, &options, nullptr, nullptr), "sorted_count is NULL");
  const auto unique = [&](const void *keys, void *to, uint64_t *number) {
    return cdp_unique(keys, 16, CDP_U32, &options, to, number);
  };
  must_fail(CDP_ERROR_NULL, unique(nullptr, high, answer), "keys is NULL");
  must_fail(CDP_ERROR_NULL, unique(low, nullptr, answer), "unique_keys is NULL");
  must_fail(CDP_ERROR_NULL, unique(low, high, nullptr), "unique_count is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, unique(low, high + 2, answer), "unique_keys");
  must_fail(CDP_ERROR_ALIGNMENT, unique(low, high, odd), "unique_count");
  must_fail(CDP_ERROR_POINTER, unique(low, low, answer), "keys and unique_keys overlap");
  must_fail(CDP_ERROR_POINTER, unique(low, low + 60, answer), "overlap");
  must_fail(CDP_ERROR_POINTER, unique(low, high, all.at<uint64_t>(560)), "unique_keys and unique_count overlap");
  cdp_options wrong = options;
  wrong.ties = static_cast<cdp_ties>(3);
  must_fail(CDP_ERROR_OPTION, cdp_unique(low, 16, CDP_U32, &wrong, high, answer), "ties");
}
END_TEST

START_TEST(refuses_wrong_ranges) {
  const cdp_options options = simulated_options(1);
  Untouched all;
  unsigned char *const low = all.at(0);
  unsigned char *const high = all.at(512);
  const auto merge_into = [&](const void *first, const void *second, void *to) {
    return cdp_merge(first, 16, second, 8, to, CDP_U32, &options);
  };
  must_fail(CDP_ERROR_NULL, merge_into(nullptr, low, high), "first is NULL");
  must_fail(CDP_ERROR_NULL, merge_into(low, nullptr, high), "second is NULL");
  must_fail(CDP_ERROR_NULL, merge_into(low, low, nullptr), "merged is NULL");
  must_fail(CDP_ERROR_ALIGNMENT, merge_into(low + 1, low, high), "first");
  must_fail(CDP_ERROR_ALIGNMENT, merge_into(low, low + 3, high), "second");
  must_fail(CDP_ERROR_ALIGNMENT, merge_into(low, low, high + 1), "merged");
  must_fail(CDP_ERROR_POINTER, merge_into(low, high, low), "first and merged overlap");
  must_fail(CDP_ERROR_POINTER, merge_into(high, low, low + 28), "second and merged overlap");
  must_fail(CDP_ERROR_POINTER, merge_into(high, low + 92, low), "second and merged overlap");
  must_fail(CDP_ERROR_SIZE, cdp_merge(low, SIZE_MAX, low, 2, high, CDP_U8, &options), "first_count");
  must_fail(CDP_ERROR_SIZE, cdp_merge(low, CDP_COUNT_MAX, low, 1, high, CDP_U8, &options), "CDP_COUNT_MAX");
  must_fail(CDP_ERROR_TYPE, cdp_merge(low, 1, low, 1, high, static_cast<cdp_type>(13), &options), "type");
}
END_TEST

START_TEST(refuses_wrong_workspaces) {
  const cdp_options options = simulated_options(1);
  Untouched all;
  unsigned char *const low = all.at(0);
  unsigned char *const high = all.at(512);
  uint64_t *const answer = all.at<uint64_t>(512 + 256);
  unsigned char *const room = all.at(1024);
  size_t bytes = 0;
  MUST(cdp_unique_workspace(16, CDP_U32, &options, &bytes));
  const auto unique = [&](void *workspace, size_t size) {
    return cdp_unique_async(low, 16, CDP_U32, &options, high, answer, workspace, size, nullptr);
  };
  must_fail(CDP_ERROR_NULL, unique(nullptr, bytes), "cdp_unique_workspace()");
  must_fail(CDP_ERROR_ALIGNMENT, unique(room + 8, bytes), "d_workspace");
  must_fail(CDP_ERROR_WORKSPACE, unique(room, bytes - 1), "cdp_unique_workspace()");
  must_fail(CDP_ERROR_WORKSPACE, unique(low, bytes), "overlaps keys");
  must_fail(CDP_ERROR_WORKSPACE, unique(high, bytes), "overlaps unique_keys");
  must_fail(CDP_ERROR_WORKSPACE, unique(all.at(256), 768), "overlaps");
  must_fail(CDP_ERROR_NULL, cdp_unique_workspace(16, CDP_U32, &options, nullptr), "workspace_bytes is NULL");
  const auto merge_in = [&](void *workspace, size_t size) {
    return cdp_merge_async(low, 16, low, 8, high, CDP_U32, &options, workspace, size, nullptr);
  };
  must_fail(CDP_ERROR_NULL, merge_in(nullptr, 256), "cdp_merge_workspace()");
  must_fail(CDP_ERROR_WORKSPACE, merge_in(room, 255), "cdp_merge_workspace()");
  must_fail(CDP_ERROR_WORKSPACE, merge_in(low, 256), "overlaps first");
  must_fail(CDP_ERROR_NULL, cdp_merge_workspace(1, 1, CDP_U32, &options, nullptr), "workspace_bytes is NULL");
}
END_TEST

/* Nothing where nothing is needed. */
START_TEST(allocates_what_is_needed) {
  account kept = {};
  cdp_options options = options_with_account(&kept);
  const size_t tile = simulated_merge_tile(4);
  const Bytes keys = sorted_keys(CDP_U32, options, keys_of(CDP_U32, tile, HOST_UNIFORM, 1));
  Bytes to(2 * keys.size());
  uint64_t answer = 0;
  MUST(cdp_is_sorted(keys.data(), tile, CDP_U32, &options, &answer));
  MUST(cdp_is_sorted_on_stream(keys.data(), tile, CDP_U32, &options, &answer, nullptr));
  MUST(cdp_merge_on_stream(keys.data(), tile, keys.data(), 0, to.data(), CDP_U32, &options, nullptr));
  ck_assert_int_eq(kept.allocations, 0);
  MUST(cdp_merge(keys.data(), tile, keys.data(), tile, to.data(), CDP_U32, &options));
  MUST(cdp_unique_on_stream(keys.data(), tile, CDP_U32, &options, to.data(), &answer, nullptr));
  ck_assert_int_eq(kept.allocations, 2);
  ck_assert_int_eq(kept.releases, 2);
  kept.is_empty = true;
  answer = NO_ANSWER;
  const Bytes before = to;
  must_fail(CDP_ERROR_MEMORY, cdp_unique(keys.data(), tile, CDP_U32, &options, to.data(), &answer), "allocate()");
  must_fail(CDP_ERROR_MEMORY, cdp_merge_on_stream(keys.data(), tile, keys.data(), 1, to.data(), CDP_U32, &options, nullptr),
            "allocate()");
  ck_assert_uint_eq(answer, NO_ANSWER);
  ck_assert(to == before);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("ranges_calls");
  TCase *tests = tcase_create("ranges_calls");
  tcase_add_test(tests, tells_the_workspace);
  tcase_add_test(tests, refuses_wrong_keys_and_answers);
  tcase_add_test(tests, refuses_wrong_ranges);
  tcase_add_test(tests, refuses_wrong_workspaces);
  tcase_add_test(tests, allocates_what_is_needed);
  suite_add_tcase(suite, tests);
  return suite;
}

} // namespace

int main() {
  return run_suite(make_suite());
}
