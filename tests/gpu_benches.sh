# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# The benchmarks of tests/gpu_run.sh, and what is too slow. To be sourced, after tests/gpu_record.sh, by a script that has set
# `build`, `work` and `bench_limit`, and has limited() and failure().

: "${build:?tests/gpu_benches.sh needs build}" "${work:?and work}" "${bench_limit:?and bench_limit}"

# run_bench WHAT OPTION...: rows of tests/bench, which judges every result and ends with 1 if one is wrong.
bench_runs=15
# shellcheck disable=SC2154 # limited() says how it ended
run_bench() {
  name="bench, $1"
  shift
  : >"$work/rows.json"
  limited "$name" "$bench_limit" "$build/bin/bench" --seed "${CDPSORT_TEST_SEED:-1}" --runs "$bench_runs" \
    --json "$work/rows.json" "$@"
  sed -n 's/^    {\(.*\)},\{0,1\}$/{"runs": '"$bench_runs"', \1}/p' "$work/rows.json" >"$work/rows"
  cat "$work/rows" >>"$work/benchmarks"
  if [ "$code" -ne 0 ] || [ ! -s "$work/rows" ]; then
    failure benchmarks "$name" "exit code $code: $(grep -e FAILED -e '^bench: ' "$work/output" | tail -n 3)"
  else
    outcome benchmarks "" "$name" passed
  fi
}

# How fast 2^27 random keys are sorted, CUB's merge sort being 1: more than a fifth below the kept ratios is a failure. That is
# twice what bench --check tolerates: they are an H200's, and another device's differ by as much as a tenth.
kept_ratios=docs/results/guard.csv
judge_speeds() {
  for mode in default classic; do
    for type in u32 u64; do
      key="\"type\": \"$type\", \"count\": 134217728, \"distribution\": \"random\", \"mode\": \"$mode\","
      ratio=$(sed -n "/$key/"' s/.*"ratio_to_merge": \([0-9.e+-]*\).*/\1/p' "$work/benchmarks" | head -n 1)
      kept=$(awk -F , -v mode="$mode" -v type="$type" \
        '$1 == type && $2 == 134217728 && $3 == "random" && $4 == mode { print $8; exit }' "$kept_ratios")
      if awk -v ratio="${ratio:-0}" -v kept="${kept:-0}" 'BEGIN { exit !(kept > 0 && ratio >= 0.8 * kept) }'; then
        outcome benchmarks "" "speed of $mode, $type" passed
      else
        outcome benchmarks "" "speed of $mode, $type" failed \
          "${ratio:-an unknown number of} times that of CUB's merge sort, where ${kept:-an unknown number} were kept"
      fi
    done
  done
}

bench_pairs=pairs4,pairs8,stable4,stable8,argsort,argsort-keys,cub-pairs4,cub-pairs8
run_benches() {
  if [ ! -x "$build/bin/bench" ]; then
    outcome benchmarks "" bench skipped "it was not built, or not brought along"
  elif [ -n "${CDPSORT_TEST_QUICK:-}" ]; then
    run_bench "small" --types u32,u64 --sizes 64Ki --modes default,classic,cub-radix,cub-merge
    run_bench "small, pairs" --types u32,u64 --sizes 64Ki --modes "$bench_pairs"
  else
    run_bench "sizes" --types u32,u64 --sizes 2^20,2^24,2^27 \
      --modes default,host,classic,classic-controller,classic-host,cub-radix,cub-merge
    run_bench "pairs" --types u32,f32,u64 --sizes 2^20,2^24,2^26 --modes "$bench_pairs"
    run_bench "call" --types u32 --sizes 2^10,2^18,2^22,2^27 --modes call
    run_bench "distributions" --sizes 2^24 --distributions all --modes default,classic,cub-radix,cub-merge
    judge_speeds
  fi
}
