/* SPDX-License-Identifier: MIT */
/*
 * Many sorts share what there is of launches from the device: at once, by several host threads, and one after another, by many
 * different kernels. All complete, and all are sorted.
 *
 * CUDA loses a grid now and then in processes that have many different kernels pending (docs/notes/lost-trees.md). A sort that is lost so
 * does not fail: the program does not end, and says what it was at when somebody ends it.
 */
#include "gpu_check.h"

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

using namespace gpu_check;

namespace {

std::vector<cudaStream_t> streams;

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  streams.push_back(stream);
  return stream;
}

void destroy_streams() {
  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  streams.clear();
  cudaGetLastError();
}

/* A recursion that would like hundreds of launches: two children to a task, and a grid for almost every range. */
constexpr cdp_tuning SHORT_RANGES = {sizeof(cdp_tuning), 0, 0, 0, 2048, 0, 0};
cdp_options greedy_options(int scheme) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(scheme);
  options.fan_out = CDP_FAN_OUT_CLASSIC;
  options.leaf_items = CDP_LEAF_MIN;
  options.tuning = &SHORT_RANGES;
  return options;
}

/* ---- At once --------------------------------------------------------------------------------------------------- */

/* What a thread sorts, and what became of it. Threads check nothing: a failed check jumps, in the wrong thread. */
struct Work {
  Subject subject;
  Guarded workspace;
  cdp_options options;
  cudaStream_t stream;
  uint64_t rounds;
  std::string fault;
  uint64_t launches_refused;
  uint64_t children_launched;
};

Work make_work(int number, const cdp_options &options) {
  Work work = {make_room(type_at(number % TYPES), pick(1 << 22, 1 << 16) + static_cast<uint64_t>(number)),
               {nullptr, nullptr, 0, 0},
               options,
               new_stream(),
               pick(10, 2),
               "",
               0,
               0};
  work.options.order = static_cast<cdp_order>(number / TYPES % 2);
  work.options.seed = static_cast<uint64_t>(number);
  return work;
}

bool succeeds(cudaError_t error, Work *work) {
  if (error != cudaSuccess)
    work->fault = cudaGetErrorString(error);
  return error == cudaSuccess;
}

bool succeeds(cdp_status status, Work *work) {
  if (status != CDP_OK)
    work->fault = std::string(cdp_status_name(status)) + ": " + cdp_last_message();
  return status == CDP_OK;
}

using Sort = cdp_status (*)(Work *work);

cdp_status sort_async(Work *work) {
  const device_data::KeySpan &keys = work->subject.keys;
  return cdp_quicksort_async(keys.d_keys, keys.count, keys.type, &work->options, work->workspace.d_memory,
                             work->workspace.bytes, work->stream);
}

cdp_status sort_studied(Work *work) {
  const device_data::KeySpan &keys = work->subject.keys;
  cdp_study study = {};
  const cdp_status status = cdp_study_quicksort(keys.d_keys, keys.count, keys.type, &work->options, &study);
  work->launches_refused += study.total.launches_refused;
  work->children_launched += study.total.children_launched;
  return status;
}

/* Makes keys, sorts them and has them judged, round after round, until something fails. */
void sort_in_thread(Work *work, Sort sort) {
  const Subject &subject = work->subject;
  for (uint64_t round = 0; round < work->rounds; round++) {
    const Distribution distribution = round % 2 == 0 ? Distribution::random : distribution_at(round / 2 + work->options.seed);
    const bool done =
        succeeds(device_data::generate(subject.keys, distribution, seed() + round, work->stream), work) &&
        succeeds(device_data::oracle_note(subject.oracle, subject.keys, work->stream), work) && succeeds(sort(work), work) &&
        succeeds(device_data::oracle_judge(subject.oracle, subject.keys, work->options.order, work->stream), work);
    if (!done)
      return;
  }
}

void sort_at_once(std::vector<Work> *all, Sort sort) {
  std::vector<std::thread> threads;
  for (Work &work : *all)
    threads.emplace_back(sort_in_thread, &work, sort);
  for (std::thread &thread : threads)
    thread.join();
}

void conclude_all(const std::vector<Work> &all, const char *how) {
  for (const Work &work : all) {
    note_sort(work.subject, work.options, how);
    ck_assert_msg(work.fault.empty(), "%s; %s: %s", work.subject.label, how, work.fault.c_str());
    judge(work.subject, work.options.order, work.stream); // the keys once more, and their guards
    conclude(work.subject, how, work.stream);
  }
}

/* As many streams as threads, and no thread waits. _i: the scheme, and how many. */
START_TEST(test_async_at_once) {
  const int threads = _i / 2 == 0 ? 4 : 12;
  const cdp_options options = greedy_options(_i % 2);
  char how[64];
  snprintf(how, sizeof how, "%s, %d threads", scheme_name(options.scheme), threads);
  std::vector<Work> all;
  for (int number = 0; number < threads; number++) {
    Work work = make_work(number, options);
    size_t bytes = 0;
    CHECK_SORT(cdp_quicksort_workspace(work.subject.keys.count, work.subject.keys.type, &work.options, &bytes));
    work.workspace = allocate_guarded(bytes);
    all.push_back(work);
  }
  note("%s, asynchronously", how);
  sort_at_once(&all, sort_async);
  conclude_all(all, how);
  for (const Work &work : all) {
    judge_guards(work.subject, work.workspace, work.stream);
    conclude(work.subject, how, work.stream);
  }
}
END_TEST

/* Blocking calls; their studies know of no launch that was refused. */
START_TEST(test_studied_at_once) {
  const cdp_options options = greedy_options(_i);
  char how[64];
  snprintf(how, sizeof how, "%s, 4 threads, studied", scheme_name(options.scheme));
  std::vector<Work> all;
  for (int number = 0; number < 4; number++)
    all.push_back(make_work(number, options));
  note("%s", how);
  sort_at_once(&all, sort_studied);
  conclude_all(all, how);
  for (const Work &work : all)
    ck_assert_msg(work.launches_refused == 0 && work.children_launched > 0, "%s; %s: %llu launches, %llu refused",
                  work.subject.label, how, static_cast<unsigned long long>(work.children_launched),
                  static_cast<unsigned long long>(work.launches_refused));
}
END_TEST

/* ---- One after another ----------------------------------------------------------------------------------------- */

/* All types in both orders, without a study and with one, over and over: when each of these had kernels of its own, a sort was
   lost after 20 to 264 rounds. */
START_TEST(test_all_kinds_in_turn) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.fan_out = CDP_FAN_OUT_CLASSIC;
  std::vector<Subject> subjects;
  for (int type = 0; type < TYPES; type++)
    subjects.push_back(make_room(type_at(type), (1 << 20) + 7));
  for (uint64_t round = 0; round < pick(300, 3); round++)
    for (Subject &subject : subjects)
      for (int order = 0; order < 2; order++) {
        char how[32];
        cdp_study study;
        snprintf(how, sizeof how, "round %llu", static_cast<unsigned long long>(round));
        options.order = static_cast<cdp_order>(order);
        fill(subject, Distribution::random, seed() + round);
        CHECK_SORT(sort_both_ways(subject, options, &study));
        check_sorted(subject, options.order, how);
        CHECK_STUDY(totals(study).launches_refused == 0, study, subject, how);
      }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_many_sorts");
  TCase *test_case = add_case(suite, "at once");
  tcase_add_checked_fixture(test_case, nullptr, destroy_streams);
  tcase_add_loop_test(test_case, test_async_at_once, 0, 2 * CDP_SCHEME_CONTROLLER);
  tcase_add_loop_test(test_case, test_studied_at_once, 0, CDP_SCHEME_CONTROLLER);
  test_case = add_case(suite, "in turn");
  tcase_add_test(test_case, test_all_kinds_in_turn);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
