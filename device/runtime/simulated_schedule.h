/* SPDX-License-Identifier: MIT */
/*
 * The grids of a run, and which of their blocks is under way: CUDA dynamic parallelism's rules, version 2.
 *
 * Used by simulated_device.cpp, one machine a host thread.
 * 1. A launched grid is ready at once, whatever its launcher does; a tail grid, when all before it is complete.
 * 2. Up to resident_blocks blocks of any ready grids are resident. How soon there are more, and which, is drawn by seed.
 * 3. Which resident block goes on is drawn by seed, again whenever a block leaves at a barrier or a pause.
 * 4. A launch is pending until its grid and those of its children that are no tails are complete, as on hardware
 *    (docs/notes/pending-launches.md): while its tail runs, only the tail is. All machines count together.
 * 5. A grid whose blocks have ended and whose children are complete starts its next tail grid; without one, it is complete.
 *
 * Invariant: a grid lives until it is complete, and thus outlives its descendants.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_SIMULATED_SCHEDULE_H
#define CDPSORT_DEVICE_RUNTIME_SIMULATED_SCHEDULE_H

#include "simulated_block.h"

#include <map>
#include <memory>
#include <vector>

namespace cdp::simulated::machine {

class Machine {
public:
  Rules rules;
  Report report;

  void set_rules(const Rules &changed);

  /* Lets a kernel have so much shared memory from now on. Returns LAUNCH_OK or a code. */
  int allow(KernelName kernel, uint32_t bytes) noexcept;

  /* Runs a grid of the host's. Returns LAUNCH_OK or a code, which is in the report too. */
  int run(GridShape shape, bool together, KernelCall call) noexcept;

  /* LAUNCH_OK, or why a kernel cannot be launched with a grid of this shape. */
  int launch_code(GridShape shape, KernelName kernel) const;

  /* A launch by the running thread. Throws std::bad_alloc. */
  int launch(ChildStream where, GridShape shape, KernelCall call);

  /* True with a chance of one in two, drawn by the seed. */
  bool toss() {
    return random_.below(2) != 0;
  }

  bool is_running() const {
    return running_;
  }

  /* So many launches more are reserved by the run (reserve_launches()), or fewer: modulo 2^32. */
  void note_reserved(uint32_t more) {
    reserved_ += more;
  }

  /* Remembers what a release found, for the next run. */
  void remember(const Report &fault);

private:
  struct Resident {
    Block *block;
    Grid *grid;
  };

  void prepare();
  void run_all();
  void start_blocks();
  void start_block(Grid &grid);
  void end_block(size_t at);
  void settle(Grid *grid);
  Grid &add_grid(GridShape shape, KernelCall call, Grid *launcher);
  void remove_grid(Grid &grid);
  void make_ready(Grid &grid);
  Grid &draw_ready();
  uint32_t draw_block(Grid &grid);
  bool take_pending();
  void give_back_pending(uint32_t count);
  void abandon() noexcept;

  uint64_t runs_ = 0; /* since the rules were set */
  bool running_ = false;
  Report remembered_;                            /* LAUNCH_OK: nothing */
  std::map<KernelName, uint32_t> allowed_bytes_; /* of kernels that were allowed other than SHARED_BYTES_UNASKED */
  Random random_;
  uint32_t eagerness_ = 0;  /* chance, of 8, that one more block is started while others are resident */
  uint32_t pending_ = 0;    /* its share of the launches that are pending */
  uint32_t reserved_ = 0;   /* its share of launches_taken() */
  Grid *stepped_ = nullptr; /* the grid of the block that is being stepped */
  std::vector<std::unique_ptr<Grid>> grids_;
  std::vector<Grid *> ready_; /* with blocks not yet started */
  std::vector<Resident> resident_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block *> idle_;
};

/* Looks at the guards of the calling thread's allocations. Writes the first that is broken to the report; mends it. */
bool check_guards(Report &fault) noexcept;

/* The calling thread's machine. */
Machine &this_machine();

} // namespace cdp::simulated::machine

#endif
