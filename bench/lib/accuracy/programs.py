# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that the corpus is made of, each with what is true of it.

A stream needs its data at its own pace, and that pace is given: by a player's clock, by a rate that the command line names. What takes
as much as it gets is no stream, however slow it is: a compressor, a reader that gets little of a busy processor, one that is
stopped again and again.
"""
import contextlib
import os
import pty
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

from .. import debian, fio, loads, process, programs
from .labels import BULK, OTHER, START, STREAM

KIB, MIB = 1 << 10, 1 << 20
BIG_FILES = 24
FIRST_OF_PLAYERS = 12     # of the big files: those before it are the loads'. No two programs of a scenario read the same file, or one would find it in the cache.
READ_AHEAD = 128 * KIB    # of the kernel: a process that reads less at a time asks the drive for so much
JITTER_STOP_S, JITTER_RUN_S = (0.005, 0.08), (0.02, 0.25)  # of a machine whose host has other things to do
NICE_BURNERS = 3

# How a user starts a program: as a job of a terminal's shell, or as a desktop's launcher does (GLib's g_app_info_launch()).
BY_TERMINAL, BY_LAUNCHER = "terminal", "launcher"
TERMINAL_JOB = 'exec <"$0" && set -m && "$@"'  # the leader of a session has the first terminal that it opens
LAUNCH = 'GIO_LAUNCHED_DESKTOP_FILE_PID=$$; export GIO_LAUNCHED_DESKTOP_FILE_PID; exec "$@"'
LAUNCHED = {"GIO_LAUNCHED_DESKTOP_FILE": "/usr/share/applications/org.example.Bench.desktop"}
CHROOT = "/usr/sbin/chroot"


@dataclass(frozen=True)
class Program:
  """argv(place): what is run; place has the file system's path as `path`. needs: names of content.ALL.
  root: the tree that is its root directory. jitter: it is stopped for moments. tools: without which it cannot run."""
  name: str
  kind: str
  role: str
  argv: Callable
  rate: int = 0
  step: int = READ_AHEAD   # bytes of a stream that the drive is asked for together
  needs: tuple = ()
  tools: tuple = ()
  root: str | None = None
  environment: dict | None = None
  jitter: bool = False
  cold: bool = False       # the page cache is emptied before it begins
  ends: bool = False       # by itself, and that is no fault
  started: str | None = None  # for a start: how a user starts it

  @property
  def period_s(self):
    """Between a stream's requests, by its rate."""
    return self.step / self.rate if self.rate else 0

  def missing(self):
    return next((f"there is no {tool}" for tool in self.tools if not shutil.which(tool)), None)

  @contextlib.contextmanager
  def running(self, place, stdout=subprocess.DEVNULL):
    """Yields its process. What it finds in its root directory besides its tree is the caller's: see kernel_mounts()."""
    argv = [str(a) for a in self.argv(place)]
    environment = self.environment or dict(os.environ)
    if self.root:
      argv = [CHROOT, str(place.path / self.root), *argv]
    with contextlib.ExitStack() as stack:
      if self.started == BY_TERMINAL:
        argv = ["sh", "-c", TERMINAL_JOB, stack.enter_context(terminal()), *argv]
      elif self.started == BY_LAUNCHER:
        argv, environment = ["sh", "-c", LAUNCH, "sh", *argv], environment | LAUNCHED
      yield stack.enter_context(process.Process(argv, env=environment, stdout=stdout, stderr=subprocess.PIPE))


@contextlib.contextmanager
def terminal():
  """The path of a terminal that is not looked at."""
  ours, theirs = pty.openpty()
  try:
    yield os.ttyname(theirs)
  finally:
    os.close(theirs)
    os.close(ours)


def kernel_mounts(programs_, place):
  """A context manager: /proc and the like for those of the programs whose root directory is a system of its own."""
  root = next((each.root for each in programs_ if each.root == "debian"), None)
  return debian.mounted(place.path / root, debian.KERNEL_MOUNTS) if root else contextlib.nullcontext()


# Players

def video(kbit_s):
  return f"video-{kbit_s}.ts"


def bytes_of(kbit_s):
  return kbit_s * 1000 // 8


def ffmpeg_player(kbit_s):
  return Program(f"ffmpeg -re, {kbit_s} kbit/s", "player: ffmpeg", STREAM,
                 lambda place: ["ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-i", place.path / "media" / video(kbit_s), "-map", "0",
                                "-c", "copy", "-f", "null", "-"],
                 rate=bytes_of(kbit_s), needs=("media",), tools=("ffmpeg",))


def mpv(file, rate, *options, step=READ_AHEAD):
  what = " ".join(o.removeprefix("--") for o in options)
  return Program(f"mpv {file}{' ' + what if what else ''}", "player: mpv", STREAM,
                 lambda place: ["mpv", "--no-config", "--vo=null", "--ao=null", "--really-quiet", *options, place.path / "media" / file],
                 rate=rate, step=step, needs=("media",), tools=("mpv",))


def gstreamer(rate, block, queue=0, number=FIRST_OF_PLAYERS):
  """Plays bytes, whatever they are, at a rate, from a file of its own."""
  buffer = ["!", "queue", f"max-size-bytes={queue}", "max-size-buffers=0", "max-size-time=0"] if queue else []
  return Program(f"GStreamer, {rate // KIB} KiB/s, blocks of {block // KIB} KiB, queue of {queue // KIB} KiB", "player: GStreamer", STREAM,
                 lambda place: ["gst-launch-1.0", "-q", "filesrc", f"location={place.big_file(number)}", f"blocksize={block}", *buffer, "!", "identity",
                                f"datarate={rate}", "single-segment=true", "!", "fakesink", "sync=true"],
                 rate=rate, step=max(block, READ_AHEAD), tools=("gst-launch-1.0",))


def fio_job(place, name, **options):
  options = {"ioengine": "psync", "time_based": True, "runtime": loads.FOREVER_S} | options
  return fio.command_of_jobs({name: options})


def fio_reader(rate, block, number=FIRST_OF_PLAYERS):
  """Reads with direct I/O, as a player does that has a buffer of its own."""
  return Program(f"direct reads, {rate // KIB} KiB/s by {block // KIB} KiB", "player: direct reads", STREAM,
                 lambda place: fio_job(place, "player", rw="read", bs=block, rate=rate, direct=1, readonly=True, filename=place.big_file(number),
                                       offset="64m"),
                 rate=rate, step=block, tools=("fio",))


# Recorders and calls

def ffmpeg_recorder(kbit_s):
  return Program(f"ffmpeg writes {kbit_s} kbit/s", "recorder: buffered", STREAM,
                 lambda place: ["ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25", "-c:v",
                                "mpeg2video", "-b:v", f"{kbit_s // 2}k", "-muxrate", f"{kbit_s}k", "-f", "mpegts", "-y", place.path / f"rec-{kbit_s}.ts"],
                 rate=bytes_of(kbit_s), tools=("ffmpeg",))


def sound_recorder():
  """As arecord writes: plain samples through the page cache."""
  return Program("a sound recorder, 176 kB/s", "recorder: buffered", STREAM,
                 lambda place: ["ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-f", "lavfi", "-i", "anoisesrc=sample_rate=44100", "-ac", "2", "-c:a",
                                "pcm_s16le", "-y", place.path / "sound.wav"], rate=176400, tools=("ffmpeg",))


def fio_recorder(rate, block, how):
  """how: direct, or sync (through the page cache, each write waits until it is on the drive)."""
  return Program(f"{how} writes, {rate // KIB} KiB/s by {block // KIB} KiB", f"recorder: {how}", STREAM,
                 lambda place: fio_job(place, "recorder", rw="write", bs=block, rate=rate, filename=place.path / f"recorded-{how}-{rate}", size="512m",
                                       fallocate="none", **{how: 1}),
                 rate=rate, step=block, tools=("fio",))


def call(rate=64 * KIB, block=16 * KIB):
  """Reads and writes a little each, at its own pace, and waits for it."""
  return Program(f"a call, {rate // KIB} + {rate // KIB} KiB/s", "call", STREAM,
                 lambda place: fio_job(place, "call", rw="rw", rwmixread=50, bs=block, rate=f"{rate},{rate}", direct=1,
                                       filename=place.path / "call", size="64m"),
                 rate=2 * rate, step=block, tools=("fio",))


# Bulk

def shell(name, kind, script, role=BULK, **more):
  return Program(name, kind, role, lambda place: ["sh", "-c", script, place.path], **more)


def readers(n=10, apart_ms=0):
  return Program(f"{n} sequential readers", "greedy readers", BULK,
                 lambda place: fio.command_of_jobs({f"reader{i}": {"ioengine": "psync", "time_based": True, "runtime": loads.FOREVER_S, "rw": "read",
                                                                   "bs": loads.CALL_BYTES, "filename": place.big_file(i), "startdelay": f"{i * apart_ms}ms"}
                                                    for i in range(n)}), tools=("fio",))


def writers(n=10):
  """As in the S suite the file system is synced every two seconds meanwhile."""
  jobs = {f"writer{i}": {"ioengine": "psync", "time_based": True, "runtime": loads.FOREVER_S, "rw": "write", "bs": loads.CALL_BYTES, "size": "1g",
                         "create_on_open": 1, "fallocate": "none", "zero_buffers": True} for i in range(n)}
  return Program(f"{n} writers", "greedy writers", BULK,
                 lambda place: ["sh", "-c", f'({loads.SYNC}) & exec "$@"', place.path,
                                *fio.command_of_jobs({name: job | {"filename": place.path / name} for name, job in jobs.items()})], tools=("fio",))


def slow_reader(number, block=128 * KIB):
  """Greedy, with the lowest claim to a processor that others burn: see burners()."""
  return Program("a greedy reader without a processor", "greedy, slowed by CPU load", BULK,
                 lambda place: ["nice", "-n", "19", *fio_job(place, "slow", rw="read", bs=block, filename=place.big_file(number))], tools=("fio",))


def jittery_reader(number, direct=0, block=128 * KIB):
  """One process of its own: a stopped process ends with us by nothing but SIGKILL."""
  return Program(f"a greedy reader that is stopped for moments{', direct' if direct else ''}", "greedy, slowed by jitter", BULK,
                 lambda place: ["setpriv", "--pdeathsig", "KILL", *fio_job(place, "jittery", rw="read", bs=block, direct=direct, thread=True,
                                                                           filename=place.big_file(number))],
                 tools=("fio", "setpriv"), jitter=True)


def burners(n=NICE_BURNERS):
  script = " ".join(["while :; do :; done &"] * n) + " wait"
  return Program(f"{n} processes that compute", "burners", OTHER, lambda _place: ["sh", "-c", script])


COPY = shell("cp", "cp", 'cp --sparse=never "$0/big/file10" "$0/copied"', ends=True)
COPY_NOISE = shell("cp of noise", "cp", 'while :; do for i in 0 1 2; do cp "$0/noise/noise$i" "$0/copied$i" || exit; done; sync -f "$0"; done',
                   needs=("noise",))
TAR = shell("tar", "tar", 'tar -C "$0" -cf - big/file11 | cat >/dev/null', ends=True)
TAR_SMALL = shell("tar of small files", "tar", 'tar -C "$0" -cf "$0/small.tar" python repository', needs=("python", "repository"), cold=True, ends=True,
                  role=OTHER)
COMPRESS = shell("xz", "compressor", 'xz -1 -T1 -c "$0/noise/noise0" >/dev/null', needs=("noise",), tools=("xz",), ends=True)
CHECKSUM = shell("sha256sum", "compressor", 'sha256sum "$0/big/file09" >/dev/null', ends=True)
GZIP = shell("gzip", "compressor", 'gzip -9 -c "$0/noise/noise1" "$0/noise/noise2" >/dev/null', needs=("noise",), tools=("gzip",), ends=True)
TRANSCODE = shell("ffmpeg transcodes", "compressor",
                  'ffmpeg -nostdin -loglevel error -i "$0/media/video-24000.ts" -s 640x360 -c:v libx264 -preset slow -threads 1 -f null -',
                  needs=("media",), tools=("ffmpeg",), ends=True)
RANDOM_READS = Program("random reads", "sync-random", OTHER, lambda place: fio_job(place, "random", rw="randread", bs=4096, direct=1,
                                                                                    filename=place.big_file(11)), tools=("fio",))
RANDOM_SYNC = Program("random writes with fsync", "sync-random", OTHER,
                      lambda place: fio_job(place, "random", rw="randrw", bs=4096, fsync=1, filename=place.path / "random", size="128m"), tools=("fio",))
# Work of many small steps

GIT_STATUS = Program("git status", "git", START, lambda place: ["git", "-C", place.path / "repository", "status", "--short"], needs=("repository",),
                     tools=("git",), cold=True, ends=True, started=BY_TERMINAL)
GIT_GREP = Program("git grep", "git", OTHER, lambda place: ["git", "-C", place.path / "repository", "grep", "-c", "import"], needs=("repository",),
                   tools=("git",), cold=True, ends=True)
COMPILE = Program("make -j2", "compile", OTHER, lambda place: ["make", "-s", "-j2", "-C", place.path / "project"], needs=("project",),
                  tools=("make", "gcc"), cold=True, ends=True)
UPGRADE = shell("dpkg", "package upgrade",
                'mkdir -p "$0/upgrade/var/lib/dpkg/info" "$0/upgrade/var/lib/dpkg/updates"; touch "$0/upgrade/var/lib/dpkg/status"; ' + loads.UPGRADE,
                needs=("packages",), tools=("dpkg",), role=OTHER)
DATABASE = shell("sqlite3", "database",
                 '{ echo "create table t(a integer primary key, b text);"; i=0; while :; do i=$((i+1)); '
                 'echo "insert into t(b) values(hex(randomblob(200)));"; [ $((i % 50)) = 0 ] && echo "select count(*) from t;"; done; } | sqlite3 "$0/db"',
                 tools=("sqlite3",), role=OTHER)
UPDATEDB = Program("updatedb", "updatedb, find", OTHER, lambda place: ["updatedb", "-l", "0", "-o", place.path / "locate.db", "-U", place.path],
                   needs=("python", "repository"), tools=("updatedb",), cold=True, ends=True)
FIND = shell("find", "updatedb, find", 'find "$0/python" "$0/repository" -type f -size +1k -exec grep -lq zzzz {} + >/dev/null; true',
             needs=("python", "repository"), role=OTHER, cold=True, ends=True)


def many_readers(n):
  """Seed 000: each reads 4 KiB a second. Regular it is, but nothing plays."""
  return Program(f"{n} small readers", "seed 000", OTHER,
                 lambda place: [*fio_job(place, "small", rw="randread", bs=4096, direct=1, thinktime="1s", numjobs=n, filename=place.big_file(11))],
                 tools=("fio",))


# Programs that start, from trees on the drive

def python(started):
  return Program(f"python3, {started}", "start: python3", START, lambda _place: programs.Python.argv, needs=("python",), root="python", cold=True,
                 ends=True, started=started, environment=programs.Python.environment)


PYTHON, PYTHON_TYPED = python(BY_LAUNCHER), python(BY_TERMINAL)
WRITER = Program("LibreOffice Writer", "start: LibreOffice", START, lambda _place: programs.Writer.argv, needs=("debian",), root="debian", cold=True,
                 ends=True, started=BY_LAUNCHER, environment=debian.ENVIRONMENT)


class Jitter:
  """Stops a process for moments, as a host stops its guest."""

  def __init__(self, pid, seed):
    self.pid = pid
    self.random = random.Random(f"jitter {seed}")
    self.stopped = False
    self.next = time.monotonic()

  def look(self):
    now = time.monotonic()
    if now < self.next:
      return
    self.stopped = not self.stopped
    self.next = now + self.random.uniform(*(JITTER_STOP_S if self.stopped else JITTER_RUN_S))
    self._tell(signal.SIGSTOP if self.stopped else signal.SIGCONT)

  def end(self):
    self._tell(signal.SIGCONT)

  def _tell(self, number):
    with contextlib.suppress(ProcessLookupError):
      os.kill(self.pid, number)
