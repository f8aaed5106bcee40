# SPDX-License-Identifier: MIT
"""Loads the shared library into Python, sorts on the simulated device, and compares with what Python makes of the same keys.

usage: python3 load.py LIBRARY, with CDPSORT_DEVICE=simulated
"""
import array
import ctypes
import random
import sys
import threading

COUNT = 20000
U32, F64 = 1, 6  # cdp_type


def load(path):
    library = ctypes.CDLL(path)
    library.cdp_quicksort.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
    library.cdp_quicksort.restype = ctypes.c_int
    library.cdp_last_message.argtypes = []
    library.cdp_last_message.restype = ctypes.c_char_p
    return library


def check(library, what, keys, key_type):
    expected = sorted(keys)
    address, count = keys.buffer_info()
    status = library.cdp_quicksort(address, count, key_type, None)
    if status != 0:
        sys.exit(f"error: {what}: status {status}: {library.cdp_last_message().decode()}")
    if list(keys) != expected:
        sys.exit(f"error: {what}: not sorted")


def check_both(library, seed, done):
    draw = random.Random(seed)
    check(library, "u32", array.array("I", (draw.getrandbits(32) for _ in range(COUNT))), U32)
    check(library, "f64", array.array("d", (draw.gauss(0.0, 1e6) for _ in range(COUNT))), F64)
    done.append(seed)


def main():
    if len(sys.argv) != 2 or array.array("I").itemsize != 4:
        sys.exit("usage: python3 load.py LIBRARY, where an unsigned int has 4 bytes")
    library = load(sys.argv[1])
    done = []
    check_both(library, 1, done)
    # ctypes lets go of Python's lock: they sort at once.
    threads = [threading.Thread(target=check_both, args=(library, seed, done)) for seed in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(done) != 3:
        sys.exit("error: a thread's keys are not sorted")
    print(f"{len(done)} threads sorted {COUNT} keys of u32 and of f64")


main()
