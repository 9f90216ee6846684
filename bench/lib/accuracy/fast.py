# SPDX-License-Identifier: GPL-3.0-or-later
"""Streams of 5 to 16 MB/s and bursty ones, and what moves as much and is none: for choosing thresholds. fifth.py has the like that is held out."""
import itertools

from .. import trees
from . import fourth
from . import programs as p
from .labels import OTHER, STREAM
from .programs import KIB, MIB, Program, shell
from .scenario import BUSY, LOADED, NOTHING, QUIET, after, scenario

BURSTS = """
import os, sys, time
fd, burst, rate = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]), int(sys.argv[3])
due = time.monotonic()
while True:
  left = burst
  while left > 0:
    n = len(os.read(fd, min(left, 1 << 18)))
    left -= n
    if n == 0: os.lseek(fd, 0, os.SEEK_SET)
  due += burst / rate
  time.sleep(max(0, due - time.monotonic()))
"""
PLACES = """
import os, random, sys, time
fd, size, rate, steady = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "steady"
pieces, due = os.fstat(fd).st_size // size, time.monotonic()
while True:
  at = random.randrange(pieces) * size
  for k in range(0, size, 1 << 18): os.pread(fd, min(size, 1 << 18), at + k)
  due = due + size / rate if steady else time.monotonic() + random.expovariate(rate / size)
  time.sleep(max(0, due - time.monotonic()))
"""
NETWORK = """
import mmap, os, socket, sys, time
size, rate = int(sys.argv[2]), int(sys.argv[3])
ours, theirs = socket.socketpair()
theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
if os.fork() == 0:
  while True:
    theirs.sendall(bytes(size))
    time.sleep(size / rate)
theirs.close()
fd, block = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_DIRECT, 0o600), mmap.mmap(-1, size)
while ours.recv_into(block, size, socket.MSG_WAITALL) == size:
  if os.write(fd, block) < size: break
  if os.lseek(fd, 0, os.SEEK_CUR) >= 1 << 28: os.lseek(fd, 0, os.SEEK_SET)
"""
I420_360P = ("640x360", 640 * 360 * 3 // 2)
I420_480P = ("640x480", 640 * 480 * 3 // 2)
FPS = 25
FFMPEG = ("ffmpeg", "-nostdin", "-loglevel", "error")


def python(script, *arguments):
  return [trees.PYTHON, "-c", script, *arguments]


def mpv_raw(number):
  """A picture's bytes as they are, which a player of 4K shows as fast: 8.6 MB/s."""
  (size, frame), (width, height) = I420_360P, I420_360P[0].split("x")
  return Program(f"mpv plays raw {size}", "player: mpv", STREAM,
                 lambda place: ["mpv", "--no-config", "--vo=null", "--ao=null", "--really-quiet", "--demuxer=rawvideo", f"--demuxer-rawvideo-w={width}",
                                f"--demuxer-rawvideo-h={height}", f"--demuxer-rawvideo-fps={FPS}", place.big_file(number)],
                 rate=frame * FPS, step=frame, tools=("mpv",))


def ffmpeg_raw(number, fps=FPS):
  size, frame = I420_480P
  return Program(f"ffmpeg -re, raw {size} at {fps}", "player: ffmpeg", STREAM,
                 lambda place: [*FFMPEG, "-re", "-f", "rawvideo", "-s", size, "-r", fps, "-pix_fmt", "yuv420p", "-i", place.big_file(number), "-c", "copy", "-f", "null", "-"],
                 rate=frame * fps, step=frame, tools=("ffmpeg",))


def bursts(rate, burst, number):
  """As browsers and players with large buffers read: seconds of silence, then much at once."""
  return Program(f"bursts of {burst // MIB} MiB, {rate // KIB} KiB/s", "player: bursts", STREAM, lambda place: python(BURSTS, place.big_file(number), burst, rate),
                 rate=rate, step=burst)


def game(rate, piece, number):
  """Loads what comes into sight, at an even pace, from all over a large file."""
  return Program(f"a game's {piece // MIB} MiB pieces, {rate // MIB} MiB/s", "player: game", STREAM, lambda place: python(PLACES, place.big_file(number), piece, rate, "steady"),
                 rate=rate, step=piece)


def ffmpeg_capture(fps=FPS):
  size, frame = I420_480P
  return Program(f"ffmpeg captures raw {size} at {fps}", "recorder: buffered", STREAM,
                 lambda place: [*FFMPEG, "-re", "-f", "lavfi", "-i", f"color=size={size}:rate={fps}", "-pix_fmt", "yuv420p", "-f", "rawvideo", "-y", place.path / "captured"],
                 rate=frame * fps, tools=("ffmpeg",))


def torrent(rate, piece, number):
  """Each peer that asks for a piece gets it: now and then, and from anywhere."""
  return Program(f"serves {piece // KIB} KiB pieces, some {rate // MIB} MiB/s", "torrent", OTHER, lambda place: python(PLACES, place.big_file(number), piece, rate, "random"))


def network_copy(rate, block):
  """What comes over a slow network, on the drive piece by piece: what was late is not made up for. Where nothing is late it cannot be told from a recorder, so it begins
  beside a load."""
  return Program(f"a copy over a network, {rate // MIB} MiB/s by {block // KIB} KiB", "network copy", OTHER,
                 lambda place: python(NETWORK, place.path / f"copied-{rate}", block, rate))


def database(iops, **options):
  return Program(f"a database, {iops} steps a second", "database", OTHER,
                 lambda place: p.fio_job(place, "database", rw="randrw", rwmixread=80, bs="8k", direct=1, rate_iops=f"{iops * 4 // 5},{iops // 5}",
                                         filename=place.path / f"database-{iops}", size="256m", fallocate="none", **options), tools=("fio",))


ARCHIVE = shell("tar | gzip", "tar", 'tar -C "$0" -cf - noise | gzip -1 >"$0/noise.tar.gz"', needs=("noise",), ends=True)
ZSTD = shell("zstd -3", "compressor", 'for i in 0 1 2; do zstd -q -3 -T1 -c "$0/noise/noise$i" >/dev/null; done', role=OTHER, needs=("noise",), tools=("zstd",), ends=True)
LZ4 = shell("lz4", "compressor", 'for i in 0 1 2 0 1 2; do lz4 -q -9 -c "$0/noise/noise$i" >"$0/noise$i.lz4"; done', needs=("noise",), tools=("lz4",), ends=True)

DIRECT = (p.fio_reader(12 * MIB, 256 * KIB), p.fio_reader(6 * MIB, MIB, 13), p.fio_reader(16 * MIB, 2 * MIB, 14))
PLAYERS = (mpv_raw(15), ffmpeg_raw(16), p.gstreamer(6 * MIB, 512 * KIB, 12 * MIB, 17))
BURSTY = (bursts(2 * MIB, 8 * MIB, 18), bursts(5 * MIB, 20 * MIB, 19), bursts(1536 * KIB, 5 * MIB, 20))
CAPTURE = (p.fio_recorder(16 * MIB, MIB, "direct"), fourth.script_recorder(6 * MIB, 512 * KIB, 4))
GAME = (game(8 * MIB, 2 * MIB, 21), p.fio_reader(5 * MIB, 512 * KIB, 22))

ALL = tuple(itertools.chain(
  (scenario(f"4k-{label}-hdd", "hdd", *programs, seconds=seconds, verdicts=QUIET)
   for label, programs, seconds in (("direct", DIRECT, 22), ("players", PLAYERS, 24), ("bursty", BURSTY, 36), ("capture", CAPTURE, 22), ("game", GAME, 22))),
  (
    scenario("4k-direct-hdd-readers", "hdd", *DIRECT[:2], after(7, p.readers(5)), seconds=24, verdicts=BUSY),
    scenario("4k-direct-ssd-writers", "ssd", *DIRECT, after(7, p.writers(5)), seconds=24, verdicts=LOADED),
    scenario("4k-players-hdd-copy", "hdd", *PLAYERS[:2], after(7, p.COPY), seconds=24, verdicts=LOADED),
    scenario("4k-players-ssd-readers", "ssd", *PLAYERS, after(7, p.readers(5)), seconds=24, verdicts=BUSY),
    scenario("4k-bursty-ssd-cat", "ssd", *BURSTY, after(12, fourth.CAT), seconds=36, verdicts=LOADED),
    scenario("4k-capture-ssd-readers", "ssd", *CAPTURE, after(7, p.readers(5)), seconds=24, verdicts=BUSY),
    scenario("4k-captured-hdd", "hdd", ffmpeg_capture(), p.ffmpeg_recorder(8389), seconds=36, verdicts={"many-sync": False, "burst": False, "bulk": False}),
    scenario("4k-network-hdd-readers", "hdd", p.readers(4), after(6, network_copy(10 * MIB, MIB)), after(7, network_copy(4 * MIB, 256 * KIB)), seconds=30, verdicts=BUSY),
    scenario("4k-network-hdd-slow-writers", "hdd-slow", p.writers(5), after(10, network_copy(8 * MIB, MIB)), after(11, network_copy(3 * MIB, 512 * KIB)), seconds=32, verdicts=LOADED),
    scenario("4k-served-hdd", "hdd", torrent(6 * MIB, MIB, 12), torrent(2 * MIB, 256 * KIB, 13), database(60), seconds=26, verdicts=NOTHING),
    scenario("4k-served-ssd", "ssd", torrent(12 * MIB, MIB, 12), torrent(4 * MIB, 512 * KIB, 13), database(800, rate_process="poisson"), seconds=26, verdicts=NOTHING),
    scenario("4k-archives-ssd", "ssd", ARCHIVE, after(8, ZSTD), after(14, LZ4), seconds=24, verdicts=LOADED),
    scenario("4k-slow-readers-ssd", "ssd", p.burners(5), p.slow_reader(1, MIB), p.slow_reader(2), p.jittery_reader(3, block=512 * KIB), seconds=22, verdicts=LOADED),
  ),
))
