#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the outside program as a project of C that has cdpsort as a part, of the simulated device alone; runs it with either
# library, and looks at what the project installs: nothing of cdpsort's, which nobody asked for.
# usage: fetched.sh SOURCE WORK CMAKE CC
set -eu
source=$1 work=$2 cmake=$3 cc=$4
rm -rf "$work"
configure() {
  "$cmake" -S "$(dirname "$0")/fetched" -B "$work/build" "-DCMAKE_C_COMPILER=$cc" "-DCDPSORT_SOURCE_DIR=$source" -DCDPSORT_CUDA=OFF "$@"
}

# commands PATTERN: how many of the library's files are compiled with something.
commands() {
  grep '"command":' "$work/build/compile_commands.json" | grep -F -e "$source/device/" -e "$source/src/" >"$work/commands"
  [ -s "$work/commands" ] || echo "error: nothing of cdpsort is compiled" >&2
  grep -c -e "$1" "$work/commands" || true
}

# The project names no build type: cdpsort is compiled with -O all the same, unless the project's own flags say how.
configure
[ "$(commands ' -O2 ')" -eq "$(wc -l <"$work/commands")" ] || {
  echo "error: these are compiled without -O2:" >&2
  grep -v -e ' -O2 ' "$work/commands" >&2
  exit 1
}
configure -DCMAKE_C_FLAGS=-O0 -DCMAKE_CXX_FLAGS=-O0
[ "$(commands ' -O2 ')" -eq 0 ] || {
  echo "error: -O2 stands behind the project's own -O0" >&2
  exit 1
}
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
