/* SPDX-License-Identifier: MIT */
/*
 * Keys and values as records, and back: see sorter.h.
 */
#include "stopwatch.h"

namespace bench {

namespace {

constexpr size_t FIELD_BYTES = sizeof(uint64_t);

/* From an array to the fields at an offset of all records, or back. */
void copy_fields(void *to, size_t to_pitch, const void *from, size_t from_pitch, const Workplace &place) {
  REQUIRE(
      cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, FIELD_BYTES, place.keys.count, cudaMemcpyDeviceToDevice, place.stream));
}

} // namespace

size_t records_bytes(uint64_t count) {
  return aligned(count * RECORD_BYTES);
}

double sort_as_records(const Workplace &place, void *(*sort)(const Workplace &place)) {
  char *d_records = static_cast<char *>(place.d_workspace);
  const Clock clock;
  float milliseconds = 0;
  REQUIRE(cudaMemsetAsync(d_records, 0, place.keys.count * RECORD_BYTES, place.stream));
  copy_fields(d_records, RECORD_BYTES, place.keys.d_keys, FIELD_BYTES, place);
  copy_fields(d_records + FIELD_BYTES, RECORD_BYTES, place.d_values, FIELD_BYTES, place);
  REQUIRE(cudaEventRecord(clock.begin, place.stream));
  const char *d_sorted = static_cast<const char *>(sort(place));
  REQUIRE(cudaEventRecord(clock.end, place.stream));
  copy_fields(place.keys.d_keys, FIELD_BYTES, d_sorted, RECORD_BYTES, place);
  copy_fields(place.d_values, FIELD_BYTES, d_sorted + FIELD_BYTES, RECORD_BYTES, place);
  REQUIRE(cudaEventSynchronize(clock.end));
  REQUIRE(cudaEventElapsedTime(&milliseconds, clock.begin, clock.end));
  return static_cast<double>(milliseconds);
}

} // namespace bench
