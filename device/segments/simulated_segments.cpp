/* SPDX-License-Identifier: MIT */
#include "segments/segments_launches.cuh"
