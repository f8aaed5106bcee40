/* SPDX-License-Identifier: MIT */
/*
 * The shared memory of blocks that divide a range by a map, and of those that sort buckets on chip. Nothing here computes.
 */
#ifndef CDPSORT_DEVICE_BLOCK_MAPPED_SHAPE_CUH
#define CDPSORT_DEVICE_BLOCK_MAPPED_SHAPE_CUH

#include "block/frequent_values.cuh"
#include "block/on_chip_sort.cuh"

#include <algorithm>
#include <cstddef>

namespace cdp::CDP_RUNTIME {

/* What a team needs to scatter a tile to so many buckets. */
template <typename Bits, DeviceKind KIND, uint32_t TEAMS, uint32_t BUCKETS>
struct MapScatterTeam {
  Bits stage[map_tile_items(multiway_row(KIND, sizeof(Bits)), on_chip_row(KIND, sizeof(Bits))) / TEAMS]; /* by bucket */
  uint32_t counts[BUCKETS];
  uint32_t places[BUCKETS];    /* of a bucket's next key in the tile */
  uint32_t others[WARP_LANES]; /* and of what stands for the next missing one: the first, or, by lanes, any */
  uint32_t items;              /* of the tile */
  uint32_t bases[BUCKETS];     /* where a bucket of the tile goes, less where it begins there */
  uint32_t warp_totals[WARP_LANES];
  /* Here, since threads have no registers for what is the same for all of them: */
  uint32_t step;  /* from one of the team's tiles to the next */
  uint32_t count; /* of all tiles */
};

/* What one block needs to see what a map must be like. */
template <typename Bits, DeviceKind KIND>
struct MapLook {
  static constexpr uint32_t MAX_SAMPLES = max_look_samples(multiway_row(KIND, sizeof(Bits)));
  static constexpr uint32_t VECTOR_ITEMS = MultiwayShapeOf<Bits, KIND>::VECTOR_ITEMS;

  KeyVector<Bits> sample[MAX_SAMPLES / VECTOR_ITEMS];
  uint32_t slots[MAX_SAMPLES / 2]; /* samples that share a counter of 16 bits, two counters to a word */
  uint32_t groups[SPREAD_GROUPS];
  uint32_t octave_groups[SPREAD_GROUPS];
  WarpExtremes<Bits> extremes;
  uint32_t frequent;      /* samples of frequent values */
  uint32_t equal_squares; /* sum of the squares of all samples' counters */
  uint32_t squares;
  uint32_t octave_squares;
  uint32_t rises; /* 1: a sample is greater than one before it */
  uint32_t falls;

  __device__ __forceinline__ Bits key(uint32_t index) const {
    return sample[index / VECTOR_ITEMS].keys[index % VECTOR_ITEMS];
  }
};

/* What a block needs that scatters to groups of buckets, or from them. */
template <typename Bits, DeviceKind KIND>
struct MapGroups {
  static constexpr uint32_t TEAMS = on_chip_row(KIND, sizeof(Bits)).teams;
  MapScatterTeam<Bits, KIND, TEAMS, max_fine_buckets(KIND)> tiles[TEAMS];
  uint32_t ends[max_groups(KIND)];            /* of the groups' keys, which may be fewer than there is room for */
  uint32_t first_tiles[max_groups(KIND) + 1]; /* how many the groups before have */
  uint32_t count;                             /* of the groups */
  uint32_t coarse_shift;                      /* of a bucket's number, that makes it its group's */
};

/* What a block needs that learns, and later brings the values in order. */
template <typename Bits, DeviceKind KIND>
struct MapLearn {
  using Shape = FrequentShapeOf<Bits, KIND>;
  Bits values[Shape::MAX_VALUES];
  Bits stage[merge_room(Shape::EACH * MultiwayShapeOf<Bits, KIND>::BLOCK_THREADS)];
  uint32_t drawn[KEY_LINES];
  uint32_t value_count;
};

/* What a block needs that scatters to buckets at once. */
template <typename Bits, DeviceKind KIND>
struct MapOneScatter {
  static constexpr uint32_t BUCKETS = max_one_scatter_buckets(KIND);

  uint32_t room_for_begins[BUCKETS + 1];
  MapScatterTeam<Bits, KIND, 1, BUCKETS> tile;
};

/* What a block needs that learns, counts, and scatters to groups and from them. */
template <typename Bits, DeviceKind KIND>
struct MapCounting {
  static constexpr uint32_t MAX_BUCKETS = on_chip_row(KIND, sizeof(Bits)).max_buckets;
  static constexpr uint32_t FREQUENT_COUNTS = MAX_BUCKETS; /* where the counters of frequent values begin */
  static constexpr uint32_t COUNTERS = FREQUENT_COUNTS + FrequentShapeOf<Bits, KIND>::SLOTS;

  uint32_t room_for_begins[max_groups(KIND) + 1];
  Bits slots[FrequentShapeOf<Bits, KIND>::SLOTS];
  union {
    uint32_t counts[COUNTERS]; /* of all buckets; of what is in each slot */
    uint32_t drawn[KEY_LINES]; /* samples in each line */
    MapLearn<Bits, KIND> learn;
    MapGroups<Bits, KIND> groups;
  };

  /* How many keys have the value in each slot. */
  __device__ __forceinline__ uint32_t *frequent_counts() {
    return counts + FREQUENT_COUNTS;
  }
  __device__ __forceinline__ const uint32_t *frequent_counts() const {
    return counts + FREQUENT_COUNTS;
  }
};

/* What a block needs that divides. One scatter has the room of the table of frequent values, in which nothing is looked up then. */
template <typename Bits, DeviceKind KIND>
struct MapDivide {
  using Counting = MapCounting<Bits, KIND>;

  uint32_t warp_totals[WARP_LANES];
  uint32_t line_words[LINE_WORDS];
  union {
    uint32_t begins[max_first_scatter_buckets(KIND) + 1]; /* of the buckets, or of groups of them: beside either of these */
    MapOneScatter<Bits, KIND> one_scatter;
    Counting counting;
  };
  static_assert(sizeof(begins) <= offsetof(Counting, counts), "counts stay where they are while begins are written");
};

/* What a block knows of the stage at hand (turns.cuh). */
struct BlockTurn {
  uint32_t share;
  uint32_t has_more;
  uint32_t is_last;
  uint32_t is_first; /* 1: this block zeroes what all need first */
};

template <typename Bits, DeviceKind KIND>
struct MappedStorageOf {
  BlockStorage block; /* first */
  BlockTurn turn;
  KeyLines<Bits> map;
  uint32_t bucket_side;   /* a Side: where the buckets are, which are to be sorted */
  uint32_t long_items;    /* in buckets too long for a block to sort on chip, as they count (mapped_places.cuh) */
  uint32_t long_count;    /* of those too long for a team, those that a block can sort */
  uint32_t task_count;    /* and those that none can */
  uint32_t unfit_count;   /* of the latter, those with frequent values */
  uint32_t flagged_count; /* buckets with frequent values that a team sorts */
  union {
    MapDivide<Bits, KIND> divide;
    MapLook<Bits, KIND> look;
    OnChipTeamOf<Bits, KIND, OnChipBy::team> teams[on_chip_row(KIND, sizeof(Bits)).teams];
    OnChipTeamOf<Bits, KIND, OnChipBy::block> bucket; /* that is too long for a team */
  };
};
template <typename Bits>
using MappedStorage = MappedStorageOf<Bits, DEVICE_KIND>;
static_assert((uint64_t{most_map_buckets(DEVICE_KIND, 4)} << LINE_UNIT_BITS) < (uint64_t{1} << 32) &&
                  (uint64_t{most_map_buckets(DEVICE_KIND, 8)} << LINE_UNIT_BITS) < (uint64_t{1} << 32),
              "where lines begin are 32-bit numbers");
constexpr uint32_t MAX_ONE_SCATTER = max_one_scatter_buckets(DEVICE_KIND);
static_assert(MAX_ONE_SCATTER << SHORT_UNIT_BITS < 1u << 16, "where lines begin is half a word, where one scatter does");
constexpr uint32_t MAX_GROUPS = max_groups(DEVICE_KIND);
constexpr uint32_t MAX_TEAM_GROUPS = max_team_groups(DEVICE_KIND);
constexpr uint32_t MAX_FINE = max_fine_buckets(DEVICE_KIND);
constexpr uint32_t GOOD_FINE = good_fine_buckets(DEVICE_KIND);
constexpr uint32_t MAX_COARSE = max_coarse_buckets(DEVICE_KIND);
/* Keys of a block's tile, which its teams share out. */
template <typename Bits>
constexpr uint32_t MAP_TILE_ITEMS = map_tile_items(multiway_row(DEVICE_KIND, sizeof(Bits)), OnChipShape<Bits>::ROW);

/* How many buckets there should be, where so many are enough, for teams that take one after the other: as many for each, lest
   some have one to sort when all others are done. */
template <typename Number>
__host__ __device__ inline Number rounded_buckets(Number enough, Number teams) {
  return enough > MAX_ROUNDED_SHARE * teams ? enough : (enough + teams - 1) / teams * teams;
}

/* What a block needs that gathers a bucket's runs: where they are, behind the keys. */
template <typename Bits, DeviceKind KIND>
struct GatheredRuns {
  Bits keys[OnChipShapeOf<Bits, KIND, OnChipBy::block>::MAX_ITEMS];
  Run runs[MultiwayShapeOf<Bits, KIND>::BLOCK_THREADS]; /* in each tile */
};

/* Equal keys to be written: none, if it begins where it ends. */
template <typename Bits>
struct EqualPiece {
  unsigned long long begin;
  unsigned long long end;
  Bits key;
};

/* The shared memory of a block that gathers a bucket, and sorts it on chip. */
template <typename Bits, DeviceKind KIND>
struct GatherBlockOf {
  BlockStorage block; /* first, as in every fat block */
  uint32_t flag;
  uint32_t is_crowded; /* 1: most tiles have most of their keys in one bucket */
  unsigned long long warp_totals[WARP_LANES];
  EqualPiece<Bits> equal; /* of those that blocks share */
  union {
    GatheredRuns<Bits, KIND> gathered;
    Bits stage[MultiwayShapeOf<Bits, KIND>::STAGE_ROOM]; /* what is merged */
    OnChipTeamOf<Bits, KIND, OnChipBy::tile_block> tile;
    OnChipTeamOf<Bits, KIND, OnChipBy::block> bucket;
  };
};
template <typename Bits>
using GatherBlock = GatherBlockOf<Bits, DEVICE_KIND>;

/* That of a block of a short array's grid, which orders tiles and then gathers a bucket. */
template <typename Bits, DeviceKind KIND>
union ShortBlockOf {
  MultiwayStorageOf<Bits, KIND> order;
  GatherBlockOf<Bits, KIND> gather;
};
template <typename Bits>
using ShortBlock = ShortBlockOf<Bits, DEVICE_KIND>;

/* The most shared memory of a fat block on a kind of device: what kernels are allowed. It does not depend on the array, lest a
   sort of one allow less than another's, in another thread, is about to launch with. */
template <typename Bits, DeviceKind KIND>
constexpr uint32_t most_shared_bytes() {
  return static_cast<uint32_t>(std::max(sizeof(ShortBlockOf<Bits, KIND>), sizeof(MappedStorageOf<Bits, KIND>)));
}
template <typename Bits>
constexpr uint32_t short_shared_bytes(DeviceKind kind) {
  return for_kind(kind, [](auto constant) { return uint32_t{sizeof(ShortBlockOf<Bits, decltype(constant)::value>)}; });
}
template <typename Bits>
constexpr uint32_t fat_shared_bytes(DeviceKind kind) {
  return for_kind(kind, [](auto constant) { return most_shared_bytes<Bits, decltype(constant)::value>(); });
}
/* Of either size of keys. */
constexpr uint32_t fat_shared_bytes(DeviceKind kind) {
  return std::max(fat_shared_bytes<uint32_t>(kind), fat_shared_bytes<uint64_t>(kind));
}
static_assert(fat_shared_bytes(DeviceKind::small) <= 96 * 1024,
              "what 7.0 lets a block have; 8.6, 8.9 and 12.x let it have 99 KB");
static_assert(fat_shared_bytes(DeviceKind::medium) <= 163 * 1024, "what compute capability 8.0 lets a block have");
static_assert(
    fat_shared_bytes(DeviceKind::large) <= 195 * 1024,
    "what compute capability 9.0 lets a block have is 227 KB, but with 195 it has 60 KB of cache and not 28 (H200: 2^27 keys "
    "of 32 bits took 11 % longer then)");

} // namespace cdp::CDP_RUNTIME

#endif
