/* SPDX-License-Identifier: MIT */
/*
 * What runs of several host threads share on the simulated device, as sorts share a GPU: the count of launches that are pending,
 * the count of launches that are reserved, and atomics. And launches that are refused by chance.
 */
#include "simulated_notes.h"

#include <set>
#include <string>
#include <thread>

namespace cdp::simulated {

namespace {

constexpr uint32_t LIMIT = 4;

/* What a run of another host thread was told, which a kernel waited for. */
int neighbour_code;
Report neighbour_report;

__global__ void child_kernel(uint32_t entry) {
  note(entry);
}

/* Launches so many children of each kind. */
__global__ void launching_kernel(uint32_t children) {
  for (uint32_t child = 0; child < children; ++child) {
    launch_child(ChildStream::fire_and_forget, {1, 1, 0}, child_kernel, 1);
    launch_child(ChildStream::tail, {1, 1, 0}, child_kernel, 2);
  }
}

/* A whole run on a host thread of its own, from its first launch to its last. */
void run_neighbour(uint32_t pending_limit) {
  std::thread([pending_limit] {
    Rules rules;
    rules.pending_limit = pending_limit;
    set_rules(rules);
    neighbour_code = launch_from_host({1, 1, 0}, nullptr, launching_kernel, 2u);
    neighbour_report = last_report();
  }).join();
}

/* Has so many launches pending while the neighbour runs: tails, which wait for their launcher. */
__global__ void holding_kernel(uint32_t held, uint32_t neighbours_limit) {
  for (uint32_t tail = 0; tail < held; ++tail)
    note(static_cast<uint32_t>(launch_child(ChildStream::tail, {1, 1, 0}, child_kernel, 1000)));
  run_neighbour(neighbours_limit);
}

/* A kernel that ends its run while launches are pending. */
__global__ void failing_kernel() {
  for (uint32_t tail = 0; tail < LIMIT; ++tail)
    note(static_cast<uint32_t>(launch_child(ChildStream::tail, {1, 1, 0}, child_kernel, 1000)));
  __shfl_sync(0xffffffffu, 0, 0, 3);
}

void expect_neighbour(uint64_t grids, uint64_t refused, uint64_t tails_refused) {
  expect_clean(neighbour_code);
  ck_assert_uint_eq(neighbour_report.grids_launched, grids);
  ck_assert_uint_eq(neighbour_report.launches_refused, refused);
  ck_assert_uint_eq(neighbour_report.tails_refused, tails_refused);
}

/* ---- What is pending ------------------------------------------------------------------------------------------- */

START_TEST(pending_launches_are_counted_together) {
  start(1, LIMIT);
  expect_clean(launch_from_host({1, 1, 0}, nullptr, holding_kernel, LIMIT, LIMIT));
  expect_neighbour(1, 4, 2);
  ck_assert_uint_eq(neighbour_report.max_pending, 0);
  ck_assert_uint_eq(last_report().launches_refused, 0);
  ck_assert_uint_eq(last_report().max_pending, LIMIT);
  // All were given back.
  run_neighbour(LIMIT);
  expect_neighbour(5, 0, 0);
}
END_TEST

/* A limit is compared with the count of all. */
START_TEST(each_run_has_its_own_limit) {
  start(1, LIMIT);
  expect_clean(launch_from_host({1, 1, 0}, nullptr, holding_kernel, LIMIT, 2 * LIMIT));
  expect_neighbour(5, 0, 0);
  ck_assert_uint_le(neighbour_report.max_pending, LIMIT);
}
END_TEST

START_TEST(broken_run_gives_back_what_was_pending) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    start(seed, LIMIT);
    ck_assert_int_eq(launch_from_host({1, 1, 0}, nullptr, failing_kernel), LAUNCH_RULE_BROKEN);
    ck_assert_uint_eq(notes.count, LIMIT);
    ck_assert_uint_eq(last_report().launches_refused, 0);
  }
  run_neighbour(LIMIT);
  expect_neighbour(5, 0, 0);
}
END_TEST

/* ---- Refused by chance ----------------------------------------------------------------------------------------- */

constexpr uint32_t CHILDREN = 256;

/* What launching_kernel() did under a chance, as text. */
std::string notes_of(uint64_t seed, uint32_t chance) {
  Rules rules;
  rules.seed = seed;
  rules.refusal_chance = chance;
  start(seed);
  set_rules(rules);
  expect_clean(launch_from_host({1, 1, 0}, nullptr, launching_kernel, CHILDREN));
  const Report &report = last_report();
  ck_assert_uint_eq(report.grids_launched + report.launches_refused, 1 + 2 * CHILDREN);
  ck_assert_uint_eq(notes.count, report.grids_launched - 1);
  return std::string(reinterpret_cast<const char *>(notes.entries), notes.count * sizeof(uint32_t));
}

START_TEST(chance_refuses_so_many) {
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    notes_of(seed, 0);
    ck_assert_uint_eq(last_report().launches_refused, 0);
    notes_of(seed, 1024);
    ck_assert_uint_eq(last_report().launches_refused, 2 * CHILDREN);
    ck_assert_uint_eq(last_report().tails_refused, CHILDREN);
    // 128 of 512 are to be expected, half of them tails; six standard deviations are 59 and 42.
    notes_of(seed, 256);
    ck_assert_uint_ge(last_report().launches_refused, 128 - 59);
    ck_assert_uint_le(last_report().launches_refused, 128 + 59);
    ck_assert_uint_ge(last_report().tails_refused, 64 - 42);
    ck_assert_uint_le(last_report().tails_refused, 64 + 42);
  }
}
END_TEST

START_TEST(seed_decides_what_is_refused) {
  std::set<std::string> courses;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::string once = notes_of(seed, 64);
    ck_assert(notes_of(seed, 64) == once);
    courses.insert(once);
  }
  ck_assert_uint_eq(courses.size(), 20);
}
END_TEST

__global__ void code_kernel() {
  note(static_cast<uint32_t>(launch_child(ChildStream::fire_and_forget, {1, 1, 0}, child_kernel, 1)));
  note(static_cast<uint32_t>(launch_child(ChildStream::named, {1, 1, 0}, child_kernel, 1)));
  note(static_cast<uint32_t>(launch_child(ChildStream::tail, {1, 1, 0}, child_kernel, 1)));
  note(static_cast<uint32_t>(launch_child(ChildStream::tail, {1, 0, 0}, child_kernel, 1)));
}

/* A launch that is impossible is told so, whatever the chance. */
START_TEST(refusal_has_the_pending_limits_code) {
  start(1);
  Rules rules;
  rules.refusal_chance = 1024;
  set_rules(rules);
  expect_clean(launch_from_host({1, 1, 0}, nullptr, code_kernel));
  ck_assert_uint_eq(notes.count, 4);
  for (uint32_t launch = 0; launch < 3; ++launch)
    ck_assert_uint_eq(notes.entries[launch], LAUNCH_PENDING_LIMIT);
  ck_assert_uint_eq(notes.entries[3], LAUNCH_INVALID_SHAPE);
}
END_TEST

/* ---- Atomics --------------------------------------------------------------------------------------------------- */

/* All but `cycle` and `least` are sums in the end, whatever the order. */
struct Shared {
  unsigned int sum;
  int signed_sum;
  unsigned long long wide_sum;
  unsigned int exchanged; /* what was taken out by exchanges */
  unsigned int box;
  unsigned int cycle;
  unsigned int most;
  long long least;
  unsigned int all_bits;
  unsigned int no_bits;
};

Shared shared;

constexpr uint32_t TURNS = 200;
constexpr uint32_t BLOCKS = 20;
constexpr uint32_t THREADS = 64;
constexpr uint32_t HOST_THREADS = 2;
constexpr uint32_t CHANGES = TURNS * BLOCKS * THREADS * HOST_THREADS;

/* Adds 1, by a loop of compare and swap. */
__device__ void add_by_swaps(unsigned int *address) {
  unsigned int expected = *static_cast<volatile unsigned int *>(address);
  for (;;) {
    const unsigned int found = atomicCAS(address, expected, expected + 1);
    if (found == expected)
      return;
    expected = found;
  }
}

__global__ void atomics_kernel(uint32_t host_thread) {
  const uint32_t number = (host_thread * BLOCKS + blockIdx.x) * THREADS + threadIdx.x;
  for (uint32_t turn = 0; turn < TURNS; ++turn) {
    atomicAdd(&shared.sum, 3);
    atomicSub(&shared.sum, 1);
    atomicAdd(&shared.signed_sum, -1);
    atomicAdd(&shared.wide_sum, 1ull << 32);
    atomicAdd(&shared.exchanged, atomicExch(&shared.box, 1));
    add_by_swaps(&shared.cycle);
    atomicMax(&shared.most, number * TURNS + turn);
    atomicMin(&shared.least, -static_cast<long long>(number * TURNS + turn));
    atomicOr(&shared.all_bits, 1u << turn % 32);
    atomicAnd(&shared.no_bits, ~(1u << turn % 32));
    atomicAdd(&launches_taken(), 2);
    atomicSub(&launches_taken(), 1);
  }
}

/* Host threads in turn for as long as one of them runs would show nothing: they run at once. */
START_TEST(atomics_lose_nothing_between_host_threads) {
  shared.no_bits = ~0u;
  ck_assert_uint_eq(launches_taken(), 0);
  int codes[HOST_THREADS];
  std::thread threads[HOST_THREADS];
  for (uint32_t number = 0; number < HOST_THREADS; ++number)
    threads[number] = std::thread([number, &codes] {
      codes[number] = launch_from_host({BLOCKS, THREADS, 0}, nullptr, atomics_kernel, number);
    });
  for (uint32_t number = 0; number < HOST_THREADS; ++number) {
    threads[number].join();
    ck_assert_int_eq(codes[number], LAUNCH_OK);
  }
  ck_assert_uint_eq(shared.sum, 2 * CHANGES);
  ck_assert_int_eq(shared.signed_sum, -static_cast<int>(CHANGES));
  ck_assert_uint_eq(shared.wide_sum, static_cast<unsigned long long>(CHANGES) << 32);
  ck_assert_uint_eq(shared.exchanged + shared.box, CHANGES);
  ck_assert_uint_eq(shared.cycle, CHANGES);
  ck_assert_uint_eq(shared.most, CHANGES - 1);
  ck_assert_int_eq(shared.least, -static_cast<long long>(CHANGES - 1));
  ck_assert_uint_eq(shared.all_bits, ~0u);
  ck_assert_uint_eq(shared.no_bits, 0);
  ck_assert_uint_eq(launches_taken(), CHANGES);
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *const suite = suite_create("simulated_pending");
  TCase *const tests = tcase_create("simulated_pending");
  tcase_set_timeout(tests, TEST_SECONDS);
  for (const TTest *test : {pending_launches_are_counted_together, each_run_has_its_own_limit,
                            broken_run_gives_back_what_was_pending, chance_refuses_so_many, seed_decides_what_is_refused,
                            refusal_has_the_pending_limits_code, atomics_lose_nothing_between_host_threads})
    tcase_add_test(tests, test);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
