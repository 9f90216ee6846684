# SPDX-License-Identifier: GPL-3.0-or-later
"""What Brio finds in a recording: `brioctl replay --json`, as spans of verdicts."""
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .. import daemon, drive, process
from . import AccuracyError

BEGINS, CHANGES, ENDS = "verdict-begins", "verdict-changes", "verdict-ends"
TIMEOUT_S = 300


@dataclass
class Verdict:
  """One that stood from begin to end, in µs since the recording began. pid, culprit: 0 is none, that is the drive as a whole.
  culprits: all that were named meanwhile, in turn."""
  kind: str
  pid: int
  name: str
  begin: int
  end: int
  confidence: int
  culprits: list
  evidence: dict
  sentence: str


@dataclass
class Found:
  verdicts: list
  lines: list    # all, as they came
  summary: dict

  def of(self, kind):
    return [v for v in self.verdicts if v.kind == kind]

  def of_type(self, kind):
    """Lines of other types: "stream", "startup"."""
    return [line for line in self.lines if line["type"] == kind]


def options_known(build_dir):
  """What this build's replay can be told."""
  return process.output([str(daemon.executable(build_dir, "brioctl")), "replay", "--help"], AccuracyError)


def run(build_dir, path, options=()):
  argv = [daemon.executable(build_dir, "brioctl"), "replay", "--json", "--policy-dir", drive.ROOT / "policies", *options, path]
  try:
    done = subprocess.run([str(a) for a in argv], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
  except subprocess.TimeoutExpired as e:
    raise AccuracyError(f"{Path(path).name}: its replay takes longer than {TIMEOUT_S} s") from e
  if done.returncode != 0:
    raise AccuracyError(f"{Path(path).name}: {process.last_line(done.stderr, f'status {done.returncode}')}")
  return found([json.loads(line) for line in done.stdout.splitlines()])


def found(lines):
  standing, verdicts = {}, []
  for line in lines:
    if line["type"] not in (BEGINS, CHANGES, ENDS):
      continue
    process = line.get("process") or {"pid": 0, "name": ""}
    key = (line["device"], line["verdict"], process["pid"])
    verdict = standing.get(key)
    if not verdict:
      verdict = standing[key] = Verdict(line["verdict"], process["pid"], process["name"], line["time_usec"], line["time_usec"], line["confidence"], [], {}, "")
      verdicts.append(verdict)
    update(verdict, line)
    if line["type"] == ENDS:
      del standing[key]
  span = next((line for line in lines if line["type"] == "summary"), {}).get("span_usec", 0)
  for verdict in standing.values():
    verdict.end = max(verdict.end, span)
  return Found(verdicts, lines, lines[-1] if lines else {})


def update(verdict, line):
  culprit = (line.get("culprit") or {"pid": 0})["pid"]
  if culprit and culprit not in verdict.culprits[-1:]:
    verdict.culprits.append(culprit)
  verdict.end, verdict.evidence, verdict.sentence = line["time_usec"], line["evidence"], line["sentence"]
