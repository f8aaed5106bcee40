/* SPDX-License-Identifier: MIT */
#include "select/select_launches.cuh"
