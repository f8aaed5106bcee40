/* SPDX-License-Identifier: MIT */
/* How far a long work is: see progress.h. A thread keeps the line up to date, so that a single long sort is seen to go on. */
#define _XOPEN_SOURCE 700 /* for isatty() */

#include "progress.h"
#include "chosen_device.h"
#include "host_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { BAR_CHARACTERS = 24, LINE_CHARACTERS = 79 };
enum { PILOT_LEAST = 1 << 14, PILOT_MOST = 1 << 18, PILOTS_WORTH = 16 };
enum { NANOSECONDS_BETWEEN = 200 * 1000 * 1000 }; /* often enough for the eye, too seldom to cost anything */

/* What takes longer is announced. */
static const double LONG_SECONDS = 10;

/* The one work. */
static struct {
  mtx_t lock; /* of all that follows, while the thread runs */
  thrd_t thread;
  bool is_running;
  bool has_ended;
  bool is_shown;
  const char *program;
  const char *what;
  size_t steps;
  size_t done;
  double seconds;
  double begun;
} work;

/* ---- Beforehand ------------------------------------------------------------------------------------------------ */

double work_of(uint64_t count) {
  return count < 2 ? 0 : (double)count * log2((double)count);
}

double announce_seconds(const char *program, double seconds) {
  if (seconds >= 2 * 3600)
    fprintf(stderr, "%s: on the simulated device this takes about %.0f hours; fewer keys take less\n", program, seconds / 3600);
  else if (seconds >= 2 * 60)
    fprintf(stderr, "%s: on the simulated device this takes about %.0f minutes; fewer keys take less\n", program, seconds / 60);
  else if (seconds >= LONG_SECONDS)
    fprintf(stderr, "%s: on the simulated device this takes about %.0f seconds; fewer keys take less\n", program, seconds);
  return seconds;
}

/* The seconds that a sort of so many keys takes; 0 where it cannot be had. */
static double time_pilot(uint64_t count, cdp_type type, const cdp_options *options) {
  uint64_t *keys = malloc((size_t)count * sizeof *keys);
  if (keys == NULL)
    return 0;
  for (uint64_t i = 0; i < count; i++) /* bits of finite numbers, whatever the type */
    keys[i] = (i * UINT64_C(0x9E3779B97F4A7C15)) & UINT64_C(0x3FFFFFFF3FFFFFFF);
  const double begin = clock_milliseconds();
  const cdp_status status = cdp_quicksort(keys, (size_t)count, type, options);
  const double seconds = (clock_milliseconds() - begin) / 1e3;
  free(keys);
  return status == CDP_OK ? seconds : 0;
}

double announce_work(const char *program, cdp_type type, const cdp_options *options, double work_done) {
  double seconds = 0;
  if (!was_simulated())
    return 0;
  /* Short arrays are sorted in other ways, which take longer for a key: where it matters, more are sorted to find out. */
  for (uint64_t count = PILOT_LEAST; count <= PILOT_MOST && work_done >= PILOTS_WORTH * work_of(count); count *= 4) {
    seconds = time_pilot(count, type, options) * work_done / work_of(count);
    if (seconds < LONG_SECONDS)
      break;
  }
  return announce_seconds(program, seconds);
}

/* ---- The line -------------------------------------------------------------------------------------------------- */

static void wipe(void) {
  if (work.is_shown)
    fprintf(stderr, "\r%*s\r", LINE_CHARACTERS, "");
  work.is_shown = false;
}

static void show(void) {
  static const char full[BAR_CHARACTERS + 1] = "########################";
  static const char empty[BAR_CHARACTERS + 1] = "........................";
  const double elapsed = (clock_milliseconds() - work.begun) / 1e3;
  const double by_time = work.seconds > 0 ? elapsed / work.seconds : 0;
  const double by_steps = work.steps > 0 ? (double)work.done / (double)work.steps : 0;
  const double share = fmin(fmax(by_time, by_steps), 1);
  const int filled = (int)(share * BAR_CHARACTERS);
  char left[48] = "";
  char line[2 * LINE_CHARACTERS]; /* more than is shown: what is too long is cut there */
  if (share > 0 && share < 1)
    snprintf(left, sizeof left, ", about %.0f s left", elapsed / share - elapsed);
  snprintf(line, sizeof line, "%s: [%.*s%.*s] %zu of %zu, %.0f s%s  %s", work.program, filled, full, BAR_CHARACTERS - filled,
           empty, work.done, work.steps, elapsed, left, work.what);
  fprintf(stderr, "\r%-*.*s", LINE_CHARACTERS, LINE_CHARACTERS, line);
  fflush(stderr);
  work.is_shown = true;
}

static int keep_up_to_date(void *unused) {
  (void)unused;
  for (bool has_ended = false; !has_ended;) {
    thrd_sleep(&(struct timespec){.tv_nsec = NANOSECONDS_BETWEEN}, NULL);
    mtx_lock(&work.lock);
    has_ended = work.has_ended;
    if (!has_ended && work.what != NULL)
      show();
    mtx_unlock(&work.lock);
  }
  return 0;
}

void progress_begin(const char *program, size_t steps, double seconds) {
  if (isatty(STDERR_FILENO) == 0 || mtx_init(&work.lock, mtx_plain) != thrd_success)
    return;
  work.program = program;
  work.steps = steps;
  work.seconds = seconds;
  work.begun = clock_milliseconds();
  work.is_running = thrd_create(&work.thread, keep_up_to_date, NULL) == thrd_success;
}

void progress_at(size_t done, const char *what) {
  if (!work.is_running)
    return;
  mtx_lock(&work.lock);
  work.done = done;
  work.what = what;
  mtx_unlock(&work.lock);
}

void progress_hide(void) {
  if (!work.is_running)
    return;
  mtx_lock(&work.lock);
  work.what = NULL;
  wipe();
  mtx_unlock(&work.lock);
}

void progress_end(void) {
  if (!work.is_running)
    return;
  progress_hide();
  mtx_lock(&work.lock);
  work.has_ended = true;
  mtx_unlock(&work.lock);
  thrd_join(work.thread, NULL);
  mtx_destroy(&work.lock);
  work.is_running = work.has_ended = false;
}
