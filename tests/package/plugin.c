/* SPDX-License-Identifier: MIT */
/*
 * A plug-in that sorts by a static library of its own. What it exports is its own function, and no call of cdpsort.
 */
#include <cdpsort/cdpsort.h>

int plugin_sort(uint32_t *keys, size_t count);

__attribute__((visibility("default"))) int plugin_sort(uint32_t *keys, size_t count) {
  return (int)cdp_quicksort(keys, count, CDP_U32, NULL);
}
