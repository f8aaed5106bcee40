/* SPDX-License-Identifier: MIT */
/*
 * The simulated device's side of runtime.cuh: CUDA's names for kernels that the host's C++ compiler compiles.
 *
 * Included by kernels, through runtime.cuh, whenever the compiler is not nvcc. Function qualifiers are macros; everything else
 * lives in namespace cdp::simulated, like the kernels. What CUDA leaves undefined is a broken rule here: it ends the run, and
 * the launch from the host returns LAUNCH_RULE_BROKEN (simulated_device.h).
 *
 * Not here, so that no kernel can rely on it: __shared__, __constant__, vector types, thread indices beyond x.
 * A kernel must call no collective from a noexcept function: a broken rule unwinds it. A destructor that calls one is
 * noexcept(false); while its thread is unwound, collectives return at once.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_SIMULATED_DEVICE_CUH
#define CDPSORT_DEVICE_RUNTIME_SIMULATED_DEVICE_CUH

#include "simulated_device.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
/* Empty: the C++ library's own headers write __attribute__((__noinline__)). */
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__

/* CUDA's built-in variables. */
#define threadIdx (::cdp::simulated::machine::here().thread)
#define blockIdx (::cdp::simulated::machine::here().block)
#define blockDim (::cdp::simulated::machine::here().block_extent)
#define gridDim (::cdp::simulated::machine::here().grid_extent)

namespace cdp::simulated {

/* A position or an extent. Only x is ever other than 0 (a position) or 1 (an extent). */
struct Coordinates {
  uint32_t x;
  uint32_t y;
  uint32_t z;
};

constexpr int warpSize = 32;

namespace machine {

class Block;
struct Lane;

/* What a thread is at. Lanes meet only in the same collective. */
enum class Activity : uint8_t {
  fresh,
  running,
  ended,
  barrier,
  grid_barrier,
  named_barrier,
  warp_barrier,
  shuffle,
  shuffle_xor,
  shuffle_up,
  shuffle_down,
  ballot,
  any,
  all
};

/* Where the calling host thread is: in which simulated thread of which block. */
struct Here {
  Coordinates thread;
  Coordinates block;
  Coordinates block_extent;
  Coordinates grid_extent;
  uint32_t atomics_until_pause; /* how many atomics there are until other threads may go on */
  Lane *lane;                   /* NULL outside of a kernel */
  Block *resident;              /* whose lane that is */
};

/*
 * 1. A library whose thread-locals cost no call (initial-exec) cannot be loaded by a process that is under way.
 * 2. Compilers make one call for each use of another thread-local, but only one in a function for all uses of a const one.
 * 3. No fiber ever moves to another host thread: in a function the answer is always the same.
 * Therefore there is one thread-local, and a const function that tells where it is.
 */
__attribute__((const, visibility("hidden"))) Here &here() noexcept;

/* A place in a kernel, for reports: as a default argument, current() is the caller's. */
struct Place {
  const char *file;
  int line;

  static constexpr Place current(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/* A kernel's address, whatever its parameters: what it is known by. */
using KernelName = void (*)();

template <typename... Parameters>
KernelName name_of(void (*kernel)(Parameters...)) {
  return reinterpret_cast<KernelName>(kernel);
}

/* A kernel, and what runs it with its arguments. */
struct KernelCall {
  KernelName name = nullptr;
  std::function<void()> run_thread;
};

/* Runs a grid and all its descendants. */
int run_from_host(GridShape shape, bool together, KernelCall call) noexcept;

/* The most blocks of a kernel that may run together; 0 where none can be launched. */
int max_together(KernelName kernel, uint32_t threads, uint32_t shared_bytes) noexcept;

/* Lets a kernel have so much shared memory in the calling thread's launches. */
int allow_from_host(KernelName kernel, uint32_t bytes) noexcept;

/* Launches a child of the running thread's grid. Throws std::bad_alloc. */
int launch_from_thread(ChildStream where, GridShape shape, KernelCall call);

/* Ends the run with a report that the running thread found host memory exhausted. */
[[noreturn]] void exhaust_memory();

/* Calls a function of the program's on the stack of the host thread that launched the run. If the function throws, the run ends
   with LAUNCH_CALL_THREW. For a running thread. */
void call_on_host(void (*function)(void *argument), void *argument);

/* Waits until all threads of the block are there, or at the grid's barrier all of the grid. Returns how many of the block's
   gave a predicate that is not 0. */
uint32_t meet(Activity barrier, bool predicate, Place place);

/* Waits until `threads` threads of the block are at its barrier `number`. Returns how many gave a predicate that is not 0. */
uint32_t meet_named(uint32_t number, uint32_t threads, bool predicate, Place place);

/* The block's shared memory, after a look whether it is as large as what is to be found there. */
void *shared_memory(size_t bytes);

} // namespace machine

/* The block's barrier: all its threads take part, at one and the same place. */
inline int __syncthreads_count(int predicate, machine::Place place = machine::Place::current()) {
  return static_cast<int>(machine::meet(machine::Activity::barrier, predicate != 0, place));
}

inline void __syncthreads(machine::Place place = machine::Place::current()) {
  __syncthreads_count(0, place);
}

inline int __syncthreads_or(int predicate, machine::Place place = machine::Place::current()) {
  return __syncthreads_count(predicate, place) != 0 ? 1 : 0;
}

inline int __syncthreads_and(int predicate, machine::Place place = machine::Place::current()) {
  return __syncthreads_count(predicate == 0, place) == 0 ? 1 : 0;
}

/* The barrier of a grid that was launched together: all its threads take part, at one and the same place. A GPU counts the blocks
   that have arrived in a word that must be zero before the launch. */
inline void grid_barrier(const uint32_t *, machine::Place place = machine::Place::current()) {
  machine::meet(machine::Activity::grid_barrier, false, place);
}

/* A barrier of some warps of the block: as many threads as all of them say take part, at one and the same place. */
inline void named_barrier(uint32_t number, uint32_t threads, machine::Place place = machine::Place::current()) {
  machine::meet_named(number, threads, false, place);
}

inline bool named_barrier_or(uint32_t number, uint32_t threads, bool predicate,
                             machine::Place place = machine::Place::current()) {
  return machine::meet_named(number, threads, predicate, place) != 0;
}

/* The launches that all sorts on the device have reserved at present: one for the process. */
unsigned int &launches_taken() noexcept;

/* Reserves launches, and returns how many are reserved then, or returns them. A run that is abandoned returns its own. */
uint32_t reserve_launches(uint32_t count);
void return_launches(uint32_t count);

inline void prefetch(const void *) {}

inline uint32_t fresh(uint32_t number) {
  return number;
}

template <typename T>
T reread(const T &shared) {
  return shared;
}

/* Nanoseconds of the host's clock; never the same twice in a thread. */
uint64_t device_clock() noexcept;

/* One of those that the rules give. */
uint32_t multiprocessor_number() noexcept;

/* The block's dynamic shared memory as a T, poisoned at first. One T a kernel, no larger than the launch's shared_bytes. */
template <typename T>
T &block_shared() {
  static_assert(std::is_trivial_v<T> && alignof(T) <= 16, "shared memory is neither constructed nor aligned further");
  return *static_cast<T *>(machine::shared_memory(sizeof(T)));
}

/*
 * Launches a kernel from the host and runs it, with all its descendants, to completion. The stream is not looked at: whatever
 * was launched before is complete. Returns LAUNCH_OK or a code; last_report() says more.
 */
template <typename... Parameters>
int launch_shape(GridShape shape, void *, LaunchWay way, void (*kernel)(Parameters...), Parameters... arguments) {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...), "kernel parameters are copied byte by byte");
  const auto run_thread = [&] { kernel(arguments...); };
  return machine::run_from_host(shape, way == LaunchWay::together, {machine::name_of(kernel), std::cref(run_thread)});
}

/* A number of the calling thread's context: 0, for what is allowed here is a run's. */
inline uint64_t context_number() {
  return 0;
}

/* A grid that the host launches is complete before the next one begins. */
inline void let_next_begin() {}
inline void await_grid_before() {}

/* Zeroes device memory. Returns LAUNCH_OK. */
inline int zero_memory(void *memory, size_t bytes, void *) {
  std::memset(memory, 0, bytes);
  return LAUNCH_OK;
}

/* Copies from device memory to device memory. Returns LAUNCH_OK. */
inline int copy_memory(void *destination, const void *source, size_t bytes, void *) {
  std::memcpy(destination, source, bytes);
  return LAUNCH_OK;
}

/* Asks how many blocks of a kernel may run together: Rules::resident_blocks, or 0 if none can be launched. Returns LAUNCH_OK.
   */
template <typename... Parameters>
int resident_blocks(void (*kernel)(Parameters...), uint32_t threads, uint32_t shared_bytes, int *blocks) {
  *blocks = machine::max_together(machine::name_of(kernel), threads, shared_bytes);
  return LAUNCH_OK;
}

/* Lets a kernel's blocks have so much shared memory, and no more, whoever launches it in a run of the calling thread. Returns
   LAUNCH_OK or a code. */
template <typename... Parameters>
int allow_shared_bytes(void (*kernel)(Parameters...), uint32_t bytes) {
  return machine::allow_from_host(machine::name_of(kernel), bytes);
}

/* Launches a kernel from the device. Returns LAUNCH_OK or the code of the refusal; a refused launch runs nothing. */
template <typename... Parameters>
int launch_child(ChildStream where, GridShape shape, void (*kernel)(Parameters...),
                 typename AsGiven<Parameters>::Type... arguments) {
  static_assert((std::is_trivially_copyable_v<Parameters> && ...), "kernel parameters are copied byte by byte");
  try {
    return machine::launch_from_thread(where, shape, {machine::name_of(kernel), [=] { kernel(arguments...); }});
  } catch (const std::bad_alloc &) {
    machine::exhaust_memory(); // before destructors come to a barrier
  }
}

} // namespace cdp::simulated

#include "simulated_intrinsics.cuh"

#endif
