/* SPDX-License-Identifier: MIT */
/*
 * The window of a key of 8 bytes: what of it is in its item, beside its position.
 *
 * 1. Upper bits of the distance from the least key tell keys apart that are spread evenly, and those of a small range.
 * 2. Letters and digits have bits that are the same in all keys, between those that vary. Without them the others are upper bits.
 * 3. Of keys that lie close together upper bits tell little. And where many keys are equal, so are their windows, if those follow from the
 *    key alone.
 * 4. A window has to rise as keys do, and may be any number that does, as if keys lay elsewhere. Those of equal keys may rise as their
 *    positions do.
 * Therefore, where a few keys show that upper bits would not do (learn_window.cuh), windows are by pieces of the range, each from a key of
 * a sample to another. Keys are counted by pieces (count_pieces.cuh), and a piece has as many windows as it has keys of all. Within a piece
 * windows rise evenly, with the key and, for equal keys, with the position. So items are spread evenly, and their sort takes as long as that
 * of random numbers, unless keys crowd within pieces.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_WINDOW_CUH
#define CDPSORT_DEVICE_PAYLOAD_WINDOW_CUH

#include "block/multiway_shape.cuh"
#include "block/scan.cuh"
#include "payload/bit_compaction.cuh"
#include "payload/items.cuh"

namespace cdp::CDP_RUNTIME {

/* Distances of keys that have the same window differ by less than 2^MOST_BITS_LEFT: tiles compare no more (wide_tiles.cuh). Upper bits
   leave as many as a position has, up to 32. */
constexpr uint32_t MOST_BITS_LEFT = 37;

/* What is known of all keys, entered. Zeroed before they are looked at. */
struct KeyExtremes {
  unsigned long long greatest;
  unsigned long long least_inverted; /* ~ of the least, so that both begin with zeros */
  unsigned long long varying;        /* the bits that are not the same in all keys */
  CompactionMoves moves;             /* if bits that do not vary are left out */
  unsigned long long origin;         /* of the distances */
  uint32_t distance_bits;            /* of the greatest distance */
  uint32_t is_compacted;             /* 1: bits are left out */
  uint32_t is_learnt;                /* 1: windows are by pieces */
  uint32_t blocks_done;              /* that have told the keys that they have seen */

  __device__ __forceinline__ uint64_t least() const {
    return ~uint64_t{least_inverted};
  }
  /* How many lower bits of a key's distance are too many, if there is room for so many bits. */
  __device__ __forceinline__ uint32_t dropped_bits(uint32_t room) const {
    return distance_bits > room ? distance_bits - room : 0;
  }
};
static_assert(sizeof(KeyExtremes) <= CDP_WORKSPACE_ALIGNMENT, "a plan has so much for it");

/*
 * How far a key is from the least. Where many bits are the same in all keys, as in those of letters or digits, it is instead the number
 * that the others make.
 */
struct KeyDistance {
  uint64_t origin;
  const KeyExtremes *compaction; /* NULL: no bit is left out */

  __device__ __forceinline__ explicit KeyDistance(const KeyExtremes &extremes)
      : origin(extremes.origin), compaction(extremes.is_compacted != 0 ? &extremes : nullptr) {}

  __device__ __forceinline__ uint64_t operator()(uint64_t entered) const {
    return (compaction == nullptr ? entered : compacted(entered, compaction->varying, compaction->moves)) - origin;
  }
};

/* The upper bits of a key's distance: as many as there is room for. */
struct UpperBits {
  uint64_t least;
  uint32_t dropped_bits;

  /* Of distances from the least key. */
  __device__ __forceinline__ UpperBits(const KeyExtremes &extremes, uint32_t room)
      : least(extremes.origin), dropped_bits(extremes.dropped_bits(room)) {}
  /* Of keys that lie between two. */
  __device__ __forceinline__ UpperBits(uint64_t least_key, uint64_t greatest, uint32_t room)
      : least(least_key), dropped_bits(0) {
    const uint32_t bits = bits_of(greatest - least_key);
    dropped_bits = bits > room ? bits - room : 0;
  }

  __device__ __forceinline__ uint64_t operator()(uint64_t entered) const {
    return (entered - least) >> dropped_bits;
  }
  /* The others. */
  __device__ __forceinline__ uint64_t dropped(uint64_t entered) const {
    return (entered - least) & ((uint64_t{1} << dropped_bits) - 1);
  }
};

/* The same where bits may be left out. */
struct CompactedUpperBits {
  KeyDistance distance;
  uint32_t dropped_bits;

  __device__ __forceinline__ CompactedUpperBits(const KeyExtremes &extremes, uint32_t room)
      : distance(extremes), dropped_bits(extremes.dropped_bits(room)) {}

  __device__ __forceinline__ uint64_t operator()(uint64_t entered) const {
    return distance(entered) >> dropped_bits;
  }
};

/* Calls use(upper bits), of so many as there is room for. */
template <typename Use>
__device__ __forceinline__ void with_upper_bits(const KeyExtremes &extremes, uint32_t room, Use use) {
  if (extremes.is_compacted == 0)
    use(UpperBits(extremes, room));
  else
    use(CompactedUpperBits(extremes, room));
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------------ */

constexpr uint32_t LEARN_THREADS = learn_shape(DEVICE_KIND == DeviceKind::simulated).threads;
constexpr uint32_t WINDOW_PIECES = window_pieces(DEVICE_KIND == DeviceKind::simulated);
constexpr uint32_t FEW_WINDOW_PIECES = few_window_pieces(DEVICE_KIND == DeviceKind::simulated);
constexpr uint64_t LEAST_LEARNT = least_learnt(DEVICE_KIND == DeviceKind::simulated);
static_assert((WINDOW_PIECES & (WINDOW_PIECES - 1)) == 0, "a search tree is full");

/* Distances from one on, and their windows. */
struct alignas(16) WindowPiece {
  uint64_t first;
  uint64_t base;  /* its first window */
  uint64_t scale; /* windows to 2^64 of a distance and a position, brought together to 64 bits */
  uint32_t bits;  /* of distances from the first */
  uint32_t unused;

  /* position: of equal keys as they are in order, of `low_bits`. */
  __device__ __forceinline__ uint64_t window(uint64_t distance, uint64_t position, uint32_t low_bits) const {
    const uint64_t fraction = position << (64 - low_bits);
    const uint64_t place = (distance - first) << (64 - bits) | (bits < 64 ? fraction >> bits : 0);
    return base + __umul64hi(place, scale);
  }
};

/* What is learnt of the keys, and counted, with room for so many pieces. */
template <uint32_t PIECES>
struct WindowTableOf {
  uint64_t tree[PIECES];   /* where pieces begin, but for the first, as a search tree: node i has the children 2i and 2i + 1 */
  uint64_t firsts[PIECES]; /* the same in order */
  uint32_t counts[PIECES]; /* of each piece's keys */
  WindowPiece pieces[PIECES];
  uint32_t blocks_done; /* that have counted */
};
using WindowTable = WindowTableOf<WINDOW_PIECES>;

/* The child of a node that a key goes to. A piece's number is that of the last node on the way, but for its uppermost bit. */
__device__ __forceinline__ uint32_t child_node(const uint64_t *tree, uint32_t node, uint64_t distance) {
  return 2 * node + (tree[node] <= distance ? 1 : 0);
}

} // namespace cdp::CDP_RUNTIME

#endif
