#!/bin/sh
# SPDX-License-Identifier: MIT
# Looks at the global names of the static library, which are those of every program that links it: C's begin with cdp_. And a shared
# library that links it exports none of them. And it reads the environment by secure_getenv() alone.
# usage: static_symbols.sh NM ARCHIVE PLUGIN
set -eu
nm=$1 archive=$2 plugin=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Names of C++ and of compilers' own begin with an underscore, have a full stop, or are nvcc's.
"$nm" -g --defined-only "$archive" | awk 'NF == 3 && $3 !~ /^_|[.]|^hostRef/ { print $3 }' | LC_ALL=C sort -u >"$work/names"
grep -q '^cdp_quicksort$' "$work/names" || { echo "error: $archive has no cdp_quicksort" >&2; exit 1; }
if grep -v '^cdp_' "$work/names" >"$work/foreign"; then
  echo "error: a program may have functions of these names itself:" >&2
  cat "$work/foreign" >&2
  exit 1
fi

# A set-uid program must not obey the environment of its caller.
if "$nm" -u "$archive" 2>/dev/null | grep -qw getenv; then
  echo "error: $archive refers to getenv(): use secure_getenv()" >&2
  exit 1
fi

"$nm" -D --defined-only "$plugin" | awk '{ print $NF }' >"$work/exported"
grep -q '^plugin_sort$' "$work/exported" || { echo "error: $plugin does not export its own function" >&2; exit 1; }
if grep '^cdp_\|^_ZN3cdp' "$work/exported" >"$work/foreign"; then
  echo "error: the plug-in exports these of cdpsort:" >&2
  cat "$work/foreign" >&2
  exit 1
fi
echo "$(wc -l <"$work/names") names of C, and a plug-in exports none of cdpsort's"
