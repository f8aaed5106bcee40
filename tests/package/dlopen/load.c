/* SPDX-License-Identifier: MIT */
/*
 * A program that is not linked with the library: loads it while it runs, sorts on the simulated device, closes it, and does
 * all that once more. Threads that were there before the library are the hard case: no memory was set aside for its
 * thread-locals. usage: load LIBRARY
 */
#include <cdpsort/cdpsort.h>

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 20000, ROUNDS = 2 };

typedef cdp_status sort_function(void *keys, size_t count, cdp_type type, const cdp_options *options);
typedef const char *message_function(void);

/* What the other thread is to do, and what became of it. */
typedef struct errand {
  void *library; /* NULL: go home */
  bool done;
  sem_t begin;
  sem_t end;
} errand;

/* A function of the library, or NULL. A data pointer is copied into it, as POSIX has it: C knows no conversion. */
static void find(void *library, const char *name, void *function, size_t bytes) {
  void *const address = dlsym(library, name);
  memcpy(function, &address, bytes);
}

static bool is_sorted(const uint32_t *keys, uint64_t sum) {
  for (size_t index = 0; index < COUNT; index++) {
    sum -= keys[index];
    if (index > 0 && keys[index - 1] > keys[index])
      return false;
  }
  return sum == 0;
}

static bool sort_with(void *library) {
  uint32_t keys[COUNT];
  uint32_t state = 1;
  uint64_t sum = 0;
  cdp_options options = CDP_OPTIONS_INIT;
  sort_function *sort;
  message_function *last_message;
  find(library, "cdp_quicksort", &sort, sizeof sort);
  find(library, "cdp_last_message", &last_message, sizeof last_message);
  if (sort == NULL || last_message == NULL)
    return false;
  for (size_t index = 0; index < COUNT; index++) {
    state = 1664525u * state + 1013904223u;
    keys[index] = state;
    sum += state;
  }
  options.device = CDP_DEVICE_SIMULATED;
  if (sort(keys, COUNT, CDP_U32, &options) != CDP_OK) {
    (void)fprintf(stderr, "error: %s\n", last_message());
    return false;
  }
  return is_sorted(keys, sum);
}

/* The thread that was there before. */
static void *run_errands(void *argument) {
  errand *const own = argument;
  for (;;) {
    (void)sem_wait(&own->begin);
    if (own->library == NULL)
      return NULL;
    own->done = sort_with(own->library);
    (void)sem_post(&own->end);
  }
}

static bool send(errand *other, void *library) {
  other->library = library;
  other->done = false;
  (void)sem_post(&other->begin);
  (void)sem_wait(&other->end);
  return other->done;
}

/* Loads, sorts here and there, closes. */
static bool make_round(const char *path, errand *other) {
  void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    (void)fprintf(stderr, "error: %s\n", dlerror());
    return false;
  }
  const bool here = sort_with(library);
  const bool there = send(other, library);
  if (!here || !there)
    (void)fprintf(stderr, "error: the %s thread's keys are not sorted\n", here ? "other" : "first");
  return dlclose(library) == 0 && here && there;
}

int main(int argument_count, char **arguments) {
  errand other = {.library = NULL};
  pthread_t thread;
  bool good = argument_count == 2;
  if (!good) {
    (void)fprintf(stderr, "usage: load LIBRARY\n");
    return 2;
  }
  if (sem_init(&other.begin, 0, 0) != 0 || sem_init(&other.end, 0, 0) != 0 ||
      pthread_create(&thread, NULL, run_errands, &other) != 0) {
    perror("error");
    return 1;
  }
  for (int round = 0; round < ROUNDS && good; round++)
    good = make_round(arguments[1], &other);
  other.library = NULL;
  (void)sem_post(&other.begin);
  (void)pthread_join(thread, NULL);
  if (good)
    (void)printf("loaded, sorted and closed %d times by two threads\n", ROUNDS);
  return good ? 0 : 1;
}
