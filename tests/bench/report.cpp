/* SPDX-License-Identifier: MIT */
/* Table, CSV and JSON: see report.h. A mode without a workspace has no extra memory to report: "-", nothing, or null. */
#include "report.h"

#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>

extern "C" {
#include "output_file.h"
}

namespace bench {

/* ---- Facts --------------------------------------------------------------------------------------------------------------- */

static std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/* CUDA tells of the greatest CUDA version that the driver knows, but not of the driver's own: Linux does. */
static std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word)
    if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos)
      return word;
  return "unknown";
}

static std::string date_now() {
  char text[32];
  std::tm parts;
  const std::time_t now = std::time(nullptr);
  gmtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Facts gather_facts(uint64_t seed, uint32_t runs) {
  int ordinal = 0;
  int driver_cuda = 0;
  cudaDeviceProp properties;
  REQUIRE(cudaGetDevice(&ordinal));
  REQUIRE(cudaGetDeviceProperties(&properties, ordinal));
  REQUIRE(cudaDriverGetVersion(&driver_cuda));
  const int version = cdp_version();
  return {std::string(properties.name) + " (compute capability " + std::to_string(properties.major) + "." +
              std::to_string(properties.minor) + ", " + std::to_string(properties.multiProcessorCount) + " multiprocessors)",
          driver_version() + " (CUDA " + version_text(driver_cuda) + ")",
          version_text(CUDART_VERSION),
          std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100),
          date_now(),
          seed,
          runs};
}

/* ---- The table ----------------------------------------------------------------------------------------------------------- */

void print_facts(const Facts &facts) {
  printf("%s; driver %s; toolkit %s; cdpsort %s; %s\n", facts.device.c_str(), facts.driver.c_str(), facts.toolkit.c_str(),
         facts.library.c_str(), facts.date.c_str());
  printf(
      "Keys by seed %" PRIu64 "; %" PRIu32 " runs after %" PRIu32 " warm-ups, the modes in turns.\n"
      "Spread: (max - min) / median. x radix, x merge: how fast it is, cub-radix or cub-merge being 1, with values cub-pairs4\n"
      "or cub-pairs8. Extra: memory of the workspace beyond a second array of keys, and of values where there are some.\n",
      facts.seed, facts.runs, WARM_UPS);
}

/* "0.93", or "-" where it is not known. */
static std::string ratio_text(double ratio) {
  char text[32] = "-";
  if (ratio > 0)
    snprintf(text, sizeof text, "%.3f", ratio);
  return text;
}

static void print_row(const Row &row) {
  if (!row.fault.empty()) {
    printf("%-18s  FAILED: %s\n", row.mode->name, row.fault.c_str());
    return;
  }
  printf("%-18s %11.4f %11.4f %11.4f %7.1f%% %9.3f %8s %8s", row.mode->name, row.median(), row.least(), row.most(),
         row.spread_percent(), row.gkeys_per_s(), ratio_text(row.ratio_to_radix).c_str(),
         ratio_text(row.ratio_to_merge).c_str());
  if (row.mode->takes_workspace)
    printf(" %13" PRId64 " %8.3f%%\n", row.extra_bytes(), row.extra_percent());
  else
    printf(" %13s %9s\n", "-", "-");
}

void print_rows(const std::vector<Row> &rows) {
  if (rows.empty())
    return;
  const Row &first = rows.front();
  printf("\n%" PRIu64 " %s, %s\n", first.count, device_data::type_name(first.type),
         device_data::distribution_name(first.distribution));
  printf("%-18s %11s %11s %11s %8s %9s %8s %8s %13s %9s\n", "mode", "median ms", "min ms", "max ms", "spread", "Gkeys/s",
         "x radix", "x merge", "extra bytes", "of keys");
  for (const Row &row : rows)
    print_row(row);
  fflush(stdout);
}

void print_verdict(const std::string &kept, const Verdict &verdict) {
  printf("\nCompared with %s: %zu ratios to the faster of CUB's sorts, of which %zu have fallen by more than %.0f %%\n",
         kept.c_str(), verdict.compared, verdict.falls.size(), 100 * TOLERATED_FALL);
  for (const Fall &fall : verdict.falls)
    printf("FALLEN: %" PRIu64 " %s, %s, %s: %.3f, kept %.3f\n", fall.speed.count, fall.speed.type.c_str(),
           fall.speed.distribution.c_str(), fall.speed.mode.c_str(), fall.ratio, fall.kept_ratio);
  if (verdict.compared == 0)
    puts("Nothing could be compared: measure what was kept, with CUB's sorts");
}

/* ---- Files --------------------------------------------------------------------------------------------------------------- */

namespace {

/* Writes a file, by `write` if that is not empty: what had its name before keeps it until all is there. */
void write_file(const std::string &path, const std::function<void(FILE *)> &write) {
  output_file out;
  bool good = output_prepare(&out, "bench", path.c_str());
  if (good && write) {
    good = output_begin(&out);
    if (good) {
      write(out.file);
      good = (fflush(out.file) == 0 && ferror(out.file) == 0) || output_complain(&out);
    }
    good = output_close(&out, good);
  } else if (good) {
    output_close(&out, false);
  }
  if (!good)
    throw Failure("what is measured could not be kept"); /* why, has been said */
}

/* A JSON string. */
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\')
      result += '\\';
    result += static_cast<unsigned char>(character) < ' ' ? ' ' : character;
  }
  return result + "\"";
}

/* A number as JSON has it, or `unknown`. */
std::string number_text(bool known, double number, const char *unknown) {
  char text[40];
  snprintf(text, sizeof text, "%.6g", number);
  return known ? text : unknown;
}

/* The numbers of a row that may be unknown, in the order of the CSV's columns. */
std::vector<std::string> numbers_of(const Row &row, const char *unknown) {
  const bool measured = !row.milliseconds.empty();
  const bool workspace = row.mode->takes_workspace;
  return {number_text(measured, row.median(), unknown),
          number_text(measured, row.least(), unknown),
          number_text(measured, row.most(), unknown),
          number_text(measured, row.spread_percent(), unknown),
          number_text(measured, row.gkeys_per_s(), unknown),
          number_text(row.ratio_to_radix > 0, row.ratio_to_radix, unknown),
          number_text(row.ratio_to_merge > 0, row.ratio_to_merge, unknown),
          workspace ? std::to_string(row.workspace_bytes) : unknown,
          workspace ? std::to_string(row.extra_bytes()) : unknown,
          number_text(workspace, row.extra_percent(), unknown)};
}

const std::vector<const char *> NUMBER_NAMES = {"median_ms",   "min_ms",         "max_ms",         "spread_percent",
                                                "gkeys_per_s", "ratio_to_radix", "ratio_to_merge", "workspace_bytes",
                                                "extra_bytes", "extra_percent"};

void write_json_row(FILE *file, const Row &row) {
  fprintf(file, "    {\"type\": \"%s\", \"count\": %" PRIu64 ", \"distribution\": \"%s\", \"mode\": \"%s\", \"correct\": %s",
          device_data::type_name(row.type), row.count, device_data::distribution_name(row.distribution), row.mode->name,
          row.fault.empty() ? "true" : "false");
  const std::vector<std::string> numbers = numbers_of(row, "null");
  for (size_t which = 0; which < numbers.size(); which++)
    fprintf(file, ", \"%s\": %s", NUMBER_NAMES[which], numbers[which].c_str());
  if (!row.fault.empty())
    fprintf(file, ", \"fault\": %s", quoted(row.fault).c_str());
  fputc('}', file);
}

} // namespace

void require_writable(const std::string &path) {
  write_file(path, nullptr);
}

void write_csv(const std::string &path, const std::vector<Row> &rows) {
  write_file(path, [&](FILE *file) {
    fputs("type,count,distribution,mode,correct", file);
    for (const char *name : NUMBER_NAMES)
      fprintf(file, ",%s", name);
    fputc('\n', file);
    for (const Row &row : rows) {
      fprintf(file, "%s,%" PRIu64 ",%s,%s,%s", device_data::type_name(row.type), row.count,
              device_data::distribution_name(row.distribution), row.mode->name, row.fault.empty() ? "true" : "false");
      for (const std::string &number : numbers_of(row, ""))
        fprintf(file, ",%s", number.c_str());
      fputc('\n', file);
    }
  });
}

void write_json(const std::string &path, const Facts &facts, const std::vector<Row> &rows) {
  write_file(path, [&](FILE *file) {
    fprintf(file, "{\n  \"device\": %s,\n  \"driver\": %s,\n  \"toolkit\": %s,\n  \"library\": %s,\n  \"date\": %s,\n",
            quoted(facts.device).c_str(), quoted(facts.driver).c_str(), quoted(facts.toolkit).c_str(),
            quoted(facts.library).c_str(), quoted(facts.date).c_str());
    fprintf(file, "  \"seed\": %" PRIu64 ",\n  \"runs\": %" PRIu32 ",\n  \"warm_ups\": %" PRIu32 ",\n  \"rows\": [", facts.seed,
            facts.runs, WARM_UPS);
    const char *separator = "\n";
    for (const Row &row : rows) {
      fputs(separator, file);
      write_json_row(file, row);
      separator = ",\n";
    }
    fputs("\n  ]\n}\n", file);
  });
}

} // namespace bench
