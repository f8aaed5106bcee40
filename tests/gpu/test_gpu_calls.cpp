/* SPDX-License-Identifier: MIT */
/*
 * What holds for every public call on the GPU: captured into a graph, it is replayed over other keys each time; and it asks an
 * allocator once at most. Several at once are test_gpu_calls_at_once.cpp's, and what is refused test_gpu_calls_refused.cpp's.
 */
#include "gpu_calls.h"

using namespace gpu_calls;
using namespace gpu_check;

namespace {

constexpr uint64_t SHAPES = 3;

/* Numbers of items, for shapes in turn: some are sorted by one block, and others by many. */
size_t count_at(uint64_t shape) {
  const size_t counts[] = {20011, 700, 40009};
  return pick(counts[shape % 3], counts[shape % 3] / 10 + 2);
}

/* Captures a call, as it is, without waiting for it. */
cudaGraphExec_t captured(Trial *trial) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  const Given given = trial->given();
  CHECK_CUDA(cudaStreamBeginCapture(gpu_tables::stream(), cudaStreamCaptureModeGlobal));
  trial->make(given);
  const cudaError_t error = cudaStreamEndCapture(gpu_tables::stream(), &graph);
  trial->must_have_succeeded(); // first: it has a message
  CHECK_CUDA(error);
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_CUDA(cudaGraphDestroy(graph));
  return exec;
}

/* The workspace is as the replay before has left it. */
void replay(const DeviceTrial &trial, cudaGraphExec_t exec, const Job &job) {
  trial.refill(job);
  CHECK_CUDA(cudaGraphLaunch(exec, gpu_tables::stream()));
  CHECK_CUDA(cudaStreamSynchronize(gpu_tables::stream()));
  trial.must_be_right(job);
}

/* _i: the row. */
START_TEST(test_replays) {
  const Row &row = rows_with_templates()[static_cast<size_t>(_i)];
  for (uint64_t shape = 0; shape < pick(SHAPES, 1); shape++)
    for (const Form form : {Form::async, Form::on_stream}) {
      const Draw draw = {seed() + shape, 100 * shape, count_at(shape)};
      if (!row.has_form(form))
        continue;
      DeviceTrial trial(row, draw, form, gpu_tables::stream());
      note("%s", trial.name().c_str());
      trial.make(); // and so everything is compiled and loaded
      trial.must_be_right();
      const cudaGraphExec_t exec = captured(&trial);
      for (uint64_t round = 1; round <= 3; round++)
        replay(trial, exec, row.make({draw.shape, draw.contents + round, draw.count}));
      CHECK_CUDA(cudaGraphExecDestroy(exec));
      gpu_tables::free_arrays();
    }
}
END_TEST

/* It is asked once at most, for what the call would have its caller give; and where it has nothing, nothing is done. */
void check_allocator(const Row &row, const Draw &draw, Form form) {
  const Job job = row.make(draw);
  const size_t bytes = workspace_bytes(job, job.options);
  Block kept = make_block(bytes, false);
  Block empty = make_block(0, true);
  const cdp_allocator giving = allocator_of(&kept);
  const cdp_allocator refusing = allocator_of(&empty);
  DeviceTrial trial(row, draw, form, gpu_tables::stream(), &giving);
  note("%s, with an allocator", trial.name().c_str());
  trial.make();
  trial.must_be_right();
  must_have_asked(kept, bytes, trial.name());
  gpu_tables::read_array(kept.memory, trial.name().c_str());
  DeviceTrial refused(row, draw, form, gpu_tables::stream(), &refusing);
  refused.make();
  if (kept.allocations == 0)
    refused.must_be_right();
  else
    refused.must_be_refused(CDP_ERROR_MEMORY, "without memory");
  ck_assert(empty.allocations == kept.allocations && empty.releases == 0);
  gpu_tables::free_arrays();
}

/* _i: the row, of those that have an allocator. */
START_TEST(test_allocators) {
  const Row &row = rows()[static_cast<size_t>(_i)];
  for (uint64_t shape = 0; shape < pick(SHAPES, 1); shape++)
    for (const Form form : {Form::blocking, Form::on_stream})
      check_allocator(row, {seed() + shape, shape, count_at(shape)}, form);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_calls");
  TCase *replays = add_case(suite, "replays");
  tcase_add_checked_fixture(replays, gpu_tables::make_stream, gpu_tables::destroy_stream);
  tcase_add_loop_test(replays, test_replays, 0, static_cast<int>(rows_with_templates().size()));
  TCase *allocators = add_case(suite, "allocators");
  tcase_add_checked_fixture(allocators, gpu_tables::make_stream, gpu_tables::destroy_stream);
  tcase_add_loop_test(allocators, test_allocators, 0, static_cast<int>(rows().size()));
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
