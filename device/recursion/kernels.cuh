/* SPDX-License-Identifier: MIT */
/*
 * The registry of the kernels that are launched from the device: these three, and no others. What a grid does is data, a Work.
 *
 *  1. CUDA loses a grid now and then, for good, in a process that launches many different kernels from the device. None was
 *     lost where these kernels, LAUNCH_SLOTS_PER_KERNEL pending launches counted for each, stay within the pending-launch limit
 *     (samples/13_lost_trees prints the table; docs/known-issues.md).
 *  2. Kernels count, not what they do. Two key widths, with the hooks of study.h and without, make four of each.
 *  3. Code for blocks of one size can share a kernel: nobody pays for another step's registers, since launch bounds set how
 *     many there are, but by a branch that is the same for the whole grid.
 *  Therefore the steps of all schemes share a kernel for each shape of block, and launch_work() is the one function that
 *  launches.
 *
 *     thin   task_kernel<TwoWay>: many thin blocks. Two-way tasks; bitonic steps, equal keys, batches, and the turning round
 *     fat    task_kernel<Multiway>: one fat block a multiprocessor. Multiway tasks, from the look to the scatter
 *     leaf   leaf_kernel: fat blocks, each with a range of its own to sort, which is listed
 *
 * A phase and a block's own sort in one kernel would spill registers (220 bytes of them), hence the two fat ones. Short arrays
 * and mapped ones have kernels of their own (short_array.cuh, short_behind.cuh, mapped_array.cuh), which only the host launches.
 */
#ifndef CDPSORT_DEVICE_RECURSION_KERNELS_CUH
#define CDPSORT_DEVICE_RECURSION_KERNELS_CUH

#include "recursion/task.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Bits>
struct TwoWay;
template <typename Bits>
struct Multiway;
struct DeviceDriver;

enum class Kernel : uint32_t { thin, fat, leaf };
constexpr uint32_t KERNELS = 3;
static_assert(LAUNCHED_KERNELS == KERNELS * 2 * 2, "for two key widths, with hooks and without");

/* What a grid does. Those of tasks are in machine.cuh unless said otherwise. */
enum class Step : uint32_t {
  root,         /* thin, fat: launched by the host (root.cuh, presorted_array.cuh, host_kernels.cuh) */
  begin,        /* thin, fat: prepares a task and launches its first phase */
  phase,        /* thin, fat: its blocks do their shares of a task's phase */
  continuation, /* thin, fat: goes on behind a phase (driver_tail.cuh) */
  look,         /* fat: looks whether the array is in order (presorted_array.cuh) */
  network,      /* thin: one step of a device-wide bitonic sort (network_grid.cuh) */
  fill,         /* thin: writes equal keys (helping_grids.cuh) */
  fill_buckets, /* thin: writes those of a multiway task (helping_grids.cuh) */
  batch,        /* thin: takes up deferred tasks (batches.cuh) */
  sort_ranges   /* leaf: sorts listed ranges, a block each (helping_grids.cuh) */
};

/* What a grid is to do. A step reads the members that it has a use for. */
template <typename Bits>
struct Work {
  Step step;
  uint32_t slot;       /* of its task; sort_ranges: the worklist's place of the first range; host driver: the level */
  uint32_t detail;     /* look: a Direction; phase: a Phase */
  Range range;         /* network, fill, fill_buckets */
  NetworkStep network; /* network: which step of it */
  Bits key;            /* fill: entered */
};

template <typename Bits>
__host__ __device__ constexpr Work<Bits> work_for(Step step, uint32_t slot = 0, uint32_t detail = 0) {
  return {step, slot, detail, {}, {}, 0};
}

/* The kernel of a policy's tasks. What a step means to the driver, do_step() says (root.cuh, host_kernels.cuh). */
template <typename Policy, typename Driver>
__global__ void __launch_bounds__(Policy::BLOCK_THREADS, Policy::RESIDENT_BLOCKS)
    task_kernel(const __grid_constant__ Sort<typename Policy::Key> sort, uint32_t event,
                const __grid_constant__ Work<typename Policy::Key> work) {
  do_step(Policy(), Driver(), sort, event, work);
}

template <typename Bits>
__global__ void leaf_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, const __grid_constant__ Work<Bits> work);

/*
 * Launches a grid. Returns the launch's error. For one thread. The one function that launches.
 *
 * 1. A launch copies the kernel's parameters, 550 bytes. They are where a kernel can read them at once, in constant memory.
 * 2. A function that is not inlined is given an address, and has them copied to registers, of which there are not enough.
 * Therefore it is inlined. Of all that was mended together with it, the classic recursion became 4 % faster (2^24 keys, H200).
 */
template <typename Bits>
__device__ __forceinline__ int launch_work(Kernel kernel, ChildStream where, GridShape shape, const Sort<Bits> &sort,
                                           uint32_t event, const Work<Bits> &work) {
  switch (kernel) {
  case Kernel::thin:
    return launch_child(where, shape, task_kernel<TwoWay<Bits>, DeviceDriver>, sort, event, work);
  case Kernel::fat:
    return launch_child(where, shape, task_kernel<Multiway<Bits>, DeviceDriver>, sort, event, work);
  case Kernel::leaf:
    break;
  }
  return launch_child(where, shape, leaf_kernel<Bits>, sort, event, work);
}

} // namespace cdp::CDP_RUNTIME

#endif
