/* SPDX-License-Identifier: MIT */
/*
 * An array that is divided by a map of its keys: what long arrays are by default. A grid for each stage:
 *
 *     root           every block looks at the same sample. What it says, they all do:
 *                    - it is in order: they look whether the array is. If not, ``again``: the root's work without this
 *                    - a value is frequent: splitters after all, task 0 (multiway.cuh)
 *                    - its keys are spread evenly: they count the buckets, and the last block places them
 *                    - they are not: they draw a larger sample, and the last block learns the lines from it
 *     count          counts the buckets by lines; the last block places them
 *     scatter        moves the keys to their buckets or, where those are many, to groups of them
 *     scatter_again  and from the groups to the buckets, whose places are known from the one count
 *     sort           a bucket to each team, on chip (sort_buckets.cuh)
 *
 * Where many keys are in buckets too long for a team, the map is given up for splitters, before anything has been moved.
 *
 * Who has the grids launched says so (MapDevice, mapped_launches.cuh; MapHost, host_levels.cuh):
 *     LAUNCHES            whether block 0 of a grid launches what comes behind it, by launch_behind(), and has no share
 *     start_splitters()   divides the array by splitters after all
 *     end_in_order()      the array was found in order, or in the opposite one
 *     end_stage()         goes on behind a stage: `next` is to come, or the buckets are to be sorted, or neither
 *     start_task()        makes a range a task. For one thread, all others for all threads of a block
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_ARRAY_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_ARRAY_CUH

#include "recursion/mapped_places.cuh"
#include "recursion/mapped_scatter.cuh"
#include "recursion/multiway.cuh"

namespace cdp::CDP_RUNTIME {

/* Blocks of the grids of all stages but the last: one to launch, and one to work at least. */
template <typename Bits>
__host__ __device__ inline uint32_t map_blocks(const Sort<Bits> &sort) {
  return sort.multiprocessors > 2 ? sort.multiprocessors : 2;
}

/* ---- The stages ---------------------------------------------------------------------------------------------------------- */

/* A block's share of the root's work, or of the same again. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void map_look_share(const Sort<Bits> &sort, bool is_root, uint32_t block, uint32_t blocks,
                                               MappedStorage<Bits> &storage) {
  MapFacts<Bits> &facts = *sort.map_table.facts;
  const Direction direction = is_root ? array_direction(sort) : Direction::none;
  KeyLines<Bits> lines = {};
  MapVerdict verdict = MapVerdict::splitters;
  if (direction == Direction::none)
    verdict = look_at_sample(sort, lines, storage.look);
  if (block == 0 && threadIdx.x == 0) {
    facts.lines = lines;
    facts.coarse_shift = wanted_coarse_shift(lines.buckets);
    facts.verdict = static_cast<uint32_t>(verdict);
    sort.control->direction = static_cast<uint32_t>(direction);
  }
  if (threadIdx.x == 0)
    storage.map = lines;
  __syncthreads();
  if (direction != Direction::none)
    look_for_disorder<Bits>(sort.rules, whole_range(sort), direction, block, blocks, &sort.control->disorder);
  else if (verdict == MapVerdict::even)
    map_count_share(sort, block, blocks);
  else if (verdict == MapVerdict::uneven)
    draw_share(sort, block, blocks);
}

/* A block's share of a stage. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void do_map_share(const Sort<Bits> &sort, MapStage stage, bool is_root, uint32_t block,
                                             uint32_t blocks, MappedStorage<Bits> &storage) {
  switch (stage) {
  case MapStage::count:
    load_map(sort, storage);
    return map_count_share(sort, block, blocks);
  case MapStage::scatter:
    if (sort.map_table.facts->coarse_shift == 0)
      return map_scatter_share<Bits, false>(sort, block, blocks);
    return map_scatter_share<Bits, true>(sort, block, blocks);
  case MapStage::scatter_again:
    return map_scatter_again_share(sort, block, blocks);
  default:
    return map_look_share(sort, is_root, block, blocks, storage);
  }
}

/* Begins the bookkeeping, which is zeros so far: the map counts as a task. All threads of one block take part. */
template <typename Bits>
__device__ inline void begin_mapped(const Sort<Bits> &sort) {
  if (threadIdx.x == 0) {
    sort.control->live_tasks = 1;
    sort.control->live_blocks = 1;
    sort.control->tasks_in_batch = 1;
    sort.control->max_tasks_in_batch = 1;
    make_first_task(sort);
  }
  if (is_counted(sort.rules.counters))
    for (uint32_t row = threadIdx.x; row < CDP_STUDY_DEPTHS; row += blockDim.x)
      sort.rules.counters[row].min_task_items = UINT64_MAX;
  __syncthreads();
}

/* Places the counted buckets, or gives the map up. Returns the next stage. All threads of the block take part. */
template <typename Driver, typename Bits>
__device__ inline MapStage end_count(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  load_bucket_counts(sort, storage);
  const bool is_useful = is_map_useful(sort, storage);
  __syncthreads();
  if (is_useful) {
    place_map_buckets(sort, storage);
    return MapStage::scatter;
  }
  Driver::start_splitters(sort, block_shared<MultiwayStorage<Bits>>());
  return MapStage::none;
}

/* Ends the root's work, or the same again. Returns the next stage. All threads of the block take part. */
template <typename Driver, typename Bits>
__device__ inline MapStage end_look(const Sort<Bits> &sort, bool is_root, MappedStorage<Bits> &storage) {
  MapFacts<Bits> &facts = *sort.map_table.facts;
  if (is_root) {
    begin_mapped(sort);
    const Direction direction = static_cast<Direction>(sort.control->direction);
    if (direction != Direction::none && sort.control->disorder != 0)
      return MapStage::again;
    if (direction != Direction::none) {
      Driver::end_in_order(sort, direction, storage.block);
      return MapStage::none;
    }
  }
  switch (static_cast<MapVerdict>(facts.verdict)) {
  case MapVerdict::uneven:
    learn_lines(sort, storage);
    return MapStage::count;
  case MapVerdict::even:
    return end_count<Driver>(sort, storage);
  default:
    Driver::start_splitters(sort, block_shared<MultiwayStorage<Bits>>());
    return MapStage::none;
  }
}

/* Counts an array that was divided by a map, and read once more than written: nothing, unless somebody counts. All threads of the
   block take part. */
template <typename Bits>
__device__ inline void count_mapped(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  if (!is_counted(sort.rules.counters))
    return;
  const MapFacts<Bits> &facts = *sort.map_table.facts;
  const unsigned int *ends = sort.map_table.cursors;
  uint32_t &longest = storage.long_items;
  __syncthreads();
  if (threadIdx.x == 0)
    longest = 0;
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < facts.lines.buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS)
    atomicMax(&longest, ends[bucket] - (bucket == 0 ? 0 : ends[bucket - 1]));
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  count_task(sort.rules.counters, 0, sort.count, facts.lines.buckets);
  count_at(sort.rules.counters, 0, &cdp_study_depth::balance, split_balance(facts.lines.buckets, sort.count, longest));
  count_moved(sort.rules.counters, 0, (facts.coarse_shift != 0 ? 5 : 3) * sort.count);
}

/* Makes tasks of the buckets that are too long for a block. All threads take part; ends with a barrier. */
template <typename Driver, typename Bits>
__device__ inline void start_map_tasks(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const uint32_t buckets = sort.map_table.facts->lines.buckets;
  const auto bucket_range = [&sort](uint32_t bucket) {
    const unsigned int *ends = sort.map_table.cursors;
    return bucketed_range(sort, bucket == 0 ? 0 : ends[bucket - 1], ends[bucket]);
  };
  for (uint32_t first = 0; first < buckets; first += THREADS) {
    const uint32_t bucket = first + threadIdx.x;
    bool is_left = false;
    if (bucket < buckets && bucket_range(bucket).items() > sort.block_items)
      is_left = Driver::start_task(sort, bucket_range(bucket)) == Disposition::in_block;
    storage.divide.counts[threadIdx.x] = is_left ? 1 : 0;
    if (__syncthreads_or(is_left ? 1 : 0) == 0)
      continue;
    for (uint32_t thread = 0; thread < THREADS; thread++)
      if (storage.divide.counts[thread] != 0)
        block_sort_fallback<Bits>(sort.rules, bucket_range(first + thread), storage.block);
    __syncthreads();
  }
}

/* Goes on when the keys are in their buckets. All threads of the block take part. */
template <typename Driver, typename Bits>
__device__ inline MapStage end_scatter(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  count_mapped(sort, storage);
  if (sort.map_table.facts->task_count != 0)
    start_map_tasks<Driver>(sort, storage);
  return MapStage::none;
}

/* Goes on behind a stage. All threads of the last block take part. */
template <typename Driver, typename Bits>
__device__ __forceinline__ void end_map_stage(const Sort<Bits> &sort, MapStage stage, bool is_root,
                                              MappedStorage<Bits> &storage) {
  MapFacts<Bits> &facts = *sort.map_table.facts;
  const bool is_scatter = stage == MapStage::scatter || stage == MapStage::scatter_again;
  const bool is_first_of_two = stage == MapStage::scatter && facts.coarse_shift != 0;
  MapStage next = MapStage::none;
  if (is_first_of_two)
    next = MapStage::scatter_again;
  else if (is_scatter)
    next = end_scatter<Driver>(sort, storage);
  else if (stage == MapStage::count)
    next = end_count<Driver>(sort, storage);
  else
    next = end_look<Driver>(sort, is_root, storage);
  if (threadIdx.x == 0) {
    facts.stage = next;
    facts.done_blocks = 0;
    __threadfence();
  }
  __syncthreads();
  Driver::end_stage(sort, stage, next, is_scatter && !is_first_of_two, storage);
}

/* A grid of any stage: the root, or Step::map. Not inlined: its registers are not to be those of the kernel's other steps. */
template <typename Driver, typename Bits>
__device__ __noinline__ void mapped_body(const Sort<Bits> &sort, const uint32_t &event, bool is_root) {
  auto &storage = block_shared<MappedStorage<Bits>>();
  const TraceScope scope(sort, event, storage.block);
  MapFacts<Bits> &facts = *sort.map_table.facts;
  const MapStage stage = is_root ? MapStage::again : facts.stage;
  if (stage == MapStage::none)
    return;
  if (is_root || !Driver::LAUNCHES)
    scope.describe(is_root ? CDP_TRACE_ROOT : CDP_TRACE_MAP, whole_range(sort));
  constexpr uint32_t WITHOUT_SHARE = Driver::LAUNCHES ? 1 : 0;
  if (Driver::LAUNCHES && blockIdx.x == 0)
    Driver::launch_behind(sort, stage, is_root);
  else
    do_map_share(sort, stage, is_root, blockIdx.x - WITHOUT_SHARE, gridDim.x - WITHOUT_SHARE, storage);
  if (is_last_block(&facts.done_blocks, gridDim.x, storage.block))
    end_map_stage<Driver>(sort, stage, is_root, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
