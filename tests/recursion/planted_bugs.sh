#!/bin/sh
# SPDX-License-Identifier: MIT
# Plants bugs in copies of the sources, one in each, and looks whether test_seeds catches them: a test of the tests.
# usage: sh tests/recursion/planted_bugs.sh [BUG...]      such as: sh tests/recursion/planted_bugs.sh lost_pivots
# Needs compilers, Boost.Context and Check. Keys of 4 bytes alone, so that a bug takes seconds to build. The environment may
# set CC, CXX, CHECK_LIBS (how to link Check), and CDPSORT_JOBS: so many bugs are hunted side by side (as many as there are
# processors).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cc=${CC:-cc}
cxx=${CXX:-c++}
check_libs=${CHECK_LIBS:-$(pkg-config --libs check 2>/dev/null || echo "-lcheck -lsubunit -lm -lrt -lpthread")}
jobs=${CDPSORT_JOBS:-$(nproc 2>/dev/null || echo 2)}
unseen_seeds=20 # that pass with no bug planted, or with one that cannot be seen
seeds_most=200
seeds_at_once=5

# What is done side by side is this script once more, with the folder of what all of them share: a source to compile, or a bug
# to hunt.
work=${CDPSORT_PLANTED_WORK:-}
if [ -z "$work" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT INT TERM
fi

# ---- The bugs: file under device/, what sed does to it, and what it means --------------------------------------------------
# The one that takes longest comes first, so that the others go on beside it.
all_bugs="no_fence always_last never_last error_ignored lost_pivots missing_barrier early_continuation early_batch overfull_list
  late_phase lost_equal_bucket forgotten_bucket wrong_run missing_multiway_barrier forgotten_allowance early_gathering early_stage
  unordered_values shifted_run lost_remainder never_entered never_left entered_twice launches_kept unsorted_list early_list kept_level_list wrong_task
  forgotten_fill forgotten_last_fill shorter_network missing_grid_barrier"

describe() {
  file=recursion/task.cuh
  seeds=$seeds_most # one of which fails
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
    seeds=$unseen_seeds
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
  unordered_values)
    what="mapped arrays: frequent values are not brought in order"
    file=recursion/mapped_places.cuh
    edit='/^  order_values(/d'
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
    edit='s/^    return_launches(taken);$/    static_cast<void>(taken);/'
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
    edit='/^    grid_barrier(/d'
    ;;
  *)
    echo "error: there is no bug '$1'; there are: $all_bugs" >&2
    exit 2
    ;;
  esac
}

# The bug's edit, done to a copy of its file. False if the file has nothing for it.
plant() {
  describe "$1"
  sed "$edit" "$root/device/$file" >"$2"
  ! cmp -s "$root/device/$file" "$2"
}

# False, and says which, if there are bugs whose edits do not fit the sources.
all_can_be_planted() {
  unfit=
  for bug in "$@"; do
    plant "$bug" "$work/edited" || {
      echo "$bug: nothing in device/$file is as its edit expects" >&2
      unfit="$unfit $bug"
    }
  done
  [ -z "$unfit" ]
}

# ---- Building ---------------------------------------------------------------------------------------------------------------
# compile OBJECT SOURCE DEVICE [FLAG...]: with the folder DEVICE for the repository's device/.
compile() {
  object=$1 source=$2 device=$3
  shift 3
  case $source in
  *.c) "$cc" -std=c11 -O1 -D_GNU_SOURCE "$@" -I"$root/include" -I"$device" -I"$root/src" -c "$source" -o "$object" ;;
  *) "$cxx" -std=c++17 -O1 -w "$@" -I"$root/include" -I"$device" -c "$source" -o "$object" ;;
  esac
}

# The kernels of 4-byte keys are three units, all that a planted bug has to be compiled anew for. Compiling them takes longer than
# most bugs live: -O0 takes two thirds of the time that -Og does, and the same seeds find the same bugs.
units="recursion host host_map"
compile_unit() {
  compile "$2/$1.o" "$work/$1.cpp" "$3" -O0
}

# concerns FILE UNIT: whether the unit is compiled from that file of device/.
concerns() {
  grep -q -F "/device/$1" "$work/$2.files"
}

# link_seeds PROGRAM UNIT_OBJECT...
link_seeds() {
  program=$1
  shift
  # $check_libs is a list: it is meant to be split.
  # shellcheck disable=SC2086
  "$cxx" -o "$program" "$@" "$work"/shared/*.o -lboost_context $check_libs
}

# What has no bug planted. What takes longest to compile comes first.
prepare() {
  mkdir "$work/shared"
  for unit in $units; do
    sed 's/@CDP_STUDY_HOOKS@/1/; s/@CDP_TYPE@/uint32_t/g' "$root/device/recursion/$unit.in" >"$work/$unit.cpp"
    "$cxx" -std=c++17 -I"$root/include" -I"$root/device" -MM "$work/$unit.cpp" >"$work/$unit.files"
  done
  {
    printf '#include "%s.h"\n' bitonic/bitonic_sort compare/sort_compared payload/payload ranges/sorted_ranges \
      recursion/start segments/segmented_sort select/half_sort
    for call in launch_recursion launch_by_host; do
      echo "template <> int cdp::simulated::$call<uint64_t>(const cdp_plan &, bool, void *) { return 1; }"
    done
    echo "template <> int cdp::simulated::launch_partition<uint64_t>(const cdp_partition_request &, void *) { return 1; }"
    for narrow in uint8_t uint16_t; do
      echo "template <> int cdp::simulated::launch_counted<$narrow>(const cdp_plan &, void *) { return 1; }"
    done
    echo "int cdp::simulated::launch_payload(const cdp_payload_plan &, void *) { return 1; }"
    echo "int cdp::simulated::launch_records(const cdp_records_plan &, void *) { return 1; }"
    echo "int cdp::simulated::launch_division(const cdp_division_plan &, void *) { return 1; }"
    echo "int cdp::simulated::launch_select(const cdp_select_plan &, void *) { return 1; }"
    echo "int cdp::simulated::launch_ranges(const cdp_ranges_plan &, void *) { return 1; }"
    echo "int cdp::simulated::launch_segments(const cdp_segments_plan &, void *) { return 1; }"
    echo "int cdp::simulated::launch_compare(const cdp_compare_plan &, void *) { return 1; }"
    echo "cdp_status cdp::simulated::prepare_comparison(cdp_compare_plan *, int, cdp_fault *) { return CDP_ERROR_NULL; }"
    echo 'extern "C" const char *cdp_engine_compiler_log() { return ""; }'
    echo 'extern "C" void cdp_engine_release_compiled() {}'
    echo "int cdp::simulated::launch_bitonic(const cdp_bitonic_plan &, void *) { return 1; }"
  } >"$work/other_width.cpp"
  printf '%s\0' "$work/recursion.cpp" "$work/host.cpp" "$work/host_map.cpp" "$root/tests/recursion/test_seeds.c" "$work/other_width.cpp" "$root"/src/*.c \
    "$root/device/runtime/no_cuda_engine.c" "$root/device/engine.cpp" "$root"/device/*plan.cpp "$root"/device/*/*_plan.cpp \
    "$root"/device/runtime/simulated_*.cpp "$root/tests/support/simulated_rules.cpp" "$root"/tests/support/host_*.c |
    CDPSORT_PLANTED_WORK=$work xargs -0 -P "$jobs" -n 1 sh "$0"
}

# compile_shared SOURCE: an object that has no bug planted.
compile_shared() {
  case $1 in
  "$work/recursion.cpp" | "$work/host.cpp" | "$work/host_map.cpp") compile_unit "$(basename "$1" .cpp)" "$work" "$root/device" ;;
  *)
    compile "$work/shared/$(basename "$1" | tr . _).o" "$1" "$root/device" -DCDPSORT_TEST_4_BYTES_ONLY -I"$root/tests/support"
    ;;
  esac
}

# build BUG FOLDER: the program with a bug planted, of which only the first unit that it concerns is compiled: the sorts of that
# one show it, and the other's have it too where they take a function from the object that comes first.
build() {
  cp -R "$root/device" "$2/device"
  plant "$1" "$2/device/$file"
  objects='' compiled=''
  for unit in $units; do
    if [ -z "$compiled" ] && concerns "$file" "$unit"; then
      compile_unit "$unit" "$2" "$2/device" || return 1
      objects="$2/$unit.o $objects" compiled=yes
    else
      objects="$objects $work/$unit.o"
    fi
  done
  [ -n "$compiled" ] || {
    echo "$1: no kernel is compiled from device/$file" >&2
    return 1
  }
  # shellcheck disable=SC2086 # a list, of names without spaces behind $work
  link_seeds "$2/test_seeds" $objects
}

# ---- Looking ----------------------------------------------------------------------------------------------------------------
# report_first BUG FOLDER: says what the first failing seed was told.
report_first() {
  line=$(grep -m 1 ':sorts_what_the_seed_draws:' "$2/log") || {
    echo "error: test_seeds failed without saying why:" >&2
    cat "$2/log" >&2
    return 1
  }
  seed=$(printf '%s\n' "$line" | sed 's/^.*:sorts_what_the_seed_draws:\([0-9]*\):.*$/\1/')
  how=$(printf '%s\n' "$line" | sed 's/^.*:sorts_what_the_seed_draws:[0-9]*: *//; s/^seed [0-9]*: //' | cut -c 1-400)
  echo "$1: caught by seed $seed after $((seed + 1)) seeds: $how"
}

# first_failing FOLDER SEEDS: runs seed after seed until one fails, which the folder's log then tells of; false if all pass.
first_failing() {
  first=0
  while [ "$first" -lt "$2" ]; do
    CDPSORT_TEST_FIRST_SEED=$first CDPSORT_TEST_SEEDS=$seeds_at_once CK_TIMEOUT_MULTIPLIER=0.25 "$1/test_seeds" >"$1/log" 2>&1 ||
      return 0
    first=$((first + seeds_at_once))
  done
  return 1
}

hunt() {
  folder=$work/$1
  mkdir "$folder"
  describe "$1"
  build "$1" "$folder" || {
    echo "$1: cannot be built" >&2
    return 1
  }
  if first_failing "$folder" "$seeds"; then
    report_first "$1 ($what, device/$file)" "$folder"
  elif [ "$seeds" -eq "$unseen_seeds" ]; then
    echo "$1: not visible here, as expected, in $seeds seeds"
  else
    echo "$1: NOT caught by $seeds seeds" >&2
    return 1
  fi
}

# What is caught means something only if these sources pass.
pass_without_bugs() {
  mkdir "$work/none"
  link_seeds "$work/none/test_seeds" "$work/recursion.o" "$work/host.o" "$work/host_map.o"
  if first_failing "$work/none" "$unseen_seeds"; then
    echo "error: a seed fails with no bug planted:" >&2
    cat "$work/none/log" >&2
    return 1
  fi
  echo "no bug planted: $unseen_seeds seeds pass"
}

if [ -n "${CDPSORT_PLANTED_WORK:-}" ]; then
  [ "${1#/}" = "$1" ] || { compile_shared "$1" && exit || exit 1; } # a source
  begun=$(date +%s)
  case $1 in
  none) pass_without_bugs && : >"$work/none.done" ;;
  *) hunt "$1" && : >"$work/$1.done" ;;
  esac
  echo "  $(($(date +%s) - begun)) s $1"
  rm -rf "${work:?}/$1"
  exit 0 # what is missing is looked for below
fi

bugs=${*:-$all_bugs}
# shellcheck disable=SC2086 # $bugs is a list
all_can_be_planted $bugs || exit 1
prepare
# shellcheck disable=SC2086
printf '%s\n' none $bugs | CDPSORT_PLANTED_WORK=$work xargs -P "$jobs" -n 1 sh "$0"
missed=
for bug in none $bugs; do
  [ -e "$work/$bug.done" ] || missed="$missed $bug"
done
[ -z "$missed" ] || {
  echo "missed:$missed" >&2
  exit 1
}
echo "every planted bug that the simulated device can show was caught"
