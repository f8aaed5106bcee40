/* SPDX-License-Identifier: MIT */
#include "payload/payload_launches.cuh"
