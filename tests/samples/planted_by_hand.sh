#!/bin/sh
# SPDX-License-Identifier: MIT
# Plants faults in copies of the recursion by hand, one in each, and looks whether test_recursion_by_hand catches them.
# usage: sh tests/samples/planted_by_hand.sh LIBCDPSORT.A [FAULT...]
# Needs a C++ compiler, CMake and Check. The environment may set CXX, CMAKE and CHECK_LIBS (how to link Check).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
library=${1:?usage: sh $0 LIBCDPSORT.A [FAULT...]}
shift
cxx=${CXX:-c++}
check_libs=${CHECK_LIBS:-$(pkg-config --libs check 2>/dev/null || echo "-lcheck -lsubunit -lm -lrt -lpthread")}
source=$root/samples/02_recursion_by_hand/quicksort.cu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# edit FAULT: what sed does to the source.
edit() {
  case $1 in
  none) echo 's/^$//' ;;
  # A refused launch is taken for a good one.
  error_ignored) echo 's/return error == cudaSuccess;/return true;/' ;;
  # Each block takes itself for the last one; no block does.
  always_last) echo 's/+ 1 == gridDim.x/+ 1 <= gridDim.x/' ;;
  never_last) echo 's/+ 1 == gridDim.x/+ 1 > gridDim.x/' ;;
  # The continuation does not wait for the workers.
  early_tail) echo 's/, 1, cudaStreamTailLaunch)/, 1, cudaStreamFireAndForget)/' ;;
  # The continuation does not see that the workers were refused.
  refusal_unseen) echo 's/if (task.done_blocks != 0)/if (task.done_blocks + 1 != 0)/' ;;
  # Keys equal to the pivot are not written.
  lost_pivots) echo 's/sort.keys\[0\]\[index\] = task.pivot;/continue;/' ;;
  # A sorted range stays in the second array.
  wrong_array) echo 's/keys\[index\] = sort.keys\[1\]\[begin + index\];/continue;/' ;;
  # Threads do not wait for is_last.
  missing_barrier) echo '/is_last = /,/^}/!b;/^  __syncthreads();$/d' ;;
  # Tiles write over one another.
  shared_place) echo 's/less = atomicAdd(&task.less, less);/atomicAdd(\&task.less, less), less = 0;/' ;;
  # The network's last merge is left out.
  short_network) echo 's/size \/ 2 < length; size/size < length; size/' ;;
  # The right part is taken for the left one.
  forgotten_right) echo 's/if (!is_started\[1\])/if (!is_started[0])/' ;;
  *)
    echo "error: there is no fault '$1'" >&2
    exit 2
    ;;
  esac
}
faults=${*:-error_ignored always_last never_last early_tail refusal_unseen lost_pivots wrong_array missing_barrier shared_place
  short_network forgotten_right}

# Few seeds show all of them.
"$cxx" -std=c++17 -O1 -DCDPSORT_TEST_STRIDE=5 -I"$root/device" -I"$root/include" -I"$root/tests/support" \
  -c "$root/tests/samples/test_recursion_by_hand.cpp" -o "$work/test.o"

# build FAULT: the test of the program with the fault planted.
build() {
  sed "$(edit "$1")" "$source" >"$work/quicksort.cu"
  if [ "$1" != none ] && cmp -s "$source" "$work/quicksort.cu"; then
    echo "$1: nothing in $source is as its edit expects" >&2
    exit 1
  fi
  "${CMAKE:-cmake}" -DSOURCE="$work/quicksort.cu" -DTRANSLATED="$work/quicksort.cpp" -P "$root/device/runtime/simulated_program.cmake"
  # shellcheck disable=SC2086 # a list
  "$cxx" -std=c++17 -O1 -w -Dmain=quicksort_main -I"$root/device" -I"$root/include" \
    -c "$work/quicksort.cpp" -o "$work/quicksort.o"
  # shellcheck disable=SC2086
  "$cxx" "$work/test.o" "$work/quicksort.o" "$library" $check_libs -lboost_context -lpthread -ldl -o "$work/test"
}

# Faults can make a program wait for ever.
passes() {
  CK_TIMEOUT_MULTIPLIER=0.1 timeout 120 "$work/test" >"$work/log" 2>&1
}

build none
passes || {
  echo "error: the program fails with no fault planted:" >&2
  cat "$work/log" >&2
  exit 1
}
echo "no fault planted: the test passes"
missed=
for fault in $faults; do
  build "$fault"
  if passes; then
    missed="$missed $fault"
  else
    echo "$fault: caught: $(grep -m 1 ':[FE]:' "$work/log" | cut -c 1-200)"
  fi
done
[ -z "$missed" ] || {
  echo "missed:$missed" >&2
  exit 1
}
