/* SPDX-License-Identifier: MIT */
#include "payload/payload_launches.cuh"
#include "payload/records.cuh"
