#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# in-root.sh TREE COMMAND...: runs a command in TREE/brio with TREE as the root directory and /tmp in memory. In a mount namespace of its own, with which
# goes what is mounted.
set -euo pipefail
tree=$1
shift
mount --bind "$tree" "$tree"
for dir in proc sys dev; do
  mount --rbind "/$dir" "$tree/$dir"
done
mount -t tmpfs -o mode=1777 tmpfs "$tree/tmp"
mount -t tmpfs -o mode=755 tmpfs "$tree/run"
mkdir -p "$tree/.before"
cd "$tree"
pivot_root . .before
umount -l /.before
cd /brio
exec "$@"
