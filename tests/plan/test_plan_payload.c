/* SPDX-License-Identifier: MIT */
/*
 * Plans of sorts with values or indices, and of divisions: how large their workspace may be, on any device, and what none can be made
 * of. Linked with the static library.
 */
#include <cdpsort/pairs.h>

#include "planned.h"

/* ---- What pairs.h says of the workspace ------------------------------------------------------------------------ */

/* Bytes for each row at most, with default options on an H200; gathers_keys: they have 8 bytes, or are joined by value. */
static uint64_t documented_pair_bytes(uint64_t value_bytes, bool gathers_keys) {
  return 17 + value_bytes + (gathers_keys ? 16 : 0);
}

static uint64_t documented_argsort_bytes(bool gathers_keys) {
  return 17 + (gathers_keys ? 28 : 0);
}

/* And for all rows together. */
#define MORE_BYTES ((uint64_t)16 << 20)

/* On other devices as much more as the workspace of 8-byte keys has (cdpsort.h), of each key's 8 bytes in percent. */
static const uint64_t more_percent[KINDS] = {100, 15, 0, 0};

/* ---- Plans ----------------------------------------------------------------------------------------------------- */

/* What goes with the keys; value_bytes 0: indices. */
typedef struct goods {
  size_t value_bytes;
  bool writes_keys;
} goods;

static const goods all_goods[] = {{1, true}, {4, true}, {8, true}, {100, true}, {0, false}, {0, true}};
#define GOODS ((int)(sizeof all_goods / sizeof *all_goods))

static const cdp_type types[] = {CDP_U8, CDP_F16, CDP_F32, CDP_I64};
#define TYPE_COUNT (sizeof types / sizeof *types)

static const cdp_ties all_ties[] = {CDP_TIES_ANY, CDP_TIES_STABLE, CDP_TIES_BY_VALUE};

/* Tells that there is something to write to; a plan does not look there. */
static uint64_t somewhere;

static cdp_payload_request request_of(const goods *with, cdp_type type, cdp_ties ties, uint64_t count) {
  cdp_payload_request request = {.type = type, .ties = ties, .count = count, .d_keys = &somewhere};
  request.d_sorted_keys = with->writes_keys ? &somewhere : NULL;
  if (with->value_bytes != 0) {
    request.column_count = 1;
    request.columns[0] = (cdp_payload_column){NULL, NULL, with->value_bytes};
  } else {
    request.index_bytes = sizeof(uint32_t);
    request.d_indices = (unsigned char *)&somewhere + sizeof(uint32_t);
  }
  return request;
}

static cdp_status plan_payload(const cdp_payload_request *request, uint32_t kind, bool is_captured, cdp_payload_plan *plan) {
  const cdp_options options = CDP_OPTIONS_INIT;
  const cdp_device_facts facts = planned_device(kind);
  cdp_settings settings;
  memset(plan, 0xEE, sizeof *plan); // nothing is left as it was
  ck_assert_int_eq(cdp_options_resolve(&options, CDP_U64, &settings), CDP_OK);
  return cdp_engine_plan_payload(&settings, request, &facts, is_captured, plan);
}

static bool is_to_be_carried(const cdp_payload_request *request) {
  cdp_payload_plan plan;
  ck_assert_int_eq(plan_payload(request, KIND_H200, false, &plan), CDP_OK);
  return plan.carries;
}

static uint64_t workspace_of(const cdp_payload_request *request, uint32_t kind, bool is_captured) {
  cdp_payload_plan plan;
  ck_assert_int_eq(plan_payload(request, kind, is_captured, &plan), CDP_OK);
  return plan.workspace_bytes;
}

/* 1, 2, and from 2^10 to 2^32 each power and one to either side of it, that of the greatest excepted. */
#define COUNTS (2 + 3 * 23 - 1)
static uint64_t count_at(int index) {
  if (index < 2)
    return (uint64_t)index + 1;
  return ((uint64_t)1 << (10 + (index - 2) / 3)) + (uint64_t)((index - 2) % 3) - 1;
}

/* ---- Tests ----------------------------------------------------------------------------------------------------- */

/* And of about twice the rows never smaller. _i: what goes with the keys, and the kind of device. */
START_TEST(workspace_is_as_large_as_documented) {
  const goods *with = &all_goods[_i / (int)KINDS];
  const uint32_t kind = (uint32_t)_i % KINDS;
  ck_assert_uint_eq(count_at(COUNTS - 1), CDP_PAIRS_COUNT_MAX);
  for (size_t type = 0; type < TYPE_COUNT; type++)
    for (size_t ties = 0; ties < sizeof all_ties / sizeof *all_ties; ties++) {
      const bool gathers_keys = cdp_engine_key_bytes(types[type]) == 8 || all_ties[ties] == CDP_TIES_BY_VALUE;
      const uint64_t row_bytes = with->value_bytes != 0 ? documented_pair_bytes(with->value_bytes, gathers_keys)
                                                        : documented_argsort_bytes(gathers_keys);
      uint64_t all_bytes[COUNTS];
      for (int index = 0; index < COUNTS; index++) {
        const uint64_t count = count_at(index);
        const cdp_payload_request request = request_of(with, types[type], all_ties[ties], count);
        const uint64_t bytes = workspace_of(&request, kind, false);
        ck_assert_uint_le(bytes, count * row_bytes + count * 8 * more_percent[kind] / 100 + MORE_BYTES);
        ck_assert_uint_ge(bytes, count * 8);
        ck_assert_uint_eq(bytes % CDP_WORKSPACE_ALIGNMENT, 0);
        ck_assert_uint_le(workspace_of(&request, kind, true), bytes);
        all_bytes[index] = bytes;
        if (index >= 3) // from one key to the next there may be fewer task tables, and so fewer bytes
          ck_assert_uint_ge(bytes, all_bytes[index - 3]);
      }
    }
}
END_TEST

/* Where values are carried there is at most twice as much beside the arrays, and 16 MiB: up to 2^26 pairs. */
START_TEST(carried_pairs_take_twice_as_much) {
  static const struct {
    cdp_type type;
    uint32_t value_bytes;
    cdp_ties ties;
  } pairs[] = {{CDP_U32, 4, CDP_TIES_ANY},    {CDP_U32, 4, CDP_TIES_STABLE}, {CDP_U32, 8, CDP_TIES_STABLE},
               {CDP_U64, 4, CDP_TIES_STABLE}, {CDP_U64, 8, CDP_TIES_ANY},    {CDP_U64, 8, CDP_TIES_STABLE}};
  for (size_t which = 0; which < sizeof pairs / sizeof *pairs; which++)
    for (uint64_t count = (uint64_t)1 << 24; count <= (uint64_t)1 << 26; count *= 2) {
      const goods with = {pairs[which].value_bytes, true};
      const cdp_payload_request request = request_of(&with, pairs[which].type, pairs[which].ties, count);
      const uint64_t pair_bytes = cdp_engine_key_bytes(pairs[which].type) + pairs[which].value_bytes;
      ck_assert(is_to_be_carried(&request));
      ck_assert_uint_le(workspace_of(&request, KIND_H200, false), 2 * count * pair_bytes + MORE_BYTES);
    }
}
END_TEST

/* Larger values never take less, unless they are carried, nor do columns than the largest of them, and not more than is documented of all
   together. */
START_TEST(workspace_is_that_of_all_values) {
  static const uint64_t counts[] = {1, 2, 1000, 100003, 1 << 24};
  for (size_t which = 0; which < sizeof counts / sizeof *counts; which++)
    for (size_t type = 0; type < TYPE_COUNT; type++) {
      const bool gathers_keys = cdp_engine_key_bytes(types[type]) == 8;
      uint64_t before = 0;
      uint64_t value_bytes = 0;
      cdp_payload_request columns = {.type = types[type], .ties = CDP_TIES_STABLE, .count = counts[which]};
      columns.d_keys = columns.d_sorted_keys = &somewhere;
      for (int with = 0; with < GOODS && all_goods[with].value_bytes != 0; with++) {
        const cdp_payload_request pairs = request_of(&all_goods[with], types[type], CDP_TIES_STABLE, counts[which]);
        const uint64_t bytes = workspace_of(&pairs, KIND_H200, false);
        columns.columns[columns.column_count++] = pairs.columns[0];
        const uint64_t columns_bytes = workspace_of(&columns, KIND_H200, false);
        value_bytes += all_goods[with].value_bytes;
        ck_assert(bytes >= before || is_to_be_carried(&pairs));
        ck_assert_uint_ge(columns_bytes, bytes);
        ck_assert_uint_le(columns_bytes, counts[which] * documented_pair_bytes(value_bytes, gathers_keys) + MORE_BYTES);
        before = bytes;
      }
    }
}
END_TEST

/* Few keys are one block's, of as many threads as hold four keys each: up to 2,048, or 4,096 of 8 bytes, on an H200. */
START_TEST(one_block_sorts_few_keys) {
  for (size_t type = 0; type < TYPE_COUNT; type++) {
    const uint64_t most = cdp_engine_key_bytes(types[type]) == 8 ? 4096 : 2048;
    const uint64_t counts[] = {2, 128, 129, most - 1, most, 1, most + 1, 1 << 20};
    for (int with = 0; with < GOODS; with++)
      for (size_t which = 0; which < sizeof counts / sizeof *counts; which++) {
        const cdp_payload_request request = request_of(&all_goods[with], types[type], CDP_TIES_ANY, counts[which]);
        cdp_payload_plan plan;
        ck_assert_int_eq(plan_payload(&request, KIND_H200, false, &plan), CDP_OK);
        ck_assert_uint_eq(plan.block_threads, which < 5 ? (counts[which] + 127) / 128 * 32 : 0);
      }
  }
}
END_TEST

static uint32_t bits_in(uint64_t number) {
  uint32_t bits = 0;
  for (; number >> bits != 0; bits++) {
  }
  return bits;
}

/* Rounds behind the first show of long runs' keys 29 bits, and three more than a position has: as many as windows by pieces may leave, of
   which there would be too many otherwise. _i: the kind of device. */
START_TEST(rounds_show_what_windows_leave) {
  for (uint32_t power = 15; power <= 32; power++)
    for (int beside = -1; beside <= 1; beside++) {
      const uint64_t count = ((uint64_t)1 << power) + (uint64_t)beside;
      if (count > CDP_PAIRS_COUNT_MAX)
        continue;
      const cdp_payload_request request = request_of(&all_goods[0], CDP_I64, CDP_TIES_ANY, count);
      cdp_payload_plan plan;
      ck_assert_int_eq(plan_payload(&request, (uint32_t)_i, false, &plan), CDP_OK);
      const uint32_t shown = 64 - plan.low_bits - bits_in(2 * plan.wide.most_long_runs);
      ck_assert_uint_eq(plan.low_bits, bits_in(count - 1));
      ck_assert_uint_ge((plan.wide.rounds - 1) * shown, 29);
      ck_assert_uint_ge((plan.wide.rounds - 1) * shown, plan.low_bits + 3);
    }
}
END_TEST

/* 2^32 values of so many bytes. */
START_TEST(refuses_what_cannot_be_addressed) {
  static const size_t too_large[] = {UINT32_MAX, (size_t)1 << 31};
  const goods large = {(size_t)1 << 29, true};
  cdp_payload_plan plan;
  for (size_t type = 0; type < TYPE_COUNT; type++) {
    const cdp_payload_request request = request_of(&large, types[type], CDP_TIES_ANY, CDP_PAIRS_COUNT_MAX);
    ck_assert_int_eq(plan_payload(&request, KIND_H200, false, &plan), CDP_OK);
    ck_assert_uint_gt(plan.workspace_bytes, (uint64_t)1 << 61);
    for (size_t which = 0; which < sizeof too_large / sizeof *too_large; which++) {
      const goods with = {too_large[which], true};
      const cdp_payload_request refused = request_of(&with, types[type], CDP_TIES_ANY, CDP_PAIRS_COUNT_MAX);
      ck_assert_int_eq(plan_payload(&refused, KIND_H200, false, &plan), CDP_ERROR_SIZE);
    }
  }
}
END_TEST

/* ---- What buckets.h says of the workspace ---------------------------------------------------------------------- */

static cdp_division_request division_of(cdp_type type, uint64_t count, uint32_t splitter_count, uint32_t column_count) {
  static const size_t value_bytes[] = {4, 40, 1, 3, 8, 12};
  cdp_division_request request = {.type = type, .count = count};
  request.splitter_count = splitter_count;
  request.column_count = column_count;
  for (uint32_t column = 0; column < column_count; column++)
    request.columns[column] = (cdp_column){NULL, value_bytes[column % 6]};
  return request;
}

static cdp_division_plan planned_division(const cdp_division_request *request, uint32_t kind, bool is_captured) {
  const cdp_options options = CDP_OPTIONS_INIT;
  const cdp_device_facts facts = planned_device(kind);
  cdp_settings settings;
  cdp_division_plan plan;
  memset(&plan, 0xEE, sizeof plan); // nothing is left as it was
  ck_assert_int_eq(cdp_options_resolve(&options, CDP_U64, &settings), CDP_OK);
  ck_assert_int_eq(cdp_engine_plan_division(&settings, request, &facts, is_captured, &plan), CDP_OK);
  return plan;
}

/* Of each key, and of each bucket at most: parts of 4,096 keys or, of 2,048 parts, more. */
static uint64_t documented_division_bytes(const cdp_division_request *request) {
  const uint64_t parts = (request->count + 4095) / 4096 < 2048 ? (request->count + 4095) / 4096 : 2048;
  uint64_t key_bytes = cdp_engine_key_bytes(request->type) + (request->splitter_count < 256 ? 1 : 2); // and its bucket
  uint64_t gathered = 0;
  for (uint32_t column = 0; column < request->column_count; column++) {
    const uint64_t bytes = request->columns[column].value_bytes;
    if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)
      key_bytes += bytes;
    else
      gathered = bytes > gathered ? bytes : gathered;
  }
  return request->count * (key_bytes + (gathered != 0 ? 4 + gathered : 0)) + (request->splitter_count + 1) * (24 + 4 * parts) +
         7168;
}

/* _i: the kind of device. */
START_TEST(division_is_as_large_as_documented) {
  static const uint32_t splitter_counts[] = {0, 1, 2, 255, 1023};
  for (size_t type = 0; type < TYPE_COUNT; type++)
    for (int index = 0; index < COUNTS; index++)
      for (size_t many = 0; many < sizeof splitter_counts / sizeof *splitter_counts; many++)
        for (uint32_t columns = 0; columns <= CDP_COLUMNS_MAX; columns += 4) {
          const cdp_division_request request = division_of(types[type], count_at(index), splitter_counts[many], columns);
          const uint64_t bytes = planned_division(&request, (uint32_t)_i, false).workspace_bytes;
          ck_assert_uint_le(bytes, documented_division_bytes(&request));
          ck_assert_uint_ge(bytes, request.count * (cdp_engine_key_bytes(types[type]) + 1));
          ck_assert_uint_eq(bytes, planned_division(&request, (uint32_t)_i, true).workspace_bytes);
        }
}
END_TEST

/* All tiles are in one part, parts have as many tiles each, and a bucket's number as many bits as it takes. _i: the kind of device. */
START_TEST(division_has_parts_for_all_keys) {
  const cdp_division_request none = division_of(CDP_U32, 0, 3, 0);
  const uint64_t tile = _i == (int)KIND_SIMULATED ? 416 * 3 : 512 * 8;
  for (int index = 0; index < COUNTS; index++)
    for (uint32_t splitter_count = 0; splitter_count <= CDP_SPLITTERS_MAX; splitter_count += 31) {
      const cdp_division_request request = division_of(CDP_U32, count_at(index), splitter_count, 1);
      const cdp_division_plan plan = planned_division(&request, (uint32_t)_i, false);
      ck_assert_uint_le(plan.parts, 2048);
      ck_assert_uint_ge(plan.parts * (plan.part_tiles * tile), request.count);
      ck_assert_uint_lt((plan.parts - 1) * (plan.part_tiles * tile), request.count);
      ck_assert_uint_lt(splitter_count, 1u << plan.bits);
      ck_assert(splitter_count == 0 || splitter_count >= 1u << (plan.bits - 1));
    }
  const cdp_division_plan plan = planned_division(&none, (uint32_t)_i, false);
  ck_assert(plan.parts == 0 && plan.workspace_bytes != 0);
}
END_TEST

/* 2^32 values of so many bytes. */
START_TEST(refuses_a_division_that_cannot_be_addressed) {
  const cdp_options options = CDP_OPTIONS_INIT;
  const cdp_device_facts facts = planned_device(KIND_H200);
  cdp_division_request request = division_of(CDP_U64, CDP_PAIRS_COUNT_MAX, 7, 2);
  cdp_settings settings;
  cdp_division_plan plan;
  ck_assert_int_eq(cdp_options_resolve(&options, CDP_U64, &settings), CDP_OK);
  request.columns[1].value_bytes = (size_t)1 << 30;
  ck_assert_int_eq(cdp_engine_plan_division(&settings, &request, &facts, false, &plan), CDP_OK);
  ck_assert_uint_gt(plan.workspace_bytes, (uint64_t)1 << 62);
  request.columns[1].value_bytes = (size_t)1 << 31;
  ck_assert_int_eq(cdp_engine_plan_division(&settings, &request, &facts, false, &plan), CDP_ERROR_SIZE);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("plan_payload");
  TCase *room = tcase_create("room");
  tcase_set_timeout(room, TEST_SECONDS);
  tcase_add_loop_test(room, workspace_is_as_large_as_documented, 0, GOODS * (int)KINDS);
  tcase_add_test(room, workspace_is_that_of_all_values);
  tcase_add_test(room, carried_pairs_take_twice_as_much);
  tcase_add_test(room, one_block_sorts_few_keys);
  tcase_add_loop_test(room, rounds_show_what_windows_leave, 0, (int)KINDS);
  tcase_add_test(room, refuses_what_cannot_be_addressed);
  tcase_add_loop_test(room, division_is_as_large_as_documented, 0, (int)KINDS);
  tcase_add_loop_test(room, division_has_parts_for_all_keys, 0, (int)KINDS);
  tcase_add_test(room, refuses_a_division_that_cannot_be_addressed);
  suite_add_tcase(suite, room);
  return run_suite(suite);
}
