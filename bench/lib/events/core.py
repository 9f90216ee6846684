# SPDX-License-Identifier: GPL-3.0-or-later
"""What an event costs model and detectors: brio-events-core feeds them a seeded stream."""
import json

from .. import process, report
from . import Outcome

NS_AIM = 100
MIB = 1 << 20
PROCESSES = 10000
# Drives → whether the aim is for it. A desktop has few; 64 is what the model takes.
DRIVES = {8: True, 64: False}
ROUNDS, EVENTS, QUICK_EVENTS = 5, 1000000, 300000


class CoreError(Exception):
  """brio-events-core failed; the text says why."""


def executable(build_dir):
  return build_dir / "bench/events/brio-events-core"


def missing(args):
  program = executable(args.build_dir)
  return None if program.exists() else f"{program} is not built"


def expected_s(args):
  return 2 if args.quick else 5


def measure(args, tick):
  runs = {}
  for drives in DRIVES:
    argv = [executable(args.build_dir), "--events", QUICK_EVENTS if args.quick else EVENTS, "--processes", PROCESSES, "--drives", drives,
            "--rounds", ROUNDS, "--seed", args.random_seed]
    runs[drives] = summary(json.loads(process.output([str(a) for a in argv], CoreError)))
    tick()
  return outcome(runs)


def summary(printed):
  """Medians over the rounds; the instructions are None where the machine does not count them."""
  rounds = printed.pop("rounds")
  figures = report.summarise(rounds, ("feed_ns", "tick_ns", "a_tick_us"))
  figures["ns"] = report.summarise([{"ns": r["feed_ns"] + r["tick_ns"]} for r in rounds], ("ns",))["ns"]
  counted = [{"instructions": r["feed_instructions"] + r["tick_instructions"]} for r in rounds if r["feed_instructions"] is not None]
  figures["instructions"] = report.summarise(counted, ("instructions",))["instructions"] if counted else None
  return figures | printed


def outcome(runs):
  first = next(iter(runs.values()))
  rows = [[f"{drives} drives", f["feed_ns"], f["tick_ns"], f["ns"], "-" if f["instructions"] is None else f["instructions"],
           f["a_tick_us"]] for drives, f in runs.items()]
  lines = [f"The core with {PROCESSES} processes, for each event:",
           report.table(["", "model ns", "+ detectors ns", "= ns", "instructions", "a tick µs"], rows),
           "The model takes {:.1f} MiB, {:.1f} MiB of them in use; an event {} bytes.".format(
             first["model_bytes"] / MIB, first["touched_bytes"] / MIB, first["event_bytes"])]
  if first["instructions"] is None:
    lines.append(f"Instructions are not counted: the kernel has no such counter for us here ({first['counter']}).")
  aims = [report.Aim(f"core, {drives} drives", f["ns"], NS_AIM, " ns an event", False) for drives, f in runs.items() if DRIVES[drives]]
  return Outcome({str(drives): f for drives, f in runs.items()}, aims, lines)
