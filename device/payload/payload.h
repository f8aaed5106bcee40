/* SPDX-License-Identifier: MIT */
/*
 * What an engine calls to sort keys with what goes with them (payload_launches.cuh).
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_PAYLOAD_H
#define CDPSORT_DEVICE_PAYLOAD_PAYLOAD_H

#include "engine.h"
#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

/* Launches all of it on a stream, and returns the first cudaError_t; what was launched before that runs. */
int launch_payload(const cdp_payload_plan &plan, void *stream);

/* Of half a sort (select/): bring values from so many positions into the order of these, and write the positions as indices of 4 or 8
   bytes. Kernels that two modules had, a linker might keep but once. Return a cudaError_t. */
int launch_gather(const uint32_t *positions, const void *source, uint64_t count, uint32_t value_bytes, void *destination,
                  void *stream);
int launch_write_indices(const uint32_t *positions, uint64_t count, uint32_t index_bytes, void *indices, void *stream);

} // namespace cdp::CDP_RUNTIME

#endif
