/* SPDX-License-Identifier: MIT */
/* A sweep over the knobs of the recursion: see depth_sweep.h. */
#include "depth_sweep.h"
#include "chosen_device.h"
#include "host_work.h"
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A knob on the command line. */
typedef struct knob_option {
  const char *name; /* of sort_settings.h, which takes one value */
  const char *list; /* of depth_study; the other is taken as well */
  const char *text; /* in tables */
  const char *defaults;
  const char *all;
} knob_option;

static const knob_option OPTIONS[KNOBS] = {
    [KNOB_FAN_OUT] = {"--fan-out", "--fan-outs", "fan-out", "2,64,1024", "2,8,64,1024"},
    [KNOB_PIVOT] = {"--pivot", "--pivots", "pivot", "sampled-median",
                    "sampled-median,first,middle,median-of-three,ninther,random,mean"},
    [KNOB_SCHEME] = {"--scheme", "--schemes", "scheme", "last-block,controller,host", "last-block,controller,host"},
    [KNOB_STREAMS] = {"--streams", "--child-streams", "streams", "fire-and-forget", "fire-and-forget,named"},
    [KNOB_LEAF] = {"--leaf", "--leaves", "leaf", "32,0", "32,128,0"},
    [KNOB_DEPTH_LIMIT] = {"--depth-limit", "--depth-limits", "depth limit", "2,4,8,0", "none,1,2,4,8,16,0"},
};

/* ---- Knobs ----------------------------------------------------------------------------------------------------- */

/* Where options have it: all are numbers of 32 bits. */
_Static_assert(sizeof(cdp_pivot) == sizeof(uint32_t), "and so are the enumerations");
static char *field_of(cdp_options *options, enum knob knob) {
  static const size_t offsets[KNOBS] = {
      [KNOB_FAN_OUT] = offsetof(cdp_options, fan_out), [KNOB_PIVOT] = offsetof(cdp_options, pivot),
      [KNOB_SCHEME] = offsetof(cdp_options, scheme),   [KNOB_STREAMS] = offsetof(cdp_options, child_streams),
      [KNOB_LEAF] = offsetof(cdp_options, leaf_items), [KNOB_DEPTH_LIMIT] = offsetof(cdp_options, depth_limit),
  };
  return (char *)options + offsets[knob];
}

uint32_t knob_value(const cdp_options *options, enum knob knob) {
  cdp_options copy = *options;
  uint32_t value;
  memcpy(&value, field_of(&copy, knob), sizeof value);
  return value;
}

void set_knob(cdp_options *options, enum knob knob, uint32_t value) {
  memcpy(field_of(options, knob), &value, sizeof value);
}

const char *knob_name(enum knob knob) {
  return OPTIONS[knob].text;
}

knob_text knob_word(enum knob knob, uint32_t value) {
  knob_text made;
  const char *word = NULL;
  if (knob == KNOB_PIVOT)
    word = pivot_name((cdp_pivot)value);
  else if (knob == KNOB_SCHEME)
    word = scheme_name((cdp_scheme)value);
  else if (knob == KNOB_STREAMS)
    word = child_streams_name((cdp_child_streams)value);
  else if (knob == KNOB_DEPTH_LIMIT && value == CDP_DEPTH_NONE)
    word = "none";
  if (word != NULL)
    snprintf(made.text, sizeof made.text, "%s", word);
  else
    snprintf(made.text, sizeof made.text, "%" PRIu32, value);
  return made;
}

uint64_t depth_limit_rank(uint32_t depth_limit) {
  return depth_limit == CDP_DEPTH_NONE ? 0 : depth_limit == 0 ? UINT64_MAX : depth_limit;
}

/* ---- The command line ------------------------------------------------------------------------------------------ */

static bool names_knob(const argument *option, enum knob knob) {
  return strcmp(option->name, OPTIONS[knob].name) == 0 || strcmp(option->name, OPTIONS[knob].list) == 0;
}

bool is_knob_option(const argument *option) {
  for (enum knob knob = 0; knob < KNOBS; knob++)
    if (names_knob(option, knob))
      return true;
  return strcmp(option->name, "--full") == 0;
}

static void add_value(knob_values *taken, uint32_t value) {
  for (size_t at = 0; at < taken->count; at++)
    if (taken->values[at] == value)
      return;
  if (taken->count < KNOB_VALUES_MOST)
    taken->values[taken->count++] = value;
}

/* Takes words separated by commas, each as sort_settings.h takes the option's one value. */
static bool take_words(knob_values *taken, argument_list *list, enum knob knob, const char *words) {
  static const refused_settings none = {NULL, NULL};
  char word[VALUE_CHARACTERS];
  *taken = (knob_values){.count = 0};
  while (next_value(&words, word)) {
    sort_settings one = {.type = CDP_U32, .options = CDP_OPTIONS_INIT};
    argument option = {.value = word};
    snprintf(option.name, sizeof option.name, "%s", OPTIONS[knob].name);
    if (!settings_take(&one, &none, list, &option))
      return false;
    if (taken->count == KNOB_VALUES_MOST) {
      usage_error(list, "%s: at most %d values", OPTIONS[knob].name, KNOB_VALUES_MOST);
      return false;
    }
    add_value(taken, knob_value(&one.options, knob));
  }
  return true;
}

bool sweep_take(sweep *made, argument_list *list, const argument *option) {
  if (strcmp(option->name, "--full") == 0) {
    made->full = true;
    return argument_has_no_value(list, option);
  }
  const char *words = argument_value(list, option);
  if (words == NULL)
    return false;
  enum knob knob = 0;
  while (!names_knob(option, knob))
    knob++;
  return take_words(&made->knobs[knob], list, knob, strcmp(words, "all") == 0 ? OPTIONS[knob].all : words);
}

void sweep_help(void) {
  puts("The knobs, each with a list of values separated by commas, or all:\n"
       "  option            if not given                     all");
  for (enum knob knob = 0; knob < KNOBS; knob++)
    printf("  %-17s %-32s %s\n", OPTIONS[knob].list, OPTIONS[knob].defaults, OPTIONS[knob].all);
  puts("  --full            all values of every knob that is not given, with 3 runs on a GPU; but pivot rules other than the\n"
       "                    first are tried with the first scheme and the first streams alone\n"
       "Impossible combinations, such as a rule for one pivot with many children, are skipped and counted; so are those that\n"
       "would be the same sort as another one. 0 is the library's default. What the values mean is said below, where the\n"
       "same options have the names for one value, --fan-out and so on; they take a list as well.");
}

/* ---- Planning -------------------------------------------------------------------------------------------------- */

/* The values of the knobs that were not given, and what 0 stands for, so that a value is not measured under two names. What a
   leaf of 0 stands for depends on the fan-out. */
static bool complete_knobs(sweep *made, const char *program) {
  argument_list list = arguments_begin(program, 0, NULL);
  for (enum knob knob = 0; knob < KNOBS; knob++) {
    const char *words = made->full ? OPTIONS[knob].all : OPTIONS[knob].defaults;
    if (made->knobs[knob].count == 0 && !take_words(&made->knobs[knob], &list, knob, words))
      return false;
    const knob_values given = made->knobs[knob];
    made->knobs[knob].count = 0;
    for (size_t at = 0; at < given.count; at++) {
      uint32_t value = given.values[at];
      if (value == 0 && knob == KNOB_FAN_OUT)
        value = CDP_FAN_OUT_MAX;
      add_value(&made->knobs[knob], value);
    }
  }
  return true;
}

/* Greatest first. */
static int compare_depth_limits(const void *left, const void *right) {
  const uint64_t a = depth_limit_rank(*(const uint32_t *)left);
  const uint64_t b = depth_limit_rank(*(const uint32_t *)right);
  return (a < b) - (a > b);
}

/* Sorting nothing checks the options. */
static cdp_status check_options(const cdp_options *options, cdp_type type) {
  return cdp_quicksort(NULL, 0, type, options);
}

/* Whether each value is one that the library has. With others it may still not go together. */
static bool check_values(const sweep *made, const char *program, const sort_settings *base) {
  for (enum knob knob = 0; knob < KNOBS; knob++)
    for (size_t at = 0; at < made->knobs[knob].count; at++) {
      cdp_options options = base->options;
      set_knob(&options, knob, made->knobs[knob].values[at]);
      if (check_options(&options, base->type) != CDP_OK) {
        fprintf(stderr, "%s: %s: %s\n", program, OPTIONS[knob].list, library_message());
        return false;
      }
    }
  return true;
}

/* Sets aside what makes no difference. */
static cdp_options canonical(const sweep *made, const cdp_options *options) {
  cdp_options same = *options;
  if (same.fan_out == CDP_FAN_OUT_CLASSIC && same.leaf_items == 0)
    same.leaf_items = made->greatest_leaf;
  if (same.depth_limit == CDP_DEPTH_NONE) {
    same.pivot = CDP_PIVOT_DEFAULT;
    same.leaf_items = 0;
    same.fan_out = 0;
  }
  if (same.scheme == CDP_SCHEME_HOST)
    same.child_streams = CDP_STREAMS_DEFAULT;
  return same;
}

const swept_sort *sweep_find(const sweep *made, const cdp_options *options) {
  const cdp_options wanted = canonical(made, options);
  for (size_t at = 0; at < made->count; at++) {
    const cdp_options here = canonical(made, &made->sorts[at].options);
    bool same = true;
    for (enum knob knob = 0; knob < KNOBS; knob++)
      same = same && knob_value(&here, knob) == knob_value(&wanted, knob);
    if (same)
      return &made->sorts[at];
  }
  return NULL;
}

static bool is_crossed(const sweep *made, const cdp_options *options) {
  const bool first_pivot = (uint32_t)options->pivot == made->knobs[KNOB_PIVOT].values[0];
  const bool first_launches = (uint32_t)options->scheme == made->knobs[KNOB_SCHEME].values[0] &&
                              (uint32_t)options->child_streams == made->knobs[KNOB_STREAMS].values[0];
  return !made->full || first_pivot || first_launches;
}

static void plan_one(sweep *made, const cdp_options *options, cdp_type type) {
  if (check_options(options, type) != CDP_OK)
    made->impossible++;
  else if (sweep_find(made, options) != NULL)
    made->alike++;
  else if (!is_crossed(made, options))
    made->not_crossed++;
  else
    made->sorts[made->count++] = (swept_sort){.options = *options, .state = SORT_PLANNED};
}

int sweep_plan(sweep *made, const char *program, const sort_settings *base) {
  made->greatest_leaf = type_bytes(base->type) == 4 ? CDP_LEAF_MAX_4_BYTES : CDP_LEAF_MAX_8_BYTES;
  if (!complete_knobs(made, program) || !check_values(made, program, base))
    return EXIT_USAGE;
  knob_values *limits = &made->knobs[KNOB_DEPTH_LIMIT];
  qsort(limits->values, limits->count, sizeof *limits->values, compare_depth_limits);

  size_t all = 1;
  for (enum knob knob = 0; knob < KNOBS; knob++)
    all *= made->knobs[knob].count;
  made->sorts = calloc(all, sizeof *made->sorts);
  if (made->sorts == NULL) {
    fprintf(stderr, "%s: not enough memory for %zu combinations\n", program, all);
    return EXIT_DATA;
  }
  /* The last knob, the depth limit, changes fastest. */
  for (size_t number = 0; number < all; number++) {
    cdp_options options = base->options;
    size_t rest = number;
    for (enum knob knob = KNOBS; knob-- > 0;) {
      set_knob(&options, knob, made->knobs[knob].values[rest % made->knobs[knob].count]);
      rest /= made->knobs[knob].count;
    }
    if (options.fan_out == CDP_FAN_OUT_CLASSIC && options.leaf_items == 0)
      options.leaf_items = made->greatest_leaf; // the name under which it is reported
    plan_one(made, &options, base->type);
  }
  if (made->count > 0)
    return EXIT_SORTED;
  fprintf(stderr, "%s: none of these combinations can be: %s\n", program, library_message());
  return EXIT_USAGE;
}

void sweep_use_device(sweep *made, int32_t device) {
  for (size_t at = 0; at < made->count; at++)
    made->sorts[at].options.device = device;
}

void sweep_release(sweep *made) {
  free(made->sorts);
  made->sorts = NULL;
  made->count = 0;
}

/* ---- Measuring ------------------------------------------------------------------------------------------------- */

/* Counts first, which warms up as well; then sorts as often as is timed. */
static int measure(swept_sort *sort, uint32_t runs, sample_keys *keys) {
  cdp_study study;
  int code = study_sort(keys, &sort->options, &study);
  sort->depth_count = study.depth_count;
  sort->batches = study.batches;
  sort->total = study.total;
  if (code == EXIT_SORTED)
    code = time_runs(keys, &sort->options, runs, &sort->time);
  sort->state = SORT_MEASURED;
  return code;
}

/*
 * Whether a sort is one before it, with a depth limit that its recursion did not come to. That one must not have come to its
 * own limit: the default ranks as the greatest, but with bad pivots ranges come to it, and beyond it lies an unknown depth.
 */
static bool is_unreached(const swept_sort *sort, const swept_sort *before) {
  cdp_options without = sort->options;
  without.depth_limit = before->options.depth_limit;
  for (enum knob knob = 0; knob < KNOBS; knob++)
    if (knob_value(&without, knob) != knob_value(&before->options, knob))
      return false;
  const bool ended_by_itself = before->total.fallback_depth == 0 && before->depth_count < CDP_STUDY_DEPTHS;
  return before->state != SORT_PLANNED && ended_by_itself && depth_limit_rank(sort->options.depth_limit) >= before->depth_count;
}

/* Names a combination in messages. */
static void name_combination(sample_keys *keys, const cdp_options *options) {
  size_t used = (size_t)snprintf(keys->doing, sizeof keys->doing, "with");
  for (enum knob knob = 0; knob < KNOBS && used < sizeof keys->doing; knob++)
    used += (size_t)snprintf(keys->doing + used, sizeof keys->doing - used, " %s %s%s", OPTIONS[knob].name,
                             knob_word(knob, knob_value(options, knob)).text, knob + 1 == KNOBS ? ": " : "");
}

int sweep_measure(sweep *made, sample_keys *keys, uint32_t runs, sweep_visit *visit, void *of_caller) {
  int code = EXIT_SORTED;
  const double begun = clock_milliseconds();
  const double work = (double)made->count * (runs + 1) * work_of(keys->count);
  const double seconds = announce_work(keys->program, keys->type, &made->sorts[0].options, work);
  progress_begin(keys->program, made->count, made->seconds_most > 0 ? 0 : seconds);
  for (size_t at = 0; at < made->count && code == EXIT_SORTED; at++) {
    swept_sort *sort = &made->sorts[at];
    if (made->seconds_most > 0 && (clock_milliseconds() - begun) / 1e3 > made->seconds_most)
      break;
    progress_at(at, scheme_name(sort->options.scheme));
    if (at > 0 && is_unreached(sort, sort - 1)) {
      const cdp_options options = sort->options;
      *sort = sort[-1];
      sort->options = options;
      sort->state = SORT_UNREACHED;
      continue;
    }
    name_combination(keys, &sort->options);
    code = measure(sort, runs, keys);
    if (code == EXIT_SORTED)
      visit(sort, of_caller);
  }
  progress_end();
  return code;
}
