/* SPDX-License-Identifier: MIT */
/*
 * As test_gpu_first_capture.cpp, of half a sort, of which every kernel is loaded while the stream is being captured.
 */
#include "gpu_check.h"

#include <cdpsort/select.h>

#include <vector>

using namespace gpu_check;

namespace {

START_TEST(test_first_call_is_captured) {
  constexpr uint32_t COUNT = 1 << 20;
  constexpr uint32_t K = 100;
  std::vector<uint32_t> keys(COUNT);
  std::vector<uint32_t> top(K);
  std::vector<uint32_t> indices(K);
  const Guarded d_keys = allocate_guarded(COUNT * sizeof(uint32_t));
  const Guarded d_top = allocate_guarded(K * sizeof(uint32_t));
  const Guarded d_indices = allocate_guarded(K * sizeof(uint32_t));
  const Guarded workspace = allocate_guarded(64 << 20); // not asked for, which would be the first call
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cdp_top more = CDP_TOP_INIT;
  more.indices = d_indices.d_memory;
  more.index_bytes = sizeof(uint32_t);
  for (uint32_t index = 0; index < COUNT; index++)
    keys[index] = index * 2654435761u; // different ones: the factor is odd
  CHECK_CUDA(cudaMemcpy(d_keys.d_memory, keys.data(), d_keys.bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  note("the first call, captured");
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cdp_status status = cdp_top_k_async(d_keys.d_memory, COUNT, CDP_U32, nullptr, K, d_top.d_memory, &more,
                                            workspace.d_memory, workspace.bytes, stream);
  const cudaError_t captured = cudaStreamEndCapture(stream, &graph);
  CHECK_SORT(status); // first: it has a message
  CHECK_CUDA(captured);
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (int replay = 0; replay < 3; replay++) {
    CHECK_CUDA(cudaMemsetAsync(d_top.d_memory, 0xFF, d_top.bytes, stream));
    CHECK_CUDA(cudaMemsetAsync(d_indices.d_memory, 0xFF, d_indices.bytes, stream));
    CHECK_CUDA(cudaGraphLaunch(exec, stream));
    CHECK_CUDA(cudaMemcpyAsync(top.data(), d_top.d_memory, d_top.bytes, cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaMemcpyAsync(indices.data(), d_indices.d_memory, d_indices.bytes, cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    uint32_t lower = 0;
    for (uint32_t index = 0; index < COUNT; index++)
      lower += keys[index] < top[K - 1] ? 1 : 0;
    ck_assert_uint_eq(lower, K - 1);
    for (uint32_t index = 0; index < K; index++) {
      ck_assert(indices[index] < COUNT && keys[indices[index]] == top[index]);
      ck_assert(index == 0 || top[index - 1] < top[index]);
    }
  }
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaStreamDestroy(stream));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_first_select");
  tcase_add_test(add_case(suite, "the first call"), test_first_call_is_captured);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
