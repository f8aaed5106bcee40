/* SPDX-License-Identifier: MIT */
/*
 * Prints the numbers that documents name and the sources decide, a line each: NAME U32 U64, of devices of the large kind unless the
 * name says otherwise. figures.py compiles and runs it.
 */
#include "block/frequent_values.cuh"
#include "block/key_lines.cuh"
#include "block/mapped_shape.cuh"
#include "tuning_payload.h"
#include "tuning_segments.h"
#include "tuning_select.h"

#include <cstdio>

using namespace cdp;
using namespace cdp::simulated;

namespace {

void print(const char *name, uint64_t u32, uint64_t u64) {
  std::printf("%s %llu %llu\n", name, static_cast<unsigned long long>(u32), static_cast<unsigned long long>(u64));
}

/* What a function of a kind of device and a size of keys says of both sizes. */
template <typename Function>
void print_of(const char *name, DeviceKind kind, Function &&function) {
  print(name, function(kind, 4u), function(kind, 8u));
}

uint32_t team_items(DeviceKind kind, uint32_t key_bytes) {
  return on_chip_items(multiway_row(kind, key_bytes), on_chip_row(kind, key_bytes));
}

/* The most keys of an array that is counted at once, and of one that is scattered to its buckets in one step. */
uint64_t counted_at_once(DeviceKind kind, uint32_t key_bytes) {
  return uint64_t{on_chip_row(kind, key_bytes).max_buckets} * team_items(kind, key_bytes) / 16 * FULLEST_BUCKET_SHARE;
}

/* The most buckets whose counters, of so many bits, share the words of a block. */
uint32_t packed_buckets(DeviceKind kind, uint32_t key_bytes, uint32_t bits) {
  return (on_chip_row(kind, key_bytes).max_buckets + frequent_slots(kind, key_bytes)) * (32 / bits);
}

void print_kind(const char *prefix, DeviceKind kind) {
  char name[64];
  const auto named = [&](const char *what) {
    std::snprintf(name, sizeof name, "%s%s", prefix, what);
    return name;
  };
  print(named("block_bytes"), fat_shared_bytes<uint32_t>(kind), fat_shared_bytes<uint64_t>(kind));
  print(named("block_kilobytes"), (fat_shared_bytes<uint32_t>(kind) + 1023) / 1024,
        (fat_shared_bytes<uint64_t>(kind) + 1023) / 1024);
  print_of(named("tile"), kind, [](DeviceKind of, uint32_t bytes) { return multiway_tile_items(multiway_row(of, bytes)); });
  print_of(named("team"), kind, team_items);
  print_of(named("one_scatter"), kind, [](DeviceKind of, uint32_t) { return max_one_scatter_buckets(of); });
  print_of(named("counted"), kind, [](DeviceKind of, uint32_t bytes) { return on_chip_row(of, bytes).max_buckets; });
  print_of(named("buckets"), kind, most_map_buckets);
}

} // namespace

int main() {
  const DeviceKind large = DeviceKind::large;
  print_kind("", large);
  print_kind("medium_", DeviceKind::medium);
  print_kind("small_", DeviceKind::small);
  print("leaf", leaf_items(CUDA_4_BYTES), leaf_items(CUDA_8_BYTES));
  print_of("items_per_thread", large,
           [](DeviceKind of, uint32_t bytes) { return multiway_row(of, bytes).tile_items_per_thread; });
  print_of("longest_short", large, [](DeviceKind of, uint32_t bytes) { return min_mapped_items(of, bytes) - 1; });
  print_of("range", large, [](DeviceKind of, uint32_t bytes) { return max_range_items(multiway_row(of, bytes)); });
  print_of("map_tile", large,
           [](DeviceKind of, uint32_t bytes) { return map_tile_items(multiway_row(of, bytes), on_chip_row(of, bytes)); });
  print_of("block", large,
           [](DeviceKind of, uint32_t bytes) { return on_chip_block_items(multiway_row(of, bytes), on_chip_row(of, bytes)); });
  print("wide_run", wide_run_items(large), wide_run_items(large));
  print_of("block_pairs", large, block_pairs_items);
  print("wide_tile", wide_tile_items(large), wide_tile_items(large));
  print_of("cells", large, [](DeviceKind of, uint32_t bytes) { return on_chip_row(of, bytes).cells - SPARE_CELLS; });
  print_of("straight", large, [](DeviceKind of, uint32_t bytes) { return team_items(of, bytes) / 16 * STRAIGHT_BUCKET_SHARE; });
  print_of("by_lines", large, [](DeviceKind of, uint32_t bytes) { return team_items(of, bytes) / 16 * LINES_BUCKET_SHARE; });
  print_of("frequent", large, [](DeviceKind of, uint32_t bytes) { return frequent_slots(of, bytes) / 8 * 3; });
  print_of("look", large, [](DeviceKind of, uint32_t bytes) { return max_look_samples(multiway_row(of, bytes)); });
  print_of("millions_at_once", large, [](DeviceKind of, uint32_t bytes) { return counted_at_once(of, bytes) / 1000000; });
  print_of("millions_marked", large, [](DeviceKind of, uint32_t bytes) { return max_marked_items(of, bytes) / 1000000; });
  print_of("packed_16", large, [](DeviceKind of, uint32_t bytes) { return packed_buckets(of, bytes, 16); });
  print_of("packed_8", large, [](DeviceKind of, uint32_t bytes) { return packed_buckets(of, bytes, 8); });
  print_of("millions_packed", large, [](DeviceKind of, uint32_t bytes) {
    return uint64_t{packed_buckets(of, bytes, 8)} * (team_items(of, bytes) / 16 * STRAIGHT_BUCKET_SHARE) / 1000000;
  });
  print("lines", KEY_LINES, KEY_LINES);
  print("samples_per_bucket", MAP_SAMPLES_PER_BUCKET, MAP_SAMPLES_PER_BUCKET);
  print("groups", max_groups(large), max_groups(large));
  print("team_groups", max_team_groups(large), max_team_groups(large));
  print("good_fine", good_fine_buckets(large), good_fine_buckets(large));
  print("window", WINDOW_ITEMS, WINDOW_ITEMS);
  print("many_by_width", MANY_BY_WIDTH, MANY_BY_WIDTH);
  print_of("merged", large,
           [](DeviceKind of, uint32_t bytes) { return multiway_tile_items(multiway_row(of, bytes)) / MERGED_TILE_SHARE; });
  // The buckets of 2^24 keys on an H200: 132 multiprocessors of two teams each.
  const auto example = [](uint32_t bytes) {
    const uint64_t average = team_items(DeviceKind::large, bytes) / 16 * STRAIGHT_BUCKET_SHARE;
    return rounded_buckets((1u << 24) / average + 1, uint64_t{132} * on_chip_row(DeviceKind::large, bytes).teams);
  };
  print("example_buckets", example(4), example(8));
  print("example_items", (1u << 24) / example(4), (1u << 24) / example(8));
  print("byte_block", narrow_one_block_items(large, 1), narrow_one_block_items(large, 1));
  print("half_block", narrow_one_block_items(large, 2), narrow_one_block_items(large, 2));
  print("most_run", MOST_RUN_KEYS, MOST_RUN_KEYS);
  print("pending_limit_min", PENDING_LIMIT_MIN, PENDING_LIMIT_MIN);
  print("kernels", LAUNCHED_KERNELS, LAUNCHED_KERNELS);
  print("frequent_piece", FREQUENT_PIECE_ITEMS, FREQUENT_PIECE_ITEMS);
  const SelectShape select = select_shape(false);
  print("select_bins", 1u << select.bin_bits, 1u << select.bin_bits);
  print("select_sample", select.threads * select.samples, select.threads * select.samples);
  const SegmentLimits narrow = segment_limits(large, 4);
  const SegmentLimits wide = segment_limits(large, 8);
  print("segment_small", narrow.small, wide.small);
  print("segment_short", narrow.shorts, wide.shorts);
  print("segment_team", narrow.team, wide.team);
  print("segment_warp_buckets", segment_row(false, 4).warp_fan_out, segment_row(false, 8).warp_fan_out);
}
