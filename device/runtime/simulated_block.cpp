/* SPDX-License-Identifier: MIT */
/*
 * The life of a resident block: its threads' order, and what is found broken at its end. See simulated_block.h; barriers and
 * warp collectives are in simulated_meeting.cpp.
 */
#include "simulated_block.h"

#include <cstdarg>
#include <cstdio>
#include <utility>

namespace cdp::simulated::machine {

namespace {

constexpr uint32_t MAX_WARPS = MAX_BLOCK_THREADS / 32;

} // namespace

Here &here() noexcept {
  static __thread Here local = {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, 1, nullptr, nullptr};
  return local;
}

void Random::start(uint64_t seed) {
  // One round of splitmix64: neighbouring seeds must not begin alike, and the state must not be 0.
  uint64_t mixed = seed + 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  state_ = (mixed ^ (mixed >> 31)) | 1;
}

Block::Block(Random &random, Report &report)
    : random_(random), report_(report), shared_(new unsigned char[MAX_BLOCK_SHARED_BYTES + 2 * GUARD_BYTES]),
      lanes_(new Lane[MAX_BLOCK_THREADS]), warps_(new Warp[MAX_WARPS]) {
  for (uint32_t number = 0; number < MAX_WARPS; ++number) {
    warps_[number].block = this;
    warps_[number].lanes = &lanes_[static_cast<size_t>(number) * 32];
  }
}

Block::~Block() {
  for (uint32_t thread = 0; thread < MAX_BLOCK_THREADS; ++thread) {
    if (!lanes_[thread].fiber.created())
      continue;
    lanes_[thread].order = Order::finish;
    scheduler_.switch_to(lanes_[thread].fiber);
  }
}

void Block::begin(Grid &grid, uint32_t index) {
  const uint32_t threads = grid.shape.threads;
  for (uint32_t first = 0; first < threads; first += 32) {
    Warp &warp = warps_[first / 32];
    warp.stacks.map();
    warp.present = threads - first >= 32 ? 0xffffffffu : (1u << (threads - first)) - 1;
    warp.ended = 0;
    warp.meeting_count = 0;
  }
  for (uint32_t thread = 0; thread < threads; ++thread) {
    Lane &lane = lanes_[thread];
    if (!lane.fiber.created()) {
      lane.thread = static_cast<uint16_t>(thread);
      lane.warp = &warps_[thread / 32];
      lane.fiber.create(lane.warp->stacks.low(thread % 32), &Block::live, &lane);
    }
    lane.activity = Activity::fresh;
    lane.order = Order::run;
    runnable_[thread] = static_cast<uint16_t>(thread);
  }
  grid_ = &grid;
  index_ = index;
  runnable_count_ = threads;
  drawn_ = NOBODY;
  ended_count_ = 0;
  barrier_arrived_ = 0;
  barrier_true_ = 0;
  for (NamedBarrier &barrier : named_barriers_)
    barrier = {};
  choose_order();
  prepare_memory(shared_.get() + GUARD_BYTES, grid.shape.shared_bytes);
}

/* A small reach lets single warps run far ahead, the least a warp by itself, the greatest keeps all warps about level: bugs hide from
   each. */
void Block::choose_order() {
  constexpr uint32_t REACHES[] = {1, 4, 32, MAX_BLOCK_THREADS, MAX_BLOCK_THREADS};
  reach_ = REACHES[random_.below(sizeof REACHES / sizeof *REACHES)];
}

void Block::step() {
  Here &here = machine::here();
  here.block.x = index_;
  here.block_extent.x = grid_->shape.threads;
  here.grid_extent.x = grid_->shape.blocks;
  here.resident = this;
  here_ = &here;
  interrupted_ = false;
  go_on_from(scheduler_);
  while (host_call_.function != nullptr)
    answer_host_call();
  here.lane = nullptr;
  const bool waits_for_blocks = barrier_arrived_ == grid_->shape.threads;
  if (runnable_count_ == 0 && drawn_ == NOBODY && !ended() && !waits_for_blocks && report_.code == LAUNCH_OK)
    explain_deadlock();
}

/* Calls what a thread has asked for, and lets that thread go on. */
void Block::answer_host_call() {
  Lane *const lane = std::exchange(here_->lane, nullptr);
  try {
    host_call_.function(host_call_.argument);
  } catch (...) {
    host_call_.has_thrown = true;
  }
  host_call_.function = nullptr;
  here_->lane = lane;
  scheduler_.switch_to(lane->fiber);
}

/*
 * Calls a function of the program's, and returns when it has returned.
 *
 * 1. A fiber has a small stack, and the function may need as much of it as the program likes.
 * 2. The host thread waits meanwhile, on the stack that the program gave it.
 * Therefore the function is called there. An exception ends the run, for no kernel can go on from it.
 */
void Block::call_on_host(Lane &lane, void (*function)(void *argument), void *argument) {
  host_call_ = {function, argument, false};
  lane.fiber.switch_to(scheduler_);
  if (!host_call_.has_thrown)
    return;
  const Unwound unwound = blame("thread %u: a function of the program's threw an exception", unsigned{lane.thread});
  report_.code = LAUNCH_CALL_THREW;
  throw unwound;
}

/* Takes one out of the runnable threads. */
inline uint32_t Block::draw() {
  const uint32_t drawn = runnable_count_ - 1 - random_.below(runnable_count_ < reach_ ? runnable_count_ : reach_);
  const uint32_t thread = runnable_[drawn];
  runnable_[drawn] = runnable_[--runnable_count_];
  return thread;
}

/*
 * Whoever is drawn goes on, or the scheduler where the block is to be left; and then `fiber`, when it is its turn again.
 *
 * 1. A processor that knows only after a draw where to go on waits for it, and for what it finds there.
 * 2. Whoever is drawn one turn early is known, and near, when the turn comes: an eighth of a test's time (test_mapped).
 * Therefore a thread is drawn before the one before it goes on. It is put back where that one makes others runnable, which are
 * to be drawn as much as it is.
 */
void Block::go_on_from(Fiber &fiber) {
  Fiber *next = &scheduler_;
  if (!interrupted_ && (drawn_ != NOBODY || runnable_count_ > 0)) {
    const uint32_t thread = drawn_ != NOBODY ? drawn_ : draw();
    drawn_ = NOBODY;
    if (runnable_count_ > 0) {
      drawn_ = draw();
      __builtin_prefetch(&lanes_[drawn_]);
    }
    here_->thread.x = thread;
    here_->lane = &lanes_[thread];
    next = &lanes_[thread].fiber;
    ++report_.resumptions;
  }
  if (next != &fiber)
    fiber.switch_to(*next);
}

void Block::live(void *argument) {
  Lane &lane = *static_cast<Lane *>(argument);
  Block &block = *lane.warp->block;
  while (lane.order != Order::finish) {
    block.run_thread(lane);
    block.go_on_from(lane.fiber);
  }
}

void Block::run_thread(Lane &lane) {
  lane.activity = Activity::running;
  try {
    grid_->call.run_thread();
    end_thread(lane);
  } catch (const Unwound &) {
    // The report is written.
  } catch (const std::bad_alloc &) {
    blame("thread %u: host memory is exhausted", unsigned{lane.thread});
  } catch (...) {
    blame("thread %u threw an exception", unsigned{lane.thread});
  }
  lane.activity = Activity::ended;
}

void *Block::shared(const Lane &lane, size_t bytes) {
  if (bytes > grid_->shape.shared_bytes)
    throw blame("thread %u: the kernel uses %zu bytes of shared memory, but was launched with %u", unsigned{lane.thread}, bytes,
                grid_->shape.shared_bytes);
  return shared_.get() + GUARD_BYTES;
}

void Block::inspect() {
  if (!grid_->waiting.empty())
    blame("the block has ended, but block %u waits at the grid's barrier", grid_->waiting.front()->index_);
  Report fault;
  if (!check_memory(shared_.get() + GUARD_BYTES, grid_->shape.shared_bytes, "the shared memory", fault))
    blame("%.160s", fault.broken_rule);
  for (uint32_t thread = 0; thread < grid_->shape.threads; ++thread) {
    if (!warps_[thread / 32].stacks.whole(thread % 32))
      blame("thread %u overran its stack of %zu bytes", thread, WarpStacks::STACK_BYTES);
  }
}

void Block::unwind() {
  interrupted_ = true; // each comes back here
  for (uint32_t thread = 0; thread < grid_->shape.threads; ++thread) {
    Lane &lane = lanes_[thread];
    if (lane.activity == Activity::fresh || lane.activity == Activity::ended)
      continue;
    lane.order = Order::unwind;
    scheduler_.switch_to(lane.fiber);
  }
}

Unwound Block::blame(const char *format, ...) {
  interrupted_ = true;
  if (report_.code != LAUNCH_OK)
    return {};
  report_.code = LAUNCH_RULE_BROKEN;
  char launcher[40] = "the host";
  if (grid_->launcher != nullptr)
    std::snprintf(launcher, sizeof(launcher), "grid %llu", static_cast<unsigned long long>(grid_->launcher->number));
  const int begun =
      std::snprintf(report_.broken_rule, sizeof(report_.broken_rule),
                    "grid %llu (launched by %s), block %u: ", static_cast<unsigned long long>(grid_->number), launcher, index_);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(report_.broken_rule + begun, sizeof(report_.broken_rule) - static_cast<size_t>(begun), format, arguments);
  va_end(arguments);
  return {};
}

} // namespace cdp::simulated::machine
