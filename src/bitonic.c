/* SPDX-License-Identifier: MIT */
/*
 * The calls of bitonic.h, by the steps of array_call.h.
 */
#include "array_call.h"
#include "status.h"

#include <cdpsort/bitonic.h>

/* A call, and its plan. */
typedef struct bitonic_job {
  void *keys;
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
  ((bitonic_job *)context)->plan.d_keys = arrays[0].d_target;
}

static cdp_status run(void *context, const cdp_engine *engine, cdp_fault *fault) {
  return engine->sort_bitonic(&((bitonic_job *)context)->plan, fault);
}

static cdp_status launch(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault) {
  return engine->launch_bitonic(&((bitonic_job *)context)->plan, stream, fault);
}

static const cdp_array_work sorting = {"sorting", "launching the sort", make_plan, place, run, launch};

/* In stream order, or blocking if `order` is NULL. */
static cdp_status do_job(bitonic_job job, const cdp_stream_order *order) {
  cdp_array_list list = {.count = 0};
  const cdp_array_call whole = {&job.arguments, &list, &sorting, &job, ""};
  cdp_status status;
  cdp_message_clear();
  TRY(cdp_arguments_read(job.count, job.type, job.options, &job.arguments));
  if (job.count == 0)
    goto cleanup;
  TRY(cdp_arguments_check_keys("keys", job.keys, job.arguments.key_bytes));
  if (job.count == 1)
    goto cleanup;
  cdp_array_list_add(&list, "keys", job.keys, job.keys, job.count * job.arguments.key_bytes);
  TRY(order != NULL ? cdp_array_call_launch(&whole, order) : cdp_array_call_do(&whole));
cleanup:
  return status;
}

cdp_status cdp_bitonic_sort(void *keys, size_t count, cdp_type type, const cdp_options *options) {
  return do_job((bitonic_job){.keys = keys, .count = count, .type = type, .options = options}, NULL);
}

cdp_status cdp_bitonic_sort_on_stream(void *d_keys, size_t count, cdp_type type, const cdp_options *options, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return do_job((bitonic_job){.keys = d_keys, .count = count, .type = type, .options = options}, &order);
}
