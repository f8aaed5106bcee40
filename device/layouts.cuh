/* SPDX-License-Identifier: MIT */
/*
 * That all compilers agree on the sizes of what kernels keep in shared memory and in a workspace.
 *
 * 1. The host plans a sort for the GPU, too: plans take their sizes from the types as the host's compiler has them.
 * 2. A kernel is compiled by nvcc, which has its own idea of a type.
 * 3. A type that nvcc makes larger would be written past its room.
 * Therefore every compilation makes one number of all these sizes, and compares it with the same constant: layouts.cpp and layouts.cu.
 */
#ifndef CDPSORT_DEVICE_LAYOUTS_CUH
#define CDPSORT_DEVICE_LAYOUTS_CUH

#include "block/mapped_shape.cuh"
#include "payload/block_pairs.cuh"
#include "payload/carry_buckets.cuh"
#include "payload/carry_scatter.cuh"
#include "payload/learn_window.cuh"
#include "payload/wide_sort.cuh"
#include "recursion/partition_workspace.cuh"
#include "recursion/trace.cuh"
#include "recursion/workspace.cuh"
#include "segments/divide_segments.cuh"
#include "segments/long_segments.cuh"

namespace cdp::CDP_RUNTIME {

/* Of sizes in their order (FNV-1a). */
template <typename... Types>
constexpr uint64_t digest_sizes(uint64_t digest) {
  static_cast<void>(((digest = (digest ^ sizeof(Types)) * 0x100000001B3u), ...));
  return digest;
}

template <typename Key, DeviceKind KIND>
constexpr uint64_t digest_kind(uint64_t digest) {
  digest = digest_sizes<MultiwayStorageOf<Key, KIND>, FrequentTableOf<Key, KIND>, DivideBlockOf<Key, KIND>,
                        LongSegmentBlockOf<Key, KIND>>(digest);
  digest = digest_sizes<CarryLookOf<Key, KIND>, CarryDivideOf<Key, KIND>, CarryScatterOf<Key, uint32_t, KIND>,
                        CarryScatterOf<Key, uint64_t, KIND>, CarryRoomsOf<Key, KIND, OnChipBy::team>,
                        CarryRoomsOf<Key, KIND, OnChipBy::block>>(digest);
  digest = (digest ^ fat_shared_bytes<Key>(KIND)) * 0x100000001B3u;
  return digest_sizes<WideRoomsOf<KIND>, BlockPairsRoomOf<KIND>>(digest);
}

template <typename Key>
constexpr uint64_t digest_key(uint64_t digest) {
  digest = digest_sizes<CarryCounts<Key>, CarryControl<Key>, CarrySplitters<Key>, MapFacts<Key>>(digest);
  digest = digest_kind<Key, DeviceKind::simulated>(digest);
  digest = digest_kind<Key, DeviceKind::small>(digest);
  digest = digest_kind<Key, DeviceKind::medium>(digest);
  return digest_kind<Key, DeviceKind::large>(digest);
}

constexpr uint64_t digest_all() {
  uint64_t digest = digest_sizes<Control, Task, ListedTask, Range, SplitterSet, EqualKeys, FrequentSpan, cdp_study_depth,
                                 PartCounts, Trace, Event>(0xCBF29CE484222325u);
  digest = digest_sizes<SegmentControl, Piece, LargeSegment, SegmentTile, LongRun, WideRound, KeyExtremes,
                        WindowTableOf<window_pieces(true)>, WindowTableOf<window_pieces(false)>>(digest);
  digest = digest_key<uint32_t>(digest);
  return digest_key<uint64_t>(digest);
}

/* What the sizes of today come to. A change of one of those types is a new number, which the compiler's message has. */
template <uint64_t FOUND>
struct Layouts {
  static constexpr uint64_t EXPECTED = 12840792002333993329u;
  static_assert(FOUND == EXPECTED, "sizes have changed, or compilers disagree: FOUND is the number of this compilation");
};
template struct Layouts<digest_all()>;

} // namespace cdp::CDP_RUNTIME

#endif
