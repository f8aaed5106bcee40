/* SPDX-License-Identifier: MIT */
/*
 * The launches of a division by given splitters, one behind the other on a stream, all by the host:
 *
 *     count ──▶ add up ──▶ scatter all that a tile can stage ──▶ copy back ──▶ for each other column: gather, copy back
 *
 * Values of 1, 2, 4 and 8 bytes are scattered with their keys, to the workspace. For others each key's position is, by which they are
 * gathered.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_DIVIDE_LAUNCHES_CUH
#define CDPSORT_DEVICE_PAYLOAD_DIVIDE_LAUNCHES_CUH

#include "payload/divide.cuh"
#include "payload/gather.cuh"
#include "payload/payload.h"

namespace cdp::CDP_RUNTIME {

template <typename Raw>
Division<Raw> division_of(const cdp_division_plan &plan) {
  const cdp_division_request &asked = plan.asked;
  Division<Raw> division = {};
  division.keys = static_cast<const Raw *>(asked.d_keys);
  division.count = asked.count;
  division.entry = entry_of<Raw>(asked.type, asked.order, asked.ties);
  division.parts = plan.parts;
  division.part_tiles = plan.part_tiles;
  division.splitters = static_cast<const Raw *>(asked.d_splitters);
  division.splitter_count = asked.splitter_count;
  division.bits = plan.bits;
  division.totals = reinterpret_cast<uint64_t *>(part_of(plan, plan.counts));
  division.part_counts = reinterpret_cast<uint32_t *>(division.totals + division.buckets());
  division.found = part_of(plan, plan.found);
  division.divided_keys = reinterpret_cast<Raw *>(part_of(plan, plan.keys));
  division.begins = asked.d_begins;
  if (plan.gathers)
    division.add(nullptr, part_of(plan, plan.positions), sizeof(uint32_t));
  for (uint32_t column = 0; column < asked.column_count; column++)
    if (is_tile_value(asked.columns[column].value_bytes))
      division.add(asked.columns[column].values, part_of(plan, plan.columns[column]), asked.columns[column].value_bytes);
  return division;
}

/* Brings a column to where it belongs. */
inline int finish_column(const cdp_division_plan &plan, uint32_t which, void *stream) {
  const cdp_column &column = plan.asked.columns[which];
  const uint64_t count = plan.asked.count;
  const unsigned char *divided = part_of(plan, plan.columns[which]);
  if (!is_tile_value(column.value_bytes)) {
    const Origins origins = {nullptr, 0, reinterpret_cast<uint32_t *>(part_of(plan, plan.positions))};
    unsigned char *gathered = part_of(plan, plan.gathered);
    CDP_RETURN_UNLESS_LAUNCHED(
        gather_values(origins, column.values, count, static_cast<uint32_t>(column.value_bytes), gathered, nullptr, stream));
    divided = gathered;
  }
  return copy_memory(column.values, divided, count * column.value_bytes, stream);
}

template <typename Found, typename Raw>
int launch_kernels(const Division<Raw> &division, void *stream) {
  static OncePerContext allowance;
  constexpr uint32_t BLOCK_BYTES = sizeof(DivideBlock<Raw>);
  CDP_RETURN_UNLESS_LAUNCHED(allowance.see_to([] { return allow_shared_bytes(divide_kernel<Raw, Found>, BLOCK_BYTES); }));
  return launch_partition_kernels<DIVIDE_THREADS>(division, division.buckets(), sizeof(PartBuckets<Raw>), BLOCK_BYTES,
                                                  count_part_buckets_kernel<Raw>, divide_kernel<Raw, Found>, stream);
}

template <typename Raw>
int launch_division_of(const cdp_division_plan &plan, void *stream) {
  const Division<Raw> division = division_of<Raw>(plan);
  CDP_RETURN_UNLESS_LAUNCHED(
      (plan.bits <= DIVIDE_BYTE_BITS ? launch_kernels<uint8_t, Raw> : launch_kernels<uint16_t, Raw>)(division, stream));
  CDP_RETURN_UNLESS_LAUNCHED(copy_memory(plan.asked.d_keys, division.divided_keys, plan.asked.count * sizeof(Raw), stream));
  for (uint32_t column = 0; column < plan.asked.column_count; column++)
    CDP_RETURN_UNLESS_LAUNCHED(finish_column(plan, column, stream));
  return LAUNCH_OK;
}

} // namespace cdp::CDP_RUNTIME

int cdp::CDP_RUNTIME::launch_division(const cdp_division_plan &plan, void *stream) {
  if (plan.asked.count == 0)
    return zero_memory(plan.asked.d_begins, (plan.asked.splitter_count + 2) * sizeof(uint64_t), stream);
  switch (cdp_engine_key_bytes(plan.asked.type)) {
  case 1:
    return launch_division_of<uint8_t>(plan, stream);
  case 2:
    return launch_division_of<uint16_t>(plan, stream);
  case 4:
    return launch_division_of<uint32_t>(plan, stream);
  default:
    return launch_division_of<uint64_t>(plan, stream);
  }
}

#endif
