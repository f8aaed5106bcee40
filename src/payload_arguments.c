/* SPDX-License-Identifier: MIT */
/*
 * See payload_arguments.h.
 */
#include "payload_arguments.h"

#include "status.h"

#include <stdio.h>

/* How many columns may be read. None of a count that will be refused: the caller's array may be shorter than that. */
static size_t readable_columns(const void *columns, size_t column_count) {
  return columns != NULL && column_count <= CDP_COLUMNS_MAX ? column_count : 0;
}

payload_call cdp_payload_columns_call(const char *ask, void *keys, const cdp_column *columns, size_t column_count, size_t count,
                                      cdp_type type, const cdp_options *options) {
  payload_call call = {.ask = ask,
                       .keys = keys,
                       .sorted_keys = keys,
                       .column_count = column_count,
                       .has_columns = columns != NULL,
                       .count = count,
                       .type = type,
                       .options = options};
  for (size_t column = 0; column < readable_columns(columns, column_count); column++)
    call.columns[column] = (cdp_payload_column){columns[column].values, columns[column].values, columns[column].value_bytes};
  return call;
}

payload_call cdp_payload_columns_copy_call(const char *ask, const void *keys, void *sorted_keys, const cdp_column_copy *columns,
                                           size_t column_count, size_t count, cdp_type type, const cdp_options *options) {
  payload_call call = {.ask = ask,
                       .keys = keys,
                       .sorted_keys = sorted_keys,
                       .column_count = column_count,
                       .has_columns = columns != NULL,
                       .is_apart = true,
                       .count = count,
                       .type = type,
                       .options = options};
  for (size_t column = 0; column < readable_columns(columns, column_count); column++)
    call.columns[column] =
        (cdp_payload_column){columns[column].values, columns[column].sorted_values, columns[column].value_bytes};
  return call;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------------ */

cdp_status cdp_payload_check_value_bytes(const char *name, size_t value_bytes, size_t count) {
  const uint64_t wide_bytes = value_bytes;
  if (value_bytes == 0)
    return cdp_fail(CDP_ERROR_SIZE, 0, "%s is 0: give a size in bytes", name);
  if (wide_bytes > UINT32_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0, "%s is %zu: a value has 2^32 - 1 bytes at most; is it the count?", name, value_bytes);
  if (count != 0 && value_bytes > PTRDIFF_MAX / 2 / count)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "%s is %zu and count is %zu: such values and their workspace cannot be addressed; give smaller ones, or "
                    "their indices",
                    name, value_bytes, count);
  return CDP_OK;
}

/* What messages call a field of a column, which in a call of pairs is an argument of its own. */
static void name_column(const payload_call *call, size_t column, const char *field, char *name) {
  if (call->is_pairs)
    (void)snprintf(name, CDP_ARRAY_NAME_BYTES, "%s", field);
  else
    (void)snprintf(name, CDP_ARRAY_NAME_BYTES, "columns[%u].%s", (unsigned)column, field);
}

cdp_status cdp_payload_check_columns(const payload_call *call) {
  char name[CDP_ARRAY_NAME_BYTES];
  cdp_status status;
  TRY(cdp_payload_check_column_count(call->column_count, call->has_columns ? call->columns : NULL));
  for (size_t column = 0; column < call->column_count; column++) {
    name_column(call, column, "value_bytes", name);
    TRY(cdp_payload_check_value_bytes(name, call->columns[column].value_bytes, call->count));
  }
cleanup:
  return status;
}

cdp_status cdp_payload_read(const payload_call *call, cdp_arguments *arguments) {
  cdp_status status;
  TRY(cdp_arguments_read_payload(call->count, call->type, call->options, arguments));
  if (call->has_indices)
    TRY(cdp_payload_check_index_bytes(call->index_bytes));
  TRY(cdp_payload_check_columns(call));
cleanup:
  return status;
}

cdp_status cdp_payload_check_column_count(size_t column_count, const void *columns) {
  if (column_count > CDP_COLUMNS_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "column_count is %zu: a call takes CDP_COLUMNS_MAX (%d) columns at most; sort more by the indices of "
                    "cdp_argsort()",
                    column_count, CDP_COLUMNS_MAX);
  if (column_count != 0 && columns == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "columns is NULL, and column_count is %zu: give a pointer to so many columns",
                    column_count);
  return CDP_OK;
}

cdp_status cdp_payload_check_index_bytes(size_t index_bytes) {
  if (index_bytes == sizeof(uint32_t) || index_bytes == sizeof(uint64_t))
    return CDP_OK;
  return cdp_fail(CDP_ERROR_SIZE, 0, "index_bytes is %zu: an index has 4 bytes or 8", index_bytes);
}

cdp_status cdp_payload_check_indices(const void *indices, size_t index_bytes, size_t count) {
  if (indices == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "indices is NULL: give a pointer to %zu indices; NULL is only for a count of 0", count);
  if ((uintptr_t)indices % index_bytes != 0)
    return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "indices is %p, which is not a multiple of %zu: align them to their own size",
                    indices, index_bytes);
  return CDP_OK;
}

static cdp_status check_values(const char *name, const void *values) {
  if (values != NULL)
    return CDP_OK;
  return cdp_fail(CDP_ERROR_NULL, 0, "%s is NULL: give a pointer to the values; NULL is only for a count of 0", name);
}

cdp_status cdp_payload_list(const payload_call *call, const cdp_arguments *arguments, cdp_array_list *list) {
  const bool in_place = call->sorted_keys == call->keys && !call->is_apart;
  const size_t keys_bytes = call->count * arguments->key_bytes;
  char name[CDP_ARRAY_NAME_BYTES];
  cdp_status status;
  list->count = 0;
  TRY(cdp_arguments_check_keys("keys", call->keys, arguments->key_bytes));
  cdp_array_list_add(list, "keys", call->keys, in_place ? call->sorted_keys : NULL, keys_bytes);
  if (call->is_apart || (call->sorted_keys != NULL && !in_place)) {
    TRY(cdp_arguments_check_keys("sorted_keys", call->sorted_keys, arguments->key_bytes));
    cdp_array_list_add(list, "sorted_keys", NULL, call->sorted_keys, keys_bytes);
  }
  if (call->has_indices) {
    TRY(cdp_payload_check_indices(call->indices, call->index_bytes, call->count));
    cdp_array_list_add(list, "indices", NULL, call->indices, call->count * call->index_bytes);
  }
  for (size_t column = 0; column < call->column_count; column++) {
    const cdp_payload_column *values = &call->columns[column];
    const size_t bytes = call->count * values->value_bytes;
    name_column(call, column, "values", name);
    TRY(check_values(name, values->d_source));
    cdp_array_list_add(list, name, values->d_source, call->is_apart ? NULL : values->d_target, bytes);
    if (!call->is_apart)
      continue;
    name_column(call, column, "sorted_values", name);
    TRY(check_values(name, values->d_target));
    cdp_array_list_add(list, name, NULL, values->d_target, bytes);
  }
  TRY(cdp_array_list_check_overlap(list));
cleanup:
  return status;
}

/* ---- What the engine is told ------------------------------------------------------------------------------------------- */

const cdp_array *cdp_payload_place_columns(cdp_payload_column *columns, size_t column_count, bool is_apart,
                                           const cdp_array *arrays) {
  for (size_t column = 0; column < column_count; column++) {
    columns[column].d_source = arrays->d_source;
    if (is_apart)
      arrays++;
    columns[column].d_target = (arrays++)->d_target;
  }
  return arrays;
}

cdp_payload_request cdp_payload_request_of(const payload_call *call, const cdp_settings *settings) {
  cdp_payload_request request = {.type = call->type,
                                 .order = settings->order,
                                 .ties = settings->ties,
                                 .count = call->count,
                                 .d_keys = call->keys,
                                 .d_sorted_keys = call->sorted_keys,
                                 .d_indices = call->indices,
                                 .index_bytes = (uint32_t)call->index_bytes,
                                 .column_count = (uint32_t)call->column_count,
                                 .is_apart = call->is_apart};
  for (size_t column = 0; column < call->column_count; column++)
    request.columns[column] = call->columns[column];
  return request;
}
