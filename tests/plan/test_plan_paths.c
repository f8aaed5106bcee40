/* SPDX-License-Identifier: MIT */
/*
 * What a plan decides about the way of a sort: the path at each border, how deep it goes, who launches and why, how many
 * levels the host launches, whether batches may be needed. Linked with the static library.
 */
#include <cdpsort/tuning.h>

#include "planned.h"

#define LOG2(power) ((uint64_t)1 << (power))

/* ---- Paths ----------------------------------------------------------------------------------------------------- */

/* Arrays of up to `most` keys take a path on an H200, and those of one more the next one. */
typedef struct border {
  cdp_type type;
  cdp_options options;
  uint64_t most;
  cdp_path path;
  cdp_path beyond;
} border;

#define ONE CDP_PATH_ONE_BLOCK
#define SHORT CDP_PATH_SHORT
#define TASKS CDP_PATH_TASKS
#define WITH(...)                                                                                                              \
  { .size = sizeof(cdp_options), __VA_ARGS__ }

/* At file scope, a literal lives as long as the program. */
#define TUNED(...)                                                                                                             \
  .tuning = &(const cdp_tuning) {                                                                                              \
    .size = sizeof(cdp_tuning), __VA_ARGS__                                                                                    \
  }

static const border borders[] = {
    {CDP_U32, CDP_OPTIONS_INIT, 16384, ONE, SHORT},
    {CDP_F64, CDP_OPTIONS_INIT, 8192, ONE, SHORT},
    {CDP_F32, CDP_OPTIONS_INIT, LOG2(21), SHORT, TASKS},
    {CDP_I64, CDP_OPTIONS_INIT, (3 << 19) - 1, SHORT, TASKS},
    {CDP_U32, WITH(TUNED(.one_block_items = 1000)), 1000, ONE, SHORT},
    {CDP_U32, WITH(TUNED(.one_block_items = UINT32_MAX)), 16384, ONE, SHORT},
    {CDP_U32, WITH(TUNED(.short_items = 20000)), 20000, SHORT, TASKS},
    {CDP_U32, WITH(TUNED(.short_items = UINT32_MAX)), LOG2(23), SHORT, TASKS},
    {CDP_U32, WITH(TUNED(.disable = CDP_DISABLE_SHORT)), 16384, ONE, TASKS},
    /* What a short array does without. */
    {CDP_U32, WITH(.scheme = CDP_SCHEME_CONTROLLER), 16384, ONE, TASKS},
    {CDP_U32, WITH(.scheme = CDP_SCHEME_HOST), 16384, ONE, TASKS},
    {CDP_U32, WITH(.child_streams = CDP_STREAMS_NAMED), 16384, ONE, TASKS},
    {CDP_U32, WITH(.leaf_items = CDP_LEAF_MAX_4_BYTES), 16384, ONE, TASKS},
    {CDP_U64, WITH(.leaf_items = CDP_LEAF_MIN), 8192, ONE, TASKS},
    {CDP_U32, WITH(.depth_limit = 1), 16384, ONE, TASKS},
    {CDP_U32, WITH(.depth_limit = 2), 16384, ONE, SHORT},
    {CDP_U32, WITH(.depth_limit = CDP_DEPTH_NONE), 16384, ONE, TASKS},
    {CDP_U32, WITH(.fan_out = 32), 16384, ONE, TASKS}, /* 64 buckets it would take */
    {CDP_U32, WITH(.fan_out = 64), 64 * 1024, SHORT, TASKS},
    /* The classic recursion: what a block finishes. */
    {CDP_U32, WITH(.fan_out = CDP_FAN_OUT_CLASSIC, TUNED(.block_items = 5000)), 5000, ONE, TASKS},
    {CDP_U32, WITH(.fan_out = CDP_FAN_OUT_CLASSIC), 1024, ONE, TASKS},
    {CDP_F64, WITH(.fan_out = CDP_FAN_OUT_CLASSIC, .leaf_items = CDP_LEAF_MIN), CDP_LEAF_MIN, ONE, TASKS},
    {CDP_U32, WITH(.pivot = CDP_PIVOT_FIRST, .scheme = CDP_SCHEME_HOST), 1024, ONE, TASKS},
};

START_TEST(path_changes_at_the_border) {
  const border *row = &borders[_i];
  const cdp_plan at = planned_h200(&row->options, row->type, row->most);
  const cdp_plan beyond = planned_h200(&row->options, row->type, row->most + 1);
  ck_assert_int_eq(at.path, row->path);
  ck_assert_int_eq(beyond.path, row->beyond);
  for (int which = 0; which < 2; which++) {
    const cdp_plan *plan = which == 0 ? &at : &beyond;
    ck_assert_int_eq(plan->short_fan_out != 0, plan->path == SHORT);
    ck_assert_int_eq(plan->short_blocks != 0, plan->path == SHORT);
    ck_assert_int_eq(plan->count <= plan->one_block_items, plan->path == ONE);
  }
  ck_assert_int_eq(planned_h200(&row->options, row->type, 2).path, ONE);
}
END_TEST

/* What a kind of device does with arrays of random keys: so many at most are one block's, are short, are divided by a map; and
   a block has so much shared memory. */
static const struct {
  uint32_t kind;
  cdp_type type;
  uint64_t one_block;
  uint64_t is_short;
  uint64_t mapped;
  uint32_t shared_kb;
} kind_rows[] = {
    {KIND_SMALL, CDP_U32, 8192, LOG2(21), 38912 * (16384 / 16 * 15) - 1, 96},
    {KIND_SMALL, CDP_F64, 4096, LOG2(20), 38912 * (8192 / 16 * 15) - 1, 96},
    {KIND_MEDIUM, CDP_F32, 16384, LOG2(21), LOG2(32), 163},
    {KIND_MEDIUM, CDP_I64, 8192, (3 << 19) - 1, LOG2(32), 163},
    {KIND_H200, CDP_I32, 16384, LOG2(21), LOG2(32), 195},
    {KIND_H200, CDP_U64, 8192, (3 << 19) - 1, LOG2(32), 195},
};

START_TEST(every_kind_of_device_has_all_paths) {
  static const uint32_t multiprocessors[] = {40, 108, 132, 170};
  const cdp_options options = CDP_OPTIONS_INIT;
  cdp_device_facts facts = planned_device(kind_rows[_i].kind);
  for (size_t which = 0; which < sizeof multiprocessors / sizeof *multiprocessors; which++) {
    facts.multiprocessors = multiprocessors[which];
    const uint64_t borders_at[] = {kind_rows[_i].one_block, kind_rows[_i].is_short, kind_rows[_i].mapped};
    static const cdp_path paths[] = {ONE, SHORT, TASKS, TASKS};
    for (int path = 0; path < 4; path++) {
      for (int end = 0; end < 2; end++) {
        if (path == (end == 0 ? 0 : 3))
          continue;
        const uint64_t count = end == 0 ? borders_at[path - 1] + 1 : borders_at[path];
        const cdp_plan plan = planned(&options, kind_rows[_i].type, count, &facts, false);
        ck_assert_int_eq(plan.path, paths[path]);
        ck_assert_int_eq(plan.map_buckets != 0, path == 2);
        ck_assert_uint_le(plan.short_shared_bytes, plan.map_shared_bytes);
        ck_assert_uint_le(plan.multiway_shared_bytes, plan.map_shared_bytes);
        ck_assert_uint_le(plan.map_shared_bytes, kind_rows[_i].shared_kb * 1024);
      }
    }
  }
}
END_TEST

/* One block merges in registers, unless leaves are asked for, or no partition; a range of a task likewise. */
START_TEST(who_asks_for_leaves_gets_leaves) {
  static const struct {
    cdp_options options;
    bool bitonic_leaf;
    bool merges;
  } rows[] = {
      {CDP_OPTIONS_INIT, false, true},
      {WITH(.depth_limit = 1), false, true},
      {WITH(.depth_limit = CDP_DEPTH_NONE), false, false},
      {WITH(.leaf_items = CDP_LEAF_MAX_4_BYTES), true, false},
      {WITH(.fan_out = CDP_FAN_OUT_CLASSIC), true, false},
      {WITH(.pivot = CDP_PIVOT_MIDDLE), true, false},
  };
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    const cdp_plan plan = planned_h200(&rows[row].options, CDP_U32, 1000);
    const cdp_plan large = planned_h200(&rows[row].options, CDP_U32, LOG2(24));
    ck_assert_int_eq(plan.path, ONE);
    ck_assert_int_eq(plan.bitonic_leaf, rows[row].bitonic_leaf);
    ck_assert_int_eq(plan.merges, rows[row].merges);
    ck_assert(!large.merges);
    ck_assert_uint_eq(large.merge_items, rows[row].bitonic_leaf ? 0 : 4096);
    ck_assert_uint_eq(large.long_items, rows[row].bitonic_leaf ? large.leaf_items : 4 * CDP_LEAF_MAX_4_BYTES);
  }
}
END_TEST

/* ---- Depths ---------------------------------------------------------------------------------------------------- */

typedef struct depth_row {
  size_t count;
  uint32_t option;
  uint32_t limit;
} depth_row;

static const depth_row depths[] = {
    {2, 0, 2 * 1 + 8},
    {3, 0, 2 * 2 + 8},
    {4, 0, 2 * 2 + 8},
    {5, 0, 2 * 3 + 8},
    {1024, 0, 2 * 10 + 8},
    {1025, 0, 2 * 11 + 8},
    {(size_t)1 << 33, 0, 74},
    {1000, 1, 1},
    {1000, CDP_DEPTH_NONE, 0},
    {1000, 39, 39},
    {1000, 40, 40},
    {1000, 41, 40},
    {1024, CDP_DEPTH_MAX, 40},
    {1025, CDP_DEPTH_MAX, 44},
    {2, CDP_DEPTH_MAX, 4},
    {2, 3, 3},
    {CDP_COUNT_MAX, CDP_DEPTH_MAX, 160},
    {CDP_COUNT_MAX, 0, 88},
};

START_TEST(depth_limit_is_as_documented) {
  const depth_row *row = &depths[_i];
  const cdp_options options = WITH(.depth_limit = row->option);
  const cdp_plan plan = planned_h200(&options, CDP_U32, row->count);
  ck_assert_uint_eq(plan.depth_limit, row->limit);
  ck_assert_uint_eq(plan.block_depth_limit, row->limit);
}
END_TEST

/* ---- Drivers --------------------------------------------------------------------------------------------------- */

/* Why the host may have to launch tasks. */
typedef enum reason { NO_REASON, IS_CAPTURED, NO_DEVICE_LAUNCHES, LOW_LIMIT, ALL_OF_THEM, REASONS } reason;

static cdp_plan plan_for(reason why, const cdp_options *options, cdp_type type, uint64_t count, uint32_t kind) {
  cdp_device_facts facts = planned_device(kind);
  facts.launches_from_device = why != NO_DEVICE_LAUNCHES && why != ALL_OF_THEM;
  planned_limit = why == LOW_LIMIT || why == ALL_OF_THEM ? LIMIT_MIN - 1 : LIMIT_MIN;
  return planned(options, type, count, &facts, why == IS_CAPTURED || why == ALL_OF_THEM);
}

/* _i: what is asked for: scheme and fan-out. */
START_TEST(host_launches_for_each_reason_and_no_other) {
  static const uint64_t counts[] = {2, 1000, 16384, 16385, 100000, LOG2(24)};
  cdp_options options = CDP_OPTIONS_INIT;
  options.scheme = (cdp_scheme)(CDP_SCHEME_LAST_BLOCK + _i / 2);
  options.fan_out = _i % 2 != 0 ? CDP_FAN_OUT_MAX : CDP_FAN_OUT_CLASSIC;
  for (int why = NO_REASON; why < REASONS; why++) {
    for (size_t which = 0; which < sizeof counts / sizeof *counts; which++) {
      limit_questions = 0;
      const cdp_plan plan = plan_for((reason)why, &options, CDP_U32, counts[which], KIND_H200);
      const bool is_one_block = counts[which] <= (options.fan_out == CDP_FAN_OUT_CLASSIC ? 1024 : 16384);
      const bool must = why != NO_REASON && !is_one_block;
      const bool asks = !is_one_block && options.scheme != CDP_SCHEME_HOST && (why == NO_REASON || why == LOW_LIMIT);
      ck_assert_uint_eq(limit_questions, asks ? 1 : 0); // which takes as long as the rest of a short sort's call
      ck_assert_int_eq(plan.scheme, must ? CDP_SCHEME_HOST : options.scheme);
      const bool host_launches = plan.scheme == CDP_SCHEME_HOST && !is_one_block;
      ck_assert_int_eq(plan.host_levels != 0, host_launches);
      ck_assert_int_eq(plan.path == SHORT, !is_one_block && plan.scheme == CDP_SCHEME_LAST_BLOCK &&
                                               options.fan_out == CDP_FAN_OUT_MAX && counts[which] <= LOG2(22));
      if (!host_launches)
        continue;
      ck_assert_int_eq(plan.path, TASKS);
      ck_assert_uint_eq(plan.depth_limit, plan.host_levels);
      ck_assert_uint_eq(plan.task_budget, UINT32_MAX);
      ck_assert(!plan.may_defer);
    }
  }
}
END_TEST

/* The limit is the device's affair: where it asks for none, any will do. */
START_TEST(any_limit_will_do_where_none_is_asked_for) {
  const cdp_options options = CDP_OPTIONS_INIT;
  cdp_device_facts facts = planned_device(KIND_SIMULATED);
  planned_limit = 0;
  facts.pending_limit_min = 0;
  ck_assert_int_eq(planned(&options, CDP_U32, LOG2(24), &facts, false).scheme, CDP_SCHEME_LAST_BLOCK);
  facts.pending_limit_min = 1;
  ck_assert_int_eq(planned(&options, CDP_U32, LOG2(24), &facts, false).scheme, CDP_SCHEME_HOST);
}
END_TEST

typedef struct levels_row {
  uint32_t kind;
  uint32_t fan_out;
  uint64_t count;
  uint32_t depth_limit; /* the option */
  uint32_t levels;
} levels_row;

/* 32-bit keys; ranges for one block have 2^16 to 2^18 items on average on an H200, 7,371 on the simulated device. */
static const levels_row levels[] = {
    {KIND_H200, CDP_FAN_OUT_MAX, 16385, 0, 2},
    {KIND_H200, CDP_FAN_OUT_MAX, LOG2(24), 0, 2},
    {KIND_H200, CDP_FAN_OUT_MAX, LOG2(28), 0, 2},
    {KIND_H200, CDP_FAN_OUT_MAX, LOG2(28) + 1, 0, 3},
    {KIND_H200, CDP_FAN_OUT_MAX, LOG2(38), 0, 3},
    {KIND_H200, CDP_FAN_OUT_MAX, CDP_COUNT_MAX, 0, 4},
    {KIND_H200, CDP_FAN_OUT_MIN, LOG2(27), 0, 4},
    {KIND_H200, CDP_FAN_OUT_MIN, LOG2(27) + 1, 0, 5},
    {KIND_H200, CDP_FAN_OUT_MIN, CDP_COUNT_MAX, 0, 9},
    {KIND_H200, CDP_FAN_OUT_MIN, LOG2(27), 3, 3},
    {KIND_H200, CDP_FAN_OUT_MIN, LOG2(27), 4, 4},
    {KIND_H200, CDP_FAN_OUT_MIN, LOG2(27), 5, 4},
    {KIND_H200, CDP_FAN_OUT_MAX, LOG2(27), 1, 1},
    {KIND_H200, CDP_FAN_OUT_MAX, LOG2(27), CDP_DEPTH_NONE, 0},
    /* Its samples tell 256 buckets apart. */
    {KIND_SIMULATED, CDP_FAN_OUT_MAX, 7371 * 256, 0, 2},
    {KIND_SIMULATED, CDP_FAN_OUT_MAX, 7371 * 256 + 1, 0, 3},
    {KIND_H200, CDP_FAN_OUT_CLASSIC, LOG2(27), 0, 17},
    {KIND_H200, CDP_FAN_OUT_CLASSIC, LOG2(27) + 1, 0, 17},
    {KIND_H200, CDP_FAN_OUT_CLASSIC, LOG2(27), 5, 5},
    {KIND_H200, CDP_FAN_OUT_CLASSIC, LOG2(27), CDP_DEPTH_MAX, 17},
    {KIND_H200, CDP_FAN_OUT_CLASSIC, LOG2(27), CDP_DEPTH_NONE, 0},
};

/* Ranges for a block of so many keys. */
static const cdp_tuning small_ranges = {.size = sizeof small_ranges, .block_items = 1000};
static const cdp_tuning without_short = {.size = sizeof without_short, .disable = CDP_DISABLE_SHORT};

/* A block goes on as deep as was asked for. */
START_TEST(host_launches_enough_levels) {
  const levels_row *row = &levels[_i];
  cdp_options options = WITH(.scheme = CDP_SCHEME_HOST, .fan_out = row->fan_out, .depth_limit = row->depth_limit);
  const cdp_device_facts facts = planned_device(row->kind);
  const cdp_plan plan = planned(&options, CDP_U32, row->count, &facts, false);
  options.scheme = CDP_SCHEME_LAST_BLOCK;
  options.tuning = &without_short;
  const cdp_plan from_device = planned(&options, CDP_U32, row->count, &facts, false);
  ck_assert_uint_eq(plan.host_levels, row->levels);
  ck_assert_uint_eq(plan.depth_limit, row->levels);
  ck_assert_uint_eq(plan.block_depth_limit, from_device.depth_limit);
  ck_assert_uint_eq(from_device.host_levels, 0);
}
END_TEST

/* A workspace that was asked for suffices when the host turns out to have to launch. _i: the reason. */
START_TEST(host_needs_no_more_room_than_the_device) {
  uint32_t less = 0;
  for (uint32_t draw = 0; draw < 6 * KINDS * 39; draw++) {
    static const uint32_t fan_outs[] = {0, CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN};
    const uint64_t count = LOG2(1 + draw % 39) + draw % 3;
    cdp_options options = WITH(.scheme = (cdp_scheme)(CDP_SCHEME_LAST_BLOCK + draw % 2), .fan_out = fan_outs[draw / 2 % 3],
                               .leaf_items = draw % 5 == 0 ? CDP_LEAF_MIN : 0, .tuning = draw % 7 == 0 ? &small_ranges : NULL);
    const cdp_type type = (cdp_type)(CDP_U32 + draw % 6);
    const cdp_plan device = plan_for(NO_REASON, &options, type, count, draw / 6 % KINDS);
    const cdp_plan host = plan_for((reason)_i, &options, type, count, draw / 6 % KINDS);
    ck_assert_uint_le(host.workspace_bytes, device.workspace_bytes);
    less += host.workspace_bytes < device.workspace_bytes ? 1 : 0;
    // Who asks for the controller asks for splitters, whoever launches in the end.
    const bool is_mapped_alike = options.scheme == CDP_SCHEME_LAST_BLOCK;
    options.scheme = CDP_SCHEME_HOST;
    const cdp_plan asked = plan_for(NO_REASON, &options, type, count, draw / 6 % KINDS);
    ck_assert(is_mapped_alike ? asked.workspace_bytes == host.workspace_bytes : asked.workspace_bytes >= host.workspace_bytes);
  }
  ck_assert_uint_gt(less, 0); // a short array's places
}
END_TEST

/* ---- Batches --------------------------------------------------------------------------------------------------- */

typedef struct batches_row {
  uint64_t count;
  cdp_options options;
  bool may_defer;
} batches_row;

/* 32-bit keys, 512 launches to a sort: the classic recursion has halves down to 327,680 items and a launch to a task, many
   children 5 launches to a task of more than 507,904. */
static const batches_row batches[] = {
    {1024, WITH(.fan_out = CDP_FAN_OUT_CLASSIC), false},
    {LOG2(24), WITH(.fan_out = CDP_FAN_OUT_CLASSIC), false},
    {327680 * 512, WITH(.fan_out = CDP_FAN_OUT_CLASSIC), false},
    {327680 * 512 + 1, WITH(.fan_out = CDP_FAN_OUT_CLASSIC), true},
    {LOG2(24), WITH(.fan_out = CDP_FAN_OUT_CLASSIC, .scheme = CDP_SCHEME_CONTROLLER), true},
    {LOG2(24), WITH(.fan_out = CDP_FAN_OUT_CLASSIC, .scheme = CDP_SCHEME_HOST), false},
    {LOG2(24), WITH(.fan_out = CDP_FAN_OUT_CLASSIC, .leaf_items = CDP_LEAF_MIN), true},
    {LOG2(24), WITH(.pivot = CDP_PIVOT_RANDOM), true},
    {1024, WITH(.pivot = CDP_PIVOT_RANDOM), false},
    {LOG2(24), WITH(.pivot = CDP_PIVOT_SAMPLED_MEDIAN), false},
    {100000, CDP_OPTIONS_INIT, false},
    {LOG2(26), CDP_OPTIONS_INIT, false},
    {507904 * 204 - 1, CDP_OPTIONS_INIT, false},
    {507904 * 204, CDP_OPTIONS_INIT, true},
    {LOG2(27), WITH(.scheme = CDP_SCHEME_HOST), false},
};

START_TEST(batches_come_where_there_may_be_too_many_tasks) {
  const batches_row *row = &batches[_i];
  const cdp_plan plan = planned_h200(&row->options, CDP_U32, row->count);
  ck_assert_int_eq(plan.may_defer, row->may_defer);
  // Where none come, the last block gives back what the sort took; one block takes nothing.
  ck_assert_int_eq(plan.counts_blocks, !row->may_defer && plan.path != ONE);
}
END_TEST

/* Two ways, medians for pivots: a range as deep as halves are short may be longer than a half, up to twice, and as long as a
   block can list. Not with other pivots, nor if block_items is set. */
START_TEST(unfair_parts_are_no_tasks) {
  const cdp_options fair = WITH(.fan_out = CDP_FAN_OUT_CLASSIC);
  const cdp_options unfair = WITH(.pivot = CDP_PIVOT_RANDOM);
  const cdp_options set = WITH(.fan_out = CDP_FAN_OUT_CLASSIC, .tuning = &small_ranges);
  const cdp_plan short_parts = planned_h200(&fair, CDP_U32, LOG2(18)); // of 1,024
  ck_assert_uint_eq(short_parts.fair_depth, 8);
  ck_assert_uint_eq(short_parts.unfair_items, 2048);
  const cdp_plan long_parts = planned_h200(&fair, CDP_U64, LOG2(26)); // of 163,840: a block can list 27 tiles of 8,192
  ck_assert_uint_eq(long_parts.fair_depth, 9);
  ck_assert_uint_eq(long_parts.unfair_items, 27 * 8192);
  ck_assert_uint_eq(planned_h200(&unfair, CDP_U64, LOG2(26)).fair_depth, UINT32_MAX);
  ck_assert_uint_eq(planned_h200(&set, CDP_U64, LOG2(26)).fair_depth, UINT32_MAX);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

static Suite *plan_paths_suite(void) {
  Suite *suite = suite_create("plan_paths");
  TCase *paths = tcase_create("paths");
  tcase_add_loop_test(paths, path_changes_at_the_border, 0, ROWS(borders));
  tcase_add_loop_test(paths, every_kind_of_device_has_all_paths, 0, ROWS(kind_rows));
  tcase_add_test(paths, who_asks_for_leaves_gets_leaves);
  tcase_add_loop_test(paths, depth_limit_is_as_documented, 0, ROWS(depths));
  suite_add_tcase(suite, paths);
  TCase *drivers = tcase_create("drivers");
  tcase_add_loop_test(drivers, host_launches_for_each_reason_and_no_other, 0, 6);
  tcase_add_test(drivers, any_limit_will_do_where_none_is_asked_for);
  tcase_add_loop_test(drivers, host_launches_enough_levels, 0, ROWS(levels));
  tcase_add_loop_test(drivers, host_needs_no_more_room_than_the_device, IS_CAPTURED, REASONS);
  tcase_add_test(drivers, unfair_parts_are_no_tasks);
  tcase_add_loop_test(drivers, batches_come_where_there_may_be_too_many_tasks, 0, ROWS(batches));
  suite_add_tcase(suite, drivers);
  return suite;
}

int main(void) {
  return run_suite(plan_paths_suite());
}
