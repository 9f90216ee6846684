# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

# Where sanitizers tell most for their time.
test_sanitized_suites=(unit machines device)
# They make no drive and tune nothing.
test_rootless_suites=(unit style fuzz)

test_help() {
  cat <<'END'
usage: ./dev test [--sanitize] [--clang] [SUITE]...
       ./dev test --release 12|13 [SUITE]...

Installs what is missing, builds, runs the tests, and closes with the counts, the seconds of each suite, and the slowest tests.
Without arguments: all suites, and the suites unit, machines and device once more under AddressSanitizer and
UndefinedBehaviorSanitizer, in about 25 minutes on two processors.
Exits 1 where a test fails, where one is skipped for a reason that tests/expected-skips does not name, and where the compiler warns.

  --sanitize    only under these sanitizers (default suites: unit machines device)
  --clang       build with clang
  --release N   the last commit in a minimal Debian N, made for this, with a /tmp in memory: gcc and clang build it without a warning,
                ./dev deb makes packages without fault and with their tests, and what else depends on the release is tested
                (default suites: bpf gui style); about 12 minutes

END
  echo "Suites: $(test_suite_names | paste -sd ' ' -)"
  cat <<'END'
Suite events: the tests of the others on the way from the kernel's records of requests and processes to the model.
Suite safety: what docs/safety.md promises. Asked for by name, it kills briod 300 times (BRIO_TEST_SAFETY_KILLS) rather than 20, and takes
a quarter of an hour.
Suite fuzz: parsers of what users control. Asked for by name, fuzzers look for inputs that break each one, too, for two minutes
(BRIO_TEST_FUZZ_SECONDS, which has all suites do so as well, beside the tests). It takes a quarter of an hour on two processors.
Suite detectors: those of what the detectors see, say, and find in replays of real loads.
Suite bpf: the kernel takes the programs in it.
Suite virtual: starts beside loads, in virtual time, take no longer than tests/virtual/bounds.json says. BRIO_UPDATE_BOUNDS='why' measures,
prints what differs, and keeps the figures with the reason.
The suites unit, style and fuzz need no root. The others run as root (through sudo where needed): they make loop devices and tune
them. No other drive is written to.
END
}

test_suite_names() {
  local file

  for file in tests/*/meson.build; do
    basename "${file%/meson.build}"
  done | grep -vx lib
  printf '%s\n' events detectors safety bpf # in tests/meson.build
}

test_main() {
  local sanitize=no clang=no release=''
  local -a suites=() arguments=("$@") logs=() groups=(build bpf run test gui)

  while [ $# -gt 0 ]; do
    case $1 in
    --release=*) set -- --release "${1#*=}" "${@:2}" ;;
    esac
    case $1 in
    --sanitize) sanitize=only ;;
    --clang) clang=yes ;;
    --release)
      [[ ${2-} =~ ^1[23]$ ]] || bad_usage "--release takes 12 or 13, not '${2-}'" "test"
      release=$2
      shift
      ;;
    -*) bad_usage "unknown option '$1'" "test" ;;
    *)
      test_suite_names | grep -xF -- "$1" >/dev/null || bad_usage "no suite '$1'" "test"
      suites+=("$1")
      ;;
    esac
    shift
  done
  test_is_rootless "$release" "${suites[@]}" || is_root ||
    become_root "since tests make loop devices and tune them" "test" "${arguments[@]}"
  if [ -n "$release" ]; then
    # shellcheck source=tools/dev-release.sh
    . tools/dev-release.sh
    release_test "$release" "${suites[@]}"
    return
  fi
  [[ " ${suites[*]} " != *" safety "* ]] || export BRIO_TEST_SAFETY_KILLS=${BRIO_TEST_SAFETY_KILLS-300}
  # shellcheck source=tools/dev-deps.sh
  . tools/dev-deps.sh
  # shellcheck source=tools/dev-build.sh
  . tools/dev-build.sh
  [ "${suites[*]}" != unit ] || groups=(build bpf demo)
  ! test_wants_fuzz "${suites[@]}" || groups+=(clang)
  # Packages are built on Debian alone; elsewhere their suite is skipped.
  if [ "$(deps_family)" = debian ] && [[ ${#suites[@]} -eq 0 || " ${suites[*]} " == *" package "* ]]; then
    # shellcheck source=tools/dev-deb.sh
    . tools/dev-deb.sh
    deb_install
  fi
  [ "$sanitize" = only ] || [ ${#suites[@]} -gt 0 ] || sanitize=too
  build_install "$clang" "${groups[@]}"
  test_display
  test_result=0
  ! test_wants_fuzz "${suites[@]}" || test_fuzz_begin
  [ "$sanitize" = only ] || test_plain "$clang" "${suites[@]}"
  [ "$sanitize" = no ] || test_sanitized "$clang" "${suites[@]}"
  ! test_wants_fuzz "${suites[@]}" || test_fuzz_end
  say "Summary"
  python3 tools/test-summary.py --expected tests/expected-skips "${logs[@]}" || test_result=1
  return "$test_result"
}

# test_is_rootless RELEASE SUITE...
test_is_rootless() {
  local suite
  [ -z "$1" ] && [ $# -gt 1 ] || return 1
  shift

  for suite; do
    [[ " ${test_rootless_suites[*]} " == *" $suite "* ]] || return 1
  done
}

# test_wants_fuzz SUITE...
test_wants_fuzz() {
  [[ " $* " == *" fuzz "* ]] || { [ $# -eq 0 ] && [ -n "${BRIO_TEST_FUZZ_SECONDS-}" ]; }
}

# Fuzzers run beside the tests, on what these leave of the processors, and in a process group of their own: they end with us.
test_fuzz_begin() {
  fuzz_output=$(mktemp)
  set -m
  (test_fuzz) >"$fuzz_output" 2>&1 &
  fuzz_pid=$!
  set +m
  trap 'kill -- "-$fuzz_pid" 2>/dev/null || true; rm -f "$fuzz_output"' EXIT
}

test_fuzz() {
  local -a targets=()

  renice -n 19 -p "$BASHPID" >/dev/null
  export CC=clang
  build_dir=build-fuzz
  build_configure -Db_sanitize=address,undefined -Db_lundef=false -Ddocs=disabled -Dc_args=-fsanitize=fuzzer-no-link
  rm -f "$build_dir/meson-logs/testlog.json"
  test_targets fuzzing
  build_compile "${targets[@]}"
  [ "$build_warnings" -eq 0 ] || die "the compiler warns"
  MESON_TESTTHREADS=$(nproc) as_owner meson test -C "$build_dir" --no-rebuild --print-errorlogs --suite fuzzing
}

test_fuzz_end() {
  say "Fuzzing"
  wait "$fuzz_pid" || test_result=1
  cat "$fuzz_output"
  if [ -f build-fuzz/meson-logs/testlog.json ]; then
    logs+=(build-fuzz/meson-logs/testlog.json)
  else
    echo "  FAILED: the fuzzers did not run (see above)"
    test_result=1
  fi
}

# The tests of the dashboard get a display of their own, never the user's.
test_display() {
  unset DISPLAY WAYLAND_DISPLAY
  export GDK_BACKEND=x11 LC_ALL=C.UTF-8 NO_AT_BRIDGE=1
}

test_plain() {
  local clang=$1
  shift

  test_build no "$clang" "$@"
  say "Testing"
  test_run "$build_dir" "$@"
}

# test_targets SUITE...: sets the caller's targets.
test_targets() {
  local list

  list=$(as_owner python3 tools/test-targets.py "$build_dir" "$@") || die "it cannot be configured (see above)"
  [ -z "$list" ] || mapfile -t targets <<<"$list"
}

# test_build SANITIZE CLANG SUITE...: what their tests need, or everything.
test_build() {
  local sanitize=$1 clang=$2
  local -a targets=()
  shift 2

  say "Building"
  build_tree_configured "$sanitize" "$clang"
  if [ $# -gt 0 ]; then
    test_targets "$@"
  fi
  build_warnings=0
  # A suite may need nothing from here.
  if [ $# -eq 0 ] || [ ${#targets[@]} -gt 0 ]; then
    build_compile "${targets[@]}"
  fi
  if [ "$build_warnings" -gt 0 ]; then
    echo "  FAILED: the compiler warns"
    test_result=1
  fi
}

# test_unpack PROGRAM PACKAGE...: for the tests in $build_dir; installing the package would start a service on this machine, so the program alone is unpacked,
# from the first of the packages that there is.
test_unpack() {
  local program=$1 package dir
  shift

  if [ "$(deps_family)" != debian ] || command -v "$program" >/dev/null || [ -x "$build_dir/unpacked/usr/bin/$program" ]; then
    return 0
  fi
  say "Fetching $program"
  apt-cache show "${@: -1}" >/dev/null 2>&1 || deps_apt update || die "apt-get update failed (see above)"
  for package; do
    ! apt-cache show "$package" >/dev/null 2>&1 || break
  done
  dir=$(mktemp -d)
  mkdir -p "$build_dir/unpacked"
  if ! (cd "$dir" && apt-get -q -o APT::Sandbox::User=root download "$package") ||
    ! dpkg-deb --fsys-tarfile "$dir"/*.deb | tar -x -C "$build_dir/unpacked" "./usr/bin/$program"; then
    rm -rf "$dir"
    die "$program could not be fetched (see above)"
  fi
  rm -rf "$dir"
  chown -R --reference=. "$build_dir/unpacked"
}

test_sanitized() {
  local clang=$1
  local -a suites=("${@:2}")

  [ ${#suites[@]} -gt 0 ] || suites=("${test_sanitized_suites[@]}")
  test_build yes "$clang" "${suites[@]}"
  say "Testing with sanitizers"
  export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  test_run "$build_dir" "${suites[@]}"
}

# test_run BUILD_DIR SUITE...
test_run() {
  local dir=$1 suite rc=0
  local -a arguments=()
  shift

  if [ $# -eq 0 ] || [[ " $* " == *" cli "* ]]; then
    test_unpack promtool promtool prometheus # before Debian 13 it is a part of the latter
    test_unpack prometheus-node-exporter prometheus-node-exporter
  fi
  for suite; do
    arguments+=(--suite "$suite")
  done
  # A log of an earlier run must not be counted where this one breaks off.
  rm -f "$dir/meson-logs/testlog.json"
  # Many tests wait more than they compute.
  MESON_TESTTHREADS=${MESON_TESTTHREADS-$(($(nproc) * 2))} meson test -C "$dir" --no-rebuild --print-errorlogs "${arguments[@]}" || rc=$?
  [ "${SUDO_UID:-0}" -eq 0 ] || chown -R --reference=. "$dir/meson-logs"
  [ -f "$dir/meson-logs/testlog.json" ] || die "meson test left no log (exit status $rc)"
  logs+=("$dir/meson-logs/testlog.json")
  [ "$rc" -eq 0 ] || test_result=1
}
