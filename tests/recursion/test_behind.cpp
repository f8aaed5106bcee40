/* SPDX-License-Identifier: MIT */
/*
 * The block behind a short array's grid (device/recursion/short_behind.cuh), by itself: a list is made for it, of ranges that
 * blocks sort and of those that become tasks, in any order. What is not listed is not touched.
 *
 * Linked with the static library, to launch its kernel on a list of the test's own.
 */
#include "recursion/root.cuh"

#include "each_holds.h"
#include "host_data.h"
#include "plan_limits.h"
#include "run_suite.h"
#include "simulated_rules.h"

extern "C" {
#include "options.h"
}

#include <algorithm>
#include <vector>

namespace cdp::simulated {

namespace {

constexpr uint64_t SEEDS = 6;
constexpr uint32_t MULTIPROCESSORS = 8;

struct Listed {
  uint64_t begin;
  uint64_t end;
};

/* Ranges that blocks sort, the shortest and long ones, and two that become tasks; between them, keys that nobody has listed. */
constexpr Listed RANGES[] = {{0, 9000}, {9100, 39100}, {39100, 39102}, {39102, 44000}, {44005, 74005}};
constexpr uint32_t RANGE_COUNT = sizeof RANGES / sizeof *RANGES;
constexpr uint64_t COUNT = 75000;
constexpr uint32_t TASKS = 2;

/* A short array's sort, in memory of its own, as its grid leaves it. */
class Left {
public:
  Left(cdp_type type, uint64_t seed, uint32_t worklist_capacity) : keys(COUNT) {
    cdp_tuning tuning = CDP_TUNING_INIT;
    tuning.short_items = UINT32_MAX;
    cdp_options options = CDP_OPTIONS_INIT;
    options.device = CDP_DEVICE_SIMULATED;
    options.tuning = &tuning;
    options.seed = seed;
    cdp_device_facts facts = {};
    facts.multiprocessors = MULTIPROCESSORS;
    facts.pending_limit = [](int) { return 2048u; };
    facts.launches_from_device = true;
    cdp_plan_limits limits = {};
    limits.short_fan_out = CDP_FAN_OUT_MIN;
    cdp_settings settings;
    cdp_plan_limit(&limits);
    ck_assert_int_eq(cdp_options_resolve(&options, type, &settings), CDP_OK);
    ck_assert_int_eq(cdp_engine_plan(&settings, type, COUNT, &facts, false, &plan), CDP_OK);
    cdp_plan_limit(nullptr);
    ck_assert_int_eq(plan.path, CDP_PATH_SHORT);
    ck_assert_uint_ge(plan.worklist_capacity, RANGE_COUNT);
    host_fill(keys.data(), type, COUNT, HOST_UNIFORM, seed);
    workspace.resize(plan.workspace_bytes / sizeof(Line) + 1);
    plan.d_keys = keys.data();
    plan.d_workspace = workspace.data();
    plan.worklist_capacity = worklist_capacity != 0 ? worklist_capacity : plan.worklist_capacity;
    expected = keys;
    sort = make_sort<uint32_t>(plan, true);
    *sort.control = {};
    for (uint32_t depth = 0; depth < CDP_STUDY_DEPTHS; depth++) {
      sort.rules.counters[depth] = {};
      sort.rules.counters[depth].min_task_items = UINT64_MAX;
    }
  }

  /* Lists them from number `first` on, round and round. */
  void list(uint32_t first) {
    for (uint32_t index = 0; index < RANGE_COUNT; index++) {
      const Listed &listed = RANGES[(first + index) % RANGE_COUNT];
      if (!list_behind(sort, {listed.begin, listed.end, Side::keys, 1}))
        continue;
      const auto begin = expected.begin() + static_cast<int64_t>(listed.begin);
      const auto end = expected.begin() + static_cast<int64_t>(listed.end);
      std::sort(begin, end); // they have been read: they are numbers in the order that is wanted, which are written as keys
      std::transform(begin, end, begin, [this](uint32_t key) { return sort.rules.map.leave(key, true); });
    }
  }

  /* Launches the block, and looks at the keys. Returns the sum of what was counted. */
  cdp_study_depth settle() {
    ck_assert_int_eq(allow_fat_kernels(sort), LAUNCH_OK);
    const int error = launch_behind(thin_grid<uint32_t>(1), nullptr, false, behind_kernel<uint32_t>, sort, ROOT_EVENT);
    ck_assert_msg(error == LAUNCH_OK, "%s", last_report().broken_rule);
    for (uint64_t item = 0; item < COUNT; item++)
      EACH_HOLDS_MSG(keys[item] == expected[item], "item %llu is %u, and not %u", static_cast<unsigned long long>(item),
                     keys[item], expected[item]);
    ck_assert_uint_eq(sort.control->live_tasks + sort.control->live_blocks, 0);
    ck_assert_uint_eq(simulated_launches_taken(), 0);
    cdp_study_depth sum = {};
    for (uint32_t depth = 0; depth < CDP_STUDY_DEPTHS; depth++)
      add_row(sort.rules.counters[depth], &sum);
    return sum;
  }

private:
  struct alignas(CDP_WORKSPACE_ALIGNMENT) Line {
    unsigned char bytes[CDP_WORKSPACE_ALIGNMENT];
  };

  std::vector<uint32_t> keys;
  std::vector<uint32_t> expected;
  std::vector<Line> workspace;
  cdp_plan plan;
  Sort<uint32_t> sort;
};

/* _i: the seed, and where the list begins. */
START_TEST(all_kinds_are_settled) {
  const uint64_t seed = static_cast<uint64_t>(_i);
  simulated_rules_set(MULTIPROCESSORS, 8);
  Left left(_i % 2 == 0 ? CDP_I32 : CDP_F32, seed, 0);
  left.list(static_cast<uint32_t>(seed));
  const cdp_study_depth sum = left.settle();
  ck_assert_uint_eq(sum.tasks, TASKS);
  ck_assert_uint_eq(sum.launches_refused + sum.fallback_refused, 0);
}
END_TEST

/* A launch in two is refused, and the block does itself what it was for. */
START_TEST(refusals_lose_nothing) {
  simulated_rules_set(MULTIPROCESSORS, 8);
  simulated_rules_refuse(512);
  uint64_t refused = 0;
  for (uint64_t turn = 0; turn < 4; turn++) {
    Left left(CDP_I32, 10 * static_cast<uint64_t>(_i) + turn, 0);
    left.list(static_cast<uint32_t>(turn));
    refused += left.settle().launches_refused;
  }
  simulated_rules_refuse(0);
  ck_assert_uint_gt(refused, 0);
}
END_TEST

/* What finds no place on the list is told so, and the block behind does not come across it. */
START_TEST(a_full_list_is_no_longer_than_it_is) {
  simulated_rules_set(MULTIPROCESSORS, 8);
  Left left(CDP_F32, 1, 3);
  left.list(static_cast<uint32_t>(_i));
  left.settle();
}
END_TEST

/* Nothing is listed as a rule: nothing is launched, and nothing is counted. */
START_TEST(nothing_is_left) {
  simulated_rules_set(MULTIPROCESSORS, 8);
  const cdp_study_depth sum = Left(CDP_I32, 1, 0).settle();
  ck_assert_uint_eq(sum.children_launched + sum.tasks + sum.equal_items, 0);
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("behind");
  TCase *lists = tcase_create("lists");
  tcase_set_timeout(lists, TEST_SECONDS);
  tcase_add_loop_test(lists, all_kinds_are_settled, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(lists, refusals_lose_nothing, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(lists, a_full_list_is_no_longer_than_it_is, 0, RANGE_COUNT);
  tcase_add_test(lists, nothing_is_left);
  suite_add_tcase(suite, lists);
  return run_suite(suite);
}
