# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scenario of the corpus is: programs with their times on a drive."""
from dataclasses import dataclass, field

from . import programs as p

SECONDS = 26
MODELS = {"hdd": "hdd-7200", "hdd-slow": "hdd-5400", "ssd": "ssd-sata", "nvme": "nvme", "emmc": "emmc", "sd-card": "sd-card", "usb-stick": "usb-stick"}


@dataclass(frozen=True)
class Part:
  """A program from `at` seconds on, to its own end or to the scenario's."""
  program: p.Program
  at: float = 0.0


@dataclass(frozen=True)
class Scenario:
  name: str
  drive: str
  parts: tuple
  scheduler: str = "bfq"
  filesystem: str = "ext4"
  seconds: int = SECONDS
  verdicts: dict = field(default_factory=dict)

  @property
  def model(self):
    return MODELS[self.drive]

  @property
  def needs(self):
    return sorted({name for part in self.parts for name in part.program.needs})

  def missing(self):
    return next(filter(None, (part.program.missing() for part in self.parts)), None)


def scenario(name, drive, *parts, **more):
  """Parts that are programs alone begin one after the other, a second apart: they are no burst."""
  return Scenario(name, drive, tuple(each if isinstance(each, Part) else Part(each, at) for at, each in enumerate(parts)), **more)


def after(seconds, program):
  return Part(program, seconds)


NOTHING = {"many-sync": False, "burst": False, "writeback": False}  # what a quiet drive must not show
QUIET = NOTHING | {"bulk": False}
LOADED = {"many-sync": False}
BUSY = LOADED | {"bulk": True}


def with_players(label, players, drives=("hdd", "ssd"), **more):
  """Alone, beside readers and beside writers, on each of the drives."""
  for drive in drives:
    yield scenario(f"{label}-{drive}", drive, *players, verdicts=QUIET | {"victim": False}, **more)
    yield scenario(f"{label}-{drive}-readers", drive, *players, after(6, p.readers()), verdicts=BUSY, **more)
    yield scenario(f"{label}-{drive}-writers", drive, *players, after(6, p.writers()), verdicts=LOADED, **more)
