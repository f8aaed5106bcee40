/* SPDX-License-Identifier: MIT */
/*
 * The ways to have keys of the host sorted, timed part by part, and checked.
 *
 *     gpu                      the device sorts
 *     gpu-partition-cpu-sort   the device partitions once, two threads of the CPU sort the parts, as in
 *                              Eduardo Gimeno Borras and Carlos Fulgencio Velasco, "Analisis del Quicksort en CUDA" (2023)
 *     cpu                      the CPU does that, too
 */
#ifndef CDPSORT_SAMPLES_TRANSFER_WAYS_H
#define CDPSORT_SAMPLES_TRANSFER_WAYS_H

#include "memory_place.h"

extern "C" {
#include "partition_keys.h"
}

namespace transfer {

enum class Mode { gpu, gpu_partition_cpu_sort, cpu };

const char *mode_name(Mode mode);

/* Milliseconds. */
struct Times {
  double to_device; /* 0 where nothing is copied */
  double partition; /* by the device or the CPU; 0 where it is not done by itself */
  double sort;      /* all of the work between the copies, the partition with it */
  double to_host;
  double total; /* by the clock: what the parts do not say is the library's, above all its workspace */
};

/* Keys to be sorted again and again. */
struct Work {
  given_keys given;
  cdp_options options;
  unsigned char pivot[KEY_BYTES_MOST];
};

inline size_t bytes_of(const Work &work) {
  return static_cast<size_t>(work.given.count) * type_bytes(work.given.type);
}

/* Sorts them one way, and checks the result. Throws Failure. The parts go to *parts, if that is wanted and
   the way has some. */
Times sort_one_way(const MemoryPlace &place, const Work &work, Mode mode, cdp_partition_kind kind = CDP_PARTITION_DEFAULT,
                   cdp_parts *parts = nullptr);

/* That of the run whose total is the median one, after one that does not count. */
Times median_of_runs(const MemoryPlace &place, const Work &work, Mode mode, uint32_t runs);

} // namespace transfer

#endif
