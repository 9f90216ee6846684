# SPDX-License-Identifier: GPL-3.0-or-later
"""What is true of a recording, because we made it so: a JSON beside it, NAME.json beside NAME.recording.

All times are µs since the recording began, as `brioctl replay --json` counts them.
"""
import json
import re
import struct
from dataclasses import asdict, dataclass, field
from pathlib import Path

from . import AccuracyError

FORMAT = 3
STREAM, BULK, START, OTHER = "stream", "bulk", "start", "other"
ROLES = (STREAM, BULK, START, OTHER)

# brio.recording(5)
MARK_BYTES = 16
BLOCK_HEAD = struct.Struct("<4sHBxIIQ")
BLOCK_EVENTS = 3
NS_PER_US = 1000
ONE_PROCESS = re.compile(r'\{\s*("pid": \d+),\s*("from_usec": -?\d+),\s*("until_usec": -?\d+)\s*\}')  # there may be hundreds: each on one line


@dataclass
class Lived:
  """A process while it belonged to a program."""
  pid: int
  from_usec: int
  until_usec: int


@dataclass
class Program:
  """One run of one program. rate: bytes a second of a stream, 0 where it varies or is none; period_usec: how often it asks for something, by its
  rate; 0: not known."""
  name: str
  kind: str
  role: str
  rate: int
  period_usec: int
  from_usec: int
  until_usec: int
  processes: list[Lived] = field(default_factory=list)
  pid: int = 0                   # of a start: of the process that was started
  ready_usec: int | None = None  # of a start: when the program was there


@dataclass
class Labels:
  scenario: str
  drive: str       # class
  model: str
  scheduler: str
  filesystem: str
  kernel: str
  hz: int | None
  seed: int
  commit: str
  events_lost: int
  verdicts: dict   # kind → whether it should stand at some time; what is not in it is not judged
  programs: list[Program]

  def of(self, pid, t):
    """The program that a process belonged to at that time; None: to none of ours."""
    return next((p for p in self.programs for each in p.processes if each.pid == pid and each.from_usec <= t <= each.until_usec), None)


def write(path, labels):
  text = json.dumps({"format": FORMAT} | asdict(labels), indent=1, ensure_ascii=False)
  Path(path).write_text(ONE_PROCESS.sub(r"{\1, \2, \3}", text) + "\n")


def read(path):
  try:
    data = json.loads(Path(path).read_text())
    if data.pop("format") != FORMAT:
      raise AccuracyError(f"{path} is of another version of the corpus: record it anew (--record)")
    programs = [Program(**(p | {"processes": [Lived(**each) for each in p["processes"]]})) for p in data.pop("programs")]
    return Labels(**data, programs=programs)
  except (OSError, ValueError, KeyError, TypeError) as e:
    raise AccuracyError(f"{path}: {e}") from e


def recording_begin(data):
  """When a recording began, in µs of CLOCK_MONOTONIC: the time of its first item."""
  at = MARK_BYTES
  while at + BLOCK_HEAD.size <= len(data):
    _mark, length, kind, _n, _sum, t = BLOCK_HEAD.unpack_from(data, at)
    at += BLOCK_HEAD.size
    if kind == BLOCK_EVENTS:
      return t // NS_PER_US
    at += length
  raise AccuracyError("the recording has no events")
