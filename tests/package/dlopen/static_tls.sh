#!/bin/sh
# SPDX-License-Identifier: MIT
# Looks whether a shared library wants its thread-locals in static memory, of which a process that loads it late has little.
# usage: static_tls.sh LIBRARY
set -eu
dynamic=$(readelf -d "$1")
case $dynamic in
*STATIC_TLS*)
  echo "error: $1 has STATIC_TLS: it has thread-locals of the initial-exec model" >&2
  exit 1
  ;;
*SONAME*) echo "no static TLS" ;;
*)
  echo "error: $1 is no shared library" >&2
  exit 1
  ;;
esac
