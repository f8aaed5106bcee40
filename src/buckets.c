/* SPDX-License-Identifier: MIT */
/*
 * The calls of buckets.h, which payload.h does: columns that are divided rather than sorted.
 */
#include "payload.h"

#include <cdpsort/buckets.h>

static payload_call divide_call(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                const cdp_options *options, const void *splitters, size_t splitter_count, uint64_t *begins) {
  return (payload_call){.ask = "cdp_divide_workspace()",
                        .doing = "dividing",
                        .launching = "launching the division",
                        .keys = keys,
                        .sorted_keys = keys,
                        .columns = columns,
                        .column_count = column_count,
                        .count = count,
                        .type = type,
                        .options = options,
                        .divides = true,
                        .splitters = splitters,
                        .splitter_count = splitter_count,
                        .begins = begins};
}

cdp_status cdp_divide(void *keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                      const cdp_options *options, const void *splitters, size_t splitter_count, uint64_t *begins) {
  const payload_call call = divide_call(keys, columns, column_count, count, type, options, splitters, splitter_count, begins);
  return payload_do(&call);
}

cdp_status cdp_divide_workspace(const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                const cdp_options *options, size_t splitter_count, size_t *workspace_bytes) {
  const payload_call call = divide_call(NULL, columns, column_count, count, type, options, NULL, splitter_count, NULL);
  return payload_tell_workspace(&call, workspace_bytes);
}

cdp_status cdp_divide_async(void *d_keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                            const cdp_options *options, const void *d_splitters, size_t splitter_count, uint64_t *d_begins,
                            void *d_workspace, size_t workspace_bytes, void *stream) {
  return payload_launch(divide_call(d_keys, columns, column_count, count, type, options, d_splitters, splitter_count, d_begins),
                        d_workspace, workspace_bytes, stream);
}

cdp_status cdp_divide_on_stream(void *d_keys, const cdp_column *columns, size_t column_count, size_t count, cdp_type type,
                                const cdp_options *options, const void *d_splitters, size_t splitter_count, uint64_t *d_begins,
                                void *stream) {
  return payload_launch_allocating(
      divide_call(d_keys, columns, column_count, count, type, options, d_splitters, splitter_count, d_begins), stream);
}
