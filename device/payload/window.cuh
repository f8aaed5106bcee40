/* SPDX-License-Identifier: MIT */
/*
 * One look at all keys, and what follows from it: which few bits tell most of a key. Where kernels work with them, that is the window.
 *
 * 1. Upper bits of the distance from the least key tell keys apart that are spread evenly, and those of a small range.
 * 2. Letters and digits have bits that are the same in all keys, between those that vary.
 * 3. Where keys are spread over many orders of magnitude, or one lies far from all others, upper bits are the same in most keys.
 * 4. A window has to rise as keys do, and what it does not show must be few bits: those are sorted by in rounds (wide_runs.cuh), as many as
 *    were launched.
 * Therefore bits that do not vary are left out where that shows more of the others; numbers of octaves and steps within them take the place
 * of upper bits where a sample is near one end, and does not crowd in them; and otherwise it is the upper bits.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_WINDOW_CUH
#define CDPSORT_DEVICE_PAYLOAD_WINDOW_CUH

#include "block/scan.cuh"
#include "payload/items.cuh"

namespace cdp::CDP_RUNTIME {

/* Steps in which bits are moved together, each by twice as many places as the one before. */
constexpr uint32_t COMPACTION_STEPS = 6;

/* So many bits of its distance, or fewer, a key's window does not show: tiles compare no more (wide_tiles.cuh). */
constexpr uint32_t MOST_BITS_LEFT = 32;

/* How distances become windows: their upper bits are taken; or they are by octaves, from the least key or from the greatest. */
enum class WindowForm : uint32_t { upper_bits, from_least, from_greatest };

/* What is known of all keys, entered. Zeroed before they are looked at. */
struct KeyExtremes {
  unsigned long long greatest;
  unsigned long long least_inverted;          /* ~ of the least, so that both begin with zeros */
  unsigned long long varying;                 /* the bits that are not the same in all keys */
  unsigned long long moved[COMPACTION_STEPS]; /* by each step, if bits that do not vary are left out */
  unsigned long long origin;                  /* of the distances */
  uint32_t distance_bits;                     /* of the greatest distance */
  uint32_t is_compacted;                      /* 1: bits are left out */
  WindowForm form;
  uint32_t blocks_done; /* that have told the keys that they have seen */

  __device__ __forceinline__ uint64_t least() const {
    return ~uint64_t{least_inverted};
  }
  /* Whether windows are the upper bits of distances from the least key. */
  __device__ __forceinline__ bool are_plain() const {
    return is_compacted == 0 && form == WindowForm::upper_bits;
  }
  /* How many lower bits of a key's distance are too many, if there is room for so many bits. */
  __device__ __forceinline__ uint32_t dropped_bits(uint32_t room) const {
    return distance_bits > room ? distance_bits - room : 0;
  }
};
static_assert(sizeof(KeyExtremes) <= CDP_WORKSPACE_ALIGNMENT, "a plan has so much for it");

/*
 * How far a key is from the least. Where many bits are the same in all keys, as in those of letters or digits, it is instead the number
 * that the others make: keys come in the same order by that, and it has fewer bits. ("Compress"; Warren, "Hacker's Delight", 2012, 7-4.)
 * Where octaves begin at the greatest key, that one's distance is 2^64 - 1, and the others are less: so keys of the same step have distances
 * that differ in lower bits alone, from whichever end it is.
 */
struct KeyDistance {
  uint64_t origin;
  const KeyExtremes *compaction; /* NULL: no bit is left out */

  __device__ __forceinline__ explicit KeyDistance(const KeyExtremes &extremes)
      : origin(extremes.origin), compaction(extremes.is_compacted != 0 ? &extremes : nullptr) {}

  __device__ __forceinline__ uint64_t operator()(uint64_t entered) const {
    return (compaction == nullptr ? entered : compacted(entered)) - origin;
  }

private:
  __device__ __forceinline__ uint64_t compacted(uint64_t entered) const {
    uint64_t bits = entered & compaction->varying;
#pragma unroll
    for (uint32_t step = 0; step < COMPACTION_STEPS; step++) {
      const uint64_t moved = bits & compaction->moved[step];
      bits = (bits ^ moved) | moved >> (1u << step);
    }
    return bits;
  }
};

/* The upper bits of a key's distance from the least: as many as there is room for. */
struct UpperBits {
  uint64_t least;
  uint32_t dropped_bits;

  __device__ __forceinline__ UpperBits(const KeyExtremes &extremes, uint32_t room)
      : least(extremes.origin), dropped_bits(extremes.dropped_bits(room)) {}
  /* Of keys that lie between two. */
  __device__ __forceinline__ UpperBits(uint64_t least_key, uint64_t greatest, uint32_t room)
      : least(least_key), dropped_bits(0) {
    const uint32_t bits = bits_of(greatest - least_key);
    dropped_bits = bits > room ? bits - room : 0;
  }

  __device__ __forceinline__ uint64_t operator()(uint64_t entered) const {
    return (entered - least) >> dropped_bits;
  }
  /* The others. */
  __device__ __forceinline__ uint64_t dropped(uint64_t entered) const {
    return (entered - least) & ((uint64_t{1} << dropped_bits) - 1);
  }
};

/* The number of a distance among 2^octave_bits steps to each power of two, or less far from 0, where steps have 1. */
__device__ __forceinline__ uint64_t octave_number(uint64_t far, uint32_t octave_bits) {
  const uint32_t far_bits = bits_of(far);
  const uint32_t octave = far_bits > octave_bits ? far_bits - octave_bits - 1 : 0;
  return (uint64_t{octave} << octave_bits) + (far >> octave);
}

/*
 * What of a key of 8 bytes is in its item: the upper bits of its distance. Where many keys are far closer to the least than the greatest
 * is, or the other way round, those that are close have finer steps: by octaves, as many steps to each power of two. The uppermost
 * octaves have half of all numbers, and steps that leave one bit more than upper bits would.
 */
struct Window {
  KeyDistance distance;
  uint32_t dropped_bits; /* of a distance, if its upper bits are taken */
  uint32_t bits;
  WindowForm form;

  __device__ __forceinline__ Window(const KeyExtremes &extremes, uint32_t room)
      : distance(extremes), dropped_bits(extremes.dropped_bits(room)), bits(room), form(extremes.form) {}

  __device__ __forceinline__ uint64_t operator()(uint64_t entered) const {
    const uint64_t far = distance(entered);
    if (form == WindowForm::upper_bits)
      return far >> dropped_bits;
    return form == WindowForm::from_least ? by_octaves(far) : (uint64_t{1} << bits) - 1 - by_octaves(~far);
  }

private:
  static constexpr uint32_t OCTAVE_NUMBER_BITS = 7; /* there are 64 octaves at most, in half of all numbers */
  static constexpr uint32_t UPPERMOST_OCTAVES = 5;  /* below those, an octave's steps are no longer than theirs */

  __device__ __forceinline__ uint64_t by_octaves(uint64_t far) const {
    const uint32_t far_bits = bits_of(far);
    const uint32_t octave_bits = bits - OCTAVE_NUMBER_BITS;
    if (far_bits > bits + dropped_bits - UPPERMOST_OCTAVES)
      return (far >> (dropped_bits + 1)) + (uint64_t{1} << (bits - 1));
    return octave_number(far, octave_bits);
  }
};

/* Calls use(window), with the window of so many bits that the keys have. */
template <typename Use>
__device__ __forceinline__ void with_window(const KeyExtremes &extremes, uint32_t room, Use use) {
  if (extremes.are_plain())
    use(UpperBits(extremes, room));
  else
    use(Window(extremes, room));
}

} // namespace cdp::CDP_RUNTIME

#endif
