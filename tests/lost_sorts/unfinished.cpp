/* SPDX-License-Identifier: MIT */
/*
 * See unfinished.h. Apart from the rest, since the trace's layout comes with the simulated device's words for CUDA's.
 */
#include "unfinished.h"

#include "recursion/trace_read.h"

#include <cinttypes>
#include <cstdio>

using namespace cdp::CDP_RUNTIME;

namespace {

constexpr uint32_t SHOWN_MOST = 10;

void print_grid(const char *intro, uint32_t index, const Event &event, const char *state) {
  printf("    %s %" PRIu32 ": %s, depth %" PRIu32 ", %" PRIu64 " items, %" PRIu32 " blocks%s: %s\n", intro, index,
         cdp_trace_kind_name(event.kind), event.depth, event.range_end - event.range_begin, event.blocks,
         event.is_tail != 0 ? ", a tail" : "", state);
}

const char *state_of(const Event &event) {
  if (event.begin_inverted == 0)
    return "never began";
  return event.end == 0 ? "began, has not ended" : "ended";
}

} // namespace

void print_unfinished(void *trace, uint32_t capacity) {
  Trace *head = static_cast<Trace *>(trace);
  const Event *events = head->events();
  const uint32_t opened = head->opened + 1 < capacity ? head->opened + 1 : capacity;
  uint32_t unfinished = 0;
  uint32_t grids = 0;
  uint32_t refused = 0;
  for (uint32_t index = 0; index < opened; index++) {
    const Event &event = events[index];
    if (event.kind == 0 || event.kind == CDP_TRACE_BLOCK)
      continue;
    grids++;
    refused += event.cuda_error != 0 ? 1 : 0;
    if (event.cuda_error != 0 || event.end != 0 || unfinished++ >= SHOWN_MOST)
      continue;
    print_grid("grid", index, event, state_of(event));
    for (uint32_t launcher = event.launcher; launcher < opened; launcher = events[launcher].launcher)
      print_grid("  launched by", launcher, events[launcher], state_of(events[launcher]));
  }
  printf("    %" PRIu32 " grids, %" PRIu32 " of them unfinished; %" PRIu32 " launches refused; %u events lost\n", grids,
         unfinished, refused, head->lost);
}
