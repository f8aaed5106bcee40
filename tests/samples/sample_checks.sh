# SPDX-License-Identifier: MIT
# What the tests of the sample programs share; sourced by test_*samples.sh, whose argument is the folder of the programs. POSIX sh.
#
# The script goes on in a folder of its own, which is removed at its end, on the simulated device.
# shellcheck shell=sh
programs=$(cd "${1:?usage: sh $0 BIN_DIRECTORY}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
: >in

CDPSORT_DEVICE=simulated
LC_ALL=C
export CDPSORT_DEVICE LC_ALL
checks=0
failures=0
skipped=0

# check WHAT COMMAND...: the command must succeed.
check() {
  what=$1
  shift
  checks=$((checks + 1))
  if "$@"; then
    echo "ok $checks - $what"
  else
    failures=$((failures + 1))
    echo "not ok $checks - $what"
    sed 's/^/#   stdout: /' out | head -n 5
    sed 's/^/#   stderr: /' err | head -n 5
  fi
}

# skip WHAT WHY: a check that cannot be made here. It is counted, lest a machine that checks little looks like one that checks all.
skip() {
  skipped=$((skipped + 1))
  echo "skipped - $1: $2"
}

# run PROGRAM ARGUMENT...: standard input from the file `in`; leaves out, err and $code.
run() {
  program=$1
  shift
  code=0
  "$programs/$program" "$@" <in >out 2>err || code=$?
}

# Runs a program on a machine whose GPUs, if any, CUDA does not see, and with no device named.
run_without_gpu() {
  program=$1
  shift
  code=0
  env -u CDPSORT_DEVICE CUDA_VISIBLE_DEVICES= "$programs/$program" "$@" <in >out 2>err || code=$?
}

exits() { [ "$code" -eq "$1" ]; }
says() { grep -qF -- "$1" err; }
prints() { grep -qF -- "$1" out; }
# The first line says that there is no GPU and what to do about it, and no other line says so again.
first_line_says() {
  head -n 1 "$1" | grep -qE "no GPU.*simulated device.*\(.+: .+\)$" &&
    [ "$(grep -cE "no GPU|CUDA error|CUDA toolkit|library says" "$1")" -eq 1 ]
}

# refused CODE TEXT: ended with this code, this on stderr, and nothing written.
refused() { [ "$code" -eq "$1" ] && says "$2" && [ ! -s out ]; }

# end_when CONDITION PROGRAM ARGUMENT...: runs a program until the condition is met, and then ends it by a signal. Fails where it
# ends before.
end_when() {
  condition=$1
  program=$2
  shift 2
  "$programs/$program" "$@" <in >out 2>err &
  child=$!
  tries=0
  until "$condition" || [ "$tries" -ge 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  code=0
  kill "$child" 2>err && wait "$child" 2>/dev/null || code=$?
  [ "$code" -gt 128 ] && [ "$tries" -lt 300 ]
}

# What a program writes of the file `kept` is beside it until there is something to put in its place.
has_begun() { [ -n "$(ls kept.unfinished-* 2>/dev/null)" ]; }
has_rows() { [ "$(wc -l <kept)" -gt 1 ]; }
has_rows_alone() { has_rows && ! has_begun; }
is_as_before() { [ "$(cat kept)" = before ] && ! has_begun; }

# keeps_what_was OPTION PROGRAM ARGUMENT...: an interrupted program, which has the file from its option, leaves it as it was.
keeps_what_was() {
  option=$1
  program=$2
  shift 2
  echo before >kept
  end_when has_begun "$program" "$@" "$option" kept && is_as_before
}

# keeps_rows PROGRAM ARGUMENT...: an interrupted program leaves the rows that it had measured in its CSV.
keeps_rows() {
  program=$1
  shift
  echo before >kept
  end_when has_rows "$program" "$@" --csv kept && has_rows_alone
}

# What a script ends with: fails if a check did, or if there was none.
conclude() {
  echo "$checks checks, $failures failed, $skipped skipped"
  [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
}
