/* SPDX-License-Identifier: MIT */
/*
 * Memory of the simulated device, with a guard before and behind every allocation.
 *
 *     | guard | bytes, poisoned | guard, up to a multiple of MEMORY_ALIGNMENT, at least GUARD_BYTES |
 *
 * The list of allocations is one for the process, for memory may be released by another thread than allocated it. Guards are
 * looked at by the allocating thread's runs alone, so that a report names the run that did it.
 */
#include "simulated_schedule.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace cdp::simulated {

namespace {

using machine::GUARD_BYTES;
constexpr unsigned char GUARD_BYTE = 0x5C;

struct Allocation {
  size_t bytes;
  const machine::Machine *owner;
};

struct Allocations {
  std::mutex mutex;
  std::map<unsigned char *, Allocation> all; /* by where they begin */
};

/* Never destroyed: memory may be released while the process ends. */
Allocations &allocations() {
  static Allocations *const made = new Allocations;
  return *made;
}

/* Offset of the first byte of a guard that was written; GUARD_BYTES where none was. */
size_t first_written(const unsigned char *guard) {
  size_t offset = 0;
  if (guard[0] == GUARD_BYTE && std::memcmp(guard, guard + 1, GUARD_BYTES - 1) == 0) // each byte is as the next
    return GUARD_BYTES;
  while (offset < GUARD_BYTES && guard[offset] == GUARD_BYTE)
    ++offset;
  return offset;
}

bool check(unsigned char *memory, const Allocation &allocation, Report &fault) {
  return machine::check_memory(memory, allocation.bytes, "an allocation", fault);
}

} // namespace

namespace machine {

void prepare_memory(unsigned char *memory, size_t bytes) {
  std::memset(memory - GUARD_BYTES, GUARD_BYTE, GUARD_BYTES);
  std::memset(memory, POISON_BYTE, bytes);
  std::memset(memory + bytes, GUARD_BYTE, GUARD_BYTES);
}

bool check_memory(unsigned char *memory, size_t bytes, const char *what, Report &fault) {
  const size_t written_behind = first_written(memory + bytes);
  if (written_behind == GUARD_BYTES && first_written(memory - GUARD_BYTES) == GUARD_BYTES)
    return true;
  char where[64] = "before the beginning";
  if (written_behind < GUARD_BYTES)
    std::snprintf(where, sizeof(where), "%zu bytes behind the end", written_behind);
  fault.code = LAUNCH_RULE_BROKEN;
  std::snprintf(fault.broken_rule, sizeof(fault.broken_rule), "memory %s of %s of %zu bytes was written", where, what, bytes);
  std::memset(memory - GUARD_BYTES, GUARD_BYTE, GUARD_BYTES);
  std::memset(memory + bytes, GUARD_BYTE, GUARD_BYTES);
  return false;
}

bool check_guards(Report &fault) noexcept {
  const Machine *const owner = &this_machine();
  Allocations &list = allocations();
  const std::lock_guard<std::mutex> lock(list.mutex);
  for (const auto &[memory, allocation] : list.all) {
    if (allocation.owner == owner && !check(memory, allocation, fault))
      return false;
  }
  return true;
}

} // namespace machine

void *allocate_memory(size_t bytes) noexcept {
  if (bytes > SIZE_MAX / 2)
    return nullptr;
  const size_t whole = GUARD_BYTES + (bytes + GUARD_BYTES + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
  auto *const base = static_cast<unsigned char *>(std::aligned_alloc(MEMORY_ALIGNMENT, whole));
  if (base == nullptr)
    return nullptr;
  unsigned char *const memory = base + GUARD_BYTES;
  try {
    Allocations &list = allocations();
    const std::lock_guard<std::mutex> lock(list.mutex);
    list.all[memory] = {bytes, &machine::this_machine()};
  } catch (...) {
    std::free(base);
    return nullptr;
  }
  machine::prepare_memory(memory, bytes);
  return memory;
}

bool release_memory(void *memory) noexcept {
  if (memory == nullptr)
    return true;
  Report fault;
  {
    auto *const bytes = static_cast<unsigned char *>(memory);
    Allocations &list = allocations();
    const std::lock_guard<std::mutex> lock(list.mutex);
    const auto found = list.all.find(bytes);
    if (found != list.all.end()) {
      check(bytes, found->second, fault);
      list.all.erase(found);
      std::free(bytes - GUARD_BYTES);
    } else {
      fault.code = LAUNCH_RULE_BROKEN;
      std::snprintf(fault.broken_rule, sizeof(fault.broken_rule), "memory was released that is not allocated");
    }
  }
  if (fault.code == LAUNCH_OK)
    return true;
  machine::this_machine().remember(fault);
  return false;
}

} // namespace cdp::simulated
