/* SPDX-License-Identifier: MIT */
/*
 * Keys made on the device: device_data.cuh says which. The kernels loop over their keys with a grid of modest size, whatever
 * the count.
 */
#include "key_recipe.cuh"

namespace device_data {

namespace {

template <typename Bits>
__global__ void generate_kernel(Bits *keys, Recipe recipe) {
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t index = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < recipe.count; index += stride)
    keys[index] = key_at<Bits>(recipe, index);
}

} // namespace

const char *distribution_name(Distribution distribution) {
  static const char *const names[DISTRIBUTIONS] = {
      "random",     "sorted", "reversed",    "all-equal",     "distinct-16384", "distinct-256", "distinct-2",
      "staggered",  "bucket", "gaussian",    "organ-pipe",    "almost-sorted",  "shuffle",      "extremes",
      "zipf",       "killer", "exponential", "mixed",         "shared-upper",   "shared-lower", "words",
      "timestamps", "k-mers", "unit",        "clusters",      "wide-clusters",  "neighbours",   "sparse-bits",
      "letters",    "digits", "log-normal",  "normal-floats", "outlier",        "runs",         "small-numbers"};
  return names[static_cast<uint32_t>(distribution) % DISTRIBUTIONS];
}

const char *type_name(cdp_type type) {
  static const char *const names[] = {"u32", "i32", "u64", "i64", "f32", "f64", "u8", "i8", "u16", "i16", "f16", "bf16"};
  return type >= CDP_U32 && type <= CDP_BF16 ? names[type - CDP_U32] : "no type";
}

uint32_t key_bytes(cdp_type type) {
  switch (type) {
  case CDP_U8:
  case CDP_I8:
    return 1;
  case CDP_U16:
  case CDP_I16:
  case CDP_F16:
  case CDP_BF16:
    return 2;
  case CDP_U64:
  case CDP_I64:
  case CDP_F64:
    return 8;
  default:
    return 4;
  }
}

cudaError_t generate(const KeySpan &keys, Distribution distribution, uint64_t seed, cudaStream_t stream, Values values) {
  const Recipe recipe = make_recipe(keys, distribution, seed, values);
  with_bits(keys, [&](auto *d_keys) { generate_kernel<<<blocks_for(keys.count), BLOCK_THREADS, 0, stream>>>(d_keys, recipe); });
  return cudaGetLastError();
}

} // namespace device_data
