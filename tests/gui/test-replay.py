#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real dashboard before the real briod, which plays a recording of a real load: what the recording has in it is on the pages. That is
what `brioctl replay` finds in it, and none of it stands here."""
import json
import os
import re
import subprocess
import sys
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests/lib"))

import brio  # noqa: E402
import dashboard  # noqa: E402

RECORDING = brio.SOURCE / "tests/replay/player-beside-writers.recording"
PLAYS_S = 31
PATIENCE_S = 2 * PLAYS_S + dashboard.PATIENCE_S


def replay():
  """Kind of note → the notes, as they come."""
  text = subprocess.run([brio.BUILD / "cli/brioctl", "replay", "--json", "--policy-dir", brio.SOURCE / "policies", RECORDING], check=True,
                        capture_output=True, text=True).stdout
  notes = {}
  for note in map(json.loads, text.splitlines()):
    notes.setdefault(note["type"], []).append(note)
  return notes


def duration(usec):
  """Three digits, as the dashboard writes it."""
  value, unit = (usec / 1e6, "s") if usec >= 1e6 else (usec / 1e3, "ms")
  return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


class Replayed(dashboard.Dashboard):
  def start_daemon(self):
    self.briod = self.enterContext(brio.Briod(self.bus, "--replay", str(RECORDING)))

  def is_sampled(self):
    return self.briod.get("Devices")

  def is_over(self):
    return "which is over" in self.briod.get("Sources")[0][2]

  def test_what_was_recorded_is_on_the_pages(self):
    notes = replay()
    starts = {note["application"]: note for note in notes["startup"]} # the last of each
    streams, changes = notes["stream-starts"], notes["change"]
    self.assertTrue(starts and streams and changes)
    plot = f"Read latency of {streams[0]['device']}"
    self.wait_for(lambda: re.search(r"^Median \d", self.find("image", plot).description), "reads in the plot", PATIENCE_S)

    self.show_page("Streams")
    for stream in streams: # it plays: told of while the window is open
      self.wait_for(lambda: self.find_all("list item", f"{stream['name']} on {stream['device']}"), "the stream", PATIENCE_S)
    self.wait_for(self.is_over, "the end of the recording", PATIENCE_S)
    self.show_page("Start-ups")
    for role in ("checkbox", "check box"): # as GTK 4.8 and later versions call it
      if self.find_all(role, "Commands of a terminal, too"):
        self.press(role, "Commands of a terminal, too")
    for application, start in starts.items():
      # One that has no desktop file here is called by the last part of its id.
      self.find("list item", f"{application.rpartition('.')[2]}, {duration(start['latency_usec'])}, ")
    self.show_page("Decisions")
    rows = {item.name for item in self.a11y.look(self.root) if item.role == "list item"}
    for change in (c for c in changes if "process" not in c): # recorded processes are not here to have their priorities set
      values = f": {change['old']} → {change['new']}"
      why = re.split(r"[:;]|\S*[-_]", change["reason"])[0] # as far as it says no formula and no id, for which the window has its own names
      self.assertTrue(any(values in name and why in name for name in rows), f"{values}, {why} is not in {rows}")


if __name__ == "__main__":
  unittest.main()
