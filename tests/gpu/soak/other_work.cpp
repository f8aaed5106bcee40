/* SPDX-License-Identifier: MIT */
/* What a worker does beside sorting keys, alone or with values: see Work (random_sort.h). */
#include "worker.h"

#include <cdpsort/buckets.h>
#include <cdpsort/copy.h>
#include <cdpsort/ranges.h>
#include <cdpsort/select.h>

#include <algorithm>

namespace soak {

using device_data::GUARD_BYTES;
using device_data::KeySpan;

namespace {

bool is_blocking(const RandomSort &sort) {
  return sort.call != Call::async && sort.call != Call::on_stream;
}

/* Keys of an array from one index to another. */
KeySpan part_of(const KeySpan &keys, uint64_t begin, uint64_t end) {
  return {static_cast<unsigned char *>(keys.d_keys) + begin * device_data::key_bytes(keys.type), end - begin, keys.type};
}

} // namespace

void Worker::sort_part(Lane *lane, const Ticket &ticket, const KeySpan &part) {
  const cdp_options *options = &ticket.sort.options;
  if (is_blocking(ticket.sort))
    require(cdp_quicksort(part.d_keys, part.count, part.type, options), ticket, "cdp_quicksort() of a part");
  else
    require(cdp_quicksort_on_stream(part.d_keys, part.count, part.type, options, lane->stream), ticket,
            "cdp_quicksort_on_stream() of a part");
}

void Worker::sort_copy(Lane *lane, const Ticket &ticket, const KeySpan &keys) {
  const cdp_options *options = &ticket.sort.options;
  void *d_sorted = values_of(lane->d_values, keys).d_keys;
  if (is_blocking(ticket.sort))
    require(cdp_quicksort_copy(keys.d_keys, d_sorted, keys.count, keys.type, options), ticket, "cdp_quicksort_copy()");
  else
    require(cdp_quicksort_copy_on_stream(keys.d_keys, d_sorted, keys.count, keys.type, options, lane->stream), ticket,
            "cdp_quicksort_copy_on_stream()");
}

void Worker::sort_halves(Lane *lane, const Ticket &ticket, const KeySpan &keys) {
  const RandomSort &sort = ticket.sort;
  if (is_blocking(sort))
    require(cdp_nth_element(keys.d_keys, keys.count, keys.type, &sort.options, sort.rank), ticket, "cdp_nth_element()");
  else
    require(cdp_nth_element_on_stream(keys.d_keys, keys.count, keys.type, &sort.options, sort.rank, lane->stream), ticket,
            "cdp_nth_element_on_stream()");
  sort_part(lane, ticket, part_of(keys, 0, sort.rank));
  sort_part(lane, ticket, part_of(keys, sort.rank, keys.count));
}

void Worker::merge_halves(Lane *lane, const Ticket &ticket, const KeySpan &keys) {
  const RandomSort &sort = ticket.sort;
  const KeySpan first = part_of(keys, 0, sort.rank);
  const KeySpan second = part_of(keys, sort.rank, keys.count);
  void *d_merged = values_of(lane->d_values, keys).d_keys;
  sort_part(lane, ticket, first);
  sort_part(lane, ticket, second);
  if (is_blocking(sort))
    require(cdp_merge(first.d_keys, first.count, second.d_keys, second.count, d_merged, keys.type, &sort.options), ticket,
            "cdp_merge()");
  else
    require(cdp_merge_on_stream(first.d_keys, first.count, second.d_keys, second.count, d_merged, keys.type, &sort.options,
                                lane->stream),
            ticket, "cdp_merge_on_stream()");
}

/* The splitters are the first keys of a sorted copy; where buckets begin is put behind the workspace's guard zone. */
void Worker::sort_buckets(Lane *lane, const Ticket &ticket, const KeySpan &keys) {
  const cdp_options *options = &ticket.sort.options;
  const void *d_splitters = values_of(lane->d_values, keys).d_keys;
  const size_t splitters = std::min<uint64_t>(keys.count, CDP_SPLITTERS_MAX);
  auto *d_begins = reinterpret_cast<uint64_t *>(lane->d_workspace + GUARD_BYTES);
  sort_copy(lane, ticket, keys);
  if (is_blocking(ticket.sort))
    require(cdp_divide(keys.d_keys, nullptr, 0, keys.count, keys.type, options, d_splitters, splitters, d_begins), ticket,
            "cdp_divide()");
  else
    require(cdp_divide_on_stream(keys.d_keys, nullptr, 0, keys.count, keys.type, options, d_splitters, splitters, d_begins,
                                 lane->stream),
            ticket, "cdp_divide_on_stream()");
  sort_part(lane, ticket, keys);
}

void Worker::work_otherwise(Lane *lane, const Ticket &ticket, const KeySpan &keys) {
  guard_values(lane, ticket);
  switch (ticket.sort.work) {
  case Work::copy:
    return sort_copy(lane, ticket, keys);
  case Work::halves:
    return sort_halves(lane, ticket, keys);
  case Work::merge:
    return merge_halves(lane, ticket, keys);
  default:
    return sort_buckets(lane, ticket, keys);
  }
}

} // namespace soak
