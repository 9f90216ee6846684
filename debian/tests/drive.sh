# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# A drive that briod tunes and nothing else uses: a loop device that its settings declare to be a hard disk.

conf=/etc/brio/briod.conf
patience_s=120

make_drive() {
  image=$(mktemp /var/tmp/brio-drive-XXXXXX)
  trap drop_drive EXIT
  truncate --size=64M "$image"
  drive=$(losetup --find --show "$image")
  queue=/sys/block/${drive#/dev/}/queue
  before=$(settings)
}

drop_drive() {
  losetup --detach "$drive"
  rm -f "$image"
}

# Every setting of the drive.
settings() {
  grep -r . "$queue" 2>/dev/null | sort
}

# A quiet drive is tuned at once: it gets its policy's scheduler.
have_it_tuned() {
  sed -i "s/^\[Daemon\]$/&\nInclude=${drive#/dev/}=hdd/" "$conf"
  systemctl restart briod
  for _ in $(seq "$patience_s"); do
    [ "$(settings)" = "$before" ] || return 0
    sleep 1
  done
  fail "briod changed nothing on $drive"
}

check_restored() {
  [ "$(settings)" = "$before" ] || fail "$1 left other settings than it found: $(settings)"
}

fail() {
  echo "$1" >&2
  exit 1
}
