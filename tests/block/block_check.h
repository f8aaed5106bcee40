/* SPDX-License-Identifier: MIT */
/*
 * What tests of the block-level pieces share: keys between guard zones in memory of the host, which is the simulated device's,
 * too; kernels of one grid, run in an order that a seed draws; and the oracle's judgement. They call the kernels' own functions,
 * and so are linked with the static library.
 */
#ifndef CDPSORT_TESTS_BLOCK_CHECK_H
#define CDPSORT_TESTS_BLOCK_CHECK_H

#include "block/range.cuh"

#include "host_data.h"
#include "run_suite.h"

#include <cstring>
#include <vector>

namespace cdp::simulated {

/* What keys are and how they are to be sorted. */
struct KeyKind {
  cdp_type type;
  cdp_order order;
};

/* Of each width: keys that are the same when they have entered, and two kinds that are not. */
template <typename Bits>
constexpr KeyKind KEY_KINDS[] = {{sizeof(Bits) == 4 ? CDP_U32 : CDP_U64, CDP_ASCENDING},
                                 {sizeof(Bits) == 4 ? CDP_I32 : CDP_I64, CDP_DESCENDING},
                                 {sizeof(Bits) == 4 ? CDP_F32 : CDP_F64, CDP_ASCENDING}};
constexpr uint32_t KINDS = 3;

template <typename Bits>
KeyMap<Bits> map_of(KeyKind kind) {
  return key_map<Bits>(kind.type, kind.order);
}

/* Ends the test unless nobody has written beside the memory. */
inline void must_be_whole(const host_guarded &memory, const char *what) {
  ck_assert_msg(host_guarded_whole(&memory), "%s: memory beside it was written", what);
}

/* Keys between guard zones, and a copy of what they were. */
template <typename Bits>
class Keys {
public:
  /* `offset` items behind a multiple of 256 bytes. */
  Keys(KeyKind kind, size_t count, host_distribution distribution, uint64_t seed, size_t offset = 0)
      : kind_(kind), seed_(seed), distribution_(distribution), original_(count) {
    host_fill(original_.data(), kind.type, count, distribution, seed);
    ck_assert(host_guarded_make(&memory_, count * sizeof(Bits), offset * sizeof(Bits)));
    restore();
  }
  Keys(const Keys &) = delete;
  Keys &operator=(const Keys &) = delete;
  ~Keys() {
    host_guarded_free(&memory_);
  }

  /* Has the keys be what they were. */
  void restore() {
    if (!original_.empty())
      std::memcpy(memory_.bytes, original_.data(), memory_.size);
  }

  Bits *data() {
    return reinterpret_cast<Bits *>(memory_.bytes);
  }
  std::vector<Bits> &original() {
    return original_;
  }
  size_t count() const {
    return original_.size();
  }

  void must_be_sorted(const char *what) {
    must_hold_sorted(*this, what);
  }

  /* Ends the test unless `sorted` holds these keys, sorted. */
  void must_hold_sorted(Keys &sorted, const char *what) {
    char why[HOST_WHY_BYTES];
    ck_assert_msg(host_check_sorted(original_.data(), sorted.data(), count(), kind_.type, kind_.order, why),
                  "%s: %zu %s keys, %s, seed %llu: %s", what, count(), host_type_name(kind_.type),
                  host_distribution_name(distribution_), static_cast<unsigned long long>(seed_), why);
    must_be_whole(sorted.memory_, what);
  }

  void must_be_untouched(const char *what) {
    ck_assert_msg(count() == 0 || std::memcmp(original_.data(), memory_.bytes, memory_.size) == 0,
                  "%s: %zu keys that are only to be read have changed", what, count());
    must_be_whole(memory_, what);
  }

  void must_be_whole_memory() {
    must_be_whole(memory_, "keys");
  }

private:
  KeyKind kind_;
  uint64_t seed_;
  host_distribution distribution_;
  std::vector<Bits> original_;
  host_guarded memory_;
};

/* Runs a grid to its end, in an order that the seed draws, and ends the test unless it keeps all rules. */
template <typename... Parameters, typename... Arguments>
void run_grid(uint64_t seed, GridShape shape, void (*kernel)(Parameters...), Arguments... arguments) {
  Rules rules;
  rules.seed = seed;
  set_rules(rules);
  if (shape.shared_bytes != 0)
    ck_assert_int_eq(allow_shared_bytes(kernel, shape.shared_bytes), LAUNCH_OK);
  const int code = launch_from_host(shape, nullptr, kernel, arguments...);
  ck_assert_msg(code == LAUNCH_OK, "%d: %s", code, last_report().broken_rule);
}

/* What a block must know to sort keys by itself, with nobody counting. */
template <typename Bits>
BlockRules<Bits> rules_of(Bits *keys, Bits *scratch, const KeyMap<Bits> &map) {
  BlockRules<Bits> rules = {};
  rules.sides[static_cast<uint32_t>(Side::keys)] = keys;
  rules.sides[static_cast<uint32_t>(Side::scratch)] = scratch;
  rules.map = map;
  rules.depth_limit = 60;
  rules.leaf_items = Shape<Bits>::LEAF_ITEMS;
  rules.piece_items = Shape<Bits>::LEAF_ITEMS;
  rules.pivot = CDP_PIVOT_SAMPLED_MEDIAN;
  return rules;
}

} // namespace cdp::simulated

#endif
