/* SPDX-License-Identifier: MIT */
/*
 * Whether a test is compiled with AddressSanitizer.
 */
#ifndef CDPSORT_TESTS_SANITIZED_H
#define CDPSORT_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define HOST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOST_SANITIZED 1
#endif
#endif
#ifndef HOST_SANITIZED
#define HOST_SANITIZED 0
#endif

#endif
