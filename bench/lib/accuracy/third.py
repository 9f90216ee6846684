# SPDX-License-Identifier: GPL-3.0-or-later
"""The third set of scenarios: other programs, rates, buffers, loads and drives than the first (scenarios.py) and the second have. It was held out until its
mistakes had been looked at, and is for tuning since; fourth.py has what is held out now."""
from .. import trees
from . import programs as p
from .labels import BULK, OTHER, STREAM
from .programs import KIB, MIB, Program, shell
from .scenario import LOADED, NOTHING, QUIET, after, scenario

MAPPED = """
import mmap, sys, time
size, rate = int(sys.argv[2]), int(sys.argv[3])
with open(sys.argv[1], "rb") as file:
  data = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
due = time.monotonic()
for at in range(0, len(data), size):
  len(data[at:at + size])
  due += size / rate
  time.sleep(max(0, due - time.monotonic()))
"""
BY_EVENTS = """
const fs = require('fs'), [file, size, rate] = process.argv.slice(1), fd = fs.openSync(file), data = Buffer.alloc(+size);
setInterval(() => fs.read(fd, data, 0, data.length, null, () => {}), 1000 * size / rate);
"""
RECORD = """
import os, sys, time
size, rate, flags = int(sys.argv[2]), int(sys.argv[3]), os.O_DSYNC if sys.argv[4] == "synced" else 0
fd, due = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | flags, 0o600), time.monotonic()
while os.write(fd, bytes(size)):
  due += size / rate
  time.sleep(max(0, due - time.monotonic()))
"""
SERVE = """
port=$((20000 + $$ % 20000))
"$1" -m http.server --bind 127.0.0.1 --directory "$0/big" $port >/dev/null 2>&1 &
trap "kill $!" EXIT
wget -q -O /dev/null --retry-connrefused --waitretry=1 --tries=20 --limit-rate="$2" "http://127.0.0.1:$port/$3"
"""
FFMPEG = ("ffmpeg", "-nostdin", "-loglevel", "error")


def media(place, file):
  return place.path / "third-media" / file


def ffmpeg_player(kbit_s):
  """Into another container, as what sends it on does."""
  return Program(f"ffmpeg -readrate, {kbit_s} kbit/s", "player: ffmpeg", STREAM,
                 lambda place: [*FFMPEG, "-readrate", "1", "-i", media(place, p.video(kbit_s)), "-c", "copy", "-f", "matroska", "-y", "/dev/null"],
                 rate=p.bytes_of(kbit_s), needs=("third-media",), tools=("ffmpeg",))


def mpv(file, rate, *options, step=p.READ_AHEAD):
  what = " ".join(o.removeprefix("--") for o in options)
  return Program(f"mpv {file}{' ' + what if what else ''}", "player: mpv", STREAM,
                 lambda place: ["mpv", "--no-config", "--vo=null", "--ao=null", "--really-quiet", *options, media(place, file)],
                 rate=rate, step=step, needs=("third-media",), tools=("mpv",))


def mapped_player(rate, block, number):
  """Reads by page faults."""
  return Program(f"plays what it mapped, {rate // KIB} KiB/s by {block // KIB} KiB", "player: script", STREAM,
                 lambda place: [trees.PYTHON, "-c", MAPPED, place.big_file(number), block, rate], rate=rate, step=max(block, p.READ_AHEAD))


def event_player(rate, block, number):
  """Reads in a thread of its pool, whenever a timer fires."""
  return Program(f"node reads, {rate // KIB} KiB/s by {block // KIB} KiB", "player: node", STREAM,
                 lambda place: ["node", "-e", BY_EVENTS, place.big_file(number), block, rate], rate=rate, step=max(block, p.READ_AHEAD), tools=("node",))


def server(rate, number):
  """A media server, whose player is far away: its socket paces it."""
  return Program(f"http.server, {rate // KIB} KiB/s", "player: server", STREAM,
                 lambda place: ["sh", "-c", SERVE, place.path, trees.PYTHON, rate, place.big_file(number).name], rate=rate, tools=("wget",))


def script_recorder(rate, block, how):
  """how: synced (each piece is on the drive before it goes on), or buffered."""
  return Program(f"python records {how}, {rate // KIB} KiB/s by {block // KIB} KiB", "recorder: script" if how == "synced" else "recorder: buffered", STREAM,
                 lambda place: [trees.PYTHON, "-c", RECORD, place.path / f"recorded-{rate}", block, rate, how], rate=rate, step=block)


def camera(kbit_s):
  return Program(f"ffmpeg films, {kbit_s} kbit/s", "recorder: buffered", STREAM,
                 lambda place: [*FFMPEG, "-re", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=15", "-c:v", "libx264", "-preset", "ultrafast",
                                "-tune", "zerolatency", "-b:v", f"{kbit_s // 2}k", "-muxrate", f"{kbit_s}k", "-f", "mpegts", "-y", place.path / "filmed.ts"],
                 rate=p.bytes_of(kbit_s), tools=("ffmpeg",))


def writing(name, kind, script, role=BULK, **more):
  """What it makes goes to the drive that it reads from."""
  return shell(name, kind, script, role, **more)


LZOP = shell("lzop", "compressor", 'lzop -9 -c "$0/noise/noise0" >/dev/null', needs=("noise",), tools=("lzop",), ends=True)
XZ_BACK = writing("xz, back to the drive", "compressor", 'xz -2 -T1 -c "$0/noise/noise1" >"$0/made.xz"', needs=("noise",), tools=("xz",), ends=True)
ZIP = writing("zip", "compressor", 'zip -q -9 "$0/made.zip" "$0/noise/noise2"', needs=("noise",), tools=("zip",), ends=True)
SHA512 = shell("sha512sum", "compressor", 'sha512sum "$0/big/file07" >/dev/null', ends=True)
FLAC = writing("ffmpeg makes flac", "compressor", 'ffmpeg -nostdin -loglevel error -i "$0/media/album.wav" -compression_level 12 -threads 1 -y "$0/made.flac"',
               needs=("media",), tools=("ffmpeg",), ends=True)
COPY_TREE = writing("cp -r", "cp", 'cp -r "$0/python" "$0/python.copy"', role=OTHER, needs=("python",), cold=True, ends=True)
DD_SYNC = writing("dd, synced", "greedy writers", 'while :; do dd if=/dev/zero of="$0/dd" bs=256k count=200 oflag=dsync conv=notrunc 2>/dev/null || exit; done')
SPLIT = writing("split", "cp", 'split -b 16m "$0/big/file06" "$0/piece."', ends=True)
CLONE = writing("git clone", "git", 'git clone --quiet --no-local "$0/repository" "$0/clone"', role=OTHER, needs=("repository",), tools=("git",), cold=True,
                ends=True)
DU = shell("du", "updatedb, find", 'du -a "$0/python" "$0/repository" >/dev/null', role=OTHER, needs=("python", "repository"), cold=True, ends=True)
SUMS = shell("md5sum of a tree", "updatedb, find", 'find "$0/repository" -type f -exec md5sum {} + >/dev/null', role=OTHER, needs=("repository",), cold=True,
             ends=True)
UNTAR = writing("tar x", "tar", 'tar -C "$0" -cf "$0/t.tar" python && mkdir "$0/out" && tar -C "$0/out" -xf "$0/t.tar"', role=OTHER, needs=("python",),
                cold=True, ends=True)
SAVES = shell("sqlite3 saves now and then", "database",
              '{ echo "create table t(b text);"; while sleep 0.15; do echo "insert into t values(hex(randomblob(3000)));"; done; } | sqlite3 "$0/saved"',
              tools=("sqlite3",), role=OTHER)

VIDEO = (ffmpeg_player(3000), mpv("video-6000.ts", p.bytes_of(6000), "--demuxer-readahead-secs=4"), mapped_player(900 * KIB, 200 * KIB, 16))
SOUND = (mpv("talk.mp3", 32000), mpv("wide.wav", 288000), event_player(200 * KIB, 40 * KIB, 17))
WEB = (server(768 * KIB, 18), event_player(1400 * KIB, 180 * KIB, 19))
DIRECT = (p.fio_reader(400 * KIB, 48 * KIB), p.fio_reader(5 * MIB // 2, 768 * KIB, 13))
RECORDERS = (script_recorder(800 * KIB, 100 * KIB, "synced"), p.fio_recorder(2 * MIB, 512 * KIB, "direct"), p.call(96 * KIB, 32 * KIB))
BUFFERED = (camera(4000), script_recorder(400 * KIB, 64 * KIB, "buffered"))

ALL = (
  scenario("third-video-hdd-slow", "hdd-slow", *VIDEO, verdicts=QUIET),
  scenario("third-video-hdd-readers", "hdd", *VIDEO, after(6, p.readers(7)), verdicts=LOADED | {"bulk": True}),
  scenario("third-video-emmc-copy", "emmc", *VIDEO, after(6, p.COPY_NOISE), verdicts=LOADED),
  scenario("third-sound-ssd", "ssd", *SOUND, seconds=40, verdicts=QUIET),
  scenario("third-sound-hdd-writers", "hdd", *SOUND, after(6, p.writers(4)), seconds=40, verdicts=LOADED),
  scenario("third-web-ssd-readers", "ssd", *WEB, after(6, p.readers(5)), verdicts=LOADED | {"bulk": True}),
  scenario("third-web-hdd", "hdd", *WEB, verdicts=QUIET),
  scenario("third-direct-usb-stick", "usb-stick", *DIRECT, after(8, SUMS), verdicts=LOADED),
  scenario("third-direct-nvme-readers", "nvme", *DIRECT, after(6, p.readers(4)), verdicts=LOADED | {"bulk": True}),
  scenario("third-direct-deadline-hdd", "hdd", *DIRECT, after(6, p.readers(2)), scheduler="mq-deadline", verdicts=LOADED | {"bulk": True}),
  scenario("third-recorders-hdd-slow", "hdd-slow", *RECORDERS, verdicts=QUIET),
  scenario("third-recorders-hdd-readers", "hdd", *RECORDERS, after(6, p.readers(6)), verdicts=LOADED | {"bulk": True}),
  scenario("third-recorders-ssd-dd", "ssd", *RECORDERS, after(6, DD_SYNC), verdicts=LOADED),
  scenario("third-buffered-hdd", "hdd", *BUFFERED, seconds=34, verdicts=NOTHING),
  scenario("third-buffered-ssd-split", "ssd", *BUFFERED, after(8, SPLIT), seconds=34, verdicts=LOADED),
  scenario("third-compressors-hdd", "hdd", p.burners(3), XZ_BACK, LZOP, verdicts=LOADED),
  scenario("third-compressors-ssd", "ssd", p.burners(2), ZIP, SHA512, FLAC, verdicts=LOADED),
  scenario("third-compressors-emmc", "emmc", XZ_BACK, FLAC, LZOP, verdicts=LOADED),
  scenario("third-slow-readers-ssd", "ssd", p.burners(5), p.slow_reader(1, 512 * KIB), p.slow_reader(2, 32 * KIB), verdicts=LOADED),
  scenario("third-jitter-hdd", "hdd", p.jittery_reader(3, block=32 * KIB), p.jittery_reader(4, direct=1, block=256 * KIB), verdicts=LOADED),
  scenario("third-jitter-sd-card", "sd-card", p.jittery_reader(5, direct=1, block=16 * KIB), after(8, DU), verdicts=LOADED),
  scenario("third-dd-sync-hdd", "hdd", DD_SYNC, after(4, p.readers(1)), seconds=20, verdicts=LOADED | {"bulk": True}),
  scenario("third-clone-hdd", "hdd", CLONE, after(10, p.GIT_STATUS), after(14, DU), seconds=22, verdicts=LOADED),
  scenario("third-trees-ssd", "ssd", COPY_TREE, after(8, UNTAR), seconds=20, verdicts=LOADED),
  scenario("third-database-hdd", "hdd", SAVES, after(5, p.readers(3)), seconds=22, verdicts=LOADED | {"bulk": True}),
  scenario("third-many-ssd-90", "ssd", p.many_readers(90), verdicts={"many-sync": True}, seconds=18),
)
