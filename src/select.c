/* SPDX-License-Identifier: MIT */
/*
 * The calls of select.h, by the steps of array_call.h.
 */
#include "select_arguments.h"
#include "status.h"

/* A call that has been read, and its plan. */
typedef struct select_job {
  select_call call;
  cdp_arguments arguments;
  cdp_select_plan plan;
} select_job;

/* One key is in its place. */
static bool has_nothing_to_do(const select_call *call) {
  return call->kind == CDP_SELECT_NTH && call->count < 2;
}

/* ---- What is done ------------------------------------------------------------------------------------------------------ */

/* Its bytes fit a size_t. */
static cdp_status make_plan(void *context, const cdp_device *device, bool is_captured, size_t *workspace_bytes) {
  select_job *job = context;
  const uint64_t most = PTRDIFF_MAX;
  const cdp_settings *settings = &job->arguments.settings;
  const cdp_select_request request = cdp_select_request_of(&job->call, settings);
  if (cdp_engine_plan_select(settings, &request, &device->facts, is_captured, &job->plan) != CDP_OK ||
      job->plan.workspace_bytes > most)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: so many keys and their workspace cannot be addressed; give fewer keys at a time",
                    job->call.count);
  *workspace_bytes = (size_t)job->plan.workspace_bytes;
  return CDP_OK;
}

/* Arrays are in the order of cdp_select_list(). */
static void place(void *context, const cdp_array *arrays, void *d_workspace) {
  cdp_select_plan *plan = &((select_job *)context)->plan;
  cdp_select_request *asked = &plan->asked;
  plan->d_workspace = d_workspace;
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

static cdp_status launch(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault) {
  return engine->launch_select(&((select_job *)context)->plan, stream, fault);
}

static const cdp_array_work selecting = {"selecting", "launching the selection", make_plan, place, launch, NULL};

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

/* In stream order, or blocking if `order` is NULL. */
static cdp_status find(select_call call, const cdp_stream_order *order) {
  cdp_array_list list;
  select_job job = {.call = call};
  const cdp_array_call whole = {&job.arguments, &list, &selecting, &job, call.ask};
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_select_read(&job.call, &job.arguments));
  if (job.call.is_idle)
    goto cleanup;
  TRY(cdp_select_list(&job.call, &job.arguments, &list));
  if (has_nothing_to_do(&job.call))
    goto cleanup;
  TRY(order != NULL ? cdp_array_call_launch(&whole, order) : cdp_array_call_do(&whole));
cleanup:
  return status;
}

static cdp_status tell_workspace(select_call call, size_t *workspace_bytes) {
  select_job job = {.call = call};
  const cdp_array_call whole = {&job.arguments, NULL, &selecting, &job, call.ask};
  size_t bytes = 0;
  cdp_status status;
  cdp_message_clear();
  job.call.is_question = true;
  TRY(cdp_select_read(&job.call, &job.arguments));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  if (!job.call.is_idle && !has_nothing_to_do(&job.call))
    TRY(cdp_array_call_ask(&whole, &bytes));
  *workspace_bytes = bytes;
cleanup:
  return status;
}

static cdp_status find_in(select_call call, void *d_workspace, size_t workspace_bytes, void *stream) {
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return find(call, &order);
}

static cdp_status find_allocating(select_call call, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return find(call, &order);
}

/* ---- The key at a rank ------------------------------------------------------------------------------------------------- */

static select_call nth_call(void *keys, size_t count, cdp_type type, const cdp_options *options, size_t rank) {
  return (select_call){.ask = "cdp_nth_element_workspace()",
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
  return find(nth_call(keys, count, type, options, rank), NULL);
}

cdp_status cdp_nth_element_workspace(size_t count, cdp_type type, const cdp_options *options, size_t rank,
                                     size_t *workspace_bytes) {
  return tell_workspace(nth_call(NULL, count, type, options, rank), workspace_bytes);
}

cdp_status cdp_nth_element_async(void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t rank,
                                 void *d_workspace, size_t workspace_bytes, void *stream) {
  return find_in(nth_call(d_keys, count, type, options, rank), d_workspace, workspace_bytes, stream);
}

cdp_status cdp_nth_element_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t rank,
                                     void *stream) {
  return find_allocating(nth_call(d_keys, count, type, options, rank), stream);
}

/* ---- The first keys, in their place ------------------------------------------------------------------------------------ */

static select_call partial_call(void *keys, size_t count, cdp_type type, const cdp_options *options, size_t sorted_items) {
  return (select_call){.ask = "cdp_partial_sort_workspace()",
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
  return find(partial_call(keys, count, type, options, sorted_items), NULL);
}

cdp_status cdp_partial_sort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t sorted_items,
                                      size_t *workspace_bytes) {
  return tell_workspace(partial_call(NULL, count, type, options, sorted_items), workspace_bytes);
}

cdp_status cdp_partial_sort_async(void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t sorted_items,
                                  void *d_workspace, size_t workspace_bytes, void *stream) {
  return find_in(partial_call(d_keys, count, type, options, sorted_items), d_workspace, workspace_bytes, stream);
}

cdp_status cdp_partial_sort_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                      size_t sorted_items, void *stream) {
  return find_allocating(partial_call(d_keys, count, type, options, sorted_items), stream);
}

/* ---- The first keys, elsewhere ----------------------------------------------------------------------------------------- */

static select_call top_call(const void *keys, size_t count, cdp_type type, const cdp_options *options, size_t k, void *top_keys,
                            const cdp_top *top) {
  return (select_call){.ask = "cdp_top_k_workspace()",
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
  return find(top_call(keys, count, type, options, k, top_keys, top), NULL);
}

cdp_status cdp_top_k_workspace(size_t count, cdp_type type, const cdp_options *options, size_t k, const cdp_top *top,
                               size_t *workspace_bytes) {
  return tell_workspace(top_call(NULL, count, type, options, k, NULL, top), workspace_bytes);
}

cdp_status cdp_top_k_async(const void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t k,
                           void *d_top_keys, const cdp_top *top, void *d_workspace, size_t workspace_bytes, void *stream) {
  return find_in(top_call(d_keys, count, type, options, k, d_top_keys, top), d_workspace, workspace_bytes, stream);
}

cdp_status cdp_top_k_on_stream(const void *d_keys, size_t count, cdp_type type, const cdp_options *options, size_t k,
                               void *d_top_keys, const cdp_top *top, void *stream) {
  return find_allocating(top_call(d_keys, count, type, options, k, d_top_keys, top), stream);
}

/* ---- Keys at several ranks --------------------------------------------------------------------------------------------- */

static select_call quantiles_call(const void *keys, size_t count, cdp_type type, const cdp_options *options,
                                  const uint64_t *ranks, size_t rank_count, void *found) {
  return (select_call){.ask = "cdp_quantiles_workspace()",
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
  return find(quantiles_call(keys, count, type, options, ranks, rank_count, found), NULL);
}

cdp_status cdp_quantiles_workspace(size_t count, cdp_type type, const cdp_options *options, size_t rank_count,
                                   size_t *workspace_bytes) {
  return tell_workspace(quantiles_call(NULL, count, type, options, NULL, rank_count, NULL), workspace_bytes);
}

cdp_status cdp_quantiles_async(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                               const uint64_t *ranks, size_t rank_count, void *d_found, void *d_workspace,
                               size_t workspace_bytes, void *stream) {
  return find_in(quantiles_call(d_keys, count, type, options, ranks, rank_count, d_found), d_workspace, workspace_bytes,
                 stream);
}

cdp_status cdp_quantiles_on_stream(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                   const uint64_t *ranks, size_t rank_count, void *d_found, void *stream) {
  return find_allocating(quantiles_call(d_keys, count, type, options, ranks, rank_count, d_found), stream);
}
