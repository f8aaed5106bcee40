#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing (Debian or Ubuntu, root or sudo), builds, and runs every test that can run on this machine.
# usage: sh tests/run.sh [CTEST_ARGUMENT...]      such as: sh tests/run.sh -L simulated -LE long
# As many tests run side by side as there are processors; CTEST_PARALLEL_LEVEL says otherwise.
# samples/setup.sh says which environment variables choose the build. CDPSORT_PLANTED=1 in the environment: plants faults in the sources,
# too, and looks whether the tests catch them. That tests the tests, and is for continuous integration.
set -eu
case ${1:-} in
-h | --help)
  sed -n '3,8s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
esac
cdpsort_root=$(cd "$(dirname "$0")/.." && pwd)
. "$cdpsort_root/samples/setup.sh"

cdpsort_install_missing tests
CDPSORT_TESTS=${CDPSORT_TESTS:-ON}
cdpsort_build

# Of several -LE, CTest leaves out what all of them match. The planted ones are long, too, so that `-LE long` leaves them out by itself.
case " $* " in
*" -LE "*) ;;
*) [ -n "${CDPSORT_PLANTED:-}" ] || set -- -LE planted "$@" ;;
esac
log=$cdpsort_build_dir/tests.log
code=$cdpsort_build_dir/tests.code
# A pipe hides the exit code of its first command; the file keeps it.
{
  result=0
  ctest --test-dir "$cdpsort_build_dir" --output-on-failure --no-tests=error --parallel "${CTEST_PARALLEL_LEVEL:-$(nproc)}" "$@" ||
    result=$?
  echo "$result" >"$code"
} 2>&1 | tee "$log"
[ "$(cat "$code")" -eq 0 ] || cdpsort_fail "tests failed; they are listed above"

passed=$(grep -c '^ *[0-9]*/[0-9]* Test .* Passed ' "$log" || true)
skipped=$(grep -c '^ *[0-9]*/[0-9]* Test .*\*\*\*Skipped ' "$log" || true)
[ "$passed" -gt 0 ] || cdpsort_fail "no test passed, so nothing was shown"
if [ "$skipped" -gt 0 ]; then
  echo "$passed tests passed, $skipped were skipped: they need a GPU that CUDA can use, or its runtime compiler, and this machine has none."
else
  echo "$passed tests passed, none was skipped."
fi
grep -q '^CDPSORT_HAVE_CUDA:INTERNAL=ON' "$cdpsort_build_dir/CMakeCache.txt" ||
  echo "Built without CUDA: the tests of kernels on a GPU were not built."
