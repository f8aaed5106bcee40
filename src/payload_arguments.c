/* SPDX-License-Identifier: MIT */
/*
 * See payload_arguments.h.
 */
#include "payload_arguments.h"

#include "status.h"

#include <stdio.h>

/* A value's size in a call of `count` of them: the bytes of them all can be addressed. */
static cdp_status check_value_bytes(const char *name, size_t value_bytes, size_t count) {
  const uint64_t wide_bytes = value_bytes;
  if (value_bytes == 0)
    return cdp_fail(CDP_ERROR_SIZE, 0, "%s is 0: give the size of a value in bytes", name);
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
    (void)snprintf(name, PAYLOAD_NAME_BYTES, "%s", field);
  else
    (void)snprintf(name, PAYLOAD_NAME_BYTES, "columns[%u].%s", (unsigned)column, field);
}

cdp_status payload_read(const payload_call *call, cdp_arguments *arguments) {
  char name[PAYLOAD_NAME_BYTES];
  cdp_status status;
  TRY(cdp_arguments_read_payload(call->count, call->type, call->options, arguments));
  if (call->has_indices && call->index_bytes != sizeof(uint32_t) && call->index_bytes != sizeof(uint64_t))
    return cdp_fail(CDP_ERROR_SIZE, 0, "index_bytes is %zu: an index has 4 bytes or 8", call->index_bytes);
  if (call->splitter_count > CDP_SPLITTERS_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "splitter_count is %zu: a call takes CDP_SPLITTERS_MAX (%d) splitters at most; divide by some of them, and "
                    "the buckets by the others",
                    call->splitter_count, CDP_SPLITTERS_MAX);
  if (call->column_count > CDP_COLUMNS_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "column_count is %zu: a call takes CDP_COLUMNS_MAX (%d) columns at most; sort more by the indices of "
                    "cdp_argsort()",
                    call->column_count, CDP_COLUMNS_MAX);
  if (call->column_count != 0 && call->columns == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "columns is NULL, and column_count is %zu: give a pointer to so many columns",
                    call->column_count);
  for (size_t column = 0; column < call->column_count; column++) {
    name_column(call, column, "value_bytes", name);
    TRY(check_value_bytes(name, call->columns[column].value_bytes, call->count));
  }
cleanup:
  return status;
}

const void *payload_address(const payload_array *array) {
  return array->source != NULL ? array->source : array->target;
}

static void add(payload_arrays *list, const char *name, const void *source, void *target, size_t bytes) {
  payload_array *array = &list->arrays[list->count++];
  *array = (payload_array){.source = source, .target = target, .bytes = bytes};
  (void)snprintf(array->name, sizeof array->name, "%s", name);
}

static cdp_status check_indices(const payload_call *call) {
  if (call->indices == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "indices is NULL: give a pointer to %zu indices; NULL is only for a count of 0",
                    call->count);
  if ((uintptr_t)call->indices % call->index_bytes != 0)
    return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "indices is %p, which is not a multiple of %zu: align them to their own size",
                    call->indices, call->index_bytes);
  return CDP_OK;
}

static cdp_status check_no_overlap(const payload_arrays *list) {
  for (size_t one = 0; one < list->count; one++)
    for (size_t other = one + 1; other < list->count; other++) {
      const payload_array *a = &list->arrays[one];
      const payload_array *b = &list->arrays[other];
      if (cdp_arguments_overlap(payload_address(a), a->bytes, payload_address(b), b->bytes))
        return cdp_fail(CDP_ERROR_POINTER, 0, "%s and %s overlap: give each array memory of its own", a->name, b->name);
    }
  return CDP_OK;
}

/* What a division has beside keys and columns. */
static cdp_status list_division(const payload_call *call, const cdp_arguments *arguments, payload_arrays *list) {
  const size_t splitters_bytes = call->splitter_count * arguments->key_bytes;
  if (call->splitter_count != 0 && call->splitters == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "splitters is NULL, and splitter_count is %zu: give a pointer to so many keys",
                    call->splitter_count);
  if (call->splitter_count != 0 && (uintptr_t)call->splitters % arguments->key_bytes != 0)
    return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "splitters is %p, which is not a multiple of %u: align them to the size of a key",
                    call->splitters, arguments->key_bytes);
  if (call->begins == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "begins is NULL: give a pointer to splitter_count + 2 (%zu) numbers of 8 bytes",
                    call->splitter_count + 2);
  if ((uintptr_t)call->begins % sizeof *call->begins != 0)
    return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "begins is %p, which is not a multiple of 8: align it to its own size",
                    (const void *)call->begins);
  if (call->splitter_count != 0)
    add(list, "splitters", call->splitters, NULL, splitters_bytes);
  add(list, "begins", NULL, call->begins, (call->splitter_count + 2) * sizeof *call->begins);
  return CDP_OK;
}

static cdp_status list_columns(const payload_call *call, payload_arrays *list) {
  char name[PAYLOAD_NAME_BYTES];
  for (size_t column = 0; column < call->column_count; column++) {
    const cdp_column *values = &call->columns[column];
    name_column(call, column, "values", name);
    if (values->values == NULL)
      return cdp_fail(CDP_ERROR_NULL, 0, "%s is NULL: give a pointer to the values; NULL is only for a count of 0", name);
    add(list, name, values->values, values->values, call->count * values->value_bytes);
  }
  return CDP_OK;
}

static cdp_status list_keys(const payload_call *call, const cdp_arguments *arguments, payload_arrays *list) {
  const bool in_place = call->sorted_keys == call->keys;
  const size_t keys_bytes = call->count * arguments->key_bytes;
  cdp_status status;
  TRY(cdp_arguments_check_keys("keys", call->keys, arguments->key_bytes));
  add(list, "keys", call->keys, in_place ? call->sorted_keys : NULL, keys_bytes);
  if (call->sorted_keys != NULL && !in_place) {
    TRY(cdp_arguments_check_keys("sorted_keys", call->sorted_keys, arguments->key_bytes));
    add(list, "sorted_keys", NULL, call->sorted_keys, keys_bytes);
  }
cleanup:
  return status;
}

/* Without a key nothing goes with it, and there are no indices. */
cdp_status payload_list(const payload_call *call, const cdp_arguments *arguments, payload_arrays *list) {
  cdp_status status;
  list->count = 0;
  if (call->count != 0)
    TRY(list_keys(call, arguments, list));
  if (call->has_indices) {
    TRY(check_indices(call));
    add(list, "indices", NULL, call->indices, call->count * call->index_bytes);
  }
  if (call->divides)
    TRY(list_division(call, arguments, list));
  if (call->count != 0)
    TRY(list_columns(call, list));
  TRY(check_no_overlap(list));
cleanup:
  return status;
}

cdp_status payload_check_order(const payload_call *call, const cdp_settings *settings) {
  const cdp_payload_request request = payload_request_of(call, settings);
  const size_t ordered = cdp_engine_ordered_splitters(&request, call->splitters);
  if (ordered == call->splitter_count)
    return CDP_OK;
  return cdp_fail(
      CDP_ERROR_ORDER, 0,
      "splitters[%zu] comes before splitters[%zu] in the order of this call: sort the splitters, as cdp_quicksort() "
      "does with the same options",
      ordered, ordered - 1);
}

cdp_payload_request payload_request_of(const payload_call *call, const cdp_settings *settings) {
  cdp_payload_request request = {.type = call->type,
                                 .order = settings->order,
                                 .ties = settings->ties,
                                 .count = call->count,
                                 .d_keys = call->keys,
                                 .d_sorted_keys = call->sorted_keys,
                                 .d_indices = call->indices,
                                 .index_bytes = (uint32_t)call->index_bytes,
                                 .column_count = (uint32_t)call->column_count,
                                 .divides = call->divides,
                                 .splitter_count = (uint32_t)call->splitter_count,
                                 .d_splitters = call->splitters,
                                 .d_begins = call->begins};
  for (size_t column = 0; column < call->column_count; column++)
    request.columns[column] = call->columns[column];
  return request;
}
