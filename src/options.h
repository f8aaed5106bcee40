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

/* A structure of the caller's, which begins with its size. */
typedef struct cdp_structure {
  const char *name; /* as messages call it */
  const char *type;
  const char *initialiser;
  size_t bytes; /* of this library's */
} cdp_structure;

/* Copies one, whichever version of it the caller was compiled with. CDP_ERROR_OPTION for one that this library does not know. */
cdp_status cdp_structure_read(const cdp_structure *kind, const void *given, void *known);

#endif
