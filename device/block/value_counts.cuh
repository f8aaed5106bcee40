/* SPDX-License-Identifier: MIT */
/*
 * Keys of 8 and 16 bits, by their values: counted in a block's shared memory, and written, warp by warp, from where each value
 * begins. Counting sort (Harold H. Seward, "Information sorting in the application of electronic digital computers to business
 * operations", 1954), of keys that have nothing but their values to carry.
 *
 * Keys are read and written in vectors of 16 bytes, which begin where addresses are multiples of that: the first may begin before
 * the array, the last may end behind it. A *place* is a key's position counted from the first vector's begin.
 */
#ifndef CDPSORT_DEVICE_BLOCK_VALUE_COUNTS_CUH
#define CDPSORT_DEVICE_BLOCK_VALUE_COUNTS_CUH

#include "block/multiway_shape.cuh"
#include "block/scan.cuh"
#include "key/narrow_map.cuh"

namespace cdp::CDP_RUNTIME {

template <typename Raw>
constexpr uint32_t VALUES = narrow_values(sizeof(Raw));
constexpr uint32_t NARROW_THREADS = narrow_row(DEVICE_KIND).threads;
constexpr uint32_t NARROW_WARPS = NARROW_THREADS / WARP_LANES;
static_assert(NARROW_THREADS >= VALUES<uint8_t> && NARROW_THREADS <= 1024 && NARROW_THREADS % WARP_LANES == 0,
              "a thread adds up each value of 8 bits");

/* Sixteen bytes of keys, whatever their type. */
template <typename Raw>
struct __attribute__((may_alias, aligned(16))) NarrowVector {
  static constexpr uint32_t ITEMS = 16 / sizeof(Raw);
  static constexpr uint32_t WORD_ITEMS = 4 / sizeof(Raw);

  uint32_t words[4];

  __device__ __forceinline__ uint32_t key(uint32_t item) const {
    return words[item / WORD_ITEMS] >> (item % WORD_ITEMS * NarrowMap<Raw>::BITS) & NarrowMap<Raw>::MASK;
  }
  __device__ __forceinline__ void put(uint32_t item, uint32_t key) {
    words[item / WORD_ITEMS] |= key << (item % WORD_ITEMS * NarrowMap<Raw>::BITS);
  }
};

/* An array, as vectors. */
template <typename Raw>
struct NarrowArray {
  using Vector = NarrowVector<Raw>;

  Raw *base;      /* of the first vector */
  uint32_t ahead; /* places before the first key */
  uint64_t end;   /* the place behind the last key */

  __device__ __forceinline__ NarrowArray(Raw *keys, uint64_t count)
      : ahead(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(keys) % sizeof(Vector) / sizeof(Raw))) {
    base = keys - ahead;
    end = ahead + count;
  }
  __device__ __forceinline__ uint64_t vectors() const {
    return (end + Vector::ITEMS - 1) / Vector::ITEMS;
  }
  /* Whether all places of a vector are keys'. */
  __device__ __forceinline__ bool is_whole(uint64_t vector) const {
    return vector * Vector::ITEMS >= ahead && (vector + 1) * Vector::ITEMS <= end;
  }
  __device__ __forceinline__ bool is_key(uint64_t place) const {
    return place >= ahead && place < end;
  }
  /* The vector's keys, with zeros for what is not there: at least one is. */
  __device__ __forceinline__ Vector load(uint64_t vector) const {
    if (is_whole(vector))
      return reinterpret_cast<const Vector *>(base)[vector];
    Vector loaded = {};
#pragma unroll
    for (uint32_t item = 0; item < Vector::ITEMS; item++)
      if (is_key(vector * Vector::ITEMS + item))
        loaded.put(item, base[vector * Vector::ITEMS + item]);
    return loaded;
  }
  /* Writes those keys that are there. */
  __device__ __forceinline__ void store(uint64_t vector, const Vector &keys) const {
    if (is_whole(vector)) {
      reinterpret_cast<Vector *>(base)[vector] = keys;
      return;
    }
#pragma unroll
    for (uint32_t item = 0; item < Vector::ITEMS; item++)
      if (is_key(vector * Vector::ITEMS + item))
        base[vector * Vector::ITEMS + item] = static_cast<Raw>(keys.key(item));
  }
};

/* ---- Count ------------------------------------------------------------------------------------------------------------- */

/*
 * The counters of 8-bit keys: for each value one for each lane.
 *
 * An atomic in shared memory takes a cycle for each lane that wants the same bank. A lane's counters are all in a bank of its own:
 * therefore it takes as long whatever the keys are.
 */
struct ByteCounters {
  uint32_t of_lane[VALUES<uint8_t>][WARP_LANES];

  __device__ __forceinline__ void clear() {
    for (uint32_t index = threadIdx.x; index < VALUES<uint8_t> * WARP_LANES; index += NARROW_THREADS)
      of_lane[index / WARP_LANES][index % WARP_LANES] = 0;
  }
  /* A value for each lane that has one; or a vector for each lane. */
  __device__ __forceinline__ void add(uint32_t value, bool is_present) {
    if (is_present)
      atomicAdd(&of_lane[value][threadIdx.x % WARP_LANES], 1u);
  }
  __device__ __forceinline__ void add_vector(const NarrowVector<uint8_t> &vector) {
#pragma unroll
    for (uint32_t item = 0; item < vector.ITEMS; item++)
      add(vector.key(item), true);
  }
  /* How many keys have a value. Threads of a warp, each with another value, begin in different banks. */
  __device__ __forceinline__ uint64_t sum(uint32_t value) const {
    uint64_t keys = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
      keys += of_lane[value][(lane + threadIdx.x) % WARP_LANES];
    return keys;
  }
};

/*
 * Counters of 16 bits, two to a word, for as many values, from `first_value` on, and what becomes of those that are full.
 *
 *  1. Between two barriers a block adds NARROW_BATCH_ITEMS to a counter for each of its threads at most: 2^15.
 *  2. Who makes a counter reach 2^15 takes that out of it, and adds it to the counter of all blocks, before the next barrier.
 *  Therefore each counter is below 2^15 at each barrier, and below 2^16 between them: none overflows into its neighbour.
 */
constexpr uint32_t HALF_FULL = 1u << 15;
static_assert(NARROW_THREADS * NARROW_BATCH_ITEMS <= HALF_FULL, "a counter overflows");

template <uint32_t COUNTERS>
struct HalfCounters {
  /* A word is left out behind 32, so that threads which go through 32 words each begin in different banks. */
  static constexpr uint32_t WORDS = COUNTERS / 2;
  static constexpr uint32_t PADDED_WORDS = WORDS + WORDS / WARP_LANES;

  uint32_t words[PADDED_WORDS];

  __device__ __forceinline__ void clear() {
    for (uint32_t word = threadIdx.x; word < PADDED_WORDS; word += NARROW_THREADS)
      words[word] = 0;
  }
  __device__ __forceinline__ uint32_t counter(uint32_t index) const {
    return words[place_of(index)] >> (16 * (index % 2)) & 0xFFFF;
  }
  static __device__ __forceinline__ uint32_t place_of(uint32_t index) {
    return index / 2 + index / 2 / WARP_LANES;
  }
};

/* Who counts with them. full: receives what is taken out; NULL: no counter is ever full. */
template <uint32_t COUNTERS>
struct HalfCounting {
  HalfCounters<COUNTERS> &counters;
  uint32_t first_value;
  unsigned long long *full;

  /* A value for each lane that has one. All lanes of the warp take part.
   *
   * Where many have the same, they would wait for one another: one lane adds for all of them, for the first few values. */
  __device__ __forceinline__ void add(uint32_t value, bool is_present) {
    const uint32_t lane = threadIdx.x % WARP_LANES;
    const uint32_t index = value - first_value;
    uint32_t left = __ballot_sync(ALL_LANES, is_present && index < COUNTERS ? 1 : 0);
    for (uint32_t round = 0; round < MAX_SAME_VALUES && left != 0; round++) {
      const uint32_t leader = static_cast<uint32_t>(__ffs(static_cast<int>(left))) - 1;
      const uint32_t same = lanes_with(value, leader) & left;
      if (static_cast<uint32_t>(__popc(same)) < MIN_SAME_LANES)
        break;
      if (lane == leader)
        add_keys(index, static_cast<uint32_t>(__popc(same)));
      left &= ~same;
    }
    if ((left >> lane & 1) != 0)
      add_keys(index, 1);
  }
  /* A vector for each lane, likewise. Whether lanes have the same values is asked of the first keys of two of them: to ask for every
     key takes longer than to count it. */
  __device__ __forceinline__ void add_vector(const NarrowVector<uint16_t> &vector) {
    const uint32_t value = vector.key(0);
    const uint32_t same = max(__popc(lanes_with(value, 0)), __popc(lanes_with(value, WARP_LANES / 2)));
    const bool are_same = same >= MIN_SAME_LANES;
#pragma unroll
    for (uint32_t item = 0; item < vector.ITEMS; item++) {
      const uint32_t index = vector.key(item) - first_value;
      if (are_same)
        add(vector.key(item), true);
      else if (index < COUNTERS)
        add_keys(index, 1);
    }
  }

private:
  static __device__ __forceinline__ uint32_t lanes_with(uint32_t value, uint32_t leader) {
    const uint32_t wanted = __shfl_sync(ALL_LANES, value, static_cast<int>(leader));
    return __ballot_sync(ALL_LANES, value == wanted ? 1 : 0);
  }
  __device__ __forceinline__ void add_keys(uint32_t index, uint32_t keys) {
    uint32_t *word = &counters.words[counters.place_of(index)];
    const uint32_t shift = 16 * (index % 2);
    const uint32_t before = atomicAdd(word, keys << shift) >> shift & 0xFFFF;
    if (full != nullptr && before < HALF_FULL && before + keys >= HALF_FULL) {
      atomicSub(word, HALF_FULL << shift);
      atomicAdd(full + first_value + index, static_cast<unsigned long long>(HALF_FULL));
    }
  }
};

/*
 * Has `counters` count vectors `share`, `share` + `shares`, ... of as many threads of an array. All threads of the block take part; a
 * barrier behind each batch of NARROW_BATCH_VECTORS of each thread.
 *
 * Raw keys are counted, and what their order is, is asked of the counts, which are fewer.
 */
template <typename Raw, typename Counters>
__device__ __forceinline__ void count_narrow_keys(const NarrowArray<Raw> &array, uint32_t share, uint32_t shares,
                                                  Counters &counters) {
  using Vector = NarrowVector<Raw>;
  constexpr uint32_t BATCH = NARROW_BATCH_VECTORS;
  const uint64_t vectors = array.vectors();
  const uint64_t batch_vectors = uint64_t{BATCH} * NARROW_THREADS;
  Vector batch[BATCH];
  Vector next[BATCH];
  const auto load = [&](uint64_t first, Vector(&loaded)[BATCH]) {
#pragma unroll
    for (uint32_t index = 0; index < BATCH; index++) {
      const uint64_t vector = first + index * NARROW_THREADS + threadIdx.x;
      loaded[index] = vector < vectors ? array.load(vector) : Vector{};
    }
  };
  uint64_t first = share * batch_vectors;
  load(first, batch);
  while (first < vectors) {
    const uint64_t next_first = first + shares * batch_vectors;
    load(next_first, next);
#pragma unroll
    for (uint32_t index = 0; index < BATCH; index++) {
      const uint64_t vector = first + index * NARROW_THREADS + threadIdx.x;
      if (__all_sync(ALL_LANES, array.is_whole(vector) ? 1 : 0) != 0)
        counters.add_vector(batch[index]);
      else
#pragma unroll
        for (uint32_t item = 0; item < Vector::ITEMS; item++)
          counters.add(batch[index].key(item), array.is_key(vector * Vector::ITEMS + item));
    }
    __syncthreads();
#pragma unroll
    for (uint32_t index = 0; index < BATCH; index++)
      batch[index] = next[index];
    first = next_first;
  }
}

/* ---- Write ------------------------------------------------------------------------------------------------------------- */

/*
 * The values that have keys, in their order, each with where its keys begin: of `count` of them the last ends at begin(count). How they
 * are stored, `List` says.
 *
 * Others have no part in it: between two values there may be 65,534 without keys, and a warp would go through all of them.
 */

/* Which of a list's values the key at a position in order has. All lanes of the warp take part, and give the same position. */
template <typename List>
__device__ __forceinline__ uint32_t find_value(uint64_t position, const List &list) {
  uint32_t low = 0; // begins at the position or before it; and `high` behind it
  uint32_t high = list.count();
  while (high - low > 1) {
    const uint32_t step = (high - low + WARP_LANES - 1) / WARP_LANES;
    const uint32_t probe = low + step * (threadIdx.x % WARP_LANES + 1);
    const bool is_before = probe < high && list.begin(probe) <= position;
    low += step * static_cast<uint32_t>(__popc(__ballot_sync(ALL_LANES, is_before ? 1 : 0)));
    high = min(low + step, high);
  }
  return low;
}

/* Where a warp is in a list: at a value that begins at the place at hand or before it, and where the next one begins, not before that
   place. */
struct ListedValue {
  uint32_t index;
  uint32_t value;
  uint64_t begin_behind;
};

template <typename List>
__device__ __forceinline__ ListedValue listed_value(uint32_t index, const List &list) {
  return {index, list.value(index), list.begin(index + 1)};
}

/*
 * The keys of one vector for each lane, from `place` on for the first, in their order. All lanes of the warp take part.
 *
 * Where one value has all of them, that is all there is to it. Otherwise each value that begins here marks its first place, in the
 * warp's vectors in shared memory, by how much greater it is than the first; and a key has the last mark before it.
 *
 * at: becomes what it is for the vectors behind these.
 */
template <typename Raw, typename List>
__device__ __forceinline__ NarrowVector<Raw> narrow_keys(uint64_t place, uint32_t ahead, const List &list, ListedValue &at,
                                                         const NarrowMap<Raw> &map, NarrowVector<Raw> *marks) {
  typedef Raw __attribute__((may_alias)) Mark;
  using Vector = NarrowVector<Raw>;
  constexpr uint32_t ITEMS = Vector::ITEMS;
  const uint32_t lane = threadIdx.x % WARP_LANES;
  const uint64_t end = place + ITEMS * WARP_LANES;
  if (at.begin_behind + ahead >= end) {
    const uint32_t key = map.leave(at.value);
    const uint32_t word = Vector::WORD_ITEMS == 4 ? key * 0x01010101u : key * 0x00010001u;
    return {{word, word, word, word}};
  }
  const uint32_t first_value = at.value;
  uint32_t index = at.index;
  marks[lane] = {};
  __syncwarp();
  uint32_t beginning = WARP_LANES;
  while (beginning == WARP_LANES) {
    const uint32_t mine = index + 1 + lane;
    const uint64_t begin = mine < list.count() ? list.begin(mine) + ahead : end;
    if (begin < end)
      reinterpret_cast<Mark *>(marks)[begin - place] = static_cast<Raw>(list.value(mine) - first_value);
    beginning = static_cast<uint32_t>(__popc(__ballot_sync(ALL_LANES, begin < end ? 1 : 0)));
    index += beginning;
  }
  at = listed_value(index, list);
  __syncwarp();
  const Vector marked = marks[lane];
  uint32_t greatest = 0;
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++)
    greatest = max(greatest, marked.key(item));
#pragma unroll
  for (uint32_t distance = 1; distance < WARP_LANES; distance *= 2) {
    const uint32_t below = __shfl_up_sync(ALL_LANES, greatest, distance);
    greatest = max(greatest, lane >= distance ? below : 0);
  }
  const uint32_t lower = __shfl_up_sync(ALL_LANES, greatest, 1);
  uint32_t latest = lane != 0 ? lower : 0;
  Vector keys = {};
#pragma unroll
  for (uint32_t item = 0; item < ITEMS; item++) {
    latest = max(latest, marked.key(item));
    keys.put(item, map.leave(first_value + latest));
  }
  __syncwarp(); // all have read
  return keys;
}

/* Writes an array's keys in order: share `share` of `shares`, which are warps'. All lanes of the warp take part. marks: room for a
   vector for each lane. */
template <typename Raw, typename List>
__device__ __forceinline__ void write_values(const NarrowArray<Raw> &array, const NarrowMap<Raw> &map, uint64_t share,
                                             uint64_t shares, const List &list, NarrowVector<Raw> *marks) {
  const uint64_t rows = (array.vectors() + WARP_LANES - 1) / WARP_LANES;
  const uint64_t first = rows * share / shares;
  const uint64_t end = rows * (share + 1) / shares;
  if (first == end)
    return;
  const uint64_t first_place = first * WARP_LANES * NarrowVector<Raw>::ITEMS;
  ListedValue at = listed_value(find_value(first_place > array.ahead ? first_place - array.ahead : 0, list), list);
  for (uint64_t row = first; row < end; row++) {
    const uint64_t vector = row * WARP_LANES;
    const NarrowVector<Raw> keys = narrow_keys(vector * NarrowVector<Raw>::ITEMS, array.ahead, list, at, map, marks);
    const uint64_t mine = vector + threadIdx.x % WARP_LANES;
    if (mine < array.vectors())
      array.store(mine, keys);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
