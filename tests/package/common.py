# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of packages share."""
import os
import re
import subprocess
from pathlib import Path

SOURCE = Path(os.environ["BRIO_SOURCE"])
BUILD = Path(os.environ["BRIO_BUILD"])
NAMES = ("briod", "brioctl", "brio-dashboard")
SKIPPED = 77  # to meson


def run(*command, check=True, **options):
  result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
  if check and result.returncode:
    raise AssertionError(f"{command}: {result.stdout}{result.stderr}")
  return result


def version():
  return re.search(r"^project\(.*?version: '([^']+)'", (SOURCE / "meson.build").read_text(), re.MULTILINE | re.DOTALL).group(1)


def files(tree):
  """The files below it, as paths from it."""
  return {str(path.relative_to(tree)) for path in Path(tree).rglob("*") if path.is_symlink() or not path.is_dir()}


def below_prefix(path):
  """usr/local/share/x, usr/share/x: share/x. Debian 12 has units and rules below /lib. Manual pages are compressed."""
  return re.sub(r"(/man\d/.*)\.gz$", r"\1", re.sub(r"^(usr/local/|usr/)", "", path))


def installed(directory):
  """What `meson install` puts there, as paths below the prefix."""
  run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", directory)
  return {below_prefix(path) for path in files(directory)}
