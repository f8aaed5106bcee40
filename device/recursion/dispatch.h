/* SPDX-License-Identifier: MIT */
/*
 * From a request's key type to the instance that does it. Apart from start.h, so that a file that defines one instance does
 * not come to define them all.
 */
#ifndef CDPSORT_DEVICE_RECURSION_DISPATCH_H
#define CDPSORT_DEVICE_RECURSION_DISPATCH_H

#include "recursion/start.h"

#include <type_traits>

namespace cdp::CDP_RUNTIME {

template <cdp_type TYPE>
using TypeConstant = std::integral_constant<cdp_type, TYPE>;

/* Calls `start` with the TypeConstant of a key type, and returns what it returns. */
template <typename Start>
int with_type(cdp_type type, Start start) {
  switch (type) {
  case CDP_U32:
    return start(TypeConstant<CDP_U32>{});
  case CDP_I32:
    return start(TypeConstant<CDP_I32>{});
  case CDP_U64:
    return start(TypeConstant<CDP_U64>{});
  case CDP_I64:
    return start(TypeConstant<CDP_I64>{});
  case CDP_F32:
    return start(TypeConstant<CDP_F32>{});
  case CDP_F64:
    break;
  }
  return start(TypeConstant<CDP_F64>{});
}

/* A sort that is neither counted nor traced is launched without the hooks for it (runtime.cuh). */
inline int launch_recursion_of_type(const cdp_request &request, bool counted, void *stream) {
  return with_type(request.type, [&](auto type) {
    constexpr cdp_type TYPE = decltype(type)::value;
    if (counted || request.d_trace != nullptr)
      return launch_recursion<TYPE>(request, counted, stream);
    return cdp::CDP_UNSTUDIED_RUNTIME::launch_recursion<TYPE>(request, false, stream);
  });
}

inline int run_host_loop_of_type(const cdp_request &request, bool counted, void *stream) {
  return with_type(request.type, [&](auto type) { return run_host_loop<decltype(type)::value>(request, counted, stream); });
}

inline int launch_partition_of_type(const cdp_partition_request &request, void *stream) {
  return with_type(request.type, [&](auto type) { return launch_partition<decltype(type)::value>(request, stream); });
}

} // namespace cdp::CDP_RUNTIME

#endif
