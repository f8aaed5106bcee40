/* SPDX-License-Identifier: MIT */
/*
 * The calls of pairs.h, which payload.h does.
 */
#include "payload.h"

/* ---- Pairs and columns ------------------------------------------------------------------------------------------------- */

static payload_call columns_call(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                 const cdp_options *options) {
  return (payload_call){.ask = "cdp_quicksort_columns_workspace()",
                        .doing = "sorting",
                        .launching = "launching the sort",
                        .keys = keys,
                        .sorted_keys = keys,
                        .columns = columns,
                        .column_count = column_count,
                        .count = count,
                        .type = type,
                        .options = options};
}

static payload_call pairs_call(void *keys, const cdp_column *column, size_t count, cdp_type type, const cdp_options *options) {
  payload_call call = columns_call(keys, column, 1, count, type, options);
  call.ask = "cdp_quicksort_pairs_workspace()";
  call.is_pairs = true;
  return call;
}

cdp_status cdp_quicksort_pairs(void *keys, void *values, size_t value_bytes, size_t count, cdp_type type,
                               const cdp_options *options) {
  const cdp_column column = {values, value_bytes};
  const payload_call call = pairs_call(keys, &column, count, type, options);
  return payload_do(&call);
}

cdp_status cdp_quicksort_pairs_workspace(size_t value_bytes, size_t count, cdp_type type, const cdp_options *options,
                                         size_t *workspace_bytes) {
  const cdp_column column = {NULL, value_bytes};
  const payload_call call = pairs_call(NULL, &column, count, type, options);
  return payload_tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_quicksort_pairs_async(void *d_keys, void *d_values, size_t value_bytes, size_t count, cdp_type type,
                                     const cdp_options *options, void *d_workspace, size_t workspace_bytes, void *stream) {
  const cdp_column column = {d_values, value_bytes};
  return payload_launch(pairs_call(d_keys, &column, count, type, options), d_workspace, workspace_bytes, stream);
}

cdp_status cdp_quicksort_pairs_on_stream(void *d_keys, void *d_values, size_t value_bytes, size_t count, cdp_type type,
                                         const cdp_options *options, void *stream) {
  const cdp_column column = {d_values, value_bytes};
  return payload_launch_allocating(pairs_call(d_keys, &column, count, type, options), stream);
}

cdp_status cdp_quicksort_columns(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                 const cdp_options *options) {
  const payload_call call = columns_call(keys, columns, column_count, count, type, options);
  return payload_do(&call);
}

cdp_status cdp_quicksort_columns_workspace(const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                           const cdp_options *options, size_t *workspace_bytes) {
  const payload_call call = columns_call(NULL, columns, column_count, count, type, options);
  return payload_tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_quicksort_columns_async(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                       cdp_type type, const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                                       void *stream) {
  return payload_launch(columns_call(d_keys, columns, column_count, count, type, options), d_workspace, workspace_bytes,
                        stream);
}

cdp_status cdp_quicksort_columns_on_stream(void *d_keys, const cdp_column *columns, size_t column_count, size_t count,
                                           cdp_type type, const cdp_options *options, void *stream) {
  return payload_launch_allocating(columns_call(d_keys, columns, column_count, count, type, options), stream);
}

/* ---- Argsort ----------------------------------------------------------------------------------------------------------- */

static payload_call argsort_call(const void *keys, void *sorted_keys, void *indices, size_t index_bytes, size_t count,
                                 cdp_type type, const cdp_options *options) {
  return (payload_call){.ask = "cdp_argsort_workspace()",
                        .doing = "sorting",
                        .launching = "launching the sort",
                        .keys = keys,
                        .sorted_keys = sorted_keys,
                        .indices = indices,
                        .index_bytes = index_bytes,
                        .has_indices = true,
                        .count = count,
                        .type = type,
                        .options = options};
}

cdp_status cdp_argsort(const void *keys, void *sorted_keys, void *indices, size_t index_bytes, size_t count, cdp_type type,
                       const cdp_options *options) {
  const payload_call call = argsort_call(keys, sorted_keys, indices, index_bytes, count, type, options);
  return payload_do(&call);
}

cdp_status cdp_argsort_workspace(size_t count, cdp_type type, const cdp_options *options, size_t *workspace_bytes) {
  const payload_call call = argsort_call(NULL, NULL, NULL, sizeof(uint32_t), count, type, options);
  return payload_tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_argsort_async(const void *d_keys, void *d_sorted_keys, void *d_indices, size_t index_bytes, size_t count,
                             cdp_type type, const cdp_options *options, void *d_workspace, size_t workspace_bytes,
                             void *stream) {
  return payload_launch(argsort_call(d_keys, d_sorted_keys, d_indices, index_bytes, count, type, options), d_workspace,
                        workspace_bytes, stream);
}

cdp_status cdp_argsort_on_stream(const void *d_keys, void *d_sorted_keys, void *d_indices, size_t index_bytes, size_t count,
                                 cdp_type type, const cdp_options *options, void *stream) {
  return payload_launch_allocating(argsort_call(d_keys, d_sorted_keys, d_indices, index_bytes, count, type, options), stream);
}
