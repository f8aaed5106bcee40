/* SPDX-License-Identifier: MIT */
/*
 * What tests of the simulated device share: they write small kernels, run them over many seeds, and look at what a kernel left
 * in `notes` and at the report.
 */
#ifndef CDPSORT_TESTS_SIMULATED_NOTES_H
#define CDPSORT_TESTS_SIMULATED_NOTES_H

#include "runtime/runtime.cuh"

#include "run_suite.h"

#include <cstring>

namespace cdp::simulated {

constexpr uint32_t FULL = 0xffffffffu; /* all lanes */
constexpr uint64_t SEEDS = 200;
constexpr uint32_t NOTES_MOST = 4096;

/* What kernels leave behind: plain memory of the host, which is the simulated device's too. */
struct Notes {
  uint32_t count;
  uint32_t entries[NOTES_MOST];
};

inline Notes notes;

inline void start(uint64_t seed, uint32_t pending_limit = 2048, uint32_t resident_blocks = 8) {
  Rules rules;
  rules.seed = seed;
  rules.pending_limit = pending_limit;
  rules.resident_blocks = resident_blocks;
  set_rules(rules);
  std::memset(&notes, 0, sizeof(notes));
}

inline void expect_clean(int code) {
  ck_assert_msg(code == LAUNCH_OK, "%d: %s", code, last_report().broken_rule);
}

__device__ inline void note(uint32_t entry) {
  notes.entries[notes.count++ % NOTES_MOST] = entry;
}

/* Notes the line of what does not hold. */
__device__ inline void require(bool holds, uint32_t line) {
  if (!holds)
    note(line);
}

} // namespace cdp::simulated

#endif
