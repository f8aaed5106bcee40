/* SPDX-License-Identifier: MIT */
/*
 * cdp_partition(): the steps of a blocking sort (sort.c), with the plan of a partition, which is but a size.
 */
#include "arguments.h"
#include "memory.h"
#include "status.h"

#include <cdpsort/partition.h>

#include <string.h>

/* The kind that is meant by the one that was given. */
static cdp_status read_kind(cdp_partition_kind given, cdp_partition_kind *kind) {
  const int32_t value = (int32_t)given;
  if (value < CDP_PARTITION_DEFAULT || value > CDP_PARTITION_SCAN)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "kind is %d: choose 0 for the default, CDP_PARTITION_RESERVE (%d) or CDP_PARTITION_SCAN (%d)", value,
                    (int)CDP_PARTITION_RESERVE, (int)CDP_PARTITION_SCAN);
  *kind = given == CDP_PARTITION_DEFAULT ? CDP_PARTITION_RESERVE : given;
  return CDP_OK;
}

typedef struct partition_context {
  cdp_partition_request request;
  cdp_parts *parts;
} partition_context;

static cdp_status partition_there(const cdp_engine *engine, const cdp_array *arrays, void *d_workspace, void *stream,
                                  void *context, cdp_fault *fault) {
  partition_context *partition = context;
  partition->request.d_keys = arrays[0].d_target;
  partition->request.d_workspace = d_workspace;
  return engine->partition(&partition->request, stream, partition->parts, fault);
}

/* Partitions at least 1 key on the device. The request has what the arguments say. */
static cdp_status partition_on(const cdp_device *device, const cdp_partition_request *request, const cdp_allocator *allocator,
                               void *keys, cdp_parts *parts) {
  cdp_parts found = {0};
  partition_context partition = {.request = *request, .parts = &found};
  cdp_array array;
  cdp_memory_job job = {.arrays = &array,
                        .array_count = 1,
                        .allocator = *allocator,
                        .doing = "partitioning",
                        .work = partition_there,
                        .context = &partition};
  cdp_room room;
  cdp_status status;
  partition.request.simulated = device->engine->simulated;
  partition.request.multiprocessors = device->facts.multiprocessors;
  const uint64_t workspace_bytes = cdp_engine_partition_workspace_bytes(&partition.request);
  TRY(cdp_room_reckon(request->count, request->type, workspace_bytes, &room));
  array = cdp_memory_keys(device, keys, room.keys_bytes);
  job.workspace_bytes = room.workspace_bytes;
  TRY(cdp_memory_do(device, &job));
  *parts = found;
  cdp_call_succeeded(device->facts.name);
cleanup:
  return status;
}

cdp_status cdp_partition(void *keys, size_t count, cdp_type type, const cdp_options *options, const void *pivot,
                         cdp_partition_kind kind, cdp_parts *parts) {
  cdp_arguments arguments;
  cdp_device device;
  cdp_partition_request request = {.count = count, .type = type};
  cdp_status status;
  cdp_message_clear();
  if (parts == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "parts is NULL: give a pointer to the cdp_parts that receives where the parts lie");
  *parts = (cdp_parts){0};
  TRY(cdp_arguments_read(count, type, options, &arguments));
  TRY(cdp_arguments_check_recursion(type, "cdp_partition()"));
  TRY(read_kind(kind, &request.kind));
  if (pivot == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "pivot is NULL: give a pointer to a key of the type, in host memory");
  if (count == 0)
    goto cleanup;
  TRY(cdp_arguments_check_keys("keys", keys, arguments.key_bytes));
  request.order = arguments.settings.order;
  request.seed = arguments.settings.seed;
  memcpy(&request.pivot, pivot, arguments.key_bytes);
  TRY(cdp_device_choose(&arguments.wish, keys, &device));
  TRY(partition_on(&device, &request, &arguments.settings.allocator, keys, parts));
cleanup:
  return status;
}
