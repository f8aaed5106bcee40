/* SPDX-License-Identifier: MIT */
/*
 * What every public call refuses on the GPU, and what CUDA refuses it: arrays and workspaces that are NULL, too small, misaligned,
 * overlap or lie in host memory; and launches. Each time all arrays and everything around them stay as they were, and the next call
 * is as good as ever. In a program of its own, since under memcheck calls that fail are no finding there (tests/gpu_run.sh).
 */
#include "gpu_calls.h"

using namespace gpu_calls;
using namespace gpu_check;

namespace {

constexpr size_t COUNT = 2003;
constexpr uint64_t SHAPES = 4;

/* Calls `use` with each shape and form of a row. */
template <typename Use>
void for_each_shape(const Row &row, Use use) {
  for (uint64_t shape = 0; shape < pick(SHAPES, 1); shape++)
    for (const Form form : FORMS) {
      if (row.has_form(form))
        use(Draw{seed() + shape, shape, COUNT}, form);
      gpu_tables::free_arrays();
    }
}

/* In stream order: each array in host memory, and the workspace. */
std::vector<WrongCall> calls_on_host_memory(const Job &job, const Given &right) {
  std::vector<WrongCall> all;
  if (right.form == Form::blocking)
    return all;
  for (size_t array = 0; array < job.arrays.size(); array++) {
    const public_calls::Array &given = job.arrays[array];
    all.push_back({"array " + std::to_string(array) + " in host memory", CDP_ERROR_POINTER, right});
    all.back().given.arrays[array] = gpu_tables::make_array(gpu_tables::Place::pageable, given.before, given.shift).memory();
  }
  if (right.form == Form::async) {
    const Bytes room(right.workspace_bytes, UNUSED);
    all.push_back({"a workspace in host memory", CDP_ERROR_POINTER, right});
    all.back().given.d_workspace = gpu_tables::make_array(gpu_tables::Place::pageable, room).memory();
  }
  return all;
}

/* _i: the row. */
START_TEST(test_arguments) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for_each_shape(row, [&](const Draw &draw, Form form) {
    DeviceTrial trial(row, draw, form, gpu_tables::stream());
    std::vector<WrongCall> all = wrong_calls(trial.job(), trial.given());
    for (const WrongCall &wrong : calls_on_host_memory(trial.job(), trial.given()))
      all.push_back(wrong);
    for (const WrongCall &wrong : all) {
      note("%s, %s", trial.name().c_str(), wrong.what.c_str());
      trial.make(wrong.given);
      trial.must_be_refused(wrong.status, wrong.what);
    }
    trial.make();
    trial.must_be_right();
  });
}
END_TEST

/* Calls `use` while the stream is in a capture that is void: CUDA launches nothing then. Behind it the stream is as good as new. */
template <typename Use>
void in_void_capture(Use use) {
  cudaGraph_t graph = nullptr;
  CHECK_CUDA(cudaStreamBeginCapture(gpu_tables::stream(), cudaStreamCaptureModeRelaxed));
  ck_assert_int_ne(cudaStreamSynchronize(gpu_tables::stream()), cudaSuccess); // which makes it void
  use();
  ck_assert_int_ne(cudaStreamEndCapture(gpu_tables::stream(), &graph), cudaSuccess);
  cudaGetLastError();
}

/* The first launch fails, and the call says so, and gives back what it had from an allocator. _i: the row. */
START_TEST(test_launches) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for_each_shape(row, [&](const Draw &draw, Form form) {
    if (form == Form::blocking) // on a stream of its own
      return;
    const Job job = row.make(draw);
    Block block = make_block(workspace_bytes(job, job.options), false);
    const cdp_allocator allocator = allocator_of(&block);
    DeviceTrial trial(row, draw, form, gpu_tables::stream(), &allocator);
    int cuda_error = 0;
    note("%s, into a void capture", trial.name().c_str());
    in_void_capture([&] {
      trial.make();
      cuda_error = cdp_last_cuda_error();
    });
    trial.must_be_refused(CDP_ERROR_CUDA, "into a void capture");
    ck_assert_int_ne(cuda_error, 0);
    ck_assert_int_eq(block.allocations, block.releases);
    trial.make();
    trial.must_be_right();
    ck_assert_int_eq(block.allocations, block.releases);
    gpu_tables::read_array(block.memory, trial.name().c_str());
  });
}
END_TEST

/* cdpsort::sort_by() and sort_by_copy(), which have no words for it. _i: which of those that are no calls in C. */
START_TEST(test_launches_of_templates) {
  const Row &row = rows_with_templates()[rows().size() + static_cast<size_t>(_i)];
  for_each_shape(row, [&](const Draw &draw, Form form) {
    DeviceTrial trial(row, draw, form, gpu_tables::stream());
    note("%s, into a void capture", trial.name().c_str());
    in_void_capture([&] { ck_assert_int_eq(trial.job().call(trial.given()), CDP_ERROR_CUDA); });
    const std::vector<Bytes> after = trial.contents();
    const size_t arrays = trial.job().arrays.size();
    ck_assert_uint_eq(after.size(), arrays + 1);
    for (size_t array = 0; array < arrays; array++)
      ck_assert(after[array] == trial.job().arrays[array].before);
    ck_assert(after[arrays] == Bytes(after[arrays].size(), UNUSED));
    trial.make();
    trial.must_be_right();
  });
}
END_TEST

Suite *make_suite() {
  const int row_count = static_cast<int>(rows().size());
  Suite *suite = suite_create("gpu_calls_refused");
  TCase *test_case = add_case(suite, "refused");
  tcase_add_checked_fixture(test_case, gpu_tables::make_stream, gpu_tables::destroy_stream);
  tcase_add_loop_test(test_case, test_arguments, 0, row_count);
  tcase_add_loop_test(test_case, test_launches, 0, row_count);
  tcase_add_loop_test(test_case, test_launches_of_templates, 0, static_cast<int>(rows_with_templates().size()) - row_count);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
