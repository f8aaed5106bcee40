/* SPDX-License-Identifier: MIT */
/*
 * The calls of segments.h, and their like of copy.h, by the steps of array_call.h. One key, or keys that are in no segment, are copied
 * as well.
 */
#include "payload_arguments.h"
#include "status.h"

/* A call, and its plan. */
typedef struct segments_job {
  payload_call call;
  const cdp_segments *segments;
  bool has_workspace; /* of the caller's: it is not NULL, and so has a size */
  cdp_arguments arguments;
  cdp_segments_plan plan;
} segments_job;

static bool has_work(const segments_job *job) {
  if (job->call.is_apart)
    return job->call.count != 0;
  return job->call.count > 1 && job->segments->count != 0;
}

/* ---- Arguments --------------------------------------------------------------------------------------------------------- */

static cdp_status read_segments(const cdp_segments *segments, size_t count) {
  const size_t bytes = segments != NULL ? segments->offset_bytes : 0;
  if (segments == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "segments is NULL: say where they are; cdp_quicksort() sorts an array as one");
  if (bytes != 0 && bytes != sizeof(uint32_t) && bytes != sizeof(uint64_t))
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "segments->offset_bytes is %zu: give offsets of 4 or 8 bytes, or 0 for segments of `length` keys each",
                    bytes);
  if (bytes != 0 && segments->count > PTRDIFF_MAX / bytes)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "segments->count is %zu: so many offsets of %zu bytes cannot be addressed; give fewer at a time",
                    segments->count, bytes);
  if (bytes == 0 && segments->length != 0 && segments->count > count / segments->length)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "segments->count is %zu and segments->length is %zu, but count is %zu: give as many keys as segments have, "
                    "or more",
                    segments->count, segments->length, count);
  return CDP_OK;
}

/* All that needs no pointer to data. */
static cdp_status read_job(segments_job *job) {
  const payload_call *call = &job->call;
  cdp_arguments *arguments = &job->arguments;
  cdp_status status;
  if (call->column_count == 0)
    TRY(cdp_arguments_read_ties(call->count, call->type, call->options, arguments));
  if (call->column_count != 0 || arguments->settings.ties == CDP_TIES_BY_VALUE)
    TRY(cdp_arguments_read_payload(call->count, call->type, call->options, arguments));
  TRY(cdp_payload_check_columns(call));
  TRY(read_segments(job->segments, call->count));
cleanup:
  return status;
}

static cdp_status list_offsets(const char *name, const void *offsets, const cdp_segments *segments, cdp_array_list *list) {
  if (offsets == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0,
                    "%s is NULL, and segments->count is %zu: give a pointer to so many offsets, or an offset_bytes of 0 for "
                    "segments of `length` keys each",
                    name, segments->count);
  if ((uintptr_t)offsets % segments->offset_bytes != 0)
    return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "%s is %p, which is not a multiple of %zu: align offsets to their size", name,
                    offsets, segments->offset_bytes);
  cdp_array_list_add(list, name, offsets, NULL, segments->count * segments->offset_bytes);
  return CDP_OK;
}

/* Offsets are read where there are segments. */
static bool has_offsets(const cdp_segments *segments) {
  return segments->offset_bytes != 0 && segments->count != 0;
}

/* Those of a call that has something to do. */
static cdp_status list_arrays(const segments_job *job, cdp_array_list *list) {
  cdp_status status;
  TRY(cdp_payload_list(&job->call, &job->arguments, list));
  if (has_offsets(job->segments)) {
    TRY(list_offsets("segments->begins", job->segments->begins, job->segments, list));
    TRY(list_offsets("segments->ends", job->segments->ends, job->segments, list));
    TRY(cdp_array_list_check_overlap(list));
  }
cleanup:
  return status;
}

/* ---- What is done ------------------------------------------------------------------------------------------------------ */

static cdp_segments_request request_of(const segments_job *job) {
  const payload_call *call = &job->call;
  const cdp_segments *segments = job->segments;
  cdp_segments_request request = {.type = call->type,
                                  .order = job->arguments.settings.order,
                                  .ties = job->arguments.settings.ties,
                                  .count = call->count,
                                  .column_count = (uint32_t)call->column_count,
                                  .is_apart = call->is_apart,
                                  .segment_count = segments->count,
                                  .offset_bytes = (uint32_t)segments->offset_bytes,
                                  .length = segments->offset_bytes == 0 ? segments->length : 0};
  for (size_t column = 0; column < call->column_count; column++)
    request.columns[column] = call->columns[column];
  return request;
}

static cdp_status make_plan(void *context, const cdp_device *device, bool is_captured, size_t *workspace_bytes) {
  segments_job *job = context;
  const uint64_t most = PTRDIFF_MAX;
  const cdp_segments_request request = request_of(job);
  if (cdp_engine_plan_segments(&job->arguments.settings, &request, &device->facts, is_captured, &job->plan) != CDP_OK ||
      job->plan.workspace_bytes > most)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: so many keys and their workspace cannot be addressed; give fewer keys at a time",
                    job->call.count);
  *workspace_bytes = (size_t)job->plan.workspace_bytes;
  if (job->has_workspace && *workspace_bytes == 0)
    *workspace_bytes = CDP_WORKSPACE_ALIGNMENT;
  return CDP_OK;
}

/* In the order of list_arrays(). */
static void place(void *context, const cdp_array *arrays, void *d_workspace) {
  segments_job *job = context;
  cdp_segments_request *asked = &job->plan.asked;
  job->plan.d_workspace = d_workspace;
  asked->d_keys = arrays->d_source;
  if (asked->is_apart)
    arrays++;
  asked->d_sorted_keys = (arrays++)->d_target;
  arrays = cdp_payload_place_columns(asked->columns, asked->column_count, asked->is_apart, arrays);
  if (has_offsets(job->segments)) {
    asked->d_begins = arrays[0].d_source;
    asked->d_ends = arrays[1].d_source;
  }
}

static cdp_status launch(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault) {
  return engine->launch_segments(&((segments_job *)context)->plan, stream, fault);
}

static uint64_t offset_at(const void *offsets, size_t offset_bytes, size_t index) {
  return offset_bytes == sizeof(uint32_t) ? ((const uint32_t *)offsets)[index] : ((const uint64_t *)offsets)[index];
}

/* That offsets lie within the array, or at its end. */
static cdp_status check_offsets(const char *name, const cdp_array *offsets, const segments_job *job) {
  const cdp_segments *segments = job->segments;
  if (!offsets->is_in_host_memory)
    return CDP_OK;
  for (size_t index = 0; index < segments->count; index++) {
    const uint64_t offset = offset_at(offsets->source, segments->offset_bytes, index);
    if (offset > job->call.count)
      return cdp_fail(CDP_ERROR_SIZE, 0,
                      "segments->%s[%zu] is %llu, and count is %zu: give offsets of at most count, which is where the last "
                      "segment may end",
                      name, index, (unsigned long long)offset, job->call.count);
  }
  return CDP_OK;
}

/* Those in host memory. The arrays of offsets are the last two. */
static cdp_status inspect(void *context, const cdp_array *arrays) {
  const segments_job *job = context;
  const payload_call *call = &job->call;
  const size_t before = (call->is_apart ? 2 : 1) * (1 + call->column_count);
  cdp_status status = CDP_OK;
  if (!has_offsets(job->segments))
    return CDP_OK;
  TRY(check_offsets("begins", &arrays[before], job));
  TRY(check_offsets("ends", &arrays[before + 1], job));
cleanup:
  return status;
}

static const cdp_array_work sorting = {"sorting", "launching the sort", make_plan, place, launch, inspect};

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

/* In stream order, or blocking if `order` is NULL. */
static cdp_status sort(segments_job job, const cdp_stream_order *order) {
  cdp_array_list list;
  const cdp_array_call whole = {&job.arguments, &list, &sorting, &job, job.call.ask};
  cdp_status status;
  cdp_message_clear();
  job.has_workspace = order != NULL && !order->allocates;
  TRY(read_job(&job));
  if (!has_work(&job))
    goto cleanup;
  TRY(list_arrays(&job, &list));
  TRY(order != NULL ? cdp_array_call_launch(&whole, order) : cdp_array_call_do(&whole));
cleanup:
  return status;
}

static cdp_status tell_workspace(segments_job job, size_t *workspace_bytes) {
  const cdp_array_call whole = {&job.arguments, NULL, &sorting, &job, job.call.ask};
  size_t bytes = 0;
  cdp_status status;
  cdp_message_clear();
  TRY(read_job(&job));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  job.has_workspace = true;
  if (has_work(&job))
    TRY(cdp_array_call_ask(&whole, &bytes));
  *workspace_bytes = bytes;
cleanup:
  return status;
}

static segments_job job_of(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                           const cdp_options *options, const cdp_segments *segments) {
  return (segments_job){
      .call = cdp_payload_columns_call("cdp_segmented_sort_workspace()", keys, columns, column_count, count, type, options),
      .segments = segments};
}

cdp_status cdp_segmented_sort(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                              const cdp_options *options, const cdp_segments *segments) {
  return sort(job_of(keys, columns, column_count, count, type, options, segments), NULL);
}

cdp_status cdp_segmented_sort_workspace(const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                        const cdp_options *options, const cdp_segments *segments, size_t *workspace_bytes) {
  return tell_workspace(job_of(NULL, columns, column_count, count, type, options, segments), workspace_bytes);
}

cdp_status cdp_segmented_sort_async(void *d_keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                    const cdp_options *options, const cdp_segments *segments, void *d_workspace,
                                    size_t workspace_bytes, void *stream) {
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(job_of(d_keys, columns, column_count, count, type, options, segments), &order);
}

cdp_status cdp_segmented_sort_on_stream(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                        cdp_type type, const cdp_options *options, const cdp_segments *segments, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(job_of(d_keys, columns, column_count, count, type, options, segments), &order);
}

/* ---- Copies (copy.h) --------------------------------------------------------------------------------------------------- */

static segments_job copy_job_of(const void *keys, void *sorted_keys, const cdp_column_copy *columns, size_t column_count,
                                size_t count, cdp_type type, const cdp_options *options, const cdp_segments *segments) {
  return (segments_job){.call = cdp_payload_columns_copy_call("cdp_segmented_sort_copy_workspace()", keys, sorted_keys, columns,
                                                              column_count, count, type, options),
                        .segments = segments};
}

cdp_status cdp_segmented_sort_copy(const void *keys, void *sorted_keys, const cdp_column_copy *columns, size_t column_count,
                                   size_t count, cdp_type type, const cdp_options *options, const cdp_segments *segments) {
  return sort(copy_job_of(keys, sorted_keys, columns, column_count, count, type, options, segments), NULL);
}

cdp_status cdp_segmented_sort_copy_workspace(const cdp_column_copy *columns, size_t column_count, size_t count, cdp_type type,
                                             const cdp_options *options, const cdp_segments *segments,
                                             size_t *workspace_bytes) {
  return tell_workspace(copy_job_of(NULL, NULL, columns, column_count, count, type, options, segments), workspace_bytes);
}

cdp_status cdp_segmented_sort_copy_async(const void *d_keys, void *d_sorted_keys, const cdp_column_copy *columns,
                                         size_t column_count, size_t count, cdp_type type, const cdp_options *options,
                                         const cdp_segments *segments, void *d_workspace, size_t workspace_bytes,
                                         void *stream) {
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(copy_job_of(d_keys, d_sorted_keys, columns, column_count, count, type, options, segments), &order);
}

cdp_status cdp_segmented_sort_copy_on_stream(const void *d_keys, void *d_sorted_keys, const cdp_column_copy *columns,
                                             size_t column_count, size_t count, cdp_type type, const cdp_options *options,
                                             const cdp_segments *segments, void *stream) {
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(copy_job_of(d_keys, d_sorted_keys, columns, column_count, count, type, options, segments), &order);
}
