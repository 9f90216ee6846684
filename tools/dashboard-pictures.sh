#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Takes the documentation's pictures of the dashboard, on a display of its own.
set -euo pipefail

usage() {
  cat <<'END'
usage: tools/dashboard-pictures.sh [OPTION]... DIRECTORY

Writes overview.png, overview-dark.png, overview-narrow.png, the same of processes, and no-daemon.png into DIRECTORY.

  --bus ADDRESS   the bus of a running briod (default: a scripted daemon on a bus of its own)
  --after SECONDS how long each picture waits for samples (default: 65 with --bus, for a full minute; else 3)
  --search TEXT   show only the processes that match
  --build DIR     the build directory (default: build)
END
}

source_dir=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
build_dir=$source_dir/build
bus=
after=
out=
children=()
processes=(--screenshot-page processes)

while [ $# -gt 0 ]; do
  case $1 in
  --bus | --after | --search | --build)
    [ $# -ge 2 ] || { usage >&2; exit 2; }
    case $1 in
    --bus) bus=$2 ;;
    --after) after=$2 ;;
    --search) processes+=(--screenshot-search "$2") ;;
    --build) build_dir=$2 ;;
    esac
    shift 2
    ;;
  -h | --help)
    usage
    exit
    ;;
  -*)
    usage >&2
    exit 2
    ;;
  *)
    out=$1
    shift
    ;;
  esac
done
[ -n "$out" ] || { usage >&2; exit 2; }
mkdir -p -- "$out"

config=$(mktemp -d)
clean_up() {
  [ ${#children[@]} -eq 0 ] || kill "${children[@]}" 2>/dev/null || true
  rm -rf -- "$config"
}
trap clean_up EXIT

# GNOME's font where it is installed: without a settings daemon GTK does not know it.
if fc-list : family 2>/dev/null | grep '^Cantarell' >/dev/null; then
  mkdir -p -- "$config/gtk-4.0"
  printf '[Settings]\ngtk-font-name=Cantarell 11\n' >"$config/gtk-4.0/settings.ini"
fi

# A bus on which nobody answers: for the picture without a daemon, and as the session bus.
exec 3< <(exec dbus-daemon --config-file="$source_dir/tests/lib/private-bus.conf" --nofork --print-address=1)
children+=($!)
read -r own_bus <&3

# picture FILE BUS WIDTH HEIGHT SECONDS [OPTION]...
picture() {
  local file=$1 address=$2 width=$3 height=$4 seconds=$5
  shift 5
  env XDG_CONFIG_HOME="$config" DBUS_SESSION_BUS_ADDRESS="$own_bus" GSETTINGS_BACKEND=memory GSK_RENDERER=cairo GTK_A11Y=none \
    GTK_USE_PORTAL=0 ADW_DISABLE_PORTAL=1 \
    xvfb-run -a -s '-screen 0 2600x2200x24' "$build_dir/gui/brio" --bus "$address" --screenshot "$out/$file" \
    --screenshot-width "$width" --screenshot-height "$height" --screenshot-after "$seconds" "$@"
  echo "$out/$file"
}

# The window's frame takes five pixels on each side.
picture no-daemon.png "$own_bus" 1010 710 2
if [ -z "$bus" ]; then
  exec 4< <(exec "$source_dir/tests/lib/fake-daemon.py" --bus "$own_bus" --scenario "$source_dir/tests/lib/scenarios/desktop.json")
  children+=($!)
  read -r _ <&4
  bus=$own_bus
  after=${after:-3}
fi
after=${after:-65}
picture overview.png "$bus" 1010 1070 "$after"
picture overview-dark.png "$bus" 1010 1070 "$after" --dark
picture overview-narrow.png "$bus" 370 1200 "$after"
picture processes.png "$bus" 1210 410 10 "${processes[@]}"
picture processes-dark.png "$bus" 1010 610 5 "${processes[@]}" --dark
picture processes-narrow.png "$bus" 370 810 5 "${processes[@]}"
