/* SPDX-License-Identifier: MIT */
/* See random_sort.h. */
#include "random_sort.h"

#include <algorithm>
#include <cmath>

namespace soak {

namespace {

/* SplitMix64, from a state that the seed and a number decide. */
class Random {
public:
  Random(uint64_t seed, uint64_t number) : state_(mix(seed) ^ mix(~number)) {}

  uint64_t next() {
    state_ += STEP;
    return mix(state_);
  }
  uint64_t below(uint64_t bound) {
    return next() % bound;
  }
  bool one_in(uint64_t times) {
    return below(times) == 0;
  }

private:
  static constexpr uint64_t STEP = 0x9E3779B97F4A7C15u;

  static uint64_t mix(uint64_t word) {
    word += STEP;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
  }

  uint64_t state_;
};

/* The logarithm is spread evenly; every second number is a power of two or next to one. */
uint64_t draw_count(Random &random, const Choice &choice) {
  const uint64_t exponents = choice.log2_most - choice.log2_least;
  const uint64_t power = uint64_t{1} << (choice.log2_least + random.below(exponents + 1));
  const double fraction = static_cast<double>(random.next() >> 11) * 0x1p-53;
  const double between = std::exp2(static_cast<double>(choice.log2_least) + fraction * static_cast<double>(exponents));
  switch (random.below(6)) {
  case 0:
    return power;
  case 1:
    return power - 1;
  case 2:
    return power + 1;
  default:
    return static_cast<uint64_t>(between);
  }
}

uint32_t draw_fan_out(Random &random) {
  const uint64_t kind = random.below(8);
  const uint64_t doublings = random.below(8); /* 8 to 1,024 */
  if (kind < 3)
    return 0;
  return kind < 6 ? CDP_FAN_OUT_CLASSIC : CDP_FAN_OUT_MIN << doublings;
}

/* The least leaves, for more launches, and low depth limits, for bitonic sorts of any length, are rare: they take long. */
cdp_options draw_options(Random &random) {
  cdp_options options = CDP_OPTIONS_INIT;
  options.order = static_cast<cdp_order>(random.below(2));
  options.scheme = static_cast<cdp_scheme>(random.below(CDP_SCHEME_HOST));
  options.child_streams = static_cast<cdp_child_streams>(random.below(CDP_STREAMS_NAMED + 1));
  options.fan_out = draw_fan_out(random);
  const cdp_pivot pivot = static_cast<cdp_pivot>(random.below(CDP_PIVOT_MEAN + 1));
  options.pivot = options.fan_out == CDP_FAN_OUT_CLASSIC ? pivot : CDP_PIVOT_DEFAULT;
  options.leaf_items = random.one_in(16) ? CDP_LEAF_MIN : 0;
  const uint32_t depth = static_cast<uint32_t>(1 + random.below(4));
  options.depth_limit = random.one_in(32) ? depth : 0;
  const uint64_t seed = random.next();
  options.seed = random.one_in(2) ? seed : 0;
  return options;
}

/* Keys of 8 and 16 bits, of which there are no studies. */
bool is_narrow(cdp_type type) {
  return type > CDP_F64;
}

cdp_type draw_type(Random &random) {
  const cdp_type wide = static_cast<cdp_type>(CDP_U32 + random.below(CDP_F64));
  const cdp_type narrow = static_cast<cdp_type>(CDP_U8 + random.below(CDP_BF16 - CDP_F64));
  return random.one_in(8) ? narrow : wide;
}

/* Who is called. Everything is drawn whatever the mode, so that the rest of a sort does not depend on it. */
void draw_call(Random &random, Mode mode, RandomSort *sort) {
  static const Call blocking_calls[] = {Call::plain, Call::plain, Call::plain, Call::plain,
                                        Call::study, Call::study, Call::study, Call::trace};
  const Call call = blocking_calls[random.below(8)];
  const bool by_host = random.one_in(8);
  const bool in_host_memory = random.one_in(16);
  const bool blocking = random.one_in(2) ? mode != Mode::async : mode == Mode::blocking;
  const bool has_workspace = !random.one_in(4);
  const bool has_values = random.one_in(6);
  const cdp_ties ties = static_cast<cdp_ties>(random.below(CDP_TIES_STABLE + 1));
  static const Work rarer[] = {Work::copy, Work::halves, Work::merge, Work::buckets};
  const uint64_t rare_work = random.below(24);
  sort->rank = random.below(std::max<uint64_t>(sort->count, 1));
  sort->call = blocking ? is_narrow(sort->type) ? Call::plain : call : has_workspace ? Call::async : Call::on_stream;
  const bool is_studied = sort->call == Call::study || sort->call == Call::trace;
  if (!is_studied && !(blocking && in_host_memory))
    sort->work = has_values ? Work::values : rare_work < 4 && sort->count != 0 ? rarer[rare_work] : Work::keys;
  if (sort->has_values())
    sort->options.ties = ties;
  if (!blocking)
    return;
  sort->in_host_memory = in_host_memory;
  if (by_host)
    sort->options.scheme = CDP_SCHEME_HOST;
  if (in_host_memory)
    sort->count = std::min(sort->count, HOST_KEYS_MOST);
}

std::string option(const char *name, uint64_t value) {
  return ", " + std::string(name) + " " + std::to_string(value);
}

const char *scheme_text(cdp_scheme scheme) {
  static const char *const names[] = {"default scheme", "last block", "controller", "host"};
  return names[scheme];
}

const char *streams_text(cdp_child_streams streams) {
  static const char *const names[] = {"default streams", "fire and forget", "named streams"};
  return names[streams];
}

const char *pivot_text(cdp_pivot pivot) {
  static const char *const names[] = {"default pivot",  "middle", "median of three", "random",
                                      "sampled median", "first",  "ninther",         "mean"};
  return names[pivot];
}

const char *work_text(Work work) {
  static const char *const names[] = {"", " with values", " out of place", ", halves", ", halves merged", ", in buckets"};
  return names[static_cast<uint32_t>(work)];
}

const char *call_text(Call call) {
  static const char *const names[] = {"cdp_quicksort_async", "cdp_quicksort", "cdp_study_quicksort", "cdp_trace_quicksort",
                                      "cdp_quicksort_on_stream"};
  return names[static_cast<uint32_t>(call)];
}

} // namespace

RandomSort draw_sort(const Choice &choice, uint64_t number) {
  Random random(choice.seed, number);
  RandomSort sort = {};
  sort.number = number;
  sort.type = draw_type(random);
  sort.count = draw_count(random, choice);
  sort.distribution = static_cast<Distribution>(random.below(device_data::DISTRIBUTIONS));
  sort.key_seed = random.next();
  sort.ahead_items = random.one_in(2) ? static_cast<uint32_t>(random.below(AHEAD_ITEMS_MOST + 1)) : 0;
  sort.options = draw_options(random);
  draw_call(random, choice.mode, &sort);
  return sort;
}

std::string describe(const Choice &choice, const RandomSort &sort) {
  const cdp_options &options = sort.options;
  return std::to_string(sort.count) + " " + device_data::type_name(sort.type) +
         (options.order == CDP_DESCENDING ? ", descending, " : ", ascending, ") +
         device_data::distribution_name(sort.distribution) + option("key seed", sort.key_seed) +
         option("keys past alignment", sort.ahead_items) + (sort.in_host_memory ? ", in host memory; " : "; ") +
         call_text(sort.call) + work_text(sort.work) + option("ties", options.ties) + option("rank", sort.rank) + ", " +
         scheme_text(options.scheme) + option("fan-out", options.fan_out) + ", " + streams_text(options.child_streams) + ", " +
         pivot_text(options.pivot) + option("leaf_items", options.leaf_items) + option("depth_limit", options.depth_limit) +
         option("options.seed", options.seed) + "; alone: soak --sorts 1 --first " + std::to_string(sort.number) + " --seed " +
         std::to_string(choice.seed) + " --mode " + mode_name(choice.mode) + " --min-log2 " +
         std::to_string(choice.log2_least) + " --max-log2 " + std::to_string(choice.log2_most);
}

const char *mode_name(Mode mode) {
  static const char *const names[] = {"blocking", "async", "mixed"};
  return names[static_cast<uint32_t>(mode)];
}

} // namespace soak
