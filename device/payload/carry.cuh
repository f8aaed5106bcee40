/* SPDX-License-Identifier: MIT */
/*
 * A stable sort of many keys of 4 or 8 bytes that carries a value of 4 or 8 bytes along with each.
 *
 *     look ──▶ order ──▶ count ──▶ place, add ──▶ scatter to groups ──▶ divide ──▶ scatter to buckets ──▶ sort each bucket
 *     splits   perhaps   groups,                               splitters for each group,               on chip
 *     the keys they are  or all buckets                        and counts of its buckets
 *
 * 1. What is packed into items (items.cuh) is read and written twice more than what is sorted as it is; and a value that is gathered
 *    costs a read of 64 bytes.
 * 2. Ranks within a tile can be found in the order of the input.
 * 3. A bucket of some thousand keys and their positions in it is sorted on chip, and its values are exchanged in shared memory.
 * Therefore keys and values are moved twice, to buckets that a team can sort, equal keys in the order of the input: 2^26 keys with
 * values of 8 bytes take 2.1 ms in place of 3.5 (H200, docs/lab/2026-11-25-carried-values.md), keys of 8 bytes 2.8 in place of 4.3
 * (docs/lab/2026-11-27-carried-wide-keys.md).
 *
 * Keys that a sample finds to be spread evenly have their groups and their buckets by arithmetic (block/key_lines.cuh), and are counted
 * once. All others are split by the keys of the sample (carry_splitters.cuh), first into groups, and then each group by a sample of its
 * own: however keys crowd, groups and buckets are about as long as one another. A value that is more frequent than that has a group
 * or a bucket of its own, which is in order as it is. (Sample sort: Frazer and McKellar, "Samplesort: a sampling approach to minimal
 * storage tree sorting", 1970; with buckets for equal keys: Sanders and Winkel, "Super scalar sample sort", 2004.)
 *
 * Where keys are in order as they are, nothing is moved (carry_order.cuh).
 *
 * Where a bucket by arithmetic is too long, since the sample has missed a value that is frequent among so many keys, these are split by the
 * keys of the sample after all, and counted again. All is given up where a bucket is too long even then, or where there are too few keys for
 * a second count to be launched; and where a sample, if not all keys, is in order, or in the opposite one, and nothing would be gathered
 * behind a sort of items, which has a shorter way for that. It is known before anything is written to the caller's arrays, and on the device
 * alone. So what is launched behind it, in the place of it, asks whether it is wanted (CarryControl::given_up).
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_CARRY_CUH
#define CDPSORT_DEVICE_PAYLOAD_CARRY_CUH

#include "block/key_lines.cuh"
#include "block/on_chip_keys.cuh"
#include "payload/carry_splitters.cuh"

namespace cdp::CDP_RUNTIME {

/* What kernels tell one another. Zeroed before the first. */
template <typename Key>
struct CarryControl {
  uint32_t given_up;      /* the first of all; 1: nothing was written, and nothing will be */
  uint32_t is_in_order;   /* 1: all keys; as long as they are looked at, perhaps. Then nothing is moved */
  uint32_t is_learnt;     /* 1: by splitters; 0: by lines, which are straight */
  uint32_t is_missed;     /* 1: by splitters, since a bucket of straight lines was too long */
  uint32_t groups;        /* how many there are */
  uint32_t short_buckets; /* how many are listed for teams to sort, where there are splitters */
  uint32_t long_buckets;  /* and for blocks */
  uint32_t equal_groups;  /* how many groups have equal keys */
  KeyLines<Key> lines;
  CarrySplitters<Key> splitters;                   /* of groups */
  uint32_t group_counts[MAX_CARRY_BUCKETS];        /* where there are splitters */
  uint32_t group_begins[MAX_CARRY_BUCKETS + 1];    /* and an end */
  uint32_t equal_group_numbers[MAX_CARRY_BUCKETS]; /* which groups those are */
  uint32_t dividers_done[MAX_CARRY_BUCKETS];       /* blocks of each group that have counted their part */
};

/* All of it, as its kernels are given it. */
template <typename Key, typename Value>
struct Carry {
  const Key *keys;     /* raw */
  const Value *values; /* NULL: each key's index */
  Key *sorted_keys;
  bool wants_keys; /* false: sorted ones are the workspace's */
  Value *sorted_values;
  Key *grouped_keys; /* entered, and the values with them, in the order of their groups; free when they are in buckets */
  Value *grouped_values;
  uint32_t count;
  uint32_t groups;      /* by a straight map; by splitters, as many are wanted */
  uint32_t most_groups; /* by splitters */
  uint32_t straight_buckets;
  uint32_t straight_group_buckets; /* of each group, but the last ones may have fewer */
  uint32_t learnt_group_buckets;   /* the most of a group, where there are splitters */
  uint32_t learnt_bucket_items;    /* that such a bucket should have */
  uint32_t most_buckets;           /* of all groups, either way */
  uint32_t tiles;
  bool leaves_order; /* to the sort of items, where the sample is in order */
  bool counts_again; /* where a straight map has missed something */
  bool is_again;     /* for kernels that are launched twice: the second time they do nothing unless it has */
  KeyMap<Key> map;
  KeyMap<uint64_t> item_map; /* of items, which change nothing */
  uint64_t seed;
  CarryControl<Key> *control;
  uint32_t *begins;               /* of each bucket, and an end; counts at first */
  uint32_t *listed;               /* buckets to be sorted by teams, and from the end on those by blocks */
  uint32_t *tile_places;          /* [group][tile]: counts at first, then those of lower tiles */
  CarrySplitters<Key> *splitters; /* of each group's buckets */

  /* Whether nothing is to be moved here. */
  __device__ __forceinline__ bool is_over() const {
    return control->given_up != 0 || control->is_in_order != 0 || (is_again && control->is_missed == 0);
  }
  __device__ __forceinline__ uint32_t group_buckets() const {
    return control->is_learnt != 0 ? learnt_group_buckets : straight_group_buckets;
  }
  __device__ __forceinline__ uint32_t buckets() const {
    return control->groups * group_buckets();
  }
  __device__ __forceinline__ uint32_t group_begin(uint32_t group) const {
    return control->is_learnt != 0 ? control->group_begins[group] : begins[group * straight_group_buckets];
  }
};

/* A bucket's group, by a straight map. The quotient is exact: there are less than 2^16 buckets, and less than 2^8 in a group. */
struct GroupOf {
  uint32_t reciprocal;

  __device__ __forceinline__ explicit GroupOf(uint32_t group_buckets) : reciprocal(UINT32_MAX / group_buckets + 1) {}

  __device__ __forceinline__ uint32_t operator()(uint32_t bucket) const {
    return reciprocal == 0 ? bucket : __umulhi(bucket, reciprocal); // 0: one bucket to a group
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
