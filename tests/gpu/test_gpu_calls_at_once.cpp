/* SPDX-License-Identifier: MIT */
/*
 * Every public call by several host threads at once, each on a stream of its own: calls that block, and calls that are not waited
 * for, of all kinds mixed. Each finds its own arrays sorted and nobody else's.
 */
#include "gpu_calls.h"

using namespace gpu_calls;
using namespace gpu_check;

namespace {

constexpr size_t THREADS = 4;

/* The streams of the threads, and how waiting for each ended. */
std::vector<cudaStream_t> streams;
cudaError_t errors[THREADS];

void make_streams() {
  streams.resize(THREADS);
  for (cudaStream_t &stream : streams)
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}

void destroy_streams() {
  gpu_tables::free_arrays(); // waits for the device
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  streams.clear();
  cudaGetLastError();
}

/* Every row twice, in other forms; in the second turn the first thread's are of many items. */
ThreadTrials trials_of(size_t thread) {
  const std::vector<Row> &all = rows_with_templates();
  ThreadTrials trials;
  for (size_t turn = 0; turn < 2 * all.size(); turn++) {
    const Row &row = row_in_turn(all, thread, turn);
    const size_t count = thread == 0 && turn >= all.size() ? pick(150001, 9001) : 900 + 377 * turn;
    const size_t which = static_cast<size_t>(&row - all.data());
    Form form = FORMS[(which + turn / all.size() + thread) % 3];
    if (!row.has_form(form))
      form = row.has_workspace ? Form::async : Form::on_stream;
    trials.push_back(
        std::make_unique<DeviceTrial>(row, Draw{seed() + 100 * thread + turn, turn, count}, form, streams[thread]));
  }
  return trials;
}

START_TEST(test_calls_at_once) {
  std::vector<ThreadTrials> of_threads;
  for (size_t thread = 0; thread < THREADS; thread++)
    of_threads.push_back(trials_of(thread));
  note("all calls by %zu threads", THREADS);
  make_at_once(of_threads, rows_with_templates().size(),
               [](size_t thread) { errors[thread] = cudaStreamSynchronize(streams[thread]); });
  for (size_t thread = 0; thread < THREADS; thread++) {
    CHECK_CUDA(errors[thread]);
    for (const std::unique_ptr<Trial> &trial : of_threads[thread]) {
      note("%s, among others", trial->name().c_str());
      trial->must_be_right();
    }
  }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_calls_at_once");
  TCase *test_case = add_case(suite, "at once");
  tcase_add_checked_fixture(test_case, make_streams, destroy_streams);
  tcase_add_test(test_case, test_calls_at_once);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
