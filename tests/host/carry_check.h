/* SPDX-License-Identifier: MIT */
/*
 * What tests of carried values (test_carry.cpp) do with keys: sort them, and tell whether what goes with them was carried, as the control
 * words in the workspace say.
 */
#ifndef CDPSORT_TESTS_HOST_CARRY_CHECK_H
#define CDPSORT_TESTS_HOST_CARRY_CHECK_H

#include "host_tables.h"

#include "block/splitters.cuh"
#include "tuning_carry.h"

extern "C" {
#include "device.h"
#include "options.h"
}

#include <cdpsort/pairs.h>

namespace carry_check {

using namespace host_tables;

constexpr cdp_type CARRIED_TYPES[] = {CDP_U32, CDP_I32, CDP_F32, CDP_U64, CDP_I64, CDP_F64};
constexpr int CARRIED = 6;
constexpr cdp_type WIDTHS[] = {CDP_U32, CDP_U64};

inline cdp::CarryKeysRow row_of(cdp_type type) {
  return cdp::carry_keys_row(cdp::DeviceKind::simulated, host_key_bytes(type));
}
inline size_t tile_of(cdp_type type) {
  return size_t{cdp::carry_row(cdp::DeviceKind::simulated).threads} * row_of(type).items;
}

/* Writes down the lower bits of a number as a key. */
inline void put_key(Bytes &bytes, size_t index, cdp_type type, uint64_t key) {
  const uint32_t lower = static_cast<uint32_t>(key);
  if (host_key_bytes(type) == sizeof lower)
    memcpy(&bytes[index * sizeof lower], &lower, sizeof lower);
  else
    memcpy(&bytes[index * sizeof key], &key, sizeof key);
}

/* How far a number of 32 bits is raised in keys of a type. */
inline uint32_t raise_of(cdp_type type) {
  return static_cast<uint32_t>(host_key_bytes(type) - sizeof(uint32_t)) * 8;
}

/* What goes with the keys. */
enum Goods { VALUES_OF_4, VALUES_OF_8, INDICES, INDICES_AND_KEYS, INDICES_OF_8, GOODS };

constexpr bool is_argsort(Goods goods) {
  return goods >= INDICES;
}
constexpr size_t value_bytes_of(Goods goods) {
  return goods == VALUES_OF_8 || goods == INDICES_OF_8 ? 8 : 4;
}

/* What is stable has values gathered, if they are not carried. */
inline size_t least_of(Goods goods, cdp_type type) {
  return is_argsort(goods) ? row_of(type).least_packed_count : row_of(type).least_count;
}

inline cdp_payload_plan plan_of(Goods goods, size_t count, cdp_type type, const cdp_options &options) {
  const cdp_device_wish wish = {CDP_WISH_SIMULATED, 0, "a test"};
  cdp_device device;
  cdp_settings settings;
  cdp_payload_plan plan;
  int somewhere = 0;
  cdp_payload_request request = {};
  request.type = type;
  request.order = options.order;
  request.ties = options.ties;
  request.count = count;
  request.d_keys = &somewhere;
  request.d_sorted_keys = goods == INDICES || goods == INDICES_OF_8 ? nullptr : &somewhere;
  if (is_argsort(goods))
    request.index_bytes = static_cast<uint32_t>(value_bytes_of(goods));
  else {
    request.column_count = 1;
    request.columns[0].value_bytes = value_bytes_of(goods);
  }
  ck_assert_int_eq(cdp_device_choose(&wish, nullptr, &device), CDP_OK);
  ck_assert_int_eq(cdp_options_resolve(&options, CDP_U64, &settings), CDP_OK);
  ck_assert_int_eq(cdp_engine_plan_payload(&settings, &request, &device.facts, false, &plan), CDP_OK);
  return plan;
}

/* Keys as what they mean, for messages. */
struct Case {
  Goods goods;
  cdp_type type;
  cdp_options options;
  size_t offset; /* of values, from an aligned address */
};

/* What became of it. */
enum class Fate { not_tried, given_up, in_order, carried, counted_again };

/* Sorts, and ends the test unless all is as the stable sort has it. Returns whether values were carried. */
inline Fate must_sort(const Case &at, const Bytes &keys) {
  const size_t value_bytes = value_bytes_of(at.goods);
  const size_t key_bytes = host_key_bytes(at.type);
  const size_t count = keys.size() / key_bytes;
  const bool leaves_keys = at.goods == INDICES || at.goods == INDICES_OF_8;
  const cdp_payload_plan plan = plan_of(at.goods, count, at.type, at.options);
  const Bytes values = random_bytes(count * value_bytes, at.options.seed);
  const std::vector<uint64_t> order = stable_order(at.type, at.options, keys);
  const Guarded own_keys(keys, key_bytes);
  const Guarded own_values(values, at.offset);
  const Guarded workspace(Bytes(plan.workspace_bytes, 0xC3));
  unsigned char *k = own_keys.bytes();
  unsigned char *v = own_values.bytes();
  unsigned char *w = workspace.bytes();
  const cdp_status status = is_argsort(at.goods) ? cdp_argsort_async(k, leaves_keys ? nullptr : k, v, value_bytes, count,
                                                                     at.type, &at.options, w, plan.workspace_bytes, nullptr)
                                                 : cdp_quicksort_pairs_async(k, v, value_bytes, count, at.type, &at.options, w,
                                                                             plan.workspace_bytes, nullptr);
  ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
  Bytes wanted_values = in_order(values, value_bytes, order);
  if (is_argsort(at.goods))
    for (size_t index = 0; index < count; index++)
      memcpy(&wanted_values[index * value_bytes], &order[index], value_bytes); // the lower bytes come first
  const char *name = host_type_name(at.type);
  ck_assert_msg(own_keys.contents() == (leaves_keys ? keys : in_order(keys, key_bytes, order)),
                "%zu keys of %s are not sorted, goods %d", count, name, static_cast<int>(at.goods));
  ck_assert_msg(own_values.contents() == wanted_values, "%zu keys of %s, goods %d: values are not as the stable sort has them",
                count, name, static_cast<int>(at.goods));
  ck_assert_uint_eq(workspace.contents().size(), plan.workspace_bytes);
  if (!plan.carries)
    return Fate::not_tried;
  uint32_t words[4]; // CarryControl::given_up, is_in_order, is_learnt, is_missed
  memcpy(words, w + plan.carry.control, sizeof words);
  // Where values lie askew nothing is tried, and the words are as they were.
  if (words[0] > 1)
    return Fate::not_tried;
  if (words[0] == 1 || words[1] == 1)
    return words[0] == 1 ? Fate::given_up : Fate::in_order;
  return words[3] == 1 ? Fate::counted_again : Fate::carried;
}

inline Case case_of(int which, uint64_t seed) {
  Case at = {static_cast<Goods>(which % GOODS), CARRIED_TYPES[which / GOODS % CARRIED], simulated_options(seed), 0};
  at.options.order = static_cast<cdp_order>(seed % 2);
  at.options.ties = CDP_TIES_STABLE;
  return at;
}

inline void must_become(Fate wanted, const Case &at, const Bytes &keys, const char *what) {
  const Fate fate = must_sort(at, keys);
  ck_assert_msg(fate == wanted, "%zu keys of %s, %s: %d in place of %d", keys.size() / host_key_bytes(at.type),
                host_type_name(at.type), what, static_cast<int>(fate), static_cast<int>(wanted));
}

} // namespace carry_check

#endif
