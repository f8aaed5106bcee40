/* SPDX-License-Identifier: MIT */
/*
 * A CUDA runtime without a device, for tests of what the engine of CUDA asks for, and in which order. One device of compute capability
 * 9.0; device memory is host memory; streams do their work at once; kernels do nothing. Linked in the place of CUDA's own runtime.
 *
 * What it shows is the host's part alone. Whether keys are sorted is for a GPU to say.
 */
#ifndef CDPSORT_TESTS_FAKE_CUDA_H
#define CDPSORT_TESTS_FAKE_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How often each was called, or how many there are now. */
typedef struct fake_counts {
  int device_waits;    /* cudaDeviceSynchronize() */
  int stream_waits;    /* cudaStreamSynchronize() */
  int streams_created; /* and how many of them are not destroyed */
  int streams;
  int pools_created;
  int allocations; /* from pools, and how many are not freed */
  int allocated;
  int plain_allocations; /* cudaMalloc() by the library */
  int events;            /* that are not destroyed */
  int launches;
  int trims;
} fake_counts;

fake_counts fake_counts_read(void);
void fake_counts_clear(void);

/* Whether copies are done when they are waited for, and not before; how many were asked for. */
void fake_copies_are_late(bool late);
size_t fake_copies(void);

/* Pinned memory: whether there is none to be had; how many blocks there are now, and how many were made. */
void fake_has_no_pinned_memory(bool none);
int fake_pinned_blocks(void);
int fake_pinned_made(void);

/* How often it was asked how many blocks of a kernel a multiprocessor holds. */
int fake_occupancy_questions(void);

/* Between the files of the fake. */
void fake_note_copy(const void *source, size_t bytes, void *stream);
void fake_finish_copies(void);
void fake_record(void *event);

/* Device memory, as by cudaMalloc(), of the program's own. */
void *fake_device_memory(size_t bytes);
void fake_device_memory_free(void *memory);

/* Earlier work of the device: `count` words are set to `value` when the device is waited for, and not before. */
void fake_write_later(uint32_t *words, size_t count, uint32_t value);

/* The first word of what was last copied from the host. */
uint32_t fake_copied_word(void);

/* The release threshold of the pool that was created last. */
uint64_t fake_threshold(void);
uint64_t fake_device_bytes(void);

/* As cudaDeviceReset(): streams and pools are gone, and there is a new context. */
void fake_device_reset(void);

/* The context of the program's device memory, by its address, and the calling thread's: both are made up. */
void fake_memory_context(void *context);
void *fake_current_context(void);

/* Which context was current when a kernel was launched last. */
void *fake_launch_context(void);

/* Devices without memory pools, from the next process on that asks. */
void fake_pools_supported(bool are_supported);

/* The calling thread has used a stream or a pool that was gone, or freed what was not allocated: how often. */
int fake_misuses(void);

#ifdef __cplusplus
}
#endif

#endif
