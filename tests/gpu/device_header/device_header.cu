/* SPDX-License-Identifier: MIT */
/*
 * cdpsort/device.cuh on the GPU, as a program of somebody else's has it: nothing of the library but its header, nor anything of
 * its tests. Each sort is compared with what std::sort makes of the same items; between guards; values tell from which key they
 * are.
 *
 * Exit code: 0, 1 if a sort was wrong, 77 if there is no GPU.
 */
#include <cdpsort/device.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr int SKIPPED = 77;
constexpr size_t GUARDS = 64;
int failures = 0;

void require(cudaError_t error, const char *doing) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "device_header: %s failed: %s\n", doing, cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
#define REQUIRE(call) require((call), #call)

void report(bool is_right, const char *what, size_t count) {
  if (is_right)
    return;
  fprintf(stderr, "device_header: %s of %zu items went wrong\n", what, count);
  failures++;
}

/* An array on the device, between guards. */
template <typename Item>
class Array {
public:
  explicit Array(const std::vector<Item> &items) : count_(items.size()), before_(all_bytes(), 0x5A) {
    if (count_ != 0)
      memcpy(&before_[GUARDS], items.data(), count_ * sizeof(Item));
    REQUIRE(cudaMalloc(&d_all_, all_bytes()));
    REQUIRE(cudaMemcpy(d_all_, before_.data(), all_bytes(), cudaMemcpyHostToDevice));
  }
  ~Array() {
    cudaFree(d_all_);
  }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  Item *data() {
    return reinterpret_cast<Item *>(d_all_ + GUARDS);
  }
  std::vector<Item> read(const char *what) {
    std::vector<unsigned char> after(all_bytes());
    std::vector<Item> items(count_);
    REQUIRE(cudaDeviceSynchronize());
    REQUIRE(cudaMemcpy(after.data(), d_all_, all_bytes(), cudaMemcpyDeviceToHost));
    if (count_ != 0)
      memcpy(items.data(), &after[GUARDS], count_ * sizeof(Item));
    const bool is_whole = memcmp(after.data(), before_.data(), GUARDS) == 0 &&
                          memcmp(&after[all_bytes() - GUARDS], &before_[all_bytes() - GUARDS], GUARDS) == 0;
    report(is_whole, what, count_);
    return items;
  }

private:
  size_t all_bytes() const {
    return count_ * sizeof(Item) + 2 * GUARDS;
  }
  size_t count_;
  std::vector<unsigned char> before_;
  unsigned char *d_all_ = nullptr;
};

template <typename Key>
std::vector<Key> random_keys(size_t count, uint64_t distinct) {
  static std::mt19937_64 random(2021);
  std::vector<Key> keys(count);
  for (Key &key : keys)
    key = static_cast<Key>(random() % distinct);
  return keys;
}

/* Whether values, which were their keys' indices, are each there once, with keys like the one that it was with. */
template <typename Key>
bool belong(const std::vector<uint32_t> &values, const std::vector<Key> &before, const std::vector<Key> &sorted) {
  std::vector<bool> seen(values.size());
  for (size_t index = 0; index < values.size(); index++) {
    if (values[index] >= seen.size() || seen[values[index]] || before[values[index]] != sorted[index])
      return false;
    seen[values[index]] = true;
  }
  return true;
}

std::vector<uint32_t> indices(size_t count) {
  std::vector<uint32_t> numbers(count);
  for (size_t index = 0; index < count; index++)
    numbers[index] = static_cast<uint32_t>(index);
  return numbers;
}

/* ---- Registers --------------------------------------------------------------------------------------------------------- */

template <typename Key, uint32_t THREADS, uint32_t ITEMS, typename Compare>
__global__ void __launch_bounds__(THREADS) tile_kernel(Key *keys, uint32_t *values, Compare compare) {
  using Sort = cdpsort::BlockSort<Key, THREADS, ITEMS, uint32_t>;
  __shared__ typename Sort::Shared shared;
  Key own[ITEMS];
  uint32_t with[ITEMS];
  const uint32_t first = blockIdx.x * Sort::TILE_ITEMS + threadIdx.x;
  for (uint32_t item = 0; item < ITEMS; item++) {
    own[item] = keys[first + item * THREADS];
    with[item] = values[first + item * THREADS];
  }
  Sort sort(shared);
  sort.sort(own, with, compare);
  sort.to_striped(own, with);
  for (uint32_t item = 0; item < ITEMS; item++) {
    keys[first + item * THREADS] = own[item];
    values[first + item * THREADS] = with[item];
  }
}

/* merges: the keys rise and fall. */
template <typename Key, uint32_t THREADS, uint32_t ITEMS, typename Compare>
__global__ void __launch_bounds__(THREADS) keys_kernel(Key *keys, bool merges, Compare compare) {
  using Sort = cdpsort::BlockSort<Key, THREADS, ITEMS>;
  __shared__ typename Sort::Shared shared;
  Key own[ITEMS];
  Key *const tile = keys + blockIdx.x * Sort::TILE_ITEMS;
  for (uint32_t item = 0; item < ITEMS; item++)
    own[item] = tile[item * THREADS + threadIdx.x];
  Sort sort(shared);
  if (merges)
    sort.merge_striped(own, compare);
  else
    sort.sort(own, compare);
  for (uint32_t item = 0; item < ITEMS; item++)
    tile[threadIdx.x * ITEMS + item] = own[item];
}

template <typename Key, uint32_t THREADS, uint32_t ITEMS, typename Compare>
void check_tiles(uint64_t distinct) {
  constexpr size_t TILE = size_t{THREADS} * ITEMS;
  constexpr size_t TILES = 300;
  const Compare compare = {};
  const std::vector<Key> keys = random_keys<Key>(TILES * TILE, distinct);
  std::vector<Key> wanted = keys;
  std::vector<Key> rising = keys;
  for (size_t tile = 0; tile < TILES; tile++) {
    std::sort(&wanted[tile * TILE], &wanted[tile * TILE] + TILE, compare);
    std::copy(&wanted[tile * TILE], &wanted[tile * TILE] + TILE, &rising[tile * TILE]);
    std::reverse(&rising[tile * TILE] + tile % TILE, &rising[tile * TILE] + TILE);
  }
  Array<Key> sorted(keys);
  Array<Key> merged(rising);
  Array<Key> paired(keys);
  Array<uint32_t> values(indices(keys.size()));
  keys_kernel<Key, THREADS, ITEMS><<<TILES, THREADS>>>(sorted.data(), false, compare);
  REQUIRE(cudaGetLastError());
  keys_kernel<Key, THREADS, ITEMS><<<TILES, THREADS>>>(merged.data(), true, compare);
  REQUIRE(cudaGetLastError());
  tile_kernel<Key, THREADS, ITEMS><<<TILES, THREADS>>>(paired.data(), values.data(), compare);
  REQUIRE(cudaGetLastError());
  report(sorted.read("a tile sort") == wanted, "a tile sort", TILE);
  report(merged.read("a tile merge") == wanted, "a tile merge", TILE);
  report(paired.read("a tile sort of pairs") == wanted, "a tile sort of pairs", TILE);
  report(belong(values.read("values"), keys, wanted), "values", TILE);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

template <typename Key, typename Compare>
__global__ void memory_kernel(Key *keys, uint64_t count, Compare compare) {
  cdpsort::block_sort_keys(keys, count, compare);
}

/* In shared memory. */
__global__ void shared_kernel(double *keys, uint64_t count) {
  extern __shared__ double staged[];
  for (uint64_t index = threadIdx.x; index < count; index += blockDim.x)
    staged[index] = keys[index];
  cdpsort::block_sort_keys(staged, count);
  for (uint64_t index = threadIdx.x; index < count; index += blockDim.x)
    keys[index] = staged[index];
}

/* Keys in shared or global memory, and their values in the latter. */
__global__ void pairs_kernel(double *keys, uint32_t *values, uint64_t count, bool is_staged) {
  extern __shared__ double staged[];
  if (!is_staged) {
    cdpsort::block_sort_pairs(keys, values, count, cdpsort::Greater{});
    return;
  }
  for (uint64_t index = threadIdx.x; index < count; index += blockDim.x)
    staged[index] = keys[index];
  cdpsort::block_sort_pairs(staged, values, count);
  for (uint64_t index = threadIdx.x; index < count; index += blockDim.x)
    keys[index] = staged[index];
}

/* Rows of two columns, by both. */
struct Rows {
  uint32_t *left;
  uint32_t *right;

  __device__ uint64_t operator()(uint64_t row) const {
    return uint64_t{left[row]} << 32 | right[row];
  }
  __device__ void operator()(uint64_t low, uint64_t high) const {
    const uint32_t kept_left = left[low];
    const uint32_t kept_right = right[low];
    left[low] = left[high];
    right[low] = right[high];
    left[high] = kept_left;
    right[high] = kept_right;
  }
};

/* By one block, of a number of threads that is no power of two. */
__global__ void places_kernel(Rows rows, uint64_t count) {
  cdpsort::block_sort_places(count, rows, cdpsort::Less{}, rows);
}

constexpr size_t STAGED_BYTES = 48 * 1024;

void check_pairs(size_t count, bool is_staged) {
  const std::vector<double> keys = random_keys<double>(count, count / 3 + 1);
  std::vector<double> wanted = keys;
  Array<double> sorted(keys);
  Array<uint32_t> values(indices(count));
  pairs_kernel<<<1, 416, is_staged ? count * sizeof(double) : 0>>>(sorted.data(), values.data(), count, is_staged);
  REQUIRE(cudaGetLastError());
  std::sort(wanted.begin(), wanted.end());
  if (!is_staged)
    std::reverse(wanted.begin(), wanted.end());
  report(sorted.read("a block's sort of pairs") == wanted, "a block's sort of pairs", count);
  report(belong(values.read("a block's values"), keys, wanted), "a block's values", count);
}

void check_memory(size_t count) {
  std::vector<double> keys = random_keys<double>(count, 1000003);
  Array<double> global(keys);
  Array<double> staged(keys);
  memory_kernel<<<1, 256>>>(global.data(), count, cdpsort::Greater{});
  REQUIRE(cudaGetLastError());
  const bool fits = count * sizeof(double) <= STAGED_BYTES;
  if (fits) {
    shared_kernel<<<1, 512, count * sizeof(double)>>>(staged.data(), count);
    REQUIRE(cudaGetLastError());
  }
  std::sort(keys.begin(), keys.end());
  if (fits)
    report(staged.read("a sort in shared memory") == keys, "a sort in shared memory", count);
  std::reverse(keys.begin(), keys.end());
  report(global.read("a sort in global memory") == keys, "a sort in global memory", count);
}

/* By a block, or by grids. */
void check_places(size_t count, bool by_block) {
  const std::vector<uint32_t> left = random_keys<uint32_t>(count, 100);
  const std::vector<uint32_t> right = random_keys<uint32_t>(count, 1u << 31);
  std::vector<uint64_t> wanted(count);
  for (size_t row = 0; row < count; row++)
    wanted[row] = uint64_t{left[row]} << 32 | right[row];
  std::sort(wanted.begin(), wanted.end());
  Array<uint32_t> lefts(left);
  Array<uint32_t> rights(right);
  const Rows rows = {lefts.data(), rights.data()};
  if (by_block)
    places_kernel<<<1, 352>>>(rows, count);
  REQUIRE(by_block ? cudaGetLastError() : cdpsort::sort_places(count, rows, cdpsort::Less{}, rows, nullptr));
  const std::vector<uint32_t> left_after = lefts.read("a sort of places");
  const std::vector<uint32_t> right_after = rights.read("a sort of places");
  bool is_right = true;
  for (size_t row = 0; row < count; row++)
    is_right = is_right && wanted[row] == (uint64_t{left_after[row]} << 32 | right_after[row]);
  report(is_right, by_block ? "a block's sort of places" : "a sort of places", count);
}

} // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    fprintf(stderr, "device_header: no GPU\n");
    return SKIPPED;
  }
  check_tiles<uint32_t, 256, 8, cdpsort::Less>(uint64_t{1} << 32);
  check_tiles<uint64_t, 256, 8, cdpsort::Less>(uint64_t{1} << 63);
  check_tiles<uint32_t, 256, 8, cdpsort::Greater>(7);
  check_tiles<float, 128, 16, cdpsort::Less>(10000);
  check_tiles<double, 512, 4, cdpsort::Greater>(uint64_t{1} << 40);
  check_tiles<int16_t, 1024, 2, cdpsort::Less>(65536);
  check_tiles<uint8_t, 32, 32, cdpsort::Less>(256);
  check_tiles<int64_t, 64, 8, cdpsort::Less>(3);
  for (const size_t count : {0, 1, 2, 3, 100, 1023, 1024, 1025, 6000, 20001}) {
    check_memory(count);
    check_pairs(count, false);
    if (count * sizeof(double) <= STAGED_BYTES)
      check_pairs(count, true);
    check_places(count, true);
  }
  for (const size_t count : {0, 1, 2, 2047, 2048, 2049, 4097, 100003, 1 << 20})
    check_places(count, false);
  printf("device_header: %d sorts went wrong\n", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
