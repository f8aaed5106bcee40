/* SPDX-License-Identifier: MIT */
/*
 * cdp_partition() on the simulated device, both kinds, against a partition made here key by key with the oracle's comparison:
 * by scanning the array must be the same byte for byte, which is what stable means; by reserving each part has the same keys.
 *
 * Linked with the static library, to have devices of few and of many multiprocessors: so few keys make many shares.
 */
#include "each_holds.h"
#include "host_data.h"
#include "run_suite.h"
#include "simulated_rules.h"
#include "tile_sizes.h"

#include <cdpsort/partition.h>

#include <stdio.h>
#include <string.h>

#define TYPES 6
#define KINDS 2
#define KEY_BYTES_MOST 8

static cdp_partition_kind kind_of(int index) {
  return index % KINDS == 0 ? CDP_PARTITION_RESERVE : CDP_PARTITION_SCAN;
}

/* ---- A case and its oracle ------------------------------------------------------------------------------------- */

/* How a case's pivot is found. */
typedef enum pivot_choice {
  PIVOT_MIDDLE,    /* the middle key */
  PIVOT_LEAST_KEY, /* of those that there are */
  PIVOT_GREATEST_KEY,
  PIVOT_ZEROS, /* all bits: the least unsigned number, +0.0 */
  PIVOT_ONES,  /* the greatest unsigned number, the first of the negative NaNs, which come last */
  PIVOT_SIGN,  /* that bit alone: the least signed number, -0.0 */
  PIVOT_REST,  /* all bits but that: the greatest signed number, the last of the positive NaNs */
  PIVOT_DRAWN, /* any bits: no key, or hardly so */
  PIVOT_CHOICES
} pivot_choice;

typedef struct partition_case {
  host_case keys;
  cdp_partition_kind kind;
  pivot_choice pivot;
} partition_case;

static partition_case case_of(cdp_type type, size_t count, host_distribution distribution, int kind) {
  partition_case one = {.keys = {.type = type, .count = count, .distribution = distribution, .seed = count + 1},
                        .kind = kind_of(kind)};
  one.keys.options = (cdp_options)CDP_OPTIONS_INIT;
  one.keys.options.device = CDP_DEVICE_SIMULATED;
  one.keys.options.seed = count;
  return one;
}

/* The key that comes first among all, or last, in the type's ascending order. */
static const unsigned char *extreme_key(const unsigned char *keys, const host_case *about, int sign) {
  const size_t bytes = host_key_bytes(about->type);
  const unsigned char *found = keys;
  for (size_t index = 1; index < about->count; index++)
    if (host_compare(about->type, keys + index * bytes, found) * sign > 0)
      found = keys + index * bytes;
  return found;
}

static void choose_pivot(const partition_case *one, const unsigned char *keys, unsigned char *pivot) {
  const size_t bytes = host_key_bytes(one->keys.type);
  const bool filled = one->pivot == PIVOT_ONES || one->pivot == PIVOT_REST;
  uint64_t state = one->keys.seed;
  const uint64_t drawn = host_random(&state);
  memset(pivot, filled ? 0xFF : 0, KEY_BYTES_MOST);
  if (one->pivot == PIVOT_SIGN || one->pivot == PIVOT_REST)
    pivot[bytes - 1] ^= 0x80; // the last byte is the one with the sign
  else if (one->pivot == PIVOT_DRAWN || (one->keys.count == 0 && one->pivot < PIVOT_ZEROS))
    memcpy(pivot, &drawn, bytes);
  else if (one->pivot == PIVOT_MIDDLE)
    memcpy(pivot, keys + one->keys.count / 2 * bytes, bytes);
  else if (one->pivot == PIVOT_LEAST_KEY || one->pivot == PIVOT_GREATEST_KEY)
    memcpy(pivot, extreme_key(keys, &one->keys, one->pivot == PIVOT_LEAST_KEY ? -1 : 1), bytes);
}

/* Writes what a stable partition must make of the keys. */
static cdp_parts partition_by_hand(const host_case *about, const unsigned char *keys, const unsigned char *pivot,
                                   unsigned char *expected) {
  const size_t bytes = host_key_bytes(about->type);
  const int sign = about->options.order == CDP_DESCENDING ? -1 : 1;
  size_t part_ends[3];
  size_t written = 0;
  for (int part = -1; part <= 1; part++) {
    for (size_t index = 0; index < about->count; index++) {
      const int three_way = host_compare(about->type, keys + index * bytes, pivot) * sign;
      if ((three_way > 0) - (three_way < 0) == part)
        memcpy(expected + written++ * bytes, keys + index * bytes, bytes);
    }
    part_ends[part + 1] = written;
  }
  return (cdp_parts){.less_items = part_ends[0], .equal_items = part_ends[1] - part_ends[0]};
}

/* Of sort_part(), which the C library's qsort() leaves no other way to. */
static cdp_type compared_type;

static int compare_keys(const void *a, const void *b) {
  return host_compare(compared_type, a, b);
}

/* Brings a part's keys into an order that they have whatever they were in. */
static void sort_part(unsigned char *keys, uint64_t begin, uint64_t end, cdp_type type) {
  compared_type = type;
  if (end > begin)
    qsort(keys + begin * host_key_bytes(type), (size_t)(end - begin), host_key_bytes(type), compare_keys);
}

static void must_be_partitioned(const partition_case *one, const char *what, unsigned char *expected, unsigned char *keys,
                                const cdp_parts *parts) {
  const host_case *about = &one->keys;
  const size_t bytes = host_key_bytes(about->type);
  if (one->kind == CDP_PARTITION_RESERVE) {
    const uint64_t equal_end = parts->less_items + parts->equal_items;
    for (int side = 0; side < 2; side++) {
      sort_part(side == 0 ? expected : keys, 0, parts->less_items, about->type);
      sort_part(side == 0 ? expected : keys, equal_end, about->count, about->type);
    }
  }
  for (size_t index = 0; index < about->count; index++)
    EACH_HOLDS_MSG(memcmp(expected + index * bytes, keys + index * bytes, bytes) == 0, "%s: key %zu is not the one expected",
                   what, index);
}

/* Makes a case's keys, partitions them, and ends the test unless everything is as it must be. The result is copied to *copy,
   unless that is NULL. */
static void must_partition(const partition_case *one, unsigned char *copy) {
  const host_case *about = &one->keys;
  const size_t bytes = about->count * host_key_bytes(about->type);
  unsigned char *const original = malloc(2 * bytes + 1);
  unsigned char *const expected = original + bytes;
  unsigned char pivot[KEY_BYTES_MOST];
  char what[HOST_WHY_BYTES];
  host_guarded keys;
  ck_assert_ptr_nonnull(original);
  ck_assert(host_guarded_make(&keys, bytes, about->offset_items * host_key_bytes(about->type)));
  host_fill(keys.bytes, about->type, about->count, about->distribution, about->seed);
  memcpy(original, keys.bytes, bytes);
  choose_pivot(one, original, pivot);
  const cdp_parts wanted = partition_by_hand(about, original, pivot, expected);
  host_describe(about, what, sizeof what / 2);
  (void)snprintf(what + strlen(what), sizeof what / 2, ", kind %d, pivot choice %d", (int)one->kind, (int)one->pivot);

  cdp_parts parts = {77, 77, 77};
  const cdp_status status = cdp_partition(keys.bytes, about->count, about->type, &about->options, pivot, one->kind, &parts);
  ck_assert_msg(status == CDP_OK, "%s: %s: %s", what, cdp_status_name(status), cdp_last_message());
  ck_assert_msg(parts.less_items == wanted.less_items && parts.equal_items == wanted.equal_items,
                "%s: %llu less and %llu equal instead of %llu and %llu", what, (unsigned long long)parts.less_items,
                (unsigned long long)parts.equal_items, (unsigned long long)wanted.less_items,
                (unsigned long long)wanted.equal_items);
  // A time was taken where there was something to do: how long it is depends on the machine.
  ck_assert_msg(about->count == 0 ? parts.milliseconds == 0.0 : parts.milliseconds > 0.0, "%s: it took %f ms", what,
                parts.milliseconds);
  ck_assert_msg(host_guarded_whole(&keys), "%s: memory beside the keys was written", what);
  if (copy != NULL)
    memcpy(copy, keys.bytes, bytes);
  must_be_partitioned(one, what, expected, keys.bytes, &parts);
  host_guarded_free(&keys);
  free(original);
}

/* ---- Sizes ----------------------------------------------------------------------------------------------------- */

/* What a warp of the simulated device takes at a time. */
static size_t step_items(cdp_type type) {
  return simulated_tile_items((uint32_t)host_key_bytes(type)) / 3;
}

/* _i: kind and type. Steps of a warp, tiles, blocks of several tiles, and where a warp's share is one step and more. */
START_TEST(partitions_every_size) {
  const cdp_type type = (cdp_type)(CDP_U32 + _i / KINDS);
  const size_t step = step_items(type);
  const size_t tile = 3 * step;
  const size_t sizes[] = {1, 32, step, tile, 2 * tile, 4 * tile, 8 * tile, 9 * tile, 16 * tile, 40 * tile};
  uint64_t turn = (uint64_t)_i;
  for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
    for (size_t near = sizes[size] - 1; near <= sizes[size] + 1; near++, turn++) {
      partition_case one = case_of(type, near, turn % 2 == 0 ? HOST_UNIFORM : HOST_EXTREMES, _i);
      one.keys.offset_items = turn % 5;
      one.keys.options.order = turn % 3 == 0 ? CDP_DESCENDING : CDP_ASCENDING;
      must_partition(&one, NULL);
    }
  }
}
END_TEST

/* More shares than the block that scans them takes at a time; and a device so small that a warp has many steps. */
START_TEST(partitions_on_large_and_small_devices) {
  static const uint32_t multiprocessors[] = {1, 7, 100};
  static const uint32_t resident_blocks[] = {1, 8, 12};
  for (size_t device = 0; device < sizeof multiprocessors / sizeof *multiprocessors; device++) {
    simulated_rules_set(multiprocessors[device], resident_blocks[device]);
    partition_case one = case_of(CDP_U32, 200003, HOST_UNIFORM, _i);
    must_partition(&one, NULL);
    one = case_of(CDP_F64, 160001, HOST_FEW_DISTINCT, _i);
    one.keys.options.order = CDP_DESCENDING;
    must_partition(&one, NULL);
  }
}
END_TEST

/* ---- Keys and pivots ------------------------------------------------------------------------------------------- */

/* _i: kind, type, order. Pivots that are among the keys and that are not, with nothing before them and nothing behind. */
START_TEST(partitions_around_every_pivot) {
  const cdp_type type = (cdp_type)(CDP_U32 + _i / KINDS % TYPES);
  for (int distribution = 0; distribution < HOST_DISTRIBUTIONS; distribution++) {
    for (int pivot = 0; pivot < PIVOT_CHOICES; pivot++) {
      partition_case one = case_of(type, 2500 + (size_t)pivot, (host_distribution)distribution, _i);
      one.pivot = (pivot_choice)pivot;
      one.keys.options.order = _i / KINDS / TYPES == 0 ? CDP_ASCENDING : CDP_DESCENDING;
      must_partition(&one, NULL);
    }
  }
}
END_TEST

/*
 * The bug of Eduardo Gimeno Borras and Carlos Fulgencio Velasco, "Analisis del Quicksort en CUDA" (2023): keys equal to the
 * pivot that are found by few blocks, more of them than a block has room for, are lost. Few blocks with many tiles each, and
 * many blocks with few.
 */
START_TEST(loses_no_pivots) {
  static const size_t counts[] = {40, 1023, 2049, 9000, 40000};
  static const uint32_t multiprocessors[] = {1, 4, 48};
  for (size_t size = 0; size < sizeof counts / sizeof *counts; size++) {
    for (size_t device = 0; device < sizeof multiprocessors / sizeof *multiprocessors; device++) {
      simulated_rules_set(multiprocessors[device], 8);
      partition_case one = case_of(_i / KINDS == 0 ? CDP_U32 : CDP_F64, counts[size], HOST_LOST_PIVOT, _i);
      must_partition(&one, NULL);
      one.keys.distribution = HOST_ALL_EQUAL;
      must_partition(&one, NULL);
    }
  }
}
END_TEST

/* ---- The same every time --------------------------------------------------------------------------------------- */

/* Whatever the order in which blocks and threads run, and however many there are. */
START_TEST(scanning_gives_the_same_every_time) {
  enum { ITEMS = 12000 };
  static unsigned char first[ITEMS * sizeof(uint64_t)];
  static unsigned char next[sizeof first];
  partition_case one = case_of(CDP_I64, ITEMS, HOST_UNIFORM, 1);
  must_partition(&one, first);
  for (uint64_t seed = 0; seed < 20; seed++) {
    simulated_rules_set(1 + (uint32_t)seed * 3, 1 + (uint32_t)seed % 9);
    one.keys.options.seed = seed;
    must_partition(&one, next);
    ck_assert_mem_eq(first, next, sizeof first);
  }
}
END_TEST

START_TEST(default_kind_is_reserving) {
  const uint32_t pivot = 3;
  uint32_t keys[] = {3, 9, 1, 3, 4, 0};
  cdp_options options = CDP_OPTIONS_INIT;
  cdp_parts parts;
  options.device = CDP_DEVICE_SIMULATED;
  ck_assert_int_eq(cdp_partition(keys, 6, CDP_U32, &options, &pivot, CDP_PARTITION_DEFAULT, &parts), CDP_OK);
  ck_assert_uint_eq(parts.less_items, 2);
  ck_assert_uint_eq(parts.equal_items, 2);
  ck_assert_uint_eq(keys[0] + keys[1], 1);
  ck_assert(keys[2] == 3 && keys[3] == 3);
  ck_assert_uint_eq(keys[4] + keys[5], 13);
  ck_assert_str_eq(cdp_last_device(), "simulated device (on the CPU)");
}
END_TEST

static TCase *add_case(Suite *suite, const char *name) {
  TCase *added = tcase_create(name);
  tcase_set_timeout(added, TEST_SECONDS);
  suite_add_tcase(suite, added);
  return added;
}

static Suite *partition_suite(void) {
  Suite *suite = suite_create("partition");
  TCase *sizes = add_case(suite, "sizes");
  add_options_loop_test(sizes, partitions_every_size, 0, KINDS * TYPES);
  tcase_add_loop_test(sizes, partitions_on_large_and_small_devices, 0, KINDS);
  TCase *data = add_case(suite, "data");
  add_options_loop_test(data, partitions_around_every_pivot, 0, KINDS * TYPES * 2);
  tcase_add_loop_test(data, loses_no_pivots, 0, KINDS * 2);
  TCase *again = add_case(suite, "again");
  tcase_add_test(again, scanning_gives_the_same_every_time);
  tcase_add_test(again, default_kind_is_reserving);
  return suite;
}

int main(void) {
  return run_suite(partition_suite());
}
