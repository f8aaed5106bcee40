/* SPDX-License-Identifier: MIT */
/*
 * Numbers of sorts with values or indices (payload/), for every kind of device.
 */
#ifndef CDPSORT_DEVICE_TUNING_PAYLOAD_H
#define CDPSORT_DEVICE_TUNING_PAYLOAD_H

#include <cstdint>

namespace cdp {

/*
 * Threads of a block, and items of a thread, of all kernels that pack, unpack and gather. They wait for memory and for nothing else:
 * small blocks come and go one by one, and with four loads of each thread on their way an H200's memory is kept busy.
 */
constexpr uint32_t PAYLOAD_THREADS = 256;
constexpr uint32_t PAYLOAD_ITEMS = 4;
constexpr uint32_t PAYLOAD_TILE = PAYLOAD_THREADS * PAYLOAD_ITEMS;

/* Most blocks that look for the least and the greatest key: each warp adds an atomic for either, all to one address, and a few blocks
   to each multiprocessor keep memory as busy as more would. */
constexpr uint32_t MAX_WINDOW_BLOCKS = 1024;

/* The longest run of keys of 8 bytes whose keys are ordered where they lie: each of them reads all of it. With the 38 bits of a window
   that 2^26 positions leave, random keys have runs of 2; longer ones are for keys that are spread unevenly, at no cost to others. */
constexpr uint32_t MOST_RUN_KEYS = 32;

} // namespace cdp

#endif
