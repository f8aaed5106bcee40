#!/bin/sh
# SPDX-License-Identifier: MIT
# What the samples do, right and wrong: exit codes, output, messages, files left behind. POSIX sh.
# usage: sh test_samples.sh BIN_DIRECTORY      prints a line for each check; exit code 1 if any failed
#
# Everything runs on the simulated device, except where a machine without a GPU is played: there CUDA sees no device; and
# resident_blocks, where there is a GPU.
set -u
# shellcheck source=tests/samples/sample_checks.sh
. "$(dirname "$0")/sample_checks.sh"

# sorted_to TEXT: ended well, and wrote this. The text has printf's escapes.
sorted_to() { [ "$code" -eq 0 ] && printf '%b' "$1" | cmp -s - out; }

# The only files here are those of the tests themselves: none was left behind.
nothing_left() {
  for file in * .[!.]*; do
    case $file in
    in | out | err | expected | numbers | kept | '.[!.]*') ;;
    *) return 1 ;;
    esac
  done
}

# ---- sort_numbers: right ----------------------------------------------------------------------------------------------

printf '30 -4\n15\n\n  7\t-4 \r\n' >in
run sort_numbers
check "numbers on several lines and several to a line" sorted_to '-4\n-4\n7\n15\n30\n'
check "stderr names the count, the type and the device" says "5 i64 numbers sorted, ascending, on simulated device"
check "stderr says how long" grep -qE 'read in [0-9.]+ ms, sorted in [0-9.]+ ms.*written in [0-9.]+ ms' err

printf '3\n1\n2' >in
run sort_numbers --order descending -
check "descending, the last line without a newline, - for standard input" sorted_to '3\n2\n1\n'

for output in "-o -" --output=-; do
  # shellcheck disable=SC2086
  run sort_numbers $output -
  check "$output for standard output, and the messages elsewhere" sorted_to '1\n2\n3\n'
  check "and no file of that name" test ! -e ./-
done

: >in
run sort_numbers
check "no input gives no output" sorted_to ''
printf '+007\n' >in
run sort_numbers --type u32
check "one number, with a plus and zeros" sorted_to '7\n'

awk 'BEGIN { x = 1; for (i = 0; i < 60000; i++) { x = (x * 16807) % 2147483647; printf "%d\n", x - 1073741824 } }' >numbers
sort -n numbers >expected
for scheme in last-block controller host; do
  run sort_numbers --scheme "$scheme" numbers
  check "60,000 numbers as sort -n has them, scheme $scheme" cmp -s out expected
done
for fan_out in 0 2 8 1024; do
  run sort_numbers --fan-out "$fan_out" --leaf 32 numbers
  check "and with a fan-out of $fan_out" cmp -s out expected
done
run sort_numbers --one-block none --short none --block-items 2048 --oversampling 4 numbers
check "and with every array divided into tasks" cmp -s out expected
run sort_numbers --type i32 --leaf 32 --depth-limit 2 --pivot random --seed 7 --output=kept -- numbers
check "the same into a file, with small leaves and a low depth limit" cmp -s kept expected
check "with --output nothing goes to standard output" test ! -s out
cp numbers kept
run sort_numbers -o kept kept
check "a file sorted into itself" cmp -s kept expected

printf '9223372036854775807 -9223372036854775808 0\n' >in
run sort_numbers --type i64
check "the ends of i64" sorted_to '-9223372036854775808\n0\n9223372036854775807\n'
printf '18446744073709551615 0 1\n' >in
run sort_numbers --type u64
check "the ends of u64" sorted_to '0\n1\n18446744073709551615\n'
printf -- '-2147483648 2147483647 0\n' >in
run sort_numbers --type i32
check "the ends of i32" sorted_to '-2147483648\n0\n2147483647\n'
printf 'nan 0 -0 inf 0.1 -inf -nan 1e300 3\n' >in
run sort_numbers --type f64
check "f64 in total order, shortest digits" sorted_to '-inf\n-0\n0\n0.1\n3\n1e+300\ninf\nnan\n-nan\n'
printf '1e-310 5e-324 2.2250738585072014e-308 0.1\n' >in
run sort_numbers --type f64
check "subnormal ones have fewer digits" sorted_to '5e-324\n1e-310\n2.2250738585072014e-308\n0.1\n'
printf '1e-45 1e-40 3.4028235e38\n' >in
run sort_numbers --type f32
check "and those of f32" sorted_to '1e-45\n1e-40\n3.4028235e+38\n'
printf '0.1 16777217 -1.5e-3\n' >in
run sort_numbers --type f32
check "f32 is rounded to f32 and written with the digits it needs" sorted_to '-0.0015\n0.1\n16777216\n'

printf '\003\003\003\003\001\001\001\001\002\002\002\002' >in
run sort_numbers --type u32 --binary
check "binary keys" sorted_to '\0001\0001\0001\0001\0002\0002\0002\0002\0003\0003\0003\0003'

awk 'BEGIN { for (i = 0; i < 4000000; i++) print i * 16807 % 2147483647 }' >in
announces() { says "sort_numbers: on the simulated device this takes about "; }
check "many numbers are said to take long" end_when announces sort_numbers --fan-out 2 --leaf 32 --block-items 512 in
: >in

# ---- sort_numbers: wrong ----------------------------------------------------------------------------------------------

run sort_numbers missing
check "a file that is not there" refused 1 "missing: cannot be opened: No such file"
run sort_numbers .
check "a directory" refused 1 ".:1: cannot be read: Is a directory"

printf '1 2\n3 x7 4\n' >in
run sort_numbers
check "a word that is no number, with its line" refused 1 "standard input:2: 'x7' is not a number"
printf '1\n\n0x10\n' >in
run sort_numbers in
check "hexadecimal, with file and line" refused 1 "in:3: '0x10' is not a number"
run sort_numbers --type f64 in
check "hexadecimal is no fraction either" refused 1 "in:3: '0x10' is not a number"
printf '1.5\n' >in
run sort_numbers
check "a fraction where whole numbers are asked for" refused 1 "standard input:1: '1.5' is not a whole number"
echo 1e400 >in
run sort_numbers
check "more than any type has" refused 1 "'1e400' is out of the range of i64"
echo 'nan(5)' >in
run sort_numbers
check "a NaN with a payload" refused 1 "'nan(5)' is not a number"
printf '1\n-\n' >in
run sort_numbers
check "a sign alone" refused 1 "standard input:2: '-' is not a number"
printf '5\0006\n' >in
run sort_numbers
check "a zero byte in the text" refused 1 "'5\\x006' is not a number"
awk 'BEGIN { for (i = 0; i < 2000000; i++) printf "1" }' >in
run sort_numbers
check "a word of two million digits" refused 1 "standard input:1: '1111111111111111111111111111111111111111...' is not"

while read -r type number; do
  printf '0\n%s\n' "$number" >in
  run sort_numbers --type "$type"
  check "$number is out of the range of $type" refused 1 "standard input:2: '$number' is out of the range of $type"
done <<'END'
u32 4294967296
u32 -1
i32 2147483648
i32 -2147483649
u64 18446744073709551616
u64 -1
i64 9223372036854775808
i64 -9223372036854775809
f32 1e39
f64 -1e309
END

printf '12345678901' >in
run sort_numbers --type u64 --binary
check "a binary file that ends within a key" refused 1 "11 bytes are not a whole number of u64 keys of 8 bytes: 3 too many"

# Endless input. An address sanitizer needs all the address space there is, but can itself be told of a limit. The option -v
# is not in POSIX, but every sh of a Linux system has it.
ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=300${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
memory=2000000
# shellcheck disable=SC3045
(ulimit -v "$memory" && "$programs/sort_numbers" --help) >/dev/null 2>&1 || memory=unlimited
code=0
# shellcheck disable=SC3045
yes 1 | (ulimit -v "$memory" && "$programs/sort_numbers" >out 2>err) || code=$?
check "more numbers than there is memory for" refused 1 "not enough memory for more than"

printf '2 1\nx\n' >in
printf 'before\n' >kept
run sort_numbers -o kept
check "bad input leaves the output file as it was" grep -qx before kept
check "and nothing beside it" nothing_left
printf '2 1\n' >in
run sort_numbers -o missing/out missing/in
check "an output in a directory that is not there, before the input is read" refused 1 "missing/out: cannot be written: No such file"
run sort_numbers -o .
check "a directory as the output" refused 1 ".: cannot be written"
code=0
(trap '' XFSZ && ulimit -f 8 && exec "$programs/sort_numbers" -o kept numbers) >out 2>err || code=$?
check "a disk that fills up" refused 1 "kept: cannot be written: File too large"
check "leaves the output file as it was" grep -qx before kept
code=0
(ulimit -f 8 && exec "$programs/sort_numbers" -o kept numbers) >out 2>err || code=$?
check "ended by a signal while writing" test "$code" -gt 128
check "nothing is left of either" nothing_left
if [ -c /dev/full ]; then
  code=0
  "$programs/sort_numbers" numbers >/dev/full 2>err || code=$?
  : >out
  check "a full standard output" refused 1 "standard output: cannot be written: No space left"
fi
if [ -c /dev/full ]; then
  # The programs whose output takes no GPU; those that study the recursion have a check of their own.
  for line in quickstart "recursion --count 100" "partition_kinds --sizes 4" "transfer --sizes 4" \
    "distributions --sizes 10 --runs 1" "distinct --sizes 10 --count 2^10 --runs 1" "sort_numbers --help" "recursion --help"; do
    code=0
    # shellcheck disable=SC2086
    "$programs"/$line </dev/null >/dev/full 2>err || code=$?
    : >out
    check "a full standard output of $line" refused 1 "standard output cannot be written"
  done
fi
run sort_numbers --output /dev/null numbers
check "a device as the output is not replaced by a file" test -c /dev/null

run sort_numbers --type u33
check "a type that there is not" refused 2 "--type: 'u33' is none of: u32 i32 u64 i64 f32 f64"
run sort_numbers --frobnicate
check "an option that there is not" refused 2 "there is no option --frobnicate"
run sort_numbers --seed
check "an option without its value" refused 2 "--seed needs a value"
run sort_numbers --binary=yes
check "a value for an option that takes none" refused 2 "--binary takes no value"
run sort_numbers numbers numbers
check "two files" refused 2 "'numbers' is one too many"
run sort_numbers --fan-out 4 missing
check "a fan-out that there is not, before the input is read" refused 2 "--fan-out is 4"
run sort_numbers --oversampling 2000 missing
check "more keys to a child than there may be" refused 2 "--oversampling is 2000"
run sort_numbers --fan-out 8 --pivot middle missing
check "many children around one pivot" refused 2 \
  "--fan-out is 8 and --pivot is middle, a rule for one pivot, but many children need many: choose --fan-out 2, or --pivot"
run sort_numbers --leaf 1 missing
check "an option that the library refuses, before the input is read" refused 2 "--leaf is 1: choose 0 for the default"
run sort_numbers --depth-limit 4294967294 missing
check "a limit that is too great, in the words of the command line" refused 2 "or none"
says_no_name_of_the_library() { ! grep -qE 'options\.|tuning\.|CDP_' err; }
check "and in none of the library's" says_no_name_of_the_library
run sort_numbers --device cuda:999
check "a GPU that there is not" refused 3 "sort_numbers: "
check "what to do without one, in the words of the command line" says "give --device simulated"

# ---- No GPU -----------------------------------------------------------------------------------------------------------

run_without_gpu sort_numbers
check "sort_numbers falls back" sorted_to '1\n2\n'
check "and says so in its first line" first_line_says err
run_without_gpu recursion --count 1000
check "recursion falls back" exits 0
check "and says so in its first line" first_line_says out
run_without_gpu quickstart
check "quickstart falls back" exits 0
check "and says so in its first line" grep -qi "^no GPU.*simulated device" out
run_without_gpu sort_numbers --device cuda
check "a GPU asked for by name is not replaced" refused 3 "CDPSORT_DEVICE=simulated"

# ---- quickstart and recursion -----------------------------------------------------------------------------------------

run quickstart
check "quickstart prints the keys in order" prints ": -65 -9 -4 3 8 15 31 35 79 92"
check "and the device" prints "simulated device"

run recursion --count 2^15 --leaf 32
check "recursion sorts" exits 0
check "and checks order and permutation" prints "Check: sorted, and a permutation"
check "the table begins with the whole array" grep -qE '^ *0 +1 +32768 +32768..32768 ' out
check "and ends with the sums" grep -qE '^ *all +[0-9]+ ' out
for distribution in sorted reversed equal few staggered bucket gaussian organ-pipe; do
  run recursion --count 20K --type f32 --order descending --distribution "$distribution" --leaf 32
  check "distribution $distribution" prints "20000 f32 keys, $distribution, sorted descending"
done
run recursion --count 2^15 --leaf 32 --fan-out=2
check "two parts to a range: levels below levels" grep -qE '^ *1 +2 +[0-9]+ ' out
run recursion --count 30Ki --depth-limit none --type u64 --leaf 32
check "without recursion the depth limit's fallback is counted" grep -qE '^ *all .* [1-9][0-9]*/0/0$' out
run recursion --count 0
check "no keys" exits 0
for count in 1X 2^65 -1 K 99999999999999999999 1i 20000000000G; do
  run recursion --count "$count"
  check "the count $count is refused" refused 2 "--count: '$count'"
done
run recursion --count 2^62
check "more keys than there is memory for" refused 1 "not enough memory for 4611686018427387904 keys"
run recursion --distribution none
check "a distribution that there is not" refused 2 "there is none called 'none'"
for program in quickstart sort_numbers recursion; do
  run "$program" --help
  check "$program --help" prints "Usage: $program"
  run "$program" --version
  check "$program --version" prints "$program (cdpsort) "
done
run quickstart 5
check "quickstart takes no argument" refused 2 "Usage: quickstart"

# ---- bench: its command line; what it measures takes a GPU -------------------------------------------------------------

if [ -x "$programs/bench" ]; then # CUDA builds alone have it
  run bench --help
  check "bench --help" prints "Usage: bench"
  check "and says it succeeded" exits 0
  run bench --sizes 28-10
  check "a range of sizes from high to low" refused 2 "--sizes: '28-10'"
  run bench --types u32,u33
  check "one type of a list that there is not" refused 2 "--types: 'u33' is none of: all u32"
  run bench --modes default,fastest
  check "a mode that there is not" refused 2 "--modes: 'fastest' is none of: all default"
  run bench --runs 0
  check "no runs" refused 2 "--runs: '0'"
  run bench --check
  check "nothing to compare with" refused 2 "--check needs a value"
  run_without_gpu bench
  check "bench falls back on nothing" refused 1 "no GPU can be used"
fi

# ---- resident_blocks: its command line; what it counts takes a GPU -----------------------------------------------------

# The table has a heading and, up to what every GPU's blocks may have, 64 KB, a row for each size.
prints_the_table() {
  exits 0 && prints "blocks of 64 threads on a multiprocessor at once" && prints "launched by the device" &&
    [ "$(grep -cE '^ +[0-9.]+ KB( +[0-9]+ to +[0-9]+ \( *[0-9.]+ ms\)){2}$' out)" -ge 15 ]
}

if [ -x "$programs/resident_blocks" ]; then # CUDA builds alone have it
  run resident_blocks --help
  check "resident_blocks --help" prints "Usage: resident_blocks"
  check "and says it succeeded" exits 0
  for threads in 31 1025 -64 64x x '' 99999999999999999999; do
    run resident_blocks "$threads"
    check "blocks of '$threads' threads" refused 2 "usage: resident_blocks [threads of a block, 32 to 1024]"
  done
  run resident_blocks 64 64
  check "two numbers of threads" refused 2 "usage: resident_blocks"
  run_without_gpu resident_blocks
  check "resident_blocks falls back on nothing" refused 1 "resident_blocks: looking for a CUDA device failed"
  if nvidia-smi -L >/dev/null 2>&1; then
    run resident_blocks 64
    check "resident_blocks prints its table" prints_the_table
  else
    echo "# no GPU here: its table is left out"
  fi
fi

# ---- lost_trees and row_medians: their command lines -------------------------------------------------------------------

for program in lost_trees row_medians; do
  [ -x "$programs/$program" ] || continue # CUDA builds alone have them
  run "$program" --help
  check "$program --help" prints "Usage: $program"
  check "and says it succeeded" exits 0
  run "$program" --frobnicate
  check "$program: an option that there is not" refused 2 "$program"
done
if [ -x "$programs/row_medians" ]; then
  for rows in 0 1000001 64x x ''; do
    run row_medians "$rows"
    check "row_medians: '$rows' rows" refused 2 "'$rows' is not a number from 1 to 1000000"
  done
  run row_medians 1 2049
  check "row_medians: more columns than a block sorts" refused 2 "'2049' is not a number from 1 to 2048"
  run row_medians -5
  check "row_medians: less than none" refused 2 "there is no option -5"
  run row_medians 1 1 1
  check "row_medians: a third number" refused 2 "'1' is one too many"
  run_without_gpu row_medians 1 1
  check "row_medians falls back on nothing" refused 1 "row_medians: allocating device memory failed"
fi

conclude
