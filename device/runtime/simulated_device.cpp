/* SPDX-License-Identifier: MIT */
/*
 * The simulated device's front: a machine for each host thread, and the calls that reach it.
 */
#include "simulated_schedule.h"

namespace cdp::simulated {

void set_rules(const Rules &rules) noexcept {
  machine::this_machine().set_rules(rules);
}

const Rules &current_rules() noexcept {
  return machine::this_machine().rules;
}

const Report &last_report() noexcept {
  return machine::this_machine().report;
}

namespace machine {

/* Its blocks, and the stacks of their threads, are kept for the next run and go with the host thread. */
Machine &this_machine() {
  static thread_local Machine machine;
  return machine;
}

int run_from_host(GridShape shape, std::unique_ptr<KernelCall> call) noexcept {
  return this_machine().run(shape, std::move(call));
}

int allow_from_host(KernelName kernel, uint32_t bytes) noexcept {
  return this_machine().allow(kernel, bytes);
}

int launch_from_thread(ChildStream where, GridShape shape, std::unique_ptr<KernelCall> call) {
  Machine &machine = this_machine();
  const int code = machine.launch(where, shape, std::move(call));
  // Now and then the child runs before its launcher goes on, or even has ended.
  if (machine.toss())
    pause_thread();
  return code;
}

} // namespace machine

} // namespace cdp::simulated
