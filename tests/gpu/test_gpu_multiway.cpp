/* SPDX-License-Identifier: MIT */
/*
 * Many children to a task on the GPU: every fan-out, every scheme, every distribution, the sizes and addresses at which tiles,
 * blocks and levels begin and end; and what the study says of it.
 */
#include "gpu_check.h"

#include <cstdio>

using namespace gpu_check;
using device_data::DISTRIBUTIONS;

namespace {

/* 8, 16, ... 1024. */
constexpr int FAN_OUTS = 8;
uint32_t many_at(int index) {
  return CDP_FAN_OUT_MIN << index;
}

/* With tasks, whatever the length: test_gpu_short.cpp is about arrays that need none. */
cdp_options many_in_scheme(uint32_t fan_out, int scheme) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.tuning = &WITHOUT_SHORT;
  options.fan_out = fan_out;
  options.scheme = scheme_at(scheme);
  return options;
}

void sort_and_check(const Subject &subject, const cdp_options &options, const char *how) {
  CHECK_SORT(cdp_quicksort(subject.keys.d_keys, subject.keys.count, subject.keys.type, &options));
  check_sorted(subject, options.order, how);
}

/* Random keys: the whole array is one task, its children are as many as the fan-out at most, and every item ends in a leaf or a
   bucket of equal keys. */
START_TEST(test_fan_out) {
  const cdp_options options = many_in_scheme(many_at(_i / SCHEMES), _i % SCHEMES);
  char how[64];
  snprintf(how, sizeof how, "%s, fan-out %u", scheme_name(options.scheme), options.fan_out);
  const Subject subject = make_subject(CDP_U32, pick(1 << 22, 1 << 17), Distribution::random);
  const cdp_study study = study_and_check(subject, options, how);
  const cdp_study_depth sum = totals(study);
  CHECK_STUDY(study.depths[0].tasks == 1 && study.depths[0].task_items == subject.keys.count, study, subject, how);
  for (uint32_t depth = 1; depth < study.depth_count; depth++) {
    const cdp_study_depth &row = study.depths[depth];
    const uint64_t children_most = study.depths[depth - 1].tasks * options.fan_out;
    CHECK_STUDY(row.tasks + row.collected <= children_most, study, subject, how);
  }
  CHECK_STUDY(sum.collected > 0 && sum.leaves > 0, study, subject, how);
  CHECK_STUDY(sum.equal_items + sum.leaf_items == subject.keys.count, study, subject, how);
  if (options.scheme != CDP_SCHEME_HOST)
    CHECK_STUDY(study.depths[1].children_launched > 0 && sum.children_launched > 2 * sum.tasks, study, subject, how);
}
END_TEST

/* Fewer children to a task make more levels of tasks. */
START_TEST(test_levels) {
  const Subject subject = make_room(CDP_U32, pick(1 << 22, 1 << 18));
  uint64_t tasks[2] = {0, 0};
  for (int which = 0; which < 2; which++) {
    const cdp_options options = many_in_scheme(which == 0 ? CDP_FAN_OUT_MIN : CDP_FAN_OUT_MAX, _i);
    Subject refilled = subject;
    fill(refilled, Distribution::random, seed());
    const cdp_study study = study_and_check(refilled, options, scheme_name(options.scheme));
    tasks[which] = totals(study).tasks;
    CHECK_STUDY((study.depths[1].tasks > 0) == (which == 0), study, refilled, scheme_name(options.scheme));
  }
  ck_assert_msg(tasks[0] > 8 * tasks[1], "%llu tasks with 8 children, %llu with 1024",
                static_cast<unsigned long long>(tasks[0]), static_cast<unsigned long long>(tasks[1]));
}
END_TEST

/* A fan-out that makes levels, and the default. */
START_TEST(test_scheme) {
  const cdp_options options = many_in_scheme(_i / SCHEMES == 0 ? 16 : 0, _i % SCHEMES);
  static const Distribution distributions[] = {Distribution::random, Distribution::distinct_256, Distribution::zipf,
                                               Distribution::reversed, Distribution::almost_sorted};
  Subject subject = make_room(CDP_U32, pick(1 << 22, 1 << 17), 1);
  for (Distribution distribution : distributions) {
    fill(subject, distribution, seed());
    study_and_check(subject, options, scheme_name(options.scheme));
  }
}
END_TEST

/* Every distribution by default; types of both sizes, floats downwards. */
START_TEST(test_distribution) {
  static const cdp_type types[] = {CDP_U32, CDP_U64, CDP_F32, CDP_F64};
  cdp_options options = CDP_OPTIONS_INIT;
  for (cdp_type type : types) {
    options.order = type == CDP_F32 ? CDP_DESCENDING : CDP_ASCENDING;
    const Subject subject = make_subject(type, pick(1 << 22, 1 << 16), distribution_at(static_cast<uint64_t>(_i)));
    study_and_check(subject, options, "default options");
    release(subject);
  }
}
END_TEST

/* The same with eight children, levels deep. */
START_TEST(test_deep_distribution) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.fan_out = CDP_FAN_OUT_MIN;
  options.leaf_items = CDP_LEAF_MIN;
  options.order = CDP_DESCENDING;
  const Subject subject =
      make_subject(_i % 2 == 0 ? CDP_I32 : CDP_F64, pick(1 << 21, 1 << 17), distribution_at(static_cast<uint64_t>(_i)), 1);
  study_and_check(subject, options, "fan-out 8, the least leaves");
}
END_TEST

/* Powers of two and their neighbours, sizes around a tile, at addresses 16 bytes do not divide: tiles then begin before the
   range, even before the array. _i: the offset, and the fan-out. */
START_TEST(test_sizes) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.fan_out = _i / 4 == 0 ? 0 : CDP_FAN_OUT_MIN;
  const uint64_t ahead = static_cast<uint64_t>(_i % 4);
  for (int power = 10; power <= static_cast<int>(pick(24, 16)); power++) {
    for (uint64_t near = 0; near < 3; near++) {
      const Subject subject = make_subject(CDP_U32, (uint64_t{1} << power) - 1 + near, Distribution::random, ahead);
      sort_and_check(subject, options, "around a power of two");
      release(subject);
    }
  }
  const uint64_t tile_items = one_block_items(CDP_U32);
  for (uint64_t tiles = 1; tiles <= pick(33, 3); tiles++) {
    for (uint64_t near = 0; near < 9; near++) {
      const Subject subject = make_subject(CDP_U32, tiles * tile_items - 4 + near, Distribution::distinct_16384, ahead);
      sort_and_check(subject, options, "around whole tiles");
      release(subject);
    }
  }
}
END_TEST

/* Both sizes of keys around a block's tile: the root's block sorts the array up to it, and launches beyond it. */
START_TEST(test_single_block) {
  const cdp_type type = type_at(_i / SCHEMES);
  const uint64_t tile_items = one_block_items(type);
  const cdp_options options = many_in_scheme(0, _i % SCHEMES);
  for (uint64_t count = tile_items - 2; count <= tile_items + 2; count++) {
    const Subject subject = make_subject(type, count, Distribution::random, count % 3);
    const cdp_study study = study_and_check(subject, options, scheme_name(options.scheme));
    CHECK_STUDY((study.depths[0].tasks == 0) == (count <= tile_items), study, subject, scheme_name(options.scheme));
    release(subject);
  }
}
END_TEST

/* Two values are so frequent that grids write them; a bucket for each is all there is. */
START_TEST(test_frequent_values) {
  const cdp_options options = many_in_scheme(0, _i);
  const char *how = scheme_name(options.scheme);
  const Subject subject = make_subject(CDP_I64, pick(1 << 22, 1 << 16), Distribution::distinct_2);
  const cdp_study study = study_and_check(subject, options, how);
  CHECK_STUDY(study.depths[0].equal_items == subject.keys.count && totals(study).leaves == 0, study, subject, how);
}
END_TEST

/* So many buckets to a task that there is no room for one of equal keys beside each. Where few values are frequent, or none,
   and many others are not, there are no such buckets; of frequent values alone each has its own. */
START_TEST(test_crowded_buckets) {
  static const Distribution distributions[] = {Distribution::zipf, Distribution::distinct_16384, Distribution::distinct_256};
  cdp_options options = many_in_scheme(0, _i);
  cdp_tuning tuning = WITHOUT_SHORT;
  tuning.block_items = 2048;
  options.tuning = &tuning;
  for (cdp_type type : {CDP_U32, CDP_U64}) {
    for (Distribution distribution : distributions) {
      const Subject subject = make_subject(type, pick(1 << 22, 1 << 21), distribution, 1);
      const cdp_study study = study_and_check(subject, options, scheme_name(options.scheme));
      const uint64_t equal_items = distribution == Distribution::distinct_256 ? subject.keys.count : 0;
      CHECK_STUDY(study.depths[0].equal_items == equal_items, study, subject, scheme_name(options.scheme));
      release(subject);
    }
  }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("gpu_multiway");
  TCase *test_case = add_case(suite, "fan-outs");
  tcase_add_loop_test(test_case, test_fan_out, 0, FAN_OUTS * SCHEMES);
  tcase_add_loop_test(test_case, test_levels, 0, SCHEMES);
  tcase_add_loop_test(test_case, test_scheme, 0, 2 * SCHEMES);
  test_case = add_case(suite, "distributions");
  tcase_add_loop_test(test_case, test_distribution, 0, DISTRIBUTIONS);
  tcase_add_loop_test(test_case, test_deep_distribution, 0, DISTRIBUTIONS);
  tcase_add_loop_test(test_case, test_frequent_values, 0, SCHEMES);
  tcase_add_loop_test(test_case, test_crowded_buckets, 0, SCHEMES);
  test_case = add_case(suite, "sizes");
  tcase_add_loop_test(test_case, test_sizes, 0, 2 * 4);
  tcase_add_loop_test(test_case, test_single_block, 0, TYPES * SCHEMES);
  return suite;
}

} // namespace

int main() {
  return run(make_suite);
}
