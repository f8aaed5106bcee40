/* SPDX-License-Identifier: MIT */
/*
 * bench: how fast the library sorts on this GPU, beside the sorters of the CUDA toolkit and of the host. Run it with --help.
 *
 * 1. arguments.cpp reads what is to be measured.
 * 2. For every type, number and distribution of keys measure.cpp lets all modes (modes.cpp, cuda_peers.cuh, host_peers.cpp)
 *    sort them in turns. The keys are made and the results judged on the device (device_data.cuh).
 * 3. report.cpp prints a table as it goes on. Its files are written anew after every step, so that a run that is cut short
 *    leaves what it has found, and what was there before where it has found nothing.
 */
#include "arguments.h"
#include "guard.h"
#include "report.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace bench {

namespace {

enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_COMMAND = 2 };

/* A run of the program. */
class Run {
public:
  explicit Run(const Command &command) : command_(command), facts_(gather_facts(command.seed, command.runs)) {}

  int measure_all() {
    print_facts(facts_);
    /* A path that cannot be written or read is found out before the hours are spent. */
    for (const std::string &path : {command_.csv, command_.json})
      if (!path.empty())
        require_writable(path);
    const std::vector<Speed> kept = command_.kept.empty() ? std::vector<Speed>() : read_speeds(command_.kept);
    try {
      for (const cdp_type type : command_.types)
        for (const uint64_t count : command_.counts)
          measure_count(type, count);
    } catch (const std::exception &failure) {
      fprintf(stderr, "bench: %s\n", failure.what());
      return EXIT_WRONG;
    }
    if (rows_.empty())
      fputs("bench: nothing was measured\n", stderr);
    const bool has_fallen = !command_.kept.empty() && !hold_against(kept);
    return faults_ != 0 || rows_.empty() || has_fallen ? EXIT_WRONG : EXIT_RIGHT;
  }

private:
  void measure_count(cdp_type type, uint64_t count) {
    const std::string label = std::to_string(count) + " " + device_data::type_name(type);
    try {
      Bench bench(type, count, command_.modes, command_.seed);
      for (const std::string &mode : bench.left_out())
        fprintf(stderr, "bench: %s: left out: %s\n", label.c_str(), mode.c_str());
      for (const Distribution distribution : command_.distributions) {
        report_progress(label, distribution);
        take_rows(bench.measure(distribution, command_.runs));
      }
    } catch (const DoesNotFit &failure) {
      fprintf(stderr, "bench: %s: left out: %s\n", label.c_str(), failure.what());
      steps_done_ += command_.distributions.size();
    }
  }

  /* Whether no ratio has fallen, and some were compared. */
  bool hold_against(const std::vector<Speed> &kept) const {
    std::vector<Speed> now;
    for (const Row &row : rows_)
      now.push_back({device_data::type_name(row.type), row.count, device_data::distribution_name(row.distribution),
                     row.mode->name, row.ratio_to_radix, row.ratio_to_merge});
    const Verdict verdict = compare(kept, now);
    print_verdict(command_.kept, verdict);
    return verdict.compared != 0 && verdict.falls.empty();
  }

  void report_progress(const std::string &label, Distribution distribution) {
    const size_t steps = command_.types.size() * command_.counts.size() * command_.distributions.size();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    steps_done_++;
    if (command_.progress || isatty(STDERR_FILENO) != 0)
      fprintf(stderr, "bench: %zu of %zu, after %.1f s: %s, %s\n", steps_done_, steps, elapsed.count(), label.c_str(),
              device_data::distribution_name(distribution));
  }

  void take_rows(const std::vector<Row> &rows) {
    print_rows(rows);
    for (const Row &row : rows) {
      rows_.push_back(row);
      faults_ += row.fault.empty() ? 0 : 1;
    }
    write_files();
  }

  void write_files() const {
    if (!command_.csv.empty())
      write_csv(command_.csv, rows_);
    if (!command_.json.empty())
      write_json(command_.json, facts_, rows_);
  }

  const Command &command_;
  const Facts facts_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<Row> rows_;
  size_t steps_done_ = 0;
  size_t faults_ = 0;
};

/* Whether CUDA has a device; says so where it has not. */
bool device_is_there() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0)
    return true;
  fprintf(stderr, "bench: no GPU can be used: %s\n", error == cudaSuccess ? "there is none" : cudaGetErrorString(error));
  return false;
}

int run(int argument_count, char **words) {
  Command command;
  if (!read_command(argument_count, words, &command))
    return EXIT_COMMAND;
  if (command.text != NO_TEXT) {
    if (command.text == HELP_TEXT)
      print_help();
    else
      print_version("bench");
    return EXIT_RIGHT;
  }
  unsetenv("CDPSORT_DEVICE"); /* the library is to sort where the keys are, as its peers do */
  if (!device_is_there())
    return EXIT_WRONG;
  return Run(command).measure_all();
}

} // namespace

} // namespace bench

int main(int argument_count, char **words) {
  int code = bench::EXIT_WRONG;
  try {
    code = bench::run(argument_count, words);
  } catch (const std::exception &failure) {
    fprintf(stderr, "bench: %s\n", failure.what());
  }
  if (fflush(stdout) != 0 || ferror(stdout) != 0) {
    fputs("bench: standard output cannot be written\n", stderr);
    return bench::EXIT_WRONG;
  }
  return code;
}
