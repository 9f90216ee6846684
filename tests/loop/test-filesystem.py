#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A benchmark's file system is filled, private, and gone with its maker however that ends.

usage: test-filesystem.py BUILD_DIR [unittest argument]..."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

BUILD_DIR = Path(sys.argv.pop(1)).resolve()
BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
sys.dont_write_bytecode = True
from lib import debian, drive, filesystem, trees  # noqa: E402

MODEL = "hdd-7200"
SIZE = 4 << 30
BIG_FILE_BYTES = 64 << 20
GONE_TIMEOUT_S = 30
# Makes a file system in a process of its own, says where, and waits.
HOLDER = f"""
import sys, time
sys.path.insert(0, {str(BENCH)!r})
from lib import drive, filesystem, process
process.end_on_signals()
with drive.EmulatedDrive({MODEL!r}, "none", {str(BUILD_DIR)!r}, size={SIZE}) as emulated, filesystem.Ext4(emulated) as fs:
  print(emulated.name, fs.path, flush=True)
  time.sleep(60)
"""

# Begins a drive and a file system that no process holds, as where a signal comes just after __enter__.
FORGETTER = f"""
import sys
sys.path.insert(0, {str(BENCH)!r})
from lib import drive, filesystem
emulated = drive.EmulatedDrive({MODEL!r}, "none", {str(BUILD_DIR)!r}, size={SIZE}).__enter__()
filesystem.Ext4(emulated).__enter__()
sys.exit(3)
"""

# A mount namespace whose mounts all pass on what is mounted below them, and in it a chroot whose root directory is no mount point. What is
# mounted there after leave_mount_namespace() is told by the process that mounts it, and then as those outside see it.
CHROOT = r"""
mount --make-rshared /
for name in usr bin sbin lib lib64 lib32 proc; do
  if [ -L /$name ]; then cp -P /$name "$1"; elif [ -d /$name ]; then mkdir "$1/$name"; mount --rbind /$name "$1/$name"; fi
done
mkdir "$1/bench" "$1/inner"
mount --bind "$2" "$1/bench"
chroot "$1" "$3" -c '
import os, subprocess, sys
sys.dont_write_bytecode = True
sys.path.insert(0, "/bench")
from lib import filesystem
os.chdir("/bench")
filesystem.leave_mount_namespace()
subprocess.run(["mount", "-t", "tmpfs", "none", "/inner"], check=True)
print("in", os.getcwd(), os.path.exists("/inner/../bench/lib"), "/inner " in open("/proc/self/mountinfo").read())
'
echo "out $(grep -c "$1/inner " /proc/self/mountinfo)"
"""


def why_not():
  if not (BUILD_DIR / "bench" / "drive" / "brio-drive").exists():
    return "brio-drive is not built"
  return drive.missing() or filesystem.missing()


def is_mounted(text):
  return text in Path("/proc/self/mountinfo").read_text()


def is_bound(name, directory):
  """To a file in the directory: another process may have the loop device by now. A file whose mount is gone is shown without its path."""
  file = drive.backing_file(name) or ""
  return file == "/" or file.startswith(directory)


def resident_kib(pid):
  return int(next(line.split()[1] for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")))


@unittest.skipIf(why_not(), why_not() or "")
class Made(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    content = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="brio-test-"))
    Path(content, "hello").write_text("there")
    cls.emulated = cls.enterClassContext(drive.EmulatedDrive(MODEL, "none", BUILD_DIR, size=SIZE))
    cls.fs = cls.enterClassContext(filesystem.Ext4(cls.emulated, content=content, big_files=3, big_file_bytes=BIG_FILE_BYTES))

  def test_content_is_there(self):
    self.assertEqual((self.fs.path / "hello").read_text(), "there")

  def test_big_files_read_as_zeros_from_the_drive(self):
    before = self.sectors_read()
    with open(self.fs.big_file(2), "rb") as file, self.emulated.at_once():
      self.assertEqual(file.read().count(b"\0"), BIG_FILE_BYTES)
    self.assertGreaterEqual((self.sectors_read() - before) * 512, BIG_FILE_BYTES)

  def test_zeros_that_are_written_cost_no_memory(self):
    before = resident_kib(self.emulated.process.pid)
    with open(self.fs.path / "zeros", "wb") as file:
      file.write(bytes(BIG_FILE_BYTES))
    self.fs.settle()
    self.assertLess(resident_kib(self.emulated.process.pid) - before, BIG_FILE_BYTES / 1024 / 4)

  def test_is_seen_by_its_maker_and_its_children_only(self):
    self.assertTrue(is_mounted(str(self.fs.path)))
    outside = subprocess.run(["nsenter", f"--mount=/proc/{os.getppid()}/ns/mnt", "cat", "/proc/self/mountinfo"], capture_output=True,
                             text=True, check=True)
    self.assertNotIn(str(self.fs.path), outside.stdout)

  def sectors_read(self):
    return int(Path(f"/sys/block/{self.emulated.name}/stat").read_text().split()[2])


@unittest.skipIf(why_not(), why_not() or "")
class Chroot(unittest.TestCase):
  def test_no_other_process_sees_what_is_mounted_where_the_root_directory_is_no_mount_point(self):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      done = subprocess.run(["unshare", "--mount", "sh", "-ec", CHROOT, "sh", directory, str(BENCH), trees.PYTHON],
                            capture_output=True, text=True, check=False)
    self.assertEqual((done.stderr, done.stdout), ("", "in /bench True True\nout 0\n"))


@unittest.skipIf(why_not(), why_not() or "")
class Ended(unittest.TestCase):
  def check(self, number):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      environment = os.environ | {"BRIO_BENCH_STATE": f"{directory}/state"}
      with subprocess.Popen([sys.executable, "-c", HOLDER], env=environment, stdout=subprocess.PIPE, text=True) as holder:
        name, path = holder.stdout.readline().split()
        os.kill(holder.pid, number)
      end = time.monotonic() + GONE_TIMEOUT_S
      # The drive's own file is a mount as well, and goes after the loop device over it.
      while (is_bound(name, directory) or is_mounted(directory)) and time.monotonic() < end:
        time.sleep(0.05)
      self.assertFalse(is_bound(name, directory))
      self.assertFalse(is_mounted(path) or is_mounted(directory))

  def test_what_no_process_holds_is_gone_at_the_end(self):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      ended = subprocess.run([sys.executable, "-c", FORGETTER], env=os.environ | {"BRIO_BENCH_STATE": f"{directory}/state"}, check=False)
      self.assertEqual(ended.returncode, 3)
      self.assertEqual(os.listdir(directory), [])

  def test_nothing_is_mounted_after_ctrl_c(self):
    self.check(signal.SIGINT)

  def test_nothing_is_mounted_after_sigkill(self):
    self.check(signal.SIGKILL)

  def test_what_a_tree_that_is_not_finished_shows_of_this_machine_is_not_removed_with_it(self):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      shown, build = Path(directory, "shown"), Path(directory, "build")
      for each in (shown, build, Path(directory, "bin")):
        each.mkdir()
      (shown / "file").touch()
      program = Path(directory, "bin", "mmdebstrap")
      program.write_text(f'#!/bin/sh\nfor each; do case $each in */tree) mkdir -p "$each/dev" && mount --bind {shown} "$each/dev"; esac; done\nkill -9 $$\n',
                         encoding="ascii")
      program.chmod(0o755)
      with unittest.mock.patch.dict(os.environ, {"PATH": f"{program.parent}:{os.environ['PATH']}"}), self.assertRaises(trees.TreeError):
        debian.kept(build, "test", ("nothing",))
      self.assertTrue((shown / "file").exists())
      self.assertEqual([], list((build / "bench-trees").glob("unfinished-*")))


if __name__ == "__main__":
  unittest.main()
