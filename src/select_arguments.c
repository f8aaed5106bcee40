/* SPDX-License-Identifier: MIT */
/*
 * See select_arguments.h.
 */
#include "select_arguments.h"

#include "options.h"
#include "payload_arguments.h"
#include "status.h"

#include <stdio.h>

static cdp_status read_top(const cdp_top *given, cdp_top *top) {
  static const cdp_structure kind = {"top", "cdp_top", "CDP_TOP_INIT", sizeof(cdp_top)};
  const cdp_top nothing = CDP_TOP_INIT;
  cdp_status status = CDP_OK;
  *top = nothing;
  if (given == NULL)
    return CDP_OK;
  TRY(cdp_structure_read(&kind, given, top));
  const int32_t order = (int32_t)top->order;
  if (order != CDP_TOP_SORTED && order != CDP_TOP_UNSORTED)
    return cdp_fail(CDP_ERROR_OPTION, 0, "top.order is %d: choose CDP_TOP_SORTED (%d) or CDP_TOP_UNSORTED (%d)", order,
                    (int)CDP_TOP_SORTED, (int)CDP_TOP_UNSORTED);
  for (size_t index = 0; index < sizeof top->reserved / sizeof top->reserved[0]; index++)
    if (top->reserved[index] != 0)
      return cdp_fail(CDP_ERROR_OPTION, 0,
                      "top.reserved[%zu] is not 0: initialise the top with CDP_TOP_INIT and leave it alone", index);
cleanup:
  return status;
}

static void name_column(size_t column, const char *field, char *name) {
  (void)snprintf(name, CDP_ARRAY_NAME_BYTES, "columns[%u].%s", (unsigned)column, field);
}

/* The sizes of what goes with the top keys. */
static cdp_status check_top_sizes(const select_call *call) {
  char name[CDP_ARRAY_NAME_BYTES];
  cdp_status status = CDP_OK;
  if (call->top.index_bytes != 0)
    TRY(cdp_payload_check_index_bytes(call->top.index_bytes));
  TRY(cdp_payload_check_column_count(call->top.column_count, call->top.columns));
  for (size_t column = 0; column < call->top.column_count; column++) {
    name_column(column, "value_bytes", name);
    TRY(cdp_payload_check_value_bytes(name, call->top.columns[column].value_bytes, call->count));
  }
cleanup:
  return status;
}

static cdp_status check_ranks(const select_call *call) {
  if (call->rank_count > CDP_RANKS_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "rank_count is %zu: a call takes CDP_RANKS_MAX (%d) ranks at most; ask for more in several",
                    call->rank_count, CDP_RANKS_MAX);
  if (call->rank_count != 0 && call->count == 0)
    return cdp_fail(CDP_ERROR_SIZE, 0, "count is 0, and rank_count is %zu: no key has a rank; give keys, or no rank",
                    call->rank_count);
  if (call->is_question || call->rank_count == 0)
    return CDP_OK;
  if (call->ranks == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "ranks is NULL, and rank_count is %zu: give a pointer to so many ranks, in host memory",
                    call->rank_count);
  for (size_t index = 0; index < call->rank_count; index++)
    if (call->ranks[index] >= call->count)
      return cdp_fail(CDP_ERROR_SIZE, 0, "ranks[%zu] is %llu, and count is %zu: the last key's rank is count - 1", index,
                      (unsigned long long)call->ranks[index], call->count);
  return CDP_OK;
}

static cdp_status check_wanted(const select_call *call) {
  if (call->kind == CDP_SELECT_QUANTILES)
    return check_ranks(call);
  if (call->wants_rank && call->count != 0 && call->wanted >= call->count)
    return cdp_fail(CDP_ERROR_SIZE, 0, "rank is %zu, and count is %zu: the last key's rank is count - 1", call->wanted,
                    call->count);
  if (!call->wants_rank && call->wanted > call->count)
    return cdp_fail(CDP_ERROR_SIZE, 0, "%s is %zu, and count is %zu: there are not so many keys; give count at most",
                    call->wanted_name, call->wanted, call->count);
  return CDP_OK;
}

cdp_status cdp_select_read(select_call *call, cdp_arguments *arguments) {
  cdp_status status;
  TRY(read_top(call->given, &call->top));
  if (call->kind == CDP_SELECT_TOP)
    call->is_sorted = call->top.order == CDP_TOP_SORTED;
  if (call->top.index_bytes != 0 || call->top.column_count != 0)
    TRY(cdp_arguments_read_payload(call->count, call->type, call->options, arguments));
  else
    TRY(cdp_arguments_read(call->count, call->type, call->options, arguments));
  TRY(check_top_sizes(call));
  TRY(check_wanted(call));
  call->rank = call->wants_rank || call->wanted == 0 ? call->wanted : call->wanted - 1;
  call->is_idle =
      call->kind == CDP_SELECT_QUANTILES ? call->rank_count == 0 : call->count == 0 || (!call->wants_rank && call->wanted == 0);
cleanup:
  return status;
}

static cdp_status list_columns(const select_call *call, cdp_array_list *list) {
  char name[CDP_ARRAY_NAME_BYTES];
  for (size_t column = 0; column < call->top.column_count; column++) {
    const cdp_top_column *values = &call->top.columns[column];
    name_column(column, values->values == NULL ? "values" : "top_values", name);
    if (values->values == NULL || values->top_values == NULL)
      return cdp_fail(CDP_ERROR_NULL, 0, "%s is NULL: give a pointer to the values", name);
    cdp_array_list_add(list, name, NULL, values->top_values, (call->rank + 1) * values->value_bytes);
    name_column(column, "values", name);
    cdp_array_list_add(list, name, values->values, NULL, call->count * values->value_bytes);
  }
  return CDP_OK;
}

/* Top keys, and what goes with them. */
static cdp_status list_top(const select_call *call, const cdp_arguments *arguments, cdp_array_list *list) {
  const size_t top_items = call->rank + 1;
  cdp_status status = CDP_OK;
  if (call->top_keys == NULL && call->top.index_bytes == 0 && call->top.column_count == 0)
    return cdp_fail(CDP_ERROR_NULL, 0, "top_keys is NULL, and nothing else is wanted: give a pointer to %zu keys", top_items);
  if (call->top_keys != NULL) {
    TRY(cdp_arguments_check_keys("top_keys", call->top_keys, arguments->key_bytes));
    cdp_array_list_add(list, "top_keys", NULL, call->top_keys, top_items * arguments->key_bytes);
  }
  if (call->top.index_bytes != 0) {
    TRY(cdp_payload_check_indices(call->top.indices, call->top.index_bytes, top_items));
    cdp_array_list_add(list, "indices", NULL, call->top.indices, top_items * call->top.index_bytes);
  }
  TRY(list_columns(call, list));
cleanup:
  return status;
}

cdp_status cdp_select_list(const select_call *call, const cdp_arguments *arguments, cdp_array_list *list) {
  cdp_status status;
  list->count = 0;
  TRY(cdp_arguments_check_keys("keys", call->keys, arguments->key_bytes));
  cdp_array_list_add(list, "keys", call->keys, call->keys_in_place, call->count * arguments->key_bytes);
  if (call->kind == CDP_SELECT_TOP)
    TRY(list_top(call, arguments, list));
  if (call->kind == CDP_SELECT_QUANTILES) {
    TRY(cdp_arguments_check_keys("found", call->found, arguments->key_bytes));
    cdp_array_list_add(list, "found", NULL, call->found, call->rank_count * arguments->key_bytes);
  }
  TRY(cdp_array_list_check_overlap(list));
cleanup:
  return status;
}

cdp_select_request cdp_select_request_of(const select_call *call, const cdp_settings *settings) {
  const bool has_one_rank = call->kind != CDP_SELECT_QUANTILES;
  cdp_select_request request = {.kind = call->kind,
                                .type = call->type,
                                .order = settings->order,
                                .ties = settings->ties,
                                .count = call->count,
                                .d_keys = call->keys,
                                .rank_count = has_one_rank ? 1 : (uint32_t)call->rank_count,
                                .ranks = {call->rank},
                                .d_found = call->found,
                                .is_sorted = call->is_sorted,
                                .d_keys_in_place = call->keys_in_place,
                                .d_top_keys = call->top_keys,
                                .d_indices = call->top.indices,
                                .index_bytes = (uint32_t)call->top.index_bytes,
                                .column_count = (uint32_t)call->top.column_count};
  for (size_t index = 0; index < call->rank_count && call->ranks != NULL; index++)
    request.ranks[index] = call->ranks[index];
  for (size_t column = 0; column < call->top.column_count; column++)
    request.columns[column] = call->top.columns[column];
  return request;
}
