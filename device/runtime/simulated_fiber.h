/* SPDX-License-Identifier: MIT */
/*
 * One simulated thread as a fiber, on a stack from a pool.
 *
 * Used by simulated_block alone. A fiber is made once and lives many threads' lives: its entry runs one thread and returns
 * true, the fiber suspends itself, and the next resume() begins the next life. An entry that returns false ends the fiber for
 * good, which must happen before its stack goes.
 *
 * Stacks are cut from one mapping a warp. The tops of neighbours lie at different offsets within a page, since equal offsets
 * would make all threads of a block contend for the same few cache sets. Near its low end a stack holds a canary.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_SIMULATED_FIBER_H
#define CDPSORT_DEVICE_RUNTIME_SIMULATED_FIBER_H

#include <boost/context/fiber.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define CDP_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CDP_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef CDP_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace cdp::simulated::machine {

/* The stacks of a warp. */
class WarpStacks {
public:
#ifdef CDP_ADDRESS_SANITIZER
  static constexpr size_t STACK_BYTES = 256 * 1024 + 17 * 256; /* red zones make frames larger */
#else
  static constexpr size_t STACK_BYTES = 64 * 1024 + 17 * 256;
#endif
  static constexpr uint32_t COUNT = 32;

  WarpStacks() = default;
  WarpStacks(const WarpStacks &) = delete;
  WarpStacks &operator=(const WarpStacks &) = delete;
  ~WarpStacks();

  /* Maps the stacks if they are not yet there; throws std::bad_alloc. */
  void map();

  unsigned char *low(uint32_t lane) const {
    return memory_ + lane * STACK_BYTES;
  }

  /* Whether a stack's canary is as it was; if not, puts it right. */
  bool whole(uint32_t lane);

private:
  unsigned char *memory_ = nullptr;
};

class Fiber {
public:
  using Entry = bool (*)(void *argument);

  /* Makes the fiber; the first resume() runs the entry. */
  void create(unsigned char *stack, Entry entry, void *argument);

  bool created() const {
    return static_cast<bool>(inside_);
  }

  /* From outside: goes on inside until the fiber suspends itself. */
  void resume() {
#ifdef CDP_ADDRESS_SANITIZER
    void *frames = nullptr;
    __sanitizer_start_switch_fiber(&frames, stack_, WarpStacks::STACK_BYTES);
#endif
    inside_ = std::move(inside_).resume();
#ifdef CDP_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
#endif
  }

  /* From inside: goes on outside until the next resume(). */
  void suspend() {
#ifdef CDP_ADDRESS_SANITIZER
    void *frames = nullptr;
    __sanitizer_start_switch_fiber(&frames, outside_stack_, outside_bytes_);
#endif
    outside_ = std::move(outside_).resume();
#ifdef CDP_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(frames, &outside_stack_, &outside_bytes_);
#endif
  }

private:
  boost::context::fiber inside_;
  boost::context::fiber outside_;
#ifdef CDP_ADDRESS_SANITIZER
  const void *stack_ = nullptr;
  const void *outside_stack_ = nullptr;
  size_t outside_bytes_ = 0;
#endif
};

} // namespace cdp::simulated::machine

#endif
