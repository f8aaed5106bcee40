/* SPDX-License-Identifier: MIT */
/*
 * A thread of a soak: it takes number after number, and sorts on two streams in turn.
 *
 * Each stream has memory of its own, allocated once, and up to QUEUED sorts on their way, which use that memory one after the
 * other, in stream order: keys are made, digested, sorted, judged with their guard zones, and what the oracle found is copied
 * to the host. The thread waits for the oldest when the queue is full. A blocking call waits for the whole device anyway.
 */
#ifndef CDPSORT_TESTS_SOAK_WORKER_H
#define CDPSORT_TESTS_SOAK_WORKER_H

#include "board.h"

#include <cuda_runtime.h>

#include <vector>

namespace soak {

class Worker {
public:
  /* Allocates. Throws std::runtime_error. */
  Worker(Board *board, uint64_t thread);
  ~Worker();
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  /* Until there is no number left. */
  void run();

private:
  static constexpr uint32_t STREAMS = 2;
  static constexpr uint32_t QUEUED = 3;

  /* A sort on its way. */
  struct Ticket {
    RandomSort sort;
    Board::Place *place;
    cudaEvent_t ended;
    device_data::Findings *found; /* pinned */
    bool open;
  };

  struct Lane {
    cudaStream_t stream;
    unsigned char *d_keys; /* these three begin with a guard zone */
    unsigned char *d_values;
    unsigned char *d_workspace;
    size_t workspace_room;
    device_data::Oracle oracle;
    device_data::Findings before; /* what the oracle had found at the end of the last sort that was looked at */
    Ticket tickets[QUEUED];
    uint32_t next;
  };

  void make_lane(Lane *lane, uint64_t thread, uint64_t stream);
  void reserve_workspace(Lane *lane, const Ticket &ticket, size_t bytes);
  void start(Lane *lane, Ticket *ticket);
  void guard_values(Lane *lane, const Ticket &ticket);
  void copy_values(Lane *lane, const Ticket &ticket, const device_data::KeySpan &keys);
  void sort_async(Lane *lane, const Ticket &ticket, const device_data::KeySpan &keys);
  void sort_with_values(Lane *lane, const Ticket &ticket, const device_data::KeySpan &keys);
  void sort_in_host_memory(Lane *lane, const Ticket &ticket, const device_data::KeySpan &keys);
  void sort_blocking(const Ticket &ticket, void *keys);
  void work_otherwise(Lane *lane, const Ticket &ticket, const device_data::KeySpan &keys);
  void sort_part(Lane *lane, const Ticket &ticket, const device_data::KeySpan &part);
  void sort_copy(Lane *lane, const Ticket &ticket, const device_data::KeySpan &keys);
  void sort_halves(Lane *lane, const Ticket &ticket, const device_data::KeySpan &keys);
  void merge_halves(Lane *lane, const Ticket &ticket, const device_data::KeySpan &keys);
  void sort_buckets(Lane *lane, const Ticket &ticket, const device_data::KeySpan &keys);
  void judge_guards(Lane *lane, const Ticket &ticket, const unsigned char *d_memory, const device_data::KeySpan &keys);
  void judge(Lane *lane, Ticket *ticket, const device_data::KeySpan &keys);
  void finish(Lane *lane, Ticket *ticket);

  void require(cudaError_t error, const Ticket &ticket, const char *call);
  void require(cdp_status status, const Ticket &ticket, const char *call);

  Board *board_;
  Lane lanes_[STREAMS] = {};
  std::vector<unsigned char> host_keys_; /* between guard zones */
  std::vector<cdp_trace_event> events_;
};

/* Where the values are, as an array of keys: as aligned as memory is, wherever the keys lie. */
inline device_data::KeySpan values_of(unsigned char *d_values, const device_data::KeySpan &keys) {
  return {d_values + device_data::GUARD_BYTES, keys.count, keys.type};
}

} // namespace soak

#endif
