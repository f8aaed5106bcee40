/* SPDX-License-Identifier: MIT */
/*
 * One resident block of the simulated device: its threads, its shared memory, its barrier and its warps' collectives.
 *
 * Made, stepped and unwound by simulated_schedule; threads enter it through the functions that simulated_device.cuh declares.
 * A thread runs until its next collective or pause; which runnable thread goes on then is drawn by seed. A block may be left
 * at any of these points for another block, and is taken up again where it was.
 *
 * Invariants: a thread is either in the list of runnable threads, or drawn from it as the next to go on, or waits in exactly one
 * meeting or at the barrier, or has ended, or is the one that runs. A meeting has at least one lane that waits, and is gone when
 * the last one arrives.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_SIMULATED_BLOCK_H
#define CDPSORT_DEVICE_RUNTIME_SIMULATED_BLOCK_H

#include "runtime.cuh"
#include "simulated_fiber.h"

#include <memory>
#include <vector>

namespace cdp::simulated::machine {

/* Cheap and good enough to draw schedules: xorshift64, its upper half. */
class Random {
public:
  void start(uint64_t seed);

  /* A number in [0, limit). */
  uint32_t below(uint32_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>(((state_ >> 32) * limit) >> 32);
  }

private:
  uint64_t state_ = 1;
};

class Block;

/* A grid that is not complete. The host's is number 1. */
struct Grid {
  uint64_t number = 0;
  Grid *launcher = nullptr; /* NULL: the host */
  GridShape shape = {};
  KernelCall call;
  bool together = false;           /* all its blocks run at the same time */
  std::vector<Block *> waiting;    /* blocks that are complete at the grid's barrier */
  size_t slot = 0;                 /* where Machine::grids_ holds it */
  bool pending = false;            /* counts against the pending limit */
  uint32_t drawn_from = 0;         /* blocks from this one on are not yet in `unstarted` */
  std::vector<uint32_t> unstarted; /* the blocks that the next is drawn from */
  uint64_t blocks_ended = 0;
  uint64_t children = 0;     /* ready or started, and not complete */
  std::vector<Grid *> tails; /* in their order */
  size_t tails_started = 0;
};

/* Before and behind every memory of the device. */
constexpr size_t GUARD_BYTES = MEMORY_ALIGNMENT;

/* Poisons memory and sets its guards. */
void prepare_memory(unsigned char *memory, size_t bytes);

/* Whether its guards are whole; otherwise tells of the first fault, and mends them. `what` names the memory. */
bool check_memory(unsigned char *memory, size_t bytes, const char *what, Report &fault);

/* Thrown through a kernel that is not to go on. */
struct Unwound {};

/* What a thread wants done outside of its fiber. */
struct HostCall {
  void (*function)(void *argument) = nullptr; /* NULL: nothing */
  void *argument = nullptr;
  bool has_thrown = false;
};

/* What a fiber goes on for. */
enum class Order : uint8_t { run, unwind, finish };

struct Warp;

/* A thread; one cache line where nothing else is measured. */
struct alignas(64) Lane {
  Fiber fiber;
  Warp *warp = nullptr;
  uint64_t value = 0;  /* handed in to the collective */
  uint64_t result = 0; /* what it gave */
  Place place = {};    /* where it waits, or waited last */
  uint16_t thread = 0;
  uint8_t source = 0;
  Activity activity = Activity::fresh;
  Order order = Order::run;
};

/* Lanes that wait for each other. */
struct Meeting {
  uint32_t mask;
  uint32_t arrived;
  Activity collective;
};

/* Barriers of a block beside number 0, which is that of all its threads. */
constexpr uint32_t NAMED_BARRIERS = 16;

/* Threads that wait at one of them. */
struct NamedBarrier {
  uint32_t threads; /* that take part */
  uint32_t arrived;
  uint32_t first; /* to arrive */
  uint32_t predicates;
};

struct Warp {
  Block *block = nullptr;
  Lane *lanes = nullptr;
  uint32_t present = 0; /* lanes that the block has */
  uint32_t ended = 0;
  uint32_t meeting_count = 0;
  Meeting meetings[32] = {};
  WarpStacks stacks;
};

class Block {
public:
  Block(Random &random, Report &report);
  ~Block();

  /* Takes on a block of a grid: fresh threads, poisoned shared memory. Throws std::bad_alloc. */
  void begin(Grid &grid, uint32_t index);

  /* Lets threads run until the block is to be left. A broken rule is found in the report. */
  void step();

  bool ended() const {
    return ended_count_ == grid_->shape.threads;
  }

  /* When all threads have ended: looks at the shared memory's guards and the stacks' canaries. */
  void inspect();

  /* After a broken rule: unwinds what still runs. */
  void unwind();

  /* Writes to the report that a rule was broken by this block, unless an earlier one is there. A thread throws the result. */
  Unwound blame(const char *format, ...) __attribute__((format(printf, 2, 3)));

  /* Whether the run has been stopped by a broken rule. Every thread that still runs is being unwound: it must wait for none. */
  bool is_stopped() const {
    return report_.code != LAUNCH_OK;
  }

  /* The rest is called by the running thread. */
  uint64_t meet(Lane &lane, uint32_t mask);
  uint32_t wait_at_barrier(Lane &lane, bool predicate);
  uint32_t wait_at_named_barrier(Lane &lane, uint32_t number, uint32_t threads, bool predicate);
  void pause(Lane &lane);
  void call_on_host(Lane &lane, void (*function)(void *argument), void *argument);
  void *shared(const Lane &lane, size_t bytes);

private:
  static constexpr uint32_t NOBODY = UINT32_MAX;

  static void live(void *lane);
  uint32_t draw();
  void put_back_drawn();
  void go_on_from(Fiber &fiber);
  void run_thread(Lane &lane);
  void end_thread(Lane &lane);
  Meeting &join(Lane &lane, uint32_t mask);
  void conclude(Warp &warp, Meeting &meeting);
  void leave(Lane &lane);
  void check_barrier(const Lane &lane);
  void check_grid_barrier(const Lane &lane);
  void join_grid_barrier();
  void pass_barrier();
  void check_named_barrier(const Lane &lane, uint32_t number, uint32_t threads);
  void pass_named_barrier(uint32_t number);
  void explain_deadlock();
  void choose_order();
  void answer_host_call();

  Random &random_;
  Report &report_;
  Grid *grid_ = nullptr;
  Here *here_ = nullptr; /* of the host thread that steps it */
  Fiber scheduler_;      /* that host thread, while the block's threads run */
  HostCall host_call_;   /* of the thread that ran last */
  uint32_t index_ = 0;
  bool interrupted_ = false;
  uint32_t runnable_count_ = 0;
  uint32_t reach_ = 1;      /* how many of the runnable threads, from the newest, are drawn from */
  uint32_t drawn_ = NOBODY; /* the runnable thread that goes on next */
  uint32_t ended_count_ = 0;
  uint32_t ended_thread_ = 0; /* one of those that have ended */
  uint32_t barrier_arrived_ = 0;
  uint32_t barrier_thread_ = 0; /* the first to arrive */
  uint32_t barrier_true_ = 0;
  uint32_t barrier_result_ = 0;
  NamedBarrier named_barriers_[NAMED_BARRIERS] = {};
  std::unique_ptr<unsigned char[]> shared_;
  std::unique_ptr<Lane[]> lanes_;
  std::unique_ptr<Warp[]> warps_;
  uint16_t runnable_[MAX_BLOCK_THREADS] = {};
};

} // namespace cdp::simulated::machine

#endif
