#!/bin/sh
# SPDX-License-Identifier: MIT
# Loads the shared library into Python (load.py). Without Python it exits with 77, a skip.
# usage: python.sh LIBRARY
set -eu
python3 -c 'import array, ctypes' 2>/dev/null || {
  echo "skipped: there is no python3 with ctypes here"
  exit 77
}
exec python3 "$(dirname "$0")/load.py" "$1"
