# SPDX-License-Identifier: GPL-3.0-or-later
"""How a comparing benchmark is described: workloads on a drive, what a document reports of them, and what Brio should reach."""
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from . import arms

DEFAULT = "mq-deadline"  # the kernel's, for a drive with one queue


class WorkloadError(Exception):
  """A workload failed; the text says why in one line."""


@dataclass(frozen=True)
class Figure:
  """One figure of a run. before, after: the document's own, where there is one that has them."""
  key: str
  name: str
  more_is_better: bool
  before: float | None = None
  after: float | None = None


@dataclass(frozen=True)
class Share:
  """An aim: the figure with Brio in percent of what it is in another arm, the first where none is named."""
  key: str
  name: str
  percent: float
  at_least: bool
  against: str | None = None
  spare: float = 0.0  # a value up to this is as good as none


@dataclass(frozen=True)
class ShareOfBest:
  """An aim: the figure with Brio in percent of what it is in the best of the other arms."""
  key: str
  name: str
  percent: float
  at_least: bool = True


@dataclass(frozen=True)
class Limit:
  """An aim: the figure with Brio is at most so much."""
  key: str
  name: str
  most: float
  unit: str


@dataclass(frozen=True)
class Experiment:
  """The first of its arms is the one to compare with, the last has Brio."""
  title: str
  model: str
  runtime_s: int
  arms: tuple[arms.Plain, ...]
  figures: tuple[Figure, ...]
  aims: tuple[Share | ShareOfBest | Limit, ...]
  enter_place: Callable = arms.raw
  asked: dict = field(default_factory=dict)  # of the command line: what describes this experiment alone, whatever else is measured
  graphical: bool = False  # a program of the Debian tree has a part in it
  shared_place: bool = False  # it needs no more than a file system that each load can run on, which a guest in virtual time has prepared
  size_bytes: int = 32 << 30
  overhead_s: float = arms.OVERHEAD_S  # what a run takes beyond its runtime
  missing: str | None = None      # why it cannot run here, in one line
  onset_aim_s: float | None = None
  tables: Callable | None = None  # results → further lines to print


def compared(workload, drive_class, build_dir):
  """The arms of most: bfq as it comes, what the kernel chooses for a drive with one queue, and bfq with Brio."""
  return arms.Plain("bfq", workload), arms.Plain(DEFAULT, workload, DEFAULT), arms.Brio("bfq + Brio", workload, build_dir, drive_class)


def on(make_filesystem):
  """For enter_place: a fresh file system for each run. make_filesystem: drive → filesystem.Mounted."""
  @contextlib.contextmanager
  def enter(emulated):
    with make_filesystem(emulated) as mounted:
      yield arms.Place(emulated, mounted)
  return enter
