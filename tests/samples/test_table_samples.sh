#!/bin/sh
# SPDX-License-Identifier: MIT
# The samples that measure published tables again, distributions and distinct: exit codes, output, messages, CSV. POSIX sh.
# usage: sh test_table_samples.sh BIN_DIRECTORY      prints a line for each check; exit code 1 if any failed
#
# Everything runs on the simulated device with few keys: what is looked at is whether they sort, check and report, not how fast.
set -u
# shellcheck source=tests/samples/sample_checks.sh
. "$(dirname "$0")/sample_checks.sh"

prints_like() { grep -qE -- "$1" out; }

# csv_is NAMES ROWS: this line of names, so many rows, each with as many fields as there are names and no empty device.
csv_is() {
  names=$1
  rows=$2
  awk -v names="$names" -v rows="$rows" '
    NR == 1 { wrong = $0 != names; fields = split(names, all, ",") }
    NR > 1 {
      wrong = wrong || $0 !~ /^("[^"]+"|[^",]+),/
      sub(/^"[^"]*"/, "device")
      wrong = wrong || split($0, all, ",") != fields
    }
    END { exit wrong || NR != rows + 1 }' table.csv
}

# ---- distributions ----------------------------------------------------------------------------------------------------

names=device,type,distribution,log2_count,std_sort_ms,device_ms,device_ms_least,device_ms_most,whole_ms,speedup_device
names=$names,speedup_whole,ratio_to_random,runs

run distributions --sizes 10-11 --runs 2 --csv table.csv
check "distributions sorts and checks" exits 0
check "it names the device" prints "cdpsort on simulated device"
check "all nine distributions with two sizes are in the CSV" csv_is "$names" 18
for distribution in random shuffle sorted almost-sorted decreasing zero-entropy gaussian bucket staggered; do
  check "it has $distribution" grep -q ",i32,$distribution,11,[0-9.e-]*,[0-9.e-]*," table.csv
done
check "table 5.2 is beside random keys" prints \
  "    10 |     0.033   1.65   0.22   0.00   0.03   0.00   0.07     0.94 | "
check "table 5.3 is beside staggered keys" prints \
  "    11 |     0.075   3.26   0.49   0.03   0.08   0.01   0.15     2.34 | "
# With table 5.2 there are sizes that the thesis has and one that it has not.
run distributions --sizes 9-10 --distributions random --runs 1
aligned() {
  awk -F'|' 'NF == 3 { wrong = wrong || (width && length($2) != width); width = length($2); rows++ }
    END { exit wrong || rows != 4 }' out
}
check "head and rows are aligned" aligned
run distributions --sizes 10-11 --runs 2 --csv table.csv
check "the worst ratio is named" prints_like '^The worst: [a-z-]+, 2\^1[01] keys, [0-9.]+ x random'

run distributions --sizes 2^11,9,2Ki --distributions staggered,sorted --baseline-max 2^10 --runs 1 --csv table.csv
check "chosen distributions and sizes" csv_is "$names" 4
check "no baseline beyond --baseline-max, and nothing in its place" \
  grep -qE ',staggered,11,,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+,,,,1$' table.csv
check "no ratios without random keys" sh -c '! grep -q "The worst" out'
for type in u32 u64 i64 f32 f64; do
  run distributions --sizes 10-10 --runs 1 --type "$type" --order descending --csv table.csv
  check "$type keys, descending" csv_is "$names" 9
done
run distributions --sizes 12-12 --runs 1 --baseline-max 0 --fan-out 2
check "two children, checked for order and permutation alone" exits 0

# ---- distinct ---------------------------------------------------------------------------------------------------------

names=device,table,fan_out,log2_count,distinct,std_sort_ms,device_ms,device_ms_least,device_ms_most,leaf32_ms,equal_items
names=$names,greatest_depth,runs

run distinct --sizes 10-11 --count 2^12 --runs 1 --csv table.csv
check "distinct sorts and checks" exits 0
check "two ways for table 1, three for table 2" csv_is "$names" 19
check "with table 2 in either leaf size" grep -qE ',2,2,12,4096,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+,[0-9.e-]+,' table.csv
check "two values: all keys are equal to one of two pivots" grep -qE ',2-grids,2,12,2,.*,4096,1,1$' table.csv
check "it says what the aborted recursion's counterpart is not" prints "leaves anything unsorted"
check "keys that left as equal, by depth" prints_like '^ +all +4096 +4096 '
run distinct --sizes 10-10 --count 2^11 --runs 1 --fan-out 2 --type f64 --order descending --csv table.csv
check "two children alone, 8-byte keys" csv_is "$names" 9
run distinct --sizes 10-10 --count 2^10 --runs 1 --pivot median-of-three --baseline-max 0 --csv table.csv
check "a rule for one pivot has two children alone" csv_is "$names" 9
check "and without a baseline there is none" grep -qE ',1,2,10,16384,,[0-9.e-]+,' table.csv

# ---- Both -------------------------------------------------------------------------------------------------------------

for program in distributions distinct; do
  run "$program" --help
  check "$program --help" prints "Usage: $program"
  run_without_gpu "$program" --sizes 10-10 --runs 1
  check "$program falls back" exits 0
  check "and says so in its first line" first_line_says out
  run_without_gpu "$program" --device cuda
  check "a GPU asked for by name is not replaced" refused 3 "$program: "
  for sizes in 25-10 10-31 0-4 0 31 1000 1024 2^31 x '10-11,' ''; do
    run "$program" --sizes "$sizes"
    check "$program --sizes '$sizes'" refused 2 "--sizes: '"
  done
  for runs in 0 1001 x; do
    run "$program" --runs "$runs"
    check "$program --runs $runs" refused 2 "--runs: '$runs' is not a whole number from 1 to 1000"
  done
  run "$program" --baseline-max 2X
  check "$program --baseline-max 2X" refused 2 "--baseline-max: '2X'"
  check "$program, interrupted, leaves the CSV that was there" keeps_what_was --csv "$program" --sizes 20
  check "$program, interrupted, leaves the rows that it had" keeps_rows "$program" --sizes 4,20
  run "$program" --csv missing/table.csv
  check "$program --csv in a directory that is not there" refused 1 "missing/table.csv: cannot be written: No such file"
  if [ -c /dev/full ]; then
    run "$program" --sizes 10-10 --runs 1 --csv /dev/full
    check "$program --csv on a full disk" exits 1
    check "it says so" says "/dev/full: cannot be written"
  fi
  run "$program" --type u33
  check "$program --type u33" refused 2 "--type: 'u33' is none of"
  run "$program" --fan-out 4
  check "$program --fan-out 4" refused 2 "--fan-out is 4"
  run "$program" --frobnicate
  check "$program --frobnicate" refused 2 "there is no option --frobnicate"
  run "$program" table
  check "$program with an operand" refused 2 "it takes options alone, not 'table'"
done
announces() { says "on the simulated device this takes about "; }
check "distributions says beforehand how long it takes" end_when announces distributions --sizes 20
check "and so does distinct" end_when announces distinct --count 2^18
run distributions --distributions random,none
check "a distribution that there is not" refused 2 "there is none called 'none'"
for count in 1000 1 2^31 x; do
  run distinct --count "$count"
  check "distinct --count $count" refused 2 "--count: '$count' is not a power of two"
done
for option in --leaf --block-items; do
  run distinct "$option" 64
  check "distinct $option" refused 2 "$option is what this program varies itself"
  run distinct --help
  check "and --help does not list it" sh -c "! grep -q -e '^ *$option ' out"
done

conclude
