/* SPDX-License-Identifier: MIT */
/*
 * CUDA's intrinsics on the simulated device: warp collectives, atomics, fences, bit counting, min and max.
 *
 * Included by simulated_device.cuh alone. The signatures are CUDA's, and so are the types: atomics take unsigned long long and
 * not uint64_t (unsigned long here), as nvcc would have it.
 *
 * A warp collective is a meeting of the lanes in its mask: each hands in a value and waits, and when the last of them is there
 * every lane is given its result at once, so that no lane can run ahead and overwrite what another has yet to read.
 * Lanes that the block does not have (its size no multiple of 32) are ignored in masks.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_SIMULATED_INTRINSICS_CUH
#define CDPSORT_DEVICE_RUNTIME_SIMULATED_INTRINSICS_CUH

#include <atomic>
#include <cstring>

/* Inline for certain, so that all collectives of a function share one call of here(). */
#define CDP_SIMULATED_INLINE __attribute__((always_inline)) inline

namespace cdp::simulated {

namespace machine {

/* What a lane comes to a meeting for, in one word: more arguments than a call has registers for would go through memory, and what
   is written there in pieces and read as a whole makes a processor wait. */
struct Purpose {
  Activity collective;
  uint8_t source; /* the lane whose value it wants */
};

/* Waits for the lanes in the mask. Returns for shuffles the value of the lane `source`, otherwise a mask of the values not 0.
   */
uint64_t meet_lanes(Purpose purpose, uint32_t mask, uint64_t value, Place place);

/* Ends the run with a report about the running thread. */
[[noreturn]] void break_rule(const char *what);

/* The same, for an expectation at a place. */
[[noreturn]] void break_expectation(Place place);

/* Lets other threads, perhaps of other blocks, go on. */
void pause_thread();

inline void pass_atomic() {
  if (--here().atomics_until_pause == 0)
    pause_thread();
}

/*
 * Hands out a value and returns that of the lane `source`, or the own one where the segment of `width` lanes ends before it or,
 * but for an exclusive or, begins behind it. Small integers are promoted first, as in CUDA.
 */
template <typename T>
CDP_SIMULATED_INLINE auto shuffle(Activity collective, uint32_t mask, T value, uint64_t source, int width, Place place) {
  decltype(+T()) number = value;
  static_assert(std::is_arithmetic_v<T> && (sizeof number == 4 || sizeof number == 8), "shuffles are for 4 or 8 bytes");
  if (width <= 0 || width > warpSize || (width & (width - 1)) != 0)
    break_rule("the width of a shuffle is not a power of two up to 32");
  const uint32_t own = threadIdx.x % 32;
  const uint32_t begin = own & ~static_cast<uint32_t>(width - 1);
  if (source >= begin + static_cast<uint32_t>(width) || (source < begin && collective != Activity::shuffle_xor))
    source = own;
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  bits = meet_lanes({collective, static_cast<uint8_t>(source)}, mask, bits, place);
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

/* A collective of which a lane wants no other lane's value. */
CDP_SIMULATED_INLINE uint64_t vote(Activity collective, uint32_t mask, bool value, Place place) {
  return meet_lanes({collective, static_cast<uint8_t>(threadIdx.x % 32)}, mask, value, place);
}

/*
 * Applies a change to memory and returns what was there, in one piece also where other host threads do so. Reads and writes as
 * bytes do: any type may lie there.
 */
template <typename T, typename Change>
T change_memory(T *address, Change change) {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, unsigned int> || std::is_same_v<T, long long> ||
                    std::is_same_v<T, unsigned long long>,
                "no atomics for this type");
  if (reinterpret_cast<uintptr_t>(address) % sizeof(T) != 0)
    break_rule("an atomic operation on an address that is not aligned");
  typedef T __attribute__((may_alias)) Anything;
  auto *const memory = reinterpret_cast<Anything *>(address);
  T before = __atomic_load_n(memory, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(memory, &before, change(before), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  pass_atomic();
  return before;
}

} // namespace machine

/* What kernels rely on: where it does not hold, the run ends with a report. */
inline void expect(bool holds, machine::Place place = {__builtin_FILE(), static_cast<uint32_t>(__builtin_LINE())}) {
  if (!holds)
    machine::break_expectation(place);
}

/* ---- Warp collectives ------------------------------------------------------------------------------------------ */

inline void __syncwarp(uint32_t mask = 0xffffffffu, machine::Place place = machine::Place::current()) {
  machine::vote(machine::Activity::warp_barrier, mask, false, place);
}

template <typename T>
CDP_SIMULATED_INLINE auto __shfl_sync(uint32_t mask, T value, int lane, int width = warpSize,
                                      machine::Place place = machine::Place::current()) {
  const uint32_t own = threadIdx.x % 32;
  const uint32_t source = own ^ ((own ^ static_cast<uint32_t>(lane)) & static_cast<uint32_t>(width - 1)); // in its segment
  return machine::shuffle(machine::Activity::shuffle, mask, value, source, width, place);
}

template <typename T>
CDP_SIMULATED_INLINE auto __shfl_xor_sync(uint32_t mask, T value, int lane_mask, int width = warpSize,
                                          machine::Place place = machine::Place::current()) {
  return machine::shuffle(machine::Activity::shuffle_xor, mask, value, threadIdx.x % 32 ^ static_cast<uint32_t>(lane_mask),
                          width, place);
}

template <typename T>
CDP_SIMULATED_INLINE auto __shfl_up_sync(uint32_t mask, T value, unsigned int delta, int width = warpSize,
                                         machine::Place place = machine::Place::current()) {
  return machine::shuffle(machine::Activity::shuffle_up, mask, value, uint64_t{threadIdx.x % 32} - delta, width, place);
}

template <typename T>
CDP_SIMULATED_INLINE auto __shfl_down_sync(uint32_t mask, T value, unsigned int delta, int width = warpSize,
                                           machine::Place place = machine::Place::current()) {
  return machine::shuffle(machine::Activity::shuffle_down, mask, value, uint64_t{threadIdx.x % 32} + delta, width, place);
}

inline uint32_t __ballot_sync(uint32_t mask, int predicate, machine::Place place = machine::Place::current()) {
  return static_cast<uint32_t>(machine::vote(machine::Activity::ballot, mask, predicate != 0, place));
}

/* By a shuffle from every lane. For a full mask. */
inline uint32_t __match_any_sync(uint32_t mask, uint32_t value, machine::Place place = machine::Place::current()) {
  uint32_t same = 0;
  for (int lane = 0; lane < warpSize; lane++)
    same |= (__shfl_sync(mask, value, lane, warpSize, place) == value ? 1u : 0u) << lane;
  return same;
}

inline int __any_sync(uint32_t mask, int predicate, machine::Place place = machine::Place::current()) {
  return machine::vote(machine::Activity::any, mask, predicate != 0, place) != 0 ? 1 : 0;
}

inline int __all_sync(uint32_t mask, int predicate, machine::Place place = machine::Place::current()) {
  return machine::vote(machine::Activity::all, mask, predicate == 0, place) == 0 ? 1 : 0;
}

/* ---- Atomics and fences ---------------------------------------------------------------------------------------- */

template <typename T>
T atomicAdd(T *address, typename AsGiven<T>::Type value) {
  using Bits = std::make_unsigned_t<T>; /* wraps around, also where T is signed */
  return machine::change_memory(
      address, [value](T before) { return static_cast<T>(static_cast<Bits>(before) + static_cast<Bits>(value)); });
}

template <typename T>
T atomicSub(T *address, typename AsGiven<T>::Type value) {
  static_assert(sizeof(T) == 4, "CUDA has no atomicSub of 8 bytes");
  return atomicAdd(address, static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(value)));
}

template <typename T>
T atomicCAS(T *address, typename AsGiven<T>::Type expected, typename AsGiven<T>::Type value) {
  return machine::change_memory(address, [=](T before) { return before == expected ? value : before; });
}

/* Those that replace what was there, `before`, by a number of it and of `value`. */
#define CDP_SIMULATED_ATOMIC(name, after)                                                                                      \
  template <typename T>                                                                                                        \
  T name(T *address, typename AsGiven<T>::Type value) {                                                                        \
    return machine::change_memory(address, [value]([[maybe_unused]] T before) { return static_cast<T>(after); });              \
  }
CDP_SIMULATED_ATOMIC(atomicMax, before < value ? value : before)
CDP_SIMULATED_ATOMIC(atomicMin, value < before ? value : before)
CDP_SIMULATED_ATOMIC(atomicExch, value)
CDP_SIMULATED_ATOMIC(atomicOr, (before | value))
CDP_SIMULATED_ATOMIC(atomicAnd, (before & value))
#undef CDP_SIMULATED_ATOMIC

/* All threads of a run share the caller's memory and its order; fences keep the compiler from moving accesses. Runs of other
   host threads share nothing with them but what atomics change. */
inline void __threadfence() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  machine::pass_atomic();
}

/* What a word in memory is now, whoever has changed it. */
template <typename Word>
Word read_anew(const Word *word) {
  machine::pass_atomic();
  return *const_cast<const volatile Word *>(word);
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------ */

inline int __popc(unsigned int value) {
  return __builtin_popcount(value);
}

inline int __popcll(unsigned long long value) {
  return __builtin_popcountll(value);
}

inline int __clz(int value) {
  return value == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(value));
}

inline int __clzll(long long value) {
  return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}

inline unsigned int __umulhi(unsigned int left, unsigned int right) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(left) * right) >> 32);
}
inline unsigned long long __umul64hi(unsigned long long left, unsigned long long right) {
  constexpr unsigned long long LOWER_HALF = 0xFFFFFFFF;
  const unsigned long long lower = (left & LOWER_HALF) * (right & LOWER_HALF);
  const unsigned long long middle = (left >> 32) * (right & LOWER_HALF) + (lower >> 32);
  const unsigned long long other = (left & LOWER_HALF) * (right >> 32) + (middle & LOWER_HALF);
  return (left >> 32) * (right >> 32) + (middle >> 32) + (other >> 32);
}

inline int __ffs(int value) {
  return __builtin_ffs(value);
}

/* Of integers: both are converted to their common type first, as in CUDA. */
template <typename A, typename B, typename Common = std::common_type_t<A, B>,
          typename = std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>>>
constexpr Common min(A left, B right) {
  return static_cast<Common>(left) < static_cast<Common>(right) ? static_cast<Common>(left) : static_cast<Common>(right);
}

template <typename A, typename B, typename Common = std::common_type_t<A, B>,
          typename = std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>>>
constexpr Common max(A left, B right) {
  return static_cast<Common>(left) < static_cast<Common>(right) ? static_cast<Common>(right) : static_cast<Common>(left);
}

} // namespace cdp::simulated

#endif
