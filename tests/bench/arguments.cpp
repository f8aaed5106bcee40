/* SPDX-License-Identifier: MIT */
/* The command line of the benchmark: see arguments.h. It is walked as those of the other samples are. */
#include "arguments.h"
#include "guard.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace bench {

namespace {

/* More cannot be addressed by the generators, and fit no device. */
constexpr uint64_t COUNT_MOST = uint64_t{1} << 40;
constexpr uint64_t EXPONENT_MOST = 40;
constexpr uint64_t RUNS_MOST = 10000;

constexpr cdp_type TYPES[] = {CDP_U32, CDP_I32, CDP_U64, CDP_I64, CDP_F32, CDP_F64,
                              CDP_U8,  CDP_I8,  CDP_U16, CDP_I16, CDP_F16, CDP_BF16};

struct NamedDistribution {
  Distribution distribution;
  const char *text;
};

/* Those with which every sorter can do. */
const std::vector<NamedDistribution> DISTRIBUTIONS = {
    {Distribution::random, "uniform over all values of the type, those of floating point finite"},
    {Distribution::sorted, "in order already"},
    {Distribution::reversed, "in the opposite order"},
    {Distribution::all_equal, "one value"},
    {Distribution::distinct_16384, "16384 values at random"},
    {Distribution::distinct_256, "256 values at random"},
    {Distribution::distinct_2, "2 values at random"},
    {Distribution::staggered, "128 blocks, each with values of its own, the blocks interleaved"},
    {Distribution::bucket, "128 blocks, each rising through the values in 128 steps"},
    {Distribution::gaussian, "means of four random values"},
    {Distribution::organ_pipe, "rising to the middle, then falling"},
    {Distribution::almost_sorted, "in order, but for three swaps"},
    {Distribution::zipf, "the least values most often: the r-th with a probability of about 1/r"},
    {Distribution::killer, "made against the first splitters that cdpsort chooses by default"},
    {Distribution::exponential, "the least values most often: half as many in each forty-fourth as in the one before"},
    {Distribution::extremes,
     "one in four random, the others one of 16 special bit patterns of floating point, or of 9 finite ones"},
    {Distribution::mixed, "half of them random, half of them one of 4 values"},
    {Distribution::shared_upper, "the upper half of the bits is the same in all"},
    {Distribution::shared_lower, "the lower half of the bits is the same in all"},
    {Distribution::words, "hashes of the words of a text: 65535 words, the r-th with a probability of about 1/r"},
    {Distribution::timestamps,
     "of a log: seconds, or microseconds in 8 bytes, a thousand to a second, out of order by up to one"},
    {Distribution::k_mers, "all windows of a genome, 16 bases in 4 bytes, 32 in 8; a quarter of it repeats 4096 bases"},
    {Distribution::unit, "numbers of floating point evenly from 0 to 1; integers as random"},
    {Distribution::clusters, "1000 clusters at random places, of 256 values that follow each other"},
    {Distribution::wide_clusters, "127 clusters of 65536 values, the r-th with a probability of about 1/r"},
    {Distribution::neighbours, "one of 1000000 random values, or the one behind it"},
    {Distribution::sparse_bits, "each bit set with a probability of 1/16"},
    {Distribution::letters, "strings of 4 or 8 lower-case letters"},
    {Distribution::digits, "strings of 4 or 8 decimal digits"},
    {Distribution::log_normal, "e to a normal variable of deviation 2, half of them below 2^16, of 8 bytes 2^32"},
    {Distribution::normal_floats,
     "numbers of floating point, normal with mean 0 and deviation 1; integers in the places of their bits"},
    {Distribution::outlier, "one the greatest value, all others of the least 100000"},
    {Distribution::runs, "sorted runs of 100000, each through all values, as files that are to be merged"},
    {Distribution::small_numbers, "the least values most often: exponential with mean 1000, whatever the type"},
};

/* ---- Lists --------------------------------------------------------------------------------------------------------------- */

template <typename Value>
void add_once(std::vector<Value> *values, Value value) {
  if (std::find(values->begin(), values->end(), value) == values->end())
    values->push_back(value);
}

/* Takes names with commas between them, "all" among them: calls add(one, whether by its own name) for what is meant. */
template <typename Candidates, typename NameOf, typename Add>
bool take_names(const argument_list *list, const argument *option, const char *value, const Candidates &candidates,
                NameOf name_of, Add add) {
  char next[VALUE_CHARACTERS];
  while (next_value(&value, next)) {
    const std::string word = next;
    std::string all;
    bool known = false;
    for (const auto &one : candidates) {
      const std::string name = name_of(one);
      all += " " + name;
      if (word == "all" || word == name) {
        add(one, word != "all");
        known = true;
      }
    }
    if (!known) {
      usage_error(list, "%s: '%s' is none of: all%s", option->name, word.c_str(), all.c_str());
      return false;
    }
  }
  return true;
}

bool take_types(const argument_list *list, const argument *option, const char *value, Command *command) {
  command->types.clear();
  return take_names(list, option, value, TYPES, device_data::type_name,
                    [command](cdp_type type, bool) { add_once(&command->types, type); });
}

bool take_distributions(const argument_list *list, const argument *option, const char *value, Command *command) {
  command->distributions.clear();
  return take_names(
      list, option, value, DISTRIBUTIONS,
      [](const NamedDistribution &one) { return device_data::distribution_name(one.distribution); },
      [command](const NamedDistribution &one, bool) { add_once(&command->distributions, one.distribution); });
}

void add_mode(std::vector<Chosen> *modes, const Mode &mode, bool named) {
  const auto same = [&mode](const Chosen &one) { return one.mode == &mode; };
  const auto found = std::find_if(modes->begin(), modes->end(), same);
  if (found == modes->end())
    modes->push_back({&mode, named});
  else
    found->named = found->named || named;
}

/* "call" is all modes whose names begin with it: they are measured only if they are named. */
bool take_modes(const argument_list *list, const argument *option, const char *value, Command *command) {
  if (strcmp(value, "call") == 0) {
    for (const Mode &mode : all_modes())
      if (strncmp(mode.name, "call-", 5) == 0)
        add_mode(&command->modes, mode, true);
    return true;
  }
  return take_names(
      list, option, value, all_modes(), [](const Mode &mode) { return mode.name; },
      [command](const Mode &mode, bool named) { add_mode(&command->modes, mode, named); });
}

/* "10-28": powers of two. */
bool parse_range(const std::string &word, std::vector<uint64_t> *counts) {
  const size_t hyphen = word.find('-');
  uint64_t first = 0;
  uint64_t last = 0;
  if (hyphen == std::string::npos || !parse_whole(word.substr(0, hyphen).c_str(), &first) ||
      !parse_whole(word.c_str() + hyphen + 1, &last) || first < 1 || first > last || last > EXPONENT_MOST)
    return false;
  for (uint64_t exponent = first; exponent <= last; exponent++)
    add_once(counts, uint64_t{1} << exponent);
  return true;
}

bool take_sizes(const argument_list *list, const argument *option, const char *value, Command *command) {
  command->counts.clear();
  char word[VALUE_CHARACTERS];
  while (next_value(&value, word)) {
    uint64_t count = 0;
    if (parse_range(word, &command->counts))
      continue;
    if (!parse_count(word, &count) || count < 2 || count > COUNT_MOST) {
      usage_error(list,
                  "%s: '%s' is neither a number of keys from 2 to 2^40, such as 1000000, 64K, 1Mi or 2^20, nor a range "
                  "of powers of two from 1 to 40, such as 10-28",
                  option->name, word);
      return false;
    }
    add_once(&command->counts, count);
  }
  return true;
}

/* ---- Numbers and files --------------------------------------------------------------------------------------------------- */

bool take_number(const argument_list *list, const argument *option, const char *value, Command *command) {
  const bool runs = std::string(option->name) == "--runs";
  uint64_t number = 0;
  if (!parse_whole(value, &number) || (runs && (number < 1 || number > RUNS_MOST))) {
    usage_error(list, "%s: '%s' is not a whole number%s", option->name, value, runs ? " from 1 to 10000" : "");
    return false;
  }
  if (runs)
    command->runs = static_cast<uint32_t>(number);
  else
    command->seed = number;
  return true;
}

bool take_path(const argument_list *list, const argument *option, const char *value, Command *command) {
  if (*value == '\0') {
    usage_error(list, "%s needs the name of a file", option->name);
    return false;
  }
  const std::string name = option->name;
  (name == "--csv" ? command->csv : name == "--json" ? command->json : command->kept) = value;
  return true;
}

struct Option {
  const char *name;
  bool (*take)(const argument_list *list, const argument *option, const char *value, Command *command);
};

const std::vector<Option> OPTIONS = {{"--types", take_types}, {"--sizes", take_sizes}, {"--distributions", take_distributions},
                                     {"--modes", take_modes}, {"--seed", take_number}, {"--runs", take_number},
                                     {"--csv", take_path},    {"--json", take_path},   {"--check", take_path}};

bool take_option(void *into, argument_list *list, const argument *found) {
  Command *const command = static_cast<Command *>(into);
  const std::string name = found->name;
  if (name.empty()) {
    usage_error(list, "it takes options alone, not '%s'", found->value);
    return false;
  }
  if (name == "--progress") {
    command->progress = true;
    return argument_has_no_value(list, found);
  }
  for (const Option &option : OPTIONS)
    if (name == option.name) {
      const char *value = argument_value(list, found);
      return value != nullptr && option.take(list, found, value, command);
    }
  usage_error(list, "there is no option %s", found->name);
  return false;
}

} // namespace

bool read_command(int argument_count, char **words, Command *command) {
  if (!read_arguments("bench", argument_count, words, take_option, command, &command->text))
    return false;
  if (command->modes.empty())
    for (const Mode &mode : all_modes())
      command->modes.push_back({&mode, false});
  return true;
}

void print_help() {
  puts("Usage: bench [option...]\n"
       "Measures cdpsort against other sorters, keys in device memory. Every result is checked.\n"
       "\n"
       "  --sizes LIST          numbers of keys: 1000000, 64K, 1Mi, 2^20, or all powers of two in a range: 10-28 (2^27).\n"
       "                        What does not fit the device is left out\n"
       "  --types LIST          u32 i32 u64 i64 f32 f64 u8 i8 u16 i16 f16 bf16, or all (u32)\n"
       "  --distributions LIST  what the keys are like, or all (random):");
  for (const NamedDistribution &one : DISTRIBUTIONS)
    printf("                          %-14s %s\n", device_data::distribution_name(one.distribution), one.text);
  puts("  --modes LIST          who sorts, or all (all); call: all whose names begin with call-");
  for (const Mode &mode : all_modes())
    printf("                          %-18s %s%s\n", mode.name, mode.text, mode.keys_most != 0 ? " *" : "");
  printf(
      "                        * where keys are many, or always, only if it is named: it takes long\n"
      "  --runs N              sorts that count, of each mode and kind of keys, after %u that do not (15)\n"
      "  --seed N              of the keys (1)\n"
      "  --csv FILE            writes what was measured as CSV too\n"
      "  --json FILE           and as JSON, with device and date\n"
      "  --check FILE          compares with what --csv wrote before: fails where a ratio of cdpsort's to the faster of CUB's\n"
      "                        sorts has fallen by more than %.0f %%, and where there is nothing to compare\n"
      "  --progress            says on stderr what is being measured, as it does on a terminal unasked\n"
      "  --help                this text (-h)\n"
      "  --version             the version of the library\n"
      "\n"
      "Lists have commas: --types u32,u64. The device is CUDA's first: choose by CUDA_VISIBLE_DEVICES.\n"
      "Exit code: 0 all results were right; 1 one was not, or a ratio has fallen, or something failed, or there is no GPU;\n"
      "2 the command line is at fault.\n",
      WARM_UPS, 100 * TOLERATED_FALL);
}

} // namespace bench
