#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests in virtual time, without one: what they are handed, and what it depends on.

usage: test-bench-virtual.py BENCH_DIR [unittest argument]..."""
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(BENCH))
from lib import trees  # noqa: E402
from lib.virtual import handed, inside, start, window  # noqa: E402

IMPORTED = "import sys; sys.path.insert(0, sys.argv[1]); import lib.virtual.inside; print(*(name for name in sys.modules if name.startswith('lib.')))"


class Scratch(unittest.TestCase):
  def setUp(self):
    directory = tempfile.TemporaryDirectory(prefix="brio-test-")
    self.addCleanup(directory.cleanup)
    self.place = Path(directory.name)


class Archives(Scratch):
  def make(self, name, mode):
    directory = self.place / name
    (directory / "below").mkdir(parents=True)
    (directory / "below" / "program").write_text("text")
    (directory / "below" / "program").chmod(mode)
    (directory / "link").symlink_to("below/program")
    os.link(directory / "below" / "program", directory / "below" / "second")
    return handed.archive(handed.below(Path("there"), directory), {"model": "hdd-7200"})

  def test_equal_files_give_equal_bytes_whoever_made_them_and_when(self):
    self.assertEqual(self.make("a", 0o755), self.make("b", 0o700))

  def test_a_program_is_no_plain_file(self):
    self.assertNotEqual(self.make("a", 0o755), self.make("b", 0o644))

  def test_the_time_of_a_source_stays_so_that_its_compiled_form_is_believed(self):
    for name in ("a.py", "a.pyc"):
      (self.place / name).touch()
      os.utime(self.place / name, (1e9, 1e9))
    archive = handed.archive({handed.CONTENT / name: self.place / name for name in ("a.py", "a.pyc")}, {})
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
      times = {Path(member.name).name: member.mtime for member in tar.getmembers()}
    self.assertEqual((1e9, 0), (times["a.py"], times["a.pyc"]))

  def test_what_prepares_a_guest_imports_nothing_else(self):
    found = subprocess.run([sys.executable, "-B", "-c", IMPORTED, BENCH], capture_output=True, text=True, check=True).stdout.split()
    self.assertEqual({f"lib.{name.replace('/', '.').removesuffix('.__init__')}" for name in handed.PREPARING if name != "__init__"}, set(found))


class Window(Scratch):
  def fill(self, name, archive):
    window.write(self.place / "window", name, archive)
    return (self.place / "window").read_bytes()

  def test_what_the_host_writes_the_guest_unpacks(self):
    (self.place / "file").write_text("text")
    memory = self.fill(inside.PREPARATION, handed.archive({Path("brio/file"): self.place / "file"}, {}))
    self.assertEqual(inside.PREPARATION, window.header(memory)[0])
    window.unpack(memory, self.place)
    self.assertEqual("text", (self.place / "brio" / "file").read_text())
    self.assertEqual("{}", (self.place / handed.REQUEST).read_text())

  def test_its_size_does_not_depend_on_what_is_in_it(self):
    self.assertEqual(len(self.fill("a", b"x")), len(self.fill("b", b"y" * 1000)))

  def test_who_waits_goes_on_with_the_next(self):
    window.wait_until_other(self.fill("run", b"x"), inside.PREPARATION)

  def test_what_does_not_fit_is_refused(self):
    with self.assertRaises(window.WindowError):
      window.write(self.place / "window", "run", bytes(window.BYTES))


class Trees(Scratch):
  def make(self, recipe, name="guest-hdd"):
    return trees.kept(self.place, name, recipe, lambda tree: (tree / "file").touch(), only=True)

  def test_a_state_of_another_recipe_goes_and_no_other(self):
    first, other = self.make("a"), self.make("a", "guest-ssd")
    second = self.make("b")
    self.assertFalse(first.exists())
    self.assertTrue(second.exists() and other.exists())


class Seeds(unittest.TestCase):
  def test_one_seed_gives_one_phase_and_another_another(self):
    self.assertEqual(start.phases_s(1), start.phases_s(1))
    self.assertNotEqual(start.phases_s(1), start.phases_s(2))
    self.assertTrue(all(0 <= s <= start.PHASE_S for s in start.phases_s(3)))


if __name__ == "__main__":
  unittest.main()
