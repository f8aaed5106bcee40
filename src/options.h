/* SPDX-License-Identifier: MIT */
/*
 * The caller's cdp_options, checked and resolved.
 */
#ifndef CDPSORT_SRC_OPTIONS_H
#define CDPSORT_SRC_OPTIONS_H

#include <cdpsort/cdpsort.h>

/*
 * Checks `options` (NULL: the defaults) for keys of a valid type. In *resolved no 0 that means "default" is left, but for
 * `depth_limit`, which depends on the count (plan.h), and `device`, which depends on the environment and the keys (device.h).
 * CDP_ERROR_OPTION otherwise.
 */
cdp_status cdp_options_resolve(const cdp_options *options, cdp_type type, cdp_options *resolved);

#endif
