#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares what a shared library exports with the functions that the public headers mark CDP_API.
# usage: symbols.sh NM LIBRARY HEADER_DIRECTORY
set -eu
nm=$1 library=$2 headers=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A declaration begins with CDP_API, on one line as far as its opening bracket; the name stands before that.
sed -n 's/^CDP_API [^(]*[ *]\([a-z0-9_]*\)(.*/\1/p' "$headers"/*.h | LC_ALL=C sort >"$work/declared"
# Versioned names end in @@CDPSORT_0; the version itself is an absolute symbol.
"$nm" -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort >"$work/exported"

[ -s "$work/declared" ] || { echo "error: no CDP_API function found in $headers" >&2; exit 1; }
if ! diff "$work/declared" "$work/exported" >"$work/difference"; then
  echo "error: exported symbols and public headers differ (<: declared alone, >: exported alone)" >&2
  cat "$work/difference" >&2
  exit 1
fi
echo "$(wc -l <"$work/exported") symbols, each declared in a public header"
