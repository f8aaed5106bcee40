/* SPDX-License-Identifier: MIT */
/* Generated keys, sorted again and again: see sample_keys.h. */
#include "sample_keys.h"

#include <cdpsort/study.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which keys ------------------------------------------------------------------------------------------------ */

bool is_key_option(const argument *option) {
  return strcmp(option->name, "--count") == 0 || strcmp(option->name, "--distribution") == 0;
}

bool key_settings_take(key_settings *settings, argument_list *list, const argument *option) {
  const char *word = argument_value(list, option);
  if (word == NULL)
    return false;
  if (strcmp(option->name, "--count") == 0) {
    if (parse_count(word, &settings->count) && settings->count >= settings->least)
      return true;
    usage_error(list, "--count: '%s' is not a number such as 1000, 64K, 1Mi or 2^20, or it is too large%s", word,
                settings->least > 0 ? " or too small" : "");
    return false;
  }
  for (const distribution *one = DISTRIBUTIONS; one->name != NULL; one++) {
    if (strcmp(one->name, word) == 0) {
      settings->distribution = one;
      return true;
    }
  }
  usage_error(list, "--distribution: there is none called '%s'", word);
  return false;
}

void key_settings_help(const char *count_default) {
  printf("  --count N        how many keys: 1000000, 64K, 1M, 1G (thousands), 64Ki, 1Mi, 1Gi (powers of 1024), 2^20 (%s)\n",
         count_default);
  distributions_help();
}

void distributions_help(void) {
  puts("  --distribution D what the keys are like (random):");
  for (const distribution *one = DISTRIBUTIONS; one->name != NULL; one++)
    printf("                     %-11s %s\n", one->name, one->text);
}

bool take_runs(argument_list *list, const argument *option, uint32_t *runs) {
  const char *word = argument_value(list, option);
  uint64_t number;
  if (word == NULL)
    return false;
  if (parse_whole(word, &number) && number >= 1 && number <= RUNS_MOST) {
    *runs = (uint32_t)number;
    return true;
  }
  usage_error(list, "%s: '%s' is not a whole number from 1 to %d", option->name, word, RUNS_MOST);
  return false;
}

/* ---- On which device ------------------------------------------------------------------------------------------- */

int settle_device(const char *program, cdp_options *options) {
  uint32_t keys[2] = {1, 0};
  cdp_options plain = CDP_OPTIONS_INIT;
  plain.device = options->device;
  cdp_status status = cdp_quicksort(keys, 2, CDP_U32, &plain);
  if (may_simulate(status, options)) {
    print_simulated_notice(stdout, program);
    options->device = plain.device = CDP_DEVICE_SIMULATED;
    status = cdp_quicksort(keys, 2, CDP_U32, &plain);
  }
  return report_status(program, status);
}

int settle_sort(const char *program, cdp_type type, cdp_options *options) {
  /* Sorting nothing checks the options. */
  const int code = report_status(program, cdp_quicksort(NULL, 0, type, options));
  return code == EXIT_SORTED ? settle_device(program, options) : code;
}

bool was_simulated(void) {
  return strncmp(cdp_last_device(), "simulated", strlen("simulated")) == 0;
}

device_text short_device(void) {
  device_text made;
  snprintf(made.text, sizeof made.text, "%s", cdp_last_device());
  char *bracket = strstr(made.text, " (");
  if (bracket != NULL)
    *bracket = '\0';
  return made;
}

/* ---- Sorting them again and again ------------------------------------------------------------------------------ */

static size_t all_bytes(const sample_keys *made) {
  return (size_t)made->count * type_bytes(made->type);
}

bool sample_keys_make(sample_keys *made, const char *program, const key_settings *wanted, const sort_settings *settings) {
  *made = (sample_keys){.count = wanted->count, .type = settings->type, .order = settings->options.order};
  if (wanted->count <= SIZE_MAX / type_bytes(made->type)) {
    made->keys = malloc(all_bytes(made));
    made->given = malloc(all_bytes(made));
    made->sorted = malloc(all_bytes(made));
  }
  if (made->keys == NULL || made->given == NULL || made->sorted == NULL) {
    fprintf(stderr, "%s: not enough memory for three arrays of %" PRIu64 " keys\n", program, wanted->count);
    sample_keys_release(made);
    return false;
  }
  generate_keys(made->given, made->count, made->type, wanted->distribution, settings->options.seed);
  made->before = take_fingerprint(made->given, made->count, made->type);
  return true;
}

void sample_keys_release(sample_keys *made) {
  free(made->keys);
  free(made->given);
  free(made->sorted);
  made->keys = made->given = made->sorted = NULL;
}

void sample_keys_reset(sample_keys *made) {
  memcpy(made->keys, made->given, all_bytes(made));
}

const char *sample_keys_check(sample_keys *made) {
  if (made->has_sorted && memcmp(made->keys, made->sorted, all_bytes(made)) == 0)
    return NULL;
  if (find_disorder(made->keys, made->count, made->type, made->order) < made->count)
    return "a key is out of order";
  if (!same_fingerprint(made->before, take_fingerprint(made->keys, made->count, made->type)))
    return "the keys are not those that were given (sum or exclusive-or differ)";
  if (made->has_sorted)
    return "the result is not that of the sorts before";
  memcpy(made->sorted, made->keys, all_bytes(made));
  made->has_sorted = true;
  return NULL;
}

cdp_status time_runs(sample_keys *keys, const cdp_options *options, uint32_t runs, spread *milliseconds, const char **fault) {
  double times[RUNS_MOST];
  cdp_status status = CDP_OK;
  *fault = NULL;
  for (uint32_t run = 0; run < runs && status == CDP_OK && *fault == NULL; run++) {
    sample_keys_reset(keys);
    status = cdp_time_quicksort(keys->keys, (size_t)keys->count, keys->type, options, &times[run]);
    if (status == CDP_OK)
      *fault = sample_keys_check(keys);
  }
  if (status == CDP_OK && *fault == NULL)
    *milliseconds = spread_of(times, runs);
  return status;
}
