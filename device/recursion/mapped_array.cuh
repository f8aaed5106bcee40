/* SPDX-License-Identifier: MIT */
/*
 * An array that is divided by a map of its keys: what long arrays are by default. A grid for each stage:
 *
 *     again          the root: every block looks at the same sample. What it says, they all do:
 *                    - it is in order: they look whether the array is. If not, ``again``: the root's work without this
 *                    - all its keys are equal: splitters after all, task 0 (multiway.cuh)
 *                    - they are spread evenly: they count the buckets
 *                    - they are not, or some values are frequent: they draw a larger sample, and the last block learns the
 *                      lines and the frequent values from it
 *     count          counts the buckets by lines, and the keys of frequent values
 *     scatter        moves the keys, but for those of frequent values, to their buckets or, where those are many, to groups of
 *                    them
 *     scatter_again  and from the groups to the buckets, whose places are known from the one count
 *     sort           a bucket to each team, on chip (sort_buckets.cuh); and writes the keys of frequent values
 *                    (sort_frequent.cuh)
 *
 * Where many keys are in buckets too long for a team, the map is given up for splitters, before anything has been moved.
 *
 * Block 0 of every grid but the last has no share of the keys. It launches what comes behind, writes down what others will
 * want, and so keeps nobody waiting; the last block decides what only it can. Who has the grids launched says how (MapDevice,
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
  const bool sees_order = is_root && sort.depth_limit != 0;
  KeyLines<Bits> lines = {};
  const MapVerdict verdict = sort.count <= MAX_FEW_SAMPLED_ITEMS
                                 ? look_at_sample<MAP_SAMPLES_PER_THREAD / 2>(sort, sees_order, block, lines, storage.look)
                                 : look_at_sample<MAP_SAMPLES_PER_THREAD>(sort, sees_order, block, lines, storage.look);
  if (block == 0 && threadIdx.x == 0) {
    facts.lines = lines;
    facts.coarse_shift = wanted_coarse_shift(lines.buckets);
    facts.verdict = static_cast<uint32_t>(verdict);
    if (verdict == MapVerdict::even)
      facts.turn.next = MapStage::scatter;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    storage.map = lines;
  __syncthreads();
  if (verdict == MapVerdict::uneven)
    draw_share(sort, block, blocks);
  else if (verdict == MapVerdict::ascending || verdict == MapVerdict::descending)
    look_for_disorder<Bits>(sort.rules, whole_range(sort),
                            verdict == MapVerdict::ascending ? Direction::ascending : Direction::descending, block, blocks,
                            &sort.control->disorder);
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

/*
 * What the block does that has no share of a stage. All threads take part.
 *
 * What comes next, it tells where nobody has to decide: what the last block reads and does keeps the next grid waiting.
 */
template <typename Driver, typename Bits>
__device__ __forceinline__ void manage_stage(const Sort<Bits> &sort, MapStage stage, bool is_root,
                                             MappedStorage<Bits> &storage) {
  MapFacts<Bits> &facts = *sort.map_table.facts;
  if (is_root)
    begin_mapped(sort);
  if (stage == MapStage::scatter && threadIdx.x == 0)
    facts.task_count = storage.task_count;
  if (stage == MapStage::scatter && !is_map_useful(sort, storage))
    return;
  const bool is_ended = Driver::launch_behind(sort, stage, is_root, storage);
  if (threadIdx.x == 0) {
    const bool is_first_of_two = stage == MapStage::scatter && facts.coarse_shift != 0;
    if (stage == MapStage::count)
      facts.turn.next = MapStage::scatter;
    else if (is_first_of_two)
      facts.turn.next = MapStage::scatter_again;
    else if (stage != MapStage::again && facts.task_count == 0 && !is_counted(sort.rules.counters))
      facts.turn.next = MapStage::sort;
  }
  if (stage == MapStage::scatter)
    write_places(sort, storage);
  if (is_ended)
    Driver::end(sort, storage);
}

/* ---- What comes behind a stage ------------------------------------------------------------------------------------------- */

/* Ends the root's work, or the same again. Returns the next stage. All threads of the block take part. */
template <typename Driver, typename Bits>
__device__ inline MapStage end_look(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  const MapVerdict verdict = static_cast<MapVerdict>(sort.map_table.facts->verdict);
  switch (verdict) {
  case MapVerdict::even:
    return MapStage::scatter;
  case MapVerdict::uneven:
    learn_lines(sort, storage);
    return MapStage::count;
  case MapVerdict::ascending:
  case MapVerdict::descending:
    if (sort.control->disorder != 0)
      return MapStage::again;
    Driver::end_in_order(sort, verdict == MapVerdict::ascending ? Direction::ascending : Direction::descending, storage.block);
    return MapStage::none;
  default:
    Driver::start_splitters(sort, block_shared<MultiwayStorage<Bits>>());
    return MapStage::none;
  }
}

/* Counts an array that was divided by a map, and read once more than written: nothing, unless somebody counts. All threads of
   the block take part. */
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
  if (stage == MapStage::scatter && !is_map_useful(sort, storage)) {
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

/* Has the next grid begin with a stage. For one thread. */
template <typename Bits>
__device__ __forceinline__ void begin_turn(MapFacts<Bits> &facts, MapStage next) {
  facts.stage = next;
  facts.done_blocks = 0;
  facts.turn.next = MapStage::none;
}

/* Goes on behind a stage where something has to be decided or done. All threads of the last block take part. */
template <typename Driver, typename Bits>
__device__ __noinline__ void decide_stage(const Sort<Bits> &sort, MapStage stage, MappedStorage<Bits> &storage) {
  MapStage next = MapStage::scatter;
  if (stage == MapStage::again)
    next = end_look<Driver>(sort, storage);
  else if (stage != MapStage::count)
    next = end_scatter<Driver>(sort, stage, storage);
  if (threadIdx.x == 0)
    begin_turn(*sort.map_table.facts, next);
  if (next != MapStage::none)
    Driver::end_stage(sort, next, storage);
}

/* Goes on behind a stage. All threads of the last block take part. */
template <typename Driver, typename Bits>
__device__ __forceinline__ void end_map_stage(const Sort<Bits> &sort, MapStage stage, MappedStorage<Bits> &storage) {
  MapFacts<Bits> &facts = *sort.map_table.facts;
  const MapTurn turn = facts.turn;
  __syncthreads(); // all have read it
  if (turn.next == MapStage::none || turn.refused != 0)
    decide_stage<Driver>(sort, stage, storage);
  else if (threadIdx.x == 0)
    begin_turn(facts, turn.next);
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
    end_map_stage<Driver>(sort, stage, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
