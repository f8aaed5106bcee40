/* SPDX-License-Identifier: MIT */
/*
 * The trace of a sort: an event for each grid, and for each block of a grid whose blocks sort ranges of their own.
 *
 *  1. The launcher opens an event just before the launch, with all that is known then; a refused launch leaves its error there.
 *  2. The grid is given its event as a parameter. Its blocks keep it in shared memory if they launch something themselves: it
 *     is the launcher of that.
 *  3. Every block adds when it began and ended (TraceScope), by atomics that keep the earliest and the latest.
 *  4. The host reads it all when the sort is complete (trace_read.h).
 *  Therefore nobody waits for anybody, and nothing is live in a kernel's registers between its begin and its end.
 *
 * Events lie in memory that was zeroed: what is 0 was never written. When they run out, further ones are counted and left out;
 * they are handed out in order, so that no event is without its launcher's. Kernels without hooks (runtime.cuh) have nothing
 * of all this; in those with them it is, without a trace (sort.trace is NULL), one comparison with a kernel parameter at either
 * end of a kernel and at each launch.
 */
#ifndef CDPSORT_DEVICE_RECURSION_TRACE_CUH
#define CDPSORT_DEVICE_RECURSION_TRACE_CUH

#include "recursion/task.cuh"

namespace cdp::CDP_RUNTIME {

/* Of the time in `end`, so many bits are kept, so that the multiprocessor has room below it: 78 hours of nanoseconds. */
constexpr uint32_t MULTIPROCESSOR_BITS = 16;

struct Event {
  unsigned long long launched;       /* the clock at the launch */
  unsigned long long begin_inverted; /* ~ of the clock when the first block began */
  unsigned long long end;            /* the clock when the last block ended, and its multiprocessor in the lowest bits */
  uint64_t range_begin;
  uint64_t range_end;
  uint32_t kind; /* a cdp_trace_kind */
  uint32_t depth;
  uint32_t blocks;
  uint32_t launcher; /* event of the launching grid; NO_EVENT: the host */
  int32_t cuda_error;
  uint32_t is_tail;
};

static_assert(sizeof(Event) == 64, "study.h says what an event costs");

/* The head of a trace's memory; the events follow it. */
struct Trace {
  unsigned int opened; /* by the device: behind the root's event, which is the first */
  unsigned int lost;
  uint32_t reserved[62];

  __host__ __device__ Event *events() {
    return reinterpret_cast<Event *>(this + 1);
  }
};

static_assert(sizeof(Trace) == 256, "events are aligned as the workspace is");

/* Whether a sort is traced. */
template <typename Bits>
__device__ __forceinline__ bool is_traced(const Sort<Bits> &sort) {
  return HAS_STUDY && sort.trace != nullptr;
}

/* The events of a trace, as what is not inlined is given them: a reference to a Sort would have nvcc copy it to the stack, in
   traced sorts and in others. */
struct EventList {
  Trace *trace;
  uint32_t capacity;

  /* An event, or NULL if there is no room for it. */
  __device__ __forceinline__ Event *at(uint32_t index) const {
    return index < capacity ? trace->events() + index : nullptr;
  }
};

template <typename Bits>
__device__ __forceinline__ EventList event_list(const Sort<Bits> &sort) {
  return {sort.trace, sort.trace_capacity};
}

/* Writes what an event is about. For one thread. */
inline __device__ void describe_event(const EventList &list, uint32_t index, cdp_trace_kind kind, Range range, uint32_t blocks,
                                      uint32_t launcher) {
  Event *event = list.at(index);
  if (event == nullptr) {
    atomicAdd(&list.trace->lost, 1u);
    return;
  }
  event->kind = kind;
  event->depth = range.depth;
  event->range_begin = range.begin;
  event->range_end = range.end;
  event->blocks = blocks;
  event->launcher = launcher;
}

/* Opens the event of a grid that is about to be launched, and leaves room for its blocks' if each has a range of its own.
   Returns its index, which may be one without room. For one thread. */
// A reference would put the caller's range on its stack, traced or not.
// cppcheck-suppress passedByValue
inline __device__ __noinline__ uint32_t open_event(EventList list, ChildStream where, cdp_trace_kind kind, Range range,
                                                   uint32_t blocks, uint32_t launcher) {
  const bool has_ranges = kind == CDP_TRACE_SORT || kind == CDP_TRACE_BUCKETS;
  const uint32_t opened = atomicAdd(&list.trace->opened, has_ranges ? 1 + blocks : 1);
  const uint32_t index = 1 + (opened < NO_EVENT / 2 ? opened : NO_EVENT / 2); // the counter must not come round
  describe_event(list, index, kind, range, blocks, launcher);
  if (Event *event = list.at(index)) {
    event->is_tail = where == ChildStream::tail;
    event->launched = device_clock();
  }
  return index;
}

/* Describes a stage of the root's grid, which begins now. For one thread. */
// cppcheck-suppress passedByValue
inline __device__ __noinline__ void describe_stage(EventList list, uint32_t index, cdp_trace_kind kind, Range range) {
  describe_event(list, index, kind, range, gridDim.x, ROOT_EVENT);
  if (Event *event = list.at(index))
    event->launched = device_clock();
}

/* Notes that a launch was refused. For one thread. */
inline __device__ __noinline__ void refuse_event(EventList list, uint32_t index, int error) {
  if (Event *event = list.at(index))
    event->cuda_error = error;
}

/* Notes that a block has begun, or ended, in an event: the earliest begin and the latest end are kept. For one thread. */
inline __device__ void note_begin(const EventList &list, uint32_t index) {
  if (Event *event = list.at(index))
    atomicMax(&event->begin_inverted, ~static_cast<unsigned long long>(device_clock()));
}

inline __device__ void note_end(const EventList &list, uint32_t index) {
  if (Event *event = list.at(index))
    atomicMax(&event->end, static_cast<unsigned long long>(device_clock()) << MULTIPROCESSOR_BITS | multiprocessor_number());
}

/*
 * The begin and the end of a block's time, its own event and the running grid's. All threads take part; there is a barrier. Not
 * inlined: what is left in a kernel when nobody asks is a comparison and a call that is not made, at either end.
 */
inline __device__ __noinline__ void begin_block(EventList list, uint32_t index, uint32_t *kept_event) {
  if (threadIdx.x == 0) {
    note_begin(list, index);
    if (kept_event != nullptr)
      *kept_event = index;
  }
  __syncthreads();
}

inline __device__ __noinline__ void end_block(EventList list, uint32_t index) {
  __syncthreads();
  if (threadIdx.x == 0)
    note_end(list, index);
}

/* Describes a grid of the host's, about which nobody has written anything yet, and a block with a range of its own. Ranges by
   value, as above. */
// cppcheck-suppress passedByValue
inline __device__ __noinline__ void describe_grid(EventList list, uint32_t index, cdp_trace_kind kind, Range range) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    describe_event(list, index, kind, range, gridDim.x, NO_EVENT);
}

// cppcheck-suppress passedByValue
inline __device__ __noinline__ void describe_block(EventList list, uint32_t index, Range range, uint32_t grid_event) {
  if (threadIdx.x == 0)
    describe_event(list, index, CDP_TRACE_BLOCK, range, 1, grid_event);
}

/* A block's time in a grid: from here to the end of the scope. All threads of the block take part, in both. Holds nothing but
   what the kernel was given. */
template <typename Bits>
class TraceScope {
public:
  __device__ __forceinline__ TraceScope(const Sort<Bits> &of_sort, const uint32_t &of_event) : sort(of_sort), event(of_event) {
    if (is_traced(sort))
      begin_block(event_list(sort), event, nullptr);
  }

  /* Of a grid that launches others: start_grid() finds the launcher's event in the block's shared memory. */
  __device__ __forceinline__ TraceScope(const Sort<Bits> &of_sort, const uint32_t &of_event, BlockStorage &storage)
      : sort(of_sort), event(of_event) {
    if (is_traced(sort))
      begin_block(event_list(sort), event, &storage.event);
  }

  /* Of a grid of the host's. */
  __device__ __forceinline__ TraceScope(const Sort<Bits> &of_sort, const uint32_t &of_event, cdp_trace_kind kind,
                                        const Range &range)
      : TraceScope(of_sort, of_event) {
    if (is_traced(sort))
      describe_grid(event_list(sort), event, kind, range);
  }

  /* Both. */
  __device__ __forceinline__ TraceScope(const Sort<Bits> &of_sort, const uint32_t &of_event, cdp_trace_kind kind,
                                        const Range &range, BlockStorage &storage)
      : TraceScope(of_sort, of_event, storage) {
    if (is_traced(sort))
      describe_grid(event_list(sort), event, kind, range);
  }

  /* What a grid of the host's is about, where it is found out within the scope. */
  __device__ __forceinline__ void describe(cdp_trace_kind kind, const Range &range) const {
    if (is_traced(sort))
      describe_grid(event_list(sort), event, kind, range);
  }

  __device__ __forceinline__ ~TraceScope() noexcept(false) {
    if (is_traced(sort))
      end_block(event_list(sort), event);
  }

  TraceScope(const TraceScope &) = delete;
  TraceScope &operator=(const TraceScope &) = delete;

private:
  const Sort<Bits> &sort;
  const uint32_t &event;
};

/* The same, beside it, for a block that sorts a range of its own in a grid that does nothing else: the block's own event, which
   is left out unless its range becomes known. */
template <typename Bits>
class BlockTraceScope {
public:
  __device__ __forceinline__ BlockTraceScope(const Sort<Bits> &of_sort, const uint32_t &of_event,
                                             uint32_t of_range = blockIdx.x)
      : sort(of_sort), event(of_event), range(of_range) {
    if (is_traced(sort))
      begin_block(event_list(sort), own_event(), nullptr);
  }

  __device__ __forceinline__ void describe(const Range &about) const {
    if (is_traced(sort))
      describe_block(event_list(sort), own_event(), about, event);
  }

  __device__ __forceinline__ ~BlockTraceScope() noexcept(false) {
    if (is_traced(sort))
      end_block(event_list(sort), own_event());
  }

  BlockTraceScope(const BlockTraceScope &) = delete;
  BlockTraceScope &operator=(const BlockTraceScope &) = delete;

private:
  __device__ __forceinline__ uint32_t own_event() const {
    return event + 1 + range;
  }

  const Sort<Bits> &sort;
  const uint32_t &event;
  uint32_t range; /* which of the grid's */
};

} // namespace cdp::CDP_RUNTIME

#endif
