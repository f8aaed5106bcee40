/* SPDX-License-Identifier: MIT */
/*
 * The caller's cdp_options, checked and resolved.
 */
#ifndef CDPSORT_SRC_OPTIONS_H
#define CDPSORT_SRC_OPTIONS_H

#include "engine.h"

/* Checks `options` (NULL: the defaults) for keys of a valid type, and says in *settings what they mean. CDP_ERROR_OPTION, and
   *settings untouched, if they mean nothing. */
cdp_status cdp_options_resolve(const cdp_options *options, cdp_type type, cdp_settings *settings);

#endif
