/* SPDX-License-Identifier: MIT */
/*
 * The calls of compare.h, and their like of copy.h, by the steps of array_call.h: what is done before is that the comparison can be
 * called. One item is copied as well.
 */
#include "array_call.h"
#include "options.h"
#include "status.h"

#include <cdpsort/copy.h>

/* A call, and its plan. */
typedef struct compare_job {
  const void *items;
  void *sorted_items; /* the same, unless they are apart */
  size_t count;
  size_t item_bytes;
  bool is_apart; /* of copy.h */
  const char *ask;
  cdp_comparison comparison;
  bool has_workspace;  /* of the caller's: however few the items, it is not NULL, and so has a size */
  bool has_comparison; /* false: the size of the workspace alone is asked for */
  const cdp_options *options;
  cdp_arguments arguments;
  cdp_compare_plan plan;
} compare_job;

static compare_job job_of(void *items, size_t count, size_t item_bytes, const cdp_options *options) {
  return (compare_job){.items = items,
                       .sorted_items = items,
                       .count = count,
                       .item_bytes = item_bytes,
                       .ask = "cdp_quicksort_by_workspace()",
                       .options = options};
}

static compare_job copy_job_of(const void *items, void *sorted_items, size_t count, size_t item_bytes,
                               const cdp_options *options) {
  return (compare_job){.items = items,
                       .sorted_items = sorted_items,
                       .count = count,
                       .item_bytes = item_bytes,
                       .is_apart = true,
                       .ask = "cdp_quicksort_by_copy_workspace()",
                       .options = options};
}

/* Fewer are nothing to do. */
static size_t fewest_items(const compare_job *job) {
  return job->is_apart ? 1 : 2;
}

/* ---- Arguments --------------------------------------------------------------------------------------------------------- */

static cdp_status read_comparison(const cdp_comparison *given, cdp_comparison *comparison) {
  static const cdp_structure kind = {"comparison", "cdp_comparison", "CDP_COMPARISON_INIT", sizeof(cdp_comparison)};
  cdp_status status;
  if (given == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "comparison is NULL: give a pointer to a cdp_comparison");
  TRY(cdp_structure_read(&kind, given, comparison));
  if (comparison->context_bytes > CDP_CONTEXT_BYTES_MAX)
    return cdp_fail(
        CDP_ERROR_SIZE, 0,
        "comparison->context_bytes is %zu: at most CDP_CONTEXT_BYTES_MAX (%d) are copied; put more into the device's "
        "memory, and give a pointer to it with context_bytes 0",
        comparison->context_bytes, CDP_CONTEXT_BYTES_MAX);
  if (comparison->context_bytes != 0 && comparison->context == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "comparison->context is NULL and context_bytes is %zu: give a pointer to so many bytes",
                    comparison->context_bytes);
cleanup:
  return status;
}

static cdp_status check_sizes(const compare_job *job) {
  const uint64_t wide_bytes = job->item_bytes;
  const uint64_t wide_count = job->count;
  if (wide_bytes == 0 || wide_bytes > UINT32_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0, "item_bytes is %zu: an item has 1 to 2^32 - 1 bytes", job->item_bytes);
  if (wide_count > CDP_COMPARE_COUNT_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: this call takes CDP_COMPARE_COUNT_MAX (%llu) items at most; give fewer at a time",
                    job->count, (unsigned long long)CDP_COMPARE_COUNT_MAX);
  if (job->count > PTRDIFF_MAX / 2 / job->item_bytes)
    return cdp_fail(
        CDP_ERROR_SIZE, 0,
        "count is %zu and item_bytes %zu: so many items and their workspace cannot be addressed; give fewer at a time",
        job->count, job->item_bytes);
  return CDP_OK;
}

/* All that needs no pointer to data. */
static cdp_status read_job(compare_job *job, const cdp_comparison *comparison) {
  cdp_status status;
  TRY(cdp_arguments_read(0, CDP_U64, job->options, &job->arguments));
  const cdp_settings *settings = &job->arguments.settings;
  if (settings->order != CDP_ASCENDING || settings->ties != CDP_TIES_ANY)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "options.order is %d and options.ties %d: leave both at 0; the comparison says what comes first",
                    (int)settings->order, (int)settings->ties);
  TRY(check_sizes(job));
  if (job->has_comparison)
    TRY(read_comparison(comparison, &job->comparison));
cleanup:
  return status;
}

/* The greatest power of two, up to 16, that divides an item's size. */
static size_t alignment_of(size_t item_bytes) {
  size_t alignment = 16;
  while (item_bytes % alignment != 0)
    alignment /= 2;
  return alignment;
}

static cdp_status check_items(const char *name, const void *items, size_t item_bytes) {
  const size_t alignment = alignment_of(item_bytes);
  if (items == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "%s is NULL: give a pointer to the items; NULL is only for a count of 0", name);
  if ((uintptr_t)items % alignment != 0)
    return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "%s is %p, which is not a multiple of %zu: align items of %zu bytes to that", name,
                    items, alignment, item_bytes);
  return CDP_OK;
}

static cdp_status list_items(const compare_job *job, cdp_array_list *list) {
  const size_t bytes = job->count * job->item_bytes;
  cdp_status status;
  list->count = 0;
  TRY(check_items("items", job->items, job->item_bytes));
  cdp_array_list_add(list, "items", job->items, job->is_apart ? NULL : job->sorted_items, bytes);
  if (!job->is_apart)
    return CDP_OK;
  TRY(check_items("sorted_items", job->sorted_items, job->item_bytes));
  cdp_array_list_add(list, "sorted_items", NULL, job->sorted_items, bytes);
  TRY(cdp_array_list_check_overlap(list));
cleanup:
  return status;
}

/* ---- What is done ------------------------------------------------------------------------------------------------------ */

/* A source that does not compile is the caller's to mend: the engine's sentence is all that there is to say. */
static cdp_status prepare(const cdp_device *device, cdp_compare_plan *plan) {
  cdp_fault fault = {0};
  const cdp_status status = device->engine->prepare_comparison(plan, device->ordinal, &fault);
  if (status == CDP_ERROR_SOURCE || status == CDP_ERROR_NULL || status == CDP_ERROR_UNSUPPORTED)
    return cdp_fail(status, fault.cuda_error, "%s", fault.text);
  return cdp_report(status, &fault, "compiling the comparison");
}

static cdp_status make_plan(void *context, const cdp_device *device, bool is_captured, size_t *workspace_bytes) {
  compare_job *job = context;
  const uint64_t most = PTRDIFF_MAX;
  const cdp_compare_request request = {
      .count = job->count, .item_bytes = job->item_bytes, .is_apart = job->is_apart, .comparison = job->comparison};
  cdp_status status = CDP_OK;
  if (cdp_engine_plan_compare(&job->arguments.settings, &request, &device->facts, is_captured, &job->plan) != CDP_OK ||
      job->plan.workspace_bytes > most)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: so many items and their workspace cannot be addressed; give fewer items at a time",
                    job->count);
  *workspace_bytes = (size_t)job->plan.workspace_bytes;
  if (job->has_workspace && *workspace_bytes == 0)
    *workspace_bytes = CDP_WORKSPACE_ALIGNMENT;
  if (job->has_comparison)
    TRY(prepare(device, &job->plan));
cleanup:
  return status;
}

static void place(void *context, const cdp_array *arrays, void *d_workspace) {
  cdp_compare_plan *plan = &((compare_job *)context)->plan;
  plan->d_workspace = d_workspace;
  plan->asked.d_source = arrays[0].d_source;
  plan->asked.d_target = arrays[plan->asked.is_apart ? 1 : 0].d_target;
}

static cdp_status launch(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault) {
  return engine->launch_compare(&((compare_job *)context)->plan, stream, fault);
}

static const cdp_array_work sorting = {"sorting", "launching the sort", make_plan, place, launch, NULL};

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

/* In stream order, or blocking if `order` is NULL. */
static cdp_status quicksort_by(compare_job job, const cdp_comparison *comparison, const cdp_stream_order *order) {
  cdp_array_list list;
  const cdp_array_call whole = {&job.arguments, &list, &sorting, &job, job.ask};
  cdp_status status;
  cdp_message_clear();
  job.has_comparison = true;
  job.has_workspace = order != NULL && !order->allocates;
  TRY(read_job(&job, comparison));
  if (job.count < fewest_items(&job))
    return CDP_OK;
  TRY(list_items(&job, &list));
  TRY(order != NULL ? cdp_array_call_launch(&whole, order) : cdp_array_call_do(&whole));
cleanup:
  return status;
}

static cdp_status ask_workspace(compare_job job, size_t *workspace_bytes) {
  const cdp_array_call whole = {&job.arguments, NULL, &sorting, &job, job.ask};
  size_t bytes = 0;
  cdp_status status;
  cdp_message_clear();
  job.has_workspace = true;
  TRY(read_job(&job, NULL));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  if (job.count >= fewest_items(&job))
    TRY(cdp_array_call_ask(&whole, &bytes));
  *workspace_bytes = bytes;
cleanup:
  return status;
}

cdp_status cdp_quicksort_by(void *items, size_t count, size_t item_bytes, const cdp_comparison *comparison,
                            const cdp_options *options) {
  return quicksort_by(job_of(items, count, item_bytes, options), comparison, NULL);
}

cdp_status cdp_quicksort_by_workspace(size_t count, size_t item_bytes, const cdp_options *options, size_t *workspace_bytes) {
  return ask_workspace(job_of(NULL, count, item_bytes, options), workspace_bytes);
}

cdp_status cdp_quicksort_by_async(void *d_items, size_t count, size_t item_bytes, const cdp_comparison *comparison,
                                  const cdp_options *options, void *d_workspace, size_t workspace_bytes, void *stream) {
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return quicksort_by(job_of(d_items, count, item_bytes, options), comparison, &order);
}

cdp_status cdp_quicksort_by_on_stream(void *d_items, size_t count, size_t item_bytes, const cdp_comparison *comparison,
                                      const cdp_options *options, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return quicksort_by(job_of(d_items, count, item_bytes, options), comparison, &order);
}

cdp_status cdp_quicksort_by_copy(const void *items, void *sorted_items, size_t count, size_t item_bytes,
                                 const cdp_comparison *comparison, const cdp_options *options) {
  return quicksort_by(copy_job_of(items, sorted_items, count, item_bytes, options), comparison, NULL);
}

cdp_status cdp_quicksort_by_copy_workspace(size_t count, size_t item_bytes, const cdp_options *options,
                                           size_t *workspace_bytes) {
  return ask_workspace(copy_job_of(NULL, NULL, count, item_bytes, options), workspace_bytes);
}

cdp_status cdp_quicksort_by_copy_async(const void *d_items, void *d_sorted_items, size_t count, size_t item_bytes,
                                       const cdp_comparison *comparison, const cdp_options *options, void *d_workspace,
                                       size_t workspace_bytes, void *stream) {
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return quicksort_by(copy_job_of(d_items, d_sorted_items, count, item_bytes, options), comparison, &order);
}

cdp_status cdp_quicksort_by_copy_on_stream(const void *d_items, void *d_sorted_items, size_t count, size_t item_bytes,
                                           const cdp_comparison *comparison, const cdp_options *options, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return quicksort_by(copy_job_of(d_items, d_sorted_items, count, item_bytes, options), comparison, &order);
}

/* The plan is of two items: what is compiled is the same for any number. */
cdp_status cdp_compile_comparison(const cdp_comparison *comparison, size_t item_bytes, const cdp_options *options) {
  compare_job job = job_of(NULL, 2, item_bytes, options);
  cdp_device device;
  size_t workspace_bytes = 0;
  cdp_status status;
  cdp_message_clear();
  job.has_comparison = true;
  TRY(read_job(&job, comparison));
  TRY(cdp_device_choose(&job.arguments.wish, NULL, &device));
  TRY(make_plan(&job, &device, false, &workspace_bytes));
cleanup:
  return status;
}

const char *cdp_last_compiler_log(void) {
  return cdp_engine_compiler_log();
}

void cdp_release_comparisons(void) {
  cdp_engine_release_compiled();
}
