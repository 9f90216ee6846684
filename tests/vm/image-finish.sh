#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# For mmdebstrap, after the last package: what makes the guest one that a test can drive.
set -eu

rm "$1/etc/dpkg/dpkg.cfg.d/brio-image"
echo brio-guest >"$1/etc/hostname"
echo '127.0.0.1 localhost brio-guest' >"$1/etc/hosts"
echo '/dev/vda / ext4 defaults 0 1' >"$1/etc/fstab"
# The journal outlives a reboot, and is on disk before a sudden end.
mkdir -p "$1/var/log/journal" "$1/etc/systemd/journald.conf.d"
printf '[Journal]\nSyncIntervalSec=1s\n' >"$1/etc/systemd/journald.conf.d/brio.conf"
# Nothing starts by itself while a test looks.
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer \
  man-db.timer; do
  ln -sf /dev/null "$1/etc/systemd/system/$unit"
done
# The console is the shell of ./dev vm shell, and reachable through a private socket alone.
mkdir -p "$1/etc/systemd/system/serial-getty@ttyS0.service.d"
cat >"$1/etc/systemd/system/serial-getty@ttyS0.service.d/brio.conf" <<'END'
[Service]
ExecStart=
ExecStart=-/sbin/agetty --autologin root --keep-baud 115200 %I linux
END
chroot "$1" passwd --delete root
chroot "$1" useradd --create-home --shell /bin/bash tester
