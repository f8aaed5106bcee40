/* SPDX-License-Identifier: MIT */
/*
 * Generators and guard zones of host_data.h; the oracle is in host_oracle.c.
 *
 * A distribution makes 64-bit ranks; a rank becomes a key by a map that keeps the order, so that sorted ranks are sorted keys
 * of any type and uniform ranks are uniform bit patterns, NaNs included.
 */
#include "host_data.h"

#include <stdlib.h>
#include <string.h>

#define GUARD_BYTES 256u
#define SEGMENTS 16u

static const uint64_t sign_64 = UINT64_C(1) << 63;

/* NaNs of one sign, among 64 bits, among the upper 32, and among the upper 16. */
static const uint64_t nans_64 = UINT64_C(0xFFFFFFFFFFFFF);
static const uint64_t nans_32 = UINT64_C(0x7FFFFF) << 32;
static const uint64_t nans_f16 = UINT64_C(0x3FF) << 48;
static const uint64_t nans_bf16 = UINT64_C(0x7F) << 48;

const char *host_distribution_name(host_distribution distribution) {
  static const char *const names[HOST_DISTRIBUTIONS] = {
      "uniform", "sorted",   "reversed",   "all-equal",  "few-distinct", "staggered",
      "bucket",  "gaussian", "organ-pipe", "lost-pivot", "extremes",
  };
  return names[distribution];
}

const char *host_type_name(cdp_type type) {
  static const char *const names[] = {"none", "u32", "i32", "u64", "i64", "f32", "f64",
                                      "u8",   "i8",  "u16", "i16", "f16", "bf16"};
  return names[type];
}

size_t host_key_bytes(cdp_type type) {
  static const size_t bytes[] = {0, 4, 4, 8, 8, 4, 8, 1, 1, 2, 2, 2, 2};
  return bytes[type];
}

uint64_t host_random(uint64_t *state) {
  uint64_t value = *state += UINT64_C(0x9E3779B97F4A7C15);
  value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
  return value ^ (value >> 31);
}

uint64_t host_random_below(uint64_t *state, uint64_t bound) {
  return bound == 0 ? 0 : host_random(state) % bound;
}

/* ---- Ranks ----------------------------------------------------------------------------------------------------- */

/* Rank `part` of `parts` equal steps over all ranks. */
static uint64_t step_rank(uint64_t part, uint64_t parts) {
  return parts == 0 ? 0 : UINT64_MAX / parts * part;
}

/* A random rank of slice `slice` of SEGMENTS. */
static uint64_t slice_rank(uint64_t slice, uint64_t *state) {
  const uint64_t width = UINT64_MAX / SEGMENTS;
  return slice % SEGMENTS * width + host_random_below(state, width);
}

static uint64_t make_rank(host_distribution distribution, uint64_t index, uint64_t count, uint64_t *state) {
  const uint64_t segment = index * SEGMENTS / count;
  switch (distribution) {
  case HOST_SORTED:
    return step_rank(index, count);
  case HOST_REVERSED:
    return step_rank(count - 1 - index, count);
  case HOST_ALL_EQUAL:
    return UINT64_C(0x7123456789ABCDEF);
  case HOST_FEW_DISTINCT:
    return step_rank(host_random_below(state, 16), 16);
  case HOST_STAGGERED:
    return slice_rank(segment < SEGMENTS / 2 ? 2 * segment + 1 : 2 * segment - SEGMENTS, state);
  case HOST_BUCKET:
    return slice_rank(index * SEGMENTS * SEGMENTS / count, state);
  case HOST_GAUSSIAN:
    return host_random(state) / 4 + host_random(state) / 4 + host_random(state) / 4 + host_random(state) / 4;
  case HOST_ORGAN_PIPE:
    return step_rank(index < count / 2 ? index : count - 1 - index, count);
  case HOST_LOST_PIVOT:
    return index == count / 2 || host_random_below(state, 8) != 0 ? sign_64 + sign_64 / 3 : host_random(state);
  case HOST_UNIFORM:
  case HOST_EXTREMES:
  case HOST_DISTRIBUTIONS:
    break;
  }
  return host_random(state);
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

/* Among floating-point bit patterns with the sign first, rising: negative ones have all bits turned. */
static uint64_t rank_to_signed_magnitude(uint64_t rank) {
  return rank >= sign_64 ? rank ^ sign_64 : ~rank;
}

/* The bits, 64 or the upper 32, 16 or 8 of them, of the key at a rank. The rank of -infinity is 0: the negative NaNs, before it by their
   bits, are the last. */
static uint64_t rank_to_bits(cdp_type type, uint64_t rank) {
  switch (type) {
  case CDP_I8:
  case CDP_I16:
  case CDP_I32:
  case CDP_I64:
    return rank ^ sign_64;
  case CDP_F16:
    return rank_to_signed_magnitude(rank + nans_f16);
  case CDP_BF16:
    return rank_to_signed_magnitude(rank + nans_bf16);
  case CDP_F32:
    return rank_to_signed_magnitude(rank + nans_32);
  case CDP_F64:
    return rank_to_signed_magnitude(rank + nans_64);
  default:
    break;
  }
  return rank;
}

static uint32_t extreme_32(cdp_type type, uint64_t draw) {
  static const uint32_t integers[] = {0, 1, 2, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF};
  static const uint32_t floats[] = {
      0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7FC12345, 0xFFC12345, 0x7F800001, 0xFF800001,
      0x7FFFFFFF, 0xFFFFFFFF, 0x00000001, 0x80000001, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0xBF800000, 0x00800000, 0x80800000,
  };
  return type == CDP_F32 ? floats[draw % (sizeof floats / sizeof *floats)]
                         : integers[draw % (sizeof integers / sizeof *integers)];
}

static uint64_t extreme_64(cdp_type type, uint64_t draw) {
  static const uint64_t integers[] = {
      0, 1, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0x8000000000000001, 0xFFFFFFFFFFFFFFFF};
  static const uint64_t floats[] = {
      0x0000000000000000, 0x8000000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000000,
      0x7FF8000012345678, 0xFFF8000012345678, 0x7FF0000000000001, 0xFFF0000000000001, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF,
      0x0000000000000001, 0x8000000000000001, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x3FF0000000000000, 0xBFF0000000000000,
  };
  return type == CDP_F64 ? floats[draw % (sizeof floats / sizeof *floats)]
                         : integers[draw % (sizeof integers / sizeof *integers)];
}

static uint32_t extreme_16(cdp_type type, uint64_t draw) {
  static const uint32_t integers[] = {0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFE, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF};
  static const uint32_t magnitudes[] = {0,      1,      0x007F, 0x0080, 0x03FF, 0x0400, 0x7BFF, 0x7C00,
                                        0x7C01, 0x7E00, 0x7F7F, 0x7F80, 0x7F81, 0x7FC0, 0x7FFF};
  if (type == CDP_F16 || type == CDP_BF16)
    return magnitudes[draw / 2 % (sizeof magnitudes / sizeof *magnitudes)] | (draw % 2 != 0 ? 0x8000u : 0);
  return integers[draw % (sizeof integers / sizeof *integers)];
}

void host_fill(void *keys, cdp_type type, size_t count, host_distribution distribution, uint64_t seed) {
  uint64_t state = seed * 2 + (uint64_t)distribution;
  unsigned char *bytes = keys;
  for (size_t index = 0; index < count; index++) {
    const uint64_t rank = make_rank(distribution, index, count, &state);
    uint64_t wide = rank_to_bits(type, rank);
    uint32_t narrow = (uint32_t)(wide >> 32);
    if (distribution == HOST_EXTREMES) {
      wide = extreme_64(type, rank >> 8);
      narrow = extreme_32(type, rank >> 8);
    }
    const uint16_t half = (uint16_t)(distribution == HOST_EXTREMES ? extreme_16(type, rank >> 8) : narrow >> 16);
    const uint8_t byte = (uint8_t)(distribution == HOST_EXTREMES ? half : half >> 8);
    const void *const made[] = {NULL, &byte, &half, NULL, &narrow, NULL, NULL, NULL, &wide};
    const size_t key_bytes = host_key_bytes(type);
    memcpy(bytes + index * key_bytes, made[key_bytes], key_bytes);
  }
}

/* ---- Guard zones ----------------------------------------------------------------------------------------------- */

static unsigned char guard_byte(size_t place) {
  return (unsigned char)(0xA7u ^ (place * 37u));
}

bool host_guarded_make(host_guarded *guarded, size_t size, size_t offset) {
  guarded->size = size;
  guarded->memory = malloc(size + offset + 3 * GUARD_BYTES); // alignment, two zones
  if (guarded->memory == NULL)
    return false;
  const size_t past = (uintptr_t)guarded->memory % GUARD_BYTES;
  guarded->bytes = guarded->memory + (past != 0 ? GUARD_BYTES - past : 0) + GUARD_BYTES + offset;
  for (size_t place = 0; place < GUARD_BYTES; place++) {
    guarded->bytes[place - GUARD_BYTES] = guard_byte(place);
    guarded->bytes[size + place] = guard_byte(place + GUARD_BYTES);
  }
  return true;
}

bool host_guarded_whole(const host_guarded *guarded) {
  for (size_t place = 0; place < GUARD_BYTES; place++) {
    if (guarded->bytes[place - GUARD_BYTES] != guard_byte(place) ||
        guarded->bytes[guarded->size + place] != guard_byte(place + GUARD_BYTES))
      return false;
  }
  return true;
}

void host_guarded_free(host_guarded *guarded) {
  free(guarded->memory);
  guarded->memory = NULL;
}
