/* SPDX-License-Identifier: MIT */
/* A progress bar: see progress_bar.h. */
#define _XOPEN_SOURCE 700 /* for clock_gettime() and isatty() */

#include "progress_bar.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR_CHARACTERS = 24, LINE_CHARACTERS = 79 };

/* Often enough for the eye, too seldom to cost anything. */
#define SECONDS_BETWEEN 0.1

double seconds_now(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_begin(progress_bar *bar, size_t total) {
  *bar = (progress_bar){.total = total, .begun = seconds_now(), .visible = isatty(STDERR_FILENO) != 0};
}

void progress_at(progress_bar *bar, size_t done, const char *what) {
  static const char full[BAR_CHARACTERS + 1] = "########################";
  static const char empty[BAR_CHARACTERS + 1] = "........................";
  const double now = seconds_now();
  if (!bar->visible || bar->total == 0 || now - bar->shown < SECONDS_BETWEEN)
    return;
  bar->shown = now;
  const int filled = (int)(done * BAR_CHARACTERS / bar->total);
  char left[32] = "";
  if (done > 0)
    snprintf(left, sizeof left, ", %.0f s left", (now - bar->begun) / (double)done * (double)(bar->total - done));
  char line[2 * LINE_CHARACTERS]; // more than is shown: what is too long is cut there
  snprintf(line, sizeof line, "[%.*s%.*s] %zu of %zu%s  %s", filled, full, BAR_CHARACTERS - filled, empty, done, bar->total,
           left, what);
  fprintf(stderr, "\r%-*.*s", LINE_CHARACTERS, LINE_CHARACTERS, line);
  fflush(stderr);
}

void progress_end(progress_bar *bar) {
  if (bar->visible && bar->shown > 0)
    fprintf(stderr, "\r%*s\r", LINE_CHARACTERS, "");
  bar->visible = false;
}
