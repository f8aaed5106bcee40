/* SPDX-License-Identifier: MIT */
/* See board.h. */
#include "board.h"

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <thread>
#include <unistd.h>

namespace soak {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds LOOK_EVERY(200);
constexpr milliseconds ANSWER_WITHIN(3000);
constexpr double SPEAK_EVERY_SECONDS = 10;

double seconds_since(Board::Clock::time_point moment) {
  return std::chrono::duration<double>(Board::Clock::now() - moment).count();
}

} // namespace

double Board::seconds() const {
  return seconds_since(begin_);
}

bool Board::take_number(uint64_t *number) {
  if (wanted_.seconds != 0 && seconds() >= static_cast<double>(wanted_.seconds))
    return false;
  *number = next_++;
  return *number - wanted_.first < wanted_.sorts;
}

Board::Place *Board::add_place(uint64_t thread, uint64_t stream, std::function<bool()> has_ended) {
  const Lock lock(mutex_);
  places_.emplace_back();
  places_.back().thread = thread;
  places_.back().stream = stream;
  places_.back().has_ended = std::move(has_ended);
  return &places_.back();
}

void Board::begin(Place *place, const RandomSort &sort) {
  std::string text = "sort " + std::to_string(sort.number) + ": " + describe(wanted_.choice, sort);
  const Lock lock(mutex_);
  place->text = std::move(text);
  place->since = Clock::now();
  place->occupied = true;
  place->queued = false;
  place->ended = false;
}

void Board::queued(Place *place) {
  const Lock lock(mutex_);
  place->queued = true;
}

void Board::end(Place *place, const RandomSort &sort) {
  totals.sorts++;
  (sort.call == Call::async || sort.call == Call::on_stream ? totals.async : totals.blocking)++;
  totals.studied += sort.call == Call::study ? 1 : 0;
  totals.traced += sort.call == Call::trace ? 1 : 0;
  const Lock lock(mutex_);
  place->occupied = false;
}

void Board::say_place(const Place &place, const char *intro) const {
  fprintf(stderr, "soak: %s thread %" PRIu64 ", stream %" PRIu64 ", since %.1f s, %s\n", intro, place.thread, place.stream,
          seconds_since(place.since), place.text.c_str());
}

/* Called with the mutex held: nobody else ends the program, and no place changes. */
void Board::leave(int code, const std::string &what) {
  for (const Place &place : places_)
    if (place.occupied)
      say_place(place, place.ended ? "has ended:" : place.queued ? "queued:" : "in its call:");
  printf("soak: %s, after %" PRIu64 " sorts and %.1f s\n", what.c_str(), totals.sorts.load(), seconds());
  fflush(stdout);
  _exit(code);
}

void Board::fail(const Place &place, const std::string &what) {
  const Lock lock(mutex_);
  say_place(place, ("FAILED: " + what + ":").c_str());
  leave(EXIT_WRONG, "FAILED: " + what + ": " + place.text);
}

/* ---- Lost sorts ---------------------------------------------------------------------------------------------------------- */

bool Board::is_overdue(const Place &place) const {
  return place.occupied && !place.ended && seconds_since(place.since) >= static_cast<double>(wanted_.limit_seconds);
}

/* Behind it on the stream, sorts wait for it. */
bool Board::is_first_of_stream(const Place &place) const {
  for (const Place &other : places_)
    if (other.occupied && !other.ended && other.thread == place.thread && other.stream == place.stream &&
        other.since < place.since)
      return false;
  return true;
}

bool Board::is_lost(const Place &place, bool queued) const {
  return is_overdue(place) && is_first_of_stream(place) && place.queued == queued;
}

/* A thread looks at its sorts one by one: one that is overdue may have ended long ago, while the thread waits for another. */
void Board::ask_who_ended() {
  const auto answered = std::make_shared<std::atomic<bool>>(false);
  std::thread asking([this, answered] {
    for (Place &place : places_)
      if (place.occupied && place.queued)
        place.ended = place.has_ended();
    *answered = true;
  });
  for (milliseconds waited(0); !*answered && waited < ANSWER_WITHIN; waited += milliseconds(10))
    std::this_thread::sleep_for(milliseconds(10));
  if (*answered)
    asking.join();
  else
    asking.detach(); // the program is about to end
}

/* Of the sorts that are overdue, those that are queued wait for nothing but their streams. Where there are none, a blocking
   call is lost; otherwise it may be waiting for them. */
void Board::look_for_lost() {
  const Place *overdue = nullptr;
  for (const Place &place : places_)
    if (is_overdue(place))
      overdue = &place;
  if (overdue == nullptr)
    return;
  ask_who_ended();
  for (const bool queued : {true, false}) {
    const Place *lost = nullptr;
    for (const Place &place : places_)
      if (is_lost(place, queued)) {
        say_place(place, "LOST:");
        lost = lost == nullptr || place.since < lost->since ? &place : lost;
      }
    if (lost != nullptr)
      leave(EXIT_LOST, "LOST: " + lost->text);
  }
}

void Board::watch() {
  double spoke = 0;
  Lock lock(mutex_);
  while (!stopping_.wait_for(lock, LOOK_EVERY, [this] { return stopped_; })) {
    look_for_lost();
    if (seconds() - spoke < SPEAK_EVERY_SECONDS)
      continue;
    spoke = seconds();
    fprintf(stderr, "soak: %.0f s: %" PRIu64 " sorts, %" PRIu64 " of them blocking\n", spoke, totals.sorts.load(),
            totals.blocking.load());
  }
}

void Board::stop() {
  const Lock lock(mutex_);
  stopped_ = true;
  stopping_.notify_all();
}

} // namespace soak
