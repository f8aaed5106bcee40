/* SPDX-License-Identifier: MIT */
/*
 * The guard: whether a run is as fast, CUB being 1, as one that was kept. Times differ from device to device, ratios less.
 */
#ifndef CDPSORT_SAMPLES_BENCH_GUARD_H
#define CDPSORT_SAMPLES_BENCH_GUARD_H

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/* How fast a mode sorted some keys, CUB's two sorts being 1. 0: that is not known. */
struct Speed {
  std::string type;
  uint64_t count;
  std::string distribution;
  std::string mode;
  double ratio_to_radix;
  double ratio_to_merge;
};

/* A mode that has fallen back by more than is tolerated. */
struct Fall {
  Speed speed;
  double kept_ratio; /* to the faster one of those that both know */
  double ratio;
};

struct Verdict {
  size_t compared; /* speeds that were kept and are known now, each to the same sort of CUB's */
  std::vector<Fall> falls;
};

/* What may be lost: two runs of the same program differ by some percent. */
constexpr double TOLERATED_FALL = 0.1;

/* Reads what bench --csv wrote, without the rows that were wrong. Throws std::runtime_error where that is no such file. */
std::vector<Speed> read_speeds(const std::string &path);

/* Compares what both have: the same keys and mode, of the library's. */
Verdict compare(const std::vector<Speed> &kept, const std::vector<Speed> &now);

} // namespace bench

#endif
