#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test-arguments.sh BRIO: a stray argument is a usage error with a sentence, not a message of GLib's.
status=0
said=$("$1" stray 2>&1) || status=$?
[ "$status" -eq 2 ] && [ "$said" = 'brio: unexpected argument "stray"; "brio --help" lists the options' ] && exit 0
printf 'exit %s: %s\n' "$status" "$said"
exit 1
