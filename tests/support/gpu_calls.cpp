/* SPDX-License-Identifier: MIT */
/*
 * See gpu_calls.h.
 */
#include "gpu_calls.h"

#include "call_rows.h"
#include "compared.h"
#include "sort_by_kinds.h"

using gpu_tables::make_array;
using gpu_tables::Place;
using gpu_tables::read_array;

namespace gpu_calls {

/* ---- sort_by.cuh ------------------------------------------------------------------------------------------------------- */

static cdp_status status_of(cudaError_t error) {
  return error == cudaSuccess ? CDP_OK : CDP_ERROR_CUDA;
}

static std::string what_is_wrong_with_items(const sort_by_kinds::Kind &kind, const Bytes &before, const Bytes &after) {
  for (size_t at = kind.item_bytes; at < after.size(); at += kind.item_bytes)
    if (kind.comes_before(&after[at], &after[at - kind.item_bytes]))
      return "item " + std::to_string(at / kind.item_bytes) + " comes before the one before it";
  return compared::digests_of(before, kind.item_bytes) == compared::digests_of(after, kind.item_bytes)
             ? ""
             : "items were lost or doubled";
}

static Job make_by_template(const Draw &draw, bool is_apart) {
  const size_t count = draw.count;
  Random shape(draw.shape);
  Random contents(draw.contents);
  Job job;
  const sort_by_kinds::Kind *kind = nullptr;
  do
    kind = &sort_by_kinds::ALL_KINDS[shape.below(sort_by_kinds::KINDS)];
  while (kind->comes_before == nullptr);
  const Bytes items = compared::random_items(count, kind->item_bytes, contents.below(2) == 0 ? 0 : 300, contents.seed());
  job.arrays = {in_place(items)};
  if (is_apart)
    job.arrays = {read_only(items), output(items.size())};
  job.workspace = [=](const cdp_options &, size_t *bytes) { return status_of(kind->workspace(count, is_apart, bytes)); };
  job.call = [=](const Given &given) {
    return status_of(kind->sort(given.arrays[0], given.arrays.back(), count, given.d_workspace, given.workspace_bytes,
                                static_cast<cudaStream_t>(given.stream)));
  };
  job.wrong = [=](const std::vector<Bytes> &after) { return what_is_wrong_with_items(*kind, items, after.back()); };
  return job;
}

static Job make_sort_by(const Draw &draw) {
  return make_by_template(draw, false);
}

static Job make_sort_by_copy(const Draw &draw) {
  return make_by_template(draw, true);
}

const std::vector<Row> &rows_with_templates() {
  static const std::vector<Row> all = [] {
    std::vector<Row> made = rows();
    made.push_back({"cdpsort::sort_by", make_sort_by, false, true, false});
    made.push_back({"cdpsort::sort_by_copy", make_sort_by_copy, false, true, false});
    return made;
  }();
  return all;
}

/* ---- Device memory ----------------------------------------------------------------------------------------------------- */

DeviceTrial::DeviceTrial(const Row &row, const Draw &draw, Form form, cudaStream_t stream, const cdp_allocator *allocator)
    : Trial(row, draw, form, CDP_DEVICE_AUTO, allocator), stream_(stream),
      workspace_(make_array(Place::device, Bytes(form == Form::async ? workspace_bytes(job(), options()) : 0, UNUSED))) {
  for (const public_calls::Array &array : job().arrays)
    arrays_.push_back(make_array(Place::device, array.before, array.shift));
}

Given DeviceTrial::given() const {
  Given given = {form(), &options(), {}, workspace_.memory(), workspace_.bytes, stream_};
  for (const gpu_tables::Array &array : arrays_)
    given.arrays.push_back(array.memory());
  return given;
}

std::vector<Bytes> DeviceTrial::contents() const {
  const std::string when = name();
  std::vector<Bytes> all;
  CHECK_CUDA(cudaDeviceSynchronize());
  for (const gpu_tables::Array &array : arrays_)
    all.push_back(read_array(array, when.c_str()));
  all.push_back(read_array(workspace_, when.c_str()));
  return all;
}

void DeviceTrial::refill(const Job &other) const {
  ck_assert_uint_eq(other.arrays.size(), arrays_.size());
  for (size_t array = 0; array < arrays_.size(); array++) {
    const Bytes &contents = other.arrays[array].before;
    ck_assert_uint_eq(contents.size(), arrays_[array].bytes);
    CHECK_CUDA(cudaMemcpy(arrays_[array].memory(), contents.data(), contents.size(), cudaMemcpyHostToDevice));
  }
  CHECK_CUDA(cudaDeviceSynchronize());
}

/* ---- Allocators -------------------------------------------------------------------------------------------------------- */

static void *allocate(size_t bytes, void *context) {
  Block *block = static_cast<Block *>(context);
  block->allocations++;
  block->bytes = bytes;
  return block->is_empty || bytes > block->memory.bytes ? nullptr : block->memory.memory();
}

static void release(void *memory, size_t bytes, void *context) {
  Block *block = static_cast<Block *>(context);
  if (memory == block->memory.memory() && bytes == block->bytes) // another one's is not given back
    block->releases++;
}

Block make_block(size_t bytes, bool is_empty) {
  Block block = {};
  block.is_empty = is_empty;
  block.memory = make_array(Place::device, Bytes(bytes, UNUSED));
  return block;
}

cdp_allocator allocator_of(Block *block) {
  return {allocate, release, block};
}

} // namespace gpu_calls
