/* SPDX-License-Identifier: MIT */
/*
 * The calls of select.h, by the steps of sort.c: arguments, pointers, the device, the plan, and the selection.
 */
#include "select_arguments.h"
#include "status.h"

/* Step 4, if there is something to do. Its bytes fit a size_t. */
static cdp_status make_plan(const select_call *call, const cdp_arguments *arguments, const cdp_device *device, bool is_captured,
                            cdp_select_plan *plan) {
  const uint64_t most = PTRDIFF_MAX;
  const cdp_select_request request = select_request_of(call, &arguments->settings);
  if (cdp_engine_plan_select(&arguments->settings, &request, &device->facts, is_captured, plan) == CDP_OK &&
      plan->workspace_bytes <= most)
    return CDP_OK;
  return cdp_fail(CDP_ERROR_SIZE, 0,
                  "count is %zu: so many keys and their workspace cannot be addressed; give fewer keys at a time", call->count);
}

/* One key is in its place. */
static bool has_nothing_to_do(const select_call *call) {
  return call->kind == CDP_SELECT_NTH && call->count < 2;
}

/* ---- Blocking ---------------------------------------------------------------------------------------------------------- */

/* Tells a plan where the device reaches the arrays, which are in the order of select_list(). */
static void place(cdp_select_plan *plan, const cdp_array *arrays) {
  cdp_select_request *asked = &plan->asked;
  asked->d_keys = arrays->d_source;
  if (asked->kind == CDP_SELECT_NTH)
    asked->d_keys_in_place = arrays->d_target;
  arrays++;
  if (asked->kind == CDP_SELECT_QUANTILES)
    asked->d_found = (arrays++)->d_target;
  if (asked->d_top_keys != NULL)
    asked->d_top_keys = (arrays++)->d_target;
  if (asked->index_bytes != 0)
    asked->d_indices = (arrays++)->d_target;
  for (uint32_t column = 0; column < asked->column_count; column++) {
    asked->columns[column].top_values = (arrays++)->d_target;
    asked->columns[column].values = (arrays++)->d_source;
  }
}

static cdp_status select_there(const cdp_engine *engine, const cdp_array *arrays, void *d_workspace, void *context,
                               cdp_fault *fault) {
  cdp_select_plan *plan = context;
  place(plan, arrays);
  plan->d_workspace = d_workspace;
  return engine->select(plan, fault);
}

static cdp_status select_blocking(select_call *call) {
  cdp_arguments arguments;
  cdp_array_list list;
  cdp_device device;
  cdp_select_plan plan;
  cdp_status status;
  cdp_message_clear();
  TRY(select_read(call, &arguments));
  if (call->is_idle)
    goto cleanup;
  TRY(select_list(call, &arguments, &list));
  if (has_nothing_to_do(call))
    goto cleanup;
  TRY(cdp_device_choose(&arguments.wish, call->keys, &device));
  TRY(make_plan(call, &arguments, &device, false, &plan));
  const cdp_memory_job job = {.workspace_bytes = (size_t)plan.workspace_bytes,
                              .allocator = arguments.settings.allocator,
                              .doing = "selecting",
                              .work = select_there,
                              .context = &plan};
  TRY(cdp_arrays_do(&device, &list, &job));
  cdp_device_used(device.facts.name);
cleanup:
  return status;
}

/* ---- In stream order --------------------------------------------------------------------------------------------------- */

static cdp_status tell_workspace(select_call *call, size_t *workspace_bytes) {
  cdp_arguments arguments;
  cdp_device device;
  cdp_select_plan plan = {.workspace_bytes = 0};
  cdp_status status;
  cdp_message_clear();
  call->is_question = true;
  TRY(select_read(call, &arguments));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  if (!call->is_idle && !has_nothing_to_do(call)) {
    TRY(cdp_device_choose(&arguments.wish, NULL, &device));
    TRY(make_plan(call, &arguments, &device, false, &plan));
  }
  *workspace_bytes = (size_t)plan.workspace_bytes;
cleanup:
  return status;
}

static cdp_status launch_plan(const cdp_engine *engine, void *d_workspace, void *stream, void *context, cdp_fault *fault) {
  cdp_select_plan *plan = context;
  plan->d_workspace = d_workspace;
  return engine->launch_select(plan, stream, fault);
}

/* Steps 4 and 5, with the device current. */
static cdp_status plan_and_launch(const select_call *call, const cdp_arguments *arguments, const cdp_array_list *list,
                                  const cdp_device *device) {
  cdp_fault fault = {0};
  cdp_select_plan plan;
  bool is_captured = false;
  cdp_status status;
  TRY(cdp_report(device->engine->is_captured(call->on.stream, &is_captured, &fault), &fault, "looking at the stream"));
  TRY(make_plan(call, arguments, device, is_captured, &plan));
  TRY(cdp_arrays_launch_on_stream(&call->on, &arguments->settings.allocator, device, list, (size_t)plan.workspace_bytes,
                                  "launching the selection", launch_plan, &plan));
cleanup:
  return status;
}

static cdp_status select_in_stream_order(select_call *call) {
  cdp_arguments arguments;
  cdp_array_list list;
  cdp_device device;
  cdp_previous previous;
  cdp_fault fault = {0};
  cdp_status status;
  cdp_message_clear();
  TRY(select_read(call, &arguments));
  if (call->is_idle)
    goto cleanup;
  TRY(select_list(call, &arguments, &list));
  if (has_nothing_to_do(call))
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

static cdp_status launch_in(select_call call, void *d_workspace, size_t workspace_bytes, void *stream) {
  call.on.stream = stream;
  call.on.d_workspace = d_workspace;
  call.on.workspace_bytes = workspace_bytes;
  return select_in_stream_order(&call);
}

static cdp_status launch_allocating(select_call call, void *stream) {
  call.on.stream = stream;
  call.on.allocates = true;
  return select_in_stream_order(&call);
}

/* ---- The key at a rank ------------------------------------------------------------------------------------------------- */

static select_call nth_call(void *keys, size_t count, cdp_type type, const cdp_options *options, size_t rank) {
  return (select_call){.on.ask = "cdp_nth_element_workspace()",
                       .kind = CDP_SELECT_NTH,
                       .keys = keys,
                       .keys_in_place = keys,
                       .count = count,
                       .type = type,
                       .options = options,
                       .wanted_name = "rank",
                       .wanted = rank,
                       .wants_rank = true};
}

cdp_status cdp_nth_element(void *keys, size_t count, cdp_type type, const cdp_options *options, size_t rank) {
  select_call call = nth_call(keys, count, type, options, rank);
  return select_blocking(&call);
}

cdp_status cdp_nth_element_workspace(size_t count, cdp_type type, const cdp_options *options, size_t rank,
                                     size_t *workspace_bytes) {
  select_call call = nth_call(NULL, count, type, options, rank);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_nth_element_async(void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t rank,
                                 void *d_workspace, size_t workspace_bytes, void *stream) {
  return launch_in(nth_call(d_keys, count, type, options, rank), d_workspace, workspace_bytes, stream);
}

cdp_status cdp_nth_element_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t rank,
                                     void *stream) {
  return launch_allocating(nth_call(d_keys, count, type, options, rank), stream);
}

/* ---- The first keys, in their place ------------------------------------------------------------------------------------ */

static select_call partial_call(void *keys, size_t count, cdp_type type, const cdp_options *options, size_t sorted_items) {
  return (select_call){.on.ask = "cdp_partial_sort_workspace()",
                       .kind = CDP_SELECT_NTH,
                       .keys = keys,
                       .keys_in_place = keys,
                       .count = count,
                       .type = type,
                       .options = options,
                       .wanted_name = "sorted_items",
                       .wanted = sorted_items,
                       .is_sorted = true};
}

cdp_status cdp_partial_sort(void *keys, size_t count, cdp_type type, const cdp_options *options, size_t sorted_items) {
  select_call call = partial_call(keys, count, type, options, sorted_items);
  return select_blocking(&call);
}

cdp_status cdp_partial_sort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t sorted_items,
                                      size_t *workspace_bytes) {
  select_call call = partial_call(NULL, count, type, options, sorted_items);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_partial_sort_async(void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t sorted_items,
                                  void *d_workspace, size_t workspace_bytes, void *stream) {
  return launch_in(partial_call(d_keys, count, type, options, sorted_items), d_workspace, workspace_bytes, stream);
}

cdp_status cdp_partial_sort_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                      size_t sorted_items, void *stream) {
  return launch_allocating(partial_call(d_keys, count, type, options, sorted_items), stream);
}

/* ---- The first keys, elsewhere ----------------------------------------------------------------------------------------- */

static select_call top_call(const void *keys, size_t count, cdp_type type, const cdp_options *options, size_t k, void *top_keys,
                            const cdp_top *top) {
  return (select_call){.on.ask = "cdp_top_k_workspace()",
                       .kind = CDP_SELECT_TOP,
                       .keys = keys,
                       .count = count,
                       .type = type,
                       .options = options,
                       .wanted_name = "k",
                       .wanted = k,
                       .top_keys = top_keys,
                       .given = top};
}

cdp_status cdp_top_k(const void *keys, size_t count, cdp_type type, const cdp_options *options, size_t k, void *top_keys,
                     const cdp_top *top) {
  select_call call = top_call(keys, count, type, options, k, top_keys, top);
  return select_blocking(&call);
}

cdp_status cdp_top_k_workspace(size_t count, cdp_type type, const cdp_options *options, size_t k, const cdp_top *top,
                               size_t *workspace_bytes) {
  select_call call = top_call(NULL, count, type, options, k, NULL, top);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_top_k_async(const void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t k,
                           void *d_top_keys, const cdp_top *top, void *d_workspace, size_t workspace_bytes, void *stream) {
  return launch_in(top_call(d_keys, count, type, options, k, d_top_keys, top), d_workspace, workspace_bytes, stream);
}

cdp_status cdp_top_k_on_stream(const void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t k,
                               void *d_top_keys, const cdp_top *top, void *stream) {
  return launch_allocating(top_call(d_keys, count, type, options, k, d_top_keys, top), stream);
}

/* ---- Keys at several ranks --------------------------------------------------------------------------------------------- */

static select_call quantiles_call(const void *keys, size_t count, cdp_type type, const cdp_options *options,
                                  const uint64_t *ranks, size_t rank_count, void *found) {
  return (select_call){.on.ask = "cdp_quantiles_workspace()",
                       .kind = CDP_SELECT_QUANTILES,
                       .keys = keys,
                       .count = count,
                       .type = type,
                       .options = options,
                       .ranks = ranks,
                       .rank_count = rank_count,
                       .found = found};
}

cdp_status cdp_quantiles(const void *keys, size_t count, cdp_type type, const cdp_options *options, const uint64_t *ranks,
                         size_t rank_count, void *found) {
  select_call call = quantiles_call(keys, count, type, options, ranks, rank_count, found);
  return select_blocking(&call);
}

cdp_status cdp_quantiles_workspace(size_t count, cdp_type type, const cdp_options *options, size_t rank_count,
                                   size_t *workspace_bytes) {
  select_call call = quantiles_call(NULL, count, type, options, NULL, rank_count, NULL);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_quantiles_async(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                               const uint64_t *ranks, size_t rank_count, void *d_found, void *d_workspace,
                               size_t workspace_bytes, void *stream) {
  return launch_in(quantiles_call(d_keys, count, type, options, ranks, rank_count, d_found), d_workspace, workspace_bytes,
                   stream);
}

cdp_status cdp_quantiles_on_stream(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                   const uint64_t *ranks, size_t rank_count, void *d_found, void *stream) {
  return launch_allocating(quantiles_call(d_keys, count, type, options, ranks, rank_count, d_found), stream);
}
