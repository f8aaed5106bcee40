/* SPDX-License-Identifier: MIT */
#include "layouts.cuh"
