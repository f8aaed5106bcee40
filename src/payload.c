/* SPDX-License-Identifier: MIT */
/*
 * The calls of pairs.h, by the steps of sort.c: arguments, pointers, the device, the plan, and the sort. One key is sorted as
 * well, where its index is to be written.
 */
#include "arrays.h"
#include "payload_arguments.h"
#include "status.h"

/* The least count for which there is something to do. */
static size_t least_count(const payload_call *call) {
  return call->has_indices ? 1 : 2;
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
  asked->d_keys = arrays->d_source;
  if (in_place)
    asked->d_sorted_keys = arrays->d_target;
  arrays++;
  if (is_apart)
    asked->d_sorted_keys = (arrays++)->d_target;
  if (asked->index_bytes != 0)
    asked->d_indices = (arrays++)->d_target;
  for (uint32_t column = 0; column < asked->column_count; column++)
    asked->columns[column].values = (arrays++)->d_target;
}

static cdp_status sort_there(const cdp_engine *engine, const cdp_array *arrays, void *d_workspace, void *context,
                             cdp_fault *fault) {
  cdp_payload_plan *plan = context;
  place(plan, arrays);
  plan->d_workspace = d_workspace;
  return engine->sort_payload(plan, fault);
}

static cdp_status sort_on(const cdp_device *device, const cdp_allocator *allocator, const cdp_array_list *list,
                          cdp_payload_plan *plan) {
  const cdp_memory_job job = {.workspace_bytes = (size_t)plan->workspace_bytes,
                              .allocator = *allocator,
                              .doing = "sorting",
                              .work = sort_there,
                              .context = plan};
  return cdp_arrays_do(device, list, &job);
}

static cdp_status sort_blocking(const payload_call *call) {
  cdp_arguments arguments;
  cdp_array_list list;
  cdp_device device;
  cdp_payload_plan plan;
  cdp_status status;
  cdp_message_clear();
  TRY(payload_read(call, &arguments));
  if (call->count == 0)
    goto cleanup;
  TRY(payload_list(call, &arguments, &list));
  if (call->count < least_count(call))
    goto cleanup;
  TRY(cdp_device_choose(&arguments.wish, call->keys, &device));
  TRY(make_plan(call, &arguments, &device, false, &plan));
  TRY(sort_on(&device, &arguments.settings.allocator, &list, &plan));
  cdp_device_used(device.facts.name);
cleanup:
  return status;
}

/* ---- In stream order --------------------------------------------------------------------------------------------------- */

static cdp_status tell_workspace(const payload_call *call, size_t *workspace_bytes) {
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

static cdp_status launch_plan(const cdp_engine *engine, void *d_workspace, void *stream, void *context, cdp_fault *fault) {
  cdp_payload_plan *plan = context;
  plan->d_workspace = d_workspace;
  return engine->launch_payload(plan, stream, fault);
}

/* Steps 4 and 5, with the device current. */
static cdp_status plan_and_launch(const payload_call *call, const cdp_arguments *arguments, const cdp_array_list *list,
                                  const cdp_device *device) {
  const cdp_engine *engine = device->engine;
  cdp_fault fault = {0};
  cdp_payload_plan plan;
  bool is_captured = false;
  cdp_status status;
  TRY(cdp_report(engine->is_captured(call->on.stream, &is_captured, &fault), &fault, "looking at the stream"));
  TRY(make_plan(call, arguments, device, is_captured, &plan));
  TRY(cdp_arrays_launch_on_stream(&call->on, &arguments->settings.allocator, device, list, (size_t)plan.workspace_bytes,
                                  "launching the sort", launch_plan, &plan));
cleanup:
  return status;
}

static cdp_status sort_in_stream_order(const payload_call *call) {
  cdp_arguments arguments;
  cdp_array_list list;
  cdp_device device;
  cdp_previous previous;
  cdp_fault fault = {0};
  cdp_status status;
  cdp_message_clear();
  TRY(payload_read(call, &arguments));
  if (call->count == 0)
    goto cleanup;
  TRY(payload_list(call, &arguments, &list));
  if (call->count < least_count(call))
    goto cleanup;
  if (!call->on.allocates)
    TRY(cdp_arguments_check_workspace(call->on.d_workspace, call->on.ask));
  TRY(cdp_device_choose(&arguments.wish, call->keys, &device));
  TRY(cdp_arrays_check_usable(&call->on, &device, &list));
  TRY(cdp_report(device.engine->enter(device.ordinal, &previous, &fault), &fault, "making the device current"));
  status = plan_and_launch(call, &arguments, &list, &device);
  device.engine->leave(&previous);
  TRY(status);
  cdp_device_used(device.facts.name);
cleanup:
  return status;
}

/* ---- Pairs and columns ------------------------------------------------------------------------------------------------- */

static cdp_status launch_in(payload_call call, void *d_workspace, size_t workspace_bytes, void *stream) {
  call.on.stream = stream;
  call.on.d_workspace = d_workspace;
  call.on.workspace_bytes = workspace_bytes;
  return sort_in_stream_order(&call);
}

static cdp_status launch_allocating(payload_call call, void *stream) {
  call.on.stream = stream;
  call.on.allocates = true;
  return sort_in_stream_order(&call);
}

static payload_call columns_call(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                 const cdp_options *options) {
  return (payload_call){.on.ask = "cdp_quicksort_columns_workspace()",
                        .keys = keys,
                        .sorted_keys = keys,
                        .columns = columns,
                        .column_count = column_count,
                        .count = count,
                        .type = type,
                        .options = options};
}

static payload_call pairs_call(void *keys, const cdp_column *column, size_t count, cdp_type type, const cdp_options *options) {
  payload_call call = columns_call(keys, column, 1, count, type, options);
  call.on.ask = "cdp_quicksort_pairs_workspace()";
  call.is_pairs = true;
  return call;
}

cdp_status cdp_quicksort_pairs(void *keys, void *values, size_t value_bytes, size_t count, cdp_type type,
                               const cdp_options *options) {
  const cdp_column column = {values, value_bytes};
  const payload_call call = pairs_call(keys, &column, count, type, options);
  return sort_blocking(&call);
}

cdp_status cdp_quicksort_pairs_workspace(size_t value_bytes, size_t count, cdp_type type, const cdp_options *options,
                                         size_t *workspace_bytes) {
  const cdp_column column = {NULL, value_bytes};
  const payload_call call = pairs_call(NULL, &column, count, type, options);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_quicksort_pairs_async(void *d_keys, void *d_values, size_t value_bytes, size_t count, cdp_type type,
                                     const cdp_options *options, void *d_workspace, size_t workspace_bytes, void *stream) {
  const cdp_column column = {d_values, value_bytes};
  return launch_in(pairs_call(d_keys, &column, count, type, options), d_workspace, workspace_bytes, stream);
}

cdp_status cdp_quicksort_pairs_on_stream(void *d_keys, void *d_values, size_t value_bytes, size_t count, cdp_type type,
                                         const cdp_options *options, void *stream) {
  const cdp_column column = {d_values, value_bytes};
  return launch_allocating(pairs_call(d_keys, &column, count, type, options), stream);
}

cdp_status cdp_quicksort_columns(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                 const cdp_options *options) {
  const payload_call call = columns_call(keys, columns, column_count, count, type, options);
  return sort_blocking(&call);
}

cdp_status cdp_quicksort_columns_workspace(const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                           const cdp_options *options, size_t *workspace_bytes) {
  const payload_call call = columns_call(NULL, columns, column_count, count, type, options);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_quicksort_columns_async(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                       cdp_type type, const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                                       void *stream) {
  return launch_in(columns_call(d_keys, columns, column_count, count, type, options), d_workspace, workspace_bytes, stream);
}

cdp_status cdp_quicksort_columns_on_stream(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                           cdp_type type, const cdp_options *options, void *stream) {
  return launch_allocating(columns_call(d_keys, columns, column_count, count, type, options), stream);
}

/* ---- Argsort ----------------------------------------------------------------------------------------------------------- */

static payload_call argsort_call(const void *keys, void *sorted_keys, void *indices, size_t index_bytes, size_t count,
                                 cdp_type type, const cdp_options *options) {
  return (payload_call){.on.ask = "cdp_argsort_workspace()",
                        .keys = keys,
                        .sorted_keys = sorted_keys,
                        .indices = indices,
                        .index_bytes = index_bytes,
                        .has_indices = true,
                        .count = count,
                        .type = type,
                        .options = options};
}

cdp_status cdp_argsort(const void *keys, void *sorted_keys, void *indices, size_t index_bytes, size_t count, cdp_type type,
                       const cdp_options *options) {
  const payload_call call = argsort_call(keys, sorted_keys, indices, index_bytes, count, type, options);
  return sort_blocking(&call);
}

cdp_status cdp_argsort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes) {
  const payload_call call = argsort_call(NULL, NULL, NULL, sizeof(uint32_t), count, type, options);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_argsort_async(const void *d_keys, void *d_sorted_keys, void *d_indices, size_t index_bytes, size_t count,
                             cdp_type type, const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                             void *stream) {
  return launch_in(argsort_call(d_keys, d_sorted_keys, d_indices, index_bytes, count, type, options), d_workspace,
                   workspace_bytes, stream);
}

cdp_status cdp_argsort_on_stream(const void *d_keys, void *d_sorted_keys, void *d_indices, size_t index_bytes, size_t count,
                                 cdp_type type, const cdp_options *options, void *stream) {
  return launch_allocating(argsort_call(d_keys, d_sorted_keys, d_indices, index_bytes, count, type, options), stream);
}
