#!/bin/sh
# SPDX-License-Identifier: MIT
# See it sort: installs what is missing, builds, sorts a file of a million numbers that it makes, and shows two recursions.
#
#     sh samples/demo.sh           the file is made here
#     sh samples/demo.sh FILE      sorts FILE instead: whole numbers or fractions, one or more a line
#
# Works from any directory, with and without a GPU or the CUDA toolkit. Needs root or sudo if something is missing. Writes
# into the build directory alone (build, or $CDPSORT_BUILD_DIR). $CDPSORT_DEVICE chooses the device. Where there is no GPU, it
# builds the simulated device alone, unless $CDPSORT_CUDA or $CDPSORT_PRESET say otherwise.
set -eu

case ${1:-} in
-h | --help)
  sed -n '3,10s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
esac
if [ $# -gt 1 ]; then
  echo "error: one file at a time" >&2
  exit 2
fi
if [ $# -eq 1 ] && { [ ! -f "$1" ] || [ ! -r "$1" ]; }; then
  echo "error: $1: there is no such file that can be read" >&2
  exit 1
fi

cdpsort_root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=samples/setup.sh
. "$cdpsort_root/samples/setup.sh"

# Kernels take minutes to build that nothing here could run.
if [ -z "${CDPSORT_CUDA:-}${CDPSORT_PRESET:-}" ] && ! nvidia-smi -L >/dev/null 2>&1; then
  CDPSORT_CUDA=OFF
  cdpsort_say "No GPU here: building the simulated device alone (CDPSORT_CUDA=ON in the environment builds for GPUs, too)"
fi

# shellcheck disable=SC2119
cdpsort_install_missing
cdpsort_build quickstart sort_numbers recursion recursion_by_hand_simulated

programs=$cdpsort_build_dir/bin
work=$cdpsort_build_dir/demo
mkdir -p "$work"

heading() {
  printf '\n== %s\n' "$*"
}

# A million whole numbers, the same every time: the generator of Park and Miller, which a double holds exactly.
make_numbers() {
  awk 'BEGIN { x = 1; for (i = 0; i < 1000000; i++) { x = (x * 16807) % 2147483647; printf "%d\n", x - 1073741824 } }'
}

# Lines as they can be shown: without what a terminal would obey, and cut where they are long.
indent() {
  cut -c 1-101 | LC_ALL=C tr -c '[:print:]\n' ' ' |
    awk '{ print "    " (length($0) > 100 ? substr($0, 1, 96) " ..." : $0) }'
}

# The first and the last lines of a file.
show() {
  if [ "$(wc -l <"$1")" -le 8 ]; then
    indent <"$1"
  else
    head -n 3 "$1" | indent
    echo "    ..."
    tail -n 3 "$1" | indent
  fi
}

# One word a line, none empty, the last with its newline.
words() {
  tr -s '[:space:]' '\n' <"$1" | awk NF
}

# Compares with sort -n, which must agree to the byte. Numbers are written without a plus or leading zeros.
agrees_with_sort() {
  words "$1" | sed 's/^+//; s/^\(-\{0,1\}\)0*\([0-9]\)/\1\2/; s/^-0$/0/' | LC_ALL=C sort -n | cmp -s - "$2"
}

# Fractions can be written in many ways: it is the order and the count that are compared. Infinities and NaNs are set aside,
# which sort -g puts elsewhere.
in_order() {
  grep -iv '[in]' "$2" | LC_ALL=C sort -g -c 2>/dev/null && [ "$(words "$1" | wc -l)" -eq "$(wc -l <"$2")" ]
}

if [ $# -eq 1 ]; then
  case $1 in
  /*) input=$1 ;;
  *) input=$PWD/$1 ;;
  esac
  output=$work/${input##*/}.sorted
else
  input=$work/numbers.txt
  output=$work/numbers.sorted
  make_numbers >"$input"
fi
type=i64
if grep -q '[.eEnN]' "$input"; then
  type=f64
fi

heading "quickstart: a few keys"
"$programs/quickstart"

heading "sort_numbers: $input"
show "$input"
# What it says belongs to what is shown, unless it is an error.
said=$cdpsort_build_dir/sort_numbers.log
"$programs/sort_numbers" --type "$type" --output "$output" -- "$input" 2>"$said" || {
  code=$?
  cat "$said" >&2
  exit "$code"
}
cat "$said"
heading "The result: $output"
show "$output"
if [ "$type" = f64 ]; then
  check="sort -g finds it in order, and the count is the same"
  in_order "$input" "$output" || check=
else
  check="sort -n gives the same, byte for byte"
  agrees_with_sort "$input" "$output" || check=
fi
if [ -z "$check" ]; then
  echo "error: the result is not what sort gives" >&2
  exit 1
fi
echo "Checked: $check."

heading "recursion: 2^20 keys by the classic recursion, two children to a task, by depth"
"$programs/recursion" --count 2^20 --fan-out 2

heading "recursion_by_hand: the same idea in one file of 250 lines, on the simulated device"
"$programs/recursion_by_hand_simulated" --count 2^18
