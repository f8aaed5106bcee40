/* SPDX-License-Identifier: MIT */
/*
 * The calls of ranges.h, by the steps of array_call.h. Nothing is left undone for few keys where there is an answer to be written.
 */
#include "array_call.h"
#include "status.h"

#include <cdpsort/ranges.h>

/* A call, and its plan. */
typedef struct ranges_job {
  cdp_ranges_kind kind;
  const void *keys; /* of a merge the first range, `count` keys */
  size_t count;
  const void *second;
  size_t second_count; /* 0 but of a merge */
  void *target;        /* what is written, or NULL; `target_name` is for messages */
  const char *target_name;
  uint64_t *answer; /* likewise */
  const char *answer_name;
  cdp_type type;
  const cdp_options *options;
  bool has_workspace; /* of the caller's: however short the arrays, it is not NULL, and so has a size */
  cdp_arguments arguments;
  cdp_ranges_plan plan;
} ranges_job;

static size_t all_keys(const ranges_job *job) {
  return job->count + job->second_count;
}

/* ---- What is done ------------------------------------------------------------------------------------------------------ */

static cdp_status make_plan(void *context, const cdp_device *device, bool is_captured, size_t *workspace_bytes) {
  ranges_job *job = context;
  const uint64_t most = PTRDIFF_MAX;
  const cdp_ranges_request request = {.kind = job->kind,
                                      .type = job->type,
                                      .order = job->arguments.settings.order,
                                      .ties = job->arguments.settings.ties,
                                      .count = all_keys(job),
                                      .first_count = job->count};
  if (cdp_engine_plan_ranges(&job->arguments.settings, &request, &device->facts, is_captured, &job->plan) != CDP_OK ||
      job->plan.workspace_bytes > most)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: so many keys and their workspace cannot be addressed; give fewer keys at a time",
                    all_keys(job));
  *workspace_bytes = (size_t)job->plan.workspace_bytes;
  if (job->has_workspace && *workspace_bytes == 0)
    *workspace_bytes = CDP_WORKSPACE_ALIGNMENT;
  return CDP_OK;
}

/* In the order of list_arrays(). */
static void place(void *context, const cdp_array *arrays, void *d_workspace) {
  const ranges_job *job = context;
  cdp_ranges_plan *plan = &((ranges_job *)context)->plan;
  plan->d_workspace = d_workspace;
  if (job->count != 0)
    plan->asked.d_keys = (arrays++)->d_source;
  if (job->second_count != 0)
    plan->asked.d_second = (arrays++)->d_source;
  if (job->target_name != NULL && all_keys(job) != 0)
    plan->asked.d_target = (arrays++)->d_target;
  if (job->answer_name != NULL)
    plan->asked.d_answer = arrays->d_target;
}

static cdp_status launch(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault) {
  return engine->launch_ranges(&((ranges_job *)context)->plan, stream, fault);
}

static const cdp_array_work comparing = {"comparing keys", "launching the comparison", make_plan, place, launch, NULL};
static const cdp_array_work merging = {"merging", "launching the merge", make_plan, place, launch, NULL};
static const cdp_array_work thinning = {"removing equal keys", "launching their removal", make_plan, place, launch, NULL};

/* By the kind of a job. */
static const cdp_array_work *const works[] = {&comparing, &merging, &thinning};
static const char *const asks[] = {"", "cdp_merge_workspace()", "cdp_unique_workspace()"};

/* ---- Arguments --------------------------------------------------------------------------------------------------------- */

static cdp_status list_keys(const ranges_job *job, const char *name, const void *keys, size_t count, cdp_array_list *list) {
  cdp_status status = CDP_OK;
  if (count == 0)
    return CDP_OK;
  TRY(cdp_arguments_check_keys(name, keys, job->arguments.key_bytes));
  cdp_array_list_add(list, name, keys, NULL, count * job->arguments.key_bytes);
cleanup:
  return status;
}

static cdp_status list_target(const ranges_job *job, cdp_array_list *list) {
  const size_t bytes = all_keys(job) * job->arguments.key_bytes;
  cdp_status status = CDP_OK;
  if (job->target_name == NULL || bytes == 0)
    return CDP_OK;
  TRY(cdp_arguments_check_keys(job->target_name, job->target, job->arguments.key_bytes));
  // Of unique keys there may be fewer than the array has room for: what is behind them stays, also where a copy was written.
  cdp_array_list_add(list, job->target_name, job->kind == CDP_RANGES_UNIQUE ? job->target : NULL, job->target, bytes);
cleanup:
  return status;
}

static cdp_status list_answer(const ranges_job *job, cdp_array_list *list) {
  const char *name = job->answer_name;
  if (name == NULL)
    return CDP_OK;
  if (job->answer == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "%s is NULL: give a pointer to the number of 8 bytes that receives the answer", name);
  if ((uintptr_t)job->answer % sizeof *job->answer != 0)
    return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "%s is %p, which is not a multiple of 8: align it to the size of a number", name,
                    (void *)job->answer);
  cdp_array_list_add(list, name, NULL, job->answer, sizeof *job->answer);
  return CDP_OK;
}

/* Those that there are. The first one decides on the device: without a key it is the answer. */
static cdp_status list_arrays(const ranges_job *job, cdp_array_list *list) {
  const bool is_merge = job->kind == CDP_RANGES_MERGE;
  cdp_status status;
  list->count = 0;
  TRY(list_keys(job, is_merge ? "first" : "keys", job->keys, job->count, list));
  TRY(list_keys(job, "second", job->second, job->second_count, list));
  TRY(list_target(job, list));
  TRY(list_answer(job, list));
  TRY(cdp_array_list_check_overlap(list));
cleanup:
  return status;
}

static cdp_status read_job(ranges_job *job) {
  if (job->second_count > SIZE_MAX - job->count)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "first_count is %zu and second_count is %zu: so many keys cannot be addressed; give fewer at a time",
                    job->count, job->second_count);
  return cdp_arguments_read_ties(all_keys(job), job->type, job->options, &job->arguments);
}

/* In stream order, or blocking if `order` is NULL. */
static cdp_status do_job(ranges_job job, const cdp_stream_order *order) {
  cdp_array_list list;
  const cdp_array_call whole = {&job.arguments, &list, works[job.kind], &job, asks[job.kind]};
  cdp_status status;
  cdp_message_clear();
  job.has_workspace = order != NULL && !order->allocates;
  TRY(read_job(&job));
  TRY(list_arrays(&job, &list));
  if (list.count != 0)
    TRY(order != NULL ? cdp_array_call_launch(&whole, order) : cdp_array_call_do(&whole));
cleanup:
  return status;
}

static cdp_status ask_for_job(ranges_job job, size_t *workspace_bytes) {
  const cdp_array_call whole = {&job.arguments, NULL, works[job.kind], &job, ""};
  size_t bytes = 0;
  cdp_status status;
  cdp_message_clear();
  TRY(read_job(&job));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  job.has_workspace = true;
  if (job.kind != CDP_RANGES_MERGE || all_keys(&job) != 0)
    TRY(cdp_array_call_ask(&whole, &bytes));
  *workspace_bytes = bytes;
cleanup:
  return status;
}

/* ---- Is it sorted ------------------------------------------------------------------------------------------------------ */

static ranges_job is_sorted_job(const void *keys, size_t count, cdp_type type, const cdp_options *options,
                                uint64_t *sorted_count) {
  return (ranges_job){.kind = CDP_RANGES_IS_SORTED,
                      .keys = keys,
                      .count = count,
                      .answer = sorted_count,
                      .answer_name = "sorted_count",
                      .type = type,
                      .options = options};
}

cdp_status cdp_is_sorted(const void *keys, size_t count, cdp_type type, const cdp_options *options, uint64_t *sorted_count) {
  return do_job(is_sorted_job(keys, count, type, options, sorted_count), NULL);
}

cdp_status cdp_is_sorted_on_stream(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                   uint64_t *d_sorted_count, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return do_job(is_sorted_job(d_keys, count, type, options, d_sorted_count), &order);
}

/* ---- Merge ------------------------------------------------------------------------------------------------------------- */

static ranges_job merge_job(const void *first, size_t first_count, const void *second, size_t second_count, void *merged,
                            cdp_type type, const cdp_options *options) {
  return (ranges_job){.kind = CDP_RANGES_MERGE,
                      .keys = first,
                      .count = first_count,
                      .second = second,
                      .second_count = second_count,
                      .target = merged,
                      .target_name = "merged",
                      .type = type,
                      .options = options};
}

cdp_status cdp_merge(const void *first, size_t first_count, const void *second, size_t second_count, void *merged,
                     cdp_type type, const cdp_options *options) {
  return do_job(merge_job(first, first_count, second, second_count, merged, type, options), NULL);
}

cdp_status cdp_merge_workspace(size_t first_count, size_t second_count, cdp_type type, const cdp_options *options,
                               size_t *workspace_bytes) {
  return ask_for_job(merge_job(NULL, first_count, NULL, second_count, NULL, type, options), workspace_bytes);
}

cdp_status cdp_merge_async(const void *d_first, size_t first_count, const void *d_second, size_t second_count, void *d_merged,
                           cdp_type type, const cdp_options *options, void *d_workspace, size_t workspace_bytes, void *stream) {
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return do_job(merge_job(d_first, first_count, d_second, second_count, d_merged, type, options), &order);
}

cdp_status cdp_merge_on_stream(const void *d_first, size_t first_count, const void *d_second, size_t second_count,
                               void *d_merged, cdp_type type, const cdp_options *options, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return do_job(merge_job(d_first, first_count, d_second, second_count, d_merged, type, options), &order);
}

/* ---- Unique ------------------------------------------------------------------------------------------------------------ */

static ranges_job unique_job(const void *keys, size_t count, cdp_type type, const cdp_options *options, void *unique_keys,
                             uint64_t *unique_count) {
  return (ranges_job){.kind = CDP_RANGES_UNIQUE,
                      .keys = keys,
                      .count = count,
                      .target = unique_keys,
                      .target_name = "unique_keys",
                      .answer = unique_count,
                      .answer_name = "unique_count",
                      .type = type,
                      .options = options};
}

cdp_status cdp_unique(const void *keys, size_t count, cdp_type type, const cdp_options *options, void *unique_keys,
                      uint64_t *unique_count) {
  return do_job(unique_job(keys, count, type, options, unique_keys, unique_count), NULL);
}

cdp_status cdp_unique_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes) {
  return ask_for_job(unique_job(NULL, count, type, options, NULL, NULL), workspace_bytes);
}

cdp_status cdp_unique_async(const void *d_keys, size_t count, cdp_type type, const cdp_options *options, void *d_unique_keys,
                            uint64_t *d_unique_count, void *d_workspace, size_t workspace_bytes, void *stream) {
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return do_job(unique_job(d_keys, count, type, options, d_unique_keys, d_unique_count), &order);
}

cdp_status cdp_unique_on_stream(const void *d_keys, size_t count, cdp_type type, const cdp_options *options,
                                void *d_unique_keys, uint64_t *d_unique_count, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return do_job(unique_job(d_keys, count, type, options, d_unique_keys, d_unique_count), &order);
}
