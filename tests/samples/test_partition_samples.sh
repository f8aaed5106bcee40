#!/bin/sh
# SPDX-License-Identifier: MIT
# The samples that are about partitions and copies, partition_kinds and transfer: exit codes, tables, CSV. POSIX sh.
# usage: sh test_partition_samples.sh BIN_DIRECTORY      prints a line for each check; exit code 1 if any failed
#
# Everything runs on the simulated device with few keys: what is looked at is what they check and report, not how fast.
set -u
# shellcheck source=tests/samples/sample_checks.sh
. "$(dirname "$0")/sample_checks.sh"

prints_like() { grep -qE -- "$1" out; }
ends_well() { exits 0 && prints "$1"; }

# csv_is NAMES ROWS PATTERN: the file has this line of names, and so many rows, all of which look like this.
csv_is() {
  [ "$(head -n 1 figures)" = "$1" ] && [ "$(tail -n +2 figures | wc -l)" -eq "$2" ] &&
    [ "$(tail -n +2 figures | grep -cE -- "$3")" -eq "$2" ]
}

number='[0-9.e+-]+'

# ---- partition_kinds --------------------------------------------------------------------------------------------------

names=device,type,log2_count,kind,milliseconds,milliseconds_least,milliseconds_most,gigabytes_per_second,identical,runs
run partition_kinds --sizes 0-13 --runs 3 --csv figures
check "partition_kinds compares both kinds" ends_well "every result is partitioned, and a permutation of what was given"
check "scanning is the same every time, and stable" prints_like "^2\\^13 +scan .* yes +yes$"
check "reserving is neither, where several blocks have a part in it" prints_like "^2\\^13 +reserve .* no +no$"
check "the CSV has a row for each size and kind" csv_is "$names" 28 \
  "^simulated device,u32,[0-9]+,(reserve|scan),$number,$number,$number,$number,(yes|no),3$"
for distribution in sorted equal few staggered; do
  run partition_kinds --sizes 9-10 --runs 2 --type f32 --order descending --distribution "$distribution"
  check "distribution $distribution" ends_well "f32 keys, $distribution, descending"
done
run partition_kinds --sizes 11,2^4,1Ki --type i64 --device simulated
check "single sizes, in any of their ways to be written" ends_well "2^11"
run_without_gpu partition_kinds --sizes 5
check "partition_kinds falls back" exits 0
check "and says so in its first line" first_line_says out

# ---- transfer ---------------------------------------------------------------------------------------------------------

names=device,type,log2_count,memory,mode,to_device_ms,sort_ms,to_host_ms,total_ms,gigabytes_per_second
run transfer --sizes 0-12 --runs 2 --csv figures
check "transfer sorts in every way" ends_well "every result is sorted, and a permutation of what was given"
check "by the device" prints_like "^2\\^12 +pageable +gpu +- +- "
check "by the device and the CPU" prints_like "^2\\^12 +pageable +gpu-partition-cpu-sort +- +[0-9.]+ "
check "by the CPU" prints_like "^2\\^12 +pageable +cpu +- +[0-9.]+ "
check "no pivot is lost" prints "2^12 keys: all 3585 are there, by reserving and by scanning"
check "the CSV has a row for each size and way; nothing is copied" csv_is "$names" 39 \
  "^simulated device,u32,[0-9]+,pageable,(gpu|gpu-partition-cpu-sort|cpu),,$number,,$number,$number$"
for type in i32 u64 i64 f32 f64; do
  run transfer --sizes 9 --runs 1 --type "$type" --order descending --distribution gaussian
  check "keys of type $type" ends_well "$type keys, gaussian, descending"
done
run_without_gpu transfer --sizes 5
check "transfer falls back" exits 0
check "and says so in its first line" first_line_says out

# ---- Both, wrong ------------------------------------------------------------------------------------------------------

for program in partition_kinds transfer; do
  run "$program" --help
  check "$program --help" ends_well "Usage: $program"
  run "$program" 2^20
  check "$program takes options alone" refused 2 "it takes options alone, not '2^20'"
  for sizes in 10-8 -5 5- 41 x 3-x 99999999 512 2^41; do
    run "$program" --sizes "$sizes"
    check "$program: sizes '$sizes'" refused 2 "--sizes: '$sizes' is not a range"
  done
  run "$program" --runs 0
  check "$program: no runs" refused 2 "--runs: '0'"
  run "$program" --distribution none
  check "$program: a distribution that there is not" refused 2 "there is none called 'none'"
  run "$program" --csv
  check "$program: an option without its value" refused 2 "--csv needs a value"
  run "$program" --sizes 4 --csv missing/figures
  check "$program: a file that cannot be written" refused 1 "missing/figures: cannot be written: No such file"
  check "$program, interrupted, leaves the CSV that was there" keeps_what_was --csv "$program" --sizes 22
  check "$program, interrupted, leaves the rows that it had" keeps_rows "$program" --sizes 4,22
  if [ -c /dev/full ]; then
    run "$program" --sizes 4 --csv /dev/full
    check "$program --csv on a full disk" exits 1
    check "it says so" says "/dev/full: cannot be written: No space left"
  fi
  run "$program" --device cuda:999
  check "$program: a GPU that there is not" refused 3 "$program: "
done

announces() { says "on the simulated device this takes about "; }
check "partition_kinds says beforehand how long it takes" end_when announces partition_kinds --sizes 24-26
check "and so does transfer" end_when announces transfer --sizes 24
run transfer --sizes 4 --fan-out 4
check "an option that the library refuses" exits 2
check "and what it says of it" says "--fan-out is 4"

# A partition knows nothing of recursion, and says so instead of ignoring what it was told.
for option in --scheme=last-block --streams=named --pivot=middle --depth-limit=3 --leaf=32 --fan-out=2 --one-block=none \
  --short=none --block-items=256 --oversampling=4 --preset=advanced-quicksort; do
  run partition_kinds --sizes 4 "$option"
  check "partition_kinds: $option" refused 2 "there is no option ${option%%=*}"
  run partition_kinds --help
  check "and --help has none" sh -c "! grep -q -- '^ *${option%%=*} ' out"
  run transfer --help
  check "as transfer has" prints "  ${option%%=*} "
done
for option in --type=i64 --order=descending --device=simulated --seed=7; do
  run partition_kinds --sizes 4 "$option"
  check "partition_kinds: $option" exits 0
  run partition_kinds --help
  check "and --help has it" prints "  ${option%%=*} "
done

ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=300${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
if [ "$(cat /proc/sys/vm/overcommit_memory 2>/dev/null)" = 1 ]; then
  skip "more keys than there is memory for" "the system gives out memory that it does not have, and kills who uses it"
else
  run partition_kinds --sizes 40
  check "more keys than there is memory for" exits 1
  check "and how many" says "not enough memory for 1099511627776 keys, three times"
fi

conclude
