/* SPDX-License-Identifier: MIT */
/* The proof that keys were sorted: see key_order.h. */
#include "key_order.h"
#include "host_work.h"
#include "sort_settings.h"

#include <stdatomic.h>
#include <string.h>

/* The bits of a key. Copied rather than read in place: C forbids to look at a float through a pointer to an integer. */
static uint64_t key_bits(const void *keys, uint64_t at, size_t bytes) {
  uint32_t narrow;
  uint64_t wide;
  const char *key = (const char *)keys + at * bytes;
  if (bytes == 4) {
    memcpy(&narrow, key, sizeof narrow);
    return narrow;
  }
  memcpy(&wide, key, sizeof wide);
  return wide;
}

/* Negative numbers by falling magnitude, the others by rising magnitude; then the positive NaNs by rising payload, and the
   negative ones by falling payload. `infinite` is the magnitude of infinity: greater ones are NaNs. */
static uint64_t floating_rank(uint64_t magnitude, bool negative, uint64_t infinite, uint64_t greatest) {
  if (!negative)
    return infinite + 1 + magnitude;
  return magnitude <= infinite ? infinite - magnitude : greatest - (magnitude - infinite - 1);
}

uint64_t key_rank(const void *keys, uint64_t at, cdp_type type) {
  const size_t bytes = type_bytes(type);
  const uint64_t sign = bytes == 4 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
  const uint64_t bits = key_bits(keys, at, bytes);
  if (type == CDP_U32 || type == CDP_U64)
    return bits;
  if (type == CDP_I32 || type == CDP_I64)
    return bits ^ sign;
  const uint64_t infinite = bytes == 4 ? UINT64_C(0x7F800000) : UINT64_C(0x7FF0000000000000);
  return floating_rank(bits & (sign - 1), (bits & sign) != 0, infinite, sign | (sign - 1));
}

fingerprint take_fingerprint(const void *keys, uint64_t count, cdp_type type) {
  const size_t bytes = type_bytes(type);
  fingerprint taken = {0, 0};
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t bits = key_bits(keys, i, bytes);
    taken.sum += bits;
    taken.exclusive_or ^= bits;
  }
  return taken;
}

bool same_fingerprint(fingerprint before, fingerprint after) {
  return before.sum == after.sum && before.exclusive_or == after.exclusive_or;
}

/* Whether every key from `begin` on but the first is in order with the one before it. */
static bool is_in_order(const void *keys, uint64_t begin, uint64_t end, cdp_type type, cdp_order order) {
  for (uint64_t i = begin + 1; i < end; i++) {
    const uint64_t before = key_rank(keys, i - 1, type);
    const uint64_t here = key_rank(keys, i, type);
    if (order == CDP_DESCENDING ? here > before : here < before)
      return false;
  }
  return true;
}

/* ---- By all processors ----------------------------------------------------------------------------------------- */

typedef struct inspection {
  const char *before;
  const char *after;
  cdp_type type;
  cdp_order order;
  atomic_bool disorder;
  _Atomic uint64_t sum_gained; /* of all keys, modulo 2^64: after less before */
  _Atomic uint64_t bits_turned;
} inspection;

static void inspect_stretch(void *context, uint64_t begin, uint64_t end) {
  inspection *found = context;
  const size_t bytes = type_bytes(found->type);
  const fingerprint before = take_fingerprint(found->before + begin * bytes, end - begin, found->type);
  const fingerprint after = take_fingerprint(found->after + begin * bytes, end - begin, found->type);
  atomic_fetch_add(&found->sum_gained, after.sum - before.sum);
  atomic_fetch_xor(&found->bits_turned, after.exclusive_or ^ before.exclusive_or);
  /* From the last key of the stretch before, so that the seam is looked at, too. */
  if (!is_in_order(found->after, begin > 0 ? begin - 1 : 0, end, found->type, found->order))
    atomic_store(&found->disorder, true);
}

bool is_sorted_from(const void *before, const void *after, uint64_t count, cdp_type type, cdp_order order) {
  inspection found = {.before = before, .after = after, .type = type, .order = order};
  side_by_side(count, inspect_stretch, &found);
  return !atomic_load(&found.disorder) && atomic_load(&found.sum_gained) == 0 && atomic_load(&found.bits_turned) == 0;
}
