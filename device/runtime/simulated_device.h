/* SPDX-License-Identifier: MIT */
/*
 * The simulated device as the host sees it: its rules, what the last run did, and its memory. C++; kernels include
 * simulated_device.cuh instead.
 *
 * A run is one launch from the host with all its descendants; launch_from_host() returns when the last of them is complete.
 * Rules, what kernels are allowed, reports and runs belong to the calling thread: several threads may each run kernels at once,
 * and none sees another, but for the launches that are pending, which are counted together, as on a GPU: where all of them
 * reach a limit that none would reach alone, time decides whose launches are refused.
 * Within a run everything happens on the calling thread, in an order that depends on nothing but the seed and on how many
 * runs were made since the rules were set.
 *
 * Steps of a run and the files that take them: simulated_schedule (grids, blocks, CDP2's rules), simulated_block (threads,
 * barriers, warp collectives), simulated_fiber (switching between threads), simulated_memory (memory and its guards).
 */
#ifndef CDPSORT_DEVICE_RUNTIME_SIMULATED_DEVICE_H
#define CDPSORT_DEVICE_RUNTIME_SIMULATED_DEVICE_H

#include <cstddef>
#include <cstdint>

namespace cdp::simulated {

/* What launches return here beyond LAUNCH_OK and LAUNCH_PENDING_LIMIT. The numbers are CUDA's. */
constexpr int LAUNCH_INVALID_VALUE = 1;       /* more shared memory than a block has, or than its kernel is allowed */
constexpr int LAUNCH_NO_MEMORY = 2;           /* host memory exhausted; from the host only */
constexpr int LAUNCH_INVALID_SHAPE = 9;       /* no blocks, no threads, or too many */
constexpr int LAUNCH_OUT_OF_RESOURCES = 701;  /* Rules::refused_launch */
constexpr int LAUNCH_RULE_BROKEN = 719;       /* a kernel broke a rule: Report::broken_rule says which; from the host only */
constexpr int LAUNCH_TOO_MANY_TOGETHER = 720; /* more than Rules::resident_blocks; launch_together() only */
constexpr int LAUNCH_CALL_THREW = 721;        /* a function that a kernel called on the host threw; from the host only */

/* What a block may have: what compute capability 9.0 lets a kernel have that asks for it (allow_shared_bytes()), and what every
   kernel may have that does not. */
constexpr uint32_t MAX_BLOCK_THREADS = 1024;
constexpr uint32_t MAX_BLOCK_SHARED_BYTES = 227 * 1024;
constexpr uint32_t SHARED_BYTES_UNASKED = 48 * 1024;

/* What fresh memory is filled with, shared or allocated. */
constexpr unsigned char POISON_BYTE = 0xA5;

/* Alignment of allocate_memory(). */
constexpr size_t MEMORY_ALIGNMENT = 256;

struct Rules {
  uint64_t seed = 0;
  uint32_t pending_limit = 2048; /* device launches not yet complete, of all threads' runs, at most; a further one is refused */
  uint32_t resident_blocks = 8;  /* blocks under way at once, at least 1: 1 runs block after block, yet in a seeded order */
  uint32_t multiprocessors = 4;  /* only told to those who ask: blocks are limited by resident_blocks */
  uint32_t refusal_chance = 0;   /* of 1024 device launches, how many are refused as if the pending limit were reached */
  uint64_t refused_launch = 0;   /* which of the host's launches since the rules were set is refused, from 1 on; 0: none */
};

/* What the thread's last run did. */
struct Report {
  int code = 0;                  /* what launch_from_host() returned */
  char broken_rule[256] = "";    /* "" where none was broken; or why a launch by the host was refused */
  uint64_t number = 0;           /* of the run, since the rules were set, from 1 on; 0: it could not begin */
  uint64_t grids_launched = 0;   /* launches accepted, the host's included */
  uint64_t launches_refused = 0; /* launches from the device that returned a code */
  uint64_t tails_refused = 0;    /* those among them that were tail launches */
  uint64_t blocks_run = 0;
  uint64_t resumptions = 0; /* times a thread went on after its start, a collective or a yield */
  uint32_t max_pending = 0; /* device launches of this run not yet complete, the most at once */
};

/* Sets the calling thread's rules; the next run is the first under their seed. */
void set_rules(const Rules &rules) noexcept;

/* The calling thread's rules. */
const Rules &current_rules() noexcept;

/* Whether the calling thread is in a run: a function that a kernel called on the host asks. */
bool is_running() noexcept;

/* The report of the calling thread's last run, or of the broken guard that release_memory() has found since. */
const Report &last_report() noexcept;

/*
 * Memory of the simulated device: aligned to MEMORY_ALIGNMENT, poisoned, between guards that are checked whenever a block of
 * the allocating thread's runs ends. NULL if there is none. 0 bytes are given an address too.
 */
void *allocate_memory(size_t bytes) noexcept;

/*
 * Releases it; NULL is nothing to do. False if a guard was overwritten, or the memory was not allocated here: last_report()
 * then says so, and the calling thread's next launch fails with that report, lest nobody looked.
 */
bool release_memory(void *memory) noexcept;

} // namespace cdp::simulated

#endif
