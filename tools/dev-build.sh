# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

build_help() {
  cat <<'END'
usage: ./dev build [--sanitize] [--clang]

Installs what the build needs and compiles. Can be run again and again: it configures anew when the compiler, meson, or the
libraries that were found have changed.

  --sanitize   with AddressSanitizer and UndefinedBehaviorSanitizer, without the dashboard, into build-asan/
  --clang      with clang, into build-clang/ (with --sanitize: build-asan-clang/)

The environment's CC and CFLAGS are honoured. Otherwise everything goes to build/.
END
}

build_main() {
  local sanitize=no clang=no argument

  for argument; do
    case $argument in
    --sanitize) sanitize=yes ;;
    --clang) clang=yes ;;
    *) bad_usage "unknown argument '$argument'" build ;;
    esac
  done
  # shellcheck source=tools/dev-deps.sh
  . tools/dev-deps.sh
  build_install "$clang" build bpf gui
  build_tree "$sanitize" "$clang"
  say "Built into $build_dir/."
}

# build_install CLANG GROUP...
build_install() {
  local clang=$1
  shift

  [ "$clang" = no ] || set -- "$@" clang
  deps_install "$@"
}

# build_tree SANITIZE CLANG: compiles, and sets build_dir.
build_tree() {
  local sanitize=$1 clang=$2
  local -a options=()

  build_dir=build
  if [ "$sanitize" = yes ]; then
    build_dir+=-asan
    # A clang executable leaves the sanitizer's symbols to itself: b_lundef must not look for them in libraries.
    options+=('-Db_sanitize=address,undefined' -Db_lundef=false -Dgui=disabled -Ddocs=disabled)
  fi
  if [ "$clang" = yes ]; then
    command -v clang >/dev/null || die "clang is not installed"
    build_dir+=-clang
    export CC=clang
  fi
  build_configure "${options[@]}"
  # ninja redraws one line on a terminal; elsewhere only what the compiler says is of interest.
  if [ -t 1 ]; then
    as_owner meson compile -C "$build_dir"
  else
    as_owner meson compile -C "$build_dir" --ninja-args=--quiet
  fi
}

# What the configuration depends on and meson does not watch.
build_stamp() {
  local module program

  printf '%s\n' "$PWD" "CC=${CC-}" "CFLAGS=${CFLAGS-}" "meson $(meson --version)" "$@"
  for module in gtk4 libadwaita-1 umockdev-1.0 fuse3 systemd udev libbpf; do
    printf '%s %s\n' "$module" "$(pkg-config --modversion "$module" 2>/dev/null || echo none)"
  done
  for program in scdoc bpftool clang; do
    command -v "$program" || echo "no $program"
  done
}

build_configure() {
  local stamp wanted output
  local -a wipe=()

  stamp=$build_dir/dev-stamp
  wanted=$(build_stamp "$@")
  if [ -f "$build_dir/build.ninja" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    return
  fi
  say "Configuring $build_dir/"
  # Options that somebody gave by hand (meson configure) are kept.
  [ ! -f "$build_dir/meson-private/coredata.dat" ] || wipe=(--wipe)
  if ! output=$(as_owner meson setup "${wipe[@]}" "$build_dir" "$@" 2>&1); then
    printf '%s\n' "$output" >&2
    die "the build cannot be configured (see above)"
  fi
  printf '%s\n' "$wanted" | as_owner tee "$stamp" >/dev/null
}
