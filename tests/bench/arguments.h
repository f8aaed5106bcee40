/* SPDX-License-Identifier: MIT */
/*
 * The command line of the benchmark.
 */
#ifndef CDPSORT_SAMPLES_BENCH_ARGUMENTS_H
#define CDPSORT_SAMPLES_BENCH_ARGUMENTS_H

#include "measure.h"

extern "C" {
#include "command_line.h"
}

namespace bench {

struct Command {
  std::vector<cdp_type> types = {CDP_U32};
  std::vector<uint64_t> counts = {uint64_t{1} << 27};
  std::vector<Distribution> distributions = {Distribution::random};
  std::vector<Chosen> modes; /* empty: all, none of them by its name */
  uint64_t seed = 1;
  uint32_t runs = 15;
  std::string csv;  /* path of a file; "": none */
  std::string json; /* the same */
  std::string kept; /* of a file that --csv wrote, to compare with; "": none */
  bool progress = false;
  requested_text text = NO_TEXT;
};

/* False, and a message on stderr, where it makes no sense. */
bool read_command(int argument_count, char **words, Command *command);

void print_help();

} // namespace bench

#endif
