# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# ./dev test --release: what depends on the release of Debian, in a minimal tree of it.

release_suites=(bpf gui style)

# release_test RELEASE SUITE...
release_test() {
  local release=$1 dir tree
  local -A names=([12]=bookworm [13]=trixie)
  local -a suites=("${@:2}")

  [ ${#suites[@]} -gt 0 ] || suites=("${release_suites[@]}")
  # shellcheck source=tools/dev-deps.sh
  . tools/dev-deps.sh
  [ "$(deps_family)" = debian ] || die "trees of Debian are made on Debian alone"
  deps_install release
  dir=$(mktemp -d "${TMPDIR:-/tmp}/brio-release-XXXXXX")
  # shellcheck disable=SC2064 # the directory of now
  trap "rm -rf --one-file-system -- '$dir'" EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  tree=$dir/tree
  say "Making a minimal Debian $release"
  run_logged mmdebstrap --quiet --variant=minbase --include=git,ca-certificates "${names[$release]}" "$tree" ||
    die "mmdebstrap cannot make it (see above)"
  release_configure "$tree"
  git clone --quiet --no-hardlinks . "$tree/brio"
  release_in "$tree" ./dev deps build bpf run demo gui test clang deb
  release_in "$tree" ./dev deb # by gcc, with its tests: unit, machines, cli and fuzz
  say "With clang"
  export CFLAGS='-O0 -g0' # it is there for what it says, and is to be quick
  release_in "$tree" ./dev build --clang --strict
  release_in "$tree" ./dev test --clang "${suites[@]}"
}

# The tree reaches Debian's mirrors as this machine does.
release_configure() {
  local file

  cp -L /etc/resolv.conf "$1/etc/resolv.conf"
  for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    ! grep -qs '^Acquire::' "$file" || cp "$file" "$1/etc/apt/apt.conf.d/90-$(basename "$file")"
  done
}

# release_in TREE COMMAND...: in the tree, with a /tmp in memory; whatever is mounted for it goes with the command.
release_in() {
  local tree=$1
  shift

  unshare --mount --propagation private -- tools/in-root.sh "$tree" "$@"
}
