/* SPDX-License-Identifier: MIT */
/*
 * What blocks do to learn a map of an array's keys (block/key_lines.cuh) and to count its buckets. Who does what when,
 * mapped_array.cuh says; frequent values are found by mapped_frequent.cuh, and the keys are moved by mapped_scatter.cuh.
 *
 * Positions are 32-bit numbers here (MAX_MAPPED_ITEMS).
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_CUH

#include "block/map_tile.cuh"
#include "block/splitters.cuh"
#include "recursion/mapped_frequent.cuh"
#include "recursion/turns.cuh"

namespace cdp::CDP_RUNTIME {

/* The buckets that a map should make, where so many are enough. */
template <typename Bits>
__device__ __forceinline__ uint32_t shared_buckets(const Sort<Bits> &sort, uint32_t enough) {
  return min(rounded_buckets(enough, sort.multiprocessors * OnChipShape<Bits>::TEAMS), sort.map_buckets);
}

/* The same of so many keys, of so many sixteenths of a team's room each at most. */
template <typename Bits>
__device__ __forceinline__ uint32_t wanted_buckets(const Sort<Bits> &sort, uint64_t items, uint32_t share) {
  return shared_buckets(sort, static_cast<uint32_t>(items / (OnChipShape<Bits>::MAX_ITEMS * share / 16)) + 1);
}

/* The most buckets that a block has a word for each of, all at once, and one for each frequent value. */
template <typename Bits>
constexpr uint32_t MAX_COUNTED_BUCKETS = MapCounting<Bits, DEVICE_KIND>::MAX_BUCKETS;

/* Whether a map has more than that (mapped_long.cuh). */
template <typename Bits>
__device__ __forceinline__ bool has_many_buckets(const KeyLines<Bits> &lines) {
  return lines.buckets > MAX_COUNTED_BUCKETS<Bits>;
}

/* Whether its keys are counted twice: by groups of buckets, and when they are there, by bucket. */
template <typename Bits>
__device__ __forceinline__ bool counts_twice(const KeyLines<Bits> &lines) {
  return lines.counter_bits == 0;
}

/*
 * The bits of a bucket's counter. Where several must share a word (mapped_packed.cuh), they hold 3 / 2 of what a block counts
 * of a bucket on average, at least. 8 bits are for keys that are spread evenly alone: at the ends of lines there may be buckets
 * of some times the average.
 */
template <typename Bits>
__device__ __forceinline__ uint16_t wanted_counter_bits(const Sort<Bits> &sort, const KeyLines<Bits> &lines) {
  if (!has_many_buckets(lines))
    return 32;
  const uint32_t fewest = lines.factor != 0 ? 8 : 16;
  for (uint32_t bits = 16; bits >= fewest; bits /= 2)
    if (lines.buckets <= MapCounting<Bits, DEVICE_KIND>::COUNTERS * (32 / bits) &&
        3 * sort.count < (uint64_t{lines.buckets} * gridDim.x << bits) * 2)
      return static_cast<uint16_t>(bits);
  return 0;
}

/* Whether there is room to mark the keys that are moved, since their values are not frequent, when they are counted; otherwise what
   moves them looks again. */
template <typename Bits>
constexpr bool ALL_ARE_MARKED = max_marked_items(DEVICE_KIND, sizeof(Bits)) >= MAX_MAPPED_ITEMS;
template <typename Bits>
__device__ __forceinline__ bool are_marked(const Sort<Bits> &sort) {
  return ALL_ARE_MARKED<Bits> || sort.map_table.kept != nullptr;
}

/* The buckets of a group, as a power of two; 0: one scatter does without groups, in which there is no room to look for values. */
template <typename Bits>
__device__ __forceinline__ uint32_t wanted_coarse_shift(const Sort<Bits> &sort, const KeyLines<Bits> &lines) {
  const uint32_t buckets = lines.buckets;
  if (buckets <= MAX_ONE_SCATTER && (lines.frequent == 0 || are_marked(sort)))
    return 0;
  uint32_t shift = 1;
  while ((buckets - 1) >> shift >= MAX_COARSE && 1u << shift < GOOD_FINE)
    shift++;
  while ((buckets - 1) >> shift >= MAX_TEAM_GROUPS && 1u << shift < MAX_TEAM_GROUPS) // and its buckets are no more than that
    shift++;
  return shift;
}

/* How many groups there are. */
template <typename Bits>
__device__ __forceinline__ uint32_t group_count(const MapFacts<Bits> &facts) {
  return ((facts.lines.buckets - 1) >> facts.coarse_shift) + 1;
}

/* ---- Draw -------------------------------------------------------------------------------------------------------------- */

/* Samples to learn the lines from: a power of two. */
__device__ __forceinline__ uint32_t drawn_samples(uint32_t buckets) {
  uint32_t samples = KEY_LINES;
  while (samples < MAX_DRAWN_SAMPLES && samples < buckets * MAP_SAMPLES_PER_BUCKET)
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
    storage.divide.counting.drawn[line] = 0;
  __syncthreads();
  const uint32_t samples = drawn_samples(lines.buckets);
  const uint64_t hash = splitmix64(sample_hash(sort.rules.seed, whole_range(sort))); // others than those that were looked at
  const Bits *source = sort.rules.side(Side::keys);
  for (uint32_t sample = block * THREADS + threadIdx.x; sample < samples; sample += blocks * THREADS) {
    const Bits key = sort.rules.map.enter(source[sample_position(hash, sample, samples, sort.count)], true);
    atomicAdd(&storage.divide.counting.drawn[spread_offset(lines, key) >> (32 - KEY_LINE_BITS)], 1u);
    search_samples(sort, key, samples, min(lines.buckets, MAX_COUNTED_BUCKETS<Bits>));
  }
  __syncthreads();
  for (uint32_t line = threadIdx.x; line < KEY_LINES; line += THREADS)
    if (storage.divide.counting.drawn[line] != 0)
      atomicAdd(&sort.map_table.drawn[line], storage.divide.counting.drawn[line]);
}

/*
 * Learns which values are frequent, and how many buckets all other keys need, in storage.map; of the drawn samples, in learn.drawn,
 * those are left. Returns how many. listed, level: as of learn_frequent(). All threads of one block take part; begins with the
 * map of the look, begins and ends with a barrier.
 *
 * Frequent values are known to a map whose buckets are counted at once. Of a very long array, the other keys may be few enough
 * for that. If they are too many, no value is left out, and a bucket too long for a block becomes a task.
 */
template <typename Bits>
__device__ __forceinline__ uint32_t leave_out_frequent(const Sort<Bits> &sort, uint32_t listed, uint32_t level,
                                                       uint32_t samples, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint64_t MOST_ITEMS =
      uint64_t{MAX_COUNTED_BUCKETS<Bits>} * OnChipShape<Bits>::MAX_ITEMS / 16 * FULLEST_BUCKET_SHARE;
  auto &drawn = storage.divide.counting.learn.drawn;
  const uint32_t frequent = learn_frequent(sort, storage.map, listed, level, samples, storage);
  uint32_t left = 0;
  for (uint32_t line = threadIdx.x; line < KEY_LINES; line += THREADS)
    left += drawn[line];
  uint32_t samples_left;
  lower_threads_sum<MultiwayShape<Bits>::BLOCK_WARPS>(left, storage.divide.warp_totals, samples_left);
  if (threadIdx.x == 0) {
    KeyLines<Bits> &lines = storage.map;
    const uint64_t items_left = sort.count * samples_left >> (31 - __clz(static_cast<int>(samples))); // a power of two
    const uint32_t all_buckets = wanted_buckets(sort, sort.count, LINES_BUCKET_SHARE);
    lines.frequent = frequent;
    lines.buckets = frequent != 0 ? min(wanted_buckets(sort, items_left, FREQUENT_BUCKET_SHARE), all_buckets) : all_buckets;
    lines.counter_bits = frequent != 0 ? 32 : wanted_counter_bits(sort, lines);
    if (frequent != 0 && has_many_buckets(lines)) {
      lines.frequent = items_left <= MOST_ITEMS ? frequent : 0;
      lines.counter_bits = items_left <= MOST_ITEMS ? 32 : 0; // which counts of frequent values would overflow
      lines.buckets = items_left <= MOST_ITEMS ? MAX_COUNTED_BUCKETS<Bits> : all_buckets;
    }
  }
  __syncthreads();
  if (storage.map.frequent == frequent)
    return samples_left;
  for (uint32_t line = threadIdx.x; line < KEY_LINES; line += THREADS)
    drawn[line] = sort.map_table.drawn[line];
  __syncthreads();
  return samples;
}

/*
 * Learns the lines from what was drawn, and which values are left out of them. All threads of one block take part; begins with
 * the map of the look in storage, and ends with lines and values visible to all blocks.
 *
 * A line without a sample may have keys all the same, but few: it counts as a sixteenth of a sample. The first and the last
 * line, where the keys beyond the sample's are, are a bucket, or all but a sixteenth of one, at least.
 *
 * All blocks wait for this one. Therefore what it reads it asks for at once; there is no function within this one, which would
 * save registers; what all would divide is multiplied, since a 64-bit division is a function, too; and values are brought in order
 * later (H200, 2^24 keys by Zipf's law: 15 us and not 21).
 */
template <typename Bits>
__device__ __noinline__ void learn_lines(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t EACH = (KEY_LINES + THREADS - 1) / THREADS;
  const MapTable<Bits> &table = sort.map_table;
  auto &learn = storage.divide.counting.learn;
  const uint32_t listed = min(table.facts->values_listed, FrequentShape<Bits>::MAX_LISTED);
  const uint32_t level = filed_level(*table.facts);
  const uint32_t samples = drawn_samples(storage.map.buckets);
  load_all<KEY_LINES, THREADS>(table.drawn, learn.drawn);
  const uint32_t samples_left = leave_out_frequent(sort, listed, level, samples, storage);
  const KeyLines<Bits> &lines = storage.map;
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
  const uint32_t coarse_shift = wanted_coarse_shift(sort, lines);
  const bool in_halves = coarse_shift == 0;
  const uint64_t units = static_cast<uint64_t>(lines.buckets) << (in_halves ? SHORT_UNIT_BITS : LINE_UNIT_BITS);
  // Of a weight, in 2^-32 units: less than it would be, so that no line begins behind the last unit.
  const uint64_t weight_units =
      static_cast<uint64_t>(static_cast<float>(units) / static_cast<float>(total) * (1 - 0x1p-20f) * 0x1p32f);
  uint32_t begin = static_cast<uint32_t>(lower * weight_units >> 32);
#pragma unroll
  for (uint32_t index = 0; index < EACH; index++) {
    lower += weights[index];
    const uint32_t end = static_cast<uint32_t>(lower * weight_units >> 32);
    if (threadIdx.x * EACH + index < KEY_LINES)
      table.line_words[threadIdx.x * EACH + index] = in_halves ? begin << 16 | (end - begin) : begin;
    begin = end;
  }
  if (threadIdx.x == 0) {
    table.line_words[KEY_LINES] = static_cast<uint32_t>(units);
    table.facts->lines = lines;
    table.facts->lines.in_halves = in_halves ? 1 : 0;
    table.facts->coarse_shift = coarse_shift;
  }
  __threadfence();
  __syncthreads();
}

/* Loads a map that has been learnt, and its frequent values if there are any. All threads take part; begins and ends with a barrier. */
template <typename Bits>
__device__ __noinline__ void load_map(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  const MapTable<Bits> &table = sort.map_table;
  __syncthreads();
  if (threadIdx.x == 0)
    storage.map = table.facts->lines;
  load_all<LINE_WORDS, THREADS>(table.line_words, storage.divide.line_words);
  if (table.facts->lines.frequent != 0)
    load_all<FrequentShape<Bits>::SLOTS, THREADS>(table.frequent->slots, storage.divide.counting.slots);
  __syncthreads();
}

/* Whether code is made for each of the forms that a map has, or the same for any. */
enum class MapForm : uint32_t { each, any };

/* Calls `use` with the map that is loaded, of lines of this form. */
template <LineForm LINES, typename Bits, DeviceKind KIND, typename Use>
__device__ __forceinline__ void with_lines(const MappedStorageOf<Bits, KIND> &storage, Use use) {
  if (storage.map.frequent != 0 && storage.map.by_octave != 0)
    use(frequent_map<LINES, LineSpread::octaves>(storage));
  else if (storage.map.frequent != 0)
    use(frequent_map<LINES, LineSpread::distances>(storage));
  else
    use(LineMap<LINES, Bits>{storage.map, storage.divide.line_words});
}

/* Calls `use` with the map that is loaded, whose lines are of a form that the caller knows, or of either. */
template <MapForm FORM, LineForm LINES, typename Bits, DeviceKind KIND, typename Use>
__device__ __forceinline__ void with_loaded_map(const MappedStorageOf<Bits, KIND> &storage, Use use) {
  if constexpr (FORM == MapForm::any)
    use(AnyMap<Bits>{frequent_map(storage)});
  else if (storage.map.frequent == 0 && storage.map.factor != 0)
    use(straight_map(storage.map));
  else if constexpr (LINES != LineForm::either)
    with_lines<LINES>(storage, use);
  else if (storage.map.in_halves != 0)
    with_lines<LineForm::halves>(storage, use);
  else
    with_lines<LineForm::begins>(storage, use);
}

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

/* Tiles are counted in halves: one is counted while the next one comes. */
template <typename Bits>
using CountedTiles = MapTiles<Bits, 1, 2>;
template <typename Bits>
using CountedItems = MapTileItems<Bits, 1, 2>;

/* Counts a key: in its bucket or, if its value is frequent, as one of that. Returns whether it is moved. */
template <typename Bits, typename Map, DeviceKind KIND>
__device__ __forceinline__ bool count_key(Bits key, const Map &map, MapDivide<Bits, KIND> &divide) {
  bool is_kept = true;
  uint32_t counter;
  if constexpr (Map::HAS_FREQUENT) {
    const uint32_t slot = map.slot_of(key);
    is_kept = slot == NO_FREQUENT;
    counter = divide.counting.FREQUENT_COUNTS + slot;
    if (is_kept) // the fewer lanes look lines up, the fewer wait for one another
      counter = map(key);
  } else
    counter = map(key);
  atomicAdd(&divide.counting.counts[counter], 1u);
  return is_kept;
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
    const uint32_t marks = items.mark_of(tile, threadIdx.x);
    tile += blocks;
    if (tile < count)
      next.load(tiles, tile, threadIdx.x);
    if (enters)
      sort.rules.map.enter_all(items.keys, true);
    if constexpr (Map::HAS_FREQUENT) {
      const uint32_t kept = items.each_that([&](Bits key) { return count_key(key, map, storage.divide); });
      if (map.has_frequent() && are_marked(sort))
        sort.map_table.kept[marks] = static_cast<KeptMarks<Bits>>(kept);
    } else
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
  uint32_t *counts = storage.divide.counting.counts;
  const uint32_t buckets = storage.map.buckets;
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += THREADS)
    counts[bucket] = 0;
  if (storage.map.frequent != 0)
    for (uint32_t slot = threadIdx.x; slot < FrequentShape<Bits>::SLOTS; slot += THREADS)
      storage.divide.counting.frequent_counts()[slot] = 0;
  __syncthreads();
  with_loaded_map<FORM, LineForm::either>(storage, [&](const auto &map) { count_tiles(sort, share, shares, map, storage); });
  __syncthreads();
  for (uint32_t bucket = threadIdx.x; bucket < buckets; bucket += THREADS)
    if (counts[bucket] != 0)
      atomicAdd(&sort.map_table.counts[bucket], counts[bucket]);
  if (storage.map.frequent != 0)
    report_frequent(sort, storage);
}

} // namespace cdp::CDP_RUNTIME

#endif
