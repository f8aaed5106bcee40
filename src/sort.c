/* SPDX-License-Identifier: MIT */
/*
 * The calls that sort. Each takes the same steps, and goes on only if a step finds nothing wrong:
 *
 * 1. What needs no memory looked at: type, options, CDPSORT_DEVICE, count (arguments.h).
 * 2. The pointers as numbers: NULL, alignment. Fewer than 2 keys end here.
 * 3. The device (device.h), which may depend on where the keys lie.
 * 4. The plan (engine.h): how the device will go about it, and the bytes of the workspace.
 * 5. The sort, with memory of its own (memory.h) or in the caller's workspace.
 */
#include "sort.h"

#include "arguments.h"
#include "memory.h"
#include "status.h"

#include <stdbool.h>

/* Step 4, for at least 2 keys. The count was looked at in step 1, so that a plan can be made of it. */
static cdp_status make_plan(const cdp_arguments *arguments, size_t count, cdp_type type, const cdp_device *device,
                            bool is_captured, cdp_plan *plan, cdp_room *room) {
  cdp_status status;
  TRY(cdp_engine_plan(&arguments->settings, type, count, &device->facts, is_captured, plan));
  TRY(cdp_room_reckon(count, type, plan->workspace_bytes, room));
cleanup:
  return status;
}

cdp_status cdp_sort_blocking(void *keys, size_t count, cdp_type type, const cdp_options *options, cdp_gathering *gathering) {
  cdp_arguments arguments;
  cdp_device device;
  cdp_plan plan;
  cdp_room room;
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_arguments_read(count, type, options, &arguments));
  if (count == 0)
    goto cleanup;
  TRY(cdp_arguments_check_keys(keys, arguments.key_bytes));
  if (count == 1)
    goto cleanup;
  TRY(cdp_device_choose(&arguments.wish, keys, &device));
  TRY(make_plan(&arguments, count, type, &device, false, &plan, &room));
  TRY(cdp_memory_sort(&device, &plan, &room, &arguments.settings.allocator, keys, gathering));
  cdp_device_used(device.facts.name);
cleanup:
  return status;
}

cdp_status cdp_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options) {
  cdp_gathering nothing = {0};
  return cdp_sort_blocking(keys, count, type, options, &nothing);
}

cdp_status cdp_quicksort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes) {
  cdp_arguments arguments;
  cdp_device device;
  cdp_plan plan;
  cdp_room room = {0};
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_arguments_read(count, type, options, &arguments));
  if (workspace_bytes == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "workspace_bytes is NULL: give a pointer to the size_t that receives the size");
  if (count >= 2) {
    TRY(cdp_device_choose(&arguments.wish, NULL, &device));
    TRY(make_plan(&arguments, count, type, &device, false, &plan, &room));
  }
  *workspace_bytes = room.workspace_bytes;
cleanup:
  return status;
}

static cdp_status check_workspace_pointer(const void *d_workspace) {
  if (d_workspace == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0,
                    "d_workspace is NULL: allocate as many bytes as cdp_quicksort_workspace() says and give a pointer to them");
  if ((uintptr_t)d_workspace % CDP_WORKSPACE_ALIGNMENT != 0)
    return cdp_fail(
        CDP_ERROR_ALIGNMENT, 0,
        "d_workspace is %p, which is not a multiple of %d: align it to CDP_WORKSPACE_ALIGNMENT, as cudaMalloc() does",
        d_workspace, CDP_WORKSPACE_ALIGNMENT);
  return CDP_OK;
}

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
  const uintptr_t a_begin = (uintptr_t)a;
  const uintptr_t b_begin = (uintptr_t)b;
  return a_begin <= b_begin ? b_begin - a_begin < a_bytes : a_begin - b_begin < b_bytes;
}

static cdp_status check_workspace_size(const cdp_room *room, const void *keys, const void *workspace, size_t workspace_bytes) {
  if (workspace_bytes < room->workspace_bytes)
    return cdp_fail(
        CDP_ERROR_WORKSPACE, 0,
        "workspace_bytes is %zu, but this sort needs %zu: ask cdp_quicksort_workspace() with the same arguments, and "
        "with the device of the keys current or chosen in the options",
        workspace_bytes, room->workspace_bytes);
  if (overlap(keys, room->keys_bytes, workspace, room->workspace_bytes))
    return cdp_fail(CDP_ERROR_WORKSPACE, 0, "the workspace overlaps the keys: give it memory of its own");
  return CDP_OK;
}

/* Whether a kernel on the chosen device may work in this memory without a copy: the asynchronous call makes none. */
static cdp_status check_usable(const cdp_device *device, const void *workspace, const void *stream) {
  if (device->engine->simulated && stream != NULL)
    return cdp_fail(CDP_ERROR_POINTER, 0, "stream is not NULL: the simulated device has the default stream alone; give NULL");
  if (!device->engine->simulated && device->keys_kind == CDP_MEMORY_HOST)
    return cdp_fail(
        CDP_ERROR_POINTER, 0,
        "d_keys points to host memory: give cdp_quicksort_async() device or managed memory, or call cdp_quicksort(), "
        "which takes host memory too");
  return cdp_device_check_memory(device, workspace, "d_workspace");
}

/* What cdp_quicksort_async() was given, checked as far as no plan is needed for it. */
typedef struct launch_call {
  const cdp_arguments *arguments;
  const cdp_device *device;
  void *d_keys;
  size_t count;
  cdp_type type;
  void *d_workspace;
  size_t workspace_bytes;
  void *stream;
} launch_call;

/* Steps 4 and 5, with the device current. */
static cdp_status plan_and_launch(const launch_call *call) {
  const cdp_engine *engine = call->device->engine;
  cdp_fault fault = {0};
  cdp_plan plan;
  cdp_room room;
  bool is_captured = false;
  cdp_status status;
  TRY(cdp_report(engine->is_captured(call->stream, &is_captured, &fault), &fault, "looking at the stream"));
  TRY(make_plan(call->arguments, call->count, call->type, call->device, is_captured, &plan, &room));
  TRY(check_workspace_size(&room, call->d_keys, call->d_workspace, call->workspace_bytes));
  plan.d_keys = call->d_keys;
  plan.d_workspace = call->d_workspace;
  TRY(cdp_report(engine->launch(&plan, call->stream, &fault), &fault, "launching the sort"));
cleanup:
  return status;
}

cdp_status cdp_quicksort_async(void *d_keys, size_t count, cdp_type type, const cdp_options *options, void *d_workspace,
                               size_t workspace_bytes, void *stream) {
  cdp_arguments arguments;
  cdp_device device;
  cdp_previous previous;
  cdp_fault fault = {0};
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_arguments_read(count, type, options, &arguments));
  if (count == 0)
    goto cleanup;
  TRY(cdp_arguments_check_keys(d_keys, arguments.key_bytes));
  if (count == 1)
    goto cleanup;
  TRY(check_workspace_pointer(d_workspace));
  TRY(cdp_device_choose(&arguments.wish, d_keys, &device));
  TRY(check_usable(&device, d_workspace, stream));
  TRY(cdp_report(device.engine->enter(device.ordinal, &previous, &fault), &fault, "making the device current"));
  status = plan_and_launch(&(launch_call){&arguments, &device, d_keys, count, type, d_workspace, workspace_bytes, stream});
  device.engine->leave(&previous);
  TRY(status);
  cdp_device_used(device.facts.name);
cleanup:
  return status;
}
