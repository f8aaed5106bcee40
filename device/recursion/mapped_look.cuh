/* SPDX-License-Identifier: MIT */
/*
 * What a sample says about an array that is to be divided by a map: whether it may be in order, whether its keys are spread
 * evenly, whether some values are frequent.
 *
 *     draw_sample()     every block draws a share of the sample, and zeroes a share of the memory that all have in common
 *     look_at_sample()  every block looks at all of it, and finds what all find
 *
 *  1. Drawn keys lie far apart: each takes a line of the cache, and perhaps an address translation of its own. When every block
 *     read all of a sample, and the first one zeroed everything, a look took 52 us; in shares 31 (H200, 2^27 keys of 32 bits).
 *  2. Blocks that run hear of each other within a microsecond (turns.cuh).
 *  3. A look is done once: its code comes from memory, to all multiprocessors at once, at 22 ns for 128 bytes.
 *  Therefore a key is drawn by one block and read by the others from where it was written, in lines; and it is looked at in
 *  loops that are not unrolled.
 *
 * Since the sample stays as it was drawn, a block that begins late finds the same, even if keys have been moved.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_LOOK_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_LOOK_CUH

#include "recursion/mapped.cuh"

#include <cmath>

namespace cdp::CDP_RUNTIME {

/* What a sample says about an array. */
enum class MapVerdict : uint32_t { splitters, even, uneven, ascending, descending };

/* Keys of an array's sample: a power of two. */
template <typename Bits>
__device__ __forceinline__ uint32_t look_samples(uint64_t count) {
  constexpr uint32_t MOST = MapLook<Bits, DEVICE_KIND>::MAX_SAMPLES;
  return count <= MAX_FEW_SAMPLED_ITEMS ? MOST / 2 : MOST;
}

/* Calls use(index, address) for this thread's keys of a share of the sample. */
template <typename Bits, typename Use>
__device__ __forceinline__ void for_each_sample(const Sort<Bits> &sort, uint32_t share, uint32_t shares, Use use) {
  const uint32_t samples = look_samples<Bits>(sort.count);
  const uint64_t hash = sample_hash(sort.rules.seed, whole_range(sort));
  const Bits *source = sort.rules.side(Side::keys);
  const uint32_t each = (samples + shares - 1) / shares;
  const uint32_t end = min((share + 1) * each, samples);
#pragma unroll 1
  for (uint32_t index = share * each + threadIdx.x; index < end; index += MultiwayShape<Bits>::BLOCK_THREADS)
    use(index, source + sample_position(hash, index, samples, sort.count));
}

/*
 * Has what this block will want brought to the L2 cache, and the memory that all blocks share begun: the first block zeroes
 * what they tell each other by. All threads take part; ends with a barrier.
 */
template <typename Bits>
__device__ __forceinline__ void begin_look(const Sort<Bits> &sort, BlockTurn &turn) {
  // While the owner's number is on its way.
  if (threadIdx.x == 0)
    turn.is_first = is_first_block(&sort.control->owner, sort.launch_number) ? 1 : 0;
  for_each_sample(sort, blockIdx.x, gridDim.x, [](uint32_t, const Bits *key) { prefetch(key); });
  CountedTiles<Bits>(sort.rules.side(Side::keys), 0, static_cast<uint32_t>(sort.count))
      .prefetch_tiles(blockIdx.x, gridDim.x, threadIdx.x);
  __syncthreads();
  if (turn.is_first != 0)
    zero_by_block(sort);
  if (threadIdx.x == 0) {
    await_zeros(sort);
    __threadfence();
    turn.share = atomicAdd(&sort.map_table.facts->turns[static_cast<uint32_t>(MapStage::draw)].taken, 1u);
  }
  __syncthreads();
}

/* Draws a share of the sample, and zeroes a share of what the first block has left. All threads take part; no barrier. */
template <typename Bits>
__device__ __forceinline__ void draw_sample(const Sort<Bits> &sort, uint32_t share, uint32_t shares) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  Bits *sample = sort.map_table.sample;
  for_each_sample(sort, share, shares,
                  [&](uint32_t index, const Bits *key) { sample[index] = sort.rules.map.enter(*key, true); });
  zero_common_memory(sort, sort.first_zero_bytes, sort.zero_bytes, share * THREADS + threadIdx.x, shares * THREADS);
}

/* Loads the sample, and finds its extremes. All threads take part; begins and ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ void load_sample(const Sort<Bits> &sort, uint32_t samples, Bits &least, Bits &greatest,
                                            MapLook<Bits, DEVICE_KIND> &look) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  constexpr uint32_t VECTOR = MultiwayShape<Bits>::VECTOR_ITEMS;
  const KeyVector<Bits> *drawn = reinterpret_cast<const KeyVector<Bits> *>(sort.map_table.sample);
  __syncthreads();
  least = GREATEST<Bits>;
  greatest = 0;
  for (uint32_t index = threadIdx.x; index < samples / VECTOR; index += THREADS) {
    const KeyVector<Bits> vector = drawn[index];
    look.sample[index] = vector;
#pragma unroll
    for (uint32_t key = 0; key < VECTOR; key++) {
      least = min(least, vector.keys[key]);
      greatest = max(greatest, vector.keys[key]);
    }
  }
  for (uint32_t pair = threadIdx.x; pair < samples / 2; pair += THREADS)
    look.slots[pair] = 0;
  for (uint32_t group = threadIdx.x; group < SPREAD_GROUPS; group += THREADS)
    look.groups[group] = look.octave_groups[group] = 0;
  if (threadIdx.x == 0) {
    look.frequent = 0;
    look.equal_squares = 0;
    look.squares = 0;
    look.octave_squares = 0;
    look.rises = 0;
    look.falls = 0;
  }
  Team<Bits, 1>().find_extremes(least, greatest, look.extremes);
}

/* Adds up the squares of what groups of samples differ by from so many each. All threads take part; no barrier. */
template <typename Bits>
__device__ __forceinline__ void add_squares(const uint32_t (&groups)[SPREAD_GROUPS], uint32_t each, uint32_t &squares) {
  for (uint32_t group = threadIdx.x; group < SPREAD_GROUPS; group += MultiwayShape<Bits>::BLOCK_THREADS) {
    const int difference = static_cast<int>(groups[group]) - static_cast<int>(each);
    atomicAdd(&squares, static_cast<uint32_t>(difference * difference));
  }
}

/* The counter of a sample among as many as there are samples: as if at random, whatever the keys (MurmurHash3's last step,
   Appleby, 2011). Hashes that spread what lies in steps more evenly than that would hide equal keys. */
template <typename Bits>
__device__ __forceinline__ uint32_t sample_slot(Bits key, uint32_t samples) {
  uint32_t word = static_cast<uint32_t>(key);
  if constexpr (sizeof(Bits) == 8)
    word += static_cast<uint32_t>(key >> 32) * 0x9E3779B9u;
  word = (word ^ word >> 16) * 0x85EBCA6Bu;
  word = (word ^ word >> 13) * 0xC2B2AE35u;
  return word >> (__clz(static_cast<int>(samples)) + 1);
}

/* Whether samples rise, or fall, as their positions do; whether a value is frequent, and how many keys are equal, by counting
   samples whose hashes are alike; and how evenly the offsets are spread. All threads take part; what it finds is theirs to read
   behind the barrier that it ends with. */
template <typename Bits>
__device__ __forceinline__ void judge_sample(uint32_t samples, const KeyLines<Bits> &groups, MapLook<Bits, DEVICE_KIND> &look) {
  constexpr uint32_t THREADS = MultiwayShape<Bits>::BLOCK_THREADS;
  bool rises = false;
  bool falls = false;
#pragma unroll 1
  for (uint32_t index = threadIdx.x; index < samples; index += THREADS) {
    const Bits key = look.key(index);
    const Bits next = look.key(index + 1 < samples ? index + 1 : index);
    rises |= key < next;
    falls |= next < key;
    const uint32_t slot = sample_slot(key, samples);
    atomicAdd(&look.slots[slot / 2], slot % 2 == 0 ? 1u : 1u << 16);
    atomicAdd(&look.groups[__umulhi(offset_of(groups, key), groups.factor)], 1u);
  }
  if (rises)
    look.rises = 1;
  if (falls)
    look.falls = 1;
  __syncthreads();
  uint32_t frequent = 0;
  uint32_t squares = 0;
  for (uint32_t pair = threadIdx.x; pair < samples / 2; pair += THREADS) {
    const uint32_t first = look.slots[pair] & 0xFFFF;
    const uint32_t second = look.slots[pair] >> 16;
    frequent += (first >= FREQUENT_SAMPLES ? first : 0) + (second >= FREQUENT_SAMPLES ? second : 0);
    squares += first * first + second * second;
  }
  squares = warp_sum(squares);
  if (threadIdx.x % WARP_LANES == 0)
    atomicAdd(&look.equal_squares, squares);
  if (frequent != 0)
    atomicAdd(&look.frequent, frequent);
  add_squares<Bits>(look.groups, samples / SPREAD_GROUPS, look.squares);
  __syncthreads();
}

/* Whether octaves spread the offsets more evenly, by far. All threads take part; ends with a barrier. */
template <typename Bits>
__device__ __forceinline__ bool are_octaves_better(uint32_t samples, const KeyLines<Bits> &octaves,
                                                   MapLook<Bits, DEVICE_KIND> &look) {
#pragma unroll 1
  for (uint32_t index = threadIdx.x; index < samples; index += MultiwayShape<Bits>::BLOCK_THREADS)
    atomicAdd(&look.octave_groups[spread_offset(octaves, look.key(index)) / (UINT32_MAX / SPREAD_GROUPS + 1)], 1u);
  __syncthreads();
  add_squares<Bits>(look.octave_groups, samples / SPREAD_GROUPS, look.octave_squares);
  __syncthreads();
  return look.octave_squares < look.squares / MIN_OCTAVE_GAIN;
}

/* How many keys are equal to one, on average, by the sum of the squares of all samples' counters; 0: none, or by chance.
 *
 * n different samples in n counters at random have 2 n for that sum, with a standard deviation of sqrt(2 n). What is above that
 * says how many are equal. What may be chance is subtracted to decide whether any are, not to estimate how many. */
__device__ __forceinline__ float equal_items(uint32_t samples, uint32_t equal_squares, uint64_t count) {
  if (equal_squares <= 2 * samples + samples / 32 + 48) // two standard deviations of 4,096 samples, two and a half of 8,192
    return 0;
  const float share_of_all = static_cast<float>(equal_squares - 2 * samples) / static_cast<float>(samples * samples);
  return share_of_all * static_cast<float>(count);
}

/* The greatest number by which the distances of a warp's samples, and of the greatest key, from the least key can be divided: that
   of all samples, or a multiple. Or, as soon as it is less than `least_step`, any number that is. The same in all warps (Euclid's
   algorithm, of many numbers at once: the least remainder divides next). `width`: between the least and the greatest key. All lanes
   take part. */
template <typename Bits>
__device__ __forceinline__ Bits common_step(uint32_t samples, Bits least, Bits width, Bits least_step,
                                            const MapLook<Bits, DEVICE_KIND> &look) {
  Bits step = width;
  Bits distance = look.key(threadIdx.x % WARP_LANES * (samples / WARP_LANES)) - least;
  while (step >= least_step) {
    const Bits rest = distance % step;
    Bits smallest = rest != 0 ? rest : GREATEST<Bits>;
    Bits unused = 0;
    warp_extremes(smallest, unused);
    if (smallest == GREATEST<Bits>)
      return step;
    distance = rest == smallest ? step : rest;
    step = smallest;
  }
  return step;
}

/*
 * How many buckets a straight map should make, which are a team's, of keys of which `equal` are equal to one, on average.
 *
 * 1. Equal keys are in the same bucket. Where values lie anywhere, buckets of B keys have a standard deviation of sqrt(B c), if
 *    there are c of each value. Of room R, B + 2 sqrt(B c) = R leaves two of those. But where equal keys nearly fill it, two
 *    values have no room in any bucket.
 * 2. Where all distances between values are multiples of a step, as those of small integers are, no bucket has more values than
 *    it is steps wide.
 * Therefore as many as are each so many steps wide as there is room for values, if there may be so many; otherwise
 * B = (sqrt(R + c) - sqrt(c))^2, if c is less than 3 / 4 of R. But one scatter is not made two for that.
 *
 * By floating point, as far as it goes, since 64-bit divisions are functions, whose code comes from memory.
 */
template <typename Bits>
__device__ __forceinline__ uint32_t buckets_of_equal(const Sort<Bits> &sort, float equal, uint32_t samples, Bits least,
                                                     Bits greatest, Bits width, const MapLook<Bits, DEVICE_KIND> &look) {
  constexpr float ROOM = OnChipShape<Bits>::MAX_ITEMS;
  constexpr float FULL = ROOM * FULLEST_BUCKET_SHARE / 16;
  const uint32_t fewest = sort.straight_buckets;
  const float count = static_cast<float>(sort.count);
  const float most = static_cast<float>(sort.map_buckets);
  const float most_steps = fmaxf(FULL / equal * most, 2); // there are two at least
  const Bits least_step = static_cast<Bits>(static_cast<float>(width) / most_steps);
  const Bits step = common_step(samples, least, static_cast<Bits>(greatest - least), least_step, look);
  const float steps = static_cast<float>(width) / static_cast<float>(step) + 1;
  const float values = floorf(fminf(FULL / equal, FULL * steps / count)); // of a bucket: if all are there, the latter is exact
  float wanted = 0;
  if (values >= 1 && steps <= values * most) {
    wanted = steps / values;
  } else if (equal < ROOM * 3 / 4) {
    const float root = sqrtf(ROOM + equal) - sqrtf(equal);
    wanted = count / fmaxf(root * root, ROOM * FREQUENT_BUCKET_SHARE / 16);
  }
  const uint32_t buckets = max(shared_buckets(sort, static_cast<uint32_t>(wanted) + 1), fewest);
  const uint32_t most_straight = static_cast<uint32_t>(min(width, static_cast<Bits>(UINT32_MAX)));
  return min(fewest <= MAX_ONE_SCATTER ? min(buckets, MAX_ONE_SCATTER) : buckets, most_straight);
}

/* Whether positions of all keys are 32-bit numbers, counted from where a line of the cache begins. */
template <typename Bits>
__device__ __forceinline__ bool has_positions(const Sort<Bits> &sort) {
  return sort.count + CountedTiles<Bits>::items_ahead(sort.rules.side(Side::keys)) <= MAX_MAPPED_ITEMS;
}

/*
 * Looks at the sample, when all of it is drawn. sees_order: a sample in order is to be told. `lines`, in every thread: for keys
 * that are spread evenly, straight ones; otherwise to be learnt. All threads of the block take part; begins with a barrier.
 */
template <typename Bits>
__device__ __forceinline__ MapVerdict look_at_sample(const Sort<Bits> &sort, bool sees_order, KeyLines<Bits> &lines,
                                                     MapLook<Bits, DEVICE_KIND> &look) {
  const uint32_t samples = look_samples<Bits>(sort.count);
  Bits least;
  Bits greatest;
  load_sample(sort, samples, least, greatest, look);
  if (!has_positions(sort))
    return MapVerdict::splitters;
  if (least == greatest)
    return sees_order ? MapVerdict::ascending : MapVerdict::splitters;
  const KeyLines<Bits> groups = lines_between(least, greatest, SPREAD_GROUPS);
  judge_sample(samples, groups, look);
  if (sees_order && look.falls == 0)
    return MapVerdict::ascending;
  if (sees_order && look.rises == 0)
    return MapVerdict::descending;
  const bool is_even = look.frequent <= samples / MAX_FREQUENT_SHARE && look.squares <= MAX_SPREAD_SQUARES * samples;
  const float equal = equal_items(samples, look.equal_squares, sort.count);
  const uint32_t buckets =
      equal > 0 ? buckets_of_equal(sort, equal, samples, least, greatest, groups.width, look) : sort.straight_buckets;
  lines = with_buckets(groups, buckets);
  lines.counter_bits = wanted_counter_bits(sort, lines);
  if (is_even && is_straight(lines))
    return MapVerdict::even;
  lines.buckets = wanted_buckets(sort, sort.count, LINES_BUCKET_SHARE);
  const KeyLines<Bits> octaves = octaves_from(least, lines);
  if (!has_many_buckets(lines) && are_octaves_better(samples, octaves, look))
    lines = octaves;
  lines.factor = 0;
  return MapVerdict::uneven;
}

} // namespace cdp::CDP_RUNTIME

#endif
