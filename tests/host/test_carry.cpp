/* SPDX-License-Identifier: MIT */
/*
 * Values that are carried with their keys (device/payload/carry.cuh), on the simulated device: whether they are, as the control word
 * in the workspace tells, or whether that is given up; and that either way they come out as std::stable_sort has them.
 */
#include "host_tables.h"
#include "run_suite.h"

#include "block/splitters.cuh"
#include "tuning_carry.h"

extern "C" {
#include "device.h"
#include "options.h"
}

#include <cdpsort/copy.h>
#include <cdpsort/pairs.h>

#include <cmath>

using namespace host_tables;

namespace {

constexpr cdp_type CARRIED_TYPES[] = {CDP_U32, CDP_I32, CDP_F32, CDP_U64, CDP_I64, CDP_F64};
constexpr int CARRIED = 6;
constexpr cdp_type WIDTHS[] = {CDP_U32, CDP_U64};

cdp::CarryKeysRow row_of(cdp_type type) {
  return cdp::carry_keys_row(cdp::DeviceKind::simulated, host_key_bytes(type));
}
size_t tile_of(cdp_type type) {
  return size_t{cdp::carry_row(cdp::DeviceKind::simulated).threads} * row_of(type).items;
}

/* Writes down the lower bits of a number as a key. */
void put_key(Bytes &bytes, size_t index, cdp_type type, uint64_t key) {
  const uint32_t lower = static_cast<uint32_t>(key);
  if (host_key_bytes(type) == sizeof lower)
    memcpy(&bytes[index * sizeof lower], &lower, sizeof lower);
  else
    memcpy(&bytes[index * sizeof key], &key, sizeof key);
}

/* How far a number of 32 bits is raised in keys of a type. */
uint32_t raise_of(cdp_type type) {
  return static_cast<uint32_t>(host_key_bytes(type) - sizeof(uint32_t)) * 8;
}

/* What goes with the keys. */
enum Goods { VALUES_OF_4, VALUES_OF_8, INDICES, INDICES_AND_KEYS, GOODS };

constexpr bool is_argsort(Goods goods) {
  return goods == INDICES || goods == INDICES_AND_KEYS;
}
constexpr size_t value_bytes_of(Goods goods) {
  return goods == VALUES_OF_8 ? 8 : 4;
}

/* What is stable has values gathered, if they are not carried. */
size_t least_of(Goods goods, cdp_type type) {
  return is_argsort(goods) ? row_of(type).least_packed_count : row_of(type).least_count;
}

cdp_payload_plan plan_of(Goods goods, size_t count, cdp_type type, const cdp_options &options) {
  const cdp_device_wish wish = {CDP_WISH_SIMULATED, 0, "a test"};
  cdp_device device;
  cdp_settings settings;
  cdp_payload_plan plan;
  int somewhere = 0;
  cdp_payload_request request = {};
  request.type = type;
  request.order = options.order;
  request.ties = options.ties;
  request.count = count;
  request.d_keys = &somewhere;
  request.d_sorted_keys = goods == INDICES ? nullptr : &somewhere;
  if (is_argsort(goods))
    request.index_bytes = 4;
  else {
    request.column_count = 1;
    request.columns[0].value_bytes = value_bytes_of(goods);
  }
  ck_assert_int_eq(cdp_device_choose(&wish, nullptr, &device), CDP_OK);
  ck_assert_int_eq(cdp_options_resolve(&options, CDP_U64, &settings), CDP_OK);
  ck_assert_int_eq(cdp_engine_plan_payload(&settings, &request, &device.facts, false, &plan), CDP_OK);
  return plan;
}

/* Keys as what they mean, for messages. */
struct Case {
  Goods goods;
  cdp_type type;
  cdp_options options;
  size_t offset; /* of values, from an aligned address */
};

/* What became of it. */
enum class Fate { not_tried, given_up, carried };

/* Sorts, and ends the test unless all is as the stable sort has it. Returns whether values were carried. */
Fate must_sort(const Case &at, const Bytes &keys) {
  const size_t value_bytes = value_bytes_of(at.goods);
  const size_t key_bytes = host_key_bytes(at.type);
  const size_t count = keys.size() / key_bytes;
  const cdp_payload_plan plan = plan_of(at.goods, count, at.type, at.options);
  const Bytes values = random_bytes(count * value_bytes, at.options.seed);
  const std::vector<uint64_t> order = stable_order(at.type, at.options, keys);
  const Guarded own_keys(keys, key_bytes);
  const Guarded own_values(values, at.offset);
  const Guarded workspace(Bytes(plan.workspace_bytes, 0xC3));
  unsigned char *k = own_keys.bytes();
  unsigned char *v = own_values.bytes();
  unsigned char *w = workspace.bytes();
  const cdp_status status = is_argsort(at.goods) ? cdp_argsort_async(k, at.goods == INDICES ? nullptr : k, v, 4, count, at.type,
                                                                     &at.options, w, plan.workspace_bytes, nullptr)
                                                 : cdp_quicksort_pairs_async(k, v, value_bytes, count, at.type, &at.options, w,
                                                                             plan.workspace_bytes, nullptr);
  ck_assert_msg(status == CDP_OK, "%s", cdp_last_message());
  Bytes wanted_values = in_order(values, value_bytes, order);
  if (is_argsort(at.goods))
    for (size_t index = 0; index < count; index++) {
      const uint32_t origin = static_cast<uint32_t>(order[index]);
      memcpy(&wanted_values[index * sizeof origin], &origin, sizeof origin);
    }
  const char *name = host_type_name(at.type);
  ck_assert_msg(own_keys.contents() == (at.goods == INDICES ? keys : in_order(keys, key_bytes, order)),
                "%zu keys of %s are not sorted, goods %d", count, name, static_cast<int>(at.goods));
  ck_assert_msg(own_values.contents() == wanted_values, "%zu keys of %s, goods %d: values are not as the stable sort has them",
                count, name, static_cast<int>(at.goods));
  ck_assert_uint_eq(workspace.contents().size(), plan.workspace_bytes);
  if (!plan.carries)
    return Fate::not_tried;
  uint32_t given_up;
  memcpy(&given_up, w + plan.carry.control, sizeof given_up);
  // Where values lie askew nothing is tried, and the word is as it was.
  return given_up == 0 ? Fate::carried : given_up == 1 ? Fate::given_up : Fate::not_tried;
}

Case case_of(int which, uint64_t seed) {
  Case at = {static_cast<Goods>(which % GOODS), CARRIED_TYPES[which / GOODS % CARRIED], simulated_options(seed), 0};
  at.options.order = static_cast<cdp_order>(seed % 2);
  at.options.ties = CDP_TIES_STABLE;
  return at;
}

void must_become(Fate wanted, const Case &at, const Bytes &keys, const char *what) {
  const Fate fate = must_sort(at, keys);
  ck_assert_msg(fate == wanted, "%zu keys of %s, %s: %d in place of %d", keys.size() / host_key_bytes(at.type),
                host_type_name(at.type), what, static_cast<int>(fate), static_cast<int>(wanted));
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
  for (const uint32_t bits : widths)
    for (int shape = 0; shape < 3; shape++)
      for (const cdp_type type : WIDTHS) {
        if (bits > 8 * host_key_bytes(type))
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
  for (const uint32_t values : {2, 3, 7, 31, 32, 33, 64, 150, 400, 1000, 5000})
    for (int type = 0; type < CARRIED; type++) {
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
  for (const uint32_t share : {2, 5, 40, 200})
    for (const uint32_t values : {1, 2, 3, 40, 100000})
      for (int shape = 0; shape < 4; shape++)
        for (const cdp_type type : WIDTHS) {
          Case at = case_of(_i, share + values + static_cast<uint32_t>(shape));
          at.type = type;
          must_become(Fate::carried, at, crowded_keys(type, 17000 + share, share, values, shape, values), "crowded");
        }
}
END_TEST

/* Keys of 8 bytes that lie in so many heaps all over the numbers, and differ in their lowest bits alone: what items of a wide bucket show of
   them is the same. _i: what goes with the keys. */
START_TEST(carries_values_of_keys_in_heaps) {
  for (const uint32_t heaps : {3, 20, 60, 200, 3000})
    for (const uint32_t bits : {1, 6, 9, 12, 20}) {
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
    const Case at = case_of(which, static_cast<uint64_t>(which) + static_cast<uint64_t>(_i));
    const bool is_packed = is_argsort(at.goods) && host_key_bytes(at.type) == sizeof(uint32_t);
    const host_distribution falling = at.options.order == CDP_ASCENDING ? HOST_REVERSED : HOST_SORTED;
    must_become(distribution == falling && is_packed ? Fate::given_up : Fate::carried, at,
                keys_of(at.type, 30011, distribution, at.options.seed), host_distribution_name(distribution));
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
    ck_assert(fate == Fate::carried || (is_packed && falling != 0 && fate == Fate::given_up));
  }
}
END_TEST

/* A sample does not see everything: one bucket is too long for a team; or for a block, too, and then all keys are counted again. _i: of how
   many values the heap is. */
START_TEST(sorts_what_crowds_unseen) {
  constexpr size_t COUNT = 300000;
  constexpr uint64_t HEAP = 0x40000000;
  static const uint32_t values[] = {1, 2, 512};
  const cdp_type type = WIDTHS[_i / 3];
  Bytes keys = keys_of(type, COUNT, HOST_UNIFORM, 5);
  for (const size_t more : {size_t{700}, size_t{1200}, size_t{1700}}) { // beside 480 others; a team sorts 768, a block 1,536
    for (size_t index = 0; index < more; index++)
      put_key(keys, index * 173 + 7, type, (HEAP << raise_of(type)) + index % values[_i % 3]);
    for (int goods = 0; goods < GOODS; goods++) {
      Case at = case_of(goods, 5);
      at.type = type;
      must_become(Fate::carried, at, keys, "a heap");
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
  const uint64_t seed = plan_of(at.goods, COUNT, at.type, at.options).sort.seed;
  Bytes keys = uneven_keys(at.type, COUNT, 20, 0, 1);
  for (uint32_t index = 0; index < samples; index++) {
    const uint32_t anyhow = index * 37 % samples; // not in order
    put_key(keys, cdp::simulated::sample_position(seed, index, samples, COUNT), at.type, UINT64_MAX - anyhow * anyhow);
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
  for (const host_distribution distribution : {HOST_UNIFORM, HOST_GAUSSIAN, HOST_FEW_DISTINCT}) {
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
