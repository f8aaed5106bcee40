/* SPDX-License-Identifier: MIT */
/*
 * The copies and allocations of a blocking sort. One allocation holds it all, each part rounded up to whole
 * CDP_WORKSPACE_ALIGNMENT:
 *
 *     | the device's copy of the keys | workspace | trace       |
 *       only if the keys are copied                 if any
 *
 * 1. Make the device current. 2. Allocate. 3. Copy to the device. 4. Sort. 5. Copy back.
 * Whatever fails, the one cleanup path frees the memory and makes the former device current again.
 */
#include "memory.h"

#include "status.h"

#include <stdbool.h>

cdp_status cdp_memory_sort(const cdp_device *device, const cdp_plan *plan, void *keys, cdp_gathering *gathering) {
  const cdp_engine *engine = device->engine;
  const bool keys_copied = device->keys_kind == CDP_MEMORY_HOST && !engine->simulated;
  const size_t keys_room_bytes = keys_copied ? plan->keys_room_bytes : 0;
  const size_t trace_capacity = gathering->trace != NULL ? gathering->trace->capacity : 0;
  const size_t trace_bytes = trace_capacity != 0 ? (size_t)cdp_engine_trace_bytes(trace_capacity) : 0;
  cdp_request request = plan->request;
  cdp_fault fault = {0};
  void *memory = NULL;
  bool entered = false;
  int previous_ordinal = 0;
  cdp_status status;

  TRY(cdp_report(engine->enter(device->ordinal, &previous_ordinal, &fault), &fault, "making the device current"));
  entered = true;
  TRY(cdp_report(engine->allocate(keys_room_bytes + plan->workspace_bytes + trace_bytes, &memory, &fault), &fault,
                 keys_copied ? "allocating memory for the keys and their workspace" : "allocating the workspace"));
  request.d_keys = keys_copied ? memory : keys;
  request.d_workspace = (unsigned char *)memory + keys_room_bytes;
  if (trace_capacity != 0) {
    // The workspace's parts are rounded up, and so is it. The cast is exact: see CDP_TRACE_CAPACITY_MAX.
    request.d_trace = (unsigned char *)memory + keys_room_bytes + plan->workspace_bytes;
    request.trace_capacity = (uint32_t)trace_capacity;
  }

  if (keys_copied)
    TRY(cdp_report(engine->copy(request.d_keys, keys, plan->keys_bytes, &fault), &fault, "copying the keys to the device"));
  TRY(cdp_report(engine->sort(&request, gathering, &fault), &fault, "sorting"));
  if (keys_copied)
    TRY(cdp_report(engine->copy(keys, request.d_keys, plan->keys_bytes, &fault), &fault, "copying the sorted keys back"));

cleanup:
  engine->release(memory);
  if (entered)
    engine->leave(previous_ordinal);
  return status;
}
