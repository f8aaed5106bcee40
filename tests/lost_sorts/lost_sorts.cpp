/* SPDX-License-Identifier: MIT */
/*
 * lost_sorts: sorts over and over, every distribution in turn, until the time is up or a sort does not complete.
 *
 * With driver 580, sorts whose launches fill much of the pending-launch limit sometimes never complete (docs/performance.md,
 * "Pending launches"). How often depends on the limit and on how many tasks a wave may start, which are options here. Not a
 * test: it is made by `cmake --build build --target lost_sorts` and run by hand, for as long as it takes.
 *
 * Exit code 3 if a sort was lost; 1 if a call fails or keys come out unsorted.
 */
#include "device_data.cuh"
#include "engine.h"
#include "unfinished.h"

extern "C" {
#include "options.h"
#include "plan.h"
#include "sort_settings.h"
}

#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int EXIT_LOST = 3;
constexpr milliseconds PATIENCE(4000); /* no sort takes so long */
constexpr uint32_t TRACE_EVENTS = 1 << 16;

struct Wanted {
  sort_settings settings;
  uint64_t count;
  uint64_t seconds;
  uint64_t limit;  /* 0: as it is */
  uint64_t budget; /* 0: the library's */
  bool traced;
};

void check(bool done, const char *call, const char *why) {
  if (done)
    return;
  fprintf(stderr, "lost_sorts: %s: %s\n", call, why);
  exit(EXIT_DATA);
}
#define CHECK_CUDA(call)                                                                                                       \
  do {                                                                                                                         \
    const cudaError_t error = (call);                                                                                          \
    check(error == cudaSuccess, #call, cudaGetErrorString(error));                                                             \
  } while (false)
#define CHECK_ENGINE(call)                                                                                                     \
  do {                                                                                                                         \
    cdp_fault fault = {0, ""};                                                                                                 \
    check((call) == CDP_OK, #call, fault.text);                                                                                \
  } while (false)

bool take(void *command, argument_list *list, const argument *found) {
  Wanted *wanted = static_cast<Wanted *>(command);
  const struct {
    const char *name;
    uint64_t *number;
  } own[] = {
      {"--count", &wanted->count}, {"--seconds", &wanted->seconds}, {"--limit", &wanted->limit}, {"--budget", &wanted->budget}};
  for (const auto &option : own)
    if (strcmp(found->name, option.name) == 0) {
      const char *value = argument_value(list, found);
      if (value == nullptr)
        return false;
      if (parse_count(value, option.number))
        return true;
      usage_error(list, "%s wants a number, not '%s'", option.name, value);
      return false;
    }
  if (strcmp(found->name, "--traced") == 0) {
    wanted->traced = true;
    return argument_has_no_value(list, found);
  }
  return settings_take(&wanted->settings, list, found);
}

void help() {
  printf("Usage: lost_sorts [option...]\n"
         "Sorts over and over on the GPU until a sort does not complete, or the time is up.\n\n"
         "  --count N        how many keys (2^20)\n"
         "  --seconds N      for how long (10)\n"
         "  --limit N        the pending-launch limit (0: as it is)\n"
         "  --budget N       tasks that a wave may start (0: as many as the library finds right for the limit)\n"
         "  --traced         trace every sort, and print what is left of the lost one; otherwise every second is studied\n"
         "  --help           this text (-h)\n");
  settings_help("u32");
}

/* A sort planned once, and the memory that it is done in. */
struct Bench {
  const cdp_engine *engine = cdp_engine_cuda();
  cdp_plan plan = {};
  device_data::KeySpan keys = {};
  device_data::Oracle oracle = {};
  std::vector<cdp_trace_event> events;
};

void prepare(const Wanted &wanted, Bench *bench) {
  int previous = 0;
  cdp_device_facts facts = {};
  cdp_options resolved;
  CHECK_ENGINE(bench->engine->enter(0, &previous, &fault));
  if (wanted.limit != 0)
    CHECK_ENGINE(bench->engine->set_pending_limit(static_cast<uint32_t>(wanted.limit), &fault));
  CHECK_ENGINE(bench->engine->describe(0, &facts, &fault));
  const cdp_type type = wanted.settings.type;
  check(cdp_options_resolve(&wanted.settings.options, type, &resolved) == CDP_OK, "options", cdp_last_message());
  check(cdp_plan_make(&resolved, type, wanted.count, &facts, &bench->plan) == CDP_OK, "the plan", cdp_last_message());
  cdp_request &request = bench->plan.request;
  if (wanted.budget != 0)
    request.task_budget = static_cast<uint32_t>(wanted.budget);
  CHECK_CUDA(cudaMalloc(&request.d_keys, bench->plan.room.keys_room_bytes));
  CHECK_CUDA(cudaMalloc(&request.d_workspace, bench->plan.room.workspace_bytes));
  if (wanted.traced) {
    request.trace_capacity = TRACE_EVENTS;
    bench->events.resize(TRACE_EVENTS);
    CHECK_CUDA(cudaMalloc(&request.d_trace, cdp_engine_trace_bytes(TRACE_EVENTS)));
  }
  bench->keys = {request.d_keys, request.count, type};
  CHECK_CUDA(device_data::oracle_create(&bench->oracle));
  printf("limit %u, %" PRIu32 " tasks in a wave of at most %" PRIu32 "\n", static_cast<unsigned>(facts.pending_limit),
         request.task_budget, request.task_capacity);
}

/* What the watching thread reads. */
struct Progress {
  std::atomic<uint64_t> sorts{0};
  std::atomic<const char *> distribution{""};
};

/* The copy goes by a stream of its own, which a lost sort does not hold up. */
void print_what_is_left(const Bench &bench) {
  const size_t bytes = cdp_engine_trace_bytes(TRACE_EVENTS);
  void *trace = nullptr;
  cudaStream_t stream = nullptr;
  if (cudaMallocHost(&trace, bytes) != cudaSuccess ||
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
      cudaMemcpyAsync(trace, bench.plan.request.d_trace, bytes, cudaMemcpyDeviceToHost, stream) != cudaSuccess)
    return;
  for (int wait = 0; wait < 100 && cudaStreamQuery(stream) == cudaErrorNotReady; wait++)
    std::this_thread::sleep_for(milliseconds(20));
  if (cudaStreamQuery(stream) == cudaSuccess)
    print_unfinished(trace, TRACE_EVENTS);
}

/* Ends the program when the number of sorts has stood still for too long. */
void watch(const Bench &bench, const Progress &progress, Clock::time_point begin) {
  uint64_t seen = 0;
  Clock::time_point since = Clock::now();
  for (;; std::this_thread::sleep_for(milliseconds(100))) {
    const uint64_t sorts = progress.sorts;
    if (sorts != seen) {
      seen = sorts;
      since = Clock::now();
    }
    if (Clock::now() - since < PATIENCE)
      continue;
    const double seconds = std::chrono::duration<double>(since - begin).count();
    printf("LOST after %.1f s and %" PRIu64 " sorts that completed: %s\n", seconds, seen, progress.distribution.load());
    if (bench.plan.request.d_trace != nullptr)
      print_what_is_left(bench);
    fflush(stdout);
    _exit(EXIT_LOST);
  }
}

int run(void *command) {
  const Wanted &wanted = *static_cast<Wanted *>(command);
  Bench bench;
  Progress progress;
  prepare(wanted, &bench);
  const Clock::time_point begin = Clock::now();
  std::thread(watch, std::cref(bench), std::cref(progress), begin).detach();
  uint64_t refused = 0;
  uint32_t waves_most = 0;
  uint64_t sorts = 0;
  for (; Clock::now() - begin < std::chrono::seconds(wanted.seconds); sorts++) {
    const auto distribution = static_cast<device_data::Distribution>(sorts / 2 % device_data::DISTRIBUTIONS);
    progress.distribution = device_data::distribution_name(distribution);
    CHECK_CUDA(device_data::generate(bench.keys, distribution, sorts + 1, nullptr));
    CHECK_CUDA(device_data::oracle_note(bench.oracle, bench.keys, nullptr));
    cdp_study study = {};
    cdp_trace trace = {bench.events.data(), bench.events.size(), 0, 0};
    cdp_gathering gathering = {0, wanted.traced || sorts % 2 != 0 ? &study : nullptr, wanted.traced ? &trace : nullptr};
    CHECK_ENGINE(bench.engine->sort(&bench.plan.request, &gathering, &fault));
    CHECK_CUDA(device_data::oracle_judge(bench.oracle, bench.keys, bench.plan.request.order, nullptr));
    refused += study.total.launches_refused;
    waves_most = study.waves > waves_most ? study.waves : waves_most;
    progress.sorts++;
  }
  device_data::Findings findings = {};
  CHECK_CUDA(device_data::oracle_read(bench.oracle, &findings, nullptr));
  printf("all %" PRIu64 " sorts completed; in up to %" PRIu32 " waves, %" PRIu64
         " launches refused; %llu neighbours out of order, "
         "%llu times other keys than before\n",
         sorts, waves_most, refused, findings.disorders, findings.wrong_digests);
  fflush(stdout);
  _exit(findings.disorders + findings.wrong_digests == 0 ? EXIT_SORTED
                                                         : EXIT_DATA); // the watching thread must not outlive this
}

} // namespace

int main(int count, char **words) {
  Wanted wanted = {{CDP_U32, CDP_OPTIONS_INIT}, 1 << 20, 10, 0, 0, false};
  const sample_program program = {"lost_sorts", take, help, run};
  return run_program(&program, count, words, &wanted);
}
