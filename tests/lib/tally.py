# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the same run twice: by the requests that a recording has, and by fio's own report. Each of fio's jobs has a stretch of the
drive to itself, so a request says by its place whose it should be, and the recording says which process asked for it."""
from collections import Counter
from dataclasses import dataclass, field

SECTOR = 512
OPERATIONS = ("read", "write")  # as recordings number them; discards and flushes have higher numbers


@dataclass
class Tally:
  """Of one job, or of all: "reads", "read_bytes", "writes", "write_bytes" as asked, and "bytes_done"."""
  counts: Counter = field(default_factory=Counter)
  processes: Counter = field(default_factory=Counter)  # process id → requests

  def add_queued(self, item):
    _, sectors, operation = item["fields"]
    self.counts[f"{OPERATIONS[operation]}s"] += 1
    self.counts[f"{OPERATIONS[operation]}_bytes"] += sectors * SECTOR
    self.processes[item["tgid"]] += 1

  def add_completed(self, item):
    self.counts["bytes_done"] += item["fields"][1] * SECTOR


def job_at(sector, stretches):
  return next((name for name, (begin, end) in stretches.items() if begin <= sector < end), None)


def of_recording(items, dev, stretches):
  """stretches: job → its first sector and that behind it. Returns a Tally for each job; what is elsewhere on the drive is no job's."""
  tallies = {name: Tally() for name in stretches}
  for item in items:
    if item["kind"] not in ("queue", "complete") or item["dev"] != dev or item["fields"][2] >= len(OPERATIONS):
      continue
    tally = tallies.get(job_at(item["fields"][0], stretches))
    if tally and item["kind"] == "queue":
      tally.add_queued(item)
    elif tally:
      tally.add_completed(item)
  return tallies


def of_fio(report):
  """The same of `fio --output-format=json`; it knows no process ids."""
  tallies = {}
  for job in report["jobs"]:
    counts = Counter()
    for side in OPERATIONS:
      counts[f"{side}s"] = job[side]["total_ios"]
      counts[f"{side}_bytes"] = job[side]["io_bytes"]
    counts["bytes_done"] = counts["read_bytes"] + counts["write_bytes"]
    tallies[job["jobname"]] = Tally(counts)
  return tallies


def total(tallies):
  return Tally(sum((tally.counts for tally in tallies.values()), Counter()), sum((tally.processes for tally in tallies.values()), Counter()))


def differences(witnesses):
  """witnesses: name → its tallies. Returns, for every two of them, each job and the drive, and each count:
  (part by which they differ, one, other, job or "drive", count, value of one, value of other)."""
  found = []
  names = sorted(witnesses)
  for one, other in ((a, b) for i, a in enumerate(names) for b in names[i + 1:]):
    for job in [*witnesses[one], "drive"]:
      mine, others = ((total(witnesses[n]) if job == "drive" else witnesses[n][job]).counts for n in (one, other))
      for what in sorted(mine.keys() | others.keys()):
        most = max(mine[what], others[what])
        if most:
          found.append((abs(mine[what] - others[what]) / most, one, other, job, what, mine[what], others[what]))
  return found


def table(witnesses):
  """For people: a line for each job and count, a column for each witness."""
  names = list(witnesses)
  lines = [f"{'':24}" + "".join(f"{name:>14}" for name in names)]
  for job in [*witnesses[names[0]], "drive"]:
    columns = [(total(witnesses[name]) if job == "drive" else witnesses[name][job]).counts for name in names]
    for what in ("reads", "read_bytes", "writes", "write_bytes", "bytes_done"):
      lines.append(f"{job + ' ' + what:24}" + "".join(f"{counts[what]:>14}" for counts in columns))
  return "\n".join(lines) + "\n"
