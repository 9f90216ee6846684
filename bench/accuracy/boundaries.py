# SPDX-License-Identifier: GPL-3.0-or-later
"""The part `startup` of `./dev bench accuracy`: where starts end by briod, against programs that end or say so the moment they are ready, cold, on
emulated drives, with known jobs in the background."""
import contextlib
import json
import math
import os
import re
import statistics
import subprocess
import time
from dataclasses import dataclass, replace

from lib import daemon, drive, filesystem, loads, process, programs, report, sysfs
from lib.accuracy import AccuracyError, record
from lib.accuracy.programs import BY_LAUNCHER, BY_TERMINAL, PYTHON, PYTHON_TYPED
from lib.events import Outcome

DRIVES = {"hdd": "hdd-7200", "ssd": "ssd-sata"}
LOADS = {"idle": None, "readers": "fio", "copy": "cp"}  # load → the culprit's name
RUNS, QUICK_RUNS = 4, 2
LEAD_S = 3.0           # from a load's beginning to the start
REST_S = 2.5           # a program that stays is at rest for so long: more than two of the longest quiet windows
TOLD_TIMEOUT_S = 5
END_TIMEOUT_S = 58     # after 60 s briod gives a start up
TYPICAL_S = {"hdd": 12, "ssd": 6}
US_PER_S = 1000000
# A start that takes no longer than so many times that on the idle drive was in nobody's way.
SLOWED = 1.1
# Within this part, or this time, of what the program itself says.
NEAR_PART, NEAR_S = 0.1, 0.1
NEAR_AIM = CULPRIT_AIM = 0.95

# The same imports; then it says when it was ready, and stays.
STAY = f"import {', '.join(programs.MODULES)}, time; print('ready', time.monotonic(), flush=True); time.sleep(3600)"
PROGRAMS = {
  "command that ends": (PYTHON_TYPED, False),
  "application that ends": (PYTHON, False),
  "application that stays": (replace(PYTHON, argv=lambda _place: [*programs.Python.argv[:-1], STAY]), True),
}


@dataclass
class Started:
  """truth, ours: seconds, ours None where briod told of no start. wanted, culprit: names."""
  drive: str
  load: str
  program: str
  truth: float
  ours: float | None
  wanted: str | None
  culprit: str | None

  @property
  def error(self):
    return math.inf if self.ours is None else self.ours - self.truth

  @property
  def is_near(self):
    return abs(self.error) <= max(NEAR_PART * self.truth, NEAR_S)


def missing(args):
  return drive.missing() or daemon.missing(args.build_dir) or filesystem.missing() or programs.Python.missing() or loads.Readers.missing()


def cells(args):
  runs = QUICK_RUNS if args.quick else RUNS
  return [(d, load, name) for d in (["ssd"] if args.quick else DRIVES) for load in LOADS for name in PROGRAMS for _ in range(runs)]


def expected_s(args):
  return sum(TYPICAL_S[d] for d, _, _ in cells(args))


def measure(args, tick):
  """Returns the Outcome."""
  found = []
  with programs.content([programs.Python], args.build_dir) as content:
    for name in dict.fromkeys(d for d, _, _ in cells(args)):
      found += measure_drive(name, content, args, tick)
  return outcome(found)


def measure_drive(name, content, args, tick):
  found = []
  with contextlib.ExitStack() as stack:
    emulated = stack.enter_context(drive.EmulatedDrive(DRIVES[name], "bfq", args.build_dir, seed=args.random_seed))
    fs = stack.enter_context(loads.make_filesystem(emulated, content))
    briod = stack.enter_context(daemon.Daemon(args.build_dir, record.options(emulated)))
    for _, load, program in [each for each in cells(args) if each[0] == name]:
      fs.forget()
      with loads.ALL[load](fs) as running:
        record.pause(LEAD_S if load != "idle" else 0.5, tick)
        running.check()
        found.append(start(name, load, program, fs, briod, tick))
  return found


def start(name, load, program, fs, briod, tick):
  what, stays = PROGRAMS[program]
  sysfs.drop_clean_caches()
  known = {s["pid"] for s in startups(briod)}
  begin = time.monotonic()
  with what.running(fs, stdout=subprocess.PIPE) as child:
    ready = until_ready(child, begin + END_TIMEOUT_S, tick) if stays else until_end(child, begin + END_TIMEOUT_S, tick)
    if stays:
      record.pause(REST_S, tick)
    told = until_told(briod, known, tick)
  culprits = told["culprits"] if told else []
  return Started(name, load, program, ready - begin, told["latency_usec"] / US_PER_S if told else None, LOADS[load],
                 culprits[0]["name"] if culprits else None)


def until_ready(child, end, tick):
  while time.monotonic() < end:
    said = re.search(r"^ready ([0-9.]+)$", child.text("stdout"), re.MULTILINE)
    if said:
      return float(said[1])
    if child.popen.poll() is not None:
      raise AccuracyError(f"a program that should stay ended: {process.last_line(child.text('stderr'))}")
    tick()
    time.sleep(process.POLL_S)
  raise AccuracyError("a program did not become ready")


def until_end(child, end, tick):
  descriptor = os.pidfd_open(child.pid)
  try:
    if not process.readable_by(descriptor, end, tick):
      raise AccuracyError("a program did not end")
    return time.monotonic()
  finally:
    os.close(descriptor)


def startups(briod):
  """Those of the programs of this benchmark, all of them."""
  found = []
  for each in json.loads(briod.brioctl("startups", "--json")):
    if each["application"] in ("org.example.Bench", "python3", "python3.11", os.path.basename(os.path.realpath(programs.trees.PYTHON))):
      found += json.loads(briod.brioctl("startups", "--json", each["application"]))
  return found


def until_told(briod, known, tick):
  end = time.monotonic() + TOLD_TIMEOUT_S
  while time.monotonic() < end:
    for each in startups(briod):
      if each["pid"] not in known:
        return each
    tick()
    time.sleep(process.POLL_S)
  return None


def percentile(values, part):
  """By nearest rank."""
  values = sorted(values)
  return values[max(math.ceil(part * len(values)) - 1, 0)]


def slowed(found):
  """Those that a load made slower, which is its doing."""
  usual = {key: statistics.median(s.truth for s in found if (s.drive, s.program, s.load) == (*key, "idle"))
           for key in {(s.drive, s.program) for s in found if s.load == "idle"}}
  return [s for s in found if s.wanted and s.truth > SLOWED * usual.get((s.drive, s.program), math.inf)]


def seconds(value):
  return "-" if math.isinf(value) else f"{value * 1000:.0f} ms"


def outcome(found):
  rows, late = [], slowed(found)
  for d, load, name in dict.fromkeys((s.drive, s.load, s.program) for s in found):
    each = [s for s in found if (s.drive, s.load, s.program) == (d, load, name)]
    errors = [abs(s.error) for s in each]
    named = [s for s in each if s in late]
    rows.append([d, loads.ALL[load].title, name, f"{statistics.median(s.truth for s in each):.2f} s", seconds(statistics.median(errors)),
                 seconds(max(errors)), f"{sum(s.is_near for s in each)} of {len(each)}",
                 f"{sum(s.culprit == s.wanted for s in named)} of {len(named)}" if named else ""])
  errors, named = [abs(s.error) for s in found], late
  near, right = sum(s.is_near for s in found) / len(found), sum(s.culprit == s.wanted for s in named) / len(named) if named else 1.0
  lines = ["", "Ends of cold starts, by briod against the programs themselves:",
           report.markdown(["drive", "load", "program", "start (median)", "error (median)", "at most", "within 10 % or 100 ms", "culprit right"], rows), "",
           f"Error over all: median {seconds(statistics.median(errors))}, p95 {seconds(percentile(errors, 0.95))}; "
           f"starts that were not told: {sum(s.ours is None for s in found)} of {len(found)}. A culprit is looked for where a start took "
           f"more than {SLOWED} times as long as on the idle drive: {len(named)} times."]
  aims = [report.Aim("start-ups whose end is within 10 % or 100 ms", near, NEAR_AIM, "", True),
          report.Aim("start-ups whose culprit is named rightly", right, CULPRIT_AIM, "", True)]
  return Outcome({"starts": [vars(s) for s in found], "near": near, "culprit": right}, aims, lines)
