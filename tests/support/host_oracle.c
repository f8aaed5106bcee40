/* SPDX-License-Identifier: MIT */
/*
 * The oracle of host_data.h: the documented total order, the comparison of what was given and what was made, and whole cases.
 *
 * The floating-point comparison follows the words of the public header (NaNs behind all numbers; signs; then magnitudes or
 * payloads), not the bit map that the library uses.
 */
#include "host_data.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Order ----------------------------------------------------------------------------------------------------- */

#define THREE_WAY(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_u32(const void *a, const void *b) {
  uint32_t left, right;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  return THREE_WAY(left, right);
}

static int compare_i32(const void *a, const void *b) {
  int32_t left, right;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  return THREE_WAY(left, right);
}

static int compare_u64(const void *a, const void *b) {
  uint64_t left, right;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  return THREE_WAY(left, right);
}

static int compare_i64(const void *a, const void *b) {
  int64_t left, right;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  return THREE_WAY(left, right);
}

/* NaNs come behind all numbers, the negative ones last; numbers come by sign. Of the same sign it is by magnitude, or by payload
   for two NaNs: upside down where they are negative. `payloads` compares those of two NaNs. */
static int compare_floating(double left, double right, bool left_negative, bool right_negative, int payloads) {
  if (isnan(left) != isnan(right))
    return isnan(left) ? 1 : -1;
  const bool nans = isnan(left);
  if (left_negative != right_negative)
    return left_negative == nans ? 1 : -1;
  const int magnitudes = nans ? payloads : THREE_WAY(fabs(left), fabs(right));
  return left_negative ? -magnitudes : magnitudes;
}

static int compare_f32(const void *a, const void *b) {
  float left, right;
  uint32_t left_bits, right_bits;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  memcpy(&left_bits, a, sizeof left_bits);
  memcpy(&right_bits, b, sizeof right_bits);
  const uint32_t left_payload = left_bits & 0x7FFFFFu;
  const uint32_t right_payload = right_bits & 0x7FFFFFu;
  return compare_floating((double)left, (double)right, left_bits >> 31 != 0, right_bits >> 31 != 0,
                          THREE_WAY(left_payload, right_payload));
}

static int compare_f64(const void *a, const void *b) {
  double left, right;
  uint64_t left_bits, right_bits;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  memcpy(&left_bits, a, sizeof left_bits);
  memcpy(&right_bits, b, sizeof right_bits);
  const uint64_t left_payload = left_bits & UINT64_C(0xFFFFFFFFFFFFF);
  const uint64_t right_payload = right_bits & UINT64_C(0xFFFFFFFFFFFFF);
  return compare_floating(left, right, left_bits >> 63 != 0, right_bits >> 63 != 0, THREE_WAY(left_payload, right_payload));
}

static int compare_u8(const void *a, const void *b) {
  return THREE_WAY(*(const uint8_t *)a, *(const uint8_t *)b);
}

static int compare_i8(const void *a, const void *b) {
  return THREE_WAY(*(const int8_t *)a, *(const int8_t *)b);
}

static int compare_u16(const void *a, const void *b) {
  uint16_t left, right;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  return THREE_WAY(left, right);
}

static int compare_i16(const void *a, const void *b) {
  int16_t left, right;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  return THREE_WAY(left, right);
}

/* The number that 16 bits are, of which so many are the mantissa. */
static double value_of_half(uint16_t bits, unsigned mantissa_bits) {
  const unsigned exponent_bits = 15 - mantissa_bits;
  const unsigned exponent = (bits & 0x7FFFu) >> mantissa_bits;
  const unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
  const unsigned greatest_exponent = (1u << exponent_bits) - 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = bits >> 15 != 0 ? -1.0 : 1.0;
  if (exponent == greatest_exponent)
    return mantissa != 0 ? (double)NAN : sign * (double)INFINITY;
  if (exponent == 0)
    return sign * ldexp((double)mantissa, 1 - bias - (int)mantissa_bits);
  return sign * ldexp((double)(mantissa | 1u << mantissa_bits), (int)exponent - bias - (int)mantissa_bits);
}

static int compare_halves(const void *a, const void *b, unsigned mantissa_bits) {
  const unsigned mantissa = (1u << mantissa_bits) - 1;
  uint16_t left, right;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  return compare_floating(value_of_half(left, mantissa_bits), value_of_half(right, mantissa_bits), left >> 15 != 0,
                          right >> 15 != 0, THREE_WAY(left & mantissa, right & mantissa));
}

static int compare_f16(const void *a, const void *b) {
  return compare_halves(a, b, 10);
}

static int compare_bf16(const void *a, const void *b) {
  return compare_halves(a, b, 7);
}

typedef int comparison(const void *a, const void *b);

static comparison *comparison_of(cdp_type type) {
  static comparison *const comparisons[] = {
      NULL,       compare_u32, compare_i32, compare_u64, compare_i64, compare_f32,  compare_f64,
      compare_u8, compare_i8,  compare_u16, compare_i16, compare_f16, compare_bf16,
  };
  return comparisons[type];
}

int host_compare(cdp_type type, const void *a, const void *b) {
  return comparison_of(type)(a, b);
}

/* ---- Judgement ------------------------------------------------------------------------------------------------- */

static bool fail(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(char *why, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(why, HOST_WHY_BYTES, format, arguments);
  va_end(arguments);
  return false;
}

static bool check_order(const unsigned char *keys, size_t count, cdp_type type, cdp_order order, char *why) {
  const size_t key_bytes = host_key_bytes(type);
  for (size_t index = 1; index < count; index++) {
    const int three_way = host_compare(type, keys + (index - 1) * key_bytes, keys + index * key_bytes);
    if (order == CDP_DESCENDING ? three_way < 0 : three_way > 0)
      return fail(why, "keys %zu and %zu are out of order", index - 1, index);
  }
  return true;
}

static void copy_key(unsigned char *to, const unsigned char *from, size_t key_bytes) {
  switch (key_bytes) { // sizes that a compiler knows need no call
  case 8:
    memcpy(to, from, 8);
    break;
  case 4:
    memcpy(to, from, 4);
    break;
  case 2:
    memcpy(to, from, 2);
    break;
  default:
    *to = *from;
  }
}

/* Keys in the order of one of their bytes; where it is the same, as they were. */
static void order_by_byte(const unsigned char *keys, unsigned char *ordered, size_t count, size_t key_bytes, size_t byte) {
  size_t begins[257] = {0};
  for (size_t index = 0; index < count; index++)
    begins[keys[index * key_bytes + byte] + 1]++;
  for (size_t value = 1; value < 256; value++)
    begins[value] += begins[value - 1];
  for (size_t index = 0; index < count; index++) {
    const unsigned char *const key = keys + index * key_bytes;
    copy_key(ordered + begins[key[byte]]++ * key_bytes, key, key_bytes);
  }
}

/* Keys in an order of their bits, whatever they mean, in which the same keys are the same bytes. `room` is for twice as many. */
static const unsigned char *order_by_bits(const void *keys, unsigned char *room, size_t count, size_t key_bytes) {
  const unsigned char *from = keys;
  for (size_t byte = 0; byte < key_bytes; byte++) {
    unsigned char *const to = room + byte % 2 * count * key_bytes;
    order_by_byte(from, to, count, key_bytes, byte);
    from = to;
  }
  return from;
}

bool host_check_sorted(const void *original, const void *sorted, size_t count, cdp_type type, cdp_order order, char *why) {
  const size_t key_bytes = host_key_bytes(type);
  const size_t bytes = count * key_bytes;
  if (!check_order(sorted, count, type, order, why))
    return false;
  if (count == 0)
    return true;
  unsigned char *const room = malloc(4 * bytes);
  if (room == NULL)
    return fail(why, "no memory for the copies to compare");
  const bool are_same = memcmp(order_by_bits(original, room, count, key_bytes),
                               order_by_bits(sorted, room + 2 * bytes, count, key_bytes), bytes) == 0;
  free(room);
  return are_same || fail(why, "the keys are in order, but not those that were given: one was lost, made twice or changed");
}

/* ---- Cases ----------------------------------------------------------------------------------------------------- */

void host_describe(const host_case *sort, char *text, size_t bytes) {
  const cdp_options *options = &sort->options;
  (void)snprintf(text, bytes,
                 "%zu %s keys, %s, seed %llu, offset %zu, order %d, depth limit %u, leaf %u, scheme %d, streams %d, pivot %d, "
                 "fan-out %u, options.seed %llu",
                 sort->count, host_type_name(sort->type), host_distribution_name(sort->distribution),
                 (unsigned long long)sort->seed, sort->offset_items, (int)options->order, options->depth_limit,
                 options->leaf_items, (int)options->scheme, (int)options->child_streams, (int)options->pivot, options->fan_out,
                 (unsigned long long)options->seed);
}

/* Puts the description of the case before what is wrong. */
static bool fail_case(const host_case *sort, char *why) {
  char what[HOST_WHY_BYTES / 2 - 8];
  char description[HOST_WHY_BYTES / 2];
  (void)snprintf(what, sizeof what, "%.*s", (int)sizeof what - 1, why);
  host_describe(sort, description, sizeof description);
  (void)snprintf(why, HOST_WHY_BYTES, "%s: %s", description, what);
  return false;
}

static bool sort_guarded(const host_case *sort, const host_guarded *keys, const void *original, cdp_study *study, char *why) {
  const cdp_status status = study != NULL ? cdp_study_quicksort(keys->bytes, sort->count, sort->type, &sort->options, study)
                                          : cdp_quicksort(keys->bytes, sort->count, sort->type, &sort->options);
  if (status != CDP_OK)
    return fail(why, "%s: %s", cdp_status_name(status), cdp_last_message());
  if (!host_guarded_whole(keys))
    return fail(why, "memory beside the keys was written");
  return host_check_sorted(original, keys->bytes, sort->count, sort->type, sort->options.order, why);
}

bool host_sort(const host_case *sort, cdp_study *study, char *why) {
  const size_t bytes = sort->count * host_key_bytes(sort->type);
  host_guarded keys;
  if (!host_guarded_make(&keys, bytes, sort->offset_items * host_key_bytes(sort->type)))
    return fail(why, "no memory for the keys");
  void *const original = malloc(bytes + 1);
  bool sorted = false;
  if (original != NULL) {
    host_fill(keys.bytes, sort->type, sort->count, sort->distribution, sort->seed);
    memcpy(original, keys.bytes, bytes);
    sorted = sort_guarded(sort, &keys, original, study, why);
  } else {
    (void)fail(why, "no memory for a copy of the keys");
  }
  free(original);
  host_guarded_free(&keys);
  return sorted || fail_case(sort, why);
}
