/* SPDX-License-Identifier: MIT */
/**
 * @file device.cuh
 * Bitonic sorts for your own kernels: a header for CUDA C++ (nvcc, C++17) that needs nothing else of the library, and no linking.
 *
 *     #include <cdpsort/device.cuh>
 *
 *     __global__ void sort_tiles(float *keys) {                       // 256 threads, 2,048 keys a block
 *       using Sort = cdpsort::BlockSort<float, 256, 8>;
 *       __shared__ Sort::Shared shared;
 *       float *const tile = keys + blockIdx.x * Sort::TILE_ITEMS;
 *       float own[8];
 *       for (int item = 0; item < 8; item++)
 *         own[item] = tile[item * 256 + threadIdx.x];
 *       Sort sort(shared);
 *       sort.sort(own);                                               // thread t: the keys of rank 8 * t and behind
 *       sort.to_striped(own);                                         // thread t: those of rank t, 256 + t, ...
 *       for (int item = 0; item < 8; item++)
 *         tile[item * 256 + threadIdx.x] = own[item];
 *     }
 *
 * | what | where the items are | by whom | how many | header |
 * | --- | --- | --- | --- | --- |
 * | BlockSort::sort() | registers | a block | THREADS * ITEMS | device/block_sort.cuh |
 * | BlockSort::merge_striped() | registers, bitonic | a block | THREADS * ITEMS | device/block_sort.cuh |
 * | block_sort_keys(), block_sort_pairs() | shared or global memory, in place | a block | any | device/index_sort.cuh |
 * | block_sort_places() | anywhere: you fetch, compare and swap | a block | any | device/index_sort.cuh |
 * | sort_places() | global memory: likewise | grids that the host launches | any | device/index_sort.cuh |
 *
 * For all of them:
 * - Keys are of any type, and compared by a function of yours, compare(a, b): whether a comes before b. By default it is operator<.
 *   Of integers without values that, and cdpsort::Greater{}, is a minimum and a maximum, and faster than any other.
 * - compare must be a strict weak order and depend on its arguments alone. If it is none (operator< of floating-point numbers,
 *   where there are NaNs), the sort ends all the same, in as many steps, with all items, each as often as it was there, in some
 *   order; nothing else is written. A network asks the same questions whatever the answers, and only ever exchanges two items.
 * - Not stable: equal keys end in any order. Where that matters, make where it comes from a part of the key.
 * - The time does not depend on the keys, only on their number: O(n log^2 n).
 * - No error can occur on the device, but for what a wrong argument does, as anywhere in CUDA.
 *
 * The sorts of arrays that the library has (cdpsort.h) are faster for anything longer than a block's tile.
 *
 * Sources: K. E. Batcher, "Sorting networks and their applications" (1968), for both networks; X. T. Nguyen, "Development of
 * parallel sorting algorithms for GPU" (2021), for any length, and for fetch, compare and swap.
 *
 * @since 0.3.0
 */
#ifndef CDPSORT_DEVICE_CUH
#define CDPSORT_DEVICE_CUH

#include <cdpsort/device/block_sort.cuh>
#include <cdpsort/device/index_sort.cuh>

#endif
