/* SPDX-License-Identifier: MIT */
/*
 * The calls of ranges.h, on the simulated device, beside std::is_sorted_until(), std::merge() and std::unique_copy() by the oracle's
 * comparison of keys; what is behind the result stays as it was, and nothing else is written.
 */
#include "host_tables.h"
#include "range_oracle.h"
#include "run_suite.h"
#include "tile_sizes.h"

#include <cdpsort/ranges.h>

using namespace host_tables;
using range_oracle::merged_bytes;
using range_oracle::sorted_count;
using range_oracle::unique_bytes;

namespace {

enum class Call { blocking, async, on_stream };
constexpr int CALLS = 3;
constexpr cdp_ties ALL_TIES[] = {CDP_TIES_ANY, CDP_TIES_STABLE, CDP_TIES_BY_VALUE};

constexpr uint64_t NO_ANSWER = 0xDEAD;

/* Directions in turn, and ties. */
cdp_options options_of(uint64_t round) {
  cdp_options options = simulated_options(round);
  options.order = static_cast<cdp_order>(round / 2 % 2);
  options.ties = ALL_TIES[round / 3 % 3];
  return options;
}

#define MUST(call) ck_assert_msg((call) == CDP_OK, "%s", cdp_last_message())

/* An answer between guards. */
struct Answer {
  Guarded number{Bytes(sizeof(uint64_t), 0xEE)};

  uint64_t *place() const {
    return reinterpret_cast<uint64_t *>(number.bytes());
  }
  uint64_t value() const {
    uint64_t value = 0;
    memcpy(&value, number.contents().data(), sizeof value);
    return value;
  }
};

/* By each call, in stream order in a workspace of exactly the size that is asked for. */
template <typename Block, typename OnStream, typename Ask, typename Launch>
void do_call(Call call, Block block, OnStream on_stream, Ask ask, Launch launch) {
  size_t bytes = 0;
  if (call == Call::blocking)
    MUST(block());
  else if (call == Call::on_stream)
    MUST(on_stream());
  else {
    MUST(ask(&bytes));
    const Guarded workspace{Bytes(bytes)};
    MUST(launch(workspace.bytes(), bytes));
    workspace.contents();
  }
}

/* ---- One call ---------------------------------------------------------------------------------------------------------- */

/* `shift`: keys past alignment. */
void check_is_sorted(Call call, cdp_type type, const Bytes &keys, const cdp_options &options, size_t shift) {
  const size_t count = keys.size() / host_key_bytes(type);
  const Guarded from(keys, shift * host_key_bytes(type));
  const Answer answer;
  if (call == Call::blocking)
    MUST(cdp_is_sorted(from.bytes(), count, type, &options, answer.place()));
  else
    MUST(cdp_is_sorted_on_stream(from.bytes(), count, type, &options, answer.place(), nullptr));
  const uint64_t wanted = sorted_count({type, options, keys});
  ck_assert_msg(answer.value() == wanted, "%zu keys of %s, %zu past alignment: %llu are in order, and not %llu", count,
                host_type_name(type), shift, static_cast<unsigned long long>(wanted),
                static_cast<unsigned long long>(answer.value()));
  ck_assert(from.contents() == keys);
}

void check_unique(Call call, cdp_type type, const Bytes &keys, const cdp_options &options, size_t shift) {
  const size_t count = keys.size() / host_key_bytes(type);
  const Guarded from(keys, shift * host_key_bytes(type));
  const Guarded to(Bytes(keys.size(), 0xEE), shift / 2 * host_key_bytes(type));
  const Answer answer;
  do_call(
      call, [&] { return cdp_unique(from.bytes(), count, type, &options, to.bytes(), answer.place()); },
      [&] { return cdp_unique_on_stream(from.bytes(), count, type, &options, to.bytes(), answer.place(), nullptr); },
      [&](size_t *bytes) { return cdp_unique_workspace(count, type, &options, bytes); },
      [&](void *workspace, size_t bytes) {
        return cdp_unique_async(from.bytes(), count, type, &options, to.bytes(), answer.place(), workspace, bytes, nullptr);
      });
  Bytes wanted = unique_bytes({type, options, keys});
  ck_assert_msg(answer.value() == wanted.size() / host_key_bytes(type), "%zu keys of %s, %zu past alignment: %zu are unique",
                count, host_type_name(type), shift, wanted.size() / host_key_bytes(type));
  wanted.resize(keys.size(), 0xEE);
  ck_assert_msg(to.contents() == wanted, "%zu keys of %s, %zu past alignment: other keys", count, host_type_name(type), shift);
  ck_assert(from.contents() == keys);
}

Bytes merge(Call call, cdp_type type, const Bytes &first, const Bytes &second, const cdp_options &options, size_t shift) {
  const size_t key_bytes = host_key_bytes(type);
  const size_t a = first.size() / key_bytes;
  const size_t b = second.size() / key_bytes;
  const Guarded from(first, shift * key_bytes);
  const Guarded other(second, shift / 2 * key_bytes);
  const Guarded to(Bytes(first.size() + second.size(), 0xEE), shift / 3 * key_bytes);
  do_call(
      call, [&] { return cdp_merge(from.bytes(), a, other.bytes(), b, to.bytes(), type, &options); },
      [&] { return cdp_merge_on_stream(from.bytes(), a, other.bytes(), b, to.bytes(), type, &options, nullptr); },
      [&](size_t *bytes) { return cdp_merge_workspace(a, b, type, &options, bytes); },
      [&](void *workspace, size_t bytes) {
        return cdp_merge_async(from.bytes(), a, other.bytes(), b, to.bytes(), type, &options, workspace, bytes, nullptr);
      });
  ck_assert(from.contents() == first);
  ck_assert(other.contents() == second);
  return to.contents();
}

void check_merge(Call call, cdp_type type, const Bytes &first, const Bytes &second, const cdp_options &options, size_t shift) {
  ck_assert_msg(merge(call, type, first, second, options, shift) == merged_bytes(type, options, first, second),
                "%zu and %zu bytes of %s, %zu past alignment: merged wrong", first.size(), second.size(), host_type_name(type),
                shift);
}

/* ---- All types --------------------------------------------------------------------------------------------------------- */

/* Around a row, a warp's stretch, a block's, all blocks', and several of them. */
std::vector<size_t> walk_counts(size_t key_bytes) {
  const size_t piece = 16 / key_bytes;
  const size_t tile = simulated_walk_tile(static_cast<uint32_t>(key_bytes));
  return {0,
          1,
          2,
          piece - 1,
          piece,
          piece + 1,
          tile / 2 - 1,
          tile / 2,
          tile / 2 + 1,
          tile - 1,
          tile,
          tile + 1,
          16 * tile - 1,
          16 * tile,
          16 * tile + piece + 1,
          37 * tile + 5};
}

Bytes sorted_keys_of(cdp_type type, size_t count, const cdp_options &options, uint64_t round) {
  const host_distribution distribution = round % 3 == 0 ? HOST_UNIFORM : round % 3 == 1 ? HOST_EXTREMES : HOST_FEW_DISTINCT;
  return sorted_keys(type, options, keys_of(type, count, distribution, round));
}

/* _i: the type. In order, in order but for two neighbours, anyhow. */
START_TEST(finds_disorder) {
  const cdp_type type = type_at(_i);
  const size_t key_bytes = host_key_bytes(type);
  uint64_t round = static_cast<uint64_t>(_i);
  for (const size_t count : walk_counts(key_bytes)) {
    const cdp_options options = options_of(round);
    const Call call = round % 2 == 0 ? Call::blocking : Call::on_stream;
    Bytes keys = sorted_keys_of(type, count, options, round);
    check_is_sorted(call, type, keys, options, round % 5);
    uint64_t state = round;
    for (int swap = 0; swap < 4 && count >= 2; swap++) {
      const size_t at = swap == 0 ? count - 2 : host_random_below(&state, count - 1);
      std::swap_ranges(&keys[at * key_bytes], &keys[at * key_bytes] + key_bytes, &keys[(at + 1) * key_bytes]);
      check_is_sorted(call, type, keys, options, (round + 1) % 5);
    }
    check_is_sorted(call, type, keys_of(type, count, HOST_UNIFORM, round), options, round % 3);
    round++;
  }
}
END_TEST

/* _i: the type. Also of keys that are not sorted. */
START_TEST(leaves_equal_keys_out) {
  const cdp_type type = type_at(_i);
  uint64_t round = static_cast<uint64_t>(_i);
  for (const size_t count : walk_counts(host_key_bytes(type))) {
    const cdp_options options = options_of(round);
    const Call call = static_cast<Call>(round % CALLS);
    check_unique(call, type, sorted_keys_of(type, count, options, round), options, round % 5);
    check_unique(call, type, sorted_keys_of(type, count, options, round + 1), options, (round + 1) % 5);
    check_unique(call, type, keys_of(type, count, HOST_EXTREMES, round), options, (round + 2) % 5);
    round++;
  }
}
END_TEST

/* Around a thread's share, a tile, and several; of what a warp finds the beginnings of, and a block. */
std::vector<size_t> merge_counts(size_t key_bytes) {
  const size_t tile = simulated_merge_tile(static_cast<uint32_t>(key_bytes));
  return {1,
          2,
          10,
          tile - 1,
          tile,
          tile + 1,
          2 * tile - 1,
          2 * tile,
          2 * tile + 1,
          5 * tile + 3,
          31 * tile,
          31 * tile + 1,
          32 * tile,
          62 * tile,
          63 * tile + 1};
}

/* _i: the type. Halves, and one range much shorter than the other, or empty. */
START_TEST(merges_sorted_ranges) {
  const cdp_type type = type_at(_i);
  uint64_t round = static_cast<uint64_t>(_i);
  for (const size_t count : merge_counts(host_key_bytes(type)))
    for (const size_t first : {count / 2, size_t{0}, count, count / 17, count - count / 9}) {
      const cdp_options options = options_of(round);
      check_merge(static_cast<Call>(round % CALLS), type, sorted_keys_of(type, first, options, round),
                  sorted_keys_of(type, count - first, options, round + round % 2), options, round % 5);
      round++;
    }
}
END_TEST

/* All of one range before all of the other, and all keys equal. _i: the type. */
START_TEST(merges_one_behind_the_other) {
  const cdp_type type = type_at(_i);
  const size_t tile = simulated_merge_tile(static_cast<uint32_t>(host_key_bytes(type)));
  for (const uint64_t round : {0u, 1u, 2u, 3u, 4u, 5u}) {
    const cdp_options options = options_of(round);
    const Bytes all = sorted_keys_of(type, 4 * tile + 7, options, round);
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(host_key_bytes(type) * (tile + round));
    check_merge(Call::async, type, Bytes(all.begin(), middle), Bytes(middle, all.end()), options, 0);
    check_merge(Call::async, type, Bytes(middle, all.end()), Bytes(all.begin(), middle), options, 1);
    const Bytes equal = keys_of(type, 2 * tile + 1, HOST_ALL_EQUAL, 1);
    check_merge(Call::async, type, equal, equal, options, 2);
  }
}
END_TEST

/* Nothing is lost, and nothing added, of ranges that are not sorted. _i: the type. */
START_TEST(permutes_what_is_not_sorted) {
  const cdp_type type = type_at(_i);
  const size_t key_bytes = host_key_bytes(type);
  const size_t tile = simulated_merge_tile(static_cast<uint32_t>(key_bytes));
  const host_distribution distributions[] = {HOST_UNIFORM, HOST_REVERSED, HOST_EXTREMES, HOST_ORGAN_PIPE, HOST_BUCKET};
  uint64_t round = static_cast<uint64_t>(_i);
  for (const size_t count : {size_t{7}, tile - 1, tile, 3 * tile + 1, 40 * tile + 5})
    for (const host_distribution distribution : distributions) {
      cdp_options options = options_of(round);
      const size_t first = host_random_below(&round, count + 1);
      const Bytes a = keys_of(type, first, distribution, round);
      const Bytes b = keys_of(type, count - first, round % 2 == 0 ? distribution : HOST_UNIFORM, round + 1);
      const Bytes merged = merge(Call::async, type, a, b, options, round % 5);
      const Bytes both = range_oracle::both_ranges(a, b);
      options.ties = CDP_TIES_ANY;
      ck_assert_msg(sorted_keys(type, options, merged) == sorted_keys(type, options, both),
                    "%zu keys of %s, %s: not the same keys", count, host_type_name(type), host_distribution_name(distribution));
      round++;
    }
}
END_TEST

/* ---- Ties -------------------------------------------------------------------------------------------------------------- */

template <typename Key>
Bytes bytes_of(const std::vector<Key> &keys) {
  Bytes bytes(keys.size() * sizeof(Key));
  memcpy(bytes.data(), keys.data(), bytes.size());
  return bytes;
}

/* Zeros of both signs, and NaNs of several payloads, in orders that differ by ties. */
START_TEST(joins_zeros_and_nans) {
  const std::vector<uint32_t> first = {0xBF800000, 0x00000000, 0x80000000, 0x3F800000, 0x7FC00000, 0xFFC00001, 0x7F800001};
  const std::vector<uint32_t> second = {0x80000000, 0x00000000, 0x40000000, 0xFFFFFFFF, 0x7FC00000};
  cdp_options options = simulated_options(1);
  const Bytes a = bytes_of(first);
  const Bytes b = bytes_of(second);
  for (const cdp_ties ties : ALL_TIES) {
    options.ties = ties;
    check_is_sorted(Call::blocking, CDP_F32, a, options, 0);
    check_unique(Call::blocking, CDP_F32, a, options, 0);
  }
  ck_assert_uint_eq(sorted_count({CDP_F32, options, a}), first.size());
  ck_assert_uint_eq(unique_bytes({CDP_F32, options, a}).size() / 4, 4);
  check_merge(Call::blocking, CDP_F32, a, b, options, 0);
  check_merge(Call::async, CDP_F32, b, a, options, 1);
}
END_TEST

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

START_TEST(has_an_answer_without_keys) {
  const cdp_options options = simulated_options(1);
  size_t bytes = NO_ANSWER;
  for (const Call call : {Call::blocking, Call::on_stream, Call::async}) {
    check_is_sorted(call, CDP_U32, {}, options, 0);
    check_unique(call, CDP_U32, {}, options, 0);
    uint64_t answer = NO_ANSWER;
    MUST(cdp_unique(nullptr, 0, CDP_F64, &options, nullptr, &answer));
    ck_assert_uint_eq(answer, 0);
    answer = NO_ANSWER;
    MUST(cdp_is_sorted(nullptr, 0, CDP_F64, &options, &answer));
    ck_assert_uint_eq(answer, 0);
  }
  MUST(cdp_merge(nullptr, 0, nullptr, 0, nullptr, CDP_U8, &options));
  MUST(cdp_merge_async(nullptr, 0, nullptr, 0, nullptr, CDP_U8, &options, nullptr, 0, nullptr));
  MUST(cdp_merge_workspace(0, 0, CDP_U8, &options, &bytes));
  ck_assert_uint_eq(bytes, 0);
  MUST(cdp_merge_workspace(1, 1, CDP_U8, &options, &bytes));
  ck_assert_uint_eq(bytes, CDP_WORKSPACE_ALIGNMENT);
  MUST(cdp_unique_workspace(0, CDP_U8, &options, &bytes));
  ck_assert_uint_eq(bytes, CDP_WORKSPACE_ALIGNMENT);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("ranges");
  TCase *tests = tcase_create("ranges");
  tcase_set_timeout(tests, TEST_SECONDS);
  add_options_loop_test(tests, finds_disorder, 0, TYPES);
  add_options_loop_test(tests, leaves_equal_keys_out, 0, TYPES);
  add_options_loop_test(tests, merges_sorted_ranges, 0, TYPES);
  add_options_loop_test(tests, merges_one_behind_the_other, 0, TYPES);
  add_options_loop_test(tests, permutes_what_is_not_sorted, 0, TYPES);
  tcase_add_test(tests, joins_zeros_and_nans);
  tcase_add_test(tests, has_an_answer_without_keys);
  suite_add_tcase(suite, tests);
  return suite;
}

} // namespace

int main() {
  return run_suite(make_suite());
}
