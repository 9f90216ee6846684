# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

vm_releases=(11 12 13)

vm_help() {
  cat <<'END'
usage: ./dev vm test [--debian 11|12|13]... [TEST]...
       ./dev vm shell [11|12|13]
       ./dev vm clean

Whole Debian machines in QEMU with this tree's packages installed: systemd as PID 1, a system bus with polkit, and emulated
drives attached as SCSI, NVMe and USB. The guests have no network. Root and about 6 GB below build-vm/ are needed. Guest 11 has
Debian 11's kernel, Linux 5.10, and is Debian 12 besides, since briod needs newer libraries than Debian 11's.

  test    boots the guests side by side, runs the guest tests, and closes with the counts; the journals, consoles and pictures
          are kept in build-vm/results/. TEST: only those with this in their name. Default: all, on Debian 12 and 13.
  shell   boots one guest (default: Debian 13) and gives its console, as root, until Ctrl-] or poweroff.
  clean   removes the images and packages that were made for guests, and what killed runs left.

Installs what is missing; makes an image once for each release, and the packages anew where the sources have changed. Uses KVM
where it works, and else emulates the processor. Ctrl-C ends everything that was started.
END
}

vm_main() {
  local command=${1-}

  [ -n "$command" ] || bad_usage "vm needs one of: test shell clean" vm
  case $command in
  test) vm_check_test "${@:2}" ;;
  shell)
    [ $# -le 2 ] || bad_usage "unexpected argument '$3'" vm
    [ $# -eq 1 ] || vm_check_release "$2"
    ;;
  clean) [ $# -eq 1 ] || bad_usage "unexpected argument '$2'" vm ;;
  *) bad_usage "unknown argument '$command'" vm ;;
  esac
  is_root || become_root "since guests run on emulated drives" vm "$@"
  if [ "$command" != clean ]; then
    # shellcheck source=tools/dev-deps.sh
    . tools/dev-deps.sh
    # shellcheck source=tools/dev-build.sh
    . tools/dev-build.sh
    deps_install build bpf test vm
    build_tree no no
  fi
  exec python3 tests/vm/run "$@"
}

vm_check_test() {
  local wrong
  local -a names=()

  while [ $# -gt 0 ]; do
    case $1 in
    --debian=*) vm_check_release "${1#*=}" ;;
    --debian)
      [ $# -ge 2 ] || bad_usage "--debian needs a release: ${vm_releases[*]}" vm
      vm_check_release "$2"
      shift
      ;;
    -*) bad_usage "unknown option '$1'" vm ;;
    '') bad_usage "a test has no empty name" vm ;;
    *) names+=("$1") ;;
    esac
    shift
  done
  # Before anything is installed and built; where there is no Python yet, afterwards.
  if command -v python3 >/dev/null; then
    wrong=$(python3 tests/vm/run check "${names[@]}")
    [ -z "$wrong" ] || bad_usage "no test has '$wrong' in its name" vm
  fi
}

vm_check_release() {
  case " ${vm_releases[*]} " in
  *" $1 "*) ;;
  *) bad_usage "no guest of Debian '$1'; releases: ${vm_releases[*]}" vm ;;
  esac
}
