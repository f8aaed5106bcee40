/* SPDX-License-Identifier: MIT */
/*
 * From a trace as the device leaves it (trace.cuh) to the public one. For the engines, when a sort is complete and its trace
 * copied to the host.
 */
#ifndef CDPSORT_DEVICE_RECURSION_TRACE_READ_H
#define CDPSORT_DEVICE_RECURSION_TRACE_READ_H

#include "recursion/trace.cuh"

#include <memory>
#include <new>

namespace cdp::CDP_RUNTIME {

/* The host's copy of a trace, and the public number of each event. */
class TraceMemory {
public:
  /* False if there is no memory. */
  bool allocate(uint32_t capacity) {
    bytes.reset(new (std::nothrow) unsigned char[sizeof(Trace) + capacity * sizeof(Event)]);
    places.reset(new (std::nothrow) uint32_t[capacity]);
    return bytes != nullptr && places != nullptr;
  }

  /* NULL before. */
  Trace *trace() const {
    return reinterpret_cast<Trace *>(bytes.get());
  }

  uint32_t *numbers() const {
    return places.get();
  }

private:
  std::unique_ptr<unsigned char[]> bytes;
  std::unique_ptr<uint32_t[]> places;
};

/* Whether anything was written about an event: not for a block without a range, and not for what is left over. */
inline bool is_written(const Event &event) {
  return event.kind != 0;
}

/* The clock when the event ended. Only its lower bits were kept, but it was not long after the begin. */
inline uint64_t end_clock(const Event &event) {
  const uint64_t mask = UINT64_MAX >> MULTIPROCESSOR_BITS;
  const uint64_t begin = ~event.begin_inverted;
  return begin + (((event.end >> MULTIPROCESSOR_BITS) - begin) & mask);
}

inline cdp_trace_event public_event(const Event &event, uint64_t origin, const uint32_t *places) {
  cdp_trace_event result = {};
  const uint64_t begin = event.cuda_error != 0 ? event.launched : ~event.begin_inverted;
  result.begin_ns = begin - origin;
  result.end_ns = event.cuda_error != 0 ? result.begin_ns : end_clock(event) - origin;
  result.launched_ns = event.launched != 0 ? event.launched - origin : 0;
  if (event.kind == CDP_TRACE_BLOCK)
    result.launched_ns = result.begin_ns;
  result.range_begin = event.range_begin;
  result.range_end = event.range_end;
  result.kind = event.kind;
  result.depth = event.depth;
  result.blocks = event.blocks;
  result.multiprocessor = static_cast<uint32_t>(event.end & ((1u << MULTIPROCESSOR_BITS) - 1));
  result.launcher = event.launcher == NO_EVENT ? CDP_TRACE_NO_LAUNCHER : places[event.launcher];
  result.cuda_error = event.cuda_error;
  result.is_tail = event.is_tail;
  return result;
}

/* Fills the public trace from a copy of the device's, of the same capacity. Events are numbered anew: those that nobody wrote
   are left out. */
inline void read_trace(const TraceMemory &memory, cdp_trace *trace) {
  const Event *events = memory.trace()->events();
  uint32_t *places = memory.numbers();
  // The root began first, but of the host driver's grids the one that the host launched first did.
  uint64_t origin = UINT64_MAX;
  for (size_t index = 0; index < trace->capacity; index++)
    if (is_written(events[index]) && events[index].cuda_error == 0 && ~events[index].begin_inverted < origin)
      origin = ~events[index].begin_inverted;
  trace->count = 0;
  trace->lost = memory.trace()->lost;
  for (size_t index = 0; index < trace->capacity; index++) {
    if (!is_written(events[index]))
      continue;
    places[index] = static_cast<uint32_t>(trace->count);
    trace->events[trace->count++] = public_event(events[index], origin, places);
  }
}

} // namespace cdp::CDP_RUNTIME

#endif
