/* SPDX-License-Identifier: MIT */
/*
 * As test_gpu_first_capture.cpp, of a sort of pairs, and then of a division into buckets: they have more kernels that CUDA loads, and
 * more than one launch.
 */
#include "gpu_check.h"

#include <cdpsort/buckets.h>

using namespace gpu_check;

namespace {

START_TEST(test_first_call_is_captured) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.ties = CDP_TIES_STABLE;
  Subject subject = make_room(CDP_U64, pick(1 << 20, 1 << 17));
  const uint64_t count = subject.keys.count;
  const Guarded before = allocate_guarded(subject.memory.bytes);
  const Guarded values = allocate_guarded(count * sizeof(uint32_t));
  // Not asked for, which would be the first call: more than cdp_quicksort_pairs_workspace() may say.
  const Guarded workspace = allocate_guarded(64 * count + (32 << 20));
  const device_data::Indexed indexed = {values.d_memory, sizeof(uint32_t), before.d_memory, false, true};
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_CUDA(device_data::number(indexed, count, stream)); // so that only the library's kernels are loaded while it is captured
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const auto sort = [&] {
    CHECK_CUDA(cudaMemcpyAsync(before.d_memory, subject.keys.d_keys, before.bytes, cudaMemcpyDeviceToDevice, stream));
    CHECK_CUDA(device_data::number(indexed, count, stream));
    return cdp_quicksort_pairs_async(subject.keys.d_keys, values.d_memory, sizeof(uint32_t), count, CDP_U64, &options,
                                     workspace.d_memory, workspace.bytes, stream);
  };
  const auto judge_values = [&] {
    CHECK_CUDA(device_data::oracle_judge_indices(subject.oracle, subject.keys, CDP_ASCENDING, indexed, stream));
    for (const Guarded &memory : {before, values, workspace})
      judge_guards(subject, memory, stream);
  };
  note("the first call, captured");
  capture_and_replay(subject, stream, sort, judge_values);
  CHECK_CUDA(cudaStreamDestroy(stream));
}
END_TEST

/* By all values of 8 bits, which sorts the keys: one of its kernels wants more shared memory than every kernel may have. */
START_TEST(test_first_division_is_captured) {
  constexpr uint32_t SPLITTERS = 255;
  Subject subject = make_room(CDP_U8, pick(1 << 20, 1 << 17));
  const uint64_t count = subject.keys.count;
  const Guarded splitters = allocate_guarded(SPLITTERS);
  const Guarded begins = allocate_guarded((SPLITTERS + 2) * sizeof(uint64_t));
  const Guarded workspace = allocate_guarded(2 * count + (4 << 20)); // not asked for, as above
  unsigned char values[SPLITTERS];
  for (uint32_t index = 0; index < SPLITTERS; index++)
    values[index] = static_cast<unsigned char>(index + 1);
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaMemcpy(splitters.d_memory, values, sizeof values, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const auto divide = [&] {
    return cdp_divide_async(subject.keys.d_keys, nullptr, 0, count, CDP_U8, nullptr, splitters.d_memory, SPLITTERS,
                            reinterpret_cast<uint64_t *>(begins.d_memory), workspace.d_memory, workspace.bytes, stream);
  };
  const auto judge_begins = [&] {
    for (const Guarded &memory : {splitters, begins, workspace})
      judge_guards(subject, memory, stream);
  };
  note("the first division, captured");
  capture_and_replay(subject, stream, divide, judge_begins);
  CHECK_CUDA(cudaStreamDestroy(stream));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_first_pairs");
  tcase_add_test(add_case(suite, "the first call"), test_first_call_is_captured);
  tcase_add_test(add_case(suite, "the first division"), test_first_division_is_captured);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
