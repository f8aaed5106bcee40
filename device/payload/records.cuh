/* SPDX-License-Identifier: MIT */
/*
 * Sorting by several fields: of records, or of columns that belong together.
 *
 *     for each group of fields, the last one first:   compose keys ──▶ sort indices by them, stably
 *                                            then:    gather the records, copy back
 *
 * 1. Entered keys are numbers, so that fields one behind another are a number, too, by which rows come in the order of the first
 *    field, and where that is equal in the order of the second, and so on.
 * 2. A key has 8 bytes at most. Fields that follow one another and fit, one bit of which may be as good as 64, are one group.
 * 3. A stable sort by one group keeps what those by all later ones have made of rows that are equal in it (Seward, 1954).
 * Therefore two numbers of 4 bytes take one sort, and sixteen of 8 bytes sixteen. Each sort is that of indices (payload_launches.cuh),
 * and begins with the order that the one before it has left.
 *
 * Records that have no more than the fields of one group, such as pairs of two numbers, need no indices: the keys are all there is
 * of them, and equal ones are the same. They are composed, sorted, and taken apart.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_RECORDS_CUH
#define CDPSORT_DEVICE_PAYLOAD_RECORDS_CUH

#include "payload/payload_launches.cuh"

namespace cdp::CDP_RUNTIME {

/* A field, as a kernel is given it. */
struct SourceField {
  const unsigned char *first;
  uint64_t stride;
  uint32_t bytes;
  bool is_aligned; /* everywhere, to its size */
  union {
    Entry<uint8_t> one_byte;
    Entry<uint16_t> two_bytes;
    Entry<uint32_t> four_bytes;
    Entry<uint64_t> eight_bytes;
  };
};

/* Those of a group. */
struct SourceFields {
  uint32_t count;
  SourceField fields[CDP_FIELDS_MAX];
};

template <typename Raw>
__device__ __forceinline__ Raw load_field(const SourceField &field, uint64_t row) {
  const unsigned char *source = field.first + row * field.stride;
  if (field.is_aligned)
    return *reinterpret_cast<const Raw *>(source);
  uint64_t raw = 0;
#pragma unroll
  for (uint32_t byte = 0; byte < sizeof(Raw); byte++)
    raw |= uint64_t{source[byte]} << (8 * byte);
  return static_cast<Raw>(raw);
}

__device__ __forceinline__ uint64_t enter_field(const SourceField &field, uint64_t row) {
  switch (field.bytes) {
  case 1:
    return field.one_byte.enter(load_field<uint8_t>(field, row));
  case 2:
    return field.two_bytes.enter(load_field<uint16_t>(field, row));
  case 4:
    return field.four_bytes.enter(load_field<uint32_t>(field, row));
  default:
    return field.eight_bytes.enter(load_field<uint64_t>(field, row));
  }
}

/* The keys of all rows in their order so far; NULL: in that of the input. */
template <typename Key>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    // cppcheck-suppress passedByValue
    compose_keys_kernel(const __grid_constant__ SourceFields fields, const uint32_t *order, uint64_t count, Key *keys) {
  for_each_item(count, [&](uint64_t index) {
    const uint64_t row = order != nullptr ? order[index] : index;
    uint64_t key = 0;
    for (uint32_t field = 0; field < fields.count; field++) {
      const SourceField &source = fields.fields[field];
      // A field of 8 bytes is alone in its group, and would be shifted by too much.
      const uint64_t upper = field == 0 ? 0 : key << (8 * source.bytes);
      key = upper | enter_field(source, row);
    }
    keys[index] = static_cast<Key>(key);
  });
}

/* ---- Records of keys ---------------------------------------------------------------------------------------------------- */

template <typename Raw>
__device__ __forceinline__ void store_field(const SourceField &field, uint64_t row, Raw raw) {
  unsigned char *target = const_cast<unsigned char *>(field.first) + row * field.stride;
  if (field.is_aligned) {
    *reinterpret_cast<Raw *>(target) = raw;
    return;
  }
#pragma unroll
  for (uint32_t byte = 0; byte < sizeof(Raw); byte++)
    target[byte] = static_cast<unsigned char>(uint64_t{raw} >> (8 * byte));
}

__device__ __forceinline__ void leave_field(const SourceField &field, uint64_t row, uint64_t entered) {
  switch (field.bytes) {
  case 1:
    return store_field(field, row, field.one_byte.leave(entered & 0xFF));
  case 2:
    return store_field(field, row, field.two_bytes.leave(entered & 0xFFFF));
  case 4:
    return store_field(field, row, field.four_bytes.leave(entered & 0xFFFFFFFF));
  default:
    return store_field(field, row, field.eight_bytes.leave(entered));
  }
}

/* Makes records of the keys that were made of them. */
template <typename Key>
__global__ void __launch_bounds__(PAYLOAD_THREADS)
    // cppcheck-suppress passedByValue
    take_keys_apart_kernel(const __grid_constant__ SourceFields fields, uint64_t count, const Key *keys) {
  for_each_item(count, [&](uint64_t index) {
    uint64_t key = keys[index];
    for (uint32_t field = fields.count; field-- > 0;) {
      const SourceField &source = fields.fields[field];
      leave_field(source, index, key);
      key = field == 0 ? 0 : key >> (8 * source.bytes);
    }
  });
}

/* ---- Launches ---------------------------------------------------------------------------------------------------------- */

inline SourceField source_field(const cdp_sort_field &asked, cdp_ties ties) {
  SourceField field = {};
  field.first = static_cast<const unsigned char *>(asked.d_first);
  field.stride = asked.stride;
  field.bytes = cdp_engine_key_bytes(asked.type);
  field.is_aligned = (reinterpret_cast<uintptr_t>(asked.d_first) | asked.stride) % field.bytes == 0;
  switch (field.bytes) {
  case 1:
    field.one_byte = entry_of<uint8_t>(asked.type, asked.order, ties);
    break;
  case 2:
    field.two_bytes = entry_of<uint16_t>(asked.type, asked.order, ties);
    break;
  case 4:
    field.four_bytes = entry_of<uint32_t>(asked.type, asked.order, ties);
    break;
  default:
    field.eight_bytes = entry_of<uint64_t>(asked.type, asked.order, ties);
  }
  return field;
}

inline bool is_narrow(const cdp_field_group &group) {
  return group.bits <= 32;
}

inline SourceFields source_fields(const cdp_records_plan &plan, const cdp_field_group &group) {
  SourceFields fields = {};
  for (uint32_t field = group.begin; field < group.end; field++)
    fields.fields[fields.count++] = source_field(plan.asked.fields[field], plan.asked.ties);
  return fields;
}

/* The same where they are written. */
inline SourceFields target_fields(cdp_records_plan plan, const cdp_field_group &group) {
  for (uint32_t field = group.begin; field < group.end; field++)
    plan.asked.fields[field].d_first =
        static_cast<unsigned char *>(plan.asked.d_sorted_records) + plan.asked.fields[field].offset;
  return source_fields(plan, group);
}

inline int compose_keys(const cdp_records_plan &plan, const cdp_field_group &group, const uint32_t *order, void *stream) {
  const uint64_t count = plan.asked.count;
  const SourceFields fields = source_fields(plan, group);
  unsigned char *keys = part_of(plan, plan.keys);
  if (is_narrow(group))
    return launch_from_host(payload_grid(count), stream, compose_keys_kernel<uint32_t>, fields, order, count,
                            reinterpret_cast<uint32_t *>(keys));
  return launch_from_host(payload_grid(count), stream, compose_keys_kernel<uint64_t>, fields, order, count,
                          reinterpret_cast<uint64_t *>(keys));
}

/* Sorts the order so far by a group, into `indices`. */
inline int sort_by_group(const cdp_records_plan &plan, const cdp_field_group &group, const uint32_t *order, void *indices,
                         uint32_t index_bytes, void *stream) {
  cdp_payload_plan sort = is_narrow(group) ? plan.narrow : plan.wide;
  sort.asked.d_keys = part_of(plan, plan.keys);
  sort.asked.d_indices = indices;
  sort.asked.index_bytes = index_bytes;
  sort.asked.d_first_indices = order;
  sort.d_workspace = part_of(plan, plan.sort);
  CDP_RETURN_UNLESS_LAUNCHED(compose_keys(plan, group, order, stream));
  return launch_payload(sort, stream);
}

/* To where they go, or by way of the workspace, where no sort is any more. */
inline int gather_records(const cdp_records_plan &plan, const uint32_t *order, void *stream) {
  const cdp_records_request &asked = plan.asked;
  const Origins origins = {nullptr, 0, order};
  const uint32_t bytes = static_cast<uint32_t>(asked.record_bytes);
  void *gathered = asked.is_apart ? asked.d_sorted_records : part_of(plan, plan.keys);
  CDP_RETURN_UNLESS_LAUNCHED(gather_values(origins, asked.d_records, asked.count, bytes, gathered, nullptr, stream));
  return asked.is_apart ? LAUNCH_OK : copy_memory(asked.d_sorted_records, gathered, asked.count * asked.record_bytes, stream);
}

/* Records that are keys are sorted as such. */
inline int sort_as_keys(const cdp_records_plan &plan, void *stream) {
  const cdp_field_group &group = plan.groups[0];
  const uint64_t count = plan.asked.count;
  cdp_plan sort = plan.key_sort;
  sort.d_keys = part_of(plan, plan.keys);
  sort.d_workspace = part_of(plan, plan.sort);
  CDP_RETURN_UNLESS_LAUNCHED(compose_keys(plan, group, nullptr, stream));
  CDP_RETURN_UNLESS_LAUNCHED(launch_sort(sort, false, stream));
  const SourceFields fields = target_fields(plan, group);
  if (is_narrow(group))
    return launch_from_host(payload_grid(count), stream, take_keys_apart_kernel<uint32_t>, fields, count,
                            static_cast<const uint32_t *>(sort.d_keys));
  return launch_from_host(payload_grid(count), stream, take_keys_apart_kernel<uint64_t>, fields, count,
                          static_cast<const uint64_t *>(sort.d_keys));
}

} // namespace cdp::CDP_RUNTIME

int cdp::CDP_RUNTIME::launch_records(const cdp_records_plan &plan, void *stream) {
  const cdp_records_request &asked = plan.asked;
  const uint32_t *order = nullptr;
  if (plan.are_keys)
    return sort_as_keys(plan, stream);
  for (uint32_t group = plan.group_count; group-- > 0;) {
    const bool is_asked_for = group == 0 && asked.index_bytes != 0;
    void *indices = is_asked_for ? asked.d_indices : part_of(plan, plan.orders[group % 2]);
    const uint32_t index_bytes = is_asked_for ? asked.index_bytes : static_cast<uint32_t>(sizeof(uint32_t));
    CDP_RETURN_UNLESS_LAUNCHED(sort_by_group(plan, plan.groups[group], order, indices, index_bytes, stream));
    order = static_cast<const uint32_t *>(indices);
  }
  return asked.record_bytes != 0 ? gather_records(plan, order, stream) : LAUNCH_OK;
}

#endif
