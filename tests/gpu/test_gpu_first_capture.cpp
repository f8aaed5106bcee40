/* SPDX-License-Identifier: MIT */
/*
 * A process whose very first call of the library is captured into a graph: what the library finds out about a device, and what
 * CUDA loads of its kernels, must be allowed while a stream is being captured. Hence a program of its own, with one test.
 */
#include "gpu_check.h"

#include <string>

using namespace gpu_check;

namespace {

START_TEST(test_first_call_is_captured) {
  Subject subject = make_room(CDP_U32, pick(1 << 20, 1 << 17));
  // Not asked for, which would be the first call: more than cdp_quicksort_workspace() may say.
  const Guarded workspace = allocate_guarded(2 * subject.memory.bytes + (32 << 20));
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  note("the first call, captured");
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cdp_status status = cdp_quicksort_async(subject.keys.d_keys, subject.keys.count, subject.keys.type, nullptr,
                                                workspace.d_memory, workspace.bytes, stream);
  const std::string message = cdp_last_message();
  const int cuda_error = cdp_last_cuda_error();
  const cudaError_t captured = cudaStreamEndCapture(stream, &graph);
  ck_assert_msg(status == CDP_OK, "%s, CUDA error %d, \"%s\"", cdp_status_name(status), cuda_error, message.c_str());
  CHECK_CUDA(captured);
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (uint64_t replay = 0; replay < 3; replay++) {
    fill(subject, distribution_at(replay * 5), seed() + replay, stream);
    CHECK_CUDA(cudaGraphLaunch(exec, stream));
    judge(subject, CDP_ASCENDING, stream);
    judge_guards(subject, workspace, stream);
  }
  conclude(subject, "replayed from a graph", stream);
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
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
