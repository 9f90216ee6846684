# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a few starts and a film wait with Brio in virtual time, where that is no matter of luck: what tests/virtual holds them to."""
import argparse
import statistics
from collections.abc import Callable
from dataclasses import dataclass

from .. import process, stream, trees
from . import arm, cells, experiments, machine, system

# A build of briod that takes some instructions more finds the disk's heads elsewhere, and then one start of ten takes twice as long: so several.
# All of them have the same of a model's drives (machine.place_of()), since each takes minutes to make.
SEEDS, LEAD_S, LIMIT_S = (1, 3, 5, 7, 9), 3.0, 15.0
FILM_LEAD_S = 8.0  # until the film goes first
MORE_SEEDS = (*SEEDS, 11, 13, 15, 17)  # that a bound is measured with
FILM_S = 12
# By how much a figure may exceed its bound: somewhat more than it differs between builds that do the same, and less than what a lost law costs.
# Typical starts lie within 12 %. One that is not read ahead takes 1.39 times as long, one without law readahead 1.19 times at least.
OF_START = 0.15
# A film's longest wait, of one request among many, is up to twice as long in one build as in another; with bfq alone it is 4 times as long.
OF_LONGEST_WAIT = 1.0
# So many times that with another kernel, QEMU or Python, with which more is elsewhere.
ELSEWHERE_TIMES = 2
DIGITS = 4  # of a second, that are kept


def seconds(told):
  """Of what a guest told for a cell: the start's, or that of the one that was helped."""
  return told["starts"][0]["seconds"] if told.get("starts") else told["seconds"]


def longest_wait_s(told):
  return told["max_ms"] / 1000


def played_s(told):
  """How long it takes to see the film."""
  return FILM_S + told["behind_ms"] / 1000


@dataclass(frozen=True)
class Cell:
  """request: makes what a guest is asked for, of a seed. figure: of what that told, in seconds."""
  drive: str
  request: Callable[[int], dict]
  tolerance: float = OF_START
  figure: Callable[[dict], float] = seconds


def start(drive, load, lead_s=LEAD_S):
  return Cell(drive, lambda seed: cells.request((drive, "python3", load), "brio", seed, lead_s, LIMIT_S))


def learned(drive, load):
  return Cell(drive, lambda seed: {"module": "prefetch", "drive": drive, "program": "python3", "load": load, "scheduler": "bfq", "brio": True, "helped": True,
                                   "seed": seed, "lead_s": LEAD_S, "limit_s": LIMIT_S, "starts": 1})


def film(drive, load, runtime_s, tolerance, figure):
  """One of 12 MB/s."""
  described = stream.paced_experiment(drive, 12, stream.LOADS[load], argparse.Namespace(**arm.ANY, store=1, build_dir=None))
  return Cell(drive, lambda seed: experiments.request("stream", described, described.arms[-1], seed, runtime_s), tolerance, figure)


CELLS = {
  "hdd, python3 beside 10 readers": start("hdd", "readers"),
  "hdd, python3 beside 5 readers + 5 writers": start("hdd", "readers-writers"),
  "hdd, python3 beside 10 writers": start("hdd", "writers"),
  "hdd, python3 beside a film, a recording and a copy": start("hdd", "film", FILM_LEAD_S),
  "hdd, python3 beside 10 readers, read ahead": learned("hdd", "readers"),
  "hdd, longest wait of a film beside 10 readers": film("hdd", "readers", 6, OF_LONGEST_WAIT, longest_wait_s),
  "sd-card, python3 beside 10 readers": start("sd-card", "readers"),
  "sd-card, 12 s of a film beside 10 writers": film("sd-card", "writers", FILM_S, OF_START, played_s),
}


class NoReason(Exception):
  """Bounds are not changed without one."""


def typical_s(told, figure=seconds):
  """The mean without the shortest and the longest. Starts beside writers take 1.7 s or 2.0 s, and their median jumps from one to the other.
  told: of the guests of a cell, one a seed."""
  return statistics.fmean(sorted(map(figure, told))[1:-1])


def idle_share(told):
  """The processor's meanwhile."""
  if told.get("starts"):
    return told["starts"][0]["idle_share"]
  return told["idle_share"] if "idle_share" in told else told["idle_percent"] / 100


def measured_with(base):
  """What figures depend on besides Brio. base: the directory of the guests' system."""
  python = process.output([trees.PYTHON, "-I", "-c", "import sys; print(sys.version)"], trees.TreeError).strip()
  return {"kernel": system.kernel(base), "qemu": machine.qemu_version(), "python": python}


def exceeded(kept, figures, here, cells=None):
  """kept: of a release. A line for each cell that took longer than it may, or has no bound. cells: CELLS, or others in a test."""
  times = 1 if kept["measured_with"] == here else ELSEWHERE_TIMES
  found = []
  for cell, figure in figures.items():
    bound = kept["seconds"].get(cell)
    if bound is None:
      found.append(f"{cell}: has no bound")
      continue
    most = bound * (1 + times * (cells or CELLS)[cell].tolerance)
    if figure > most:
      found.append(f"{cell}: {figure:.3f} s, where its bound is {bound:.3f} s and no more than {most:.3f} s pass")
  return found


def elsewhere(kept, here):
  """What of the system is another than that of the bounds, in one line; empty where nothing is."""
  return "; ".join(f"{name} is {here[name]}, was {was}" for name, was in kept["measured_with"].items() if here[name] != was)


def difference(before, figures):
  """A text for each cell."""
  def text(cell, figure):
    was = before.get(cell)
    return f"{cell}: {figure:.4f} s" + (f", was {was:.4f} s ({(figure / was - 1) * 100:+.1f} %)" if was else ", was not measured")
  return [text(cell, figure) for cell, figure in figures.items()]


def check_reason(reason):
  """Before minutes of measuring. reason: None where bounds are not changed."""
  if reason is not None and not reason.strip():
    raise NoReason("bounds are changed for a reason: BRIO_UPDATE_BOUNDS='why'")


def updated(kept, release, figures, here, reason):
  """The file's new content, and what differs in it."""
  check_reason(reason)
  words = difference(kept["releases"].get(release, {}).get("seconds", {}), figures)
  of_release = {"measured_with": here, "seconds": {cell: round(seconds, DIGITS) for cell, seconds in figures.items()}}
  return {"releases": kept["releases"] | {release: of_release}, "reasons": [*kept["reasons"], f"Debian {release}: {reason.strip()}"]}, words
