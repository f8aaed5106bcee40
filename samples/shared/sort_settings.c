/* SPDX-License-Identifier: MIT */
/* How to sort, in words: see sort_settings.h. */
#include "sort_settings.h"

#include <stdio.h>
#include <string.h>

/* A word of the command line and the value it stands for. */
typedef struct choice {
  const char *word;
  int value;
} choice;

/* Every list ends with a NULL word. */
static const choice TYPES[] = {{"u32", CDP_U32}, {"i32", CDP_I32}, {"u64", CDP_U64}, {"i64", CDP_I64},
                               {"f32", CDP_F32}, {"f64", CDP_F64}, {NULL, 0}};
static const choice ORDERS[] = {{"ascending", CDP_ASCENDING}, {"descending", CDP_DESCENDING}, {NULL, 0}};
static const choice SCHEMES[] = {
    {"last-block", CDP_SCHEME_LAST_BLOCK}, {"controller", CDP_SCHEME_CONTROLLER}, {"host", CDP_SCHEME_HOST}, {NULL, 0}};
static const choice STREAMS[] = {{"fire-and-forget", CDP_STREAMS_FIRE_AND_FORGET}, {"named", CDP_STREAMS_NAMED}, {NULL, 0}};
static const choice PIVOTS[] = {{"middle", CDP_PIVOT_MIDDLE}, {"median-of-three", CDP_PIVOT_MEDIAN_OF_THREE},
                                {"random", CDP_PIVOT_RANDOM}, {"sampled-median", CDP_PIVOT_SAMPLED_MEDIAN},
                                {"first", CDP_PIVOT_FIRST},   {"ninther", CDP_PIVOT_NINTHER},
                                {"mean", CDP_PIVOT_MEAN},     {NULL, 0}};
static const choice PRESETS[] = {{"advanced-quicksort", 0}, {NULL, 0}};

/* The options, in the order of --help. What their texts say of numbers: */
_Static_assert(CDP_LEAF_MIN == 32 && CDP_LEAF_MAX_4_BYTES == 1024 && CDP_LEAF_MAX_8_BYTES == 512, "of --leaf");
_Static_assert(CDP_FAN_OUT_CLASSIC == 2 && CDP_FAN_OUT_MIN == 8 && CDP_FAN_OUT_MAX == 1024, "of --fan-out");
_Static_assert(CDP_OVERSAMPLING_MAX == 1024, "of --oversampling");

typedef enum option_name {
  TYPE,
  ORDER,
  DEVICE,
  DEPTH_LIMIT,
  LEAF,
  SCHEME,
  CHILD_STREAMS,
  FAN_OUT,
  ONE_BLOCK,
  SHORT,
  BLOCK_ITEMS,
  OVERSAMPLING,
  PIVOT,
  SEED,
  PRESET,
  OPTIONS_COUNT
} option_name;

static const struct {
  const char *name;
  char letter;           /* of its value, in --help */
  const choice *choices; /* NULL: a number or a device */
  const char *text;      /* of --help */
} OPTIONS[OPTIONS_COUNT] = {
    [TYPE] = {"--type", 'T', TYPES, "u32 i32 u64 i64 f32 f64: the type of the numbers"},
    [ORDER] = {"--order", 'O', ORDERS, "ascending descending (ascending)"},
    [DEVICE] = {"--device", 'D', NULL,
                "auto cuda cuda:N simulated (auto: $CDPSORT_DEVICE if set, else the GPU; where there is no GPU\n"
                "                   and nobody asked for one, the simulated device, and the first line says so)"},
    [DEPTH_LIMIT] = {"--depth-limit", 'N', NULL,
                     "ranges at this depth are sorted by bitonic sort, not partitioned; none: no range is partitioned\n"
                     "                   (0: 2 * log2(count) + 8)"},
    [LEAF] =
        {"--leaf", 'N', NULL,
         "ranges of at most this many numbers are sorted bitonically by one warp: 32 to 1024, or 512 for\n"
         "                   types of 8 bytes (0: the greatest, and with many children whatever is faster for some ranges)"},
    [SCHEME] = {"--scheme", 'S', SCHEMES, "last-block controller host: who launches the children (last-block)"},
    [CHILD_STREAMS] = {"--streams", 'S', STREAMS, "fire-and-forget named: the streams they are launched on (fire-and-forget)"},
    [FAN_OUT] = {"--fan-out", 'N', NULL,
                 "children of a partitioned range, at most: 2, the classic quicksort, or a power of two from 8\n"
                 "                   to 1024 (0: 1024, or 2 where --pivot names a rule for one pivot)"},
    [ONE_BLOCK] = {"--one-block", 'N', NULL,
                   "arrays of up to N numbers are sorted by one block in one launch; none: no array (0: as many as fit)"},
    [SHORT] = {"--short", 'N', NULL,
               "longer arrays of up to N numbers are sorted in two launches; none: no array (0: as many as it is\n"
               "                   good for)"},
    [BLOCK_ITEMS] = {"--block-items", 'N', NULL,
                     "numbers in a range that one block finishes, at most with two children, on average with more\n"
                     "                   (0: as many as is good for the array and the device)"},
    [OVERSAMPLING] = {"--oversampling", 'N', NULL, "numbers drawn for each of many children, up to 1024 (0: 16)"},
    [PIVOT] = {"--pivot", 'P', PIVOTS,
               "first middle median-of-three ninther random sampled-median mean, which is that of a sample's least\n"
               "                   and greatest number (sampled-median)"},
    [SEED] = {"--seed", 'N', NULL, "of generated keys, random pivots and samples, and of the simulated device's schedule (0)"},
    [PRESET] = {"--preset", 'P', PRESETS,
                "advanced-quicksort: as NVIDIA's sample cdpAdvancedQuicksort sorts; what stands before it of the\n"
                "                   above is forgotten, but for --type, --order, --device and --seed; what stands behind it "
                "changes it"},
};

/* ---- Words to values ------------------------------------------------------------------------------------------- */

static bool parse_u32(const char *text, uint32_t *number) {
  uint64_t wide;
  if (!parse_whole(text, &wide) || wide > UINT32_MAX)
    return false;
  *number = (uint32_t)wide;
  return true;
}

/* "auto", "simulated", "cuda" or "cuda:N". */
static bool parse_device(const char *text, int32_t *device) {
  uint32_t ordinal = 0;
  if (strcmp(text, "auto") == 0)
    *device = CDP_DEVICE_AUTO;
  else if (strcmp(text, "simulated") == 0)
    *device = CDP_DEVICE_SIMULATED;
  else if (strcmp(text, "cuda") == 0)
    *device = CDP_DEVICE_CUDA(0);
  else if (strncmp(text, "cuda:", 5) == 0 && parse_u32(text + 5, &ordinal) && ordinal < INT32_MAX)
    *device = CDP_DEVICE_CUDA((int32_t)ordinal);
  else
    return false;
  return true;
}

/* Looks a value up in a list. False, and a message that names all of them, where it is not there. */
static bool choose(const argument_list *list, const argument *option, const char *word, const choice *choices, int *value) {
  char all[128] = "";
  for (const choice *one = choices; one->word != NULL; one++) {
    if (strcmp(one->word, word) == 0) {
      *value = one->value;
      return true;
    }
    const size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, " %s", one->word);
  }
  usage_error(list, "%s: '%s' is none of:%s", option->name, word, all);
  return false;
}

cdp_tuning *settings_tuning(sort_settings *settings) {
  settings->tuning.size = sizeof settings->tuning;
  settings->options.tuning = &settings->tuning;
  return &settings->tuning;
}

/* The most items of a way to sort whole arrays, or "none" of them: the bit that says so. */
static bool parse_way(const char *word, cdp_tuning *tuning, uint32_t disabling, uint32_t *items) {
  *items = 0;
  tuning->disable &= ~disabling;
  if (strcmp(word, "none") != 0)
    return parse_u32(word, items);
  tuning->disable |= disabling;
  return true;
}

static bool parse_depth_limit(const char *word, uint32_t *limit) {
  *limit = CDP_DEPTH_NONE;
  return strcmp(word, "none") == 0 || parse_u32(word, limit);
}

static bool parse_number(sort_settings *settings, option_name name, const char *word) {
  cdp_options *options = &settings->options;
  switch (name) {
  case DEVICE:
    return parse_device(word, &options->device);
  case DEPTH_LIMIT:
    return parse_depth_limit(word, &options->depth_limit);
  case LEAF:
    return parse_u32(word, &options->leaf_items);
  case FAN_OUT:
    return parse_u32(word, &options->fan_out);
  case SEED:
    return parse_whole(word, &options->seed);
  case ONE_BLOCK:
    return parse_way(word, settings_tuning(settings), CDP_DISABLE_ONE_BLOCK, &settings->tuning.one_block_items);
  case SHORT:
    return parse_way(word, settings_tuning(settings), CDP_DISABLE_SHORT, &settings->tuning.short_items);
  case BLOCK_ITEMS:
    return parse_u32(word, &settings_tuning(settings)->block_items);
  default:
    return parse_u32(word, &settings_tuning(settings)->oversampling);
  }
}

static const char *expected_of(option_name name) {
  if (name == DEVICE)
    return "auto, cuda, cuda:N or simulated";
  if (name == SEED)
    return "a whole number below 2^64";
  const bool may_be_none = name == DEPTH_LIMIT || name == ONE_BLOCK || name == SHORT;
  return may_be_none ? "a whole number below 2^32 or none" : "a whole number below 2^32";
}

/* Where to sort, in which order and by which seed are no matters of a preset. */
static void set_preset(sort_settings *settings) {
  static const cdp_tuning tuning = CDP_TUNING_ADVANCED_QUICKSORT_INIT;
  cdp_options preset = CDP_OPTIONS_ADVANCED_QUICKSORT_INIT(&settings->tuning);
  preset.device = settings->options.device;
  preset.order = settings->options.order;
  preset.seed = settings->options.seed;
  settings->options = preset;
  settings->tuning = tuning;
}

static void set_choice(sort_settings *settings, option_name name, int value) {
  if (name == TYPE)
    settings->type = (cdp_type)value;
  else if (name == ORDER)
    settings->options.order = (cdp_order)value;
  else if (name == SCHEME)
    settings->options.scheme = (cdp_scheme)value;
  else if (name == CHILD_STREAMS)
    settings->options.child_streams = (cdp_child_streams)value;
  else if (name == PIVOT)
    settings->options.pivot = (cdp_pivot)value;
  else
    set_preset(settings);
}

/* ---- Options --------------------------------------------------------------------------------------------------- */

static bool is_refused(const refused_settings *refused, const char *name) {
  const char *found = refused->names != NULL ? strstr(refused->names, name) : NULL;
  return found != NULL && found[strlen(name)] == ' ';
}

bool settings_take(sort_settings *settings, const refused_settings *refused, argument_list *list, const argument *option) {
  int at = 0;
  while (at < OPTIONS_COUNT && strcmp(OPTIONS[at].name, option->name) != 0)
    at++;
  if (option->name[0] == '\0')
    usage_error(list, "it takes options alone, not '%s'", option->value);
  else if (at < OPTIONS_COUNT && is_refused(refused, option->name) && refused->why != NULL)
    usage_error(list, "%s%s", option->name, refused->why);
  else if (at == OPTIONS_COUNT || is_refused(refused, option->name))
    usage_error(list, "there is no option %s", option->name);
  if (option->name[0] == '\0' || at == OPTIONS_COUNT || is_refused(refused, option->name))
    return false;

  int value = 0;
  const char *word = argument_value(list, option);
  if (word == NULL)
    return false;
  if (OPTIONS[at].choices == NULL) {
    const bool taken = parse_number(settings, (option_name)at, word);
    if (!taken)
      usage_error(list, "%s: '%s' is not %s", option->name, word, expected_of((option_name)at));
    return taken;
  }
  if (!choose(list, option, word, OPTIONS[at].choices, &value))
    return false;
  set_choice(settings, (option_name)at, value);
  return true;
}

void settings_help(const char *type_default, const refused_settings *refused) {
  puts("\nHow to sort:");
  for (int at = 0; at < OPTIONS_COUNT; at++) {
    if (is_refused(refused, OPTIONS[at].name))
      continue;
    printf("  %-14s %c %s", OPTIONS[at].name, OPTIONS[at].letter, OPTIONS[at].text);
    if (at == TYPE)
      printf(" (%s)", type_default);
    putchar('\n');
  }
}

/* ---- Values to words ------------------------------------------------------------------------------------------- */

static const char *word_of(const choice *choices, int value, const char *unknown) {
  for (const choice *one = choices; one->word != NULL; one++)
    if (one->value == value)
      return one->word;
  return unknown;
}

const char *type_name(cdp_type type) {
  return word_of(TYPES, (int)type, "unknown type");
}

const char *order_name(cdp_order order) {
  return word_of(ORDERS, (int)order, "unknown order");
}

const char *scheme_name(cdp_scheme scheme) {
  return word_of(SCHEMES, (int)scheme, "default");
}

const char *child_streams_name(cdp_child_streams streams) {
  return word_of(STREAMS, (int)streams, "default");
}

const char *pivot_name(cdp_pivot pivot) {
  return word_of(PIVOTS, (int)pivot, "default");
}

size_t type_bytes(cdp_type type) {
  return type == CDP_U32 || type == CDP_I32 || type == CDP_F32 ? 4 : 8;
}
