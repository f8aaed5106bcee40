/* SPDX-License-Identifier: MIT */
/* Keys of the host and of the device: see memory_place.h. Without CUDA there is pageable memory alone. */
#include "memory_place.h"

#include <cdpsort/cdpsort.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifdef CDPSORT_HAVE_CUDA
#include <cuda_runtime.h>
#endif

namespace transfer {

namespace {

constexpr size_t PAGE_BYTES = 4096;

#ifdef CDPSORT_HAVE_CUDA
void check(cudaError_t error, const char *doing) {
  if (error == cudaSuccess)
    return;
  cudaGetLastError();
  const std::string what = std::string(doing) + " failed: " + cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation)
    throw MemoryMissing(what);
  throw TransferFailure(what);
}
#endif

} // namespace

const char *memory_name(Memory memory) {
  static const char *const names[] = {"pageable", "pinned", "managed"};
  return names[static_cast<int>(memory)];
}

std::vector<Memory> memories(bool simulated) {
  if (simulated)
    return {Memory::pageable};
  return {Memory::pageable, Memory::pinned, Memory::managed};
}

void use_device_of_library(bool simulated) {
#ifdef CDPSORT_HAVE_CUDA
  static const char words[] = "CUDA device ";
  const char *number = simulated ? nullptr : std::strstr(cdp_last_device(), words);
  if (number != nullptr)
    check(cudaSetDevice(static_cast<int>(std::strtol(number + sizeof words - 1, nullptr, 10))), "choosing the device");
#else
  static_cast<void>(simulated);
#endif
}

#ifdef CDPSORT_HAVE_CUDA

MemoryPlace::MemoryPlace(Memory memory, size_t bytes, bool simulated) : memory_(memory), bytes_(bytes) {
  try {
    if (memory == Memory::pinned)
      check(cudaMallocHost(&keys_, bytes), "allocating pinned memory");
    else if (memory == Memory::managed)
      check(cudaMallocManaged(&keys_, bytes, cudaMemAttachGlobal), "allocating managed memory");
    else if ((keys_ = std::malloc(bytes)) == nullptr)
      throw MemoryMissing("not enough memory for the keys");
    d_keys_ = keys_;
    std::memset(keys_, 0, bytes);
    if (simulated || memory == Memory::managed)
      return;
    d_keys_ = nullptr;
    check(cudaMalloc(&d_keys_, bytes), "allocating device memory");
  } catch (...) {
    release();
    throw;
  }
}

/* Failures are of no consequence: the process is at the end of its use for the memory. */
void MemoryPlace::release() noexcept {
  if (d_keys_ != nullptr && d_keys_ != keys_ && cudaFree(d_keys_) != cudaSuccess)
    cudaGetLastError();
  if (memory_ == Memory::pageable)
    std::free(keys_);
  else if (keys_ != nullptr && (memory_ == Memory::pinned ? cudaFreeHost(keys_) : cudaFree(keys_)) != cudaSuccess)
    cudaGetLastError();
}

void MemoryPlace::copy_to_device() const {
  if (!is_copied())
    return;
  check(cudaMemcpy(d_keys_, keys_, bytes_, cudaMemcpyHostToDevice), "copying to the device");
  // From pageable memory the call returns when all is staged, which may be before it has arrived.
  check(cudaDeviceSynchronize(), "copying to the device");
}

void MemoryPlace::copy_to_host() const {
  if (is_copied())
    check(cudaMemcpy(keys_, d_keys_, bytes_, cudaMemcpyDeviceToHost), "copying to the host");
}

#else

MemoryPlace::MemoryPlace(Memory memory, size_t bytes, bool) : memory_(memory), bytes_(bytes), keys_(std::malloc(bytes)) {
  if (keys_ == nullptr)
    throw MemoryMissing("not enough memory for the keys");
  d_keys_ = keys_;
  std::memset(keys_, 0, bytes);
}

void MemoryPlace::release() noexcept {
  std::free(keys_);
}

void MemoryPlace::copy_to_device() const {}

void MemoryPlace::copy_to_host() const {}

#endif

MemoryPlace::~MemoryPlace() {
  release();
}

void MemoryPlace::bring_to_host() const {
  copy_to_host();
  if (memory_ != Memory::managed)
    return;
  const volatile unsigned char *bytes = static_cast<const unsigned char *>(keys_);
  for (size_t at = 0; at < bytes_; at += PAGE_BYTES)
    static_cast<void>(bytes[at]);
}

} // namespace transfer
