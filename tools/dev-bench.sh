# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

bench_help() {
  cat <<'END'
usage: ./dev bench [NAME [ARGUMENT]...]

Installs what is missing, builds, and runs the benchmark bench/NAME (or bench/NAME/check) with its arguments, as root. Without a name it
lists what there is. ./dev bench NAME --help shows a benchmark's own help, and installs nothing.

END
  bench_list
}

bench_main() {
  local name=${1-} program

  if [ -z "$name" ]; then
    bench_list
    return
  fi
  shift
  case $name in
  -*) bad_usage "unknown option '$name'" bench ;;
  esac
  bench_names | grep -xF -- "$name" >/dev/null || bad_usage "no benchmark '$name'; ./dev bench lists them" bench
  bench_check_arguments "$name" "$@"
  is_root || become_root "since benchmarks make drives and change their settings" bench "$name" "$@"
  # shellcheck source=tools/dev-deps.sh
  . tools/dev-deps.sh
  # shellcheck source=tools/dev-build.sh
  . tools/dev-build.sh
  deps_install build bpf run test bench
  build_tree no no
  program=$PWD/$(bench_program "$name")
  cd -- "${caller_dir:?}" || exit # where its --output is
  exec "$program" "$@"
}

# bench_check_arguments NAME ARGUMENT...: what is wrong with them, and what needs no measuring, is said before anything is installed.
bench_check_arguments() {
  local program

  program=$PWD/$(bench_program "$1")
  shift
  command -v python3 >/dev/null || return 0
  as_owner mkdir -p build # where its --output may be
  cd -- "${caller_dir:?}" || exit
  if wants_help "$@" || [[ " $* " == *" --list "* ]]; then
    exec "$program" "$@"
  fi
  BRIO_BENCH_ARGUMENTS_ONLY=yes "$program" "$@" || exit
  cd -- "$OLDPWD" || exit
}

# What measures NAME: a program, or that of a directory.
bench_program() {
  if [ -d "bench/$1" ]; then
    echo "bench/$1/check"
  else
    echo "bench/$1"
  fi
}

bench_names() {
  local file name program

  for file in bench/*; do
    name=$(basename "$file")
    program=$(bench_program "$name")
    if [ -f "$program" ] && [ -x "$program" ]; then
      echo "$name"
    fi
  done
}

# A benchmark's first comment after the licence says what it measures.
bench_list() {
  local name

  echo "Benchmarks:"
  bench_names | while read -r name; do
    printf '  %-12s %s\n' "$name" "$(sed -n '2,10{/SPDX/d;/^#!/d;s/^\(#\|"""\) *//;/./{p;q}}' "$(bench_program "$name")")"
  done
}
