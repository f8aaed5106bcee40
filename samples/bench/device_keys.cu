/* SPDX-License-Identifier: MIT */
/*
 * Keys made on the device: device_data.cuh says which. The kernels loop over their keys with a grid of modest size, whatever
 * the count.
 */
#include "device_rank.cuh"

namespace device_data {

namespace {

constexpr uint32_t SECTION_BITS = 7; /* staggered and bucket: 128 blocks, 128 sections */
constexpr uint64_t SECTIONS = 1u << SECTION_BITS;

/* All that a key depends on beside its index. */
struct Recipe {
  Distribution distribution;
  Form form;
  Values values;
  uint64_t seed;
  uint64_t count;
  uint64_t step; /* place i of count has rank i / divisor * step: spread over all ranks, rising */
  uint64_t divisor;
  uint64_t section_items; /* of one of the blocks of staggered and bucket */
  uint32_t half_bits;     /* shuffle: 2^(2 * half_bits) >= count */
};

__device__ uint64_t draw(const Recipe &recipe, uint64_t index, uint64_t which) {
  return mix(mix(recipe.seed + which * 0x9E3779B97F4A7C15u) + index * 0xD1B54A32D192ED03u);
}

/* Zero, the denormals and normals at the ends, infinity, NaNs of the least and the greatest payload: of both signs. */
template <typename Bits>
__device__ Bits extreme(uint32_t which) {
  using W = Word<Bits>;
  const Bits magnitudes[8] = {0, 1, W::MANTISSA, W::MANTISSA + 1, W::INFINITE - 1, W::INFINITE, W::INFINITE + 1, W::SIGN - 1};
  return magnitudes[which / 2 % 8] | (which % 2 != 0 ? W::SIGN : Bits{0});
}

/* A permutation of 0 ... count - 1: four rounds of a Feistel network, repeated until the number is one of them. */
__device__ uint64_t shuffled(const Recipe &recipe, uint64_t index) {
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
__device__ uint64_t swapped(const Recipe &recipe, uint64_t index) {
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
__device__ Bits in_section(uint64_t section, Bits random) {
  return static_cast<Bits>(section << (Word<Bits>::WIDTH - SECTION_BITS)) | static_cast<Bits>(random >> SECTION_BITS);
}

/* Ranks whose logarithm is spread evenly: rank r comes with a probability of about 1 / r, in steps of powers of two. */
template <typename Bits>
__device__ Bits zipf_rank(Bits random, uint64_t choice) {
  return static_cast<Bits>((random | Word<Bits>::SIGN) >> (choice % Word<Bits>::WIDTH));
}

/*
 * The killer: an input against the first splitters of the library's default options, from what the library publishes in
 * device/block/splitters.cuh and src/plan.c and nowhere else shared with it. The whole array, a task from 2^23 keys on, takes
 * its splitters from so many keys, whose positions depend on the range and the seed alone: one in each of as many equal slices
 * of the range. For the whole array and seed 0 they can be known beforehand. The least keys are put there, so that one bucket of
 * the first partition is nearly everything. Where the keys are after it, and so which of them the next sample sees, depends on
 * how the blocks were scheduled: no input can foresee that.
 */
constexpr uint64_t KILLER_SEED = 0; /* cdp_options::seed, unless it is set */

/* Keys in the sample: 16 for each of 256 buckets, or of as many as make them no longer than a block should sort, up to 1,024. */
template <typename Bits>
__device__ uint64_t killer_samples(uint64_t count) {
  constexpr uint64_t BUCKET_KEYS = (uint64_t{1} << 20) / sizeof(Bits);
  uint64_t buckets = 256;
  while (buckets < 1024 && count > buckets * BUCKET_KEYS)
    buckets *= 2;
  return 16 * buckets;
}

__device__ uint64_t splitmix64(uint64_t value) {
  return mix(value + 0x9E3779B97F4A7C15u);
}

/* Where sample `slice` of the whole array is. */
__device__ uint64_t sampled_position(uint64_t slice, uint64_t samples, uint64_t count) {
  const uint64_t begin = 0;
  const uint64_t end = count;
  const uint64_t depth = 0;
  const uint64_t hash = splitmix64(KILLER_SEED ^ splitmix64(begin ^ (end << 20)) ^ depth);
  const uint64_t drawn = ((splitmix64(hash + slice) >> 40) * count) >> 24;
  return (slice * count + drawn) / samples;
}

/* The sample taken at `index`, or `samples` where there is none. Position p can only be of a slice that it lies in: of one, or
 * where two meet, or of several if there are fewer keys than slices. */
__device__ uint64_t sample_at(uint64_t index, uint64_t samples, uint64_t count) {
  const uint64_t last = (samples * index + samples - 1) / count;
  for (uint64_t slice = samples * index / count; slice <= last && slice < samples; slice++)
    if (sampled_position(slice, samples, count) == index)
      return slice;
  return samples;
}

template <typename Bits>
__device__ Bits killer_rank(const Recipe &recipe, uint64_t index, Bits random) {
  const uint64_t samples = killer_samples<Bits>(recipe.count);
  const uint64_t sample = sample_at(index, samples, recipe.count);
  if (sample < samples)
    return static_cast<Bits>(sample);
  return random < samples ? static_cast<Bits>(random + samples) : random;
}

/* A rank among those of finite numbers, rising with `rank`, and never that of -0: the numbers that `<` puts into one order.
 * -infinity alone is before them; -0 is the last of the negative ones, which with it are INFINITE. */
template <typename Bits>
__device__ Bits ordinary_rank(Bits rank) {
  constexpr Bits LEAST = 1;
  constexpr Bits FINITE = 2 * Word<Bits>::INFINITE;
  constexpr Bits NEGATIVE_ZERO = Word<Bits>::INFINITE;
  Bits scaled;
  if constexpr (sizeof(Bits) == 4)
    scaled = __umulhi(rank, FINITE);
  else
    scaled = __umul64hi(rank, FINITE);
  const Bits finite = LEAST + scaled;
  return finite == NEGATIVE_ZERO ? NEGATIVE_ZERO + 1 : finite;
}

template <typename Bits>
__device__ Bits rank_at(const Recipe &recipe, uint64_t index) {
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
  case Distribution::extremes: // makes its raw keys itself
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
  }
  return rank;
}

template <typename Bits>
__device__ Bits key_at(const Recipe &recipe, uint64_t index) {
  const uint64_t choice = draw(recipe, index, 1);
  if (recipe.distribution == Distribution::extremes && choice % 4 != 0)
    return extreme<Bits>(static_cast<uint32_t>(choice >> 8) % 16);
  const Bits rank = rank_at<Bits>(recipe, index);
  const bool narrowed = recipe.form == Form::floating && recipe.values == Values::ordinary;
  return raw_of<Bits>(narrowed ? ordinary_rank(rank) : rank, recipe.form);
}

template <typename Bits>
__global__ void generate_kernel(Bits *keys, Recipe recipe) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < recipe.count; index += stride)
    keys[index] = key_at<Bits>(recipe, index);
}

Recipe make_recipe(const KeySpan &keys, Distribution distribution, uint64_t seed, Values values) {
  const uint64_t greatest = key_bytes(keys.type) == 4 ? UINT32_MAX : UINT64_MAX;
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

} // namespace

const char *distribution_name(Distribution distribution) {
  static const char *const names[DISTRIBUTIONS] = {
      "random", "sorted",   "reversed",   "all-equal",     "distinct-16384", "distinct-256", "distinct-2", "staggered",
      "bucket", "gaussian", "organ-pipe", "almost-sorted", "shuffle",        "extremes",     "zipf",       "killer"};
  return names[static_cast<uint32_t>(distribution) % DISTRIBUTIONS];
}

const char *type_name(cdp_type type) {
  static const char *const names[] = {"u32", "i32", "u64", "i64", "f32", "f64"};
  return type >= CDP_U32 && type <= CDP_F64 ? names[type - CDP_U32] : "no type";
}

uint32_t key_bytes(cdp_type type) {
  return type == CDP_U64 || type == CDP_I64 || type == CDP_F64 ? 8 : 4;
}

cudaError_t generate(const KeySpan &keys, Distribution distribution, uint64_t seed, cudaStream_t stream, Values values) {
  const Recipe recipe = make_recipe(keys, distribution, seed, values);
  const uint32_t blocks = blocks_for(keys.count);
  if (key_bytes(keys.type) == 4)
    generate_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(static_cast<uint32_t *>(keys.d_keys), recipe);
  else
    generate_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(static_cast<uint64_t *>(keys.d_keys), recipe);
  return cudaGetLastError();
}

} // namespace device_data
