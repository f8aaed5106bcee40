/* SPDX-License-Identifier: MIT */
/* Files that the samples write: see output_file.h. */
#define _XOPEN_SOURCE 700 /* for fchmod() and realpath() */

#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_complain(const output_file *out) {
  fprintf(stderr, "%s: %s: cannot be written: %s\n", out->program, out->name, strerror(errno));
  return false;
}

/* ---- Interrupted programs -------------------------------------------------------------------------------------- */

/* What an interrupted program must remove; read by the handler below. No sample writes more files at once. */
enum { UNFINISHED_MOST = 4 };
static char *volatile unfinished_paths[UNFINISHED_MOST];

static void replace_unfinished(const char *before, char *after) {
  for (size_t at = 0; at < UNFINISHED_MOST; at++) {
    if (unfinished_paths[at] == before) {
      unfinished_paths[at] = after;
      return;
    }
  }
}

static void remove_unfinished(int signal_number) {
  for (size_t at = 0; at < UNFINISHED_MOST; at++)
    if (unfinished_paths[at] != NULL)
      (void)unlink(unfinished_paths[at]);
  /* The handler is gone after its first call (SA_RESETHAND): this ends the program the way the signal ends programs. */
  (void)raise(signal_number);
}

/* What commonly ends a program that writes. */
static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};

/* Puts those signals off, all that come until the mask is set to *before again. */
static void put_off_signals(sigset_t *before) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
    sigaddset(&set, watched[i]);
  (void)sigprocmask(SIG_BLOCK, &set, before);
}

/* Watches for them. What the caller of the program ignores stays ignored. */
static void watch_signals(void) {
  for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
    struct sigaction before;
    if (sigaction(watched[i], NULL, &before) != 0 || before.sa_handler == SIG_IGN)
      continue;
    struct sigaction action = {.sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    (void)sigaction(watched[i], &action, NULL);
  }
}

/* ---- Before the work ------------------------------------------------------------------------------------------- */

static void forget(output_file *out) {
  free(out->unfinished);
  free(out->target);
  out->unfinished = out->target = NULL;
}

/* Makes the new file. `existing` is what the target is, NULL where there is none yet. */
static bool make_unfinished(output_file *out, const struct stat *existing) {
  const size_t bytes = strlen(out->target) + 48;
  out->unfinished = malloc(bytes);
  if (out->unfinished == NULL)
    return false;
  snprintf(out->unfinished, bytes, "%s.unfinished-%ld", out->target, (long)getpid());
  /* A signal between the making and the noting of it would leave the file behind. */
  sigset_t before;
  watch_signals();
  put_off_signals(&before);
  /* O_EXCL: a file that is there already is somebody else's. */
  const int made = open(out->unfinished, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (made >= 0)
    replace_unfinished(NULL, out->unfinished);
  const int error = errno;
  (void)sigprocmask(SIG_SETMASK, &before, NULL);
  errno = error;
  if (made < 0)
    return false;
  if (existing != NULL)
    (void)fchmod(made, existing->st_mode & 07777);
  (void)close(made);
  return true;
}

/* Whether it is what the program's own messages go to, such as /dev/stdout: there is no replacing that. */
static bool is_standard_stream(const struct stat *existing) {
  struct stat stream;
  for (int number = STDOUT_FILENO; number <= STDERR_FILENO; number++)
    if (fstat(number, &stream) == 0 && stream.st_dev == existing->st_dev && stream.st_ino == existing->st_ino)
      return true;
  return false;
}

static bool prepare_target(output_file *out, const char *path) {
  struct stat existing;
  const bool exists = stat(path, &existing) == 0;
  out->target = exists ? realpath(path, NULL) : NULL;
  if (out->target == NULL) /* it is not there, or has no name, as a pipe of /dev/fd has none */
    out->target = strdup(path);
  if (out->target == NULL)
    return false;
  if (!exists)
    return make_unfinished(out, NULL);
  if (access(path, W_OK) != 0)
    return false;
  if (S_ISDIR(existing.st_mode)) {
    errno = EISDIR;
    return false;
  }
  return !S_ISREG(existing.st_mode) || is_standard_stream(&existing) || make_unfinished(out, &existing);
}

bool output_prepare(output_file *out, const char *program, const char *path) {
  *out = (output_file){.program = program, .name = path != NULL ? path : "standard output"};
  if (path == NULL || prepare_target(out, path))
    return true;
  output_complain(out);
  forget(out);
  return false;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

const char *output_path(const output_file *out) {
  return out->unfinished != NULL ? out->unfinished : out->target;
}

bool output_begin(output_file *out) {
  out->file = out->target != NULL ? fopen(output_path(out), "wb") : stdout;
  return out->file != NULL || output_complain(out);
}

bool output_publish(output_file *out) {
  if (out->unfinished == NULL)
    return true;
  if (rename(out->unfinished, out->target) != 0)
    return output_complain(out);
  replace_unfinished(out->unfinished, NULL);
  free(out->unfinished);
  out->unfinished = NULL;
  return true;
}

bool output_close(output_file *out, bool good) {
  if (out->file != NULL && fclose(out->file) != 0 && good)
    good = output_complain(out);
  out->file = NULL;
  good = good && output_publish(out);
  if (out->unfinished != NULL) {
    (void)unlink(out->unfinished);
    replace_unfinished(out->unfinished, NULL);
  }
  forget(out);
  return good;
}
