/* SPDX-License-Identifier: MIT */
/*
 * Copies between device memory and pageable host memory, by way of pinned memory. Used by cuda_engine.cu alone, for blocking calls.
 *
 * 1. CUDA copies pageable memory by one thread and a small pinned buffer: 8 GB/s to the device and 15 GB/s back on an H200 (2026-11-29).
 *    Pinned memory is copied at 55 GB/s.
 * 2. The thread's memcpy() is what limits it. Threads that copy parts of a chunk add up until the memory of the host is the limit.
 * 3. To pin memory takes longer than to copy it, so pinned memory has to be kept between calls, and has to be small.
 * Therefore long arrays go through STAGING_CHUNKS pinned chunks in turns: while the device reads or writes one, up to MAX_COPIERS threads fill
 * or empty the next. The threads end with the copy. Where there is no pinned memory to be had, CUDA copies as it does.
 */
#ifndef CDPSORT_DEVICE_RUNTIME_CUDA_STAGING_CUH
#define CDPSORT_DEVICE_RUNTIME_CUDA_STAGING_CUH

#include "runtime/cuda_context.cuh"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

namespace cdp::cuda {

/* Shorter arrays are copied by CUDA: threads take some 50 us to start. */
constexpr size_t MIN_STAGED_BYTES = size_t{64} << 20;
/* A chunk is long enough that a meeting of the threads, some 10 us, costs a tenth of its copy at most. */
constexpr size_t STAGING_CHUNK_BYTES = size_t{4} << 20;
constexpr size_t STAGING_CHUNKS = 4;
constexpr size_t STAGING_BYTES = STAGING_CHUNK_BYTES * STAGING_CHUNKS;
/* The calling thread among them. */
constexpr unsigned MAX_COPIERS = 4;

/* Threads that copy host memory together. They call nothing of CUDA's. */
class Copiers {
public:
  Copiers() {
    const unsigned wanted = std::min(MAX_COPIERS, std::max(1u, std::thread::hardware_concurrency()));
    try {
      for (; helpers + 1 < wanted; helpers++)
        threads[helpers] = std::thread([this, share = helpers + 1] { serve(share); });
    } catch (const std::system_error &) {
      // no thread is to be had: fewer of them copy
    }
  }

  ~Copiers() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      is_over = true;
    }
    changed.notify_all();
    for (unsigned index = 0; index < helpers; index++)
      threads[index].join();
  }
  Copiers(const Copiers &) = delete;
  Copiers &operator=(const Copiers &) = delete;

  /* Returns when all bytes are copied. */
  void copy(void *to, const void *from, size_t size) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      target = static_cast<unsigned char *>(to);
      source = static_cast<const unsigned char *>(from);
      bytes = size;
      working = helpers;
      round++;
    }
    changed.notify_all();
    copy_share(0);
    std::unique_lock<std::mutex> lock(mutex);
    done.wait(lock, [this] { return working == 0; });
  }

private:
  void copy_share(unsigned share) {
    const size_t begin = bytes / (helpers + 1) * share;
    const size_t end = share == helpers ? bytes : bytes / (helpers + 1) * (share + 1);
    memcpy(target + begin, source + begin, end - begin);
  }

  void serve(unsigned share) {
    unsigned long long seen = 0;
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return is_over || round != seen; });
      if (is_over)
        return;
      seen = round;
      lock.unlock();
      copy_share(share);
      lock.lock();
      working--;
      if (working == 0)
        done.notify_one();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::condition_variable done;
  std::thread threads[MAX_COPIERS - 1];
  unsigned helpers = 0; /* threads besides the calling one. Written before the first copy alone */
  unsigned working = 0;
  unsigned long long round = 0;
  bool is_over = false;
  unsigned char *target = nullptr;
  const unsigned char *source = nullptr;
  size_t bytes = 0;
};

/* An array's way through the chunks of `pinned`, on a stream. Blocks until all of it has arrived, or until an error. */
class StagedCopy {
public:
  StagedCopy(void *pinned_memory, cudaStream_t of_stream)
      : pinned(static_cast<unsigned char *>(pinned_memory)), stream(of_stream) {}

  ~StagedCopy() {
    for (cudaEvent_t event : events)
      if (event != nullptr)
        unrecorded(cudaEventDestroy(event));
  }
  StagedCopy(const StagedCopy &) = delete;
  StagedCopy &operator=(const StagedCopy &) = delete;

  cudaError_t to_device(void *to, const void *from, size_t bytes) {
    cudaError_t error = create_events();
    Copiers copiers;
    for (size_t at = 0, chunk = 0; at < bytes && error == cudaSuccess; at += STAGING_CHUNK_BYTES, chunk++) {
      const size_t length = std::min(STAGING_CHUNK_BYTES, bytes - at);
      if (chunk >= STAGING_CHUNKS)
        error = await(chunk); // the device has read what was there
      if (error != cudaSuccess)
        break;
      copiers.copy(place_of(chunk), static_cast<const unsigned char *>(from) + at, length);
      error = start(chunk, static_cast<unsigned char *>(to) + at, place_of(chunk), length);
    }
    const cudaError_t finished = unrecorded(cudaStreamSynchronize(stream)); // nothing reads the chunks any more
    return error != cudaSuccess ? error : finished;
  }

  cudaError_t to_host(void *to, const void *from, size_t bytes) {
    cudaError_t error = create_events();
    Copiers copiers;
    const size_t chunks = (bytes + STAGING_CHUNK_BYTES - 1) / STAGING_CHUNK_BYTES;
    for (size_t chunk = 0; chunk < std::min(chunks, STAGING_CHUNKS) && error == cudaSuccess; chunk++)
      error = fetch(chunk, from, bytes);
    for (size_t chunk = 0; chunk < chunks && error == cudaSuccess; chunk++) {
      error = await(chunk);
      if (error == cudaSuccess)
        copiers.copy(static_cast<unsigned char *>(to) + chunk * STAGING_CHUNK_BYTES, place_of(chunk), length_of(chunk, bytes));
      if (error == cudaSuccess && chunk + STAGING_CHUNKS < chunks)
        error = fetch(chunk + STAGING_CHUNKS, from, bytes);
    }
    const cudaError_t finished = unrecorded(cudaStreamSynchronize(stream)); // nothing writes the chunks any more
    return error != cudaSuccess ? error : finished;
  }

private:
  unsigned char *place_of(size_t chunk) const {
    return pinned + chunk % STAGING_CHUNKS * STAGING_CHUNK_BYTES;
  }

  static size_t length_of(size_t chunk, size_t bytes) {
    return std::min(STAGING_CHUNK_BYTES, bytes - chunk * STAGING_CHUNK_BYTES);
  }

  cudaError_t create_events() {
    cudaError_t error = cudaSuccess;
    for (size_t index = 0; index < STAGING_CHUNKS && error == cudaSuccess; index++)
      error = unrecorded(cudaEventCreateWithFlags(&events[index], cudaEventDisableTiming));
    return error;
  }

  cudaError_t await(size_t chunk) const {
    return unrecorded(cudaEventSynchronize(events[chunk % STAGING_CHUNKS]));
  }

  cudaError_t start(size_t chunk, void *to, const void *from, size_t length) const {
    const cudaError_t error = unrecorded(cudaMemcpyAsync(to, from, length, cudaMemcpyDefault, stream));
    return error != cudaSuccess ? error : unrecorded(cudaEventRecord(events[chunk % STAGING_CHUNKS], stream));
  }

  cudaError_t fetch(size_t chunk, const void *from, size_t bytes) const {
    return start(chunk, place_of(chunk), static_cast<const unsigned char *>(from) + chunk * STAGING_CHUNK_BYTES,
                 length_of(chunk, bytes));
  }

  unsigned char *pinned;
  cudaStream_t stream;
  cudaEvent_t events[STAGING_CHUNKS] = {};
};

/* Whether CUDA knows nothing of a pointer: it is pageable memory of the host's. */
inline bool is_pageable(const void *pointer) {
  cudaPointerAttributes attributes;
  return unrecorded(cudaPointerGetAttributes(&attributes, pointer)) == cudaSuccess &&
         attributes.type == cudaMemoryTypeUnregistered;
}

/* Copies an array between the device and pageable host memory. */
inline cudaError_t copy_staged(void *pinned, void *to, const void *from, size_t bytes, bool is_to_host, cudaStream_t stream) {
  StagedCopy copy(pinned, stream);
  return is_to_host ? copy.to_host(to, from, bytes) : copy.to_device(to, from, bytes);
}

} // namespace cdp::cuda

#endif
