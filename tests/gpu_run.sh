#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every test, and the benchmark, on a machine with a GPU, and writes what happened as JSON. A skip is a failure here.
# usage: sh tests/gpu_run.sh [--build DIR] [--quick]
#   --build DIR   run the programs of a build folder, which may come from another machine: needs neither CMake nor a
#                 compiler. Without it: installs what is missing, and builds.
#   --quick       CDPSORT_TEST_QUICK=1 for all: smaller sizes
# CDPSORT_RESULT names the file to write (docs/results/gpu.json).
#
# 1. facts: device, driver, toolkit, hash of the sources   2. tests, through Check's XML log   3. samples
# 4. compute-sanitizer, where there is one                 5. benchmarks                       6. the JSON
set -eu
cdpsort_root=$(cd "$(dirname "$0")/.." && pwd)
. "$cdpsort_root/samples/setup.sh"
cd "$cdpsort_root"

result=${CDPSORT_RESULT:-docs/results/gpu.json}
build=
while [ $# -gt 0 ]; do
  case $1 in
  --build)
    [ $# -ge 2 ] || cdpsort_fail "--build wants a folder"
    build=$2
    shift
    ;;
  --quick) export CDPSORT_TEST_QUICK=1 ;;
  *) cdpsort_fail "unknown argument '$1'; usage: gpu_run.sh [--build DIR] [--quick]" ;;
  esac
  shift
done

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
: >"$work/tests" && : >"$work/memcheck" && : >"$work/benchmarks"

# Standard input as a JSON string.
quoted() {
  tr '\000-\010\013-\037\177' ' ' |
    awk 'BEGIN { ORS = ""; print "\"" } { gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\t/, "\\t")
      print (NR > 1 ? "\\n" : "") $0 } END { print "\"" }'
}

# outcome SUITE CASE NAME OUTCOME [MESSAGE]: a line of the tests' list. Outcomes: passed, failed, error, skipped.
outcome() {
  printf '{"suite": %s, "case": %s, "name": %s, "outcome": "%s"%s}\n' "$(printf %s "$1" | quoted)" \
    "$(printf %s "$2" | quoted)" "$(printf %s "$3" | quoted)" "$4" \
    "${5:+, \"message\": $(printf %s "$5" | quoted)}" >>"$work/tests"
  [ "$4" = passed ] || cdpsort_say "$4: $1 / $2 / $3${5:+: $5}"
}

# Check's XML log, one element a line, as lines of the tests' list.
outcomes_of_log() {
  awk -v fallback="$2" '
    function value(line) { sub(/^[^>]*>/, "", line); sub(/<\/[a-z]*>[^>]*$/, "", line); return plain(line) }
    function plain(text) {
      gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "\047", text)
      gsub(/&#x[0-9A-Fa-f]+;/, " ", text); gsub(/&amp;/, "\\&", text); return text
    }
    function json(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); gsub(/[\001-\037]/, " ", text); return "\"" text "\"" }
    /<title>/ { suite = value($0) }
    /<test result=/ { split($0, parts, "\""); result = parts[2]; id = ""; iteration = ""; kase = ""; message = "" }
    /<id>/ { id = value($0) }
    /<iteration>/ { iteration = value($0) }
    /<description>/ { kase = value($0) }
    /<message>/ { message = value($0) }
    /<\/test>/ {
      word = result == "success" ? "passed" : result == "failure" ? "failed" : "error"
      printf "{\"suite\": %s, \"case\": %s, \"name\": %s, \"outcome\": \"%s\"", json(suite == "" ? fallback : suite), json(kase), \
        json(id (iteration > 0 ? "[" iteration "]" : "")), word
      if (word != "passed") printf ", \"message\": %s", json(message)
      print "}"
    }' "$1"
}

# execute NAME: runs a test program, and leaves its log, its output and its exit code in the work folder. Self-contained, for
# xargs runs it in a shell of its own. A program that does not end within three minutes is an error, not the end of the run.
# shellcheck disable=SC2016 # the inner shell expands it
execute='
  code=0
  CK_XML_LOG_FILE_NAME=$1/$3.xml CK_DEFAULT_TIMEOUT=600 timeout -k 10 180 "$2/$3" >"$1/$3.output" 2>&1 </dev/null || code=$?
  echo "$code" >"$1/$3.code"'
execute() {
  sh -c "$execute" execute "$work" "$programs" "$1"
}

# Adds what the log of a program that ran says. A program that skips, dies, or logs no test is itself an outcome.
collect() {
  name=$1 log=$work/$1.xml code=$(cat "$work/$1.code")
  cp "$work/$1.output" "$work/output"
  : >"$work/outcomes"
  [ ! -s "$log" ] || outcomes_of_log "$log" "$name" >"$work/outcomes"
  cat "$work/outcomes" >>"$work/tests"
  if [ "$code" -eq 77 ]; then
    outcome "$name" "" program skipped "it exited with 77: $(tail -n 3 "$work/output")"
  elif [ ! -s "$work/outcomes" ]; then
    outcome "$name" "" program error "it exited with $code and logged no test: $(tail -n 5 "$work/output")"
  elif [ "$code" -ne 0 ] && ! grep -q -v '"outcome": "passed"' "$work/outcomes"; then
    outcome "$name" "" program error "every logged test passed, yet it exited with $code: $(tail -n 5 "$work/output")"
  fi
  [ "$code" -eq 0 ] || tail -n 40 "$work/output" >&2
}

# run_sample NAME TEXT [ARGUMENT...]: runs a sample on the GPU; passed means that it said it succeeded, and that it printed the
# text.
run_sample() {
  name=$1 text=$2 code=0
  shift 2
  cdpsort_say "sample $name"
  CDPSORT_DEVICE=cuda "$build/bin/$name" "$@" >"$work/output" 2>&1 </dev/null || code=$?
  if [ "$code" -ne 0 ]; then
    outcome samples samples "$name" failed "it exited with $code: $(tail -n 5 "$work/output")"
  elif ! grep -q "$text" "$work/output"; then
    outcome samples samples "$name" failed "it does not say '$text': $(head -n 5 "$work/output")"
  else
    outcome samples samples "$name" passed
  fi
}

# sort_numbers against sort -n.
run_sort_numbers() {
  code=0
  cdpsort_say "sample sort_numbers"
  awk 'BEGIN { srand(1); for (i = 0; i < 200000; i++) print int(4294967296 * rand()) }' >"$work/numbers"
  CDPSORT_DEVICE=cuda "$build/bin/sort_numbers" <"$work/numbers" >"$work/sorted" 2>"$work/output" || code=$?
  LC_ALL=C sort -n "$work/numbers" >"$work/expected"
  if [ "$code" -ne 0 ] || ! cmp -s "$work/sorted" "$work/expected"; then
    outcome samples samples sort_numbers failed "exit code $code, or not what sort -n gives: $(tail -n 5 "$work/output")"
  elif ! grep -q 'CUDA device' "$work/output"; then
    outcome samples samples sort_numbers failed "it does not say that a CUDA device did it: $(head -n 5 "$work/output")"
  else
    outcome samples samples sort_numbers passed
  fi
}

# One test program under compute-sanitizer.
run_memcheck() {
  name=$1 code=0 word=passed
  cdpsort_say "memcheck $name"
  CDPSORT_TEST_QUICK=1 CK_FORK=no CK_DEFAULT_TIMEOUT=600 "$sanitizer" --tool memcheck --error-exitcode 99 \
    "$programs/$name" >"$work/output" 2>&1 </dev/null || code=$?
  summary=$(grep 'ERROR SUMMARY' "$work/output" | tail -n 1)
  if [ "$code" -ne 0 ] || ! printf %s "$summary" | grep -q 'ERROR SUMMARY: 0 errors'; then
    word=failed
    tail -n 60 "$work/output" >&2
  fi
  printf '{"program": "%s", "outcome": "%s", "summary": %s}\n' "$name" "$word" "$(printf %s "${summary:-none}" | quoted)" \
    >>"$work/memcheck"
}

# run_bench WHAT OPTION...: rows of samples/bench, which judges every result and ends with 1 if one is wrong.
bench_runs=15
run_bench() {
  name="bench, $1" code=0
  shift
  cdpsort_say "$name"
  : >"$work/rows.json"
  timeout -k 10 300 "$build/bin/bench" --seed "${CDPSORT_TEST_SEED:-1}" --runs "$bench_runs" --json "$work/rows.json" "$@" \
    >"$work/output" 2>&1 </dev/null || code=$?
  sed -n 's/^    {\(.*\)},\{0,1\}$/{"runs": '"$bench_runs"', \1}/p' "$work/rows.json" >"$work/rows"
  cat "$work/rows" >>"$work/benchmarks"
  if [ "$code" -ne 0 ] || [ ! -s "$work/rows" ]; then
    outcome benchmarks "" "$name" failed "exit code $code: $(grep -e FAILED -e '^bench: ' "$work/output" | tail -n 3)"
  else
    outcome benchmarks "" "$name" passed
  fi
}

# How fast the classic recursion is with 2^27 random u32, CUB's merge sort being 1; slower than this is a failure.
least_classic_speed=0.6
judge_classic_speed() {
  speed=$(sed -n '/"type": "u32", "count": 134217728, "distribution": "random", "mode": "classic",/ {
    s/.*"ratio_to_merge": \([0-9.e+-]*\).*/\1/p; }' "$work/benchmarks" | head -n 1)
  if awk -v speed="${speed:-0}" -v least="$least_classic_speed" 'BEGIN { exit !(speed + 0 >= least) }'; then
    outcome benchmarks "" "speed of the classic recursion" passed
  else
    outcome benchmarks "" "speed of the classic recursion" failed \
      "${speed:-an unknown number of} times that of CUB's merge sort, where at least $least_classic_speed is wanted"
  fi
}

# The lines of a file as the elements of a JSON array.
elements() {
  awk '{ printf "%s\n    %s", (NR > 1 ? "," : ""), $0 } END { if (NR) printf "\n  " }' "$1"
}

smi() {
  nvidia-smi "--query-gpu=$1" --format=csv,noheader 2>/dev/null | head -n 1
}

device=$(smi name || true)
[ -n "$device" ] || cdpsort_fail "nvidia-smi finds no GPU here"
driver=$(smi driver_version)
toolkit=$(cat "$programs/toolkit" 2>/dev/null || echo unknown)
sources=$(find include src device tests -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1)

# Programs that use no GPU run side by side, the others one by one: their memory and their timings are one another's.
cdpsort_say "tests without a GPU, $(nproc) at a time"
awk '!/ gpu( |$)/ { print $1 }' "$programs/tests.list" |
  xargs -P "$(nproc)" -I {} sh -c "$execute" execute "$work" "$programs" {}
while read -r name labels; do
  case " $labels " in
  *" gpu "*)
    cdpsort_say "$name"
    execute "$name"
    ;;
  esac
  collect "$name"
done <"$programs/tests.list"

for name in quickstart recursion timeline; do
  run_sample "$name" "CUDA device"
done
# Small ones: what they measure is recorded elsewhere (docs/results/README.md).
run_sample depth_study "every result sorted" --count 2^20 --runs 2
run_sample schemes "every result sorted" --count 2^20
run_sample distinct "CUDA device" --sizes 2^18 --runs 2
run_sample distributions "CUDA device" --sizes 2^16 --runs 2
run_sample partition_kinds "CUDA device" --sizes 2^20 --runs 3
run_sample transfer "CUDA device" --sizes 2^20 --runs 2
run_sample trap "launched by the device"
run_sort_numbers

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
memcheck_note="compute-sanitizer memcheck"
if [ -n "$sanitizer" ]; then
  awk '/ memcheck( |$)/ { print $1 }' "$programs/tests.list" >"$work/memcheck_names"
  while read -r name; do
    run_memcheck "$name"
  done <"$work/memcheck_names"
else
  memcheck_note="not run: no compute-sanitizer here"
  cdpsort_say "memcheck $memcheck_note"
fi

if [ ! -x "$build/bin/bench" ]; then
  outcome benchmarks "" bench skipped "it was not built, or not brought along"
elif [ -n "${CDPSORT_TEST_QUICK:-}" ]; then
  run_bench "small" --types u32,u64 --sizes 64Ki --modes default,classic,cub-radix,cub-merge
else
  run_bench "sizes" --types u32,u64 --sizes 2^20,2^24,2^27 \
    --modes default,host-loop,classic,classic-controller,classic-host-loop,cub-radix,cub-merge
  run_bench "distributions" --sizes 2^24 --distributions all --modes default,classic,cub-radix,cub-merge
  judge_classic_speed
fi

count() {
  grep -c "\"outcome\": \"$1\"" "$2" || true
}
passed=$(count passed "$work/tests") failed=$(count failed "$work/tests")
errors=$(count error "$work/tests") skipped=$(count skipped "$work/tests")
memcheck_failed=$(count failed "$work/memcheck")

mkdir -p "$(dirname "$result")"
cat >"$work/json" <<JSON
{
  "device": $(printf %s "$device" | quoted),
  "driver": $(printf %s "$driver" | quoted),
  "toolkit": $(printf %s "$toolkit" | quoted),
  "date": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "quick": $([ -n "${CDPSORT_TEST_QUICK:-}" ] && echo true || echo false),
  "sources_sha256": "$sources",
  "totals": {"passed": $passed, "failed": $failed, "errors": $errors, "skipped": $skipped},
  "tests": [$(elements "$work/tests")],
  "memcheck": {"note": "$memcheck_note", "failed": $memcheck_failed, "programs": [$(elements "$work/memcheck")]},
  "benchmarks": [$(elements "$work/benchmarks")]
}
JSON
cp "$work/json" "$result"

echo "$device, driver $driver, toolkit $toolkit: $passed passed, $failed failed, $errors errors, $skipped skipped;" \
  "memcheck: $memcheck_failed failed ($memcheck_note). Written: $result"
[ "$passed" -gt 0 ] || cdpsort_fail "no test passed, so nothing was shown"
[ $((failed + errors + skipped + memcheck_failed)) -eq 0 ] || cdpsort_fail "not all is well; see $result"
