/* SPDX-License-Identifier: MIT */
/*
 * See found.h.
 */
#include "found.h"

#include <cstring>

namespace bench {

uint64_t count_wrong_keys(const Mode &mode, const KeySpan &in_order, const void *d_found, cudaStream_t stream) {
  const size_t key_bytes = device_data::key_bytes(in_order.type);
  const uint64_t found = mode.found.keys_of(in_order.count);
  const char *d_keys = static_cast<const char *>(in_order.d_keys);
  std::vector<char> there(found * key_bytes);
  std::vector<char> wanted(found * key_bytes);
  REQUIRE(cudaMemcpyAsync(there.data(), d_found, there.size(), cudaMemcpyDeviceToHost, stream));
  for (uint64_t which = 0; which < found; which++)
    REQUIRE(cudaMemcpyAsync(&wanted[which * key_bytes], d_keys + mode.found.rank(which, in_order.count) * key_bytes, key_bytes,
                            cudaMemcpyDeviceToHost, stream));
  REQUIRE(cudaStreamSynchronize(stream));
  uint64_t wrong = 0;
  for (uint64_t which = 0; which < found; which++)
    wrong += memcmp(&there[which * key_bytes], &wanted[which * key_bytes], key_bytes) != 0 ? 1 : 0;
  return wrong;
}

} // namespace bench
