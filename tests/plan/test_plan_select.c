/* SPDX-License-Identifier: MIT */
/*
 * Plans of half a sort: how large their workspace may be, on any device, how often ranges are divided, and shares whose keys can be
 * counted. Linked with the static library.
 */
#include <cdpsort/select.h>

#include "planned.h"

#define MIB ((uint64_t)1 << 20)

static const cdp_type types[] = {CDP_U8, CDP_F16, CDP_F32, CDP_I64};
#define TYPE_COUNT (sizeof types / sizeof *types)

static cdp_select_plan plan_select(const cdp_select_request *request, uint32_t kind, bool is_captured) {
  const cdp_options options = CDP_OPTIONS_INIT;
  const cdp_device_facts facts = planned_device(kind);
  const bool has_more = request->index_bytes != 0 || request->column_count != 0;
  cdp_settings settings;
  cdp_select_plan plan;
  memset(&plan, 0xEE, sizeof plan); // nothing is left as it was
  ck_assert_int_eq(cdp_options_resolve(&options, has_more ? CDP_U64 : request->type, &settings), CDP_OK);
  ck_assert_int_eq(cdp_engine_plan_select(&settings, request, &facts, is_captured, &plan), CDP_OK);
  return plan;
}

static cdp_select_request request_of(cdp_select_kind kind, cdp_type type, uint64_t count, uint64_t rank) {
  return (cdp_select_request){
      .kind = kind, .type = type, .count = count, .rank_count = 1, .ranks = {rank}, .is_sorted = kind == CDP_SELECT_TOP};
}

/* No more than select.h says: so many thousandths of `each` for each key, and more. Captured, it is no more than otherwise. */
static void must_fit(const cdp_select_request *request, uint64_t thousandths, uint64_t each, uint64_t more) {
  for (uint32_t kind = KIND_SMALL; kind < KINDS; kind++) {
    const uint64_t bytes = plan_select(request, kind, false).workspace_bytes;
    ck_assert_msg(bytes <= request->count * each / 1000 * thousandths + request->count * each % 1000 + more,
                  "kind %d, %llu keys of type %d: %llu bytes", (int)request->kind, (unsigned long long)request->count,
                  (int)request->type, (unsigned long long)bytes);
    ck_assert_uint_le(plan_select(request, kind, true).workspace_bytes, bytes);
  }
}

/* _i: the logarithm of the count, less 1. */
START_TEST(needs_the_workspace_that_it_says) {
  const uint64_t count = ((uint64_t)1 << (_i + 1)) + 1;
  for (size_t type = 0; type < TYPE_COUNT; type++) {
    const uint64_t key_bytes = cdp_engine_key_bytes(types[type]);
    cdp_select_request request = request_of(CDP_SELECT_QUANTILES, types[type], count, count / 2);
    must_fit(&request, 320, key_bytes, 8 * MIB);
    request.rank_count = CDP_RANKS_MAX;
    must_fit(&request, 320, key_bytes, 8 * MIB);
    request = request_of(CDP_SELECT_NTH, types[type], count, count / 2);
    must_fit(&request, 1320, key_bytes, 8 * MIB);
    request = request_of(CDP_SELECT_TOP, types[type], count, count < 1000 ? 0 : 999);
    must_fit(&request, 320, key_bytes, 8 * MIB);
    request.index_bytes = 4;
    must_fit(&request, 320, key_bytes + 4, 8 * MIB + 65 * 1000 + 16 * MIB);
    if (count > CDP_PAIRS_COUNT_MAX / 2)
      continue;
    request.ranks[0] = count - 1; // all of them
    const cdp_select_plan plan = plan_select(&request, KIND_H200, false);
    ck_assert_uint_le(plan.workspace_bytes, 65 * count + 24 * MIB);
  }
}
END_TEST

/* As often as it takes to divide all that there may be into single keys. */
START_TEST(divides_until_ranges_are_single_keys) {
  for (size_t type = 0; type < TYPE_COUNT; type++)
    for (uint32_t ranks = 1; ranks <= CDP_RANKS_MAX; ranks++)
      for (uint32_t kind = KIND_SIMULATED; kind < KINDS; kind++) {
        cdp_select_request request = request_of(CDP_SELECT_QUANTILES, types[type], 1000, 5);
        request.rank_count = ranks;
        const cdp_select_plan plan = plan_select(&request, kind, false);
        const uint32_t first_bits = kind == KIND_SIMULATED ? 7 : 11;
        const uint32_t key_bits = 8 * cdp_engine_key_bytes(types[type]);
        const uint32_t left = key_bits >= 32 ? key_bits : key_bits > first_bits ? key_bits - first_bits : 0;
        ck_assert_uint_ge((plan.levels - 1) * plan.bin_bits, left);
        ck_assert_uint_ge(plan.bin_bits, 1);
        ck_assert_uint_le(plan.levels, 65);
      }
  const cdp_select_request wide = request_of(CDP_SELECT_NTH, CDP_U64, 1000, 5);
  const cdp_select_request narrow = request_of(CDP_SELECT_TOP, CDP_I32, 1000, 5);
  ck_assert_uint_eq(plan_select(&wide, KIND_H200, false).levels, 7);
  ck_assert_uint_eq(plan_select(&narrow, KIND_H200, false).levels, 4);
}
END_TEST

/* Shares are counted in 32 bits, and there are no more of them than a block has threads. */
START_TEST(has_shares_that_can_be_counted) {
  for (uint64_t count = 1; count <= CDP_COUNT_MAX; count *= 2) {
    const cdp_select_request request = request_of(CDP_SELECT_QUANTILES, CDP_U32, count, 0);
    const uint32_t blocks = plan_select(&request, KIND_H200, false).blocks;
    ck_assert_uint_ge(blocks, 1);
    ck_assert_uint_le(blocks, 512);
    const uint64_t tiles = (count + 8191) / 8192;
    ck_assert_uint_lt((tiles + blocks - 1) / blocks * 8192, (uint64_t)1 << 32);
  }
}
END_TEST

/* Narrow keys that are partitioned, and all keys that shall be in order. */
START_TEST(sorts_all_where_that_is_less) {
  cdp_select_request request = request_of(CDP_SELECT_NTH, CDP_U8, 1000, 5);
  ck_assert(plan_select(&request, KIND_H200, false).sorts_all);
  request = request_of(CDP_SELECT_NTH, CDP_U32, 1000, 999);
  ck_assert(!plan_select(&request, KIND_H200, false).sorts_all);
  request.is_sorted = true;
  ck_assert(plan_select(&request, KIND_H200, false).sorts_all);
  request = request_of(CDP_SELECT_TOP, CDP_U8, 1000, 5);
  ck_assert(!plan_select(&request, KIND_H200, false).sorts_all);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("plan_select");
  TCase *tests = tcase_create("plan_select");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_loop_test(tests, needs_the_workspace_that_it_says, 0, 32);
  tcase_add_test(tests, divides_until_ranges_are_single_keys);
  tcase_add_test(tests, has_shares_that_can_be_counted);
  tcase_add_test(tests, sorts_all_where_that_is_less);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
