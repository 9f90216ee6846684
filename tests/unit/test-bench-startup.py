#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The start-up benchmark's parts that need no device.

usage: test-bench-startup.py BENCH_DIR [unittest argument]..."""
import os
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
STATE = tempfile.TemporaryDirectory(prefix="brio-test-")
os.environ["BRIO_BENCH_STATE"] = os.path.join(STATE.name, "state")
sys.path.insert(0, sys.argv.pop(1))
from lib import fio, loads, programs, trees  # noqa: E402


class Programs(unittest.TestCase):
  def until_exit(self, script, timeout_s):
    return programs.until_exit(None, ["/bin/sh", "-c", script], {"PATH": "/usr/bin:/bin"}, timeout_s)

  def test_one_that_ends_in_time_has_ended(self):
    self.assertTrue(self.until_exit(":", 60).ended)

  def test_one_that_does_not_counts_as_longer_than_the_limit(self):
    start = self.until_exit("exec sleep 1000", 0.1)
    self.assertFalse(start.ended)
    self.assertEqual(start.seconds, 0.1)

  def test_one_that_fails_is_not_a_slow_one(self):
    self.assertRaisesRegex(programs.ProgramError, "no disk", self.until_exit, "echo no disk >&2; exit 3", 60)


class Trees(unittest.TestCase):
  def setUp(self):
    directory = tempfile.TemporaryDirectory(prefix="brio-test-")
    self.addCleanup(directory.cleanup)
    self.build_dir = Path(directory.name)
    self.made = []

  def make(self, tree):
    self.made.append(tree)
    (tree / "file").write_text("x")

  def test_a_tree_is_made_once(self):
    first = trees.kept(self.build_dir, "a", "recipe", self.make)
    self.assertEqual(trees.kept(self.build_dir, "a", "recipe", self.make), first)
    self.assertEqual(len(self.made), 1)
    self.assertEqual((first / "file").read_text(), "x")

  def test_another_recipe_makes_another_tree(self):
    trees.kept(self.build_dir, "a", "recipe", self.make)
    trees.kept(self.build_dir, "a", "other", self.make)
    self.assertEqual(len(self.made), 2)

  def test_one_that_fails_leaves_nothing(self):
    def fail(tree):
      self.make(tree)
      raise trees.TreeError("no network")
    self.assertRaises(trees.TreeError, trees.kept, self.build_dir, "a", "recipe", fail)
    self.assertFalse((self.build_dir / "bench-trees").exists())

  def test_joined_trees_stand_side_by_side_and_go(self):
    tree = trees.kept(self.build_dir, "a", "recipe", self.make)
    with trees.joined(self.build_dir, {"one": tree, "two": tree}) as directory:
      self.assertEqual(sorted(str(p.relative_to(directory)) for p in directory.rglob("file")), ["one/file", "two/file"])
    self.assertFalse(directory.exists())
    self.assertTrue((tree / "file").exists())


class Loads(unittest.TestCase):
  def argv(self, name):
    return next(iter(loads.ALL[name](SimpleNamespace(path=Path("/m"), big_file=lambda n: f"/m/big/file{n:02}")).commands()))

  def test_each_flow_is_a_job_of_its_own(self):
    for name, patterns in (("readers", ["read"] * 10), ("readers-writers", ["read"] * 5 + ["write"] * 5), ("writers", ["write"] * 10),
                           ("random-readers", ["randread"] * 16)):
      argv = self.argv(name)
      self.assertEqual([a.removeprefix("--rw=") for a in argv if a.startswith("--rw=")], patterns)
      self.assertEqual(sum(a.startswith("--name=") for a in argv), len(patterns))

  def test_sequential_readers_share_no_file(self):
    files = [a for a in self.argv("readers") if a.startswith("--filename=")]
    self.assertEqual(len(set(files)), 10)

  def test_a_load_that_ends_by_itself_is_an_error(self):
    class Broken(loads.Idle):
      def commands(self):
        return [["sh", "-c", "echo no space >&2; exit 1"]]
    load = Broken(SimpleNamespace(path=None, emulated=SimpleNamespace(at_once=lambda: tempfile.TemporaryDirectory())))
    with load:
      load.children[0].popen.wait()
      self.assertRaisesRegex(loads.LoadError, "no space", load.check)

  def test_the_throughput_leaves_out_what_others_read(self):
    self.assertEqual(loads.rates_between((10, 20), (10 + 3000000, 20 + 4000000), 2, 1000000), loads.Rates(1.0, 2.0))

  def test_what_others_read_is_never_more_than_all(self):
    self.assertEqual(loads.rates_between((0, 0), (100, 0), 1, 200).read_mbps, 0)


class Fio(unittest.TestCase):
  def test_options_belong_to_the_job_before_them(self):
    self.assertEqual(fio.command_of_jobs({"a": {"rw": "read"}, "b": {"rw": "write"}}), ["fio", "--name=a", "--rw=read", "--name=b", "--rw=write"])


if __name__ == "__main__":
  unittest.main()
