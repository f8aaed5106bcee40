/* SPDX-License-Identifier: MIT */
/*
 * What an engine calls to sort keys with what goes with them (payload_launches.cuh), and records (records.cuh).
 */
#ifndef CDPSORT_DEVICE_PAYLOAD_PAYLOAD_H
#define CDPSORT_DEVICE_PAYLOAD_PAYLOAD_H

#include "engine.h"
#include "runtime/runtime.cuh"

namespace cdp::CDP_RUNTIME {

/* Launch all of it on a stream, and return the first cudaError_t; what was launched before that runs. */
int launch_payload(const cdp_payload_plan &plan, void *stream);
int launch_records(const cdp_records_plan &plan, void *stream);

} // namespace cdp::CDP_RUNTIME

#endif
