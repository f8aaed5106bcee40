# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# What every script of this repository does before its own work: install what is missing, configure, build. POSIX sh, to be
# sourced, by a script that has set `cdpsort_root` to the repository's root:
#
#     cdpsort_root=$(cd "$(dirname "$0")/.." && pwd)
#     . "$cdpsort_root/samples/setup.sh"
#     cdpsort_install_missing            what a build needs: compilers, CMake, Boost.Context
#     cdpsort_install_missing tests      and what the tests need
#     cdpsort_build [TARGET...]          configures and builds into $cdpsort_build_dir; programs are in its bin/
#
# Both end the script with a message on stderr where they fail. The environment may set
#     CDPSORT_BUILD_DIR      where to build (build)
#     CDPSORT_CUDA           AUTO: with CUDA if its toolkit is found; ON: fail without; OFF: the simulated device alone
#     CDPSORT_DEVICE_KIND    small, medium, large: kernels as for such devices on all architectures (auto)
#     CDPSORT_TESTS          AUTO: build the tests if Check is found; ON: fail without; OFF: no tests
#     CDPSORT_PRESET         a preset of CMakePresets.json to configure with (none)
#     CDPSORT_JOBS           compilers at once (as many as there are processors)

: "${cdpsort_root:?samples/setup.sh needs cdpsort_root}"
cdpsort_build_dir=${CDPSORT_BUILD_DIR:-$cdpsort_root/build}
case $cdpsort_build_dir in
/*) ;;
*) cdpsort_build_dir=$PWD/$cdpsort_build_dir ;;
esac

cdpsort_say() {
  printf '%s\n' "$*" >&2
}

cdpsort_fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Whether the C++ compiler finds a header.
cdpsort_has_header() {
  command -v c++ >/dev/null 2>&1 && printf '#include <%s>\n' "$1" | c++ -x c++ -fsyntax-only - >/dev/null 2>&1
}

# Whether it finds a library. Debian's headers of Boost come without those that have to be linked.
cdpsort_has_library() {
  command -v c++ >/dev/null 2>&1 && echo 'int main() {}' | c++ -x c++ - -o /dev/null "-l$1" >/dev/null 2>&1
}

# Prints the Debian packages that the named things (build, tests, lint, pictures) miss.
cdpsort_missing_packages() {
  command -v cc >/dev/null 2>&1 && command -v c++ >/dev/null 2>&1 && command -v make >/dev/null 2>&1 ||
    echo build-essential
  command -v cmake >/dev/null 2>&1 || echo cmake
  cdpsort_has_header boost/context/detail/fcontext.hpp && cdpsort_has_library boost_context || echo libboost-context-dev
  for purpose in "$@"; do
    case $purpose in
    tests)
      command -v pkg-config >/dev/null 2>&1 || echo pkg-config
      cdpsort_has_header check.h || echo check
      command -v python3 >/dev/null 2>&1 || echo python3 # for the guide's figures
      ;;
    lint)
      command -v clang-format >/dev/null 2>&1 || echo clang-format
      command -v clang-tidy >/dev/null 2>&1 || echo clang-tidy
      command -v cppcheck >/dev/null 2>&1 || echo cppcheck
      command -v doxygen >/dev/null 2>&1 || echo doxygen
      command -v python3 >/dev/null 2>&1 || echo python3
      command -v shellcheck >/dev/null 2>&1 || echo shellcheck
      ;;
    pictures)
      python3 -c 'import matplotlib' 2>/dev/null || /usr/bin/python3 -c 'import matplotlib' 2>/dev/null || echo python3-matplotlib
      ;;
    *) cdpsort_fail "nothing is known of packages for '$purpose'" ;;
    esac
  done
}

# Runs a command as root.
cdpsort_as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

cdpsort_install_missing() {
  packages=$(cdpsort_missing_packages "$@" | tr '\n' ' ')
  [ -n "$packages" ] || return 0
  command -v apt-get >/dev/null 2>&1 ||
    cdpsort_fail "this needs (Debian's names): ${packages}- and there is no apt-get here to install them with"
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null 2>&1 ||
    cdpsort_fail "something is missing here, and to install it takes root or sudo. As root: apt-get install ${packages% }"
  cdpsort_say "Installing: ${packages% }"
  log=$(mktemp) || cdpsort_fail "no temporary file could be made"
  # $packages is a list: it is meant to be split.
  # shellcheck disable=SC2086
  if cdpsort_as_root apt-get update >"$log" 2>&1 &&
    cdpsort_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages >>"$log" 2>&1; then
    rm -f "$log"
  else
    cat "$log" >&2
    rm -f "$log"
    cdpsort_fail "apt-get could not install: ${packages% }; the reason is above"
  fi
  missing=$(cdpsort_missing_packages "$@" | tr '\n' ' ')
  [ -z "$missing" ] || cdpsort_fail "installed, and yet not found: $missing"
}

# Runs a step whose output matters only where it fails.
cdpsort_quietly() {
  log=$cdpsort_build_dir/setup.log
  "$@" >"$log" 2>&1 && return 0
  cat "$log" >&2
  return 1
}

# The same of a build, which says how far it is with every tenth that make has done.
cdpsort_with_progress() {
  log=$cdpsort_build_dir/setup.log
  rm -f "$log" "$log.failed"
  { "$@" 2>&1 || : >"$log.failed"; } | {
    tenth=0
    while IFS= read -r line; do
      printf '%s\n' "$line" >>"$log"
      case $line in
      "["*[0-9]"%]"*)
        percent=${line%%\%*}
        percent=${percent#\[}
        if [ "$((${percent##* } / 10))" -gt "$tenth" ]; then
          tenth=$((${percent##* } / 10))
          cdpsort_say "  ${tenth}0 %"
        fi
        ;;
      esac
    done
  }
  [ -e "$log.failed" ] || return 0
  cat "$log" >&2
  return 1
}

cdpsort_build() {
  mkdir -p "$cdpsort_build_dir" || cdpsort_fail "cannot write to $cdpsort_build_dir"
  jobs=${CDPSORT_JOBS:-$(nproc 2>/dev/null || echo 2)}
  first_build=
  [ -f "$cdpsort_build_dir/CMakeCache.txt" ] || first_build="; the first build takes some minutes"
  cdpsort_say "Configuring $cdpsort_build_dir"
  (
    cd "$cdpsort_root" || exit 1
    set -- -S . -B "$cdpsort_build_dir"
    # What an earlier run asked for is in CMake's cache, and must not decide this one: a preset does, or AUTO.
    default=AUTO
    [ -z "${CDPSORT_PRESET:-}" ] || default=
    [ -n "$default" ] || set -- --preset "$CDPSORT_PRESET" "$@"
    cuda=${CDPSORT_CUDA:-$default} tests=${CDPSORT_TESTS:-$default} kind=${CDPSORT_DEVICE_KIND:-${default:+auto}}
    set -- "$@" ${cuda:+"-DCDPSORT_CUDA=$cuda"} ${tests:+"-DCDPSORT_TESTS=$tests"} ${kind:+"-DCDPSORT_DEVICE_KIND=$kind"}
    # Without a GPU nothing that is built here runs on one: one architecture shows that the kernels compile, and in a quarter
    # of the time.
    if [ -n "$default" ] && [ -z "${CUDAARCHS:-}" ]; then
      architectures=90-real
      ! nvidia-smi -L >/dev/null 2>&1 || architectures=native
      set -- "$@" "-DCMAKE_CUDA_ARCHITECTURES=$architectures"
    fi
    cdpsort_quietly cmake "$@"
  ) || cdpsort_fail "the project could not be configured; the reason is above" \
    "(if it is the CUDA toolkit: CDPSORT_CUDA=OFF in the environment builds without it)"
  grep '^-- cdpsort:' "$cdpsort_build_dir/setup.log" >&2 || true
  cdpsort_say "Building ($jobs at once$first_build)"
  set -- --build "$cdpsort_build_dir" --parallel "$jobs" ${1:+--target "$@"}
  cdpsort_with_progress cmake "$@" || cdpsort_fail "the build failed; the reason is above"
}
