/* SPDX-License-Identifier: MIT */
/*
 * What was measured, as a table, as CSV and as JSON.
 */
#ifndef CDPSORT_SAMPLES_BENCH_REPORT_H
#define CDPSORT_SAMPLES_BENCH_REPORT_H

#include "guard.h"
#include "measure.h"

namespace bench {

/* Where, when and how it was measured. */
struct Facts {
  std::string device;
  std::string driver;  /* its version, and that of the CUDA it brings */
  std::string toolkit; /* that the program was built with */
  std::string library;
  std::string date; /* UTC */
  uint64_t seed;
  uint32_t runs;
};

/* Asks the current device, the clock and so on. */
Facts gather_facts(uint64_t seed, uint32_t runs);

/* On standard output. The rows of one kind of keys belong together. */
void print_facts(const Facts &facts);
void print_rows(const std::vector<Row> &rows);

void print_verdict(const std::string &kept, const Verdict &verdict);

/* Throws a Failure, after a message, where a file cannot be written. Leaves it as it is. */
void require_writable(const std::string &path);

/* Puts a new file in the place of an old one at once; throws a Failure, after a message, where that does not succeed. */
void write_csv(const std::string &path, const std::vector<Row> &rows);
void write_json(const std::string &path, const Facts &facts, const std::vector<Row> &rows);

} // namespace bench

#endif
