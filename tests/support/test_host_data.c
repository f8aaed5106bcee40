/* SPDX-License-Identifier: MIT */
/*
 * The oracle itself under test: it must find an unsorted pair, a lost key, a key made twice, a changed bit and a touched
 * guard, and must know the order of NaNs, infinities and zeros. The generators make what their names say.
 */
#include "host_data.h"
#include "run_suite.h"

#include <math.h>
#include <string.h>

static const cdp_type every_type[] = {CDP_U32, CDP_I32, CDP_U64, CDP_I64, CDP_F32, CDP_F64,
                                      CDP_U8,  CDP_I8,  CDP_U16, CDP_I16, CDP_F16, CDP_BF16};

/* ---- What the oracle finds ------------------------------------------------------------------------------------- */

typedef struct spoilt {
  const char *what;
  uint32_t keys[6];
  cdp_order order;
  bool accepted;
} spoilt;

static const uint32_t given[6] = {5, 3, 9, 3, 7, 1};
static const spoilt spoilt_results[] = {
    {"the sorted keys", {1, 3, 3, 5, 7, 9}, CDP_ASCENDING, true},
    {"the keys sorted the other way", {9, 7, 5, 3, 3, 1}, CDP_DESCENDING, true},
    {"ascending keys where descending ones are wanted", {1, 3, 3, 5, 7, 9}, CDP_DESCENDING, false},
    {"descending keys where ascending ones are wanted", {9, 7, 5, 3, 3, 1}, CDP_ASCENDING, false},
    {"an unsorted pair", {1, 3, 5, 3, 7, 9}, CDP_ASCENDING, false},
    {"an unsorted first pair", {3, 1, 3, 5, 7, 9}, CDP_ASCENDING, false},
    {"an unsorted last pair", {1, 3, 3, 5, 9, 7}, CDP_ASCENDING, false},
    {"a lost key, a neighbour in its place", {1, 3, 3, 7, 7, 9}, CDP_ASCENDING, false},
    {"one of two equal keys lost", {1, 1, 3, 5, 7, 9}, CDP_ASCENDING, false},
    {"a key made twice", {1, 3, 3, 3, 5, 7}, CDP_ASCENDING, false},
    {"a changed bit", {1, 3, 3, 5, 7, 11}, CDP_ASCENDING, false},
    {"nothing but zeros", {0, 0, 0, 0, 0, 0}, CDP_ASCENDING, false},
};

START_TEST(finds_what_is_wrong) {
  const spoilt *row = &spoilt_results[_i];
  char why[HOST_WHY_BYTES] = "";
  const bool accepted = host_check_sorted(given, row->keys, 6, CDP_U32, row->order, why);
  ck_assert_msg(accepted == row->accepted, "%s: %s", row->what, accepted ? "accepted" : why);
  ck_assert_msg(accepted || why[0] != '\0', "%s: no reason given", row->what);
}
END_TEST

START_TEST(accepts_nothing_to_sort) {
  char why[HOST_WHY_BYTES] = "";
  ck_assert(host_check_sorted(NULL, NULL, 0, CDP_F64, CDP_ASCENDING, why));
}
END_TEST

START_TEST(finds_swapped_zeros) {
  const float original[2] = {0.0F, -0.0F};
  const float right[2] = {-0.0F, 0.0F};
  const float both_positive[2] = {0.0F, 0.0F};
  char why[HOST_WHY_BYTES];
  ck_assert(host_check_sorted(original, right, 2, CDP_F32, CDP_ASCENDING, why));
  ck_assert(!host_check_sorted(original, original, 2, CDP_F32, CDP_ASCENDING, why));
  ck_assert(!host_check_sorted(original, both_positive, 2, CDP_F32, CDP_ASCENDING, why));
}
END_TEST

START_TEST(finds_a_changed_payload) {
  const uint64_t original[2] = {0x7FF8000000000002, 0x7FF8000000000001};
  const uint64_t right[2] = {0x7FF8000000000001, 0x7FF8000000000002};
  const uint64_t canonical[2] = {0x7FF8000000000000, 0x7FF8000000000000};
  char why[HOST_WHY_BYTES];
  ck_assert(host_check_sorted(original, right, 2, CDP_F64, CDP_ASCENDING, why));
  ck_assert(!host_check_sorted(original, original, 2, CDP_F64, CDP_ASCENDING, why));
  ck_assert(!host_check_sorted(original, canonical, 2, CDP_F64, CDP_ASCENDING, why));
}
END_TEST

/* ---- The order ------------------------------------------------------------------------------------------------- */

/* Each is before the next, written down as the public header has them. */
START_TEST(orders_f32_as_documented) {
  static const uint32_t ladder[] = {
      0xFF800000, 0xFF7FFFFF, 0xBF800000, 0x80800000, 0x80000001, 0x80000000, 0x00000000, 0x00000001, 0x00800000, 0x3F800000,
      0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FC00001, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFC00001, 0xFFC00000, 0xFF800001,
  };
  const size_t rungs = sizeof ladder / sizeof *ladder;
  for (size_t a = 0; a < rungs; a++) {
    for (size_t b = 0; b < rungs; b++) {
      const int found = host_compare(CDP_F32, &ladder[a], &ladder[b]);
      ck_assert_msg((found > 0) - (found < 0) == (a > b) - (a < b), "%08x against %08x: %d", ladder[a], ladder[b], found);
    }
  }
}
END_TEST

START_TEST(orders_f64_as_documented) {
  static const uint64_t ladder[] = {
      0xFFF0000000000000, 0xFFEFFFFFFFFFFFFF, 0xBFF0000000000000, 0x8000000000000001, 0x8000000000000000, 0x0000000000000000,
      0x0000000000000001, 0x3FF0000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF0000000000001, 0x7FF8000000000001,
      0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0xFFF8000000000001, 0xFFF0000000000001,
  };
  const size_t rungs = sizeof ladder / sizeof *ladder;
  for (size_t a = 0; a < rungs; a++) {
    for (size_t b = 0; b < rungs; b++) {
      const int found = host_compare(CDP_F64, &ladder[a], &ladder[b]);
      ck_assert_msg((found > 0) - (found < 0) == (a > b) - (a < b), "rungs %zu and %zu: %d", a, b, found);
    }
  }
}
END_TEST

/* _i: whether it is CDP_BF16. */
START_TEST(orders_halves_as_documented) {
  static const uint16_t ladders[2][20] = {{0xFC00, 0xFBFF, 0xBC00, 0x8400, 0x8001, 0x8000, 0x0000, 0x0001, 0x0400, 0x3C00,
                                           0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x7E01, 0x7FFF, 0xFFFF, 0xFE01, 0xFE00, 0xFC01},
                                          {0xFF80, 0xFF7F, 0xBF80, 0x8080, 0x8001, 0x8000, 0x0000, 0x0001, 0x0080, 0x3F80,
                                           0x7F7F, 0x7F80, 0x7F81, 0x7FC0, 0x7FC1, 0x7FFF, 0xFFFF, 0xFFC1, 0xFFC0, 0xFF81}};
  for (size_t a = 0; a < 20; a++) {
    for (size_t b = 0; b < 20; b++) {
      const int found = host_compare(_i == 0 ? CDP_F16 : CDP_BF16, &ladders[_i][a], &ladders[_i][b]);
      ck_assert_msg((found > 0) - (found < 0) == (a > b) - (a < b), "rungs %zu and %zu: %d", a, b, found);
    }
  }
}
END_TEST

START_TEST(orders_integers_by_value) {
  const int32_t minus_32 = -1, plus_32 = 1;
  const int64_t minus_64 = INT64_MIN, plus_64 = 0;
  ck_assert_int_lt(host_compare(CDP_I32, &minus_32, &plus_32), 0);
  ck_assert_int_gt(host_compare(CDP_U32, &minus_32, &plus_32), 0);
  ck_assert_int_lt(host_compare(CDP_I64, &minus_64, &plus_64), 0);
  ck_assert_int_gt(host_compare(CDP_U64, &minus_64, &plus_64), 0);
}
END_TEST

/* ---- The guards ------------------------------------------------------------------------------------------------ */

START_TEST(finds_touched_guards) {
  host_guarded guarded;
  ck_assert(host_guarded_make(&guarded, 100, (size_t)_i));
  memset(guarded.bytes, 0, guarded.size);
  ck_assert_uint_eq((uintptr_t)guarded.bytes % 256, (size_t)_i);
  ck_assert(host_guarded_whole(&guarded));
  static const int places[] = {-1, -4, -256, 100, 103, 355};
  for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
    guarded.bytes[places[place]] ^= 1;
    ck_assert_msg(!host_guarded_whole(&guarded), "byte %d was changed, and nobody saw", places[place]);
    guarded.bytes[places[place]] ^= 1;
    ck_assert(host_guarded_whole(&guarded));
  }
  host_guarded_free(&guarded);
}
END_TEST

/* ---- The generators -------------------------------------------------------------------------------------------- */

#define ITEMS 2000u

static const void *item(const uint64_t *keys, cdp_type type, size_t index) {
  return (const unsigned char *)keys + index * host_key_bytes(type);
}

START_TEST(makes_the_same_keys_again) {
  static uint64_t first[ITEMS], second[ITEMS], other[ITEMS];
  for (int distribution = 0; distribution < HOST_DISTRIBUTIONS; distribution++) {
    host_fill(first, CDP_U64, ITEMS, (host_distribution)distribution, 7);
    host_fill(second, CDP_U64, ITEMS, (host_distribution)distribution, 7);
    host_fill(other, CDP_U64, ITEMS, (host_distribution)distribution, 8);
    ck_assert_mem_eq(first, second, sizeof first);
    const bool drawn = distribution != HOST_SORTED && distribution != HOST_REVERSED && distribution != HOST_ALL_EQUAL &&
                       distribution != HOST_ORGAN_PIPE;
    ck_assert_msg((memcmp(first, other, sizeof first) != 0) == drawn, "%s",
                  host_distribution_name((host_distribution)distribution));
  }
}
END_TEST

/* Bytes have fewer values than there are keys: neighbours may be equal. */
START_TEST(makes_ordered_keys_of_every_type) {
  static uint64_t keys[ITEMS];
  const cdp_type type = every_type[_i];
  const int rise = host_key_bytes(type) == 1 ? 0 : -1;
  host_fill(keys, type, ITEMS, HOST_SORTED, 1);
  for (size_t index = 1; index < ITEMS; index++)
    ck_assert_int_le(host_compare(type, item(keys, type, index - 1), item(keys, type, index)), rise);
  ck_assert_int_lt(host_compare(type, item(keys, type, 0), item(keys, type, ITEMS - 1)), 0);
  host_fill(keys, type, ITEMS, HOST_REVERSED, 1);
  for (size_t index = 1; index < ITEMS; index++)
    ck_assert_int_le(host_compare(type, item(keys, type, index), item(keys, type, index - 1)), rise);
  host_fill(keys, type, ITEMS, HOST_ORGAN_PIPE, 1);
  for (size_t index = 1; index < ITEMS; index++) {
    const int step = host_compare(type, item(keys, type, index - 1), item(keys, type, index));
    ck_assert(index < ITEMS / 2 ? step <= rise : step >= 0);
  }
}
END_TEST

START_TEST(makes_the_repetitions_it_promises) {
  static uint64_t keys[ITEMS];
  size_t middle = 0;
  host_fill(keys, CDP_U64, ITEMS, HOST_ALL_EQUAL, 3);
  for (size_t index = 1; index < ITEMS; index++)
    ck_assert_uint_eq(keys[index], keys[0]);
  host_fill(keys, CDP_U64, ITEMS, HOST_LOST_PIVOT, 3);
  for (size_t index = 0; index < ITEMS; index++)
    middle += keys[index] == keys[ITEMS / 2] ? 1 : 0;
  ck_assert_uint_gt(middle, ITEMS / 2);
  ck_assert_uint_lt(middle, ITEMS);
}
END_TEST

START_TEST(makes_nans_of_both_signs) {
  static float keys[ITEMS];
  host_fill(keys, CDP_F32, ITEMS, HOST_EXTREMES, 1);
  size_t found[4] = {0};
  for (size_t index = 0; index < ITEMS; index++) {
    const size_t negative = signbit(keys[index]) ? 1 : 0;
    found[negative] += isnan(keys[index]) ? 1 : 0;
    found[2 + negative] += keys[index] == 0.0F ? 1 : 0;
  }
  for (size_t kind = 0; kind < 4; kind++)
    ck_assert_uint_gt(found[kind], 0);
}
END_TEST

static Suite *host_data_suite(void) {
  Suite *suite = suite_create("host data");
  TCase *oracle = tcase_create("oracle");
  tcase_add_loop_test(oracle, finds_what_is_wrong, 0, (int)(sizeof spoilt_results / sizeof *spoilt_results));
  tcase_add_test(oracle, accepts_nothing_to_sort);
  tcase_add_test(oracle, finds_swapped_zeros);
  tcase_add_test(oracle, finds_a_changed_payload);
  tcase_add_test(oracle, orders_f32_as_documented);
  tcase_add_test(oracle, orders_f64_as_documented);
  tcase_add_loop_test(oracle, orders_halves_as_documented, 0, 2);
  tcase_add_test(oracle, orders_integers_by_value);
  tcase_add_loop_test(oracle, finds_touched_guards, 0, 9);
  suite_add_tcase(suite, oracle);
  TCase *generators = tcase_create("generators");
  tcase_add_test(generators, makes_the_same_keys_again);
  tcase_add_loop_test(generators, makes_ordered_keys_of_every_type, 0, (int)(sizeof every_type / sizeof *every_type));
  tcase_add_test(generators, makes_the_repetitions_it_promises);
  tcase_add_test(generators, makes_nans_of_both_signs);
  suite_add_tcase(suite, generators);
  return suite;
}

int main(void) {
  return run_suite(host_data_suite());
}
