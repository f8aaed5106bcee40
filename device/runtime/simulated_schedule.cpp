/* SPDX-License-Identifier: MIT */
/*
 * Runs grids and their descendants: see simulated_schedule.h.
 */
#include "simulated_schedule.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

namespace cdp::simulated::machine {

namespace {

/* Blocks that the next one of a grid is drawn from: all but the largest grids are shuffled as a whole. */
constexpr uint32_t MAX_UNSTARTED = 1024;

/* Rules::refusal_chance is of so many. */
constexpr uint32_t REFUSAL_CHANCES = 1024;

/* Device launches not yet complete, of all machines. */
std::atomic<uint32_t> pending_of_all{0};

void write_fault(Report &report, int code, const char *text) {
  if (report.code != LAUNCH_OK)
    return;
  report.code = code;
  std::snprintf(report.broken_rule, sizeof(report.broken_rule), "%s", text);
}

/* Why the host's launch was refused. */
const char *refusal_text(int code) {
  if (code == LAUNCH_INVALID_VALUE)
    return "a kernel was launched with more shared memory than it is allowed";
  if (code == LAUNCH_OUT_OF_RESOURCES)
    return "this launch is refused by the rules";
  return code == LAUNCH_TOO_MANY_TOGETHER ? "more blocks were launched together than may be under way at once" : "";
}

} // namespace

int Machine::allow(KernelName kernel, uint32_t bytes) noexcept {
  if (bytes > MAX_BLOCK_SHARED_BYTES)
    return LAUNCH_INVALID_VALUE;
  try {
    allowed_bytes_[kernel] = bytes;
  } catch (...) {
    return LAUNCH_NO_MEMORY;
  }
  return LAUNCH_OK;
}

int Machine::launch_code(GridShape shape, KernelName kernel) const {
  constexpr uint32_t MAX_BLOCKS = 0x7fffffffu;
  if (shape.blocks == 0 || shape.blocks > MAX_BLOCKS || shape.threads == 0 || shape.threads > MAX_BLOCK_THREADS)
    return LAUNCH_INVALID_SHAPE;
  const auto found = allowed_bytes_.find(kernel);
  const uint32_t allowed_bytes = found != allowed_bytes_.end() ? found->second : SHARED_BYTES_UNASKED;
  return shape.shared_bytes > allowed_bytes ? LAUNCH_INVALID_VALUE : LAUNCH_OK;
}

void Machine::set_rules(const Rules &changed) {
  rules = changed;
  rules.resident_blocks = std::max(rules.resident_blocks, 1u);
  runs_ = 0;
}

void Machine::remember(const Report &fault) {
  if (remembered_.code == LAUNCH_OK)
    remembered_ = fault;
  report = fault;
}

/* ---- A run ----------------------------------------------------------------------------------------------------- */

int Machine::run(GridShape shape, bool together, KernelCall call) noexcept {
  if (running_)
    return LAUNCH_INVALID_VALUE; // a kernel launches with launch_child()
  report = std::exchange(remembered_, Report{});
  if (report.code != LAUNCH_OK)
    return report.code;
  int code = launch_code(shape, call.name);
  if (code == LAUNCH_OK && together && shape.blocks > rules.resident_blocks)
    code = LAUNCH_TOO_MANY_TOGETHER;
  if (code == LAUNCH_OK) {
    report.number = ++runs_;
    if (report.number == rules.refused_launch)
      code = LAUNCH_OUT_OF_RESOURCES;
  }
  if (code != LAUNCH_OK) {
    write_fault(report, code, refusal_text(code));
    return code;
  }
  running_ = true;
  try {
    prepare();
    Grid &grid = add_grid(shape, std::move(call), nullptr);
    grid.together = together;
    make_ready(grid);
    run_all();
  } catch (...) {
    write_fault(report, LAUNCH_NO_MEMORY, "the simulated device found host memory exhausted");
  }
  abandon();
  running_ = false;
  return report.code;
}

void Machine::prepare() {
  random_.start(rules.seed + (report.number - 1) * 0x632BE59BD9B4E019u);
  eagerness_ = 1 + random_.below(8);
  here().atomics_until_pause = 1 + random_.below(32);
  // Room for all that is pushed back where an exception would lose a grid or a block.
  blocks_.reserve(rules.resident_blocks);
  idle_.reserve(rules.resident_blocks);
  resident_.reserve(rules.resident_blocks);
}

void Machine::run_all() {
  for (;;) {
    start_blocks();
    if (resident_.empty())
      return;
    const size_t at = random_.below(static_cast<uint32_t>(resident_.size()));
    stepped_ = resident_[at].grid;
    resident_[at].block->step();
    if (report.code != LAUNCH_OK)
      return;
    if (resident_[at].block->ended())
      end_block(at);
    if (report.code != LAUNCH_OK)
      return;
  }
}

/* Ends every block and grid there is: after a broken rule, or none where the run was complete. */
void Machine::abandon() noexcept {
  for (const Resident &resident : resident_) {
    resident.block->unwind();
    idle_.push_back(resident.block);
  }
  resident_.clear();
  ready_.clear();
  grids_.clear();
  give_back_pending(pending_);
  // A complete run has returned what it reserved, or is at fault, which is to be seen.
  const uint32_t reserved = std::exchange(reserved_, 0);
  if (report.code != LAUNCH_OK)
    atomicSub(&launches_taken(), reserved);
}

/* ---- Blocks ---------------------------------------------------------------------------------------------------- */

void Machine::start_blocks() {
  while (!ready_.empty() && resident_.size() < rules.resident_blocks) {
    if (!resident_.empty() && random_.below(8) >= eagerness_)
      return;
    start_block(draw_ready());
  }
}

/* The newest, the oldest, or any. */
Grid &Machine::draw_ready() {
  const uint32_t drawn = random_.below(4);
  if (drawn < 2)
    return drawn == 0 ? *ready_.back() : *ready_.front();
  return *ready_[random_.below(static_cast<uint32_t>(ready_.size()))];
}

uint32_t Machine::draw_block(Grid &grid) {
  while (grid.unstarted.size() < MAX_UNSTARTED && grid.drawn_from < grid.shape.blocks)
    grid.unstarted.push_back(grid.drawn_from++);
  uint32_t &drawn = grid.unstarted[random_.below(static_cast<uint32_t>(grid.unstarted.size()))];
  const uint32_t index = drawn;
  drawn = grid.unstarted.back();
  grid.unstarted.pop_back();
  return index;
}

void Machine::start_block(Grid &grid) {
  if (idle_.empty()) {
    blocks_.push_back(std::make_unique<Block>(random_, report));
    idle_.push_back(blocks_.back().get());
  }
  Block *const block = idle_.back();
  block->begin(grid, draw_block(grid));
  idle_.pop_back();
  resident_.push_back({block, &grid});
  if (grid.unstarted.empty() && grid.drawn_from == grid.shape.blocks)
    ready_.erase(std::find(ready_.begin(), ready_.end(), &grid));
}

void Machine::end_block(size_t at) {
  const Resident ended = resident_[at];
  ended.block->inspect();
  Report fault;
  if (report.code == LAUNCH_OK && !check_guards(fault))
    ended.block->blame("%.160s", fault.broken_rule);
  resident_[at] = resident_.back();
  resident_.pop_back();
  idle_.push_back(ended.block);
  ++report.blocks_run;
  if (++ended.grid->blocks_ended == ended.grid->shape.blocks)
    settle(ended.grid);
}

/* ---- Grids ----------------------------------------------------------------------------------------------------- */

Grid &Machine::add_grid(GridShape shape, KernelCall call, Grid *launcher) {
  auto grid = std::make_unique<Grid>();
  grid->shape = shape;
  grid->call = std::move(call);
  grid->launcher = launcher;
  grid->slot = grids_.size();
  grids_.push_back(std::move(grid));
  grids_.back()->number = ++report.grids_launched;
  return *grids_.back();
}

void Machine::remove_grid(Grid &grid) {
  const size_t slot = grid.slot;
  grids_[slot].swap(grids_.back());
  grids_[slot]->slot = slot;
  grids_.pop_back();
}

void Machine::make_ready(Grid &grid) {
  ready_.push_back(&grid);
  if (grid.launcher != nullptr)
    ++grid.launcher->children;
}

/* False if the limit is reached, or the seed has it so. */
bool Machine::take_pending() {
  // Nothing is drawn where nothing is refused by chance: a seed's course stays what it was.
  if (rules.refusal_chance != 0 && random_.below(REFUSAL_CHANCES) < rules.refusal_chance)
    return false;
  uint32_t pending = pending_of_all.load();
  do {
    if (pending >= rules.pending_limit)
      return false;
  } while (!pending_of_all.compare_exchange_weak(pending, pending + 1));
  ++pending_;
  report.max_pending = std::max(report.max_pending, pending_);
  return true;
}

void Machine::give_back_pending(uint32_t count) {
  pending_ -= count;
  pending_of_all -= count;
}

int Machine::launch(ChildStream where, GridShape shape, KernelCall call) {
  int code = launch_code(shape, call.name);
  if (code == LAUNCH_OK && !take_pending())
    code = LAUNCH_PENDING_LIMIT;
  if (code != LAUNCH_OK) {
    ++report.launches_refused;
    report.tails_refused += where == ChildStream::tail ? 1 : 0;
    return code;
  }
  Grid &grid = add_grid(shape, std::move(call), stepped_);
  if (where == ChildStream::tail)
    stepped_->tails.push_back(&grid);
  else
    make_ready(grid);
  grid.pending = true;
  return LAUNCH_OK;
}

/* Called when a grid's last block has ended: completes it and its launchers as far as they are complete. */
void Machine::settle(Grid *grid) {
  while (grid != nullptr && grid->blocks_ended == grid->shape.blocks && grid->children == 0) {
    if (grid->pending)
      give_back_pending(1);
    grid->pending = false;
    if (grid->tails_started < grid->tails.size()) {
      make_ready(*grid->tails[grid->tails_started++]);
      return;
    }
    Grid *const launcher = grid->launcher;
    remove_grid(*grid);
    if (launcher != nullptr)
      --launcher->children;
    grid = launcher;
  }
}

} // namespace cdp::simulated::machine
