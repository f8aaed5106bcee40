/* SPDX-License-Identifier: MIT */
/*
 * The copies and allocations of a blocking call. One allocation holds it all:
 *
 *     | the device's copies of arrays, each rounded up | workspace | trace  |
 *       of those alone that are copied                               if any
 *
 * 1. Make the device current. 2. Allocate, if anything is needed. 3. Copy to the device. 4. Do the work. 5. Copy back.
 * Whatever fails, the one cleanup path frees the memory and makes current again what was.
 */
#include "memory.h"

#include "status.h"

/* Each sum is checked: the keys, rounded up, and the workspace must fit into one allocation. */
cdp_status cdp_room_reckon(uint64_t count, cdp_type type, uint64_t workspace_bytes, cdp_room *room) {
  const uint64_t most = PTRDIFF_MAX;
  const uint64_t key_bytes = cdp_engine_key_bytes(type);
  const uint64_t mask = CDP_WORKSPACE_ALIGNMENT - 1;
  if (count <= (most - mask) / key_bytes) {
    const uint64_t keys = count * key_bytes;
    const uint64_t keys_room = (keys + mask) & ~mask;
    if (workspace_bytes <= most && keys_room <= most - workspace_bytes) {
      *room = (cdp_room){(size_t)keys, (size_t)workspace_bytes};
      return CDP_OK;
    }
  }
  return cdp_fail(CDP_ERROR_SIZE, 0,
                  "count is %llu: such keys and their workspace cannot be addressed; give fewer keys at a time",
                  (unsigned long long)count);
}

/* The caller's memory, or none. What cannot be worked in is given back at once. */
static cdp_status allocate_by_caller(const cdp_device *device, const cdp_allocator *allocator, size_t bytes, void **memory) {
  void *given = allocator->allocate(bytes, allocator->context);
  cdp_status status;
  if (given == NULL)
    return cdp_fail(
        CDP_ERROR_MEMORY, 0,
        "options.allocator.allocate() returned NULL for %zu bytes: free some memory there, or sort fewer keys at a time",
        bytes);
  if ((uintptr_t)given % CDP_WORKSPACE_ALIGNMENT != 0)
    status = cdp_fail(CDP_ERROR_ALIGNMENT, 0,
                      "options.allocator.allocate() returned %p, which is not a multiple of %d: align it to "
                      "CDP_WORKSPACE_ALIGNMENT, as cudaMalloc() does",
                      given, CDP_WORKSPACE_ALIGNMENT);
  else
    status = cdp_device_check_memory(device, given, "what options.allocator.allocate() returned", "");
  if (status == CDP_OK)
    *memory = given;
  else
    allocator->release(given, bytes, allocator->context);
  return status;
}

/* From the caller's allocator, or else from the engine. On success *memory is aligned to CDP_WORKSPACE_ALIGNMENT, on which the parts
   of our one allocation rely. */
static cdp_status allocate(const cdp_device *device, const cdp_allocator *allocator, size_t bytes, void *stream, bool may_wait,
                           const char *doing, void **memory) {
  cdp_fault fault = {0};
  if (allocator->allocate != NULL)
    return allocate_by_caller(device, allocator, bytes, memory);
  return cdp_report(device->engine->allocate(bytes, stream, may_wait, memory, &fault), &fault, doing);
}

cdp_status cdp_memory_take(const cdp_device *device, const cdp_allocator *allocator, size_t bytes, void *stream,
                           void **memory) {
  return allocate(device, allocator, bytes, stream, false, "allocating the workspace", memory);
}

cdp_status cdp_memory_give_back(const cdp_device *device, const cdp_allocator *allocator, size_t bytes, void *stream,
                                void *memory) {
  cdp_fault fault = {0};
  if (allocator->release == NULL)
    return cdp_report(device->engine->release(memory, stream, &fault), &fault, "giving the workspace back");
  allocator->release(memory, bytes, allocator->context);
  return CDP_OK;
}

/* The end of a blocking call, when the stream's work is finished. A failure is one of other work, which its own call reports. */
static void release(const cdp_device *device, const cdp_allocator *allocator, size_t bytes, void *stream, void *memory) {
  cdp_fault unread = {0};
  if (allocator->release == NULL)
    (void)device->engine->release(memory, stream, &unread);
  else if (memory != NULL)
    allocator->release(memory, bytes, allocator->context);
}

cdp_array cdp_memory_keys(const cdp_device *device, void *keys, size_t bytes) {
  const bool is_copied = device->keys_kind == CDP_MEMORY_HOST && !device->engine->simulated;
  return (cdp_array){.source = keys,
                     .target = keys,
                     .bytes = bytes,
                     .is_copied = is_copied,
                     .is_in_host_memory = is_copied || device->engine->simulated};
}

/* Bytes of the copy of an array, rounded up so that more may follow; 0 for none. */
static size_t copy_bytes(const cdp_array *array) {
  const size_t mask = CDP_WORKSPACE_ALIGNMENT - 1;
  return array->is_copied ? (array->bytes + mask) & ~mask : 0;
}

/* The bytes of a job's one allocation, and in *copies_bytes those of the copies. */
static cdp_status reckon_job(const cdp_memory_job *job, size_t *copies_bytes, size_t *bytes) {
  const size_t most = PTRDIFF_MAX;
  *copies_bytes = 0;
  *bytes = job->workspace_bytes;
  for (size_t index = 0; index < job->array_count && *bytes <= most; index++) {
    const cdp_array *array = &job->arrays[index];
    const size_t more = array->bytes <= most ? copy_bytes(array) : most;
    *copies_bytes += more;
    *bytes += more; // no overflow: neither is greater than half of what a size_t holds
  }
  if (*bytes <= most)
    return CDP_OK;
  return cdp_fail(CDP_ERROR_SIZE, 0,
                  "copies of these arrays and their workspace cannot be addressed; give fewer keys at a time");
}

/* Tells each array where the device reaches it. */
static void place_arrays(const cdp_memory_job *job, void *memory) {
  unsigned char *next = memory;
  for (size_t index = 0; index < job->array_count; index++) {
    cdp_array *array = &job->arrays[index];
    array->d_source = array->is_copied ? next : array->source;
    array->d_target = array->is_copied ? next : array->target;
    next += copy_bytes(array);
  }
}

/* Those of a copied array that is written come back when the work is finished: a failure leaves the caller's as it was. */
static cdp_status copy_in(const cdp_engine *engine, const cdp_memory_job *job, void *stream) {
  cdp_status status = CDP_OK;
  for (size_t index = 0; index < job->array_count; index++) {
    const cdp_array *array = &job->arrays[index];
    cdp_fault fault = {0};
    if (array->is_copied && array->source != NULL)
      TRY(cdp_report(engine->copy(array->d_target, array->source, array->bytes, stream, &fault), &fault,
                     "copying arrays to the device"));
  }
cleanup:
  return status;
}

static cdp_status copy_back(const cdp_engine *engine, const cdp_memory_job *job, void *stream) {
  static const char doing[] = "copying arrays back";
  bool has_copies = false;
  cdp_fault fault = {0};
  cdp_status status = CDP_OK;
  for (size_t index = 0; index < job->array_count; index++) {
    const cdp_array *array = &job->arrays[index];
    if (!array->is_copied || array->target == NULL)
      continue;
    has_copies = true;
    TRY(cdp_report(engine->copy(array->target, array->d_source, array->bytes, stream, &fault), &fault, doing));
  }
  if (has_copies)
    TRY(cdp_report(engine->finish(stream, doing, &fault), &fault, doing));
cleanup:
  return status;
}

/* What is done with a job's memory, all of it on one stream. *is_finished: nothing of it is under way. */
static cdp_status do_work(const cdp_engine *engine, const cdp_memory_job *job, void *d_workspace, void *stream,
                          bool *is_finished) {
  cdp_fault fault = {0};
  cdp_status status;
  *is_finished = false;
  TRY(copy_in(engine, job, stream));
  TRY(cdp_report(job->work(engine, job->arrays, d_workspace, stream, job->context, &fault), &fault, job->doing));
  TRY(cdp_report(engine->finish(stream, job->doing, &fault), &fault, job->doing));
  TRY(copy_back(engine, job, stream));
  *is_finished = true;
cleanup:
  return status;
}

/* With the device current and a stream. A failure may leave kernels running, which end before their memory is given back. */
static cdp_status do_with_memory(const cdp_device *device, const cdp_memory_job *job, void *stream) {
  size_t copies_bytes = 0;
  size_t bytes = 0;
  bool is_finished = true;
  cdp_fault fault = {0};
  void *memory = NULL;
  cdp_status status;
  TRY(reckon_job(job, &copies_bytes, &bytes));
  if (job->inspect != NULL)
    TRY(job->inspect(job->context, job->arrays));
  if (bytes != 0)
    TRY(allocate(device, &job->allocator, bytes, stream, true,
                 copies_bytes != 0 ? "allocating memory for copies of arrays and the workspace" : "allocating the workspace",
                 &memory));
  place_arrays(job, memory);
  void *d_workspace = job->workspace_bytes != 0 ? (unsigned char *)memory + copies_bytes : NULL;
  status = do_work(device->engine, job, d_workspace, stream, &is_finished);
  if (!is_finished)
    (void)device->engine->finish(stream, job->doing, &fault); // the call's failure is reported already
  release(device, &job->allocator, bytes, stream, memory);
cleanup:
  return status;
}

cdp_status cdp_memory_do(const cdp_device *device, const cdp_memory_job *job) {
  const cdp_engine *engine = device->engine;
  cdp_fault fault = {0};
  void *stream = NULL;
  cdp_previous previous;
  cdp_status status;
  TRY(cdp_report(engine->enter(device->ordinal, device->context, &previous, &fault), &fault, "making the device current"));
  status = cdp_report(engine->begin(&stream, &fault), &fault, job->doing);
  if (status == CDP_OK) {
    status = do_with_memory(device, job, stream);
    engine->end(stream);
  }
  engine->leave(&previous);
cleanup:
  return status;
}

typedef struct sort_context {
  cdp_plan plan;
  cdp_gathering *gathering;
} sort_context;

static cdp_status sort_there(const cdp_engine *engine, const cdp_array *arrays, void *d_workspace, void *stream, void *context,
                             cdp_fault *fault) {
  sort_context *sort = context;
  sort->plan.d_keys = arrays[0].d_target;
  sort->plan.d_workspace = d_workspace;
  if (sort->plan.trace_capacity != 0)
    sort->plan.d_trace = (unsigned char *)d_workspace + sort->plan.workspace_bytes; // whose parts are aligned, and its end
  if (sort->gathering == NULL)
    return engine->launch(&sort->plan, stream, fault);
  return engine->sort(&sort->plan, stream, sort->gathering, fault);
}

cdp_status cdp_memory_sort(const cdp_device *device, const cdp_plan *plan, const cdp_room *room, const cdp_allocator *allocator,
                           void *keys, cdp_gathering *gathering) {
  sort_context sort = {.plan = *plan, .gathering = gathering};
  cdp_array array = cdp_memory_keys(device, keys, room->keys_bytes);
  cdp_memory_job job = {.arrays = &array,
                        .array_count = 1,
                        .workspace_bytes = room->workspace_bytes,
                        .allocator = *allocator,
                        .doing = "sorting",
                        .work = sort_there,
                        .context = &sort};
  if (gathering != NULL && gathering->trace != NULL) {
    // The cast is exact, and the sum no overflow: CDP_TRACE_CAPACITY_MAX.
    sort.plan.trace_capacity = (uint32_t)gathering->trace->capacity;
    job.workspace_bytes += (size_t)cdp_engine_trace_bytes(gathering->trace->capacity);
  }
  return cdp_memory_do(device, &job);
}

/* ---- Memory between calls ---------------------------------------------------------------------------------------------- */

cdp_status cdp_set_memory_ceiling(uint64_t bytes) {
  const cdp_engine *engine = cdp_engine_cuda();
  cdp_fault fault = {0};
  cdp_message_clear();
  return engine != NULL ? cdp_report(engine->set_memory_ceiling(bytes, &fault), &fault, "setting the memory ceiling") : CDP_OK;
}

cdp_status cdp_trim_memory(void) {
  const cdp_engine *engine = cdp_engine_cuda();
  cdp_fault fault = {0};
  cdp_message_clear();
  return engine != NULL ? cdp_report(engine->trim_memory(&fault), &fault, "trimming memory") : CDP_OK;
}
