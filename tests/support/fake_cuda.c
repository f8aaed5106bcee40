/* SPDX-License-Identifier: MIT */
/*
 * See fake_cuda.h. The functions are those that the library's objects refer to, no others: a new one shows when the test is linked.
 */
#include "fake_cuda.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096
#define DEVICE_BYTES ((uint64_t)16 << 30)

/* A stream, an event, a pool or memory, and the context that it is of. */
typedef struct thing {
  void *address;
  uint64_t context;
} thing;

typedef struct list {
  thing things[MOST];
  int count;
} list;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static list streams, pools, memories, events;
static fake_counts counts;
static uint64_t context_number = 1;
static uint64_t threshold;
static uint32_t copied_word;
static uint32_t *later_words;
static size_t later_count;
static uint32_t later_value;
static int misuses;
static bool has_pools = true;
static CUcontext memory_context, current_context, launch_context;

#define LOCK() pthread_mutex_lock(&mutex)
#define UNLOCK() pthread_mutex_unlock(&mutex)

static void *add(list *all) {
  void *address = malloc(1);
  if (all->count < MOST)
    all->things[all->count++] = (thing){address, context_number};
  return address;
}

static int find(const list *all, const void *address) {
  for (int index = 0; index < all->count; index++)
    if (all->things[index].address == address && all->things[index].context == context_number)
      return index;
  return -1;
}

static void check(const list *all, const void *address) {
  if (find(all, address) < 0)
    misuses++;
}

static void drop(list *all, void *address) {
  const int index = find(all, address);
  if (index < 0) {
    misuses++;
    return;
  }
  all->things[index] = all->things[--all->count];
}

/* ---- What tests ask -------------------------------------------------------------------------------------------- */

fake_counts fake_counts_read(void) {
  LOCK();
  counts.streams = streams.count;
  counts.allocated = memories.count;
  counts.events = events.count;
  const fake_counts now = counts;
  UNLOCK();
  return now;
}

void fake_counts_clear(void) {
  LOCK();
  counts = (fake_counts){0};
  UNLOCK();
}

static void *allocate(size_t bytes) {
  void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory != NULL && memories.count < MOST)
    memories.things[memories.count++] = (thing){memory, context_number};
  return memory;
}

void *fake_device_memory(size_t bytes) {
  LOCK();
  void *memory = allocate(bytes);
  UNLOCK();
  return memory;
}

void fake_device_memory_free(void *memory) {
  LOCK();
  drop(&memories, memory);
  UNLOCK();
  free(memory);
}

void fake_write_later(uint32_t *words, size_t count, uint32_t value) {
  later_words = words;
  later_count = count;
  later_value = value;
}

uint32_t fake_copied_word(void) {
  return copied_word;
}

uint64_t fake_threshold(void) {
  return threshold;
}

uint64_t fake_device_bytes(void) {
  return DEVICE_BYTES;
}

void fake_device_reset(void) {
  LOCK();
  context_number++;
  streams.count = pools.count = events.count = 0;
  UNLOCK();
}

void fake_pools_supported(bool are_supported) {
  has_pools = are_supported;
}

int fake_misuses(void) {
  return misuses;
}

/* ---- Devices and contexts -------------------------------------------------------------------------------------- */

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
  (void)device;
  memset(properties, 0, sizeof *properties);
  strcpy(properties->name, "fake");
  properties->major = 9;
  properties->multiProcessorCount = 132;
  properties->sharedMemPerBlockOptin = 227 * 1024;
  properties->totalGlobalMem = DEVICE_BYTES;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  (void)device;
  *value = attribute == cudaDevAttrMultiProcessorCount ? 132 : attribute == cudaDevAttrMemoryPoolsSupported ? has_pools : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
  LOCK();
  counts.device_waits++;
  for (size_t index = 0; index < later_count; index++)
    later_words[index] = later_value;
  later_count = 0;
  UNLOCK();
  return cudaSuccess;
}

static CUresult get_context_number(CUcontext context, unsigned long long *number) {
  (void)context;
  *number = context_number;
  return CUDA_SUCCESS;
}

static CUresult get_context(CUcontext *context) {
  *context = current_context;
  return CUDA_SUCCESS;
}

static CUresult set_context(CUcontext context) {
  current_context = context;
  return CUDA_SUCCESS;
}

static CUresult get_pointer_attribute(void *context, CUpointer_attribute attribute, CUdeviceptr pointer) {
  (void)pointer;
  misuses += attribute != CU_POINTER_ATTRIBUTE_CONTEXT;
  memcpy(context, &memory_context, sizeof memory_context);
  return CUDA_SUCCESS;
}

void fake_memory_context(void *context) {
  memory_context = context;
}

void *fake_current_context(void) {
  return current_context;
}

void *fake_launch_context(void) {
  return launch_context;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned int version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found) {
  typedef void any_function(void);
  static const struct {
    const char *name;
    any_function *function;
  } known[] = {{"cuCtxGetId", (any_function *)get_context_number},
               {"cuCtxGetCurrent", (any_function *)get_context},
               {"cuCtxSetCurrent", (any_function *)set_context},
               {"cuPointerGetAttribute", (any_function *)get_pointer_attribute}};
  (void)version;
  (void)flags;
  *found = cudaDriverEntryPointSymbolNotFound;
  for (size_t index = 0; index < sizeof known / sizeof known[0]; index++)
    if (strcmp(known[index].name, name) == 0) {
      memcpy(function, &known[index].function, sizeof *function);
      *found = cudaDriverEntryPointSuccess;
    }
  return cudaSuccess;
}

/* ---- Streams and events ---------------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  (void)flags;
  LOCK();
  counts.streams_created++;
  *stream = add(&streams);
  UNLOCK();
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  LOCK();
  drop(&streams, stream);
  UNLOCK();
  free(stream);
  return cudaSuccess;
}

static void use_stream(cudaStream_t stream) {
  if (stream != NULL)
    check(&streams, stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  LOCK();
  counts.stream_waits++;
  use_stream(stream);
  UNLOCK();
  fake_finish_copies();
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  LOCK();
  *event = add(&events);
  UNLOCK();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  LOCK();
  drop(&events, event);
  UNLOCK();
  free(event);
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  LOCK();
  check(&events, event);
  use_stream(stream);
  UNLOCK();
  fake_record(event);
  return cudaSuccess;
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
  memset(attributes, 0, sizeof *attributes);
  attributes->type = cudaMemoryTypeUnregistered;
  LOCK();
  for (int index = 0; index < memories.count; index++)
    if (memories.things[index].address == pointer)
      attributes->type = cudaMemoryTypeDevice;
  UNLOCK();
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
  LOCK();
  misuses += properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0;
  counts.pools_created++;
  *pool = add(&pools);
  UNLOCK();
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  LOCK();
  drop(&pools, pool);
  UNLOCK();
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  LOCK();
  misuses += attribute != cudaMemPoolAttrReleaseThreshold;
  check(&pools, pool);
  memcpy(&threshold, value, sizeof threshold);
  UNLOCK();
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t kept) {
  (void)kept;
  LOCK();
  counts.trims++;
  check(&pools, pool);
  UNLOCK();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  (void)device;
  *pool = NULL;
  misuses++; // the program's, not the library's
  return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  LOCK();
  counts.allocations++;
  check(&pools, pool);
  use_stream(stream);
  *memory = allocate(bytes);
  UNLOCK();
  return *memory != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
  LOCK();
  drop(&memories, memory);
  use_stream(stream);
  UNLOCK();
  free(memory);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  LOCK();
  counts.plain_allocations++;
  *memory = allocate(bytes);
  UNLOCK();
  return cudaSuccess;
}

cudaError_t cudaFree(void *memory) {
  fake_device_memory_free(memory);
  return cudaSuccess;
}

void fake_note_copy(const void *source, size_t bytes, void *stream) {
  LOCK();
  use_stream(stream);
  if (find(&memories, source) < 0 && bytes >= sizeof copied_word)
    memcpy(&copied_word, source, sizeof copied_word);
  UNLOCK();
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
  LOCK();
  use_stream(stream);
  UNLOCK();
  memset(memory, value, bytes);
  return cudaSuccess;
}

/* ---- Launches ------------------------------------------------------------------------------------------------------- */

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *launch, const void *kernel, void **arguments) {
  (void)kernel;
  (void)arguments;
  LOCK();
  counts.launches++;
  launch_context = current_context;
  use_stream(launch->stream);
  UNLOCK();
  return cudaSuccess;
}
