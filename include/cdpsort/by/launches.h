/* SPDX-License-Identifier: MIT */
/*
 * How the host goes about a sort by comparison: how many levels, where everything is in the workspace, and which kernels are
 * launched, one behind the other.
 *
 *     | as many items, or two rows of indices and, in place, the gathered items | bucket of each item |
 *     | two sets of ranges: begins, is_done | splitters, buckets of ranks | splitter counts | cursors | long pieces, their count |
 */
#ifndef CDPSORT_BY_LAUNCHES_H
#define CDPSORT_BY_LAUNCHES_H

#include "cdpsort/by/job.h"

namespace cdp::by {

/* By number of Kernel; behind "cdp_by_" the names of those that the runtime compiler makes. */
constexpr const char *KERNEL_NAMES[KERNELS] = {"number", "choose",      "count", "scan",       "move",
                                               "whole",  "short_piece", "piece", "long_piece", "gather"};

/* 2^32 items with a bucket's number of 8 bits are 3 levels on a GPU; the simulated device's are smaller. */
constexpr uint32_t LEVELS_MAX = 10;

struct Plan {
  uint64_t count;
  uint64_t item_bytes;
  uint64_t seed;
  Shape shape;
  uint32_t moved_bytes; /* of an item, or of an index */
  uint32_t levels;      /* 0: one block sorts all of it */
  uint32_t bits[LEVELS_MAX];
  uint32_t pieces;
  uint32_t blocks; /* of a grid whose blocks take what there is in turns */
  bool is_apart;   /* the caller's items stay as they are, and the sorted ones go elsewhere */
  /* Where parts of the workspace begin. */
  uint64_t items; /* of indices: of items there are the caller's */
  uint64_t other;
  uint64_t gathered;
  uint64_t buckets;
  uint64_t begins[2];
  uint64_t is_done[2];
  uint64_t splitters;
  uint64_t bucket_of;
  uint64_t splitter_counts;
  uint64_t cursors;
  uint64_t long_pieces;
  uint64_t long_count;
  uint64_t workspace_bytes;
};

/* Blocks that sort long pieces, to a multiprocessor: as many as it holds. Of 2^16 pieces some hundred are too long by chance, of
   which a block takes some tens of microseconds each. Reckoned, not measured yet. */
constexpr uint32_t LONG_PIECE_BLOCKS = 4;

constexpr uint64_t COUNT_MAX = 0xffffffffu;
constexpr uint64_t ITEM_BYTES_MAX = 0xffffffffu;
constexpr uint64_t WORKSPACE_ALIGNMENT = 256;

inline bool is_of_indices(const Plan &plan) {
  return !is_moved(plan.item_bytes);
}

/* Parts one behind the other. Nothing here can overflow: 2^32 items of 2^32 bytes and what goes with them are counted in 64 bits
   as long as no more is asked of one than 2^64, and that is looked at. */
struct Parts {
  uint64_t end = 0;
  bool is_countable = true;

  uint64_t take(uint64_t items, uint64_t item_bytes) {
    const uint64_t begin = end;
    if (item_bytes != 0 && items > (UINT64_MAX / 2 - end) / item_bytes)
      is_countable = false;
    else
      end = (begin + items * item_bytes + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
    return begin;
  }
};

/* As few levels as there can be for pieces of half a block's tile each, and bits shared among them evenly. */
inline void plan_levels(Plan &plan) {
  const uint64_t half = plan.shape.piece() / 2;
  uint32_t bits = 1;
  while ((plan.count + half - 1) / half > uint64_t{1} << bits)
    bits++;
  plan.levels = (bits + plan.shape.level_bits - 1) / plan.shape.level_bits;
  plan.pieces = 1u << bits;
  for (uint32_t level = 0; level < plan.levels; level++) {
    plan.bits[level] = (bits + plan.levels - level - 1) / (plan.levels - level);
    bits -= plan.bits[level];
  }
}

/* What is asked for: a sort of at least 2 items, or of 1 if it is apart. */
struct Request {
  uint64_t count;
  uint64_t item_bytes;
  uint64_t seed;
  bool is_apart;
};

/* Plans it. False if the workspace's bytes cannot be counted. `multiprocessors`: of the device. */
inline bool make_plan(const Request &request, uint32_t multiprocessors, bool is_simulated, Plan *plan) {
  const uint64_t count = request.count;
  const uint64_t item_bytes = request.item_bytes;
  Parts parts;
  *plan = {};
  plan->count = count;
  plan->item_bytes = item_bytes;
  plan->seed = request.seed;
  plan->is_apart = request.is_apart;
  plan->moved_bytes = is_moved(item_bytes) ? static_cast<uint32_t>(item_bytes) : 4;
  plan->shape = shape_of(is_moved(item_bytes) ? plan->moved_bytes : OF_INDICES, is_simulated);
  plan->blocks = multiprocessors;
  plan->pieces = 1;
  if (count > plan->shape.whole())
    plan_levels(*plan);
  if (is_of_indices(*plan)) {
    plan->items = parts.take(count, plan->moved_bytes);
    plan->gathered = plan->is_apart ? 0 : parts.take(count, item_bytes);
  }
  if (plan->levels != 0) {
    plan->other = parts.take(count, plan->moved_bytes);
    plan->buckets = parts.take(count, 1);
    const uint64_t begins = uint64_t{plan->pieces} + 1;
    for (uint32_t side = 0; side < 2; side++) {
      plan->begins[side] = parts.take(begins, sizeof(uint32_t));
      plan->is_done[side] = parts.take(plan->pieces, 1);
    }
    plan->splitters = parts.take(plan->pieces, plan->moved_bytes);
    plan->bucket_of = parts.take(plan->pieces, sizeof(uint16_t));
    plan->splitter_counts = parts.take(plan->pieces, sizeof(uint32_t));
    plan->cursors = parts.take(plan->pieces, sizeof(uint32_t));
    plan->long_pieces = parts.take(count / plan->shape.piece() + 1, sizeof(uint32_t));
    plan->long_count = parts.take(1, sizeof(uint32_t));
  }
  plan->workspace_bytes = parts.end;
  return parts.is_countable;
}

/* ---- Launches ---------------------------------------------------------------------------------------------------------- */

template <typename T>
T *part_of(void *workspace, uint64_t begin) {
  return reinterpret_cast<T *>(static_cast<unsigned char *>(workspace) + begin);
}

/* `source` and `target` are the same array, unless the plan says that they are apart. */
inline Job job_of(const Plan &plan, const void *source, void *target, void *workspace) {
  Job job = {};
  job.items = is_of_indices(plan) ? part_of<void>(workspace, plan.items) : target;
  job.base = source;
  job.item_bytes = plan.item_bytes;
  job.seed = plan.seed;
  job.count = static_cast<uint32_t>(plan.count);
  job.parents = 1;
  job.gathered = plan.is_apart ? target : part_of<void>(workspace, plan.gathered);
  if (plan.levels == 0)
    return job;
  job.other = part_of<void>(workspace, plan.other);
  job.buckets = part_of<uint8_t>(workspace, plan.buckets);
  job.splitters = part_of<void>(workspace, plan.splitters);
  job.bucket_of = part_of<uint16_t>(workspace, plan.bucket_of);
  job.splitter_counts = part_of<uint32_t>(workspace, plan.splitter_counts);
  job.cursors = part_of<uint32_t>(workspace, plan.cursors);
  job.long_pieces = part_of<uint32_t>(workspace, plan.long_pieces);
  job.long_count = part_of<uint32_t>(workspace, plan.long_count);
  return job;
}

/* Makes the children of a level the parents of what comes next. */
inline void go_down(Job &job) {
  job.parents <<= job.bits;
  job.begins = job.next_begins;
  job.is_done = job.next_is_done;
}

/*
 * Launches all of it. `launcher.launch(kernel, blocks, threads, shared_bytes, job)` launches one kernel, `launcher.copy(target,
 * source, bytes)` copies on the device; both return 0 or an error, which ends it and is returned.
 */
template <typename Launcher>
class Launches {
public:
  Launches(const Plan &of_plan, const void *of_source, void *of_target, void *of_workspace, Launcher &by)
      : plan(of_plan), source(of_source), target(of_target), workspace(of_workspace), launcher(by),
        job(job_of(of_plan, of_source, of_target, of_workspace)) {}

  int launch_all() {
    int error = begin();
    for (uint32_t level = 0; level < plan.levels && error == 0; level++)
      error = divide(level);
    if (error == 0)
      error = plan.levels == 0 ? sort_whole() : sort_all_pieces();
    if (error != 0 || !is_of_indices(plan))
      return error;
    error = launcher.launch(Kernel::gather, walking_blocks(), PLAIN_THREADS, 0, job);
    return error != 0 || plan.is_apart ? error : launcher.copy(target, job.gathered, plan.count * plan.item_bytes);
  }

private:
  uint32_t walking_blocks() const {
    const uint64_t blocks = (plan.count + PLAIN_THREADS - 1) / PLAIN_THREADS;
    return blocks < uint64_t{plan.blocks} * 8 ? static_cast<uint32_t>(blocks) : plan.blocks * 8;
  }

  /* Where a level writes: the last one to where pieces are sorted. */
  void *side(uint32_t level) const {
    return (plan.levels - level) % 2 == 1 ? job.items : job.other;
  }

  /* Indices begin on the side that the first level does not write to; items where the caller has them, unless it does. */
  int begin() {
    void *const first = plan.levels == 0 || side(0) == job.other ? job.items : job.other;
    job.to = first;
    job.from = first;
    if (is_of_indices(plan))
      return launcher.launch(Kernel::number, walking_blocks(), PLAIN_THREADS, 0, job);
    if (plan.levels != 0 && !plan.is_apart && first == job.other)
      return launcher.copy(first, source, plan.count * plan.moved_bytes);
    job.from = source;
    return 0;
  }

  /* By one block, of as few threads as do. */
  int sort_whole() {
    if (plan.count == 1)
      return is_of_indices(plan) ? 0 : launcher.copy(job.items, source, plan.moved_bytes);
    if (plan.count <= plan.shape.short_piece())
      return sort_pieces(Kernel::short_piece, plan.shape.piece_threads / 2);
    job.fewest_items = 2;
    if (plan.count <= plan.shape.piece())
      return sort_pieces(Kernel::piece, plan.shape.piece_threads);
    return sort_pieces(Kernel::whole, plan.shape.whole_threads);
  }

  /*
   * 1. A grid takes as long as its longest block, 12 us with pieces of 4-byte items, and waits for the grid before.
   * 2. Blocks that are at work at once do not wait for each other, if some of their threads have nothing to do.
   * Therefore one grid sorts all pieces if all of its blocks can be at work at once: 2^14 to 2^20 items of 4 bytes take 8 to 14 us
   * less than with a grid of smaller blocks for the short ones (H200, docs/lab/2026-11-27-merging-without-branches.md).
   */
  int sort_all_pieces() {
    const bool are_at_once = job.parents <= uint64_t{plan.blocks} * plan.shape.piece_blocks;
    int error = are_at_once ? 0 : sort_pieces(Kernel::short_piece, plan.shape.piece_threads / 2);
    job.fewest_items = are_at_once ? 2 : plan.shape.short_piece() + 1;
    if (error == 0)
      error = sort_pieces(Kernel::piece, plan.shape.piece_threads);
    if (error == 0)
      error = launcher.launch(Kernel::long_piece, plan.blocks * LONG_PIECE_BLOCKS, plan.shape.sample_threads,
                              sort_bytes(plan.shape, plan.shape.sample_threads, plan.moved_bytes), job);
    return error;
  }

  int sort_pieces(Kernel kernel, uint32_t threads) {
    return launcher.launch(kernel, job.parents, threads, sort_bytes(plan.shape, threads, plan.moved_bytes), job);
  }

  int divide(uint32_t level) {
    const uint64_t tiles = plan.count / plan.shape.tile() + job.parents;
    const uint32_t grid = static_cast<uint32_t>(tiles);
    job.bits = plan.bits[level];
    job.is_last = level + 1 == plan.levels ? 1 : 0;
    job.to = side(level);
    job.next_begins = part_of<uint32_t>(workspace, plan.begins[level % 2]);
    job.next_is_done = part_of<uint8_t>(workspace, plan.is_done[level % 2]);
    int error = launcher.launch(Kernel::choose, job.parents, plan.shape.sample_threads,
                                choose_bytes(plan.shape, plan.moved_bytes), job);
    if (error == 0)
      error =
          launcher.launch(Kernel::count, grid, plan.shape.divide_threads, classify_bytes(plan.shape, plan.moved_bytes), job);
    if (error == 0)
      error = launcher.launch(Kernel::scan, job.parents, SCAN_THREADS, 0, job);
    if (error == 0)
      error = launcher.launch(Kernel::move, grid, plan.shape.divide_threads, move_bytes(plan.shape, plan.moved_bytes), job);
    job.from = job.to;
    go_down(job);
    return error;
  }

  const Plan &plan;
  const void *source;
  void *target;
  void *workspace;
  Launcher &launcher;
  Job job;
};

} // namespace cdp::by

#endif
