/* SPDX-License-Identifier: MIT */
/*
 * What the GPU's tests of pairs.h and select.h share: tables of keys and values in every kind of memory, sorted by every call, and compared
 * with what the host's own sort of rows makes of them.
 */
#ifndef CDPSORT_TESTS_GPU_TABLES_H
#define CDPSORT_TESTS_GPU_TABLES_H

#include "gpu_check.h"
#include "host_data.h"

#include <cdpsort/pairs.h>

#include <string>
#include <vector>

namespace gpu_tables {

using Bytes = std::vector<unsigned char>;

constexpr int ALL_TYPES = CDP_BF16;
constexpr cdp_order ORDERS[] = {CDP_ASCENDING, CDP_DESCENDING};
constexpr cdp_ties ALL_TIES[] = {CDP_TIES_ANY, CDP_TIES_STABLE, CDP_TIES_BY_VALUE};

/* Fixtures of a test case: the stream of the calls in stream order. The second one frees all arrays as well. */
void make_stream();
void destroy_stream();
cudaStream_t stream();

/* ---- Arrays in every kind of memory ------------------------------------------------------------------------------ */

enum class Place { pageable, pinned, managed, device };
constexpr int PLACES = 4;

/* Memory between guard zones, `shift` bytes past alignment. */
struct Array {
  Place place;
  unsigned char *base;
  size_t shift;
  size_t bytes;

  unsigned char *memory() const {
    return base + device_data::GUARD_BYTES + shift;
  }
  size_t all_bytes() const {
    return shift + bytes + 2 * device_data::GUARD_BYTES;
  }
};

Array make_array(Place place, const Bytes &contents, size_t shift = 0);

/* What an array has become, if nothing was written around it; `when` is for messages. */
Bytes read_array(const Array &array, const char *when);

void free_arrays();

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

/* Keys, and arrays of values beside them. */
struct Table {
  cdp_type type;
  size_t count;
  Bytes keys;
  std::vector<size_t> value_bytes; /* of each column */
  std::vector<Bytes> columns;
};

Bytes make_keys(cdp_type type, size_t count, host_distribution distribution);

/* Of 8 bytes, by their places in the order. */
Bytes keys_of_ranks(cdp_type type, const std::vector<uint64_t> &ranks);

/* Values that tell from which index they come, as far as they have room for it. */
Bytes make_values(size_t count, size_t value_bytes, uint64_t column);

Table make_table(cdp_type type, Bytes keys, const std::vector<size_t> &value_bytes);

/* Each key's place in the order, ascending, which equal keys share. */
std::vector<uint64_t> ranks_of(cdp_type type, const Bytes &keys, cdp_ties ties);

/* ---- Sorts ------------------------------------------------------------------------------------------------------- */

enum class Call { blocking, async, on_stream };
constexpr int CALLS = 3;

/* How a table is sorted. */
struct Way {
  Call call;
  Place keys_place;
  Place values_place;
  size_t shift;             /* of the values, bytes past alignment */
  bool is_captured = false; /* into a graph, and replayed once; not of a blocking call */
};
constexpr Way ON_DEVICE = {Call::blocking, Place::device, Place::device, 0};

/* Where an argsort's keys go. */
enum class Keys { unwanted, in_place, apart };
constexpr int KEYS = 3;

cdp_options options_of(cdp_order order, cdp_ties ties);
const char *call_name(Call call);
const char *place_name(Place place);

/* Positions in the order of a table's keys, equal ones in that of the input. */
std::vector<uint64_t> stable_order(const Table &table, const cdp_options &options);

/* Makes a call in stream order, and returns its status, or has it captured and replays that. */
template <typename Call>
cdp_status perform(const Way &way, Call call) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  if (!way.is_captured)
    return call();
  CHECK_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeGlobal));
  const cdp_status status = call();
  const cudaError_t captured = cudaStreamEndCapture(stream(), &graph);
  CHECK_SORT(status); // first: it has a message
  CHECK_CUDA(captured);
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_CUDA(cudaGraphLaunch(exec, stream()));
  CHECK_CUDA(cudaStreamSynchronize(stream()));
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
  return status;
}

/* Sort, and end the test unless all is as the host's own sort makes it. One column is sorted by the calls for pairs, others by
   those for columns. `what` is for messages. */
void check_pairs(const Table &table, const cdp_options &options, const Way &way, const char *what);
void check_argsort(const Table &table, const cdp_options &options, const Way &way, Keys wanted, size_t index_bytes);

} // namespace gpu_tables

#endif
