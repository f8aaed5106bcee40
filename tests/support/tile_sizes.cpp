/* SPDX-License-Identifier: MIT */
/*
 * Reads device/tuning.h, which is C++, for tests in C. Plain numbers: nothing of the library is linked.
 */
#include "tile_sizes.h"

#include "../../device/tuning.h"
#include "../../device/tuning_bitonic.h"
#include "../../device/tuning_payload.h"
#include "../../device/tuning_ranges.h"
#include "../../device/tuning_segments.h"

extern "C" uint32_t simulated_tile_items(uint32_t key_bytes) {
  return cdp::tile_items(cdp::tuning_row(true, key_bytes));
}

extern "C" uint32_t simulated_leaf_items(uint32_t key_bytes) {
  return cdp::leaf_items(cdp::tuning_row(true, key_bytes));
}

extern "C" uint32_t simulated_range_items(uint32_t key_bytes) {
  return cdp::max_range_items(cdp::multiway_row(cdp::DeviceKind::simulated, key_bytes));
}

extern "C" uint32_t cuda_tile_items(uint32_t key_bytes) {
  return cdp::tile_items(cdp::tuning_row(false, key_bytes));
}

extern "C" uint32_t cuda_leaf_items(uint32_t key_bytes) {
  return cdp::leaf_items(cdp::tuning_row(false, key_bytes));
}

static uint32_t divide_tile(bool is_simulated) {
  const cdp::DivideShape shape = cdp::divide_shape(is_simulated);
  return shape.threads * shape.items;
}

extern "C" uint32_t simulated_divide_tile() {
  return divide_tile(true);
}

extern "C" uint32_t simulated_divide_parts() {
  return cdp::divide_shape(true).max_parts;
}

extern "C" uint32_t cuda_divide_tile() {
  return divide_tile(false);
}

extern "C" uint32_t cuda_divide_parts() {
  return cdp::divide_shape(false).max_parts;
}

extern "C" uint32_t simulated_block_pairs(uint32_t key_bytes) {
  return cdp::block_pairs_items(cdp::DeviceKind::simulated, key_bytes);
}

extern "C" uint32_t cuda_block_pairs(uint32_t key_bytes) {
  return cdp::block_pairs_items(cdp::DeviceKind::large, key_bytes);
}

extern "C" uint32_t simulated_walk_tile(uint32_t key_bytes) {
  return cdp::walk_tile(cdp::ranges_shape(true), key_bytes);
}

extern "C" uint32_t simulated_merge_tile(uint32_t key_bytes) {
  return cdp::merge_tile(cdp::ranges_shape(true), key_bytes);
}

extern "C" uint32_t cuda_walk_tile(uint32_t key_bytes) {
  return cdp::walk_tile(cdp::ranges_shape(false), key_bytes);
}

extern "C" uint32_t cuda_merge_tile(uint32_t key_bytes) {
  return cdp::merge_tile(cdp::ranges_shape(false), key_bytes);
}

static uint32_t segment_limit(cdp::DeviceKind kind, uint32_t which, uint32_t key_bytes) {
  const cdp::SegmentLimits limits = cdp::segment_limits(kind, key_bytes);
  const uint32_t all[SEGMENT_LIMIT_COUNT] = {limits.small, limits.shorts, limits.team, limits.block};
  return all[which];
}

extern "C" uint32_t simulated_segment_limit(uint32_t which, uint32_t key_bytes) {
  return segment_limit(cdp::DeviceKind::simulated, which, key_bytes);
}

extern "C" uint32_t cuda_segment_limit(uint32_t which, uint32_t key_bytes) {
  return segment_limit(cdp::DeviceKind::large, which, key_bytes);
}

extern "C" uint32_t simulated_bitonic_tile(uint32_t key_bytes) {
  return cdp::bitonic_tile(cdp::bitonic_shape(true), key_bytes);
}

extern "C" uint32_t cuda_bitonic_tile(uint32_t key_bytes) {
  return cdp::bitonic_tile(cdp::bitonic_shape(false), key_bytes);
}
