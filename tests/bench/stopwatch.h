/* SPDX-License-Identifier: MIT */
/*
 * The time that work on a stream takes, for modes that do more than what they measure.
 */
#ifndef CDPSORT_SAMPLES_BENCH_STOPWATCH_H
#define CDPSORT_SAMPLES_BENCH_STOPWATCH_H

#include "sorter.h"

namespace bench {

/* A pair of events, gone when they are out of sight. */
struct Clock {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;

  Clock() {
    REQUIRE(cudaEventCreate(&begin));
    REQUIRE(cudaEventCreate(&end));
  }
  ~Clock() {
    static_cast<void>(cudaEventDestroy(begin));
    static_cast<void>(cudaEventDestroy(end));
  }
  Clock(const Clock &) = delete;
  Clock &operator=(const Clock &) = delete;
};

/* Does it, waits for it, and returns milliseconds. */
template <typename Work>
double time_on_stream(cudaStream_t stream, Work work) {
  const Clock clock;
  float milliseconds = 0;
  REQUIRE(cudaEventRecord(clock.begin, stream));
  work();
  REQUIRE(cudaEventRecord(clock.end, stream));
  REQUIRE(cudaEventSynchronize(clock.end));
  REQUIRE(cudaEventElapsedTime(&milliseconds, clock.begin, clock.end));
  return static_cast<double>(milliseconds);
}

} // namespace bench

#endif
