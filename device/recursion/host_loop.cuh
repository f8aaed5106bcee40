/* SPDX-License-Identifier: MIT */
/*
 * Launch scheme "host loop": the same partition, the same decisions, and no dynamic parallelism, as in the first phase of Xuan
 * Thang Nguyen, "Development of parallel sorting algorithms for GPU" (2021, algorithm 4.3.1). For comparison, and for places
 * where device launches are not to be had (MPS): this file is compiled without relocatable device code, into a module of its
 * own.
 *
 *  1. The root settles the whole array: usually it becomes the one task of level 0.
 *  2. A level: one grid partitions all its tasks (a map tells each block whose it is), a second one finishes them, a block
 *     each, which lists the tasks of the next level. The host reads how many there are, and goes round again.
 *  3. At the depth limit the tasks of the level are ranges to sort by the bitonic network, step by step from the host.
 *  4. One grid sorts the collected ranges.
 */
#ifndef CDPSORT_DEVICE_RECURSION_HOST_LOOP_CUH
#define CDPSORT_DEVICE_RECURSION_HOST_LOOP_CUH

#include "block/presorted.cuh"
#include "recursion/multiway_task.cuh"
#include "recursion/single.cuh"
#include "recursion/start.h"
#include "recursion/workspace.cuh"

namespace cdp::CDP_RUNTIME {

/* Notes tasks for the host instead of launching them. */
struct LevelStarter {
  /* Launches from the host are not limited, and a level holds all its tasks. */
  template <typename Bits>
  static __device__ bool enter(const Sort<Bits> &sort) {
    atomicMax(&sort.control->max_tasks_in_batch, atomicAdd(&sort.control->tasks_in_batch, 1u) + 1);
    return true;
  }

  template <typename Bits>
  static __device__ int start(const Sort<Bits> &sort, uint32_t slot, const Task &task) {
    const uint32_t first_block = atomicAdd(&sort.control->level_blocks, task.block_count);
    sort.tasks[slot].first_block = first_block;
    for (uint32_t block = 0; block < task.block_count; block++)
      sort.block_map[first_block + block] = slot;
    list_task(sort, slot);
    return LAUNCH_OK;
  }

  template <typename Bits>
  static __device__ int network(const Sort<Bits> &sort, uint32_t slot, const Range &) {
    list_task(sort, slot);
    return LAUNCH_OK;
  }

  template <typename Bits>
  static __device__ bool fill(const Sort<Bits> &, const Range &, Bits) {
    return false; // the block at hand writes them: a level waits for its slowest block, which the comparison may show
  }

  /* Listed ranges are sorted when there are no more levels. */
  template <typename Bits>
  static __device__ bool sort_ranges(const Sort<Bits> &, uint32_t, uint32_t, const Range &) {
    return true;
  }

  template <typename Bits>
  static __device__ bool fill_buckets(const Sort<Bits> &, uint32_t, const Range &) {
    return false; // likewise
  }
};

/* What a level's grid works on: for its event, the whole array at the depth of one of its tasks. */
template <typename Bits>
__device__ __forceinline__ Range level_range(const Sort<Bits> &sort, const Task &task) {
  return {0, sort.count, task.range.side, task.range.depth};
}

template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    level_root_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort));
  settle_array<Bits, LevelStarter>(sort, [](const auto &same_sort) { same_sort.control->collecting = 1; });
}

/* Partitions all tasks of a level. */
template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    level_partition_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  Task &task = sort.tasks[sort.block_map[blockIdx.x]];
  const TraceScope scope(sort, event, CDP_TRACE_PARTITION, level_range(sort, task));
  partition_share<Bits>(sort, task, blockIdx.x - task.first_block, block_shared<BlockStorage>());
}

/* Finishes the tasks of a level, a block each: their children go to the other list. */
template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    level_finish_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, uint32_t side) {
  const uint32_t slot = sort.lists[side][blockIdx.x];
  const TraceScope scope(sort, event, CDP_TRACE_CONTINUATION, level_range(sort, sort.tasks[slot]));
  finish_task<Bits, LevelStarter>(sort, slot, block_shared<BlockStorage>());
}

template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    level_network_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, Range range, NetworkStep step) {
  const TraceScope scope(sort, event, CDP_TRACE_NETWORK, range);
  do_network_share<Bits>(sort, range, step);
}

/* The same with many children to a task. A level has two stages, and a grid with a block for each task before, between and
   behind them. */
template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    level_fan_root_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort));
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const Range whole = whole_range(sort);
  clear_bookkeeping(sort, 1);
  __syncthreads();
  if (is_single(sort)) {
    using Block = MultiwayShape<Bits>;
    block_register_sort<Bits, Block::TILE_ITEMS_PER_THREAD>(sort.rules, sort.rules.side(Side::keys), whole, storage.work.stage);
    return;
  }
  if (whole.items() <= sort.single_items) {
    // One range for one block: the same kernel sorts it as those that come of tasks.
    if (threadIdx.x == 0) {
      sort.control->collected_count = 1;
      sort.collected[0] = whole;
    }
    return;
  }
  const Direction direction = sort.rules.depth_limit == 0 ? Direction::none : sample_direction<Bits>(sort.rules, whole);
  if (threadIdx.x == 0) {
    sort.control->direction = static_cast<uint32_t>(direction);
    sort.control->collecting = 1;
    start_bucket<LevelStarter>(sort, whole); // it is the first task, and nothing is refused here
  }
}

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    level_fan_look_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, Direction direction) {
  const TraceScope scope(sort, event, CDP_TRACE_LOOK, whole_range(sort));
  look_for_disorder<Bits>(sort.rules, whole_range(sort), direction, blockIdx.x, gridDim.x, &sort.control->disorder);
}

/* Does what Step::reverse does, and is another kernel: of one that is in both modules a linker may keep but one entry for
   the host's launches (before CUDA 13 it does), which would be that of the other module. */
template <typename Bits>
__global__ void __launch_bounds__(Shape<Bits>::BLOCK_THREADS, Shape<Bits>::RESIDENT_BLOCKS)
    level_reverse_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  const TraceScope scope(sort, event, CDP_TRACE_REVERSE, whole_range(sort));
  reverse_items(sort.rules, whole_range(sort));
}

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    level_fan_prepare_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, uint32_t side) {
  const uint32_t slot = sort.lists[side][blockIdx.x];
  const TraceScope scope(sort, event, CDP_TRACE_PREPARE, level_range(sort, sort.tasks[slot]));
  prepare_multiway<Bits>(sort, slot, block_shared<MultiwayStorage<Bits>>());
}

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    level_fan_stage_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, MultiwayPhase stage) {
  const uint32_t slot = sort.block_map[blockIdx.x];
  const Task &task = sort.tasks[slot];
  const TraceScope scope(sort, event, stage == MultiwayPhase::count ? CDP_TRACE_COUNT : CDP_TRACE_SCATTER,
                         level_range(sort, task));
  do_stage_share<Bits>(sort, slot, stage, blockIdx.x - task.first_block, task.block_count,
                       block_shared<MultiwayStorage<Bits>>());
}

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    level_fan_place_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, uint32_t side) {
  const uint32_t slot = sort.lists[side][blockIdx.x];
  const TraceScope scope(sort, event, CDP_TRACE_CONTINUATION, level_range(sort, sort.tasks[slot]));
  place_buckets(sort, slot, block_shared<MultiwayStorage<Bits>>());
}

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    level_fan_finish_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event, uint32_t side) {
  const uint32_t slot = sort.lists[side][blockIdx.x];
  const TraceScope scope(sort, event, CDP_TRACE_CONTINUATION, level_range(sort, sort.tasks[slot]));
  finish_multiway<Bits, LevelStarter>(sort, slot, block_shared<MultiwayStorage<Bits>>());
}

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    level_collected_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  Range all = whole_range(sort);
  all.depth = sort.collected[0].depth;
  const TraceScope scope(sort, event, CDP_TRACE_SORT, all);
  const BlockTraceScope own_scope(sort, event);
  own_scope.describe(sort.collected[blockIdx.x]);
  block_multiway_sort<Bits>(sort.rules, sort.collected[blockIdx.x], block_shared<MultiwayStorage<Bits>>());
}

/* As allow_fan_kernels(), for these. */
template <typename Bits>
int allow_level_fan_kernels(uint32_t bytes) {
  return allow_each_shared_bytes(bytes, level_fan_root_kernel<Bits>, level_fan_prepare_kernel<Bits>,
                                 level_fan_stage_kernel<Bits>, level_fan_place_kernel<Bits>, level_fan_finish_kernel<Bits>,
                                 level_collected_kernel<Bits>);
}

/* The host's side of the loop, for one sort. Every member returns a cudaError_t. */
template <typename Bits>
class HostLoop {
public:
  HostLoop(const cdp_request &request, bool counted, void *on_stream)
      : sort(make_sort<Bits>(request, counted)), stream(on_stream) {}

  int run() {
    int error = launch_level_root();
    for (uint32_t level = 0; error == LAUNCH_OK; level++) {
      error = read_back(&control, sort.control, sizeof control, stream);
      if (error != LAUNCH_OK)
        return error;
      const uint32_t tasks = control.list_count[control.list_side];
      if (tasks == 0)
        return sort_collected();
      bool is_sorted = false;
      if (level == 0 && control.direction != static_cast<uint32_t>(Direction::none))
        error = try_presorted(&is_sorted);
      if (error != LAUNCH_OK || is_sorted)
        return error;
      error = level >= sort.rules.depth_limit ? sort_listed_by_network(tasks) : partition_level(tasks);
    }
    return error;
  }

private:
  /* Launches a grid of the host's, whose event is the next one. Blocks with events of their own are the last grid's alone. */
  template <typename... Parameters>
  int launch_level(GridShape shape, void (*kernel)(Sort<Bits>, uint32_t, Parameters...),
                   typename AsGiven<Parameters>::Type... arguments) {
    return launch_from_host(shape, stream, kernel, sort, next_event++, arguments...);
  }

  bool is_classic() const {
    return sort.fan_out == CDP_FAN_OUT_CLASSIC;
  }

  int launch_level_root() {
    const int error = allow_level_fan_kernels<Bits>(sort.multiway_shared_bytes);
    if (error != LAUNCH_OK)
      return error;
    if (is_classic())
      return launch_level(sorting_grid<Bits>(1), level_root_kernel<Bits>);
    return launch_level(multiway_grid(sort, 1), level_fan_root_kernel<Bits>);
  }

  /* Sorts an array that is in order in one direction or the other, if it is. */
  int try_presorted(bool *is_sorted) {
    const Direction direction = static_cast<Direction>(control.direction);
    const GridShape look = {multiway_blocks(sort, sort.count), MultiwayShape<Bits>::BLOCK_THREADS, 0};
    int error = launch_level(look, level_fan_look_kernel<Bits>, direction);
    if (error == LAUNCH_OK)
      error = read_back(&control, sort.control, sizeof control, stream);
    *is_sorted = control.disorder == 0;
    if (error != LAUNCH_OK || !*is_sorted || direction == Direction::ascending)
      return error;
    const GridShape turn = {sort.max_blocks, Shape<Bits>::BLOCK_THREADS, 0};
    return launch_level(turn, level_reverse_kernel<Bits>);
  }

  Sort<Bits> sort;
  void *stream;
  uint32_t next_event = ROOT_EVENT;
  Control control;

  /* Turns the lists over and forgets the level's blocks: `control` is what the device has, and nothing runs. */
  int turn_lists() {
    control.list_side = 1 - control.list_side;
    control.list_count[control.list_side] = 0;
    control.level_blocks = 0;
    return write_out(sort.control, &control, sizeof control, stream);
  }

  int partition_level(uint32_t tasks) {
    const uint32_t side = control.list_side;
    const uint32_t blocks = control.level_blocks;
    int error = turn_lists();
    if (!is_classic())
      return error != LAUNCH_OK ? error : partition_fan_level(tasks, blocks, side);
    if (error == LAUNCH_OK)
      error = launch_level(sorting_grid<Bits>(blocks), level_partition_kernel<Bits>);
    if (error == LAUNCH_OK)
      error = launch_level(sorting_grid<Bits>(tasks), level_finish_kernel<Bits>, side);
    return error;
  }

  int partition_fan_level(uint32_t tasks, uint32_t blocks, uint32_t side) {
    int error = launch_level(multiway_grid(sort, tasks), level_fan_prepare_kernel<Bits>, side);
    if (error == LAUNCH_OK)
      error = launch_level(multiway_grid(sort, blocks), level_fan_stage_kernel<Bits>, MultiwayPhase::count);
    if (error == LAUNCH_OK)
      error = launch_level(multiway_grid(sort, tasks), level_fan_place_kernel<Bits>, side);
    if (error == LAUNCH_OK)
      error = launch_level(multiway_grid(sort, blocks), level_fan_stage_kernel<Bits>, MultiwayPhase::scatter);
    if (error == LAUNCH_OK)
      error = launch_level(multiway_grid(sort, tasks), level_fan_finish_kernel<Bits>, side);
    return error;
  }

  int sort_listed_by_network(uint32_t tasks) {
    const uint32_t side = control.list_side;
    int error = turn_lists();
    for (uint32_t index = 0; index < tasks && error == LAUNCH_OK; index++) {
      uint32_t slot = 0;
      Task task;
      error = read_back(&slot, sort.lists[side] + index, sizeof slot, stream);
      if (error == LAUNCH_OK)
        error = read_back(&task, sort.tasks + slot, sizeof task, stream);
      if (error == LAUNCH_OK)
        error = sort_by_network_steps(task.range);
    }
    return error;
  }

  int sort_by_network_steps(const Range &range) {
    const uint64_t items = range.end - range.begin;
    int error = LAUNCH_OK;
    for (NetworkStep step = first_network_step<Bits>(); step.size != 0 && error == LAUNCH_OK;
         step = next_network_step<Bits>(step, items)) {
      const uint32_t blocks = network_blocks<Bits>(step, items, sort.max_blocks);
      error = launch_level(sorting_grid<Bits>(blocks), level_network_kernel<Bits>, range, step);
    }
    return error;
  }

  int sort_collected() {
    const uint32_t count = collected_ranges(sort, control);
    return count == 0 ? LAUNCH_OK : launch_level(multiway_grid(sort, count), level_collected_kernel<Bits>);
  }
};

template <typename Bits>
int run_host_loop(const cdp_request &request, bool counted, void *stream) {
  return HostLoop<Bits>(request, counted, stream).run();
}

} // namespace cdp::CDP_RUNTIME

#endif
