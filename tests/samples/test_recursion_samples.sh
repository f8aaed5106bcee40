#!/bin/sh
# SPDX-License-Identifier: MIT
# The samples that study the recursion, depth_study, schemes and timeline, right and wrong: exit codes, tables, files. POSIX sh.
# usage: sh test_recursion_samples.sh BIN_DIRECTORY      prints a line for each check; exit code 1 if any failed
#
# Everything runs on the simulated device, except where a machine without a GPU is played.
set -u
# shellcheck source=tests/samples/sample_checks.sh
. "$(dirname "$0")/sample_checks.sh"

silent() { [ ! -s err ]; }

# fits COLUMNS: no line of the output is longer.
fits() { awk -v most="$1" 'length($0) > most { bad = 1 } END { exit bad }' out; }

# csv_has FILE HEADER ROWS: this first line, so many after it, and every one with as many fields as the first.
csv_has() {
  [ "$(head -n 1 "$1")" = "$2" ] && [ "$(wc -l <"$1")" -eq $(($3 + 1)) ] &&
    awk -F, 'NR == 1 { fields = NF } NF != fields || /,,|,$/ { bad = 1 } END { exit bad }' "$1"
}

# column FILE NAME: the values of a column, each once.
column() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1" | sort -u |
    tr '\n' ' '
}
has_values() { [ "$(column "$1" "$2")" = "$3" ]; }

is_json() { python3 -m json.tool "$1" >/dev/null; }

# ---- What they have in common -----------------------------------------------------------------------------------------

for program in depth_study schemes timeline; do
  run "$program" --help
  check "$program --help" prints "Usage: $program"
  check "and says it succeeded" exits 0
  run "$program" --frobnicate
  check "$program: an option that there is not" refused 2 "there is no option --frobnicate"
  run "$program" 2^10
  check "$program: an operand" refused 2 "it takes options alone, not '2^10'"
  run "$program" --count
  check "$program: an option without its value" refused 2 "--count needs a value"
  for count in 1 0 x 2^65; do
    run "$program" --count "$count"
    check "$program: the count $count" refused 2 "--count: '$count'"
  done
  run "$program" --count 2^62
  check "$program: more keys than there is memory for" refused 1 "not enough memory for"
  run "$program" --distribution none
  check "$program: a distribution that there is not" refused 2 "there is none called 'none'"
  run "$program" --count 1000 --oversampling 2000
  check "$program: an option that the library refuses" refused 2 "--oversampling is 2000"
  run "$program" --count 1000 --device cuda:999
  check "$program: a GPU that there is not" refused 3 "$program: "
  # Before any work is done, even that of finding room for the keys.
  run "$program" --count 2^62 --csv missing/file
  check "$program: a file in a directory that there is not" refused 1 "missing/file: cannot be written: No such file"
  check "$program, interrupted, leaves the CSV that was there" keeps_what_was --csv "$program" --count 2^20 --fan-out 2

  run_without_gpu "$program" --count 1000
  check "$program falls back where there is no GPU" exits 0
  check "and says so in its first line" first_line_says out
  if [ -c /dev/full ]; then
    code=0
    "$programs/$program" --count 1000 </dev/null >/dev/full 2>err || code=$?
    : >out
    check "$program: a full standard output" refused 1 "standard output cannot be written"
  fi
done

# Long ones are announced; what is small is not (it is silent below).
slow="--fan-out 2 --leaf 32 --block-items 512"
announces() { says "$program: on the simulated device this takes about "; }
for line in "recursion --count 2^22 $slow" "timeline --count 2^22 $slow" "schemes --count 2^22" "depth_study --count 2^24"; do
  # shellcheck disable=SC2086
  check "$line says beforehand how long it takes" end_when announces $line
done
run schemes --help
check "schemes --help does not list what it refuses" sh -c '! grep -q -e "^ *--scheme " out'

# ---- recursion: the columns, the preset -------------------------------------------------------------------------------

run recursion --count 2^14 --preset advanced-quicksort --leaf 128
check "recursion as cdpAdvancedQuicksort" exits 0
check "has the new columns" grep -qE 'bytes +fallbacks' out
check "splits short ranges by grids" grep -qE '^ *4 +[1-9]' out
check "and a table that fits a terminal" fits 120
run recursion --count 2^14 --preset fastest
check "a preset that there is not" refused 2 "--preset: 'fastest' is none of: advanced-quicksort"

# The same options: the same first split. What is below it differs a little, since tracing changes who comes first.
first_split() { awk '$1 == 0 && $2 == 1 { print $2, $3, $4, $5, $6 }' out; }
run recursion --count 2^13 --fan-out 2 --block-items 256
first_split >expected
run timeline --count 2^13 --fan-out 2 --block-items 256
same_first_split() { [ -s expected ] && first_split | cmp -s - expected; }
check "timeline's first split is that of recursion" same_first_split
run timeline --help
check "and timeline tells of what is below it" prints "the tree below it is like that one's, not the same"

# ---- depth_study ------------------------------------------------------------------------------------------------------

header=device,type,log2_count,distribution,scheme,child_streams,fan_out,pivot,depth_limit,leaf_items,milliseconds,
header=${header}milliseconds_least,milliseconds_most,depth_count,tasks,children_launched,launches_refused,deferred,batches,leaves,
header=${header}fallback_depth,equal_items,bytes_moved,balance,runs

# Two fan-outs, three schemes, two limits, both of which are reached; one of the two pivots is for two children alone.
run depth_study --count 2^12 --block-items 256 --one-block none --leaves 32 --fan-outs 2,8 --schemes all --depth-limits 1,0 \
  --pivots sampled-median,middle --runs 2 --csv study.csv
check "depth_study measures" exits 0
check "and checks" prints "Check: every result sorted, and a permutation of what was given"
check "and counts what is impossible" \
  prints "Combinations: 18 measured; skipped: 6 impossible, 0 the same sort as another, 0 depth"
check "and recommends by what is exact" grep -qE '^Fewest bytes moved: [0-9.]+[KMG]? with fan-out (2|8), pivot ' out
ranked_by_bytes() { awk '/ balance$/ { at = NF - 1; next } at && NF > at && $at ~ /^[0-9]+$/ { if ($at < last) exit 1; last = $at; rows++ } !NF { at = 0 } END { exit rows < 3 }' out; }
check "and ranks by bytes moved" ranked_by_bytes
check "and tells what each knob costs" grep -qE '^  scheme +controller +[0-9]+\.[0-9]{2}' out
check "and which limit is enough" grep -qE '^The least depth limit within 5 % of it: [01] ' out
check "nothing on stderr where that is no terminal" silent
check "in lines that fit a terminal" fits 128
check "the CSV has its header and a row for each combination" csv_has study.csv "$header" 18
check "of both fan-outs" has_values study.csv fan_out "2 8 "
check "of all schemes" has_values study.csv scheme "controller host last-block "
check "with the leaf that was asked for" has_values study.csv leaf_items "32 "
check "and so many runs" has_values study.csv runs "2 "
check "each on the simulated device" has_values study.csv device "simulated device "
check "each of 2^12 keys" has_values study.csv log2_count "12 "

run depth_study --count 2^12 --depth-limits none,0 --leaves 32,0,1024 --fan-outs 2 --schemes last-block,host \
  --streams all --csv study.csv
check "depth_study knows what makes no difference" exits 0
# Two leaves; without partitions they are none; the host has no child streams: 2 * 3 + 3 of 24.
check "and leaves it out" prints "Combinations: 9 measured; skipped: 0 impossible, 15 the same sort as another"
check "the greatest leaf has one name" has_values study.csv leaf_items "1024 32 "
check "no limit is called none" has_values study.csv depth_limit "0 none "

run depth_study --count 2^11 --depth-limits 1,16,64,0 --leaves 32 --fan-outs 2 --schemes last-block --rows 1 --type f64
check "depth limits that no range comes to are not measured again" grep -qE '; skipped: .*, [23] depth limits that no range' out
check "but told" grep -qE '^  depth limit  64 +[0-9.]+  no range came to it' out
check "the types of 8 bytes have smaller leaves" prints "2048 f64 keys"
# The first key as pivot makes ranges come to the default limit, 28, so that nothing is known of what a greater one does.
run depth_study --count 2^10 --depth-limits 64,5,0 --leaves 32 --fan-outs 2 --block-items 32 --schemes last-block \
  --pivots first --distribution staggered --csv study.csv
check "a limit beyond one that was met is measured" has_values study.csv depth_limit "0 5 64 "
check "and not said to be out of reach" prints ", 0 depth limits that no range came to"

# Two launches are not among what is compared, unless they are asked for.
run depth_study --count 2^15 --depth-limits 0 --leaves 0 --fan-outs 1024 --schemes last-block,host
check "all schemes sort by the same algorithm" prints "Without the two launches for short arrays"
run depth_study --count 2^15 --depth-limits 0 --leaves 0 --fan-outs 1024 --schemes last-block,host --short 0 --runs 1
check "unless --short is given" sh -c '! grep -q "Without the two launches" out'

# Interrupted long before its end: what it had measured is there.
rm -f study.csv
"$programs/depth_study" --count 2^14 --full --csv study.csv >out 2>err &
study=$!
seconds=0
has_rows() { [ -f study.csv ] && [ "$(wc -l <study.csv)" -gt 2 ]; }
until has_rows || [ "$seconds" -ge 30 ]; do
  sleep 1
  seconds=$((seconds + 1))
done
check "depth_study writes rows as they are measured" has_rows
check "and goes on measuring" kill "$study"
wait "$study" 2>/dev/null

run depth_study --count 2^10 --full --rows 2 --csv study.csv
check "depth_study --full" exits 0
check "shows the rows that were asked for" prints " more (--rows 0 prints all)"
check "tries all pivots" has_values study.csv pivot "first mean median-of-three middle ninther random sampled-median "
run depth_study --count 2^10 --depth-limits all --leaves all --pivots all --fan-outs 2 --schemes all --streams all --runs 1
check "all of everything is crossed" prints "skipped: 0 impossible"
check "the table has no times" sh -c '! grep -qE "^ *ms " out'
says_first() { [ "$(sed -n '/./{p;q;}' out | cut -c 1-57)" = "This is the simulated device: counts are exact, but times" ]; }
check "and what times are worth is told first" says_first
check "and all streams are measured" grep -qE '^  streams +named +[0-9.]+' out
run depth_study --count 2^10 --fan-outs 2,3
check "a value that the library refuses" refused 2 "--fan-outs: --fan-out is 3"
run depth_study --count 2^10 --pivot first --fan-out 64
check "no combination that can be" refused 2 "none of these combinations can be: --fan-out is 64 and --pivot is first"
run depth_study --count 2^10 --leaves 32,x
check "a value that is no number" refused 2 "--leaf: 'x' is not a whole number"
run depth_study --count 2^10 --leaves 1024 --type u64
check "a leaf that is too large for the type" refused 2 "--leaves: --leaf is 1024"
run depth_study --count 2^10 --schemes last-block,,controller
check "an empty value" refused 2 "--scheme: '' is none of"
run depth_study --runs 0
check "no runs" refused 2 "--runs: '0'"
run depth_study --time-limit x
check "a time that is none" refused 2 "--time-limit: 'x'"

# ---- schemes ----------------------------------------------------------------------------------------------------------

header=device,type,log2_count,fan_out,scheme,milliseconds,grids,latency_median_ns,latency_least_ns,latency_most_ns,idle_ns,
header=${header}idle_longest_ns,pending_most,refused,runs,trace_ns,traces,launched,depth,bytes_moved,tasks
run schemes --count 2^13 --block-items 256 --one-block none --short none --leaf 32 --csv schemes.csv
check "schemes measures" exits 0
check "and checks" prints "Check: every result sorted"
check "and says what times are worth first" says_first
check "and says what it means" grep -qE '^With fan-out 1024 the device launches [0-9]+ grids by last blocks, and [0-9]+ by controllers' out
check "and shows no times" sh -c '! grep -qE "latency| ms " out'
check "in lines that fit a terminal" fits 128
check "the CSV has its header and a row for each scheme and fan-out" csv_has schemes.csv "$header" 6
check "of all schemes" has_values schemes.csv scheme "controller host last-block "
check "classic and many" has_values schemes.csv fan_out "1024 2 "
pending_in_schemes() { awk -F, 'NR > 1 && ($5 == "host") != ($13 == 0) { bad = 1 } END { exit bad }' schemes.csv; }
grids_in_schemes() { awk -F, 'NR > 1 && $7 < 3 { bad = 1 } END { exit bad }' schemes.csv; }
check "nothing is pending where the host launches, and there alone" pending_in_schemes
check "no scheme does without grids" grids_in_schemes
run schemes --count 2^12 --fan-out 8 --block-items 256 --one-block none --short none --csv schemes.csv
check "one fan-out" has_values schemes.csv fan_out "8 "
run schemes --scheme last-block
check "one scheme is no comparison" refused 2 "--scheme: all three are compared"
run schemes --count 1000 --fan-out 3
check "a fan-out that there is not" refused 2 "--fan-out is 3"

# ---- timeline ---------------------------------------------------------------------------------------------------------

header=launched_ns,begin_ns,end_ns,range_begin,range_end,kind,depth,blocks,multiprocessor,launcher,cuda_error,is_tail
for scheme in last-block controller host; do
  run timeline --count 2^13 --fan-out 2 --block-items 256 --scheme "$scheme" --json trace.json --csv trace.csv
  check "timeline of the scheme $scheme" exits 0
  check "is checked" prints "Check: sorted, and a permutation"
  if command -v python3 >/dev/null 2>&1; then
    check "its JSON is JSON" is_json trace.json
  else
    skip "its JSON is JSON" "no python3 here"
  fi
  events=$(sed -n 's/^Trace: \([0-9]*\) events$/\1/p' out)
  check "its CSV has a row for each event" csv_has trace.csv "$header" "${events:-0}"
  check "the picture has a row for each depth" grep -qE '^ +3 \|.*\|$' out
  check "and the tree is told" grep -qE '^ *all +[0-9]+ ' out
  check "the pending launches are told" prints "Launches pending at once:"
  check "in lines that fit a terminal" fits 160
done
run timeline --count 2^13 --preset advanced-quicksort --leaf 64 --width 40 --order descending
check "timeline as cdpAdvancedQuicksort" grep -qE '^ +2 \|.{40}\|$' out
run timeline --count 2^13 --fan-out 2 --block-items 256 --capacity 5
check "events that are lost are told" grep -qE '^Trace: 5 events; [1-9][0-9]* more were lost' out
check "and the sort is none the worse" exits 0
run timeline --count 2^62 --json missing/file
check "a JSON file in a directory that there is not" refused 1 "missing/file: cannot be written: No such file"
check "timeline, interrupted, leaves the JSON file that was there" keeps_what_was --json timeline --count 2^20
echo before >kept
run timeline --count 1000 --csv kept --json missing/file
check "one of two files that cannot be written leaves the other as it was" is_as_before
run timeline --count 1000 --csv both --json both
check "one file for both" refused 1 "--json and --csv name the same file"
run timeline --count 1000 --csv -
check "a file called -" refused 2 "--csv -: standard output has the report"
run timeline --count 1000 --json /dev/stdout
check "a file that is standard output is not replaced" prints "Check: sorted"
if [ -c /dev/full ]; then
  run timeline --count 1000 --json /dev/full
  check "a JSON file on a full disk" exits 1
  check "timeline says so" says "/dev/full"
fi
for value in "--capacity 0" "--capacity 2^40" "--width 3" "--width x"; do
  # shellcheck disable=SC2086
  run timeline $value
  check "timeline $value" refused 2 "${value%% *}: '${value##* }'"
done

conclude
