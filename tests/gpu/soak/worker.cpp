/* SPDX-License-Identifier: MIT */
/* See worker.h. */
#include "worker.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace soak {

using device_data::Findings;
using device_data::GUARD_BYTES;
using device_data::KeySpan;

namespace {

constexpr size_t KEY_BYTES_MOST = 8;
constexpr size_t TRACE_EVENTS = 1 << 14;
constexpr size_t WORKSPACE_BYTES_MORE = size_t{32} << 20; /* than there are keys */
constexpr unsigned char HOST_GUARD = 0xA5;

void must(cudaError_t error, const char *call) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}
#define MUST(call) must((call), #call)
#define REQUIRE(ticket, call) require((call), (ticket), #call)

/* Device memory with a guard zone before so many bytes and one behind them. */
unsigned char *allocate(size_t bytes) {
  void *d_memory = nullptr;
  MUST(cudaMalloc(&d_memory, bytes + 2 * GUARD_BYTES));
  return static_cast<unsigned char *>(d_memory);
}

bool is_guard(const unsigned char *bytes) {
  return std::all_of(bytes, bytes + GUARD_BYTES, [](unsigned char byte) { return byte == HOST_GUARD; });
}

} // namespace

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

Worker::Worker(Board *board, uint64_t thread) : board_(board), events_(TRACE_EVENTS) {
  const Choice &choice = board->wanted().choice;
  if (choice.mode != Mode::async)
    host_keys_.resize(std::min(HOST_KEYS_MOST, (uint64_t{1} << choice.log2_most) + 1) * KEY_BYTES_MOST + 2 * GUARD_BYTES);
  for (uint32_t stream = 0; stream < STREAMS; stream++)
    make_lane(&lanes_[stream], thread, stream);
  MUST(cudaDeviceSynchronize());
}

void Worker::make_lane(Lane *lane, uint64_t thread, uint64_t stream) {
  const uint64_t keys_most = (uint64_t{1} << board_->wanted().choice.log2_most) + 1 + AHEAD_ITEMS_MOST;
  MUST(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
  lane->d_keys = allocate(keys_most * KEY_BYTES_MOST);
  lane->d_values = allocate(keys_most * KEY_BYTES_MOST);
  lane->workspace_room = keys_most * KEY_BYTES_MOST + WORKSPACE_BYTES_MORE;
  lane->d_workspace = allocate(lane->workspace_room);
  MUST(device_data::oracle_create(&lane->oracle));
  MUST(device_data::oracle_read(lane->oracle, &lane->before, lane->stream));
  for (Ticket &ticket : lane->tickets) {
    MUST(cudaEventCreateWithFlags(&ticket.ended, cudaEventDisableTiming));
    ticket.place = board_->add_place(thread, stream, [&ticket] { return cudaEventQuery(ticket.ended) == cudaSuccess; });
    MUST(cudaMallocHost(&ticket.found, sizeof *ticket.found));
  }
}

/* Whatever was allocated before the constructor threw; errors have been told, or come too late. */
Worker::~Worker() {
  for (Lane &lane : lanes_) {
    for (Ticket &ticket : lane.tickets) {
      if (ticket.ended != nullptr)
        cudaEventDestroy(ticket.ended);
      cudaFreeHost(ticket.found);
    }
    cudaFree(lane.oracle.d_before);
    cudaFree(lane.d_workspace);
    cudaFree(lane.d_values);
    cudaFree(lane.d_keys);
    if (lane.stream != nullptr)
      cudaStreamDestroy(lane.stream);
  }
}

/* Small leaves may want more than there is. */
void Worker::reserve_workspace(Lane *lane, const Ticket &ticket, size_t bytes) {
  if (bytes <= lane->workspace_room)
    return;
  REQUIRE(ticket, cudaStreamSynchronize(lane->stream));
  REQUIRE(ticket, cudaFree(lane->d_workspace));
  lane->d_workspace = nullptr;
  lane->workspace_room = bytes + bytes / 4;
  lane->d_workspace = allocate(lane->workspace_room);
}

/* ---- A sort ------------------------------------------------------------------------------------------------------------- */

void Worker::require(cudaError_t error, const Ticket &ticket, const char *call) {
  if (error != cudaSuccess)
    board_->fail(*ticket.place, std::string(call) + ": CUDA error " + std::to_string(static_cast<int>(error)) + ", " +
                                    cudaGetErrorString(error));
}

void Worker::require(cdp_status status, const Ticket &ticket, const char *call) {
  if (status != CDP_OK)
    board_->fail(*ticket.place, std::string(call) + ": " + cdp_status_name(status) + ", CUDA error " +
                                    std::to_string(cdp_last_cuda_error()) + ", \"" + cdp_last_message() + "\"");
}

void Worker::start(Lane *lane, Ticket *ticket) {
  const RandomSort &sort = ticket->sort;
  const size_t ahead_bytes = sort.ahead_items * sort.key_bytes();
  const KeySpan keys = {lane->d_keys + GUARD_BYTES + ahead_bytes, sort.count, sort.type};
  board_->begin(ticket->place, sort);
  ticket->open = true;
  REQUIRE(*ticket, device_data::guard_fill(lane->d_keys, GUARD_BYTES + ahead_bytes, lane->stream));
  REQUIRE(*ticket, device_data::guard_fill(lane->d_keys + GUARD_BYTES + ahead_bytes + sort.bytes(), GUARD_BYTES, lane->stream));
  REQUIRE(*ticket, device_data::generate(keys, sort.distribution, sort.key_seed, lane->stream));
  REQUIRE(*ticket, device_data::oracle_note(lane->oracle, keys, lane->stream));
  if (sort.has_values())
    copy_values(lane, *ticket, keys);
  if (sort.work > Work::values)
    work_otherwise(lane, *ticket, keys);
  else if (sort.call == Call::async)
    sort_async(lane, *ticket, keys);
  else if (sort.has_values())
    sort_with_values(lane, *ticket, keys);
  else if (sort.call == Call::on_stream)
    REQUIRE(*ticket, cdp_quicksort_on_stream(keys.d_keys, keys.count, keys.type, &sort.options, lane->stream));
  else if (sort.in_host_memory)
    sort_in_host_memory(lane, *ticket, keys);
  else
    sort_blocking(*ticket, keys.d_keys);
  judge(lane, ticket, keys);
  board_->queued(ticket->place);
}

void Worker::guard_values(Lane *lane, const Ticket &ticket) {
  REQUIRE(ticket, device_data::guard_fill(lane->d_values, GUARD_BYTES, lane->stream));
  REQUIRE(ticket, device_data::guard_fill(lane->d_values + GUARD_BYTES + ticket.sort.bytes(), GUARD_BYTES, lane->stream));
}

void Worker::copy_values(Lane *lane, const Ticket &ticket, const KeySpan &keys) {
  const KeySpan values = values_of(lane->d_values, keys);
  guard_values(lane, ticket);
  REQUIRE(ticket, cudaMemcpyAsync(values.d_keys, keys.d_keys, ticket.sort.bytes(), cudaMemcpyDeviceToDevice, lane->stream));
}

/* Without a workspace, or blocking: then the copy must be there first, since the call waits for it by itself. */
void Worker::sort_with_values(Lane *lane, const Ticket &ticket, const KeySpan &keys) {
  const RandomSort &sort = ticket.sort;
  void *d_values = values_of(lane->d_values, keys).d_keys;
  if (sort.call == Call::on_stream)
    REQUIRE(ticket, cdp_quicksort_pairs_on_stream(keys.d_keys, d_values, sort.key_bytes(), keys.count, keys.type, &sort.options,
                                                  lane->stream));
  else
    REQUIRE(ticket, cdp_quicksort_pairs(keys.d_keys, d_values, sort.key_bytes(), keys.count, keys.type, &sort.options));
}

/* In a workspace of exactly the size that is asked for, between guard zones. */
void Worker::sort_async(Lane *lane, const Ticket &ticket, const KeySpan &keys) {
  const RandomSort &sort = ticket.sort;
  const cdp_options &options = sort.options;
  size_t bytes = 0;
  if (sort.has_values())
    REQUIRE(ticket, cdp_quicksort_pairs_workspace(sort.key_bytes(), keys.count, keys.type, &options, &bytes));
  else
    REQUIRE(ticket, cdp_quicksort_workspace(keys.count, keys.type, &options, &bytes));
  reserve_workspace(lane, ticket, bytes);
  unsigned char *d_workspace = lane->d_workspace + GUARD_BYTES;
  REQUIRE(ticket, device_data::guard_fill(lane->d_workspace, GUARD_BYTES, lane->stream));
  REQUIRE(ticket, device_data::guard_fill(d_workspace + bytes, GUARD_BYTES, lane->stream));
  if (sort.has_values())
    REQUIRE(ticket, cdp_quicksort_pairs_async(keys.d_keys, values_of(lane->d_values, keys).d_keys, sort.key_bytes(), keys.count,
                                              keys.type, &options, d_workspace, bytes, lane->stream));
  else
    REQUIRE(ticket, cdp_quicksort_async(keys.d_keys, keys.count, keys.type, &options, d_workspace, bytes, lane->stream));
  REQUIRE(ticket, device_data::guard_check(lane->oracle, lane->d_workspace, GUARD_BYTES, lane->stream));
  REQUIRE(ticket, device_data::guard_check(lane->oracle, d_workspace + bytes, GUARD_BYTES, lane->stream));
}

void Worker::sort_blocking(const Ticket &ticket, void *keys) {
  const RandomSort &sort = ticket.sort;
  cdp_study study = {};
  if (sort.call == Call::study) {
    REQUIRE(ticket, cdp_study_quicksort(keys, sort.count, sort.type, &sort.options, &study));
  } else if (sort.call == Call::trace) {
    cdp_trace trace = {events_.data(), events_.size(), 0, 0};
    REQUIRE(ticket, cdp_trace_quicksort(keys, sort.count, sort.type, &sort.options, &study, &trace));
  } else {
    REQUIRE(ticket, cdp_quicksort(keys, sort.count, sort.type, &sort.options));
  }
  board_->totals.launches_refused += study.total.launches_refused;
}

void Worker::sort_in_host_memory(Lane *lane, const Ticket &ticket, const KeySpan &keys) {
  const size_t bytes = ticket.sort.bytes();
  unsigned char *host_keys = host_keys_.data() + GUARD_BYTES;
  memset(host_keys_.data(), HOST_GUARD, GUARD_BYTES);
  memset(host_keys + bytes, HOST_GUARD, GUARD_BYTES);
  REQUIRE(ticket, cudaMemcpyAsync(host_keys, keys.d_keys, bytes, cudaMemcpyDeviceToHost, lane->stream));
  REQUIRE(ticket, cudaStreamSynchronize(lane->stream));
  sort_blocking(ticket, host_keys);
  if (!is_guard(host_keys_.data()) || !is_guard(host_keys + bytes))
    board_->fail(*ticket.place, "host memory beside the keys was written");
  REQUIRE(ticket, cudaMemcpyAsync(keys.d_keys, host_keys, bytes, cudaMemcpyHostToDevice, lane->stream));
  REQUIRE(ticket, cudaStreamSynchronize(lane->stream)); // the next sort writes over them
}

/* ---- Its judgement ------------------------------------------------------------------------------------------------------- */

/* That nothing was written beside keys, or values that are as they were: from the beginning of their memory to behind them. */
void Worker::judge_guards(Lane *lane, const Ticket &ticket, const unsigned char *d_memory, const KeySpan &keys) {
  const auto *begin = static_cast<const unsigned char *>(keys.d_keys);
  REQUIRE(ticket, device_data::guard_check(lane->oracle, d_memory, static_cast<size_t>(begin - d_memory), lane->stream));
  REQUIRE(ticket, device_data::guard_check(lane->oracle, begin + ticket.sort.bytes(), GUARD_BYTES, lane->stream));
}

void Worker::judge(Lane *lane, Ticket *ticket, const KeySpan &keys) {
  const RandomSort &sort = ticket->sort;
  const KeySpan values = values_of(lane->d_values, keys);
  judge_guards(lane, *ticket, lane->d_keys, keys);
  if (!sort.is_apart())
    REQUIRE(*ticket, device_data::oracle_judge(lane->oracle, keys, sort.options.order, lane->stream));
  if (sort.work != Work::keys)
    judge_guards(lane, *ticket, lane->d_values, values);
  if (sort.has_values() || sort.is_apart())
    REQUIRE(*ticket, device_data::oracle_judge(lane->oracle, values, sort.options.order, lane->stream));
  REQUIRE(*ticket,
          cudaMemcpyAsync(ticket->found, lane->oracle.d_findings, sizeof *ticket->found, cudaMemcpyDeviceToHost, lane->stream));
  REQUIRE(*ticket, cudaEventRecord(ticket->ended, lane->stream));
}

/* Waits for it, and looks at what was found since the sort before it on this stream. */
void Worker::finish(Lane *lane, Ticket *ticket) {
  REQUIRE(*ticket, cudaEventSynchronize(ticket->ended));
  const Findings &found = *ticket->found;
  const Findings &before = lane->before;
  const auto disorders = found.disorders - before.disorders;
  const auto digests = found.wrong_digests - before.wrong_digests;
  const auto damaged = found.damaged_guard_bytes - before.damaged_guard_bytes;
  const auto judgements = before.judgements + (ticket->sort.has_values() ? 2 : 1);
  if (disorders != 0 || digests != 0 || damaged != 0 || found.judgements != judgements)
    board_->fail(*ticket->place, "a wrong result: " + std::to_string(disorders) +
                                     " neighbours out of order (the first such at " +
                                     std::to_string(static_cast<long long>(found.first_disorder)) + "), " +
                                     (digests != 0 ? "other" : "the same") + " keys as before, " + std::to_string(damaged) +
                                     " bytes written outside");
  lane->before = found;
  board_->end(ticket->place, ticket->sort);
  ticket->open = false;
}

void Worker::run() {
  uint64_t number = 0;
  for (uint32_t turn = 0; board_->take_number(&number); turn++) {
    Lane *lane = &lanes_[turn % STREAMS];
    Ticket *ticket = &lane->tickets[lane->next];
    lane->next = (lane->next + 1) % QUEUED;
    if (ticket->open)
      finish(lane, ticket);
    ticket->sort = draw_sort(board_->wanted().choice, number);
    start(lane, ticket);
  }
  for (Lane &lane : lanes_)
    for (uint32_t left = 0; left < QUEUED; left++, lane.next = (lane.next + 1) % QUEUED)
      if (lane.tickets[lane.next].open)
        finish(&lane, &lane.tickets[lane.next]);
}

} // namespace soak
