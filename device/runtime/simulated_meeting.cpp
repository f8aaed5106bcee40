/* SPDX-License-Identifier: MIT */
/*
 * Where threads wait for each other: the block's barrier, the grid's, and the warps' collectives. See simulated_block.h.
 *
 * 1. A thread notes where it is, joins the barrier or the meeting of its mask, and leaves to the scheduler.
 * 2. The last to arrive works out everybody's result, makes all of them runnable, itself among them, and leaves too.
 * 3. A wait that can never end is reported: at once where a thread that is waited for has ended or waits elsewhere for the
 *    one that waits for it, otherwise when no thread of the block is runnable.
 */
#include "simulated_block.h"

#include <cstdio>
#include <cstring>

namespace cdp::simulated::machine {

namespace {

/* A thread and where it is, as text. */
struct Whereabouts {
  char text[96];
};

const char *collective_name(Activity activity) {
  switch (activity) {
  case Activity::fresh:
    return "its first line";
  case Activity::running:
    return "no collective";
  case Activity::ended:
    return "its end";
  case Activity::barrier:
    return "the barrier";
  case Activity::grid_barrier:
    return "the grid's barrier";
  case Activity::warp_barrier:
    return "__syncwarp";
  case Activity::shuffle:
    return "__shfl_sync";
  case Activity::shuffle_xor:
    return "__shfl_xor_sync";
  case Activity::shuffle_up:
    return "__shfl_up_sync";
  case Activity::shuffle_down:
    return "__shfl_down_sync";
  case Activity::ballot:
    return "__ballot_sync";
  case Activity::any:
    return "__any_sync";
  case Activity::all:
    return "__all_sync";
  }
  return "an unknown collective";
}

Whereabouts whereabouts(const Lane &lane) {
  Whereabouts where;
  const unsigned thread = lane.thread;
  if (lane.activity == Activity::ended) {
    std::snprintf(where.text, sizeof(where.text), "thread %u has ended", thread);
    return where;
  }
  const char *const slash = std::strrchr(lane.file, '/');
  std::snprintf(where.text, sizeof(where.text), "thread %u waits at %s in %s:%u", thread, collective_name(lane.activity),
                slash == nullptr ? lane.file : slash + 1, lane.line);
  return where;
}

bool same_place(const Lane &left, const Lane &right) {
  return left.activity == right.activity && left.line == right.line &&
         (left.file == right.file || std::strcmp(left.file, right.file) == 0);
}

uint32_t lowest_lane(uint32_t mask) {
  return static_cast<uint32_t>(__builtin_ctz(mask));
}

bool exchanges_values(Activity collective) {
  return collective >= Activity::shuffle && collective <= Activity::shuffle_down;
}

/* Gives every lane in the mask its result. */
void distribute(Lane *lanes, uint32_t mask, Activity collective) {
  if (collective == Activity::warp_barrier)
    return;
  if (exchanges_values(collective)) {
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      Lane &lane = lanes[lowest_lane(rest)];
      lane.result = lanes[lane.source].value;
    }
    return;
  }
  uint64_t votes = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    votes |= lanes[lowest_lane(rest)].value << lowest_lane(rest);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    lanes[lowest_lane(rest)].result = votes;
}

} // namespace

/* ---- Warps ----------------------------------------------------------------------------------------------------- */

/* The meeting that the lane takes part in, opened if it is the first. Reports whatever makes it impossible. */
inline Meeting &Block::join(Lane &lane, Activity collective, uint32_t mask) {
  Warp &warp = *lane.warp;
  const uint32_t own_bit = 1u << (lane.thread % 32);
  for (uint32_t number = 0; number < warp.meeting_count; ++number) {
    Meeting &meeting = warp.meetings[number];
    if (meeting.mask == mask && meeting.collective == collective)
      return meeting;
    // Both masks name a lane that waits in the other meeting: neither can ever be complete.
    if ((meeting.mask & own_bit) != 0 && (meeting.arrived & mask) != 0) {
      const Lane &other = warp.lanes[lowest_lane(meeting.arrived & mask)];
      blame("%s with mask %08x, but %s with mask %08x", whereabouts(lane).text, mask, whereabouts(other).text, meeting.mask);
      throw Unwound{};
    }
  }
  if ((mask & warp.ended) != 0) {
    const Lane &gone = warp.lanes[lowest_lane(mask & warp.ended)];
    blame("%s, but %s", whereabouts(lane).text, whereabouts(gone).text);
    throw Unwound{};
  }
  Meeting &opened = warp.meetings[warp.meeting_count++];
  opened = {mask, 0, collective};
  return opened;
}

inline uint64_t Block::meet(Lane &lane, Activity collective, uint32_t mask) {
  const uint32_t own_bit = 1u << (lane.thread % 32);
  mask &= lane.warp->present;
  if ((mask & own_bit) == 0) {
    blame("%s with mask %08x, which lacks its own lane", whereabouts(lane).text, mask);
    throw Unwound{};
  }
  if (((mask >> lane.source) & 1) == 0) {
    blame("%s for the value of lane %u, which is not in mask %08x", whereabouts(lane).text, static_cast<unsigned>(lane.source),
          mask);
    throw Unwound{};
  }
  lane.mask = mask;
  Meeting &meeting = join(lane, collective, mask);
  meeting.arrived |= own_bit;
  if (meeting.arrived == mask)
    conclude(*lane.warp, meeting);
  leave(lane);
  return lane.result;
}

void Block::conclude(Warp &warp, Meeting &meeting) {
  distribute(warp.lanes, meeting.mask, meeting.collective);
  const uint32_t first = warp.lanes[0].thread;
  for (uint32_t rest = meeting.mask; rest != 0; rest &= rest - 1)
    runnable_[runnable_count_++] = static_cast<uint16_t>(first + lowest_lane(rest));
  meeting = warp.meetings[--warp.meeting_count];
}

/* ---- The block ------------------------------------------------------------------------------------------------- */

void Block::check_barrier(const Lane &lane) {
  if (ended_count_ > 0)
    blame("%s, but thread %u has ended", whereabouts(lane).text, ended_thread_);
  else if (barrier_arrived_ > 0 && !same_place(lane, lanes_[barrier_thread_]))
    blame("%s, but %s", whereabouts(lane).text, whereabouts(lanes_[barrier_thread_]).text);
  else
    return;
  throw Unwound{};
}

inline uint32_t Block::wait_at_barrier(Lane &lane, bool predicate) {
  check_barrier(lane);
  if (barrier_arrived_ == 0)
    barrier_thread_ = lane.thread;
  ++barrier_arrived_;
  barrier_true_ += predicate ? 1 : 0;
  if (barrier_arrived_ == grid_->shape.threads) {
    if (lane.activity == Activity::barrier)
      pass_barrier();
    else
      join_grid_barrier();
  }
  leave(lane);
  return barrier_result_;
}

/* All threads of the block go on. */
void Block::pass_barrier() {
  barrier_result_ = barrier_true_;
  barrier_arrived_ = 0;
  barrier_true_ = 0;
  for (uint32_t thread = 0; thread < grid_->shape.threads; ++thread)
    runnable_[thread] = static_cast<uint16_t>(thread);
  runnable_count_ = grid_->shape.threads;
  choose_order();
  interrupted_ = random_.below(8) == 0;
}

/* ---- The grid -------------------------------------------------------------------------------------------------- */

void Block::check_grid_barrier(const Lane &lane) {
  if (!grid_->together)
    blame("%s, but the grid was not launched together", whereabouts(lane).text);
  else if (grid_->blocks_ended > 0)
    blame("%s, but a block of the grid has ended", whereabouts(lane).text);
  else if (!grid_->waiting.empty() && !same_place(lane, grid_->waiting.front()->lanes_[0]))
    blame("%s, but of block %u %s", whereabouts(lane).text, grid_->waiting.front()->index_,
          whereabouts(grid_->waiting.front()->lanes_[0]).text);
  else
    return;
  throw Unwound{};
}

void Block::wait_at_grid_barrier(Lane &lane) {
  check_grid_barrier(lane);
  wait_at_barrier(lane, false);
}

/* The block's last thread is there. The last block lets all of them go on. */
void Block::join_grid_barrier() {
  grid_->waiting.push_back(this);
  if (grid_->waiting.size() < grid_->shape.blocks)
    return;
  for (Block *block : grid_->waiting)
    block->pass_barrier();
  grid_->waiting.clear();
}

inline void Block::pause(Lane &lane) {
  here().atomics_until_pause = 1 + random_.below(32);
  runnable_[runnable_count_++] = lane.thread;
  interrupted_ = random_.below(4) == 0;
  leave(lane);
}

inline void Block::leave(Lane &lane) {
  lane.fiber.suspend();
  if (__builtin_expect(lane.order == Order::unwind, 0))
    throw Unwound{};
  lane.activity = Activity::running;
}

void Block::end_thread(Lane &lane) {
  const uint32_t own_bit = 1u << (lane.thread % 32);
  Warp &warp = *lane.warp;
  lane.activity = Activity::ended;
  warp.ended |= own_bit;
  ++ended_count_;
  ended_thread_ = lane.thread;
  if (barrier_arrived_ > 0)
    blame("%s, but %s", whereabouts(lanes_[barrier_thread_]).text, whereabouts(lane).text);
  for (uint32_t number = 0; number < warp.meeting_count; ++number) {
    const Meeting &meeting = warp.meetings[number];
    if ((meeting.mask & own_bit) != 0)
      blame("%s, but %s", whereabouts(warp.lanes[lowest_lane(meeting.arrived)]).text, whereabouts(lane).text);
  }
}

/* No thread can go on: some wait at the barrier and the others not, or all of them for lanes of other meetings. */
void Block::explain_deadlock() {
  const Lane *waiting = nullptr;
  const Lane *missing = &lanes_[0];
  for (uint32_t thread = 0; thread < grid_->shape.threads; ++thread) {
    const Lane &lane = lanes_[thread];
    if (lane.activity == Activity::barrier || lane.activity == Activity::grid_barrier)
      waiting = &lane;
    else if (lane.activity != Activity::ended)
      missing = &lane;
  }
  if (waiting == nullptr) {
    const Warp &warp = *missing->warp;
    const Meeting &meeting = warp.meetings[0];
    waiting = &warp.lanes[lowest_lane(meeting.arrived)];
    missing = &warp.lanes[lowest_lane(meeting.mask & ~meeting.arrived)];
  }
  blame("%s, but %s", whereabouts(*waiting).text, whereabouts(*missing).text);
}

/* ---- What threads call ----------------------------------------------------------------------------------------- */

uint64_t meet_lanes(Here &here, Activity collective, uint32_t mask, uint64_t value, uint32_t source, Place place) {
  Lane &lane = *here.lane;
  lane.value = value;
  lane.source = static_cast<uint8_t>(source);
  lane.file = place.file;
  lane.line = place.line;
  lane.activity = collective;
  return lane.warp->block->meet(lane, collective, mask);
}

uint32_t meet_block(Here &here, bool predicate, Place place) {
  Lane &lane = *here.lane;
  lane.file = place.file;
  lane.line = place.line;
  lane.activity = Activity::barrier;
  return lane.warp->block->wait_at_barrier(lane, predicate);
}

void meet_grid(Here &here, Place place) {
  Lane &lane = *here.lane;
  lane.file = place.file;
  lane.line = place.line;
  lane.activity = Activity::grid_barrier;
  lane.warp->block->wait_at_grid_barrier(lane);
}

void *shared_memory(size_t bytes) {
  const Lane &lane = *here().lane;
  return lane.warp->block->shared(lane, bytes);
}

void pause_thread() {
  Lane *const lane = here().lane;
  if (lane != nullptr)
    lane->warp->block->pause(*lane);
  else
    here().atomics_until_pause = UINT32_MAX; // an atomic on the host
}

void break_rule(const char *what) {
  const Lane &lane = *here().lane;
  lane.warp->block->blame("thread %u: %s", static_cast<unsigned>(lane.thread), what);
  throw Unwound{};
}

void break_expectation(Place place) {
  const Lane &lane = *here().lane;
  const char *const slash = std::strrchr(place.file, '/');
  lane.warp->block->blame("thread %u: what %s:%u expects does not hold", static_cast<unsigned>(lane.thread),
                          slash == nullptr ? place.file : slash + 1, place.line);
  throw Unwound{};
}

} // namespace cdp::simulated::machine
