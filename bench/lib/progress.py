# SPDX-License-Identifier: GPL-3.0-or-later
"""One line on stderr that says what runs and how long it will still take."""
import sys
import time

REDRAW_S = 0.5


class Progress:
  """steps: how many runs there are. step_s: about how many seconds each takes, one number or one for each, until the first
  ones have shown how long they really take."""

  def __init__(self, steps, step_s):
    self.steps = steps
    self.expected_s = list(step_s) if isinstance(step_s, (list, tuple)) else [step_s] * steps
    self.pace = 1.0
    self.until = None
    self.done = 0
    self.begin = time.monotonic()
    self.step_begin = self.begin
    self.drawn = 0.0
    self.label = ""
    self.live = sys.stderr.isatty()

  def step(self, label):
    self.label = label
    self.step_begin = time.monotonic()
    if self.done == 0: # what was prepared before says nothing about the pace
      self.begin = self.step_begin
    self.draw(force=True)

  def finish_step(self):
    self.done += 1
    self.pace = (time.monotonic() - self.begin) / sum(self.expected_s[:self.done])
    self.tick()

  def plan_left(self, step_s, until=None):
    """What comes now, by how long each step takes; until: the time on the monotonic clock up to which more may follow, and no longer."""
    self.expected_s[self.done:] = step_s
    self.steps = len(self.expected_s)
    self.until = until

  def left_s(self):
    """Of the step that runs no more is done than it was expected to take."""
    ahead = [self.pace * expected for expected in self.expected_s[self.done:]]
    in_step = min(time.monotonic() - self.step_begin, ahead[0]) if ahead else 0
    left = sum(ahead) - in_step
    return max(left, self.until - time.monotonic()) if self.until else left

  def tick(self, _elapsed=0):
    self.draw(force=False)

  def draw(self, force):
    """A terminal gets a line that redraws itself, a log one line a step."""
    now = time.monotonic()
    if not force and (not self.live or now - self.drawn < REDRAW_S):
      return
    self.drawn = now
    minutes, seconds = divmod(round(self.left_s()), 60)
    at_most, at_least = ("at most ", "+") if self.until else ("", "")
    text = f"[{self.done + 1}/{self.steps}{at_least}] {self.label}, {at_most}{minutes}:{seconds:02} left"
    print(f"\r\033[K{text}" if self.live else text, end="" if self.live else "\n", file=sys.stderr, flush=True)

  def close(self):
    if self.live:
      print("\r\033[K", end="", file=sys.stderr, flush=True)
