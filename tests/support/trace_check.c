/* SPDX-License-Identifier: MIT */
/*
 * See trace_check.h.
 */
#include "trace_check.h"

#include "study_total.h"

#include <inttypes.h>
#include <stdio.h>

/* Ends the function with a sentence unless the condition holds. */
#define MUST(condition, ...)                                                                                                   \
  do {                                                                                                                         \
    if (!(condition)) {                                                                                                        \
      snprintf(why, TRACE_WHY_BYTES, __VA_ARGS__);                                                                             \
      return false;                                                                                                            \
    }                                                                                                                          \
  } while (0)

/* ---- Events ---------------------------------------------------------------------------------------------------- */

static bool is_stage(const cdp_trace_event *event) {
  return event->kind == CDP_TRACE_MAP || event->kind == CDP_TRACE_BUCKETS;
}

static bool is_launched_by_device(const cdp_trace_event *event) {
  return event->launcher != CDP_TRACE_NO_LAUNCHER && event->kind != CDP_TRACE_BLOCK && !is_stage(event);
}

static bool holds_with_launcher(const cdp_trace *trace, size_t index, char *why) {
  const cdp_trace_event *event = &trace->events[index];
  MUST(event->launcher < index, "event %zu comes before its launcher %u", index, event->launcher);
  const cdp_trace_event *launcher = &trace->events[event->launcher];
  MUST(launcher->cuda_error == 0, "event %zu was launched by %u, which was refused", index, event->launcher);
  if (event->kind == CDP_TRACE_BLOCK) {
    MUST(launcher->kind == CDP_TRACE_SORT || launcher->kind == CDP_TRACE_BUCKETS,
         "event %zu is a block of a grid of another kind", index);
    MUST(event->begin_ns >= launcher->begin_ns && event->end_ns <= launcher->end_ns, "block %zu is outside its grid's time",
         index);
    MUST(event->range_begin >= launcher->range_begin && event->range_end <= launcher->range_end,
         "block %zu is outside its grid's range", index);
    return true;
  }
  MUST(!is_stage(event) || (event->launcher == 0 && event->end_ns <= launcher->end_ns), "event %zu is a stage outside its grid",
       index);
  MUST(event->launched_ns >= launcher->begin_ns && event->launched_ns <= launcher->end_ns,
       "event %zu was launched when its launcher %u did not run", index, event->launcher);
  MUST(event->is_tail == 0 || event->cuda_error != 0 || event->begin_ns >= launcher->end_ns,
       "event %zu, a tail, began before its launcher %u had ended", index, event->launcher);
  return true;
}

static bool event_holds(const cdp_trace *trace, size_t index, const traced_sort *sort, char *why) {
  const cdp_trace_event *event = &trace->events[index];
  MUST(event->kind >= CDP_TRACE_ROOT && event->kind <= CDP_TRACE_BUCKETS, "event %zu is of no kind", index);
  MUST(event->range_begin <= event->range_end && event->range_end <= sort->count, "event %zu leaves the array", index);
  MUST(event->launched_ns <= event->begin_ns && event->begin_ns <= event->end_ns, "event %zu ends before it begins", index);
  MUST(event->blocks != 0, "event %zu has no blocks", index);
  if (event->launcher != CDP_TRACE_NO_LAUNCHER)
    return holds_with_launcher(trace, index, why);
  MUST(index == 0 || sort->scheme == CDP_SCHEME_HOST, "event %zu was launched by the host", index);
  MUST(event->launched_ns == 0, "event %zu: the host told no time", index);
  return true;
}

/* ---- By depth -------------------------------------------------------------------------------------------------- */

/* The counts of one depth, made from events. */
static cdp_study_depth count_events(const cdp_trace *trace, uint32_t depth, const traced_sort *sort) {
  const uint32_t task_kind = sort->is_classic ? CDP_TRACE_PARTITION : CDP_TRACE_SCATTER;
  cdp_study_depth row;
  memset(&row, 0, sizeof row);
  for (size_t index = 0; index < trace->count; index++) {
    const cdp_trace_event *event = &trace->events[index];
    const uint64_t items = event->range_end - event->range_begin;
    if (event->depth != depth)
      continue;
    if (is_launched_by_device(event) && event->cuda_error == 0)
      row.children_launched++;
    if (event->cuda_error != 0) {
      row.launches_refused++;
      continue;
    }
    if (event->kind == CDP_TRACE_BLOCK)
      row.collected++;
    if (event->kind != task_kind)
      continue;
    row.tasks++;
    row.task_items += items;
    row.max_task_items = items > row.max_task_items ? items : row.max_task_items;
    row.min_task_items = row.tasks == 1 || items < row.min_task_items ? items : row.min_task_items;
  }
  return row;
}

/* Whether the root's grid had stages, whose task has no grids of its own: it had, unless it turned out to need splitters. */
static bool has_stages(const cdp_trace *trace) {
  bool has = false;
  for (size_t index = 0; index < trace->count; index++) {
    const cdp_trace_event *event = &trace->events[index];
    has = has || is_stage(event);
    if (event->kind == CDP_TRACE_SCATTER && event->depth == 0)
      return false;
  }
  return has;
}

static bool depth_agrees(const cdp_trace *trace, const cdp_study *study, uint32_t depth, const traced_sort *sort, char *why) {
  const cdp_study_depth row = count_events(trace, depth, sort);
  const cdp_study_depth *counted = &study->depths[depth];
  // Nor have the parts of such a task a list; and of the host's levels each is one grid.
  const bool has_tasks = sort->scheme != CDP_SCHEME_HOST && !(depth == 0 && has_stages(trace));
#define AGREE(field)                                                                                                           \
  MUST(row.field == counted->field, "depth %u, " #field ": %" PRIu64 " by the trace, %" PRIu64 " counted", depth, row.field,   \
       counted->field)
  AGREE(children_launched);
  AGREE(launches_refused);
  if (has_tasks) {
    AGREE(tasks);
    AGREE(task_items);
    AGREE(min_task_items);
    AGREE(max_task_items);
  }
  // Ranges that were collected and then left to the block at hand, for want of a grid, have no event.
  if (counted->collected != 0 && counted->fallback_refused == 0)
    AGREE(collected);
#undef AGREE
  return true;
}

bool study_holds_together(const cdp_study *study, const traced_sort *sort, char *why) {
  cdp_study_depth total = study->total;
  const cdp_study_depth sum = study_total(study);
  total.min_task_items = total.max_task_items = 0;
  MUST(memcmp(&total, &sum, sizeof sum) == 0, "the total is not the sum of the depths");
  const uint64_t ended = sum.equal_items + sum.leaf_items + sum.network_items;
  MUST(sort->is_presorted || ended == sort->count, "%" PRIu64 " of %" PRIu64 " keys have left the recursion", ended,
       sort->count);
  for (uint32_t depth = 0; depth < CDP_STUDY_DEPTHS; depth++) {
    const cdp_study_depth *row = &study->depths[depth];
    MUST(row->balance <= 1000 * row->tasks, "depth %u: splits evener than even", depth);
    MUST(row->tasks != 0 || row->parts == 0, "depth %u: parts of no task", depth);
    MUST(!sort->is_classic || row->parts <= 2 * row->tasks, "depth %u: more than two parts to a task", depth);
    MUST(!sort->is_classic || row->balance >= 500 * row->tasks - row->tasks, "depth %u: two parts, and a balance below a half",
         depth);
    MUST(depth < study->depth_count || row->bytes_moved == 0, "depth %u moved bytes and is not in use", depth);
  }
  return true;
}

bool trace_agrees(const cdp_trace *trace, const cdp_study *study, const traced_sort *sort, char *why) {
  uint64_t launches = 0;
  MUST(trace->lost == 0, "%zu events are lost", trace->lost);
  MUST(trace->count != 0 && trace->events[0].kind == CDP_TRACE_ROOT, "the first event is not the root");
  for (size_t index = 0; index < trace->count; index++) {
    if (!event_holds(trace, index, sort, why))
      return false;
    launches += is_launched_by_device(&trace->events[index]) && trace->events[index].cuda_error == 0 ? 1 : 0;
  }
  for (uint32_t depth = 0; depth < CDP_STUDY_DEPTHS; depth++)
    if (!depth_agrees(trace, study, depth, sort, why))
      return false;
  MUST(study->max_pending <= launches, "%u launches were pending of %" PRIu64, study->max_pending, launches);
  MUST(study->max_pending != 0 || launches == 0, "no launch was ever pending");
  return study_holds_together(study, sort, why);
}
