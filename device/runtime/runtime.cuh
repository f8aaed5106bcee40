/* SPDX-License-Identifier: MIT */
/*
 * Where kernels run. The kernels of device/ are written once, in ordinary CUDA C, and compiled twice: by nvcc for a GPU, and by
 * the host's C++ compiler for the simulated device. This header picks the runtime; both give the kernels the same few names
 * beyond CUDA's own:
 *
 *     block_shared<T>()    the block's dynamic shared memory, as a T
 *     launch_child()       the one place that hides <<<>>>: a launch from the device, its error returned
 *     launch_from_host()   the same from the host
 *     launch_behind()      the same, of a grid that may begin before the one in front of it in the stream is complete, if kernels
 *                          can wait for that: await_grid_before(). That one says let_next_begin(), in each of its blocks
 *     launch_together()    the same, and all blocks of the grid run at the same time; an error if the device cannot hold them
 *     resident_blocks()    how many blocks of a kernel the current device holds at once: the most for launch_together()
 *     context_number()     a number of the host thread's context that no other has had; 0: not known
 *     zero_memory()        zeroes device memory from the host, in a stream's order; copy_memory() copies within it
 *     grid_barrier()       waits for all threads of all blocks of such a grid; what was written before is visible behind it.
 *                          It is given a word that nobody else has, and that is zero before the launch
 *     named_barrier()      waits for some warps of the block, all at the barrier of that number (1 to 15), so many threads
 *                          together; named_barrier_or() tells each whether any of them gave a predicate that is not 0
 *     read_anew()          what a word in device memory is now, whoever has changed it
 *     prefetch()           has the line of memory at an address brought into the cache that all multiprocessors share
 *     device_clock()       nanoseconds, and multiprocessor_number() where a thread runs: for traces
 *     reserve_launches()   reserves launches among those that all sorts on the device have, and returns how many are reserved
 *                          then; return_launches() returns them. Where kernels can launch
 *     fresh()              the same number, of which the compiler knows nothing: what follows from it is worked out anew
 *     reread()             what is in shared memory now, read here: nothing is kept in a register from before
 *     expect()             what a kernel relies on: a broken rule of the simulated device, nothing on a GPU
 *     allow_shared_bytes() lets a kernel have more dynamic shared memory than every kernel may
 *
 * Everything in device/ lives in namespace cdp::CDP_RUNTIME, so that all compilations can be linked into one library.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_RUNTIME_CUH
#define CDPSORT_DEVICE_RUNTIME_RUNTIME_CUH

#include <atomic>
#include <cstdint>
#include <mutex>

/* Whether this compilation has what study.h asks for. */
#ifndef CDP_STUDY_HOOKS
#define CDP_STUDY_HOOKS 1
#endif

/*
 * 1. Hooks cost a sort that is given no counters and no trace up to 4 % of its time, however little is left of them
 *    (docs/notes/hooks.md).
 * 2. A sort that nobody studies must not pay for those who do.
 * Therefore the GPU's recursion is compiled twice, with hooks and without, and the host launches the one or the other. The
 * simulated device's is compiled once: its time is nobody's concern.
 */
#if !defined(__CUDACC__)
#define CDP_RUNTIME simulated
#define CDP_UNSTUDIED_RUNTIME simulated
#else
#define CDP_UNSTUDIED_RUNTIME cuda_unstudied
#if CDP_STUDY_HOOKS
#define CDP_RUNTIME cuda
#else
#define CDP_RUNTIME cuda_unstudied
#endif
#endif

namespace cdp::CDP_RUNTIME {

/* How the host launches a grid: by launch_from_host(), launch_together(), launch_behind(). */
enum class LaunchWay { alone, together, behind };

/* A grid to launch: one-dimensional blocks and threads, and the bytes of dynamic shared memory a block has. */
struct GridShape {
  uint32_t blocks;
  uint32_t threads;
  uint32_t shared_bytes;
};

/* The stream of a device-side launch. */
enum class ChildStream : uint32_t {
  fire_and_forget, /* runs at any time from now on, beside everything else */
  named,           /* a stream created for this launch and destroyed behind it: the same, the long way round */
  tail             /* runs when the launching grid and all its descendants are complete */
};

/* What launches return: cudaSuccess, and cudaErrorLaunchPendingCountExceeded. Other values are CUDA's too. */
constexpr int LAUNCH_OK = 0;
constexpr int LAUNCH_PENDING_LIMIT = 69;

/* Keeps a parameter out of template argument deduction, so that arguments convert as in an ordinary call. */
template <typename T>
struct AsGiven {
  using Type = T;
};

} // namespace cdp::CDP_RUNTIME

#ifdef __CUDACC__
#include "cuda_device.cuh"
#else
#include "simulated_device.cuh"
#endif

namespace cdp::CDP_RUNTIME {

/* What has to be seen to once in a context, which keeps it. Several host threads may be at it. */
class OncePerContext {
public:
  /* Calls `see`, which returns LAUNCH_OK or another cudaError_t, unless it is known to have done it for the current context. */
  template <typename See>
  int see_to(See see) {
    const uint64_t context = context_number();
    if (context != 0 && latest.load(std::memory_order_relaxed) == context)
      return LAUNCH_OK;
    const int error = see();
    if (error == LAUNCH_OK)
      latest.store(context, std::memory_order_relaxed);
    return error;
  }

private:
  std::atomic<uint64_t> latest{0}; /* the latest context that it was done for */
};

/* What resident_blocks() says of one kernel and one shape, asked once in a context. Several host threads may ask. */
class KnownResidents {
public:
  template <typename... Parameters>
  int ask(void (*kernel)(Parameters...), uint32_t threads, uint32_t shared_bytes, int *blocks) {
    const uint64_t context = context_number();
    const std::lock_guard<std::mutex> lock(mutex);
    if (context == 0 || context != known_context || threads != known_threads || shared_bytes != known_bytes) {
      const int error = resident_blocks(kernel, threads, shared_bytes, &known_blocks);
      known_context = error == LAUNCH_OK ? context : 0;
      known_threads = threads;
      known_bytes = shared_bytes;
      if (error != LAUNCH_OK)
        return error;
    }
    *blocks = known_blocks;
    return LAUNCH_OK;
  }

private:
  std::mutex mutex;
  uint64_t known_context = 0;
  uint32_t known_threads = 0;
  uint32_t known_bytes = 0;
  int known_blocks = 0;
};

/* Launches a kernel from the host on a stream. Returns LAUNCH_OK or another cudaError_t. */
template <typename... Parameters>
int launch_from_host(GridShape shape, void *stream, void (*kernel)(Parameters...),
                     typename AsGiven<Parameters>::Type... arguments) {
  return launch_shape<Parameters...>(shape, stream, LaunchWay::alone, kernel, arguments...);
}

/* The same for a grid that waits by itself (await_grid_before()) for the one in front of it, which is launched just before. It
   begins earlier than others if `overlaps`: cdp_device_facts::overlaps_grids, lest it be told to and cannot wait. */
template <typename... Parameters>
int launch_behind(GridShape shape, void *stream, bool overlaps, void (*kernel)(Parameters...),
                  typename AsGiven<Parameters>::Type... arguments) {
  return launch_shape<Parameters...>(shape, stream, overlaps ? LaunchWay::behind : LaunchWay::alone, kernel, arguments...);
}

/* The same for a grid whose blocks all run at the same time, at most resident_blocks() of them. */
template <typename... Parameters>
int launch_together(GridShape shape, void *stream, void (*kernel)(Parameters...),
                    typename AsGiven<Parameters>::Type... arguments) {
  return launch_shape<Parameters...>(shape, stream, LaunchWay::together, kernel, arguments...);
}

/* allow_shared_bytes() for several kernels, one after another. Returns the first error. */
template <typename... Kernels>
int allow_each_shared_bytes(uint32_t bytes, Kernels... kernels) {
  int error = LAUNCH_OK;
  static_cast<void>((((error = allow_shared_bytes(kernels, bytes)) == LAUNCH_OK) && ...));
  return error;
}

} // namespace cdp::CDP_RUNTIME

#endif
