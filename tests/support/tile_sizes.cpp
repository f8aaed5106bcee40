/* SPDX-License-Identifier: MIT */
/*
 * Reads device/tuning.h, which is C++, for tests in C. Plain numbers: nothing of the library is linked.
 */
#include "tile_sizes.h"

#include "../../device/tuning.h"

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
