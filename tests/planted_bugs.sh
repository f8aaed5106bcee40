#!/bin/sh
# SPDX-License-Identifier: MIT
# Plants bugs in a copy of the sources, one at a time, and looks whether test_seeds catches them: a test of the tests.
# usage: sh tests/planted_bugs.sh [BUG...]      such as: sh tests/planted_bugs.sh lost_pivots
# Needs compilers, Boost.Context and Check. Keys of 4 bytes alone, so that a bug takes seconds to build. The environment may
# set CC, CXX, and CHECK_LIBS (how to link Check).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cc=${CC:-cc}
cxx=${CXX:-c++}
check_libs=${CHECK_LIBS:-$(pkg-config --libs check 2>/dev/null || echo "-lcheck -lsubunit -lm -lrt -lpthread")}
batches="10 40 150"
seeds_most=200

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# ---- The bugs: file under device/, what sed does to it, and what it means --------------------------------------------------
all_bugs="always_last never_last error_ignored lost_pivots missing_barrier early_continuation early_batch overfull_list no_fence
  late_phase lost_equal_bucket forgotten_bucket wrong_run missing_multiway_barrier forgotten_allowance early_gathering early_stage
  shifted_run lost_remainder never_entered never_left entered_twice launches_kept unsorted_list early_list kept_level_list wrong_task
  forgotten_fill forgotten_last_fill shorter_network missing_grid_barrier"

describe() {
  file=recursion/task.cuh
  visible=yes
  case $1 in
  always_last)
    what="every block takes itself for the last one"
    edit='s/atomicAdd(done_blocks, 1u) + 1 == block_count;/atomicAdd(done_blocks, 1u) + 1 <= block_count;/'
    ;;
  never_last)
    what="no block takes itself for the last one"
    edit='s/atomicAdd(done_blocks, 1u) + 1 == block_count;/atomicAdd(done_blocks, 1u) + 1 > block_count;/'
    ;;
  error_ignored)
    what="a refused child launch is taken for a good one"
    file=recursion/launch.cuh
    edit='s/^  return \(note_launch(.*)\);$/  return \1, true;/'
    ;;
  lost_pivots)
    what="keys equal to the pivot are not written (as Gimeno and Fulgencio lose them)"
    file=block/partition.cuh
    edit='s/^    keys\[index\] = raw;$/    static_cast<void>(keys[index] == raw);/'
    ;;
  missing_barrier)
    what="no barrier between reserving a tile's places and writing to them"
    file=block/partition.cuh
    edit='/^    __syncthreads();$/d'
    ;;
  early_continuation)
    what="the continuation does not wait for the workers"
    file=recursion/driver_tail.cuh
    edit='s/ChildStream::tail, /ChildStream::fire_and_forget, /'
    ;;
  early_batch)
    what="a batch does not wait for the recursion before it"
    file=recursion/batches.cuh
    edit='s/ChildStream::tail, /ChildStream::fire_and_forget, /'
    ;;
  overfull_list)
    what="the list of collected ranges has no end"
    edit='s/if (place < sort.worklist_capacity)/if (place < UINT32_MAX)/'
    ;;
  no_fence)
    # Its memory is sequentially consistent: what a fence is for cannot happen there. Only a GPU could show this one.
    what="no fence before and after the done-counter"
    edit='/^    __threadfence();$/d'
    visible=no
    ;;
  late_phase)
    what="the done-counter is not set back between two phases, so that the second has no last block"
    file=recursion/machine.cuh
    edit='/^  task.done_blocks = 0;$/d'
    ;;
  lost_equal_bucket)
    what="many children: keys equal to the least of the frequent values are not written"
    file=recursion/multiway.cuh
    edit='s/for (uint32_t bucket = 1; bucket < buckets; bucket += 2)/for (uint32_t bucket = 3; bucket < buckets; bucket += 2)/'
    ;;
  forgotten_bucket)
    what="many children: a bucket for which there is no room, in the pool or on the list, is sorted by nobody"
    file=recursion/multiway_children.cuh
    edit='s/children.in_block\[atomicAdd(&children.in_block_count, 1u)\] = static_cast<uint16_t>(bucket);/;/'
    ;;
  wrong_run)
    what="many children: a block takes the items of a bucket from where the tile's first bucket begins"
    file=block/multiway_sort.cuh
    edit='s/ + places\[begin\];/ + places[0];/'
    ;;
  missing_multiway_barrier)
    what="many children: no barrier between clearing a tile's counts and adding to them"
    file=block/multiway_tile.cuh
    edit='/clear_counts(storage, set.buckets);/{n;d;}'
    ;;
  forgotten_allowance)
    what="many children: a kernel that the device launches is not allowed its shared memory"
    file=recursion/root.cuh
    edit='s/allow_each_shared_bytes(bytes, leaf_kernel<Bits>, \(task_kernel<Multiway<Bits>, DeviceDriver>, map_kernel<Bits>\));/allow_each_shared_bytes(bytes, \1);/'
    ;;
  early_gathering)
    what="short arrays: buckets are gathered before all tiles are ordered"
    file=recursion/short_array.cuh
    edit='s/while ((done & .*) != tiles);/while (false);/'
    ;;
  early_stage)
    what="mapped arrays: a stage begins before the one before it is done"
    file=recursion/turns.cuh
    edit='s/while (read_anew(&stage.done) != gridDim.x)/while (false)/'
    ;;
  shifted_run)
    what="short arrays: a bucket's runs are looked for one bucket too far"
    file=recursion/short_array.cuh
    edit='s/ + bucket;/ + bucket + 1;/'
    ;;
  lost_remainder)
    what="short arrays: what is left over when a bucket is shared among warps is not gathered"
    file=recursion/short_array.cuh
    edit='s/(items + WARPS \* WARP_LANES - 1) \/ (WARPS \* WARP_LANES)/items \/ (WARPS * WARP_LANES)/'
    ;;
  never_entered)
    what="keys: items of the first tiles are not made unsigned numbers in the order of their type"
    file=block/partition.cuh
    edit='s/^    map.enter_all(items, range.is_raw());$/    map.enter_all(items, false);/'
    ;;
  never_left)
    what="keys: what a warp has sorted is written without being turned back into keys"
    file=block/bitonic.cuh
    edit='s/destination\[row \* WARP_LANES + offset\] = map.leave(items\[row\]);/destination[row * WARP_LANES + offset] = items[row];/'
    ;;
  entered_twice)
    what="keys: those of deeper ranges enter once more"
    file=block/range.cuh
    edit='s/return depth == 0;/return depth <= 1;/'
    ;;
  launches_kept)
    what="the launches that a sort has taken from the common account are never given back"
    file=recursion/account.cuh
    edit='s/^    atomicSub(&launches_taken(), taken);$/    static_cast<void>(taken);/'
    ;;
  unsorted_list)
    what="the last live task takes itself for one of several, and nobody has the listed ranges sorted"
    file=recursion/driver_device.cuh
    edit='s/storage.flag = live == 1;/storage.flag = live == 0;/'
    ;;
  early_list)
    what="every task that ends takes itself for the last one, and has the listed ranges sorted"
    file=recursion/driver_device.cuh
    edit='s/storage.flag = live == 1;/storage.flag = live >= 1;/'
    ;;
  kept_level_list)
    what="host driver: the list of a level that is done is not cleared for the next level but two"
    file=recursion/host_levels.cuh
    edit='s/^    sort.control->list_counts\[(level + 2) % 3\] = 0;.*$/    ;/'
    ;;
  wrong_task)
    what="host driver: the last block of a task takes itself for one of the next task"
    file=recursion/host_levels.cuh
    edit='s/first_block <= block;/first_block <= block + 1;/'
    ;;
  forgotten_fill)
    what="host driver: equal keys that are left to the next level are not written there"
    file=recursion/host_levels.cuh
    edit='s/^      Policy::fill(.*);$/      ;/'
    ;;
  forgotten_last_fill)
    what="host driver: equal keys that the last level leaves are not written"
    file=recursion/host_levels.cuh
    edit='s/^      \(TwoWay\|Multiway\)<Bits>::fill(.*);$/      ;/'
    ;;
  shorter_network)
    what="host driver: of two ranges for the network the shorter one goes without its last steps"
    file=recursion/host_levels.cuh
    edit='s/!has_network_step<Bits>(step, range.items())/!(step.size < range.items() || range.items() == max_items)/'
    ;;
  missing_grid_barrier)
    what="host driver: no barrier between two steps of the network"
    file=recursion/host_levels.cuh
    edit='/^    grid_barrier();$/d'
    ;;
  *)
    echo "error: there is no bug '$1'; there are: $all_bugs" >&2
    exit 2
    ;;
  esac
}

# ---- Building ---------------------------------------------------------------------------------------------------------------
# compile OBJECT SOURCE [FLAG...], from the copy in $work/tree.
compile() {
  object=$work/$1.o
  source=$2
  shift 2
  case $source in
  *.c) "$cc" -std=c11 -O1 -D_GNU_SOURCE "$@" -I"$work/tree/include" -I"$work/tree/device" -I"$work/tree/src" -c "$source" -o "$object" ;;
  *) "$cxx" -std=c++17 -O1 -w "$@" -I"$work/tree/include" -I"$work/tree/device" -c "$source" -o "$object" ;;
  esac
}

# The kernels of 4-byte keys, all that a planted bug has to be compiled anew for, and the program. What an earlier bug has left goes
# first: it must not be taken for this one's.
build() {
  rm -f "$work/recursion.o" "$work/host_kernels.o" "$work/test_seeds"
  compile recursion "$work/recursion.cpp" &
  recursion=$!
  compile host_kernels "$work/host_kernels.cpp" || return 1
  wait "$recursion" || return 1
  # $check_libs is a list: it is meant to be split.
  # shellcheck disable=SC2086
  "$cxx" -o "$work/test_seeds" "$work"/*.o -lboost_context $check_libs
}

prepare() {
  mkdir "$work/tree"
  cp -R "$root/include" "$root/src" "$root/device" "$work/tree/"
  sed 's/@CDP_STUDY_HOOKS@/1/; s/@CDP_TYPE@/uint32_t/' "$root/device/recursion/recursion.in" >"$work/recursion.cpp"
  sed 's/@CDP_STUDY_HOOKS@/1/; s/@CDP_TYPE@/uint32_t/' "$root/device/recursion/host.in" >"$work/host_kernels.cpp"
  {
    echo '#include "recursion/start.h"'
    for call in launch_recursion launch_by_host; do
      echo "template <> int cdp::simulated::$call<uint64_t>(const cdp_plan &, bool, void *) { return 1; }"
    done
    echo "template <> int cdp::simulated::launch_partition<uint64_t>(const cdp_partition_request &, void *) { return 1; }"
  } >"$work/other_width.cpp"
  compile other_width "$work/other_width.cpp"
  for source in "$work"/tree/src/*.c "$work/tree/device/runtime/no_cuda_engine.c" "$work/tree/device/engine.cpp" \
    "$work/tree/device/plan.cpp" "$work"/tree/device/runtime/simulated_*.cpp; do
    compile "tree_$(basename "$source" | tr . _)" "$source"
  done
  for source in test_seeds host_data host_oracle; do
    compile "$source" "$root/tests/$source.c" -DCDPSORT_TEST_4_BYTES_ONLY -I"$root/tests"
  done
  compile simulated_rules "$root/tests/simulated_rules.cpp"
}

# ---- Looking ----------------------------------------------------------------------------------------------------------------
# run_seeds FIRST COUNT: true if all of them pass; their output is in $work/log.
run_seeds() {
  CDPSORT_TEST_FIRST_SEED=$1 CDPSORT_TEST_SEEDS=$2 CK_TIMEOUT_MULTIPLIER=0.25 "$work/test_seeds" >"$work/log" 2>&1
}

# Says what the first failing seed was told.
report_first() {
  line=$(grep -m 1 ':sorts_what_the_seed_draws:' "$work/log") || {
    echo "error: test_seeds failed without saying why:" >&2
    cat "$work/log" >&2
    return 1
  }
  seed=$(printf '%s\n' "$line" | sed 's/^.*:sorts_what_the_seed_draws:\([0-9]*\):.*$/\1/')
  how=$(printf '%s\n' "$line" | sed 's/^.*:sorts_what_the_seed_draws:[0-9]*: *//; s/^seed [0-9]*: //' | cut -c 1-400)
  echo "$1: caught by seed $seed after $((seed + 1)) seeds: $how"
}

# hunt BUG: builds with the bug planted and runs seeds until one fails.
hunt() {
  describe "$1"
  original=$root/device/$file
  planted=$work/tree/device/$file
  sed "$edit" "$original" >"$planted"
  if cmp -s "$original" "$planted"; then
    echo "$1: not planted: nothing in device/$file is as its edit expects" >&2
    return 1
  fi
  echo "$1: $what (device/$file)"
  is_built=yes
  build || is_built=no
  cp "$original" "$planted" # the next one is planted alone
  if [ "$is_built" = no ]; then
    echo "$1: cannot be built" >&2
    return 1
  fi
  first=0
  for count in $batches; do
    if ! run_seeds "$first" "$count"; then
      report_first "$1"
      return
    fi
    first=$((first + count))
  done
  if [ "$visible" = no ]; then
    echo "$1: not visible here, as expected, in $seeds_most seeds"
    return 0
  fi
  echo "$1: NOT caught by $seeds_most seeds"
  return 1
}

bugs=${*:-$all_bugs}
for bug in $bugs; do
  describe "$bug"
done
prepare
build
run_seeds 0 50 || {
  echo "error: seeds fail with no bug planted:" >&2
  cat "$work/log" >&2
  exit 1
}
echo "no bug planted: 50 seeds pass"
missed=
for bug in $bugs; do
  hunt "$bug" || missed="$missed $bug"
done
if [ -n "$missed" ]; then
  echo "missed:$missed" >&2
  exit 1
fi
echo "every planted bug that the simulated device can show was caught"
