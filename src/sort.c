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
  TRY(cdp_arguments_check_keys("keys", keys, arguments.key_bytes));
  if (count == 1)
    goto cleanup;
  TRY(cdp_device_choose(&arguments.wish, keys, &device));
  TRY(make_plan(&arguments, count, type, &device, false, &plan, &room));
  TRY(cdp_memory_sort(&device, &plan, &room, &arguments.settings.allocator, keys, gathering));
  cdp_call_succeeded(device.facts.name);
cleanup:
  return status;
}

cdp_status cdp_quicksort(void *keys, size_t count, cdp_type type, const cdp_options *options) {
  return cdp_sort_blocking(keys, count, type, options, NULL);
}

cdp_status cdp_quicksort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes) {
  cdp_arguments arguments;
  cdp_device device;
  cdp_plan plan;
  cdp_room room = {0};
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_arguments_read(count, type, options, &arguments));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  if (count >= 2) {
    TRY(cdp_device_choose(&arguments.wish, NULL, &device));
    TRY(make_plan(&arguments, count, type, &device, false, &plan, &room));
  }
  *workspace_bytes = room.workspace_bytes;
cleanup:
  return status;
}

#define ASK "cdp_quicksort_workspace()"

static cdp_status check_workspace(const cdp_room *room, const void *keys, const void *workspace, size_t workspace_bytes) {
  cdp_status status;
  TRY(cdp_arguments_check_workspace_size(workspace_bytes, room->workspace_bytes, ASK));
  if (cdp_arguments_overlap(keys, room->keys_bytes, workspace, room->workspace_bytes))
    return cdp_fail(CDP_ERROR_WORKSPACE, 0, "the workspace overlaps the keys: give it memory of its own");
cleanup:
  return status;
}

/* Whether a kernel on the chosen device may work on these keys, in this stream, without a copy. */
static cdp_status check_usable(const cdp_device *device, const void *stream, const char *call) {
  cdp_status status;
  TRY(cdp_device_check_stream(device, stream));
  if (!device->engine->simulated && device->keys_kind == CDP_MEMORY_HOST)
    return cdp_fail(CDP_ERROR_POINTER, 0,
                    "d_keys points to host memory: give %s device or managed memory, or call cdp_quicksort(), which takes host "
                    "memory too",
                    call);
cleanup:
  return status;
}

/* What an asynchronous call was given. */
typedef struct launch_call {
  const char *name;
  void *d_keys;
  size_t count;
  cdp_type type;
  const cdp_options *options;
  void *stream;
  bool allocates; /* there is no workspace of the caller's */
  void *d_workspace;
  size_t workspace_bytes;
} launch_call;

/* Step 5, in a workspace that is allocated, and given back whatever becomes of the launch. */
static cdp_status launch_with_memory(const cdp_device *device, const cdp_allocator *allocator, cdp_plan *plan, size_t bytes,
                                     void *stream) {
  cdp_fault fault = {0};
  cdp_status status;
  TRY(cdp_memory_take(device, allocator, bytes, stream, &plan->d_workspace));
  const cdp_status launched = device->engine->launch(plan, stream, &fault);
  status = cdp_memory_give_back(device, allocator, bytes, stream, plan->d_workspace);
  if (launched != CDP_OK)
    return cdp_report(launched, &fault, "launching the sort");
cleanup:
  return status;
}

/* Steps 4 and 5, with the device current. */
static cdp_status plan_and_launch(const launch_call *call, const cdp_arguments *arguments, const cdp_device *device) {
  const cdp_engine *engine = device->engine;
  cdp_fault fault = {0};
  cdp_plan plan;
  cdp_room room;
  bool is_captured = false;
  cdp_status status;
  TRY(cdp_report(engine->is_captured(call->stream, &is_captured, &fault), &fault, "looking at the stream"));
  TRY(make_plan(arguments, call->count, call->type, device, is_captured, &plan, &room));
  plan.d_keys = call->d_keys;
  if (call->allocates)
    return launch_with_memory(device, &arguments->settings.allocator, &plan, room.workspace_bytes, call->stream);
  TRY(check_workspace(&room, call->d_keys, call->d_workspace, call->workspace_bytes));
  plan.d_workspace = call->d_workspace;
  TRY(cdp_report(engine->launch(&plan, call->stream, &fault), &fault, "launching the sort"));
cleanup:
  return status;
}

static cdp_status sort_in_stream_order(const launch_call *call) {
  cdp_arguments arguments;
  cdp_device device;
  cdp_previous previous;
  cdp_fault fault = {0};
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_arguments_read(call->count, call->type, call->options, &arguments));
  if (call->count == 0)
    goto cleanup;
  TRY(cdp_arguments_check_keys("keys", call->d_keys, arguments.key_bytes));
  if (call->count == 1)
    goto cleanup;
  if (!call->allocates)
    TRY(cdp_arguments_check_workspace(call->d_workspace, ASK));
  TRY(cdp_device_choose(&arguments.wish, call->d_keys, &device));
  TRY(check_usable(&device, call->stream, call->name));
  if (!call->allocates)
    TRY(cdp_device_check_memory(&device, call->d_workspace, "d_workspace", ""));
  TRY(cdp_report(device.engine->enter(device.ordinal, device.context, &previous, &fault), &fault, "making the device current"));
  status = plan_and_launch(call, &arguments, &device);
  device.engine->leave(&previous);
  TRY(status);
  cdp_call_succeeded(device.facts.name);
cleanup:
  return status;
}

cdp_status cdp_quicksort_async(void *d_keys, size_t count, cdp_type type, const cdp_options *options, void *d_workspace,
                               size_t workspace_bytes, void *stream) {
  return sort_in_stream_order(&(launch_call){.name = "cdp_quicksort_async()",
                                             .d_keys = d_keys,
                                             .count = count,
                                             .type = type,
                                             .options = options,
                                             .stream = stream,
                                             .d_workspace = d_workspace,
                                             .workspace_bytes = workspace_bytes});
}

cdp_status cdp_quicksort_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options, void *stream) {
  return sort_in_stream_order(&(launch_call){.name = "cdp_quicksort_on_stream()",
                                             .d_keys = d_keys,
                                             .count = count,
                                             .type = type,
                                             .options = options,
                                             .stream = stream,
                                             .allocates = true});
}
