/* SPDX-License-Identifier: MIT */
/*
 * What a key is, from its index: the distributions of device_data.cuh, for the device, which makes keys, and for the host, where
 * their tests look at them.
 *
 * A distribution is one of ranks: places in the order of a type's keys.
 */
#ifndef CDPSORT_SAMPLES_BENCH_KEY_RECIPE_CUH
#define CDPSORT_SAMPLES_BENCH_KEY_RECIPE_CUH

#include "key_models.cuh"

namespace device_data {

/* Zero, the denormals and normals at the ends, infinity, NaNs of the least and the greatest payload: of both signs. Narrowed, the
   five that are finite, but for -0. */
template <typename Bits>
DEVICE_DATA_BOTH Bits extreme(uint32_t which, bool narrowed, const Layout<Bits> &layout = {}) {
  const Bits infinite = layout.infinite;
  const Bits mantissa = layout.sign - 1 - infinite;
  const Bits magnitudes[8] = {0, 1, mantissa, mantissa + 1, infinite - 1, infinite, infinite + 1, layout.sign - 1};
  const Bits magnitude = magnitudes[which / 2 % (narrowed ? 5 : 8)];
  const bool negative = which % 2 != 0 && !(narrowed && magnitude == 0);
  return magnitude | (negative ? layout.sign : Bits{0});
}

/* A permutation of 0 ... count - 1: four rounds of a Feistel network, repeated until the number is one of them. */
DEVICE_DATA_BOTH inline uint64_t shuffled(const Recipe &recipe, uint64_t index) {
  const uint64_t mask = (uint64_t{1} << recipe.half_bits) - 1;
  do {
    uint64_t left = index >> recipe.half_bits;
    uint64_t right = index & mask;
    for (uint64_t round = 0; round < 4; round++) {
      const uint64_t next = left ^ (draw(recipe, right, round) & mask);
      left = right;
      right = next;
    }
    index = left << recipe.half_bits | right;
  } while (index >= recipe.count);
  return index;
}

/* Where the key at `index` came from, after three swaps. */
DEVICE_DATA_BOTH inline uint64_t swapped(const Recipe &recipe, uint64_t index) {
  for (uint64_t swap = 0; swap < 3; swap++) {
    const uint64_t one = draw(recipe, swap, 0) % recipe.count;
    const uint64_t other = draw(recipe, swap, 1) % recipe.count;
    if (index == one)
      index = other;
    else if (index == other)
      index = one;
  }
  return index;
}

/* A rank in a section, of SECTIONS that divide all ranks evenly. */
template <typename Bits>
DEVICE_DATA_BOTH Bits in_section(uint64_t section, Bits random) {
  return static_cast<Bits>(section << (Word<Bits>::WIDTH - SECTION_BITS)) | static_cast<Bits>(random >> SECTION_BITS);
}

/* Ranks whose logarithm is spread evenly: rank r comes with a probability of about 1 / r, in steps of powers of two. */
template <typename Bits>
DEVICE_DATA_BOTH Bits zipf_rank(Bits random, uint64_t choice) {
  return static_cast<Bits>((random | Word<Bits>::SIGN) >> (choice % Word<Bits>::WIDTH));
}

/*
 * The killer: an input against the first splitters of the library's default options, from what the library publishes in
 * device/block/splitters.cuh and device/plan.cpp and nowhere else shared with it. The whole array, a task from 2^23 keys on, takes
 * its splitters from so many keys, whose positions depend on the range and the seed alone: one in each of as many equal slices
 * of the range. For the whole array and seed 0 they can be known beforehand. The least keys are put there, so that one bucket of
 * the first partition is nearly everything. Where the keys are after it, and so which of them the next sample sees, depends on
 * how the blocks were scheduled: no input can foresee that.
 */
constexpr uint64_t KILLER_SEED = 0; /* cdp_options::seed, unless it is set */

/* Keys in the sample: 16 for each of 256 buckets, or of as many as make them no longer than a block should sort, up to 1,024. */
template <typename Bits>
DEVICE_DATA_BOTH uint64_t killer_samples(uint64_t count) {
  constexpr uint64_t BUCKET_KEYS = (uint64_t{1} << 20) / sizeof(Bits);
  uint64_t buckets = 256;
  while (buckets < 1024 && count > buckets * BUCKET_KEYS)
    buckets *= 2;
  return 16 * buckets;
}

DEVICE_DATA_BOTH inline uint64_t splitmix64(uint64_t value) {
  return mix(value + 0x9E3779B97F4A7C15u);
}

/* Where sample `slice` of the whole array is. */
DEVICE_DATA_BOTH inline uint64_t sampled_position(uint64_t slice, uint64_t samples, uint64_t count) {
  const uint64_t begin = 0;
  const uint64_t end = count;
  const uint64_t depth = 0;
  const uint64_t hash = splitmix64(KILLER_SEED ^ splitmix64(begin ^ (end << 20)) ^ depth);
  const uint64_t drawn = ((splitmix64(hash + slice) >> 40) * count) >> 24;
  return (slice * count + drawn) / samples;
}

/* The sample taken at `index`, or `samples` where there is none. Position p can only be of a slice that it lies in: of one, or
 * where two meet, or of several if there are fewer keys than slices. */
DEVICE_DATA_BOTH inline uint64_t sample_at(uint64_t index, uint64_t samples, uint64_t count) {
  const uint64_t last = (samples * index + samples - 1) / count;
  for (uint64_t slice = samples * index / count; slice <= last && slice < samples; slice++)
    if (sampled_position(slice, samples, count) == index)
      return slice;
  return samples;
}

template <typename Bits>
DEVICE_DATA_BOTH Bits killer_rank(const Recipe &recipe, uint64_t index, Bits random) {
  const uint64_t samples = killer_samples<Bits>(recipe.count);
  const uint64_t sample = sample_at(index, samples, recipe.count);
  if (sample < samples)
    return static_cast<Bits>(sample);
  return random < samples ? static_cast<Bits>(random + samples) : random;
}

/* The upper half of a product. */
DEVICE_DATA_BOTH inline uint32_t high_product(uint32_t one, uint32_t other) {
  return static_cast<uint32_t>((uint64_t{one} * other) >> 32);
}

DEVICE_DATA_BOTH inline uint64_t high_product(uint64_t one, uint64_t other) {
  const uint64_t middle = (one & UINT32_MAX) * (other >> 32) + (((one & UINT32_MAX) * (other & UINT32_MAX)) >> 32);
  const uint64_t crossed = (one >> 32) * (other & UINT32_MAX) + (middle & UINT32_MAX);
  return (one >> 32) * (other >> 32) + (middle >> 32) + (crossed >> 32);
}

/* A rank among those of finite numbers, rising with `rank`, and never that of -0: the numbers that `<` puts into one order.
 * -infinity alone is before them; -0 is the last of the negative ones, which with it are INFINITE. */
template <typename Bits>
DEVICE_DATA_BOTH Bits ordinary_rank(Bits rank, const Layout<Bits> &layout = {}) {
  constexpr Bits LEAST = 1;
  const Bits negative_zero = layout.infinite;
  const Bits finite = LEAST + high_product(rank, 2 * layout.infinite);
  return finite == negative_zero ? negative_zero + 1 : finite;
}

template <typename Bits>
DEVICE_DATA_BOTH Bits rank_at(const Recipe &recipe, uint64_t index) {
  constexpr uint32_t SURPLUS = 64 - Word<Bits>::WIDTH;
  const auto placed = [&recipe](uint64_t place) { return static_cast<Bits>(place / recipe.divisor * recipe.step); };
  const auto one_of = [](uint64_t random, Bits kinds) {
    return static_cast<Bits>(static_cast<Bits>(random % kinds) * (Word<Bits>::GREATEST / kinds));
  };
  const uint64_t random = draw(recipe, index, 0);
  const Bits rank = static_cast<Bits>(random >> SURPLUS);
  const uint64_t block = index / recipe.section_items;
  switch (recipe.distribution) {
  case Distribution::random:
  case Distribution::extremes: // these two make their raw keys themselves
  case Distribution::unit:
    return rank;
  case Distribution::sorted:
    return placed(index);
  case Distribution::reversed:
    return placed(recipe.count - 1 - index);
  case Distribution::all_equal:
    return static_cast<Bits>(draw(recipe, 0, 0) >> SURPLUS);
  case Distribution::distinct_16384:
    return one_of(random, 16384);
  case Distribution::distinct_256:
    return one_of(random, 256);
  case Distribution::distinct_2:
    return one_of(random, 2);
  case Distribution::staggered:
    return in_section<Bits>(block < SECTIONS / 2 ? 2 * block + 1 : 2 * block - SECTIONS, rank);
  case Distribution::bucket:
    return in_section<Bits>(index % recipe.section_items * SECTIONS / recipe.section_items, rank);
  case Distribution::gaussian: {
    Bits sum = rank / 4;
    for (uint64_t which = 1; which < 4; which++)
      sum += static_cast<Bits>(draw(recipe, index, which) >> SURPLUS) / 4;
    return sum;
  }
  case Distribution::organ_pipe:
    return placed(index < recipe.count / 2 ? 2 * index : 2 * (recipe.count - 1 - index));
  case Distribution::almost_sorted:
    return placed(swapped(recipe, index));
  case Distribution::shuffle:
    return placed(shuffled(recipe, index));
  case Distribution::zipf:
    return zipf_rank(rank, draw(recipe, index, 1));
  case Distribution::killer:
    return killer_rank(recipe, index, rank);
  case Distribution::exponential:
    return exponential_rank<Bits>(random);
  case Distribution::mixed:
    return mixed_rank(recipe, index, rank);
  case Distribution::shared_upper:
    return with_shared_bits(recipe, rank, LOWER_HALF<Bits>);
  case Distribution::shared_lower:
    return with_shared_bits(recipe, rank, static_cast<Bits>(~LOWER_HALF<Bits>));
  case Distribution::words:
    return word_rank<Bits>(recipe, random);
  case Distribution::timestamps:
    return timestamp_rank<Bits>(index, random);
  case Distribution::k_mers:
    return k_mer_rank<Bits>(recipe, index);
  case Distribution::clusters:
    return cluster_rank<Bits>(recipe, random % CLUSTERS, CLUSTER_RANKS, index);
  case Distribution::wide_clusters:
    return cluster_rank<Bits>(recipe, by_frequency(random, WIDE_CLUSTER_BITS), WIDE_CLUSTER_RANKS, index);
  case Distribution::neighbours:
    return cluster_rank<Bits>(recipe, random % NEIGHBOURHOODS, 2, index);
  case Distribution::sparse_bits:
    return sparse_rank<Bits>(recipe, index);
  case Distribution::letters:
    return string_rank<Bits>(random, 'a', 26);
  case Distribution::digits:
    return string_rank<Bits>(random, '0', 10);
  case Distribution::log_normal:
    return log_normal_rank<Bits>(normal_number(recipe, index));
  case Distribution::normal_floats:
    return rank_of_floating(bits_of<Bits>(normal_number(recipe, index)));
  case Distribution::outlier:
    return outlier_rank<Bits>(recipe, index, random);
  case Distribution::runs:
    return run_rank<Bits>(index, random);
  case Distribution::small_numbers:
    return small_number<Bits>(random);
  }
  return rank;
}

/* A key of 8 or 16 bits: at the rank that has the upper bits of a 32-bit one's. */
template <typename Bits>
DEVICE_DATA_BOTH Bits narrow_key_at(const Recipe &recipe, uint64_t index) {
  constexpr uint32_t BYTE_EXPONENT = 0x78; // bytes that are no numbers of floating point have extremes all the same
  const bool is_floating = recipe.form == Form::floating || recipe.form == Form::brain_floating;
  const bool narrowed = is_floating && recipe.values == Values::ordinary;
  const Layout<uint32_t> layout =
      sizeof(Bits) == 1 ? Layout<uint32_t>{NARROW_SIGN<Bits>, BYTE_EXPONENT} : half_layout(recipe.form);
  const uint64_t choice = draw(recipe, index, 1);
  if (recipe.distribution == Distribution::extremes && choice % 4 != 0)
    return static_cast<Bits>(extreme(static_cast<uint32_t>(choice >> 8) % 16, narrowed, layout));
  const uint32_t rank = rank_at<uint32_t>(recipe, index);
  return raw_of<Bits>(static_cast<Bits>(narrowed ? ordinary_rank(rank, layout) : rank >> (32 - 8 * sizeof(Bits))), recipe.form);
}

template <typename Bits>
DEVICE_DATA_BOTH Bits wide_key_at(const Recipe &recipe, uint64_t index) {
  const uint64_t choice = draw(recipe, index, 1);
  const bool narrowed = recipe.form == Form::floating && recipe.values == Values::ordinary;
  if (recipe.distribution == Distribution::extremes && choice % 4 != 0)
    return extreme<Bits>(static_cast<uint32_t>(choice >> 8) % 16, narrowed);
  if (recipe.distribution == Distribution::unit && recipe.form == Form::floating)
    return unit_number<Bits>(draw(recipe, index, 0));
  if (recipe.distribution == Distribution::normal_floats && recipe.form == Form::floating)
    return bits_of<Bits>(normal_number(recipe, index)); // all of them ordinary
  const Bits rank = rank_at<Bits>(recipe, index);
  return raw_of<Bits>(narrowed ? ordinary_rank(rank) : rank, recipe.form);
}

template <typename Bits>
DEVICE_DATA_BOTH Bits key_at(const Recipe &recipe, uint64_t index) {
  if constexpr (sizeof(Bits) < 4)
    return narrow_key_at<Bits>(recipe, index);
  else
    return wide_key_at<Bits>(recipe, index);
}

inline Recipe make_recipe(const KeySpan &keys, Distribution distribution, uint64_t seed, Values values) {
  const uint64_t greatest = key_bytes(keys.type) == 8 ? UINT64_MAX : UINT32_MAX; // narrow keys have the ranks of 32-bit ones
  Recipe recipe = {distribution, form_of(keys.type), values, seed, keys.count, 1, 1, 1, 1};
  recipe.section_items = (keys.count + SECTIONS - 1) / SECTIONS;
  if (keys.count != 0 && keys.count <= greatest)
    recipe.step = greatest / keys.count;
  else
    recipe.divisor = keys.count / greatest + 1;
  while ((uint64_t{1} << (2 * recipe.half_bits)) < keys.count)
    recipe.half_bits++;
  return recipe;
}

} // namespace device_data

#endif
