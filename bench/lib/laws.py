# SPDX-License-Identifier: GPL-3.0-or-later
"""The laws that policies have on: a section each, which [Section] Enabled = no turns off."""
import configparser
import functools
import re

from . import drive

POLICIES = drive.ROOT / "policies"
NO_LAW = ("Trial", "Prefetch")  # sections that have the key and are none; a guest's only start is not helped


@functools.cache
def of_class(drive_class):
  """The sections whose laws may act on such drives, in the order of their policy."""
  return next((of_policy(path) for path in sorted(POLICIES.glob("*.conf")) if drive_class in parsed(path)["Policy"]["Class"].split()), ())


def of_policy(path):
  policy = parsed(path)
  return tuple(name for name in policy.sections() if name not in NO_LAW and policy[name].get("Enabled") == "yes")


def parsed(path):
  policy = configparser.ConfigParser(interpolation=None)
  policy.read(path, encoding="utf-8")
  return policy


def name_of(section):
  """As brioctl names the law: StepBack is step-back."""
  return re.sub(r"(?<!^)(?=[A-Z])", "-", section).lower()


def names():
  """Of all laws that some policy has on."""
  return sorted({name_of(law) for path in POLICIES.glob("*.conf") for law in of_policy(path)})
