/* SPDX-License-Identifier: MIT */
/*
 * The kernel that divides an array by a map where the host launches (host_kernels.cuh).
 *
 * 1. nvcc's assembler shares registers out among a kernel and all the functions that it calls, when it sees the whole program.
 *    For this one that took more than five minutes, and for relocatable code seconds
 *    (docs/lab/2026-11-28-what-compiles-long.md).
 * 2. MPS refuses a module that launches from the device, which all other relocatable code here does.
 * Therefore this file is compiled to relocatable code, and linked into a module of its own.
 */
#ifndef CDPSORT_DEVICE_RECURSION_HOST_MAP_CUH
#define CDPSORT_DEVICE_RECURSION_HOST_MAP_CUH

#include "recursion/driver_host.cuh"
#include "recursion/mapped_array.cuh"
#include "recursion/multiway_children.cuh"

namespace cdp::CDP_RUNTIME {

/* What a mapped array's grid leaves to the levels behind it. */
struct MapHost {
  template <typename Bits>
  static __device__ void begin_tasks(const Sort<Bits> &) {}

  template <typename Bits>
  static __device__ void start_splitters(const Sort<Bits> &sort, MultiwayStorage<Bits> &) {
    if (threadIdx.x == 0)
      start_or_defer<Multiway<Bits>, HostDriver>(sort, 0u); // nothing is refused here
  }

  template <typename Bits>
  static __device__ Disposition start_task(const Sort<Bits> &sort, const Range &range) {
    return add_task<Multiway<Bits>, HostDriver>(sort, range, NO_SLOT, Bits{0});
  }

  template <typename Bits>
  static __device__ void end(const Sort<Bits> &, MappedStorage<Bits> &) {}

  /* The host has kept one free for each, behind the root's. */
  template <typename Bits>
  static __device__ uint32_t stage_event(const Sort<Bits> &sort, MapStage stage) {
    const uint32_t event = ROOT_EVENT + static_cast<uint32_t>(stage);
    describe_stage(event_list(sort), event, trace_kind(stage), whole_range(sort));
    return event;
  }
};

template <typename Bits>
__global__ void __launch_bounds__(MultiwayShape<Bits>::BLOCK_THREADS, 1)
    level_map_kernel(const __grid_constant__ Sort<Bits> sort, uint32_t event) {
  mapped_body<MapHost>(sort, event);
}

template <typename Bits>
int launch_level_map(const Sort<Bits> &sort, uint32_t event, void *stream) {
  const int error = allow_shared_bytes(level_map_kernel<Bits>, sort.map_shared_bytes);
  if (error != LAUNCH_OK)
    return error;
  return launch_from_host(map_grid(sort, map_blocks(sort)), stream, level_map_kernel<Bits>, sort, event);
}

} // namespace cdp::CDP_RUNTIME

#endif
