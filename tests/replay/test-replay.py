#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brio's decisions over recordings of real loads: the same as when they were last looked at, and the same each time.

usage: test-replay.py [--update]

--update writes NAME.expect for each NAME.recording here, for a change that is meant; record.py makes the recordings.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import recordings  # noqa: E402

BRIOCTL = Path(os.environ.get("BRIO_BUILD_DIR", SOURCE / "build")) / "cli/brioctl"
RECORDINGS = sorted(HERE.glob("*.recording"))
BYTES_MAX = 100 << 10  # they are in the tree for good


def replay(path, *options, policies=SOURCE / "policies"):
  result = subprocess.run([BRIOCTL, "replay", "--policy-dir", policies, path, *options], capture_output=True, text=True,
                          check=False, timeout=120, env={**os.environ, "LC_ALL": "C.UTF-8"})
  if result.returncode != 0:
    raise AssertionError(f"{path}: exit code {result.returncode}\n{result.stderr}")
  return result.stdout


# A law that sets something on a quiet drive, whatever comes.
ALWAYS = ("readahead",)


class Replay(unittest.TestCase):
  maxDiff = None

  def test_there_are_recordings_of_a_size_to_keep(self):
    self.assertGreaterEqual(len(RECORDINGS), 3)
    for path in RECORDINGS:
      self.assertLessEqual(path.stat().st_size, BYTES_MAX, path.name)

  def test_the_manual_page_is_enough_to_read_what_was_recorded(self):
    manual = (SOURCE / "docs/brio.recording.5.scd").read_text()
    table = manual[manual.index("|[ *kind*"):manual.index("The upper three bits")]
    kinds = [row.split("-") for row in re.findall(r"^\|  ([0-9-]+)$", table, re.MULTILINE)]
    self.assertEqual(sorted(recordings.NAMES), [kind for row in kinds for kind in range(int(row[0]), int(row[-1]) + 1)])
    for path in RECORDINGS + sorted(HERE.glob("accuracy/*.recording")):
      with self.subTest(path.name):
        _, drives, items = recordings.read(path.read_bytes())
        self.assertTrue(drives and items)

  def test_decisions_are_as_they_were(self):
    for path in RECORDINGS:
      with self.subTest(path.name):
        self.assertEqual(path.with_suffix(".expect").read_text(), replay(path), "where that is meant: tests/replay/test-replay.py --update")

  def test_two_replays_are_the_same(self):
    for path in RECORDINGS:
      for options in ([], ["--json"]):
        with self.subTest(path.name, options=options):
          self.assertEqual(replay(path, *options), replay(path, *options))

  def edited(self, old, new):
    """A directory with the shipped policies, edited."""
    directory = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-policies-"))
    for policy in (SOURCE / "policies").glob("*.conf"):
      (Path(directory) / policy.name).write_text(policy.read_text().replace(old, new))
    return directory

  def summary(self, name, **given):
    lines = [json.loads(line) for line in replay(HERE / (name + ".recording"), "--json", **given).splitlines()]
    self.assertEqual(lines[-1]["type"], "summary")
    self.assertTrue(lines[-1]["complete"])
    return lines

  def test_many_small_readers_are_found_and_set_for_and_let_go_of(self):
    lines = self.summary("many-readers", policies=self.edited("Ahead = yes\n", ""))
    self.assertIn("many-sync", [line["verdict"] for line in lines if line["type"] == "verdict-begins"])
    changes = [(line["tunable"], line["new"]) for line in lines if line["type"] == "change" and line["law"] not in ALWAYS]
    self.assertEqual(changes[0][0], "slice_idle_us")
    self.assertLessEqual(int(changes[0][1]), 2000)
    self.assertIn(("slice_idle_us", "8000"), changes)

  def waits(self, name):
    """What becomes of the wait for readers, in the order of time, and between that the verdicts."""
    return [line.get("verdict") or line["new"] for line in self.summary(name) if line["type"] == "verdict-begins" or line.get("tunable") == "slice_idle_us"]

  def test_many_small_readers_come_to_a_drive_without_a_wait(self):
    self.assertEqual(["0", "many-sync"], [each for each in self.waits("many-readers") if each in ("0", "8000", "many-sync")])

  def test_sequential_readers_have_the_wait_back_and_it_ends_when_they_have_left(self):
    self.assertEqual(["0", "burst", "shared", "8000", "0"], self.waits("sequential-readers"))

  def test_sequential_readers_share_the_drive_and_are_not_many_small_ones(self):
    lines = self.summary("sequential-readers")
    self.assertEqual({line["verdict"] for line in lines if line["type"] == "verdict-begins"}, {"burst", "shared"})

  def beside_a_player(self, tunable, **given):
    lines = self.summary("player-beside-writers", **given)
    self.assertIn("soft-rt", [line["verdict"] for line in lines if line["type"] == "verdict-begins"])
    return [(line["new"], line["law"]) for line in lines if line["type"] == "change" and line["tunable"] == tunable]

  def test_a_player_beside_writers_goes_first(self):
    self.assertEqual(self.beside_a_player("ioprio")[0], ("RT/3", "stream-guard"))

  def test_others_wait_less_for_a_player_beside_writers_until_the_drive_is_quiet(self):
    self.assertEqual(self.beside_a_player("slice_idle_us"),
                     [("0", "idle-limit"), ("8000", "restore"), ("2000", "stream-guard"), ("0", "idle-limit")])

  def test_the_format_is_what_its_manual_page_says(self):
    for path in RECORDINGS:
      with self.subTest(path.name):
        environment, drives, items = recordings.read(path.read_bytes())
        lines = self.summary(path.stem)
        self.assertEqual(environment, {key: value for key, value in lines[0].items() if key != "type"})
        self.assertEqual(drives[0]["name"], lines[1]["device"])
        ticks = [item for item in items if item["kind"] == "tick"]
        self.assertEqual((lines[-1]["ticks"], lines[-1]["events"]), (len(ticks), len(items) - len(ticks)))
        times = [item["t"] for item in items]
        self.assertEqual(lines[-1]["span_usec"], (max(times) - times[0]) // 1000)

  def test_one_reader_is_left_alone(self):
    lines = self.summary("one-reader", policies=self.edited("Ahead = yes\n", ""))
    self.assertEqual(lines[-1]["verdicts"], 0)
    self.assertEqual(sorted(line["law"] for line in lines if line["type"] == "change"), sorted(ALWAYS))  # before it came


def main():
  if sys.argv[1:] == ["--update"]:
    for path in RECORDINGS:
      path.with_suffix(".expect").write_text(replay(path))
    return
  unittest.main()


if __name__ == "__main__":
  main()
