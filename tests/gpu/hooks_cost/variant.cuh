/* SPDX-License-Identifier: MIT */
/*
 * One variant of the kernels, in a namespace of its own, so that two can be linked into one program: the includer defines `cdp`
 * as that namespace's name, CDP_STUDY_HOOKS, and LAUNCH_VARIANT as the name of the function that launches a sort.
 */
#include "recursion/root.cuh"

#include "variants.h"

/* The account that a library's kernels share; each variant has its own. */
namespace cdp {
__device__ unsigned int cdp_launches_taken = 0;
}

using namespace cdp::CDP_RUNTIME;

template int cdp::CDP_RUNTIME::launch_recursion<uint32_t>(const cdp_plan &plan, bool counted, void *stream);
template int cdp::CDP_RUNTIME::launch_recursion<uint64_t>(const cdp_plan &plan, bool counted, void *stream);

int LAUNCH_VARIANT(const cdp_plan &plan, void *stream) {
  return plan.type == CDP_U32 ? launch_recursion<uint32_t>(plan, false, stream)
                              : launch_recursion<uint64_t>(plan, false, stream);
}
