/* SPDX-License-Identifier: MIT */
/*
 * What the kernels of sorts of 8-byte keys with values are given, and what they have in shared memory: wide_keys.cuh says what they do.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_WIDE_SORT_CUH
#define CDPSORT_DEVICE_PAYLOAD_WIDE_SORT_CUH

#include "block/on_chip_keys.cuh"
#include "payload/count_pieces.cuh"

namespace cdp::CDP_RUNTIME {

/* What a round has left to do. Zeroed before the first. */
struct WideRound {
  uint32_t has_long_runs; /* 1: keys of a run that no tile holds are in disorder */
  uint32_t has_tiles;     /* 1: some tiles are marked */
  uint32_t blocks_done;   /* that have counted long runs */
  uint32_t long_runs;     /* how many there are */
};

/* The distances that are in a long run. Zeroed before the first round. */
struct LongRun {
  unsigned long long greatest;
  unsigned long long least_inverted;

  __device__ __forceinline__ uint64_t least() const {
    return ~uint64_t{least_inverted};
  }
};

/* All that the kernels here are given. */
struct WideSort {
  const uint64_t *keys; /* the caller's */
  uint64_t count;
  Entry<uint64_t> entry;
  uint32_t low_bits;
  WindowPieces pieces;
  uint64_t *items;
  const uint64_t *regrouped; /* where items' positions tell keys, in the first round; NULL: they are in `gathered` */
  uint64_t *gathered;        /* keys in the items' order */
  uint64_t *sorted_keys;     /* may be `keys` */
  uint32_t *origins;         /* where the sorted keys were */
  uint32_t *later_origins;   /* of `gathered`, behind the first round; while long runs are looked at, numbers */
  WideRound *rounds;
  uint32_t *marks; /* of each round, for each tile: 1, it has a run to be put in order */
  uint64_t tiles;
  uint64_t tile_items;
  uint64_t longest_run; /* that a tile holds wherever it begins */
  LongRun *long_runs;   /* of each round */
  uint64_t most_long_runs;
  uint32_t *part_counts; /* how many long runs begin in each part, then in lower ones */
  uint32_t parts;
  uint32_t part_items;    /* a multiple of a warp's lanes */
  uint32_t round;         /* the one at hand, from 0 on */
  const uint32_t *wanted; /* of the round's kernels: NULL, always; or they do nothing while it is 0 */

  __device__ __forceinline__ uint64_t low_mask() const {
    return (uint64_t{1} << low_bits) - 1;
  }
  /* The key of an item, and where it was. */
  __device__ __forceinline__ uint64_t key(uint64_t index) const {
    return regrouped != nullptr ? regrouped[items[index] & low_mask()] : gathered[index];
  }
  __device__ __forceinline__ uint32_t origin(uint64_t index) const {
    return round != 0 ? later_origins[index] : static_cast<uint32_t>(items[index] & low_mask());
  }
  /* The distance of a sorted key: of that windows are made. */
  __device__ __forceinline__ uint64_t distance(uint64_t index) const {
    return KeyDistance(*pieces.extremes)(entry.enter(sorted_keys[index]));
  }
  /* What keys of a run agree in. */
  __device__ __forceinline__ uint64_t window(uint64_t index) const {
    return items[index] >> low_bits;
  }
  __device__ __forceinline__ LongRun &long_run(uint32_t number) const {
    return long_runs[round * most_long_runs + number];
  }
};

using WideItem = uint64_t;

/* The items at hand: those of whole runs, so far from where the tile begins. */
struct WideRange {
  uint32_t first; /* where the first run begins */
  uint32_t last;  /* the last one that does in the tile */
  uint32_t end;   /* where the next one does */
};

template <DeviceKind KIND>
struct WideRoomsOf {
  using Shape = OnChipShapeOf<WideItem, KIND, OnChipBy::team>;
  OnChipTeamOf<WideItem, KIND, OnChipBy::team> teams[Shape::TEAMS];
  WideRange ranges[Shape::TEAMS];
  uint32_t disordered[Shape::TEAMS]
                     [Shape::MAX_ITEMS / 32]; /* a bit for each item that a run begins with: its keys fall somewhere */
};

} // namespace cdp::CDP_RUNTIME

#endif
