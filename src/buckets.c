/* SPDX-License-Identifier: MIT */
/*
 * The calls of buckets.h, by the steps of array_call.h. Without a key buckets begin all the same.
 */
#include "payload_arguments.h"
#include "status.h"

#include <cdpsort/buckets.h>

#include <stdio.h>

/* A call, and its plan. */
typedef struct divide_job {
  void *keys;
  const cdp_column *columns;
  size_t column_count;
  size_t count;
  cdp_type type;
  const cdp_options *options;
  const void *splitters;
  size_t splitter_count;
  uint64_t *begins;
  cdp_arguments arguments;
  cdp_division_plan plan;
} divide_job;

/* ---- Arguments --------------------------------------------------------------------------------------------------------- */

/* All that needs no pointer to data. */
static cdp_status read_job(divide_job *job) {
  char name[CDP_ARRAY_NAME_BYTES];
  cdp_status status;
  TRY(cdp_arguments_read_payload(job->count, job->type, job->options, &job->arguments));
  if (job->splitter_count > CDP_SPLITTERS_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "splitter_count is %zu: a call takes CDP_SPLITTERS_MAX (%d) splitters at most; divide by some of them, and "
                    "the buckets by the others",
                    job->splitter_count, CDP_SPLITTERS_MAX);
  TRY(cdp_payload_check_column_count(job->column_count, job->columns));
  for (size_t column = 0; column < job->column_count; column++) {
    (void)snprintf(name, sizeof name, "columns[%u].value_bytes", (unsigned)column);
    TRY(cdp_payload_check_value_bytes(name, job->columns[column].value_bytes, job->count));
  }
cleanup:
  return status;
}

static cdp_status list_keys(const divide_job *job, cdp_array_list *list) {
  char name[CDP_ARRAY_NAME_BYTES];
  cdp_status status;
  TRY(cdp_arguments_check_keys("keys", job->keys, job->arguments.key_bytes));
  cdp_array_list_add(list, "keys", job->keys, job->keys, job->count * job->arguments.key_bytes);
  for (size_t index = 0; index < job->column_count; index++) {
    const cdp_column *column = &job->columns[index];
    (void)snprintf(name, sizeof name, "columns[%u].values", (unsigned)index);
    if (column->values == NULL)
      return cdp_fail(CDP_ERROR_NULL, 0, "%s is NULL: give a pointer to the values; NULL is only for a count of 0", name);
    cdp_array_list_add(list, name, column->values, column->values, job->count * column->value_bytes);
  }
cleanup:
  return status;
}

/* The arrays: without a key, begins are the first of them. */
static cdp_status list_arrays(const divide_job *job, cdp_array_list *list) {
  const uint32_t key_bytes = job->arguments.key_bytes;
  cdp_status status = CDP_OK;
  list->count = 0;
  if (job->count != 0)
    TRY(list_keys(job, list));
  if (job->begins == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "begins is NULL: give a pointer to splitter_count + 2 (%zu) numbers of 8 bytes",
                    job->splitter_count + 2);
  if ((uintptr_t)job->begins % sizeof *job->begins != 0)
    return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "begins is %p, which is not a multiple of 8: align it to the size of a number",
                    (const void *)job->begins);
  cdp_array_list_add(list, "begins", NULL, job->begins, (job->splitter_count + 2) * sizeof *job->begins);
  if (job->splitter_count != 0) {
    if (job->splitters == NULL)
      return cdp_fail(CDP_ERROR_NULL, 0, "splitters is NULL, and splitter_count is %zu: give a pointer to so many keys",
                      job->splitter_count);
    if ((uintptr_t)job->splitters % key_bytes != 0)
      return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "splitters is %p, which is not a multiple of %u: align them to the size of a key",
                      job->splitters, key_bytes);
    cdp_array_list_add(list, "splitters", job->splitters, NULL, job->splitter_count * key_bytes);
  }
  TRY(cdp_array_list_check_overlap(list));
cleanup:
  return status;
}

/* ---- What is done ------------------------------------------------------------------------------------------------------ */

static cdp_division_request request_of(const divide_job *job) {
  cdp_division_request request = {.type = job->type,
                                  .order = job->arguments.settings.order,
                                  .ties = job->arguments.settings.ties,
                                  .count = job->count,
                                  .splitter_count = (uint32_t)job->splitter_count,
                                  .column_count = (uint32_t)job->column_count};
  for (size_t column = 0; column < job->column_count; column++)
    request.columns[column] = job->columns[column];
  return request;
}

static cdp_status make_plan(void *context, const cdp_device *device, bool is_captured, size_t *workspace_bytes) {
  divide_job *job = context;
  const uint64_t most = PTRDIFF_MAX;
  const cdp_division_request request = request_of(job);
  if (cdp_engine_plan_division(&job->arguments.settings, &request, &device->facts, is_captured, &job->plan) != CDP_OK ||
      job->plan.workspace_bytes > most)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: so many keys and their workspace cannot be addressed; give fewer keys at a time",
                    job->count);
  *workspace_bytes = (size_t)job->plan.workspace_bytes;
  return CDP_OK;
}

static void place(void *context, const cdp_array *arrays, void *d_workspace) {
  cdp_division_plan *plan = &((divide_job *)context)->plan;
  cdp_division_request *asked = &plan->asked;
  plan->d_workspace = d_workspace;
  if (asked->count != 0)
    asked->d_keys = (arrays++)->d_target;
  for (uint32_t column = 0; column < asked->column_count && asked->count != 0; column++)
    asked->columns[column].values = (arrays++)->d_target;
  asked->d_begins = (arrays++)->d_target;
  if (asked->splitter_count != 0)
    asked->d_splitters = arrays->d_source;
}

static cdp_status launch(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault) {
  return engine->launch_division(&((divide_job *)context)->plan, stream, fault);
}

/* That splitters in host memory, which are the last array, are in order. */
static cdp_status inspect(void *context, const cdp_array *arrays) {
  const divide_job *job = context;
  const cdp_division_request request = request_of(job);
  const size_t before = job->count != 0 ? 2 + job->column_count : 1; // keys, columns and begins
  if (job->splitter_count == 0 || !arrays[before].is_in_host_memory)
    return CDP_OK;
  const size_t ordered = cdp_engine_ordered_splitters(&request, job->splitters);
  if (ordered == job->splitter_count)
    return CDP_OK;
  return cdp_fail(CDP_ERROR_ORDER, 0,
                  "splitters[%zu] comes before splitters[%zu] in the order of this call: sort the splitters, as "
                  "cdp_quicksort() does with the same options",
                  ordered, ordered - 1);
}

static const cdp_array_work dividing = {"dividing", "launching the division", make_plan, place, launch, inspect};

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

static const char ask[] = "cdp_divide_workspace()";

/* In stream order, or blocking if `order` is NULL. */
static cdp_status divide(divide_job job, const cdp_stream_order *order) {
  cdp_array_list list;
  const cdp_array_call whole = {&job.arguments, &list, &dividing, &job, ask};
  cdp_status status;
  cdp_message_clear();
  TRY(read_job(&job));
  TRY(list_arrays(&job, &list));
  TRY(order != NULL ? cdp_array_call_launch(&whole, order) : cdp_array_call_do(&whole));
cleanup:
  return status;
}

static divide_job job_of(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                         const cdp_options *options, const void *splitters, size_t splitter_count, uint64_t *begins) {
  return (divide_job){.keys = keys,
                      .columns = columns,
                      .column_count = column_count,
                      .count = count,
                      .type = type,
                      .options = options,
                      .splitters = splitters,
                      .splitter_count = splitter_count,
                      .begins = begins};
}

cdp_status cdp_divide(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                      const cdp_options *options, const void *splitters, size_t splitter_count, uint64_t *begins) {
  return divide(job_of(keys, columns, column_count, count, type, options, splitters, splitter_count, begins), NULL);
}

cdp_status cdp_divide_workspace(const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                const cdp_options *options, size_t splitter_count, size_t *workspace_bytes) {
  divide_job job = job_of(NULL, columns, column_count, count, type, options, NULL, splitter_count, NULL);
  const cdp_array_call whole = {&job.arguments, NULL, &dividing, &job, ask};
  cdp_status status;
  cdp_message_clear();
  TRY(read_job(&job));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  TRY(cdp_array_call_ask(&whole, workspace_bytes));
cleanup:
  return status;
}

cdp_status cdp_divide_async(void *d_keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                            const cdp_options *options, const void *d_splitters, size_t splitter_count, uint64_t *d_begins,
                            void *d_workspace, size_t workspace_bytes, void *stream) {
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return divide(job_of(d_keys, columns, column_count, count, type, options, d_splitters, splitter_count, d_begins), &order);
}

cdp_status cdp_divide_on_stream(void *d_keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                const cdp_options *options, const void *d_splitters, size_t splitter_count, uint64_t *d_begins,
                                void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return divide(job_of(d_keys, columns, column_count, count, type, options, d_splitters, splitter_count, d_begins), &order);
}
