# SPDX-License-Identifier: GPL-3.0-or-later
"""The real TuneD daemon with one of its profiles, held to one drive.

It runs in a Debian tree of its own, without a bus. The profile includes TuneD's own and differs in two things: the disk
settings go to our drive alone, and what does not concern drives (processor, sound, ...) is left out, since a benchmark
must not change the machine more than it needs. TuneD puts back what it changed when it ends; settings.py sees to it that
this is so.
"""
import contextlib
import re
import subprocess
import time
from pathlib import Path

from . import debian, process, settings

PROFILE = "brio-bench"
# In its tree.
PROFILES = Path("usr/lib/tuned")
CONFIG = Path("etc/tuned/tuned-main.conf")
LOG = Path("run/tuned.log")
START_TIMEOUT_S = 20
DERIVED = """[main]
summary=A profile of TuneD's own, on one drive
include={profile}

[disk]
devices={device}
"""
LEFT_OUT = ("audio", "cpu", "modules", "net", "scsi_host", "usb", "video")
# What the disk and the writeback side of its profiles may change, besides the drive's queue.
SETTINGS = [Path("/proc/sys") / name for name in (
  "vm/dirty_ratio", "vm/dirty_background_ratio", "vm/dirty_bytes", "vm/dirty_background_bytes", "vm/dirty_expire_centisecs",
  "vm/dirty_writeback_centisecs", "vm/swappiness", "vm/page-cluster", "net/core/somaxconn", "kernel/sched_autogroup_enabled",
  "kernel/numa_balancing")]
ARGV = ("/usr/sbin/tuned", "--no-dbus", "--no-socket", "--log", f"/{LOG}", "--pid", "/run/tuned.pid", "--profile", PROFILE)
MOUNTS = debian.KERNEL_MOUNTS | {"etc/tuned": ("-t", "tmpfs", "tmpfs")}


class TunedError(Exception):
  """TuneD did not start or did not end as it should; the text says why in one line."""


def derived_profile(profile, device):
  """The text of the profile's file."""
  sections = "".join(f"\n[{unit}]\nenabled=False\n" for unit in LEFT_OUT)
  return DERIVED.format(profile=profile, device=device) + sections


def own_config(text):
  """TuneD's configuration, except that it does not apply the machine's /etc/sysctl.conf anew."""
  return re.sub(r"(?m)^\s*reapply_sysctl\s*=.*$", "", text) + "\nreapply_sysctl = 0\n"


class Tuned:
  """A context manager; inside it the profile is applied."""

  def __init__(self, tree, profile, device):
    self.tree = tree
    self.profile = profile
    self.device = device
    self.process = None
    self.stack = contextlib.ExitStack()

  def __enter__(self):
    if not (self.tree / PROFILES / self.profile).exists():
      raise TunedError(f"TuneD has no profile {self.profile} in {self.tree / PROFILES}")
    try:
      self._start()
    except BaseException:
      self.stack.close()
      raise
    return self

  @process.uninterrupted()
  def __exit__(self, *_):
    self.stack.close()

  def _start(self):
    config = own_config((self.tree / CONFIG).read_text())
    self.stack.enter_context(settings.Kept(SETTINGS))
    self.stack.enter_context(debian.mounted(self.tree, MOUNTS))
    (self.tree / CONFIG).write_text(config)
    directory = self.tree / CONFIG.parent / PROFILE
    directory.mkdir()
    (directory / "tuned.conf").write_text(derived_profile(self.profile, self.device))
    self.process = process.Process(ARGV, root=self.tree, env=debian.ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    self.stack.enter_context(self.process)
    self._wait_until_applied()

  def _wait_until_applied(self):
    end = time.monotonic() + START_TIMEOUT_S
    while f"static tuning from profile '{PROFILE}' applied" not in self.log():
      if self.process.popen.poll() is not None or time.monotonic() > end:
        raise TunedError(f"TuneD did not start: {process.last_line(self.log() + self.process.text('stderr'))}")
      time.sleep(process.POLL_S)

  def log(self):
    path = self.tree / LOG
    return path.read_text(errors="replace") if path.exists() else ""
