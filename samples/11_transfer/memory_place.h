/* SPDX-License-Identifier: MIT */
/*
 * Keys where the host has them, and where the device works on them: the one thing in which the ways to transfer them differ.
 *
 *     pageable, pinned   two arrays; the keys are copied from the host's to the device's, and back
 *     managed            one array that both reach; its pages move when they are touched
 *     simulated device   one array: the device works where the host has its keys, in pageable memory alone
 */
#ifndef CDPSORT_SAMPLES_TRANSFER_MEMORY_PLACE_H
#define CDPSORT_SAMPLES_TRANSFER_MEMORY_PLACE_H

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace transfer {

enum class Memory { pageable, pinned, managed };

const char *memory_name(Memory memory);

/* What there is: pageable memory alone where no GPU is at work. */
std::vector<Memory> memories(bool simulated);

/* What went wrong, and what the program then exits with. */
struct Failure : std::runtime_error {
  Failure(int with, const std::string &what) : std::runtime_error(what), code(with) {}
  int code;
};

/* Makes the CUDA device current that the library's last call ran on. */
void use_device_of_library(bool simulated);

/* Both arrays of some keys. Pages are touched when it is made, so that no measurement pays for it. */
class MemoryPlace {
public:
  /* Throws Failure. */
  MemoryPlace(Memory memory, size_t bytes, bool simulated);
  ~MemoryPlace();
  MemoryPlace(const MemoryPlace &) = delete;
  MemoryPlace &operator=(const MemoryPlace &) = delete;

  void *keys() const {
    return keys_;
  }

  /* What the library is given. */
  void *d_keys() const {
    return d_keys_;
  }

  bool is_copied() const {
    return d_keys_ != keys_;
  }

  /* Copy all keys and return when that is done. Where there is one array, nothing is copied; of managed memory every page
     is read on the way back, so that all are the host's again. */
  void bring_to_device() const;
  void bring_to_host() const;

private:
  void release() noexcept;

  Memory memory_;
  size_t bytes_;
  void *keys_ = nullptr;
  void *d_keys_ = nullptr;
};

} // namespace transfer

#endif
