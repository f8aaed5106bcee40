/* SPDX-License-Identifier: MIT */
/*
 * See arguments.h.
 */
#include "arguments.h"

#include "options.h"
#include "status.h"

cdp_status cdp_arguments_read(size_t count, cdp_type type, const cdp_options *options, cdp_arguments *arguments) {
  cdp_status status;
  *arguments = (cdp_arguments){.key_bytes = cdp_engine_key_bytes(type)};
  if (arguments->key_bytes == 0)
    return cdp_fail(CDP_ERROR_TYPE, 0, "type is %d: choose one of cdp_type, CDP_U32 (%d) to CDP_BF16 (%d)", (int)type,
                    (int)CDP_U32, (int)CDP_BF16);
  TRY(cdp_options_resolve(options, type, &arguments->settings));
  TRY(cdp_device_wish_read(arguments->settings.device, &arguments->wish));
  const uint64_t wide_count = count; // size_t may have 32 bits
  if (wide_count > CDP_COUNT_MAX)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: a call takes CDP_COUNT_MAX (%llu) keys at most; give fewer at a time and merge the results",
                    count, (unsigned long long)CDP_COUNT_MAX);
  // Half of what can be addressed, because the workspace holds as many keys again.
  if (count > PTRDIFF_MAX / 2 / arguments->key_bytes)
    return cdp_fail(CDP_ERROR_SIZE, 0,
                    "count is %zu: so many keys of %u bytes and their workspace cannot be addressed; give fewer at a time",
                    count, arguments->key_bytes);
cleanup:
  return status;
}

cdp_status cdp_arguments_check_recursion(cdp_type type, const char *call) {
  if (cdp_engine_key_bytes(type) == 0 || !cdp_engine_is_counted(type))
    return CDP_OK;
  return cdp_fail(
      CDP_ERROR_TYPE, 0,
      "type is %d: keys of 8 and 16 bits are counted, and not sorted by the recursion that %s is about; sort them by "
      "cdp_quicksort(), or choose a type from CDP_U32 (%d) to CDP_F64 (%d)",
      (int)type, call, (int)CDP_U32, (int)CDP_F64);
}

cdp_status cdp_arguments_check_keys(const void *keys, uint32_t key_bytes) {
  if (keys == NULL)
    return cdp_fail(CDP_ERROR_NULL, 0, "keys is NULL: give a pointer to the keys; NULL is only for a count of 0");
  if ((uintptr_t)keys % key_bytes != 0)
    return cdp_fail(CDP_ERROR_ALIGNMENT, 0, "keys is %p, which is not a multiple of %u: align the keys to their own size", keys,
                    key_bytes);
  return CDP_OK;
}
