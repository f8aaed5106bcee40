/* SPDX-License-Identifier: MIT */
/*
 * The calls of records.h, and their like of copy.h, by the steps of array_call.h. One row is sorted as well, where its index or a copy
 * of it is to be written.
 */
#include "payload_arguments.h"
#include "status.h"

#include <cdpsort/copy.h>

#include <stdio.h>

/* A call, of records or of columns. */
typedef struct records_call {
  const char *ask; /* the call that tells the size of a workspace */
  const char *field_name;
  const char *count_name; /* of the fields */
  cdp_sort_field fields[CDP_FIELDS_MAX];
  size_t field_count;
  bool has_fields; /* they are not NULL; of more than CDP_FIELDS_MAX none is read */
  bool is_records;
  bool is_apart; /* of copy.h */
  const void *records;
  void *sorted_records; /* the same, unless they are apart */
  size_t record_bytes;
  void *indices;
  size_t index_bytes;
  size_t count;
  const cdp_options *options;
} records_call;

/* A call that has been read, and its plan. */
typedef struct records_job {
  const records_call *call;
  const cdp_arguments *arguments;
  cdp_records_plan plan;
} records_job;

/* The least count for which there is something to do. */
static size_t least_count(const records_call *call) {
  return call->is_records && !call->is_apart ? 2 : 1;
}

/* ---- Arguments --------------------------------------------------------------------------------------------------------- */

static cdp_status check_field(const records_call *call, uint32_t index) {
  const cdp_sort_field *field = &call->fields[index];
  const uint32_t bytes = cdp_engine_key_bytes(field->type);
  const size_t offset = (size_t)field->offset;
  if (bytes == 0)
    return cdp_fail(CDP_ERROR_TYPE, 0, "%s[%u].type is %d: choose one of cdp_type, CDP_U32 (%d) to CDP_BF16 (%d)",
                    call->field_name, index, (int)field->type, (int)CDP_U32, (int)CDP_BF16);
  if (field->order != CDP_ASCENDING && field->order != CDP_DESCENDING)
    return cdp_fail(CDP_ERROR_OPTION, 0, "%s[%u].order is %d: choose CDP_ASCENDING (0) or CDP_DESCENDING (1)", call->field_name,
                    index, (int)field->order);
  if (call->is_records && (bytes > call->record_bytes || offset > call->record_bytes - bytes))
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "%s[%u] has %u bytes at offset %zu, and record_bytes is %zu: give fields that lie within the record",
                    call->field_name, index, bytes, offset, call->record_bytes);
  return CDP_OK;
}

static cdp_status check_fields(const records_call *call) {
  cdp_status status = CDP_OK;
  if (call->field_count == 0 || call->field_count > CDP_FIELDS_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0, "%s is %zu: a call takes 1 to CDP_FIELDS_MAX (%d)", call->count_name, call->field_count,
                    CDP_FIELDS_MAX);
  if (!call->has_fields)
    return cdp_fail(CDP_ERROR_NULL, 0, "%s is NULL: give a pointer to %zu of them", call->field_name, call->field_count);
  for (uint32_t index = 0; index < call->field_count; index++)
    TRY(check_field(call, index));
cleanup:
  return status;
}

/* All that needs no pointer to data. */
static cdp_status read_call(const records_call *call, cdp_arguments *arguments) {
  cdp_status status;
  TRY(cdp_arguments_read_payload(call->count, CDP_U64, call->options, arguments));
  if (arguments->settings.order != CDP_ASCENDING)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "options.order is CDP_DESCENDING (%d): leave it at CDP_ASCENDING (%d); each of %s has an order of its own",
                    (int)CDP_DESCENDING, (int)CDP_ASCENDING, call->field_name);
  if (call->is_records)
    TRY(cdp_payload_check_value_bytes("record_bytes", call->record_bytes, call->count));
  else
    TRY(cdp_payload_check_index_bytes(call->index_bytes));
  TRY(check_fields(call));
cleanup:
  return status;
}

/* The arrays of a call of at least one row. */
static cdp_status list_arrays(const records_call *call, cdp_array_list *list) {
  const size_t bytes = call->count * call->record_bytes;
  char name[CDP_ARRAY_NAME_BYTES];
  cdp_status status = CDP_OK;
  list->count = 0;
  if (call->is_records) {
    if (call->records == NULL)
      return cdp_fail(CDP_ERROR_NULL, 0, "records is NULL: give a pointer to the records; NULL is only for a count of 0");
    cdp_array_list_add(list, "records", call->records, call->is_apart ? NULL : call->sorted_records, bytes);
    if (!call->is_apart)
      return CDP_OK;
    if (call->sorted_records == NULL)
      return cdp_fail(CDP_ERROR_NULL, 0, "sorted_records is NULL: give a pointer to as many records");
    cdp_array_list_add(list, "sorted_records", NULL, call->sorted_records, bytes);
    return cdp_array_list_check_overlap(list);
  }
  for (uint32_t index = 0; index < call->field_count; index++) {
    const cdp_sort_field *field = &call->fields[index];
    const uint32_t key_bytes = cdp_engine_key_bytes(field->type);
    (void)snprintf(name, sizeof name, "%s[%u].keys", call->field_name, index);
    TRY(cdp_arguments_check_keys(name, field->d_first, key_bytes));
    cdp_array_list_add(list, name, field->d_first, NULL, call->count * key_bytes);
  }
  TRY(cdp_payload_check_indices(call->indices, call->index_bytes, call->count));
  cdp_array_list_add(list, "indices", NULL, call->indices, call->count * call->index_bytes);
  TRY(cdp_array_list_check_overlap(list));
cleanup:
  return status;
}

/* ---- What is done ------------------------------------------------------------------------------------------------------ */

static cdp_records_request request_of(const records_call *call, const cdp_settings *settings) {
  cdp_records_request request = {.ties = settings->ties,
                                 .count = call->count,
                                 .field_count = (uint32_t)call->field_count,
                                 .record_bytes = call->record_bytes,
                                 .is_apart = call->is_apart,
                                 .index_bytes = (uint32_t)call->index_bytes};
  for (size_t index = 0; index < call->field_count; index++) {
    request.fields[index] = call->fields[index];
    request.fields[index].stride = call->is_records ? call->record_bytes : cdp_engine_key_bytes(call->fields[index].type);
  }
  return request;
}

static cdp_status make_plan(void *context, const cdp_device *device, bool is_captured, size_t *workspace_bytes) {
  records_job *job = context;
  const uint64_t most = PTRDIFF_MAX;
  const cdp_settings *settings = &job->arguments->settings;
  const cdp_records_request request = request_of(job->call, settings);
  if (cdp_engine_plan_records(settings, &request, &device->facts, is_captured, &job->plan) != CDP_OK ||
      job->plan.workspace_bytes > most)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: so many rows and their workspace cannot be addressed; give fewer at a time",
                    job->call->count);
  *workspace_bytes = (size_t)job->plan.workspace_bytes;
  return CDP_OK;
}

static void place(void *context, const cdp_array *arrays, void *d_workspace) {
  const records_job *job = context;
  cdp_records_plan *plan = &((records_job *)context)->plan;
  cdp_records_request *asked = &plan->asked;
  plan->d_workspace = d_workspace;
  if (job->call->is_records) {
    asked->d_records = arrays[0].d_source;
    asked->d_sorted_records = arrays[asked->is_apart ? 1 : 0].d_target;
    for (uint32_t index = 0; index < asked->field_count; index++)
      asked->fields[index].d_first = (const unsigned char *)asked->d_records + asked->fields[index].offset;
    return;
  }
  for (uint32_t index = 0; index < asked->field_count; index++)
    asked->fields[index].d_first = (arrays++)->d_source;
  asked->d_indices = arrays->d_target;
}

static cdp_status launch(void *context, const cdp_engine *engine, void *stream, cdp_fault *fault) {
  return engine->launch_records(&((records_job *)context)->plan, stream, fault);
}

static const cdp_array_work sorting = {"sorting", "launching the sort", make_plan, place, launch, NULL};

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

/* In stream order, or blocking if `order` is NULL. */
static cdp_status sort(const records_call *call, const cdp_stream_order *order) {
  cdp_arguments arguments;
  cdp_array_list list;
  records_job job = {.call = call, .arguments = &arguments};
  const cdp_array_call whole = {&arguments, &list, &sorting, &job, call->ask};
  cdp_status status;
  cdp_message_clear();
  TRY(read_call(call, &arguments));
  if (call->count == 0)
    goto cleanup;
  TRY(list_arrays(call, &list));
  if (call->count < least_count(call))
    goto cleanup;
  TRY(order != NULL ? cdp_array_call_launch(&whole, order) : cdp_array_call_do(&whole));
cleanup:
  return status;
}

static cdp_status tell_workspace(const records_call *call, size_t *workspace_bytes) {
  cdp_arguments arguments;
  records_job job = {.call = call, .arguments = &arguments};
  const cdp_array_call whole = {&arguments, NULL, &sorting, &job, call->ask};
  size_t bytes = 0;
  cdp_status status;
  cdp_message_clear();
  TRY(read_call(call, &arguments));
  TRY(cdp_arguments_check_answer(workspace_bytes));
  if (call->count >= least_count(call))
    TRY(cdp_array_call_ask(&whole, &bytes));
  *workspace_bytes = bytes;
cleanup:
  return status;
}

/* How many fields may be read. None of a count that will be refused: the caller's array may be shorter than that. */
static size_t readable_fields(const void *fields, size_t field_count) {
  return fields != NULL && field_count <= CDP_FIELDS_MAX ? field_count : 0;
}

/* ---- Records ----------------------------------------------------------------------------------------------------------- */

static records_call records_of(const void *records, void *sorted_records, size_t count, size_t record_bytes,
                               const cdp_field *fields, size_t field_count, const cdp_options *options) {
  records_call call = {.ask = "cdp_sort_records_workspace()",
                       .field_name = "fields",
                       .count_name = "field_count",
                       .field_count = field_count,
                       .has_fields = fields != NULL,
                       .is_records = true,
                       .records = records,
                       .sorted_records = sorted_records,
                       .record_bytes = record_bytes,
                       .count = count,
                       .options = options};
  for (size_t index = 0; index < readable_fields(fields, field_count); index++)
    call.fields[index] =
        (cdp_sort_field){.offset = fields[index].offset, .type = fields[index].type, .order = fields[index].order};
  return call;
}

cdp_status cdp_sort_records(void *records, size_t count, size_t record_bytes, const cdp_field *fields, size_t field_count,
                            const cdp_options *options) {
  const records_call call = records_of(records, records, count, record_bytes, fields, field_count, options);
  return sort(&call, NULL);
}

cdp_status cdp_sort_records_workspace(size_t count, size_t record_bytes, const cdp_field *fields, size_t field_count,
                                      const cdp_options *options, size_t *workspace_bytes) {
  const records_call call = records_of(NULL, NULL, count, record_bytes, fields, field_count, options);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_sort_records_async(void *d_records, size_t count, size_t record_bytes, const cdp_field *fields,
                                  size_t field_count, const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                                  void *stream) {
  const records_call call = records_of(d_records, d_records, count, record_bytes, fields, field_count, options);
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(&call, &order);
}

cdp_status cdp_sort_records_on_stream(void *d_records, size_t count, size_t record_bytes, const cdp_field *fields,
                                      size_t field_count, const cdp_options *options, void *stream) {
  const records_call call = records_of(d_records, d_records, count, record_bytes, fields, field_count, options);
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(&call, &order);
}

static records_call records_copy_of(const void *records, void *sorted_records, size_t count, size_t record_bytes,
                                    const cdp_field *fields, size_t field_count, const cdp_options *options) {
  records_call call = records_of(records, sorted_records, count, record_bytes, fields, field_count, options);
  call.ask = "cdp_sort_records_copy_workspace()";
  call.is_apart = true;
  return call;
}

cdp_status cdp_sort_records_copy(const void *records, void *sorted_records, size_t count, size_t record_bytes,
                                 const cdp_field *fields, size_t field_count, const cdp_options *options) {
  const records_call call = records_copy_of(records, sorted_records, count, record_bytes, fields, field_count, options);
  return sort(&call, NULL);
}

cdp_status cdp_sort_records_copy_workspace(size_t count, size_t record_bytes, const cdp_field *fields, size_t field_count,
                                           const cdp_options *options, size_t *workspace_bytes) {
  const records_call call = records_copy_of(NULL, NULL, count, record_bytes, fields, field_count, options);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_sort_records_copy_async(const void *d_records, void *d_sorted_records, size_t count, size_t record_bytes,
                                       const cdp_field *fields, size_t field_count, const cdp_options *options,
                                       void *d_workspace, size_t workspace_bytes, void *stream) {
  const records_call call = records_copy_of(d_records, d_sorted_records, count, record_bytes, fields, field_count, options);
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(&call, &order);
}

cdp_status cdp_sort_records_copy_on_stream(const void *d_records, void *d_sorted_records, size_t count, size_t record_bytes,
                                           const cdp_field *fields, size_t field_count, const cdp_options *options,
                                           void *stream) {
  const records_call call = records_copy_of(d_records, d_sorted_records, count, record_bytes, fields, field_count, options);
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(&call, &order);
}

/* ---- Columns ----------------------------------------------------------------------------------------------------------- */

static records_call columns_of(const cdp_key_column *columns, size_t column_count, void *indices, size_t index_bytes,
                               size_t count, const cdp_options *options) {
  records_call call = {.ask = "cdp_argsort_columns_workspace()",
                       .field_name = "columns",
                       .count_name = "column_count",
                       .field_count = column_count,
                       .has_fields = columns != NULL,
                       .indices = indices,
                       .index_bytes = index_bytes,
                       .count = count,
                       .options = options};
  for (size_t index = 0; index < readable_fields(columns, column_count); index++)
    call.fields[index] =
        (cdp_sort_field){.d_first = columns[index].keys, .type = columns[index].type, .order = columns[index].order};
  return call;
}

cdp_status cdp_argsort_columns(const cdp_key_column *columns, size_t column_count, void *indices, size_t index_bytes,
                               size_t count, const cdp_options *options) {
  const records_call call = columns_of(columns, column_count, indices, index_bytes, count, options);
  return sort(&call, NULL);
}

cdp_status cdp_argsort_columns_workspace(const cdp_key_column *columns, size_t column_count, size_t count,
                                         const cdp_options *options, size_t *workspace_bytes) {
  const records_call call = columns_of(columns, column_count, NULL, sizeof(uint32_t), count, options);
  return tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_argsort_columns_async(const cdp_key_column *columns, size_t column_count, void *d_indices, size_t index_bytes,
                                     size_t count, const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                                     void *stream) {
  const records_call call = columns_of(columns, column_count, d_indices, index_bytes, count, options);
  const cdp_stream_order order = {.stream = stream, .d_workspace = d_workspace, .workspace_bytes = workspace_bytes};
  return sort(&call, &order);
}

cdp_status cdp_argsort_columns_on_stream(const cdp_key_column *columns, size_t column_count, void *d_indices,
                                         size_t index_bytes, size_t count, const cdp_options *options, void *stream) {
  const records_call call = columns_of(columns, column_count, d_indices, index_bytes, count, options);
  const cdp_stream_order order = {.stream = stream, .allocates = true};
  return sort(&call, &order);
}
