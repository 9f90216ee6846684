# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel file systems that a test needs, mounted for it alone."""
import ctypes
import subprocess

CLONE_NEWNS = 0x20000


def leave_mount_namespace():
  """What is mounted from now on is seen by us and our children alone. Returns why not, or None."""
  libc = ctypes.CDLL(None, use_errno=True)
  if libc.unshare(CLONE_NEWNS) != 0 or subprocess.run(["mount", "--make-rprivate", "/"], stderr=subprocess.DEVNULL).returncode != 0:
    return "no mount namespace can be made here"
  return None


def mount(kind, at, part, missing):
  """In a mount namespace of our own, where it is not mounted: the machine stays as it is. Returns why not, or None."""
  if part.is_dir():
    return None
  why = leave_mount_namespace()
  if why:
    return why
  subprocess.run(["mount", "-t", kind, kind, str(at)], stderr=subprocess.DEVNULL)
  return None if part.is_dir() else missing
