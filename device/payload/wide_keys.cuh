/* SPDX-License-Identifier: MIT */
/*
 * Keys of 8 bytes, which leave no room for a position in an item of 8.
 *
 *     window ──▶ items ──▶ sort ──▶ gather keys ──▶ mend ──▶ lower halves ──▶ sort ──▶ upper halves ──▶ sort ──▶ settle
 *     least and   the window's bits   by position     short runs   from here on only if a run is long
 *     greatest    and the position
 *
 * Arrays that are regrouped (regroup.cuh) have their items from there, and the kernel that mends gathers the keys itself.
 *
 * 1. An item has 64 bits, and a position takes up to 32 of them. So many upper bits of the distance from the least key as remain, the
 *    window, are in the item. Where the distances have no more bits, the sort of the items is that of the keys.
 * 2. Otherwise keys that agree in the window, a run, come in the order of the input. Of 2^26 random keys a window has 38 bits, and
 *    one key in 2^12 has such a neighbour. Runs of at most MOST_RUN_KEYS are put in order where they lie: each key counts how
 *    many come before it.
 * 3. A longer run of keys that are all equal is in order as it is. Other long runs, as of a few keys far from all others, leave
 *    it to two sorts more, the last of which is by the upper halves and keeps what the one before has made of the lower ones.
 * 4. The host does not know which it will be, and must not wait. Therefore it launches all of it: where no long run was found the
 *    kernels between the sorts do nothing, the items stay in order, and the second and the third sort end as they begin, or as
 *    soon as they have seen the order (cdp_plan::d_wanted).
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_WIDE_KEYS_CUH
#define CDPSORT_DEVICE_PAYLOAD_WIDE_KEYS_CUH

#include "payload/window.cuh"

namespace cdp::CDP_RUNTIME {

/* All that the kernels here are given. */
struct WideSort {
  const uint64_t *keys; /* the caller's */
  uint64_t count;
  Entry<uint64_t> entry;
  uint32_t low_bits;
  KeyExtremes *extremes;
  uint64_t *items;
  const uint64_t *regrouped; /* where items' positions tell keys; NULL: they are in `gathered`, in the items' order */
  uint64_t *gathered;        /* behind the other two sorts keys in the final order */
  uint64_t *sorted_keys;     /* may be `keys` */
  uint32_t *origins;         /* where the sorted keys were */
  uint32_t *lower_order;     /* which of the sorted keys comes i-th by its lower half */

  __device__ __forceinline__ uint64_t low_mask() const {
    return (uint64_t{1} << low_bits) - 1;
  }
  /* The key of an item. */
  __device__ __forceinline__ uint64_t key(uint64_t index) const {
    return regrouped != nullptr ? regrouped[items[index] & low_mask()] : gathered[index];
  }
};

/* ---- The window -------------------------------------------------------------------------------------------------------- */

// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(PAYLOAD_THREADS) pack_window_kernel(const __grid_constant__ WideSort sort) {
  const Window window(*sort.extremes, sort.low_bits);
  for_each_item(sort.count, [&](uint64_t index) {
    sort.items[index] = window(sort.entry.enter(sort.keys[index])) << sort.low_bits | index;
  });
}

/* ---- Runs -------------------------------------------------------------------------------------------------------------- */

/* The keys around an item that agree with it in the window. All of them agree about whether they are too many. */
struct AgreeingKeys {
  uint64_t begin;
  uint64_t end;
  bool is_long; /* more than MOST_RUN_KEYS: then begin and end are somewhere in it */

  __device__ __forceinline__ AgreeingKeys(const WideSort &sort, uint64_t index) : begin(index), end(index + 1) {
    const uint64_t window = sort.items[index] >> sort.low_bits;
    const auto agrees = [&](uint64_t other) { return sort.items[other] >> sort.low_bits == window; };
    // Most keys of a long run see it at once, without a look at all that lie between.
    is_long = (index >= MOST_RUN_KEYS && agrees(index - MOST_RUN_KEYS)) ||
              (sort.count - index > MOST_RUN_KEYS && agrees(index + MOST_RUN_KEYS));
    if (is_long)
      return;
    while (begin != 0 && agrees(begin - 1))
      begin--;
    while (end != sort.count && agrees(end))
      end++;
    is_long = end - begin > MOST_RUN_KEYS;
  }
};

/* Where the key at an index belongs in its run. Takes note where the run is too long to tell. */
__device__ __forceinline__ uint64_t place_in_run(const WideSort &sort, uint64_t index, uint64_t key) {
  const AgreeingKeys run(sort, index);
  if (run.end - run.begin == 1 && !run.is_long)
    return index;
  const uint64_t own = sort.entry.enter(key);
  if (run.is_long) {
    const bool has_lower = index != 0 && (sort.items[index - 1] ^ sort.items[index]) >> sort.low_bits == 0;
    if (has_lower && sort.entry.enter(sort.key(index - 1)) != own)
      sort.extremes->has_long_runs = 1; // whoever writes it, it is the same
    return index;
  }
  uint64_t place = run.begin;
  for (uint64_t other = run.begin; other < run.end; other++) {
    const uint64_t entered = sort.entry.enter(sort.key(other));
    place += entered < own || (entered == own && other < index) ? 1 : 0;
  }
  return place;
}

// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(PAYLOAD_THREADS) mend_runs_kernel(const __grid_constant__ WideSort sort) {
  const Window window(*sort.extremes, sort.low_bits);
  for_each_item(sort.count, [&](uint64_t index) {
    const uint64_t key = sort.key(index);
    const uint64_t place = window.dropped_bits == 0 ? index : place_in_run(sort, index, key);
    sort.sorted_keys[place] = key;
    sort.origins[place] = static_cast<uint32_t>(sort.items[index] & sort.low_mask());
  });
}

/* ---- Twice more -------------------------------------------------------------------------------------------------------- */

/* From here on the keys are those in sorted_keys, whose order so far counts where they are equal. */

// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(PAYLOAD_THREADS) pack_lower_halves_kernel(const __grid_constant__ WideSort sort) {
  if (sort.extremes->has_long_runs == 0)
    return;
  for_each_item_in_turns(sort.count, [&](uint64_t index) {
    const uint64_t lower = sort.entry.enter(sort.sorted_keys[index]) & 0xFFFFFFFF;
    sort.items[index] = lower << sort.low_bits | index;
  });
}

// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(PAYLOAD_THREADS) pack_upper_halves_kernel(const __grid_constant__ WideSort sort) {
  if (sort.extremes->has_long_runs == 0)
    return;
  for_each_item_in_turns(sort.count, [&](uint64_t index) {
    const uint64_t origin = sort.items[index] & sort.low_mask();
    sort.lower_order[index] = static_cast<uint32_t>(origin);
    sort.items[index] = sort.entry.enter(sort.sorted_keys[origin]) >> 32 << sort.low_bits | index;
  });
}

/* In two steps, since keys and origins are read where others write them. */
// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(PAYLOAD_THREADS) gather_settled_kernel(const __grid_constant__ WideSort sort) {
  if (sort.extremes->has_long_runs == 0)
    return;
  for_each_item_in_turns(sort.count, [&](uint64_t index) {
    const uint32_t origin = sort.lower_order[sort.items[index] & sort.low_mask()];
    sort.gathered[index] = sort.sorted_keys[origin];
    sort.items[index] = sort.origins[origin];
  });
}

// cppcheck-suppress passedByValue
__global__ void __launch_bounds__(PAYLOAD_THREADS) write_settled_kernel(const __grid_constant__ WideSort sort) {
  if (sort.extremes->has_long_runs == 0)
    return;
  for_each_item_in_turns(sort.count, [&](uint64_t index) {
    sort.sorted_keys[index] = sort.gathered[index];
    sort.origins[index] = static_cast<uint32_t>(sort.items[index]);
  });
}

} // namespace cdp::CDP_RUNTIME

#endif
