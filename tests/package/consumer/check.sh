#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the outside program against an installation, looks at what it was linked with, and runs it.
# usage: check.sh cmake|pkg-config shared|static PREFIX LIBDIR WORK CMAKE CC
set -eu
way=$1 library=$2 prefix=$3 libdir=$prefix/$4 work=$5 cmake=$6 cc=$7
source_dir=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work"

fail() {
  echo "error: $*" >&2
  exit 1
}

case $way in
cmake)
  static=OFF
  [ "$library" = shared ] || static=ON
  for version in 0.3 0.5; do
    if "$cmake" -S "$source_dir" -B "$work/$version" "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_C_COMPILER=$cc" \
      "-DCONSUMER_VERSION=$version" >/dev/null 2>&1; then
      fail "the package says that it is compatible with version $version"
    fi
  done
  "$cmake" -S "$source_dir" -B "$work" "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_C_COMPILER=$cc" "-DCONSUMER_STATIC=$static"
  "$cmake" --build "$work"
  ;;
pkg-config)
  command -v pkg-config >/dev/null || fail "there is no pkg-config here"
  PKG_CONFIG_PATH=$libdir/pkgconfig
  export PKG_CONFIG_PATH
  package=cdpsort
  [ "$library" = shared ] || package=cdpsort-static
  # The flags are a list: they are meant to be split.
  # shellcheck disable=SC2046
  "$cc" "$source_dir/consumer.c" -o "$work/consumer" $(pkg-config --cflags --libs "$package")
  ;;
*) fail "unknown way '$way'" ;;
esac

needs_shared=no
if readelf -d "$work/consumer" | grep -qF '[libcdpsort.so.0.4]'; then
  needs_shared=yes
fi
case $library:$needs_shared in
shared:yes) LD_LIBRARY_PATH=$libdir "$work/consumer" ;;
static:no) "$work/consumer" ;;
*) fail "asked for the $library library; whether the program needs libcdpsort.so.0.4: $needs_shared" ;;
esac
