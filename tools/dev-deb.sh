# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

deb_help() {
  cat <<'END'
usage: ./dev deb [--output DIR] [--no-tests] [--no-lintian]

Builds the Debian packages briod, brioctl and brio-dashboard, on Debian 12 or 13, and checks them with lintian. Installs what is
missing for both. The packages are built from a copy of every file that git knows, as it is now, committed or not (git add a new
one first); under sudo as the one whose tree it is. Prints how to install them.
Exits 1 where the compiler warns, or where the build, one of its tests, or lintian finds something wrong.

  --output DIR   put the packages into DIR instead of build/deb/
  --no-tests     leave out the tests that belong to the build
  --no-lintian   do not check the packages
END
}

deb_main() {
  local output=build/deb lintian=yes dir

  while [ $# -gt 0 ]; do
    case $1 in
    --output=*) set -- --output "${1#*=}" "${@:2}" ;;
    esac
    case $1 in
    --output)
      [ -n "${2-}" ] || bad_usage "--output needs a directory" deb
      output=$(caller_path "$2")
      shift 2
      ;;
    --no-tests)
      # The builder hears it by the first, the build dependencies by the second.
      export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-} nocheck" DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES-} nocheck"
      shift
      ;;
    --no-lintian)
      lintian=no
      shift
      ;;
    *) bad_usage "unknown argument '$1'" deb ;;
    esac
  done
  { as_owner mkdir -p -- "$output" && as_owner test -w "$output"; } || die "the packages cannot be put into '$output'; name another --output"
  deb_install
  dir=$(as_owner mktemp -d "${TMPDIR:-/tmp}/brio-deb-XXXXXX")
  # shellcheck disable=SC2064 # the directory of now
  trap "rm -rf -- '$dir'" EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  deb_copy "$dir/brio"
  deb_build "$dir/brio" "$output/build.log"
  as_owner mv -f -- "$dir"/brio*.* "$output"
  deb_check "$output" "$lintian"
}

deb_install() {
  # shellcheck source=tools/dev-deps.sh
  . tools/dev-deps.sh
  [ "$(deps_family)" = debian ] || die "Debian packages are built on Debian; elsewhere, ./dev build and meson install"
  deps_install deb
  dpkg-checkbuilddeps 2>/dev/null && return
  say "What debian/control names is missing:"
  { dpkg-checkbuilddeps || true; } 2>&1 | sed 's/.*Unmet build dependencies: /  /'
  deps_cost build-dep ./
  deps_apt build-dep ./ && return
  deps_apt update || die "apt-get update failed (see above)"
  deps_apt build-dep ./ || die "apt-get could not install what debian/control names (see above)"
}

# deb_copy DIR: what git knows, without what was deleted since.
deb_copy() {
  as_owner git rev-parse --git-dir >/dev/null || die "packages are built from a clone of the repository, which this is not (see above)"
  as_owner mkdir -- "$1"
  comm -z -23 <(as_owner git ls-files -z | sort -z) <(as_owner git ls-files -z --deleted | sort -z) |
    as_owner tar --create --null --no-recursion --files-from=- | as_owner tar --extract --directory="$1"
}

# deb_build TREE LOG: the packages appear beside TREE. Hundreds of lines go to LOG, the last of which are shown where it fails.
deb_build() {
  say "Building the packages"
  if ! (cd "$1" && as_owner dpkg-buildpackage --no-sign) 2>&1 | as_owner tee -- "$2" | show_now_and_then; then
    tail -n 60 -- "$2" >&2
    die "the packages cannot be built (see above, and $2)"
  fi
  ! grep -E ':[0-9]+:[^ ]* [^ ]*warning: ' -- "$2" >&2 || die "the compiler warns (see above)"
}

# deb_check DIR LINTIAN: what the build left in DIR.
deb_check() {
  local changes built=Built
  local -a packages

  changes=$1/brio_$(dpkg-parsechangelog -S Version)_$(dpkg --print-architecture).changes
  mapfile -t packages < <(sed -n '/^Files:/,/^[^ ]/s/.* \(brio[^ ]*\.deb\)$/\1/p' "$changes" | grep -v dbgsym | sort -r)
  if [ "$2" = yes ]; then
    say "Checking them"
    as_owner lintian --allow-root --pedantic --display-experimental --fail-on error,warning,pedantic "$changes" ||
      die "lintian finds fault (see above); lintian --info $changes explains"
    built+=" and checked"
  fi
  say "$built:"
  printf '  %s\n' "${packages[@]/#/$1/}"
  packages=("${packages[@]/#/$(realpath -- "$1")/}")
  echo "Install them with: sudo apt install ${packages[*]}"
}
