/* SPDX-License-Identifier: MIT */
/*
 * Every public call by several host threads at once, each on a stream of its own: calls that block, and calls that are not waited
 * for, of all kinds mixed. Each finds its own arrays sorted and nobody else's.
 */
#include "gpu_calls.h"

#include <memory>
#include <thread>

using namespace gpu_calls;
using namespace gpu_check;

namespace {

constexpr size_t THREADS = 4;

/* What a thread does, and on which stream; all memory is there before it begins. */
struct Work {
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaSuccess; /* of waiting at the end */
  std::vector<std::unique_ptr<DeviceTrial>> trials;
};

std::vector<Work> all_work;

void make_streams() {
  all_work.resize(THREADS);
  for (Work &work : all_work)
    CHECK_CUDA(cudaStreamCreateWithFlags(&work.stream, cudaStreamNonBlocking));
}

void destroy_streams() {
  gpu_tables::free_arrays(); // waits for the device
  for (Work &work : all_work)
    cudaStreamDestroy(work.stream);
  all_work.clear();
  cudaGetLastError();
}

/* Every row twice, in other forms. Of the first thread, one turn is of many items. */
void add_trials(size_t thread) {
  const std::vector<Row> &all = rows_with_templates();
  for (size_t turn = 0; turn < 2 * all.size(); turn++) {
    const Row &row = row_in_turn(all, thread, turn);
    const size_t count = thread == 0 && turn < all.size() ? pick(150001, 9001) : 900 + 377 * turn;
    const Draw draw = {seed() + 100 * thread + turn, turn, count};
    Form form = FORMS[(turn + thread) % 3];
    if (!row.has_form(form))
      form = row.has_workspace ? Form::async : Form::on_stream;
    Work &work = all_work[thread];
    work.trials.push_back(std::make_unique<DeviceTrial>(row, draw, form, work.stream));
  }
}

void make_all(Work *work) {
  for (const std::unique_ptr<DeviceTrial> &trial : work->trials)
    trial->make();
  work->error = cudaStreamSynchronize(work->stream);
}

START_TEST(test_calls_at_once) {
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < THREADS; thread++)
    add_trials(thread);
  note("all calls by %zu threads", THREADS);
  for (Work &work : all_work)
    threads.emplace_back(make_all, &work);
  for (std::thread &thread : threads)
    thread.join();
  for (const Work &work : all_work) {
    CHECK_CUDA(work.error);
    for (const std::unique_ptr<DeviceTrial> &trial : work.trials) {
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
