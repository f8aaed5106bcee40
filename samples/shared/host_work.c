/* SPDX-License-Identifier: MIT */
/* Work of all processors on long arrays: see host_work.h. */
#include "host_work.h"
#include "recursion_keys.h"
#include "sort_settings.h"

#include <stdatomic.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

/* More threads than this only wait for memory. A stretch shorter than STRETCH_LEAST is not worth a thread. */
enum { THREADS_MOST = 16, STRETCH_LEAST = 1 << 18 };

/* ---- Side by side ---------------------------------------------------------------------------------------------- */

typedef struct stretch {
  void (*work)(void *context, uint64_t begin, uint64_t end);
  void *context;
  uint64_t begin;
  uint64_t end;
} stretch;

static int do_stretch(void *given) {
  const stretch *own = given;
  own->work(own->context, own->begin, own->end);
  return 0;
}

static uint64_t count_threads(uint64_t count) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  uint64_t threads = processors > 0 ? (uint64_t)processors : 1;
  if (threads > THREADS_MOST)
    threads = THREADS_MOST;
  if (threads > count / STRETCH_LEAST)
    threads = count / STRETCH_LEAST;
  return threads > 0 ? threads : 1;
}

void side_by_side(uint64_t count, void (*work)(void *context, uint64_t begin, uint64_t end), void *context) {
  const uint64_t threads = count_threads(count);
  stretch stretches[THREADS_MOST];
  thrd_t started[THREADS_MOST];
  bool running[THREADS_MOST] = {false};
  for (uint64_t t = 0; t < threads; t++) {
    stretches[t] = (stretch){work, context, count / threads * t, t + 1 == threads ? count : count / threads * (t + 1)};
    /* The last stretch is this thread's own, and so is one for which no thread can be had. */
    if (t + 1 < threads)
      running[t] = thrd_create(&started[t], do_stretch, &stretches[t]) == thrd_success;
    if (!running[t])
      do_stretch(&stretches[t]);
  }
  for (uint64_t t = 0; t < threads; t++)
    if (running[t])
      thrd_join(started[t], NULL);
}

/* ---- Copying and comparing ------------------------------------------------------------------------------------- */

typedef struct copying {
  char *target;
  const char *source;
} copying;

static void copy_stretch(void *context, uint64_t begin, uint64_t end) {
  const copying *arrays = context;
  memcpy(arrays->target + begin, arrays->source + begin, end - begin);
}

void copy_keys(void *target, const void *source, uint64_t bytes) {
  copying arrays = {.target = target, .source = source};
  side_by_side(bytes, copy_stretch, &arrays);
}

typedef struct comparison {
  const char *one;
  const char *other;
  atomic_bool differ;
} comparison;

static void compare_stretch(void *context, uint64_t begin, uint64_t end) {
  comparison *arrays = context;
  if (memcmp(arrays->one + begin, arrays->other + begin, end - begin) != 0)
    atomic_store(&arrays->differ, true);
}

bool same_keys(const void *one, const void *other, uint64_t bytes) {
  comparison arrays = {.one = one, .other = other};
  side_by_side(bytes, compare_stretch, &arrays);
  return !atomic_load(&arrays.differ);
}

/* ---- Order and permutation ------------------------------------------------------------------------------------- */

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
  const uint64_t from = begin > 0 ? begin - 1 : 0;
  if (find_disorder(found->after + from * bytes, end - from, found->type, found->order) < end - from)
    atomic_store(&found->disorder, true);
}

bool is_sorted_from(const void *before, const void *after, uint64_t count, cdp_type type, cdp_order order) {
  inspection found = {.before = before, .after = after, .type = type, .order = order};
  side_by_side(count, inspect_stretch, &found);
  return !atomic_load(&found.disorder) && atomic_load(&found.sum_gained) == 0 && atomic_load(&found.bits_turned) == 0;
}
