# SPDX-License-Identifier: MIT
# compute-sanitizer over tests and samples; sourced by tests/gpu_run.sh, which has the variables and functions that are used here.
# shellcheck shell=sh
# shellcheck disable=SC2154 # gpu_run.sh sets them
# shellcheck disable=SC2030,SC2031 # what runs at once has a work folder of its own, in a subshell

# run_sanitizer TOOL NAME PROGRAM [ARGUMENT...]: one program under compute-sanitizer. In those of refusals CUDA refuses launches: a call
# that failed is no finding there.
run_sanitizer() {
  tool=$1 name=$2 word=passed api_errors=
  shift 2
  case $tool:$name in
  memcheck:*_refused) api_errors="--report-api-errors no" ;;
  memcheck:*) api_errors="--report-api-errors explicit" ;;
  esac
  # shellcheck disable=SC2086 # an option and its value, or nothing
  limited "$tool $name" "$sanitizer_limit" \
    env ${sanitizer_quick:+CDPSORT_TEST_QUICK=1} CK_FORK=no CK_DEFAULT_TIMEOUT="$sanitizer_limit" \
    "$sanitizer" --tool "$tool" $api_errors --error-exitcode 99 "$@"
  summary=$(grep 'SUMMARY' "$work/output" | tail -n 1)
  if out_of_time "$code"; then
    word=error summary="$name did not end within $limit s: $(grep 'ended by signal' "$work/output" | tail -n 1)"
  elif [ "$code" -ne 0 ] || ! printf %s "$summary" | grep -q 'SUMMARY: 0 '; then
    word=failed
  fi
  [ "$word" = passed ] || tail -n 60 "$work/output" >&2
  printf '{"tool": "%s", "program": "%s", "outcome": "%s", "summary": %s}\n' "$tool" "$name" "$word" \
    "$(printf %s "${summary:-none}" | quoted)" >>"$work/memcheck"
}

# The programs for compute-sanitizer, a line each: the tool, a name, the program and its arguments.
sanitized_programs() {
  awk -v folder="$programs" '/ memcheck( |$)/ { print "memcheck", $1, folder "/" $1 }
    / racecheck( |$)/ { print "racecheck", $1, folder "/" $1; print "synccheck", $1, folder "/" $1 }' "$programs/tests.list"
  for scheme in 1 2; do
    for streams in 1 2; do
      echo "memcheck recursion_by_hand_${scheme}_$streams $build/bin/recursion_by_hand" \
        "--count 2^16 --leaf 512 --scheme $scheme --streams $streams"
    done
  done
}

run_sanitizers() {
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
  memcheck_note="not run: no compute-sanitizer here"
  if [ -z "$sanitizer" ]; then
    say "memcheck $memcheck_note"
    return
  fi
  memcheck_note="compute-sanitizer, ${sanitizer_quick:-all} rounds"
  sanitized_programs >"$work/names"
  # Some at a time: most of it is the processor's work, and nothing is timed. Each keeps its records in a folder of its own.
  begun_together=0
  while read -r tool name command; do
    mkdir "$work/${tool}_$name"
    # shellcheck disable=SC2086 # a program and its arguments
    (work="$work/${tool}_$name" && run_sanitizer "$tool" "$name" $command) </dev/null &
    begun_together=$((begun_together + 1))
    [ $((begun_together % memchecks_at_once)) -ne 0 ] || wait
  done <"$work/names"
  wait
  while read -r tool name command; do
    cat "$work/${tool}_$name/programs" >>"$work/programs"
    cat "$work/${tool}_$name/memcheck" >>"$work/memcheck"
  done <"$work/names"
}
