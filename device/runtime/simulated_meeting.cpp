/* SPDX-License-Identifier: MIT */
/*
 * Where threads wait for each other: the block's barrier, the grid's, and the warps' collectives. See simulated_block.h.
 *
 * 1. A thread notes where it is, joins the barrier or the meeting of its mask, and leaves to whoever is drawn.
 * 2. The last to arrive works out everybody's result, makes all of them runnable, itself among them, and leaves too.
 * 3. A wait that can never end is reported: at once where a thread that is waited for has ended or waits elsewhere for the
 *    one that waits for it, otherwise when no thread of the block is runnable.
 */
#include "simulated_block.h"

#include <cstdio>
#include <cstring>
#include <utility>

namespace cdp::simulated::machine {

namespace {

/* A thread and where it is, as text. */
struct Whereabouts {
  char text[96];
};

/* What a thread is at, in the order of Activity. */
constexpr const char *ACTIVITY_NAMES[] = {"its first line",     "no collective",   "its end",          "the barrier",
                                          "the grid's barrier", "a named barrier", "__syncwarp",       "__shfl_sync",
                                          "__shfl_xor_sync",    "__shfl_up_sync",  "__shfl_down_sync", "__ballot_sync",
                                          "__any_sync",         "__all_sync"};
static_assert(sizeof ACTIVITY_NAMES / sizeof *ACTIVITY_NAMES == static_cast<size_t>(Activity::all) + 1, "one for each");

Whereabouts whereabouts(const Lane &lane) {
  Whereabouts where;
  const unsigned thread = lane.thread;
  std::snprintf(where.text, sizeof(where.text), "thread %u has ended", thread);
  if (lane.activity == Activity::ended)
    return where;
  const char *const slash = std::strrchr(lane.place.file, '/');
  std::snprintf(where.text, sizeof(where.text), "thread %u waits at %s in %s:%d", thread,
                ACTIVITY_NAMES[static_cast<size_t>(lane.activity)], slash == nullptr ? lane.place.file : slash + 1,
                lane.place.line);
  return where;
}

bool same_place(const Lane &left, const Lane &right) {
  return left.activity == right.activity && left.place.line == right.place.line &&
         (left.place.file == right.place.file || std::strcmp(left.place.file, right.place.file) == 0);
}

uint32_t lowest_lane(uint32_t mask) {
  return static_cast<uint32_t>(__builtin_ctz(mask));
}

/* Gives every lane in the mask its result: of a shuffle another's value, otherwise a mask of all values. */
void distribute(Lane *lanes, uint32_t mask, Activity collective) {
  if (collective == Activity::warp_barrier)
    return;
  const bool is_shuffle = collective >= Activity::shuffle && collective <= Activity::shuffle_down;
  uint64_t votes = 0;
  for (uint32_t rest = is_shuffle ? 0 : mask; rest != 0; rest &= rest - 1)
    votes |= lanes[lowest_lane(rest)].value << lowest_lane(rest);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    Lane &lane = lanes[lowest_lane(rest)];
    lane.result = is_shuffle ? lanes[lane.source].value : votes;
  }
}

} // namespace

/* ---- Warps ----------------------------------------------------------------------------------------------------- */

/* The meeting that the lane takes part in, opened if it is the first. Reports whatever makes it impossible. */
inline Meeting &Block::join(Lane &lane, uint32_t mask) {
  Warp &warp = *lane.warp;
  const uint32_t own_bit = 1u << (lane.thread % 32);
  for (uint32_t number = 0; number < warp.meeting_count; ++number) {
    Meeting &meeting = warp.meetings[number];
    if (meeting.mask == mask && meeting.collective == lane.activity)
      return meeting;
    // Both masks name a lane that waits in the other meeting: neither can ever be complete.
    if ((meeting.mask & own_bit) != 0 && (meeting.arrived & mask) != 0)
      throw blame("%s with mask %08x, but %s with mask %08x", whereabouts(lane).text, mask,
                  whereabouts(warp.lanes[lowest_lane(meeting.arrived & mask)]).text, meeting.mask);
  }
  if ((mask & warp.ended) != 0)
    throw blame("%s, but %s", whereabouts(lane).text, whereabouts(warp.lanes[lowest_lane(mask & warp.ended)]).text);
  Meeting &opened = warp.meetings[warp.meeting_count++];
  opened = {mask, 0, lane.activity};
  return opened;
}

inline uint64_t Block::meet(Lane &lane, uint32_t mask) {
  const uint32_t own_bit = 1u << (lane.thread % 32);
  mask &= lane.warp->present;
  if ((mask & own_bit) == 0)
    throw blame("%s with mask %08x, which lacks its own lane", whereabouts(lane).text, mask);
  if (((mask >> lane.source) & 1) == 0)
    throw blame("%s for the value of lane %u, which is not in mask %08x", whereabouts(lane).text, unsigned{lane.source}, mask);
  Meeting &meeting = join(lane, mask);
  meeting.arrived |= own_bit;
  if (meeting.arrived == mask)
    conclude(*lane.warp, meeting);
  leave(lane);
  return lane.result;
}

/* Before others become runnable. */
inline void Block::put_back_drawn() {
  if (drawn_ != NOBODY)
    runnable_[runnable_count_++] = static_cast<uint16_t>(std::exchange(drawn_, NOBODY));
}

void Block::conclude(Warp &warp, Meeting &meeting) {
  put_back_drawn();
  distribute(warp.lanes, meeting.mask, meeting.collective);
  const uint32_t first = warp.lanes[0].thread;
  for (uint32_t rest = meeting.mask; rest != 0; rest &= rest - 1)
    runnable_[runnable_count_++] = static_cast<uint16_t>(first + lowest_lane(rest));
  meeting = warp.meetings[--warp.meeting_count];
}

/* ---- The block ------------------------------------------------------------------------------------------------- */

void Block::check_barrier(const Lane &lane) {
  if (ended_count_ > 0)
    throw blame("%s, but thread %u has ended", whereabouts(lane).text, ended_thread_);
  if (barrier_arrived_ > 0 && !same_place(lane, lanes_[barrier_thread_]))
    throw blame("%s, but %s", whereabouts(lane).text, whereabouts(lanes_[barrier_thread_]).text);
  if (lane.activity == Activity::grid_barrier)
    check_grid_barrier(lane);
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

/* All threads of the block go on, the last or the first ones first. */
void Block::pass_barrier() {
  barrier_result_ = barrier_true_;
  barrier_arrived_ = 0;
  barrier_true_ = 0;
  const uint32_t turned = random_.below(2) == 0 ? grid_->shape.threads - 1 : 0;
  for (uint32_t thread = 0; thread < grid_->shape.threads; ++thread)
    runnable_[thread] = static_cast<uint16_t>(turned != 0 ? turned - thread : thread);
  runnable_count_ = grid_->shape.threads;
  choose_order();
  interrupted_ = random_.below(8) == 0;
}

void Block::check_named_barrier(const Lane &lane, uint32_t number, uint32_t threads) {
  if (number == 0 || number >= NAMED_BARRIERS || threads == 0 || threads > grid_->shape.threads || threads % 32 != 0)
    throw blame("%s: barrier %u of %u threads is none", whereabouts(lane).text, number, threads);
  const NamedBarrier &barrier = named_barriers_[number];
  if (barrier.arrived == 0)
    return;
  const Lane &first = lanes_[barrier.first];
  if (!same_place(lane, first) || threads != barrier.threads)
    throw blame("%s for %u threads, but %s for %u", whereabouts(lane).text, threads, whereabouts(first).text, barrier.threads);
}

/* The threads are told by what they wait for: lane.source is the barrier's number. */
void Block::pass_named_barrier(uint32_t number) {
  NamedBarrier &barrier = named_barriers_[number];
  put_back_drawn();
  const uint32_t turned = random_.below(2) == 0 ? grid_->shape.threads - 1 : 0;
  for (uint32_t index = 0; index < grid_->shape.threads; ++index) {
    const uint32_t thread = turned != 0 ? turned - index : index;
    Lane &lane = lanes_[thread];
    if (lane.activity != Activity::named_barrier || lane.source != number)
      continue;
    lane.result = barrier.predicates;
    runnable_[runnable_count_++] = static_cast<uint16_t>(thread);
  }
  barrier = {};
  interrupted_ = random_.below(8) == 0;
}

inline uint32_t Block::wait_at_named_barrier(Lane &lane, uint32_t number, uint32_t threads, bool predicate) {
  check_named_barrier(lane, number, threads);
  NamedBarrier &barrier = named_barriers_[number];
  if (barrier.arrived == 0)
    barrier.first = lane.thread;
  barrier.threads = threads;
  barrier.predicates += predicate ? 1 : 0;
  lane.source = static_cast<uint8_t>(number);
  if (++barrier.arrived == threads)
    pass_named_barrier(number);
  leave(lane);
  return static_cast<uint32_t>(lane.result);
}

/* ---- The grid -------------------------------------------------------------------------------------------------- */

void Block::check_grid_barrier(const Lane &lane) {
  if (!grid_->together)
    throw blame("%s, but the grid was not launched together", whereabouts(lane).text);
  if (grid_->blocks_ended > 0)
    throw blame("%s, but a block of the grid has ended", whereabouts(lane).text);
  if (grid_->waiting.empty())
    return;
  const Block &other = *grid_->waiting.front();
  if (!same_place(lane, other.lanes_[0]))
    throw blame("%s, but of block %u %s", whereabouts(lane).text, other.index_, whereabouts(other.lanes_[0]).text);
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
  go_on_from(lane.fiber);
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
    if (lane.activity == Activity::barrier || lane.activity == Activity::grid_barrier ||
        lane.activity == Activity::named_barrier)
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

/*
 * A destructor may come here while its thread is unwound: it must neither wait nor throw then.
 *
 * They ask where they are, although their callers know: a caller's register was put away on its thread's stack, and a processor that
 * need not wait for that one begins with the next switch beside this one.
 */

uint64_t meet_lanes(Purpose purpose, uint32_t mask, uint64_t value, Place place) {
  const Here &now = here();
  Lane &lane = *now.lane;
  if (__builtin_expect(now.resident->is_stopped(), 0))
    return 0;
  lane.value = value;
  lane.source = purpose.source;
  lane.place = place;
  lane.activity = purpose.collective;
  return now.resident->meet(lane, mask);
}

uint32_t meet(Activity barrier, bool predicate, Place place) {
  const Here &now = here();
  Lane &lane = *now.lane;
  if (__builtin_expect(now.resident->is_stopped(), 0))
    return 0;
  lane.place = place;
  lane.activity = barrier;
  return now.resident->wait_at_barrier(lane, predicate);
}

uint32_t meet_named(uint32_t number, uint32_t threads, bool predicate, Place place) {
  const Here &now = here();
  Lane &lane = *now.lane;
  if (__builtin_expect(now.resident->is_stopped(), 0))
    return 0;
  lane.place = place;
  lane.activity = Activity::named_barrier;
  return now.resident->wait_at_named_barrier(lane, number, threads, predicate);
}

void *shared_memory(size_t bytes) {
  const Here &now = here();
  return now.resident->shared(*now.lane, bytes);
}

void pause_thread() {
  Here &now = here();
  if (now.lane == nullptr)
    now.atomics_until_pause = UINT32_MAX; // an atomic on the host
  else if (!now.resident->is_stopped())
    now.resident->pause(*now.lane);
}

void call_on_host(void (*function)(void *argument), void *argument) {
  const Here &now = here();
  now.resident->call_on_host(*now.lane, function, argument);
}

void break_rule(const char *what) {
  const Lane &lane = *here().lane;
  throw lane.warp->block->blame("thread %u: %s", unsigned{lane.thread}, what);
}

void exhaust_memory() {
  break_rule("host memory is exhausted");
}

void break_expectation(Place place) {
  const Lane &lane = *here().lane;
  const char *const slash = std::strrchr(place.file, '/');
  lane.warp->block->blame("thread %u: what %s:%u expects does not hold", static_cast<unsigned>(lane.thread),
                          slash == nullptr ? place.file : slash + 1, place.line);
  throw Unwound{};
}

} // namespace cdp::simulated::machine
