#!/bin/sh
# SPDX-License-Identifier: MIT
# Format, static analysis and documentation of the sources, what documents quote of them, and pictures; every finding is an error.
# Installs the tools that are missing.
# usage: sh tests/lint.sh
set -eu
case ${1:-} in
-h | --help)
  sed -n '3,5s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
esac
if [ $# -gt 0 ]; then
  echo "error: unknown argument '$1'; usage: lint.sh" >&2
  exit 2
fi
cdpsort_root=$(cd "$(dirname "$0")/.." && pwd)
. "$cdpsort_root/samples/setup.sh"
cd "$cdpsort_root"
cdpsort_install_missing tests lint

failures=
step() {
  name=$1
  shift
  cdpsort_say "lint: $name"
  "$@" || failures="$failures $name"
}

host_sources() {
  find src device samples tests -name '*.c' -o -name '*.cpp' | LC_ALL=C sort
}

format() {
  find include src device samples tests docs/first_launch.cu -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' |
    LC_ALL=C sort | xargs clang-format --dry-run -Werror
}

# No file that a newcomer dreads. What the data folders hold is not read from end to end.
sizes() {
  long=$(find README.md CHANGELOG.md CMakeLists.txt docs/*.md docs/notes include src device samples tests -type f ! -name '*.csv' \
    -exec awk 'FNR == 401 { print FILENAME }' {} +)
  [ -z "$long" ] || {
    printf 'over 400 lines: %s\n' "$long" >&2 # a line each
    return 1
  }
}

# cppcheck would take Check's macros for broken syntax: the tests are clang-tidy's. It is told what the compiler here defines: by itself
# it tries combinations of macros that no compiler has, which takes four times as long.
analyse() {
  host_sources | grep -v '^tests/' | xargs cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --std=c++17 \
    --enable=warning,performance,portability --suppress=missingIncludeSystem --suppress=unknownMacro \
    -D__GNUC__=12 -U__CUDACC__ -UCDP_ADDRESS_SANITIZER -I include -I device -I src -j "$(nproc)"
}

# Only what the compilation database knows: the tests and samples of another configuration would be guessed at.
tidy() {
  database=$cdpsort_build_dir/lint
  cmake -S . -B "$database" -DCDPSORT_CUDA=OFF -DCDPSORT_TESTS=ON -DCMAKE_BUILD_TYPE=Debug >"$database.log" 2>&1 || {
    cat "$database.log" >&2
    return 1
  }
  host_sources | while read -r file; do
    ! grep -q -F "/$file\"" "$database/compile_commands.json" || printf '%s\n' "$file"
  done >"$database/files"
  [ -s "$database/files" ] || return 1
  # The analyzer follows paths through what is shipped. What tests do wrong at run time, tests and sanitizers see.
  { grep -v '^tests/' "$database/files" | xargs -n 1 -P "$(nproc)" clang-tidy --quiet -p "$database" &&
    grep '^tests/' "$database/files" | xargs -n 1 -P "$(nproc)" clang-tidy --quiet --checks=-clang-analyzer-* -p "$database"; } \
    2>"$database.log" || {
    grep -v 'warnings\{0,1\} generated' "$database.log" >&2
    return 1
  }
}

documentation() {
  mkdir -p "$cdpsort_build_dir/doxygen"
  { cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = \"$cdpsort_build_dir/doxygen\""; } | doxygen -
}

# What documents quote and name stands in the sources, and their pictures are there.
documents() {
  python3 tests/documents/check_documents.py
}

# Their figures are those of the records and of the sources.
figures() {
  python3 tests/documents/figures.py
}

# plot.py draws every kind of record. A python3 of another origin than Debian's may lack Debian's matplotlib.
pictures() {
  (cdpsort_install_missing pictures) || true
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import matplotlib' 2>/dev/null; then
      "$python" tests/documents/check_plot.py
      return
    fi
  done
  cdpsort_say "lint: SKIPPED: nothing was drawn, since no python3 here has matplotlib (Debian: python3-matplotlib)"
}

# The guide's first program, by the guide's own command, where there is nvcc.
first_program() {
  PATH=$PATH:/usr/local/cuda/bin
  if ! command -v nvcc >/dev/null; then
    echo "no nvcc: docs/first_launch.cu is not compiled"
    return 0
  fi
  nvcc -Werror all-warnings -arch=sm_90 -rdc=true docs/first_launch.cu -o "$cdpsort_build_dir/lint/first_launch" -lcudadevrt
}

scripts() {
  find samples tests -name '*.sh' | LC_ALL=C sort | xargs shellcheck -x -e SC1091 .ci/run
}

mkdir -p "$cdpsort_build_dir/lint"
step format format
step sizes sizes
step cppcheck analyse
step clang-tidy tidy
step doxygen documentation
step documents documents
step figures figures
step pictures pictures
step first-program first_program
step scripts scripts
[ -z "$failures" ] || cdpsort_fail "lint found fault with:$failures"
echo "lint: nothing found"
