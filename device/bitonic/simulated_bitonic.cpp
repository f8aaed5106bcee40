/* SPDX-License-Identifier: MIT */
#include "bitonic/bitonic_launches.cuh"
