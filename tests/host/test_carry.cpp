/* SPDX-License-Identifier: MIT */
/*
 * Values that are carried with their keys (device/payload/carry.cuh), on the simulated device: whether they are, or whether that is given up;
 * and that either way they come out as std::stable_sort has them.
 */
#include "carry_check.h"
#include "run_suite.h"

#include <cdpsort/copy.h>

#include <cmath>

using namespace carry_check;

namespace {

/* Whether a turn of a loop is left out: every second has one half of what goes with the keys, the others have the other half. */
bool leave_out(int turn, int first) {
  return FEW_ROUNDS ? leaves_round_out(turn, first) : (turn + turn / 2 + first) % 2 != 0;
}

/* Around the fewest keys, and where tiles are just full. _i: what goes with the keys, and their type. */
START_TEST(carries_values_of_random_keys) {
  const cdp_type type = CARRIED_TYPES[_i / GOODS % CARRIED];
  const size_t least = least_of(static_cast<Goods>(_i % GOODS), type);
  const size_t tile = tile_of(type);
  const size_t counts[] = {least,         least + 1,     7 * tile - 1,  7 * tile,       7 * tile + 1,
                           13 * tile + 5, 33 * tile + 1, 64 * tile - 1, 100 * tile + 77};
  for (size_t index = 0; index < sizeof counts / sizeof *counts; index++) {
    const Case at = case_of(_i, index + static_cast<size_t>(_i));
    const Bytes keys = keys_of(at.type, counts[index], HOST_UNIFORM, index);
    must_become(Fate::carried, at, keys, "random");
  }
  const Case at = case_of(_i, 1);
  must_become(Fate::not_tried, at, keys_of(at.type, least - 1, HOST_UNIFORM, 1), "too few");
}
END_TEST

/* Keys of so many bits, with many equal ones among them, not from 0 on: `shape` 0 spread evenly, 1 denser towards the greatest, 2 in
   two heaps. */
Bytes uneven_keys(cdp_type type, size_t count, uint32_t bits, int shape, uint64_t seed) {
  Bytes bytes(count * host_key_bytes(type));
  for (size_t index = 0; index < count; index++) {
    const double random = static_cast<double>(host_random(&seed) >> 11) / 9007199254740992.0;
    const double other = static_cast<double>(host_random(&seed) >> 11) / 9007199254740992.0;
    const double place = shape == 0     ? random
                         : shape == 1   ? std::max(random, other)
                         : random < 0.7 ? other / 8
                                        : 0.75 + other / 4;
    const double range = std::ldexp(1.0, static_cast<int>(bits)) * 0.999;
    put_key(bytes, index, type, 7 + static_cast<uint64_t>(place * range));
  }
  return bytes;
}

/* Keys that are not spread evenly are split by a sample. _i: what goes with the keys. */
START_TEST(carries_values_of_uneven_keys) {
  static const uint32_t widths[] = {14, 17, 23, 32, 45, 53, 60, 64};
  int turn = 0;
  for (const uint32_t bits : widths)
    for (int shape = 0; shape < 3; shape++)
      for (const cdp_type type : WIDTHS) {
        if (bits > 8 * host_key_bytes(type) || leave_out(turn++, _i))
          continue;
        Case at = case_of(_i, bits + static_cast<uint32_t>(shape));
        at.type = type;
        must_become(Fate::carried, at, uneven_keys(type, 20000 + bits, bits, shape, bits), "uneven");
      }
}
END_TEST

/* Keys of `values` values, each as frequent as any other, far from one another. */
Bytes keys_of_values(cdp_type type, size_t count, uint32_t values, uint64_t seed) {
  std::vector<uint64_t> chosen(values);
  for (uint64_t &value : chosen)
    value = host_random(&seed);
  chosen.front() = 0; // the least and the greatest have nothing below and above them
  chosen.back() = UINT64_MAX;
  Bytes bytes(count * host_key_bytes(type));
  for (size_t index = 0; index < count; index++)
    put_key(bytes, index, type, chosen[host_random(&seed) % values]);
  return bytes;
}

/* Values that are frequent have groups or buckets of their own; of others, several share a bucket. _i: what goes with the keys. */
START_TEST(carries_values_of_keys_that_repeat) {
  int turn = 0;
  for (const uint32_t values : {2, 3, 31, 32, 33, 150, 400, 5000})
    for (int type = 0; type < CARRIED; type++) {
      if (leave_out(turn++, _i))
        continue;
      Case at = case_of(_i, values + static_cast<uint32_t>(type));
      at.type = CARRIED_TYPES[type];
      must_become(Fate::carried, at, keys_of_values(at.type, 20000 + values, values, values), "few values");
    }
}
END_TEST

/* Some keys in so many are of a few values that are next to one another, others lie anywhere: 0 evenly, 1 below those, 2 the denser the
   closer to them, 3 beside them, so that most share a cell of an on-chip sort with them. */
Bytes crowded_keys(cdp_type type, size_t count, uint32_t share, uint32_t values, int shape, uint64_t seed) {
  constexpr uint32_t CROWD = 0xC0000000;
  const uint32_t raise = raise_of(type);
  Bytes bytes(count * host_key_bytes(type));
  for (size_t index = 0; index < count; index++) {
    const uint64_t random = host_random(&seed);
    const uint32_t any = static_cast<uint32_t>(random >> 32);
    const uint32_t others[] = {any, any % CROWD, CROWD + (any >> random % 31), CROWD + 7 + any % 5};
    const uint64_t key = random % share == 0 ? uint64_t{others[shape]} << raise | (any & ((1u << raise / 2) - 1))
                                             : (uint64_t{CROWD} << raise) + any % values;
    put_key(bytes, index, type, key);
  }
  return bytes;
}

/* _i: what goes with the keys. */
START_TEST(carries_values_of_crowded_keys) {
  int turn = 0;
  for (const uint32_t share : {2, 5, 200})
    for (const uint32_t values : {1, 2, 40, 100000})
      for (int shape = 0; shape < 4; shape++)
        for (const cdp_type type : WIDTHS) {
          if (leave_out(turn++, _i))
            continue;
          Case at = case_of(_i, share + values + static_cast<uint32_t>(shape));
          at.type = type;
          must_become(Fate::carried, at, crowded_keys(type, 17000 + share, share, values, shape, values), "crowded");
        }
}
END_TEST

/* Keys of 8 bytes that lie in so many heaps all over the numbers, and differ in their lowest bits alone: what items of a wide bucket show of
   them is the same. _i: what goes with the keys. */
START_TEST(carries_values_of_keys_in_heaps) {
  int turn = 0;
  for (const uint32_t heaps : {3, 20, 60, 200, 3000})
    for (const uint32_t bits : {1, 6, 9, 12, 20}) {
      if (leave_out(turn++, _i))
        continue;
      Case at = case_of(_i, heaps + bits);
      at.type = CDP_U64;
      uint64_t seed = heaps + bits;
      std::vector<uint64_t> begins(heaps);
      for (uint64_t &begin : begins)
        begin = host_random(&seed) << bits;
      begins.front() = 0;
      begins.back() = UINT64_MAX << bits;
      Bytes keys(12000 * sizeof(uint64_t));
      for (size_t index = 0; index < 12000; index++)
        put_key(keys, index, CDP_U64, begins[host_random(&seed) % heaps] | host_random(&seed) >> (64 - bits));
      must_become(Fate::carried, at, keys, "heaps");
    }
}
END_TEST

/* Runs of so many keys that differ in their lowest bits alone, among keys that lie far apart, so that items leave those bits out: 64 keys are
   mended by counting. _i: what goes with the keys. */
START_TEST(carries_values_of_keys_in_runs) {
  constexpr size_t COUNT = 12000;
  for (const size_t length : {2, 63, 64, 65, 66, 300}) {
    Case at = case_of(_i, 2 * length);
    at.type = CDP_U64;
    uint64_t seed = length;
    std::vector<uint64_t> all(COUNT);
    for (size_t index = 0; index < COUNT; index++)
      all[index] =
          index % 600 < length ? (all[index / 600 * 600] & ~uint64_t{15}) | host_random(&seed) >> 60 : host_random(&seed);
    for (size_t index = COUNT - 1; index > 0; index--)
      std::swap(all[index], all[host_random_below(&seed, index + 1)]);
    Bytes keys(COUNT * sizeof(uint64_t));
    for (size_t index = 0; index < COUNT; index++)
      put_key(keys, index, CDP_U64, all[index]);
    must_become(Fate::carried, at, keys, "runs");
  }
}
END_TEST

/* Keys of characters, of `characters` from '0' or 'a' on: bits that are the same in all keys lie between those that vary, and without them keys
   crowd no more. _i: what goes with the keys. */
START_TEST(carries_values_of_strings) {
  for (const uint32_t characters : {3, 10, 26})
    for (const size_t count : {size_t{2600}, size_t{20000}})
      for (const cdp_type type : WIDTHS) {
        Case at = case_of(_i, characters + count);
        at.type = type;
        Bytes keys(count * host_key_bytes(type));
        uint64_t seed = characters;
        for (size_t index = 0; index < count; index++) {
          uint64_t key = 0;
          for (size_t place = 0; place < host_key_bytes(type); place++)
            key = key << 8 | ((characters == 10 ? '0' : 'a') + host_random_below(&seed, characters));
          put_key(keys, index, type, key);
        }
        must_become(Fate::carried, at, keys, "strings");
      }
}
END_TEST

/* Equal keys come in a row: where they lie in the input says something of them. */
START_TEST(carries_values_of_keys_in_rows) {
  for (const size_t row : {3, 50, 333, 2000})
    for (int which = 0; which < GOODS * CARRIED; which += GOODS + 1) {
      const Case at = case_of(which, row);
      Bytes keys(24000 * host_key_bytes(at.type));
      uint64_t seed = row;
      uint64_t key = 0;
      for (size_t index = 0; index < 24000; index++) {
        if (index % row == 0)
          key = uint64_t{static_cast<uint32_t>(host_random(&seed)) % 100 * 12345678} << raise_of(at.type);
        put_key(keys, index, at.type, key);
      }
      must_become(Fate::carried, at, keys, "in rows");
    }
}
END_TEST

/* _i: the distribution. */
START_TEST(sorts_every_distribution) {
  const host_distribution distribution = static_cast<host_distribution>(_i);
  for (int which = 0; which < GOODS * CARRIED; which++) {
    if (leave_out(which, _i))
      continue;
    const Case at = case_of(which, static_cast<uint64_t>(which) + static_cast<uint64_t>(_i));
    const bool is_packed = is_argsort(at.goods) && host_key_bytes(at.type) == sizeof(uint32_t);
    const host_distribution rising = at.options.order == CDP_ASCENDING ? HOST_SORTED : HOST_REVERSED;
    const host_distribution falling = at.options.order == CDP_ASCENDING ? HOST_REVERSED : HOST_SORTED;
    const Fate others = distribution == falling && is_packed ? Fate::given_up : Fate::carried;
    const Fate fate = distribution == rising || distribution == HOST_ALL_EQUAL ? Fate::in_order : others;
    must_become(fate, at, keys_of(at.type, 30011, distribution, at.options.seed), host_distribution_name(distribution));
  }
}
END_TEST

/* Keys in order, but for one that falls: the first, the last, or one at either end of a tile, or none does. _i: what goes with the keys, and
   their type. */
START_TEST(sorts_what_is_nearly_in_order) {
  const cdp_type type = WIDTHS[_i / GOODS];
  const size_t tile = tile_of(type);
  const size_t count = 5 * tile + 77;
  for (const size_t falling : {size_t{0}, size_t{1}, tile - 1, tile, tile + 1, 3 * tile, count - 2, count - 1}) {
    Case at = case_of(_i, 4 + 2 * falling); // ascending
    at.type = type;
    Bytes keys(count * host_key_bytes(type));
    for (size_t index = 0; index < count; index++)
      put_key(keys, index, type, 100 * index + (index % 3 == 0 ? 100 : 0)); // some are equal
    if (falling != 0)
      put_key(keys, falling, type, 100 * falling - 300);
    const bool is_packed = is_argsort(at.goods) && type == CDP_U32;
    // The sample may have seen it: then it neither rises nor falls, and all is carried.
    const Fate fate = must_sort(at, keys);
    ck_assert_msg(falling == 0 ? fate == Fate::in_order : fate == Fate::carried || (is_packed && fate == Fate::given_up),
                  "key %zu falls: %d", falling, static_cast<int>(fate));
  }
}
END_TEST

/* A sample does not see everything: one bucket is too long for a team; or for a block, too, and then all keys are counted again. _i: of how
   many values the heap is. */
START_TEST(sorts_what_crowds_unseen) {
  constexpr size_t COUNT = 200000; // so many that there is a second count, and so few that the sorts are quick
  constexpr uint64_t HEAP = 0x40000000;
  static const uint32_t values[] = {1, 2, 512};
  const cdp_type type = WIDTHS[_i / 3];
  Bytes keys = keys_of(type, COUNT, HOST_UNIFORM, 5);
  for (const size_t more :
       {size_t{700}, size_t{1200}, size_t{1700}}) { // beside some 480 others; a team sorts 768, a block 1,536
    for (size_t index = 0; index < more; index++)
      put_key(keys, index * 115 + 7, type, (HEAP << raise_of(type)) + index % values[_i % 3]);
    const int stride = FEW_ROUNDS ? ROUND_STRIDE : 2; // each has its turn with another heap
    for (int goods = (_i + static_cast<int>(more / 500)) % stride; goods < GOODS; goods += stride) {
      Case at = case_of(goods, 9); // a seed whose sample does not find a heap of one value
      at.type = type;
      must_become(more == 700 ? Fate::carried : Fate::counted_again, at, keys, "a heap");
    }
  }
}
END_TEST

/* With fewer keys no value that is missed has so many, as a rule, that it is worth a second count. */
START_TEST(gives_up_what_hardly_comes) {
  for (const cdp_type type : WIDTHS) {
    Bytes keys = keys_of(type, 60000, HOST_UNIFORM, 5);
    for (size_t index = 0; index < 1200; index++)
      put_key(keys, index * 47 + 7, type, (uint64_t{0x40000000} << raise_of(type)) + index % 512);
    for (int goods = 0; goods < GOODS; goods++) {
      Case at = case_of(goods, 5);
      at.type = type;
      must_become(Fate::given_up, at, keys, "a heap");
    }
  }
}
END_TEST

/* Keys that are made against the first sample: all but those that it draws are in one group, which has room for fewer buckets than they
   need. _i: what goes with the keys. */
START_TEST(sorts_what_misleads) {
  constexpr uint32_t COUNT = 60000;
  Case at = case_of(_i % GOODS, 2);
  at.type = WIDTHS[_i / GOODS];
  const uint32_t samples = cdp::carry_look_samples(cdp::DeviceKind::simulated, host_key_bytes(at.type), COUNT);
  const uint64_t hash = cdp::simulated::group_hash(plan_of(at.goods, COUNT, at.type, at.options).sort.seed, 0);
  Bytes keys = uneven_keys(at.type, COUNT, 20, 0, 1);
  for (uint32_t index = 0; index < samples; index++) {
    const uint32_t anyhow = index * 37 % samples; // not in order
    put_key(keys, cdp::simulated::sample_position(hash, index, samples, COUNT), at.type, UINT64_MAX - anyhow * anyhow);
  }
  must_become(Fate::given_up, at, keys, "decoys");
  at.options.seed++;
  must_become(Fate::carried, at, keys, "decoys of another sample");
}
END_TEST

/* Values that are not aligned, and ties by value of numbers, go by items. */
START_TEST(leaves_the_others_alone) {
  const Bytes keys = keys_of(CDP_F32, 9000, HOST_UNIFORM, 3);
  Case at = case_of(VALUES_OF_8, 3);
  at.type = CDP_F32;
  at.offset = 4;
  must_become(Fate::not_tried, at, keys, "values of 8 bytes at a multiple of 4");
  at.offset = 0;
  must_become(Fate::carried, at, keys, "aligned");
  at.goods = VALUES_OF_4;
  const size_t few = (row_of(CDP_F32).least_count + row_of(CDP_F32).least_packed_count) / 2;
  must_become(Fate::carried, at, keys_of(CDP_F32, few, HOST_UNIFORM, 4), "stable");
  at.options.ties = CDP_TIES_ANY;
  ck_assert(!plan_of(at.goods, few, at.type, at.options).carries);
  const cdp_payload_plan packed = plan_of(at.goods, row_of(CDP_F32).least_packed_count, at.type, at.options);
  ck_assert(packed.carries && packed.carry.leaves_order);
  at.options.ties = CDP_TIES_STABLE;
  at.goods = VALUES_OF_8;
  at.options.ties = CDP_TIES_BY_VALUE;
  must_become(Fate::not_tried, at, keys, "ties by value");
  at.options.ties = CDP_TIES_STABLE;
  at.options.scheme = CDP_SCHEME_HOST;
  must_become(Fate::not_tried, at, keys, "launched by the host");
  at.options.scheme = CDP_SCHEME_DEFAULT;
  at.options.fan_out = CDP_FAN_OUT_CLASSIC;
  must_become(Fate::not_tried, at, keys, "by one pivot");
}
END_TEST

/* To other arrays, from ones that stay as they are. _i: what goes with the keys. */
START_TEST(carries_to_other_arrays) {
  const size_t value_bytes = value_bytes_of(static_cast<Goods>(_i % 2));
  const cdp_type type = _i < 2 ? CDP_I32 : CDP_I64;
  for (const host_distribution distribution : {HOST_UNIFORM, HOST_GAUSSIAN, HOST_FEW_DISTINCT, HOST_SORTED}) {
    const cdp_options options = case_of(_i, 2).options;
    const Bytes keys = keys_of(type, 12345, distribution, 2);
    const Bytes values = random_bytes(12345 * value_bytes, 2);
    const std::vector<uint64_t> order = stable_order(type, options, keys);
    const Guarded own_keys(keys);
    const Guarded own_values(values);
    const Guarded sorted_keys(Bytes(keys.size(), 0x5A));
    const Guarded sorted_values(Bytes(values.size(), 0x5A));
    ck_assert_int_eq(cdp_quicksort_pairs_copy(own_keys.bytes(), sorted_keys.bytes(), own_values.bytes(), sorted_values.bytes(),
                                              value_bytes, 12345, type, &options),
                     CDP_OK);
    ck_assert(own_keys.contents() == keys);
    ck_assert(own_values.contents() == values);
    ck_assert(sorted_keys.contents() == in_order(keys, host_key_bytes(type), order));
    ck_assert(sorted_values.contents() == in_order(values, value_bytes, order));
  }
}
END_TEST

} // namespace

int main() {
  Suite *suite = suite_create("carry");
  TCase *tests = tcase_create("carry");
  tcase_set_timeout(tests, TEST_SECONDS);
  add_options_loop_test(tests, carries_values_of_random_keys, 0, GOODS * CARRIED);
  tcase_add_loop_test(tests, carries_values_of_uneven_keys, 0, GOODS);
  tcase_add_loop_test(tests, carries_values_of_keys_that_repeat, 0, GOODS);
  tcase_add_loop_test(tests, carries_values_of_crowded_keys, 0, GOODS);
  tcase_add_loop_test(tests, carries_values_of_keys_in_heaps, 0, GOODS);
  tcase_add_loop_test(tests, carries_values_of_keys_in_runs, 0, GOODS);
  tcase_add_loop_test(tests, carries_values_of_strings, 0, GOODS);
  tcase_add_test(tests, carries_values_of_keys_in_rows);
  tcase_add_loop_test(tests, sorts_every_distribution, 0, HOST_DISTRIBUTIONS);
  tcase_add_loop_test(tests, sorts_what_is_nearly_in_order, 0, 2 * GOODS);
  tcase_add_loop_test(tests, sorts_what_crowds_unseen, 0, 6);
  tcase_add_test(tests, gives_up_what_hardly_comes);
  tcase_add_loop_test(tests, sorts_what_misleads, 0, 2 * GOODS);
  tcase_add_test(tests, leaves_the_others_alone);
  tcase_add_loop_test(tests, carries_to_other_arrays, 0, 4);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
