# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds verdicts against labels. Pure: labels and what was found in, counts out.

A stream is found where a verdict soft-rt about one of its processes stands for at least half of its steady time. That is from its tenth second
on, or its sixth period where that is later: a decision by what stands now has it then. One that runs for less than twice that is judged
from its middle on. A false stream is a process of another
program about which such a verdict stood at any time, however short.
"""
from collections import defaultdict
from dataclasses import dataclass, field

from .labels import BULK, OTHER, START, STREAM
from .proportion import Proportion

SOFT_RT, BULK_KIND, VICTIM = "soft-rt", "bulk", "victim"
LEARN_US, LEARN_PERIODS = 10_000_000, 6
SHARE_FOUND = 0.5
END_SHARE, END_US = 0.1, 100_000
MARGIN_US = 1_500_000  # a verdict about a program may stand so long after it has ended


PROPORTIONS = ("streams", "confirmed", "bulk", "bulk_named", "culprits", "starts", "start_ends", "start_culprits")


@dataclass
class Score:
  """Of one recording, or the sum of several. by_kind: kind of program → Proportion of its runs that were found as what they are."""
  streams: Proportion = field(default_factory=Proportion)       # of true streams: found
  confirmed: Proportion = field(default_factory=Proportion)     # of confirmed processes: true streams
  streams_by_kind: dict = field(default_factory=lambda: defaultdict(Proportion))
  false_by_kind: dict = field(default_factory=lambda: defaultdict(Proportion))  # of processes that are none: confirmed
  bulk: Proportion = field(default_factory=Proportion)          # of programs that are bulk: named so
  bulk_named: Proportion = field(default_factory=Proportion)    # of processes named bulk: right
  culprits: Proportion = field(default_factory=Proportion)      # of culprits named: a program that does harm
  starts: Proportion = field(default_factory=Proportion)        # of starts: told
  start_ends: Proportion = field(default_factory=Proportion)    # of those told: its end within END_SHARE or END_US of when the program was ready
  start_culprits: Proportion = field(default_factory=Proportion)  # of those told: the first culprit is bulk that ran, or none is named where nothing did
  verdicts: dict = field(default_factory=lambda: defaultdict(Proportion))  # kind → of recordings with a label: right
  mistakes: list = field(default_factory=list)                  # one line each
  end_errors_us: list = field(default_factory=list)             # of the ends of starts; below 0: too early
  first_us: list = field(default_factory=list)                  # from a found stream's beginning to its first verdict

  def add(self, other):
    for key in PROPORTIONS:
      setattr(self, key, getattr(self, key) + getattr(other, key))
    for key in ("streams_by_kind", "false_by_kind", "verdicts"):
      for kind, proportion in getattr(other, key).items():
        getattr(self, key)[kind] += proportion
    self.mistakes += other.mistakes
    self.first_us += other.first_us
    self.end_errors_us += other.end_errors_us


def judge(labels, found):
  """The score of one recording."""
  score = Score()
  judge_streams(labels, found, score)
  judge_confirmed(labels, found, score)
  judge_bulk(labels, found, score)
  judge_culprits(labels, found, score)
  judge_starts(labels, found, score)
  for kind, expected in labels.verdicts.items():
    stood = bool(found.of(kind))
    score.verdicts[kind].add(stood == expected)
    if stood != expected:
      score.mistakes.append(f"{labels.scenario}: {kind} {'should stand and does not' if expected else 'stands: ' + found.of(kind)[0].sentence}")
  return score


def program_of(labels, verdict):
  """The program that a verdict is about: it may begin and end a moment after its process did."""
  for t in (verdict.begin, verdict.begin - MARGIN_US):
    program = labels.of(verdict.pid, t)
    if program:
      return program
  return None


def overlap(spans, begin, end):
  """How much of begin..end the spans cover; they may lie over each other."""
  covered, at = 0, begin
  for first, last in sorted(spans):
    first, last = max(first, at), min(last, end)
    if last > first:
      covered += last - first
      at = last
  return covered


def steady_from(program):
  length = program.until_usec - program.from_usec
  return program.from_usec + min(max(LEARN_US, LEARN_PERIODS * program.period_usec), length // 2)


def judge_streams(labels, found, score):
  confirmed = found.of(SOFT_RT)
  for program in labels.programs:
    if program.role != STREAM:
      continue
    mine = [v for v in confirmed if program_of(labels, v) is program]
    begin, end = steady_from(program), program.until_usec
    share = overlap([(v.begin, v.end) for v in mine], begin, end) / max(end - begin, 1)
    right = share >= SHARE_FOUND
    score.streams.add(right)
    score.streams_by_kind[program.kind].add(right)
    if right:
      score.first_us.append(min(v.begin for v in mine) - program.from_usec)
    else:
      score.mistakes.append(f"{labels.scenario}: '{program.name}' ({pids(program)}) is a stream and is found for {share:.0%} of its time")


def pids(program):
  first = [each.pid for each in program.processes[:3]]
  return f"process {', '.join(map(str, first))}{' ...' if len(program.processes) > 3 else ''}"


def judge_confirmed(labels, found, score):
  confirmed = {}
  for verdict in found.of(SOFT_RT):
    confirmed.setdefault(verdict.pid, (program_of(labels, verdict), verdict))
  for program, verdict in confirmed.values():
    right = program is not None and program.role == STREAM
    score.confirmed.add(right)
    if not right:
      whose = f"'{program.name}'" if program else "none of ours"
      score.mistakes.append(f"{labels.scenario}: process {verdict.pid} ({verdict.name}) of {whose} is taken for a stream: {verdict.sentence}")
  for program in labels.programs:
    if program.role != STREAM:
      for each in program.processes:
        score.false_by_kind[program.kind].add(each.pid in confirmed and confirmed[each.pid][0] is program)


def judge_bulk(labels, found, score):
  named = found.of(BULK_KIND)
  for program in labels.programs:
    if program.role == BULK:
      right = any(program_of(labels, v) is program for v in named)
      score.bulk.add(right)
      if not right:
        score.mistakes.append(f"{labels.scenario}: '{program.name}' ({pids(program)}) is bulk and never named so")
  for pid in {v.pid for v in named if v.pid}:
    verdict = next(v for v in named if v.pid == pid)
    program = program_of(labels, verdict)
    # What does much work in many steps may rightly be named, and is not judged.
    if program and program.role == OTHER:
      continue
    right = program is not None and program.role == BULK
    score.bulk_named.add(right)
    if not right:
      score.mistakes.append(f"{labels.scenario}: process {pid} ({verdict.name}) is taken for bulk: {verdict.sentence}")


def judge_culprits(labels, found, score):
  """The culprits of a stream's or a start's wait: of the named ones, those that do harm by construction."""
  for verdict in found.verdicts:
    victim = program_of(labels, verdict) if verdict.pid else None
    if not verdict.culprits or not victim or victim.role not in (STREAM, START):
      continue
    for pid in verdict.culprits:
      culprit = labels.of(pid, verdict.begin) or labels.of(pid, verdict.end)
      right = culprit is not None and culprit.role in (BULK, OTHER) and culprit is not victim
      score.culprits.add(right)
      if not right:
        score.mistakes.append(f"{labels.scenario}: {verdict.kind} of '{victim.name}' is laid at process {pid} ({culprit.name if culprit else 'none of ours'})")


def judge_starts(labels, found, score):
  """Against programs that end when they are ready. One that was not ready when its scenario ended has no end to be right about."""
  told = [line for line in found.of_type("startup") if "latency_usec" in line]
  for program in labels.programs:
    if program.role != START or program.ready_usec is None:
      continue
    pids_ = {each.pid for each in program.processes}
    line = next((line for line in told if line["pid"] in pids_ and abs(line["begun_usec"] - program.from_usec) <= MARGIN_US), None)
    score.starts.add(line)
    if not line:
      score.mistakes.append(f"{labels.scenario}: the start of '{program.name}' ({pids(program)}) is not told")
      continue
    judge_end(labels, program, line, score)
    judge_start_culprit(labels, program, line, score)


def judge_end(labels, program, line, score):
  truth = program.ready_usec - program.from_usec
  error = line["begun_usec"] + line["latency_usec"] - program.ready_usec
  right = abs(error) <= max(END_US, END_SHARE * truth)
  score.start_ends.add(right)
  score.end_errors_us.append(error)
  if not right:
    score.mistakes.append(f"{labels.scenario}: the start of '{program.name}' takes {truth / 1e6:.2f} s, and is told with {line['latency_usec'] / 1e6:.2f} s")


def judge_start_culprit(labels, program, line, score):
  guilty = [p for p in labels.programs if p.role == BULK and p.from_usec < program.ready_usec and p.until_usec > program.from_usec]
  first = next((each["pid"] for each in line["culprits"]), None)
  right = first is None if not guilty else any(each.pid == first for p in guilty for each in p.processes)
  score.start_culprits.add(right)
  if not right:
    score.mistakes.append(f"{labels.scenario}: the start of '{program.name}' is told with {f'the culprit {first}' if first else 'no culprit'}")
