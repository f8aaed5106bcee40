/* SPDX-License-Identifier: MIT */
/*
 * The look at all keys that says what their windows are (window.cuh): the least and the greatest, the bits that vary, and a sample. The
 * block that is the last to have looked decides, for the kernels behind it.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_FIND_WINDOW_CUH
#define CDPSORT_DEVICE_PAYLOAD_FIND_WINDOW_CUH

#include "payload/window.cuh"

namespace cdp::CDP_RUNTIME {

/* ---- Leaving bits out -------------------------------------------------------------------------------------------------- */

/* Whether a window of so many bits shows more of the keys if bits that do not vary are left out. */
__device__ __forceinline__ bool shows_more_compacted(uint64_t varying, uint32_t distance_bits, uint32_t room) {
  const uint32_t varying_bits = static_cast<uint32_t>(__popcll(varying));
  if (distance_bits <= room || varying_bits > distance_bits)
    return false;
  const uint32_t shown = static_cast<uint32_t>(__popcll(varying >> (distance_bits - room)));
  return min(varying_bits, room) >= shown + MIN_BITS_LEFT_OUT;
}

/* Finds which steps move the bits that vary together. One thread takes part. */
__device__ __forceinline__ void plan_compaction(KeyExtremes &extremes) {
  uint64_t varying = extremes.varying;
  uint64_t left_out_below = ~varying << 1; // of each bit, counted in the step's unit
  for (uint32_t step = 0; step < COMPACTION_STEPS; step++) {
    uint64_t odd = left_out_below; // where an odd number of bits below are left out
    for (uint32_t distance = 1; distance < 64; distance *= 2)
      odd ^= odd << distance;
    const uint64_t moved = odd & varying;
    extremes.moved[step] = moved;
    varying = (varying ^ moved) | moved >> (1u << step);
    left_out_below &= ~odd;
  }
}

/* Decides how distances are measured. One thread takes part. */
__device__ __forceinline__ void plan_distance(KeyExtremes &extremes, uint32_t room) {
  const uint64_t least = extremes.least();
  extremes.origin = least;
  extremes.distance_bits = bits_of(extremes.greatest - least);
  if (!shows_more_compacted(extremes.varying, extremes.distance_bits, room))
    return;
  plan_compaction(extremes);
  extremes.is_compacted = 1;
  extremes.origin = 0;
  extremes.distance_bits = static_cast<uint32_t>(__popcll(extremes.varying));
}

/* ---- Octaves ----------------------------------------------------------------------------------------------------------- */

/* Sampled keys, entered, and where to look for those with a window. */
struct WindowSample {
  static constexpr uint32_t SLOT_BITS = 9;
  static constexpr uint32_t SLOTS = 1u << SLOT_BITS;
  static_assert(SLOTS == 2 * WINDOW_SAMPLES && WINDOW_SAMPLES == PAYLOAD_THREADS, "each thread has one sample and two slots");

  uint64_t keys[WINDOW_SAMPLES];
  uint32_t slots[SLOTS]; /* the number of a sample, from 1 on; 0: none has come here */

  /* By Fibonacci hashing (Knuth, "The art of computer programming", volume 3, 6.4). */
  __device__ __forceinline__ static uint32_t slot_of(uint64_t shown) {
    return static_cast<uint32_t>(shown * 0x9E3779B97F4A7C15u >> (64 - SLOT_BITS));
  }
};

/* From which end windows would have to be by octaves. All threads of one block take part; ends with a barrier. */
__device__ __forceinline__ WindowForm wanted_form(const WindowSample &sample, uint32_t room, const KeyExtremes &extremes) {
  const KeyDistance distance(extremes);
  const uint64_t greatest = distance(extremes.greatest);
  const uint64_t near = uint64_t{1} << (extremes.dropped_bits(room) + 64 - room - NEAR_KEY_BITS);
  const uint64_t far = distance(sample.keys[threadIdx.x]);
  const int near_least = __syncthreads_count(far < near ? 1 : 0);
  const int near_greatest = __syncthreads_count(greatest - far < near ? 1 : 0);
  if (max(near_least, near_greatest) < static_cast<int>(WINDOW_SAMPLES >> NEAR_KEY_BITS))
    return WindowForm::upper_bits;
  return near_least >= near_greatest ? WindowForm::from_least : WindowForm::from_greatest;
}

/* How many samples have another key's window. All threads of one block take part; begins and ends with a barrier. */
__device__ __forceinline__ uint32_t count_crowded(WindowSample &sample, uint32_t room, const KeyExtremes &extremes) {
  __syncthreads();
  const Window window(extremes, room);
  const uint64_t key = sample.keys[threadIdx.x];
  const uint64_t shown = window(key);
  const uint32_t other = atomicCAS(&sample.slots[WindowSample::slot_of(shown)], 0u, threadIdx.x + 1);
  const bool is_crowded = other != 0 && sample.keys[other - 1] != key && window(sample.keys[other - 1]) == shown;
  return static_cast<uint32_t>(__syncthreads_count(is_crowded ? 1 : 0));
}

/* Takes windows by octaves if upper bits would crowd near one end, and octaves do not crowd. All threads of one block take part. */
template <typename Raw>
__device__ __forceinline__ void plan_octaves(const Raw *keys, uint64_t count, const Entry<Raw> &entry, uint32_t room,
                                             WindowSample &sample, KeyExtremes &extremes) {
  const uint32_t dropped_bits = extremes.dropped_bits(room);
  if (dropped_bits == 0 || 64 - room <= NEAR_KEY_BITS)
    return;
  if (dropped_bits + 1 > MOST_BITS_LEFT) // as many as octaves leave
    return;
  sample.keys[threadIdx.x] = entry.enter(keys[count * threadIdx.x / WINDOW_SAMPLES]);
  sample.slots[2 * threadIdx.x] = sample.slots[2 * threadIdx.x + 1] = 0;
  const WindowForm form = wanted_form(sample, room, extremes);
  if (form == WindowForm::upper_bits)
    return;
  const uint64_t origin = extremes.origin;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (form == WindowForm::from_greatest)
      extremes.origin += KeyDistance(extremes)(extremes.greatest) + 1;
    extremes.form = form;
  }
  if (count_crowded(sample, room, extremes) <= MOST_CROWDED_SAMPLES || threadIdx.x != 0)
    return;
  extremes.origin = origin;
  extremes.form = WindowForm::upper_bits;
}

/* ---- Looking at all keys ----------------------------------------------------------------------------------------------- */

/* What has been seen of the keys. */
struct KeysSeen {
  unsigned long long greatest;
  unsigned long long least_inverted;
  unsigned long long varying;

  __device__ __forceinline__ void add(const KeysSeen &other) {
    greatest = max(greatest, other.greatest);
    least_inverted = max(least_inverted, other.least_inverted);
    varying |= other.varying;
  }
  /* Adds what the warp's other lanes have seen. All lanes take part. */
  __device__ __forceinline__ void add_lanes() {
#pragma unroll
    for (uint32_t distance = WARP_LANES / 2; distance != 0; distance /= 2) {
      const int lanes = static_cast<int>(distance);
      add({__shfl_xor_sync(ALL_LANES, greatest, lanes), __shfl_xor_sync(ALL_LANES, least_inverted, lanes),
           __shfl_xor_sync(ALL_LANES, varying, lanes)});
    }
  }
  /* Tells it to all, if it is more than others have told. */
  __device__ __forceinline__ void tell(KeyExtremes &extremes) const {
    const volatile KeyExtremes &told = extremes;
    if (told.greatest < greatest)
      atomicMax(&extremes.greatest, greatest);
    if (told.least_inverted < least_inverted)
      atomicMax(&extremes.least_inverted, least_inverted);
    if ((varying & ~told.varying) != 0)
      atomicOr(&extremes.varying, varying);
  }
};

/* What a block has in shared memory. */
struct KeysSeenRoom {
  KeysSeen warps[PAYLOAD_THREADS / WARP_LANES];
  WindowSample sample;
};

/* Makes of what each thread has seen that of its block, in the first warp. All threads take part. */
__device__ __forceinline__ void add_up_seen(KeysSeen &seen, KeysSeenRoom &room) {
  constexpr uint32_t WARPS = PAYLOAD_THREADS / WARP_LANES;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  seen.add_lanes();
  if (lane == 0)
    room.warps[threadIdx.x / WARP_LANES] = seen;
  __syncthreads();
  seen = room.warps[lane % WARPS];
  seen.add_lanes();
}

/* Finds what there is to know of the keys. Each thread looks at many, so that few atomics are left, and most of those have nothing to
   tell; the last block decides. low_bits: of an item. */
template <typename Raw>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    find_extremes_kernel(const Raw *keys, uint64_t count, const Entry<Raw> entry, uint32_t low_bits, KeyExtremes *extremes,
                         const uint32_t *wanted) {
  auto &room = block_shared<KeysSeenRoom>();
  if (!is_wanted(wanted))
    return;
  const unsigned long long first = entry.enter(keys[0]);
  KeysSeen seen = {};
  for_each_item_in_turns(count, [&](uint64_t index) {
    const unsigned long long entered = entry.enter(keys[index]);
    seen.add({entered, ~entered, entered ^ first});
  });
  add_up_seen(seen, room);
  bool is_last = false;
  if (threadIdx.x == 0) {
    seen.tell(*extremes);
    __threadfence(); // before it is said that they are there
    is_last = atomicAdd(&extremes->blocks_done, 1u) == gridDim.x - 1;
    if (is_last) {
      __threadfence();
      plan_distance(*extremes, 64 - low_bits);
    }
  }
  if (__syncthreads_or(is_last ? 1 : 0) != 0)
    plan_octaves(keys, count, entry, 64 - low_bits, room.sample, *extremes);
}

/* Launches that. Returns a cudaError_t. */
template <typename Raw>
int find_extremes(const void *keys, uint64_t count, const Entry<Raw> &entry, uint32_t low_bits, KeyExtremes *extremes,
                  const uint32_t *wanted, void *stream) {
  const int error = zero_memory(extremes, sizeof(KeyExtremes), stream);
  GridShape grid = few_blocks_grid(count);
  grid.shared_bytes = sizeof(KeysSeenRoom);
  return error != LAUNCH_OK ? error
                            : launch_from_host(grid, stream, find_extremes_kernel<Raw>, static_cast<const Raw *>(keys), count,
                                               entry, low_bits, extremes, wanted);
}

} // namespace cdp::CDP_RUNTIME

#endif
