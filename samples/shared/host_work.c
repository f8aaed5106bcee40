/* SPDX-License-Identifier: MIT */
/* Work of all processors on long arrays: see host_work.h. */
#include "host_work.h"

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
