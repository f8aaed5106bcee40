/* SPDX-License-Identifier: MIT */
/*
 * The calls of copy.h that sort keys alone, by the steps of array_call.h. One key is copied as well. The other calls are beside those
 * that sort in place: payload.c, records.c.
 */
#include "array_call.h"
#include "status.h"

#include <cdpsort/copy.h>

/* A call, and its plan. */
typedef struct copy_job {
  const void *keys;
  void *sorted_keys;
  size_t count;
  cdp_type type;
  const cdp_options *options;
  cdp_arguments arguments;
  cdp_plan plan;
} copy_job;

/* ---- What is done ------------------------------------------------------------------------------------------------------ */

/* One key needs no sort, and no workspace: an allocation has a byte at least. */
static cdp_status make_plan(void *context, const cdp_device *device, bool is_captured, size_t *workspace_bytes) {
  copy_job *job = context;
  cdp_room room;
  cdp_status status;
  job->plan = (cdp_plan){.count = job->count, .type = job->type};
  if (job->count >= 2)
    TRY(cdp_engine_plan(&job->arguments.settings, job->type, job->count, &device->facts, is_captured, &job->plan));
  TRY(cdp_room_reckon(job->count, job->type, job->plan.workspace_bytes, &room));
  *workspace_bytes = room.workspace_bytes != 0 ? room.workspace_bytes : CDP_WORKSPACE_ALIGNMENT;
cleanup:
  return status;
}

static void place(void *context, const cdp_array *arrays, void *d_workspace) {
  cdp_plan *plan = &((copy_job *)context)->plan;
  plan->d_source = arrays[0].d_source;
  plan->d_keys = arrays[1].d_target;
  plan->d_workspace = d_workspace;
}

static cdp_status launch(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault) {
  return engine->launch(&((copy_job *)context)->plan, stream, fault);
}

static const cdp_array_work copying = {"sorting", "launching the sort", make_plan, place, launch, NULL};

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

static cdp_status list_arrays(const copy_job *job, cdp_array_list *list) {
  const uint32_t key_bytes = job->arguments.key_bytes;
  cdp_status status;
  list->count = 0;
  TRY(cdp_arguments_check_keys("keys", job->keys, key_bytes));
  TRY(cdp_arguments_check_keys("sorted_keys", job->sorted_keys, key_bytes));
  cdp_array_list_add(list, "keys", job->keys, NULL, job->count * key_bytes);
  cdp_array_list_add(list, "sorted_keys", NULL, job->sorted_keys, job->count * key_bytes);
  TRY(cdp_array_list_check_overlap(list));
cleanup:
  return status;
}

/* In stream order, or blocking if `order` is NULL. */
static cdp_status sort(copy_job job, const cdp_stream_order *order) {
  cdp_array_list list;
  const cdp_array_call whole = {&job.arguments, &list, &copying, &job, "cdp_quicksort_copy_workspace()"};
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_arguments_read(job.count, job.type, job.options, &job.arguments));
  if (job.count == 0)
    goto cleanup;
  TRY(list_arrays(&job, &list));
  TRY(order != NULL ? cdp_array_call_launch(&whole, order) : cdp_array_call_do(&whole));
cleanup:
  return status;
}

static copy_job job_of(const void *keys, void *sorted_keys, size_t count, cdp_type type, const cdp_options *options) {
  return (copy_job){.keys = keys, .sorted_keys = sorted_keys, .count = count, .type = type, .options = options};
}

cdp_status cdp_quicksort_copy(const void *keys, void *sorted_keys, size_t count, cdp_type type, const cdp_options *options) {
  return sort(job_of(keys, sorted_keys, count, type, options), NULL);
}

cdp_status cdp_quicksort_copy_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes) {
  copy_job job = job_of(NULL, NULL, count, type, options);
  const cdp_array_call whole = {&job.arguments, NULL, &copying, &job, ""};
  size_t bytes = 0;
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_arguments_read(count, type, options, &job.arguments));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  if (count != 0)
    TRY(cdp_array_call_ask(&whole, &bytes));
  *workspace_bytes = bytes;
cleanup:
  return status;
}

cdp_status cdp_quicksort_copy_async(const void *d_keys, void *d_sorted_keys, size_t count, cdp_type type,
                                    const cdp_options *options, void *d_workspace, size_t workspace_bytes, void *stream) {
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(job_of(d_keys, d_sorted_keys, count, type, options), &order);
}

cdp_status cdp_quicksort_copy_on_stream(const void *d_keys, void *d_sorted_keys, size_t count, cdp_type type,
                                        const cdp_options *options, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(job_of(d_keys, d_sorted_keys, count, type, options), &order);
}
