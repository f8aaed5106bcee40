/* SPDX-License-Identifier: MIT */
/*
 * The calls of bitonic.h, and their like of copy.h, by the steps of array_call.h. One key is copied as well.
 */
#include "array_call.h"
#include "status.h"

#include <cdpsort/copy.h>

/* A call, and its plan. */
typedef struct bitonic_job {
  const void *keys;
  void *sorted_keys; /* `keys`, unless the call is of copy.h */
  bool is_apart;     /* it is */
  size_t count;
  cdp_type type;
  const cdp_options *options;
  cdp_arguments arguments;
  cdp_bitonic_plan plan;
} bitonic_job;

static cdp_status make_plan(void *context, const cdp_device *device, bool is_captured, size_t *workspace_bytes) {
  bitonic_job *job = context;
  (void)device;
  job->plan = (cdp_bitonic_plan){.type = job->type,
                                 .order = job->arguments.settings.order,
                                 .count = job->count,
                                 .seed = job->arguments.settings.seed,
                                 .is_captured = is_captured};
  *workspace_bytes = 0;
  return CDP_OK;
}

static void place(void *context, const cdp_array *arrays, void *d_workspace) {
  (void)d_workspace;
  bitonic_job *job = context;
  job->plan.d_source = arrays[0].d_source;
  job->plan.d_keys = arrays[job->is_apart ? 1 : 0].d_target;
}

static cdp_status launch(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault) {
  return engine->launch_bitonic(&((bitonic_job *)context)->plan, stream, fault);
}

static const cdp_array_work sorting = {"sorting", "launching the sort", make_plan, place, launch, NULL};

/* Those of a call of at least one key that has been read. */
static cdp_status list_arrays(const bitonic_job *job, cdp_array_list *list) {
  const uint32_t key_bytes = job->arguments.key_bytes;
  cdp_status status;
  list->count = 0;
  TRY(cdp_arguments_check_keys("keys", job->keys, key_bytes));
  cdp_array_list_add(list, "keys", job->keys, job->is_apart ? NULL : job->sorted_keys, job->count * key_bytes);
  if (job->is_apart) {
    TRY(cdp_arguments_check_keys("sorted_keys", job->sorted_keys, key_bytes));
    cdp_array_list_add(list, "sorted_keys", NULL, job->sorted_keys, job->count * key_bytes);
  }
  TRY(cdp_array_list_check_overlap(list));
cleanup:
  return status;
}

/* In stream order, or blocking if `order` is NULL. */
static cdp_status do_job(bitonic_job job, const cdp_stream_order *order) {
  cdp_array_list list;
  const cdp_array_call whole = {&job.arguments, &list, &sorting, &job, ""};
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_arguments_read(job.count, job.type, job.options, &job.arguments));
  if (job.count == 0)
    goto cleanup;
  TRY(list_arrays(&job, &list));
  if (job.count == 1 && !job.is_apart)
    goto cleanup;
  TRY(order != NULL ? cdp_array_call_launch(&whole, order) : cdp_array_call_do(&whole));
cleanup:
  return status;
}

static bitonic_job job_of(void *keys, size_t count, cdp_type type, const cdp_options *options) {
  return (bitonic_job){.keys = keys, .sorted_keys = keys, .count = count, .type = type, .options = options};
}

cdp_status cdp_bitonic_sort(void *keys, size_t count, cdp_type type, const cdp_options *options) {
  return do_job(job_of(keys, count, type, options), NULL);
}

cdp_status cdp_bitonic_sort_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return do_job(job_of(d_keys, count, type, options), &order);
}

/* ---- Copies (copy.h) --------------------------------------------------------------------------------------------------- */

static bitonic_job copy_job_of(const void *keys, void *sorted_keys, size_t count, cdp_type type, const cdp_options *options) {
  return (bitonic_job){
      .keys = keys, .sorted_keys = sorted_keys, .is_apart = true, .count = count, .type = type, .options = options};
}

cdp_status cdp_bitonic_sort_copy(const void *keys, void *sorted_keys, size_t count, cdp_type type, const cdp_options *options) {
  return do_job(copy_job_of(keys, sorted_keys, count, type, options), NULL);
}

cdp_status cdp_bitonic_sort_copy_on_stream(const void *d_keys, void *d_sorted_keys, size_t count, cdp_type type,
                                           const cdp_options *options, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return do_job(copy_job_of(d_keys, d_sorted_keys, count, type, options), &order);
}
