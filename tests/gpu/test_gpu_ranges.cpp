/* SPDX-License-Identifier: MIT */
/*
 * ranges.h on the GPU: what the standard library's calls make of the same keys, in every kind of memory, by every call, captured,
 * behind a stream that is held, several at a time, and of more than 2^32 keys. And what is refused, launches as well.
 */
#include "gpu_tables.h"
#include "range_oracle.h"
#include "tile_sizes.h"

#include <cdpsort/ranges.h>

#include <algorithm>

using namespace gpu_check;
using namespace gpu_tables;
using range_oracle::Keys;

namespace {

constexpr size_t ANSWER = sizeof(uint64_t);
char label[256];

/* All ways in turn; arrays of a blocking call lie in different memory. */
Way way_at(uint64_t round) {
  const Call call = static_cast<Call>(round % CALLS);
  if (call == Call::blocking)
    return {call, static_cast<Place>(round / 3 % PLACES), static_cast<Place>(round / 2 % PLACES), round % 5, false};
  return {call, round % 2 == 0 ? Place::device : Place::managed, Place::device, round % 5, round % 5 < 2};
}

cdp_options options_at(uint64_t round) {
  return options_of(ORDERS[round / 2 % 2], ALL_TIES[round / 3 % 3]);
}

void say(const char *what, cdp_type type, size_t count, const Way &way) {
  snprintf(label, sizeof label, "%s of %zu %s, %zu past alignment; %s%s, %s and %s", what, count, host_type_name(type),
           way.shift, way.is_captured ? "captured, " : "", call_name(way.call), place_name(way.keys_place),
           place_name(way.values_place));
  note("%s", label);
}

/* By the call of the way: in stream order in a workspace of exactly the size that is asked for. */
template <typename Block, typename OnStream, typename Ask, typename Launch>
void do_call(const Way &way, Block block, OnStream on_stream, Ask ask, Launch launch) {
  size_t bytes = 0;
  if (way.call == Call::blocking) {
    CHECK_SORT(block());
  } else if (way.call == Call::on_stream) {
    CHECK_SORT(perform(way, on_stream));
  } else {
    CHECK_SORT(ask(&bytes));
    const Array workspace = make_array(Place::device, Bytes(bytes));
    CHECK_SORT(perform(way, [&] { return launch(workspace.memory(), bytes); }));
    CHECK_CUDA(cudaStreamSynchronize(stream()));
    read_array(workspace, label);
  }
  CHECK_CUDA(cudaStreamSynchronize(stream()));
}

uint64_t *number_in(const Array &array) {
  return reinterpret_cast<uint64_t *>(array.memory());
}

uint64_t read_number(const Array &array) {
  uint64_t number = 0;
  memcpy(&number, read_array(array, label).data(), ANSWER);
  return number;
}

Bytes make_sorted(cdp_type type, size_t count, const cdp_options &options, uint64_t round) {
  const host_distribution distributions[] = {HOST_UNIFORM, HOST_EXTREMES, HOST_FEW_DISTINCT};
  return range_oracle::sorted_bytes({type, options, make_keys(type, count, distributions[round % 3])});
}

/* ---- One call ---------------------------------------------------------------------------------------------------- */

void check_is_sorted(cdp_type type, const Bytes &keys, const cdp_options &options, const Way &way) {
  const size_t count = keys.size() / host_key_bytes(type);
  say("order", type, count, way);
  const Array from = make_array(way.keys_place, keys, way.shift * host_key_bytes(type));
  const Array answer = make_array(way.values_place, Bytes(ANSWER, 0xEE));
  if (way.call == Call::blocking)
    CHECK_SORT(cdp_is_sorted(from.memory(), count, type, &options, number_in(answer)));
  else
    CHECK_SORT(perform(
        way, [&] { return cdp_is_sorted_on_stream(from.memory(), count, type, &options, number_in(answer), stream()); }));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  ck_assert_msg(read_number(answer) == range_oracle::sorted_count({type, options, keys}), "%s: wrong", label);
  ck_assert_msg(read_array(from, label) == keys, "%s: the input has changed", label);
  free_arrays();
}

void check_unique(cdp_type type, const Bytes &keys, const cdp_options &options, const Way &way) {
  const size_t count = keys.size() / host_key_bytes(type);
  say("unique keys", type, count, way);
  const Array from = make_array(way.keys_place, keys, way.shift * host_key_bytes(type));
  const Array to = make_array(way.values_place, Bytes(keys.size(), 0xEE), way.shift / 2 * host_key_bytes(type));
  const Array answer = make_array(way.values_place, Bytes(ANSWER, 0xEE));
  const void *k = from.memory();
  do_call(
      way, [&] { return cdp_unique(k, count, type, &options, to.memory(), number_in(answer)); },
      [&] { return cdp_unique_on_stream(k, count, type, &options, to.memory(), number_in(answer), stream()); },
      [&](size_t *bytes) { return cdp_unique_workspace(count, type, &options, bytes); },
      [&](void *workspace, size_t bytes) {
        return cdp_unique_async(k, count, type, &options, to.memory(), number_in(answer), workspace, bytes, stream());
      });
  Bytes wanted = range_oracle::unique_bytes({type, options, keys});
  ck_assert_msg(read_number(answer) == wanted.size() / host_key_bytes(type), "%s: not so many", label);
  wanted.resize(keys.size(), 0xEE);
  ck_assert_msg(read_array(to, label) == wanted, "%s: wrong", label);
  ck_assert_msg(read_array(from, label) == keys, "%s: the input has changed", label);
  free_arrays();
}

Bytes merge(cdp_type type, const Bytes &first, const Bytes &second, const cdp_options &options, const Way &way) {
  const size_t key_bytes = host_key_bytes(type);
  const size_t a = first.size() / key_bytes;
  const size_t b = second.size() / key_bytes;
  say("a merge", type, a + b, way);
  const Array from = make_array(way.keys_place, first, way.shift * key_bytes);
  const Array other = make_array(way.values_place, second, way.shift / 2 * key_bytes);
  const Array to = make_array(way.values_place, Bytes(first.size() + second.size(), 0xEE), way.shift / 3 * key_bytes);
  const void *one = from.memory();
  const void *two = other.memory();
  do_call(
      way, [&] { return cdp_merge(one, a, two, b, to.memory(), type, &options); },
      [&] { return cdp_merge_on_stream(one, a, two, b, to.memory(), type, &options, stream()); },
      [&](size_t *bytes) { return cdp_merge_workspace(a, b, type, &options, bytes); },
      [&](void *workspace, size_t bytes) {
        return cdp_merge_async(one, a, two, b, to.memory(), type, &options, workspace, bytes, stream());
      });
  ck_assert_msg(read_array(from, label) == first && read_array(other, label) == second, "%s: the input has changed", label);
  const Bytes merged = read_array(to, label);
  free_arrays();
  return merged;
}

void check_merge(cdp_type type, const Bytes &first, const Bytes &second, const cdp_options &options, const Way &way) {
  ck_assert_msg(merge(type, first, second, options, way) == range_oracle::merged_bytes(type, options, first, second),
                "%s: wrong", label);
}

/* ---- All types --------------------------------------------------------------------------------------------------- */

/* Around a piece, a block's stretches, and those of all blocks of an H200, of which there are several. _i: the type. */
START_TEST(test_walks) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  const size_t key_bytes = host_key_bytes(type);
  const size_t tile = cuda_walk_tile(static_cast<uint32_t>(key_bytes));
  uint64_t round = static_cast<uint64_t>(_i);
  for (const size_t count : {size_t{1}, 16 / key_bytes + 1, tile / 8, tile - 1, tile, tile + 1, 528 * tile / 16 + 3,
                             static_cast<size_t>(pick(_i % 3 == 0 ? 530 * tile + 7 : 40 * tile, 9 * tile))}) {
    const cdp_options options = options_at(round);
    Bytes keys = make_sorted(type, count, options, round);
    check_is_sorted(type, keys, options, way_at(round));
    check_unique(type, keys, options, way_at(round + 1));
    uint64_t state = seed() + round;
    if (count >= 2) {
      const size_t at = host_random_below(&state, count - 1) * key_bytes;
      std::swap_ranges(&keys[at], &keys[at] + key_bytes, &keys[at] + key_bytes);
      check_is_sorted(type, keys, options, way_at(round + 2));
    }
    check_unique(type, make_keys(type, count, HOST_EXTREMES), options, way_at(round + 2));
    check_is_sorted(type, make_keys(type, count, HOST_UNIFORM), options, way_at(round));
    round++;
  }
}
END_TEST

/* Around a tile, a warp's tiles, and a block's. _i: the type. */
START_TEST(test_merges) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  const size_t tile = cuda_merge_tile(static_cast<uint32_t>(host_key_bytes(type)));
  uint64_t round = static_cast<uint64_t>(_i);
  for (const size_t count : {size_t{1}, size_t{100}, tile - 1, tile, tile + 1, 2 * tile + 1, 31 * tile, 31 * tile + 1,
                             static_cast<size_t>(pick(_i % 3 == 0 ? 249 * tile + 1 : 248 * tile, 5 * tile))})
    for (const size_t first : {count / 2, size_t{0}, count, count / 50}) {
      const cdp_options options = options_at(round);
      check_merge(type, make_sorted(type, first, options, round), make_sorted(type, count - first, options, round + round % 2),
                  options, way_at(round));
      round++;
    }
}
END_TEST

/* Nothing is lost, and nothing added. _i: the type. */
START_TEST(test_disorder) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  const size_t tile = cuda_merge_tile(static_cast<uint32_t>(host_key_bytes(type)));
  uint64_t round = static_cast<uint64_t>(_i);
  for (const size_t count : {size_t{9}, tile, static_cast<size_t>(pick(40, 5)) * tile + 3}) {
    const cdp_options options = options_of(ORDERS[round % 2], CDP_TIES_ANY);
    const Bytes a = make_keys(type, count / 2, round % 2 == 0 ? HOST_UNIFORM : HOST_REVERSED);
    const Bytes b = make_keys(type, count - count / 2, HOST_ORGAN_PIPE);
    const Bytes merged = merge(type, a, b, options, way_at(round));
    const Bytes both = range_oracle::both_ranges(a, b);
    ck_assert_msg(range_oracle::sorted_bytes({type, options, merged}) == range_oracle::sorted_bytes({type, options, both}),
                  "%s: not the same keys", label);
    round++;
  }
}
END_TEST

/* _i: the kinds of memory. */
START_TEST(test_places) {
  const Way way = {Call::blocking, static_cast<Place>(_i / PLACES), static_cast<Place>(_i % PLACES), 1};
  for (const cdp_type type : {CDP_F32, CDP_U64, CDP_BF16}) {
    const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_BY_VALUE);
    const Bytes keys = make_sorted(type, 30011, options, 1);
    check_is_sorted(type, keys, options, way);
    check_unique(type, keys, options, way);
    check_merge(type, keys, make_sorted(type, 5003, options, 1), options, way);
  }
}
END_TEST

/* An answer for no keys: in every kind of memory, and on a stream. */
START_TEST(test_no_keys) {
  for (int place = 0; place < PLACES; place++) {
    const Way way = {Call::blocking, Place::device, static_cast<Place>(place), 0};
    check_is_sorted(CDP_U32, {}, options_at(0), way);
    check_unique(CDP_U32, {}, options_at(0), way);
  }
  for (const bool is_captured : {false, true}) {
    check_is_sorted(CDP_U32, {}, options_at(0), {Call::on_stream, Place::device, Place::device, 0, is_captured});
    check_unique(CDP_U32, {}, options_at(0), {Call::async, Place::device, Place::device, 0, is_captured});
  }
}
END_TEST

/* ---- In stream order --------------------------------------------------------------------------------------------- */

/* Behind work that has not begun: one goes on with what the other has written. */
START_TEST(test_stream_order) {
  constexpr size_t COUNT = 100003;
  const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_ANY);
  const Bytes keys = make_sorted(CDP_U32, COUNT, options, 2);
  const Array source = make_array(Place::device, keys);
  const Array first = make_array(Place::device, Bytes(keys.size()));
  const Array merged = make_array(Place::device, Bytes(2 * keys.size()));
  const Array unique = make_array(Place::device, Bytes(2 * keys.size(), 0xEE));
  const Array answers = make_array(Place::device, Bytes(2 * ANSWER));
  uint32_t *flag = nullptr;
  snprintf(label, sizeof label, "behind a stream that is held");
  note("%s", label);
  CHECK_CUDA(cudaMallocHost(reinterpret_cast<void **>(&flag), 2 * sizeof *flag));
  flag[0] = flag[1] = 0;
  const auto launch_all = [&] {
    CHECK_SORT(cdp_merge_on_stream(first.memory(), COUNT, source.memory(), COUNT, merged.memory(), CDP_U32, nullptr, stream()));
    CHECK_SORT(cdp_is_sorted_on_stream(merged.memory(), 2 * COUNT, CDP_U32, nullptr, number_in(answers), stream()));
    CHECK_SORT(
        cdp_unique_on_stream(merged.memory(), 2 * COUNT, CDP_U32, nullptr, unique.memory(), number_in(answers) + 1, stream()));
  };
  launch_all(); // kernels are loaded before, which may wait for the device
  CHECK_CUDA(cudaMemsetAsync(unique.memory(), 0xEE, 2 * keys.size(), stream()));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  CHECK_CUDA(device_data::hold_stream(flag, stream()));
  CHECK_CUDA(cudaMemcpyAsync(first.memory(), source.memory(), keys.size(), cudaMemcpyDeviceToDevice, stream()));
  launch_all();
  *static_cast<volatile uint32_t *>(flag) = 1;
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  const bool was_held = flag[1] == 0;
  CHECK_CUDA(cudaFreeHost(flag));
  ck_assert_msg(was_held, "the calls waited for the stream");
  const Bytes wanted = range_oracle::merged_bytes(CDP_U32, options, keys, keys);
  Bytes wanted_unique = range_oracle::unique_bytes({CDP_U32, options, wanted});
  const uint64_t numbers[] = {2 * COUNT, wanted_unique.size() / sizeof(uint32_t)};
  wanted_unique.resize(2 * keys.size(), 0xEE);
  ck_assert(read_array(merged, label) == wanted);
  ck_assert(read_array(unique, label) == wanted_unique);
  const Bytes answered = read_array(answers, label);
  ck_assert_mem_eq(answered.data(), numbers, sizeof numbers);
}
END_TEST

/* On several streams, each again and again. */
START_TEST(test_several_at_once) {
  constexpr size_t STREAMS = 4;
  constexpr size_t COUNT = 300007;
  const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_ANY);
  cudaStream_t streams[STREAMS];
  std::vector<Bytes> keys;
  std::vector<Array> from, merged, unique, answers, workspaces;
  size_t bytes[2] = {0, 0};
  snprintf(label, sizeof label, "several at once");
  note("%s", label);
  CHECK_SORT(cdp_merge_workspace(COUNT, COUNT, CDP_F64, &options, &bytes[0]));
  CHECK_SORT(cdp_unique_workspace(2 * COUNT, CDP_F64, &options, &bytes[1]));
  const size_t most = std::max(bytes[0], bytes[1]);
  for (size_t which = 0; which < STREAMS; which++) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[which], cudaStreamNonBlocking));
    keys.push_back(make_sorted(CDP_F64, COUNT, options, which));
    from.push_back(make_array(Place::device, keys[which]));
    merged.push_back(make_array(Place::device, Bytes(2 * keys[which].size())));
    unique.push_back(make_array(Place::device, Bytes(2 * keys[which].size(), 0xEE)));
    answers.push_back(make_array(Place::device, Bytes(2 * ANSWER)));
    workspaces.push_back(make_array(Place::device, Bytes(most)));
  }
  for (int repetition = 0; repetition < 10; repetition++)
    for (size_t which = 0; which < STREAMS; which++) {
      unsigned char *k = from[which].memory();
      unsigned char *m = merged[which].memory();
      CHECK_SORT(cdp_merge_async(k, COUNT, k, COUNT, m, CDP_F64, &options, workspaces[which].memory(), most, streams[which]));
      CHECK_SORT(cdp_is_sorted_on_stream(m, 2 * COUNT, CDP_F64, &options, number_in(answers[which]), streams[which]));
      CHECK_SORT(cdp_unique_async(m, 2 * COUNT, CDP_F64, &options, unique[which].memory(), number_in(answers[which]) + 1,
                                  workspaces[which].memory(), most, streams[which]));
    }
  CHECK_CUDA(cudaDeviceSynchronize());
  for (size_t which = 0; which < STREAMS; which++) {
    const Bytes wanted = range_oracle::merged_bytes(CDP_F64, options, keys[which], keys[which]);
    Bytes wanted_unique = range_oracle::unique_bytes({CDP_F64, options, wanted});
    const uint64_t numbers[] = {2 * COUNT, wanted_unique.size() / sizeof(double)};
    wanted_unique.resize(wanted.size(), 0xEE);
    ck_assert(read_array(merged[which], label) == wanted);
    ck_assert(read_array(unique[which], label) == wanted_unique);
    const Bytes answered = read_array(answers[which], label);
    ck_assert_mem_eq(answered.data(), numbers, sizeof numbers);
    read_array(workspaces[which], label);
    CHECK_CUDA(cudaStreamDestroy(streams[which]));
  }
}
END_TEST

/* ---- Many keys --------------------------------------------------------------------------------------------------- */

/* More than 2^32 of one byte: zeros, and a few others at the end. Indices, and not what is on the way there. */
START_TEST(test_many_keys) {
  const size_t count = static_cast<size_t>(pick(uint64_t{1} << 32, 1 << 24)) + 12345;
  const unsigned char ends[] = {0, 1, 2, 2, 3, 1};
  const size_t begin = count - sizeof ends;
  snprintf(label, sizeof label, "%zu keys of one byte", count);
  note("%s", label);
  const Guarded keys = allocate_guarded(count);
  const Guarded target = allocate_guarded(2 * count);
  uint64_t answer = 0;
  unsigned char found[sizeof ends];
  CHECK_CUDA(cudaMemset(keys.d_memory, 0, count));
  CHECK_CUDA(cudaMemcpy(keys.d_memory + begin, ends, sizeof ends, cudaMemcpyDefault));
  CHECK_SORT(cdp_is_sorted(keys.d_memory, count, CDP_U8, nullptr, &answer));
  ck_assert_uint_eq(answer, count - 1);
  CHECK_SORT(cdp_unique(keys.d_memory, count, CDP_U8, nullptr, target.d_memory, &answer));
  ck_assert_uint_eq(answer, 5);
  const unsigned char unique[] = {0, 1, 2, 3, 1};
  CHECK_CUDA(cudaMemcpy(found, target.d_memory, sizeof unique, cudaMemcpyDefault));
  ck_assert_mem_eq(found, unique, sizeof unique);
  CHECK_SORT(cdp_merge(keys.d_memory, count - 1, keys.d_memory, count - 1, target.d_memory, CDP_U8, nullptr));
  CHECK_SORT(cdp_is_sorted(target.d_memory, 2 * (count - 1), CDP_U8, nullptr, &answer));
  ck_assert_uint_eq(answer, 2 * (count - 1));
  const unsigned char merged[] = {0, 0, 1, 1, 2, 2, 2, 2, 3, 3};
  unsigned char last[sizeof merged];
  CHECK_CUDA(cudaMemcpy(last, target.d_memory + 2 * (count - 1) - sizeof merged, sizeof merged, cudaMemcpyDefault));
  ck_assert_mem_eq(last, merged, sizeof merged);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_ranges");
  TCase *test_case = add_case(suite, "ranges");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_walks, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_merges, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_disorder, 0, ALL_TYPES);
  tcase_add_loop_test(test_case, test_places, 0, PLACES * PLACES);
  tcase_add_test(test_case, test_no_keys);
  tcase_add_test(test_case, test_stream_order);
  tcase_add_test(test_case, test_several_at_once);
  tcase_add_test(test_case, test_many_keys);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
