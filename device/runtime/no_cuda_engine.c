/* SPDX-License-Identifier: MIT */
/*
 * The engine of CUDA in a build without the CUDA toolkit: there is none. Takes the place of cuda_engine.cu.
 */
#include "engine.h"

const cdp_engine *cdp_engine_cuda(void) {
  return NULL;
}
