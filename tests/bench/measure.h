/* SPDX-License-Identifier: MIT */
/*
 * Measuring: all modes with the same keys, in turns, every result judged.
 */
#ifndef CDPSORT_SAMPLES_BENCH_MEASURE_H
#define CDPSORT_SAMPLES_BENCH_MEASURE_H

#include "sorter.h"

#include <memory>
#include <string>

namespace bench {

using device_data::Distribution;

/* Sorts of each mode that come before those that count. */
constexpr uint32_t WARM_UPS = 3;

/* A mode of the command line. */
struct Chosen {
  const Mode *mode;
  bool named; /* asked for by its name, and so measured however slow it is */
};

/* What was found about a mode and some keys. */
struct Row {
  cdp_type type;
  uint64_t count;
  Distribution distribution;
  const Mode *mode;
  size_t workspace_bytes; /* 0 where the mode takes none */
  std::vector<double> milliseconds;
  std::string fault;     /* "": every result was right */
  double ratio_to_radix; /* how fast it is, CUB's sort of as large values in the same run being 1; 0: that is not known */
  double ratio_to_merge;

  uint64_t item_bytes() const; /* of a key and all that goes with it */
  double median() const;       /* this and the following are 0 where nothing was measured */
  double least() const;
  double most() const;
  double spread_percent() const;
  double gkeys_per_s() const;
  int64_t extra_bytes() const; /* of the workspace, beyond as many bytes as the keys and their values have */
  double extra_percent() const;
};

/* Thrown where the device has not the memory for so many keys. */
struct DoesNotFit : Failure {
  using Failure::Failure;
};

/* Keys of one type and number, and the memory for all modes. */
class Bench {
public:
  Bench(cdp_type type, uint64_t count, const std::vector<Chosen> &chosen, uint64_t seed);
  ~Bench();
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  /* Names of modes that are not measured, each with the reason. */
  const std::vector<std::string> &left_out() const;

  /* A row for each mode that takes part. Writes faults to stderr as they are found. */
  std::vector<Row> measure(Distribution distribution, uint32_t runs);

private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

} // namespace bench

#endif
