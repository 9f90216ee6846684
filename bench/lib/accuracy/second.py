# SPDX-License-Identifier: GPL-3.0-or-later
"""The second set of scenarios: other programs, rates, buffers and loads than the first (scenarios.py) has. It was held out until its mistakes had been
looked at, and is for tuning since, as the third is."""
import os

from . import programs as p
from .labels import BULK, OTHER, STREAM
from .programs import KIB, MIB, Program, shell
from .scenario import LOADED, QUIET, after, scenario

PLAY = """
use Time::HiRes qw(time sleep);
my ($file, $bytes, $rate) = @ARGV;
open my $in, '<:raw', $file or die;
for (my $t = time; sysread($in, my $data, $bytes); ) { $t += $bytes / $rate; my $left = $t - time; sleep $left if $left > 0 }
"""
RECORD = """
use IO::Handle; use Time::HiRes qw(time sleep);
my ($file, $bytes, $rate) = @ARGV;
open my $out, '>:raw', $file or die;
for (my $t = time; syswrite($out, 'x' x $bytes) && $out->sync; ) { $t += $bytes / $rate; my $left = $t - time; sleep $left if $left > 0 }
"""
FFPLAY = ("ffplay", "-hide_banner", "-loglevel", "error", "-nodisp", "-autoexit")
HEADLESS = os.environ | {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}


def ffmpeg_player(kbit_s):
  return Program(f"ffmpeg -re, {kbit_s} kbit/s", "player: ffmpeg", STREAM,
                 lambda place: ["ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-i", place.path / "more-media" / p.video(kbit_s), "-map", "0", "-c",
                                "copy", "-f", "null", "-"], rate=p.bytes_of(kbit_s), needs=("more-media",), tools=("ffmpeg",))


def ffplay(file, rate):
  return Program(f"ffplay {file}", "player: ffplay", STREAM, lambda place: [*FFPLAY, place.path / "more-media" / file], rate=rate, step=p.READ_AHEAD,
                 needs=("more-media",), tools=("ffplay",), environment=HEADLESS)


def mpv(file, rate, *options, step=p.READ_AHEAD):
  what = " ".join(o.removeprefix("--") for o in options)
  return Program(f"mpv {file}{' ' + what if what else ''}", "player: mpv", STREAM,
                 lambda place: ["mpv", "--no-config", "--vo=null", "--ao=null", "--really-quiet", *options, place.path / "more-media" / file],
                 rate=rate, step=step, needs=("more-media",), tools=("mpv",))


def script_player(rate, block, number=15):
  """Reads through the page cache by a clock of its own."""
  return Program(f"a script that plays, {rate // KIB} KiB/s by {block // KIB} KiB", "player: script", STREAM,
                 lambda place: ["perl", "-e", PLAY, place.big_file(number), block, rate], rate=rate, step=max(block, p.READ_AHEAD), tools=("perl",))


def script_recorder(rate, block):
  """Writes by a clock of its own, and has each piece on the drive before it goes on."""
  return Program(f"a script that records, {rate // KIB} KiB/s by {block // KIB} KiB", "recorder: script", STREAM,
                 lambda place: ["perl", "-e", RECORD, place.path / f"record-{rate}", block, rate], rate=rate, step=block, tools=("perl",))


def mixed(n):
  """Greedy: n that read, n that write and sync now and then."""
  jobs = {f"reader{i}": {"rw": "read", "filename": lambda place, i=i: place.big_file(i)} for i in range(n)}
  jobs |= {f"writer{i}": {"rw": "write", "size": "512m", "fsync": 256, "fallocate": "none", "filename": lambda place, i=i: place.path / f"mixed{i}"}
           for i in range(n)}
  common = {"ioengine": "psync", "time_based": True, "runtime": p.loads.FOREVER_S, "bs": 64 * KIB}
  return Program(f"{n} readers and {n} writers", "greedy readers and writers", BULK,
                 lambda place: p.fio.command_of_jobs({name: common | job | {"filename": job["filename"](place)} for name, job in jobs.items()}), tools=("fio",))


DD = shell("dd, direct", "greedy readers", 'while :; do dd if="$0/big/file09" of=/dev/null bs=96k iflag=direct 2>/dev/null || exit; done')
ZSTD = shell("zstd", "compressor", 'zstd -q -9 -T1 -c "$0/noise/noise0" "$0/noise/noise1" >/dev/null', needs=("noise",), tools=("zstd",), ends=True)
BZIP2 = shell("bzip2", "compressor", 'bzip2 -9 -c "$0/noise/noise2" >/dev/null', needs=("noise",), tools=("bzip2",), ends=True)
LZ4 = shell("lz4", "compressor", 'lz4 -q -12 -c "$0/noise/noise1" >/dev/null', needs=("noise",), tools=("lz4",), ends=True)
SHA1 = shell("sha1sum", "compressor", 'sha1sum "$0/big/file08" >/dev/null', ends=True)
CPIO = shell("cpio", "tar", 'cd "$0/repository" && find . -type f | cpio -o --quiet >/dev/null', needs=("repository",), tools=("cpio",), role=OTHER, cold=True,
             ends=True)
GREP = shell("grep", "updatedb, find", 'grep -r zzzzzz "$0/python" >/dev/null; true', needs=("python",), role=OTHER, cold=True, ends=True)
LOG = shell("a log that is synced", "database", 'while :; do echo "$(date) something happened" >>"$0/log"; sync "$0/log"; sleep 0.2; done', role=OTHER)

VIDEO = (ffmpeg_player(4000), mpv("video-1200.ts", p.bytes_of(1200)), p.gstreamer(700 * KIB, 32 * KIB, MIB, 16))
SOUND = (ffplay("studio.wav", 192000), mpv("radio.ogg", 24000), script_player(176400, 16 * KIB))
DIRECT = (p.fio_reader(600 * KIB, 96 * KIB), p.fio_reader(2 * MIB, 512 * KIB, 13))
FAST = (ffmpeg_player(12000), p.gstreamer(5 * MIB // 2, 256 * KIB, 2 * MIB, 17))
RECORDERS = (script_recorder(512 * KIB, 128 * KIB), p.fio_recorder(MIB // 2, 64 * KIB, "direct"), p.call(32 * KIB, 8 * KIB))
BUFFERED = (mpv("video-4000.ts", p.bytes_of(4000), "--cache=yes", "--demuxer-max-bytes=3MiB"), p.gstreamer(MIB, 512 * KIB, 4 * MIB, 18))

ALL = (
  scenario("second-video-hdd", "hdd", *VIDEO, verdicts=QUIET),
  scenario("second-video-hdd-readers", "hdd", *VIDEO, after(6, p.readers(6)), verdicts=LOADED | {"bulk": True}),
  scenario("second-video-ssd-mixed", "ssd", *VIDEO, after(6, mixed(2)), verdicts=LOADED | {"bulk": True}),
  scenario("second-video-sd-card", "sd-card", *VIDEO, after(8, CPIO), verdicts=LOADED),
  scenario("second-sound-hdd", "hdd", *SOUND, seconds=58, verdicts=QUIET),
  scenario("second-sound-hdd-mixed", "hdd", *SOUND, after(6, mixed(2)), seconds=58, verdicts=LOADED | {"bulk": True}),
  scenario("second-sound-ssd-writers", "ssd", *SOUND, after(6, p.writers(3)), seconds=58, verdicts=LOADED),
  scenario("second-direct-hdd-readers", "hdd", *DIRECT, after(6, p.readers(8)), verdicts=LOADED | {"bulk": True}),
  scenario("second-direct-ssd-mixed", "ssd", *DIRECT, after(6, mixed(3)), verdicts=LOADED | {"bulk": True}),
  scenario("second-direct-sd-card", "sd-card", *DIRECT, after(8, GREP), verdicts=LOADED),
  scenario("second-fast-hdd", "hdd", *FAST, verdicts=QUIET),
  scenario("second-fast-ssd-dd", "ssd", *FAST, after(6, DD), verdicts=LOADED | {"bulk": True}),
  scenario("second-recorders-hdd", "hdd", *RECORDERS, verdicts=QUIET),
  scenario("second-recorders-hdd-readers", "hdd", *RECORDERS, after(6, p.readers(4)), verdicts=LOADED | {"bulk": True}),
  scenario("second-recorders-ssd-writers", "ssd", *RECORDERS, after(6, p.writers(3)), verdicts=LOADED),
  scenario("second-buffered-hdd-dd", "hdd", *BUFFERED, after(8, DD), verdicts=LOADED | {"bulk": True}),
  scenario("second-buffered-ssd", "ssd", *BUFFERED, verdicts=QUIET),
  scenario("second-scripts-deadline-hdd-readers", "hdd", script_player(MIB, 256 * KIB), script_player(300 * KIB, 100 * KIB, 16), after(6, p.readers(3)),
           scheduler="mq-deadline", verdicts=LOADED | {"bulk": True}),
  scenario("second-mixed-hdd", "hdd", mixed(3), verdicts=LOADED | {"bulk": True}, seconds=20),
  scenario("second-mixed-sd-card", "sd-card", mixed(1), after(4, CPIO), verdicts=LOADED, seconds=20),
  scenario("second-dd-hdd", "hdd", DD, after(4, p.readers(2)), verdicts=LOADED | {"bulk": True}, seconds=20),
  scenario("second-compressors-hdd", "hdd", p.burners(2), ZSTD, BZIP2, verdicts=LOADED),
  scenario("second-compressors-ssd", "ssd", p.burners(4), LZ4, SHA1, BZIP2, verdicts=LOADED),
  scenario("second-slow-readers-hdd", "hdd", p.burners(4), p.slow_reader(2, 64 * KIB), p.slow_reader(3, 256 * KIB), verdicts=LOADED),
  scenario("second-jitter-hdd-readers", "hdd", p.jittery_reader(4, direct=1, block=64 * KIB), p.jittery_reader(5, block=512 * KIB), after(5, p.readers(2)),
           verdicts=LOADED, seconds=22),
  scenario("second-log-hdd", "hdd", LOG, after(4, p.readers(2)), seconds=20, verdicts=LOADED),
  scenario("second-grep-ssd", "ssd", GREP, after(5, CPIO), after(10, p.GIT_STATUS), seconds=18, verdicts=LOADED),
  scenario("second-many-hdd-60", "hdd", p.many_readers(60), verdicts={"many-sync": True}, seconds=18),
)
