/* SPDX-License-Identifier: MIT */
/*
 * The files that a comparison's source is compiled with, as text: source_files.in has them put in when the library is built.
 */
#ifndef CDPSORT_DEVICE_COMPARE_SOURCE_FILES_H
#define CDPSORT_DEVICE_COMPARE_SOURCE_FILES_H

#include <cstddef>

namespace cdp {

/* As they include each other, by names such as "cdpsort/by/job.h"; both end with NULL, and texts with 0. */
extern const char *const SOURCE_FILE_NAMES[];
extern const char *const SOURCE_FILE_TEXTS[];

} // namespace cdp

#endif
