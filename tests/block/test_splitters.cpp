/* SPDX-License-Identifier: MIT */
/*
 * Splitters (device/block/splitters.cuh): what is chosen from a range, and into which bucket a key comes. A bucket is looked up
 * here by counting the splitters below the key, one by one.
 */
#include "block/splitters.cuh"

#include "block_check.h"

#include <algorithm>
#include <map>

namespace cdp::simulated {

namespace {

constexpr uint64_t SEEDS = 4;

/* What a block has chosen. */
template <typename Bits>
struct Chosen {
  SplitterSet set;
  Bits splitters[MAX_BUCKETS];
};

template <typename Bits>
Chosen<Bits> chosen;

struct Ask {
  uint32_t fan_out;
  uint32_t oversampling;
  uint32_t max_buckets;
  Crowded crowded;
};

/* Chooses splitters of a range and classifies all of its keys. Not for the static analyser: it takes each look at threadIdx for
   another thread's. */
template <typename Bits, uint32_t EACH>
__global__ void choose_kernel([[maybe_unused]] BlockRules<Bits> rules, [[maybe_unused]] Range range, [[maybe_unused]] Ask ask,
                              [[maybe_unused]] uint32_t *buckets) {
#ifndef __clang_analyzer__
  choose_splitters<Bits, EACH>(rules, range, ask.fan_out, ask.oversampling, ask.max_buckets, ask.crowded);
  auto &storage = block_shared<MultiwayStorage<Bits>>();
  const SplitterSet set = storage.set;
  for (uint32_t index = threadIdx.x; index + 1 < set.tree_items; index += blockDim.x)
    chosen<Bits>.splitters[index] = storage.splitters[index];
  if (threadIdx.x == 0)
    chosen<Bits>.set = set;
  const Bits *source = rules.side(range.side) + range.begin;
  for (uint64_t first = 2 * threadIdx.x; first < range.items(); first += 2 * blockDim.x) {
    Bits items[2] = {source[first], first + 1 < range.items() ? source[first + 1] : source[first]};
    uint32_t found[2];
    rules.map.enter_all(items, range.is_raw());
    classify(items, found, storage, set);
    buckets[first] = found[0];
    if (first + 1 < range.items())
      buckets[first + 1] = found[1];
  }
#endif
}

/* The splitters are keys of the range, in order, and hold to what is said of the set. */
template <typename Bits>
void must_be_splitters(const std::vector<Bits> &entered, const Ask &ask) {
  const SplitterSet &set = chosen<Bits>.set;
  const Bits *splitters = chosen<Bits>.splitters;
  ck_assert_uint_ge(set.splitters, 1);
  ck_assert_uint_lt(set.splitters, set.tree_items);
  ck_assert_uint_le(set.buckets, ask.max_buckets);
  ck_assert_uint_le(set.unequal_buckets(), ask.fan_out);
  ck_assert_uint_eq(set.buckets, set.equal != 0 ? 2 * set.splitters + 1 : set.splitters + 1);
  for (uint32_t index = 0; index < set.splitters; index++) {
    ck_assert_msg(std::binary_search(entered.begin(), entered.end(), splitters[index]), "splitter %u is no key", index);
    if (index != 0)
      ck_assert(set.equal != 0 ? splitters[index - 1] < splitters[index] : splitters[index - 1] <= splitters[index]);
  }
  for (uint32_t index = set.splitters; index + 1 < set.tree_items; index++)
    ck_assert_uint_eq(splitters[index], GREATEST<Bits>);
}

template <typename Bits>
uint32_t bucket_by_hand(Bits key) {
  const SplitterSet &set = chosen<Bits>.set;
  uint32_t below = 0;
  while (below < set.splitters && chosen<Bits>.splitters[below] < key)
    below++;
  if (set.equal == 0)
    return below;
  return 2 * below + (below < set.splitters && chosen<Bits>.splitters[below] == key ? 1 : 0);
}

/* Has splitters chosen of keys, ends the test unless every key comes into its bucket, and returns how many each has. */
template <typename Bits, uint32_t EACH>
std::vector<uint32_t> choose(Keys<Bits> &keys, KeyKind kind, uint64_t seed, const Ask &ask) {
  const KeyMap<Bits> map = map_of<Bits>(kind);
  const uint32_t count = static_cast<uint32_t>(keys.count());
  std::vector<uint32_t> buckets(count, UINT32_MAX);
  BlockRules<Bits> rules = rules_of<Bits>(keys.data(), nullptr, map);
  rules.seed = seed;
  std::memset(&chosen<Bits>, 0xEE, sizeof chosen<Bits>);
  run_grid(seed, {1, MultiwayShape<Bits>::BLOCK_THREADS, sizeof(MultiwayStorage<Bits>)}, choose_kernel<Bits, EACH>, rules,
           Range{0, count, Side::keys, 0}, ask, buckets.data());
  keys.must_be_untouched("the range");
  std::vector<Bits> entered(count);
  std::vector<uint32_t> items(ask.max_buckets);
  for (uint32_t index = 0; index < count; index++) {
    entered[index] = map.enter(keys.original()[index]);
    const uint32_t bucket = bucket_by_hand(entered[index]);
    ck_assert_msg(buckets[index] == bucket, "%u keys, fan-out %u: key %u is in bucket %u, not %u", count, ask.fan_out, index,
                  buckets[index], bucket);
    items.at(bucket)++;
  }
  std::sort(entered.begin(), entered.end());
  must_be_splitters(entered, ask);
  return items;
}

template <typename Bits>
constexpr uint32_t EACH_OF_TASK = MultiwayShape<Bits>::TASK_SAMPLES_PER_THREAD;
template <typename Bits>
constexpr uint32_t EACH_OF_BLOCK = MultiwayShape<Bits>::SAMPLES_PER_THREAD;

/* Sizes from one key to more than there are samples, each with every kind of keys, and with room for buckets of equal keys or
   without. */
template <typename Bits>
void check_sizes(uint64_t seed) {
  for (const uint32_t fan_out : {MIN_FAN_OUT, 2 * MIN_FAN_OUT, MultiwayShape<Bits>::MAX_FAN_OUT})
    for (const uint32_t count : {1u, 2u, 3u, 31u, 33u, fan_out - 1, fan_out, fan_out + 1, 1535u, 1536u, 1537u, 4000u})
      for (const host_distribution distribution :
           {HOST_UNIFORM, HOST_FEW_DISTINCT, HOST_EXTREMES, HOST_ALL_EQUAL, HOST_SORTED}) {
        const KeyKind kind = KEY_KINDS<Bits>[seed % KINDS];
        Keys<Bits> keys(kind, count, distribution, seed, seed % 3);
        const uint32_t max_buckets = seed % 2 == 0 ? std::min(2 * fan_out, MAX_BUCKETS) : fan_out;
        const Ask ask = {fan_out, 1 + static_cast<uint32_t>(seed % 16), max_buckets,
                         seed % 5 < 3 ? Crowded::leave_out : Crowded::keep_all};
        if (seed % 2 == 0)
          choose<Bits, EACH_OF_TASK<Bits>>(keys, kind, seed, ask);
        else
          choose<Bits, EACH_OF_BLOCK<Bits>>(keys, kind, seed, ask);
        seed++;
      }
}

/* _i: the seed. */
START_TEST(every_key_comes_into_its_bucket) {
  check_sizes<uint32_t>(static_cast<uint64_t>(_i) * 1000);
  check_sizes<uint64_t>(static_cast<uint64_t>(_i) * 1000);
}
END_TEST

/* With 16 keys of a sample to a bucket, none of 16 is three times as long as it should be: chance alone makes one so in 10^7. */
template <typename Bits>
void check_balance(uint64_t seed) {
  constexpr uint32_t COUNT = 6000;
  const KeyKind kind = KEY_KINDS<Bits>[seed % KINDS];
  Keys<Bits> keys(kind, COUNT, HOST_UNIFORM, seed);
  const std::vector<uint32_t> items = choose<Bits, EACH_OF_TASK<Bits>>(keys, kind, seed, {16, 16, 32, Crowded::leave_out});
  ck_assert_uint_eq(chosen<Bits>.set.buckets, 16);
  ck_assert_uint_lt(*std::max_element(items.begin(), items.end()), 3 * COUNT / 16);
}

START_TEST(random_keys_are_divided_evenly) {
  check_balance<uint32_t>(static_cast<uint64_t>(_i));
  check_balance<uint64_t>(static_cast<uint64_t>(_i));
}
END_TEST

/* Four values that a fifth of the keys have each: every one has a bucket of its own, beside the others' of whom there are many. */
template <typename Bits>
void check_frequent(uint64_t seed, Crowded crowded) {
  constexpr uint32_t COUNT = 5000;
  const KeyKind kind = KEY_KINDS<Bits>[0];
  Keys<Bits> keys(kind, COUNT, HOST_UNIFORM, seed);
  for (uint32_t index = 0; index < COUNT; index++)
    if (index % 5 != 4)
      keys.original()[index] = GREATEST<Bits> / 7 * static_cast<Bits>(1 + index % 5);
  keys.restore();
  const std::vector<uint32_t> items = choose<Bits, EACH_OF_TASK<Bits>>(keys, kind, seed, {16, 16, 32, crowded});
  ck_assert_uint_eq(chosen<Bits>.set.equal, 1);
  for (uint32_t value = 1; value <= 4; value++) {
    const uint32_t bucket = bucket_by_hand<Bits>(GREATEST<Bits> / 7 * static_cast<Bits>(value));
    ck_assert_msg(bucket % 2 == 1 && items[bucket] == COUNT / 5, "value %u: bucket %u has %u keys", value, bucket,
                  items[bucket]);
  }
}

START_TEST(frequent_values_have_buckets_of_their_own) {
  for (const Crowded crowded : {Crowded::leave_out, Crowded::keep_all}) {
    check_frequent<uint32_t>(static_cast<uint64_t>(_i), crowded);
    check_frequent<uint64_t>(static_cast<uint64_t>(_i), crowded);
  }
}
END_TEST

/* Where not every value can have a bucket of equal keys: those that are frequent have, and splitters are left out; or all are
   kept, and none has, if one value alone is frequent. */
START_TEST(crowded_sets_do_as_they_are_told) {
  constexpr uint32_t COUNT = 5000;
  const KeyKind kind = KEY_KINDS<uint32_t>[0];
  Keys<uint32_t> keys(kind, COUNT, HOST_UNIFORM, static_cast<uint64_t>(_i));
  for (uint32_t index = 0; index < COUNT; index += 5)
    keys.original()[index] = 0x55555555u;
  keys.restore();
  choose<uint32_t, EACH_OF_TASK<uint32_t>>(keys, kind, static_cast<uint64_t>(_i), {32, 16, 32, Crowded::leave_out});
  ck_assert_uint_eq(chosen<uint32_t>.set.equal, 1);
  ck_assert_uint_le(chosen<uint32_t>.set.splitters, 15);
  ck_assert_uint_eq(bucket_by_hand(0x55555555u) % 2, 1);
  choose<uint32_t, EACH_OF_TASK<uint32_t>>(keys, kind, static_cast<uint64_t>(_i), {32, 16, 32, Crowded::keep_all});
  ck_assert_uint_eq(chosen<uint32_t>.set.equal, 0);
  ck_assert_uint_eq(chosen<uint32_t>.set.splitters, 31);
}
END_TEST

/* Where a group's sample lies says nothing of where another's does. _i: the seed. */
START_TEST(groups_have_no_random_number_in_common) {
  constexpr uint64_t GROUPS = 64;
  constexpr uint32_t SAMPLES = 64;
  std::map<uint64_t, int> drawn;
  for (uint64_t group = 0; group < GROUPS; group++)
    for (uint32_t index = 0; index < SAMPLES; index++)
      drawn[splitmix64(group_hash(static_cast<uint64_t>(_i), group) + index)]++;
  ck_assert_uint_eq(drawn.size(), GROUPS * SAMPLES);
}
END_TEST

} // namespace

} // namespace cdp::simulated

int main() {
  using namespace cdp::simulated;
  Suite *suite = suite_create("splitters");
  TCase *chosen_ones = tcase_create("chosen");
  tcase_set_timeout(chosen_ones, TEST_SECONDS);
  tcase_add_loop_test(chosen_ones, every_key_comes_into_its_bucket, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(chosen_ones, random_keys_are_divided_evenly, 0, 2 * static_cast<int>(SEEDS));
  tcase_add_loop_test(chosen_ones, frequent_values_have_buckets_of_their_own, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(chosen_ones, crowded_sets_do_as_they_are_told, 0, static_cast<int>(SEEDS));
  tcase_add_loop_test(chosen_ones, groups_have_no_random_number_in_common, 0, static_cast<int>(SEEDS));
  suite_add_tcase(suite, chosen_ones);
  return run_suite(suite);
}
