/* SPDX-License-Identifier: MIT */
/*
 * A map from keys to buckets by arithmetic: where in the order of all keys is this one, about? It never decreases, so that
 * buckets hold keys between two values, as those between two pivots do; and it costs some ten instructions, where a search
 * among as many splitters would take a look at shared memory for each halving.
 *
 *     offset    a key's distance from the least one, as 32 bits whose uppermost is set in the greatest distance
 *     straight  the keys of a sample are spread evenly: a bucket is the offset times a constant
 *     lines     they are not: the offsets are divided into KEY_LINES lines, each as wide as the others, and a sample says what
 *               share of all keys lies in each. Within a line keys are taken to be spread evenly (piecewise linear
 *               interpolation of the distribution: Peterson, "Addressing for random-access storage", 1957, in every piece)
 *
 *     octaves   as lines, but that offsets are the logarithms of distances, piecewise linear themselves: a distance's bits as
 *               those of a floating-point number. For keys that are spread over many orders of magnitude
 *
 * Nobody relies on the sample: buckets are counted before anything moves. One that becomes too long is sorted another way.
 *
 * Keys beyond the sample's least and greatest belong to the first and the last bucket, which hold hardly any others: the lines
 * begin one line below the least key and end one above the greatest.
 */
#ifndef CDPSORT_DEVICE_BLOCK_KEY_LINES_CUH
#define CDPSORT_DEVICE_BLOCK_KEY_LINES_CUH

#include "block/partition.cuh"

namespace cdp::CDP_RUNTIME {

/* Lines, of which more than half are in use. 8 KB of shared memory. */
constexpr uint32_t KEY_LINE_BITS = 11;
constexpr uint32_t KEY_LINES = 1u << KEY_LINE_BITS;

/*
 * Where a line begins, and the one before it ends, in 2^-LINE_UNIT_BITS of a bucket, so that no map has too many buckets for 32
 * bits; and where the last one ends. Or, of a map of few buckets, where a line begins and how long it is, in 2^-SHORT_UNIT_BITS of a
 * bucket, in the halves of one word.
 *
 * A look at shared memory takes three cycles, where each of 24 lanes has a word of its own to look at, and that is what counting and
 * scattering keys by lines wait for (H200, ncu; docs/lab/2026-11-29-one-word-to-a-line.md).
 */
constexpr uint32_t LINE_UNIT_BITS = 12;
constexpr uint32_t SHORT_UNIT_BITS = 4;
constexpr uint32_t LINE_WORDS = KEY_LINES + 1;
enum class LineForm : uint32_t { either, begins, halves };

/* How keys become offsets, and what becomes of those. */
template <typename Bits>
struct KeyLines {
  Bits least;
  Bits width;    /* of what lies between the least and the greatest */
  uint32_t drop; /* lower bits of a distance that are left out, and zeros behind it: the offset's uppermost bit is bit 31 */
  uint32_t raise;
  uint32_t factor; /* straight: buckets in 2^32 offsets; 0: lines */
  uint32_t buckets;
  uint32_t frequent;     /* values that are left out (frequent_values.cuh). With octaves there is one at least */
  uint8_t by_octave;     /* 1: of octaves */
  uint8_t in_halves;     /* 1: where a line begins and how long it is are halves of a word */
  uint16_t counter_bits; /* of a bucket's counter, if all are counted at once; 0: groups of them are first */
};

/* The same lines with so many buckets: straight. The quotient is below 2^21 and no closer to a greater integer than by 2^-32:
   a double-precision one, which is off by half of that at most, is never rounded up to one. Of 64-bit integers it would be
   a function of many instructions. */
template <typename Bits>
__device__ __forceinline__ KeyLines<Bits> with_buckets(KeyLines<Bits> lines, uint32_t buckets) {
  const uint32_t last = static_cast<uint32_t>(lines.width >> lines.drop) << lines.raise;
  lines.factor =
      static_cast<uint32_t>(static_cast<double>(static_cast<uint64_t>(buckets) << 32) / (static_cast<double>(last) + 1));
  lines.buckets = buckets;
  return lines;
}

/* Lines for keys between two different ones, with a line to spare on either side; straight until they are learnt. */
template <typename Bits>
__device__ __forceinline__ KeyLines<Bits> lines_between(Bits least, Bits greatest, uint32_t buckets) {
  const Bits spare = ((greatest - least) >> (KEY_LINE_BITS - 1)) + 1;
  KeyLines<Bits> lines = {};
  lines.least = least < spare ? 0 : least - spare;
  lines.width = (GREATEST<Bits> - greatest < spare ? GREATEST<Bits> : greatest + spare) - lines.least;
  const uint32_t bits = bits_of(lines.width);
  lines.drop = bits > 32 ? bits - 32 : 0;
  lines.raise = bits < 32 ? 32 - bits : 0;
  return with_buckets(lines, buckets);
}

/* The same for lines of octaves, whose first begins with the least key: behind lines to spare they would be too wide. */
template <typename Bits>
__device__ __forceinline__ KeyLines<Bits> octaves_from(Bits least, const KeyLines<Bits> &lines) {
  KeyLines<Bits> octaves = lines;
  octaves.least = least;
  octaves.width = lines.width - (least - lines.least);
  octaves.by_octave = 1;
  return octaves;
}

/* Entered keys' distances from the least, in 32 bits, and their offsets. */
template <typename Bits>
__device__ __forceinline__ uint32_t distance_of(const KeyLines<Bits> &lines, Bits key) {
  const Bits above = max(key, lines.least) - lines.least;
  const Bits distance = min(above, lines.width);
  if constexpr (sizeof(Bits) == 4)
    return distance;
  else
    return static_cast<uint32_t>(distance >> lines.drop);
}

template <typename Bits>
__device__ __forceinline__ uint32_t offset_of(const KeyLines<Bits> &lines, Bits key) {
  return distance_of(lines, key) << lines.raise;
}

/* A distance as a floating-point number has it, in 32 bits: an exponent, and what follows the uppermost bit. */
template <typename Bits>
__device__ __forceinline__ uint32_t octave_offset(Bits distance) {
  constexpr uint32_t WIDTH = 8 * sizeof(Bits);
  constexpr uint32_t EXPONENT_BITS = sizeof(Bits) == 4 ? 5 : 6;
  const uint32_t bits = bits_of(static_cast<Bits>(distance | 1));
  const Bits fraction = static_cast<Bits>(static_cast<Bits>(distance << (WIDTH - bits)) << 1);
  return (bits - 1) << (32 - EXPONENT_BITS) | static_cast<uint32_t>(fraction >> (WIDTH - 32 + EXPONENT_BITS));
}

/* What lines are of, where that is known before the kernel runs: code for one sort of them is shorter than for either, which asks
   for every key, and is fetched sooner. */
enum class LineSpread : uint32_t { either, distances, octaves };

/* The offset of an entered key. */
template <LineSpread SPREAD = LineSpread::either, typename Bits>
__device__ __forceinline__ uint32_t spread_offset(const KeyLines<Bits> &lines, Bits key) {
  if (SPREAD == LineSpread::distances || (SPREAD == LineSpread::either && lines.by_octave == 0))
    return offset_of(lines, key);
  const Bits above = max(key, lines.least) - lines.least;
  return octave_offset<Bits>(min(above, lines.width));
}

/* Whether the map may be straight: the factor, which is raised instead of every key, stays a 32-bit number. */
template <typename Bits>
__device__ __forceinline__ bool is_straight(const KeyLines<Bits> &lines) {
  return static_cast<uint64_t>(lines.factor) << lines.raise >> 32 == 0;
}

/* The bucket of an entered key: by a straight map. */
template <typename Bits>
struct StraightMap {
  static constexpr bool HAS_FREQUENT = false;

  KeyLines<Bits> lines;
  uint32_t raised_factor;

  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    return __umulhi(distance_of(lines, key), raised_factor);
  }
};

template <typename Bits>
__device__ __forceinline__ StraightMap<Bits> straight_map(const KeyLines<Bits> &lines) {
  return {lines, lines.factor << lines.raise};
}

/* And by lines. */
__device__ __forceinline__ uint32_t bucket_by_begins(uint32_t offset, const uint32_t *line_words) {
  const uint32_t *line = &line_words[offset >> (32 - KEY_LINE_BITS)];
  const uint32_t begin = line[0];
  return (begin + __umulhi(offset << KEY_LINE_BITS, line[1] - begin)) >> LINE_UNIT_BITS;
}

__device__ __forceinline__ uint32_t bucket_by_halves(uint32_t offset, const uint32_t *line_words) {
  const uint32_t line = line_words[offset >> (32 - KEY_LINE_BITS)];
  return ((line >> 16) + __umulhi(offset << KEY_LINE_BITS, line & 0xFFFF)) >> SHORT_UNIT_BITS;
}

template <LineForm FORM, typename Bits>
__device__ __forceinline__ uint32_t bucket_by_lines(const KeyLines<Bits> &lines, uint32_t offset, const uint32_t *line_words) {
  if (FORM == LineForm::halves || (FORM == LineForm::either && lines.in_halves != 0))
    return bucket_by_halves(offset, line_words);
  return bucket_by_begins(offset, line_words);
}

template <LineForm FORM, typename Bits>
struct LineMap {
  static constexpr bool HAS_FREQUENT = false;

  KeyLines<Bits> lines;
  const uint32_t *line_words;

  __device__ __forceinline__ uint32_t operator()(Bits key) const {
    return bucket_by_lines<FORM>(lines, offset_of(lines, key), line_words);
  }
};

/* Calls `use` with the map that lines stand for, which have no frequent values, and words of their own for begins and lengths.
   line_words: where it is not straight. */
template <typename Bits, typename Use>
__device__ __forceinline__ void with_map(const KeyLines<Bits> &lines, const uint32_t *line_words, Use use) {
  if (lines.factor != 0)
    use(straight_map(lines));
  else
    use(LineMap<LineForm::begins, Bits>{lines, line_words});
}

} // namespace cdp::CDP_RUNTIME

#endif
