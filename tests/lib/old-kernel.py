#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""old-kernel.py COMMAND [ARGUMENT]...: runs the command as on Linux 4.19, as far as the kernel's calls go.

Calls that came later are not known (ENOSYS), BPF programs are refused, and the kernel tells neither of pressure (4.20) nor of its own types
(BTF, 5.5). Root only.
"""
import ctypes
import errno
import os
import struct
import sys
import tempfile

NEW_CALLS = 424  # pidfd_send_signal, 5.1: from there on a call has one number on all machines, and before it 4.19 has none that a 64-bit libc makes
BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280, "s390x": 351, "ppc64le": 361}
HIDDEN = ("/proc/pressure", "/sys/kernel/btf")

# linux/filter.h, linux/seccomp.h, linux/prctl.h, linux/mount.h, linux/sched.h
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, ERROR = 0x7fff0000, 0x00050000
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
CLONE_NEWNS = 0x00020000

libc = ctypes.CDLL(None, use_errno=True)


class Program(ctypes.Structure):
  _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def check(result, what):
  if result != 0:
    raise OSError(ctypes.get_errno(), what)


def hide(path):
  with tempfile.TemporaryDirectory() as empty:
    check(libc.mount(empty.encode(), path.encode(), None, ctypes.c_ulong(MS_BIND), None), f"bind over {path}")


def refuse_calls():
  code = [(LOAD, 0, 0, 0),  # the number
          (JUMP_AT_LEAST, 0, 1, NEW_CALLS), (RETURN, 0, 0, ERROR | errno.ENOSYS),
          (JUMP_EQUAL, 0, 1, BPF[os.uname().machine]), (RETURN, 0, 0, ERROR | errno.EINVAL),
          (RETURN, 0, 0, ALLOW)]
  text = b"".join(struct.pack("=HBBI", *line) for line in code)
  program = Program(len(code), text)
  check(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0), "seccomp")


def main():
  check(libc.unshare(CLONE_NEWNS), "unshare")
  check(libc.mount(None, b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None), "make mounts private")
  for path in filter(os.path.isdir, HIDDEN):
    hide(path)
  refuse_calls()
  os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
  main()
