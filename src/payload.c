/* SPDX-License-Identifier: MIT */
/*
 * The calls of pairs.h, and their like of copy.h, by the steps of array_call.h. One key is sorted as well, where its index or a copy
 * of it is to be written.
 */
#include "payload_arguments.h"
#include "status.h"

/* The least count for which there is something to do. */
static size_t least_count(const payload_call *call) {
  return call->has_indices || call->is_apart ? 1 : 2;
}

/* A call that has been read, and its plan. */
typedef struct payload_job {
  const payload_call *call;
  const cdp_arguments *arguments;
  cdp_payload_plan plan;
} payload_job;

/* ---- What is done ------------------------------------------------------------------------------------------------------ */

/* Its bytes fit a size_t. */
static cdp_status make_plan(void *context, const cdp_device *device, bool is_captured, size_t *workspace_bytes) {
  payload_job *job = context;
  const uint64_t most = PTRDIFF_MAX;
  const cdp_settings *settings = &job->arguments->settings;
  const cdp_payload_request request = cdp_payload_request_of(job->call, settings);
  if (cdp_engine_plan_payload(settings, &request, &device->facts, is_captured, &job->plan) != CDP_OK ||
      job->plan.workspace_bytes > most)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: so many keys and their workspace cannot be addressed; give fewer keys at a time",
                    job->call->count);
  *workspace_bytes = (size_t)job->plan.workspace_bytes;
  return CDP_OK;
}

/* Arrays are in the order of cdp_payload_list(). */
static void place(void *context, const cdp_array *arrays, void *d_workspace) {
  cdp_payload_plan *plan = &((payload_job *)context)->plan;
  cdp_payload_request *asked = &plan->asked;
  const bool in_place = asked->d_sorted_keys == asked->d_keys;
  const bool are_keys_apart = asked->d_sorted_keys != NULL && !in_place;
  plan->d_workspace = d_workspace;
  asked->d_keys = arrays->d_source;
  if (in_place)
    asked->d_sorted_keys = arrays->d_target;
  arrays++;
  if (are_keys_apart)
    asked->d_sorted_keys = (arrays++)->d_target;
  if (asked->index_bytes != 0)
    asked->d_indices = (arrays++)->d_target;
  (void)cdp_payload_place_columns(asked->columns, asked->column_count, asked->is_apart, arrays);
}

static cdp_status launch(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault) {
  return engine->launch_payload(&((payload_job *)context)->plan, stream, fault);
}

static const cdp_array_work sorting = {"sorting", "launching the sort", make_plan, place, launch, NULL};

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

/* In stream order, or blocking if `order` is NULL. */
static cdp_status sort(const payload_call *call, const cdp_stream_order *order) {
  cdp_arguments arguments;
  cdp_array_list list;
  payload_job job = {.call = call, .arguments = &arguments};
  const cdp_array_call whole = {&arguments, &list, &sorting, &job, call->ask};
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_payload_read(call, &arguments));
  if (call->count == 0)
    goto cleanup;
  TRY(cdp_payload_list(call, &arguments, &list));
  if (call->count < least_count(call))
    goto cleanup;
  TRY(order != NULL ? cdp_array_call_launch(&whole, order) : cdp_array_call_do(&whole));
cleanup:
  return status;
}

static cdp_status tell_workspace(const payload_call *call, size_t *workspace_bytes) {
  cdp_arguments arguments;
  payload_job job = {.call = call, .arguments = &arguments};
  const cdp_array_call whole = {&arguments, NULL, &sorting, &job, call->ask};
  size_t bytes = 0;
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_payload_read(call, &arguments));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  if (call->count >= least_count(call))
    TRY(cdp_array_call_ask(&whole, &bytes));
  *workspace_bytes = bytes;
cleanup:
  return status;
}

/* ---- Pairs and columns ------------------------------------------------------------------------------------------------- */

static payload_call columns_call(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                 const cdp_options *options) {
  return cdp_payload_columns_call("cdp_quicksort_columns_workspace()", keys, columns, column_count, count, type, options);
}

static payload_call pairs_call(void *keys, const cdp_column *column, size_t count, cdp_type type, const cdp_options *options) {
  payload_call call = columns_call(keys, column, 1, count, type, options);
  call.ask = "cdp_quicksort_pairs_workspace()";
  call.is_pairs = true;
  return call;
}

cdp_status cdp_quicksort_pairs(void *keys, void *values, size_t value_bytes, size_t count, cdp_type type,
                               const cdp_options *options) {
  const cdp_column column = {values, value_bytes};
  const payload_call call = pairs_call(keys, &column, count, type, options);
  return sort(&call, NULL);
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
  const payload_call call = pairs_call(d_keys, &column, count, type, options);
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(&call, &order);
}

cdp_status cdp_quicksort_pairs_on_stream(void *d_keys, void *d_values, size_t value_bytes, size_t count, cdp_type type,
                                         const cdp_options *options, void *stream) {
  const cdp_column column = {d_values, value_bytes};
  const payload_call call = pairs_call(d_keys, &column, count, type, options);
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(&call, &order);
}

cdp_status cdp_quicksort_columns(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                 const cdp_options *options) {
  const payload_call call = columns_call(keys, columns, column_count, count, type, options);
  return sort(&call, NULL);
}

cdp_status cdp_quicksort_columns_workspace(const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                           const cdp_options *options, size_t *workspace_bytes) {
  const payload_call call = columns_call(NULL, columns, column_count, count, type, options);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_quicksort_columns_async(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                       cdp_type type, const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                                       void *stream) {
  const payload_call call = columns_call(d_keys, columns, column_count, count, type, options);
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(&call, &order);
}

cdp_status cdp_quicksort_columns_on_stream(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                           cdp_type type, const cdp_options *options, void *stream) {
  const payload_call call = columns_call(d_keys, columns, column_count, count, type, options);
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(&call, &order);
}

/* ---- Argsort ----------------------------------------------------------------------------------------------------------- */

static payload_call argsort_call(const void *keys, void *sorted_keys, void *indices, size_t index_bytes, size_t count,
                                 cdp_type type, const cdp_options *options) {
  return (payload_call){.ask = "cdp_argsort_workspace()",
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
  return sort(&call, NULL);
}

cdp_status cdp_argsort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes) {
  const payload_call call = argsort_call(NULL, NULL, NULL, sizeof(uint32_t), count, type, options);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_argsort_async(const void *d_keys, void *d_sorted_keys, void *d_indices, size_t index_bytes, size_t count,
                             cdp_type type, const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                             void *stream) {
  const payload_call call = argsort_call(d_keys, d_sorted_keys, d_indices, index_bytes, count, type, options);
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(&call, &order);
}

cdp_status cdp_argsort_on_stream(const void *d_keys, void *d_sorted_keys, void *d_indices, size_t index_bytes, size_t count,
                                 cdp_type type, const cdp_options *options, void *stream) {
  const payload_call call = argsort_call(d_keys, d_sorted_keys, d_indices, index_bytes, count, type, options);
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(&call, &order);
}

/* ---- Copies (copy.h) --------------------------------------------------------------------------------------------------- */

static payload_call columns_copy_call(const void *keys, void *sorted_keys, const cdp_column_copy *columns, size_t column_count,
                                      size_t count, cdp_type type, const cdp_options *options) {
  return cdp_payload_columns_copy_call("cdp_quicksort_columns_copy_workspace()", keys, sorted_keys, columns, column_count,
                                       count, type, options);
}

static payload_call pairs_copy_call(const void *keys, void *sorted_keys, const cdp_column_copy *column, size_t count,
                                    cdp_type type, const cdp_options *options) {
  payload_call call = columns_copy_call(keys, sorted_keys, column, 1, count, type, options);
  call.ask = "cdp_quicksort_pairs_copy_workspace()";
  call.is_pairs = true;
  return call;
}

cdp_status cdp_quicksort_pairs_copy(const void *keys, void *sorted_keys, const void *values, void *sorted_values,
                                    size_t value_bytes, size_t count, cdp_type type, const cdp_options *options) {
  const cdp_column_copy column = {values, sorted_values, value_bytes};
  const payload_call call = pairs_copy_call(keys, sorted_keys, &column, count, type, options);
  return sort(&call, NULL);
}

cdp_status cdp_quicksort_pairs_copy_workspace(size_t value_bytes, size_t count, cdp_type type, const cdp_options *options,
                                              size_t *workspace_bytes) {
  const cdp_column_copy column = {NULL, NULL, value_bytes};
  const payload_call call = pairs_copy_call(NULL, NULL, &column, count, type, options);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_quicksort_pairs_copy_async(const void *d_keys, void *d_sorted_keys, const void *d_values, void *d_sorted_values,
                                          size_t value_bytes, size_t count, cdp_type type, const cdp_options *options,
                                          void *d_workspace, size_t workspace_bytes, void *stream) {
  const cdp_column_copy column = {d_values, d_sorted_values, value_bytes};
  const payload_call call = pairs_copy_call(d_keys, d_sorted_keys, &column, count, type, options);
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(&call, &order);
}

cdp_status cdp_quicksort_pairs_copy_on_stream(const void *d_keys, void *d_sorted_keys, const void *d_values,
                                              void *d_sorted_values, size_t value_bytes, size_t count, cdp_type type,
                                              const cdp_options *options, void *stream) {
  const cdp_column_copy column = {d_values, d_sorted_values, value_bytes};
  const payload_call call = pairs_copy_call(d_keys, d_sorted_keys, &column, count, type, options);
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(&call, &order);
}

cdp_status cdp_quicksort_columns_copy(const void *keys, void *sorted_keys, const cdp_column_copy *columns, size_t column_count,
                                      size_t count, cdp_type type, const cdp_options *options) {
  const payload_call call = columns_copy_call(keys, sorted_keys, columns, column_count, count, type, options);
  return sort(&call, NULL);
}

cdp_status cdp_quicksort_columns_copy_workspace(const cdp_column_copy *columns, size_t column_count, size_t count,
                                                cdp_type type, const cdp_options *options, size_t *workspace_bytes) {
  const payload_call call = columns_copy_call(NULL, NULL, columns, column_count, count, type, options);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_quicksort_columns_copy_async(const void *d_keys, void *d_sorted_keys, const cdp_column_copy *columns,
                                            size_t column_count, size_t count, cdp_type type, const cdp_options *options,
                                            void *d_workspace, size_t workspace_bytes, void *stream) {
  const payload_call call = columns_copy_call(d_keys, d_sorted_keys, columns, column_count, count, type, options);
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(&call, &order);
}

cdp_status cdp_quicksort_columns_copy_on_stream(const void *d_keys, void *d_sorted_keys, const cdp_column_copy *columns,
                                                size_t column_count, size_t count, cdp_type type, const cdp_options *options,
                                                void *stream) {
  const payload_call call = columns_copy_call(d_keys, d_sorted_keys, columns, column_count, count, type, options);
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(&call, &order);
}
