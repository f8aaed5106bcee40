/* SPDX-License-Identifier: MIT */
/*
 * See forced_limits.h.
 */
#include "forced_limits.h"

#include "host_check.h"

#include "engine.h"

#define PENDING_LIMIT_REFUSED 69 /* cudaErrorLaunchPendingCountExceeded */

void forced_set(const forced *row) {
  cdp_fault fault = {0};
  cdp_plan_limit(&row->limits);
  if (row->pending_limit != 0)
    ck_assert_int_eq(cdp_engine_simulated()->set_pending_limit(row->pending_limit, &fault), CDP_OK);
}

static host_case case_of(const forced *row, size_t count, cdp_scheme scheme, uint64_t seed) {
  host_case sort = simulated_case(seed % 2 == 0 ? CDP_F64 : CDP_U32, count, row->distribution, seed);
  sort.options.scheme = scheme;
  sort.options.depth_limit = row->depth_limit;
  sort.options.leaf_items = row->leaf_items;
  if (row->leaf_items == GREATEST)
    sort.options.leaf_items = host_key_bytes(sort.type) == 4 ? CDP_LEAF_MAX_4_BYTES : CDP_LEAF_MAX_8_BYTES;
  sort.options.fan_out = row->fan_out;
  sort.options.child_streams = seed % 2 == 0 ? CDP_STREAMS_FIRE_AND_FORGET : CDP_STREAMS_NAMED;
  return sort;
}

static void check_counters(const forced *row, cdp_scheme scheme, const cdp_study *study) {
  const bool is_host = scheme == CDP_SCHEME_HOST;
  const cdp_study_depth sum = study_total(study);
  const char *what = row->what;
  const int number = (int)scheme;
  if (row->refused && !is_host) {
    ck_assert_msg(sum.launches_refused > 0, "%s, scheme %d: no launch was refused", what, number);
    ck_assert_msg(sum.fallback_refused > 0, "%s, scheme %d: no range was sorted for want of a launch", what, number);
    ck_assert_int_eq(study->first_fault, PENDING_LIMIT_REFUSED);
  }
  if (row->pending_limit == 0 || is_host) {
    ck_assert_msg(sum.launches_refused + sum.fallback_refused == 0, "%s, scheme %d: launches were refused", what, number);
    ck_assert_int_eq(study->first_fault, 0);
  }
  if (row->pool)
    ck_assert_msg(sum.fallback_pool > 0, "%s, scheme %d: nothing was exhausted", what, number);
  if (row->limits.task_capacity != 0) {
    ck_assert_uint_eq(study->task_capacity, row->limits.task_capacity);
    ck_assert_uint_le(study->tasks_allocated, study->task_capacity);
  }
  if (row->limits.worklist_capacity != 0)
    ck_assert_uint_le(sum.collected, row->limits.worklist_capacity);
  if (row->deferred && !is_host) {
    ck_assert_msg(sum.deferred > 0, "%s, scheme %d: nothing was put off", what, number);
    ck_assert_msg(study->batches > 0, "%s, scheme %d: no batch came", what, number);
    ck_assert_uint_le(study->tasks_in_batch, row->limits.task_budget);
  }
  if (row->starved && !is_host)
    ck_assert_msg(sum.deferred + sum.launches_refused > 0, "%s, scheme %d: there was room for all", what, number);
  if (row->depth)
    ck_assert_msg(sum.fallback_depth > 0, "%s, scheme %d: the depth limit was not reached", what, number);
  if (row->equal)
    ck_assert_msg(sum.equal_items > sum.leaf_items, "%s, scheme %d: %llu equal keys, %llu in leaves", what, number,
                  (unsigned long long)sum.equal_items, (unsigned long long)sum.leaf_items);
  if (row->spare)
    ck_assert_msg(sum.fallback_pool + sum.fallback_depth + sum.fallback_refused + sum.launches_refused + sum.deferred == 0,
                  "%s, scheme %d: a limit was met", what, number);
  const uint32_t depth_limit = row->depth_limit == CDP_DEPTH_NONE ? 0 : row->depth_limit;
  for (uint32_t depth = depth_limit; row->depth_limit != 0 && depth < CDP_STUDY_DEPTHS; depth++)
    ck_assert_msg(study->depths[depth].tasks + study->depths[depth].block_partitions == 0,
                  "%s, scheme %d: a partition at depth %u", what, number, depth);
}

void forced_check(const forced *row, size_t count) {
  ck_assert_msg(row->refused || row->pool || row->deferred || row->starved || row->depth || row->equal || row->spare,
                "%s: the row says nothing of what must be seen", row->what);
  forced_set(row);
  for (int scheme = CDP_SCHEME_LAST_BLOCK; scheme <= CDP_SCHEME_HOST; scheme++) {
    // Under a sanitizer one seed, another for each scheme.
    const uint64_t first = FEW_ROUNDS ? 1 + (uint64_t)scheme % 2 : 1;
    for (uint64_t seed = first; seed <= (FEW_ROUNDS ? first : 2); seed++) {
      const host_case sort = case_of(row, count, (cdp_scheme)scheme, seed);
      cdp_study study;
      char why[HOST_WHY_BYTES];
      ck_assert_msg(host_sort(&sort, &study, why), "%s: %s", row->what, why);
      check_counters(row, (cdp_scheme)scheme, &study);
      const cdp_study_depth sum = study_total(&study);
      if (sort.options.leaf_items != 0)
        ck_assert_uint_le(sum.leaf_items, sum.leaves * sort.options.leaf_items);
    }
  }
}
