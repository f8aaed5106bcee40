/* SPDX-License-Identifier: MIT */
/*
 * simulated_rules.h, from C to C++. The seed and the pending limit are the engine's to set, at every sort.
 */
#include "simulated_rules.h"

#include "runtime/runtime.cuh"

extern "C" void simulated_rules_set(uint32_t multiprocessors, uint32_t resident_blocks) {
  cdp::simulated::Rules rules = cdp::simulated::current_rules();
  rules.multiprocessors = multiprocessors;
  rules.resident_blocks = resident_blocks;
  cdp::simulated::set_rules(rules);
}

extern "C" void simulated_rules_refuse(uint32_t chance) {
  cdp::simulated::Rules rules = cdp::simulated::current_rules();
  rules.refusal_chance = chance;
  cdp::simulated::set_rules(rules);
}

extern "C" void simulated_rules_refuse_launch(uint64_t number) {
  cdp::simulated::Rules rules = cdp::simulated::current_rules();
  rules.refused_launch = number;
  cdp::simulated::set_rules(rules);
}

extern "C" simulated_counts simulated_counts_read(void) {
  const cdp::simulated::Report &report = cdp::simulated::last_report();
  return {report.number,        report.grids_launched, report.launches_refused,
          report.tails_refused, report.blocks_run,     report.max_pending};
}

extern "C" uint32_t simulated_launches_taken(void) {
  return cdp::simulated::launches_taken();
}
