/* SPDX-License-Identifier: MIT */
/*
 * See fake_cuda.h: copies, the events that are recorded between them, and pinned memory.
 *
 * Late copies are done when an event that was recorded after them is waited for, or their stream, in the order in which they were asked
 * for: of those that are not waited for a test sees that their memory is used too early.
 */
#include "fake_cuda.h"

#include <cuda_runtime_api.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COPIES = 4096, MAX_RECORDS = 4096 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
  void *target;
  const void *source;
  size_t bytes;
} copies[MAX_COPIES];
static struct {
  cudaEvent_t event;
  size_t copies_before;
} records[MAX_RECORDS];
static size_t copy_count, done_count, record_count;
static bool are_late, has_no_pinned;
static int pinned;
static int pinned_made;

void fake_copies_are_late(bool late) {
  are_late = late;
}

void fake_has_no_pinned_memory(bool none) {
  has_no_pinned = none;
}

int fake_pinned_blocks(void) {
  return pinned;
}

int fake_pinned_made(void) {
  return pinned_made;
}

size_t fake_copies(void) {
  return copy_count;
}

/* With the lock held. */
static void do_copies(size_t end) {
  for (; done_count < end; done_count++)
    memmove(copies[done_count % MAX_COPIES].target, copies[done_count % MAX_COPIES].source,
            copies[done_count % MAX_COPIES].bytes);
}

void fake_finish_copies(void) {
  pthread_mutex_lock(&mutex);
  do_copies(copy_count);
  pthread_mutex_unlock(&mutex);
}

void fake_record(void *event) {
  pthread_mutex_lock(&mutex);
  records[record_count % MAX_RECORDS].event = event;
  records[record_count % MAX_RECORDS].copies_before = copy_count;
  record_count++;
  pthread_mutex_unlock(&mutex);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  pthread_mutex_lock(&mutex);
  size_t end = 0;
  for (size_t back = 0; back < record_count && back < MAX_RECORDS && end == 0; back++)
    if (records[(record_count - 1 - back) % MAX_RECORDS].event == event)
      end = records[(record_count - 1 - back) % MAX_RECORDS].copies_before;
  do_copies(end);
  pthread_mutex_unlock(&mutex);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  (void)flags;
  return cudaEventCreate(event);
}

cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
  (void)kind;
  fake_note_copy(source, bytes, stream);
  pthread_mutex_lock(&mutex);
  copies[copy_count % MAX_COPIES].target = target;
  copies[copy_count % MAX_COPIES].source = source;
  copies[copy_count % MAX_COPIES].bytes = bytes;
  copy_count++;
  if (!are_late)
    do_copies(copy_count);
  pthread_mutex_unlock(&mutex);
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned int flags) {
  (void)flags;
  if (has_no_pinned)
    return cudaErrorMemoryAllocation;
  *memory = malloc(bytes);
  pinned += *memory != NULL;
  pinned_made += *memory != NULL;
  return *memory != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeHost(void *memory) {
  pinned -= memory != NULL;
  free(memory);
  return cudaSuccess;
}
