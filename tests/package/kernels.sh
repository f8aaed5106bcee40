#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts the kernels of the built library that are launched from the device: too many, and CUDA loses grids
# (docs/known-issues.md). Every kernel is a function of the host, too, and relocatable device code has a section of its own.
# A kernel there that is not launched from the device is known by name: one more is decided here, and does not just appear.
# Members whose names begin with map_ are linked by themselves, into a module that must be without CUDA's device runtime: MPS
# refuses those that have it.
# usage: kernels.sh NM AR READELF ARCHIVE DEVICE_DIRECTORY
set -eu
nm=$1 ar=$2 readelf=$3 archive=$4 device=$5
launched_most=12
host_launches='behind_kernel map_kernel short_kernel'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "error: $*" >&2
  exit 1
}

# ---- In the sources: one function launches, and what it launches is the registry ----------------------------------------------
registry=$device/recursion/kernels.cuh
# A kernel is named with its policy, where it has one: task_kernel:TwoWay.
sed -n -e 's/^.*launch_child(where, shape, \([a-z_]*_kernel\)<Bits>.*$/\1/p' \
  -e 's/^.*launch_child(where, shape, \([a-z_]*_kernel\)<\([A-Za-z]*\)<Bits>.*$/\1:\2/p' "$registry" |
  LC_ALL=C sort >"$work/registry"
[ -s "$work/registry" ] || fail "no launch was found in $registry"
others=$(grep -rl 'launch_child(' "$device" | grep -v -e "$registry" -e /runtime/) && fail "launch_child() is called in $others, too"
brackets=$(grep -rl '[a-z]<<<' "$device" | grep -v /runtime/) && fail "<<<>>> stands in $brackets"
stated=$(sed -n 's/^constexpr uint32_t LAUNCHED_KERNELS = \([0-9]*\);$/\1/p' "$device/tuning.h")

# ---- In the library -------------------------------------------------------------------------------------------------------------
(cd "$work" && "$ar" x "$archive")
has_device_runtime() {
  "$nm" "$work/$1" | grep -q '__cudaRegisterLinkedBinary.*cuda_device_runtime'
}
has_device_runtime cmake_device_link.o || fail "the module that launches has no device runtime: it cannot be told by that"
! has_device_runtime map_cmake_device_link.o || fail "the module of host_map.cuh has CUDA's device runtime"
for object in "$work"/*.cu.o; do
  case $object in */map_*) continue ;; esac
  "$readelf" -S --wide "$object" | grep -q __nv_relfatbin || continue
  "$nm" --defined-only "$object" |
    sed -n -e 's/^[0-9a-f]* [WTt] _ZN3cdp[0-9]*[a-z_]*[0-9][0-9]*\([a-z_]*_kernel\)I[jm]E.*$/\1/p' \
      -e 's/^[0-9a-f]* [WTt] _ZN3cdp[0-9]*[a-z_]*[0-9][0-9]*\([a-z_]*_kernel\)INS0_[0-9]*\([A-Za-z]*\)I[jm]E.*$/\1:\2/p'
done >"$work/kernels"
all=$(wc -l <"$work/kernels")
launched=$(grep -c -x -F -f "$work/registry" "$work/kernels" || true)
echo "$all kernels in the modules that launch, $launched of them launched from the device:" \
  "$(LC_ALL=C sort "$work/kernels" | uniq -c | awk '{ printf "%s%s x %d", (NR > 1 ? ", " : ""), $2, $1 }')"
[ "$all" -gt 0 ] || fail "no kernel was found in $archive"
# shellcheck disable=SC2086 # a list: it is meant to be split
printf '%s\n' $host_launches >"$work/others"
unknown=$(LC_ALL=C sort -u "$work/kernels" | grep -v -x -F -f "$work/registry" -f "$work/others" | tr '\n' ' ')
[ -z "$unknown" ] || fail "neither in $registry nor known as launched by the host: $unknown"
[ "$launched" -le "$launched_most" ] || fail "more than $launched_most are launched from the device"
[ "$launched" -eq "$stated" ] || fail "device/tuning.h says that $stated are launched from the device"
