#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# man-page.sh SCDOC: makes a manual page of its source on stdin. The first line has man(1) lay out the tables; scdoc leaves it out.
printf "%s\n" "'\\\" t"
exec "$1"
