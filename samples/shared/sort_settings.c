/* SPDX-License-Identifier: MIT */
/* How to sort, in words: see sort_settings.h. */
#include "sort_settings.h"
#include "library_message.h"

#include <stdio.h>
#include <stdlib.h>
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
  if (strcmp(text, "auto") == 0) {
    *device = CDP_DEVICE_AUTO;
    return true;
  }
  if (strcmp(text, "simulated") == 0) {
    *device = CDP_DEVICE_SIMULATED;
    return true;
  }
  if (strcmp(text, "cuda") != 0) {
    if (strncmp(text, "cuda:", 5) != 0 || !parse_u32(text + 5, &ordinal) || ordinal >= INT32_MAX)
      return false;
  }
  *device = CDP_DEVICE_CUDA((int32_t)ordinal);
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

/* Whether an option is a plain 32-bit number, and which field it sets. */
static bool is_u32_option(sort_settings *settings, const char *name, uint32_t **field) {
  const struct {
    const char *name;
    uint32_t *field;
    bool is_tuning;
  } known[] = {{"--leaf", &settings->options.leaf_items, false},
               {"--fan-out", &settings->options.fan_out, false},
               {"--block-items", &settings->tuning.block_items, true},
               {"--oversampling", &settings->tuning.oversampling, true}};
  for (size_t at = 0; at < sizeof known / sizeof *known; at++)
    if (strcmp(known[at].name, name) == 0) {
      *field = known[at].field;
      if (known[at].is_tuning)
        settings_tuning(settings);
      return true;
    }
  return false;
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

/* The options that take a number or a device. False, and a message, for a value that is none. */
static bool take_number(sort_settings *settings, const argument_list *list, const argument *option, const char *word) {
  cdp_options *options = &settings->options;
  const char *expected = "a whole number";
  uint32_t *number = NULL;
  bool taken = false;
  if (strcmp(option->name, "--device") == 0) {
    expected = "auto, cuda, cuda:N or simulated";
    taken = parse_device(word, &options->device);
  } else if (strcmp(option->name, "--depth-limit") == 0) {
    expected = "a whole number below 2^32 or none";
    taken = parse_u32(word, &options->depth_limit);
    if (strcmp(word, "none") == 0) {
      options->depth_limit = CDP_DEPTH_NONE;
      taken = true;
    }
  } else if (strcmp(option->name, "--one-block") == 0) {
    expected = "a whole number below 2^32 or none";
    cdp_tuning *tuning = settings_tuning(settings);
    taken = parse_way(word, tuning, CDP_DISABLE_ONE_BLOCK, &tuning->one_block_items);
  } else if (strcmp(option->name, "--short") == 0) {
    expected = "a whole number below 2^32 or none";
    cdp_tuning *tuning = settings_tuning(settings);
    taken = parse_way(word, tuning, CDP_DISABLE_SHORT, &tuning->short_items);
  } else if (is_u32_option(settings, option->name, &number)) {
    expected = "a whole number below 2^32";
    taken = parse_u32(word, number);
  } else {
    taken = parse_whole(word, &options->seed);
  }
  if (!taken)
    usage_error(list, "%s: '%s' is not %s", option->name, word, expected);
  return taken;
}

/* Where to sort, in which order and by which seed are no matters of a preset. */
static bool take_preset(sort_settings *settings, const argument_list *list, const argument *option, const char *word) {
  static const cdp_tuning tuning = CDP_TUNING_ADVANCED_QUICKSORT_INIT;
  cdp_options preset = CDP_OPTIONS_ADVANCED_QUICKSORT_INIT(&settings->tuning);
  if (strcmp(word, "advanced-quicksort") != 0) {
    usage_error(list, "%s: '%s' is none of: advanced-quicksort", option->name, word);
    return false;
  }
  preset.device = settings->options.device;
  preset.order = settings->options.order;
  preset.seed = settings->options.seed;
  settings->options = preset;
  settings->tuning = tuning;
  return true;
}

bool settings_take(sort_settings *settings, argument_list *list, const argument *option) {
  static const struct {
    const char *name;
    const choice *choices; /* NULL: a number or a device */
  } known[] = {{"--type", TYPES},       {"--order", ORDERS},      {"--scheme", SCHEMES},   {"--streams", STREAMS},
               {"--pivot", PIVOTS},     {"--device", NULL},       {"--depth-limit", NULL}, {"--leaf", NULL},
               {"--fan-out", NULL},     {"--seed", NULL},         {"--one-block", NULL},   {"--short", NULL},
               {"--block-items", NULL}, {"--oversampling", NULL}, {"--preset", NULL}};
  const size_t known_count = sizeof known / sizeof known[0];
  size_t at = 0;
  while (at < known_count && strcmp(known[at].name, option->name) != 0)
    at++;
  if (at == known_count) {
    if (option->name[0] == '\0')
      usage_error(list, "it takes options alone, not '%s'", option->value);
    else
      usage_error(list, "there is no option %s", option->name);
    return false;
  }

  const char *word = argument_value(list, option);
  if (word == NULL)
    return false;
  if (strcmp(option->name, "--preset") == 0)
    return take_preset(settings, list, option, word);
  if (known[at].choices == NULL)
    return take_number(settings, list, option, word);

  int value;
  if (!choose(list, option, word, known[at].choices, &value))
    return false;
  if (known[at].choices == TYPES)
    settings->type = (cdp_type)value;
  else if (known[at].choices == ORDERS)
    settings->options.order = (cdp_order)value;
  else if (known[at].choices == SCHEMES)
    settings->options.scheme = (cdp_scheme)value;
  else if (known[at].choices == STREAMS)
    settings->options.child_streams = (cdp_child_streams)value;
  else
    settings->options.pivot = (cdp_pivot)value;
  return true;
}

bool is_plain_setting(const argument *option) {
  static const char *const plain[] = {"--type", "--order", "--device", "--seed"};
  for (size_t at = 0; at < sizeof plain / sizeof plain[0]; at++)
    if (strcmp(plain[at], option->name) == 0)
      return true;
  return false;
}

void plain_settings_help(const char *type_default) {
  printf("  --type T         u32 i32 u64 i64 f32 f64: the type of the numbers (%s)\n"
         "  --order O        ascending descending (ascending)\n"
         "  --device D       auto cuda cuda:N simulated (auto: $CDPSORT_DEVICE if set, else the GPU; where there is no GPU\n"
         "                   and nobody asked for one, the simulated device, and the first line says so)\n",
         type_default);
}

void settings_help(const char *type_default) {
  puts("How to sort:");
  plain_settings_help(type_default);
  printf(
      "  --depth-limit N  ranges at this depth are sorted by bitonic sort, not partitioned; none: no range is partitioned\n"
      "                   (0: 2 * log2(count) + 8)\n"
      "  --leaf N         ranges of at most this many numbers are sorted bitonically by one warp: %u to %u, or %u for\n"
      "                   types of 8 bytes (0: the greatest, and with many children whatever is faster for some ranges)\n"
      "  --scheme S       last-block controller host: who launches the children (last-block)\n"
      "  --streams S      fire-and-forget named: the streams they are launched on (fire-and-forget)\n"
      "  --fan-out N      children of a partitioned range, at most: %u, the classic quicksort, or a power of two from %u\n"
      "                   to %u (0: %u, or %u where --pivot names a rule for one pivot)\n"
      "  --one-block N    arrays of up to N numbers are sorted by one block in one launch; none: no array (0: as many as fit)\n"
      "  --short N        longer arrays of up to N numbers are sorted in two launches; none: no array (0: as many as it is\n"
      "                   good for)\n"
      "  --block-items N  numbers in a range that one block finishes, at most with two children, on average with more\n"
      "                   (0: as many as is good for the array and the device)\n"
      "  --oversampling N numbers drawn for each of many children, up to %u (0: 16)\n"
      "  --pivot P        first middle median-of-three ninther random sampled-median mean, which is that of a sample's least\n"
      "                   and greatest number (sampled-median)\n"
      "  --seed N         of random pivots and samples, and of the simulated device's schedule (0)\n"
      "  --preset P       advanced-quicksort: as NVIDIA's sample cdpAdvancedQuicksort sorts; what stands before it of the\n"
      "                   above is forgotten, but for --type, --order, --device and --seed; what stands behind it changes it\n",
      CDP_LEAF_MIN, CDP_LEAF_MAX_4_BYTES, CDP_LEAF_MAX_8_BYTES, CDP_FAN_OUT_CLASSIC, CDP_FAN_OUT_MIN, CDP_FAN_OUT_MAX,
      CDP_FAN_OUT_MAX, CDP_FAN_OUT_CLASSIC, CDP_OVERSAMPLING_MAX);
}

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

/* ---- What the library says ------------------------------------------------------------------------------------- */

bool may_simulate(cdp_status status, const cdp_options *options) {
  const char *named = getenv("CDPSORT_DEVICE");
  const bool automatic = named == NULL || named[0] == '\0' || strcmp(named, "auto") == 0;
  return status == CDP_ERROR_NO_DEVICE && options->device == CDP_DEVICE_AUTO && automatic;
}

/* Why no GPU can be used, and what to do about it, in as few words as can be: the library's own are for programmers. */
static const char *missing_gpu_advice(int cuda_error) {
  enum { NO_CUDA = 0, INSUFFICIENT_DRIVER = 35, NO_DEVICE = 100 }; /* as CUDA numbers its errors; 0 is none */
  switch (cuda_error) {
  case NO_CUDA:
    return "this cdpsort was built without CUDA: build it with the CUDA toolkit";
  case INSUFFICIENT_DRIVER:
    return "CUDA error 35: install an NVIDIA driver, or a newer one";
  case NO_DEVICE:
    return "CUDA error 100: see whether nvidia-smi -L and CUDA_VISIBLE_DEVICES show one";
  default:
    return NULL;
  }
}

void print_simulated_notice(FILE *stream, const char *program) {
  const int cuda_error = cdp_last_cuda_error();
  const char *advice = missing_gpu_advice(cuda_error);
  fprintf(stream, "%s: no GPU can be used, so this runs on the simulated device, exact but slow (", program);
  if (advice != NULL)
    fprintf(stream, "%s)\n", advice);
  else
    fprintf(stream, "CUDA error %d: see CUDA's documentation)\n", cuda_error);
}

int exit_code(cdp_status status) {
  /* An option out of its range is found by the library, but it was the command line that had it. */
  return status == CDP_ERROR_OPTION ? EXIT_USAGE : EXIT_LIBRARY;
}

int report_status(const char *program, cdp_status status) {
  if (status == CDP_OK)
    return EXIT_SORTED;
  fprintf(stderr, "%s: %s\n", program, library_message());
  return exit_code(status);
}
