/* SPDX-License-Identifier: MIT */
/*
 * What a many-way partition speaks of: the shape of its blocks, the fan that divides a range into buckets, and the shared
 * memory that its kernels have. Nothing here computes.
 *
 * A fan of `splitters` sorted values divides keys into buckets. Where no two candidates for a splitter were equal, bucket b
 * holds what is greater than splitter b - 1 and not greater than splitter b. Where two were, buckets of even number lie
 * strictly between two splitters and those of odd number hold the keys equal to one: these leave the recursion, however many
 * they are.
 */
#ifndef CDPSORT_DEVICE_BLOCK_FAN_SHAPE_CUH
#define CDPSORT_DEVICE_BLOCK_FAN_SHAPE_CUH

#include "block/range.cuh"

namespace cdp::CDP_RUNTIME {

/* The room in shared memory that a block needs to merge so many items (block_merge.cuh): one place is left out behind every 32,
   and one behind the last is read. */
constexpr uint32_t merge_room(uint32_t items) {
  return items + items / WARP_LANES + 1;
}

/* The shape of the blocks that partition many ways. They are fat: one fills a multiprocessor, so that it does not matter how
   little shared memory a device-launched grid finds there (docs/performance.md, "The trap"). */
template <typename Bits, FanKind KIND>
struct FanShapeOf {
  static constexpr FanRow ROW = fan_row(KIND, sizeof(Bits));
  static constexpr uint32_t BLOCK_THREADS = ROW.block_threads;
  static constexpr uint32_t BLOCK_WARPS = BLOCK_THREADS / WARP_LANES;
  static constexpr uint32_t TILE_ITEMS_PER_THREAD = ROW.tile_items_per_thread;
  static constexpr uint32_t TILE_ITEMS = fan_tile_items(ROW);
  static constexpr uint32_t VECTOR_ITEMS = 16 / sizeof(Bits);

  /* The longest range that one block sorts by itself. */
  static constexpr uint32_t TILES_MOST = ROW.tiles_most;
  static constexpr uint32_t RANGE_ITEMS_MOST = fan_range_items_most(ROW);

  /* The threads that sort a sample, a power of two of them; and the buckets that such a sample can tell apart. */
  static constexpr uint32_t SAMPLE_THREADS_MOST = greatest_power_of_two(BLOCK_THREADS);
  static constexpr uint32_t SAMPLES_PER_THREAD = ROW.samples_per_thread;
  static constexpr uint32_t TASK_SAMPLES_PER_THREAD = ROW.task_samples_per_thread;
  static constexpr uint32_t SAMPLES_PER_THREAD_MOST =
      TASK_SAMPLES_PER_THREAD > SAMPLES_PER_THREAD ? TASK_SAMPLES_PER_THREAD : SAMPLES_PER_THREAD;
  static constexpr uint32_t SAMPLES_MOST = SAMPLE_THREADS_MOST * SAMPLES_PER_THREAD;
  static constexpr uint32_t FAN_OUT_MOST = SAMPLES_MOST / 2 < FAN_MOST ? SAMPLES_MOST / 2 : FAN_MOST;

  static_assert(BLOCK_THREADS <= 1024 && BLOCK_THREADS % WARP_LANES == 0, "warps of a block are scanned by one warp");
  static_assert(TILE_ITEMS_PER_THREAD % VECTOR_ITEMS == 0, "a thread loads whole vectors");
  static_assert(TILE_ITEMS <= 65535, "places in a tile are 16-bit numbers");
  static_assert(TILES_MOST <= WARP_LANES, "a lane looks up each tile");

  /* A tile is staged in shared memory and can be merged there; a sample, too, at another time. */
  static constexpr uint32_t STAGE_ROOM = merge_room(TILE_ITEMS);
  static constexpr uint32_t SAMPLE_ROOM = merge_room(SAMPLE_THREADS_MOST * SAMPLES_PER_THREAD_MOST);
};

/* What this compilation is for. The host's half of nvcc's compilation asks the shape for its threads alone, which are the same
   for all CUDA devices; sizes it is told (cdp_request::fan_kind). */
#if !defined(__CUDACC__)
constexpr FanKind FAN_KIND = FanKind::simulated;
#elif defined(__CUDA_ARCH__)
constexpr FanKind FAN_KIND = fan_kind_of(__CUDA_ARCH__);
#else
constexpr FanKind FAN_KIND = FanKind::large;
#endif
template <typename Bits>
using FanShape = FanShapeOf<Bits, FAN_KIND>;

struct Fan {
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
  unsigned long long bases[FAN_MOST];  /* where a tile's bucket goes, less its place in the tile */
  uint16_t buckets[Shape::TILE_ITEMS]; /* of each staged item */
};

template <typename Shape>
struct FanSortStorage {
  uint16_t places[Shape::TILES_MOST][FAN_MOST + 1]; /* where each tile's buckets begin in it */
  Run runs[Shape::BLOCK_WARPS][WARP_LANES];         /* of the group each warp has at hand */
  BucketGroup groups[FAN_MOST];
  uint16_t large[FAN_MOST]; /* buckets that are no warp's work */
  uint32_t group_count;
  uint32_t groups_taken;
  uint32_t large_count;
};

/* What only the end of a task needs. */
struct FanChildren {
  uint16_t in_block[FAN_MOST]; /* buckets that the block at hand has to sort */
  uint32_t in_block_count;
  uint32_t range_count; /* listed: ranges for one block each */
  uint32_t first_range; /* and their first place on the list */
  uint32_t parts;       /* buckets of unequal keys that are not empty */
  unsigned long long equal_items;
  unsigned long long part_items_most;
};

/* What only a block that gathers a bucket from the tiles of a short array needs: its run in each tile. */
template <typename Shape>
struct GatherStorage {
  Run runs[Shape::BLOCK_THREADS];
};

/* What blocks work in behind the sample. */
template <typename Bits, FanKind KIND>
struct FanWork {
  union {
    ScatterStorage<FanShapeOf<Bits, KIND>> scatter;
    FanSortStorage<FanShapeOf<Bits, KIND>> sort;
    FanChildren children;
    GatherStorage<FanShapeOf<Bits, KIND>> gather;
  };
  Bits stage[FanShapeOf<Bits, KIND>::STAGE_ROOM]; /* a tile's keys by bucket; or what is merged */
};

/* The shared memory of every kernel of the many-way partition. */
template <typename Bits, FanKind KIND>
struct FanStorageOf {
  BlockStorage block; /* for what is sorted the two-way way after all */
  Fan fan;
  uint32_t flag;
  unsigned long long warp_totals[WARP_LANES];
  Bits tree[FAN_MOST];      /* splitters as a search tree: node i has the children 2i and 2i + 1; 0 is unused */
  Bits splitters[FAN_MOST]; /* in order */
  uint32_t counts[FAN_MOST];
  uint32_t begins[FAN_MOST + 1];
  union {
    FanWork<Bits, KIND> work;
    Bits sample[FanShapeOf<Bits, KIND>::SAMPLE_ROOM]; /* entered */
  };
};
template <typename Bits>
using FanStorage = FanStorageOf<Bits, FAN_KIND>;
static_assert(sizeof(FanStorage<uint32_t>::sample) <= sizeof(FanStorage<uint32_t>::work) &&
                  sizeof(FanStorage<uint64_t>::sample) <= sizeof(FanStorage<uint64_t>::work),
              "a sample must not make blocks need more");

/* The shared memory of a block on a kind of device. */
template <typename Bits>
constexpr uint32_t fan_shared_bytes(FanKind kind) {
  return static_cast<uint32_t>(kind == FanKind::plain ? sizeof(FanStorageOf<Bits, FanKind::plain>)
                                                      : sizeof(FanStorageOf<Bits, FAN_KIND>));
}
static_assert(fan_shared_bytes<uint32_t>(FanKind::plain) <= 96 * 1024 &&
                  fan_shared_bytes<uint64_t>(FanKind::plain) <= 96 * 1024,
              "what compute capability 7.0 lets a block have; 8.x and 12.x let it have more");
static_assert(sizeof(FanStorageOf<uint32_t, FanKind::simulated>) > 48 * 1024 &&
                  sizeof(FanStorageOf<uint64_t, FanKind::simulated>) > 48 * 1024,
              "what must be asked for on the GPU (allow_shared_bytes()) must be on the simulated device, lest it be forgotten");

} // namespace cdp::CDP_RUNTIME

#endif
