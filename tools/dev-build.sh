# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

build_help() {
  cat <<'END'
usage: ./dev build [--sanitize] [--clang] [--strict]

Installs what the build needs and compiles. Can be run again and again: it configures anew when the compiler, meson, or the
libraries that were found have changed.

  --sanitize   with AddressSanitizer and UndefinedBehaviorSanitizer, without the dashboard, into build-asan/
  --strict     exit 1 where the compiler warns
  --clang      with clang, into build-clang/ (with --sanitize: build-asan-clang/)

The environment's CC and CFLAGS are honoured. Otherwise everything goes to build/.
END
}

build_main() {
  local sanitize=no clang=no strict=no argument

  for argument; do
    case $argument in
    --sanitize) sanitize=yes ;;
    --clang) clang=yes ;;
    --strict) strict=yes ;;
    *) bad_usage "unknown argument '$argument'" build ;;
    esac
  done
  # shellcheck source=tools/dev-deps.sh
  . tools/dev-deps.sh
  build_install "$clang" build bpf gui
  build_tree "$sanitize" "$clang"
  [ "$strict" = no ] || [ "$build_warnings" -eq 0 ] || die "the compiler warns (see above)"
  say "Built into $build_dir/."
}

# build_install CLANG GROUP...
build_install() {
  local clang=$1
  shift

  [ "$clang" = no ] || set -- "$@" clang
  deps_install "$@"
}

# build_tree SANITIZE CLANG [TARGET]...: compiles these of ninja's targets, or all; sets build_dir, and build_warnings to their number.
build_tree() {
  build_tree_configured "$1" "$2"
  shift 2
  build_compile "$@"
}

# build_tree_configured SANITIZE CLANG: sets build_dir.
build_tree_configured() {
  local sanitize=$1 clang=$2
  local -a options=()

  build_dir=build
  if [ "$sanitize" = yes ]; then
    build_dir+=-asan
    # A clang executable leaves the sanitizer's symbols to itself: b_lundef must not look for them in libraries.
    options+=('-Db_sanitize=address,undefined' -Db_lundef=false -Doptimization=1 -Dgui=disabled -Ddocs=disabled) # -O2 takes half as long again to compile
  fi
  if [ "$clang" = yes ]; then
    command -v clang >/dev/null || die "clang is not installed"
    build_dir+=-clang
    export CC=clang
  fi
  build_configure "${options[@]}"
}

# build_compile [TARGET]...
build_compile() {
  local begin=$SECONDS steps

  build_warnings=0
  steps=$(as_owner ninja -C "$build_dir" -n "$@" | sed -n 's|^\[[0-9]*/\([0-9]*\)\].*|\1|p' | tail -n 1)
  [ -n "$steps" ] || return 0
  [ "$steps" -lt 50 ] || echo "  $steps steps: about $((steps / 10)) s on two quiet processors"
  as_owner ninja -C "$build_dir" "$@" | as_owner tee -- "$build_dir/dev-build.log" | build_show || die "it cannot be compiled (see above)"
  build_warnings=$(grep -c 'warning:' "$build_dir/dev-build.log" || true)
  [ "$steps" -lt 50 ] || echo "  compiled in $((SECONDS - begin)) s"
}

# Of ninja's lines, what the compiler says, and now and then how far it is.
build_show() {
  local line shown=$SECONDS

  while IFS= read -r line; do
    case $line in
    ninja:*) ;;
    \[[0-9]*/[0-9]*\]*)
      if [ $((SECONDS - shown)) -ge 10 ]; then
        printf '  %s\n' "$line"
        shown=$SECONDS
      fi
      ;;
    *) printf '%s\n' "$line" ;;
    esac
  done
}

# What the configuration depends on and meson does not watch.
build_stamp() {
  local module program

  printf '%s\n' "in $PWD" "with $("${CC:-cc}" --version 2>/dev/null | head -n 1)" "CC=${CC-}" "CFLAGS=${CFLAGS-}" "meson $(meson --version)" "$@"
  for module in gtk4 libadwaita-1 umockdev-1.0 fuse3 libbpf; do
    printf '%s %s\n' "$module" "$(pkg-config --modversion "$module" 2>/dev/null || echo none)"
  done
  for program in scdoc bpftool clang; do
    command -v "$program" || echo "no $program"
  done
}

# The lines of a stamp that say what the objects are compiled with, and where.
build_compiler_of() {
  grep -E '^(in|with|meson) |^(CC=|CFLAGS=|-D)'
}

build_configure() {
  local stamp wanted output
  local -a again=()

  stamp=$build_dir/dev-stamp
  wanted=$(build_stamp "$@")
  if [ -f "$build_dir/build.ninja" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    return
  fi
  say "Configuring $build_dir/"
  # Options given by hand (meson configure) are kept, and so is what was compiled, unless the compiler is another.
  if [ -f "$build_dir/meson-private/coredata.dat" ]; then
    again=(--wipe)
    if [ -f "$stamp" ] && [ "$(build_compiler_of <"$stamp")" = "$(build_compiler_of <<<"$wanted")" ]; then
      again=(--reconfigure)
      as_owner meson configure "$build_dir" --clearcache >/dev/null
    fi
  fi
  if ! output=$(as_owner meson setup "${again[@]}" "$build_dir" "$@" 2>&1); then
    printf '%s\n' "$output" >&2
    die "the build cannot be configured (see above)"
  fi
  printf '%s\n' "$wanted" | as_owner tee "$stamp" >/dev/null
}
