/* SPDX-License-Identifier: MIT */
/*
 * Policy Multiway: a quicksort with many pivots at once. A task's phases:
 *
 *     prepare   one block draws the sample and leaves the splitters in the task's table
 *     count     the grid counts the buckets; then they are placed: a scan says where each begins
 *     scatter   the grid moves the items: a tile at a time is ordered by bucket in shared memory, room is reserved in each
 *               bucket by an atomic, and written side by side
 *     done      every bucket that is not empty becomes a child: a task, or a range for one block (multiway_children.cuh)
 *
 * Why two passes over the data and not one into pages or with runs: a child is a contiguous range then, like any other, at any
 * depth and under any driver. The second pass classifies again, which is cheaper than writing down what the first one found.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MULTIWAY_CUH
#define CDPSORT_DEVICE_RECURSION_MULTIWAY_CUH

#include "block/multiway_sort.cuh"
#include "block/presorted.cuh"
#include "recursion/machine.cuh"

namespace cdp::CDP_RUNTIME {

/* A task's table: the splitters, and for each bucket at first its items, then where its next item goes, in the end where it
   ends. */
template <typename Bits>
struct TaskTable {
  SplitterSet *set;
  Bits *splitters;
  unsigned long long *cursors;
};

template <typename Bits>
__device__ __forceinline__ TaskTable<Bits> task_table(const Sort<Bits> &sort, uint32_t slot) {
  return {sort.splitter_sets + slot, sort.task_splitters + uint64_t{slot} * sort.fan_out,
          sort.task_cursors + uint64_t{slot} * sort.max_buckets};
}

/* Blocks of the grids of a task: one for each tile, and one for each multiprocessor at most, which loops over tiles. */
template <typename Bits>
__host__ __device__ inline uint32_t multiway_blocks(const Sort<Bits> &sort, uint64_t items) {
  const uint64_t tiles = (items + sort.multiway_tile_items - 1) / sort.multiway_tile_items;
  return tiles < sort.multiprocessors ? static_cast<uint32_t>(tiles) : sort.multiprocessors;
}

/* Buckets for a task: so many that one block can sort each, most of them at least; or, where that is more than the fan-out, as
   many to each of the levels that it takes. */
template <typename Bits>
__device__ inline uint32_t task_fan_out(const Sort<Bits> &sort, uint64_t items) {
  const uint32_t max_fan_out =
      sort.fan_out < MultiwayShape<Bits>::MAX_FAN_OUT ? sort.fan_out : MultiwayShape<Bits>::MAX_FAN_OUT;
  const uint32_t max_bits = 31 - __clz(static_cast<int>(max_fan_out));
  const uint64_t max_average =
      sort.block_items - sort.block_items * (RANGE_SHARE_DENOMINATOR - RANGE_SHARE_NUMERATOR) / RANGE_SHARE_DENOMINATOR;
  uint32_t bits = 0;
  uint32_t bits_needed = 0;
  while (items >> bits > sort.target_range_items)
    bits++;
  while (items >> bits_needed > max_average)
    bits_needed++;
  if (bits_needed > max_bits) {
    const uint32_t levels = (bits + max_bits - 1) / max_bits;
    bits = (bits + levels - 1) / levels;
  }
  const uint32_t fan_out = 1u << (bits < max_bits ? bits : max_bits);
  return fan_out < MIN_FAN_OUT ? MIN_FAN_OUT : fan_out;
}

/* Chooses a task's splitters and writes its table. All threads of the block take part; ends with a barrier, and with the
   table visible to grids launched after it. */
template <typename Bits>
__device__ inline void prepare_multiway(const Sort<Bits> &sort, uint32_t slot, MultiwayStorage<Bits> &storage) {
  const Range range = sort.tasks[slot].range;
  // A task may have more buckets than a range for one block, and none of them should be too long for one.
  choose_splitters<Bits, MultiwayShape<Bits>::TASK_SAMPLES_PER_THREAD>(sort.rules, range, task_fan_out(sort, range.items()),
                                                                       sort.oversampling, sort.max_buckets, Crowded::keep_all);
  const SplitterSet set = storage.set;
  const TaskTable<Bits> table = task_table(sort, slot);
  for (uint32_t index = threadIdx.x; index < set.buckets; index += MultiwayShape<Bits>::BLOCK_THREADS)
    table.cursors[index] = 0;
  for (uint32_t index = threadIdx.x; index + 1 < set.tree_items; index += MultiwayShape<Bits>::BLOCK_THREADS)
    table.splitters[index] = storage.splitters[index];
  if (threadIdx.x == 0)
    *table.set = set;
  __threadfence();
  __syncthreads();
}

/* Loads a task's set into shared memory. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ inline SplitterSet load_splitters(const Sort<Bits> &sort, uint32_t slot, MultiwayStorage<Bits> &storage) {
  const TaskTable<Bits> table = task_table(sort, slot);
  const SplitterSet set = *table.set;
  for (uint32_t index = threadIdx.x; index + 1 < set.tree_items; index += MultiwayShape<Bits>::BLOCK_THREADS)
    storage.splitters[index] = table.splitters[index];
  __syncthreads();
  plant_tree(set.tree_items, storage);
  return set;
}

/* This block's share of counting: tiles block, block + blocks, ... All threads take part. */
template <typename Bits>
__device__ __forceinline__ void count_share(const Sort<Bits> &sort, uint32_t slot, const Range &range, uint32_t block,
                                            uint32_t blocks, MultiwayStorage<Bits> &storage) {
  const SplitterSet set = load_splitters(sort, slot, storage);
  clear_counts(storage, set.buckets);
  __syncthreads();
  const MultiwayTiles<Bits> tiles(sort.rules.side(range.side), range);
  for (uint64_t tile = block; tile < tiles.count; tile += blocks) {
    TileItems<Bits> items;
    items.load(tiles, tile);
    items.enter(sort.rules.map, range.is_raw());
    count_tile(items, set, storage);
  }
  __syncthreads();
  const TaskTable<Bits> table = task_table(sort, slot);
  for (uint32_t bucket = threadIdx.x; bucket < set.buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS)
    if (storage.counts[bucket] != 0)
      atomicAdd(&table.cursors[bucket], static_cast<unsigned long long>(storage.counts[bucket]));
}

/* This block's share of scattering. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void scatter_share(const Sort<Bits> &sort, uint32_t slot, const Range &range, uint32_t block,
                                              uint32_t blocks, MultiwayStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const SplitterSet set = load_splitters(sort, slot, storage);
  const TaskTable<Bits> table = task_table(sort, slot);
  const MultiwayTiles<Bits> tiles(sort.rules.side(range.side), range);
  Bits *destination = sort.rules.side(other(range.side));
  TileItems<Bits> items;
  if (block < tiles.count)
    items.load(tiles, block);
  for (uint64_t tile = block; tile < tiles.count; tile += blocks) {
    clear_counts(storage, set.buckets);
    __syncthreads();
    items.enter(sort.rules.map, range.is_raw());
    uint32_t places[TileItems<Bits>::ITEMS];
    rank_tile(items, places, set, storage);

    // reserve, and stage meanwhile
    for (uint32_t bucket = threadIdx.x; bucket < set.buckets; bucket += THREADS) {
      const uint32_t count = storage.counts[bucket];
      if (count != 0)
        storage.work.scatter.bases[bucket] =
            atomicAdd(&table.cursors[bucket], static_cast<unsigned long long>(count)) - storage.begins[bucket];
    }
    stage_tile(items, places, storage, storage.work.scatter.buckets);
    if (tile + blocks < tiles.count)
      items.load(tiles, tile + blocks);
    __syncthreads();

    // write
    const uint32_t tile_items = storage.begins[set.buckets];
    for (uint32_t item = threadIdx.x; item < tile_items; item += THREADS)
      destination[storage.work.scatter.bases[storage.work.scatter.buckets[item]] + item] = storage.work.stage[item];
  }
}

/* Turns the buckets' counts into where each begins. All threads of the block take part; ends with a barrier. */
template <typename Bits>
__device__ inline void place_buckets(const Sort<Bits> &sort, uint32_t slot, MultiwayStorage<Bits> &storage) {
  constexpr uint32_t EACH = (MAX_BUCKETS + MultiwayShape<Bits>::BLOCK_THREADS - 1) / MultiwayShape<Bits>::BLOCK_THREADS;
  const TaskTable<Bits> table = task_table(sort, slot);
  const uint32_t buckets = table.set->buckets;
  const uint32_t first = threadIdx.x * EACH;
  unsigned long long sum = 0;
  for (uint32_t bucket = first; bucket < first + EACH && bucket < buckets; bucket++)
    sum += table.cursors[bucket];
  unsigned long long total;
  unsigned long long begin =
      sort.tasks[slot].range.begin + lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(sum, storage.warp_totals, total);
  for (uint32_t bucket = first; bucket < first + EACH && bucket < buckets; bucket++) {
    const unsigned long long items = table.cursors[bucket];
    table.cursors[bucket] = begin;
    begin += items;
  }
  __threadfence();
  __syncthreads();
}

/* Bucket `bucket` of a task whose items have been scattered. */
template <typename Bits>
__device__ __forceinline__ Range bucket_range(const Sort<Bits> &sort, uint32_t slot, const Range &range, uint32_t bucket) {
  const TaskTable<Bits> table = task_table(sort, slot);
  const uint64_t begin = bucket == 0 ? range.begin : table.cursors[bucket - 1];
  return {begin, table.cursors[bucket], other(range.side), range.depth + 1};
}

/* Writes the equal keys of a task: `thread` of `threads` that share the work. */
template <typename Bits>
__device__ inline void fill_equal_buckets(const Sort<Bits> &sort, uint32_t slot, const Range &range, uint64_t thread,
                                          uint64_t threads) {
  const TaskTable<Bits> table = task_table(sort, slot);
  const uint32_t buckets = table.set->buckets;
  for (uint32_t bucket = 1; bucket < buckets; bucket += 2) {
    const Range equal = bucket_range(sort, slot, range, bucket);
    fill_range<Bits>(sort.rules, equal.begin, equal.end, table.splitters[bucket / 2], thread, threads);
  }
}

/* Makes the whole array task 0, which nobody has started yet. For one thread. */
template <typename Bits>
__device__ inline void make_first_task(const Sort<Bits> &sort) {
  const Phase phase = sort.depth_limit == 0 ? Phase::network : Phase::waiting;
  sort.control->tasks_allocated = 1;
  sort.tasks[0] = Task{whole_range(sort), 0, 0, 0, phase, multiway_blocks(sort, sort.count), 0, 0};
  __threadfence();
}

/* The direction that an array to be partitioned seems to be in. All threads of the block take part. */
template <typename Bits>
__device__ __forceinline__ Direction array_direction(const Sort<Bits> &sort) {
  return sort.depth_limit == 0 ? Direction::none : sample_direction(sort.rules, whole_range(sort));
}

template <typename Bits>
struct Multiway {
  using Key = Bits;
  using Storage = MultiwayStorage<Bits>;
  static constexpr Kernel KERNEL = Kernel::fat;
  static constexpr uint32_t BLOCK_THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  static constexpr uint32_t RESIDENT_BLOCKS = 1;
  static constexpr Phase FIRST = Phase::count;
  static constexpr bool PREPARES = true;
  static constexpr bool LISTS_SINGLY = false;

  static __device__ __forceinline__ BlockStorage &block_of(Storage &storage) {
    return storage.block;
  }
  static __host__ __device__ __forceinline__ uint32_t tile_items(const Sort<Bits> &sort) {
    return sort.multiway_tile_items;
  }
  static __host__ __device__ __forceinline__ GridShape grid(const Sort<Bits> &sort, uint32_t blocks) {
    return fat_grid(sort, blocks);
  }
  static __host__ __device__ __forceinline__ uint32_t blocks(const Sort<Bits> &sort, uint64_t items) {
    return multiway_blocks(sort, items);
  }
  static constexpr __device__ cdp_trace_kind kind_of(Phase phase) {
    return phase == Phase::waiting ? CDP_TRACE_PREPARE : phase == Phase::count ? CDP_TRACE_COUNT : CDP_TRACE_SCATTER;
  }

  static __device__ __forceinline__ void prepare(const Sort<Bits> &sort, uint32_t slot, Storage &storage) {
    prepare_multiway(sort, slot, storage);
  }

  static __device__ __forceinline__ void do_share(const Sort<Bits> &sort, uint32_t slot, Phase phase, uint32_t block,
                                                  uint32_t blocks, Storage &storage) {
    const Range range = sort.tasks[slot].range;
    if (phase == Phase::count)
      count_share<Bits>(sort, slot, range, block, blocks, storage);
    else
      scatter_share<Bits>(sort, slot, range, block, blocks, storage);
  }

  static __device__ __forceinline__ Phase end_phase(const Sort<Bits> &sort, uint32_t slot, Phase phase, Storage &storage) {
    if (phase == Phase::scatter)
      return Phase::done;
    place_buckets(sort, slot, storage);
    return Phase::scatter;
  }

  template <typename Driver>
  static __device__ void finish(const Sort<Bits> &sort, uint32_t slot, Storage &storage);

  static __device__ __forceinline__ void fill(const Sort<Bits> &sort, const Task &task, uint64_t thread, uint64_t threads) {
    fill_equal_buckets(sort, static_cast<uint32_t>(task.pivot), task.range, thread, threads);
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
