/* SPDX-License-Identifier: MIT */
/*
 * The copies and allocations of a blocking call. One allocation holds it all:
 *
 *     | the device's copy of the keys, rounded up | workspace | trace  |
 *       only if the keys are copied                             if any
 *
 * 1. Make the device current. 2. Allocate. 3. Copy to the device. 4. Do the work. 5. Copy back.
 * Whatever fails, the one cleanup path frees the memory and makes current again what was.
 */
#include "memory.h"

#include "status.h"

#include <stdbool.h>

/* Each sum is checked: the keys, rounded up, and the workspace must fit into one allocation. */
cdp_status cdp_room_reckon(uint64_t count, cdp_type type, uint64_t workspace_bytes, cdp_room *room) {
  const uint64_t most = PTRDIFF_MAX;
  const uint64_t key_bytes = cdp_engine_key_bytes(type);
  const uint64_t mask = CDP_WORKSPACE_ALIGNMENT - 1;
  if (count <= (most - mask) / key_bytes) {
    const uint64_t keys = count * key_bytes;
    const uint64_t keys_room = (keys + mask) & ~mask;
    if (workspace_bytes <= most && keys_room <= most - workspace_bytes) {
      *room = (cdp_room){(size_t)keys, (size_t)keys_room, (size_t)workspace_bytes};
      return CDP_OK;
    }
  }
  return cdp_fail(CDP_ERROR_SIZE, 0,
                  "count is %llu: such keys and their workspace cannot be addressed; give fewer keys at a time",
                  (unsigned long long)count);
}

cdp_status cdp_memory_do(const cdp_device *device, const cdp_memory_job *job, void *keys) {
  const cdp_engine *engine = device->engine;
  const bool keys_copied = device->keys_kind == CDP_MEMORY_HOST && !engine->simulated;
  const size_t keys_room_bytes = keys_copied ? job->room.keys_room_bytes : 0;
  const size_t keys_bytes = job->room.keys_bytes;
  cdp_fault fault = {0};
  void *memory = NULL;
  bool entered = false;
  cdp_previous previous;
  cdp_status status;

  TRY(cdp_report(engine->enter(device->ordinal, &previous, &fault), &fault, "making the device current"));
  entered = true;
  TRY(cdp_report(engine->allocate(keys_room_bytes + job->room.workspace_bytes, &memory, &fault), &fault,
                 keys_copied ? "allocating memory for the keys and their workspace" : "allocating the workspace"));
  void *d_keys = keys_copied ? memory : keys;
  void *d_workspace = (unsigned char *)memory + keys_room_bytes;

  if (keys_copied)
    TRY(cdp_report(engine->copy(d_keys, keys, keys_bytes, &fault), &fault, "copying the keys to the device"));
  TRY(cdp_report(job->work(engine, d_keys, d_workspace, job->context, &fault), &fault, job->doing));
  if (keys_copied)
    TRY(cdp_report(engine->copy(keys, d_keys, keys_bytes, &fault), &fault, "copying the keys back"));

cleanup:
  engine->release(memory);
  if (entered)
    engine->leave(&previous);
  return status;
}

typedef struct sort_context {
  cdp_plan plan;
  cdp_gathering *gathering;
} sort_context;

static cdp_status sort_there(const cdp_engine *engine, void *d_keys, void *d_workspace, void *context, cdp_fault *fault) {
  sort_context *sort = context;
  sort->plan.d_keys = d_keys;
  sort->plan.d_workspace = d_workspace;
  if (sort->plan.trace_capacity != 0)
    sort->plan.d_trace = (unsigned char *)d_workspace + sort->plan.workspace_bytes; // whose parts are aligned, and its end
  return engine->sort(&sort->plan, sort->gathering, fault);
}

cdp_status cdp_memory_sort(const cdp_device *device, const cdp_plan *plan, const cdp_room *room, void *keys,
                           cdp_gathering *gathering) {
  sort_context sort = {.plan = *plan, .gathering = gathering};
  cdp_memory_job job = {.room = *room, .doing = "sorting", .work = sort_there, .context = &sort};
  if (gathering->trace != NULL) {
    // The cast is exact, and the sum no overflow: CDP_TRACE_CAPACITY_MAX.
    sort.plan.trace_capacity = (uint32_t)gathering->trace->capacity;
    job.room.workspace_bytes += (size_t)cdp_engine_trace_bytes(gathering->trace->capacity);
  }
  return cdp_memory_do(device, &job, keys);
}
