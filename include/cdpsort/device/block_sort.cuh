/* SPDX-License-Identifier: MIT */
/**
 * @file block_sort.cuh
 * A block sorts what its threads hold in registers: cdpsort::BlockSort. A part of cdpsort/device.cuh, which see.
 *
 * 1. Each thread sorts its own items, by odd-even merges.
 * 2. Phases within a warp: distances between lanes by shuffles, those within a lane in registers.
 * 3. Phases across warps, in rounds. In each the block's items lie in shared memory; a thread takes those whose numbers differ
 *    in as many bits as it has room for, does these distances in registers, and puts the items back where they were. When what
 *    is left is within a warp and little, threads take their own again and go on as in step 2.
 *
 * A round is one barrier: a thread writes where it has read and nobody else does. Where a round's items and the next one's are the
 * same warp's, the warp alone waits. 256 threads of 8 items: 11 bits, 3 phases across warps, of 3 rounds each, 6 barriers.
 */
#ifndef CDPSORT_DEVICE_CUH_BLOCK_SORT
#define CDPSORT_DEVICE_CUH_BLOCK_SORT

#include <cdpsort/device/comparators.cuh>

namespace cdpsort {

/**
 * Sorts TILE_ITEMS = THREADS * ITEMS keys, or keys with values, that a block's threads hold in registers.
 *
 *     __global__ void sort_rows(float (*rows)[2048]) {                       // a block of 256 threads for each row
 *       __shared__ cdpsort::BlockSort<float, 256, 8>::Shared shared;
 *       float *const row = rows[blockIdx.x];
 *       float keys[8];                                                       // of this thread: any 8 of the row's
 *       for (int item = 0; item < 8; item++)
 *         keys[item] = row[8 * threadIdx.x + item];
 *       cdpsort::BlockSort<float, 256, 8>(shared).sort(keys);                // now those of rank 8 * threadIdx.x and behind
 *       for (int item = 0; item < 8; item++)
 *         row[8 * threadIdx.x + item] = keys[item];
 *     }
 *
 * What holds for every function:
 * - All threads of the block take part, and they are THREADS, in one dimension. Each gives ITEMS items, and all are sorted.
 * - Who has fewer fills up with a key that no key comes behind, and leaves those at the end. Where such a key can be among one's own,
 *   and the two are not the same (there are values, or the comparison looks at a part of a key), thread t takes the items from t *
 *   ITEMS on, so that what fills up lies behind all others: sort() leaves it there. Loaded in any other arrangement it may change
 *   places with keys that are equal to it.
 * - Keys and values are any types that can be copied byte by byte.
 * - Not stable: keys that are equal end in any order, though the same one every time.
 * - Shared belongs to the call, from when the first thread comes until the last has left. Between one use of it and the next there
 *   must be a barrier (__syncthreads()), but not if sort() or to_striped() comes right behind sort() or merge_striped().
 * - Barriers: those for what is in Shared are inside. What threads have written elsewhere is not made visible by a call.
 *
 * @tparam Key      of an item.
 * @tparam THREADS  of the block: 32, 64, ... 1,024.
 * @tparam ITEMS    of a thread: 2, 4, 8, 16 or 32. With 8 a round does three distances, and 2,048 keys fit 256 threads; with 16,
 *                  four.
 * @tparam Value    goes with each key; NoValue: nothing does.
 * @since 0.3.0
 */
template <typename Key, uint32_t THREADS, uint32_t ITEMS, typename Value = NoValue>
class BlockSort {
  static_assert(THREADS >= 32 && THREADS <= 1024 && (THREADS & (THREADS - 1)) == 0,
                "THREADS is a power of two from 32 to 1,024: the network halves the block down to a warp");
  static_assert(ITEMS >= 2 && ITEMS <= 32 && (ITEMS & (ITEMS - 1)) == 0,
                "ITEMS is 2, 4, 8, 16 or 32: the network halves a thread's items down to one");
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>,
                "keys and values move byte by byte, through registers of other lanes and shared memory");

  static constexpr size_t KEYS_BYTES =
      size_t{THREADS} * ITEMS * sizeof(Key); /* a multiple of 64: values lie aligned behind them */
  static constexpr size_t ALIGNMENT = 16;
  static_assert(alignof(Key) <= ALIGNMENT && alignof(Value) <= ALIGNMENT, "shared memory is aligned to 16 bytes");

public:
  static constexpr uint32_t TILE_ITEMS = THREADS * ITEMS;

  /** The shared memory that it needs: TILE_ITEMS keys, and as many values if there are any. Its contents mean nothing. */
  struct Shared {
    alignas(ALIGNMENT) unsigned char bytes[KEYS_BYTES + (network::HAS_VALUE<Value> ? TILE_ITEMS * sizeof(Value) : 0)];
  };

  __device__ __forceinline__ explicit BlockSort(Shared &shared)
      : keys_(reinterpret_cast<Key *>(shared.bytes)), values_(reinterpret_cast<Value *>(shared.bytes + KEYS_BYTES)) {}

  /**
   * Sorts keys: thread t ends with those of rank [t * ITEMS, (t + 1) * ITEMS) (the blocked arrangement), however they lay before.
   *
   * @param keys     of the thread.
   * @param compare  compare(a, b): whether a comes before b. A strict weak order, and the same in every thread; by default
   *                 operator<. Otherwise (operator< of numbers among which there are NaNs) it ends all the same, with all items,
   *                 each once, in some order.
   */
  template <typename Compare = Less>
  __device__ __forceinline__ void sort(Key (&keys)[ITEMS], Compare compare = {}) {
    sort_items(network::Items<Key, NoValue, ITEMS>{keys}, compare);
  }

  /** The same, and each value goes with its key. */
  template <typename Compare = Less>
  __device__ __forceinline__ void sort(Key (&keys)[ITEMS], Value (&values)[ITEMS], Compare compare = {}) {
    static_assert(network::HAS_VALUE<Value>, "name the values' type as the last template parameter");
    sort_items(network::Items<Key, Value, ITEMS>{keys, values}, compare);
  }

  /**
   * The last phase alone: sorts a tile that is bitonic, one that rises and then falls, or any part of a larger network's that is.
   * The items come in the striped arrangement: thread t has those numbered t, t + THREADS, t + 2 * THREADS, ..., as they are read
   * from memory by neighbouring threads; they leave in the blocked one.
   */
  template <typename Compare = Less>
  __device__ __forceinline__ void merge_striped(Key (&keys)[ITEMS], Compare compare = {}) {
    const network::Items<Key, NoValue, ITEMS> items{keys};
    constexpr uint32_t FIRST = TILE_BITS - ITEM_BITS;
    network::merge_in_lane<ITEMS, false>(items, compare);
    if constexpr (FIRST > 0) {
      put<FIRST, false>(items);
      wait<FIRST>();
      rounds<FIRST>(items, compare);
    }
  }

  /** Turns the blocked arrangement into the striped one: for neighbouring threads to write to neighbouring places. */
  __device__ __forceinline__ void to_striped(Key (&keys)[ITEMS]) {
    turn(network::Items<Key, NoValue, ITEMS>{keys});
  }

  /** The same with values. */
  __device__ __forceinline__ void to_striped(Key (&keys)[ITEMS], Value (&values)[ITEMS]) {
    static_assert(network::HAS_VALUE<Value>, "name the values' type as the last template parameter");
    turn(network::Items<Key, Value, ITEMS>{keys, values});
  }

private:
  static constexpr uint32_t ITEM_BITS = network::log2_of(ITEMS);
  static constexpr uint32_t WARP_BITS = ITEM_BITS + 5;
  static constexpr uint32_t TILE_BITS = network::log2_of(TILE_ITEMS);

  /* ---- Places in shared memory ------------------------------------------------------------------------------------------ */

  /*
   * Where an item lies. Lanes of a warp that go through memory in steps of ITEMS, or of several times that, would meet in the same
   * banks. So the lowest bits of a number, which say the bank, are changed by those above them, and by these once more in the
   * place of the bits that a round takes out. Of items of 4 and 8 bytes no two lanes meet then, in any round, but with 32 items
   * of 8 bytes.
   *
   * All of it is exclusive or: the place of a number is that of some of its bits, changed by that of the others. So an item's is
   * its thread's, changed by a constant.
   */
  template <typename Item>
  static __host__ __device__ constexpr uint32_t place(uint32_t number) {
    constexpr uint32_t BANK_BITS = sizeof(Item) >= 16 ? 3 : sizeof(Item) >= 8 ? 4 : 5;
    constexpr uint32_t HIGH_BITS = ITEM_BITS < BANK_BITS ? ITEM_BITS : BANK_BITS;
    const uint32_t high = (number >> BANK_BITS) & ((1u << HIGH_BITS) - 1);
    return number ^ high ^ (HIGH_BITS < BANK_BITS ? high << (BANK_BITS - HIGH_BITS) : 0);
  }

  /* Of a thread's items, which differ in the bits from SHIFT up, the first one's number. */
  template <uint32_t SHIFT>
  static __device__ __forceinline__ uint32_t first_number() {
    return threadIdx.x >> SHIFT << (SHIFT + ITEM_BITS) | (threadIdx.x & ((1u << SHIFT) - 1));
  }

  /* What another one's differs in. FLIP: those of the upper half are the mirror images of those of the lower. */
  template <uint32_t SHIFT, bool FLIP>
  static __host__ __device__ constexpr uint32_t other_number(uint32_t item) {
    return item << SHIFT | (FLIP && item >= ITEMS / 2 ? (1u << SHIFT) - 1 : 0);
  }

  /* Where it is in memory. */
  template <typename Item, uint32_t SHIFT, bool FLIP>
  static __device__ __forceinline__ Item &at(Item *memory, uint32_t item) {
    constexpr uint32_t BYTES = sizeof(Item);
    const uint32_t first = place<Item>(first_number<SHIFT>());
    const uint32_t change = place<Item>(other_number<SHIFT, FLIP>(item));
    if constexpr ((BYTES & (BYTES - 1)) == 0)
      return *reinterpret_cast<Item *>(reinterpret_cast<unsigned char *>(memory) + ((first * BYTES) ^ (change * BYTES)));
    else
      return memory[first ^ change];
  }

  template <uint32_t SHIFT, bool FLIP, typename Own>
  __device__ __forceinline__ void put(const network::Items<Key, Own, ITEMS> &items) {
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      at<Key, SHIFT, FLIP>(keys_, item) = items.keys[item];
      if constexpr (network::HAS_VALUE<Own>)
        at<Own, SHIFT, FLIP>(values_, item) = items.values[item];
    }
  }

  template <uint32_t SHIFT, bool FLIP, typename Own>
  __device__ __forceinline__ void take(const network::Items<Key, Own, ITEMS> &items) {
#pragma unroll
    for (uint32_t item = 0; item < ITEMS; item++) {
      items.keys[item] = at<Key, SHIFT, FLIP>(keys_, item);
      if constexpr (network::HAS_VALUE<Own>)
        items.values[item] = at<Own, SHIFT, FLIP>(values_, item);
    }
  }

  /* Between a round at SHIFT and the next one, which is lower: below 6 each warp has taken items that no other takes. */
  template <uint32_t SHIFT>
  static __device__ __forceinline__ void wait() {
    if constexpr (SHIFT <= 5)
      __syncwarp();
    else
      __syncthreads();
  }

  template <typename Own>
  __device__ __forceinline__ void turn(const network::Items<Key, Own, ITEMS> &items) {
    constexpr uint32_t SHIFT = TILE_BITS - ITEM_BITS;
    put<0, false>(items);
    wait<SHIFT>();
    take<SHIFT, false>(items);
  }

  /* ---- Phases ------------------------------------------------------------------------------------------------------------ */

  /* What is left of a phase: the distances below 2^BITS. The items are in memory, whole; they end blocked, in registers. */
  template <uint32_t BITS, typename Own, typename Compare>
  __device__ __forceinline__ void rounds(const network::Items<Key, Own, ITEMS> &items, Compare compare) {
    // A round takes two accesses an item, a shuffle one for each distance. Fewer than three distances are not worth a round.
    if constexpr (BITS > WARP_BITS || (ITEM_BITS >= 3 && BITS >= 2 * ITEM_BITS)) {
      round<BITS, false>(items, compare);
    } else {
      take<0, false>(items);
#pragma unroll
      for (uint32_t bit = BITS; bit > ITEM_BITS; bit--)
        network::cross_lanes(items, 1u << (bit - 1 - ITEM_BITS), compare);
      network::merge_in_lane<ITEMS, false>(items, compare);
    }
  }

  /* The distances from 2^(BITS - 1) down, as many as a thread's items have room for, and then the others. */
  template <uint32_t BITS, bool FLIP, typename Own, typename Compare>
  __device__ __forceinline__ void round(const network::Items<Key, Own, ITEMS> &items, Compare compare) {
    constexpr uint32_t SHIFT = BITS - ITEM_BITS;
    take<SHIFT, FLIP>(items);
    network::merge_in_lane<ITEMS, FLIP>(items, compare);
    put<SHIFT, FLIP>(items);
    wait<SHIFT>();
    rounds<SHIFT>(items, compare);
  }

  /* The phases that make sorted parts of 2^BITS items, and those of more. */
  template <uint32_t BITS, typename Own, typename Compare>
  __device__ __forceinline__ void phases_from(const network::Items<Key, Own, ITEMS> &items, Compare compare) {
    if constexpr (BITS <= TILE_BITS) {
      if constexpr (BITS <= WARP_BITS) {
        network::flip_lanes(items, 1u << (BITS - ITEM_BITS), compare);
#pragma unroll
        for (uint32_t bit = BITS - 1; bit > ITEM_BITS; bit--)
          network::cross_lanes(items, 1u << (bit - 1 - ITEM_BITS), compare);
        network::merge_in_lane<ITEMS, false>(items, compare);
      } else {
        put<0, false>(items);
        __syncthreads();
        round<BITS, true>(items, compare);
      }
      phases_from<BITS + 1>(items, compare);
    }
  }

  template <typename Own, typename Compare>
  __device__ __forceinline__ void sort_items(const network::Items<Key, Own, ITEMS> &items, Compare compare) {
    network::sort_in_lane<0, ITEMS>(items, compare);
    phases_from<ITEM_BITS + 1>(items, compare);
  }

  Key *keys_;
  Value *values_;
};

} // namespace cdpsort

#endif
