/* SPDX-License-Identifier: MIT */
/*
 * Modes of the segmented sort, and of CUB's: see sorter.h. There are 2^10, 2^16 or 2^22 segments, whatever the number of keys, as
 * long as one another or by Zipf's law, in an order that is left to chance; offsets are made outside the clock. Outside the clock
 * segments are judged, by themselves, and then all keys are sorted, and judged as what is sorted is.
 */
#include "segment_peers.h"
#include "stopwatch.h"

#include <cdpsort/segments.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bench {

namespace {

/* There are many of these modes: with more keys they are measured when they are named. */
constexpr uint64_t UNASKED_KEYS_MOST = uint64_t{1} << 20;

enum class Lengths { equal, zipf };
enum class By { offsets, length, cub, cub_radix };

size_t aligned(size_t bytes) {
  return (bytes + CDP_WORKSPACE_ALIGNMENT - 1) / CDP_WORKSPACE_ALIGNMENT * CDP_WORKSPACE_ALIGNMENT;
}

/* ---- Offsets ------------------------------------------------------------------------------------------------------------ */

/* A number at random for each index (Steele, Lea and Flood, 2014). */
uint64_t mixed(uint64_t value) {
  value = (value + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

/* Shares of segments in all keys, by Zipf's law, and shuffled. */
std::vector<double> zipf_shares(uint32_t segments) {
  std::vector<double> shares(segments);
  for (uint32_t index = 0; index < segments; index++)
    shares[index] = 1.0 / (index + 1);
  for (uint32_t index = segments; index > 1; index--)
    std::swap(shares[index - 1], shares[mixed(index) % index]);
  return shares;
}

std::vector<uint32_t> make_offsets(uint64_t count, uint32_t segments, Lengths lengths) {
  std::vector<uint32_t> offsets(segments + size_t{1});
  if (count > UINT32_MAX)
    throw Failure("offsets have 32 bits");
  if (lengths == Lengths::equal) {
    for (uint64_t index = 0; index <= segments; index++)
      offsets[index] = static_cast<uint32_t>(count * index / segments);
    return offsets;
  }
  const std::vector<double> shares = zipf_shares(segments);
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  double sum = 0;
  for (uint32_t index = 0; index < segments; index++) {
    sum += shares[index];
    offsets[index + size_t{1}] =
        static_cast<uint32_t>(std::min(static_cast<double>(count), sum / all * static_cast<double>(count)));
  }
  offsets[segments] = static_cast<uint32_t>(count);
  return offsets;
}

/* ---- Modes -------------------------------------------------------------------------------------------------------------- */

/* The workspace of a mode: offsets, a verdict, CUB's second buffer, and what the call itself wants. */
struct Parts {
  uint32_t *d_offsets;
  SegmentVerdict *d_verdict;
  char *d_second;
  char *d_rest;
};

size_t offset_bytes(uint32_t segments) {
  return aligned((segments + size_t{1}) * sizeof(uint32_t));
}

size_t second_bytes(const KeySpan &keys, By by) {
  return by == By::cub || by == By::cub_radix ? aligned(keys.count * device_data::key_bytes(keys.type)) : 0;
}

size_t bytes_before_rest(const KeySpan &keys, uint32_t segments, By by) {
  return offset_bytes(segments) + aligned(sizeof(SegmentVerdict)) + second_bytes(keys, by);
}

Parts parts_of(const Workplace &place, uint32_t segments, By by) {
  char *d_verdict = static_cast<char *>(place.d_workspace) + offset_bytes(segments);
  char *d_second = d_verdict + aligned(sizeof(SegmentVerdict));
  return {static_cast<uint32_t *>(place.d_workspace), reinterpret_cast<SegmentVerdict *>(d_verdict), d_second,
          d_second + second_bytes(place.keys, by)};
}

/* Keys that are left over by equal lengths are in no segment. */
cdp_segments segments_of(const KeySpan &keys, const uint32_t *d_offsets, uint32_t segments, By by) {
  cdp_segments all = {};
  all.count = segments;
  if (by == By::length) {
    all.length = keys.count / segments;
    return all;
  }
  all.begins = d_offsets;
  all.ends = d_offsets != nullptr ? d_offsets + 1 : nullptr;
  all.offset_bytes = sizeof *d_offsets;
  return all;
}

template <uint32_t BITS, By BY>
size_t segment_bytes(const KeySpan &keys) {
  constexpr uint32_t SEGMENTS = 1u << BITS;
  const SegmentRows rows = {nullptr, SEGMENTS};
  size_t bytes = 0;
  if (BY == By::cub)
    cub_sort_segments(keys, nullptr, rows, nullptr, bytes, nullptr);
  else if (BY == By::cub_radix)
    cub_radix_sort_segments(keys, nullptr, rows, nullptr, bytes, nullptr);
  else {
    const cdp_segments segments = segments_of(keys, nullptr, SEGMENTS, BY);
    REQUIRE(cdp_segmented_sort_workspace(nullptr, 0, keys.count, keys.type, nullptr, &segments, &bytes));
  }
  return bytes_before_rest(keys, SEGMENTS, BY) + bytes;
}

template <uint32_t BITS, By BY, Lengths LENGTHS>
Sorted sort_segments(const Workplace &place) {
  constexpr uint32_t SEGMENTS = 1u << BITS;
  const Parts parts = parts_of(place, SEGMENTS, BY);
  const SegmentRows rows = {parts.d_offsets, SEGMENTS};
  if (BY == By::length && place.keys.count % SEGMENTS != 0)
    throw Failure("the segments would not have all keys");
  const std::vector<uint32_t> offsets = make_offsets(place.keys.count, SEGMENTS, LENGTHS);
  KeySpan sorted = place.keys;
  size_t rest = place.workspace_bytes - bytes_before_rest(place.keys, SEGMENTS, BY);
  REQUIRE(cudaMemcpyAsync(parts.d_offsets, offsets.data(), offsets.size() * sizeof offsets[0], cudaMemcpyHostToDevice,
                          place.stream));
  const SegmentVerdict before = judge_segments(place.keys, rows, parts.d_verdict, place.stream);
  const double milliseconds = time_on_stream(place.stream, [&] {
    if (BY == By::cub)
      sorted.d_keys = cub_sort_segments(place.keys, parts.d_second, rows, parts.d_rest, rest, place.stream);
    else if (BY == By::cub_radix)
      sorted.d_keys = cub_radix_sort_segments(place.keys, parts.d_second, rows, parts.d_rest, rest, place.stream);
    else {
      const cdp_segments segments = segments_of(place.keys, parts.d_offsets, SEGMENTS, BY);
      REQUIRE(cdp_segmented_sort_async(place.keys.d_keys, nullptr, 0, place.keys.count, place.keys.type, nullptr, &segments,
                                       parts.d_rest, rest, place.stream));
    }
  });
  const SegmentVerdict after = judge_segments(sorted, rows, parts.d_verdict, place.stream);
  if (after.in_disorder != 0 || after.sum != before.sum)
    throw Failure(after.in_disorder != 0 ? "segments are in disorder" : "segments have other keys");
  REQUIRE(cdp_quicksort_on_stream(sorted.d_keys, sorted.count, sorted.type, nullptr, place.stream));
  REQUIRE(cudaStreamSynchronize(place.stream));
  return {sorted.d_keys, milliseconds};
}

template <uint32_t BITS, By BY, Lengths LENGTHS>
Mode segment_mode(const char *name, const char *text) {
  return {name, text, true, UNASKED_KEYS_MOST, segment_bytes<BITS, BY>, sort_segments<BITS, BY, LENGTHS>};
}

} // namespace

std::vector<Mode> segment_modes() {
  return {
      segment_mode<10, By::offsets, Lengths::equal>("segments10", "cdpsort, 2^10 segments of one length, by offsets"),
      segment_mode<16, By::offsets, Lengths::equal>("segments16", "the same of 2^16 segments"),
      segment_mode<22, By::offsets, Lengths::equal>("segments22", "the same of 2^22 segments"),
      segment_mode<10, By::length, Lengths::equal>("rows10", "cdpsort, 2^10 segments by their length: a matrix by rows"),
      segment_mode<16, By::length, Lengths::equal>("rows16", "the same of 2^16 segments"),
      segment_mode<22, By::length, Lengths::equal>("rows22", "the same of 2^22 segments"),
      segment_mode<10, By::offsets, Lengths::zipf>("zipf-segments10", "cdpsort, 2^10 segments whose lengths are by Zipf's law"),
      segment_mode<16, By::offsets, Lengths::zipf>("zipf-segments16", "the same of 2^16 segments"),
      segment_mode<22, By::offsets, Lengths::zipf>("zipf-segments22", "the same of 2^22 segments"),
      segment_mode<10, By::cub, Lengths::equal>("cub-segments10", "cub::DeviceSegmentedSort::SortKeys, as segments10"),
      segment_mode<16, By::cub, Lengths::equal>("cub-segments16", "the same, as segments16"),
      segment_mode<22, By::cub, Lengths::equal>("cub-segments22", "the same, as segments22"),
      segment_mode<10, By::cub, Lengths::zipf>("cub-zipf-segments10", "the same, as zipf-segments10"),
      segment_mode<16, By::cub, Lengths::zipf>("cub-zipf-segments16", "the same, as zipf-segments16"),
      segment_mode<22, By::cub, Lengths::zipf>("cub-zipf-segments22", "the same, as zipf-segments22"),
      segment_mode<10, By::cub_radix, Lengths::equal>("cub-radix-segments10",
                                                      "cub::DeviceSegmentedRadixSort::SortKeys, as segments10"),
      segment_mode<16, By::cub_radix, Lengths::equal>("cub-radix-segments16", "the same, as segments16"),
      segment_mode<22, By::cub_radix, Lengths::equal>("cub-radix-segments22", "the same, as segments22"),
      segment_mode<10, By::cub_radix, Lengths::zipf>("cub-radix-zipf-segments10", "the same, as zipf-segments10"),
      segment_mode<16, By::cub_radix, Lengths::zipf>("cub-radix-zipf-segments16", "the same, as zipf-segments16"),
      segment_mode<22, By::cub_radix, Lengths::zipf>("cub-radix-zipf-segments22", "the same, as zipf-segments22"),
  };
}

} // namespace bench
