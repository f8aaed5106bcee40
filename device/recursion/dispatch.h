/* SPDX-License-Identifier: MIT */
/*
 * From a request's key type to the instance that sorts it. Apart from start.h, so that a file that defines one instance does
 * not come to define them all.
 */
#ifndef CDPSORT_DEVICE_RECURSION_DISPATCH_H
#define CDPSORT_DEVICE_RECURSION_DISPATCH_H

#include "recursion/start.h"

namespace cdp::CDP_RUNTIME {

inline int launch_recursion_of_type(const cdp_request &request, bool counted, void *stream) {
  switch (request.type) {
  case CDP_U32:
    return launch_recursion<CDP_U32>(request, counted, stream);
  case CDP_I32:
    return launch_recursion<CDP_I32>(request, counted, stream);
  case CDP_U64:
    return launch_recursion<CDP_U64>(request, counted, stream);
  case CDP_I64:
    return launch_recursion<CDP_I64>(request, counted, stream);
  case CDP_F32:
    return launch_recursion<CDP_F32>(request, counted, stream);
  case CDP_F64:
    break;
  }
  return launch_recursion<CDP_F64>(request, counted, stream);
}

inline int run_host_loop_of_type(const cdp_request &request, bool counted, void *stream) {
  switch (request.type) {
  case CDP_U32:
    return run_host_loop<CDP_U32>(request, counted, stream);
  case CDP_I32:
    return run_host_loop<CDP_I32>(request, counted, stream);
  case CDP_U64:
    return run_host_loop<CDP_U64>(request, counted, stream);
  case CDP_I64:
    return run_host_loop<CDP_I64>(request, counted, stream);
  case CDP_F32:
    return run_host_loop<CDP_F32>(request, counted, stream);
  case CDP_F64:
    break;
  }
  return run_host_loop<CDP_F64>(request, counted, stream);
}

} // namespace cdp::CDP_RUNTIME

#endif
