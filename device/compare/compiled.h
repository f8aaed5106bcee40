/* SPDX-License-Identifier: MIT */
/*
 * Comparisons that were compiled, for as long as the process needs them: one for each source, size of an item and architecture.
 * Several threads may ask at once; the first one compiles, and the others wait for it.
 */
#ifndef CDPSORT_DEVICE_COMPARE_COMPILED_H
#define CDPSORT_DEVICE_COMPARE_COMPILED_H

#include "compare/source_compiler.h"

#include <mutex>

/* What engine.h calls so. */
struct cdp_compiled {
  std::mutex compiling; /* held while the source is compiled, and while its code is loaded */
  bool is_compiled = false;
  cdp::CompiledSource result;

  /* What has loaded the code has its own here, and says how it is got rid of. */
  void *loaded = nullptr;
  void (*unload)(void *loaded) = nullptr;

  cdp_compiled() = default;
  cdp_compiled(const cdp_compiled &) = delete;
  cdp_compiled &operator=(const cdp_compiled &) = delete;
  ~cdp_compiled() {
    if (loaded != nullptr)
      unload(loaded);
  }
};

namespace cdp {

/* Finds a source's code, or compiles it. The thread's log is that of this source. Never NULL; it is there until
   cdp_engine_release_compiled(). Throws std::bad_alloc. */
cdp_compiled *find_compiled(const ComparisonSource &source);

/* How many times a compiler was run: for tests. */
uint64_t compilations();

} // namespace cdp

#endif
