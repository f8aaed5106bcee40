/* SPDX-License-Identifier: MIT */
/*
 * What blocks do to learn a map of an array's keys (block/key_lines.cuh) and to count its buckets. Who does what when,
 * mapped_array.cuh says; frequent values are found by mapped_frequent.cuh, and the keys are moved by mapped_scatter.cuh.
 *
 * Positions are 32-bit numbers here: no array has so many keys that it would need more (OnChipRow::max_buckets).
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_CUH

#include "block/map_tile.cuh"
#include "block/splitters.cuh"
#include "recursion/mapped_frequent.cuh"
#include "recursion/turns.cuh"

namespace cdp::CDP_RUNTIME {

/* The buckets that a map should make of so many keys, of so many sixteenths of a team's room each at most. */
template <typename Bits>
__device__ __forceinline__ uint32_t wanted_buckets(const Sort<Bits> &sort, uint64_t items, uint32_t share) {
  const uint64_t least = items / (uint64_t{OnChipShape<Bits>::MAX_ITEMS} * share / 16) + 1;
  const uint64_t buckets = rounded_buckets(least, sort.multiprocessors * OnChipShape<Bits>::TEAMS);
  return buckets < sort.map_buckets ? static_cast<uint32_t>(buckets) : sort.map_buckets;
}

/* The buckets of a group, as a power of two; 0: one scatter does without groups. */
__device__ __forceinline__ uint32_t wanted_coarse_shift(uint32_t buckets) {
  if (buckets <= MAX_ONE_SCATTER)
    return 0;
  uint32_t shift = 1;
  while ((buckets - 1) >> shift >= MAX_COARSE_BUCKETS)
    shift++;
  return shift;
}

/* ---- Look ---------------------------------------------------------------------------------------------------------------- */

/* The threads that draw a sample to look at, a power of two. The others look at the same keys. */
template <typename Bits>
constexpr uint32_t LOOK_THREADS = MultiwayShape<Bits>::MAX_SAMPLE_THREADS;

/* Adds up the squares of what groups of samples differ by from so many each. All threads take part; no barrier. */
template <typename Bits>
__device__ __forceinline__ void add_squares(const uint32_t (&groups)[SPREAD_GROUPS], uint32_t each, uint32_t &squares) {
  for (uint32_t group = threadIdx.x; group < SPREAD_GROUPS; group += MultiwayShape<Bits>::BLOCK_THREADS) {
    const int difference = static_cast<int>(groups[group]) - static_cast<int>(each);
    atomicAdd(&squares, static_cast<uint32_t>(difference * difference));
  }
}

/* Whether a value is frequent, by counting samples whose hashes are alike; and how evenly the offsets are spread. All threads
   take part; what it finds is theirs to read behind the barrier that it ends with. */
template <typename Bits, uint32_t EACH>
__device__ __forceinline__ void judge_sample(const Bits (&keys)[EACH], const KeyLines<Bits> &even, MapLook<Bits> &look) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t SLOTS = LOOK_THREADS<Bits> * EACH;
  static_assert((SLOTS & (SLOTS - 1)) == 0 && SLOTS <= sizeof look.slots / sizeof look.slots[0], "a counter for each sample");
  if (threadIdx.x < LOOK_THREADS<Bits>)
#pragma unroll
    for (uint32_t item = 0; item < EACH; item++) {
      atomicAdd(&look.slots[static_cast<uint32_t>(splitmix64(keys[item])) & (SLOTS - 1)], 1u);
      atomicAdd(&look.groups[__umulhi(offset_of(even, keys[item]), even.factor)], 1u);
    }
  __syncthreads();
  uint32_t frequent = 0;
  for (uint32_t slot = threadIdx.x; slot < SLOTS; slot += THREADS)
    frequent += look.slots[slot] >= FREQUENT_SAMPLES ? look.slots[slot] : 0;
  if (frequent != 0)
    atomicAdd(&look.frequent, frequent);
  add_squares<Bits>(look.groups, SLOTS / SPREAD_GROUPS, look.squares);
  __syncthreads();
}

/* Whether octaves spread the offsets more evenly, by far. All threads take part; ends with a barrier. */
template <typename Bits, uint32_t EACH>
__device__ __forceinline__ bool are_octaves_better(const Bits (&keys)[EACH], const KeyLines<Bits> &octaves,
                                                   MapLook<Bits> &look) {
  if (threadIdx.x < LOOK_THREADS<Bits>)
#pragma unroll
    for (uint32_t item = 0; item < EACH; item++)
      atomicAdd(&look.octave_groups[spread_offset(octaves, keys[item]) / (UINT32_MAX / SPREAD_GROUPS + 1)], 1u);
  __syncthreads();
  add_squares<Bits>(look.octave_groups, LOOK_THREADS<Bits> * EACH / SPREAD_GROUPS, look.octave_squares);
  __syncthreads();
  return look.octave_squares < look.squares / MIN_OCTAVE_GAIN;
}

/* Notes whether samples rise, or fall, as their positions do. behind: the samples behind a warp's, for its last lane. All
   threads take part; no barrier. */
template <typename Bits, uint32_t EACH>
__device__ __forceinline__ void note_directions(const Bits (&keys)[EACH], const Bits (&behind)[EACH], MapLook<Bits> &look) {
  bool rises = false;
  bool falls = false;
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++) {
    Bits next = __shfl_down_sync(ALL_LANES, keys[item], 1);
    if (threadIdx.x % WARP_LANES == WARP_LANES - 1)
      next = behind[item];
    rises |= keys[item] < next;
    falls |= next < keys[item];
  }
  if (rises)
    look.rises = 1;
  if (falls)
    look.falls = 1;
}

/* Tiles are counted in halves: one is counted while the next one comes. */
template <typename Bits>
using CountedTiles = MapTiles<Bits, 1, 2>;
template <typename Bits>
using CountedItems = MapTileItems<Bits, 1, 2>;

/* What a sample says about an array. */
enum class MapVerdict : uint32_t { splitters, even, uneven, ascending, descending };

/*
 * Looks at a sample of the array, which is the same in all blocks of a grid. All threads of the block take part; begins and
 * ends with a barrier. `lines`, in every thread: for keys that are spread evenly, straight ones; otherwise to be learnt.
 * sees_order: a sample in order is to be told. A tile that this block may count is brought to the L2 cache meanwhile, and the
 * first block of the grid zeroes what all share.
 */
template <uint32_t EACH, typename Bits>
__device__ __forceinline__ MapVerdict look_at_sample(const Sort<Bits> &sort, bool sees_order, KeyLines<Bits> &lines,
                                                     MappedStorage<Bits> &storage) {
  MapLook<Bits> &look = storage.look;
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t SAMPLES = LOOK_THREADS<Bits> * EACH;
  const uint64_t hash = sample_hash(sort.rules.seed, whole_range(sort));
  const Bits *source = sort.rules.side(Side::keys);
  const bool is_last_lane = threadIdx.x % WARP_LANES == WARP_LANES - 1;
  Bits keys[EACH];
  Bits behind[EACH];
#pragma unroll
  for (uint32_t item = 0; item < EACH; item++) {
    const uint32_t index = item * LOOK_THREADS<Bits> + threadIdx.x % LOOK_THREADS<Bits>;
    keys[item] = source[sample_position(hash, index, SAMPLES, sort.count)];
    behind[item] =
        is_last_lane && index + 1 < SAMPLES ? source[sample_position(hash, index + 1, SAMPLES, sort.count)] : keys[item];
  }
  CountedTiles<Bits>(source, 0, static_cast<uint32_t>(sort.count)).prefetch_tiles(blockIdx.x, gridDim.x, threadIdx.x);
  __syncthreads();
  for (uint32_t index = threadIdx.x; index < SAMPLES; index += THREADS)
    look.slots[index] = 0;
  for (uint32_t group = threadIdx.x; group < SPREAD_GROUPS; group += THREADS)
    look.groups[group] = look.octave_groups[group] = 0;
  if (threadIdx.x == 0) {
    look.frequent = 0;
    look.squares = 0;
    look.octave_squares = 0;
    look.rises = 0;
    look.falls = 0;
  }
  // While the keys are on their way.
  if (threadIdx.x == 0)
    storage.turn.is_first = is_first_block(&sort.control->owner, sort.launch_number) ? 1 : 0;
  __syncthreads();
  if (storage.turn.is_first != 0)
    zero_by_block(sort);
  sort.rules.map.enter_all(keys, true);
  sort.rules.map.enter_all(behind, true);
  note_directions(keys, behind, look);
  Bits least = keys[0];
  Bits greatest = keys[0];
#pragma unroll
  for (uint32_t item = 1; item < EACH; item++) {
    least = min(least, keys[item]);
    greatest = max(greatest, keys[item]);
  }
  Team<Bits, 1>().find_extremes(least, greatest, look.extremes);
  if (sees_order && look.falls == 0)
    return MapVerdict::ascending;
  if (sees_order && look.rises == 0)
    return MapVerdict::descending;
  if (least == greatest)
    return MapVerdict::splitters;
  const KeyLines<Bits> even = lines_between(least, greatest, SPREAD_GROUPS);
  judge_sample(keys, even, look);
  const bool is_even = look.frequent <= SAMPLES / MAX_FREQUENT_SHARE && look.squares <= MAX_SPREAD_SQUARES * SAMPLES;
  const uint32_t share = is_even ? STRAIGHT_BUCKET_SHARE : LINES_BUCKET_SHARE;
  lines = lines_between(least, greatest, wanted_buckets(sort, sort.count, share));
  if (is_even && is_straight(lines))
    return MapVerdict::even;
  const KeyLines<Bits> octaves = octaves_from(least, lines);
  if (are_octaves_better(keys, octaves, look))
    lines = octaves;
  lines.factor = 0;
  return MapVerdict::uneven;
}

/* ---- Draw -------------------------------------------------------------------------------------------------------------- */

/* Samples to learn the lines from: a power of two. */
__device__ __forceinline__ uint32_t drawn_samples(uint32_t buckets) {
  uint32_t samples = KEY_LINES;
  while (samples < buckets * MAP_SAMPLES_PER_BUCKET)
    samples *= 2;
  return samples;
}

/* This block's share of drawing. All threads take part. */
template <typename Bits>
__device__ __noinline__ void draw_share(const Sort<Bits> &sort, uint32_t block, uint32_t blocks) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  auto &storage = block_shared<MappedStorage<Bits>>();
  const KeyLines<Bits> lines = storage.map;
  __syncthreads();
  for (uint32_t line = threadIdx.x; line < KEY_LINES; line += THREADS)
    storage.divide.drawn[line] = 0;
  __syncthreads();
  const uint32_t samples = drawn_samples(lines.buckets);
  const uint64_t hash = splitmix64(sample_hash(sort.rules.seed, whole_range(sort))); // others than those that were looked at
  const Bits *source = sort.rules.side(Side::keys);
  for (uint32_t sample = block * THREADS + threadIdx.x; sample < samples; sample += blocks * THREADS) {
    const Bits key = sort.rules.map.enter(source[sample_position(hash, sample, samples, sort.count)], true);
    atomicAdd(&storage.divide.drawn[spread_offset(lines, key) >> (32 - KEY_LINE_BITS)], 1u);
    search_sample(sort, key, samples, lines.buckets);
  }
  __syncthreads();
  for (uint32_t line = threadIdx.x; line < KEY_LINES; line += THREADS)
    if (storage.divide.drawn[line] != 0)
      atomicAdd(&sort.map_table.drawn[line], storage.divide.drawn[line]);
}

/*
 * Learns the lines from what was drawn, and which values are left out of them. All threads of one block take part; ends with
 * both visible to grids launched after it.
 *
 * A line without a sample may have keys all the same, but few: it counts as a sixteenth of a sample. The first and the last
 * line, where the keys beyond the sample's are, are a bucket at least.
 */
template <typename Bits>
__device__ __noinline__ void learn_lines(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t EACH = (KEY_LINES + THREADS - 1) / THREADS;
  const MapTable<Bits> &table = sort.map_table;
  auto &learn = storage.divide.learn;
  KeyLines<Bits> lines = table.facts->lines;
  const uint32_t samples = drawn_samples(lines.buckets);
  for (uint32_t line = threadIdx.x; line < KEY_LINES; line += THREADS)
    learn.drawn[line] = table.drawn[line];
  lines.frequent = learn_frequent(sort, lines, samples, storage);
  uint32_t left = 0;
  for (uint32_t line = threadIdx.x; line < KEY_LINES; line += THREADS)
    left += learn.drawn[line];
  uint32_t samples_left;
  lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(left, storage.divide.warp_totals, samples_left);
  __syncthreads();
  lines.buckets = wanted_buckets(sort, sort.count * samples_left / samples,
                                 lines.frequent != 0 ? FREQUENT_BUCKET_SHARE : LINES_BUCKET_SHARE);
  const uint32_t last = spread_offset(lines, GREATEST<Bits>) >> (32 - KEY_LINE_BITS);
  const uint32_t bucket_weight = 16 * samples_left / lines.buckets;
  uint32_t weights[EACH];
  uint32_t sum = 0;
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    const uint32_t line = threadIdx.x * EACH + index;
    weights[index] = line <= last ? 16 * learn.drawn[line] + 1 : 0;
    if ((line == 0 || line == last) && weights[index] < bucket_weight)
      weights[index] = bucket_weight;
    sum += weights[index];
  }
  uint32_t total;
  uint32_t lower = lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(sum, storage.divide.warp_totals, total);
  const uint64_t units = static_cast<uint64_t>(lines.buckets) << LINE_UNIT_BITS;
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    if (threadIdx.x * EACH + index < KEY_LINES)
      table.line_begins[threadIdx.x * EACH + index] = static_cast<uint32_t>(units * lower / total);
    lower += weights[index];
  }
  if (threadIdx.x == 0) {
    table.line_begins[KEY_LINES] = static_cast<uint32_t>(units);
    table.facts->lines = lines;
    table.facts->coarse_shift = wanted_coarse_shift(lines.buckets);
  }
  __threadfence();
  __syncthreads();
}

/* Loads the map, and its lines and frequent values if there are any. All threads take part; begins and ends with a barrier. */
template <typename Bits>
__device__ __noinline__ void load_map(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  __syncthreads();
  if (threadIdx.x == 0)
    storage.map = sort.map_table.facts->lines;
  if (sort.map_table.facts->lines.frequent != 0)
    for (uint32_t slot = threadIdx.x; slot < FrequentShape<Bits>::SLOTS; slot += MultiwayShape<Bits>::BLOCK_THREADS)
      storage.divide.slots[slot] = sort.map_table.frequent->slots[slot];
  if (sort.map_table.facts->lines.factor == 0)
    for (uint32_t line = threadIdx.x; line < LINE_BEGINS; line += MultiwayShape<Bits>::BLOCK_THREADS)
      storage.divide.line_begins[line] = sort.map_table.line_begins[line];
  __syncthreads();
}

/* Whether code is made for each of the forms that a map has, or is the same for any. */
enum class MapForm : uint32_t { each, any };

/* Calls `use` with the map that is loaded. */
template <MapForm FORM, typename Bits, DeviceKind KIND, typename Use>
__device__ __forceinline__ void with_loaded_map(const MappedStorageOf<Bits, KIND> &storage, Use use) {
  if constexpr (FORM == MapForm::any)
    use(AnyMap<Bits>{frequent_map(storage)});
  else if (storage.map.frequent != 0)
    use(frequent_map(storage));
  else
    with_map(storage.map, storage.divide.line_begins, use);
}

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

/* Counts a key: in its bucket and, if its value is frequent, as one of that. */
template <typename Bits, typename Map, DeviceKind KIND>
__device__ __forceinline__ void count_key(Bits key, const Map &map, MapDivide<Bits, KIND> &divide) {
  atomicAdd(&divide.counts[map(key)], 1u);
  if constexpr (Map::HAS_FREQUENT) {
    const uint32_t slot = map.slot_of(key);
    if (slot != NO_FREQUENT)
      atomicAdd(&divide.frequent_counts()[slot], 1u);
  }
}

/* Counts the keys of tiles `block`, `block` + `blocks`, ... by a map. All threads take part. */
template <typename Bits, typename Map>
__device__ __forceinline__ void count_tiles(const Sort<Bits> &sort, uint32_t block, uint32_t blocks, const Map &map,
                                            MappedStorage<Bits> &storage) {
  const CountedTiles<Bits> tiles(sort.rules.side(Side::keys), 0, static_cast<uint32_t>(sort.count));
  const bool enters = sort.rules.map.changes != 0;
  const uint32_t count = tiles.count();
  uint32_t tile = block;
  const auto count_one = [&](CountedItems<Bits> &items, CountedItems<Bits> &next) {
    tile += blocks;
    if (tile < count)
      next.load(tiles, tile, threadIdx.x);
    if (enters)
      sort.rules.map.enter_all(items.keys, true);
    items.each([&](Bits key) { count_key(key, map, storage.divide); });
    return tile < count;
  };
  CountedItems<Bits> even;
  CountedItems<Bits> odd;
  if (tile < count)
    even.load(tiles, tile, threadIdx.x);
  else
    return;
  while (count_one(even, odd) && count_one(odd, even))
    ;
}

/* Counts a share of the keys, by the map in storage. All threads take part; begins with a barrier having made it visible. */
template <MapForm FORM, typename Bits>
__device__ __forceinline__ void count_share(const Sort<Bits> &sort, uint32_t share, uint32_t shares,
                                            MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  uint32_t *counts = storage.divide.counts;
  const uint32_t buckets = storage.map.buckets;
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += THREADS)
    counts[bucket] = 0;
  if (storage.map.frequent != 0)
    for (uint32_t slot = threadIdx.x; slot < FrequentShape<Bits>::SLOTS; slot += THREADS)
      storage.divide.frequent_counts()[slot] = 0;
  __syncthreads();
  with_loaded_map<FORM>(storage, [&](const auto &map) { count_tiles(sort, share, shares, map, storage); });
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += THREADS)
    if (counts[bucket] != 0)
      atomicAdd(&sort.map_table.counts[bucket], counts[bucket]);
  if (storage.map.frequent != 0)
    report_frequent(sort, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
