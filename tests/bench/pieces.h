/* SPDX-License-Identifier: MIT */
/*
 * A workspace taken apart, for modes that have arrays of their own in it beside what the call that they measure wants.
 */
#ifndef CDPSORT_SAMPLES_BENCH_PIECES_H
#define CDPSORT_SAMPLES_BENCH_PIECES_H

#include "sorter.h"

namespace bench {

/* Takes from the beginning; what is left is the call's. Whoever tells the size of the workspace counts aligned() bytes of each. */
class Pieces {
public:
  explicit Pieces(const Workplace &place)
      : d_rest_(static_cast<char *>(place.d_workspace)), rest_bytes_(place.workspace_bytes) {}

  template <typename Item>
  Item *take(uint64_t count) {
    return static_cast<Item *>(take_bytes(count * sizeof(Item)));
  }
  void *take_bytes(size_t bytes) {
    char *const d_taken = d_rest_;
    d_rest_ += aligned(bytes);
    rest_bytes_ -= aligned(bytes);
    return d_taken;
  }

  void *rest() const {
    return d_rest_;
  }
  size_t rest_bytes() const {
    return rest_bytes_;
  }

private:
  char *d_rest_;
  size_t rest_bytes_;
};

} // namespace bench

#endif
