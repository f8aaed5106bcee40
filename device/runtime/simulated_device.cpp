/* SPDX-License-Identifier: MIT */
/*
 * The simulated device's front: a machine for each host thread, and the calls that reach it.
 */
#include "simulated_schedule.h"

#include <algorithm>
#include <chrono>

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

bool is_running() noexcept {
  return machine::this_machine().is_running();
}

unsigned int &launches_taken() noexcept {
  static unsigned int taken = 0;
  return taken;
}

/* The machine notes a change first: its thread may be unwound at the atomic's pause. */
uint32_t reserve_launches(uint32_t count) {
  machine::this_machine().note_reserved(count);
  return atomicAdd(&launches_taken(), count) + count;
}

void return_launches(uint32_t count) {
  machine::this_machine().note_reserved(0 - count);
  atomicSub(&launches_taken(), count);
}

uint64_t device_clock() noexcept {
  static thread_local uint64_t latest = 0;
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
  latest = std::max(latest + 1, static_cast<uint64_t>(now.count()));
  return latest;
}

uint32_t multiprocessor_number() noexcept {
  const uint32_t multiprocessors = current_rules().multiprocessors;
  return multiprocessors != 0 ? blockIdx.x % multiprocessors : 0;
}

namespace machine {

/* Its blocks, and the stacks of their threads, are kept for the next run and go with the host thread. */
Machine &this_machine() {
  static thread_local Machine machine;
  return machine;
}

int run_from_host(GridShape shape, bool together, KernelCall call) noexcept {
  return this_machine().run(shape, together, std::move(call));
}

int max_together(KernelName kernel, uint32_t threads, uint32_t shared_bytes) noexcept {
  const Machine &machine = this_machine();
  const bool can_launch = machine.launch_code({1, threads, shared_bytes}, kernel) == LAUNCH_OK;
  return can_launch ? static_cast<int>(machine.rules.resident_blocks) : 0;
}

int allow_from_host(KernelName kernel, uint32_t bytes) noexcept {
  return this_machine().allow(kernel, bytes);
}

int launch_from_thread(ChildStream where, GridShape shape, KernelCall call) {
  Machine &machine = this_machine();
  const int code = machine.launch(where, shape, std::move(call));
  // Now and then the child runs before its launcher goes on, or even has ended.
  if (machine.toss())
    pause_thread();
  return code;
}

} // namespace machine

} // namespace cdp::simulated
