/* SPDX-License-Identifier: MIT */
/*
 * What the kernels of a segmented sort speak of: the caller's segments, their classes, and the lists of what is to be sorted.
 * Nothing here sorts.
 *
 *     tiny      some lanes of a warp, where the offsets are read          no list
 *     small     a warp, in registers (short_segments.cuh)                 pieces
 *     shorts    a small block, in registers                               pieces
 *     team      half of a fat block, on chip (long_segments.cuh)          pieces
 *     block     a fat block                                               ranges
 *     large     all blocks divide it (divide_segments.cuh)                large segments
 *
 * Segments that overlap may be more than there is room for: what a list has no room for is not sorted.
 */
#ifndef CDPSORT_DEVICE_SEGMENTS_SEGMENT_LISTS_CUH
#define CDPSORT_DEVICE_SEGMENTS_SEGMENT_LISTS_CUH

#include "block/multiway_shape.cuh"
#include "tuning_segments.h"

namespace cdp::CDP_RUNTIME {

template <typename Bits>
constexpr SegmentRow SEGMENT_ROW = segment_row(DEVICE_KIND == DeviceKind::simulated, sizeof(Bits));
template <typename Bits>
constexpr SegmentLimits SEGMENT_LIMITS = segment_limits(DEVICE_KIND, sizeof(Bits));

/* What blocks that keep a Storage need of shared memory, on a kind of device. */
template <template <typename, DeviceKind> class Storage, typename Bits>
constexpr uint32_t segment_shared_bytes(DeviceKind kind) {
  return for_kind(kind, [](auto constant) { return uint32_t{sizeof(Storage<Bits, decltype(constant)::value>)}; });
}

/* Whether that is no more than other fat blocks have (mapped_shape.cuh). */
template <template <typename, DeviceKind> class Storage>
constexpr bool fits_fat_blocks() {
  const auto fits = [](DeviceKind kind, uint32_t most) {
    return segment_shared_bytes<Storage, uint32_t>(kind) <= most && segment_shared_bytes<Storage, uint64_t>(kind) <= most;
  };
  return fits(DeviceKind::small, 96 * 1024) && fits(DeviceKind::medium, 163 * 1024) && fits(DeviceKind::large, 195 * 1024);
}

/* The caller's segments, of an array of `count` keys. */
struct Segments {
  const void *begins;
  const void *ends;
  uint32_t offset_bytes; /* 0: all have `length` keys, and lie one behind the other */
  uint64_t length;
  uint64_t segment_count;
  uint64_t count;

  /* Empty where offsets are not those of a segment of the array. */
  __device__ __forceinline__ Range operator()(uint64_t index) const {
    uint64_t begin = index * length;
    uint64_t end = begin + length;
    if (offset_bytes == sizeof(uint32_t)) {
      begin = static_cast<const uint32_t *>(begins)[index];
      end = static_cast<const uint32_t *>(ends)[index];
    } else if (offset_bytes == sizeof(uint64_t)) {
      begin = static_cast<const uint64_t *>(begins)[index];
      end = static_cast<const uint64_t *>(ends)[index];
    }
    const bool is_empty = end > count || begin > end;
    return {is_empty ? 0 : begin, is_empty ? 0 : end, Side::keys, 0};
  }
};

enum class SegmentClass : uint32_t { small, shorts, team, block, large, none };
constexpr uint32_t LISTED_CLASSES = 5;

/* The class of a segment that is not tiny, or of any bucket. */
template <typename Bits>
__device__ __forceinline__ SegmentClass class_of(uint64_t items) {
  constexpr SegmentLimits LIMITS = SEGMENT_LIMITS<Bits>;
  if (items <= LIMITS.small)
    return SegmentClass::small;
  if (items <= LIMITS.shorts)
    return SegmentClass::shorts;
  if (items <= LIMITS.team)
    return SegmentClass::team;
  return items <= LIMITS.block ? SegmentClass::block : SegmentClass::large;
}

/* A segment to be divided, and by what. */
struct LargeSegment {
  Range range;
  SplitterSet set;
  uint64_t table; /* its first place in the tables of splitters and cursors */
};

/* A tile of a large segment. */
struct SegmentTile {
  uint32_t segment;
  uint32_t tile;
};

/* Counters, zeroed before the first kernel. Those of what is divided are of levels by turns. */
struct SegmentControl {
  unsigned long long listed[LISTED_CLASSES - 1]; /* of each class but the last */
  unsigned long long larges[2];
  unsigned long long tiles[2];
  unsigned long long table_places[2];
  unsigned long long blocks_taken; /* of the listed ones, by those who sort them */
  unsigned long long teams_taken;
  uint32_t arrivals; /* of the grid's barrier, where segments are divided */
};

/* The lists, and how much room they have. */
struct SegmentLists {
  SegmentControl *control; /* NULL: there are no lists */
  Piece *pieces[3];        /* of small segments, of short ones, and of those that are a team's */
  Range *blocks;
  LargeSegment *larges[2];
  SegmentTile *tiles;
  unsigned long long capacities[LISTED_CLASSES];
  unsigned long long tile_capacity;
  unsigned long long table_capacity;

  /* The counter of a class; of large ones, of those that a level is to divide. */
  __device__ __forceinline__ unsigned long long *counter(SegmentClass which, uint32_t level) const {
    return which == SegmentClass::large ? &control->larges[level % 2] : &control->listed[static_cast<uint32_t>(which)];
  }
  __device__ __forceinline__ uint64_t listed(SegmentClass which, uint32_t level = 0) const {
    const unsigned long long most = capacities[static_cast<uint32_t>(which)];
    const unsigned long long all = *counter(which, level);
    return all < most ? all : most;
  }
  __device__ __forceinline__ uint64_t listed_tiles(uint32_t level) const {
    const unsigned long long all = control->tiles[level % 2];
    return all < tile_capacity ? all : tile_capacity;
  }
  /* Writes a range to its place on the list of its class, if there is room. */
  __device__ __forceinline__ void put(SegmentClass which, uint64_t place, const Range &range) const {
    if (place >= capacities[static_cast<uint32_t>(which)])
      return;
    if (which == SegmentClass::large)
      larges[range.depth % 2][place].range = range;
    else if (which == SegmentClass::block)
      blocks[place] = range;
    else
      pieces[static_cast<uint32_t>(which)][place] = piece_of(range);
  }
};

/* What a kernel sorts that has one class: what is listed, or all of the caller's segments. */
struct SegmentSource {
  Segments segments;
  const Piece *pieces; /* NULL: all segments, which are as long as one another */

  __device__ __forceinline__ Range operator()(uint64_t index) const {
    return pieces != nullptr ? pieces[index].range() : segments(index);
  }
};

/* All that the kernels are given. */
template <typename Bits>
struct SegmentedSort {
  BlockRules<Bits> rules;
  Segments segments;
  SegmentLists lists;
  Bits *splitters;
  unsigned long long *cursors;
  uint32_t max_levels;

  __device__ __forceinline__ SegmentSource source(SegmentClass which) const {
    return {segments, lists.control != nullptr ? lists.pieces[static_cast<uint32_t>(which)] : nullptr};
  }
  __device__ __forceinline__ uint64_t source_count(SegmentClass which) const {
    return lists.control != nullptr ? lists.listed(which) : segments.segment_count;
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
