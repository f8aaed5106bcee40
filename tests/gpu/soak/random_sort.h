/* SPDX-License-Identifier: MIT */
/*
 * A sort drawn at random. The seed and the sort's number decide all of it, whichever thread does it, so that one can be
 * repeated alone.
 */
#ifndef CDPSORT_TESTS_SOAK_RANDOM_SORT_H
#define CDPSORT_TESTS_SOAK_RANDOM_SORT_H

#include "device_data.cuh"

#include <cdpsort/pairs.h>
#include <cdpsort/study.h>

#include <string>

namespace soak {

using device_data::Distribution;

enum class Mode : uint32_t { blocking, async, mixed };
enum class Call : uint32_t { async, plain, study, trace, on_stream }; /* all but the first and the last are blocking */

/*
 * What is done by the call, or by several, so that it ends in a sorted array:
 *   keys     they are sorted
 *   values   a copy of the keys goes with them, and so is sorted as they are
 *   copy     they are sorted into another array
 *   halves   those before a rank are brought to the front, and both parts are sorted
 *   merge    both halves are sorted, and merged into another array
 *   buckets  they are divided by the first of them, and sorted then
 */
enum class Work : uint32_t { keys, values, copy, halves, merge, buckets };

/* What the sorts are drawn from. */
struct Choice {
  uint64_t seed;
  uint64_t log2_least; /* of the number of keys */
  uint64_t log2_most;
  Mode mode;
};

/* The most keys in host memory: they are copied four times. */
constexpr uint64_t HOST_KEYS_MOST = uint64_t{1} << 20;
constexpr uint32_t AHEAD_ITEMS_MOST = 7;

struct RandomSort {
  uint64_t number;
  cdp_type type;
  uint64_t count; /* at most 2^log2_most + 1 */
  Distribution distribution;
  uint64_t key_seed;
  uint32_t ahead_items; /* keys past a well-aligned address */
  cdp_options options;
  Call call;
  bool in_host_memory;
  Work work;
  uint64_t rank; /* halves; less than the count */

  size_t key_bytes() const {
    return device_data::key_bytes(type);
  }
  bool has_values() const {
    return work == Work::values;
  }
  /* Whether it ends in the array of values instead of the keys'. */
  bool is_apart() const {
    return work == Work::copy || work == Work::merge;
  }
  size_t bytes() const {
    return count * key_bytes();
  }
};

RandomSort draw_sort(const Choice &choice, uint64_t number);

/* All that there is to know about it, and how to repeat it. */
std::string describe(const Choice &choice, const RandomSort &sort);

const char *mode_name(Mode mode);

} // namespace soak

#endif
