# SPDX-License-Identifier: GPL-3.0-or-later
"""Alternatives that run in turn on one emulated drive, each from the same start: the frame of the comparing benchmarks.

An arm has a name, a scheduler, settings of the queue (`tuned`), what of a command line made it (`asked`), and run(place, runtime_s, seed, tick), which returns a dict of
figures. Its workload is a function (place, runtime_s, seed, during) that returns such a dict.
"""
import contextlib
import random
import time
from dataclasses import dataclass
from pathlib import Path

from . import daemon, drive, filesystem, iostat, sysfs

# What a run takes beyond its runtime until we know: daemon, caches, the load's start and end.
OVERHEAD_S = 4
# briod watches the drive before the load begins, as it would on a desktop, until that has been idle for longer than QuietTime (brio.policy(5)), or for
# so long in all: a file system that was just mounted still reads now and then. (A USB drive's is 5 s.)
SETTLE_S = 4.0
SETTLE_LONGEST_S = 20.0
# The kernel's own target of writeback throttling, in µs, for drives with heads and without (block/blk-wbt.c).
THROTTLING = "wbt_lat_usec"
THROTTLED_US = {True: "75000", False: "2000"}
UNTHROTTLED_US = "0"
# What laws set besides the scheduler's own tunables.
QUEUE_SETTINGS = ("nr_requests",)


@dataclass(frozen=True)
class Place:
  """Where a workload runs: on a drive, or in the file system that is mounted from it."""
  emulated: drive.EmulatedDrive
  mounted: filesystem.Mounted | None = None

  @property
  def device(self):
    return self.emulated.device

  @property
  def directory(self):
    return self.mounted.path


class Plain:
  """The scheduler as it comes, or with a few settings of its queue."""

  def __init__(self, name, workload, scheduler="bfq", tuned=None, asked=None):
    self.name = name
    self.workload = workload
    self.scheduler = scheduler
    self.tuned = tuned or {}
    self.asked = asked or {}

  def run(self, place, runtime_s, seed, tick):
    return self.workload(place, runtime_s, seed, lambda _: tick())


class Brio(Plain):
  """The scheduler with briod, which is started before the load and ended after it. Besides the workload's figures: when
  after the load's first request a setting of the scheduler changed first (at once, where none did and one stood before), what each became, and whether
  all came back."""

  def __init__(self, name, workload, build_dir, drive_class, scheduler="bfq", tuned=None, asked=None):
    super().__init__(name, workload, scheduler, tuned, asked)
    self.build_dir = build_dir
    self.drive_class = drive_class

  def options(self, emulated):
    others = (p.name for p in Path("/sys/block").iterdir() if p.name != emulated.name)
    excluded = [option for name in others for option in ("--exclude", name)]
    return ["--mode", "auto", "--include", f"{emulated.name}={self.drive_class}", *excluded]

  def workload_with(self, _briod):
    """The workload, where it has something to ask of the daemon."""
    return self.workload

  def figures_of(self, _briod, _seconds):
    """What more there is to say of the daemon after so long a workload."""
    return {}

  def run(self, place, runtime_s, seed, tick):
    emulated = place.emulated
    before = settings(emulated)
    with daemon.Daemon(self.build_dir, self.options(emulated)) as briod:
      settle(emulated)
      settled = settings(emulated)
      watch = SettingsWatch(emulated, settled)
      ahead = {key: value for key, value in settled.items() if key.startswith("iosched/") and value != before.get(key, value)}

      def during(elapsed):
        watch.look(elapsed)
        tick()

      begin = time.monotonic()
      figures = self.workload_with(briod)(place, runtime_s, seed, during)
      briod.check()
      figures |= self.figures_of(briod, time.monotonic() - begin)
      log = briod.log()
    onset_s = 0.0 if ahead and watch.onset_s is None else watch.onset_s
    return figures | {"onset_s": onset_s, "settings": ahead | watch.reached, "restored": settings(emulated) == before, "log": log}


def settle(emulated):
  """Until briod has set what it sets on a drive that is quiet."""
  end = time.monotonic() + SETTLE_LONGEST_S
  since, last = time.monotonic(), iostat.counters(emulated.device)
  while time.monotonic() < min(since + SETTLE_S, end):
    time.sleep(0.1)
    now = iostat.counters(emulated.device)
    if now != last:
      since, last = time.monotonic(), now


def settings(emulated):
  """Everything below the queue directory of a drive that one can read."""
  directory = sysfs.queue(emulated.device)
  return {str(p.relative_to(directory)): sysfs.read(p) for p in sorted(directory.rglob("*")) if p.is_file()}


class SettingsWatch:
  """Looks at the scheduler's tunables; notes the first change after the drive's first request, and the last values that differ."""

  def __init__(self, emulated, before):
    self.device = emulated.device
    self.directory = sysfs.queue(emulated.device)
    self.before = {k: v for k, v in before.items() if k.startswith("iosched/") or k in QUEUE_SETTINGS}
    self.requests = self.count_requests()
    self.begin_s = None
    self.onset_s = None
    self.reached = {}

  def count_requests(self):
    """Those that the drive has finished or has now."""
    now = iostat.counters(self.device)
    return now["reads"] + now["writes"] + now["in_flight"]

  def look(self, elapsed):
    if self.begin_s is None and self.count_requests() > self.requests:
      self.begin_s = elapsed
    for key, old in self.before.items():
      new = sysfs.read(self.directory / key)
      if new is None or new == self.reached.get(key, old):
        continue
      self.reached[key] = new
      if self.onset_s is None:
        self.onset_s = elapsed - (self.begin_s or 0.0)


def runs(args):
  return args.runs or (1 if args.quick else 3)


def shuffled(arms, number, seed):
  """Each arm that often, as (round, arm), in an order that is random and, by the seed, the same again."""
  order = [(i, arm) for i in range(number) for arm in arms]
  random.Random(seed).shuffle(order)
  return order


def run_in_turn(order, emulated, enter_place, runtime_s, seed, line, results, label=""):
  """Runs the arms of an order (see shuffled()). enter_place(emulated) is a context manager of a fresh Place. Equal rounds
  read equal offsets. Adds to results: name → figures of each run, by the order of the runs."""
  for i, arm in order:
    line.step(f"{label}{arm.name}")
    results.setdefault(arm.name, []).append(run_once(arm, emulated, enter_place, runtime_s, seed + i, line.tick))
    line.finish_step()


def run_once(arm, emulated, enter_place, runtime_s, seed, tick):
  """On a queue of its own, with nothing in the page cache. Returns the figures."""
  emulated.reselect(arm.scheduler)
  write_where_other(emulated, throttling(emulated, arm.scheduler) | arm.tuned)
  with enter_place(emulated) as place:
    sysfs.drop_clean_caches()
    return arm.run(place, runtime_s, seed, tick)


@contextlib.contextmanager
def raw(emulated):
  """The place of a workload that needs no file system."""
  yield Place(emulated)


def throttling(emulated, scheduler):
  """As a real drive of this kind has it: a loop device keeps the target it was made with, that of a drive without heads, and once
  it was written, it stays on under bfq. The drive's end puts it back."""
  rotational = sysfs.read(sysfs.queue(emulated.device) / "rotational") == "1"
  return {THROTTLING: UNTHROTTLED_US if scheduler == "bfq" else THROTTLED_US[rotational]}


def write_where_other(emulated, values):
  """Leaves alone what is right already, and what this kernel does not have."""
  for key, value in values.items():
    path = sysfs.queue(emulated.device) / key
    if sysfs.read(path) not in (None, value):
      path.write_text(value)


def gain(base, value, more_is_better):
  """How many times better; 1 is the same."""
  return value / base if more_is_better else base / value
