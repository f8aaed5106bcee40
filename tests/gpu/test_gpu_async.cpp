/* SPDX-License-Identifier: MIT */
/*
 * cdp_quicksort_async() on the GPU: in stream order, without waiting, in a workspace of exactly the size asked for, captured
 * into graphs, on several streams at once; and what it refuses. Blocking calls of several host threads are here too.
 */
#include "gpu_check.h"

#include <cinttypes>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace gpu_check;

namespace {

std::vector<cudaStream_t> streams;
cudaGraph_t graph;
cudaGraphExec_t graph_exec;

/* A stream without the default stream's waiting for all others. */
cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  streams.push_back(stream);
  return stream;
}

void destroy_streams() {
  cudaDeviceSynchronize();
  if (graph_exec != nullptr)
    cudaGraphExecDestroy(graph_exec);
  if (graph != nullptr)
    cudaGraphDestroy(graph);
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  graph_exec = nullptr;
  graph = nullptr;
  streams.clear();
  cudaGetLastError();
}

/* A sort with all it needs. */
struct Job {
  Subject subject;
  Guarded workspace;
  cdp_options options;
  cudaStream_t stream;
};

Job make_job(cdp_type type, uint64_t count, const cdp_options &options, cudaStream_t stream) {
  Job job = {make_room(type, count, 1), {nullptr, nullptr, 0, 0}, options, stream};
  size_t bytes = 0;
  CHECK_SORT(cdp_quicksort_workspace(count, type, &options, &bytes));
  job.workspace = allocate_guarded(bytes);
  return job;
}

cdp_status launch(const Job &job) {
  const device_data::KeySpan &keys = job.subject.keys;
  return cdp_quicksort_async(keys.d_keys, keys.count, keys.type, &job.options, job.workspace.d_memory, job.workspace.bytes,
                             job.stream);
}

void judge_job(const Job &job) {
  judge(job.subject, job.options.order, job.stream);
  judge_guards(job.subject, job.workspace, job.stream);
}

cdp_options in_scheme(int index) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = scheme_at(index);
  return options;
}

/* Keys made by a kernel before it, judged by kernels after it, round after round without waiting. */
START_TEST(test_stream_order) {
  Job job = make_job(CDP_U32, pick(1 << 22, 1 << 16), in_scheme(_i), new_stream());
  for (uint64_t round = 0; round < pick(20, 3); round++) {
    fill(job.subject, distribution_at(round), seed() + round, job.stream);
    CHECK_SORT(launch(job));
    judge_job(job);
  }
  conclude(job.subject, scheme_name(job.options.scheme), job.stream);
}
END_TEST

/* The caller's streams of every kind: NULL, the legacy and the per-thread default, one with a priority. */
START_TEST(test_kinds_of_streams) {
  int least = 0;
  int greatest = 0;
  CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t urgent = nullptr;
  CHECK_CUDA(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
  streams.push_back(urgent);
  const cudaStream_t kinds[] = {nullptr, cudaStreamLegacy, cudaStreamPerThread, urgent};
  for (cudaStream_t stream : kinds) {
    Job job = make_job(CDP_F64, pick(1 << 20, 1 << 15), in_scheme(_i), stream);
    job.options.order = CDP_DESCENDING;
    fill(job.subject, Distribution::extremes, seed(), stream);
    CHECK_SORT(launch(job));
    judge_job(job);
    conclude(job.subject, "on one of the kinds of streams", stream);
  }
}
END_TEST

/* The call returns while the work before it still runs, and the sort waits for that work. */
START_TEST(test_returns_at_once) {
  Job job = make_job(CDP_U32, pick(1 << 22, 1 << 16), in_scheme(_i), new_stream());
  fill(job.subject, Distribution::random, seed(), job.stream);
  CHECK_SORT(launch(job)); // so that everything is loaded
  CHECK_CUDA(cudaStreamSynchronize(job.stream));
  uint32_t *flag = nullptr;
  CHECK_CUDA(cudaHostAlloc(reinterpret_cast<void **>(&flag), 2 * sizeof *flag, cudaHostAllocDefault));
  flag[0] = 0;
  flag[1] = 0;
  CHECK_CUDA(device_data::hold_stream(flag, job.stream));
  fill(job.subject, Distribution::random, seed() + 1, job.stream);
  const cdp_status status = launch(job);
  const cudaError_t state = cudaStreamQuery(job.stream);
  *static_cast<volatile uint32_t *>(flag) = 1;
  const cudaError_t ended = cudaStreamSynchronize(job.stream);
  const uint32_t held_too_long = flag[1];
  cudaFreeHost(flag);
  CHECK_SORT(status);
  ck_assert_msg(state == cudaErrorNotReady, "the stream was held, yet it says %d (%s)", static_cast<int>(state),
                cudaGetErrorString(state));
  CHECK_CUDA(ended);
  ck_assert_msg(held_too_long == 0, "the call waited until the hold gave up");
  judge_job(job);
  conclude(job.subject, "behind a held stream", job.stream);
}
END_TEST

/* The most keys that one block sorts, and a graph of one kernel does (cdpsort.h). */
uint64_t one_block_most(bool wide, uint32_t fan_out) {
  if (fan_out == CDP_FAN_OUT_CLASSIC)
    return wide ? CDP_LEAF_MAX_8_BYTES : CDP_LEAF_MAX_4_BYTES;
  return one_block_items(wide ? CDP_I64 : CDP_U32);
}

/* One block's, some tiles', and with levels of tasks. */
constexpr int GRAPH_COUNTS = 3;
uint64_t graph_count(int index, bool wide, uint32_t fan_out) {
  const uint64_t counts[GRAPH_COUNTS] = {one_block_most(wide, fan_out), 30011, pick((1 << 20) + 7, (1 << 17) + 7)};
  return counts[index];
}

/* Captures the job's sort. */
void capture(const Job &job) {
  CHECK_CUDA(cudaStreamBeginCapture(job.stream, cudaStreamCaptureModeGlobal));
  const cdp_status status = launch(job);
  const std::string message = cdp_last_message();
  const cudaError_t captured = cudaStreamEndCapture(job.stream, &graph);
  ck_assert_msg(status == CDP_OK, "captured: %s, CUDA error %d, \"%s\"", cdp_status_name(status), cdp_last_cuda_error(),
                message.c_str());
  CHECK_CUDA(captured);
  CHECK_CUDA(cudaGraphInstantiate(&graph_exec, graph, 0));
}

/* Every path, by the number of the test, in a workspace as large as an uncaptured call would need it: captured, and replayed three
   times over different keys, copied in between. Then, uncaptured, in the same workspace. */
START_TEST(test_graph) {
  static const Distribution distributions[] = {Distribution::random, Distribution::staggered, Distribution::distinct_256};
  const bool wide = _i % 2 != 0;
  const int size = _i / 2 % GRAPH_COUNTS;
  cdp_options options = in_scheme(_i / 2 / GRAPH_COUNTS % SCHEMES);
  options.fan_out = fan_out_at(_i / 2 / GRAPH_COUNTS / SCHEMES);
  options.order = static_cast<cdp_order>(_i % 2);
  Job job = make_job(wide ? CDP_I64 : CDP_U32, graph_count(size, wide, options.fan_out), options, new_stream());
  Subject source = make_room(job.subject.keys.type, job.subject.keys.count);
  capture(job);
  size_t nodes = 0;
  CHECK_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  ck_assert_msg(size == 0 ? nodes == 1 : nodes > 1, "the graph of %" PRIu64 " keys has %zu nodes", job.subject.keys.count,
                nodes);
  for (uint64_t replay = 0; replay <= 3; replay++) {
    fill(source, distributions[replay % 3], seed() + replay, job.stream);
    CHECK_CUDA(cudaMemcpyAsync(job.subject.keys.d_keys, source.keys.d_keys, source.memory.bytes, cudaMemcpyDeviceToDevice,
                               job.stream));
    CHECK_CUDA(device_data::oracle_note(job.subject.oracle, job.subject.keys, job.stream));
    note_sort(job.subject, options, "replayed from a graph");
    if (replay < 3)
      CHECK_CUDA(cudaGraphLaunch(graph_exec, job.stream));
    else
      CHECK_SORT(launch(job));
    judge_job(job);
  }
  conclude(job.subject, "replayed from a graph", job.stream);
}
END_TEST

/* A capture that the call refuses to take part in, since its workspace is too small, stays valid and empty; and so does the
   stream. */
START_TEST(test_graph_stays_valid) {
  Job job = make_job(CDP_U32, 30011, in_scheme(_i), new_stream());
  const device_data::KeySpan &keys = job.subject.keys;
  CHECK_CUDA(cudaStreamBeginCapture(job.stream, cudaStreamCaptureModeGlobal));
  const cdp_status status = cdp_quicksort_async(keys.d_keys, keys.count, keys.type, &job.options, job.workspace.d_memory,
                                                CDP_WORKSPACE_ALIGNMENT, job.stream);
  CHECK_CUDA(cudaStreamEndCapture(job.stream, &graph));
  ck_assert_msg(status == CDP_ERROR_WORKSPACE, "%s", cdp_status_name(status));
  size_t nodes = 1;
  CHECK_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  ck_assert_uint_eq(nodes, 0);
  fill(job.subject, Distribution::random, seed(), job.stream);
  CHECK_SORT(launch(job));
  judge_job(job);
  conclude(job.subject, "after a refused capture", job.stream);
}
END_TEST

/* Some streams, each with a workspace, at once; and the host launches on one of them. */
START_TEST(test_several_streams) {
  cdp_options other = in_scheme(1);
  other.order = CDP_DESCENDING;
  other.child_streams = CDP_STREAMS_NAMED;
  Job jobs[] = {make_job(CDP_U32, pick(1 << 23, 1 << 16), in_scheme(0), new_stream()),
                make_job(CDP_F32, pick((1 << 22) + 5, (1 << 15) + 5), other, new_stream()),
                make_job(CDP_U64, pick((1 << 22) + 9, (1 << 15) + 9), in_scheme(CDP_SCHEME_HOST - 1), new_stream())};
  for (uint64_t round = 0; round < pick(10, 2); round++)
    for (Job &job : jobs) {
      fill(job.subject, distribution_at(round), seed() + round, job.stream);
      CHECK_SORT(launch(job));
      judge_job(job);
    }
  for (const Job &job : jobs)
    conclude(job.subject, scheme_name(job.options.scheme), job.stream);
}
END_TEST

/* What a thread did, for the test to judge when it is over. */
struct ThreadReport {
  cdp_status status = CDP_OK;
  cdp_status wrong_call = CDP_OK;
  std::string message;
  std::string message_of_the_wrong_call;
};

void sort_in_thread(const std::vector<Subject> *subjects, bool provoke, ThreadReport *report) {
  for (const Subject &subject : *subjects) {
    const cdp_status status = cdp_quicksort(subject.keys.d_keys, subject.keys.count, subject.keys.type, nullptr);
    if (status != CDP_OK && report->status == CDP_OK) {
      report->status = status;
      report->message = cdp_last_message();
    }
    if (provoke) {
      report->wrong_call = cdp_quicksort(nullptr, 1000, CDP_U32, nullptr);
      report->message_of_the_wrong_call = cdp_last_message();
    } else if (status == CDP_OK && cdp_last_message()[0] != '\0') {
      report->status = CDP_ERROR_CUDA;
      report->message = std::string("a message after success: ") + cdp_last_message();
    }
  }
}

/* Host threads sort at once, one of them making mistakes; messages stay with their thread. */
START_TEST(test_two_threads) {
  std::vector<Subject> subjects[2];
  for (uint64_t index = 0; index < pick(6, 2); index++) {
    subjects[0].push_back(make_subject(CDP_U32, pick(1 << 22, 1 << 15), distribution_at(index)));
    subjects[1].push_back(make_subject(CDP_I64, pick(1 << 21, 1 << 14), distribution_at(index + 5)));
  }
  ThreadReport reports[2];
  std::thread other(sort_in_thread, &subjects[1], true, &reports[1]);
  sort_in_thread(&subjects[0], false, &reports[0]);
  other.join();
  for (const ThreadReport &report : reports)
    ck_assert_msg(report.status == CDP_OK, "%s: %s", cdp_status_name(report.status), report.message.c_str());
  ck_assert_msg(reports[1].wrong_call == CDP_ERROR_NULL && !reports[1].message_of_the_wrong_call.empty(), "no error: %s",
                cdp_status_name(reports[1].wrong_call));
  for (const std::vector<Subject> &of_thread : subjects)
    for (const Subject &subject : of_thread)
      check_sorted(subject, CDP_ASCENDING, "by one of two threads");
}
END_TEST

/* What the call refuses; each time the keys and everything around them stay as they were. */
START_TEST(test_refusals) {
  Job job = make_job(CDP_U32, 10007, in_scheme(0), new_stream());
  fill(job.subject, Distribution::sorted, seed(), job.stream);
  unsigned char *d_keys = job.subject.memory.d_memory;
  unsigned char *d_workspace = job.workspace.d_memory;
  const size_t bytes = job.workspace.bytes;
  const uint64_t count = job.subject.keys.count;
  static uint32_t host_keys[10007];
  cdp_options no_device = CDP_OPTIONS_INIT;
  no_device.device = CDP_DEVICE_CUDA(99);
  cdp_options simulated = CDP_OPTIONS_INIT;
  simulated.device = CDP_DEVICE_SIMULATED;
  cdp_options backwards = CDP_OPTIONS_INIT;
  backwards.order = CDP_DESCENDING; // so that a sort would be seen

  const struct {
    cdp_status wanted;
    const char *what;
    void *d_keys;
    cdp_type type;
    const cdp_options *options;
    void *d_workspace;
    size_t bytes;
  } calls[] = {
      {CDP_ERROR_WORKSPACE, "a workspace 1 byte too small", d_keys, CDP_U32, &backwards, d_workspace, bytes - 1},
      {CDP_ERROR_WORKSPACE, "a workspace of 0 bytes", d_keys, CDP_U32, &backwards, d_workspace, 0},
      {CDP_ERROR_WORKSPACE, "a workspace that overlaps the keys", d_workspace + 4, CDP_U32, &backwards, d_workspace, bytes},
      {CDP_ERROR_ALIGNMENT, "a workspace off its alignment", d_keys, CDP_U32, &backwards, d_workspace + 128, bytes},
      {CDP_ERROR_ALIGNMENT, "keys off their alignment", d_keys + 2, CDP_U32, &backwards, d_workspace, bytes},
      {CDP_ERROR_NULL, "no keys", nullptr, CDP_U32, &backwards, d_workspace, bytes},
      {CDP_ERROR_NULL, "no workspace", d_keys, CDP_U32, &backwards, nullptr, bytes},
      {CDP_ERROR_POINTER, "keys in host memory", host_keys, CDP_U32, &backwards, d_workspace, bytes},
      {CDP_ERROR_TYPE, "no type", d_keys, static_cast<cdp_type>(0), &backwards, d_workspace, bytes},
      {CDP_ERROR_NO_DEVICE, "a device that does not exist", d_keys, CDP_U32, &no_device, d_workspace, bytes},
      {CDP_ERROR_POINTER, "device memory for the simulated device", d_keys, CDP_U32, &simulated, d_workspace, bytes},
  };
  for (const auto &call : calls) {
    const cdp_status status =
        cdp_quicksort_async(call.d_keys, count, call.type, call.options, call.d_workspace, call.bytes, job.stream);
    ck_assert_msg(status == call.wanted, "%s: %s instead of %s: \"%s\"", call.what, cdp_status_name(status),
                  cdp_status_name(call.wanted), cdp_last_message());
    ck_assert_msg(cdp_last_message()[0] != '\0', "%s: no message", call.what);
  }
  std::vector<unsigned char> host_workspace(bytes + CDP_WORKSPACE_ALIGNMENT);
  void *aligned = host_workspace.data();
  size_t room = host_workspace.size();
  ck_assert(std::align(CDP_WORKSPACE_ALIGNMENT, bytes, aligned, room) != nullptr);
  CHECK_FAILS(CDP_ERROR_POINTER, cdp_quicksort_async(d_keys, count, CDP_U32, nullptr, aligned, bytes, job.stream));
  judge_job(job);
  conclude(job.subject, "after calls that were refused", job.stream);
  CHECK_SORT(launch(job));
  judge_job(job);
  conclude(job.subject, "in a workspace of exactly the size", job.stream);
}
END_TEST

/* Nothing to sort needs nothing. */
START_TEST(test_nothing_to_do) {
  size_t bytes = 1;
  CHECK_SORT(cdp_quicksort_workspace(0, CDP_U32, nullptr, &bytes));
  ck_assert_msg(bytes == 0, "%zu bytes for no keys", bytes);
  bytes = 1;
  CHECK_SORT(cdp_quicksort_workspace(1, CDP_F64, nullptr, &bytes));
  ck_assert_msg(bytes == 0, "%zu bytes for one key", bytes);
  CHECK_SORT(cdp_quicksort_async(nullptr, 0, CDP_U32, nullptr, nullptr, 0, nullptr));
  Job job = make_job(CDP_F64, 1, in_scheme(0), new_stream());
  fill(job.subject, Distribution::random, seed(), job.stream);
  CHECK_SORT(cdp_quicksort_async(job.subject.keys.d_keys, 1, CDP_F64, nullptr, nullptr, 0, job.stream));
  judge_job(job);
  conclude(job.subject, "one key", job.stream);
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_async");
  TCase *test_case = add_case(suite, "graphs");
  tcase_add_checked_fixture(test_case, nullptr, destroy_streams);
  tcase_add_loop_test(test_case, test_graph, 0, 2 * GRAPH_COUNTS * SCHEMES * FAN_OUT_KINDS);
  tcase_add_loop_test(test_case, test_graph_stays_valid, 0, SCHEMES);
  test_case = add_case(suite, "streams");
  tcase_add_checked_fixture(test_case, nullptr, destroy_streams);
  tcase_add_loop_test(test_case, test_stream_order, 0, SCHEMES);
  tcase_add_loop_test(test_case, test_returns_at_once, 0, SCHEMES);
  tcase_add_loop_test(test_case, test_kinds_of_streams, 0, SCHEMES);
  tcase_add_test(test_case, test_several_streams);
  tcase_add_test(test_case, test_two_threads);
  test_case = add_case(suite, "arguments");
  tcase_add_checked_fixture(test_case, nullptr, destroy_streams);
  tcase_add_test(test_case, test_refusals);
  tcase_add_test(test_case, test_nothing_to_do);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
