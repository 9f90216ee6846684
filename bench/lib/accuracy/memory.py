# SPDX-License-Identifier: GPL-3.0-or-later
"""The part `memory` of `./dev bench accuracy`: seed 003's workload (Valente 2017), a program that starts beside greedy readers and writers, replayed by bfq's
rule without and with the memory, and as Brio comes, side by side: which processes are taken for a stream, for how long, and how many of them while the program starts."""
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .. import daemon, drive, report
from ..events import Outcome
from . import AccuracyError, detectors, labels, replay, score

# A recording of it in the tree, for a tree without one: nothing is measured for it.
IN_TREE = drive.ROOT / "tests/replay/accuracy"
TITLES = {"no-memory": "the rule without the memory", "kernel": "with the memory", detectors.MAIN: "Brio"}
WAYS = {way: (detectors.WAYS[way][0], title) for way, title in TITLES.items()}
FORGETFUL, RULE, BRIO = WAYS
SECONDS_EACH = 2


@dataclass
class Taken:
  """A process that is no stream and was taken for one: for how long, and what of that while the program started, in µs, by way."""
  pid: int
  name: str
  program: str
  us: dict
  starting_us: dict


@dataclass
class Side:
  """One way over one recording. at_once: of the wrong streams, how many stood at the same time while the program started, at most."""
  verdicts: int = 0
  processes: int = 0
  us: int = 0
  starting_us: int = 0
  at_once: int = 0
  starts: tuple = ()


def missing(args):
  program = daemon.executable(args.build_dir, "brioctl")
  return None if program.exists() else f"{program} is not built"


def recorded(directory):
  """Name → labels and path: what has been recorded of the workload, else what the tree has of it."""
  for place in (Path(directory), IN_TREE):
    paths = [place / f"{name}.recording" for name in detectors.SEED003]
    found = {path.stem: (labels.read(path.with_suffix(".json")), path) for path in paths if path.exists() and path.with_suffix(".json").exists()}
    if found:
      return found, place
  raise AccuracyError(f"there is no recording of seed 003's workload in {directory} or {IN_TREE}")


def expected_s(args):
  return SECONDS_EACH * len(detectors.SEED003)


def measure(args, tick):
  """Returns the Outcome."""
  found, place = recorded(args.corpus)
  sides = {}
  with tempfile.TemporaryDirectory() as none:  # without policies: bfq's rule is that of the settings that the drive came with
    for name, (truth, path) in found.items():
      tick()
      sides[name] = compare(truth, {way: replay.run(args.build_dir, path, ("--policy-dir", none, *options)) for way, (options, _title) in WAYS.items()})
  return outcome(found, sides, place)


def starts_of(truth):
  """From when to when its programs started, as far as they were ready within the recording."""
  return [(p.from_usec, p.ready_usec) for p in truth.programs if p.role == labels.START and p.ready_usec is not None]


def wrong_verdicts(truth, found):
  """Those that stood about a process that is no stream, each with its program (None: none of ours)."""
  pairs = [(verdict, score.program_of(truth, verdict)) for verdict in found.of(score.SOFT_RT)]
  return [(verdict, program) for verdict, program in pairs if program is None or program.role != labels.STREAM]


def within(verdict, spans):
  return sum(score.overlap([(verdict.begin, verdict.end)], begin, end) for begin, end in spans)


def at_once(verdicts, spans):
  """How many of them stand at the same time within the spans, at most."""
  begins = [max(v.begin, begin) for v in verdicts for begin, end in spans if v.begin < end and v.end > begin]
  return max((len({v.pid for v in verdicts if v.begin <= t < v.end}) for t in begins), default=0)


def compare(truth, by_way):
  """Returns way → Side, and the processes wrongly taken for streams in any way."""
  spans, sides, taken = starts_of(truth), {}, {}
  started = {each.pid for p in truth.programs if p.role == labels.START for each in p.processes}  # others of the machine start meanwhile, too
  for way, found in by_way.items():
    wrong = wrong_verdicts(truth, found)
    verdicts = [verdict for verdict, _program in wrong]
    starts = tuple((line["application"], line["latency_usec"], (line["culprits"] or [{"name": None}])[0]["name"]) for line in found.of_type("startup")
                   if line["pid"] in started)
    sides[way] = Side(len(verdicts), len({v.pid for v in verdicts}), sum(v.end - v.begin for v in verdicts), sum(within(v, spans) for v in verdicts),
                      at_once(verdicts, spans), starts)
    for verdict, program in wrong:
      one = taken.setdefault(verdict.pid, Taken(verdict.pid, verdict.name, program.name if program else "none of ours", {}, {}))
      one.us[way] = one.us.get(way, 0) + verdict.end - verdict.begin
      one.starting_us[way] = one.starting_us.get(way, 0) + within(verdict, spans)
  return sides, sorted(taken.values(), key=lambda one: -one.us.get(FORGETFUL, 0))


def seconds(us):
  return f"{us / detectors.US_PER_S:.2f} s"


def starts_text(side):
  return "; ".join(f"{name} {seconds(us)}, culprit {culprit or 'none'}" for name, us, culprit in side.starts) or "none told"


def side_rows(sides):
  rows = {"processes taken for streams wrongly": lambda s: s.processes, "verdicts about them": lambda s: s.verdicts, "which stood for, together": lambda s: seconds(s.us),
          "of that while the program started": lambda s: seconds(s.starting_us), "at the same time then, at most": lambda s: s.at_once,
          "starts, as they are told": starts_text}
  return [[title, *(cell(sides[way]) for way in WAYS)] for title, cell in rows.items()]


def outcome(found, compared, place):
  titles = [title for _options, title in WAYS.values()]
  lines = [f"Seed 003's workload, {len(found)} recording{'s' * (len(found) != 1)} in {place}:"]
  for name, (truth, _path) in found.items():
    sides, taken = compared[name]
    processes = sum(len(p.processes) for p in truth.programs if p.role != labels.STREAM)
    lines += ["", f"{name} ({truth.model}, {truth.scheduler}, {processes} processes, none of them a stream):", report.markdown(["", *titles], side_rows(sides))]
    if taken:
      rows = [[one.pid, one.name, one.program, *(seconds(one.us[way]) if one.us.get(way) else "-" for way in WAYS)] for one in taken]
      lines += ["", "Those taken for streams, and for how long:", report.markdown(["process", "name", "of", *titles], rows)]
  total = {way: sum(sides[way].processes for sides, _taken in compared.values()) for way in WAYS}
  lines += ["", "Processes taken for streams over all: " + ", ".join(f"{WAYS[way][1]} {n}" for way, n in total.items()) + "."]
  aims = [report.Aim("processes that Brio takes for streams on seed 003's workload", total[BRIO], 0, "", False),
          report.Aim("processes that bfq's rule takes for streams with its memory, more than without", total[RULE] - total[FORGETFUL], 0, "", False)]
  figures = {name: {way: vars(side) for way, side in sides.items()} | {"taken": [vars(one) for one in taken]} for name, (sides, taken) in compared.items()}
  return Outcome({"recordings": figures, "processes": total}, aims, lines)
