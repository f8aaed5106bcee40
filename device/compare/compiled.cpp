/* SPDX-License-Identifier: MIT */
/*
 * See compiled.h.
 */
#include "compare/compiled.h"
#include "engine.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace cdp {

namespace {

using Key = std::tuple<std::string, uint64_t, int>;

/* Never destroyed: when the process ends, the driver may be gone before the library. */
struct Cache {
  std::mutex looking;
  std::map<Key, std::unique_ptr<cdp_compiled>> entries;
};

Cache &cache() {
  static Cache *const only = new Cache;
  return *only;
}

std::atomic<uint64_t> compiler_runs{0};

thread_local std::string last_log;

cdp_compiled *find_entry(const ComparisonSource &source) {
  const std::lock_guard<std::mutex> lock(cache().looking);
  std::unique_ptr<cdp_compiled> &entry = cache().entries[Key(source.text, source.item_bytes, source.architecture)];
  if (!entry)
    entry = std::make_unique<cdp_compiled>();
  return entry.get();
}

} // namespace

cdp_compiled *find_compiled(const ComparisonSource &source) {
  cdp_compiled *entry = find_entry(source);
  const std::lock_guard<std::mutex> lock(entry->compiling);
  if (!entry->is_compiled) {
    compiler_runs++;
    entry->result = compile_source(source);
    // A source that does not compile never will; a compiler that is not there may come.
    entry->is_compiled = entry->result.status == CDP_OK || entry->result.status == CDP_ERROR_SOURCE;
  }
  last_log = entry->result.log;
  return entry;
}

uint64_t compilations() {
  return compiler_runs;
}

} // namespace cdp

extern "C" const char *cdp_engine_compiler_log(void) {
  return cdp::last_log.c_str();
}

extern "C" void cdp_engine_release_compiled(void) {
  const std::lock_guard<std::mutex> lock(cdp::cache().looking);
  cdp::cache().entries.clear();
}
