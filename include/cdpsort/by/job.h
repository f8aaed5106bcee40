/* SPDX-License-Identifier: MIT */
/*
 * What host and kernels of a sort by comparison agree on: the shape of blocks, and the job that every kernel is given. No header of
 * the C++ library is included where the runtime compiler compiles this: it has none.
 */
#ifndef CDPSORT_BY_JOB_H
#define CDPSORT_BY_JOB_H

#ifndef __CUDACC_RTC__
#include <cstddef>
#include <cstdint>
#endif

/* What host and kernels both reckon. */
#ifdef __CUDACC__
#define CDP_BY_BOTH __host__ __device__
#else
#define CDP_BY_BOTH
#endif

namespace cdp::by {

#ifdef __CUDACC_RTC__
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
#endif

/* Which item of the caller's: what is moved in the place of large ones. */
struct Index {
  uint32_t number;
};
constexpr uint32_t OF_INDICES = 0; /* in the place of a size */

/*
 * How blocks are shaped for items of so many bytes. Indices have a shape of their own: what is compared is far larger, and read
 * into registers beside them.
 *
 * piece_threads, sort_items  of a block that sorts a piece in shared memory, and the items of each thread. Odd, so that threads
 *                            which each write their items one behind the other do so to different banks. Half a piece's most is
 *                            what pieces have on average: 2^26 items of 4, 8 and 16 bytes then are no more than 2^16 pieces.
 * piece_blocks               of those that a multiprocessor must hold: with more registers than that leaves, fewer threads would be
 *                            at work; with fewer, some are spilled.
 * whole_threads              of a block that sorts all there is, if it is no more than that: all of it within 48 KB.
 * sample_threads             of a block that sorts a sample, or a piece that became too long: likewise.
 * sample_blocks              of those that a multiprocessor must hold: more registers than that leaves are not given. Small items
 *                            need no more; of others there is one, lest registers are spilled.
 * divide_threads, _items     of a block that counts or moves a tile: 32 KB of items.
 * level_bits                 of a bucket's number at most: it is written down as one byte.
 *
 * Those of items of 4 and 8 bytes were measured on an H200 (docs/lab/2026-11-25-comparisons-and-segments.md, whole_threads
 * docs/lab/2026-11-27-merging-without-branches.md), the others reckoned.
 */
struct Shape {
  uint32_t piece_threads;
  uint32_t piece_blocks;
  uint32_t sort_items;
  uint32_t whole_threads;
  uint32_t sample_threads;
  uint32_t sample_blocks;
  uint32_t divide_threads;
  uint32_t divide_items;
  uint32_t level_bits;

  CDP_BY_BOTH constexpr uint32_t piece() const {
    return piece_threads * sort_items;
  }
  CDP_BY_BOTH constexpr uint32_t short_piece() const {
    return piece_threads / 2 * sort_items;
  }
  CDP_BY_BOTH constexpr uint32_t whole() const {
    return whole_threads * sort_items;
  }
  CDP_BY_BOTH constexpr uint32_t sample() const {
    return sample_threads * sort_items;
  }
  CDP_BY_BOTH constexpr uint32_t tile() const {
    return divide_threads * divide_items;
  }
};

CDP_BY_BOTH constexpr Shape shape_of(uint32_t item_bytes, bool is_simulated) {
  if (is_simulated && item_bytes == OF_INDICES)
    return {64, 2, 3, 128, 128, 1, 64, 3, 3};
  if (is_simulated)
    return item_bytes <= 4 ? Shape{64, 2, 5, 128, 128, 1, 64, 3, 3} : Shape{64, 2, 3, 64, 96, 1, 64, 2, 3};
  if (item_bytes == OF_INDICES)
    return {256, 1, 9, 512, 512, 1, 512, 8, 8};
  if (item_bytes <= 4)
    return {128, 12, 17, 512, 256, 4, 512, 16, 8};
  if (item_bytes <= 8)
    return {256, 6, 9, 512, 512, 1, 512, 8, 8};
  if (item_bytes <= 16)
    return {256, 1, 9, 256, 256, 1, 512, 4, 8};
  return {256, 1, 5, 256, 256, 1, 512, 2, 8};
}

/* Items that are moved themselves; of all others their indices are, and they are gathered at the end. */
CDP_BY_BOTH constexpr bool is_moved(uint64_t item_bytes) {
  return item_bytes == 1 || item_bytes == 2 || item_bytes == 4 || item_bytes == 8 || item_bytes == 12 || item_bytes == 16 ||
         item_bytes == 24 || item_bytes == 32;
}

/* Shared memory, in bytes: of a block that sorts so many items a thread, of one that classifies, and of one that moves. */
CDP_BY_BOTH constexpr uint32_t rounded(uint32_t bytes) {
  return (bytes + 15) / 16 * 16;
}
CDP_BY_BOTH constexpr uint32_t sort_bytes(const Shape &shape, uint32_t threads, uint32_t item_bytes) {
  return rounded(((threads + 1) * shape.sort_items + 1) * item_bytes) + rounded((threads + 1) * 4);
}
CDP_BY_BOTH constexpr uint32_t choose_bytes(const Shape &shape, uint32_t item_bytes) {
  return sort_bytes(shape, shape.sample_threads, item_bytes) + rounded((1u << shape.level_bits) * 2) + 128;
}
CDP_BY_BOTH constexpr uint32_t classify_bytes(const Shape &shape, uint32_t item_bytes) {
  return rounded((1u << shape.level_bits) * item_bytes) + (1u << shape.level_bits) * 8 + 16;
}
CDP_BY_BOTH constexpr uint32_t move_bytes(const Shape &shape, uint32_t item_bytes) {
  return rounded(shape.tile() * item_bytes) + rounded(shape.tile()) + (1u << shape.level_bits) * 12 + 16;
}

/* Where a range of items begins and ends. */
struct Bounds {
  uint32_t begin;
  uint32_t end;
};

/*
 * What a kernel works on. Ranges are numbered: those that a level divides are `parents`, and each of them has 2^bits children, some
 * of them empty. `is_done` says of a range that all its items are equivalent, or were told to be.
 */
struct Job {
  void *items;           /* in the end the sorted ones: the caller's, or indices */
  void *other;           /* as many more */
  const void *from;      /* this level reads these ... */
  void *to;              /* ... and writes those: `items` and `other`, either way round */
  uint8_t *buckets;      /* of each item, by where it lies in `from` */
  uint32_t *begins;      /* of parents, and the end; not looked at where there is one */
  uint8_t *is_done;      /* likewise */
  uint32_t *next_begins; /* the same of children */
  uint8_t *next_is_done;
  void *splitters;     /* 2^bits of each parent, a tree: the children of node n are 2n and 2n + 1; that with number 0 is none */
  uint16_t *bucket_of; /* 2^bits: the bucket of what is not before so many splitters; HAS_EQUALS */
  uint32_t *splitter_counts; /* of each parent; 0: it stays as it is */
  uint32_t *cursors;         /* of each child: how many items it has, then where the next one goes */
  uint32_t *long_pieces;     /* numbers of those that are longer than a block sorts */
  uint32_t *long_count;
  const void *base; /* the caller's items, where indices are sorted */
  void *gathered;   /* as many, in order */
  uint64_t item_bytes;
  uint64_t seed;
  uint32_t count;
  uint32_t parents;
  uint32_t bits;
  uint32_t is_last;      /* what this level makes are the pieces */
  uint32_t fewest_items; /* of a piece that piece_kernel sorts; of others short_piece_kernel has done so */
};

/* A splitter has a bucket of its own for what is equivalent to it: it is the one before. */
constexpr uint16_t HAS_EQUALS = 0x8000;

/* The kernels, in the order of KERNEL_NAMES (launches.h). */
enum class Kernel : uint32_t { number, choose, count, scan, move, whole, short_piece, piece, long_piece, gather };
constexpr uint32_t KERNELS = 10;

/* What a comparison of the caller's is given: a copy of his bytes, or a pointer as it is. A kernel's parameters are 4 KB at most.
   */
constexpr uint32_t CONTEXT_BYTES_MAX = 1024;
struct alignas(16) Context {
  unsigned char bytes[CONTEXT_BYTES_MAX];
  const void *pointer;
  uint32_t is_copied;
};

/* Blocks that count or move tiles, to a multiprocessor: with 512 threads each may have 64 registers, and needs as many for 4
   bytes. With fewer the compiler has been seen to spill. */
constexpr uint32_t DIVIDE_BLOCKS = 2;

/* Items of a sample to each bucket, unless that is more than a block sorts: with 64 in the place of 32, 2^20 items of 4 bytes take
   6 % longer (H200). */
constexpr uint32_t SAMPLE_ITEMS = 32;

/* Threads of the blocks whose size is nobody's concern. */
constexpr uint32_t PLAIN_THREADS = 256;
constexpr uint32_t SCAN_THREADS = 32;

} // namespace cdp::by

#endif
