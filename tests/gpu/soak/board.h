/* SPDX-License-Identifier: MIT */
/*
 * What the threads of a soak share: which sort is the next, which are under way since when, and what became of all. A thread of
 * its own watches: it says every ten seconds how far they are, and ends the program when a sort does not end.
 *
 * Behind a sort that is lost a call of CUDA may not return. So the watch calls none itself: which sorts have ended is asked by
 * one more thread, and only for so long.
 */
#ifndef CDPSORT_TESTS_SOAK_BOARD_H
#define CDPSORT_TESTS_SOAK_BOARD_H

#include "random_sort.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

namespace soak {

enum { EXIT_WRONG = 1, EXIT_LOST = 3, EXIT_NO_GPU = 77 };

/* What is asked of a soak. */
struct Wanted {
  Choice choice;
  uint64_t first; /* number of the first sort */
  uint64_t sorts; /* UINT64_MAX: no end but the time */
  uint64_t seconds;
  uint64_t limit_seconds;
  uint64_t threads;
};

/* How many sorts there were of each kind, and launches refused in those that were studied. */
struct Totals {
  std::atomic<uint64_t> sorts{0};
  std::atomic<uint64_t> blocking{0};
  std::atomic<uint64_t> async{0};
  std::atomic<uint64_t> studied{0};
  std::atomic<uint64_t> traced{0};
  std::atomic<uint64_t> launches_refused{0};
};

class Board {
public:
  using Clock = std::chrono::steady_clock;

  /* A place for a sort under way. */
  struct Place {
    uint64_t thread = 0;
    uint64_t stream = 0;
    std::function<bool()> has_ended; /* asks CUDA, once all of the sort is queued */
    bool occupied = false;
    bool queued = false; /* otherwise its thread is still in the call, which may be waiting for other sorts */
    Clock::time_point since;
    std::string text;
    std::atomic<bool> ended{false}; /* so CUDA has said */
  };

  explicit Board(const Wanted &wanted) : wanted_(wanted), next_(wanted.first) {}

  const Wanted &wanted() const {
    return wanted_;
  }
  double seconds() const;

  /* The number of the next sort. False if there are to be no more. */
  bool take_number(uint64_t *number);

  /* Before the watch begins, for good. */
  Place *add_place(uint64_t thread, uint64_t stream, std::function<bool()> has_ended);

  void begin(Place *place, const RandomSort &sort);
  void queued(Place *place);
  void end(Place *place, const RandomSort &sort);

  /* Says what went wrong with a sort, and which others were under way, and ends the program. */
  [[noreturn]] void fail(const Place &place, const std::string &what);

  /* The watching thread's; until stop() is called. */
  void watch();
  void stop();

  Totals totals;

private:
  using Lock = std::unique_lock<std::mutex>;

  [[noreturn]] void leave(int code, const std::string &what);
  void say_place(const Place &place, const char *intro) const;
  bool is_overdue(const Place &place) const;
  bool is_first_of_stream(const Place &place) const;
  bool is_lost(const Place &place, bool queued) const;
  void look_for_lost();
  void ask_who_ended();

  const Wanted wanted_;
  const Clock::time_point begin_ = Clock::now();
  std::atomic<uint64_t> next_;
  mutable std::mutex mutex_;
  std::condition_variable stopping_;
  bool stopped_ = false;
  std::deque<Place> places_;
};

} // namespace soak

#endif
