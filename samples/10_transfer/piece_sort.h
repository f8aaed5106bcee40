/* SPDX-License-Identifier: MIT */
/* What the CPU does: it partitions, as cdp_partition() does, and sorts the two parts, each on a thread of its own. */
#ifndef CDPSORT_SAMPLES_TRANSFER_PIECE_SORT_H
#define CDPSORT_SAMPLES_TRANSFER_PIECE_SORT_H

#include <cdpsort/partition.h>

namespace transfer {

/* Keys in host memory. NaNs must not be among them, nor zeros of both signs: `<` knows no order for those. */
struct HostKeys {
  void *keys;
  uint64_t count;
  cdp_type type;
  cdp_order order;
};

/* Partitions around *pivot, a key of the type. Of the result the time is 0. */
cdp_parts partition_on_cpu(const HostKeys &keys, const void *pivot);

/* Sorts both parts by std::sort, side by side: then all keys are in order. */
void sort_pieces(const HostKeys &keys, const cdp_parts &parts);

} // namespace transfer

#endif
