#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the outside program as a project of C that has cdpsort as a part, of the simulated device alone; runs it with either
# library, and looks at what the project installs: nothing of cdpsort's, which nobody asked for.
# usage: fetched.sh SOURCE WORK CMAKE CC
set -eu
source=$1 work=$2 cmake=$3 cc=$4
rm -rf "$work"
"$cmake" -S "$(dirname "$0")/fetched" -B "$work/build" "-DCMAKE_C_COMPILER=$cc" "-DCDPSORT_SOURCE_DIR=$source" -DCDPSORT_CUDA=OFF
"$cmake" --build "$work/build" --parallel
for library in cdpsort cdpsort_static; do
  "$work/build/consumer_$library"
done
"$cmake" --install "$work/build" --prefix "$work/prefix"
find "$work/prefix" ! -type d | LC_ALL=C sort >"$work/installed"
printf '%s\n' "$work/prefix/bin/consumer_cdpsort" "$work/prefix/bin/consumer_cdpsort_static" | cmp - "$work/installed" || {
  echo "error: this was installed:" >&2
  cat "$work/installed" >&2
  exit 1
}
