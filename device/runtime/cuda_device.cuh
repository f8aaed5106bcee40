/* SPDX-License-Identifier: MIT */
/*
 * The CUDA runtime's side of runtime.cuh: shared memory and launches on a real GPU.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_CUDA_DEVICE_CUH
#define CDPSORT_DEVICE_RUNTIME_CUDA_DEVICE_CUH

#include <cuda_runtime.h>

namespace cdp {

/* A number of the calling thread's context that no other one has had in the life of the process; 0 if there is none, or the
   driver does not tell. One for all compilations of the kernels (cuda_engine.cu). */
uint64_t cuda_context_number();

} // namespace cdp

namespace cdp::CDP_RUNTIME {

inline uint64_t context_number() {
  return cuda_context_number();
}

/*
 * The block's dynamic shared memory as a T, its contents undefined at first. One T a kernel; T must be trivial.
 */
template <typename T>
__device__ __forceinline__ T &block_shared() {
  extern __shared__ __align__(16) unsigned char block_shared_bytes[];
  return *reinterpret_cast<T *>(block_shared_bytes);
}

/* Asks which virtual architecture the kernels for the current device were compiled for (90: 9.0). Returns a cudaError_t. */
int compiled_architecture(int *architecture);

/* A CUDA call's error; CUDA's own record of it is cleared, so that no later call is blamed for it. */
inline cudaError_t unrecorded(cudaError_t error) {
  if (error != cudaSuccess)
    cudaGetLastError();
  return error;
}

/* Lets a kernel's blocks have so much dynamic shared memory on the current device, whoever launches it. Returns a
   cudaError_t. */
template <typename... Parameters>
int allow_shared_bytes(void (*kernel)(Parameters...), uint32_t bytes) {
  return unrecorded(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

/* Launches a kernel from the host on a stream (a cudaStream_t), which may be captured. Returns the launch's cudaError_t. */
template <typename... Parameters>
int launch_shape(GridShape shape, void *stream, LaunchWay way, void (*kernel)(Parameters...), Parameters... arguments) {
  cudaLaunchAttribute attribute = {};
  if (way == LaunchWay::together) {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  } else if (way == LaunchWay::behind) {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t launch = {};
  launch.attrs = &attribute;
  launch.numAttrs = way == LaunchWay::alone ? 0 : 1;
  launch.gridDim = dim3(shape.blocks);
  launch.blockDim = dim3(shape.threads);
  launch.dynamicSmemBytes = shape.shared_bytes;
  launch.stream = static_cast<cudaStream_t>(stream);
  // Not <<<>>> and cudaGetLastError(): that would report what the caller left unread before.
  return unrecorded(cudaLaunchKernelEx(&launch, kernel, arguments...));
}

/* Lets the grid behind this one begin, if it was launched by launch_behind(), when all blocks have come here or have ended. */
__device__ __forceinline__ void let_next_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Waits until the grid in front of this one is complete, and sees what it has written. Only where a kernel has this (from compute
   capability 9.0 on), grids are told to begin early. */
__device__ __forceinline__ void await_grid_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/* Zeroes device memory in a stream's order. Returns a cudaError_t. */
inline int zero_memory(void *memory, size_t bytes, void *stream) {
  return unrecorded(cudaMemsetAsync(memory, 0, bytes, static_cast<cudaStream_t>(stream)));
}

/* Copies from device memory to device memory in a stream's order. Returns a cudaError_t. */
inline int copy_memory(void *destination, const void *source, size_t bytes, void *stream) {
  return unrecorded(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream)));
}

/* Asks how many blocks of a kernel the whole current device holds at once: 0 if not even one. Returns a cudaError_t. */
template <typename... Parameters>
int resident_blocks(void (*kernel)(Parameters...), uint32_t threads, uint32_t shared_bytes, int *blocks) {
  int device = 0;
  int multiprocessors = 0;
  int blocks_each = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, static_cast<int>(threads), shared_bytes);
  *blocks = multiprocessors * blocks_each;
  return unrecorded(error);
}

/* Waits for `threads` threads of the block, whole warps, at its barrier `number`. */
__device__ __forceinline__ void named_barrier(uint32_t number, uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/* The same, and whether any of them gave a predicate that is not 0. */
__device__ __forceinline__ bool named_barrier_or(uint32_t number, uint32_t threads, bool predicate) {
  uint32_t any;
  asm volatile("{ .reg .pred mine, any; setp.ne.u32 mine, %1, 0; bar.red.or.pred any, %2, %3, mine; selp.u32 %0, 1, 0, any; }"
               : "=r"(any)
               : "r"(predicate ? 1u : 0u), "r"(number), "r"(threads)
               : "memory");
  return any != 0;
}

/* Has a line of memory brought into the L2 cache. */
__device__ __forceinline__ void prefetch(const void *address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/* What a word in memory is now, whoever has changed it. */
__device__ __forceinline__ uint32_t read_anew(const uint32_t *word) {
  uint32_t now;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
  return now;
}

__device__ __forceinline__ unsigned long long read_anew(const unsigned long long *word) {
  unsigned long long now;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(word) : "memory");
  return now;
}

/*
 * All threads of all blocks of a grid of launch_together() take part. arrivals: a word that is the launch's own, zero before it.
 *
 * Not that of cooperative groups: where it stands between calls of functions that have barriers themselves, synccheck finds threads
 * of a block at different ones, and segments were sorted wrong (docs/notes/grid-barrier.md).
 */
__device__ __forceinline__ void grid_barrier(uint32_t *arrivals) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence(); // what the block has written comes before its arrival
    const uint32_t before = atomicAdd(arrivals, 1u);
    const uint32_t all = (before / gridDim.x + 1) * gridDim.x;
    while (read_anew(arrivals) < all) {
    }
    __threadfence(); // and what the block reads, behind that of all others
  }
  __syncthreads();
}

/* The simulated device looks whether it holds; here it costs nothing. */
__device__ __forceinline__ void expect(bool) {}

/* The same number, of which the compiler knows nothing. */
__device__ __forceinline__ uint32_t fresh(uint32_t number) {
  asm volatile("" : "+r"(number));
  return number;
}

/* What is in shared memory now, read here. */
template <typename T>
__device__ __forceinline__ T reread(const T &shared) {
  return *const_cast<const volatile T *>(&shared);
}

/* Nanoseconds, the same all over the device; moves in steps. */
__device__ __forceinline__ uint64_t device_clock() {
  uint64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

/* The multiprocessor that the calling thread runs on. */
__device__ __forceinline__ uint32_t multiprocessor_number() {
  uint32_t number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

#ifdef __CUDACC_RDC__

} // namespace cdp::CDP_RUNTIME

namespace cdp {

/* One for all compilations of the kernels (cuda_account.cu). */
extern __device__ unsigned int cdp_launches_taken;

} // namespace cdp

namespace cdp::CDP_RUNTIME {

/* Reserves launches among those that all sorts on the device have, as one host process sees the device, and returns how many are
   reserved then; or returns them. */
__device__ __forceinline__ uint32_t reserve_launches(uint32_t count) {
  return atomicAdd(&cdp_launches_taken, count) + count;
}

__device__ __forceinline__ void return_launches(uint32_t count) {
  atomicSub(&cdp_launches_taken, count);
}

/*
 * Launches a kernel from the device. Returns the launch's cudaError_t: a launch whose error is not read is a range left
 * unsorted. What the calling thread wrote or was shown (barrier, fence) before the call, the child sees.
 */
template <typename... Parameters>
__device__ int launch_child(ChildStream where, GridShape shape, void (*kernel)(Parameters...),
                            typename AsGiven<Parameters>::Type... arguments) {
  cudaStream_t stream = where == ChildStream::tail ? cudaStreamTailLaunch : cudaStreamFireAndForget;
  if (where == ChildStream::named) {
    const cudaError_t created = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (created != cudaSuccess) {
      cudaGetLastError(); // read here, lest the thread's next launch be blamed for it
      return static_cast<int>(created);
    }
  }
  kernel<<<shape.blocks, shape.threads, shape.shared_bytes, stream>>>(arguments...);
  const cudaError_t launched = cudaGetLastError();
  // A stream goes when its work is done. A child that was launched runs, whatever becomes of its stream: reporting a failure to
  // destroy it as a failed launch would have the range sorted twice at once. Only a failed launch may be made good elsewhere.
  if (where == ChildStream::named && cudaStreamDestroy(stream) != cudaSuccess)
    cudaGetLastError();
  return static_cast<int>(launched);
}

#endif

} // namespace cdp::CDP_RUNTIME

#endif
