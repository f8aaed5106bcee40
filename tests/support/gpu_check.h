/* SPDX-License-Identifier: MIT */
/*
 * What the GPU's test programs share: their main function, keys in guarded device memory with an oracle of their own, and
 * checks that end a test with everything there is to know about the failure.
 *
 * The environment: CDPSORT_TEST_REQUIRE_GPU=1 makes a missing GPU a failure, not a skip; CDPSORT_TEST_QUICK=1 asks for small
 * sizes; CDPSORT_TEST_SEED is the seed of all keys (1). CDPSORT_DEVICE is taken out of it.
 *
 * Tests run without fork, and a failed one jumps out: what is to be released is on a list here, never in a destructor.
 *
 * A sort that never completes cannot be told from outside, and Check writes its log when a test ends. So a program that is ended
 * by SIGTERM (tests/gpu_run.sh does it after a while) or SIGALRM says first which test and which sort it was at.
 */
#ifndef CDPSORT_TESTS_GPU_CHECK_H
#define CDPSORT_TESTS_GPU_CHECK_H

#include "device_data.cuh"
#include "study_total.h"

#include <cdpsort/tuning.h>

#include <check.h>

namespace gpu_check {

using device_data::Distribution;

/* Runs a program's suite, if there is a GPU; the exit code. */
int run(Suite *(*make_suite)());

/* Its two halves, for a program that must not look for a GPU before its tests. find_gpu() returns 0, or what to exit with. */
int find_gpu();
int run_tests(Suite *(*make_suite)());

bool quick();
uint64_t seed();
inline uint64_t pick(uint64_t whole, uint64_t quick_one) {
  return quick() ? quick_one : whole;
}

/* A test case whose memory is released after each test. */
TCase *add_case(Suite *suite, const char *name);

/* End the test unless the call succeeds. */
void require_cuda(cudaError_t error, const char *call, const char *file, int line);
void require_status(cdp_status status, cdp_status wanted, const char *call, const char *file, int line);
#define CHECK_CUDA(call) gpu_check::require_cuda((call), #call, __FILE__, __LINE__)
#define CHECK_SORT(call) gpu_check::require_status((call), CDP_OK, #call, __FILE__, __LINE__)
/* The call fails with this status, and says something about it. */
#define CHECK_FAILS(wanted, call) gpu_check::require_status((call), (wanted), #call, __FILE__, __LINE__)

/* Device memory between two guard zones; released after the test. Its contents are a pattern that is nobody's zero. */
struct Guarded {
  unsigned char *d_base;
  unsigned char *d_memory; /* as aligned as cudaMalloc()'s, plus `ahead_bytes` */
  size_t bytes;
  size_t ahead_bytes;
};
Guarded allocate_guarded(size_t bytes, size_t ahead_bytes = 0);

/* Keys under test. `label` says what they are. */
struct Subject {
  Guarded memory;
  device_data::KeySpan keys;
  device_data::Oracle oracle;
  char label[160];
};

/* What the program is at, for whoever ends it; fill() and what sorts a Subject here say it themselves. One thread at a time. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void note_sort(const Subject &subject, const cdp_options &options, const char *how);

/* Room for keys, `ahead_items` past a well-aligned address. */
Subject make_room(cdp_type type, uint64_t count, uint64_t ahead_items = 0);

/* Fills it, and has the oracle take note. Asynchronous. */
void fill(Subject &subject, Distribution distribution, uint64_t seed, cudaStream_t stream = nullptr);

/* Both, with the program's seed. */
Subject make_subject(cdp_type type, uint64_t count, Distribution distribution, uint64_t ahead_items = 0);

/* Releases it before the end of the test. */
void release(const Subject &subject);

/* Has keys, their guards, and those of a workspace judged behind the stream's work. Asynchronous. */
void judge(const Subject &subject, cdp_order order, cudaStream_t stream = nullptr);
void judge_guards(const Subject &subject, const Guarded &workspace, cudaStream_t stream = nullptr);

/* Waits for the stream, and ends the test unless all judgements so far were in favour. `how` says how it was sorted. */
void conclude(const Subject &subject, const char *how, cudaStream_t stream = nullptr);

/* All of it, for keys that a blocking call has sorted. */
void check_sorted(const Subject &subject, cdp_order order, const char *how);

/* A study's counts, over all depths. */
inline cdp_study_depth totals(const cdp_study &study) {
  return study_total(&study);
}

/* Ends the test unless the condition holds, with the whole study. */
void require_study(bool condition, const char *text, const cdp_study &study, const Subject &subject, const char *how);
#define CHECK_STUDY(condition, study, subject, how) gpu_check::require_study((condition), #condition, (study), (subject), (how))

/* Sorts without a study, has the keys judged, and sorts them, as they were before, with one: a sort that nobody studies has
   kernels of its own. Returns the status of the first that fails; the second result is the caller's to have judged. */
cdp_status sort_both_ways(const Subject &subject, const cdp_options &options, cdp_study *study);

/* Does that, and checks the keys and what is true of every study of a sort whose limits suffice. */
cdp_study study_and_check(const Subject &subject, const cdp_options &options, const char *how);

/* Sorts by the asynchronous call, on the default stream and in a workspace of exactly the size asked for, and checks it. */
void sort_async_and_check(const Subject &subject, const cdp_options &options, const char *how);

/* Names of options, and their number. */
const char *scheme_name(cdp_scheme scheme);
const char *pivot_name(cdp_pivot pivot);
constexpr int SCHEMES = CDP_SCHEME_HOST;
constexpr int PIVOTS = CDP_PIVOT_MEAN;
constexpr int TYPES = CDP_F64;
constexpr int FAN_OUT_KINDS = 2;

/* Sizes of device/tuning.h for the current device: the most keys that one block sorts by itself, a tile; and the most, spread
   evenly, that a map scatters at once. */
uint64_t one_block_items(cdp_type type);
uint64_t one_scatter_items(cdp_type type);

/* With tasks, whatever the length, but where one block sorts it all. */
constexpr cdp_tuning WITHOUT_SHORT = {sizeof(cdp_tuning), CDP_DISABLE_SHORT, 0, 0, 0, 0, 0};

/* As many children to a task as there are by default, or two. */
inline uint32_t fan_out_at(int index) {
  return index % FAN_OUT_KINDS == 0 ? 0 : CDP_FAN_OUT_CLASSIC;
}
const char *fan_out_name(uint32_t fan_out);

inline cdp_scheme scheme_at(int index) {
  return static_cast<cdp_scheme>(CDP_SCHEME_LAST_BLOCK + index);
}
inline cdp_type type_at(int index) {
  return static_cast<cdp_type>(CDP_U32 + index);
}
inline Distribution distribution_at(uint64_t index) {
  return static_cast<Distribution>(index % device_data::DISTRIBUTIONS);
}

/* Has what `sort` launches on a stream, and whose status it returns, captured into a graph, and replays that over other keys, each
   time judged. `behind` may launch or judge something more behind each replay. */
template <typename Sort, typename Behind>
void capture_and_replay(Subject &subject, cudaStream_t stream, Sort sort, Behind behind) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cdp_status status = sort();
  const cudaError_t captured = cudaStreamEndCapture(stream, &graph);
  CHECK_SORT(status); // first: it has a message
  CHECK_CUDA(captured);
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (uint64_t replay = 0; replay < 3; replay++) {
    fill(subject, distribution_at(replay * 5), seed() + replay, stream);
    CHECK_CUDA(cudaGraphLaunch(exec, stream));
    judge(subject, CDP_ASCENDING, stream);
    behind();
  }
  conclude(subject, "replayed from a graph", stream);
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
}

} // namespace gpu_check

#endif
