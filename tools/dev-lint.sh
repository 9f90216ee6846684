# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

lint_help() {
  cat <<'END'
usage: ./dev lint [--format]

Runs the style suite: the rules of CONTRIBUTING.md, the core's purity, the scripts, the documents, and the files that are
installed. Exits 1 where one is broken.

  --format   show what clang-format would change, too; that is advice, and no failure
END
}

lint_main() {
  local format=no argument

  for argument; do
    case $argument in
    --format) format=yes ;;
    *) bad_usage "unknown argument '$argument'" lint ;;
    esac
  done
  # shellcheck source=tools/dev-test.sh
  . tools/dev-test.sh
  [ "$format" = no ] || lint_format
  test_main style
}

lint_format() {
  if ! command -v clang-format >/dev/null; then
    say "clang-format is not installed: no advice from it."
    return
  fi
  git ls-files -z '*.c' '*.h' | while IFS= read -r -d '' file; do
    clang-format "$file" | diff -u --label "$file" --label "$file (clang-format)" "$file" - || true
  done
}
