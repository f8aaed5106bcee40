/* SPDX-License-Identifier: MIT */
/*
 * The registry of the kernels that are launched from the device: these three, and no others. What a grid does is data, a Work.
 *
 *  1. CUDA loses a grid now and then, for good, in a process that launches many different kernels from the device. None was
 *     lost where these kernels, LAUNCH_SLOTS_PER_KERNEL pending launches counted for each, stay within the pending-launch limit
 *     (samples/lost_trees prints the table; docs/known-issues.md).
 *  2. Kernels count, not what they do. Two key widths, with the hooks of study.h and without, make four of each.
 *  3. Code for blocks of one size can share a kernel: nobody pays for another step's registers, since launch bounds set how
 *     many there are, but by a branch that is the same for the whole grid.
 *  Therefore the steps of all schemes share a kernel for each shape of block, and launch_work() is the one function that
 *  launches.
 *
 *     two_way_kernel    many thin blocks: the classic recursion; bitonic steps, equal keys, batches, and the turning round
 *     multiway_kernel   one fat block a multiprocessor: a task with many children, from the look to the last stage
 *     leaf_kernel       the same blocks, each with a range of its own to sort: listed ranges, gathered buckets, the whole array
 *
 * A stage and a block's own sort in one kernel would spill registers (220 bytes of them), hence the two fat ones.
 */
#ifndef CDPSORT_DEVICE_RECURSION_KERNELS_CUH
#define CDPSORT_DEVICE_RECURSION_KERNELS_CUH

#include "recursion/multiway_task.cuh"
#include "recursion/task.cuh"

namespace cdp::CDP_RUNTIME {

enum class Step : uint32_t {
  /* two_way_kernel */
  two_way_root, /* the classic recursion's root, launched by the host (root.cuh) */
  partition,    /* a task of the last-block scheme (last_block.cuh) */
  controller,   /* launches a task's workers and the continuation behind them (controller.cuh) */
  worker,       /* partitions for a controller */
  continuation, /* ends a controller's task */
  network,      /* one step of a device-wide bitonic sort (fallback.cuh) */
  fill,         /* writes a task's equal keys (fallback.cuh) */
  fill_buckets, /* writes those of a task with many children (multiway_kernels.cuh) */
  batch,        /* takes up deferred tasks, and in the end the collected ranges (batches.cuh) */
  reverse,      /* turns the array round (multiway_kernels.cuh) */
  /* multiway_kernel (multiway_kernels.cuh) */
  multiway_root,      /* launched by the host */
  look,               /* looks whether the array is in order */
  prepare,            /* prepares a task */
  stage,              /* does a stage of it */
  stage_continuation, /* goes on behind a stage */
  /* leaf_kernel */
  sort_ranges, /* sorts listed ranges, a block each (multiway_kernels.cuh) */
  gather,      /* gathers a short array's buckets, a block each, and sorts them (short_array.cuh) */
  leaf_root    /* sorts the whole array; launched by the host (multiway_kernels.cuh) */
};

enum class Kernel : uint32_t { two_way, multiway, leaf };
constexpr uint32_t KERNELS = 3;
static_assert(LAUNCHED_KERNELS == KERNELS * 2 * 2, "for two key widths, with hooks and without");

__host__ __device__ constexpr Kernel kernel_of(Step step) {
  if (step < Step::multiway_root)
    return Kernel::two_way;
  return step < Step::sort_ranges ? Kernel::multiway : Kernel::leaf;
}

/* What a grid is to do. A step reads the members that it has a use for. */
template <typename Bits>
struct Work {
  Step step;
  uint32_t slot;       /* of its task; sort_ranges: the list's place of the first range */
  uint32_t detail;     /* look: a Direction; stage, stage_continuation: a MultiwayPhase */
  Range range;         /* network, fill, fill_buckets */
  NetworkStep network; /* network: which step of it */
  Bits key;            /* fill: entered */
};

template <typename Bits>
__host__ __device__ constexpr Work<Bits> work_for(Step step, uint32_t slot = 0, uint32_t detail = 0) {
  return {step, slot, detail, {}, {}, 0};
}

template <typename Bits>
__global__ void two_way_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event,
                               const __grid_constant__ Work<Bits> work);
template <typename Bits>
__global__ void multiway_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event,
                                const __grid_constant__ Work<Bits> work);
template <typename Bits>
__global__ void leaf_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, const __grid_constant__ Work<Bits> work);

/*
 * Launches a grid, of the kernel that does its step. Returns the launch's error. For one thread. The one function that launches.
 *
 * 1. A launch copies the kernel's parameters, 550 bytes. They are where a kernel can read them at once, in constant memory.
 * 2. A function that is not inlined is given an address, and has them copied to registers, of which there are not enough.
 * Therefore it is inlined. Of all that was mended together with it, the classic recursion became 4 % faster (2^24 keys, H200).
 */
template <typename Bits>
__device__ __forceinline__ int launch_work(ChildStream where, GridShape shape, const Sort<Bits> &sort, uint32_t event,
                                           const Work<Bits> &work) {
  switch (kernel_of(work.step)) {
  case Kernel::two_way:
    return launch_child(where, shape, two_way_kernel<Bits>, sort, event, work);
  case Kernel::multiway:
    return launch_child(where, shape, multiway_kernel<Bits>, sort, event, work);
  case Kernel::leaf:
    break;
  }
  return launch_child(where, shape, leaf_kernel<Bits>, sort, event, work);
}

} // namespace cdp::CDP_RUNTIME

#endif
