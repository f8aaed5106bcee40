/* SPDX-License-Identifier: MIT */
/*
 * What the benchmark measures: modes of the library and its peers, behind one interface. modes.cpp and the other files of that name have
 * the library's, cuda_peers.cuh and the other files of peers those of the CUDA toolkit, host_peers.cpp those of the host.
 *
 * Whatever fails throws a Failure; nothing here ends the program.
 */
#ifndef CDPSORT_SAMPLES_BENCH_SORTER_H
#define CDPSORT_SAMPLES_BENCH_SORTER_H

#include "device_data.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace bench {

using device_data::KeySpan;

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/* Throw unless the call succeeded. */
void require(cudaError_t error, const char *call);
void require(cdp_status status, const char *call);
#define REQUIRE(call) bench::require((call), #call)

/* Calls `function` with a key of the type, if it is among those that the benchmark was compiled for. */
template <typename Function>
auto with_key_type(cdp_type type, Function function) {
  switch (type) {
  case CDP_U32:
    return function(uint32_t{});
  case CDP_U64:
    return function(uint64_t{});
  case CDP_BF16:
    return function(__nv_bfloat16{});
#ifndef BENCH_FEW_TYPES
  case CDP_I32:
    return function(int32_t{});
  case CDP_I64:
    return function(int64_t{});
  case CDP_F32:
    return function(float{});
  case CDP_F64:
    return function(double{});
  case CDP_U8:
    return function(uint8_t{});
  case CDP_I8:
    return function(int8_t{});
  case CDP_U16:
    return function(uint16_t{});
  case CDP_I16:
    return function(int16_t{});
  case CDP_F16:
    return function(__half{});
#endif
  default:
    throw Failure("bench was compiled without this type: CDPSORT_BENCH_TYPES=ALL has it");
  }
}

/* All that a sorter may touch. */
struct Workplace {
  KeySpan keys;
  void *d_values;    /* NULL where the mode takes none */
  void *d_workspace; /* aligned to 256 bytes; NULL where none was asked for */
  size_t workspace_bytes;
  cudaStream_t stream;
};

/* Rounded up, so that more may follow in a workspace. */
inline size_t aligned(size_t bytes) {
  return (bytes + CDP_WORKSPACE_ALIGNMENT - 1) / CDP_WORKSPACE_ALIGNMENT * CDP_WORKSPACE_ALIGNMENT;
}

/* The same of an item for each key. */
inline size_t array_bytes(const KeySpan &keys, size_t item_bytes) {
  return aligned(keys.count * item_bytes);
}

constexpr double BY_EVENTS = -1;

struct Sorted {
  void *d_keys;             /* where the sorted keys are: where they were, or in the workspace */
  double milliseconds;      /* by the sorter's own clock, or BY_EVENTS: the time between events around the call is meant */
  void *d_values = nullptr; /* likewise; NULL: where they were */
};

/* What a mode moves along with the keys: values that are the keys' indices before the sort, by which they are judged. */
struct Moved {
  uint32_t value_bytes = 0; /* 0: keys alone */
  bool is_stable = false;   /* so it promises */
  bool is_argsort = false;  /* it does not get the indices, but finds them */
  bool keys_stay = false;   /* and leaves the keys as they are */
  uint32_t splitters = 0;   /* keys are divided by so many, and not sorted */
  uint32_t other_bytes =
      0; /* of what is moved or found beside, for each key: it lies in the workspace, and the mode judges it */
};

/* What lies at the beginning of the workspace of a mode that divides: where buckets begin, and evenly spaced keys of a sorted sample,
   which were chosen outside the clock. */
struct Divided {
  uint64_t *d_begins;
  void *d_splitters;
};
Divided divided_parts(void *d_workspace, uint32_t splitters);
void choose_splitters(const KeySpan &keys, void *d_workspace, uint32_t splitters, cudaStream_t stream);
/* What a mode finds instead of sorting: keys at some ranks, which it writes to where values would be. The keys stay as they are. */
struct Found {
  uint64_t keys = 0; /* at most, and no more than there are; 0: it sorts */
  uint64_t (*rank)(uint64_t which, uint64_t count) = nullptr;

  uint64_t keys_of(uint64_t count) const {
    return keys < count ? keys : count;
  }
};

struct Mode {
  const char *name;
  const char *text;
  bool takes_workspace; /* sorts in a workspace that is given to it, and so in no other memory */
  uint64_t keys_most;   /* with more keys it takes too long to be measured unasked; 0: never does */
  size_t (*workspace_bytes)(const KeySpan &keys);
  Sorted (*sort)(const Workplace &place);
  Moved moved = {};
  int type = 0; /* the cdp_type of keys that it takes; 0: any */
  Found found = {};
};

/* All of them, in the order in which they take turns. */
const std::vector<Mode> &all_modes();

/* Those of calls that do not sort keys in place. */
std::vector<Mode> other_modes();

/* The cost of a call: what a program waits for, by its own clock. --modes call names all of them. */
std::vector<Mode> cost_modes();

/* Those with two columns of values. */
std::vector<Mode> column_modes();

/* Those of rows of two numbers, and Thrust's. */
std::vector<Mode> row_modes();

/* Those of half a sort. */
std::vector<Mode> select_modes();

/* Those of calls for sorted ranges, and CUB's. */
std::vector<Mode> range_modes();

/* Those of the segmented sort, and CUB's. */
std::vector<Mode> segment_modes();

/* Those of sorts by a comparison. */
std::vector<Mode> compare_modes();

/* Those of the bitonic network, and CUB's of tiles. */
std::vector<Mode> tile_modes();

/* CUB's radix sort of a workplace's keys, in its workspace: see cuda_peers.cuh. */
size_t cub_radix_bytes(const KeySpan &keys);
Sorted cub_radix_sort(const Workplace &place);

/* Sorters of the CUDA toolkit, for keys of one type. */
struct CudaPeers {
  size_t (*radix_workspace_bytes)(const KeySpan &keys);
  Sorted (*radix_sort)(const Workplace &place);
  size_t (*merge_workspace_bytes)(const KeySpan &keys);
  Sorted (*merge_sort)(const Workplace &place);
  Sorted (*thrust_sort)(const Workplace &place); /* in the workspace that the merge sort needs */
  size_t (*pairs4_workspace_bytes)(const KeySpan &keys);
  Sorted (*pairs4_sort)(const Workplace &place);
  size_t (*pairs8_workspace_bytes)(const KeySpan &keys);
  Sorted (*pairs8_sort)(const Workplace &place);
  size_t (*numbered_workspace_bytes)(const KeySpan &keys);
  Sorted (*numbered_sort)(const Workplace &place);
  size_t (*records_workspace_bytes)(const KeySpan &keys); /* these two: NULL for most types */
  Sorted (*records_sort)(const Workplace &place);
};
template <typename Key>
CudaPeers cuda_peers();

/*
 * Records of RECORD_BYTES each, at the beginning of a workspace: a key of 8 bytes, its value of 8, and zeros. They are made of a
 * workplace's keys and values, sorted, and taken apart again, so that keys and values are where they are judged. The sort returns
 * where the records are then. Returns the time that it takes.
 */
constexpr size_t RECORD_BYTES = 32;
double sort_as_records(const Workplace &place, void *(*sort)(const Workplace &place));
size_t records_bytes(uint64_t count); /* rounded up, so that more may follow */

/* Sorters of the host. Both copy the keys there and back, outside their clock. */
Sorted standard_sort(const Workplace &place);
Sorted parallel_sort(const Workplace &place);

} // namespace bench

#endif
