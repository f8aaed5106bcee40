/* SPDX-License-Identifier: MIT */
/*
 * See arguments.h.
 */
#include "arguments.h"

#include "options.h"
#include "status.h"

/* What all calls on keys are checked for. Options and sizes are those of `items`: the keys, or what is sorted in their place. */
static cdp_status read_all(cdp_type type, cdp_type items, const cdp_options *options, cdp_arguments *arguments) {
  cdp_status status;
  *arguments = (cdp_arguments){.key_bytes = cdp_engine_key_bytes(type)};
  if (arguments->key_bytes == 0)
    return cdp_fail(CDP_ERROR_TYPE, 0, "type is %d: choose one of cdp_type, CDP_U32 (%d) to CDP_BF16 (%d)", (int)type,
                    (int)CDP_U32, (int)CDP_BF16);
  TRY(cdp_options_resolve(options, items, &arguments->settings));
  TRY(cdp_device_wish_read(arguments->settings.device, &arguments->wish));
cleanup:
  return status;
}

static bool is_floating(cdp_type type) {
  return type == CDP_F32 || type == CDP_F64 || type == CDP_F16 || type == CDP_BF16;
}

/* Of a call that takes as many keys as there may be. */
static cdp_status check_count(size_t count, uint32_t key_bytes) {
  const uint64_t wide_count = count; // size_t may have 32 bits
  if (wide_count > CDP_COUNT_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: a call takes CDP_COUNT_MAX (%llu) keys at most; give fewer at a time and merge the results",
                    count, (unsigned long long)CDP_COUNT_MAX);
  // Half of what can be addressed, because the workspace holds as many keys again.
  if (count > PTRDIFF_MAX / 2 / key_bytes)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: so many keys of %u bytes and their workspace cannot be addressed; give fewer at a time",
                    count, key_bytes);
  return CDP_OK;
}

cdp_status cdp_arguments_read(size_t count, cdp_type type, const cdp_options *options, cdp_arguments *arguments) {
  cdp_status status;
  TRY(read_all(type, type, options, arguments));
  if (arguments->settings.ties == CDP_TIES_BY_VALUE && is_floating(type))
    return cdp_fail(
        CDP_ERROR_OPTION, 0,
        "options.ties is CDP_TIES_BY_VALUE (%d), and this call takes floating-point keys alone, by all of their bits: leave it "
        "at CDP_TIES_ANY (%d), or call cdp_quicksort_columns(), which takes it, with no column, too",
        (int)CDP_TIES_BY_VALUE, (int)CDP_TIES_ANY);
  TRY(check_count(count, arguments->key_bytes));
cleanup:
  return status;
}

cdp_status cdp_arguments_read_ties(size_t count, cdp_type type, const cdp_options *options, cdp_arguments *arguments) {
  cdp_status status;
  TRY(read_all(type, type, options, arguments));
  TRY(check_count(count, arguments->key_bytes));
cleanup:
  return status;
}

cdp_status cdp_arguments_read_payload(size_t count, cdp_type type, const cdp_options *options, cdp_arguments *arguments) {
  cdp_status status;
  TRY(read_all(type, CDP_U64, options, arguments));
  const uint64_t wide_count = count;
  if (wide_count > CDP_PAIRS_COUNT_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: this call takes CDP_PAIRS_COUNT_MAX (%llu) keys at most; give fewer at a time and put the "
                    "results together",
                    count, (unsigned long long)CDP_PAIRS_COUNT_MAX);
  // As for keys alone, of the items, than which neither keys nor indices are larger.
  if (count > PTRDIFF_MAX / 2 / sizeof(uint64_t))
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: so many keys and their workspace cannot be addressed; give fewer at a time", count);
cleanup:
  return status;
}

cdp_status cdp_arguments_check_recursion(cdp_type type, const char *call) {
  if (cdp_engine_key_bytes(type) == 0 || !cdp_engine_is_counted(type))
    return CDP_OK;
  return cdp_fail(
      CDP_ERROR_TYPE, 0,
      "type is %d: keys of 8 and 16 bits are counted, and not sorted by the recursion that %s is about; cdp_quicksort() "
      "sorts and cdp_divide() divides them, or choose a type from CDP_U32 (%d) to CDP_F64 (%d)",
      (int)type, call, (int)CDP_U32, (int)CDP_F64);
}

cdp_status cdp_arguments_check_keys(const char *name, const void *keys, uint32_t key_bytes) {
  if (keys == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "%s is NULL: give a pointer to the keys; NULL is only for a count of 0", name);
  if ((uintptr_t)keys % key_bytes != 0)
    return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "%s is %p, which is not a multiple of %u: align the keys to their own size", name,
                    keys, key_bytes);
  return CDP_OK;
}

cdp_status cdp_arguments_check_answer(const size_t *workspace_bytes) {
  if (workspace_bytes != NULL)
    return CDP_OK;
  return cdp_fail(CDP_ERROR_NULL, 0, "workspace_bytes is NULL: give a pointer to the size_t that receives the size");
}

cdp_status cdp_arguments_check_workspace(const void *d_workspace, const char *ask) {
  if (d_workspace == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "d_workspace is NULL: allocate as many bytes as %s says and give a pointer to them",
                    ask);
  if ((uintptr_t)d_workspace % CDP_WORKSPACE_ALIGNMENT != 0)
    return cdp_fail(
        CDP_ERROR_ALIGNMENT, 0,
        "d_workspace is %p, which is not a multiple of %d: align it to CDP_WORKSPACE_ALIGNMENT, as cudaMalloc() does",
        d_workspace, CDP_WORKSPACE_ALIGNMENT);
  return CDP_OK;
}

cdp_status cdp_arguments_check_workspace_size(size_t given, size_t needed, const char *ask) {
  if (given >= needed)
    return CDP_OK;
  return cdp_fail(CDP_ERROR_WORKSPACE, 0,
                  "workspace_bytes is %zu, but this call needs %zu: ask %s with the same arguments, and with the device of the "
                  "keys current or chosen in the options",
                  given, needed, ask);
}

bool cdp_arguments_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
  const uintptr_t a_begin = (uintptr_t)a;
  const uintptr_t b_begin = (uintptr_t)b;
  return a_begin <= b_begin ? b_begin - a_begin < a_bytes : a_begin - b_begin < b_bytes;
}
