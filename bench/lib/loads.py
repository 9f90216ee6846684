# SPDX-License-Identifier: GPL-3.0-or-later
"""Background loads on a mounted file system: those of the S suite, and what else keeps a desktop's drive busy.

Nearly all goes through the page cache, as on a desktop. That readers are readers of the drive all the same is seen to
thus: caches are dropped before each run, each reader has a file of its own, and its pages are dropped where it begins anew.
Throughput is what the drive itself counts, so a load that the page cache
swallowed would show. Writers write zeros into new files, of which the emulated drive keeps nothing, and what they leave
dirty goes with the files. As in S the file system is synced every two seconds where there are writers; unlike there their
rate has no limit.
"""
import random
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass

from . import filesystem, fio, iostat, paced, process, recorder, trees, walker

BIG_FILES = 10
BIG_FILE_BYTES = 1536 << 20
WRITTEN_FILE_BYTES = 1280 << 20
# Of a read or write call. What the drive sees of sequential ones is the kernel's read-ahead and writeback.
CALL_BYTES = 128 << 10
FOREVER_S = 24 * 3600
DIRECTORIES = 100  # of small files
JOBS_MAX = 1000  # of a load, above: so that no two jobs of two seeds read the same at random
SECTOR = 512
SYNC = 'while sleep 2 && sync -f "$0"; do :; done'
# Two targets in turn: what is cut off at the start of a round has been on the drive for long.
# The source's pages are dropped after each, else the next round would not read the drive where files are smaller.
COPY = '''while :; do for i in 0 1; do
  cp --sparse=never "$0/big/file0$i" "$0/copy/$i" && dd if="$0/big/file0$i" iflag=nocache count=0 status=none || exit
done; done'''
DD = 'while :; do for i in 0 1; do dd if=/dev/zero of="$0/dd/$i" bs=1M count=1024 status=none || exit; done; done'
UPGRADE = 'while dpkg --root="$0/upgrade" --log=/dev/null --force-all --install "$0"/packages/*.deb >/dev/null; do :; done'


class LoadError(Exception):
  """A load ended by itself; the text says why in one line."""


class Load(process.Resource):
  """A context manager: runs in the background until its end. Files of its own are in directories that end with it. seed: of what is random about it."""
  trees = staticmethod(lambda build_dir: {})  # what it needs on the file system, as of a program
  directories = ()
  ramp_s = 0.0  # until all of it runs

  def __init__(self, fs, seed=0):
    self.fs = fs
    self.seed = seed
    self.children = []

  @classmethod
  def missing(cls):
    return None

  def commands(self):
    raise NotImplementedError

  def open(self):
    for name in self.directories:
      (self.fs.path / name).mkdir()
    self.furnish()
    for argv in self.commands():
      self.children.append(process.Process(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))

  def furnish(self):
    """Makes what else it needs on the file system."""

  def is_over(self):
    """Whether it has done all that it has to; most have no end."""
    return False

  def check(self):
    """Raises LoadError where part of it has ended: what is measured then would flatter."""
    for child in self.children:
      if child.popen.poll() is not None and not self.is_over():
        words = process.last_line(child.text("stderr"), f"status {child.returncode}")
        raise LoadError(f"the load '{self.title}' ended by itself: {child.popen.args[0]}: {words}")

  def close(self):
    for child in self.children:
      child.__exit__()
    self.children = []
    with self.fs.emulated.at_once():
      for name in self.directories:
        shutil.rmtree(self.fs.path / name, ignore_errors=True)


class Idle(Load):
  name, title = "idle", "idle drive"

  def commands(self):
    return []


class Flows(Load):
  """fio's readers and writers, which begin in an order of the seed's."""
  readers = writers = random_readers = 0
  apart_ms = 0  # between the starts of its jobs; S starts them all at once

  @classmethod
  def missing(cls):
    return fio.missing()

  @property
  def directories(self):
    return ("written",) if self.writers else ()

  @property
  def ramp_s(self):
    return (self.readers + self.random_readers + self.writers) * self.apart_ms / 1000

  def commands(self):
    jobs = [self.reader(i, "read", CALL_BYTES) for i in range(self.readers)]
    jobs += [self.reader(i, "randread", 4096) for i in range(self.random_readers)]
    jobs += [self.writer(i) for i in range(self.writers)]
    random.Random(self.seed).shuffle(jobs)
    both = {"ioengine": "psync", "time_based": True, "runtime": FOREVER_S}
    yield fio.command_of_jobs({f"{self.name}{i}": both | job | {"startdelay": f"{i * self.apart_ms}ms"} for i, job in enumerate(jobs)})
    if self.writers:
      yield ["sh", "-c", SYNC, str(self.fs.path)]

  def reader(self, number, pattern, size):
    return {"rw": pattern, "bs": size, "filename": self.fs.big_file(number % BIG_FILES), "randseed": self.seed * JOBS_MAX + number}

  def writer(self, number):
    return {"rw": "write", "bs": CALL_BYTES, "filename": self.fs.path / "written" / str(number), "size": WRITTEN_FILE_BYTES,
            "create_on_open": 1, "fallocate": "none", "zero_buffers": True}


class Readers(Flows):
  name, title, readers = "readers", "10 sequential readers", 10


class ReadersApart(Flows):
  """Harder for bfq, which takes queues that appear together (eight within 180 ms) for a boot or a build and raises the
  weight of none of them: of these it raises each."""
  name, title, readers, apart_ms = "readers-apart", "10 readers begun one by one", 10, 200


class ReadersWriters(Flows):
  name, title, readers, writers = "readers-writers", "5 readers + 5 writers", 5, 5


class Writers(Flows):
  name, title, writers = "writers", "10 writers", 10


class RandomReaders(Flows):
  name, title, random_readers = "random-readers", "16 random readers", 16


class ReadersDirect(Flows):
  """As programs that have a cache of their own read: no read-ahead of the kernel's, one request at a time each, begun as a hand begins them."""
  name, title, readers, apart_ms = "readers-direct", "10 direct readers begun one by one", 10, 300

  def reader(self, number, pattern, size):
    return super().reader(number, pattern, 2 * size) | {"direct": 1}


class Upgrade(Load):
  """dpkg itself, which installs the same packages again and again: many small files, each synced before its renaming."""
  name, title = "upgrade", "package upgrade"
  directories = ("upgrade",)

  @classmethod
  def missing(cls):
    return None if shutil.which("dpkg") else "there is no dpkg (package dpkg)"

  @staticmethod
  def trees(build_dir):
    return {"packages": trees.packages(build_dir)}

  def commands(self):
    state = self.fs.path / "upgrade" / "var" / "lib" / "dpkg"
    for directory in ("info", "updates"):
      (state / directory).mkdir(parents=True)
    (state / "status").touch()
    yield ["sh", "-c", UPGRADE, str(self.fs.path)]


class Copy(Load):
  name, title = "copy", "large copy"
  directories = ("copy",)

  def commands(self):
    yield ["sh", "-c", COPY, str(self.fs.path)]


class Dd(Load):
  name, title = "dd", "one dd that writes"
  directories = ("dd",)

  def commands(self):
    yield ["sh", "-c", DD, str(self.fs.path)]


class Film(Copy):
  """What a person watches and records while something is copied: neither is to be taken for bulk."""
  name, title = "film", "4K film and recording beside a copy"
  directories = ("copy", "written")
  film_bytes_per_s, recorder_bytes_per_s = 12_000_000, 8 << 20

  def commands(self):
    yield from super().commands()
    yield [sys.executable, "-B", paced.__file__, str(self.fs.big_file(BIG_FILES)), "0", str(self.film_bytes_per_s), "1", str(FOREVER_S)]
    yield [sys.executable, "-B", recorder.__file__, str(self.fs.path / "written" / "recording"), str(self.recorder_bytes_per_s), str(WRITTEN_FILE_BYTES)]


class Browser(Flows):
  """One process, of whose threads each looks through the cache by itself, and thinks for as long as the seed says."""
  name, title, random_readers = "browser", "browser with 50 threads", 50
  think_us = (15_000, 25_000)

  def reader(self, number, pattern, _size):
    flow = super().reader(number, pattern, 16384)
    return flow | {"thread": True, "thinktime": random.Random(flow["randseed"]).randint(*self.think_us)}


class Walk(Load):
  """A program that goes through many small files; see walker.py."""
  directories = ("small", "walked")
  files, file_bytes = 4000, 16384

  def furnish(self):
    with self.fs.emulated.at_once():
      for number in range(self.files):
        path = self.fs.path / "small" / f"{number % DIRECTORIES:02}" / f"{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(self.text())
    self.fs.forget()

  def text(self):
    """Zeros, which are on the drive all the same: they have their blocks."""
    return bytes(self.file_bytes)

  def commands(self):
    yield [sys.executable, "-B", walker.__file__, self.name, str(self.fs.path / "small"), str(self.fs.path / "walked")]


class Backup(Walk):
  name, title = "backup", "backup of small files"


class Index(Walk):
  name, title = "index", "indexer"


class Compile(Walk):
  name, title = "compile", "compile"
  files = 1000

  def text(self):
    return "".join(f"def function_{i}(a, b):\n  return [a + {i}, {{b: a * {i}}}, *range(a, b)]\n\n" for i in range(60)).encode()


ALL = {load.name: load for load in (Idle, Readers, ReadersApart, ReadersDirect, ReadersWriters, Writers, RandomReaders, Upgrade, Copy, Dd, Film, Browser, Backup,
                                   Index, Compile)}
# What is measured by default, by the real clock.
SUITE = tuple(load.name for load in (Idle, Readers, ReadersApart, ReadersWriters, Writers, RandomReaders, Upgrade, Copy))


def make_filesystem(emulated, content, make=filesystem.Ext4):
  """One that each load can run on, with a big file beside theirs."""
  own_size = {} if make is filesystem.Btrfs else {"big_file_bytes": BIG_FILE_BYTES}
  return make(emulated, content=content, big_files=BIG_FILES + 1, **own_size)


# Others than ext4 on the drive itself.
FILESYSTEMS = {"btrfs": filesystem.Btrfs, "crypt": filesystem.Encrypted}


@dataclass
class Rates:
  read_mbps: float
  write_mbps: float


class Meter:
  """What a drive has read and written since the meter was made, until it was stopped."""

  def __init__(self, device):
    self.device = device
    self.begin = self.now()
    self.end = None

  def now(self):
    return time.monotonic(), self.transferred()

  def stop(self):
    self.end = self.now()

  def transferred(self):
    now = iostat.counters(self.device)
    return now["sectors_read"] * SECTOR, now["sectors_written"] * SECTOR

  def rates(self, others_read=0):
    """others_read: bytes that were read for another than the load."""
    (begin, before), (end, after) = self.begin, self.end or self.now()
    return rates_between(before, after, end - begin, others_read)


def rates_between(before, after, seconds, others_read):
  read, written = (now - then for now, then in zip(after, before))
  return Rates(max(read - others_read, 0) / seconds / 1e6, written / seconds / 1e6)
