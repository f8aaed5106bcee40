/* SPDX-License-Identifier: MIT */
/*
 * graph_replays: a captured sort among other nodes of a graph, replayed a thousand times over keys that change.
 *
 *     fill ──▶ digest ──┬─▶ sort (cdp_quicksort_async()) ─────────┬─▶ judge ──▶ end
 *                       └─▶ memset ──▶ a kernel on other memory ──┘
 *
 * 1. Replays follow one another without the host. A round's keys are random, of 256 values, rising, or half of them equal.
 * 2. Then the sort alone is timed, captured and as a plain call, with random keys: the stream is held while the host launches, so
 *    that what is measured is the device's time. These sorts are judged, too.
 *
 * A row for each type and count on stdout. Exit code 0: no fault; 1: a fault, or a call failed; 2: the command line; 77: no GPU.
 */
#include "rounds.cuh"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
#include "command_line.h"
}

namespace graph_replays {

namespace {

using device_data::Findings;
using device_data::KeySpan;
using device_data::Oracle;

constexpr int EXIT_FAULT = 1;
constexpr int EXIT_NO_GPU = 77;
constexpr int TIMED_RUNS = 21;
constexpr uint64_t HOLD_NANOSECONDS = 300000; /* the host launches some 20 kernels meanwhile */

void require(cudaError_t error, const char *call) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "graph_replays: %s: %s\n", call, cudaGetErrorString(error));
  exit(EXIT_FAULT);
}
#define REQUIRE(call) require((call), #call)

void require_sort(cdp_status status, const char *call) {
  if (status == CDP_OK)
    return;
  fprintf(stderr, "graph_replays: %s: %s, CUDA error %d, \"%s\"\n", call, cdp_status_name(status), cdp_last_cuda_error(),
          cdp_last_message());
  exit(EXIT_FAULT);
}
#define REQUIRE_SORT(call) require_sort((call), #call)

struct Row {
  cdp_type type;
  uint64_t count;
  cdp_order order = CDP_ASCENDING;
};

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const cdp_type type : {CDP_U32, CDP_U64}) {
    for (int log2_count = 12; log2_count <= 26; log2_count += 2) {
      rows.push_back({type, uint64_t{1} << log2_count});
      if (log2_count == 20)
        rows.push_back({type, (uint64_t{1} << log2_count) + 1});
    }
    rows.push_back({type, uint64_t{1} << 27});
  }
  rows.push_back({CDP_U32, 1 << 20, CDP_DESCENDING});
  rows.push_back({CDP_I32, 1 << 20});
  rows.push_back({CDP_F32, 1 << 20});
  return rows;
}

template <typename Value>
Value *allocate(size_t count) {
  void *d_memory = nullptr;
  REQUIRE(cudaMalloc(&d_memory, count * sizeof(Value)));
  REQUIRE(cudaMemset(d_memory, 0, count * sizeof(Value)));
  return static_cast<Value *>(d_memory);
}

/* A captured graph, ready to be replayed. */
struct Graph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  size_t nodes = 0;

  void take(cudaStream_t stream) {
    REQUIRE(cudaStreamEndCapture(stream, &graph));
    REQUIRE(cudaGraphGetNodes(graph, nullptr, &nodes));
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0));
  }
  ~Graph() {
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
};

/* A row's memory and streams. */
template <typename Bits>
class Bench {
public:
  explicit Bench(const Row &of_row) : row(of_row), form(device_data::form_of(of_row.type)) {
    options.order = row.order;
    REQUIRE_SORT(cdp_quicksort_workspace(row.count, row.type, &options, &workspace_bytes));
    d_keys = allocate<Bits>(row.count);
    d_workspace = allocate<unsigned char>(workspace_bytes);
    d_rounds = allocate<Rounds>(1);
    d_filled = allocate<uint32_t>(BESIDE_WORDS);
    d_counts = allocate<uint32_t>(BESIDE_WORDS);
    REQUIRE(device_data::oracle_create(&oracle));
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    REQUIRE(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    for (cudaEvent_t *event : {&forked, &joined, &begun, &ended})
      REQUIRE(cudaEventCreate(event));
    REQUIRE(cudaDeviceSynchronize()); // a memset need not be done when it returns, and these streams wait for nobody
  }
  ~Bench() {
    for (void *d_memory : {static_cast<void *>(d_keys), static_cast<void *>(d_workspace), static_cast<void *>(d_rounds),
                           static_cast<void *>(d_filled), static_cast<void *>(d_counts), static_cast<void *>(oracle.d_before)})
      cudaFree(d_memory);
    for (cudaEvent_t event : {forked, joined, begun, ended})
      cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(beside);
  }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  /* Replays the whole graph; returns how many nodes it has. */
  size_t replay(uint64_t replays) {
    Graph graph;
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill(KINDS);
    REQUIRE(cudaEventRecord(forked, stream));
    REQUIRE(cudaStreamWaitEvent(beside, forked, 0));
    REQUIRE(cudaMemsetAsync(d_filled, BESIDE_BYTE, BESIDE_WORDS * sizeof *d_filled, beside));
    beside_kernel<<<BESIDE_WORDS / BLOCK_THREADS, BLOCK_THREADS, 0, beside>>>(d_filled, d_counts);
    REQUIRE(cudaGetLastError());
    REQUIRE(cudaEventRecord(joined, beside));
    sort();
    REQUIRE(cudaStreamWaitEvent(stream, joined, 0));
    judge(d_counts);
    graph.take(stream);
    for (uint64_t done = 0; done < replays; done++)
      REQUIRE(cudaGraphLaunch(graph.exec, stream));
    REQUIRE(cudaStreamSynchronize(stream));
    return graph.nodes;
  }

  /* The median of the sort alone, in milliseconds. */
  double time_graph() {
    Graph graph;
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    sort();
    graph.take(stream);
    return time([&] { REQUIRE(cudaGraphLaunch(graph.exec, stream)); });
  }
  double time_plain() {
    return time([&] { sort(); });
  }

  void read(Rounds *rounds, Findings *findings) const {
    REQUIRE(cudaMemcpy(rounds, d_rounds, sizeof *rounds, cudaMemcpyDeviceToHost));
    REQUIRE(device_data::oracle_read(oracle, findings, stream));
  }

private:
  void fill(uint32_t kinds) {
    fill_kernel<<<blocks_for(row.count), BLOCK_THREADS, 0, stream>>>(d_keys, row.count, form, kinds, d_rounds);
    REQUIRE(cudaGetLastError());
    REQUIRE(device_data::oracle_note(oracle, keys(), stream));
  }
  void sort() {
    REQUIRE_SORT(cdp_quicksort_async(d_keys, row.count, row.type, &options, d_workspace, workspace_bytes, stream));
  }
  void judge(const uint32_t *counts) {
    REQUIRE(device_data::oracle_judge(oracle, keys(), row.order, stream));
    end_kernel<<<1, BLOCK_THREADS, 0, stream>>>(d_rounds, counts);
    REQUIRE(cudaGetLastError());
  }
  KeySpan keys() const {
    return {d_keys, row.count, row.type};
  }

  template <typename Launch>
  double time(Launch launch) {
    std::vector<float> times;
    for (int run = 0; run <= TIMED_RUNS; run++) {
      float milliseconds = 0;
      fill(1);
      hold_kernel<<<1, 1, 0, stream>>>(HOLD_NANOSECONDS);
      REQUIRE(cudaGetLastError());
      REQUIRE(cudaEventRecord(begun, stream));
      launch();
      REQUIRE(cudaEventRecord(ended, stream));
      judge(nullptr);
      REQUIRE(cudaStreamSynchronize(stream));
      REQUIRE(cudaEventElapsedTime(&milliseconds, begun, ended));
      if (run != 0) // the first one loads what there is to be loaded
        times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    return static_cast<double>(times[TIMED_RUNS / 2]);
  }

  const Row row;
  const Form form;
  cdp_options options = CDP_OPTIONS_INIT;
  size_t workspace_bytes = 0;
  Bits *d_keys = nullptr;
  unsigned char *d_workspace = nullptr;
  Rounds *d_rounds = nullptr;
  Oracle oracle = {};
  uint32_t *d_filled = nullptr;
  uint32_t *d_counts = nullptr;
  cudaStream_t stream = nullptr;
  cudaStream_t beside = nullptr;
  cudaEvent_t forked = nullptr, joined = nullptr, begun = nullptr, ended = nullptr;
};

struct Result {
  size_t nodes = 0;
  Rounds rounds = {};
  Findings findings = {};
  double graph_ms = 0;
  double plain_ms = 0;

  unsigned long long faults() const {
    return findings.disorders + findings.wrong_digests + rounds.wrong_beside;
  }
};

/* What the command line says. */
struct Command {
  uint64_t replays = 1000;
  uint64_t max_count = UINT64_MAX;
  const char *csv_path = nullptr;
};

/* A row of the table, in one of two dresses. */
void print_row(FILE *file, const char *format, const Row &row, const Result &result) {
  fprintf(file, format, device_data::type_name(row.type), row.order == CDP_DESCENDING ? "descending" : "ascending", row.count,
          result.nodes, result.rounds.beside, result.findings.judgements, result.faults(), result.graph_ms, result.plain_ms,
          result.graph_ms / result.plain_ms);
  fflush(file);
}

/* False if there was a fault. */
template <typename Bits>
bool run_row(const Row &row, uint64_t replays, FILE *csv) {
  Bench<Bits> bench(row);
  Result result;
  result.nodes = bench.replay(replays);
  result.graph_ms = bench.time_graph();
  result.plain_ms = bench.time_plain();
  bench.read(&result.rounds, &result.findings);
  print_row(stdout, "%-4s %-10s %9" PRIu64 " %5zu %7llu %7llu %6llu %9.4f %9.4f %6.3f\n", row, result);
  if (csv != nullptr)
    print_row(csv, "%s,%s,%" PRIu64 ",%zu,%llu,%llu,%llu,%.5f,%.5f,%.4f\n", row, result);
  const bool all_ran = result.rounds.beside == replays && result.findings.judgements == replays + 2 * (TIMED_RUNS + 1);
  if (result.faults() != 0 || !all_ran)
    printf("FAULT: %llu neighbours out of order, %llu rounds with other keys, %llu words wrong beside the sort%s\n",
           result.findings.disorders, result.findings.wrong_digests, result.rounds.wrong_beside,
           all_ran ? "" : "; not every round ran");
  return result.faults() == 0 && all_ran;
}

int run(void *given) {
  const Command &command = *static_cast<Command *>(given);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    fputs("graph_replays: no GPU can be used\n", stderr);
    return EXIT_NO_GPU;
  }
  unsetenv("CDPSORT_DEVICE");
  FILE *csv = command.csv_path != nullptr ? fopen(command.csv_path, "w") : nullptr;
  if (command.csv_path != nullptr && csv == nullptr) {
    perror(command.csv_path);
    return EXIT_FAULT;
  }
  if (csv != nullptr)
    fputs("type,order,count,nodes,replays,checked,faults,graph_ms,plain_ms,ratio\n", csv);
  puts("type order          count nodes replays checked faults  graph ms  plain ms  ratio");
  uint64_t faulty = 0;
  uint64_t done = 0;
  for (const Row &row : all_rows()) {
    if (row.count > command.max_count)
      continue;
    const bool is_good = device_data::key_bytes(row.type) == 4 ? run_row<uint32_t>(row, command.replays, csv)
                                                               : run_row<uint64_t>(row, command.replays, csv);
    faulty += is_good ? 0 : 1;
    done++;
  }
  printf("graph_replays: %" PRIu64 " rows of %" PRIu64 " replays, %" PRIu64 " with a fault\n", done, command.replays, faulty);
  const bool is_written = csv == nullptr || fclose(csv) == 0;
  return is_written && faulty == 0 && done != 0 ? EXIT_SUCCESS : EXIT_FAULT;
}

void help() {
  puts("Usage: graph_replays [option...]\n"
       "Replays graphs with a captured sort in them on the GPU, and checks and times them.\n\n"
       "  --replays N      of each graph (1000)\n"
       "  --max-count N    leaves out rows of more keys, such as 2^24\n"
       "  --csv FILE       writes the table there, too\n"
       "  --help           this text (-h)\n\n"
       "Exit code: 0 no fault; 1 a fault or a failed call; 2 the command line; 77 no GPU.");
}

bool take(void *into, argument_list *list, const argument *found) {
  Command *command = static_cast<Command *>(into);
  const std::string name = found->name;
  if (name == "--csv")
    return take_path(list, found, &command->csv_path);
  if (name != "--replays" && name != "--max-count") {
    usage_error(list, "nothing is known of '%s'", found->name[0] != '\0' ? found->name : found->value);
    return false;
  }
  uint64_t *number = name == "--replays" ? &command->replays : &command->max_count;
  const char *value = argument_value(list, found);
  if (value == nullptr)
    return false;
  if (parse_count(value, number) && *number >= 1)
    return true;
  usage_error(list, "%s wants a number of at least 1, not '%s'", found->name, value);
  return false;
}

} // namespace

} // namespace graph_replays

int main(int count, char **words) {
  graph_replays::Command command;
  const sample_program program = {"graph_replays", graph_replays::take, graph_replays::help, graph_replays::run};
  return run_program(&program, count, words, &command);
}
