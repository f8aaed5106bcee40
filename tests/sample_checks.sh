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
first_line_says() { head -n 1 "$1" | grep -q "no GPU.*simulated device"; }

# refused CODE TEXT: ended with this code, this on stderr, and nothing written.
refused() { [ "$code" -eq "$1" ] && says "$2" && [ ! -s out ]; }

# What a script ends with: fails if a check did, or if there was none.
conclude() {
  echo "$checks checks, $failures failed, $skipped skipped"
  [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
}
