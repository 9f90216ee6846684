#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# For mmdebstrap, before the first package: an initrd with what the guest's root needs and no more, and no files that
# a guest has no use for. What is left out here is for the making of the image alone: image-finish.sh takes it away.
set -eu

mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/etc/dpkg/dpkg.cfg.d"
printf 'MODULES=list\nCOMPRESS=lz4\n' >"$1/etc/initramfs-tools/conf.d/brio"
printf 'virtio_pci\nvirtio_blk\next4\n' >"$1/etc/initramfs-tools/modules"
cat >"$1/etc/dpkg/dpkg.cfg.d/brio-image" <<'END'
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
path-exclude=*/lib/modules/*/kernel/drivers/gpu/*
path-exclude=*/lib/modules/*/kernel/drivers/infiniband/*
path-exclude=*/lib/modules/*/kernel/drivers/media/*
path-exclude=*/lib/modules/*/kernel/drivers/net/*
path-exclude=*/lib/modules/*/kernel/sound/*
END
