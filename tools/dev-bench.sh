# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

bench_help() {
  cat <<'END'
usage: ./dev bench [NAME [ARGUMENT]...]

Builds, and runs the benchmark bench/NAME with its arguments, as root. Without a name it lists what there is.
./dev bench NAME --help shows a benchmark's own help.

END
  bench_list
}

bench_main() {
  local name=${1-}

  if [ -z "$name" ]; then
    bench_list
    return
  fi
  shift
  case $name in
  -*) bad_usage "unknown option '$name'" bench ;;
  esac
  bench_names | grep -xF -- "$name" >/dev/null || bad_usage "no benchmark '$name'; ./dev bench lists them" bench
  is_root || become_root "since benchmarks make drives and change their settings" bench "$name" "$@"
  # shellcheck source=tools/dev-deps.sh
  . tools/dev-deps.sh
  # shellcheck source=tools/dev-build.sh
  . tools/dev-build.sh
  deps_install build run test bench
  build_tree no no
  exec "bench/$name" "$@"
}

bench_names() {
  local file

  for file in bench/*; do
    if [ -f "$file" ] && [ -x "$file" ]; then
      basename "$file"
    fi
  done
}

# A benchmark's first comment after the licence says what it measures.
bench_list() {
  local name

  echo "Benchmarks:"
  bench_names | while read -r name; do
    printf '  %-12s %s\n' "$name" "$(sed -n '2,10{/SPDX/d;/^#!/d;s/^\(#\|"""\) *//;/./{p;q}}' "bench/$name")"
  done
}
