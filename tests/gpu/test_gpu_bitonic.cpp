/* SPDX-License-Identifier: MIT */
/*
 * bitonic.h on the GPU, and its like of copy.h: every type in every kind of memory, by both calls, captured, around tiles and numbers
 * of tiles, behind a stream that is at work, on several streams at once. What is refused: test_gpu_bitonic_refused.cpp.
 */
#include "gpu_tables.h"
#include "tile_sizes.h"

#include <cdpsort/copy.h>

#include <algorithm>

using namespace gpu_check;
using namespace gpu_tables;

namespace {

char label[256];

constexpr host_distribution MODELS[] = {HOST_UNIFORM, HOST_EXTREMES, HOST_FEW_DISTINCT, HOST_REVERSED, HOST_ORGAN_PIPE};

Way way_at(uint64_t round) {
  if (round % 2 == 0)
    return {Call::blocking, static_cast<Place>(round / 2 % PLACES), Place::device, round % 5, false};
  return {Call::on_stream, round % 4 == 1 ? Place::device : Place::managed, Place::device, round % 5, round % 3 == 0};
}

/* What the host's own sort makes of keys. */
Bytes sorted_keys(cdp_type type, const Bytes &keys, const cdp_options &options) {
  Bytes sorted(keys.size());
  const Table table = make_table(type, keys, {});
  size_t index = 0;
  for (const uint64_t position : stable_order(table, options)) {
    memcpy(&sorted[index], &keys[position * host_key_bytes(type)], host_key_bytes(type));
    index += host_key_bytes(type);
  }
  return sorted;
}

/* Bytes and guards are compared with what the host's own sort makes of the same keys. */
void check_small(cdp_type type, size_t count, uint64_t round) {
  const Way way = way_at(round);
  const cdp_options options = options_of(ORDERS[round / 3 % 2], CDP_TIES_ANY);
  const Bytes keys = make_keys(type, count, MODELS[round % 5]);
  snprintf(label, sizeof label, "bitonic sort of %zu %s, %zu past alignment; %s%s, %s", count, host_type_name(type), way.shift,
           way.is_captured ? "captured, " : "", call_name(way.call), place_name(way.keys_place));
  note("%s", label);
  const Array array = make_array(way.keys_place, keys, way.shift * host_key_bytes(type));
  if (way.call == Call::blocking)
    CHECK_SORT(cdp_bitonic_sort(array.memory(), count, type, &options));
  else
    CHECK_SORT(perform(way, [&] { return cdp_bitonic_sort_on_stream(array.memory(), count, type, &options, stream()); }));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  ck_assert_msg(read_array(array, label) == sorted_keys(type, keys, options), "%s: wrong", label);
  free_arrays();
}

/* The same from one array to another, which may lie in different memory, without any other: an allocator would refuse it. */
void *no_memory(size_t, void *) {
  return nullptr;
}
void release_nothing(void *, size_t, void *) {}

void check_copy(cdp_type type, size_t count, uint64_t round) {
  Way way = way_at(round);
  cdp_options options = options_of(ORDERS[round / 3 % 2], CDP_TIES_ANY);
  if (way.call == Call::blocking)
    way.values_place = static_cast<Place>(round / 3 % PLACES);
  else
    options.allocator = {no_memory, release_nothing, nullptr};
  const Bytes keys = make_keys(type, count, MODELS[round % 5]);
  snprintf(label, sizeof label, "bitonic copy of %zu %s, %zu past alignment; %s%s, %s and %s", count, host_type_name(type),
           way.shift, way.is_captured ? "captured, " : "", call_name(way.call), place_name(way.keys_place),
           place_name(way.values_place));
  note("%s", label);
  const Array from = make_array(way.keys_place, keys, way.shift * host_key_bytes(type));
  const Array to = make_array(way.values_place, Bytes(keys.size(), 0xEE), way.shift / 2 * host_key_bytes(type));
  if (way.call == Call::blocking)
    CHECK_SORT(cdp_bitonic_sort_copy(from.memory(), to.memory(), count, type, &options));
  else
    CHECK_SORT(perform(
        way, [&] { return cdp_bitonic_sort_copy_on_stream(from.memory(), to.memory(), count, type, &options, stream()); }));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  ck_assert_msg(read_array(to, label) == sorted_keys(type, keys, options), "%s: wrong", label);
  ck_assert_msg(read_array(from, label) == keys, "%s: the input has changed", label);
  free_arrays();
}

/* _i: the type. */
START_TEST(test_sizes) {
  const cdp_type type = static_cast<cdp_type>(CDP_U32 + _i);
  const size_t tile = cuda_bitonic_tile(static_cast<uint32_t>(host_key_bytes(type)));
  std::vector<size_t> counts = {2, 3, 31, 1000, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile + 1, 4 * tile, 5 * tile + 9};
  if (!quick())
    counts.insert(counts.end(), {16 * tile + 1, 33 * tile - 7, 64 * tile});
  uint64_t round = static_cast<uint64_t>(_i);
  check_copy(type, 1, round);
  check_copy(type, 1, round + 1);
  for (const size_t count : counts)
    for (uint64_t turn = 0; turn < pick(4, 1); turn++) {
      check_small(type, count, round);
      check_copy(type, count, round++);
    }
}
END_TEST

/* Long arrays, judged on the device. _i: the type, of 4 or 8 bytes. */
START_TEST(test_long) {
  const cdp_type type = type_at(_i);
  const uint64_t counts[] = {pick(uint64_t{1} << 24, 1 << 18), pick(10000019, 100003),
                             pick((uint64_t{1} << 25) + 1, (1 << 17) + 1)};
  uint64_t round = static_cast<uint64_t>(_i);
  for (const uint64_t count : counts) {
    const Subject subject = make_subject(type, count, distribution_at(round), round % 4);
    const cdp_options options = options_of(ORDERS[round % 2], CDP_TIES_ANY);
    CHECK_SORT(cdp_bitonic_sort_on_stream(subject.keys.d_keys, count, type, &options, nullptr));
    check_sorted(subject, options.order, "by the bitonic network");
    release(subject);
    round++;
  }
}
END_TEST

START_TEST(test_replays) {
  Subject subject = make_room(CDP_F32, pick(1000003, 50021));
  capture_and_replay(
      subject, stream(),
      [&] { return cdp_bitonic_sort_on_stream(subject.keys.d_keys, subject.keys.count, CDP_F32, nullptr, stream()); }, [] {});
}
END_TEST

/* Out of place: a graph that was captured once, replayed over other keys behind work that has not begun, which writes them. The call
   itself waits for nothing. */
START_TEST(test_copies_in_stream_order) {
  const size_t count = pick(1000003, 50021);
  const cdp_options options = options_of(CDP_DESCENDING, CDP_TIES_ANY);
  const Bytes zeros(4 * count);
  const Array from = make_array(Place::device, zeros);
  const Array to = make_array(Place::device, zeros);
  const auto copy = [&] {
    return cdp_bitonic_sort_copy_on_stream(from.memory(), to.memory(), count, CDP_I32, &options, stream());
  };
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  uint32_t *flag = nullptr;
  snprintf(label, sizeof label, "bitonic copies behind a stream that is held");
  note("%s", label);
  CHECK_CUDA(cudaMallocHost(reinterpret_cast<void **>(&flag), 2 * sizeof *flag));
  CHECK_SORT(copy()); // kernels are loaded before, which may wait for the device
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  CHECK_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeGlobal));
  CHECK_SORT(copy());
  CHECK_CUDA(cudaStreamEndCapture(stream(), &graph));
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_CUDA(cudaGraphLaunch(exec, stream())); // so that it is on the device before
  for (uint64_t round = 0; round < 4; round++) {
    const Bytes keys = make_keys(CDP_I32, count, MODELS[round]);
    const Array given = make_array(Place::device, keys);
    flag[0] = flag[1] = 0;
    CHECK_CUDA(cudaMemset(to.memory(), 0xEE, to.bytes));
    CHECK_CUDA(cudaMemset(from.memory(), 0, from.bytes));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(device_data::hold_stream(flag, stream()));
    CHECK_CUDA(cudaMemcpyAsync(from.memory(), given.memory(), given.bytes, cudaMemcpyDeviceToDevice, stream()));
    if (round == 0)
      CHECK_SORT(copy());
    else
      CHECK_CUDA(cudaGraphLaunch(exec, stream()));
    *static_cast<volatile uint32_t *>(flag) = 1;
    CHECK_CUDA(cudaStreamSynchronize(stream()));
    ck_assert_msg(flag[1] == 0, "the call waited for the stream");
    ck_assert_msg(read_array(to, label) == sorted_keys(CDP_I32, keys, options), "%s: round %llu is wrong", label,
                  static_cast<unsigned long long>(round));
    ck_assert_msg(read_array(from, label) == keys, "%s: the input has changed", label);
  }
  CHECK_CUDA(cudaFreeHost(flag));
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(test_several_streams) {
  constexpr int STREAMS = 4;
  cudaStream_t streams[STREAMS] = {};
  std::vector<Subject> subjects;
  for (int one = 0; one < STREAMS; one++) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&streams[one], cudaStreamNonBlocking));
    subjects.push_back(make_room(type_at(one), pick(3000017, 30011) + static_cast<uint64_t>(one)));
    fill(subjects.back(), distribution_at(static_cast<uint64_t>(one)), seed() + static_cast<uint64_t>(one), streams[one]);
  }
  for (int one = 0; one < STREAMS; one++)
    CHECK_SORT(cdp_bitonic_sort_on_stream(subjects[static_cast<size_t>(one)].keys.d_keys,
                                          subjects[static_cast<size_t>(one)].keys.count, type_at(one), nullptr, streams[one]));
  for (int one = 0; one < STREAMS; one++) {
    judge(subjects[static_cast<size_t>(one)], CDP_ASCENDING, streams[one]);
    conclude(subjects[static_cast<size_t>(one)], "beside others", streams[one]);
    CHECK_CUDA(cudaStreamDestroy(streams[one]));
  }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_bitonic");
  TCase *sorts = add_case(suite, "sorts");
  tcase_add_checked_fixture(sorts, make_stream, destroy_stream);
  tcase_add_loop_test(sorts, test_sizes, 0, ALL_TYPES);
  tcase_add_loop_test(sorts, test_long, 0, TYPES);
  tcase_add_test(sorts, test_replays);
  tcase_add_test(sorts, test_copies_in_stream_order);
  tcase_add_test(sorts, test_several_streams);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
