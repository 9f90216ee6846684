# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenarios of the corpus: which programs run when, on which drive. What is true of each follows from its programs, and from
`verdicts`: kinds of verdicts that must stand at some time, or must not."""
from pathlib import Path

from . import programs as p
from . import fast, fifth, fourth, second, sixth, third
from .labels import BULK, STREAM
from .programs import KIB, MIB
from .scenario import BUSY, LOADED, NOTHING, QUIET, after, scenario, with_players

HELD_OUT = Path(__file__).resolve().parents[2] / "accuracy" / "held-out"

VIDEO_PLAYERS = (p.ffmpeg_player(8389), p.mpv("video-2000.ts", p.bytes_of(2000)), p.gstreamer(MIB, 256 * KIB, 2 * MIB))
SOUND_PLAYERS = (p.mpv("album.wav", 176400), p.mpv("song.mp3", 40000), p.ffmpeg_player(512))
DIRECT_PLAYERS = (p.fio_reader(MIB, 256 * KIB), p.fio_reader(256 * KIB, 64 * KIB, 13), p.fio_reader(3 * MIB, MIB, 14))
BUFFERED_PLAYERS = (p.mpv("film.mkv", 0, "--cache=yes", "--demuxer-max-bytes=6MiB"),
                    p.mpv("video-8389.ts", p.bytes_of(8389), "--stream-buffer-size=4MiB", step=2 * MIB), p.gstreamer(MIB, MIB, 8 * MIB))
FAST_PLAYERS = (p.ffmpeg_player(24000), p.gstreamer(3 * MIB, 512 * KIB, 4 * MIB))
SMALL_BLOCKS = (p.gstreamer(MIB, 4 * KIB), p.gstreamer(256 * KIB, 64 * KIB, number=13), p.mpv("video-8389.ts", p.bytes_of(8389), "--cache=no"))
RECORDERS = (p.fio_recorder(MIB, 256 * KIB, "direct"), p.fio_recorder(256 * KIB, 64 * KIB, "sync"), p.call())
BUFFERED_RECORDERS = (p.ffmpeg_recorder(8389), p.sound_recorder())


ALL = {each.name: each for each in (
  *with_players("video", VIDEO_PLAYERS),
  *with_players("sound", SOUND_PLAYERS, seconds=40),
  *with_players("direct", DIRECT_PLAYERS),
  *with_players("recorders", RECORDERS),
  scenario("buffered-hdd", "hdd", *BUFFERED_PLAYERS, seconds=32, verdicts=QUIET),
  scenario("buffered-ssd", "ssd", *BUFFERED_PLAYERS, seconds=32, verdicts=QUIET),
  scenario("buffered-ssd-readers", "ssd", *BUFFERED_PLAYERS, after(6, p.readers()), verdicts=BUSY),
  scenario("fast-hdd", "hdd", *FAST_PLAYERS, verdicts=QUIET),
  scenario("fast-ssd-readers", "ssd", *FAST_PLAYERS, after(6, p.readers(4)), verdicts={"bulk": True}),
  scenario("small-blocks-hdd", "hdd", *SMALL_BLOCKS, verdicts=QUIET),
  scenario("small-blocks-sd-card", "sd-card", *SMALL_BLOCKS, verdicts=QUIET),
  scenario("sound-sd-card-copy", "sd-card", *SOUND_PLAYERS, after(6, p.COPY_NOISE), seconds=40),
  scenario("video-xfs-hdd", "hdd", *VIDEO_PLAYERS, filesystem="xfs", verdicts=QUIET),
  scenario("video-deadline-hdd-readers", "hdd", *VIDEO_PLAYERS, after(6, p.readers(5)), scheduler="mq-deadline", verdicts=BUSY),
  scenario("direct-deadline-ssd-writers", "ssd", *DIRECT_PLAYERS, after(6, p.writers(5)), scheduler="mq-deadline", verdicts=LOADED),
  scenario("buffered-recorders-hdd", "hdd", *BUFFERED_RECORDERS, verdicts=NOTHING),
  scenario("buffered-recorders-ssd-readers", "ssd", *BUFFERED_RECORDERS, after(6, p.readers()), verdicts=BUSY),
  scenario("everything-ssd", "ssd", p.ffmpeg_player(8389), p.mpv("song.mp3", 40000), p.call(), after(5, p.COMPILE), after(9, p.COPY_NOISE), after(15, p.GIT_GREP)),
  # None of what follows has a stream in it.
  scenario("readers-hdd", "hdd", p.readers(), verdicts=BUSY),
  scenario("readers-apart-hdd", "hdd", p.readers(10, apart_ms=400), verdicts=BUSY),
  scenario("readers-ssd", "ssd", p.readers(), verdicts=BUSY, seconds=16),
  scenario("writers-hdd", "hdd", p.writers(), verdicts=LOADED),
  scenario("writers-sd-card", "sd-card", p.writers(4), after(5, p.FIND), verdicts=LOADED),
  scenario("one-reader-hdd", "hdd", p.readers(1), verdicts=BUSY | {"burst": False}),
  scenario("copy-hdd", "hdd", p.COPY, after(10, p.TAR), verdicts=BUSY),
  scenario("copy-xfs-ssd", "ssd", p.COPY_NOISE, filesystem="xfs", verdicts=LOADED),
  scenario("tar-small-hdd", "hdd", p.TAR_SMALL, verdicts=LOADED),
  scenario("tar-small-sd-card", "sd-card", p.TAR_SMALL, verdicts=LOADED),
  scenario("git-hdd", "hdd", p.GIT_STATUS, after(10, p.GIT_GREP)),
  scenario("git-ssd", "ssd", p.GIT_GREP, after(6, p.GIT_STATUS), after(12, p.GIT_GREP), seconds=20),
  scenario("git-sd-card-readers", "sd-card", p.readers(2), after(4, p.GIT_STATUS), after(14, p.GIT_GREP)),
  scenario("compile-hdd", "hdd", p.COMPILE, verdicts=LOADED),
  scenario("compile-ssd-writers", "ssd", p.writers(4), after(3, p.COMPILE), verdicts=LOADED),
  scenario("upgrade-hdd", "hdd", p.UPGRADE, verdicts=LOADED),
  scenario("upgrade-ssd", "ssd", p.UPGRADE, verdicts=LOADED, seconds=16),
  scenario("database-hdd", "hdd", p.DATABASE, verdicts=LOADED),
  scenario("database-ssd-readers", "ssd", p.DATABASE, after(6, p.readers(5)), seconds=18),
  scenario("updatedb-hdd", "hdd", p.UPDATEDB, after(12, p.FIND), verdicts=LOADED),
  scenario("updatedb-sd-card", "sd-card", p.FIND, after(12, p.UPDATEDB), verdicts=LOADED),
  scenario("random-hdd", "hdd", p.RANDOM_READS, p.RANDOM_SYNC, verdicts=LOADED),
  scenario("random-ssd", "ssd", p.RANDOM_READS, p.RANDOM_SYNC, seconds=12, verdicts=LOADED),
  scenario("many-hdd", "hdd", p.many_readers(150), verdicts={"many-sync": True}),
  scenario("many-ssd", "ssd", p.many_readers(500), verdicts={"many-sync": True}),
  scenario("many-hdd-30", "hdd", p.many_readers(30), verdicts={"many-sync": True}),
  scenario("compressors-hdd", "hdd", p.COMPRESS, p.GZIP, verdicts=LOADED),
  scenario("compressors-ssd", "ssd", p.TRANSCODE, p.COMPRESS, verdicts=LOADED),
  scenario("checksum-ssd", "ssd", p.CHECKSUM, p.GZIP, verdicts=LOADED),
  scenario("slow-readers-hdd", "hdd", p.burners(), p.slow_reader(0), p.slow_reader(1), verdicts=LOADED),
  scenario("slow-readers-ssd", "ssd", p.burners(6), p.slow_reader(0), p.slow_reader(1, 4 * KIB), p.slow_reader(2), verdicts=LOADED),
  scenario("jitter-hdd", "hdd", p.jittery_reader(0), p.jittery_reader(1, direct=1), verdicts=LOADED),
  scenario("jitter-ssd", "ssd", p.jittery_reader(0, direct=1), p.jittery_reader(1), p.jittery_reader(2, direct=1, block=MIB), verdicts=LOADED),
  scenario("start-hdd", "hdd", p.PYTHON, after(8, p.PYTHON_TYPED), after(16, p.PYTHON), seconds=24, verdicts=NOTHING),
  scenario("start-hdd-readers", "hdd", p.readers(), after(4, p.PYTHON)),
  scenario("start-hdd-writers", "hdd", p.writers(), after(6, p.PYTHON_TYPED)),
  scenario("start-ssd-readers", "ssd", p.readers(), after(3, p.PYTHON), after(10, p.PYTHON_TYPED), seconds=18),
  scenario("start-sd-card-copy", "sd-card", p.COPY_NOISE, after(5, p.PYTHON)),
  scenario("start-deadline-ssd-readers", "ssd", p.readers(), after(3, p.PYTHON), after(12, p.PYTHON_TYPED), scheduler="mq-deadline", seconds=20),
  scenario("writer-ssd", "ssd", p.WRITER, seconds=16, verdicts={"many-sync": False, "writeback": False}),
  scenario("writer-ssd-mixed", "ssd", p.readers(5), p.writers(5), after(5, p.WRITER), seconds=36, verdicts=BUSY),
  scenario("writer-hdd-mixed", "hdd", p.readers(5), p.writers(5), after(5, p.WRITER), seconds=36, verdicts=BUSY),
  scenario("writer-mixed-slow-ssd", "ssd", p.readers(5), p.writers(5), p.burners(4), after(5, p.WRITER), seconds=30, verdicts=LOADED),
  *second.ALL,
  *third.ALL,
  *fourth.ALL,
  *fast.ALL,
  *fifth.ALL,
  *sixth.ALL,
)}


def held_out():
  """Names that no threshold is chosen by. Chosen before the first recording was made, and only ever added to."""
  return {line for line in HELD_OUT.read_text().splitlines() if line and not line.startswith("#")}


def has(each, role):
  return any(part.program.role == role for part in each.parts)


STREAMS = tuple(name for name, each in ALL.items() if has(each, STREAM))
GREEDY = tuple(name for name, each in ALL.items() if has(each, BULK) and not has(each, STREAM))
