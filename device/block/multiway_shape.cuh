/* SPDX-License-Identifier: MIT */
/*
 * What a many-way partition speaks of: the shape of its blocks, the set that divides a range into buckets, and the shared
 * memory that its kernels have. Nothing here computes.
 *
 * A set of `splitters` sorted values divides keys into buckets. Where no two candidates for a splitter were equal, bucket b
 * holds what is greater than splitter b - 1 and not greater than splitter b. Where two were, buckets of even number lie
 * strictly between two splitters and those of odd number hold the keys equal to one: these leave the recursion, however many
 * they are.
 */
#ifndef CDPSORT_DEVICE_BLOCK_MULTIWAY_SHAPE_CUH
#define CDPSORT_DEVICE_BLOCK_MULTIWAY_SHAPE_CUH

#include "block/range.cuh"

namespace cdp::CDP_RUNTIME {

/* The room in shared memory that a block needs to merge so many items (block_merge.cuh): one place is left out behind every 32,
   and one behind the last is read. */
constexpr uint32_t merge_room(uint32_t items) {
  return items + items / WARP_LANES + 1;
}

/* The shape of the blocks that partition many ways. They are fat: one fills a multiprocessor, so that it does not matter how
   little shared memory a device-launched grid finds there (docs/notes/shared-memory-split.md). */
template <typename Bits, DeviceKind KIND>
struct MultiwayShapeOf {
  static constexpr MultiwayRow ROW = multiway_row(KIND, sizeof(Bits));
  static constexpr uint32_t BLOCK_THREADS = ROW.block_threads;
  static constexpr uint32_t BLOCK_WARPS = BLOCK_THREADS / WARP_LANES;
  static constexpr uint32_t TILE_ITEMS_PER_THREAD = ROW.tile_items_per_thread;
  static constexpr uint32_t TILE_ITEMS = multiway_tile_items(ROW);
  static constexpr uint32_t VECTOR_ITEMS = 16 / sizeof(Bits);

  /* The longest range that one block sorts by itself. */
  static constexpr uint32_t MAX_TILES = ROW.max_tiles;
  static constexpr uint32_t MAX_RANGE_ITEMS = max_range_items(ROW);

  /* The threads that sort a sample, a power of two of them; and the buckets that such a sample can tell apart. */
  static constexpr uint32_t MAX_SAMPLE_THREADS = greatest_power_of_two(BLOCK_THREADS);
  static constexpr uint32_t SAMPLES_PER_THREAD = ROW.samples_per_thread;
  static constexpr uint32_t TASK_SAMPLES_PER_THREAD = ROW.task_samples_per_thread;
  static constexpr uint32_t MAX_SAMPLES_PER_THREAD =
      TASK_SAMPLES_PER_THREAD > SAMPLES_PER_THREAD ? TASK_SAMPLES_PER_THREAD : SAMPLES_PER_THREAD;
  static constexpr uint32_t MAX_FAN_OUT = max_fan_out(ROW);

  static_assert(BLOCK_THREADS <= 1024 && BLOCK_THREADS % WARP_LANES == 0, "warps of a block are scanned by one warp");
  static_assert(TILE_ITEMS_PER_THREAD % VECTOR_ITEMS == 0, "a thread loads whole vectors");
  static_assert(TILE_ITEMS <= 65535, "places in a tile are 16-bit numbers");
  static_assert(MAX_TILES <= WARP_LANES, "a lane looks up each tile");

  /* A tile is staged in shared memory and can be merged there; a sample, too, at another time. */
  static constexpr uint32_t STAGE_ROOM = merge_room(TILE_ITEMS);
  static constexpr uint32_t SAMPLE_ROOM = merge_room(MAX_SAMPLE_THREADS * MAX_SAMPLES_PER_THREAD);
};

/* What this compilation is for. The host's half of nvcc's compilation asks the shape for its threads alone, which are the same
   for all CUDA devices; sizes it is told (cdp_plan). */
#if !defined(__CUDACC__)
constexpr DeviceKind DEVICE_KIND = DeviceKind::simulated;
#elif defined(__CUDA_ARCH__)
constexpr DeviceKind DEVICE_KIND = device_kind_of(__CUDA_ARCH__);
#else
constexpr DeviceKind DEVICE_KIND = DeviceKind::large;
#endif
template <typename Bits>
using MultiwayShape = MultiwayShapeOf<Bits, DEVICE_KIND>;

struct SplitterSet {
  uint32_t splitters;  /* distinct ones */
  uint32_t tree_items; /* of the search tree: a power of two above the splitters */
  uint32_t buckets;
  uint32_t equal; /* 1: buckets of odd number hold keys equal to a splitter */

  __device__ __forceinline__ uint32_t unequal_buckets() const {
    return equal != 0 ? (buckets + 1) / 2 : buckets;
  }
};

/* Consecutive buckets that one warp sorts together: [begin, end). */
struct BucketGroup {
  uint16_t begin;
  uint16_t end;
};

/* A piece of a bucket group that lies in one tile: item i of the group is at source[begin + i] for i < end. */
struct Run {
  uint32_t end;
  uint32_t begin; /* minus the items of the runs before: may wrap around */
};

/* What only the grid-wide scatter needs, and what only a block that sorts a range by itself needs. */
template <typename Shape>
struct ScatterStorage {
  unsigned long long bases[MAX_BUCKETS]; /* where a tile's bucket goes, less its place in the tile */
  uint16_t buckets[Shape::TILE_ITEMS];   /* of each staged item */
};

template <typename Shape>
struct MultiwaySortStorage {
  uint16_t places[Shape::MAX_TILES][MAX_BUCKETS + 1]; /* where each tile's buckets begin in it */
  Run runs[Shape::BLOCK_WARPS][WARP_LANES];           /* of the group each warp has at hand */
  BucketGroup groups[MAX_BUCKETS];
  uint16_t large[MAX_BUCKETS]; /* buckets that are no warp's work */
  uint32_t group_count;
  uint32_t groups_taken;
  uint32_t large_count;
};

/* What only the end of a task needs. */
struct TaskChildren {
  uint16_t in_block[MAX_BUCKETS]; /* buckets that the block at hand has to sort */
  uint32_t in_block_count;
  uint32_t range_count; /* listed: ranges for one block each */
  uint32_t first_range; /* and their first place on the list */
  uint32_t parts;       /* buckets of unequal keys that are not empty */
  unsigned long long equal_items;
  unsigned long long max_part_items;
};

/* What blocks work in behind the sample. */
template <typename Bits, DeviceKind KIND>
struct MultiwayWork {
  union {
    ScatterStorage<MultiwayShapeOf<Bits, KIND>> scatter;
    MultiwaySortStorage<MultiwayShapeOf<Bits, KIND>> sort;
    TaskChildren children;
  };
  Bits stage[MultiwayShapeOf<Bits, KIND>::STAGE_ROOM]; /* a tile's keys by bucket; or what is merged */
};

/* The shared memory of every kernel of the many-way partition. */
template <typename Bits, DeviceKind KIND>
struct MultiwayStorageOf {
  BlockStorage block; /* for what is sorted the two-way way after all */
  SplitterSet set;
  uint32_t flag;
  unsigned long long warp_totals[WARP_LANES];
  Bits tree[MAX_BUCKETS];      /* splitters as a search tree: node i has the children 2i and 2i + 1; 0 is unused */
  Bits splitters[MAX_BUCKETS]; /* in order */
  uint32_t counts[MAX_BUCKETS];
  uint32_t begins[MAX_BUCKETS + 1];
  union {
    MultiwayWork<Bits, KIND> work;
    Bits sample[MultiwayShapeOf<Bits, KIND>::SAMPLE_ROOM]; /* entered */
  };
};
template <typename Bits>
using MultiwayStorage = MultiwayStorageOf<Bits, DEVICE_KIND>;
static_assert(sizeof(MultiwayStorage<uint32_t>::sample) <= sizeof(MultiwayStorage<uint32_t>::work) &&
                  sizeof(MultiwayStorage<uint64_t>::sample) <= sizeof(MultiwayStorage<uint64_t>::work),
              "a sample must not make blocks need more");

/* The shared memory of a block on a kind of device. */
template <typename Bits>
constexpr uint32_t multiway_shared_bytes(DeviceKind kind) {
  return for_kind(kind, [](auto constant) { return uint32_t{sizeof(MultiwayStorageOf<Bits, decltype(constant)::value>)}; });
}
static_assert(multiway_shared_bytes<uint32_t>(DeviceKind::simulated) > 48 * 1024 &&
                  multiway_shared_bytes<uint64_t>(DeviceKind::simulated) > 48 * 1024,
              "what must be asked for on the GPU (allow_shared_bytes()) must be on the simulated device, lest it be forgotten");

} // namespace cdp::CDP_RUNTIME

#endif
