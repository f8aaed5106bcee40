/* SPDX-License-Identifier: MIT */
/*
 * What a mapped array's grid launches, where a map is not all there is to do. The grid is the root, and what it launches runs
 * when its blocks have ended, or while the last of them sort.
 */
#ifndef CDPSORT_DEVICE_RECURSION_MAPPED_LAUNCHES_CUH
#define CDPSORT_DEVICE_RECURSION_MAPPED_LAUNCHES_CUH

#include "recursion/mapped_array.cuh"
#include "recursion/presorted_array.cuh"

namespace cdp::CDP_RUNTIME {

struct MapDevice {
  template <typename Bits>
  static __device__ void begin_tasks(const Sort<Bits> &sort) {
    if (sort.may_defer != 0)
      launch_batch(sort);
  }

  template <typename Bits>
  static __device__ void start_splitters(const Sort<Bits> &sort, MultiwayStorage<Bits> &storage) {
    if (threadIdx.x == 0)
      begin_tasks(sort);
    Multiway<Bits>::prepare(sort, 0, storage);
    enter_phase<Multiway<Bits>, DeviceDriver>(sort, 0, Phase::waiting, Phase::count, storage);
  }

  template <typename Bits>
  static __device__ Disposition start_task(const Sort<Bits> &sort, const Range &range) {
    return add_task<Multiway<Bits>, DeviceDriver>(sort, range, NO_SLOT, Bits{0});
  }

  template <typename Bits>
  static __device__ void end(const Sort<Bits> &sort, MappedStorage<Bits> &storage) {
    DeviceDriver::end_task(sort, storage.block);
  }

  template <typename Bits>
  static __device__ uint32_t stage_event(const Sort<Bits> &sort, MapStage stage) {
    return open_event(event_list(sort), ChildStream::fire_and_forget, trace_kind(stage), whole_range(sort), gridDim.x,
                      ROOT_EVENT);
  }
};

} // namespace cdp::CDP_RUNTIME

#endif
