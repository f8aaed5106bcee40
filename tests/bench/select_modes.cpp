/* SPDX-License-Identifier: MIT */
/*
 * Modes of half a sort: see sorter.h. What finds keys leaves the others as they are, and what it finds is compared with the keys at
 * these ranks. What goes with keys that are found is looked at on the host: they are few. Of what partitions the array it is looked at,
 * outside the clock, whether each key is on its side, and then all keys are sorted, and judged as what is sorted is.
 */
#include "checks.h"
#include "pieces.h"
#include "stopwatch.h"

#include <cdpsort/select.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace bench {

namespace {

constexpr uint64_t TOP_KEYS = 1000;
constexpr uint64_t QUANTILES = 5;

uint64_t middle_rank(uint64_t, uint64_t count) {
  return count / 2;
}

uint64_t own_rank(uint64_t which, uint64_t) {
  return which;
}

uint64_t top_of(const KeySpan &keys) {
  return std::min(TOP_KEYS, keys.count);
}

/* ---- Keys at ranks ------------------------------------------------------------------------------------------------------ */

/* At even distances, not at the ends. */
uint64_t quantile_rank(uint64_t which, uint64_t count) {
  return (which + 1) * (count / (QUANTILES + 1));
}

template <uint64_t KEYS>
size_t quantiles_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_quantiles_workspace(keys.count, keys.type, nullptr, std::min(KEYS, keys.count), &bytes));
  return bytes;
}

template <uint64_t KEYS, uint64_t (*RANK)(uint64_t, uint64_t)>
Sorted find_quantiles(const Workplace &place) {
  const uint64_t rank_count = std::min(KEYS, place.keys.count);
  uint64_t ranks[KEYS];
  for (uint64_t which = 0; which < rank_count; which++)
    ranks[which] = RANK(which, place.keys.count);
  REQUIRE(cdp_quantiles_async(place.keys.d_keys, place.keys.count, place.keys.type, nullptr, ranks, rank_count, place.d_values,
                              place.d_workspace, place.workspace_bytes, place.stream));
  return {place.keys.d_keys, BY_EVENTS};
}

template <uint64_t KEYS, uint64_t (*RANK)(uint64_t, uint64_t)>
Mode quantiles_mode(const char *name, const char *text) {
  return {name, text, true, 0, quantiles_workspace_bytes<KEYS>, find_quantiles<KEYS, RANK>, {}, 0, {KEYS, RANK}};
}

/* ---- The first keys, elsewhere ------------------------------------------------------------------------------------------ */

/* What is wanted of the top keys beside them: nothing, their indices, or their values, which are the keys' indices as well. */
enum class Payload { none, indices, values };

using Index = uint32_t;
using Value = uint64_t;

/* The mode's own arrays: values of all keys, and what is written of the top ones. */
template <Payload PAYLOAD>
struct TopArrays {
  static constexpr size_t ITEM_BYTES = PAYLOAD == Payload::indices ? sizeof(Index) : sizeof(Value);
  Value *d_values = nullptr;
  void *d_found = nullptr;
  cdp_top_column column = {};
  cdp_top top = CDP_TOP_INIT;

  TopArrays(cdp_top_order order, Value *values, void *found) : d_values(values), d_found(found) {
    top.order = order;
    if (PAYLOAD == Payload::indices) {
      top.indices = found;
      top.index_bytes = sizeof(Index);
    } else if (PAYLOAD == Payload::values) {
      column = {values, sizeof(Value), found};
      top.columns = &column;
      top.column_count = 1;
    }
  }
  TopArrays(const TopArrays &) = delete;
  TopArrays &operator=(const TopArrays &) = delete;

  static size_t values_count(const KeySpan &keys) {
    return PAYLOAD == Payload::values ? keys.count : 0;
  }
  static size_t found_bytes(const KeySpan &keys) {
    return PAYLOAD == Payload::none ? 0 : top_of(keys) * ITEM_BYTES;
  }
};

template <cdp_top_order ORDER, Payload PAYLOAD>
size_t top_workspace_bytes(const KeySpan &keys) {
  using Arrays = TopArrays<PAYLOAD>;
  const Arrays arrays(ORDER, nullptr, nullptr);
  size_t bytes = 0;
  REQUIRE(cdp_top_k_workspace(keys.count, keys.type, nullptr, top_of(keys), &arrays.top, &bytes));
  return aligned(Arrays::values_count(keys) * sizeof(Value)) + aligned(Arrays::found_bytes(keys)) + bytes;
}

/* Whether the keys that are found lie where it is said, each somewhere else. */
template <typename Item>
void require_places(const Workplace &place, const Item *d_places) {
  const uint64_t top = top_of(place.keys);
  const size_t key_bytes = device_data::key_bytes(place.keys.type);
  const char *d_keys = static_cast<const char *>(place.keys.d_keys);
  std::vector<Item> places(top);
  std::vector<char> found(top * key_bytes);
  std::vector<char> wanted(top * key_bytes);
  REQUIRE(cudaMemcpyAsync(places.data(), d_places, top * sizeof(Item), cudaMemcpyDeviceToHost, place.stream));
  REQUIRE(cudaMemcpyAsync(found.data(), place.d_values, found.size(), cudaMemcpyDeviceToHost, place.stream));
  REQUIRE(cudaStreamSynchronize(place.stream));
  for (uint64_t which = 0; which < top; which++) {
    if (places[which] >= place.keys.count)
      throw Failure("a top key has the index of none");
    REQUIRE(cudaMemcpyAsync(&wanted[which * key_bytes], d_keys + places[which] * key_bytes, key_bytes, cudaMemcpyDeviceToHost,
                            place.stream));
  }
  REQUIRE(cudaStreamSynchronize(place.stream));
  std::sort(places.begin(), places.end());
  if (found != wanted || std::adjacent_find(places.begin(), places.end()) != places.end())
    throw Failure("what goes with the top keys is of other keys");
}

template <cdp_top_order ORDER, Payload PAYLOAD>
Sorted find_top(const Workplace &place) {
  using Arrays = TopArrays<PAYLOAD>;
  const KeySpan &keys = place.keys;
  Pieces pieces(place);
  Value *const d_values = pieces.take<Value>(Arrays::values_count(keys));
  const Arrays arrays(ORDER, d_values, pieces.take_bytes(Arrays::found_bytes(keys)));
  if (PAYLOAD == Payload::values)
    REQUIRE(device_data::number({d_values, sizeof *d_values, nullptr, false, false}, keys.count, place.stream));
  const double milliseconds = time_on_stream(place.stream, [&] {
    REQUIRE(cdp_top_k_async(keys.d_keys, keys.count, keys.type, nullptr, top_of(keys), place.d_values, &arrays.top,
                            pieces.rest(), pieces.rest_bytes(), place.stream));
  });
  if (PAYLOAD == Payload::indices)
    require_places(place, static_cast<const Index *>(arrays.d_found));
  else if (PAYLOAD == Payload::values)
    require_places(place, static_cast<const Value *>(arrays.d_found));
  if (ORDER == CDP_TOP_UNSORTED)
    REQUIRE(cdp_quicksort_on_stream(place.d_values, top_of(keys), keys.type, nullptr, place.stream));
  return {keys.d_keys, milliseconds};
}

template <cdp_top_order ORDER, Payload PAYLOAD>
Mode top_mode(const char *name, const char *text) {
  return {name, text, true, 0, top_workspace_bytes<ORDER, PAYLOAD>, find_top<ORDER, PAYLOAD>, {}, 0, {TOP_KEYS, own_rank}};
}

/* ---- The array partitioned ---------------------------------------------------------------------------------------------- */

/* A count of what is wrong comes first. */
constexpr size_t WRONG_BYTES = CDP_WORKSPACE_ALIGNMENT;

void require_none(uint64_t wrong) {
  if (wrong != 0)
    throw Failure(std::to_string(wrong) + " keys are not on their side");
}

Sorted sort_rest(const Workplace &place, double milliseconds) {
  REQUIRE(cdp_quicksort_on_stream(place.keys.d_keys, place.keys.count, place.keys.type, nullptr, place.stream));
  return {place.keys.d_keys, milliseconds};
}

size_t nth_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_nth_element_workspace(keys.count, keys.type, nullptr, keys.count / 2, &bytes));
  return WRONG_BYTES + bytes;
}

Sorted nth_element(const Workplace &place) {
  const KeySpan &keys = place.keys;
  const uint64_t rank = keys.count / 2;
  Pieces pieces(place);
  unsigned long long *const d_wrong = pieces.take<unsigned long long>(1);
  const double milliseconds = time_on_stream(place.stream, [&] {
    REQUIRE(cdp_nth_element_async(keys.d_keys, keys.count, keys.type, nullptr, rank, pieces.rest(), pieces.rest_bytes(),
                                  place.stream));
  });
  require_none(count_on_wrong_side(keys, rank, d_wrong, place.stream));
  return sort_rest(place, milliseconds);
}

size_t partial_workspace_bytes(const KeySpan &keys) {
  size_t bytes = 0;
  REQUIRE(cdp_partial_sort_workspace(keys.count, keys.type, nullptr, top_of(keys), &bytes));
  return WRONG_BYTES + bytes;
}

Sorted partial_sort(const Workplace &place) {
  const KeySpan &keys = place.keys;
  Pieces pieces(place);
  unsigned long long *const d_wrong = pieces.take<unsigned long long>(1);
  const double milliseconds = time_on_stream(place.stream, [&] {
    REQUIRE(cdp_partial_sort_async(keys.d_keys, keys.count, keys.type, nullptr, top_of(keys), pieces.rest(),
                                   pieces.rest_bytes(), place.stream));
  });
  require_none(count_not_first(keys, top_of(keys), d_wrong, place.stream));
  return sort_rest(place, milliseconds);
}

} // namespace

std::vector<Mode> select_modes() {
  return {
      quantiles_mode<1, middle_rank>("median", "cdpsort, the key in the middle of the order alone, the keys left as they are"),
      quantiles_mode<QUANTILES, quantile_rank>("quantiles-5", "the same, five keys at even distances"),
      top_mode<CDP_TOP_SORTED, Payload::none>("top-1000", "the same, the first 1,000 keys in their order"),
      top_mode<CDP_TOP_UNSORTED, Payload::none>("top-1000-unsorted", "the same in any order"),
      top_mode<CDP_TOP_SORTED, Payload::indices>("top-1000-indices", "as top-1000, and where they lie, 4 bytes each"),
      top_mode<CDP_TOP_SORTED, Payload::values>("top-1000-8", "as top-1000, and their values of 8 bytes"),
      top_mode<CDP_TOP_UNSORTED, Payload::values>("top-1000-8-unsorted", "the same in any order"),
      {"nth-element", "cdpsort, the key in the middle in its place, less ones before it, greater ones behind it", true, 0,
       nth_workspace_bytes, nth_element},
      {"partial-sort-1000", "the same of the first 1,000 keys, these in order", true, 0, partial_workspace_bytes, partial_sort},
  };
}

} // namespace bench
