/* SPDX-License-Identifier: MIT */
/*
 * See arrays.h.
 */
#include "arrays.h"

#include "status.h"

#include <stdio.h>

/* Where an array begins. */
static const void *address_of(const cdp_named_array *array) {
  return array->source != NULL ? array->source : array->target;
}

void cdp_arrays_add(cdp_array_list *list, const char *name, const void *source, void *target, size_t bytes) {
  cdp_named_array *array = &list->arrays[list->count++];
  *array = (cdp_named_array){.source = source, .target = target, .bytes = bytes};
  (void)snprintf(array->name, sizeof array->name, "%s", name);
}

cdp_status cdp_arrays_check_overlaps(const cdp_array_list *list) {
  for (size_t one = 0; one < list->count; one++)
    for (size_t other = one + 1; other < list->count; other++) {
      const cdp_named_array *a = &list->arrays[one];
      const cdp_named_array *b = &list->arrays[other];
      const bool is_written = a->target != NULL || b->target != NULL;
      if (is_written && cdp_arguments_overlap(address_of(a), a->bytes, address_of(b), b->bytes))
        return cdp_fail(CDP_ERROR_POINTER, 0, "%s and %s overlap: give each array memory of its own", a->name, b->name);
    }
  return CDP_OK;
}

cdp_status cdp_arrays_do(const cdp_device *device, const cdp_array_list *list, const cdp_memory_job *job) {
  cdp_array arrays[CDP_ARRAYS_MAX] = {{0}};
  cdp_memory_job whole = *job;
  cdp_status status;
  whole.arrays = arrays;
  whole.array_count = list->count;
  for (size_t index = 0; index < list->count; index++) {
    const cdp_named_array *array = &list->arrays[index];
    arrays[index] = (cdp_array){.source = array->source, .target = array->target, .bytes = array->bytes};
    TRY(cdp_device_check_array(device, address_of(array), array->name, &arrays[index].is_copied));
  }
  TRY(cdp_memory_do(device, &whole));
cleanup:
  return status;
}

cdp_status cdp_arrays_check_usable(const cdp_stream_call *call, const cdp_device *device, const cdp_array_list *list) {
  cdp_status status;
  TRY(cdp_device_check_stream(device, call->stream));
  for (size_t index = 0; index < list->count; index++)
    TRY(cdp_device_check_memory(device, address_of(&list->arrays[index]), list->arrays[index].name,
                                ", or call the blocking form, which takes host memory too"));
  if (!call->allocates)
    TRY(cdp_device_check_memory(device, call->d_workspace, "d_workspace", ""));
cleanup:
  return status;
}

static cdp_status check_workspace(const cdp_stream_call *call, const cdp_array_list *list, size_t needed) {
  cdp_status status;
  TRY(cdp_arguments_check_workspace_size(call->workspace_bytes, needed, call->ask));
  for (size_t index = 0; index < list->count; index++)
    if (cdp_arguments_overlap(address_of(&list->arrays[index]), list->arrays[index].bytes, call->d_workspace, needed))
      return cdp_fail(CDP_ERROR_WORKSPACE, 0, "the workspace overlaps %s: give it memory of its own", list->arrays[index].name);
cleanup:
  return status;
}

static cdp_status launch_with_memory(const cdp_stream_call *call, const cdp_allocator *allocator, const cdp_device *device,
                                     size_t bytes, const char *doing, cdp_arrays_launch *launch, void *context) {
  cdp_fault fault = {0};
  void *d_workspace = NULL;
  cdp_status status;
  TRY(cdp_memory_take(device, allocator, bytes, call->stream, &d_workspace));
  const cdp_status launched = launch(device->engine, d_workspace, call->stream, context, &fault);
  status = cdp_memory_give_back(device, allocator, bytes, call->stream, d_workspace);
  if (launched != CDP_OK)
    return cdp_report(launched, &fault, doing);
cleanup:
  return status;
}

cdp_status cdp_arrays_launch_on_stream(const cdp_stream_call *call, const cdp_allocator *allocator, const cdp_device *device,
                                       const cdp_array_list *list, size_t needed, const char *doing, cdp_arrays_launch *launch,
                                       void *context) {
  cdp_fault fault = {0};
  cdp_status status;
  if (call->allocates)
    return launch_with_memory(call, allocator, device, needed, doing, launch, context);
  TRY(check_workspace(call, list, needed));
  TRY(cdp_report(launch(device->engine, call->d_workspace, call->stream, context, &fault), &fault, doing));
cleanup:
  return status;
}
