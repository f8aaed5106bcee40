/* SPDX-License-Identifier: MIT */
/*
 * A user's program: sorts, looks at the result, and says which device did it. Includes what is installed and nothing else.
 */
#include <cdpsort/cdpsort.h>
#include <cdpsort/partition.h>
#include <cdpsort/study.h>
#include <cdpsort/tuning.h>

#include <stdio.h>

enum { COUNT = 100000 };

static uint32_t keys[COUNT];

int main(void) {
  uint32_t state = 1;
  uint64_t sum_before = 0;
  for (int i = 0; i < COUNT; i++) {
    state = 1664525u * state + 1013904223u;
    keys[i] = state;
    sum_before += state;
  }
  if (cdp_version() != CDP_VERSION) {
    fprintf(stderr, "header %d, library %d\n", CDP_VERSION, cdp_version());
    return 1;
  }
  cdp_status status = cdp_quicksort(keys, COUNT, CDP_U32, NULL);
  if (status != CDP_OK) {
    fprintf(stderr, "%s: %s\n", cdp_status_name(status), cdp_last_message());
    return 1;
  }
  uint64_t sum_after = keys[0];
  for (int i = 1; i < COUNT; i++) {
    sum_after += keys[i];
    if (keys[i - 1] > keys[i]) {
      fprintf(stderr, "keys %d and %d are out of order\n", i - 1, i);
      return 1;
    }
  }
  if (sum_before != sum_after) {
    fprintf(stderr, "keys were lost\n");
    return 1;
  }
  const uint32_t pivot = keys[COUNT / 2];
  cdp_parts parts;
  status = cdp_partition(keys, COUNT, CDP_U32, NULL, &pivot, CDP_PARTITION_SCAN, &parts);
  if (status != CDP_OK || parts.less_items > COUNT / 2 || parts.less_items + parts.equal_items <= COUNT / 2) {
    fprintf(stderr, "the partition is at fault: %s\n", cdp_last_message());
    return 1;
  }
  printf("%d keys sorted on %s\n", COUNT, cdp_last_device());
  return 0;
}
