/* SPDX-License-Identifier: MIT */
/*
 * The launches of a sort that carries values with its keys (carry.cuh).
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_LAUNCHES_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_LAUNCHES_CUH

#include "payload/carry_buckets.cuh"
#include "payload/carry_scatter.cuh"
#include "payload/items.cuh"
#include "payload/payload.h"

namespace cdp::CDP_RUNTIME {

/* What says whether the sort of items is wanted: CarryControl::given_up. NULL: in any case. */
inline const uint32_t *wanted_behind_carrying(const cdp_payload_plan &plan) {
  static_assert(offsetof(CarryControl<uint32_t>, given_up) == 0 && offsetof(CarryControl<uint64_t>, given_up) == 0,
                "it is the first");
  return plan.carries ? reinterpret_cast<const uint32_t *>(part_of(plan, plan.carry.control)) : nullptr;
}

/* Whether values lie where they can be read as what they are; and whether indices are what they were planned as: the last of several
   sorts by columns may write them with 8 bytes, and those of the sort before it have 4. */
inline bool are_carriable(const cdp_payload_plan &plan) {
  const cdp_payload_column &column = plan.asked.columns[0];
  if (plan.asked.column_count == 0)
    return plan.asked.index_bytes == plan.carry.value_bytes &&
           (plan.asked.d_first_indices == nullptr || plan.asked.index_bytes == sizeof(uint32_t));
  const uintptr_t both = reinterpret_cast<uintptr_t>(column.d_source) | reinterpret_cast<uintptr_t>(column.d_target);
  return both % column.value_bytes == 0;
}

template <typename Key, typename Value>
Carry<Key, Value> carry_of(const cdp_payload_plan &plan) {
  const cdp_payload_request &asked = plan.asked;
  const bool has_values = asked.column_count != 0;
  Carry<Key, Value> carry = {};
  carry.keys = static_cast<const Key *>(asked.d_keys);
  carry.values = static_cast<const Value *>(has_values ? asked.columns[0].d_source : asked.d_first_indices);
  carry.sorted_keys =
      static_cast<Key *>(asked.d_sorted_keys != nullptr ? asked.d_sorted_keys : part_of(plan, plan.carry.sorted_keys));
  carry.wants_keys = asked.d_sorted_keys != nullptr;
  carry.sorted_values = static_cast<Value *>(has_values ? asked.columns[0].d_target : asked.d_indices);
  carry.grouped_keys = reinterpret_cast<Key *>(part_of(plan, plan.carry.grouped_keys));
  carry.grouped_values = reinterpret_cast<Value *>(part_of(plan, plan.carry.grouped_values));
  carry.count = static_cast<uint32_t>(asked.count);
  carry.groups = plan.carry.groups;
  carry.most_groups = plan.carry.most_groups;
  carry.straight_buckets = plan.carry.straight_buckets;
  carry.straight_group_buckets = plan.carry.straight_group_buckets;
  carry.learnt_group_buckets = plan.carry.learnt_group_buckets;
  carry.learnt_bucket_items = plan.carry.learnt_bucket_items;
  carry.tiles = plan.carry.tiles;
  carry.leaves_order = plan.carry.leaves_order;
  carry.counts_again = plan.carry.counts_again;
  carry.map = key_map<Key>(asked.type, asked.order);
  carry.seed = plan.sort.seed;
  carry.control = reinterpret_cast<CarryControl<Key> *>(part_of(plan, plan.carry.control));
  carry.begins = reinterpret_cast<uint32_t *>(carry.control + 1);
  carry.most_buckets = plan.carry.buckets;
  carry.splitters = reinterpret_cast<CarrySplitters<Key> *>(part_of(plan, plan.carry.splitters));
  carry.listed = reinterpret_cast<uint32_t *>(part_of(plan, plan.carry.listed));
  carry.tile_places = reinterpret_cast<uint32_t *>(part_of(plan, plan.carry.tile_places));
  return carry;
}

inline GridShape carry_grid(const cdp_carry_plan &shape, uint32_t blocks, size_t shared_bytes) {
  return {blocks, shape.threads, static_cast<uint32_t>(shared_bytes)};
}

/* Looks, counts and places: until it is known where groups are. */
template <typename Key, typename Value>
int launch_carry_counts(const cdp_carry_plan &shape, const Carry<Key, Value> &carry, void *stream) {
  CDP_RETURN_UNLESS_LAUNCHED(
      launch_from_host(carry_grid(shape, 1, shape.look_shared_bytes), stream, carry_look_kernel<Key, Value>, carry));
  if (!carry.is_again)
    CDP_RETURN_UNLESS_LAUNCHED(
        launch_from_host(carry_grid(shape, std::min(carry.tiles, CARRY_COUNTERS * shape.multiprocessors), 0), stream,
                         carry_order_kernel<Key, Value>, carry));
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(
      carry_grid(shape, std::min(carry.tiles, CARRY_COUNTERS * shape.multiprocessors), shape.count_shared_bytes), stream,
      carry_count_kernel<Key, Value>, carry));
  CDP_RETURN_UNLESS_LAUNCHED(
      launch_from_host(carry_grid(shape, 1, sizeof(CarryTotals)), stream, carry_place_kernel<Key, Value>, carry));
  return launch_from_host(carry_grid(shape, carry.most_groups, sizeof(CarryTotals)), stream, carry_add_kernel<Key, Value>,
                          carry);
}

/* All that may have more shared memory than every kernel. */
template <typename Key, typename Value>
int allow_carrying(const cdp_carry_plan &shape) {
  CDP_RETURN_UNLESS_LAUNCHED(allow_shared_bytes(carry_look_kernel<Key, Value>, shape.look_shared_bytes));
  CDP_RETURN_UNLESS_LAUNCHED(allow_shared_bytes(carry_count_kernel<Key, Value>, shape.most_count_shared_bytes));
  CDP_RETURN_UNLESS_LAUNCHED(allow_shared_bytes(carry_divide_kernel<Key, Value>, shape.divide_shared_bytes));
  CDP_RETURN_UNLESS_LAUNCHED(allow_each_shared_bytes(shape.scatter_shared_bytes, carry_to_groups_kernel<Key, Value>,
                                                     carry_to_buckets_kernel<Key, Value>));
  return allow_each_shared_bytes(shape.sort_shared_bytes, carry_sort_kernel<Key, Value>, carry_sort_long_kernel<Key, Value>);
}

template <typename Key, typename Value>
int launch_carrying_of(const cdp_payload_plan &plan, void *stream) {
  static OncePerContext allowance;
  const cdp_carry_plan &shape = plan.carry;
  Carry<Key, Value> carry = carry_of<Key, Value>(plan);
  const GridShape sort_grid = {shape.multiprocessors, MultiwayShape<CarryItem>::BLOCK_THREADS, shape.sort_shared_bytes};
  CDP_RETURN_UNLESS_LAUNCHED(allowance.see_to([&] { return allow_carrying<Key, Value>(shape); }));
  CDP_RETURN_UNLESS_LAUNCHED(zero_memory(carry.control, shape.control_bytes, stream));
  CDP_RETURN_UNLESS_LAUNCHED(launch_carry_counts(shape, carry, stream));
  if (carry.counts_again) {
    carry.is_again = true;
    CDP_RETURN_UNLESS_LAUNCHED(launch_carry_counts(shape, carry, stream));
    carry.is_again = false;
  }
  CDP_RETURN_UNLESS_LAUNCHED(
      launch_from_host(carry_grid(shape, std::min(carry.tiles, shape.multiprocessors), shape.scatter_shared_bytes), stream,
                       carry_to_groups_kernel<Key, Value>, carry));
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(carry_grid(shape, CARRY_DIVIDERS * carry.most_groups, shape.divide_shared_bytes),
                                              stream, carry_divide_kernel<Key, Value>, carry));
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(carry_grid(shape, carry.most_groups, shape.scatter_shared_bytes), stream,
                                              carry_to_buckets_kernel<Key, Value>, carry));
  CDP_RETURN_UNLESS_LAUNCHED(launch_from_host(sort_grid, stream, carry_sort_kernel<Key, Value>, carry));
  return launch_from_host(sort_grid, stream, carry_sort_long_kernel<Key, Value>, carry);
}

/* Launches it. Returns the first cudaError_t. */
template <typename Key>
int launch_carrying(const cdp_payload_plan &plan, void *stream) {
  const bool are_wide = plan.carry.value_bytes == sizeof(uint64_t);
  return are_wide ? launch_carrying_of<Key, uint64_t>(plan, stream) : launch_carrying_of<Key, uint32_t>(plan, stream);
}

} // namespace cdp::CDP_RUNTIME

#endif
