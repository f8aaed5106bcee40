/* SPDX-License-Identifier: MIT */
/*
 * One more round for keys of 8 bytes (wide_keys.cuh), where more keys agree in the window than a tile holds.
 *
 *     count long runs ──▶ survey them ──▶ pack ──▶ sort ──▶ gather keys and origins
 *
 * 1. The keys are in order but for those within long runs, of longest_run keys at least. Long runs have odd numbers, in their order; all
 *    other keys have even numbers, that of the long runs before them, doubled: they keep their places.
 * 2. Distances of a long run's keys differ by little. What they are above the least one is another window, of as many upper bits as an
 *    item has beside the greatest number and a position: few long runs leave more.
 * 3. A window that has shown so many bits leaves as many fewer. 2^22 keys, whose first window has left 29 at most, need one round: however
 *    many long runs there are, 29 bits are left for the window; 2^26 keys may need two.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_WIDE_RUNS_CUH
#define CDPSORT_DEVICE_PAYLOAD_WIDE_RUNS_CUH

#include "payload/wide_keys.cuh"

namespace cdp::CDP_RUNTIME {

/* Calls use(index) for each index below `count`, with the threads of all blocks in turns. */
template <typename Use>
__device__ __forceinline__ void each_wide_index(uint64_t count, Use use) {
  const uint64_t step = uint64_t{gridDim.x} * WIDE_THREADS;
  uint64_t index = uint64_t{blockIdx.x} * WIDE_THREADS + threadIdx.x;
#pragma unroll 4
  for (; index < count; index += step)
    use(index);
}

/* Where the run that an index lies in begins: what is before it is in order by windows. */
__device__ __forceinline__ uint64_t run_begin(const WideSort &sort, uint64_t index) {
  const uint64_t window = sort.window(index);
  uint64_t low = 0;
  uint64_t high = index;
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    if (sort.window(middle) < window)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether a run that begins there is long. */
__device__ __forceinline__ bool is_long_run(const WideSort &sort, uint64_t begin) {
  return sort.count - begin >= sort.longest_run && sort.window(begin + sort.longest_run - 1) == sort.window(begin);
}

/* Tells what has been seen in a long run, if it is more than others have told. */
__device__ __forceinline__ void tell_run(const WideSort &sort, uint32_t number, uint64_t greatest, uint64_t least_inverted) {
  LongRun &run = sort.long_run(number);
  const volatile LongRun &told = run;
  if (told.greatest < greatest)
    atomicMax(&run.greatest, static_cast<unsigned long long>(greatest));
  if (told.least_inverted < least_inverted)
    atomicMax(&run.least_inverted, static_cast<unsigned long long>(least_inverted));
}

/* The run that a warp has come to, and what it has seen in it. */
struct RunSeen {
  uint32_t long_runs; /* that have begun before what is at hand */
  bool is_long;
  uint64_t greatest; /* of this lane's distances */
  uint64_t least_inverted;

  __device__ __forceinline__ void add(uint64_t distance) {
    greatest = max(greatest, distance);
    least_inverted = max(least_inverted, ~distance);
  }
  /* All lanes take part. */
  __device__ __forceinline__ void tell(const WideSort &sort) const {
    if (!is_long) // of all lanes the same
      return;
    uint64_t all_greatest = greatest;
    uint64_t all_least_inverted = least_inverted;
#pragma unroll
    for (uint32_t distance = WARP_LANES / 2; distance != 0; distance /= 2) {
      all_greatest = max(all_greatest, __shfl_xor_sync(ALL_LANES, all_greatest, static_cast<int>(distance)));
      all_least_inverted = max(all_least_inverted, __shfl_xor_sync(ALL_LANES, all_least_inverted, static_cast<int>(distance)));
    }
    if (threadIdx.x % WARP_LANES == 0)
      tell_run(sort, long_runs - 1, all_greatest, all_least_inverted);
  }
};

/* The lanes whose keys begin runs, of 32 keys, and those whose runs are long. All lanes of a warp take part. */
struct RunBegins {
  uint32_t any;
  uint32_t of_long_runs;

  __device__ __forceinline__ RunBegins(const WideSort &sort, uint64_t index) {
    const bool begins = index < sort.count && (index == 0 || sort.window(index - 1) != sort.window(index));
    any = __ballot_sync(ALL_LANES, begins);
    of_long_runs = __ballot_sync(ALL_LANES, begins && is_long_run(sort, index));
  }
};

/* Calls use(part, begin, end) for each part that is the warp's. */
template <typename Use>
__device__ __forceinline__ void each_part(const WideSort &sort, Use use) {
  constexpr uint32_t WARPS = WIDE_THREADS / WARP_LANES;
  for (uint32_t part = blockIdx.x * WARPS + threadIdx.x / WARP_LANES; part < sort.parts; part += gridDim.x * WARPS)
    use(part, uint64_t{part} * sort.part_items, min(uint64_t{part + 1} * sort.part_items, sort.count));
}

struct WideTotals {
  uint32_t warp_totals[2][WARP_LANES];
};

/* Turns counts of parts into those of lower ones, and notes how many long runs there are. All threads of one block take part. */
__device__ __forceinline__ void add_up_parts(const WideSort &sort, WideTotals &block) {
  uint32_t lower = 0;
  uint32_t turn = 0;
  for (uint32_t first = 0; first < sort.parts; first += WIDE_THREADS, turn ^= 1) {
    const uint32_t part = first + threadIdx.x;
    const uint32_t count = part < sort.parts ? atomicAdd(&sort.part_counts[part], 0u) : 0; // as all have left it
    uint32_t all;
    const uint32_t sum = lower_threads_sum<WIDE_THREADS / WARP_LANES>(count, block.warp_totals[turn], all);
    if (part < sort.parts)
      sort.part_counts[part] = lower + sum;
    lower += all;
  }
  if (threadIdx.x == 0)
    sort.rounds[sort.round].long_runs = lower;
}

/* Counts the long runs that begin in each part. The last block adds them up. */
// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(WIDE_THREADS) count_long_runs_kernel(const __grid_constant__ WideSort sort) {
  auto &block = block_shared<WideTotals>();
  if (!is_wanted(sort.wanted))
    return;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  each_part(sort, [&](uint32_t part, uint64_t begin, uint64_t end) {
    uint32_t count = 0;
    for (uint64_t first = begin; first < end; first += WARP_LANES)
      count += static_cast<uint32_t>(__popc(RunBegins(sort, first + lane).of_long_runs));
    if (lane == 0)
      sort.part_counts[part] = count;
  });
  __threadfence(); // before it is said that they are there
  __syncthreads();
  uint32_t &done = sort.rounds[sort.round].blocks_done;
  if (__syncthreads_or(threadIdx.x == 0 && atomicAdd(&done, 1u) == gridDim.x - 1 ? 1 : 0) == 0)
    return;
  __threadfence();
  add_up_parts(sort, block);
}

/* Looks at 32 keys: notes their numbers, and what is in long runs. All lanes of a warp take part. */
__device__ __forceinline__ void survey_row(const WideSort &sort, uint64_t first, RunSeen &seen) {
  const uint32_t lane = threadIdx.x % WARP_LANES;
  const uint32_t upto = (2u << lane) - 1; // this lane and all lower ones
  const uint64_t index = first + lane;
  const RunBegins begins(sort, index);
  const uint32_t lower = begins.any & upto;
  const bool is_long = lower != 0 ? (begins.of_long_runs >> (bits_of(lower) - 1) & 1) != 0 : seen.is_long;
  const uint32_t long_runs = seen.long_runs + static_cast<uint32_t>(__popc(begins.of_long_runs & upto));
  const bool is_of_long_run = index < sort.count && is_long;
  const uint64_t distance = is_of_long_run ? sort.distance(index) : 0;
  if (index < sort.count)
    sort.later_origins[index] = 2 * long_runs - (is_long ? 1 : 0);
  if (begins.any == 0) {
    if (is_of_long_run)
      seen.add(distance);
    return;
  }
  seen.tell(sort);
  if (is_of_long_run)
    tell_run(sort, long_runs - 1, distance, ~distance);
  const uint32_t last = bits_of(begins.any) - 1;
  seen = {seen.long_runs + static_cast<uint32_t>(__popc(begins.of_long_runs)), (begins.of_long_runs >> last & 1) != 0, 0, 0};
}

/* A warp takes every so many parts. */
// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(WIDE_THREADS) survey_runs_kernel(const __grid_constant__ WideSort sort) {
  if (!is_wanted(sort.wanted))
    return;
  each_part(sort, [&](uint32_t part, uint64_t begin, uint64_t end) {
    const uint64_t run = run_begin(sort, begin);
    RunSeen seen = {sort.part_counts[part], run != begin && is_long_run(sort, run), 0, 0};
    for (uint64_t first = begin; first < end; first += WARP_LANES)
      survey_row(sort, first, seen);
    seen.tell(sort);
  });
}

/* An item has its key's number, of a long run a window of distances above the least one in it, and where the key is. */
// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(WIDE_THREADS) pack_runs_kernel(const __grid_constant__ WideSort sort) {
  if (!is_wanted(sort.wanted))
    return;
  const uint32_t bits = 64 - sort.low_bits - bits_of(2 * sort.rounds[sort.round].long_runs);
  each_wide_index(sort.count, [&](uint64_t index) {
    const uint32_t number = sort.later_origins[index];
    uint64_t shown = 0;
    if (number % 2 != 0) {
      const LongRun &run = sort.long_run(number / 2);
      shown = UpperBits(run.least(), run.greatest, bits)(sort.distance(index));
    }
    sort.items[index] = (uint64_t{number} << bits | shown) << sort.low_bits | index;
  });
}

// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(WIDE_THREADS) gather_runs_kernel(const __grid_constant__ WideSort sort) {
  if (!is_wanted(sort.wanted))
    return;
  each_wide_index(sort.count, [&](uint64_t index) {
    const uint64_t place = sort.items[index] & sort.low_mask();
    sort.gathered[index] = sort.sorted_keys[place];
    sort.later_origins[index] = sort.origins[place];
  });
}

} // namespace cdp::CDP_RUNTIME

#endif
