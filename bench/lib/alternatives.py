# SPDX-License-Identifier: GPL-3.0-or-later
"""What one can do today about a busy drive, and Brio: each as a context manager around one run.

Every run begins with the drive's queue as it was when the drive was made; where it cannot be brought back to that, the
benchmark stops, as what it measured then would be something else.
"""
import contextlib
import json
import time
from dataclasses import dataclass, field

from . import arms, daemon, debian, onset, sysfs, tuned

KERNEL_BY_CLASS = {"nvme": "none"}
# briod changes the scheduler of a drive that has been quiet for a while (brio.policy(5), QuietTime), as a desktop's is some
# time after boot. It leaves an NVMe drive's as it is, so there is nothing to wait for.
SETTLE_S = {"nvme": 2.0}
SETTLE_ELSEWHERE_S = 15.0


class AlternativeError(Exception):
  """A setting did not come back; the text says which."""


def kernel_default(drive_class):
  """elevator_init_mq(): one queue gets mq-deadline, more get none. A loop device is an exception of its own."""
  return KERNEL_BY_CLASS.get(drive_class, "mq-deadline")


@dataclass
class Static:
  """A scheduler, chosen once by the class of the drive. `elsewhere` None: what the kernel chooses."""
  name: str
  title: str
  elsewhere: str | None = None
  by_class: dict = field(default_factory=dict)
  settle_s = 0.0

  def scheduler(self, drive_class):
    return self.by_class.get(drive_class) or self.elsewhere or kernel_default(drive_class)

  def treatment(self, drive_class):
    """Alternatives of equal treatment are the same on such a drive, and measured once."""
    return self.scheduler(drive_class)

  def missing(self, _build_dir):
    return None

  def decisions(self):
    """What was changed so far and why, of an alternative that decides; called while it is applied."""
    return []

  def prepare(self, build_dir):
    """What takes long and is needed once."""

  @contextlib.contextmanager
  def applied(self, _emulated, _build_dir):
    """A context manager; what it gives says of a start when it was protected, as onset.look(), or is None."""
    yield None


@dataclass
class WithTuned:
  """TuneD's daemon with one of its profiles. None of them chooses a scheduler on a desktop."""
  name: str
  title: str
  profile: str
  settle_s = 2.0

  def scheduler(self, drive_class):
    return kernel_default(drive_class)

  def treatment(self, _drive_class):
    return self.name

  def missing(self, _build_dir):
    return debian.missing()

  def prepare(self, build_dir):
    debian.tuned(build_dir)

  @contextlib.contextmanager
  def applied(self, emulated, build_dir):
    with tuned.Tuned(debian.tuned(build_dir), self.profile, emulated.name):
      yield None


class Brio:
  """chosen: class of drive → the scheduler that it chose there. That takes it until the drive has been quiet for a while, so the next
  runs begin where that one left off."""
  name, title = "brio", "Brio"
  settle_s = 3.0

  def __init__(self):
    self.chosen = {}
    self.briod = None

  def scheduler(self, drive_class):
    return self.chosen.get(drive_class) or kernel_default(drive_class)

  def treatment(self, _drive_class):
    return self.name

  def missing(self, build_dir):
    return daemon.missing(build_dir)

  def prepare(self, build_dir):
    pass

  @contextlib.contextmanager
  def applied(self, emulated, build_dir):
    options = arms.Brio(self.title, None, build_dir, emulated.drive_class).options(emulated)
    with daemon.Daemon(build_dir, options) as briod:
      self.settle(emulated)
      self.briod = briod
      yield lambda start: onset.look(briod, start)
      briod.check()

  def decisions(self):
    return json.loads(self.briod.brioctl("decisions", "--json"))

  def settle(self, emulated):
    if emulated.drive_class not in self.chosen:
      wait_until_settled(emulated)
      self.chosen[emulated.drive_class] = sysfs.scheduler(emulated.device)
    arms.settle(emulated)


NONE, KYBER = "none", "kyber"
# Rules as of 2026: systemd-udev of Fedora, CachyOS-Settings (60-ioschedulers.rules).
ALL = {a.name: a for a in (
  Static("kernel", "kernel default"),
  Static("fedora", "Fedora rule", "bfq", {"nvme": NONE}),
  Static("cachyos", "CachyOS rule", "mq-deadline", {"hdd": "bfq", "usb-disk": "bfq", "nvme": NONE}),
  Static("none", "none", NONE),
  Static("kyber", "kyber", KYBER),
  WithTuned("tuned-desktop", "TuneD desktop", "desktop"),
  WithTuned("tuned-throughput", "TuneD throughput-performance", "throughput-performance"),
  Brio(),
)}
REFERENCE = ALL["kernel"]


def why_not(name, build_dir):
  """Why one of them cannot run here, in one line; makes what it needs, which takes minutes, once."""
  return debian.why_not(debian.tuned, build_dir) if isinstance(ALL[name], WithTuned) else None


class Queue:
  """A drive's queue as it was at first, to which each run returns."""

  def __init__(self, emulated):
    self.emulated = emulated
    emulated.reselect(NONE)
    self.original = arms.settings(emulated)

  def changed(self, before):
    """Those that are other than before, or new: of another scheduler."""
    now = arms.settings(self.emulated)
    return {key: value for key, value in now.items() if value != before.get(key)}

  def reset(self, scheduler):
    """Returns what the settings are then."""
    self.emulated.reselect(NONE)
    for key in self.changed(self.original):
      with contextlib.suppress(OSError):
        (sysfs.queue(self.emulated.device) / key).write_text(self.original[key])
    left = self.changed(self.original)
    if left:
      raise AlternativeError(f"settings of {self.emulated.device} do not come back: {', '.join(f'{k} is {v}' for k, v in left.items())}")
    self.emulated.reselect(scheduler)
    return arms.settings(self.emulated)


def wait_until_settled(emulated):
  """Until it has chosen a scheduler, or as long as it takes to see that it wants no other."""
  before = sysfs.scheduler(emulated.device)
  end = time.monotonic() + SETTLE_S.get(emulated.drive_class, SETTLE_ELSEWHERE_S)
  while sysfs.scheduler(emulated.device) == before and time.monotonic() < end:
    time.sleep(0.05)
