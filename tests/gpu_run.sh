#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every test, and the benchmark, on a machine with a GPU, and writes what happened as JSON. A skip is a failure here.
# usage: sh tests/gpu_run.sh [--build DIR] [--quick] [--all-rounds] [--tests-only [--repeat N]]
#   --build DIR    run the programs of a build folder, which may come from another machine: needs neither CMake nor a
#                  compiler. Without it: installs what is missing, and builds.
#   --quick        CDPSORT_TEST_QUICK=1 for all: smaller sizes
#   --all-rounds   under compute-sanitizer, too, all sizes: an hour more
#   --tests-only   the test programs that use the GPU, and nothing else
#   --repeat N     these N times in a row, until the first bad outcome
# CDPSORT_RESULT names the file to write (docs/results/gpu.json, or with --tests-only gpu-repeats.json).
#
# 1. facts: device, driver, toolkit, hash of the sources   2. tests, through Check's XML log   3. a soak, and replays of graphs
# 4. samples   5. compute-sanitizer, where there is one    6. benchmarks                       7. the JSON
#
# Every program has a time limit: a sort that never completes is an error, not the end of the run.
# shellcheck disable=SC2030,SC2031 # what runs under memcheck has a work folder of its own, in a subshell
set -eu
case ${1:-} in
-h | --help)
  sed -n '3,11s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
esac
cdpsort_root=$(cd "$(dirname "$0")/.." && pwd)
. "$cdpsort_root/samples/setup.sh"
cd "$cdpsort_root"

# Seconds that a program may take.
test_limit=240 gpu_test_limit=180 sample_limit=120 sanitizer_limit=300 bench_limit=300 soak_limit_beyond=60 replays_limit=400
soak_seconds=60 soak_threads=4 replays=1000 by_hand_sorts=1008
# Programs at a time that use the GPU, but are neither timed nor in need of all of its memory.
gpu_tests_beside=4 memchecks_at_once=4

# misuse TEXT: what is wrong with the command line.
misuse() {
  echo "error: $1; usage: gpu_run.sh [--build DIR] [--quick] [--all-rounds] [--tests-only [--repeat N]]" >&2
  exit 2
}

build="" tests_only="" repeats=1 sanitizer_quick=quick
while [ $# -gt 0 ]; do
  case $1 in
  --build | --repeat)
    [ $# -ge 2 ] || misuse "$1 wants a value"
    if [ "$1" = --build ]; then build=$2; else repeats=$2; fi
    shift
    ;;
  --quick) export CDPSORT_TEST_QUICK=1 soak_seconds=10 replays=50 by_hand_sorts=12 ;;
  --all-rounds) sanitizer_quick="" sanitizer_limit=3000 ;;
  --tests-only) tests_only=yes ;;
  *) misuse "unknown argument '$1'" ;;
  esac
  shift
done
[ "$repeats" -ge 1 ] 2>/dev/null || misuse "--repeat wants a number, not '$repeats'"
[ -n "$tests_only" ] || [ "$repeats" -eq 1 ] || misuse "--repeat is for --tests-only"
result=${CDPSORT_RESULT:-docs/results/gpu${tests_only:+-repeats}.json}

export CDPSORT_TEST_REQUIRE_GPU=1
if [ -z "$build" ]; then
  cdpsort_install_missing tests
  CDPSORT_CUDA=${CDPSORT_CUDA:-ON} CDPSORT_TESTS=ON
  cdpsort_build
  build=$cdpsort_build_dir
fi
programs=$build/bin/tests
[ -s "$programs/tests.list" ] || cdpsort_fail "$programs/tests.list is missing: no tests were built there"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$cdpsort_root/tests/gpu_record.sh"
. "$cdpsort_root/tests/gpu_benches.sh"
. "$cdpsort_root/tests/gpu_sanitizers.sh"
: >"$work/tests" && : >"$work/programs" && : >"$work/memcheck" && : >"$work/benchmarks"
: >"$work/graph_replays"

# ---- Tests -----------------------------------------------------------------------------------------------------------------

# execute NAME LIMIT: runs a test program; leaves its log, its output, its exit code and its seconds in the work folder.
# Self-contained, for xargs runs it in a shell of its own. A GPU test that does not end in time says what it was at.
# shellcheck disable=SC2016 # the inner shell expands it
execute='
  code=0 begun=$(date +%s)
  rm -f "$1/$4.xml"
  CK_XML_LOG_FILE_NAME=$1/$4.xml CK_DEFAULT_TIMEOUT=600 timeout -k 10 "$3" "$2/$4" >"$1/$4.output" 2>&1 </dev/null || code=$?
  echo "$code" >"$1/$4.code"
  echo $(($(date +%s) - begun)) >"$1/$4.seconds"'
execute() {
  sh -c "$execute" execute "$work" "$programs" "$2" "$1"
}

# collect NAME LIMIT: adds what the log of a program that ran says. A program that skips, dies, does not end, or logs no test is
# itself an outcome.
collect() {
  name=$1 log=$work/$1.xml code=$(cat "$work/$1.code")
  duration "$name" "$code" "$(cat "$work/$name.seconds")"
  cp "$work/$1.output" "$work/output"
  : >"$work/outcomes"
  [ ! -s "$log" ] || outcomes_of_log "$log" "$name" >"$work/outcomes"
  cat "$work/outcomes" >>"$work/tests"
  if [ "$code" -eq 77 ]; then
    outcome "$name" "" program skipped "it exited with 77: $(tail -n 3 "$work/output")"
  elif out_of_time "$code"; then
    outcome "$name" "" program error "$name did not end within $2 s: $(tail -n 5 "$work/output")"
  elif [ ! -s "$work/outcomes" ]; then
    outcome "$name" "" program error "it exited with $code and logged no test: $(tail -n 5 "$work/output")"
  elif [ "$code" -ne 0 ] && ! grep -q -v '"outcome": "passed"' "$work/outcomes"; then
    outcome "$name" "" program error "every logged test passed, yet it exited with $code: $(tail -n 5 "$work/output")"
  fi
  [ "$code" -eq 0 ] || tail -n 40 "$work/output" >&2
}

# Programs that use no GPU run side by side, behind the others where there are not enough processors for all.
start_host_tests() {
  say "tests without a GPU, $(nproc) at a time"
  awk '!/ (gpu|mps)( |$)/ { print $1 }' "$programs/tests.list" >"$work/host_names"
  nice xargs -P "$(nproc)" -I {} sh -c "$execute" execute "$work" "$programs" "$test_limit" {} <"$work/host_names" &
  host_tests=$!
}

collect_host_tests() {
  wait "$host_tests"
  while read -r name; do
    collect "$name" "$test_limit"
  done <"$work/host_names"
}

# The others one by one: their memory and their timings are one another's. But for those whose time is mostly the host's.
run_gpu_tests() {
  awk '/ gpu( |$)/ && !/ beside( |$)/ { print $1 }' "$programs/tests.list" >"$work/names"
  awk '/ gpu( |$)/ && / beside( |$)/ { print $1 }' "$programs/tests.list" >"$work/beside_names"
  while read -r name; do
    say "$name"
    execute "$name" "$gpu_test_limit"
    collect "$name" "$gpu_test_limit"
  done <"$work/names"
  say "tests whose time is mostly the host's, $gpu_tests_beside at a time"
  xargs -P "$gpu_tests_beside" -I {} sh -c "$execute" execute "$work" "$programs" "$gpu_test_limit" {} <"$work/beside_names"
  while read -r name; do
    collect "$name" "$gpu_test_limit"
  done <"$work/beside_names"
}

# Those that want an MPS daemon, with one of their own. Where there is none to be started, that is noted, and no test is lost: what
# they test is what such a daemon refuses.
run_mps_tests() {
  if ! command -v nvidia-cuda-mps-control >/dev/null 2>&1; then
    say "MPS: no nvidia-cuda-mps-control here"
    return
  fi
  mkdir -p "$work/mps" "$work/mps_log"
  export CUDA_MPS_PIPE_DIRECTORY="$work/mps" CUDA_MPS_LOG_DIRECTORY="$work/mps_log"
  if nvidia-cuda-mps-control -d; then
    awk '/ mps( |$)/ { print $1 }' "$programs/tests.list" >"$work/names"
    while read -r name; do
      say "$name, under MPS"
      execute "$name" "$gpu_test_limit"
      collect "$name" "$gpu_test_limit"
    done <"$work/names"
    echo quit | timeout 20 nvidia-cuda-mps-control >/dev/null || outcome gpu_mps "" daemon error "it could not be ended"
  else
    outcome gpu_mps "" daemon error "nvidia-cuda-mps-control -d failed"
  fi
  unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
}

# Round after round, of which the last one's outcomes stay. Sets repeats to the number of good ones.
repeat_gpu_tests() {
  wanted=$repeats repeats=0
  while [ "$repeats" -lt "$wanted" ]; do
    begun=$(date +%s)
    : >"$work/tests" && : >"$work/programs"
    run_gpu_tests
    echo "round $((repeats + 1)) of $wanted: $(count passed "$work/tests") passed, $(bad_outcomes "$work/tests") bad," \
      "$(($(date +%s) - begun)) s"
    [ "$(bad_outcomes "$work/tests")" -eq 0 ] && [ -s "$work/tests" ] || return 0
    repeats=$((repeats + 1))
  done
}

# ---- Other programs --------------------------------------------------------------------------------------------------------

# limited NAME LIMIT COMMAND...: runs it, and leaves its output in the work folder, its exit code in `code`.
limited() {
  program=$1 limit=$2 code=0 begun=$(date +%s)
  shift 2
  say "$program"
  timeout -k 10 "$limit" "$@" >"$work/output" 2>&1 </dev/null || code=$?
  duration "$program" "$code" "$(($(date +%s) - begun))"
}

# failure SUITE NAME [REASON]: the outcome of a program that did not do what it should.
failure() {
  if out_of_time "$code"; then
    outcome "$1" "$1" "$2" error "$program did not end within $limit s: $(tail -n 5 "$work/output")"
  else
    outcome "$1" "$1" "$2" failed "${3:-it exited with $code}: $(tail -n 5 "$work/output")"
  fi
}

# All sorts of sorts at random, by several threads at once. Its last line says what it did.
run_soak() {
  if [ ! -x "$build/bin/soak" ]; then
    outcome soak soak soak skipped "it was not built, or not brought along"
    return
  fi
  limited soak $((soak_seconds + soak_limit_beyond)) "$build/bin/soak" --seconds "$soak_seconds" --threads "$soak_threads" \
    --seed "${CDPSORT_TEST_SEED:-1}"
  if [ "$code" -ne 0 ]; then
    failure soak soak
    tail -n 40 "$work/output" >&2
  else
    outcome soak soak soak passed "$(tail -n 1 "$work/output")"
  fi
}

# Graphs with a sort in them, replayed over keys that change. Its table becomes rows of the record.
run_graph_replays() {
  if [ ! -x "$build/bin/graph_replays" ]; then
    outcome graph_replays graph_replays graph_replays skipped "it was not built, or not brought along"
    return
  fi
  rm -f "$work/replays.csv"
  limited graph_replays "$replays_limit" "$build/bin/graph_replays" --replays "$replays" --csv "$work/replays.csv"
  [ ! -s "$work/replays.csv" ] || objects_of_csv "$work/replays.csv" >"$work/graph_replays"
  if [ "$code" -ne 0 ]; then
    failure graph_replays graph_replays
    tail -n 40 "$work/output" >&2
  else
    outcome graph_replays graph_replays graph_replays passed "$(tail -n 1 "$work/output")"
  fi
}

# run_sample NAME TEXT [ARGUMENT...]: runs a sample on the GPU; passed means that it said it succeeded, and that it printed the
# text.
run_sample() {
  name=$1 text=$2
  shift 2
  limited "sample $name" "$sample_limit" env CDPSORT_DEVICE=cuda "$build/bin/$name" "$@"
  if [ "$code" -ne 0 ]; then
    failure samples "$name"
  elif ! grep -q "$text" "$work/output"; then
    failure samples "$name" "it does not say '$text'"
  else
    outcome samples samples "$name" passed
  fi
}

# sort_numbers against sort -n.
run_sort_numbers() {
  awk 'BEGIN { srand(1); for (i = 0; i < 200000; i++) print int(4294967296 * rand()) }' >"$work/numbers"
  LC_ALL=C sort -n "$work/numbers" >"$work/expected"
  limited "sample sort_numbers" "$sample_limit" env CDPSORT_DEVICE=cuda "$build/bin/sort_numbers" --output "$work/sorted" \
    "$work/numbers"
  if [ "$code" -ne 0 ]; then
    failure samples sort_numbers
  elif ! cmp -s "$work/sorted" "$work/expected"; then
    failure samples sort_numbers "not what sort -n gives"
  elif ! grep -q 'CUDA device' "$work/output"; then
    failure samples sort_numbers "it does not say that a CUDA device did it"
  else
    outcome samples samples sort_numbers passed
  fi
}

# The recursion by hand: so many sorts of each size, shared out among schemes, streams and depth limits. It compares each result.
run_by_hand() {
  for size in 2^16 2^20 2^24; do
    for scheme in 1 2; do
      for streams in 1 2; do
        for depth_limit in 1 8 24; do
          times=$((by_hand_sorts / 12))
          case "$size $depth_limit" in
          "2^24 1") times=3 ;; # a block sorts half of the array, which takes seconds
          "2^24 "*) times=$(((by_hand_sorts - 4) / 8)) ;;
          esac
          run_sample recursion_by_hand "each result is that of std::sort" --count "$size" --times "$times" \
            --scheme "$scheme" --streams "$streams" --depth-limit "$depth_limit"
        done
      done
    done
  done
}

# Small ones: what they measure is recorded elsewhere (docs/results/README.md).
run_samples() {
  for name in quickstart recursion timeline; do
    run_sample "$name" "CUDA device"
  done
  run_sample depth_study "every result sorted" --count 2^20 --runs 2
  run_sample schemes "every result sorted" --count 2^20
  run_sample distinct "CUDA device" --sizes 2^18 --runs 2
  run_sample distributions "CUDA device" --sizes 2^16 --runs 2
  run_sample partition_kinds "CUDA device" --sizes 2^20 --runs 3
  run_sample transfer "CUDA device" --sizes 2^20 --runs 2
  run_sample resident_blocks "launched by the device"
  run_sample lost_trees "none lost" --kernels 12 --grids 64 --rounds 500
  run_by_hand
  run_sample row_medians "0 of every tenth differ"
  run_sample device_header "0 sorts went wrong" # a test, of kernels that link nothing of the library
  run_sort_numbers
}

# ---- All of it -------------------------------------------------------------------------------------------------------------

smi() {
  nvidia-smi "--query-gpu=$1" --format=csv,noheader 2>/dev/null | head -n 1
}

device=$(smi name || true)
[ -n "$device" ] || cdpsort_fail "nvidia-smi finds no GPU here"
driver=$(smi driver_version)
toolkit=$(cat "$programs/toolkit" 2>/dev/null || echo unknown)
sources=$(find include src device tests -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1)
rounds_wanted=$repeats
memcheck_note="not asked for"

if [ -n "$tests_only" ]; then
  repeat_gpu_tests
else
  start_host_tests
  run_gpu_tests
  collect_host_tests
  run_mps_tests
  run_soak
  run_graph_replays
  run_samples
  run_sanitizers
  run_benches
fi

passed=$(count passed "$work/tests") failed=$(count failed "$work/tests")
errors=$(count error "$work/tests") skipped=$(count skipped "$work/tests")
memcheck_failed=$(bad_outcomes "$work/memcheck")

mkdir -p "$(dirname "$result")"
cat >"$work/json" <<JSON
{
  "device": $(printf %s "$device" | quoted),
  "driver": $(printf %s "$driver" | quoted),
  "toolkit": $(printf %s "$toolkit" | quoted),
  "date": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "quick": $([ -n "${CDPSORT_TEST_QUICK:-}" ] && echo true || echo false),
  "tests_only": $([ -n "$tests_only" ] && echo true || echo false),
  "repeats": $repeats,
  "sources_sha256": "$sources",
  "totals": {"passed": $passed, "failed": $failed, "errors": $errors, "skipped": $skipped},
  "programs": [$(elements "$work/programs")],
  "tests": [$(elements "$work/tests")],
  "memcheck": {"note": "$memcheck_note", "failed": $memcheck_failed, "programs": [$(elements "$work/memcheck")]},
  "graph_replays": [$(elements "$work/graph_replays")],
  "benchmarks": [$(elements "$work/benchmarks")]
}
JSON
cp "$work/json" "$result"

echo "$device, driver $driver, toolkit $toolkit: $passed passed, $failed failed, $errors errors, $skipped skipped;" \
  "memcheck: $memcheck_failed failed ($memcheck_note). Written: $result"
[ "$passed" -gt 0 ] || cdpsort_fail "no test passed, so nothing was shown"
[ "$repeats" -eq "$rounds_wanted" ] || cdpsort_fail "round $((repeats + 1)) of $rounds_wanted was not all well; see $result"
[ $((failed + errors + skipped + memcheck_failed)) -eq 0 ] || cdpsort_fail "not all is well; see $result"
