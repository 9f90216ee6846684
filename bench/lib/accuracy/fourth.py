# SPDX-License-Identifier: GPL-3.0-or-later
"""The fourth set of scenarios: other programs, rates, buffers, loads and drives than the three before it have. No threshold is chosen by them: they are
judged once, after the thresholds were chosen; once their mistakes have been looked at they are for tuning, and a new set comes in their place."""
import os

from .. import trees
from . import programs as p
from . import second
from .labels import OTHER, STREAM
from .programs import KIB, MIB, Program, shell
from .scenario import BUSY, LOADED, NOTHING, QUIET, after, scenario

POOLED = """
import asyncio, os, sys
size, rate = int(sys.argv[2]), int(sys.argv[3])
async def play(fd):
  loop, at = asyncio.get_running_loop(), 0
  due = loop.time()
  while await loop.run_in_executor(None, os.pread, fd, size, at):
    at, due = at + size, due + size / rate
    await asyncio.sleep(max(0, due - loop.time()))
asyncio.run(play(os.open(sys.argv[1], os.O_RDONLY)))
"""
FRAMES = """
const file = require('fs').createReadStream(process.argv[1], {highWaterMark: +process.argv[2]});
file.on('data', data => { file.pause(); setTimeout(() => file.resume(), 1000 * data.length / process.argv[3]); });
"""
RECORD = """
use IO::Handle; use Time::HiRes qw(time sleep);
my ($file, $bytes, $rate, $each) = @ARGV;
open my $out, '>:raw', $file or die;
my $due = time;
for (my $n = 1; syswrite($out, 'x' x $bytes); $n++) { $out->sync if $n % $each == 0; $due += $bytes / $rate; my $left = $due - time; sleep $left if $left > 0 }
"""
FFMPEG = ("ffmpeg", "-nostdin", "-loglevel", "error")
TALK = ("-re", "-f", "lavfi", "-i", "anoisesrc=sample_rate=48000")
HEADLESS = os.environ | {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}


def media(place, file):
  return place.path / "fourth-media" / file


def ffmpeg_player(kbit_s):
  """At half its speed, as what is shown slowly."""
  return Program(f"ffmpeg -readrate 0.5, {kbit_s} kbit/s", "player: ffmpeg", STREAM,
                 lambda place: [*FFMPEG, "-readrate", "0.5", "-i", media(place, p.video(kbit_s)), "-c", "copy", "-f", "null", "-"],
                 rate=p.bytes_of(kbit_s) // 2, needs=("fourth-media",), tools=("ffmpeg",))


def mpv(file, rate, *options, step=p.READ_AHEAD):
  what = " ".join(o.removeprefix("--") for o in options)
  return Program(f"mpv {file}{' ' + what if what else ''}", "player: mpv", STREAM,
                 lambda place: ["mpv", "--no-config", "--vo=null", "--ao=null", "--really-quiet", *options, media(place, file)],
                 rate=rate, step=step, needs=("fourth-media",), tools=("mpv",))


def ffplay(file, rate):
  return Program(f"ffplay {file}", "player: ffplay", STREAM, lambda place: [*second.FFPLAY, "-infbuf", media(place, file)], rate=rate,
                 needs=("fourth-media",), tools=("ffplay",), environment=HEADLESS)


def raw_player(rate, number):
  """Plays samples as they lie in the file, one byte each."""
  return Program(f"ffmpeg plays raw samples, {rate // KIB} KiB/s", "player: ffmpeg", STREAM,
                 lambda place: [*FFMPEG, "-re", "-f", "u8", "-ar", rate, "-ac", "1", "-i", place.big_file(number), "-c", "copy", "-f", "null", "-"],
                 rate=rate, tools=("ffmpeg",))


def pooled_player(rate, block, number):
  """Reads in a thread of a pool, and its first thread waits for that."""
  return Program(f"asyncio reads, {rate // KIB} KiB/s by {block // KIB} KiB", "player: script", STREAM,
                 lambda place: [trees.PYTHON, "-c", POOLED, place.big_file(number), block, rate], rate=rate, step=max(block, p.READ_AHEAD))


def framed_player(rate, block, number):
  """The next piece is read when the one before has been shown."""
  return Program(f"node shows frames, {rate // KIB} KiB/s by {block // KIB} KiB", "player: node", STREAM,
                 lambda place: ["node", "-e", FRAMES, place.big_file(number), block, rate], rate=rate, step=max(block, p.READ_AHEAD), tools=("node",))


def script_recorder(rate, block, each):
  """Each so many-th piece is waited for until it is on the drive."""
  return Program(f"perl records, {rate // KIB} KiB/s by {block // KIB} KiB, each {each}. synced", "recorder: script", STREAM,
                 lambda place: ["perl", "-e", RECORD, place.path / f"recorded-{rate}", block, rate, each], rate=rate, step=block * each, tools=("perl",))


def fio_recorder(rate, block, how):
  """how: fdatasync (after each write)."""
  return Program(f"{how}, {rate // KIB} KiB/s by {block // KIB} KiB", "recorder: sync", STREAM,
                 lambda place: p.fio_job(place, "recorder", rw="write", bs=block, rate=rate, filename=place.path / f"recorded-{how}-{rate}", size="512m",
                                         fallocate="none", **{how: 1}), rate=rate, step=block, tools=("fio",))


def gst_recorder(rate, block, *options):
  what = f" {' '.join(options)}" if options else ""
  return Program(f"GStreamer writes{what}, {rate // KIB} KiB/s by {block // KIB} KiB", "recorder: sync" if options else "recorder: buffered", STREAM,
                 lambda place: ["gst-launch-1.0", "-q", "filesrc", "location=/dev/zero", f"blocksize={block}", "!", "identity", f"datarate={rate}",
                                "single-segment=true", "sync=true", "!", "filesink", "sync=true", f"location={place.path}/recorded-{rate}", *options],
                 rate=rate, step=block, tools=("gst-launch-1.0",))


def pipe_recorder(block):
  """Sound that one program makes and another has on the drive piece by piece: 192 kB/s."""
  words = " ".join([*FFMPEG, *TALK, "-ac", "2", "-f", "s16le", "-"])
  return shell(f"ffmpeg | dd, synced, 187 KiB/s by {block // KIB} KiB", "recorder: script", f'{words} | dd of="$0/piped" bs={block} iflag=fullblock oflag=dsync 2>/dev/null',
               role=STREAM, rate=192000, step=block, tools=("ffmpeg",))


def camera(kbit_s):
  return Program(f"ffmpeg films mpeg4, {kbit_s} kbit/s", "recorder: buffered", STREAM,
                 lambda place: [*FFMPEG, "-re", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=20", "-c:v", "mpeg4", "-b:v", f"{kbit_s // 2}k", "-muxrate",
                                f"{kbit_s}k", "-f", "mpegts", "-y", place.path / f"filmed-{kbit_s}.ts"], rate=p.bytes_of(kbit_s), tools=("ffmpeg",))


CAT = shell("cat", "greedy readers", 'while :; do cat "$0/big/file05" >/dev/null || exit; done')
CMP = shell("cmp", "greedy readers", 'while :; do cmp "$0/big/file03" "$0/big/file04" || exit; done')
SHRED = shell("shred", "greedy writers", 'while :; do dd if=/dev/zero of="$0/shredded" bs=1M count=96 2>/dev/null && shred -n 1 "$0/shredded" || exit; done', tools=("shred",))
TEE = shell("tee", "cp", 'cat "$0/noise/noise0" "$0/noise/noise1" "$0/noise/noise2" | tee "$0/one" "$0/two" >"$0/three"; sync -f "$0"', needs=("noise",), ends=True)
ENCRYPT = shell("openssl enc", "compressor", 'openssl enc -camellia-256-cbc -pbkdf2 -pass pass:x -in "$0/big/file08" -out /dev/null', tools=("openssl",),
                ends=True)
SORT = shell("sort", "compressor", 'LC_ALL=C sort -S 64M -T "$0" "$0/noise/noise0" >/dev/null', needs=("noise",), ends=True)
ZSTD = shell("zstd -19, back to the drive", "compressor", 'zstd -q -19 -T1 -o "$0/made.zst" "$0/noise/noise2"', needs=("noise",), tools=("zstd",), ends=True)
AWK = shell("gawk", "compressor", 'gawk "{ n += length * log(NR) } END { print n }" "$0/noise/noise1" >/dev/null', needs=("noise",), tools=("gawk",), ends=True)
B2SUM = shell("b2sum", "compressor", 'nice b2sum "$0/big/file09" >/dev/null', ends=True)
FSCK = shell("git fsck", "git", 'git -C "$0/repository" fsck --no-progress >/dev/null 2>&1; true', role=OTHER, needs=("repository",), tools=("git",), cold=True, ends=True)
UNZIP = shell("zip, unzip", "tar", 'cd "$0" && zip -q -r t.zip python/usr && unzip -q -d unzipped t.zip', role=OTHER, needs=("python",), tools=("zip", "unzip"), cold=True,
              ends=True)
SUMS = shell("find, cksum", "updatedb, find", 'find "$0/python" -type f -print0 | xargs -0 -n 20 cksum >/dev/null', role=OTHER, needs=("python",), cold=True, ends=True)
WAL = shell("sqlite3, write-ahead", "database",
            '{ echo "pragma journal_mode=wal; pragma synchronous=full; create table t(a integer primary key, b text);"; i=0; while :; do i=$((i+1)); '
            'echo "insert into t(b) values(hex(randomblob(800))); update t set b=hex(randomblob(400)) where a=abs(random())%$i;"; done; } | sqlite3 "$0/wal" >/dev/null',
            tools=("sqlite3",), role=OTHER)
JOURNAL = shell("a journal, each line synced", "database",
                "exec perl -MIO::Handle -e 'open my $f, \">>\", \"$ARGV[0]/journal\" or die; while (1) { print $f \"x\" x 200, \"\\n\"; $f->flush; $f->sync }' \"$0\"",
                tools=("perl",), role=OTHER)

VIDEO = (ffmpeg_player(10000), mpv("video-5000.ts", p.bytes_of(5000), "--cache=yes", "--cache-secs=3"), p.gstreamer(1200 * KIB, 96 * KIB, 3 * MIB, 16))
SOUND = (mpv("loud.flac", 0), ffplay("plain.wav", 176400), pooled_player(256 * KIB, 64 * KIB, 17))
WEB = (raw_player(900 * KIB, 18), framed_player(640 * KIB, 160 * KIB, 19), pooled_player(1800 * KIB, 300 * KIB, 20))
DIRECT = (p.fio_reader(750 * KIB, 125 * KIB), p.fio_reader(MIB // 3, 32 * KIB, 13), p.fio_reader(2800 * KIB, 400 * KIB, 14))
RECORDERS = (script_recorder(600 * KIB, 100 * KIB, 2), fio_recorder(384 * KIB, 96 * KIB, "fdatasync"), p.call(80 * KIB, 20 * KIB))
SYNCED = (gst_recorder(900 * KIB, 180 * KIB, "o-sync=true"), pipe_recorder(64 * KIB), p.fio_recorder(1500 * KIB, 300 * KIB, "direct"))
BUFFERED = (camera(3000), gst_recorder(700 * KIB, 70 * KIB))
SHORT, LONG = 22, 32

ALL = (
  scenario("fourth-video-hdd", "hdd", *VIDEO, seconds=SHORT, verdicts=QUIET),
  scenario("fourth-video-hdd-slow-readers", "hdd-slow", *VIDEO, after(6, p.readers(4)), seconds=SHORT, verdicts=BUSY),
  scenario("fourth-video-ssd-tee", "ssd", *VIDEO, after(6, TEE), seconds=SHORT, verdicts=LOADED),
  scenario("fourth-sound-hdd-readers", "hdd", *SOUND, after(6, p.readers(3)), seconds=LONG, verdicts=BUSY),
  scenario("fourth-sound-emmc", "emmc", *SOUND, seconds=LONG, verdicts=QUIET),
  scenario("fourth-web-hdd-cat", "hdd", *WEB, after(6, CAT), seconds=SHORT, verdicts=BUSY),
  scenario("fourth-web-usb-stick", "usb-stick", *WEB, after(8, FSCK), seconds=SHORT, verdicts=LOADED),
  scenario("fourth-direct-nvme-mixed", "nvme", *DIRECT, after(6, second.mixed(2)), seconds=SHORT, verdicts=BUSY),
  scenario("fourth-direct-hdd-writers", "hdd", *DIRECT, after(6, p.writers(5)), seconds=SHORT, verdicts=LOADED),
  scenario("fourth-direct-deadline-ssd-readers", "ssd", *DIRECT, after(6, p.readers(9)), scheduler="mq-deadline", seconds=SHORT, verdicts=BUSY),
  scenario("fourth-recorders-hdd", "hdd", *RECORDERS, seconds=SHORT, verdicts=QUIET),
  scenario("fourth-recorders-hdd-cmp", "hdd", *RECORDERS, after(6, CMP), seconds=SHORT, verdicts=BUSY),
  scenario("fourth-recorders-sd-card", "sd-card", *RECORDERS, after(8, SUMS), seconds=SHORT, verdicts=LOADED),
  scenario("fourth-synced-ssd-readers", "ssd", *SYNCED, after(6, p.readers(5)), seconds=SHORT, verdicts=BUSY),
  scenario("fourth-synced-hdd-slow", "hdd-slow", *SYNCED, seconds=SHORT, verdicts=QUIET),
  scenario("fourth-synced-xfs-ssd", "ssd", *SYNCED, after(6, p.RANDOM_SYNC), filesystem="xfs", seconds=SHORT, verdicts=LOADED),
  scenario("fourth-buffered-hdd-cat", "hdd", *BUFFERED, after(8, CAT), seconds=LONG, verdicts=BUSY),
  scenario("fourth-buffered-ssd", "ssd", *BUFFERED, seconds=LONG, verdicts=NOTHING),
  scenario("fourth-compressors-hdd", "hdd", p.burners(1), SORT, ENCRYPT, seconds=SHORT, verdicts=LOADED),
  scenario("fourth-compressors-ssd", "ssd", ZSTD, AWK, B2SUM, seconds=SHORT, verdicts=LOADED),
  scenario("fourth-slow-readers-hdd", "hdd", p.burners(5), p.slow_reader(1, 256 * KIB), p.slow_reader(2, 16 * KIB), seconds=SHORT, verdicts=LOADED),
  scenario("fourth-jitter-ssd-shred", "ssd", p.jittery_reader(3, block=96 * KIB), p.jittery_reader(4, direct=1, block=48 * KIB), after(8, SHRED), seconds=SHORT,
           verdicts=LOADED),
  scenario("fourth-database-hdd", "hdd", WAL, JOURNAL, after(10, p.readers(2)), seconds=SHORT, verdicts=BUSY),
  scenario("fourth-database-ssd", "ssd", JOURNAL, WAL, after(10, UNZIP), seconds=SHORT, verdicts=LOADED),
  scenario("fourth-starts-hdd-cat", "hdd", CAT, after(8, p.PYTHON), after(16, p.GIT_STATUS), seconds=SHORT, verdicts=BUSY),
  scenario("fourth-many-usb-stick-45", "usb-stick", p.many_readers(45), verdicts={"many-sync": True}, seconds=18),
)
