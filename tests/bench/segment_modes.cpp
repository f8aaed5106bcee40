/* SPDX-License-Identifier: MIT */
/*
 * Modes of the segmented sort, and of CUB's: see sorter.h. There are 2^10, 2^16 or 2^22 segments, whatever the number of keys, as
 * long as one another or by Zipf's law, in an order that is left to chance; offsets are made outside the clock. Outside the clock
 * segments are judged, by themselves, and then all keys are sorted, with their values where they have some, and judged as what is
 * sorted is.
 */
#include "pieces.h"
#include "segment_peers.h"
#include "stopwatch.h"

#include <cdpsort/copy.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bench {

namespace {

/* There are many of these modes: with more keys they are measured when they are named. */
constexpr uint64_t UNASKED_KEYS_MOST = uint64_t{1} << 20;

/* Of values, where there are some: the keys' indices, which are judged by themselves. */
using Value = uint32_t;

enum class Lengths { equal, zipf };
enum class By { offsets, length, copy, cub, cub_radix };

/* ---- Offsets ------------------------------------------------------------------------------------------------------------ */

/* A number at random for each index (Guy Steele, Doug Lea and Christine Flood, "Fast splittable pseudorandom number generators",
   2014). */
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

/* What kind of segments, and who sorts them: with values or without. */
template <uint32_t BITS, By BY, Lengths LENGTHS, bool HAS_VALUES>
struct Kind {
  static constexpr uint32_t SEGMENTS = 1u << BITS;
  static constexpr bool IS_CUB = BY == By::cub || BY == By::cub_radix;
  static constexpr size_t COLUMNS = HAS_VALUES ? 1 : 0;

  /* Keys that are left over by equal lengths are in no segment. */
  static cdp_segments segments_of(const KeySpan &keys, const uint32_t *d_offsets) {
    cdp_segments all = {};
    all.count = SEGMENTS;
    if (BY == By::length) {
      all.length = keys.count / SEGMENTS;
      return all;
    }
    all.begins = d_offsets;
    all.ends = d_offsets != nullptr ? d_offsets + 1 : nullptr;
    all.offset_bytes = sizeof *d_offsets;
    return all;
  }

  /* Offsets, a verdict, second buffers of CUB's and of what is out of place, and what the call itself wants. */
  static size_t workspace_bytes(const KeySpan &keys) {
    const SegmentRows rows = {nullptr, SEGMENTS};
    size_t bytes = 0;
    if (IS_CUB) {
      SegmentBuffers buffers = {nullptr, nullptr, nullptr, nullptr};
      cub_sort(keys, &buffers, rows, nullptr, bytes, nullptr);
      bytes += second_bytes(keys);
    } else if (BY == By::copy) {
      const cdp_segments segments = segments_of(keys, nullptr);
      const cdp_column_copy column = {nullptr, nullptr, sizeof(Value)};
      REQUIRE(cdp_segmented_sort_copy_workspace(&column, COLUMNS, keys.count, keys.type, nullptr, &segments, &bytes));
      bytes += second_bytes(keys);
    } else {
      const cdp_segments segments = segments_of(keys, nullptr);
      const cdp_column column = {nullptr, sizeof(Value)};
      REQUIRE(cdp_segmented_sort_workspace(&column, COLUMNS, keys.count, keys.type, nullptr, &segments, &bytes));
    }
    return aligned((SEGMENTS + size_t{1}) * sizeof(uint32_t)) + aligned(sizeof(SegmentVerdict)) + bytes;
  }

  static Sorted sort(const Workplace &place) {
    Pieces pieces(place);
    uint32_t *const d_offsets = pieces.take<uint32_t>(SEGMENTS + uint64_t{1});
    SegmentVerdict *const d_verdict = pieces.take<SegmentVerdict>(1);
    const SegmentRows rows = {d_offsets, SEGMENTS};
    if (BY == By::length && place.keys.count % SEGMENTS != 0)
      throw Failure("the segments would not have all keys");
    const std::vector<uint32_t> offsets = make_offsets(place.keys.count, SEGMENTS, LENGTHS);
    REQUIRE(
        cudaMemcpyAsync(d_offsets, offsets.data(), offsets.size() * sizeof offsets[0], cudaMemcpyHostToDevice, place.stream));
    const SegmentVerdict before = judge_segments(place.keys, rows, d_verdict, place.stream);
    const Sorted sorted = sort_timed(place, rows, pieces);
    const KeySpan found = {sorted.d_keys, place.keys.count, place.keys.type};
    const SegmentVerdict after = judge_segments(found, rows, d_verdict, place.stream);
    if (after.in_disorder != 0 || after.sum != before.sum)
      throw Failure(after.in_disorder != 0 ? "segments are in disorder" : "segments have other keys");
    const cdp_column column = {sorted.d_values, sizeof(Value)};
    REQUIRE(cdp_quicksort_columns_on_stream(found.d_keys, &column, COLUMNS, found.count, found.type, nullptr, place.stream));
    REQUIRE(cudaStreamSynchronize(place.stream));
    return sorted;
  }

private:
  static size_t second_bytes(const KeySpan &keys) {
    return array_bytes(keys, device_data::key_bytes(keys.type)) + (HAS_VALUES ? array_bytes(keys, sizeof(Value)) : 0);
  }

  static void cub_sort(const KeySpan &keys, SegmentBuffers *buffers, const SegmentRows &rows, void *d_temporary,
                       size_t &temporary_bytes, cudaStream_t stream) {
    (HAS_VALUES            ? cub_sort_segment_pairs
     : BY == By::cub_radix ? cub_radix_sort_segments
                           : cub_sort_segments)(keys, buffers, rows, d_temporary, temporary_bytes, stream);
  }

  static SegmentBuffers take_buffers(const Workplace &place, Pieces &pieces) {
    const KeySpan &keys = place.keys;
    return {keys.d_keys, pieces.take_bytes(keys.count * device_data::key_bytes(keys.type)), place.d_values,
            HAS_VALUES ? pieces.take<Value>(keys.count) : nullptr};
  }

  static Sorted copy_timed(const Workplace &place, const SegmentRows &rows, Pieces pieces) {
    const KeySpan &keys = place.keys;
    const SegmentBuffers buffers = take_buffers(place, pieces);
    const cdp_segments segments = segments_of(keys, rows.d_offsets);
    const cdp_column_copy column = {place.d_values, buffers.d_second_values, sizeof(Value)};
    const double milliseconds = time_on_stream(place.stream, [&] {
      REQUIRE(cdp_segmented_sort_copy_async(keys.d_keys, buffers.d_second_keys, &column, COLUMNS, keys.count, keys.type,
                                            nullptr, &segments, pieces.rest(), pieces.rest_bytes(), place.stream));
    });
    return {buffers.d_second_keys, milliseconds, buffers.d_second_values};
  }

  static Sorted sort_timed(const Workplace &place, const SegmentRows &rows, Pieces pieces) {
    const KeySpan &keys = place.keys;
    if (BY == By::copy)
      return copy_timed(place, rows, pieces);
    if (IS_CUB) {
      SegmentBuffers buffers = take_buffers(place, pieces);
      size_t bytes = pieces.rest_bytes();
      const double milliseconds =
          time_on_stream(place.stream, [&] { cub_sort(keys, &buffers, rows, pieces.rest(), bytes, place.stream); });
      return {buffers.d_keys, milliseconds, buffers.d_values};
    }
    const cdp_segments segments = segments_of(keys, rows.d_offsets);
    const cdp_column column = {place.d_values, sizeof(Value)};
    const double milliseconds = time_on_stream(place.stream, [&] {
      REQUIRE(cdp_segmented_sort_async(keys.d_keys, &column, COLUMNS, keys.count, keys.type, nullptr, &segments, pieces.rest(),
                                       pieces.rest_bytes(), place.stream));
    });
    return {keys.d_keys, milliseconds, place.d_values};
  }
};

template <uint32_t BITS, By BY, Lengths LENGTHS, bool HAS_VALUES = false>
Mode segment_mode(const char *name, const char *text) {
  using Segments = Kind<BITS, BY, LENGTHS, HAS_VALUES>;
  const Moved moved = {HAS_VALUES ? uint32_t{sizeof(Value)} : 0, false, false, false};
  return {name, text, true, UNASKED_KEYS_MOST, Segments::workspace_bytes, Segments::sort, moved};
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
      segment_mode<16, By::copy, Lengths::equal>("copy-segments16", "cdpsort, as segments16, out of place"),
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
      segment_mode<10, By::offsets, Lengths::equal, true>("segments10-4", "cdpsort, as segments10, with values of 4 bytes"),
      segment_mode<16, By::offsets, Lengths::equal, true>("segments16-4", "the same, as segments16"),
      segment_mode<22, By::offsets, Lengths::equal, true>("segments22-4", "the same, as segments22"),
      segment_mode<10, By::offsets, Lengths::zipf, true>("zipf-segments10-4", "the same, as zipf-segments10"),
      segment_mode<16, By::offsets, Lengths::zipf, true>("zipf-segments16-4", "the same, as zipf-segments16"),
      segment_mode<22, By::offsets, Lengths::zipf, true>("zipf-segments22-4", "the same, as zipf-segments22"),
      segment_mode<16, By::copy, Lengths::equal, true>("copy-segments16-4", "cdpsort, as segments16-4, out of place"),
      segment_mode<10, By::cub, Lengths::equal, true>("cub-segments10-4",
                                                      "cub::DeviceSegmentedSort::SortPairs, values of 4 bytes, as segments10"),
      segment_mode<16, By::cub, Lengths::equal, true>("cub-segments16-4", "the same, as segments16"),
      segment_mode<22, By::cub, Lengths::equal, true>("cub-segments22-4", "the same, as segments22"),
      segment_mode<10, By::cub, Lengths::zipf, true>("cub-zipf-segments10-4", "the same, as zipf-segments10"),
      segment_mode<16, By::cub, Lengths::zipf, true>("cub-zipf-segments16-4", "the same, as zipf-segments16"),
      segment_mode<22, By::cub, Lengths::zipf, true>("cub-zipf-segments22-4", "the same, as zipf-segments22"),
  };
}

} // namespace bench
