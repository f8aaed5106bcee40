/* SPDX-License-Identifier: MIT */
/*
 * All kernels of a sort by comparison. They are given rules as a template parameter:
 *
 *     Rules::Item                         what is moved: the caller's items, or their indices (Index)
 *     Rules::Context                      what a comparison needs, as a kernel's parameter
 *     Rules::comparison(job, context)     a function of two items: whether the first comes before the second
 */
#ifndef CDPSORT_BY_ALL_KERNELS_CUH
#define CDPSORT_BY_ALL_KERNELS_CUH

#include "cdpsort/by/divide_items.cuh"
#include "cdpsort/by/finish.cuh"

#endif
