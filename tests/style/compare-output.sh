#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: compare-output.sh FILE PROGRAM: does the program print what the file holds?
set -eu
"$2" | diff -u "$1" -
