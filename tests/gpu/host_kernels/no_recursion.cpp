/* SPDX-License-Identifier: MIT */
/*
 * The library without the kernels that launch others, for compute-sanitizer's racecheck and synccheck, which refuse such kernels: in the
 * place of the recursion, an error. The engine of this program says that nothing can be launched from the device, as it does under MPS,
 * so that no call comes here.
 */
#include "engine.h"

#include <cstdint>

namespace {

constexpr int NOT_SUPPORTED = 801; /* cudaErrorNotSupported */

} // namespace

namespace cdp {

namespace cuda {
template <typename Bits>
int launch_recursion(const cdp_plan &, bool, void *) {
  return NOT_SUPPORTED;
}
template int launch_recursion<uint32_t>(const cdp_plan &, bool, void *);
template int launch_recursion<uint64_t>(const cdp_plan &, bool, void *);
} // namespace cuda

namespace cuda_unstudied {
template <typename Bits>
int launch_recursion(const cdp_plan &, bool, void *) {
  return NOT_SUPPORTED;
}
template int launch_recursion<uint32_t>(const cdp_plan &, bool, void *);
template int launch_recursion<uint64_t>(const cdp_plan &, bool, void *);
} // namespace cuda_unstudied

} // namespace cdp
