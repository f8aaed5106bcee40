/* SPDX-License-Identifier: MIT */
/*
 * What follows from a row's times: see measure.h.
 */
#include "measure.h"

namespace bench {

uint64_t Row::item_bytes() const {
  return device_data::key_bytes(type) + mode->moved.value_bytes + mode->moved.other_bytes;
}

double Row::median() const {
  const size_t runs = milliseconds.size();
  return runs == 0 ? 0 : (milliseconds[(runs - 1) / 2] + milliseconds[runs / 2]) / 2;
}

double Row::least() const {
  return milliseconds.empty() ? 0 : milliseconds.front();
}

double Row::most() const {
  return milliseconds.empty() ? 0 : milliseconds.back();
}

double Row::spread_percent() const {
  return median() > 0 ? 100 * (most() - least()) / median() : 0;
}

double Row::gkeys_per_s() const {
  return median() > 0 ? static_cast<double>(count) / median() / 1e6 : 0;
}

int64_t Row::extra_bytes() const {
  return static_cast<int64_t>(workspace_bytes) - static_cast<int64_t>(count * item_bytes());
}

double Row::extra_percent() const {
  return 100 * static_cast<double>(extra_bytes()) / static_cast<double>(count * item_bytes());
}

} // namespace bench
