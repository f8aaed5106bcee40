/* SPDX-License-Identifier: MIT */
/* Keys of the host and of the device: see memory_place.h. Without CUDA there is pageable memory alone. */
#include "memory_place.h"

#include <cdpsort/cdpsort.h>

#include <cstdlib>
#include <cstring>

extern "C" {
#include "command_line.h"
}

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
  throw Failure(error == cudaErrorMemoryAllocation ? EXIT_DATA : EXIT_LIBRARY,
                std::string(doing) + " failed: " + cudaGetErrorString(error));
}

/* Other memory than pageable one; NULL for that. */
void *allocate_by_cuda(Memory memory, size_t bytes) {
  void *keys = nullptr;
  if (memory == Memory::pinned)
    check(cudaMallocHost(&keys, bytes), "allocating pinned memory");
  else if (memory == Memory::managed)
    check(cudaMallocManaged(&keys, bytes, cudaMemAttachGlobal), "allocating managed memory");
  return keys;
}

void *allocate_on_device(size_t bytes) {
  void *d_keys = nullptr;
  check(cudaMalloc(&d_keys, bytes), "allocating device memory");
  return d_keys;
}

/* Failures are of no consequence: the process is at the end of its use for the memory. */
void free_by_cuda(Memory memory, void *keys) {
  if (keys != nullptr && (memory == Memory::pinned ? cudaFreeHost(keys) : cudaFree(keys)) != cudaSuccess)
    cudaGetLastError();
}

void copy(void *target, const void *source, size_t bytes, bool to_device) {
  check(cudaMemcpy(target, source, bytes, to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost), "copying");
  // From pageable memory the call returns when all is staged, which may be before it has arrived.
  if (to_device)
    check(cudaDeviceSynchronize(), "copying");
}
#else
void *allocate_by_cuda(Memory, size_t) {
  return nullptr;
}

void *allocate_on_device(size_t) {
  throw Failure(EXIT_LIBRARY, "this program was built without CUDA");
}

void free_by_cuda(Memory, void *) {}

void copy(void *, const void *, size_t, bool) {}
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

void use_device_of_library([[maybe_unused]] bool simulated) {
#ifdef CDPSORT_HAVE_CUDA
  static const char words[] = "CUDA device ";
  const char *number = simulated ? nullptr : std::strstr(cdp_last_device(), words);
  if (number != nullptr)
    check(cudaSetDevice(static_cast<int>(std::strtol(number + sizeof words - 1, nullptr, 10))), "choosing the device");
#endif
}

MemoryPlace::MemoryPlace(Memory memory, size_t bytes, bool simulated) : memory_(memory), bytes_(bytes) {
  keys_ = memory == Memory::pageable ? std::malloc(bytes) : allocate_by_cuda(memory, bytes);
  if (keys_ == nullptr)
    throw Failure(EXIT_DATA, "not enough memory for the keys");
  std::memset(keys_, 0, bytes);
  d_keys_ = keys_;
  if (simulated || memory == Memory::managed)
    return;
  try {
    d_keys_ = allocate_on_device(bytes);
  } catch (...) {
    release();
    throw;
  }
}

MemoryPlace::~MemoryPlace() {
  release();
}

void MemoryPlace::release() noexcept {
  if (is_copied())
    free_by_cuda(Memory::managed, d_keys_); // cudaFree() for both
  if (memory_ == Memory::pageable)
    std::free(keys_);
  else
    free_by_cuda(memory_, keys_);
}

void MemoryPlace::bring_to_device() const {
  if (is_copied())
    copy(d_keys_, keys_, bytes_, true);
}

void MemoryPlace::bring_to_host() const {
  if (is_copied())
    copy(keys_, d_keys_, bytes_, false);
  if (memory_ != Memory::managed)
    return;
  const volatile unsigned char *bytes = static_cast<const unsigned char *>(keys_);
  for (size_t at = 0; at < bytes_; at += PAGE_BYTES)
    static_cast<void>(bytes[at]);
}

} // namespace transfer
