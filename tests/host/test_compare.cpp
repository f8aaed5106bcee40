/* SPDX-License-Identifier: MIT */
/*
 * cdp_quicksort_by() and cdp_quicksort_by_copy() on the simulated device: items of all kinds of sizes come out in order, and
 * whatever a comparison answers, all of them come out. The calls as calls are test_compare_calls.cpp's.
 */
#include "compared.h"
#include "run_suite.h"

#include <cdpsort/copy.h>

using namespace compared;
using namespace host_tables;

namespace {

#define MUST(call) ck_assert_msg((call) == CDP_OK, "%s", cdp_last_message())

/* ---- Comparisons ------------------------------------------------------------------------------------------------------- */

/* What comparisons are given. */
struct Setting {
  size_t item_bytes;
  uint64_t calls = 0;
  uint64_t seed = 1;
  uint64_t silent_calls = 0; /* so many at first are told that items are equivalent */
};

uint32_t key(const void *item, const Setting &setting) {
  return key_of(item, setting.item_bytes);
}

int by_key(const void *a, const void *b, void *context) {
  const Setting &setting = *static_cast<Setting *>(context);
  return key(a, setting) < key(b, setting) ? -1 : key(a, setting) > key(b, setting) ? 1 : 0;
}

int by_falling_key(const void *a, const void *b, void *context) {
  return by_key(b, a, context);
}

/* By all bytes: no two items that differ are equivalent. */
int by_all_bytes(const void *a, const void *b, void *context) {
  return memcmp(a, b, static_cast<Setting *>(context)->item_bytes);
}

/* Misleads the sample, and is right about everything else. */
int by_key_at_last(const void *a, const void *b, void *context) {
  Setting &setting = *static_cast<Setting *>(context);
  return setting.calls++ < setting.silent_calls ? 0 : by_key(a, b, context);
}

int counted_never(const void *, const void *, void *context) {
  static_cast<Setting *>(context)->calls++;
  return 0;
}

int counted_by_key(const void *a, const void *b, void *context) {
  static_cast<Setting *>(context)->calls++;
  return by_key(a, b, context);
}

int as_always(bool answer) {
  return answer ? -1 : 1;
}

int always(const void *, const void *, void *) {
  return as_always(true);
}

int never(const void *, const void *, void *) {
  return as_always(false);
}

uint64_t hash_of(uint64_t a, uint64_t b) {
  uint64_t state = a * 0x9E3779B97F4A7C15u + b;
  return host_random(&state);
}

/* The same answer to the same question, and no order in it. */
int by_hash_of_pair(const void *a, const void *b, void *context) {
  const Setting &setting = *static_cast<Setting *>(context);
  return as_always((hash_of(key(a, setting), key(b, setting)) & 1) != 0);
}

/* Another answer each time. */
int by_chance(const void *, const void *, void *context) {
  return as_always((host_random(&static_cast<Setting *>(context)->seed) & 1) != 0);
}

/* Seldom true, and seldom false. */
int seldom(const void *, const void *, void *context) {
  return as_always(host_random(&static_cast<Setting *>(context)->seed) % 64 == 0);
}
int mostly(const void *, const void *, void *context) {
  return as_always(host_random(&static_cast<Setting *>(context)->seed) % 64 != 0);
}

/* Round and round: 0 < 1 < 2 < 0. */
int in_a_circle(const void *a, const void *b, void *context) {
  const Setting &setting = *static_cast<Setting *>(context);
  return as_always((key(a, setting) + 1) % 3 == key(b, setting) % 3);
}

int by_key_or_equal(const void *a, const void *b, void *context) {
  return by_key(a, b, context) <= 0 ? -1 : 1;
}

/* One way at first, and then the other. */
int turning(const void *a, const void *b, void *context) {
  Setting &setting = *static_cast<Setting *>(context);
  return setting.calls++ / 1000 % 2 == 0 ? by_key(a, b, context) : by_key(b, a, context);
}

/* Every hundredth answer is wrong. */
int with_mistakes(const void *a, const void *b, void *context) {
  Setting &setting = *static_cast<Setting *>(context);
  return setting.calls++ % 100 == 0 ? -by_key(a, b, context) : by_key(a, b, context);
}

/* Both before each other, unless they are far apart. */
int near_ones_before(const void *a, const void *b, void *context) {
  const Setting &setting = *static_cast<Setting *>(context);
  const int64_t difference = int64_t{key(a, setting)} - int64_t{key(b, setting)};
  return as_always(difference < 100);
}

struct Named {
  const char *name;
  int (*compare)(const void *a, const void *b, void *context);
};

const Named orders[] = {{"by key", by_key}, {"by falling key", by_falling_key}, {"by all bytes", by_all_bytes}};
const Named broken[] = {{"always", always},
                        {"never", never},
                        {"by a hash of the pair", by_hash_of_pair},
                        {"by chance", by_chance},
                        {"seldom", seldom},
                        {"mostly", mostly},
                        {"in a circle", in_a_circle},
                        {"by key or equal", by_key_or_equal},
                        {"turning", turning},
                        {"with mistakes", with_mistakes},
                        {"near ones before", near_ones_before}};

/* ---- Sorting ----------------------------------------------------------------------------------------------------------- */

/*
 * Sorts in a guarded workspace of no more than is asked for, and looks whether all items are there: in place, or with an odd seed
 * out of place, which must leave the input as it was.
 */
Bytes sort_guarded(const Bytes &items, size_t item_bytes, const Named &order, uint64_t seed, Setting &setting) {
  const size_t count = items.size() / item_bytes;
  const bool is_apart = seed % 2 == 1;
  const cdp_options options = simulated_options(seed);
  cdp_comparison comparison = CDP_COMPARISON_INIT;
  comparison.compare = order.compare;
  comparison.context = &setting;
  size_t bytes = 0;
  MUST(is_apart ? cdp_quicksort_by_copy_workspace(count, item_bytes, &options, &bytes)
                : cdp_quicksort_by_workspace(count, item_bytes, &options, &bytes));
  const Guarded workspace(Bytes(bytes, 0xA5));
  const Guarded given(items);
  const Guarded output(Bytes(items.size(), 0xEE));
  MUST(is_apart ? cdp_quicksort_by_copy_async(given.bytes(), output.bytes(), count, item_bytes, &comparison, &options,
                                              workspace.bytes(), bytes, nullptr)
                : cdp_quicksort_by_async(given.bytes(), count, item_bytes, &comparison, &options, workspace.bytes(), bytes,
                                         nullptr));
  workspace.contents();
  if (is_apart)
    ck_assert(given.contents() == items);
  Bytes sorted = is_apart ? output.contents() : given.contents();
  must_be_permutation(items, sorted, item_bytes);
  return sorted;
}

Bytes sort_guarded(const Bytes &items, size_t item_bytes, const Named &order, uint64_t seed) {
  Setting setting = {item_bytes};
  return sort_guarded(items, item_bytes, order, seed, setting);
}

void must_sort(size_t count, size_t item_bytes, uint32_t keys, const Named &order, uint64_t seed) {
  Setting setting = {item_bytes};
  const Bytes sorted = sort_guarded(random_items(count, item_bytes, keys, seed), item_bytes, order, seed);
  must_be_in_order(sorted, item_bytes, [&](const void *a, const void *b) { return order.compare(a, b, &setting) < 0; });
}

/* Those that are moved, those of which indices are, and such as are aligned to nothing. */
constexpr size_t ITEM_SIZES[] = {1, 2, 3, 4, 7, 8, 12, 16, 20, 24, 32, 33, 100};
constexpr int SIZES = sizeof ITEM_SIZES / sizeof *ITEM_SIZES;

START_TEST(sorts_around_limits) {
  const size_t item_bytes = ITEM_SIZES[_i];
  uint64_t seed = 100;
  for (const size_t count : counts_around_limits(item_bytes, true))
    must_sort(count, item_bytes, 0, orders[count % 3], seed++);
}
END_TEST

/* Few keys have buckets of their own, from none to all. */
START_TEST(sorts_few_keys) {
  const size_t item_bytes = ITEM_SIZES[_i];
  const cdp::by::Shape shape = cdp::by::shape_of(4, true);
  const size_t one_level = shape.piece() / 2 << shape.level_bits;
  uint64_t seed = 300;
  for (const uint32_t keys : {1u, 2u, 3u, 5u, 9u, 17u, 100u, 255u})
    for (const size_t count : {one_level, 2 * one_level + 1})
      must_sort(count, item_bytes, keys, orders[keys % 3], seed++);
}
END_TEST

/* Some values have half of all items, and what lies between them is like any other. */
START_TEST(sorts_frequent_keys) {
  const size_t item_bytes = ITEM_SIZES[_i];
  uint64_t state = 350;
  for (uint64_t seed = 350; seed < 354; seed++) {
    const size_t count = 1000 * (seed - 346);
    Bytes items = random_items(count, item_bytes, 0, seed);
    for (size_t index = 0; index < count; index++) {
      const uint64_t lot = host_random(&state);
      const uint32_t key = 50 + static_cast<uint32_t>(lot / 2 % 3 * 60);
      if (lot % 2 == 0)
        memcpy(&items[index * item_bytes], &key, std::min<size_t>(item_bytes, sizeof key));
      else if (item_bytes >= 4) // near the others, so that they lie between them
        memset(&items[index * item_bytes + 1], 0, 3);
    }
    Setting setting = {item_bytes};
    const Named &order = orders[seed % 2];
    must_be_in_order(sort_guarded(items, item_bytes, order, seed), item_bytes,
                     [&](const void *a, const void *b) { return order.compare(a, b, &setting) < 0; });
  }
}
END_TEST

/* What is equivalent to a frequent splitter is compared no further. */
START_TEST(is_done_with_equal_items) {
  const size_t count = 10000;
  Setting setting = {4};
  sort_guarded(random_items(count, 4, 1, 360), 4, {"by key", counted_by_key}, 360, setting);
  ck_assert_msg(setting.calls < 6 * count, "%llu comparisons of %zu equal items",
                static_cast<unsigned long long>(setting.calls), count);
}
END_TEST

/*
 * Splitters that divide nothing: as long as the sample is sorted all items are said to be equivalent, so that there is one
 * splitter, any item, and pieces are longer than a block sorts. How long that is the same sort tells in which they always are:
 * behind the sample, of one level, each item of a tile is compared once a level of the tree and once with the splitter.
 */
START_TEST(sorts_long_pieces) {
  uint64_t seed = 370;
  for (const size_t item_bytes : {size_t{1}, size_t{4}, size_t{8}, size_t{24}, size_t{11}})
    for (const uint32_t pieces : {3u, 4u}) {
      cdp::by::Plan plan;
      const size_t count =
          pieces *
              cdp::by::shape_of(cdp::by::is_moved(item_bytes) ? static_cast<uint32_t>(item_bytes) : cdp::by::OF_INDICES, true)
                  .piece() -
          7;
      ck_assert(cdp::by::make_plan({count, item_bytes, 0, false}, 4, true, &plan));
      ck_assert_uint_eq(plan.levels, 1);
      const Bytes items = random_items(count, item_bytes, 0, seed);
      Setting setting = {item_bytes};
      sort_guarded(items, item_bytes, {"never", counted_never}, seed, setting);
      const uint64_t tiles = (count + plan.shape.tile() - 1) / plan.shape.tile();
      Setting misleading = {item_bytes};
      misleading.silent_calls = setting.calls - tiles * plan.shape.tile() * (plan.bits[0] + 1);
      const Bytes sorted = sort_guarded(items, item_bytes, {"by key at last", by_key_at_last}, seed, misleading);
      must_be_in_order(sorted, item_bytes, [&](const void *a, const void *b) { return by_key(a, b, &setting) < 0; });
      seed++;
    }
}
END_TEST

/* Orders that a sort may meet: those of its own result, the other way round, and such. */
START_TEST(sorts_ordered_items) {
  const size_t count = 5000;
  for (const size_t item_bytes : {size_t{4}, size_t{8}, size_t{40}}) {
    const Bytes sorted = sort_guarded(random_items(count, item_bytes, 0, 400), item_bytes, orders[2], 400);
    Bytes falling;
    for (size_t index = count; index-- > 0;)
      falling.insert(falling.end(), sorted.begin() + static_cast<ptrdiff_t>(index * item_bytes),
                     sorted.begin() + static_cast<ptrdiff_t>((index + 1) * item_bytes));
    ck_assert(sort_guarded(sorted, item_bytes, orders[2], 401) == sorted);
    ck_assert(sort_guarded(falling, item_bytes, orders[2], 402) == sorted);
  }
}
END_TEST

/* Three levels on the simulated device. */
START_TEST(sorts_many_items) {
  const cdp::by::Shape shape = cdp::by::shape_of(4, true);
  const size_t two_levels = shape.piece() / 2 << (2 * shape.level_bits);
  must_sort(two_levels + 1, 4, 0, orders[0], 500);
  must_sort(2 * two_levels, 5, 1000, orders[1], 501);
}
END_TEST

/* Nothing is lost and nothing written elsewhere. */
START_TEST(survives_broken_comparisons) {
  const Named &order = broken[_i];
  uint64_t seed = 600;
  for (const size_t item_bytes : {size_t{1}, size_t{4}, size_t{8}, size_t{24}, size_t{11}})
    for (const size_t count : counts_around_limits(item_bytes, true))
      for (const uint32_t keys : {0u, 3u})
        sort_guarded(random_items(count, item_bytes, keys, count), item_bytes, order, seed++);
}
END_TEST

/* Many at random, of which each may show what others do not. */
START_TEST(survives_many_seeds) {
  for (uint64_t seed = 1000; seed < (FEW_ROUNDS ? 1040u : 1400u); seed++) {
    const Named &order = broken[seed % (sizeof broken / sizeof *broken)];
    const size_t item_bytes = ITEM_SIZES[seed / 16 % SIZES];
    sort_guarded(random_items(seed * 7919 % 3000, item_bytes, 0, seed), item_bytes, order, seed);
  }
}
END_TEST

Suite *make_suite() {
  Suite *suite = suite_create("compare");
  TCase *tests = tcase_create("compare");
  tcase_set_timeout(tests, TEST_SECONDS);
  tcase_add_loop_test(tests, sorts_around_limits, 0, SIZES);
  tcase_add_loop_test(tests, sorts_few_keys, 0, SIZES);
  tcase_add_loop_test(tests, sorts_frequent_keys, 0, SIZES);
  tcase_add_test(tests, is_done_with_equal_items);
  tcase_add_test(tests, sorts_long_pieces);
  tcase_add_test(tests, sorts_ordered_items);
  tcase_add_test(tests, sorts_many_items);
  tcase_add_loop_test(tests, survives_broken_comparisons, 0, sizeof broken / sizeof *broken);
  tcase_add_test(tests, survives_many_seeds);
  suite_add_tcase(suite, tests);
  return suite;
}

} // namespace

int main() {
  return run_suite(make_suite());
}
