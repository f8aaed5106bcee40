/* SPDX-License-Identifier: MIT */
/*
 * What the library keeps between calls in a CUDA context: a pool of device memory, streams for blocking calls, and pinned memory for
 * copies of long arrays in pageable memory (cuda_staging.cuh).
 *
 * 1. CUDA's default pool gives memory back to the system at each synchronisation, and maps it again at the next allocation: up to
 *    60 % of a long sort's time, and six times a short sort's.
 * 2. A program may raise the default pool's threshold, but a library must not: that pool is the program's.
 * 3. Creating a stream and destroying it takes longer than a short sort does.
 * Therefore the library has a pool of its own in each context, with a threshold of its own, and lends streams instead of creating
 * them. At most as many streams are kept as blocking calls were under way at once, and at most MAX_IDLE_STREAMS.
 *
 * A context is known by a number that no other one has had: after cudaDeviceReset() there is a new one, and what was kept of the old one
 * is forgotten, for CUDA has destroyed it. Used by cuda_engine.cu alone, from any thread, with the context's device current.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_CUDA_RESOURCES_CUH
#define CDPSORT_DEVICE_RUNTIME_CUDA_RESOURCES_CUH

#include "runtime/cuda_staging.cuh"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace cdp::cuda {

/* How much of a device's memory the pool keeps at most: other libraries of the process must not starve. */
constexpr uint64_t KEPT_SHARE_OF_MEMORY = 16;

class Resources {
public:
  /* Lends a stream; give_back() takes it back when all its work is finished. */
  cudaError_t lend(cudaStream_t *stream) {
    const uint64_t context = current_context_number();
    if (context != 0) {
      const std::lock_guard<std::mutex> lock(mutex);
      Kept *kept = find(context);
      if (kept != nullptr && kept->idle_streams > 0) {
        *stream = kept->streams[--kept->idle_streams];
        return cudaSuccess;
      }
    }
    return unrecorded(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  }

  void give_back(cudaStream_t stream) {
    const uint64_t context = current_context_number();
    if (context != 0) {
      const std::lock_guard<std::mutex> lock(mutex);
      Kept &kept = find_or_add(context);
      if (kept.idle_streams < MAX_IDLE_STREAMS) {
        kept.streams[kept.idle_streams++] = stream;
        return;
      }
    }
    unrecorded(cudaStreamDestroy(stream));
  }

  /* Allocates in the order of a stream, which may be captured, on the current device, whose memory has so many bytes in all. */
  cudaError_t allocate(int ordinal, uint64_t device_bytes, size_t bytes, cudaStream_t stream, void **memory) {
    cudaMemPool_t pool = nullptr;
    cudaError_t error = find_pool(ordinal, device_bytes, &pool);
    if (error == cudaSuccess)
      error = unrecorded(cudaMallocFromPoolAsync(memory, bytes, pool, stream));
    return error;
  }

  /* Lends STAGING_BYTES of pinned memory; NULL: there is none to be had. */
  void *lend_staging() {
    const uint64_t context = current_context_number();
    void *memory = nullptr;
    if (context != 0) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (Kept *kept = find(context))
        std::swap(memory, kept->staging);
    }
    if (memory == nullptr && unrecorded(cudaHostAlloc(&memory, STAGING_BYTES, cudaHostAllocDefault)) != cudaSuccess)
      return nullptr;
    return memory;
  }

  /* Keeps it for the next call, unless another one's is kept already, or nothing is to be kept. */
  void give_back_staging(void *memory) {
    const uint64_t context = current_context_number();
    if (context != 0) {
      const std::lock_guard<std::mutex> lock(mutex);
      Kept &kept = find_or_add(context);
      if (ceiling != 0 && kept.staging == nullptr)
        std::swap(memory, kept.staging);
    }
    if (memory != nullptr)
      unrecorded(cudaFreeHost(memory));
  }

  /* The most bytes that each pool keeps from now on. That of the current context gives back at once what it keeps beyond that, others at
     their next call: whether their context is still there is not known here. */
  cudaError_t set_ceiling(uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    ceiling = bytes;
    Kept *kept = find(current_context_number());
    if (kept != nullptr && bytes == 0)
      free_staging(*kept);
    return kept != nullptr && kept->pool != nullptr ? set_threshold(*kept) : cudaSuccess;
  }

  /* Gives back to the system what is kept for the current context, and nothing that is in use. */
  cudaError_t trim() {
    const std::lock_guard<std::mutex> lock(mutex);
    Kept *kept = find(current_context_number());
    if (kept != nullptr)
      free_staging(*kept);
    return kept != nullptr && kept->pool != nullptr ? unrecorded(cudaMemPoolTrimTo(kept->pool, 0)) : cudaSuccess;
  }

private:
  static constexpr int MAX_IDLE_STREAMS = 16;
  static constexpr int MAX_CONTEXTS = 64; /* of more, the one that was met first is forgotten */

  struct Kept {
    uint64_t context = 0; /* its number; 0: none */
    cudaMemPool_t pool = nullptr;
    uint64_t most_bytes = 0; /* that the pool may keep, whatever the ceiling */
    uint64_t threshold = 0;  /* that it may keep now */
    void *staging = nullptr; /* STAGING_BYTES of pinned memory */
    int idle_streams = 0;
    cudaStream_t streams[MAX_IDLE_STREAMS] = {};
  };

  /* These are called with the lock held. */
  Kept *find(uint64_t context) {
    if (context == 0)
      return nullptr;
    for (Kept &kept : all)
      if (kept.context == context)
        return &kept;
    return nullptr;
  }

  Kept &find_or_add(uint64_t context) {
    if (Kept *known = find(context))
      return *known;
    Kept &added = all[next];
    next = (next + 1) % MAX_CONTEXTS;
    added = {};
    added.context = context;
    return added;
  }

  static void free_staging(Kept &kept) {
    if (kept.staging != nullptr)
      unrecorded(cudaFreeHost(kept.staging));
    kept.staging = nullptr;
  }

  /* Keeps what the ceiling allows, and gives back the rest. */
  cudaError_t set_threshold(Kept &kept) const {
    uint64_t threshold = std::min(ceiling, kept.most_bytes);
    const cudaError_t error = unrecorded(cudaMemPoolSetAttribute(kept.pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    if (error != cudaSuccess)
      return error;
    kept.threshold = threshold;
    return unrecorded(cudaMemPoolTrimTo(kept.pool, threshold));
  }

  cudaError_t make_pool(int ordinal, uint64_t device_bytes, Kept &kept) const {
    const RelaxedCapture relaxed(true);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = ordinal;
    cudaError_t error = unrecorded(cudaMemPoolCreate(&kept.pool, &properties));
    if (error != cudaSuccess)
      return error;
    kept.most_bytes = device_bytes / KEPT_SHARE_OF_MEMORY;
    error = set_threshold(kept);
    if (error != cudaSuccess) {
      unrecorded(cudaMemPoolDestroy(kept.pool));
      kept.pool = nullptr;
    }
    return error;
  }

  /* The current context's pool, made when it is first asked for. A thread without a context gets the device's primary one. */
  cudaError_t find_pool(int ordinal, uint64_t device_bytes, cudaMemPool_t *pool) {
    uint64_t context = current_context_number();
    if (context == 0) {
      const cudaError_t error = unrecorded(cudaSetDevice(ordinal));
      if (error != cudaSuccess)
        return error;
      context = current_context_number();
    }
    if (context == 0) // a driver that does not number contexts: as if nothing were kept
      return unrecorded(cudaDeviceGetDefaultMemPool(pool, ordinal));
    const std::lock_guard<std::mutex> lock(mutex);
    Kept &kept = find_or_add(context);
    cudaError_t error = cudaSuccess;
    if (kept.pool == nullptr)
      error = make_pool(ordinal, device_bytes, kept);
    else if (kept.threshold != std::min(ceiling, kept.most_bytes))
      error = set_threshold(kept);
    *pool = kept.pool;
    return error;
  }

  std::mutex mutex;
  uint64_t ceiling = UINT64_MAX;
  Kept all[MAX_CONTEXTS];
  int next = 0;
};

/* Never destroyed: a thread may sort while the process ends. */
inline Resources &resources() {
  static Resources *const made = new Resources;
  return *made;
}

} // namespace cdp::cuda

#endif
