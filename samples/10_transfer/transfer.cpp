/* SPDX-License-Identifier: MIT */
/*
 * transfer: what it costs to bring keys to the device and back, by kind of memory; and whether it is worth while to have the
 * device only partition. Run it with --help.
 *
 * 1. For every size, kind of memory (memory_place.h) and way to sort (ways.h) the parts of the time are measured.
 * 2. Every result is checked.
 * 3. Arrays of which most keys are equal to the pivot are partitioned by the device and sorted by the CPU: the program of
 *    Gimeno and Fulgencio (ways.h) loses such keys where many of them fall to few blocks.
 */
#include "ways.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

extern "C" {
#include "csv_file.h"
#include "chosen_device.h"
#include "progress.h"
#include "sample_keys.h"
#include "text_table.h"
}

namespace transfer {

namespace {

constexpr char PROGRAM[] = "transfer";
constexpr char COLUMNS[] = "type,log2_count,memory,mode,to_device_ms,sort_ms,to_host_ms,total_ms,gigabytes_per_second";
constexpr uint32_t RUNS_DEFAULT = 3;
constexpr uint32_t GPU_LOG2_LEAST = 16;
constexpr uint32_t GPU_LOG2_MOST = 24;
constexpr uint32_t SIMULATED_LOG2_LEAST = 8;
constexpr uint32_t SIMULATED_LOG2_MOST = 14;
constexpr uint64_t UNEQUAL_SHARE = 8; /* one in so many keys is not equal to the pivot where pivots might be lost */

const study_options HAS = {
    "u32",         nullptr,           0, "random", "16-24; on the simulated device 8-14", 0, PARTITION_LOG2_MOST, "3",
    "the figures", {nullptr, nullptr}};

bool take(void *wanted, argument_list *list, const argument *found) {
  return study_take(static_cast<study_arguments *>(wanted), &HAS, list, found);
}

void print_help() {
  puts("Usage: transfer [option...]\n"
       "Sorts generated keys that lie in host memory, and prints what bringing them to the device and back costs.\n");
  study_help(&HAS);
  settings_help(HAS.type, &HAS.refused);
  puts(
      "\n"
      "Memory: pageable and pinned memory is copied to device memory and back. Managed memory is not: its pages move when "
      "they\n"
      "are touched, to the device while it sorts, and back when the host reads one key of each page. On the simulated device,\n"
      "and without CUDA, there is pageable memory alone, and nothing to copy.\n"
      "\n"
      "Modes: gpu, the device sorts; gpu-partition-cpu-sort, the device partitions around the median of a sample, and two\n"
      "threads sort the parts; cpu, the CPU partitions as well.\n"
      "\n"
      "The columns, in milliseconds, are those of the run whose total is the median one. sort is what the device and the CPU "
      "did\n"
      "between the copies, partition the first part of it where there is one. total is by the host's clock: what it has more "
      "is\n"
      "the library's, above all the allocation of its workspace. GB/s: the bytes of the keys in the total.");
}

/* ---- Measuring ------------------------------------------------------------------------------------------------- */

/* Generated keys, kept as they were. */
class Keys {
public:
  Keys(const study_arguments &wanted, uint64_t count) : memory_(static_cast<size_t>(count) * type_bytes(wanted.settings.type)) {
    const cdp_options &options = wanted.settings.options;
    generate_keys(memory_.data(), count, wanted.settings.type, wanted.distribution, options.seed);
    work_.given = {memory_.data(), count, wanted.settings.type, options.order};
    work_.options = options;
    median_of_sample(&work_.given, work_.pivot);
  }

  /* Most keys become equal to the pivot. */
  void make_most_equal() {
    const size_t bytes = type_bytes(work_.given.type);
    for (uint64_t i = 0; i < work_.given.count; i++)
      if (i % UNEQUAL_SHARE != 0)
        memcpy(memory_.data() + i * bytes, work_.pivot, bytes);
  }

  const Work &work() const {
    return work_;
  }

  size_t bytes() const {
    return memory_.size();
  }

private:
  std::vector<unsigned char> memory_;
  Work work_ = {};
};

/* The figures, on both ways out. */
class Report {
public:
  explicit Report(csv_file *csv) : csv_(csv) {
    text_table_begin(&table_, "rllrrrrrr");
    text_table_add(&table_, "keys\tmemory\tmode\tto device\tpartition\tsort\tto host\ttotal\tGB/s");
  }
  ~Report() {
    text_table_end(&table_);
  }
  Report(const Report &) = delete;
  Report &operator=(const Report &) = delete;

  /* What does not happen has no time, which is another thing than none at all. */
  void add(const Keys &keys, uint32_t exponent, Memory memory, Mode mode, bool copied, const Times &times) {
    const double rate = ratio_of(static_cast<double>(keys.bytes()) / 1e6, times.total);
    const bool brought = copied || (memory == Memory::managed && mode != Mode::cpu);
    text_table_add(&table_, "2^%" PRIu32 "\t%s\t%s\t%s\t%s\t%.4f\t%s\t%.4f\t%.4g", exponent, memory_name(memory),
                   mode_name(mode), time_text(copied, times.to_device, "-", 4).c_str(),
                   time_text(mode != Mode::gpu, times.partition, "-", 4).c_str(), times.sort,
                   time_text(brought, times.to_host, "-", 4).c_str(), times.total, rate);
    csv_row(csv_, "%s,%" PRIu32 ",%s,%s,%s,%.6g,%s,%.6g,%.6g", type_name(keys.work().given.type), exponent, memory_name(memory),
            mode_name(mode), time_text(copied, times.to_device, "", 6).c_str(), times.sort,
            time_text(brought, times.to_host, "", 6).c_str(), times.total, rate);
  }

  void print() {
    text_table_print(&table_);
  }

private:
  static std::string time_text(bool happens, double milliseconds, const char *otherwise, int decimals) {
    char text[32];
    snprintf(text, sizeof text, "%.*f", decimals, milliseconds);
    return happens ? text : otherwise;
  }

  text_table table_;
  csv_file *csv_;
};

/* The exponents of the sizes that are wanted. */
std::vector<uint32_t> exponents(const study_arguments &wanted) {
  std::vector<uint32_t> found;
  for (uint32_t exponent = 0; exponent <= PARTITION_LOG2_MOST; exponent++)
    if ((wanted.sizes >> exponent & 1) != 0)
      found.push_back(exponent);
  return found;
}

void measure_sizes(const study_arguments &wanted, bool simulated, Report *report) {
  // That the device sorts: what it partitions, and what the host does, takes little beside that.
  double work = 0;
  for (const uint32_t exponent : exponents(wanted))
    work += (wanted.runs + 1) * work_of(uint64_t{1} << exponent);
  progress_begin(PROGRAM, greatest_log2(wanted.sizes) + 1,
                 announce_work(PROGRAM, wanted.settings.type, &wanted.settings.options, work));
  for (const uint32_t exponent : exponents(wanted)) {
    const Keys keys(wanted, uint64_t{1} << exponent);
    for (const Memory memory : memories(simulated)) {
      const MemoryPlace place(memory, keys.bytes(), simulated);
      progress_at(exponent, memory_name(memory));
      for (const Mode mode : {Mode::gpu, Mode::gpu_partition_cpu_sort, Mode::cpu}) {
        if (mode == Mode::cpu && memory != Memory::pageable)
          continue; // what the device has no part in is the same in all memory
        const bool copied = place.is_copied() && mode != Mode::cpu;
        report->add(keys, exponent, memory, mode, copied, median_of_runs(place, keys.work(), mode, wanted.runs));
      }
    }
  }
}

/* Keys equal to the pivot, counted one by one. */
uint64_t count_equal(const Work &work) {
  const uint64_t pivot_rank = key_rank(work.pivot, 0, work.given.type);
  uint64_t equal = 0;
  for (uint64_t i = 0; i < work.given.count; i++)
    equal += key_rank(work.given.keys, i, work.given.type) == pivot_rank ? 1 : 0;
  return equal;
}

void look_for_lost_pivots(const study_arguments &wanted, bool simulated) {
  printf("\nSeed 003's lost pivots: %" PRIu64 " of %" PRIu64
         " keys are equal to the pivot, partitioned by the device, sorted by "
         "the CPU\n",
         UNEQUAL_SHARE - 1, UNEQUAL_SHARE);
  for (const uint32_t exponent : exponents(wanted)) {
    Keys keys(wanted, uint64_t{1} << exponent);
    keys.make_most_equal();
    const MemoryPlace place(Memory::pageable, keys.bytes(), simulated);
    const uint64_t equal = count_equal(keys.work());
    for (const cdp_partition_kind kind : {CDP_PARTITION_RESERVE, CDP_PARTITION_SCAN}) {
      cdp_parts parts;
      sort_one_way(place, keys.work(), Mode::gpu_partition_cpu_sort, kind, &parts);
      if (parts.equal_items != equal)
        throw WrongResult(std::to_string(parts.equal_items) + " keys are said to be equal to the pivot, and " +
                          std::to_string(equal) + " are");
    }
    printf("  2^%-2" PRIu32 " keys: all %" PRIu64 " are there, by reserving and by scanning\n", exponent, equal);
  }
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

/* What was measured before something went wrong is printed, too. */
void measure_and_print(const study_arguments &wanted, bool simulated, Report *report) {
  try {
    measure_sizes(wanted, simulated, report);
  } catch (...) {
    progress_end();
    report->print();
    putchar('\n');
    throw;
  }
  progress_end();
  report->print();
}

int measure_all(const study_arguments &wanted, bool simulated, csv_file *csv) {
  use_device_of_library(simulated);
  printf("%s keys, %s, %s, on %s\n\n", type_name(wanted.settings.type), wanted.distribution->name,
         order_name(wanted.settings.options.order), cdp_last_device());
  Report report(csv);
  measure_and_print(wanted, simulated, &report);
  look_for_lost_pivots(wanted, simulated);
  puts("\nCheck: every result is sorted, and a permutation of what was given");
  return EXIT_SORTED;
}

/* The same, with what may go wrong told. An exit code. */
int try_all(const study_arguments &wanted, bool simulated, csv_file *csv) {
  try {
    return measure_all(wanted, simulated, csv);
  } catch (const LibraryFailure &failure) {
    fprintf(stderr, "%s: %s\n", PROGRAM, failure.what());
    return exit_code(failure.status);
  } catch (const WrongResult &failure) {
    printf("Check: FAILED, %s\n", failure.what());
    return EXIT_DATA;
  } catch (const TransferFailure &failure) {
    fprintf(stderr, "%s: %s\n", PROGRAM, failure.what());
    return dynamic_cast<const MemoryMissing *>(&failure) != nullptr ? EXIT_DATA : EXIT_LIBRARY;
  } catch (const std::bad_alloc &) {
    fprintf(stderr, "%s: not enough memory for so many keys\n", PROGRAM);
    return EXIT_DATA;
  } catch (const std::exception &failure) { // such as no more threads
    fprintf(stderr, "%s: %s\n", PROGRAM, failure.what());
    return EXIT_DATA;
  }
}

int run(void *given) {
  study_arguments *const wanted = static_cast<study_arguments *>(given);
  csv_file csv;
  int code = settle_device(PROGRAM, wanted->settings.type, &wanted->settings.options);
  if (code != EXIT_SORTED)
    return code;
  const bool simulated = was_simulated();
  if (wanted->sizes == 0)
    wanted->sizes =
        simulated ? sizes_between(SIMULATED_LOG2_LEAST, SIMULATED_LOG2_MOST) : sizes_between(GPU_LOG2_LEAST, GPU_LOG2_MOST);
  if (!csv_open(&csv, PROGRAM, wanted->csv, COLUMNS))
    return EXIT_DATA;
  code = try_all(*wanted, simulated, &csv);
  return csv_close(&csv) ? code : static_cast<int>(EXIT_DATA);
}

} // namespace

int main_of_words(int argument_count, char **words) {
  study_arguments wanted = {{CDP_U32, CDP_OPTIONS_INIT, CDP_TUNING_INIT}, 0, &DISTRIBUTIONS[0], 0, RUNS_DEFAULT, nullptr};
  const sample_program program = {PROGRAM, take, print_help, run};
  return run_program(&program, argument_count, words, &wanted);
}

} // namespace transfer

int main(int argument_count, char **words) {
  return transfer::main_of_words(argument_count, words);
}
