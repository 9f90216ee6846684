# SPDX-License-Identifier: GPL-3.0-or-later
"""One line on stderr that says what runs and how long it will still take."""
import sys
import time

REDRAW_S = 0.5


class Progress:
  """steps: how many runs there are, each of about step_s seconds until the first ones have shown how long they take."""

  def __init__(self, steps, step_s):
    self.steps = steps
    self.step_s = step_s
    self.done = 0
    self.begin = time.monotonic()
    self.step_begin = self.begin
    self.drawn = 0.0
    self.label = ""
    self.live = sys.stderr.isatty()

  def step(self, label):
    self.label = label
    self.step_begin = time.monotonic()
    self.draw(force=True)

  def finish_step(self):
    self.done += 1
    self.step_s = (time.monotonic() - self.begin) / self.done
    self.tick()

  def left_s(self):
    in_step = min(time.monotonic() - self.step_begin, self.step_s)
    return max((self.steps - self.done) * self.step_s - in_step, 0)

  def tick(self, _elapsed=0):
    self.draw(force=False)

  def draw(self, force):
    """A terminal gets a line that redraws itself, a log one line a step."""
    now = time.monotonic()
    if not force and (not self.live or now - self.drawn < REDRAW_S):
      return
    self.drawn = now
    minutes, seconds = divmod(round(self.left_s()), 60)
    text = f"[{self.done + 1}/{self.steps}] {self.label}, {minutes}:{seconds:02} left"
    print(f"\r\033[K{text}" if self.live else text, end="" if self.live else "\n", file=sys.stderr, flush=True)

  def close(self):
    if self.live:
      print("\r\033[K", end="", file=sys.stderr, flush=True)
