/* SPDX-License-Identifier: MIT */
/*
 * Checking and resolving cdp_options and the cdp_tuning that it may point to.
 *
 * 1. Copy the structures. A shorter one is another ABI's. A longer one may come: fields that this library does not know must
 *    be 0, for anything else asks for what cannot be done here.
 * 2. Check every field for its range.
 * 3. Replace the zeros by what they mean.
 */
#include "options.h"

#include "status.h"

#include <string.h>

/* No version of these structures will be larger: a greater size is that of one never initialised, not to be read to its end. */
#define MAX_STRUCTURE_BYTES 4096

cdp_status cdp_structure_read(const cdp_structure *kind, const void *given, void *known) {
  size_t size;
  memcpy(&size, given, sizeof size);
  if (size < sizeof size || size > MAX_STRUCTURE_BYTES)
    return cdp_fail(CDP_ERROR_OPTION, 0, "%s.size is %zu: initialise the %s with %s, which sets it to %zu", kind->name, size,
                    kind->name, kind->initialiser, kind->bytes);
  if (size < kind->bytes)
    return cdp_fail(
        CDP_ERROR_OPTION, 0,
        "%s.size is %zu, and this library's %s has %zu bytes: the caller was compiled with an older cdpsort than the "
        "%d.%d.%d it runs with; compile it again",
        kind->name, size, kind->type, kind->bytes, CDP_VERSION_MAJOR, CDP_VERSION_MINOR, CDP_VERSION_PATCH);
  const unsigned char *bytes = given;
  for (size_t i = kind->bytes; i < size; i++) {
    if (bytes[i] != 0)
      return cdp_fail(
          CDP_ERROR_OPTION, 0,
          "%s has a value at byte %zu, beyond the %zu that this library knows: the caller was compiled with a newer "
          "cdpsort than the %d.%d.%d it runs with; leave new fields at 0, or update the library",
          kind->name, i, kind->bytes, CDP_VERSION_MAJOR, CDP_VERSION_MINOR, CDP_VERSION_PATCH);
  }
  memcpy(known, given, kind->bytes);
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
  TRY(check_choice("scheme", (int32_t)known->scheme, CDP_SCHEME_HOST,
                   "0 for the default, CDP_SCHEME_LAST_BLOCK (1), CDP_SCHEME_CONTROLLER (2) or CDP_SCHEME_HOST (3)"));
  TRY(check_choice("child_streams", (int32_t)known->child_streams, CDP_STREAMS_NAMED,
                   "0 for the default, CDP_STREAMS_FIRE_AND_FORGET (1) or CDP_STREAMS_NAMED (2)"));
  TRY(check_choice("pivot", (int32_t)known->pivot, CDP_PIVOT_MEAN,
                   "0 for the default, CDP_PIVOT_MIDDLE (1), CDP_PIVOT_MEDIAN_OF_THREE (2), CDP_PIVOT_RANDOM (3), "
                   "CDP_PIVOT_SAMPLED_MEDIAN (4), CDP_PIVOT_FIRST (5), CDP_PIVOT_NINTHER (6) or CDP_PIVOT_MEAN (7)"));
  TRY(check_choice("ties", (int32_t)known->ties, CDP_TIES_BY_VALUE,
                   "CDP_TIES_ANY (0), CDP_TIES_STABLE (1) or CDP_TIES_BY_VALUE (2)"));
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
  if ((known->allocator.allocate == NULL) != (known->allocator.release == NULL))
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "options.allocator.%s is NULL, and the other function is not: give both, or leave both NULL",
                    known->allocator.allocate == NULL ? "allocate" : "release");
  for (size_t i = 0; i < sizeof known->reserved / sizeof known->reserved[0]; i++) {
    if (known->reserved[i] != 0)
      return cdp_fail(CDP_ERROR_OPTION, 0,
                      "options.reserved[%zu] is not 0: initialise the options with CDP_OPTIONS_INIT and leave it alone", i);
  }
  return CDP_OK;
}

static cdp_status check_tuning(const cdp_tuning *known) {
  if ((known->disable & ~(CDP_DISABLE_ONE_BLOCK | CDP_DISABLE_SHORT)) != 0)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "tuning.disable is %u: choose 0, CDP_DISABLE_ONE_BLOCK (%u), CDP_DISABLE_SHORT (%u), or both together",
                    known->disable, CDP_DISABLE_ONE_BLOCK, CDP_DISABLE_SHORT);
  if (known->oversampling > CDP_OVERSAMPLING_MAX)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "tuning.oversampling is %u: choose 0 for the default, or 1 to CDP_OVERSAMPLING_MAX (%u)",
                    known->oversampling, CDP_OVERSAMPLING_MAX);
  if (known->reserved != 0)
    return cdp_fail(CDP_ERROR_OPTION, 0,
                    "tuning.reserved is not 0: initialise the tuning with CDP_TUNING_INIT and leave it alone");
  return CDP_OK;
}

/* The most items of arrays that are sorted in one of the ways that can be disabled. */
static uint32_t max_items(const cdp_tuning *tuning, uint32_t disabling, uint32_t items) {
  if ((tuning->disable & disabling) != 0)
    return 0;
  return items != 0 ? items : UINT32_MAX;
}

/* Both structures have been checked. */
static cdp_settings settings_of(const cdp_options *options, const cdp_tuning *tuning, uint32_t max_leaf_items) {
  const uint32_t default_fan_out = is_single_pivot(options->pivot) ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MAX;
  const uint32_t fan_out = options->fan_out != 0 ? options->fan_out : default_fan_out;
  return (cdp_settings){
      .order = options->order,
      .ties = options->ties,
      .device = options->device,
      .seed = options->seed,
      .scheme = options->scheme != CDP_SCHEME_DEFAULT ? options->scheme : CDP_SCHEME_LAST_BLOCK,
      .child_streams = options->child_streams != CDP_STREAMS_DEFAULT ? options->child_streams : CDP_STREAMS_FIRE_AND_FORGET,
      .pivot = options->pivot != CDP_PIVOT_DEFAULT ? options->pivot : CDP_PIVOT_SAMPLED_MEDIAN,
      .depth_limit = options->depth_limit,
      .leaf_items = options->leaf_items != 0 ? options->leaf_items : max_leaf_items,
      .bitonic_leaf = options->leaf_items != 0 || fan_out == CDP_FAN_OUT_CLASSIC,
      .fan_out = fan_out,
      .allocator = options->allocator,
      .one_block_items = max_items(tuning, CDP_DISABLE_ONE_BLOCK, tuning->one_block_items),
      .short_items = max_items(tuning, CDP_DISABLE_SHORT, tuning->short_items),
      .maps = options->fan_out == 0 && fan_out != CDP_FAN_OUT_CLASSIC && options->leaf_items == 0 && tuning->block_items == 0 &&
              tuning->oversampling == 0,
      .short_is_set = tuning->short_items != 0 || (tuning->disable & CDP_DISABLE_SHORT) != 0,
      .block_items = tuning->block_items,
      .oversampling = tuning->oversampling,
  };
}

cdp_status cdp_options_resolve(const cdp_options *options, cdp_type type, cdp_settings *settings) {
  static const cdp_structure options_kind = {"options", "cdp_options", "CDP_OPTIONS_INIT", sizeof(cdp_options)};
  static const cdp_structure tuning_kind = {"tuning", "cdp_tuning", "CDP_TUNING_INIT", sizeof(cdp_tuning)};
  const uint32_t max_leaf_items = cdp_engine_max_leaf_items(type);
  cdp_options known = CDP_OPTIONS_INIT;
  cdp_tuning known_tuning = CDP_TUNING_INIT;
  cdp_status status;
  if (options != NULL)
    TRY(cdp_structure_read(&options_kind, options, &known));
  TRY(check_choices(&known));
  TRY(check_numbers(&known, max_leaf_items));
  if (known.tuning != NULL)
    TRY(cdp_structure_read(&tuning_kind, known.tuning, &known_tuning));
  TRY(check_tuning(&known_tuning));
  *settings = settings_of(&known, &known_tuning, max_leaf_items);
cleanup:
  return status;
}
