/* SPDX-License-Identifier: MIT */
/*
 * A process whose very first call of the library is captured into a graph: what the library finds out about a device, and what
 * CUDA loads of its kernels, must be allowed while a stream is being captured. Hence a program of its own, with one test.
 */
#include "gpu_check.h"

using namespace gpu_check;

namespace {

START_TEST(test_first_call_is_captured) {
  Subject subject = make_room(CDP_U32, pick(1 << 20, 1 << 17));
  // Not asked for, which would be the first call: more than cdp_quicksort_workspace() may say.
  const Guarded workspace = allocate_guarded(2 * subject.memory.bytes + (32 << 20));
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const auto sort = [&] {
    return cdp_quicksort_async(subject.keys.d_keys, subject.keys.count, subject.keys.type, nullptr, workspace.d_memory,
                               workspace.bytes, stream);
  };
  note("the first call, captured");
  capture_and_replay(subject, stream, sort, [&] { judge_guards(subject, workspace, stream); });
  CHECK_CUDA(cudaStreamDestroy(stream));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_first_capture");
  tcase_add_test(add_case(suite, "the first call"), test_first_call_is_captured);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
