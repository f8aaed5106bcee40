/* SPDX-License-Identifier: MIT */
/*
 * The state machine of a task. A policy says what is done in its phases, a driver who goes on behind each.
 *
 *     TwoWay      waiting ──▶ partition ──────────▶ done
 *     Multiway    waiting ──▶ count ──▶ scatter ──▶ done
 *     either, at the depth limit: waiting ──▶ network, step by step
 *
 *     waiting     add_task(): the range has a slot. start_or_defer(): it is started, or put on the list for a later batch
 *                 Multiway, in between: one block prepares it, of a grid of its own (Step::begin) or the root
 *     others      all blocks do their share of the phase; one of them, or a grid behind them, or the host's next grid goes on
 *     done        Policy::finish(): the children are settled, each a task of its own, or listed, or sorted by this block
 *
 * Nothing is lost: wherever a launch is refused or a list is full, the block at hand sorts that very range (launch_or_sort(),
 * Disposition::in_block). It is as it was then: counting moves nothing, and a phase that was refused has not run.
 *
 * A policy has            TwoWay (two_way.cuh), Multiway (multiway.cuh)
 *     Key, Storage        the width of a key, what lies in a block's shared memory; block_of() is the BlockStorage in it
 *     KERNEL, BLOCK_THREADS, RESIDENT_BLOCKS, TILE_ITEMS      its kernel's shape
 *     FIRST, PREPARES     its first phase, and whether a block has to prepare it
 *     LISTS_SINGLY        whether ranges go on the worklist one by one, and the last live task has them sorted
 *     grid(), blocks()    the shape of its grids, and how many blocks a range should have
 *     prepare()           prepares a task. All threads of one block take part
 *     do_share()          a block's share of a phase. All threads take part
 *     end_phase()         what is to be done when all shares are; returns the next phase. All threads of one block take part
 *     finish()            settles the children. Likewise
 *     fill()              writes the equal keys of a task, for many threads
 * A driver has            DeviceDriver (driver_device.cuh), HostDriver (driver_host.cuh)
 *     enter()             whether one more task may be started now, rather than put off. For one thread, as the next three
 *     start()             starts a task that waits; false if it is refused
 *     launch_phase()      has a phase's grid launched; false if it is refused
 *     goes_on()           whether this block, which has done its share, is the one that goes on. All threads take part
 *     fill(), fill_buckets(), sort_ranges()       have that done by a grid; false if the block at hand must
 *     end_task()          a task has ended. All threads take part
 */
#ifndef CDPSORT_DEVICE_RECURSION_MACHINE_CUH
#define CDPSORT_DEVICE_RECURSION_MACHINE_CUH

#include "recursion/kernels.cuh"
#include "recursion/trace.cuh"

namespace cdp::CDP_RUNTIME {

/* Brings a task to its next phase, whose grid sees it. For one thread. */
inline __device__ void change_phase(Task &task, Phase from, Phase to) {
  expect(task.phase == from);
  task.phase = to;
  task.done_blocks = 0;
  __threadfence();
}

/* Has `launch`, called by one thread, launch what sorts a range or, where that returns false, sorts it in this block. Returns
   whether it was launched. All threads of the block take part; ends with a barrier. */
template <typename Bits, typename Launch>
__device__ __forceinline__ bool launch_or_sort(const Sort<Bits> &sort, const Range &range, BlockStorage &storage,
                                               Launch launch) {
  if (threadIdx.x == 0) {
    storage.flag = launch() ? 1 : 0;
    if (storage.flag == 0)
      count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_refused, 1);
  }
  __syncthreads();
  const bool is_launched = storage.flag != 0;
  __syncthreads(); // the flag is free again
  if (!is_launched)
    block_sort_fallback<Bits>(sort.rules, range, storage);
  return is_launched;
}

/* Sorts listed ranges in this block, since the grid that should was refused. All threads of the block take part. */
template <typename Bits>
__device__ inline void sort_listed_here(const Sort<Bits> &sort, uint32_t first, uint32_t count, BlockStorage &storage) {
  for (uint32_t place = first; place < first + count; place++)
    launch_or_sort(sort, sort.worklist[place], storage, [] { return false; });
}

/* Starts a task that waits, or puts it off to a later batch. For one thread. */
template <typename Policy, typename Driver, typename Bits>
__device__ inline Disposition start_or_defer(const Sort<Bits> &sort, uint32_t slot) {
  const Task &task = sort.tasks[slot];
  const Range range = task.range; // a task that is started may end before this returns
  const uint32_t depth = range.depth;
  const uint64_t network_items = task.phase == Phase::network ? range.items() : 0;
  const bool is_entered = Driver::enter(sort);
  if (is_entered) {
    if (Driver::template start<Policy>(sort, slot)) {
      if (network_items != 0) {
        count_at(sort.rules.counters, depth, &cdp_study_depth::fallback_depth, 1);
        count_network<Bits>(sort.rules.counters, depth, network_items);
      }
      return Disposition::settled;
    }
  } else if (sort.control->deferring != 0) {
    list_task(sort, sort.control->turn + 1, slot, 0);
    count_at(sort.rules.counters, depth, &cdp_study_depth::deferred, 1);
    return Disposition::settled;
  }
  // One too many, or refused: in the grid that sorts the worklist nobody waits for it.
  const bool is_listed = Policy::LISTS_SINGLY && range.items() <= MultiwayShape<Bits>::MAX_RANGE_ITEMS &&
                         list_range(sort, range) == Disposition::settled;
  if (is_entered || !is_listed)
    count_at(sort.rules.counters, depth, &cdp_study_depth::fallback_refused, 1);
  return is_listed ? Disposition::settled : Disposition::in_block;
}

/* Makes a range of more than block_items items a task, in `slot` or, if that is NO_SLOT, one of its own, and starts it. What it
   holds is visible to the thread, which is one. pivot: where the policy has one. */
template <typename Policy, typename Driver, typename Bits>
__device__ inline Disposition add_task(const Sort<Bits> &sort, const Range &range, uint32_t slot, Bits pivot) {
  if (slot == NO_SLOT)
    slot = allocate_slot(sort.control, sort.task_capacity);
  if (slot == NO_SLOT) {
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_pool, 1);
    return Disposition::in_block;
  }
  const Phase phase = range.depth >= sort.depth_limit ? Phase::network : Phase::waiting;
  sort.tasks[slot] = Task{range, pivot, 0, 0, phase, Policy::blocks(sort, range.items()), 0, 0};
  __threadfence();
  return start_or_defer<Policy, Driver>(sort, slot);
}

/* Has a task's phase launched, or sorts its range in this block. All threads of the block take part. */
template <typename Policy, typename Driver, typename Bits>
__device__ inline void enter_phase(const Sort<Bits> &sort, uint32_t slot, Phase from, Phase to,
                                   typename Policy::Storage &storage) {
  const Range range = sort.tasks[slot].range;
  const bool is_launched = launch_or_sort(sort, range, Policy::block_of(storage), [&sort, slot, from, to] {
    change_phase(sort.tasks[slot], from, to);
    return Driver::template launch_phase<Policy>(sort, slot, to);
  });
  if (!is_launched)
    Driver::end_task(sort, Policy::block_of(storage));
}

/* Goes on behind a phase. All threads of the block take part. */
template <typename Policy, typename Driver, typename Bits>
__device__ __forceinline__ void go_on(const Sort<Bits> &sort, uint32_t slot, Phase phase, typename Policy::Storage &storage) {
  const Phase next = Policy::end_phase(sort, slot, phase, storage);
  if (next != Phase::done) {
    enter_phase<Policy, Driver>(sort, slot, phase, next, storage);
    return;
  }
  Policy::template finish<Driver>(sort, slot, storage);
  Driver::end_task(sort, Policy::block_of(storage));
}

/* Step::begin: prepares a task and launches its first phase. */
template <typename Policy, typename Driver, typename Bits>
__device__ __forceinline__ void begin_body(const Sort<Bits> &sort, const uint32_t &event, uint32_t slot) {
  auto &storage = block_shared<typename Policy::Storage>();
  const TraceScope scope(sort, event, Policy::block_of(storage));
  Policy::prepare(sort, slot, storage);
  enter_phase<Policy, Driver>(sort, slot, Phase::waiting, Policy::FIRST, storage);
}

/* Step::phase, and Step::continuation, which goes on behind a phase's grid. */
template <typename Policy, typename Driver, typename Bits>
__device__ __forceinline__ void phase_body(const Sort<Bits> &sort, const uint32_t &event, const Work<Bits> &work) {
  auto &storage = block_shared<typename Policy::Storage>();
  const TraceScope scope(sort, event, Policy::block_of(storage));
  const Phase phase = static_cast<Phase>(work.detail);
  if (work.step == Step::phase) {
    Policy::do_share(sort, work.slot, phase, blockIdx.x, gridDim.x, storage);
    if (!Driver::goes_on(sort, work.slot, Policy::block_of(storage)))
      return;
  } else if (sort.tasks[work.slot].workers_refused != 0) {
    launch_or_sort(sort, sort.tasks[work.slot].range, Policy::block_of(storage), [] { return false; });
    Driver::end_task(sort, Policy::block_of(storage));
    return;
  }
  go_on<Policy, Driver>(sort, work.slot, phase, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
