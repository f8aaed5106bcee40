/* SPDX-License-Identifier: MIT */
#include "payload/divide_launches.cuh"
