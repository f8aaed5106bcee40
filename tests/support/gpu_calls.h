/* SPDX-License-Identifier: MIT */
/*
 * What the GPU's tests of all public calls share: the rows of public_calls.h, and one for sort_by.cuh; and calls with their arrays in
 * device memory.
 */
#ifndef CDPSORT_TESTS_GPU_CALLS_H
#define CDPSORT_TESTS_GPU_CALLS_H

#include "call_trial.h"
#include "gpu_tables.h"

namespace gpu_calls {

using namespace public_calls;

/* Those of the library, and cdpsort::sort_by(), which has one form alone and no message. */
const std::vector<Row> &rows_with_templates();

/* A call with its arrays and its workspace in device memory, each between guards, until gpu_tables::free_arrays(). Made in the test's
   own thread. */
class DeviceTrial : public Trial {
public:
  DeviceTrial(const Row &row, const Draw &draw, Form form, cudaStream_t stream, const cdp_allocator *allocator = nullptr);

  Given given() const override;

  /* Waits for the device. */
  std::vector<Bytes> contents() const override;

  /* Puts what is in another job's arrays, one of the same shape, into these. */
  void refill(const Job &other) const;

private:
  cudaStream_t stream_;
  gpu_tables::Array workspace_;
  std::vector<gpu_tables::Array> arrays_;
};

/* An account (call_check.h) with the one block of memory that it gives. */
struct Block : account {
  gpu_tables::Array memory;
};

/* Of a block that is large enough for a call, or empty. */
Block make_block(size_t bytes, bool is_empty);
cdp_allocator allocator_of(Block *block);

} // namespace gpu_calls

#endif
