/* SPDX-License-Identifier: MIT */
/*
 * See array_call.h. The steps are those of sort.c: pointers, the device, the plan, and the work.
 */
#include "array_call.h"

#include "status.h"

#include <stdio.h>

/* ---- Arrays ------------------------------------------------------------------------------------------------------------ */

void cdp_array_list_add(cdp_array_list *list, const char *name, const void *source, void *target, size_t bytes) {
  cdp_named_array *array = &list->arrays[list->count++];
  *array = (cdp_named_array){.source = source, .target = target, .bytes = bytes};
  (void)snprintf(array->name, sizeof array->name, "%s", name);
}

/* Where an array begins. */
static const void *address(const cdp_named_array *array) {
  return array->source != NULL ? array->source : array->target;
}

cdp_status cdp_array_list_check_overlap(const cdp_array_list *list) {
  for (size_t one = 0; one < list->count; one++)
    for (size_t other = one + 1; other < list->count; other++) {
      const cdp_named_array *a = &list->arrays[one];
      const cdp_named_array *b = &list->arrays[other];
      if ((a->target != NULL || b->target != NULL) && cdp_arguments_overlap(address(a), a->bytes, address(b), b->bytes))
        return cdp_fail(CDP_ERROR_POINTER, 0, "%s and %s overlap: give each array memory of its own", a->name, b->name);
    }
  return CDP_OK;
}

/* ---- Blocking ---------------------------------------------------------------------------------------------------------- */

static cdp_status work_there(const cdp_engine *engine, const cdp_array *arrays, void *d_workspace, void *stream, void *context,
                             cdp_fault *fault) {
  const cdp_array_call *call = context;
  call->work->place(call->context, arrays, d_workspace);
  return call->work->launch(call->context, engine, stream, fault);
}

static cdp_status inspect(void *context, const cdp_array *arrays) {
  const cdp_array_call *call = context;
  return call->work->inspect(call->context, arrays);
}

cdp_status cdp_array_call_do(const cdp_array_call *call) {
  cdp_array_call own = *call;
  cdp_array arrays[CDP_ARRAYS_MAX] = {{0}};
  cdp_memory_job job = {.arrays = arrays,
                        .array_count = call->list->count,
                        .allocator = call->arguments->settings.allocator,
                        .doing = call->work->doing,
                        .inspect = call->work->inspect != NULL ? inspect : NULL,
                        .work = work_there,
                        .context = &own};
  cdp_device device;
  cdp_status status;
  TRY(cdp_device_choose(&call->arguments->wish, address(&call->list->arrays[0]), &device));
  TRY(call->work->plan(call->context, &device, false, &job.workspace_bytes));
  for (size_t index = 0; index < call->list->count; index++) {
    const cdp_named_array *array = &call->list->arrays[index];
    bool is_copied = false;
    TRY(cdp_device_check_array(&device, address(array), array->name, &is_copied));
    arrays[index] = (cdp_array){.source = array->source,
                                .target = array->target,
                                .bytes = array->bytes,
                                .is_copied = is_copied,
                                .is_in_host_memory = is_copied || device.engine->simulated};
  }
  TRY(cdp_memory_do(&device, &job));
  cdp_call_succeeded(device.facts.name);
cleanup:
  return status;
}

/* ---- In stream order --------------------------------------------------------------------------------------------------- */

/* That a device works on all arrays, in this stream, without a copy. */
static cdp_status check_usable(const cdp_array_list *list, const cdp_stream_order *order, const cdp_device *device) {
  cdp_status status;
  TRY(cdp_device_check_stream(device, order->stream));
  for (size_t index = 0; index < list->count; index++)
    TRY(cdp_device_check_memory(device, address(&list->arrays[index]), list->arrays[index].name,
                                ", or call the blocking form, which takes host memory too"));
  if (!order->allocates)
    TRY(cdp_device_check_memory(device, order->d_workspace, "d_workspace", ""));
cleanup:
  return status;
}

static cdp_status check_workspace(const cdp_array_call *call, const cdp_stream_order *order, size_t needed) {
  cdp_status status;
  TRY(cdp_arguments_check_workspace_size(order->workspace_bytes, needed, call->ask));
  for (size_t index = 0; index < call->list->count; index++) {
    const cdp_named_array *array = &call->list->arrays[index];
    if (cdp_arguments_overlap(address(array), array->bytes, order->d_workspace, needed))
      return cdp_fail(CDP_ERROR_WORKSPACE, 0, "the workspace overlaps %s: give it memory of its own", array->name);
  }
cleanup:
  return status;
}

static cdp_status launch_there(const cdp_array_call *call, const cdp_engine *engine, void *d_workspace, void *stream,
                               cdp_fault *fault) {
  cdp_array arrays[CDP_ARRAYS_MAX] = {{0}};
  for (size_t index = 0; index < call->list->count; index++) {
    const cdp_named_array *array = &call->list->arrays[index];
    arrays[index] = (cdp_array){.d_source = array->source, .d_target = array->target};
  }
  call->work->place(call->context, arrays, d_workspace);
  return call->work->launch(call->context, engine, stream, fault);
}

/* In a workspace that is allocated, if one is needed, and given back whatever becomes of the launch. */
static cdp_status launch_with_memory(const cdp_array_call *call, const cdp_device *device, size_t bytes, void *stream) {
  const cdp_allocator *allocator = &call->arguments->settings.allocator;
  cdp_fault fault = {0};
  void *memory = NULL;
  cdp_status status;
  if (bytes == 0)
    return cdp_report(launch_there(call, device->engine, NULL, stream, &fault), &fault, call->work->launching);
  TRY(cdp_memory_take(device, allocator, bytes, stream, &memory));
  const cdp_status launched = launch_there(call, device->engine, memory, stream, &fault);
  status = cdp_memory_give_back(device, allocator, bytes, stream, memory);
  if (launched != CDP_OK)
    return cdp_report(launched, &fault, call->work->launching);
cleanup:
  return status;
}

/* The plan and the launch, with the device current. */
static cdp_status plan_and_launch(const cdp_array_call *call, const cdp_stream_order *order, const cdp_device *device) {
  const cdp_engine *engine = device->engine;
  size_t bytes = 0;
  cdp_fault fault = {0};
  bool is_captured = false;
  cdp_status status;
  TRY(cdp_report(engine->is_captured(order->stream, &is_captured, &fault), &fault, "looking at the stream"));
  TRY(call->work->plan(call->context, device, is_captured, &bytes));
  if (order->allocates)
    return launch_with_memory(call, device, bytes, order->stream);
  TRY(check_workspace(call, order, bytes));
  TRY(cdp_report(launch_there(call, engine, order->d_workspace, order->stream, &fault), &fault, call->work->launching));
cleanup:
  return status;
}

cdp_status cdp_array_call_launch(const cdp_array_call *call, const cdp_stream_order *order) {
  cdp_device device;
  cdp_previous previous;
  cdp_fault fault = {0};
  cdp_status status;
  if (!order->allocates)
    TRY(cdp_arguments_check_workspace(order->d_workspace, call->ask));
  TRY(cdp_device_choose(&call->arguments->wish, address(&call->list->arrays[0]), &device));
  TRY(check_usable(call->list, order, &device));
  TRY(cdp_report(device.engine->enter(device.ordinal, device.context, &previous, &fault), &fault, "making the device current"));
  status = plan_and_launch(call, order, &device);
  device.engine->leave(&previous);
  TRY(status);
  cdp_call_succeeded(device.facts.name);
cleanup:
  return status;
}

/* ---- The size of a workspace ------------------------------------------------------------------------------------------- */

cdp_status cdp_array_call_ask(const cdp_array_call *call, size_t *workspace_bytes) {
  cdp_device device;
  cdp_status status;
  TRY(cdp_device_choose(&call->arguments->wish, NULL, &device));
  TRY(call->work->plan(call->context, &device, false, workspace_bytes));
cleanup:
  return status;
}
