/* SPDX-License-Identifier: MIT */
/* The guard: see guard.h. */
#include "guard.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

/* The columns that are read, of those that bench --csv writes. */
const std::vector<std::string> COLUMNS = {"type",    "count",          "distribution",  "mode",
                                          "correct", "ratio_to_radix", "ratio_to_merge"};

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
  throw std::runtime_error(path + ": " + why);
}

std::vector<std::string> fields_of(const std::string &line) {
  std::vector<std::string> fields;
  std::string field;
  std::istringstream rest(line);
  while (std::getline(rest, field, ','))
    fields.push_back(field);
  if (!line.empty() && line.back() == ',')
    fields.emplace_back();
  return fields;
}

/* A number that is not negative; nothing is 0. */
double number_of(const std::string &path, const std::string &text) {
  char *end = nullptr;
  const double number = text.empty() ? 0 : strtod(text.c_str(), &end);
  if (!text.empty() && (*end != '\0' || !(number >= 0)))
    refuse(path, "'" + text + "' is no ratio");
  return number;
}

using Row = std::map<std::string, std::string>;

Speed speed_of(const std::string &path, const Row &row) {
  char *end = nullptr;
  errno = 0;
  const std::string &count = row.at("count");
  const uint64_t keys = strtoull(count.c_str(), &end, 10);
  if (count.empty() || *end != '\0' || errno != 0)
    refuse(path, "'" + count + "' is no number of keys");
  return {row.at("type"),
          keys,
          row.at("distribution"),
          row.at("mode"),
          number_of(path, row.at("ratio_to_radix")),
          number_of(path, row.at("ratio_to_merge"))};
}

/* Whether a mode is none of the library's. */
bool is_peer(const Speed &speed) {
  static const std::vector<std::string> peers = {"cub-radix", "cub-merge", "cub-pairs4", "cub-pairs8",
                                                 "thrust",    "std",       "std-par"};
  return std::find(peers.begin(), peers.end(), speed.mode) != peers.end();
}

bool is_same(const Speed &one, const Speed &other) {
  return one.type == other.type && one.count == other.count && one.distribution == other.distribution && one.mode == other.mode;
}

/* The ratio to the faster one of the sorts that count; not to none. */
double faster_ratio(const Speed &speed, bool radix, bool merge) {
  if (radix && merge)
    return std::min(speed.ratio_to_radix, speed.ratio_to_merge);
  return radix ? speed.ratio_to_radix : speed.ratio_to_merge;
}

} // namespace

std::vector<Speed> read_speeds(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::vector<std::string> names;
  std::vector<Speed> speeds;
  if (!file)
    refuse(path, std::string("cannot be read: ") + strerror(errno));
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    const std::vector<std::string> fields = fields_of(line);
    if (names.empty()) {
      names = fields;
      for (const std::string &column : COLUMNS)
        if (std::find(names.begin(), names.end(), column) == names.end())
          refuse(path, "has no column '" + column + "': it is not what bench --csv writes");
      continue;
    }
    if (fields.size() != names.size())
      refuse(path, "a line of " + std::to_string(fields.size()) + " fields under " + std::to_string(names.size()) + " columns");
    Row row;
    for (size_t field = 0; field < fields.size(); field++)
      row[names[field]] = fields[field];
    if (row.at("correct") == "true")
      speeds.push_back(speed_of(path, row));
  }
  if (file.bad() || names.empty())
    refuse(path, "is empty, or cannot be read");
  return speeds;
}

Verdict compare(const std::vector<Speed> &kept, const std::vector<Speed> &now) {
  Verdict verdict = {};
  for (const Speed &speed : now) {
    const auto found = std::find_if(kept.begin(), kept.end(), [&](const Speed &one) { return is_same(one, speed); });
    if (found == kept.end() || is_peer(speed))
      continue;
    const bool radix = found->ratio_to_radix > 0 && speed.ratio_to_radix > 0;
    const bool merge = found->ratio_to_merge > 0 && speed.ratio_to_merge > 0;
    if (!radix && !merge)
      continue;
    const double before = faster_ratio(*found, radix, merge);
    const double ratio = faster_ratio(speed, radix, merge);
    verdict.compared++;
    if (ratio < (1 - TOLERATED_FALL) * before)
      verdict.falls.push_back({speed, before, ratio});
  }
  return verdict;
}

} // namespace bench
