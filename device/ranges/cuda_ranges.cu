/* SPDX-License-Identifier: MIT */
#include "ranges/ranges_launches.cuh"
