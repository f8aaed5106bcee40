/* SPDX-License-Identifier: MIT */
/*
 * One simulated thread as a fiber, on a stack from a pool.
 *
 * Used by simulated_block alone. A fiber is made once and lives many threads' lives. Whoever runs switches to whom it likes:
 * from thread to thread, past the scheduler, which is a fiber, too, on the host thread's own stack. An entry that returns ends
 * the fiber for good, which must happen before its stack goes.
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
  using Entry = void (*)(void *argument);

  /* Makes the fiber; the first switch to it runs the entry. One that is not made is whoever calls its switch_to(). */
  void create(unsigned char *stack, Entry entry, void *argument);

  /* Whether it is made, and has not ended; not to be asked of the one that runs. */
  bool created() const {
    return static_cast<bool>(context_);
  }

  /*
   * Called by the fiber that runs: `to` goes on in its place, until some fiber switches back to this one.
   *
   * 1. A processor foretells where a function returns to by the calls that it has seen. Boost's plain switch ends in a jump, and
   *    leaves its own call over there: every return behind it is foretold wrongly, which is most of what a switch costs.
   * 2. What it is told to do first on the other stack does return from that call.
   * Therefore a context is put away there.
   */
  void switch_to(Fiber &to) {
    to.from_ = this;
#ifdef CDP_ADDRESS_SANITIZER
    void *frames = nullptr;
    __sanitizer_start_switch_fiber(&frames, to.stack_, to.stack_bytes_);
#else
    void *const frames = nullptr;
#endif
    std::move(to.context_).resume_with([this](boost::context::fiber &&left) {
      context_ = std::move(left);
      return boost::context::fiber{};
    });
    arrive(frames);
  }

private:
  /* Tells who looks at stacks that this one's fiber goes on. */
  void arrive(void *frames) {
#ifdef CDP_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(frames, &from_->stack_, &from_->stack_bytes_);
#else
    (void)frames;
#endif
  }

  boost::context::fiber context_; /* where it goes on */
  Fiber *from_ = nullptr;         /* who switched to it last */
#ifdef CDP_ADDRESS_SANITIZER
  const void *stack_ = nullptr;
  size_t stack_bytes_ = 0;
#endif
};

} // namespace cdp::simulated::machine

#endif
