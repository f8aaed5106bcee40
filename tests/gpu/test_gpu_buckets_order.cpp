/* SPDX-License-Identifier: MIT */
/*
 * buckets.h on the GPU with many keys, judged on the device. Keys of 8 bits that are divided by all of their values but the least are
 * sorted, and values that are their indices rise in each bucket: what judges stable sorts judges divisions. One behind the other in
 * stream order, on several streams at once, captured and replayed over other keys, and as many keys as there may be. Wider keys, by
 * splitters that were sorted on the same stream, are judged by what the benchmark has for it, which a test of its own makes sure of.
 */
#include "gpu_check.h"

#include <cdpsort/buckets.h>

#include <utility>
#include <vector>

using namespace gpu_check;

namespace {

constexpr uint32_t VALUES = 256;
constexpr uint32_t SPLITTERS = VALUES - 1;

std::vector<cudaStream_t> streams;

void destroy_streams() {
  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  streams.clear();
  cudaGetLastError();
}

/* Keys, as they are and as they were, values that are their indices, and the rest of a division. */
struct Numbered {
  Subject subject;
  Guarded before;
  Guarded values;
  Guarded splitters;
  Guarded begins;
  Guarded workspace;
  uint32_t value_bytes;
  cdp_options options;
  cudaStream_t stream;
};

/* What a device is given of the least value but one and all that follow. */
void write_splitters(const Numbered &numbered) {
  unsigned char splitters[SPLITTERS];
  for (uint32_t index = 0; index < SPLITTERS; index++) {
    const uint32_t place = numbered.options.order == CDP_DESCENDING ? SPLITTERS - 1 - index : index + 1;
    splitters[index] = static_cast<unsigned char>(numbered.subject.keys.type == CDP_I8 ? place + VALUES / 2 : place);
  }
  CHECK_CUDA(cudaMemcpy(numbered.splitters.d_memory, splitters, sizeof splitters, cudaMemcpyHostToDevice));
}

Numbered make_numbered(cdp_type type, uint64_t count, uint32_t value_bytes, cdp_order order) {
  Numbered numbered = {make_room(type, count), {}, {}, {}, {}, {}, value_bytes, CDP_OPTIONS_INIT, nullptr};
  const cdp_column column = {nullptr, value_bytes};
  size_t bytes = 0;
  numbered.options.order = order;
  CHECK_SORT(cdp_divide_workspace(&column, 1, count, type, &numbered.options, SPLITTERS, &bytes));
  numbered.before = allocate_guarded(numbered.subject.memory.bytes);
  numbered.values = allocate_guarded(count * value_bytes);
  numbered.splitters = allocate_guarded(SPLITTERS);
  numbered.begins = allocate_guarded((SPLITTERS + 2) * sizeof(uint64_t));
  numbered.workspace = allocate_guarded(bytes);
  CHECK_CUDA(cudaStreamCreateWithFlags(&numbered.stream, cudaStreamNonBlocking));
  streams.push_back(numbered.stream);
  write_splitters(numbered);
  return numbered;
}

device_data::Indexed indexed_by(const Numbered &numbered) {
  return {numbered.values.d_memory, numbered.value_bytes, numbered.before.d_memory, false, true};
}

/* Numbers keys that lie in `subject` already, and divides them. */
cdp_status divide(const Numbered &numbered, bool on_stream) {
  const device_data::KeySpan &keys = numbered.subject.keys;
  const cdp_column column = {numbered.values.d_memory, numbered.value_bytes};
  uint64_t *begins = reinterpret_cast<uint64_t *>(numbered.begins.d_memory);
  CHECK_CUDA(
      cudaMemcpyAsync(numbered.before.d_memory, keys.d_keys, numbered.before.bytes, cudaMemcpyDeviceToDevice, numbered.stream));
  CHECK_CUDA(device_data::number(indexed_by(numbered), keys.count, numbered.stream));
  if (on_stream)
    return cdp_divide_on_stream(keys.d_keys, &column, 1, keys.count, keys.type, &numbered.options, numbered.splitters.d_memory,
                                SPLITTERS, begins, numbered.stream);
  return cdp_divide_async(keys.d_keys, &column, 1, keys.count, keys.type, &numbered.options, numbered.splitters.d_memory,
                          SPLITTERS, begins, numbered.workspace.d_memory, numbered.workspace.bytes, numbered.stream);
}

void judge_values(const Numbered &numbered) {
  const Subject &subject = numbered.subject;
  CHECK_CUDA(device_data::oracle_judge_indices(subject.oracle, subject.keys, numbered.options.order, indexed_by(numbered),
                                               numbered.stream));
  for (const Guarded &memory :
       {subject.memory, numbered.before, numbered.values, numbered.splitters, numbered.begins, numbered.workspace})
    judge_guards(subject, memory, numbered.stream);
}

/* Waits, and looks whether buckets begin where the keys say. */
void conclude_buckets(const Numbered &numbered, const char *how) {
  conclude(numbered.subject, how, numbered.stream);
  std::vector<unsigned char> keys(numbered.subject.keys.count);
  std::vector<uint64_t> begins(SPLITTERS + 2);
  CHECK_CUDA(cudaMemcpy(keys.data(), numbered.subject.keys.d_keys, keys.size(), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(begins.data(), numbered.begins.d_memory, begins.size() * sizeof(uint64_t), cudaMemcpyDeviceToHost));
  std::vector<uint64_t> counts(VALUES);
  for (const unsigned char key : keys) {
    const uint32_t place = (key + (numbered.subject.keys.type == CDP_I8 ? VALUES / 2 : 0)) % VALUES;
    counts[numbered.options.order == CDP_DESCENDING ? SPLITTERS - place : place]++;
  }
  uint64_t lower = 0;
  for (uint32_t bucket = 0; bucket < VALUES; bucket++) {
    ck_assert_msg(begins[bucket] == lower, "%s: bucket %u", numbered.subject.label, bucket);
    lower += counts[bucket];
  }
  ck_assert(begins[VALUES] == lower && lower == keys.size());
}

/* ---- One behind the other, and at once ---------------------------------------------------------------------------- */

constexpr struct {
  cdp_type type;
  uint64_t count;
  uint32_t value_bytes;
  cdp_order order;
} LARGE[] = {{CDP_U8, (1 << 24) + 3, 4, CDP_ASCENDING},
             {CDP_I8, (1 << 23) + 1, 8, CDP_DESCENDING},
             {CDP_U8, 3000017, 8, CDP_DESCENDING},
             {CDP_I8, 70001, 4, CDP_ASCENDING}};
constexpr int LARGE_COUNT = sizeof LARGE / sizeof *LARGE;

Numbered make_large(int which) {
  const auto &large = LARGE[which];
  return make_numbered(large.type, pick(large.count, 30011 + static_cast<uint64_t>(which)), large.value_bytes, large.order);
}

/* All in streams of their own, each one division behind the other without waiting. */
START_TEST(test_at_once) {
  std::vector<Numbered> all;
  for (int which = 0; which < LARGE_COUNT; which++)
    all.push_back(make_large(which));
  uint64_t round = 0;
  for (const Distribution distribution :
       {Distribution::random, Distribution::sorted, Distribution::zipf, Distribution::clusters, Distribution::reversed,
        Distribution::all_equal, Distribution::small_numbers}) {
    for (Numbered &numbered : all) {
      fill(numbered.subject, distribution, seed() + round, numbered.stream);
      CHECK_SORT(divide(numbered, round++ % 2 == 1));
      judge_values(numbered);
    }
  }
  for (const Numbered &numbered : all)
    conclude_buckets(numbered, "divided by all values, several at once");
}
END_TEST

/* The last of so many keys has the greatest position that 32 bits hold; and all are in one bucket, more than 32 bits can count. */
START_TEST(test_most_keys) {
  Numbered numbered = make_numbered(CDP_U8, CDP_PAIRS_COUNT_MAX, sizeof(uint32_t), CDP_ASCENDING);
  for (const Distribution distribution : {Distribution::random, Distribution::all_equal}) {
    fill(numbered.subject, distribution, seed(), numbered.stream);
    CHECK_SORT(divide(numbered, false));
    judge_values(numbered);
    conclude_buckets(numbered, "2^32 keys");
  }
}
END_TEST

/* Whether the device has the memory for it, as an H200 has: elsewhere there is no such test, rather than one that passes. If that
   cannot be found out, there is, and it fails. */
bool has_room_for_most_keys() {
  const cdp_column column = {nullptr, sizeof(uint32_t)};
  size_t free_bytes = 0;
  size_t all_bytes = 0;
  size_t bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess ||
      cdp_divide_workspace(&column, 1, CDP_PAIRS_COUNT_MAX, CDP_U8, nullptr, SPLITTERS, &bytes) != CDP_OK)
    return true;
  return free_bytes >= CDP_PAIRS_COUNT_MAX * (2 + sizeof(uint32_t)) + bytes + (64 << 20);
}

/* ---- Wider keys --------------------------------------------------------------------------------------------------- */

constexpr struct {
  cdp_type type;
  uint64_t count;
  uint32_t splitter_count;
  uint32_t value_bytes;
  cdp_order order;
} WIDE[] = {{CDP_U32, (1 << 24) + 3, 1023, 4, CDP_ASCENDING}, {CDP_U64, (1 << 23) - 1, 1023, 8, CDP_DESCENDING},
            {CDP_F32, (1 << 24) + 3, 255, 8, CDP_DESCENDING}, {CDP_F64, 3000017, 16, 4, CDP_ASCENDING},
            {CDP_BF16, (1 << 24) + 3, 300, 4, CDP_ASCENDING}, {CDP_I64, 1 << 22, 1, 4, CDP_ASCENDING},
            {CDP_I16, 3000017, 1000, 8, CDP_DESCENDING}};
constexpr int WIDE_COUNT = sizeof WIDE / sizeof *WIDE;

/* Keys and what a division has beside them. */
struct Wide {
  Subject subject;
  Guarded before;
  Guarded values;
  Guarded splitters;
  Guarded begins;
  Guarded workspace;
  uint32_t splitter_count;
  uint32_t value_bytes;
  cdp_options options;
};

Wide make_wide(cdp_type type, uint64_t count, uint32_t splitter_count, uint32_t value_bytes, cdp_order order) {
  Wide wide = {make_room(type, count), {}, {}, {}, {}, {}, splitter_count, value_bytes, CDP_OPTIONS_INIT};
  const cdp_column column = {nullptr, value_bytes};
  size_t bytes = 0;
  wide.options.order = order;
  CHECK_SORT(cdp_divide_workspace(&column, 1, count, type, &wide.options, splitter_count, &bytes));
  wide.before = allocate_guarded(wide.subject.memory.bytes);
  wide.values = allocate_guarded(count * value_bytes);
  wide.splitters = allocate_guarded(splitter_count * device_data::key_bytes(type));
  wide.begins = allocate_guarded((splitter_count + 2) * sizeof(uint64_t));
  wide.workspace = allocate_guarded(bytes);
  return wide;
}

/* By some of the keys, which are sorted on the stream. */
void divide_wide(Wide &wide, Distribution distribution, cudaStream_t stream) {
  const device_data::KeySpan &keys = wide.subject.keys;
  const cdp_column column = {wide.values.d_memory, wide.value_bytes};
  const device_data::Indexed indexed = {wide.values.d_memory, wide.value_bytes, wide.before.d_memory, false, true};
  fill(wide.subject, distribution, seed(), stream);
  CHECK_CUDA(cudaMemcpyAsync(wide.before.d_memory, keys.d_keys, wide.before.bytes, cudaMemcpyDeviceToDevice, stream));
  CHECK_CUDA(cudaMemcpyAsync(wide.splitters.d_memory, keys.d_keys, wide.splitters.bytes, cudaMemcpyDeviceToDevice, stream));
  CHECK_SORT(cdp_quicksort_on_stream(wide.splitters.d_memory, wide.splitter_count, keys.type, &wide.options, stream));
  CHECK_CUDA(device_data::number(indexed, keys.count, stream));
  CHECK_SORT(cdp_divide_async(keys.d_keys, &column, 1, keys.count, keys.type, &wide.options, wide.splitters.d_memory,
                              wide.splitter_count, reinterpret_cast<uint64_t *>(wide.begins.d_memory), wide.workspace.d_memory,
                              wide.workspace.bytes, stream));
}

void judge_wide(const Wide &wide, cudaStream_t stream) {
  const Subject &subject = wide.subject;
  const device_data::Buckets buckets = {wide.splitters.d_memory, wide.splitter_count,
                                        reinterpret_cast<const uint64_t *>(wide.begins.d_memory)};
  const device_data::Indexed indexed = {wide.values.d_memory, wide.value_bytes, wide.before.d_memory, false, true};
  CHECK_CUDA(device_data::oracle_judge_buckets(subject.oracle, subject.keys, wide.options.order, buckets, indexed, stream));
  for (const Guarded &memory : {subject.memory, wide.before, wide.values, wide.splitters, wide.begins, wide.workspace})
    judge_guards(subject, memory, stream);
}

/* _i: what is divided. */
START_TEST(test_wide) {
  const auto &row = WIDE[_i];
  Wide wide = make_wide(row.type, pick(row.count, 30011), row.splitter_count, row.value_bytes, row.order);
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  streams.push_back(stream);
  for (const Distribution distribution :
       {Distribution::random, Distribution::sorted, Distribution::extremes, Distribution::zipf, Distribution::distinct_2,
        Distribution::bucket, Distribution::shared_upper}) {
    divide_wide(wide, distribution, stream);
    judge_wide(wide, stream);
  }
  conclude(wide.subject, "divided by some of the keys", stream);
}
END_TEST

/* What is found where `plant` has spoilt keys, indices or begins of 1000 rising keys in 4 buckets. */
template <typename Plant>
device_data::Findings findings_of(Plant plant) {
  Wide wide = make_wide(CDP_U32, 1000, 3, 4, CDP_ASCENDING);
  device_data::Findings findings;
  divide_wide(wide, Distribution::sorted, nullptr);
  CHECK_CUDA(cudaDeviceSynchronize());
  std::vector<uint32_t> keys(1000), indices(1000);
  std::vector<uint64_t> begins(5);
  CHECK_CUDA(cudaMemcpy(keys.data(), wide.subject.keys.d_keys, 4000, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(indices.data(), wide.values.d_memory, 4000, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(begins.data(), wide.begins.d_memory, 40, cudaMemcpyDeviceToHost));
  plant(keys, indices, begins);
  CHECK_CUDA(cudaMemcpy(wide.subject.keys.d_keys, keys.data(), 4000, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(wide.values.d_memory, indices.data(), 4000, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(wide.begins.d_memory, begins.data(), 40, cudaMemcpyHostToDevice));
  judge_wide(wide, nullptr);
  CHECK_CUDA(device_data::oracle_read(wide.subject.oracle, &findings, nullptr));
  ck_assert(findings.judgements == 1 && findings.wrong_digests == 0 && findings.damaged_guard_bytes == 0);
  return findings;
}

/* The splitters are the three least keys: what lies behind is all in the last bucket. */
START_TEST(test_judge) {
  using Keys = std::vector<uint32_t>;
  using Begins = std::vector<uint64_t>;
  const auto swap_keys = [](Keys &keys, Keys &indices, size_t a, size_t b) {
    std::swap(keys[a], keys[b]);
    std::swap(indices[a], indices[b]);
  };
  device_data::Findings found = findings_of([](Keys &, Keys &, Begins &) {});
  ck_assert(found.disorders == 0 && found.strays == 0 && found.overtakings == 0 && found.index_hashes == 0);
  found = findings_of([&](Keys &keys, Keys &indices, Begins &) { swap_keys(keys, indices, 500, 501); });
  ck_assert(found.disorders == 0 && found.strays == 0 && found.overtakings == 1);
  found = findings_of([&](Keys &keys, Keys &indices, Begins &) { swap_keys(keys, indices, 0, 999); });
  ck_assert(found.disorders != 0 && found.strays == 0);
  found = findings_of([](Keys &, Keys &indices, Begins &) { std::swap(indices[500], indices[501]); });
  ck_assert(found.strays == 2);
  for (size_t bucket = 0; bucket < 5; bucket++)
    for (const int by : {-1, 1}) {
      found = findings_of([&](Keys &, Keys &, Begins &begins) { begins[bucket] += static_cast<uint64_t>(by); });
      ck_assert(found.disorders == 1 && found.strays == 0 && found.overtakings == 0);
    }
}
END_TEST

/* ---- Graphs ------------------------------------------------------------------------------------------------------- */

/* _i: what is divided, and with a workspace or without. */
START_TEST(test_captured) {
  Numbered numbered = make_large(_i / 2);
  if (numbered.options.order == CDP_DESCENDING) { // what a graph has made is judged as rising
    numbered.options.order = CDP_ASCENDING;
    write_splitters(numbered);
  }
  // So that only the library's kernels are loaded while it is captured.
  CHECK_CUDA(device_data::number(indexed_by(numbered), numbered.subject.keys.count, numbered.stream));
  CHECK_CUDA(cudaStreamSynchronize(numbered.stream));
  capture_and_replay(
      numbered.subject, numbered.stream, [&] { return divide(numbered, _i % 2 == 1); }, [&] { judge_values(numbered); });
  conclude_buckets(numbered, "replayed");
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_buckets_order");
  TCase *test_case = add_case(suite, "buckets");
  tcase_add_checked_fixture(test_case, nullptr, destroy_streams);
  tcase_add_test(test_case, test_judge);
  tcase_add_test(test_case, test_at_once);
  tcase_add_loop_test(test_case, test_wide, 0, WIDE_COUNT);
  if (!quick() && has_room_for_most_keys())
    tcase_add_test(test_case, test_most_keys);
  test_case = add_case(suite, "graphs");
  tcase_add_checked_fixture(test_case, nullptr, destroy_streams);
  tcase_add_loop_test(test_case, test_captured, 0, 2 * LARGE_COUNT);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
