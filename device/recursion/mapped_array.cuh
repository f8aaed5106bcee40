/* SPDX-License-Identifier: MIT */
/*
 * An array that is divided by a map of its keys: what long arrays are by default. A grid for each stage:
 *
 *     again          the root: every block looks at the same sample. What it says, they all do:
 *                    - it is in order: they look whether the array is. If not, ``again``: the root's work without this
 *                    - a value is frequent: splitters after all, task 0 (multiway.cuh)
 *                    - its keys are spread evenly: they count the buckets
 *                    - they are not: they draw a larger sample, and the last block learns the lines from it
 *     count          counts the buckets by lines
 *     scatter        moves the keys to their buckets or, where those are many, to groups of them
 *     scatter_again  and from the groups to the buckets, whose places are known from the one count
 *     sort           a bucket to each team, on chip (sort_buckets.cuh)
 *
 * Where many keys are in buckets too long for a team, the map is given up for splitters, before anything has been moved.
 *
 * Block 0 of every grid but the last has no share of the keys. It launches what comes behind, writes down what others will want,
 * and so keeps nobody waiting; the last block decides what only it can. Who has the grids launched says how (MapDevice,
 * mapped_launches.cuh; MapHost, host_levels.cuh):
 *     launch_behind()     block 0: launches what comes behind this grid. True if the sorting has been, and no task will be
 *     start_splitters()   divides the array by splitters after all
 *     end_in_order()      the array was found in order, or in the opposite one
 *     start_task()        makes a range a task. For one thread, all others for all threads of a block
 *     end_stage()         goes on behind a stage
 *     end()               ends the map, which counts as a task, when all that was to be launched for it is
 *     leave()             ends a block that sorted buckets
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_ARRAY_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_ARRAY_CUH

#include "recursion/mapped_places.cuh"
#include "recursion/mapped_scatter.cuh"
#include "recursion/multiway.cuh"
#include "recursion/sort_buckets.cuh"

namespace cdp::CDP_RUNTIME {

/* Blocks of the grids of all stages but the last: one to launch, and one to work at least. */
template <typename Bits>
__host__ __device__ inline uint32_t map_blocks(const Sort<Bits> &sort) {
  return sort.multiprocessors > 2 ? sort.multiprocessors : 2;
}

/* ---- The stages ---------------------------------------------------------------------------------------------------------- */

/* A block's share of the root's work, or of the same again, but for the counting. Returns whether it is to count, by the map in
   storage. All threads take part; ends with a barrier where it is. */
template <typename Bits>
__device__ __noinline__ bool map_look_share(const Sort<Bits> &sort, bool is_root, uint32_t block, uint32_t blocks,
                                            MappedStorage<Bits> &storage) {
  MapFacts<Bits> &facts = *sort.map_table.facts;
  // What is to be counted arrives meanwhile.
  MapTiles<Bits, 1>(sort.rules.side(Side::keys), 0, static_cast<uint32_t>(sort.count)).prefetch_tile(block, threadIdx.x);
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
  __syncthreads();
  if (threadIdx.x == 0)
    storage.map = lines;
  __syncthreads();
  if (direction != Direction::none)
    look_for_disorder<Bits>(sort.rules, whole_range(sort), direction, block, blocks, &sort.control->disorder);
  else if (verdict == MapVerdict::uneven)
    draw_share(sort, block, blocks);
  return verdict == MapVerdict::even;
}

/* A block's share of a stage but the last, of which the map is loaded. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void do_map_share(const Sort<Bits> &sort, MapStage stage, bool is_root, uint32_t block,
                                             uint32_t blocks, MappedStorage<Bits> &storage) {
  if (stage == MapStage::again && !map_look_share(sort, is_root, block, blocks, storage))
    return;
  if (stage == MapStage::again || stage == MapStage::count)
    map_count_share(sort, block, blocks, storage);
  else if (stage == MapStage::scatter_again)
    map_scatter_again_share(sort, block, blocks, storage);
  else if (!is_map_useful(sort, storage))
    return;
  else if (sort.map_table.facts->coarse_shift != 0)
    map_scatter_share<true>(sort, block, blocks, storage);
  else
    map_scatter_share<false>(sort, block, blocks, storage);
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

/* What the block does that has no share of a stage. All threads take part. */
template <typename Driver, typename Bits>
__device__ __forceinline__ void manage_stage(const Sort<Bits> &sort, MapStage stage, bool is_root,
                                             MappedStorage<Bits> &storage) {
  if (is_root)
    begin_mapped(sort);
  if (stage == MapStage::scatter) {
    const bool is_useful = is_map_useful(sort, storage);
    if (threadIdx.x == 0) {
      sort.map_table.facts->is_given_up = is_useful ? 0 : 1;
      sort.map_table.facts->task_count = storage.task_count;
    }
    if (!is_useful)
      return;
  }
  const bool is_ended = Driver::launch_behind(sort, stage, is_root, storage);
  if (stage == MapStage::scatter)
    write_places(sort, storage);
  if (is_ended)
    Driver::end(sort, storage);
}

/* ---- What comes behind a stage ------------------------------------------------------------------------------------------- */

/* Ends the root's work, or the same again. Returns the next stage. All threads of the block take part. */
template <typename Driver, typename Bits>
__device__ inline MapStage end_look(const Sort<Bits> &sort, bool is_root, MappedStorage<Bits> &storage) {
  const Direction direction = is_root ? static_cast<Direction>(sort.control->direction) : Direction::none;
  if (direction != Direction::none && sort.control->disorder != 0)
    return MapStage::again;
  if (direction != Direction::none) {
    Driver::end_in_order(sort, direction, storage.block);
    return MapStage::none;
  }
  switch (static_cast<MapVerdict>(sort.map_table.facts->verdict)) {
  case MapVerdict::even:
    return MapStage::scatter;
  case MapVerdict::uneven:
    learn_lines(sort, storage);
    return MapStage::count;
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
  uint32_t &longest = storage.long_items;
  __syncthreads();
  if (threadIdx.x == 0)
    longest = 0;
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < facts.lines.buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS)
    atomicMax(&longest, static_cast<uint32_t>(bucket_range(sort, bucket).items()));
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
  for (uint32_t first = 0; first < buckets; first += THREADS) {
    const uint32_t bucket = first + threadIdx.x;
    bool is_left = false;
    if (bucket < buckets && bucket_range(sort, bucket).items() > sort.block_items)
      is_left = Driver::start_task(sort, bucket_range(sort, bucket)) == Disposition::in_block;
    storage.divide.counts[threadIdx.x] = is_left ? 1 : 0;
    if (__syncthreads_or(is_left ? 1 : 0) == 0)
      continue;
    for (uint32_t thread = 0; thread < THREADS; thread++)
      if (storage.divide.counts[thread] != 0)
        block_sort_fallback<Bits>(sort.rules, bucket_range(sort, first + thread), storage.block);
    __syncthreads();
  }
}

/* The stage behind a scatter, of which the last block has found that it is over. All threads of the block take part. */
template <typename Driver, typename Bits>
__device__ inline MapStage end_scatter(const Sort<Bits> &sort, MapStage stage, MappedStorage<Bits> &storage) {
  const MapFacts<Bits> &facts = *sort.map_table.facts;
  if (stage == MapStage::scatter && facts.is_given_up != 0) {
    Driver::start_splitters(sort, block_shared<MultiwayStorage<Bits>>());
    return MapStage::none;
  }
  if (stage == MapStage::scatter && facts.coarse_shift != 0)
    return MapStage::scatter_again;
  count_mapped(sort, storage);
  if (facts.task_count != 0)
    start_map_tasks<Driver>(sort, storage);
  return MapStage::sort;
}

/* Goes on behind a stage. All threads of the last block take part. */
template <typename Driver, typename Bits>
__device__ __noinline__ void end_map_stage(const Sort<Bits> &sort, MapStage stage, bool is_root, MappedStorage<Bits> &storage) {
  MapStage next = MapStage::scatter;
  if (stage == MapStage::again)
    next = end_look<Driver>(sort, is_root, storage);
  else if (stage != MapStage::count)
    next = end_scatter<Driver>(sort, stage, storage);
  if (threadIdx.x == 0) {
    sort.map_table.facts->stage = next;
    sort.map_table.facts->done_blocks = 0;
  }
  if (next != MapStage::none)
    Driver::end_stage(sort, next, storage);
}

/*
 * A grid of any stage: the root, or Step::map.
 *
 * 1. A launch in a function that is not inlined copies the parameters through registers (launch_work()), and is waited for; in
 *    a loop, too, since they are loaded before it.
 * 2. A loop over tiles in a function that is not inlined has fewer registers: of the 64, many are the caller's. It spilled 110
 *    to 400 bytes.
 * 3. What a block does once may take its time.
 * Therefore the launch and the loops over tiles are inlined, in a kernel that does nothing else, and the rest is not.
 */
template <typename Driver, typename Bits>
__device__ __forceinline__ void mapped_body(const Sort<Bits> &sort, const uint32_t &event, bool is_root) {
  auto &storage = block_shared<MappedStorage<Bits>>();
  const TraceScope scope(sort, event, storage.block);
  MapFacts<Bits> &facts = *sort.map_table.facts;
  const MapStage stage = is_root ? MapStage::again : facts.stage;
  if (stage == MapStage::none)
    return;
  if (is_root || !Driver::LAUNCHES)
    scope.describe(is_root ? CDP_TRACE_ROOT : stage == MapStage::sort ? CDP_TRACE_SORT : CDP_TRACE_MAP, whole_range(sort));
  if (stage == MapStage::sort) {
    sort_buckets(sort);
    Driver::leave(sort, storage);
    return;
  }
  if (stage != MapStage::again)
    load_map(sort, storage);
  if (stage == MapStage::scatter)
    find_bucket_begins(sort, storage);
  if (blockIdx.x == 0)
    manage_stage<Driver>(sort, stage, is_root, storage);
  else
    do_map_share(sort, stage, is_root, blockIdx.x - 1, gridDim.x - 1, storage);
  if (is_last_block(&facts.done_blocks, gridDim.x, storage.block))
    end_map_stage<Driver>(sort, stage, is_root, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
