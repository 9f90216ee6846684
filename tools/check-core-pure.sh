#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Is the core pure? usage: check-core-pure.sh LIBCOMMON.a LIBCORE.a
# Everything that core/ calls is its own, common/'s text and memory helpers, or on the list below: no clock, no
# file, no log, and nothing that is remembered between calls. common/ may do files and I/O priorities, but nothing beyond libc.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 LIBCOMMON.a LIBCORE.a" >&2; exit 2; }
common=$1
core=$2
broken=0

# Of libc, what depends on its arguments alone.
pure='abort|abs|llabs|bsearch|calloc|free|malloc|qsort|realloc|reallocarray|memchr|memcmp|memcpy|memmove|memset|mempcpy
str(n?casecmp|n?cmp|n?dup|n?len|chr|chrnul|cspn|pbrk|rchr|spn|str|sep|errorname_np)|stpcpy|stpncpy|snprintf|vsnprintf|is[a-z]+|to(low|upp)er
ceil|exp|exp2|fabs|floor|fmax|fmin|fmod|ldexp|log|log2|log10|pow|round|sqrt|l?lround|nearbyint|trunc|isnan|isinf
__ctype_b_loc|__ctype_(tolower|toupper)_loc|__errno_location|__assert_fail|__stack_chk_fail|__(v?snprintf|mem[a-z]+|st[a-z]+)_chk
_GLOBAL_OFFSET_TABLE_|__isoc[0-9]+_[a-z]+'
# And what common/fdio.c, common/ioprio.c and the cleanup helpers need.
files='open(64|at|at64)?|read|write|pread(64)?|pwrite(64)?|close|fdopendir|closedir|pipe2|fcntl(64)?|fclose|fsync|mkdir(at)?|unlinkat|syscall
f?stat(64)?|__open(at)?(64)?_2'

undefined() { # those that the archive does not define itself
  nm -u "$1" | awk 'NF == 2 && $1 == "U" { print $2 }' | sort -u |
    { nm --defined-only "$1" | awk 'NF == 3 { print $3 }' | sort -u >"$scratch/own"; comm -23 - "$scratch/own"; }
}

# Lines of names on stdin that are neither in the pattern ($2) nor in the file $3.
complain() {
  names=$(grep -vxE "$(printf '%s' "$2" | tr '\n' '|')" | { grep -vxFf "$3" || true; })
  [ -n "$names" ] || return 0
  echo "$1 calls what it must not:" >&2
  printf '%s\n' "$names" | sed 's/^/  /' >&2
  broken=1
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/brio-pure-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/none"

if nm -u "$core" | grep ' __\(asan\|ubsan\)_' >/dev/null; then
  echo "sanitized objects call their sanitizer"
  exit 77
fi

# Of common's members, those that touch no descriptor and no process.
nm -A --defined-only "$common" | grep -v '[/:_]\(fdio\|ioprio\|macro\)\.c\.o:' | awk '{ print $NF }' | sort -u >"$scratch/common"
undefined "$core" >"$scratch/core-calls"
[ -s "$scratch/core-calls" ] || { echo "$core calls nothing at all: is it the right file?" >&2; exit 1; }
complain "core/" "$pure" "$scratch/common" <"$scratch/core-calls"
undefined "$common" >"$scratch/common-calls"
complain "common/" "$pure
$files" "$scratch/none" <"$scratch/common-calls"

# Nothing remembered: no initialised or zeroed variables (tables of constants are elsewhere).
size -A "$core" | awk '
  / \(ex / { member = $1 }
  $1 ~ /^\.(data|bss|tdata|tbss)(\.|$)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 { print "  " member " " $1 " " $2 " bytes" }
' >"$scratch/variables"
if [ -s "$scratch/variables" ]; then
  echo "core/ has variables that outlive a call:" >&2
  cat "$scratch/variables" >&2
  broken=1
fi
exit $broken
