/* SPDX-License-Identifier: MIT */
/*
 * From the key type of a plan or a request to the instance that does it. Apart from start.h, so that a file that defines one
 * instance does not come to define them all.
 */
#ifndef CDPSORT_DEVICE_RECURSION_DISPATCH_H
#define CDPSORT_DEVICE_RECURSION_DISPATCH_H

#include "recursion/start.h"

#include <type_traits>

namespace cdp::CDP_RUNTIME {

/* Calls `start` with a key of the type's width, and returns what it returns. */
template <typename Start>
int with_type(cdp_type type, Start start) {
  if (type == CDP_U32 || type == CDP_I32 || type == CDP_F32)
    return start(uint32_t{});
  return start(uint64_t{});
}

/* Launches a sort of narrow keys as its plan says. */
inline int launch_narrow_sort(const cdp_plan &plan, void *stream) {
  return cdp_engine_key_bytes(plan.type) == 1 ? launch_counted<uint8_t>(plan, stream) : launch_counted<uint16_t>(plan, stream);
}

/* Has the keys copied to where they are sorted, if they are elsewhere. */
inline int bring_keys(const cdp_plan &plan, void *stream) {
  if (plan.d_source == nullptr || plan.d_source == plan.d_keys)
    return LAUNCH_OK;
  return copy_memory(plan.d_keys, plan.d_source, plan.count * cdp_engine_key_bytes(plan.type), stream);
}

/* Launches a sort as its plan says. One that is neither counted nor traced is launched without the hooks for it (runtime.cuh). */
inline int launch_sort(const cdp_plan &plan, bool counted, void *stream) {
  const int error = bring_keys(plan, stream);
  if (error != LAUNCH_OK || plan.count < 2)
    return error;
  if (cdp_engine_is_counted(plan.type))
    return launch_narrow_sort(plan, stream);
  const bool by_host = plan.scheme == CDP_SCHEME_HOST || plan.path == CDP_PATH_ONE_BLOCK;
  const bool studied = counted || plan.d_trace != nullptr;
  return with_type(plan.type, [&](auto type) {
    using Bits = decltype(type);
    namespace unstudied = cdp::CDP_UNSTUDIED_RUNTIME;
    if (studied)
      return by_host ? launch_by_host<Bits>(plan, counted, stream) : launch_recursion<Bits>(plan, counted, stream);
    return by_host ? unstudied::launch_by_host<Bits>(plan, false, stream)
                   : unstudied::launch_recursion<Bits>(plan, false, stream);
  });
}

inline int launch_partition_of_type(const cdp_partition_request &request, void *stream) {
  return with_type(request.type, [&](auto type) { return launch_partition<decltype(type)>(request, stream); });
}

} // namespace cdp::CDP_RUNTIME

#endif
