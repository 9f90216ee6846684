#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs in a guest: a briod for each source, on a bus of its own, records what fio does on a drive. The directory RESULTS gets the
# recordings, what each briod logged, and fio's report. MEANWHILE, where it is not empty, is a script that runs beside fio, knows $drive,
# $results and $fio (its process), and may end it with SIGINT.
# usage: witnesses.sh BRIOD DRIVE RESULTS "SOURCE..." MEANWHILE FIO_ARGUMENT...
set -eu
briod=$1 drive=$2 results=$3 sources=$4 meanwhile=$5
shift 5

FIO_INTERRUPTED=128
directory=$(mktemp -d /run/brio-witnesses-XXXXXX)
cd "$directory"
# shellcheck disable=SC2046
trap 'kill $(cat ./*.pid) 2>/dev/null || true; wait; rm -r "$directory"' EXIT
trap 'exit 1' INT TERM

# until_true PID COMMAND...: while that process runs.
until_true() {
  process=$1
  shift
  until "$@" >/dev/null 2>&1; do
    kill -0 "$process"
    sleep 0.2
  done
}

ask() {
  bus=unix:path=$directory/$1.bus
  shift
  brioctl --json --bus "$bus" "$@"
}

is_recorded() {
  ask "$1" devices "$drive" | grep '"attention_reason": *"recording"'
}

start_briod() {
  source=$1
  drives=--include=$drive
  for path in /sys/block/*; do
    [ "${path##*/}" = "$drive" ] || drives="$drives --exclude=${path##*/}"
  done
  mkdir "$source"
  dbus-daemon --session --nofork --nopidfile "--address=unix:path=$directory/$source.bus" &
  echo $! >"$source-bus.pid"
  until_true $! test -S "$source.bus"
  # shellcheck disable=SC2086
  "$briod" --bus "unix:path=$directory/$source.bus" --mode off "--source=$source" --state-dir "$source" $drives >"$results/$source.log" 2>&1 &
  echo $! >"$source-briod.pid"
  until_true $! ask "$source" status
  brioctl --json --bus "unix:path=$directory/$source.bus" record -o "$results/$source.recording" "$drive" >"$results/$source-summary.json" &
  echo $! >"$source-record.pid"
  until_true $! is_recorded "$source"
}

end_briod() {
  for each in record briod; do
    kill "$(cat "$1-$each.pid")"
    wait "$(cat "$1-$each.pid")"
  done
}

for source in $sources; do
  start_briod "$source"
done
# A process stays for a moment after its I/O: of one that has ended tracefs and blktrace cannot tell whose thread asked.
fio --output-format=json "--output=$results/fio.json" --exec_postrun="sleep 1" "$@" &
fio=$!
echo "$fio" >fio.pid
export drive results fio
sh -eu -c "$meanwhile"
status=0
wait "$fio" || status=$?
[ "$status" = 0 ] || { [ -n "$meanwhile" ] && [ "$status" = $FIO_INTERRUPTED ]; }
for source in $sources; do
  end_briod "$source"
done
