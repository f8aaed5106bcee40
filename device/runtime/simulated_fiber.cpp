/* SPDX-License-Identifier: MIT */
/*
 * Stacks and the life of a fiber: see simulated_fiber.h.
 */
#include "simulated_fiber.h"

#include <cstring>
#include <new>

#include <sys/mman.h>

#ifdef CDP_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace cdp::simulated::machine {

namespace {

/* The canary lies a little above the low end, so that a small overrun hits no neighbour before it is reported. */
constexpr size_t CANARY_OFFSET = 1024;
constexpr size_t CANARY_BYTES = 256;
constexpr unsigned char CANARY_BYTE = 0xC7;

constexpr size_t MAPPING_BYTES = WarpStacks::COUNT * WarpStacks::STACK_BYTES;

/* Gives a fiber the stack that it is told to use. Boost's own allocators would draw in more of its library. */
class GivenStack {
public:
  explicit GivenStack(unsigned char *low) : low_(low) {}
  boost::context::stack_context allocate() const {
    boost::context::stack_context stack;
    stack.size = WarpStacks::STACK_BYTES;
    stack.sp = low_ + WarpStacks::STACK_BYTES;
    return stack;
  }
  void deallocate(boost::context::stack_context &) const noexcept {}

private:
  unsigned char *low_;
};

} // namespace

WarpStacks::~WarpStacks() {
  if (memory_ != nullptr)
    munmap(memory_, MAPPING_BYTES);
}

void WarpStacks::map() {
  if (memory_ != nullptr)
    return;
  void *const mapping =
      mmap(nullptr, MAPPING_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    throw std::bad_alloc();
  memory_ = static_cast<unsigned char *>(mapping);
#ifdef CDP_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(memory_, MAPPING_BYTES);
#endif
  for (uint32_t lane = 0; lane < COUNT; ++lane)
    std::memset(low(lane) + CANARY_OFFSET, CANARY_BYTE, CANARY_BYTES);
}

bool WarpStacks::whole(uint32_t lane) {
  unsigned char *const canary = low(lane) + CANARY_OFFSET;
  if (canary[0] == CANARY_BYTE && std::memcmp(canary, canary + 1, CANARY_BYTES - 1) == 0) // each byte is as the next
    return true;
  std::memset(canary, CANARY_BYTE, CANARY_BYTES);
  return false;
}

void Fiber::create(unsigned char *stack, Entry entry, void *argument) {
#ifdef CDP_ADDRESS_SANITIZER
  stack_ = stack;
  stack_bytes_ = WarpStacks::STACK_BYTES;
#endif
  const auto live = [this, entry, argument](boost::context::fiber &&) {
    arrive(nullptr);
    entry(argument);
#ifdef CDP_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(nullptr, from_->stack_, from_->stack_bytes_);
    from_->from_ = this; // whose stack it is told of
#endif
    return std::move(from_->context_);
  };
  context_ = boost::context::fiber{std::allocator_arg, GivenStack(stack), live};
}

} // namespace cdp::simulated::machine
