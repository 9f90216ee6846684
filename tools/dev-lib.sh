# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the commands of ./dev share. Sourced; the working directory is the top of the tree.

say() {
  if [ -t 1 ]; then
    printf '\033[1m%s\033[0m\n' "$*"
  else
    printf '%s\n' "$*"
  fi
}

die() {
  printf 'dev: %s\n' "$*" >&2
  exit 1
}

# bad_usage SENTENCE COMMAND
bad_usage() {
  printf 'dev: %s\nTry ./dev %s--help.\n' "$1" "${2:+$2 }" >&2
  exit 2
}

# Everything after -- belongs to another program.
wants_help() {
  local argument

  for argument; do
    case $argument in
    -h | --help) return 0 ;;
    --) return 1 ;;
    esac
  done
  return 1
}

# A path as the caller meant it: the working directory is not the caller's ($caller_dir, set by ./dev).
caller_path() {
  case $1 in
  /*) printf '%s\n' "$1" ;;
  *) printf '%s\n' "${caller_dir:?}/$1" ;;
  esac
}

has_display() {
  [ -n "${WAYLAND_DISPLAY-}${DISPLAY-}" ]
}

is_root() {
  [ "$(id -u)" -eq 0 ]
}

# as_root WHY COMMAND...
as_root() {
  local why=$1
  shift

  if is_root; then
    "$@"
    return
  fi
  command -v sudo >/dev/null || die "root is needed $why, and there is no sudo: run this as root"
  say "Through sudo, $why."
  sudo -- "$@"
}

# run_logged COMMAND...: hundreds of lines go to a file, and a line now and then to the terminal. Where it fails, the last of them are shown and the
# file stays.
run_logged() {
  local log

  log=$(mktemp "${TMPDIR:-/tmp}/brio-dev-XXXXXX.log")
  if ! "$@" </dev/null 2>&1 | tee -- "$log" | show_now_and_then; then
    tail -n 40 -- "$log" >&2
    printf 'dev: all that it said is in %s\n' "$log" >&2
    return 1
  fi
  rm -f -- "$log"
}

# Of the lines on stdin, one each ten seconds.
show_now_and_then() {
  local line shown=$SECONDS

  while IFS= read -r line; do
    if [ -n "$line" ] && [ $((SECONDS - shown)) -ge 10 ]; then
      printf '  %.100s\n' "$line"
      shown=$SECONDS
    fi
  done
}

# Under sudo, what is built belongs to the one whose tree it is.
as_owner() {
  if is_root && [ "${SUDO_UID:-0}" -ne 0 ] && [ "$(stat -c %u .)" -eq "${SUDO_UID:-0}" ]; then
    setpriv --reuid "$SUDO_UID" --regid "$SUDO_GID" --init-groups -- \
      env HOME="$(getent passwd "$SUDO_UID" | cut -d: -f6)" "$@"
  else
    "$@"
  fi
}

# Continues as root with ./dev ARGUMENTS..., keeping what a display needs.
become_root() {
  local why=$1 name
  local -a keep=()
  shift

  command -v sudo >/dev/null || die "root is needed $why, and there is no sudo: run this as root"
  for name in CC CFLAGS DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS LANG; do
    [ -z "${!name-}" ] || keep+=("$name=${!name}")
  done
  say "Through sudo, $why."
  exec sudo -- env "${keep[@]}" BRIO_DEV_CALLER_DIR="${caller_dir:?}" ./dev "$@"
}
