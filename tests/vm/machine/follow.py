# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a test run, each a process of its own: passes on what they print, and counts their results as they come."""
import time
from collections import Counter

from lib import process

from . import tap

POLL_S = 0.1


def side_by_side(parts):
  """Starts all, and returns the counts once all have ended."""
  try:
    for part in parts:
      part.start()
    while not all([part.look() for part in parts]):
      time.sleep(POLL_S)
  finally:
    for part in parts:
      part.close()
  return sum((part.counts for part in parts), Counter())


class Part:
  """A command that prints TAP, which is kept in a directory of its name below the results."""

  def __init__(self, name, command, results, say):
    self.name = name
    self.command = [str(word) for word in command]
    self.file = results / name / "tests.tap"
    self.say = say
    self.counts = Counter()
    self.planned = None
    self.rest = ""
    self.child = self.output = None

  def start(self):
    self.file.parent.mkdir(parents=True)
    with open(self.file, "wb") as output:
      self.child = process.Process(self.command, stdout=output, stderr=output)
    self.output = open(self.file, encoding="utf-8", errors="replace")

  def look(self):
    """True once it has ended and everything was passed on."""
    if self.output.closed:
      return True
    ended = self.child.popen.poll() is not None
    *lines, self.rest = (self.rest + self.output.read()).split("\n")
    for line in lines:
      self.pass_on(line)
    if ended:
      self.output.close()
      self.count_missing()
    return ended

  def pass_on(self, line):
    if plan := tap.PLAN.fullmatch(line):
      self.planned = int(plan[1])
      return
    if result := tap.LINE.fullmatch(line):
      self.counts["skipped" if result["reason"] else "failed" if result["not"] else "passed"] += 1
    self.say(f"{self.name}  {line.removeprefix('# ')}")

  def count_missing(self):
    missing = 1 if self.planned is None else self.planned - sum(self.counts.values())
    if missing > 0:
      self.say(f"{self.name}  its tests ended before they were through")
      self.counts["failed"] += missing

  def close(self):
    if self.child:
      self.child.__exit__()
    if self.output:
      self.output.close()
