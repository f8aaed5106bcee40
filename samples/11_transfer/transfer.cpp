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

extern "C" {
#include "chosen_device.h"
#include "csv_file.h"
#include "progress.h"
#include "sample_keys.h"
#include "text_table.h"
}

namespace transfer {

namespace {

constexpr char PROGRAM[] = "transfer";
constexpr char COLUMNS[] = "type,log2_count,memory,mode,to_device_ms,sort_ms,to_host_ms,total_ms,gigabytes_per_second";
constexpr uint64_t UNEQUAL_SHARE = 8; /* one in so many keys is not equal to the pivot where pivots might be lost */

const study_options HAS = {
    "u32",         nullptr,           {0, 0}, 0, "random", {16, 8}, {24, 14}, 0, PARTITION_LOG2_MOST, {3, 3}, nullptr,
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

/* What all functions need. */
struct Study {
  const study_arguments &wanted;
  sample_keys *keys; // room for the largest array
  csv_file *csv;
  bool simulated;
};

Work make_work(const Study &study, uint32_t exponent) {
  const sample_keys &keys = *study.keys;
  sample_keys_generate(study.keys, uint64_t{1} << exponent, &study.wanted);
  Work work = {{keys.given, keys.count, keys.type, keys.order}, study.wanted.settings.options, {}};
  median_of_sample(&work.given, work.pivot);
  return work;
}

/* The exponents of the sizes that are wanted. */
std::vector<uint32_t> exponents(const study_arguments &wanted) {
  std::vector<uint32_t> found;
  for (uint32_t exponent = 0; exponent <= PARTITION_LOG2_MOST; exponent++)
    if ((wanted.sizes >> exponent & 1) != 0)
      found.push_back(exponent);
  return found;
}

/* What does not happen has no time, which is another thing than none at all. */
std::string time_text(bool happens, double milliseconds, const char *otherwise) {
  char text[32];
  snprintf(text, sizeof text, "%.4f", milliseconds);
  return happens ? text : otherwise;
}

void put_row(const Study &study, text_table *table, const Work &work, uint32_t exponent, Memory memory, Mode mode, bool copied,
             const Times &times) {
  const double rate = ratio_of(static_cast<double>(bytes_of(work)) / 1e6, times.total);
  const bool brought = copied || (memory == Memory::managed && mode != Mode::cpu);
  text_table_add(table, "2^%" PRIu32 "\t%s\t%s\t%s\t%s\t%.4f\t%s\t%.4f\t%.4g", exponent, memory_name(memory), mode_name(mode),
                 time_text(copied, times.to_device, "-").c_str(), time_text(mode != Mode::gpu, times.partition, "-").c_str(),
                 times.sort, time_text(brought, times.to_host, "-").c_str(), times.total, rate);
  csv_row(study.csv, "%s,%" PRIu32 ",%s,%s,%s,%.6g,%s,%.6g,%.6g", type_name(work.given.type), exponent, memory_name(memory),
          mode_name(mode), time_text(copied, times.to_device, "").c_str(), times.sort,
          time_text(brought, times.to_host, "").c_str(), times.total, rate);
}

void measure_sizes(const Study &study, text_table *table) {
  for (const uint32_t exponent : exponents(study.wanted)) {
    const Work work = make_work(study, exponent);
    for (const Memory memory : memories(study.simulated)) {
      const MemoryPlace place(memory, bytes_of(work), study.simulated);
      progress_at(exponent, memory_name(memory));
      for (const Mode mode : {Mode::gpu, Mode::gpu_partition_cpu_sort, Mode::cpu}) {
        if (mode == Mode::cpu && memory != Memory::pageable)
          continue; // what the device has no part in is the same in all memory
        const bool copied = place.is_copied() && mode != Mode::cpu;
        put_row(study, table, work, exponent, memory, mode, copied, median_of_runs(place, work, mode, study.wanted.runs));
      }
    }
  }
}

/* Most keys become equal to the pivot; returns how many are. */
uint64_t make_most_equal(const Study &study, const Work &work) {
  const uint64_t pivot_rank = key_rank(work.pivot, 0, work.given.type);
  const size_t bytes = type_bytes(work.given.type);
  uint64_t equal = 0;
  for (uint64_t i = 0; i < work.given.count; i++) {
    if (i % UNEQUAL_SHARE != 0)
      memcpy(static_cast<char *>(study.keys->given) + i * bytes, work.pivot, bytes);
    equal += key_rank(work.given.keys, i, work.given.type) == pivot_rank ? 1 : 0;
  }
  return equal;
}

void look_for_lost_pivots(const Study &study) {
  printf("\nNo pivot may be lost: %" PRIu64 " of %" PRIu64
         " keys are equal to the pivot, partitioned by the device, sorted by the CPU\n",
         UNEQUAL_SHARE - 1, UNEQUAL_SHARE);
  for (const uint32_t exponent : exponents(study.wanted)) {
    const Work work = make_work(study, exponent);
    const uint64_t equal = make_most_equal(study, work);
    const MemoryPlace place(Memory::pageable, bytes_of(work), study.simulated);
    for (const cdp_partition_kind kind : {CDP_PARTITION_RESERVE, CDP_PARTITION_SCAN}) {
      cdp_parts parts;
      sort_one_way(place, work, Mode::gpu_partition_cpu_sort, kind, &parts);
      if (parts.equal_items != equal)
        throw Failure(EXIT_DATA, "check FAILED: " + std::to_string(parts.equal_items) +
                                     " keys are said to be equal to the pivot, and " + std::to_string(equal) + " are");
    }
    printf("  2^%-2" PRIu32 " keys: all %" PRIu64 " are there, by reserving and by scanning\n", exponent, equal);
  }
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

/* About as much as if the device sorted all: what it partitions, and what the host does, takes little beside that. */
void announce(const study_arguments &wanted) {
  double work = 0;
  for (const uint32_t exponent : exponents(wanted))
    work += (wanted.runs + 1) * work_of(uint64_t{1} << exponent);
  progress_begin(PROGRAM, greatest_log2(wanted.sizes) + 1,
                 announce_work(PROGRAM, wanted.settings.type, &wanted.settings.options, work));
}

/* What may go wrong is told, and what was measured before it is printed, too. An exit code. */
int measure_all(sample_keys *keys, const void *given, csv_file *csv) {
  const study_arguments &wanted = *static_cast<const study_arguments *>(given);
  const Study study = {wanted, keys, csv, was_simulated()};
  int code = EXIT_SORTED;
  text_table table;
  text_table_begin(&table, "rllrrrrrr");
  text_table_add(&table, "keys\tmemory\tmode\tto device\tpartition\tsort\tto host\ttotal\tGB/s");
  printf("%s keys, %s, %s, on %s\n\n", type_name(wanted.settings.type), wanted.distribution->name,
         order_name(wanted.settings.options.order), cdp_last_device());
  announce(wanted);
  const auto attempt = [&code](auto work) {
    try {
      work();
    } catch (const Failure &failure) {
      fprintf(stderr, "%s: %s\n", PROGRAM, failure.what());
      code = failure.code;
    } catch (const std::exception &failure) { // such as no more threads
      fprintf(stderr, "%s: %s\n", PROGRAM, failure.what());
      code = EXIT_DATA;
    }
  };
  attempt([&] {
    use_device_of_library(study.simulated);
    measure_sizes(study, &table);
  });
  progress_end();
  text_table_print(&table);
  if (code == EXIT_SORTED)
    attempt([&] { look_for_lost_pivots(study); });
  if (code == EXIT_SORTED)
    puts("\nCheck: every result is sorted, and a permutation of what was given");
  return code;
}

int run(void *wanted) {
  return run_study(PROGRAM, &HAS, COLUMNS, static_cast<study_arguments *>(wanted), measure_all, wanted);
}

} // namespace

} // namespace transfer

int main(int argument_count, char **words) {
  using namespace transfer;
  study_arguments wanted = {{CDP_U32, CDP_OPTIONS_INIT, CDP_TUNING_INIT}, 0, &DISTRIBUTIONS[0], 0, 0, nullptr};
  const sample_program program = {PROGRAM, take, print_help, run};
  return run_program(&program, argument_count, words, &wanted);
}
