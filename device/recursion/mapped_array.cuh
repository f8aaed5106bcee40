/* SPDX-License-Identifier: MIT */
/*
 * An array that is divided by a map of its keys: what long arrays are by default. One grid goes through all stages (turns.cuh):
 *
 *     draw           every block draws a share of a sample
 *     look           and looks at all of it. What it says, they all do:
 *                    - it is in order, or in the opposite one: they look whether the array is, and turn it round. If it
 *                      was not, ``look_again``, without this
 *                    - all its keys are equal: splitters after all, task 0 (multiway.cuh)
 *                    - they are spread evenly: nothing more has to be known
 *                    - they are not, or some values are frequent: they draw a larger sample
 *     learn          one block learns the lines and the frequent values from it
 *     count          counts the buckets, and the keys of frequent values, and marks the others; of very long arrays buckets in
 *                    counters that share words (mapped_packed.cuh), or groups of them
 *     scatter        moves the keys, but for those of frequent values, to their buckets or, where those are many, to groups of
 *                    them
 *     count_groups   where groups alone have been counted: counts their buckets (mapped_long.cuh)
 *     place          and finds where those begin
 *     scatter_again  from the groups to the buckets
 *     sort           a bucket to each team, on chip (sort_buckets.cuh); and writes the keys of frequent values
 *                    (sort_frequent.cuh)
 *
 * Where many keys are in buckets too long for a team, the map is given up for splitters, before anything has been moved.
 *
 * What comes next, all blocks see. What is launched all the same, a driver has launched (MapDevice,
 * mapped_launches.cuh; MapHost, host_map.cuh):
 *     begin_tasks()       what has to be launched before any task is. For one thread
 *     start_splitters()   divides the array by splitters after all
 *     start_task()        makes a range a task. For one thread, all others for all threads of a block
 *     end()               ends the map, which counts as a task, when all that was to be launched for it is
 *     stage_event()       the event of a stage, opened. For one thread
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_ARRAY_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_ARRAY_CUH

#include "recursion/mapped_begin.cuh"
#include "recursion/mapped_long.cuh"
#include "recursion/mapped_places.cuh"
#include "recursion/mapped_scatter.cuh"
#include "recursion/multiway.cuh"
#include "recursion/sort_buckets.cuh"
#include "recursion/turns.cuh"

namespace cdp::CDP_RUNTIME {

/* Blocks of the grid: in the first scatter one writes down what others will want, and one works at least. */
template <typename Bits>
__host__ __device__ inline uint32_t map_blocks(const Sort<Bits> &sort) {
  return sort.multiprocessors > 2 ? sort.multiprocessors : 2;
}

/* ---- The stages ---------------------------------------------------------------------------------------------------------- */

/* A share of the first scatter: the first one moves nothing, but writes down what others will want, and announces the stage
   behind it, unless the map is given up. All threads take part. */
template <typename Driver, MapForm FORM, typename Bits>
__device__ __forceinline__ void do_scatter_share(const Sort<Bits> &sort, MapStage expected, uint32_t share, uint32_t shares,
                                                 MappedStorage<Bits> &storage) {
  if (has_many_buckets(storage.map))
    find_group_begins(sort, share == 0, storage);
  else
    find_bucket_begins(sort, share == 0, storage);
  const bool is_useful = is_map_useful(sort, storage);
  if (share == 0 && threadIdx.x == 0) {
    sort.map_table.facts->task_count = storage.task_count;
    sort.map_table.facts->is_given_up = is_useful ? 0 : 1;
  }
  if (!is_useful)
    return;
  if (share == 0) {
    announce_stage<Driver>(sort, expected);
    if (!has_many_buckets(storage.map))
      write_places(sort, storage);
    else if (!counts_twice(storage.map))
      place_buckets_of_groups(sort, 0, 1);
    if (threadIdx.x == 0)
      Driver::begin_tasks(sort);
  } else if (has_many_buckets(storage.map) && group_count(*sort.map_table.facts) > MAX_TEAM_GROUPS) {
    scatter_to_many_groups(sort, share - 1, shares - 1);
  } else if (sort.map_table.facts->coarse_shift != 0) {
    with_loaded_map<FORM, LineForm::begins>(
        storage, [&](const auto &map) { scatter_tiles<true>(sort, share - 1, shares - 1, map, storage); });
  } else {
    with_loaded_map<FORM, LineForm::halves>(
        storage, [&](const auto &map) { scatter_tiles<false>(sort, share - 1, shares - 1, map, storage); });
  }
}

/* ---- What comes behind a stage ------------------------------------------------------------------------------------------- */

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
  const uint32_t counts = counts_twice(facts.lines)       ? 2
                          : has_many_buckets(facts.lines) ? 0
                                                          : 1; // 0: count_packed() has said it
  const uint32_t scatters = facts.coarse_shift != 0 ? 2 : 1;
  count_moved(sort.rules.counters, 0, (counts + 2 * scatters) * sort.count);
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
    storage.divide.counting.counts[threadIdx.x] = is_left ? 1 : 0;
    if (__syncthreads_or(is_left ? 1 : 0) == 0)
      continue;
    for (uint32_t thread = 0; thread < THREADS; thread++)
      if (storage.divide.counting.counts[thread] != 0)
        block_sort_fallback<Bits>(sort.rules, bucket_range(sort, first + thread), storage.block);
    __syncthreads();
  }
}

/* What is done when all keys are in their buckets. All threads of one block take part; no barrier at the end. */
template <typename Driver, typename Bits>
__device__ __noinline__ void end_scatter(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  count_mapped(sort, storage);
  if (sort.map_table.facts->task_count != 0)
    start_map_tasks<Driver>(sort, storage);
}

/* A share of a stage that counts or scatters, of which the map is loaded. All threads take part. */
template <typename Driver, MapForm FORM, typename Bits>
__device__ __forceinline__ void do_share(const Sort<Bits> &sort, MapStage stage, MapStage expected, uint32_t share,
                                         MappedStorage<Bits> &storage) {
  if (share == 0 && stage != MapStage::scatter)
    announce_stage<Driver>(sort, expected);
  if (stage == MapStage::count && has_many_buckets(storage.map))
    count_many_buckets(sort, share, gridDim.x);
  else if (stage == MapStage::count)
    count_share<FORM>(sort, share, gridDim.x, storage);
  else if (stage == MapStage::scatter)
    do_scatter_share<Driver, FORM>(sort, expected, share, gridDim.x, storage);
  else
    with_loaded_map<FORM, LineForm::begins>(storage,
                                            [&](const auto &map) { scatter_groups(sort, share, gridDim.x, map, storage); });
}

/*
 * The shares that a block does in place of those that do not run. All threads take part.
 *
 * In a loop, what is the same for all shares would be kept in registers beside what a loop over tiles needs: 5,600 bytes were
 * spilled. Therefore it has code of its own, which may spill, and is the same for all maps.
 */
template <typename Driver, typename Bits>
__device__ __noinline__ void do_more_shares(const Sort<Bits> &sort, MapStage stage, MapStage expected,
                                            MappedStorage<Bits> &storage) {
  while (storage.turn.has_more != 0) {
    do_share<Driver, MapForm::any>(sort, stage, expected, storage.turn.share, storage);
    end_share(turn_of(sort, stage), &turn_of(sort, expected), storage.turn);
  }
}

/* Does this block's shares of a stage that counts or scatters, and waits until all are done. All threads take part; ends with a
   barrier. */
template <typename Driver, typename Bits>
__device__ __forceinline__ void do_stage(const Sort<Bits> &sort, MapStage stage, MapStage expected,
                                         MappedStorage<Bits> &storage) {
  BlockTurn &turn = storage.turn;
  if (turn.share < gridDim.x) {
    const TraceScope scope(sort, turn_of(sort, stage).event);
    do_share<Driver, MapForm::each>(sort, stage, expected, turn.share, storage);
  }
  end_share(turn_of(sort, stage), &turn_of(sort, expected), turn);
  if (turn.has_more != 0)
    do_more_shares<Driver>(sort, stage, expected, storage);
}

/* Counts the buckets of groups, and finds where they begin. Begins with a share of the counting, and ends with one of the second
   scatter. All threads take part; begins and ends with a barrier. */
template <typename Driver, typename Bits>
__device__ __noinline__ void count_again(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  do_small_stage(sort, MapStage::count_groups, &turn_of(sort, MapStage::place), storage.turn, [&](uint32_t share) {
    const TraceScope scope(sort, turn_of(sort, MapStage::count_groups).event);
    if (share == 0)
      announce_stage<Driver>(sort, MapStage::place);
    count_buckets_of_groups(sort, share, gridDim.x);
  });
  do_small_stage(sort, MapStage::place, &turn_of(sort, MapStage::scatter_again), storage.turn, [&](uint32_t share) {
    const TraceScope scope(sort, turn_of(sort, MapStage::place).event);
    if (share == 0)
      announce_stage<Driver>(sort, MapStage::scatter_again);
    place_buckets_of_groups(sort, share, gridDim.x);
  });
}

/*
 * The grid.
 *
 * 1. A loop over tiles in a function that is not inlined has fewer registers: of the 64, many are the caller's. It spilled 110
 *    to 400 bytes.
 * 2. In a loop over the stages, what any of them needs would be kept for all of them, and spilled, as in do_more_shares().
 * 3. A function that is not inlined saves registers, and reads them back, past the cache: 5 us each time, if all threads do.
 * 4. What one block does, or what is hardly ever done, may take its time.
 * Therefore the stages come one after the other, each once, with their loops over tiles inlined, in a kernel that does nothing
 * else; so is what all blocks do of a look; and the rest is not.
 */
template <typename Driver, typename Bits>
__device__ __forceinline__ void mapped_body(const Sort<Bits> &sort, const uint32_t &event) {
  auto &storage = block_shared<MappedStorage<Bits>>();
  const MapFacts<Bits> &facts = *sort.map_table.facts;
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort), storage.block);
  if (!do_look<Driver>(sort, storage))
    return;
  do_stage<Driver>(sort, MapStage::count, MapStage::scatter, storage);
  const MapStage behind_groups = counts_twice(storage.map) ? MapStage::count_groups : MapStage::scatter_again;
  do_stage<Driver>(sort, MapStage::scatter, facts.coarse_shift != 0 ? behind_groups : MapStage::sort, storage);
  if (facts.is_given_up != 0) {
    if (storage.turn.is_last != 0)
      leave_map<Driver>(sort, false, storage);
    return;
  }
  if (counts_twice(storage.map))
    count_again<Driver>(sort, storage);
  if (facts.coarse_shift != 0)
    do_stage<Driver>(sort, MapStage::scatter_again, MapStage::sort, storage);
  if (storage.turn.is_last != 0)
    end_scatter<Driver>(sort, storage);
  {
    const TraceScope stage_scope(sort, turn_of(sort, MapStage::sort).event);
    sort_buckets(sort, storage.turn.share);
  }
  if (storage.turn.is_last != 0)
    Driver::end(sort, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
