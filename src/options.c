/* SPDX-License-Identifier: MIT */
/*
 * Checking and resolving cdp_options.
 *
 * 1. Copy the structure. A shorter one is another ABI's. A longer one may come: fields that this library does not know must
 *    be 0, for anything else asks for what cannot be done here.
 * 2. Check every field for its range.
 * 3. Replace the zeros by what they mean.
 */
#include "options.h"

#include "engine.h"
#include "status.h"

#include <stdbool.h>

/* No version of cdp_options will be larger: a greater size is that of a structure never initialised, not to be read to its end.
 */
#define MAX_OPTIONS_BYTES 4096

static cdp_status copy_known_fields(const cdp_options *options, cdp_options *known) {
  const size_t size = options->size;
  if (size < sizeof options->size || size > MAX_OPTIONS_BYTES)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "options.size is %zu: initialise the options with CDP_OPTIONS_INIT, which sets it to %zu", size,
                    sizeof *known);
  if (size < sizeof *known)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "options.size is %zu, and this library's cdp_options has %zu bytes: the caller was compiled with an older "
                    "cdpsort than the %d.%d.%d it runs with; compile it again",
                    size, sizeof *known, CDP_VERSION_MAJOR, CDP_VERSION_MINOR, CDP_VERSION_PATCH);
  const unsigned char *bytes = (const unsigned char *)options;
  for (size_t i = sizeof *known; i < size; i++) {
    if (bytes[i] != 0)
      return cdp_fail(CDP_ERROR_OPTION, 0,
                      "options has a value at byte %zu, beyond the %zu that this library knows: the caller was compiled with a "
                      "newer cdpsort than the %d.%d.%d it runs with; leave new options at 0, or update the library",
                      i, sizeof *known, CDP_VERSION_MAJOR, CDP_VERSION_MINOR, CDP_VERSION_PATCH);
  }
  *known = *options;
  known->size = sizeof *known;
  return CDP_OK;
}

/* The values of every enumeration here are 0 to `most` without a gap. */
static cdp_status check_choice(const char *field, int64_t value, int64_t most, const char *choices) {
  if (value >= 0 && value <= most)
    return CDP_OK;
  return cdp_fail(CDP_ERROR_OPTION, 0, "options.%s is %lld: choose %s", field, (long long)value, choices);
}

static cdp_status check_choices(const cdp_options *known) {
  cdp_status status;
  TRY(check_choice("order", (int32_t)known->order, CDP_DESCENDING, "CDP_ASCENDING (0) or CDP_DESCENDING (1)"));
  TRY(check_choice("scheme", (int32_t)known->scheme, CDP_SCHEME_HOST_LOOP,
                   "0 for the default, CDP_SCHEME_LAST_BLOCK (1), CDP_SCHEME_CONTROLLER (2) or CDP_SCHEME_HOST_LOOP (3)"));
  TRY(check_choice("child_streams", (int32_t)known->child_streams, CDP_STREAMS_NAMED,
                   "0 for the default, CDP_STREAMS_FIRE_AND_FORGET (1) or CDP_STREAMS_NAMED (2)"));
  TRY(check_choice("pivot", (int32_t)known->pivot, CDP_PIVOT_MEAN,
                   "0 for the default, CDP_PIVOT_MIDDLE (1), CDP_PIVOT_MEDIAN_OF_THREE (2), CDP_PIVOT_RANDOM (3), "
                   "CDP_PIVOT_SAMPLED_MEDIAN (4), CDP_PIVOT_FIRST (5), CDP_PIVOT_NINTHER (6) or CDP_PIVOT_MEAN (7)"));
cleanup:
  return status;
}

/* Whether a rule gives one pivot and no more: a sample has as many as one likes. */
static bool is_single_pivot(cdp_pivot pivot) {
  return pivot != CDP_PIVOT_DEFAULT && pivot != CDP_PIVOT_SAMPLED_MEDIAN;
}

static cdp_status check_numbers(const cdp_options *known, uint32_t max_leaf_items) {
  if (known->device < CDP_DEVICE_SIMULATED)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "options.device is %d: choose CDP_DEVICE_AUTO (0), CDP_DEVICE_CUDA(n) for CUDA device n, or "
                    "CDP_DEVICE_SIMULATED (-1)",
                    known->device);
  if (known->depth_limit > CDP_DEPTH_MAX && known->depth_limit != CDP_DEPTH_NONE)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "options.depth_limit is %u: choose 0 for the default, 1 to CDP_DEPTH_MAX (%u), or CDP_DEPTH_NONE",
                    known->depth_limit, CDP_DEPTH_MAX);
  if (known->leaf_items != 0 && (known->leaf_items < CDP_LEAF_MIN || known->leaf_items > max_leaf_items))
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "options.leaf_items is %u: choose 0 for the default, or %u to %u for keys of this type", known->leaf_items,
                    CDP_LEAF_MIN, max_leaf_items);
  const bool power_of_two = (known->fan_out & (known->fan_out - 1)) == 0;
  const bool many = known->fan_out >= CDP_FAN_OUT_MIN && known->fan_out <= CDP_FAN_OUT_MAX && power_of_two;
  if (known->fan_out != 0 && known->fan_out != CDP_FAN_OUT_CLASSIC && !many)
    return cdp_fail(
        CDP_ERROR_OPTION, 0,
        "options.fan_out is %u: choose 0 for the default, CDP_FAN_OUT_CLASSIC (%u), or a power of two from %u to %u",
        known->fan_out, CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN, CDP_FAN_OUT_MAX);
  if (many && is_single_pivot(known->pivot))
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "options.fan_out is %u and options.pivot is %d, a rule for one pivot, but many children need many: choose "
                    "CDP_FAN_OUT_CLASSIC (%u), or leave the pivot at 0 or CDP_PIVOT_SAMPLED_MEDIAN (%d)",
                    known->fan_out, (int)known->pivot, CDP_FAN_OUT_CLASSIC, (int)CDP_PIVOT_SAMPLED_MEDIAN);
  if (known->oversampling > CDP_OVERSAMPLING_MAX)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "options.oversampling is %u: choose 0 for the default, or 1 to CDP_OVERSAMPLING_MAX (%u)",
                    known->oversampling, CDP_OVERSAMPLING_MAX);
  for (size_t i = 0; i < sizeof known->reserved / sizeof known->reserved[0]; i++) {
    if (known->reserved[i] != 0)
      return cdp_fail(CDP_ERROR_OPTION, 0,
                      "options.reserved[%zu] is not 0: initialise the options with CDP_OPTIONS_INIT and leave it alone", i);
  }
  return CDP_OK;
}

cdp_status cdp_options_resolve(const cdp_options *options, cdp_type type, cdp_options *resolved) {
  static const cdp_options defaults = CDP_OPTIONS_INIT;
  const uint32_t max_leaf_items = cdp_engine_max_leaf_items(type);
  cdp_status status;
  TRY(copy_known_fields(options ? options : &defaults, resolved));
  TRY(check_choices(resolved));
  TRY(check_numbers(resolved, max_leaf_items));

  if (resolved->scheme == CDP_SCHEME_DEFAULT)
    resolved->scheme = CDP_SCHEME_LAST_BLOCK;
  if (resolved->child_streams == CDP_STREAMS_DEFAULT)
    resolved->child_streams = CDP_STREAMS_FIRE_AND_FORGET;
  if (resolved->pivot == CDP_PIVOT_DEFAULT)
    resolved->pivot = CDP_PIVOT_SAMPLED_MEDIAN;
  if (resolved->leaf_items == 0)
    resolved->leaf_items = max_leaf_items;
  if (resolved->fan_out == 0)
    resolved->fan_out = is_single_pivot(resolved->pivot) ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MAX;
cleanup:
  return status;
}
