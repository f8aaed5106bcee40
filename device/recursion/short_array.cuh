/* SPDX-License-Identifier: MIT */
/*
 * Short arrays: too long for one block, too short for a map. One grid sorts them, in two stages.
 *
 *  order   every block draws the same sample and so finds the same splitters; then each orders tiles by bucket, in shared
 *          memory, and writes them to the scratch array, to where they came from, and a table of where each bucket begins
 *  gather  a block for each bucket reads its column of the table, gathers its runs, and sorts them where they belong; and
 *          writes the keys that are equal to the splitter behind it, where some values are frequent
 *
 *  1. A bucket begins behind all keys of lower buckets, and a tile's place of bucket b is the number of keys of lower buckets
 *     in it: the sum of a column is where the bucket begins. Nobody has to count beforehand, and nobody to scan.
 *  2. Nothing is known to be in order until all tiles are. A block waits for that, but for no other block: it has found that
 *     all tiles were taken, by blocks that run (turns.cuh).
 *  3. The scratch array holds other blocks' runs as long as the grid runs. Therefore a bucket too long for the block is
 *     gathered, listed, and left to a block behind that grid (short_behind.cuh).
 *  4. Where the sample has misled, one bucket has nearly everything, and one block would gather it (H200, 2^21 keys of 32 bits:
 *     290 us). Therefore, if most tiles have most of their keys in that bucket, nothing is gathered: the array as it is in the
 *     scratch array, all of it, becomes a task, which draws a sample of its own.
 */
#ifndef CDPSORT_DEVICE_RECURSION_SHORT_ARRAY_CUH
#define CDPSORT_DEVICE_RECURSION_SHORT_ARRAY_CUH

#include "block/mapped_shape.cuh"
#include "recursion/short_behind.cuh"
#include "recursion/short_equal.cuh"
#include "recursion/turns.cuh"

namespace cdp::CDP_RUNTIME {

/* Of the table of where buckets begin: a tile's entries. */
template <typename Bits>
__device__ __forceinline__ uint32_t short_columns(const Sort<Bits> &sort) {
  return max_short_buckets(sort.short_fan_out) + 1;
}

template <typename Bits>
__device__ __forceinline__ bool has_small_tiles(const Sort<Bits> &sort) {
  return sort.short_tile_items == MultiwayTiles<Bits, SHORT_TILE_ITEMS>::TILE_ITEMS;
}

/* Notes in storage.flag whether one bucket of unequal keys has most of the tile that has been ordered: the same one as of other
   tiles, since keys that are in order come bucket by bucket. All threads take part; no barrier. */
template <typename Bits>
__device__ __forceinline__ void note_crowd(const SplitterSet &set, unsigned int *crowded_bucket,
                                           MultiwayStorage<Bits> &storage) {
  for (uint32_t bucket = threadIdx.x; bucket < set.buckets; bucket += MultiwayShape<Bits>::BLOCK_THREADS) {
    const bool is_unequal = set.equal == 0 || bucket % 2 == 0;
    if (!is_unequal || 2 * (storage.begins[bucket + 1] - storage.begins[bucket]) <= storage.begins[set.buckets])
      continue;
    const unsigned int before = atomicCAS(crowded_bucket, 0u, bucket + 1);
    storage.flag += before == 0 || before == bucket + 1 ? 1 : 0; // no other thread comes here
  }
}

/* Orders tiles, of which `tile` is this block's first one, by bucket, as long as there are any. Returns how many it were, and
   counts in storage.flag those of which the same bucket has most. All threads take part. */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ uint32_t order_tiles(const Sort<Bits> &sort, uint32_t tile, MultiwayStorage<Bits> &storage) {
  const MultiwayTiles<Bits, ITEMS> tiles(sort.rules.side(Side::keys), whole_range(sort));
  const SplitterSet set = storage.set;
  Bits *destination = sort.rules.side(Side::scratch);
  TileItems<Bits, ITEMS> items;
  items.load(tiles, tile);
  for (uint32_t ordered = 1;; ordered++) {
    if (threadIdx.x == 0)
      storage.block.flag = atomicAdd(&sort.control->tiles_taken, 1u);
    order_tile(items, set, sort.short_places + uint64_t{tile} * short_columns(sort), storage, sort.rules.map, true);
    const uint32_t next = storage.block.flag;
    if (next < tiles.count)
      items.load(tiles, next);
    __syncthreads();
    note_crowd(set, &sort.control->crowded_bucket, storage);
    write_tile(destination + tiles.first_item(tile), set, storage);
    if (next >= tiles.count)
      return ordered;
    tile = next;
    __syncthreads(); // all have read which one it is
  }
}

/* The tiles of a short array. */
template <typename Bits>
__device__ __forceinline__ uint32_t short_tiles(const Sort<Bits> &sort) {
  if (has_small_tiles(sort))
    return static_cast<uint32_t>(MultiwayTiles<Bits, SHORT_TILE_ITEMS>(sort.rules.side(Side::keys), whole_range(sort)).count);
  return static_cast<uint32_t>(MultiwayTiles<Bits>(sort.rules.side(Side::keys), whole_range(sort)).count);
}

/* Takes this block's first tile, when the memory is zeroed that all share; which its last warp sees to, while the others draw
   the sample. No barrier. */
template <typename Bits>
__device__ __forceinline__ void take_first_tile(const Sort<Bits> &sort, MultiwayStorage<Bits> &storage) {
  if (threadIdx.x < MultiwayShape<Bits>::BLOCK_THREADS - WARP_LANES)
    return;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  int is_first = 0;
  if (lane == 0)
    is_first = is_first_block(&sort.control->owner, sort.launch_number) ? 1 : 0;
  if (__shfl_sync(ALL_LANES, is_first, 0) != 0) {
    zero_common_memory(sort, 0, sort.first_zero_bytes, lane, WARP_LANES);
    __threadfence();
    __syncwarp();
    if (lane == 0)
      tell_zeroed(sort);
  }
  if (lane != 0)
    return;
  await_zeros(sort);
  __threadfence();
  storage.block.flag = atomicAdd(&sort.control->tiles_taken, 1u);
}

/* Begins the bookkeeping, which is zeros so far, and leaves to the buckets' blocks what they need to know. All threads of one
   block take part. */
template <typename Bits>
__device__ __noinline__ void begin_short(const Sort<Bits> &sort, const MultiwayStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  for (uint32_t index = threadIdx.x; index < storage.set.splitters; index += THREADS)
    sort.task_splitters[index] = storage.splitters[index];
  if (is_counted(sort.rules.counters))
    for (uint32_t row = threadIdx.x; row < CDP_STUDY_DEPTHS; row += THREADS)
      sort.rules.counters[row].min_task_items = UINT64_MAX;
  if (threadIdx.x != 0)
    return;
  *sort.splitter_sets = storage.set;
  if (is_traced(sort))
    sort.control->gather_event = open_event(event_list(sort), ChildStream::fire_and_forget, CDP_TRACE_BUCKETS,
                                            whole_range(sort), sort.short_fan_out, ROOT_EVENT);
}

/* Orders as many tiles as this block finds to be done, and returns how many. Nobody looks whether the array is in order
   already: what finds that out in half the time of a sort makes an array that is almost in order take twice as long
   (docs/lab/2026-11-24-older-measurements.md). All threads take part; no barrier at the end. */
template <typename Bits>
__device__ __forceinline__ uint32_t order_stage(const Sort<Bits> &sort, MultiwayStorage<Bits> &storage) {
  take_first_tile(sort, storage);
  choose_splitters<Bits, MultiwayShape<Bits>::SAMPLES_PER_THREAD>(sort.rules, whole_range(sort), sort.short_fan_out,
                                                                  sort.short_oversampling,
                                                                  max_short_buckets(sort.short_fan_out), Crowded::leave_out);
  const uint32_t tile = storage.block.flag;
  if (threadIdx.x == 0)
    storage.flag = 0;
  __syncthreads(); // all have read it
  if (tile >= short_tiles(sort))
    return 0;
  if (tile == 0)
    begin_short(sort, storage);
  if (has_small_tiles(sort))
    return order_tiles<Bits, SHORT_TILE_ITEMS>(sort, tile, storage);
  return order_tiles<Bits, MultiwayShape<Bits>::TILE_ITEMS_PER_THREAD>(sort, tile, storage);
}

/* Finds a bucket's run in each tile of ITEMS to a thread, and returns where it lies in the end. All threads take part; ends
   with a barrier. */
template <typename Bits, uint32_t ITEMS>
__device__ __forceinline__ Range find_bucket(const Sort<Bits> &sort, uint32_t bucket, GatherBlock<Bits> &storage) {
  const MultiwayTiles<Bits, ITEMS> tiles(sort.rules.side(Side::keys), whole_range(sort));
  const uint32_t tile = threadIdx.x;
  uint32_t begin = 0;
  uint32_t items = 0;
  if (tile < tiles.count) {
    const uint16_t *places = sort.short_places + uint64_t{tile} * short_columns(sort) + bucket;
    begin = places[0];
    items = places[1] - begin;
  }
  // Both sums in one: a short array's keys are counted in 32 bits.
  unsigned long long total;
  const unsigned long long lower = lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(
      static_cast<unsigned long long>(begin) << 32 | items, storage.warp_totals, total);
  const uint32_t run_begin = static_cast<uint32_t>(lower);
  if (tile < tiles.count)
    storage.gathered.runs[tile] = {run_begin + items, static_cast<uint32_t>(tiles.first_item(tile)) + begin - run_begin};
  __syncthreads();
  return {total >> 32, (total >> 32) + static_cast<uint32_t>(total), Side::keys, 1};
}

/* The first run that ends behind an item, of runs of which one does. */
__device__ __forceinline__ uint32_t run_of(const Run *runs, uint32_t run_count, uint32_t item) {
  uint32_t begin = 0;
  uint32_t end = run_count - 1;
  while (begin < end) {
    const uint32_t middle = (begin + end) / 2;
    if (runs[middle].end <= item)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/*
 * Copies the runs of a bucket of `items` items, one behind the other. All threads take part; ends with a barrier.
 *
 * 1. The runs of shuffled keys are short and about as long as each other. Keys that come in long pieces, each in order, have
 *    one run to a bucket, or few, and many that are empty.
 * 2. Every warp copies as many items as every other, whichever runs they are of.
 * Therefore it takes as long with the one as with the other.
 */
template <typename Bits>
__device__ __forceinline__ void gather_runs(const Bits *source, uint32_t run_count, uint32_t items, Bits *destination,
                                            const GatherBlock<Bits> &storage) {
  constexpr uint32_t WARPS = MultiwayShape<Bits>::BLOCK_WARPS;
  const Run *runs = storage.gathered.runs;
  const uint32_t rows = (items + WARPS * WARP_LANES - 1) / (WARPS * WARP_LANES); // of a warp's lanes
  const uint32_t begin = threadIdx.x / WARP_LANES * rows * WARP_LANES;
  const uint32_t end = begin + rows * WARP_LANES < items ? begin + rows * WARP_LANES : items;
  uint32_t first = begin + threadIdx.x % WARP_LANES;
  uint32_t run = first < end ? run_of(runs, run_count, first) : 0;
  for (; first < end; first += SHORT_LOADS * WARP_LANES) {
    Bits keys[SHORT_LOADS];
#pragma unroll
    for (uint32_t load = 0; load < SHORT_LOADS; load++) {
      const uint32_t item = first + load * WARP_LANES;
      if (item >= end)
        continue;
      while (runs[run].end <= item)
        run++;
      keys[load] = source[runs[run].begin + item];
    }
#pragma unroll
    for (uint32_t load = 0; load < SHORT_LOADS; load++)
      if (first + load * WARP_LANES < end)
        destination[first + load * WARP_LANES] = keys[load];
  }
  __syncthreads();
}

/* Writes the equal keys behind a bucket, or leaves them to all blocks, if they are many. All threads take part; begins with a
   barrier. */
template <typename Bits>
__device__ inline void write_equal(const Sort<Bits> &sort, const Range &range, Bits key, GatherBlock<Bits> &storage) {
  __syncthreads(); // all have read the flag
  if (threadIdx.x == 0)
    storage.flag = announce_equal(sort, range, key) ? 1 : 0;
  __syncthreads();
  if (storage.flag != 0)
    fill_range<Bits>(sort.rules, range.begin, range.end, key, threadIdx.x, MultiwayShape<Bits>::BLOCK_THREADS);
}

/* Counts the array as a task, whose items were read and written once; and a bucket as one of its parts. Its balance is the
   host's to find, since no block knows that it is the last. For one thread. */
template <typename Bits>
__device__ inline void count_short_task(const Sort<Bits> &sort, const SplitterSet &set) {
  sort.control->short_parts = set.unequal_buckets();
  count_task(sort.rules.counters, 0, sort.count, 0);
  count_moved(sort.rules.counters, 0, 2 * sort.count);
}

template <typename Bits>
__device__ inline void count_short_part(const Sort<Bits> &sort, uint64_t items) {
  if (!is_counted(sort.rules.counters))
    return;
  count_at(sort.rules.counters, 0, &cdp_study_depth::parts, 1);
  atomicMax(&sort.control->max_short_part_items, static_cast<unsigned int>(items));
}

/* The most keys of a bucket that its block sorts where it gathers them. */
template <typename Bits>
constexpr uint32_t MAX_GATHERED = OnChipShape<Bits, OnChipBy::block>::MAX_ITEMS;

/* Sorts a bucket that is gathered, of at most MAX_GATHERED keys. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void sort_gathered(const Sort<Bits> &sort, const Range &range, GatherBlock<Bits> &storage) {
  using Block = MultiwayShape<Bits>;
  if (is_merged<Bits, DEVICE_KIND>(range.items()))
    block_register_sort<Bits, Block::TILE_ITEMS_PER_THREAD>(sort.rules, storage.stage, range, storage.stage);
  else if (range.items() <= Block::TILE_ITEMS)
    block_on_chip_sort(sort.rules, storage.stage, range, storage.tile);
  else
    block_on_chip_sort(sort.rules, storage.stage, range, storage.bucket);
}

/* Sorts a bucket of unequal keys that is not empty. All threads take part. */
template <typename Bits>
__device__ __forceinline__ void sort_bucket(const Sort<Bits> &sort, const Range &range, GatherBlock<Bits> &storage) {
  if (threadIdx.x == 0)
    count_short_part(sort, range.items());
  const uint32_t runs = short_tiles(sort);
  const Bits *source = sort.rules.side(Side::scratch);
  if (range.items() <= MAX_GATHERED<Bits>) {
    gather_runs(source, runs, static_cast<uint32_t>(range.items()), storage.stage, storage);
    sort_gathered(sort, range, storage);
    return;
  }
  gather_runs(source, runs, static_cast<uint32_t>(range.items()), sort.rules.side(Side::keys) + range.begin, storage);
  sort_behind(sort, range, storage.flag);
}

/* A bucket's range, by tiles of either size. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ Range find_bucket(const Sort<Bits> &sort, uint32_t bucket, GatherBlock<Bits> &storage) {
  return has_small_tiles(sort) ? find_bucket<Bits, SHORT_TILE_ITEMS>(sort, bucket, storage)
                               : find_bucket<Bits, MultiwayShape<Bits>::TILE_ITEMS_PER_THREAD>(sort, bucket, storage);
}

/*
 * Gathers and sorts a bucket of unequal keys, and writes the equal ones behind it. All threads take part.
 *
 * Keys of a splitter's value are only written, which takes next to nothing, or is shared (short_equal.cuh); a block of their
 * own would come another round later.
 */
template <typename Bits>
__device__ __forceinline__ void gather_bucket(const Sort<Bits> &sort, uint32_t splitter, GatherBlock<Bits> &storage) {
  const BlockTraceScope own_scope(sort, sort.control->gather_event, splitter);
  const SplitterSet set = *sort.splitter_sets;
  const uint32_t bucket = set.equal != 0 ? 2 * splitter : splitter;
  if (bucket == 0 && threadIdx.x == 0)
    count_short_task(sort, set);
  const bool has_equal = set.equal != 0 && splitter < set.splitters;
  const Range equal = has_equal ? find_bucket(sort, bucket + 1, storage) : Range{};
  const Range range = bucket < set.buckets ? find_bucket(sort, bucket, storage) : Range{};
  if (range.items() + equal.items() != 0)
    own_scope.describe(range.items() != 0 ? range : equal);
  if (set.equal != 0)
    write_equal(sort, equal, has_equal ? sort.task_splitters[splitter] : Bits{}, storage);
  if (range.items() != 0)
    sort_bucket(sort, range, storage);
  if (set.equal == 0)
    return;
  if (range.items() == 0 && threadIdx.x == 0)
    await_equal(sort);
  write_listed_equal(sort, &storage.equal);
}

/* Tiles that are done, and those of them that are crowded, in one word: a short array has fewer than 2^16. */
constexpr uint32_t TILES_DONE_BITS = 16;

/* Counts this block's tiles, `ordered` of them, as done, and takes a bucket; waits until all tiles are. All threads take part;
   begins and ends with a barrier. Returns the bucket, which may be one that there is not, and
   storage.gather.is_crowded. */
template <typename Bits>
__device__ __forceinline__ uint32_t await_tiles(const Sort<Bits> &sort, uint32_t ordered, ShortBlock<Bits> &storage) {
  __syncthreads();
  if (threadIdx.x == 0) {
    const uint32_t tiles = short_tiles(sort);
    __threadfence();
    if (ordered != 0)
      atomicAdd(&sort.control->tiles_done, storage.order.flag << TILES_DONE_BITS | ordered);
    const uint32_t bucket = atomicAdd(&sort.control->buckets_taken, 1u);
    uint32_t done;
    do
      done = read_anew(&sort.control->tiles_done);
    while ((done & ((1u << TILES_DONE_BITS) - 1)) != tiles);
    __threadfence();
    storage.gather.flag = bucket;
    storage.gather.is_crowded = 2 * (done >> TILES_DONE_BITS) > tiles ? 1 : 0;
  }
  __syncthreads();
  return storage.gather.flag;
}

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    short_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  let_next_begin();
  if (is_unwanted(sort))
    return;
  expect(sort.path == CDP_PATH_SHORT);
  auto &storage = block_shared<ShortBlock<Bits>>();
  const TraceScope scope(sort, event, CDP_TRACE_ROOT, whole_range(sort));
  const uint32_t ordered = order_stage(sort, storage.order);
  const uint32_t bucket = await_tiles(sort, ordered, storage);
  if (bucket >= sort.short_fan_out)
    return;
  if (storage.gather.is_crowded != 0) {
    __syncthreads(); // all have read which bucket it is, which the flag was
    if (bucket == 0)
      sort_behind(sort, {0, sort.count, Side::scratch, 1}, storage.gather.flag); // the whole array, from the scratch array
    return;
  }
  const TraceScope stage_scope(sort, sort.control->gather_event);
  gather_bucket(sort, bucket, storage.gather);
}

} // namespace cdp::CDP_RUNTIME

#endif
