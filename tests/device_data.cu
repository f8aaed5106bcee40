/* SPDX-License-Identifier: MIT */
/*
 * The kernels behind device_data.cuh. They loop over their keys with a grid of modest size, whatever the count.
 */
#include "device_data.cuh"

#include <type_traits>

namespace device_data {

namespace {

constexpr uint32_t BLOCK_THREADS = 256;
constexpr uint64_t BLOCKS_MOST = 2048;
constexpr uint32_t SECTION_BITS = 7; /* staggered and bucket: 128 blocks, 128 sections */
constexpr uint64_t SECTIONS = 1u << SECTION_BITS;
constexpr unsigned long long HOLD_NS_MOST = 5'000'000'000ull;

enum class Form : uint32_t { unsigned_integer, signed_integer, floating };

Form form_of(cdp_type type) {
  if (type == CDP_F32 || type == CDP_F64)
    return Form::floating;
  return type == CDP_I32 || type == CDP_I64 ? Form::signed_integer : Form::unsigned_integer;
}

/* All that a key depends on beside its index. */
struct Recipe {
  Distribution distribution;
  Form form;
  uint64_t seed;
  uint64_t count;
  uint64_t step; /* place i of count has rank i / divisor * step: spread over all ranks, rising */
  uint64_t divisor;
  uint64_t section_items; /* of one of the blocks of staggered and bucket */
  uint32_t half_bits;     /* shuffle: 2^(2 * half_bits) >= count */
};

/* The finaliser of SplitMix64: a bijection in which every bit of the result depends on every bit of the argument. */
__device__ uint64_t mix(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

__device__ uint64_t draw(const Recipe &recipe, uint64_t index, uint64_t which) {
  return mix(mix(recipe.seed + which * 0x9E3779B97F4A7C15u) + index * 0xD1B54A32D192ED03u);
}

/* Numbers of a key's size. */
template <typename Bits>
struct Word {
  using Signed = std::make_signed_t<Bits>;
  static constexpr uint32_t WIDTH = 8 * sizeof(Bits);
  static constexpr Bits SIGN = Bits{1} << (WIDTH - 1);
  static constexpr Bits GREATEST = static_cast<Bits>(~Bits{0});
  static constexpr uint32_t MANTISSA_WIDTH = sizeof(Bits) == 4 ? 23 : 52;
  static constexpr Bits MANTISSA = (Bits{1} << MANTISSA_WIDTH) - 1;
  static constexpr Bits INFINITE = SIGN - 1 - MANTISSA;
};

/* Floating-point numbers as signed integers of the same order, and back: the negative ones count down from -1. */
template <typename Bits>
__device__ typename Word<Bits>::Signed turn_negative(typename Word<Bits>::Signed value) {
  constexpr typename Word<Bits>::Signed LEAST = static_cast<typename Word<Bits>::Signed>(Word<Bits>::SIGN);
  return value < 0 ? -1 - (value - LEAST) : value;
}

/* A key's place in the order of its type. */
template <typename Bits>
__device__ Bits rank_of(Bits raw, Form form) {
  using Signed = typename Word<Bits>::Signed;
  if (form == Form::unsigned_integer)
    return raw;
  Signed value = static_cast<Signed>(raw);
  if (form == Form::floating)
    value = turn_negative<Bits>(value);
  return static_cast<Bits>(value) + Word<Bits>::SIGN;
}

template <typename Bits>
__device__ Bits raw_of(Bits rank, Form form) {
  using Signed = typename Word<Bits>::Signed;
  if (form == Form::unsigned_integer)
    return rank;
  Signed value = static_cast<Signed>(rank - Word<Bits>::SIGN);
  if (form == Form::floating)
    value = turn_negative<Bits>(value);
  return static_cast<Bits>(value);
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
  }
  return rank;
}

template <typename Bits>
__global__ void generate_kernel(Bits *keys, Recipe recipe) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < recipe.count; index += stride) {
    const uint64_t choice = draw(recipe, index, 1);
    if (recipe.distribution == Distribution::extremes && choice % 4 != 0)
      keys[index] = extreme<Bits>(static_cast<uint32_t>(choice >> 8) % 16);
    else
      keys[index] = raw_of<Bits>(rank_at<Bits>(recipe, index), recipe.form);
  }
}

/* The digest of a part of the keys, one a lane, becomes the warp's and is added to the whole. All lanes take part. */
__device__ void add_digest(Digest part, Digest *digest) {
  for (uint32_t distance = 16; distance != 0; distance /= 2) {
    part.sum += __shfl_xor_sync(~0u, part.sum, distance);
    part.exclusive_or ^= __shfl_xor_sync(~0u, part.exclusive_or, distance);
    part.hash_sum += __shfl_xor_sync(~0u, part.hash_sum, distance);
    part.hash_exclusive_or ^= __shfl_xor_sync(~0u, part.hash_exclusive_or, distance);
  }
  if (threadIdx.x % 32 != 0)
    return;
  atomicAdd(&digest->sum, part.sum);
  atomicXor(&digest->exclusive_or, part.exclusive_or);
  atomicAdd(&digest->hash_sum, part.hash_sum);
  atomicXor(&digest->hash_exclusive_or, part.hash_exclusive_or);
}

template <typename Bits>
__global__ void digest_kernel(const Bits *keys, uint64_t count, Digest *digest) {
  Digest part = {0, 0, 0, 0};
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride) {
    const uint64_t key = keys[index];
    part.sum += key;
    part.exclusive_or ^= key;
    part.hash_sum += mix(key + 0x9E3779B97F4A7C15u);
    part.hash_exclusive_or ^= mix(key ^ 0xA0761D6478BD642Fu);
  }
  add_digest(part, digest);
}

template <typename Bits>
__global__ void order_kernel(const Bits *keys, uint64_t count, Form form, bool descending, Findings *findings) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index + 1 < count; index += stride) {
    const Bits here = rank_of<Bits>(keys[index], form);
    const Bits next = rank_of<Bits>(keys[index + 1], form);
    if (descending ? here >= next : here <= next)
      continue;
    atomicAdd(&findings->disorders, 1ull);
    atomicMin(&findings->first_disorder, static_cast<unsigned long long>(index));
    atomicMin(&findings->first_disordered, findings->judgements);
  }
}

/* Compares both digests and ends a judgement. One thread. */
__global__ void compare_kernel(const Digest *before, const Digest *after, Findings *findings) {
  const bool same = before->sum == after->sum && before->exclusive_or == after->exclusive_or &&
                    before->hash_sum == after->hash_sum && before->hash_exclusive_or == after->hash_exclusive_or;
  if (!same && findings->wrong_digests++ == 0)
    findings->first_wrong_digest = findings->judgements;
  findings->judgements++;
}

__device__ unsigned char pattern_at(size_t index) {
  return static_cast<unsigned char>(0xA5u + 29u * static_cast<uint32_t>(index));
}

__global__ void guard_fill_kernel(unsigned char *guard, size_t bytes) {
  for (size_t index = threadIdx.x; index < bytes; index += blockDim.x)
    guard[index] = pattern_at(index);
}

__global__ void guard_check_kernel(const unsigned char *guard, size_t bytes, Findings *findings) {
  for (size_t index = threadIdx.x; index < bytes; index += blockDim.x)
    if (guard[index] != pattern_at(index)) {
      atomicAdd(&findings->damaged_guard_bytes, 1ull);
      atomicMin(&findings->first_damaged_guards, findings->judgements - 1);
    }
}

__global__ void hold_kernel(volatile uint32_t *flag) {
  unsigned long long begin;
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    __nanosleep(1000);
  } while (flag[0] == 0 && now - begin < HOLD_NS_MOST);
  if (flag[0] == 0)
    flag[1] = 1;
}

uint32_t blocks_for(uint64_t count) {
  const uint64_t blocks = (count + BLOCK_THREADS - 1) / BLOCK_THREADS;
  return static_cast<uint32_t>(blocks < 1 ? 1 : blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST);
}

Recipe make_recipe(const KeySpan &keys, Distribution distribution, uint64_t seed) {
  const uint64_t greatest = key_bytes(keys.type) == 4 ? UINT32_MAX : UINT64_MAX;
  Recipe recipe = {distribution, form_of(keys.type), seed, keys.count, 1, 1, (keys.count + SECTIONS - 1) / SECTIONS, 1};
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
  static const char *const names[DISTRIBUTIONS] = {"random",       "sorted",        "reversed",  "all equal", "16384 distinct",
                                                   "256 distinct", "2 distinct",    "staggered", "bucket",    "gaussian",
                                                   "organ pipe",   "almost sorted", "shuffle",   "extremes"};
  return names[static_cast<uint32_t>(distribution) % DISTRIBUTIONS];
}

const char *type_name(cdp_type type) {
  static const char *const names[] = {"u32", "i32", "u64", "i64", "f32", "f64"};
  return type >= CDP_U32 && type <= CDP_F64 ? names[type - CDP_U32] : "no type";
}

uint32_t key_bytes(cdp_type type) {
  return type == CDP_U64 || type == CDP_I64 || type == CDP_F64 ? 8 : 4;
}

cudaError_t generate(const KeySpan &keys, Distribution distribution, uint64_t seed, cudaStream_t stream) {
  const Recipe recipe = make_recipe(keys, distribution, seed);
  const uint32_t blocks = blocks_for(keys.count);
  if (key_bytes(keys.type) == 4)
    generate_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(static_cast<uint32_t *>(keys.d_keys), recipe);
  else
    generate_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(static_cast<uint64_t *>(keys.d_keys), recipe);
  return cudaGetLastError();
}

/* One allocation holds all three; its beginning is d_before. */
cudaError_t oracle_create(Oracle *oracle) {
  struct Records {
    Digest before;
    Digest after;
    Findings findings;
  };
  Records *d_records = nullptr;
  const cudaError_t error = cudaMalloc(reinterpret_cast<void **>(&d_records), sizeof(Records));
  if (error != cudaSuccess)
    return error;
  *oracle = {&d_records->before, &d_records->after, &d_records->findings};
  const Records records = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, NONE, NONE, 0, NONE, 0, NONE}};
  const cudaError_t copied = cudaMemcpy(d_records, &records, sizeof records, cudaMemcpyHostToDevice);
  return copied != cudaSuccess ? copied : cudaDeviceSynchronize(); // a copy may return before it arrives on the device
}

static cudaError_t take_digest(const KeySpan &keys, Digest *d_digest, cudaStream_t stream) {
  const cudaError_t error = cudaMemsetAsync(d_digest, 0, sizeof *d_digest, stream);
  if (error != cudaSuccess)
    return error;
  const uint32_t blocks = blocks_for(keys.count);
  if (key_bytes(keys.type) == 4)
    digest_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(static_cast<const uint32_t *>(keys.d_keys), keys.count, d_digest);
  else
    digest_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(static_cast<const uint64_t *>(keys.d_keys), keys.count, d_digest);
  return cudaGetLastError();
}

cudaError_t oracle_note(const Oracle &oracle, const KeySpan &keys, cudaStream_t stream) {
  return take_digest(keys, oracle.d_before, stream);
}

cudaError_t oracle_judge(const Oracle &oracle, const KeySpan &keys, cdp_order order, cudaStream_t stream) {
  cudaError_t error = take_digest(keys, oracle.d_after, stream);
  if (error != cudaSuccess)
    return error;
  const uint32_t blocks = blocks_for(keys.count);
  const Form form = form_of(keys.type);
  const bool descending = order == CDP_DESCENDING;
  if (key_bytes(keys.type) == 4)
    order_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(static_cast<const uint32_t *>(keys.d_keys), keys.count, form, descending,
                                                       oracle.d_findings);
  else
    order_kernel<<<blocks, BLOCK_THREADS, 0, stream>>>(static_cast<const uint64_t *>(keys.d_keys), keys.count, form, descending,
                                                       oracle.d_findings);
  error = cudaGetLastError();
  if (error != cudaSuccess)
    return error;
  compare_kernel<<<1, 1, 0, stream>>>(oracle.d_before, oracle.d_after, oracle.d_findings);
  return cudaGetLastError();
}

cudaError_t oracle_read(const Oracle &oracle, Findings *findings, cudaStream_t stream) {
  const cudaError_t error = cudaMemcpyAsync(findings, oracle.d_findings, sizeof *findings, cudaMemcpyDeviceToHost, stream);
  return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}

cudaError_t guard_fill(void *d_guard, size_t bytes, cudaStream_t stream) {
  guard_fill_kernel<<<1, BLOCK_THREADS, 0, stream>>>(static_cast<unsigned char *>(d_guard), bytes);
  return cudaGetLastError();
}

cudaError_t guard_check(const Oracle &oracle, const void *d_guard, size_t bytes, cudaStream_t stream) {
  guard_check_kernel<<<1, BLOCK_THREADS, 0, stream>>>(static_cast<const unsigned char *>(d_guard), bytes, oracle.d_findings);
  return cudaGetLastError();
}

cudaError_t hold_stream(uint32_t *flag, cudaStream_t stream) {
  hold_kernel<<<1, 1, 0, stream>>>(flag);
  return cudaGetLastError();
}

} // namespace device_data
