/* SPDX-License-Identifier: MIT */
/*
 * sort_by.cuh on the GPU: around all limits, in place and out of place, in a workspace of no more than is asked for, captured, and
 * with comparisons that contradict themselves. And what it refuses.
 */
#include "compared.h"
#include "gpu_tables.h"
#include "sort_by_kinds.h"

using namespace gpu_check;
using namespace gpu_tables;
using sort_by_kinds::ALL_KINDS;
using sort_by_kinds::Kind;

namespace {

char label[256];

void check(const Kind &kind, size_t count, uint32_t keys, bool is_captured, bool is_apart) {
  const Bytes items = compared::random_items(count, kind.item_bytes, keys, seed() + count);
  size_t bytes = 0;
  snprintf(label, sizeof label, "%zu %s%s%s", count, kind.name, is_apart ? ", out of place" : "",
           is_captured ? ", captured" : "");
  note("%s", label);
  CHECK_CUDA(kind.workspace(count, is_apart, &bytes));
  const Array array = make_array(Place::device, items);
  const Array output = make_array(Place::device, Bytes(is_apart ? items.size() : 0));
  const Array &target = is_apart ? output : array;
  const Array workspace = make_array(Place::device, Bytes(bytes));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  if (is_captured)
    CHECK_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeRelaxed));
  CHECK_CUDA(kind.sort(array.memory(), target.memory(), count, workspace.memory(), bytes, stream()));
  if (is_captured) {
    CHECK_CUDA(cudaStreamEndCapture(stream(), &graph));
    CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CHECK_CUDA(cudaGraphLaunch(exec, stream()));
  }
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  if (is_captured) {
    CHECK_CUDA(cudaGraphExecDestroy(exec));
    CHECK_CUDA(cudaGraphDestroy(graph));
  }
  read_array(workspace, label);
  const Bytes sorted = read_array(target, label);
  if (is_apart)
    ck_assert_msg(read_array(array, label) == items, "%s: the input has changed", label);
  free_arrays();
  compared::must_be_permutation(items, sorted, kind.item_bytes);
  if (kind.comes_before != nullptr)
    compared::must_be_in_order(sorted, kind.item_bytes, kind.comes_before);
}

/* _i: the kind. */
START_TEST(test_around_limits) {
  const Kind &kind = ALL_KINDS[_i];
  const uint32_t key_numbers[] = {0, 2, 300};
  size_t round = 0;
  for (const size_t count : compared::counts_around_limits(kind.item_bytes, false)) {
    if (quick() && count > 5000)
      break;
    check(kind, count, key_numbers[round / 2 % 3], round % 2 != 0, count == 1 || round / 2 % 2 != 0);
    round++;
  }
  if (kind.comes_before != nullptr)
    for (const bool is_apart : {false, true})
      check(kind, pick(5000011, 50021), 0, false, is_apart);
}
END_TEST

START_TEST(test_refuses) {
  constexpr size_t COUNT = 50021;
  const Kind &kind = ALL_KINDS[0];
  const Bytes items = compared::random_items(COUNT, kind.item_bytes, 0, seed());
  size_t bytes = 0;
  CHECK_CUDA(kind.workspace(COUNT, false, &bytes));
  const Array array = make_array(Place::device, items);
  const Array output = make_array(Place::device, Bytes(items.size(), 0xEE));
  const Array workspace = make_array(Place::device, Bytes(bytes + 8));
  unsigned char *memory = workspace.memory();
  for (unsigned char *target : {array.memory(), output.memory()}) {
    ck_assert_int_eq(kind.sort(array.memory(), target, COUNT, memory, bytes - 1, stream()), cudaErrorInvalidValue);
    ck_assert_int_eq(kind.sort(array.memory(), target, COUNT, memory + 8, bytes, stream()), cudaErrorInvalidValue);
    ck_assert_int_eq(kind.sort(array.memory(), target, COUNT, nullptr, bytes, stream()), cudaErrorInvalidValue);
    ck_assert_int_eq(kind.sort(array.memory(), target, size_t{1} << 32, memory, bytes, stream()), cudaErrorInvalidValue);
  }
  for (unsigned char *overlapping : {array.memory() + 4, array.memory() + items.size() - 4})
    ck_assert_int_eq(kind.sort(array.memory(), overlapping, COUNT, memory, bytes, stream()), cudaErrorInvalidValue);
  ck_assert_int_eq(kind.sort(nullptr, nullptr, COUNT, memory, bytes, stream()), cudaErrorInvalidValue);
  ck_assert_int_eq(kind.sort(nullptr, output.memory(), 1, memory, bytes, stream()), cudaErrorInvalidValue);
  ck_assert_int_eq(kind.sort(array.memory(), nullptr, 1, memory, bytes, stream()), cudaErrorInvalidValue);
  for (const bool is_apart : {false, true})
    ck_assert_int_eq(kind.workspace(size_t{1} << 32, is_apart, &bytes), cudaErrorInvalidValue);
  CHECK_CUDA(kind.sort(nullptr, nullptr, 1, nullptr, 0, stream()));
  CHECK_CUDA(kind.sort(nullptr, output.memory(), 0, nullptr, 0, stream()));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  ck_assert(read_array(array, "refused") == items);
  ck_assert(read_array(output, "refused") == Bytes(items.size(), 0xEE));
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_sort_by");
  TCase *test_case = add_case(suite, "sort_by");
  tcase_add_checked_fixture(test_case, make_stream, destroy_stream);
  tcase_add_loop_test(test_case, test_around_limits, 0, sort_by_kinds::KINDS);
  tcase_add_test(test_case, test_refuses);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
