/* SPDX-License-Identifier: MIT */
/*
 * See payload.h. One key is sorted as well, where its index is to be written, and none is divided, where buckets begin all the same.
 */
#include "payload.h"

#include "memory.h"
#include "status.h"

/* The least count for which there is something to do. */
static size_t least_count(const payload_call *call) {
  if (call->divides)
    return 0;
  return call->has_indices ? 1 : 2;
}

/* Whether there is not even an array to look at. */
static bool is_empty(const payload_call *call) {
  return call->count == 0 && !call->divides;
}

/* What the device is chosen by. */
static const void *first_array(const payload_call *call) {
  return call->count != 0 ? call->keys : (const void *)call->begins;
}

/* Step 4, if there is something to do. Its bytes fit a size_t. */
static cdp_status make_plan(const payload_call *call, const cdp_arguments *arguments, const cdp_device *device,
                            bool is_captured, cdp_payload_plan *plan) {
  const uint64_t most = PTRDIFF_MAX;
  const cdp_payload_request request = payload_request_of(call, &arguments->settings);
  if (cdp_engine_plan_payload(&arguments->settings, &request, &device->facts, is_captured, plan) == CDP_OK &&
      plan->workspace_bytes <= most)
    return CDP_OK;
  return cdp_fail(CDP_ERROR_SIZE, 0,
                  "count is %zu: so many keys and their workspace cannot be addressed; give fewer keys at a time", call->count);
}

/* ---- Blocking ---------------------------------------------------------------------------------------------------------- */

/* Tells a plan where the device reaches the arrays, which are in the order of payload_list(). */
static void place(cdp_payload_plan *plan, const cdp_array *arrays) {
  cdp_payload_request *asked = &plan->asked;
  const bool is_apart = asked->d_sorted_keys != NULL && asked->d_sorted_keys != asked->d_keys;
  const bool in_place = asked->d_sorted_keys == asked->d_keys;
  if (asked->count != 0) {
    asked->d_keys = arrays->d_source;
    if (in_place)
      asked->d_sorted_keys = arrays->d_target;
    arrays++;
  }
  if (is_apart)
    asked->d_sorted_keys = (arrays++)->d_target;
  if (asked->index_bytes != 0)
    asked->d_indices = (arrays++)->d_target;
  if (asked->divides && asked->splitter_count != 0)
    asked->d_splitters = (arrays++)->d_source;
  if (asked->divides)
    asked->d_begins = (arrays++)->d_target;
  for (uint32_t column = 0; column < asked->column_count && asked->count != 0; column++)
    asked->columns[column].values = (arrays++)->d_target;
}

static cdp_status do_there(const cdp_engine *engine, const cdp_array *arrays, void *d_workspace, void *context,
                           cdp_fault *fault) {
  cdp_payload_plan *plan = context;
  place(plan, arrays);
  plan->d_workspace = d_workspace;
  return engine->sort_payload(plan, fault);
}

static cdp_status do_on(const payload_call *call, const cdp_device *device, const cdp_settings *settings,
                        const payload_arrays *list, cdp_payload_plan *plan) {
  cdp_array arrays[PAYLOAD_ARRAYS_MAX] = {{0}};
  cdp_memory_job job = {.arrays = arrays,
                        .array_count = list->count,
                        .workspace_bytes = (size_t)plan->workspace_bytes,
                        .allocator = settings->allocator,
                        .doing = call->doing,
                        .work = do_there,
                        .context = plan};
  cdp_status status;
  for (size_t index = 0; index < list->count; index++) {
    const payload_array *array = &list->arrays[index];
    arrays[index] = (cdp_array){.source = array->source, .target = array->target, .bytes = array->bytes};
    TRY(cdp_device_check_array(device, payload_address(array), array->name, &arrays[index].is_copied));
    const bool is_in_host_memory = arrays[index].is_copied || device->engine->simulated;
    if (call->splitter_count != 0 && array->source == call->splitters && is_in_host_memory)
      TRY(payload_check_order(call, settings));
  }
  TRY(cdp_memory_do(device, &job));
cleanup:
  return status;
}

cdp_status payload_do(const payload_call *call) {
  cdp_arguments arguments;
  payload_arrays list;
  cdp_device device;
  cdp_payload_plan plan;
  cdp_status status;
  cdp_message_clear();
  TRY(payload_read(call, &arguments));
  if (is_empty(call))
    goto cleanup;
  TRY(payload_list(call, &arguments, &list));
  if (call->count < least_count(call))
    goto cleanup;
  TRY(cdp_device_choose(&arguments.wish, first_array(call), &device));
  TRY(make_plan(call, &arguments, &device, false, &plan));
  TRY(do_on(call, &device, &arguments.settings, &list, &plan));
  cdp_device_used(device.facts.name);
cleanup:
  return status;
}

/* ---- In stream order --------------------------------------------------------------------------------------------------- */

cdp_status payload_tell_workspace(const payload_call *call, size_t *workspace_bytes) {
  cdp_arguments arguments;
  cdp_device device;
  cdp_payload_plan plan = {.workspace_bytes = 0};
  cdp_status status;
  cdp_message_clear();
  TRY(payload_read(call, &arguments));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  if (call->count >= least_count(call)) {
    TRY(cdp_device_choose(&arguments.wish, NULL, &device));
    TRY(make_plan(call, &arguments, &device, false, &plan));
  }
  *workspace_bytes = (size_t)plan.workspace_bytes;
cleanup:
  return status;
}

/* That a device works on all arrays, in this stream, without a copy. */
static cdp_status check_usable(const payload_call *call, const cdp_device *device, const payload_arrays *list) {
  cdp_status status;
  TRY(cdp_device_check_stream(device, call->stream));
  for (size_t index = 0; index < list->count; index++)
    TRY(cdp_device_check_memory(device, payload_address(&list->arrays[index]), list->arrays[index].name,
                                ", or call the blocking form, which takes host memory too"));
  if (!call->allocates)
    TRY(cdp_device_check_memory(device, call->d_workspace, "d_workspace", ""));
cleanup:
  return status;
}

static cdp_status check_workspace(const payload_call *call, const payload_arrays *list, size_t needed) {
  cdp_status status;
  TRY(cdp_arguments_check_workspace_size(call->workspace_bytes, needed, call->ask));
  for (size_t index = 0; index < list->count; index++)
    if (cdp_arguments_overlap(payload_address(&list->arrays[index]), list->arrays[index].bytes, call->d_workspace, needed))
      return cdp_fail(CDP_ERROR_WORKSPACE, 0, "the workspace overlaps %s: give it memory of its own", list->arrays[index].name);
cleanup:
  return status;
}

static cdp_status launch_with_memory(const payload_call *call, const cdp_allocator *allocator, const cdp_device *device,
                                     cdp_payload_plan *plan) {
  const size_t bytes = (size_t)plan->workspace_bytes;
  cdp_fault fault = {0};
  cdp_status status;
  TRY(cdp_memory_take(device, allocator, bytes, call->stream, &plan->d_workspace));
  const cdp_status launched = device->engine->launch_payload(plan, call->stream, &fault);
  status = cdp_memory_give_back(device, allocator, bytes, call->stream, plan->d_workspace);
  if (launched != CDP_OK)
    return cdp_report(launched, &fault, call->launching);
cleanup:
  return status;
}

/* Steps 4 and 5, with the device current. */
static cdp_status plan_and_launch(const payload_call *call, const cdp_arguments *arguments, const payload_arrays *list,
                                  const cdp_device *device) {
  const cdp_engine *engine = device->engine;
  cdp_fault fault = {0};
  cdp_payload_plan plan;
  bool is_captured = false;
  cdp_status status;
  TRY(cdp_report(engine->is_captured(call->stream, &is_captured, &fault), &fault, "looking at the stream"));
  TRY(make_plan(call, arguments, device, is_captured, &plan));
  if (call->allocates)
    return launch_with_memory(call, &arguments->settings.allocator, device, &plan);
  TRY(check_workspace(call, list, (size_t)plan.workspace_bytes));
  plan.d_workspace = call->d_workspace;
  TRY(cdp_report(engine->launch_payload(&plan, call->stream, &fault), &fault, call->launching));
cleanup:
  return status;
}

static cdp_status launch_call(const payload_call *call) {
  cdp_arguments arguments;
  payload_arrays list;
  cdp_device device;
  cdp_previous previous;
  cdp_fault fault = {0};
  cdp_status status;
  cdp_message_clear();
  TRY(payload_read(call, &arguments));
  if (is_empty(call))
    goto cleanup;
  TRY(payload_list(call, &arguments, &list));
  if (call->count < least_count(call))
    goto cleanup;
  if (!call->allocates)
    TRY(cdp_arguments_check_workspace(call->d_workspace, call->ask));
  TRY(cdp_device_choose(&arguments.wish, first_array(call), &device));
  TRY(check_usable(call, &device, &list));
  TRY(cdp_report(device.engine->enter(device.ordinal, &previous, &fault), &fault, "making the device current"));
  status = plan_and_launch(call, &arguments, &list, &device);
  device.engine->leave(&previous);
  TRY(status);
  cdp_device_used(device.facts.name);
cleanup:
  return status;
}

cdp_status payload_launch(payload_call call, void *d_workspace, size_t workspace_bytes, void *stream) {
  call.stream = stream;
  call.d_workspace = d_workspace;
  call.workspace_bytes = workspace_bytes;
  return launch_call(&call);
}

cdp_status payload_launch_allocating(payload_call call, void *stream) {
  call.stream = stream;
  call.allocates = true;
  return launch_call(&call);
}
