/* SPDX-License-Identifier: MIT */
/*
 * A task with many children, in two stages, each a grid. Nothing here launches but through a Starter (split.cuh).
 *
 *  prepare   one block draws the sample and leaves the splitters in the task's set table
 *  count     the grid counts the buckets; then they are placed: a scan says where each begins
 *  scatter   the grid moves the items: a tile at a time is ordered by bucket in shared memory, room is reserved in each bucket
 *            by an atomic, and written side by side
 *  finish    every bucket that is not empty becomes a child: a task, or a range for one block
 *
 * Why two passes over the data and not one into pages or with runs: a child is a contiguous range then, like any other, at any
 * depth and in any scheme. The second pass classifies again, which is cheaper than writing down what the first one found.
 */
#ifndef CDPSORT_DEVICE_RECURSION_FAN_TASK_CUH
#define CDPSORT_DEVICE_RECURSION_FAN_TASK_CUH

#include "block/multiway_sort.cuh"
#include "recursion/split.cuh"

namespace cdp::CDP_RUNTIME {

enum class MultiwayPhase : uint32_t { count, scatter };

/* A task's set table: the splitters, and for each bucket at first its items, then where its next item goes, in the end where it
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
  const uint64_t tiles = (items + MultiwayShape<Bits>::TILE_ITEMS - 1) / MultiwayShape<Bits>::TILE_ITEMS;
  return tiles < sort.multiprocessors ? static_cast<uint32_t>(tiles) : sort.multiprocessors;
}

template <typename Bits>
__host__ __device__ inline GridShape multiway_grid(const Sort<Bits> &sort, uint32_t blocks) {
  return {blocks, MultiwayShape<Bits>::BLOCK_THREADS, sort.multiway_shared_bytes};
}

/* Buckets for a task: so many that one block can sort each, most of them at least; or, where that is more than the set-out, as
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

/* Chooses a task's splitters and writes its set table. All threads of the block take part; ends with a barrier, and with the
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

/* This block's share of a stage. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void do_stage_share(const Sort<Bits> &sort, uint32_t slot, MultiwayPhase stage, uint32_t block,
                                               uint32_t blocks, MultiwayStorage<Bits> &storage) {
  const Range range = sort.tasks[slot].range;
  if (stage == MultiwayPhase::count)
    count_share<Bits>(sort, slot, range, block, blocks, storage);
  else
    scatter_share<Bits>(sort, slot, range, block, blocks, storage);
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
  if (threadIdx.x == 0)
    sort.tasks[slot].done_blocks = 0;
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

/* The class of a range for one block, the longest first. */
__device__ __forceinline__ uint32_t size_class(uint64_t items, uint32_t max_items) {
  return SIZE_CLASSES - 1 - static_cast<uint32_t>(items * (SIZE_CLASSES - 1) / max_items);
}

/* Makes a bucket of more than block_items items a task, or a range for a device-wide bitonic sort at the depth limit. For one
   thread. */
template <typename Starter, typename Bits>
__device__ inline Fate start_bucket(const Sort<Bits> &sort, const Range &range) {
  const uint32_t slot = allocate_slot(sort.control, sort.task_capacity);
  if (slot == NO_SLOT) {
    count_at(sort.rules.counters, range.depth, &cdp_study_depth::fallback_pool, 1);
    return Fate::in_block;
  }
  const bool network = range.depth >= sort.depth_limit;
  sort.tasks[slot] = Task{range, 0, 0, 0, network ? 0 : multiway_blocks(sort, range.items()), 0, 0, 0};
  __threadfence();
  return start_or_defer<Starter>(sort, slot);
}

/* Counts a task's equal keys and its parts, starts its large buckets, and counts the others by size. All threads take part;
   ends with a barrier. */
template <typename Starter, typename Bits>
__device__ inline void start_buckets(const Sort<Bits> &sort, uint32_t slot, const Range &range, const SplitterSet &set,
                                     TaskChildren &children, MultiwayStorage<Bits> &storage) {
  for (uint32_t bucket = threadIdx.x; bucket < set.buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS) {
    const Range child = bucket_range(sort, slot, range, bucket);
    if (child.items() == 0)
      continue;
    if (set.equal != 0 && bucket % 2 != 0) {
      atomicAdd(&children.equal_items, static_cast<unsigned long long>(child.items()));
      continue;
    }
    atomicAdd(&children.parts, 1u);
    atomicMax(&children.max_part_items, static_cast<unsigned long long>(child.items()));
    if (child.items() <= sort.block_items)
      atomicAdd(&storage.counts[size_class(child.items(), sort.block_items)], 1u);
    else if (start_bucket<Starter>(sort, child) == Fate::in_block)
      children.in_block[atomicAdd(&children.in_block_count, 1u)] = static_cast<uint16_t>(bucket);
  }
  __syncthreads();
}

/* Lists the buckets that one block can sort, each. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ inline void list_buckets(const Sort<Bits> &sort, uint32_t slot, const Range &range, const SplitterSet &set,
                                    TaskChildren &children, MultiwayStorage<Bits> &storage) {
  scan_counts(storage, SIZE_CLASSES);
  if (threadIdx.x == 0) {
    const uint32_t wanted = storage.begins[SIZE_CLASSES];
    const uint32_t first = atomicAdd(&sort.control->collected_count, wanted);
    const uint32_t room = first < sort.worklist_capacity ? sort.worklist_capacity - first : 0;
    children.first_range = first;
    children.range_count = wanted < room ? wanted : room;
  }
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < set.buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS) {
    const Range child = bucket_range(sort, slot, range, bucket);
    if (child.items() == 0 || child.items() > sort.block_items || (set.equal != 0 && bucket % 2 != 0))
      continue;
    const uint32_t place = atomicAdd(&storage.begins[size_class(child.items(), sort.block_items)], 1u);
    if (place < children.range_count) {
      sort.collected[children.first_range + place] = child;
      count_at(sort.rules.counters, child.depth, &cdp_study_depth::collected, 1);
    } else {
      children.in_block[atomicAdd(&children.in_block_count, 1u)] = static_cast<uint16_t>(bucket);
      count_at(sort.rules.counters, child.depth, &cdp_study_depth::fallback_pool, 1);
    }
  }
  __threadfence();
  __syncthreads();
}

/* Counts a task that was partitioned many ways: its items were read twice and written once, and its equal keys written. For one
   thread. */
template <typename Bits>
__device__ inline void count_multiway(const Sort<Bits> &sort, const Range &range, const SplitterSet &set,
                                      const TaskChildren &children) {
  const uint64_t part_items = range.items() - children.equal_items;
  count_task(sort.rules.counters, range.depth, range.items(), children.parts);
  count_at(sort.rules.counters, range.depth, &cdp_study_depth::balance,
           split_balance(set.unequal_buckets(), part_items, children.max_part_items));
  count_moved(sort.rules.counters, range.depth, 3 * range.items());
  count_equal(sort.rules.counters, range.depth, children.equal_items);
}

/*
 * Ends a task all of whose items have been scattered: writes the equal keys and settles every bucket; sorts in this block what
 * has to be. All threads of the block take part.
 */
template <typename Bits, typename Starter>
__device__ inline void finish_multiway(const Sort<Bits> &sort, uint32_t slot, MultiwayStorage<Bits> &storage) {
  TaskChildren &children = storage.work.children;
  const Range range = sort.tasks[slot].range;
  const SplitterSet set = *task_table(sort, slot).set;
  clear_counts(storage, SIZE_CLASSES);
  if (threadIdx.x == 0) {
    children.in_block_count = 0;
    children.equal_items = 0;
    children.parts = 0;
    children.max_part_items = 0;
  }
  __syncthreads();
  start_buckets<Starter>(sort, slot, range, set, children, storage);
  list_buckets(sort, slot, range, set, children, storage);
  if (threadIdx.x == 0) {
    count_multiway(sort, range, set, children);
    storage.flag = 0;
    const Range all = {range.begin, range.end, other(range.side), range.depth + 1};
    if (children.range_count != 0 && !Starter::sort_ranges(sort, children.first_range, children.range_count, all))
      storage.flag |= 1;
    if (children.equal_items != 0 && (children.equal_items < FILL_GRID_ITEMS || !Starter::fill_buckets(sort, slot, range)))
      storage.flag |= 2;
  }
  __syncthreads();
  const uint32_t left = storage.flag;
  if ((left & 2) != 0)
    fill_equal_buckets<Bits>(sort, slot, range, threadIdx.x, MultiwayShape<Bits>::BLOCK_THREADS);
  for (uint32_t index = 0; index < children.in_block_count; index++)
    block_sort_fallback<Bits>(sort.rules, bucket_range(sort, slot, range, children.in_block[index]), storage.block);
  if ((left & 1) == 0)
    return;
  if (threadIdx.x == 0)
    count_at(sort.rules.counters, range.depth + 1, &cdp_study_depth::fallback_refused, children.range_count);
  for (uint32_t index = 0; index < children.range_count; index++)
    block_sort_fallback<Bits>(sort.rules, sort.collected[children.first_range + index], storage.block);
}

} // namespace cdp::CDP_RUNTIME

#endif
