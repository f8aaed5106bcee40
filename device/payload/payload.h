/* SPDX-License-Identifier: MIT */
/*
 * What an engine calls to sort keys with what goes with them (payload_launches.cuh), records (records.cuh), and to
 * divide keys (divide_launches.cuh); and what these have in common.
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_PAYLOAD_H
#define CDPSORT_DEVICE_PAYLOAD_PAYLOAD_H

#include "engine.h"
#include "runtime/runtime.cuh"

/* Ends the function with the cudaError_t of a launch that has failed. */
#define CDP_RETURN_UNLESS_LAUNCHED(call)                                                                                       \
  do {                                                                                                                         \
    const int error_of_launch = (call);                                                                                        \
    if (error_of_launch != LAUNCH_OK)                                                                                          \
      return error_of_launch;                                                                                                  \
  } while (0)

namespace cdp::CDP_RUNTIME {

/* Launch all of it on a stream, and return the first cudaError_t; what was launched before that runs. */
int launch_payload(const cdp_payload_plan &plan, void *stream);
int launch_records(const cdp_records_plan &plan, void *stream);
int launch_division(const cdp_division_plan &plan, void *stream);

/* A part of the workspace. */
template <typename Plan>
unsigned char *part_of(const Plan &plan, uint64_t offset) {
  return static_cast<unsigned char *>(plan.d_workspace) + offset;
}

/* Of half a sort (select/): bring values from so many positions into the order of these, and write the positions as indices of 4 or 8
   bytes. Kernels that two modules had, a linker might keep but once. Return a cudaError_t. */
int launch_gather(const uint32_t *positions, const void *source, uint64_t count, uint32_t value_bytes, void *destination,
                  void *stream);
int launch_write_indices(const uint32_t *positions, uint64_t count, uint32_t index_bytes, void *indices, void *stream);

} // namespace cdp::CDP_RUNTIME

#endif
