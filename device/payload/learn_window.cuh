/* SPDX-License-Identifier: MIT */
/*
 * Learning pieces from a sample (window.cuh): one block, behind the look at all keys. A few keys tell whether it is worth it:
 *
 *     a key of each thread ──▶ upper bits do ──▶ done
 *                          └─▶ they crowd    ──▶ sort a sample ──▶ pieces begin with its keys, or where gaps begin and end
 *
 * 1. Upper bits do if the values of the few keys are in no small part of the range, and there are none of them that differ and have the same
 *    window. Random keys are seen to be such within some microseconds.
 * 2. Between two clusters there is a gap without keys. A piece that had the end of one, the gap, and the beginning of the next would have
 *    windows for the gap, and hardly any for its keys. So where keys of the sample are far apart, and close to others on the far side of
 *    either, pieces begin not with them, but where the gap does and where it ends, by reckoning from how far apart the others are.
 * 3. Those are kept. Of the others, which begin with a key of the sample, as many as there is room for.
 * 4. A value that comes often is in the sample more than once. Its last piece begins behind it, so that the one before has it alone.
 * 5. Pieces do not help where keys crowd within all of them. Those of the few keys that have the same window are looked at again.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_LEARN_WINDOW_CUH
#define CDPSORT_DEVICE_PAYLOAD_LEARN_WINDOW_CUH

#include "block/splitters.cuh"
#include "payload/window.cuh"

namespace cdp::CDP_RUNTIME {

constexpr uint32_t LEARN_CELL_BITS = floor_log2(LEARN_THREADS / CELL_SAMPLES);
constexpr uint32_t LEARN_CELLS = 1u << LEARN_CELL_BITS;
constexpr uint32_t LEARN_SLOT_BITS = floor_log2(2 * LEARN_THREADS);
static_assert(FEW_WINDOW_PIECES / THREAD_PIECES % WARP_LANES == 0, "threads that have some are whole warps");

/* What the kernel is given. */
template <typename Raw>
struct WindowLesson {
  const Raw *keys;
  uint64_t count;
  Entry<Raw> entry;
  uint32_t room;      /* bits of a window */
  uint32_t levels;    /* of the pieces' search tree */
  bool learns_uneven; /* false: it is not worth it unless keys are close */
  KeyExtremes *extremes;
  WindowTable *table;

  __device__ __forceinline__ uint32_t pieces() const {
    return 1u << levels;
  }
  /* Threads that have keys of the sample, and pieces. */
  __device__ __forceinline__ uint32_t sample_threads() const {
    return pieces() / THREAD_PIECES;
  }
  /* The distance of a key of one of as many equal parts of the array. */
  __device__ __forceinline__ uint64_t sampled(uint32_t index, uint32_t samples) const {
    const uint64_t position = sample_position(LEARN_SEED, index, samples, count);
    return KeyDistance(*extremes)(entry.enter(keys[position]));
  }
};

struct LearnRoom {
  uint64_t sample[merge_room(LEARN_THREADS * THREAD_SAMPLES)];
  uint32_t warp_totals[2][WARP_LANES];
  uint32_t cells[LEARN_CELLS];
  uint32_t slots[1u << LEARN_SLOT_BITS]; /* the number of a key, from 1 on; 0: none has come here */
};
static_assert(sizeof(LearnRoom) <= 96 * 1024, "what 7.0 lets a block have, the least of all kinds of devices");

/* ---- Whether upper bits do --------------------------------------------------------------------------------------------- */

/* What a few keys have told of upper bits. */
struct FewKeysSeen {
  uint64_t distance; /* of the thread's */
  uint64_t other;    /* of another's that has the same window, if it is not that */
  bool are_uneven;   /* of all: many values are in a small part of the range */
  int close;         /* of all: how many have met another that differs and has the same window */
};

/* By Fibonacci hashing (Knuth, "The art of computer programming", volume 3, 6.4). */
__device__ __forceinline__ uint32_t learn_slot(uint64_t number) {
  return static_cast<uint32_t>(number * 0x9E3779B97F4A7C15u >> (64 - LEARN_SLOT_BITS));
}

/* All threads take part; ends with a barrier. */
template <typename Raw>
__device__ __forceinline__ FewKeysSeen look_at_few(const WindowLesson<Raw> &lesson, LearnRoom &room) {
  const uint32_t dropped_of_cells = lesson.extremes->dropped_bits(LEARN_CELL_BITS);
  const uint32_t dropped = lesson.extremes->dropped_bits(lesson.room);
  FewKeysSeen seen = {};
  seen.distance = seen.other = lesson.sampled(threadIdx.x, LEARN_THREADS);
  room.sample[threadIdx.x] = seen.distance;
  room.slots[threadIdx.x] = room.slots[threadIdx.x + LEARN_THREADS] = 0;
  if (threadIdx.x < LEARN_CELLS)
    room.cells[threadIdx.x] = 0;
  __syncthreads();
  const uint32_t met = atomicCAS(&room.slots[learn_slot(seen.distance >> dropped)], 0u, threadIdx.x + 1);
  const uint64_t other = met != 0 ? room.sample[met - 1] : ~seen.distance;
  if (other >> dropped == seen.distance >> dropped)
    seen.other = other;
  const bool is_one_too_many = other != seen.distance && // a value counts once
                               atomicAdd(&room.cells[seen.distance >> dropped_of_cells], 1u) >= MOST_CELL_SAMPLES;
  seen.are_uneven = __syncthreads_or(is_one_too_many ? 1 : 0) != 0;
  seen.close = __syncthreads_count(seen.other != seen.distance ? 1 : 0);
  return seen;
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------------ */

/* The block, whose threads may be others than those of MultiwayShape. */
struct LearnTeam {
  uint32_t thread;

  __device__ __forceinline__ static void sync() {
    __syncthreads();
  }
};

/* Sorts a sample into the room, and puts the ends of the range in place of its own. All threads take part; ends with a barrier. */
template <typename Raw>
__device__ __forceinline__ void sort_window_sample(const WindowLesson<Raw> &lesson, LearnRoom &room) {
  const uint32_t threads = lesson.sample_threads();
  const uint32_t samples = threads * THREAD_SAMPLES;
  const bool has_samples = threadIdx.x < threads;
  uint64_t drawn[THREAD_SAMPLES] = {};
  if (has_samples)
#pragma unroll
    for (uint32_t item = 0; item < THREAD_SAMPLES; item++)
      drawn[item] = lesson.sampled(item * threads + threadIdx.x, samples);
  merge_sort_items(drawn, threads, room.sample, LearnTeam{threadIdx.x});
  if (has_samples)
#pragma unroll
    for (uint32_t item = 0; item < THREAD_SAMPLES; item++)
      room.sample[padded(threadIdx.x * THREAD_SAMPLES + item)] = drawn[item];
  __syncthreads();
  if (threadIdx.x == 0) {
    room.sample[0] = 0;
    room.sample[padded(samples - 1)] = KeyDistance(*lesson.extremes)(lesson.extremes->greatest);
  }
  __syncthreads();
}

/* A sorted sample, and the gaps in it. */
struct WindowSample {
  const uint64_t *stage;
  uint32_t last;

  __device__ __forceinline__ uint64_t key(uint32_t index) const {
    return stage[padded(index)];
  }
  /* Whether there is a gap behind a key: it is far from the next one, and one of those is close to another. */
  __device__ __forceinline__ bool has_gap(uint32_t index) const {
    if (index >= last)
      return false;
    const uint64_t gap = key(index + 1) - key(index);
    const uint64_t below = index != 0 ? key(index) - key(index - 1) : gap;
    const uint64_t above = index + 1 < last ? key(index + 2) - key(index + 1) : gap;
    return gap / MIN_GAP > min(below, above);
  }
  /* Where the gap behind a key begins, and where the one before a key ends. */
  __device__ __forceinline__ uint64_t gap_begin(uint32_t index) const {
    const uint64_t gap = key(index + 1) - key(index);
    return key(index) + 1 +
           reach(gap, min(index, REACH_SAMPLES), [&](uint32_t step) { return key(index) - key(index - step); });
  }
  __device__ __forceinline__ uint64_t gap_end(uint32_t index) const {
    const uint64_t gap = key(index) - key(index - 1);
    return key(index) -
           reach(gap, min(last - index, REACH_SAMPLES), [&](uint32_t step) { return key(index + step) - key(index); });
  }

private:
  /* How far into a gap there may be keys, if far(steps) is how far from it the sample has come in so many: some times as far as keys
     are apart. Those of another cluster do not count: they are much farther apart. */
  template <typename Far>
  __device__ __forceinline__ static uint64_t reach(uint64_t gap, uint32_t most_steps, Far far) {
    if (most_steps == 0 || far(1) > gap / MIN_GAP)
      return 0;
    uint32_t steps = 1;
    while (steps < most_steps && far(steps + 1) >> OTHER_CLUSTER_BITS <= far(steps))
      steps++;
    return min(far(steps) / steps, gap / 4 / GAP_REACH) * GAP_REACH;
  }
};

/* Which of a thread's keys of the sample are beside gaps: a bit for each. */
struct GapsBeside {
  uint32_t before;
  uint32_t behind;
  uint32_t keys; /* a bit for each that there is */

  /* All of them if sees_gaps, or none. */
  __device__ __forceinline__ GapsBeside(const WindowSample &sample, bool sees_gaps) : before(0), behind(0), keys(0) {
    const uint32_t begin = threadIdx.x * THREAD_SAMPLES;
    if (begin > sample.last)
      return;
    keys = (1u << THREAD_SAMPLES) - 1;
    if (!sees_gaps)
      return;
    before = begin != 0 && sample.has_gap(begin - 1) ? 1 : 0;
    for (uint32_t item = 0; item < THREAD_SAMPLES; item++)
      behind |= sample.has_gap(begin + item) ? 1u << item : 0;
    before |= behind << 1 & keys;
  }
  __device__ __forceinline__ uint32_t gaps() const {
    return static_cast<uint32_t>(__popc(before) + __popc(behind));
  }
  __device__ __forceinline__ uint32_t others() const {
    return static_cast<uint32_t>(__popc(keys & ~before & ~behind));
  }
};

/* Writes down where so many pieces begin, in order. All threads take part; begins and ends with a barrier. */
__device__ __forceinline__ void choose_pieces(uint32_t pieces, LearnRoom &room, uint64_t *firsts) {
  constexpr uint32_t WARPS = LEARN_THREADS / WARP_LANES;
  const WindowSample sample = {room.sample, pieces / THREAD_PIECES * THREAD_SAMPLES - 1};
  GapsBeside beside(sample, true);
  uint32_t all_gaps;
  uint32_t all_others;
  uint32_t place = lower_threads_sum<WARPS>(beside.gaps(), room.warp_totals[0], all_gaps);
  if (all_gaps > pieces / 2) {
    beside = GapsBeside(sample, false);
    place = all_gaps = 0;
  }
  uint32_t other = lower_threads_sum<WARPS>(beside.others(), room.warp_totals[1], all_others);
  const uint32_t kept = pieces - all_gaps; // of the others: of twice as many keys as pieces no more than those are beside gaps
  const auto kept_below = [&](uint32_t number) { return number * kept / all_others; };
  place += kept_below(other);
  for (uint32_t item = 0; item < THREAD_SAMPLES && beside.keys != 0; item++) {
    const uint32_t index = threadIdx.x * THREAD_SAMPLES + item;
    const bool is_behind_gap = (beside.before >> item & 1) != 0;
    const bool is_before_gap = (beside.behind >> item & 1) != 0;
    if (is_behind_gap)
      firsts[place++] = sample.gap_end(index);
    if (is_before_gap)
      firsts[place++] = sample.gap_begin(index);
    if (is_behind_gap || is_before_gap)
      continue;
    if (kept_below(other + 1) != kept_below(other))
      firsts[place++] = sample.key(index);
    other++;
  }
  __syncthreads();
}

/* Where a piece begins, of a value that more than one begins with: the last of them behind it. */
__device__ __forceinline__ uint64_t piece_first(const uint64_t *firsts, uint32_t number, uint32_t pieces) {
  const uint64_t first = firsts[number];
  const bool is_again = number != 0 && firsts[number - 1] == first;
  const bool is_last = number + 1 == pieces || firsts[number + 1] != first;
  return is_again && is_last && first != UINT64_MAX ? first + 1 : first;
}

/* Leaves where the pieces begin in global memory, for which there is no room beside the sample: the first at 0. All threads take part;
   begins and ends with a barrier. */
__device__ __forceinline__ void make_pieces(uint32_t pieces, LearnRoom &room, uint64_t *firsts) {
  choose_pieces(pieces, room, firsts);
  if (threadIdx.x == 0)
    firsts[0] = 0;
  __syncthreads();
  uint64_t moved[THREAD_PIECES];
#pragma unroll
  for (uint32_t each = 0; each < THREAD_PIECES; each++) {
    const uint32_t number = each * LEARN_THREADS + threadIdx.x;
    moved[each] = number < pieces ? piece_first(firsts, number, pieces) : 0;
  }
  __syncthreads();
#pragma unroll
  for (uint32_t each = 0; each < THREAD_PIECES; each++)
    if (each * LEARN_THREADS + threadIdx.x < pieces)
      firsts[each * LEARN_THREADS + threadIdx.x] = moved[each];
  __syncthreads();
}

/* Whether two distances are about as close as windows of a piece that has as many as any. */
template <typename Raw>
__device__ __forceinline__ bool are_close_in_piece(const WindowLesson<Raw> &lesson, uint64_t a, uint64_t b) {
  const uint64_t *firsts = lesson.table->firsts;
  uint32_t low = 0;
  uint32_t high = lesson.pieces();
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (firsts[middle] <= min(a, b))
      low = middle;
    else
      high = middle;
  }
  const uint64_t greatest = KeyDistance(*lesson.extremes)(lesson.extremes->greatest);
  const uint64_t end = high < lesson.pieces() ? firsts[high] : greatest;
  return max(a, b) < end && max(a, b) - min(a, b) <= (end - firsts[low]) >> (lesson.room - lesson.levels);
}

/* ---- The kernel -------------------------------------------------------------------------------------------------------- */

/* Makes the rest of a table of where pieces begin. All threads take part. */
__device__ __forceinline__ void complete_table(uint32_t pieces, WindowTable &table) {
  for (uint32_t number = threadIdx.x; number < pieces; number += LEARN_THREADS) {
    table.counts[number] = 0;
    if (number == 0) {
      table.blocks_done = 0;
      continue;
    }
    const uint32_t level_nodes = 1u << (31 - __clz(static_cast<int>(number)));
    table.tree[number] = table.firsts[(2 * (number - level_nodes) + 1) * (pieces / level_nodes / 2)];
  }
}

/* One block. */
template <typename Raw>
__global__ void __launch_bounds__(LEARN_THREADS)
    // cppcheck-suppress passedByValue
    learn_windows_kernel(const __grid_constant__ WindowLesson<Raw> lesson) {
  auto &room = block_shared<LearnRoom>();
  const FewKeysSeen seen = look_at_few(lesson, room);
  const bool are_close = seen.close >= MIN_CLOSE_SAMPLES;
  if (!are_close && !(lesson.learns_uneven && seen.are_uneven))
    return;
  sort_window_sample(lesson, room);
  make_pieces(lesson.pieces(), room, lesson.table->firsts);
  const bool is_close = seen.other != seen.distance && are_close_in_piece(lesson, seen.distance, seen.other);
  const int still_close = __syncthreads_count(is_close ? 1 : 0);
  if (are_close && still_close > seen.close / CLOSE_SHARE)
    return;
  complete_table(lesson.pieces(), *lesson.table);
  if (threadIdx.x == 0)
    lesson.extremes->is_learnt = 1;
}

/* Launches it. Returns a cudaError_t. */
template <typename Raw>
int learn_windows(const WindowLesson<Raw> &lesson, void *stream) {
  static OncePerContext allowance;
  const GridShape grid = {1, LEARN_THREADS, sizeof(LearnRoom)};
  const int error = allowance.see_to([&grid] { return allow_shared_bytes(learn_windows_kernel<Raw>, grid.shared_bytes); });
  return error != LAUNCH_OK ? error : launch_from_host(grid, stream, learn_windows_kernel<Raw>, lesson);
}

} // namespace cdp::CDP_RUNTIME

#endif
