/* SPDX-License-Identifier: MIT */
/*
 * Compiles the kernels of by/ for a comparison that is given as source text, by NVRTC, which is loaded when it is first needed.
 * Needs neither a GPU nor a driver.
 */
#ifndef CDPSORT_DEVICE_COMPARE_SOURCE_COMPILER_H
#define CDPSORT_DEVICE_COMPARE_SOURCE_COMPILER_H

#include <cdpsort/by/job.h>
#include <cdpsort/errors.h>

#include <cstdint>
#include <string>

namespace cdp {

struct ComparisonSource {
  std::string text;
  uint64_t item_bytes;
  int architecture; /* 90: compute capability 9.0 */
};

struct CompiledSource {
  cdp_status status =
      CDP_OK;          /* CDP_ERROR_SOURCE, _UNSUPPORTED (there is no compiler, or it does not know the device) or _MEMORY */
  std::string message; /* why, in a sentence */
  std::string log;     /* all that the compiler said */
  std::string code;    /* a cubin, or PTX where the compiler is older than the device */
  std::string kernel_names[by::KERNELS]; /* as the code has them */
};

/* Compiles it. Throws std::bad_alloc. */
CompiledSource compile_source(const ComparisonSource &source);

} // namespace cdp

#endif
