/* SPDX-License-Identifier: MIT */
/*
 * The first stages of a mapped array (mapped_array.cuh), up to the counting: a sample is drawn and looked at, and what it does not
 * say is found out. And what all stages have in common: their turns, their events, and small stages, whose shares may be done in a
 * loop.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_BEGIN_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_BEGIN_CUH

#include "recursion/mapped.cuh"
#include "recursion/mapped_look.cuh"
#include "recursion/multiway.cuh"
#include "recursion/turns.cuh"

namespace cdp::CDP_RUNTIME {

/* Looks at the sample. sees_order: at whether the array may be in order. Leaves a straight map in storage. All threads take
   part; begins and ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ MapVerdict look_at_keys(const Sort<Bits> &sort, bool sees_order, MappedStorage<Bits> &storage) {
  KeyLines<Bits> lines = {};
  const MapVerdict verdict = look_at_sample(sort, sees_order, lines, storage.look);
  __syncthreads();
  if (threadIdx.x == 0)
    storage.map = lines;
  __syncthreads();
  return verdict;
}

/* Begins the bookkeeping, which is zeros so far: the map counts as a task. All threads of one block take part; no barrier. */
template <typename Bits>
__device__ __noinline__ void begin_mapped(const Sort<Bits> &sort) {
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
}

/* Writes down what all blocks have seen, and begins the bookkeeping if that has not been done. All threads of one block take
   part; no barrier. */
template <typename Bits>
__device__ __forceinline__ void note_look(const Sort<Bits> &sort, MapStage stage, const MappedStorage<Bits> &storage) {
  MapFacts<Bits> &facts = *sort.map_table.facts;
  if (stage == MapStage::look)
    begin_mapped(sort);
  if (threadIdx.x == 0) {
    facts.lines = storage.map;
    facts.coarse_shift = wanted_coarse_shift(sort, storage.map);
  }
}

/* The turn of a stage. */
template <typename Bits>
__device__ __forceinline__ StageTurn &turn_of(const Sort<Bits> &sort, MapStage stage) {
  return sort.map_table.facts->turns[static_cast<uint32_t>(stage)];
}

/* Opens the event of a stage that is to come, for all blocks. All threads of one block take part. */
template <typename Driver, typename Bits>
__device__ __forceinline__ void announce_stage(const Sort<Bits> &sort, MapStage stage) {
  if (is_traced(sort) && threadIdx.x == 0)
    turn_of(sort, stage).event = Driver::stage_event(sort, stage);
}

/* What is done where there is no map after all: the array is in order, or its task is not the map's. All threads of one block
   take part. */
template <typename Driver, typename Bits>
__device__ __noinline__ void leave_map(const Sort<Bits> &sort, bool is_in_order, MappedStorage<Bits> &storage) {
  if (is_in_order)
    Driver::end(sort, storage);
  else
    Driver::start_splitters(sort, block_shared<MultiwayStorage<Bits>>());
}

/* Does shares of a stage as long as this block has one, and waits until all are done. expected: as of end_share(). All threads
   take part; ends with a barrier. */
template <typename Bits, typename DoShare>
__device__ __forceinline__ void do_small_stage(const Sort<Bits> &sort, MapStage stage, StageTurn *expected, BlockTurn &turn,
                                               DoShare do_one) {
  do {
    if (turn.share < gridDim.x)
      do_one(turn.share);
    end_share(turn_of(sort, stage), expected, turn);
  } while (turn.has_more != 0);
}

/* Looks whether the array is in order, as its sample is, or has it put in order. Returns whether it is. All threads take part;
   ends with a barrier.
   Each block finds out by itself whether the shares fit each other. All that have a share of what comes next find the same, for
   no key is moved until they have done it; and what the others find makes no difference. */
template <typename Bits>
__device__ __forceinline__ bool look_for_order(const Sort<Bits> &sort, MapVerdict verdict, MappedStorage<Bits> &storage) {
  const Direction direction = verdict == MapVerdict::ascending ? Direction::ascending : Direction::descending;
  do_small_stage(sort, MapStage::look, &turn_of(sort, MapStage::look_again), storage.turn, [&](uint32_t share) {
    if (share == 0)
      note_look(sort, MapStage::look, storage);
    look_at_share<Bits>(sort.rules, whole_range(sort), direction, share, gridDim.x, &sort.control->disorder);
  });
  return !is_range_disordered<Bits>(sort.rules, whole_range(sort), direction, gridDim.x, &sort.control->disorder);
}

/* Has the lines learnt. All threads take part; ends with a barrier. */
template <typename Driver, typename Bits>
__device__ __forceinline__ void learn_map(const Sort<Bits> &sort, MapStage stage, MappedStorage<Bits> &storage) {
  do_small_stage(sort, stage, &turn_of(sort, MapStage::learn), storage.turn, [&](uint32_t share) {
    if (share == 0) {
      note_look(sort, stage, storage);
      announce_stage<Driver>(sort, MapStage::learn);
    }
    draw_share(sort, share, gridDim.x);
  });
  do_small_stage(sort, MapStage::learn, nullptr, storage.turn, [&](uint32_t share) {
    if (share != 0)
      return;
    const TraceScope scope(sort, turn_of(sort, MapStage::learn).event);
    announce_stage<Driver>(sort, MapStage::count);
    learn_lines(sort, storage);
  });
}

/* Writes down what all blocks have seen of keys that are spread evenly, since none has a share of the look: who has the first
   one of the count does. All threads take part; no barrier. */
template <typename Driver, typename Bits>
__device__ __forceinline__ void note_even(const Sort<Bits> &sort, MapStage stage, const MappedStorage<Bits> &storage) {
  if (storage.turn.share != 0)
    return;
  note_look(sort, stage, storage);
  announce_stage<Driver>(sort, MapStage::count); // some may have begun
}

/* Takes a share of a stage. All threads take part; begins and ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void take_share(const Sort<Bits> &sort, MapStage stage, BlockTurn &turn) {
  __syncthreads();
  if (threadIdx.x == 0)
    turn.share = atomicAdd(&turn_of(sort, stage).taken, 1u);
  __syncthreads();
}

/* Learns what is to be known of keys that are not spread evenly, as far as the sample says. It begins with a share of `stage`, a
   look. False if there is no map. All threads take part; begins and ends with a barrier. */
template <typename Driver, typename Bits>
__device__ __forceinline__ bool look_further(const Sort<Bits> &sort, MapStage stage, MapVerdict verdict,
                                             MappedStorage<Bits> &storage) {
  if (verdict == MapVerdict::splitters) {
    do_small_stage(sort, stage, nullptr, storage.turn, [&](uint32_t share) {
      if (share == 0)
        note_look(sort, stage, storage);
    });
    if (storage.turn.is_last != 0)
      leave_map<Driver>(sort, false, storage);
    return false;
  }
  if (verdict == MapVerdict::uneven) {
    learn_map<Driver>(sort, stage, storage);
    load_map(sort, storage);
  }
  return true;
}

/*
 * Learns what is to be known of the array before its keys are counted, or that there is no need to; and takes a share of the
 * counting. False if there is no map. All threads take part; ends with a barrier.
 */
template <typename Driver, typename Bits>
__device__ __forceinline__ bool do_look(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  BlockTurn &turn = storage.turn;
  begin_look(sort, turn);
  do_small_stage(sort, MapStage::draw, &turn_of(sort, MapStage::count), turn,
                 [&](uint32_t share) { draw_sample(sort, share, gridDim.x); });
  MapStage stage = MapStage::look;
  MapVerdict verdict = look_at_keys(sort, sort.depth_limit != 0, storage);
  if (verdict != MapVerdict::even) {
    const uint32_t count_share = turn.share;
    take_share(sort, stage, turn);
    if (verdict == MapVerdict::ascending || verdict == MapVerdict::descending) {
      if (look_for_order(sort, verdict, storage)) {
        if (turn.is_last != 0)
          leave_map<Driver>(sort, true, storage);
        return false;
      }
      stage = MapStage::look_again;
      verdict = look_at_keys(sort, false, storage);
    }
    if (!look_further<Driver>(sort, stage, verdict, storage))
      return false;
    __syncthreads();
    if (threadIdx.x == 0)
      turn.share = count_share; // after all
    __syncthreads();
  }
  if (verdict == MapVerdict::even)
    note_even<Driver>(sort, stage, storage);
  return true;
}

} // namespace cdp::CDP_RUNTIME

#endif
