/* SPDX-License-Identifier: MIT */
/*
 * pairs.h on the GPU with many keys: values that are the keys' indices, and argsort, judged on the device, which a test of its own
 * makes sure of; one sort behind the other in stream order, and captured. test_gpu_pairs.cpp has all else.
 */
#include "gpu_check.h"

#include "agreeing_keys.h"

#include <cdpsort/pairs.h>

#include <numeric>
#include <utility>
#include <vector>

using namespace gpu_check;

namespace {

cudaStream_t own_stream = nullptr;
cudaGraph_t graph = nullptr;
cudaGraphExec_t graph_exec = nullptr;

void make_stream() {
  CHECK_CUDA(cudaStreamCreateWithFlags(&own_stream, cudaStreamNonBlocking));
}

void destroy_graph() {
  if (graph_exec != nullptr)
    cudaGraphExecDestroy(graph_exec);
  if (graph != nullptr)
    cudaGraphDestroy(graph);
  graph_exec = nullptr;
  graph = nullptr;
}

void destroy_stream() {
  cudaDeviceSynchronize();
  destroy_graph();
  cudaStreamDestroy(own_stream);
  cudaGetLastError();
}

cdp_options options_of(cdp_order order, cdp_ties ties) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.order = order;
  options.ties = ties;
  return options;
}

/* ---- Indices that the device judges ------------------------------------------------------------------------------ */

/* Keys, as they are and as they were, and values that are their indices. */
struct Numbered {
  Subject subject;
  Guarded before;
  Guarded values;
  Guarded workspace;
  cdp_options options;
  bool is_argsort; /* indices alone */
  uint32_t value_bytes;
  Guarded beside; /* another column, of bytes, with which nothing is carried; empty: none */

  std::vector<cdp_column> columns() const {
    return {{values.d_memory, value_bytes}, {beside.d_memory, 1}};
  }
};

Numbered make_numbered(cdp_type type, uint64_t count, uint32_t value_bytes, const cdp_options &options, bool is_argsort,
                       bool has_beside = false) {
  Numbered numbered = {make_room(type, count), {}, {}, {}, options, is_argsort, value_bytes, {}};
  size_t bytes = 0;
  numbered.before = allocate_guarded(numbered.subject.memory.bytes);
  numbered.values = allocate_guarded(count * value_bytes);
  if (has_beside)
    numbered.beside = allocate_guarded(count);
  CHECK_SORT(is_argsort   ? cdp_argsort_workspace(count, type, &options, &bytes)
             : has_beside ? cdp_quicksort_columns_workspace(numbered.columns().data(), 2, count, type, &options, &bytes)
                          : cdp_quicksort_pairs_workspace(value_bytes, count, type, &options, &bytes));
  numbered.workspace = allocate_guarded(bytes);
  return numbered;
}

device_data::Indexed indexed_by(const Numbered &numbered) {
  const bool is_stable = numbered.is_argsort || numbered.options.ties != CDP_TIES_ANY;
  return {numbered.values.d_memory, numbered.value_bytes, numbered.before.d_memory, numbered.is_argsort, is_stable};
}

/* Keys that lie in `subject` already. */
void number_keys(const Numbered &numbered) {
  const Subject &subject = numbered.subject;
  CHECK_CUDA(cudaMemcpyAsync(numbered.before.d_memory, subject.keys.d_keys, subject.memory.bytes, cudaMemcpyDeviceToDevice,
                             own_stream));
  if (numbered.is_argsort) // finds them by itself
    CHECK_CUDA(cudaMemsetAsync(numbered.values.d_memory, 0xFF, numbered.values.bytes, own_stream));
  else
    CHECK_CUDA(device_data::number(indexed_by(numbered), subject.keys.count, own_stream));
}

void renew(Numbered &numbered, Distribution distribution, uint64_t key_seed) {
  fill(numbered.subject, distribution, key_seed, own_stream);
  number_keys(numbered);
}

cdp_status launch(const Numbered &numbered, bool on_stream) {
  const device_data::KeySpan &keys = numbered.subject.keys;
  void *d_values = numbered.values.d_memory;
  void *d_workspace = numbered.workspace.d_memory;
  const size_t bytes = numbered.workspace.bytes;
  const cdp_options *options = &numbered.options;
  if (numbered.is_argsort)
    return on_stream ? cdp_argsort_on_stream(keys.d_keys, nullptr, d_values, numbered.value_bytes, keys.count, keys.type,
                                             options, own_stream)
                     : cdp_argsort_async(keys.d_keys, nullptr, d_values, numbered.value_bytes, keys.count, keys.type, options,
                                         d_workspace, bytes, own_stream);
  if (numbered.beside.d_memory != nullptr)
    return on_stream ? cdp_quicksort_columns_on_stream(keys.d_keys, numbered.columns().data(), 2, keys.count, keys.type,
                                                       options, own_stream)
                     : cdp_quicksort_columns_async(keys.d_keys, numbered.columns().data(), 2, keys.count, keys.type, options,
                                                   d_workspace, bytes, own_stream);
  return on_stream ? cdp_quicksort_pairs_on_stream(keys.d_keys, d_values, numbered.value_bytes, keys.count, keys.type, options,
                                                   own_stream)
                   : cdp_quicksort_pairs_async(keys.d_keys, d_values, numbered.value_bytes, keys.count, keys.type, options,
                                               d_workspace, bytes, own_stream);
}

void judge_numbered(const Numbered &numbered) {
  const Subject &subject = numbered.subject;
  CHECK_CUDA(device_data::oracle_judge_indices(subject.oracle, subject.keys, numbered.options.order, indexed_by(numbered),
                                               own_stream));
  for (const Guarded &memory : {subject.memory, numbered.before, numbered.values, numbered.workspace})
    judge_guards(subject, memory, own_stream);
  if (numbered.beside.d_memory != nullptr)
    judge_guards(subject, numbered.beside, own_stream);
}

/* One sort behind the other without waiting. _i: what is sorted. */
constexpr struct {
  cdp_type type;
  uint64_t count;
  uint32_t value_bytes;
  cdp_order order;
  cdp_ties ties;
  bool is_argsort;
  bool has_beside;
} LARGE[] = {{CDP_U32, (1 << 24) + 3, 4, CDP_ASCENDING, CDP_TIES_ANY, false, false},
             {CDP_F32, (1 << 23) + 1, 4, CDP_DESCENDING, CDP_TIES_STABLE, false, true},
             {CDP_U32, 3000017, 8, CDP_ASCENDING, CDP_TIES_ANY, false, false},
             {CDP_U64, (1 << 24) + 3, 8, CDP_ASCENDING, CDP_TIES_STABLE, false, true},
             {CDP_F64, (1 << 22) - 1, 4, CDP_DESCENDING, CDP_TIES_ANY, false, false},
             {CDP_F64, (1 << 23) + 1, 4, CDP_DESCENDING, CDP_TIES_STABLE, false, true},
             {CDP_U16, 1 << 24, 4, CDP_ASCENDING, CDP_TIES_ANY, false, false},
             {CDP_I8, 3000017, 8, CDP_DESCENDING, CDP_TIES_STABLE, false, false},
             {CDP_I32, (1 << 25) + 7, 8, CDP_DESCENDING, CDP_TIES_STABLE, false, false},
             {CDP_I64, (1 << 25) + 7, 8, CDP_DESCENDING, CDP_TIES_ANY, false, false},
             {CDP_F32, 1 << 26, 8, CDP_ASCENDING, CDP_TIES_ANY, false, false},
             {CDP_F32, (1 << 24) + 3, 4, CDP_ASCENDING, CDP_TIES_ANY, true, false},
             {CDP_I64, (1 << 23) + 5, 8, CDP_DESCENDING, CDP_TIES_ANY, true, false}};
constexpr int LARGE_COUNT = sizeof LARGE / sizeof *LARGE;

Numbered make_large(int which, uint64_t quick_count) {
  const auto &large = LARGE[which];
  return make_numbered(large.type, pick(large.count, quick_count), large.value_bytes, options_of(large.order, large.ties),
                       large.is_argsort, large.has_beside);
}

START_TEST(test_large) {
  Numbered numbered = make_large(_i, 30011);
  uint64_t round = 0;
  for (const Distribution distribution :
       {Distribution::random, Distribution::distinct_16384, Distribution::extremes, Distribution::sorted, Distribution::zipf,
        Distribution::clusters, Distribution::outlier, Distribution::shared_upper, Distribution::all_equal,
        Distribution::gaussian, Distribution::reversed, Distribution::words}) {
    renew(numbered, distribution, seed() + round);
    CHECK_SORT(launch(numbered, round++ % 2 == 1));
    judge_numbered(numbered);
  }
  conclude(numbered.subject, "with indices, in stream order", own_stream);
}
END_TEST

/* By a map, by splitters of either kind, with frequent values, with crowded cells of equal keys and of others. */
std::vector<Distribution> carried_distributions() {
  if (quick())
    return {Distribution::random, Distribution::distinct_256, Distribution::shared_lower};
  return {Distribution::random,        Distribution::gaussian,   Distribution::distinct_16384, Distribution::distinct_256,
          Distribution::distinct_2,    Distribution::zipf,       Distribution::mixed,          Distribution::shared_lower,
          Distribution::neighbours,    Distribution::letters,    Distribution::sparse_bits,    Distribution::runs,
          Distribution::small_numbers, Distribution::log_normal, Distribution::organ_pipe,     Distribution::sorted,
          Distribution::reversed,      Distribution::digits,     Distribution::almost_sorted,  Distribution::all_equal,
          Distribution::clusters,      Distribution::extremes};
}

/* Enough keys for values to be carried with them (device/tuning_carry.h), also where not much is tested otherwise, and one less. _i: what
   goes with them: stable values of 4 bytes, indices, values of 8. */
START_TEST(test_carried) {
  uint64_t round = static_cast<uint64_t>(_i);
  for (const cdp_type type : {CDP_U32, CDP_F32, CDP_I32, CDP_U64, CDP_F64, CDP_I64}) {
    const bool are_wide = host_key_bytes(type) == sizeof(uint64_t);
    const uint64_t least = _i == 1 && !are_wide ? 1 << 24 : 1 << 22;
    for (const uint64_t count : {least - 1, least, pick(least + 12345, least + 1)}) {
      if (quick() && type != CDP_F32 && type != CDP_F64)
        continue;
      const cdp_options options =
          options_of(round % 2 == 0 ? CDP_ASCENDING : CDP_DESCENDING, _i % 2 == 0 ? CDP_TIES_STABLE : CDP_TIES_ANY);
      Numbered numbered = make_numbered(type, count, _i < 2 ? 4 : 8, options, _i == 1);
      for (const Distribution distribution : carried_distributions()) {
        renew(numbered, distribution, seed() + round);
        CHECK_SORT(launch(numbered, round++ % 2 == 1));
        judge_numbered(numbered);
      }
      conclude(numbered.subject, "values that are carried", own_stream);
    }
  }
}
END_TEST

/* So many keys in one bucket that no block can sort it, and so few of all that a sample does not show them: carrying is given up on devices of
   the large and the medium kind, and there are more keys than a grid launched in vain has at a time. _i: what goes with them: stable values of 4 bytes, indices, values of 8. */
START_TEST(test_given_up) {
  const uint64_t count = (1 << 22) + 777;
  std::vector<uint64_t> ranks(count);
  uint64_t state = seed();
  for (uint64_t index = 0; index < count; index++)
    ranks[index] = index % 300 == 7 ? UINT64_MAX / 3 + host_random(&state) % 1000000 : host_random(&state);
  Numbered numbered = make_numbered(CDP_U64, count, _i < 2 ? 4 : 8, options_of(CDP_ASCENDING, CDP_TIES_STABLE), _i == 1);
  CHECK_CUDA(
      cudaMemcpyAsync(numbered.subject.keys.d_keys, ranks.data(), count * sizeof ranks[0], cudaMemcpyHostToDevice, own_stream));
  CHECK_CUDA(device_data::oracle_note(numbered.subject.oracle, numbered.subject.keys, own_stream));
  number_keys(numbered);
  CHECK_SORT(launch(numbered, false));
  judge_numbered(numbered);
  conclude(numbered.subject, "carrying that is given up", own_stream);
}
END_TEST

/* Like test_agreeing(), with more keys, by every scheme, with many children and with two. Runs of some of these keys are short,
   and of others long: then there are sorts that otherwise end as they begin. _i: scheme and children. */
START_TEST(test_large_agreeing) {
  const uint64_t count = pick(_i == 0 ? 3000017 : 1000003, 30011);
  cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_STABLE);
  options.scheme = scheme_at(_i / FAN_OUT_KINDS);
  options.fan_out = fan_out_at(_i);
  Numbered numbered = make_numbered(CDP_U64, count, 8, options, false);
  for (const std::vector<uint64_t> &ranks : make_agreeing(count, seed())) {
    CHECK_CUDA(cudaMemcpyAsync(numbered.subject.keys.d_keys, ranks.data(), count * sizeof(uint64_t), cudaMemcpyHostToDevice,
                               own_stream));
    CHECK_CUDA(device_data::oracle_note(numbered.subject.oracle, numbered.subject.keys, own_stream));
    number_keys(numbered);
    CHECK_SORT(launch(numbered, false));
    judge_numbered(numbered);
    conclude(numbered.subject, "keys that agree in their upper bits", own_stream);
  }
}
END_TEST

/* Whether the device has the memory for it, as an H200 has: elsewhere there is no such test, rather than one that passes. If that
   cannot be found out, there is, and it fails. */
bool has_room_for_most_pairs() {
  const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_ANY);
  size_t free_bytes = 0;
  size_t all_bytes = 0;
  size_t bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess ||
      cdp_quicksort_pairs_workspace(sizeof(uint32_t), CDP_PAIRS_COUNT_MAX, CDP_U8, &options, &bytes) != CDP_OK)
    return true;
  return free_bytes >= CDP_PAIRS_COUNT_MAX * (2 + sizeof(uint32_t)) + bytes + (64 << 20);
}

/* As many pairs as there may be: the last of their indices is the greatest that 32 bits hold. */
START_TEST(test_most_pairs) {
  const cdp_options options = options_of(CDP_ASCENDING, CDP_TIES_ANY);
  Numbered numbered = make_numbered(CDP_U8, CDP_PAIRS_COUNT_MAX, sizeof(uint32_t), options, false);
  renew(numbered, Distribution::random, seed());
  CHECK_SORT(launch(numbered, false));
  judge_numbered(numbered);
  conclude(numbered.subject, "2^32 pairs", own_stream);
}
END_TEST

/* Captured with and without a workspace, and replayed over other keys. _i: what is sorted; at last by one block. */
START_TEST(test_captured) {
  Numbered numbered = _i < LARGE_COUNT ? make_large(_i, 30011)
                                       : make_numbered(CDP_U64, 1000, 4, options_of(CDP_DESCENDING, CDP_TIES_STABLE), false);
  for (const bool on_stream : {false, true}) {
    CHECK_CUDA(cudaStreamBeginCapture(own_stream, cudaStreamCaptureModeGlobal));
    const cdp_status status = launch(numbered, on_stream);
    CHECK_CUDA(cudaStreamEndCapture(own_stream, &graph));
    CHECK_SORT(status);
    CHECK_CUDA(cudaGraphInstantiate(&graph_exec, graph, 0));
    for (const Distribution distribution : {Distribution::random, Distribution::outlier, Distribution::distinct_256}) {
      renew(numbered, distribution, seed());
      CHECK_CUDA(cudaGraphLaunch(graph_exec, own_stream));
      judge_numbered(numbered);
    }
    conclude(numbered.subject, on_stream ? "replayed with memory of the graph's" : "replayed", own_stream);
    destroy_graph();
  }
}
END_TEST

/* ---- The judge --------------------------------------------------------------------------------------------------- */

/* What is found where `plant` has spoilt the indices of equal keys, or of different ones; they are 0, 1, 2 ... by themselves. */
template <typename Plant>
device_data::Findings findings_of(Distribution distribution, cdp_ties ties, Plant plant) {
  Numbered numbered = make_numbered(CDP_U32, 1000, 4, options_of(CDP_ASCENDING, ties), false);
  device_data::Findings findings;
  renew(numbered, distribution, seed());
  std::vector<uint32_t> indices(1000);
  std::iota(indices.begin(), indices.end(), 0u);
  plant(indices);
  CHECK_CUDA(
      cudaMemcpyAsync(numbered.values.d_memory, indices.data(), numbered.values.bytes, cudaMemcpyHostToDevice, own_stream));
  judge_numbered(numbered);
  CHECK_CUDA(device_data::oracle_read(numbered.subject.oracle, &findings, own_stream));
  ck_assert(findings.judgements == 1 && findings.wrong_digests == 0 && findings.damaged_guard_bytes == 0);
  return findings;
}

START_TEST(test_judge) {
  const auto nothing = [](std::vector<uint32_t> &) {};
  const auto swapped = [](std::vector<uint32_t> &indices) { std::swap(indices[500], indices[501]); };
  const auto doubled = [](std::vector<uint32_t> &indices) { indices[500] = indices[501]; };
  const auto beyond = [](std::vector<uint32_t> &indices) { indices[999] = 1000; };
  device_data::Findings found = findings_of(Distribution::sorted, CDP_TIES_STABLE, nothing);
  ck_assert(found.disorders == 0 && found.strays == 0 && found.overtakings == 0 && found.index_hashes == 0);
  found = findings_of(Distribution::sorted, CDP_TIES_ANY, swapped);
  ck_assert(found.disorders == 1 && found.first_disorder == 500 && found.strays == 2 && found.index_hashes == 0);
  found = findings_of(Distribution::all_equal, CDP_TIES_ANY, swapped);
  ck_assert(found.disorders == 0 && found.strays == 0 && found.overtakings == 0 && found.index_hashes == 0);
  found = findings_of(Distribution::all_equal, CDP_TIES_STABLE, swapped);
  ck_assert(found.disorders == 0 && found.strays == 0 && found.overtakings == 1 && found.index_hashes == 0);
  found = findings_of(Distribution::all_equal, CDP_TIES_ANY, doubled);
  ck_assert(found.disorders == 0 && found.strays == 0 && found.index_hashes != 0);
  found = findings_of(Distribution::all_equal, CDP_TIES_ANY, beyond);
  ck_assert(found.strays == 1 && found.index_hashes != 0);
  found = findings_of(Distribution::reversed, CDP_TIES_ANY, nothing);
  ck_assert(found.disorders == 999 && found.strays == 0 && found.index_hashes == 0);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_indices");
  TCase *test_case = add_case(suite, "indices");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_test(test_case, test_judge);
  tcase_add_loop_test(test_case, test_large, 0, LARGE_COUNT);
  tcase_add_loop_test(test_case, test_carried, 0, 3);
  tcase_add_loop_test(test_case, test_given_up, 0, 3);
  tcase_add_loop_test(test_case, test_large_agreeing, 0, SCHEMES * FAN_OUT_KINDS);
  if (!quick() && has_room_for_most_pairs())
    tcase_add_test(test_case, test_most_pairs);
  test_case = add_case(suite, "graphs");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_captured, 0, LARGE_COUNT + 1);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
