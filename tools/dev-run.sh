# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash

run_dir=/run/brio-dev
run_ready_s=15   # until briod answers on the bus; it takes a fraction of a second
run_restore_s=60 # putting settings back may wait for a busy drive

run_help() {
  cat <<'END'
usage: ./dev run [--include DEV[=CLASS]]... [--exclude DEV]... [--mode auto|advise|off] [--policy-dir DIR]

Installs what is missing, builds, and starts briod on this machine's drives, as root: on the system bus where that is
possible, else on a private bus, whose address it prints. Opens the dashboard where there is a display, and brioctl top on a
terminal without one; elsewhere it logs until it is told to end. Ctrl-C, and the end of the dashboard or of brioctl top, end
everything it started and put every setting back.

  --include DEV     treat DEV as a drive, even a loop device
  --exclude DEV     leave DEV alone
  --mode MODE       auto: decide and act (default); advise: decide, write nothing; off: watch only
  --policy-dir DIR  policies to use; default: policies/ in this tree
END
}

run_main() {
  local mode='' policy_dir=$PWD/policies
  local -a briod_options=() arguments=("$@")

  while [ $# -gt 0 ]; do
    case $1 in
    --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    esac
    [ $# -ge 2 ] || run_needs_value "$1"
    case $1 in
    --include | --exclude)
      run_check_drive "$1" "$2"
      briod_options+=("$1" "${2#/dev/}")
      ;;
    --mode) mode=$2 ;;
    --policy-dir) policy_dir=$(caller_path "$2") ;;
    *) run_needs_value "$1" ;;
    esac
    shift 2
  done
  case $mode in
  '') ;;
  auto | advise | off) briod_options+=(--mode "$mode") ;;
  *) bad_usage "no mode '$mode'; modes: auto advise off" run ;;
  esac
  [ -d "$policy_dir" ] || bad_usage "no directory '$policy_dir'" run
  briod_options+=(--policy-dir "$policy_dir")

  build_dir=build
  is_root || become_root "since briod tunes drives" run "${arguments[@]}"
  run_build
  run_session "${briod_options[@]}"
}

run_needs_value() {
  case $1 in
  --include | --exclude | --mode | --policy-dir) bad_usage "$1 needs a value" run ;;
  *) bad_usage "unknown argument '$1'" run ;;
  esac
}

# run_check_drive OPTION DEV[=CLASS]
run_check_drive() {
  local name=${2#/dev/}

  name=${name%%=*}
  [ "$1" = --exclude ] || [ -d "/sys/block/${name//\//!}" ] || die "no drive '$name' in /sys/block"
}

run_build() {
  local -a groups=(build bpf run) targets=(daemon/briod cli/brioctl)

  # shellcheck source=tools/dev-deps.sh
  . tools/dev-deps.sh
  # shellcheck source=tools/dev-build.sh
  . tools/dev-build.sh
  if has_display; then
    groups+=(gui)
    targets+=(gui/brio)
  fi
  deps_install "${groups[@]}"
  say "Building"
  build_tree no no "${targets[@]}"
}

# Everything from here on is as root.
run_session() {
  bus_pid='' briod_pid='' ui_pid='' stopping=no
  umask 022
  mkdir -p "$run_dir"
  exec 9>"$run_dir/lock"
  flock -n 9 || die "another ./dev run is going on"
  run_end_leftovers
  trap run_end EXIT
  trap 'stopping=yes' INT TERM HUP
  exec 3<&0

  run_choose_bus
  run_start_briod "$@"
  run_start_ui
  run_wait
}

# What a run that was killed has left behind: a briod that goes on, and its bus.
run_end_leftovers() {
  local name pid

  for name in briod dbus-daemon; do
    pid=$(cat "$run_dir/$name.pid" 2>/dev/null || true)
    rm -f "$run_dir/$name.pid"
    if [ -n "$pid" ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null || true)" = "$name" ]; then
      say "An earlier run left $name ($pid) behind: ending it."
      kill -TERM "$pid"
      run_gone "$pid" "$run_restore_s" || die "$name ($pid) does not end"
    fi
  done
}

# run_gone PID SECONDS: waits until the process, which need not be ours, is gone.
run_gone() {
  local waited

  for ((waited = 0; ; waited++)); do
    grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" || return 0
    [ "$waited" -lt $(($2 * 10)) ] || return 1
    sleep 0.1
  done
}

# bus_call BUS_OPTION METHOD ARGUMENT...: to the bus itself; prints the answer.
bus_call() {
  local bus=$1 method=$2
  shift 2

  dbus-send "$bus" --print-reply=literal --reply-timeout=5000 --dest=org.freedesktop.DBus /org/freedesktop/DBus \
    "org.freedesktop.DBus.$method" "$@" 2>&1
}

run_choose_bus() {
  local answer

  # The name is asked for, as briod will, and given up again at once. 4: do not queue. Answer 1: it is ours; 3: taken.
  if answer=$(bus_call --system RequestName string:org.brio.Brio1 uint32:4); then
    case $answer in
    *1)
      bus_address=system
      return
      ;;
    *) die "briod is running already, as a service: systemctl stop briod" ;;
    esac
  fi
  case $answer in
  *AccessDenied*) say "The system bus does not let briod in (its bus policy is not installed): using a private bus." ;;
  *) say "There is no system bus: using a private one." ;;
  esac
  run_start_bus
}

run_start_bus() {
  cat >"$run_dir/bus.conf" <<END
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path=$run_dir/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
  </policy>
  <policy user="root">
    <allow own="org.brio.Brio1"/>
  </policy>
</busconfig>
END
  rm -f "$run_dir/bus"
  # A session of its own: Ctrl-C must reach briod only through us.
  setsid dbus-daemon --config-file="$run_dir/bus.conf" --nofork --nopidfile --nosyslog 9>&- 3<&- &
  bus_pid=$!
  echo "$bus_pid" >"$run_dir/dbus-daemon.pid"
  bus_address=unix:path=$run_dir/bus
  run_until "the private bus does not start" "$bus_pid" bus_call "--bus=$bus_address" GetId
}

# run_until SENTENCE PID COMMAND...: until the command succeeds; dies where the process ends or time is up.
run_until() {
  local sentence=$1 pid=$2 waited
  shift 2

  for ((waited = 0; waited < run_ready_s * 10; waited++)); do
    [ "$stopping" = no ] || exit 1
    ! "$@" >/dev/null || return 0
    kill -0 "$pid" 2>/dev/null || die "$sentence"
    sleep 0.1
  done
  die "$sentence (waited $run_ready_s s)"
}

run_start_briod() {
  local log=/dev/stdout bus_option=--system

  [ -x "$build_dir/daemon/briod" ] || die "the build has no daemon ($build_dir/daemon/briod)"
  mkdir -p "$run_dir/state"
  # As briod.service does: where bfq is a module, the kernel offers it once it is loaded.
  ! command -v modprobe >/dev/null || modprobe -q bfq || true
  if [ -t 1 ] && ! run_wants_dashboard; then
    log=$run_dir/briod.log
  fi
  if [ "$log" = /dev/stdout ]; then
    setsid "$build_dir/daemon/briod" --bus "$bus_address" --state-dir "$run_dir/state" "$@" 9>&- 3<&- &
  else
    setsid "$build_dir/daemon/briod" --bus "$bus_address" --state-dir "$run_dir/state" "$@" >"$log" 2>&1 9>&- 3<&- &
  fi
  briod_pid=$!
  echo "$briod_pid" >"$run_dir/briod.pid"
  [ "$bus_address" = system ] || bus_option=--bus=$bus_address
  run_until "briod did not start${log##/dev/stdout}" "$briod_pid" run_name_owned "$bus_option"
  printf 'export BRIO_BUS=%s\n' "$bus_address" >"$run_dir/environment"
  say "briod runs on the bus $bus_address. In another terminal:"
  echo "  export BRIO_BUS=$bus_address    # or: . $run_dir/environment"
  echo "  $PWD/$build_dir/cli/brioctl status"
}

run_name_owned() {
  case $(bus_call "$1" NameHasOwner string:org.brio.Brio1) in
  *true) return 0 ;;
  *) return 1 ;;
  esac
}

run_wants_dashboard() {
  has_display && [ -x "$build_dir/gui/brio" ]
}

run_start_ui() {
  local -a as_user=()

  # The display belongs to the user that called sudo. Background commands of a script ignore Ctrl-C unless told otherwise.
  [ "${SUDO_UID:-0}" -eq 0 ] || as_user=(setpriv --reuid "$SUDO_UID" --regid "$SUDO_GID" --init-groups --)
  export BRIO_BUS=$bus_address
  if run_wants_dashboard; then
    "${as_user[@]}" env --default-signal=INT "$build_dir/gui/brio" 9>&- &
    ui_pid=$!
  elif [ -t 1 ] && [ -x "$build_dir/cli/brioctl" ]; then
    echo "briod logs to $run_dir/briod.log."
    env --default-signal=INT "$build_dir/cli/brioctl" top <&3 9>&- &
    ui_pid=$!
  else
    say "Ctrl-C, SIGINT or SIGTERM ends it."
  fi
}

# Looks rather than waits: bash's `wait -n`, once interrupted by Ctrl-C, may then wait for every child.
run_wait() {
  while [ "$stopping" = no ] && run_alive "$briod_pid" && { [ -z "$ui_pid" ] || run_alive "$ui_pid"; }; do
    sleep 0.5 || true
  done
}

run_alive() {
  ! run_gone "$1" 0
}

# The exit trap. Settings come first, and a second Ctrl-C changes nothing about that.
run_end() {
  local status=$? restored=0

  trap '' INT TERM HUP
  trap - EXIT
  set +e
  if [ -n "$ui_pid" ]; then
    kill -TERM "$ui_pid" 2>/dev/null
    run_gone "$ui_pid" 5 || kill -KILL "$ui_pid"
  fi
  [ -z "$briod_pid" ] || run_end_briod || restored=1
  if [ -n "$bus_pid" ]; then
    kill -TERM "$bus_pid" 2>/dev/null
    run_gone "$bus_pid" 5
  fi
  rm -f "$run_dir"/{briod.pid,dbus-daemon.pid,bus.conf,bus,environment}
  [ "$restored" -eq 0 ] || status=1
  exit "$status"
}

run_end_briod() {
  local status expected=no

  if kill -TERM "$briod_pid" 2>/dev/null; then
    expected=yes
    say "Restoring every setting."
    until run_gone "$briod_pid" "$run_restore_s"; do
      echo "briod still waits for a drive." >&2
    done
  fi
  wait "$briod_pid"
  status=$?
  if [ -e "$run_dir/state/originals" ]; then
    echo "dev: some settings are not restored yet; briod does it at its next start ($run_dir/state/originals has them)" >&2
    return 1
  fi
  if [ "$expected" = no ] || [ "$status" -ne 0 ]; then
    echo "dev: briod ended, and not because ./dev told it to (exit status $status)" >&2
    return 1
  fi
  say "Every setting is as it was."
}
