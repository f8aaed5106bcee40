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
