# SPDX-License-Identifier: GPL-3.0-or-later
"""Brio of which some laws are off, or are set otherwise, in a guest in virtual time."""
from .. import drive

POLICIES = drive.ROOT / "policies"
DROP_IN = "zz-ablation.conf"


def drop_in(sections):
  """From the next briod on they are off, on each drive."""
  add("".join(f"[{section}]\nEnabled = no\n" for section in sections))


def add(text):
  """To each policy."""
  for policy in sorted(POLICIES.glob("*.conf")):
    directory = POLICIES / f"{policy.name}.d"
    directory.mkdir()
    (directory / DROP_IN).write_text(text, encoding="ascii")
