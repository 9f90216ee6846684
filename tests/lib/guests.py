# SPDX-License-Identifier: GPL-3.0-or-later
"""What a test needs that has guests in virtual time: a module's setUpModule() asks for it."""
import os
import shutil
import unittest


def need(system, build_dir):
  """Skips the module where they cannot be. system: lib.virtual's."""
  if os.geteuid() != 0:
    raise unittest.SkipTest("needs root")
  for program in ("qemu-system-x86_64", "mmdebstrap"):
    if not shutil.which(program):
      raise unittest.SkipTest(f"{program} is not installed")
  if why := system.missing(build_dir):
    raise unittest.SkipTest(f"no guest in virtual time: {why}")
