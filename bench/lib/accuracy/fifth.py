# SPDX-License-Identifier: GPL-3.0-or-later
"""The fifth set of scenarios: streams of 4 to 18 MB/s and bursty ones, and what moves as much and is none, by other programs, rates, buffers, loads and drives than
fast.py has. No threshold is chosen by them."""
from .. import trees
from . import fast, fourth, second, third
from . import programs as p
from .labels import OTHER, STREAM
from .programs import KIB, MIB, Program, shell
from .scenario import BUSY, LOADED, QUIET, after, scenario

CHUNKS = """
const fs = require('fs'), [file, burst, rate] = process.argv.slice(1), fd = fs.openSync(file), data = Buffer.alloc(1 << 19);
function fill(left) {
  if (left <= 0) return;
  fs.read(fd, data, 0, data.length, null, (error, n) => fill(left - Math.max(n, 1)));
}
fill(+burst);
setInterval(() => fill(+burst), 1000 * burst / rate);
"""
SERVED = """
use Time::HiRes qw(sleep); use Fcntl;
my ($file, $size, $rate) = @ARGV;
sysopen my $in, $file, O_RDONLY or die;
my $n = int((-s $in) / $size);
while (1) { sysseek $in, $size * int(rand $n), 0; sysread $in, my $data, $size; sleep -log(1 - rand) * $size / $rate }
"""
FFMPEG = ("ffmpeg", "-nostdin", "-loglevel", "error")


def node_bursts(rate, burst, number):
  return Program(f"node fetches {burst // MIB} MiB, {rate // KIB} KiB/s", "player: bursts", STREAM, lambda place: ["node", "-e", CHUNKS, place.big_file(number), burst, rate],
                 rate=rate, step=burst, tools=("node",))


def raw_player(rate, number):
  """Plays samples of 32 bits and 16 channels as they lie in the file."""
  hz = rate // 64
  return Program(f"ffmpeg plays raw channels, {rate // KIB} KiB/s", "player: ffmpeg", STREAM,
                 lambda place: [*FFMPEG, "-readrate", "1", "-f", "s32le", "-ar", hz, "-ac", "16", "-i", place.big_file(number), "-c", "copy", "-f", "null", "-"],
                 rate=hz * 64, tools=("ffmpeg",))


def piped_capture(rate, block):
  """What one program makes at its pace another has on the drive piece by piece."""
  script = ("import os,sys,time; size,rate=int(sys.argv[1]),int(sys.argv[2]); due=time.monotonic()\nwhile os.write(1, bytes(size)): due+=size/rate; "
            "time.sleep(max(0, due-time.monotonic()))")
  return Program(f"a capture | dd, {rate // KIB} KiB/s by {block // KIB} KiB", "recorder: script", STREAM,
                 lambda place: ["sh", "-c", '"$1" -c "$2" 65536 "$3" | dd of="$0/dd-capture" bs="$4" iflag=fullblock oflag=direct 2>/dev/null', place.path, trees.PYTHON, script, rate,
                                block], rate=rate, step=block)


def seeder(rate, piece, number):
  return Program(f"perl serves {piece // KIB} KiB, some {rate // MIB} MiB/s", "torrent", OTHER, lambda place: ["perl", "-e", SERVED, place.big_file(number), piece, rate],
                 tools=("perl",))


BACKUP = shell("tar | zstd", "tar", 'tar -C "$0" -cf - noise big/file05 | zstd -q -1 -T1 >"$0/backup.zst"', needs=("noise",), tools=("zstd",), ends=True)
SUM = shell("sha512sum, nice", "compressor", 'nice sha512sum "$0/big/file06" >/dev/null', role=OTHER, ends=True)

DIRECT = (p.fio_reader(9 * MIB, 384 * KIB), p.fio_reader(18 * MIB, 1536 * KIB, 13))
VIDEO = (p.gstreamer(7 * MIB, 768 * KIB, 20 * MIB, 14), raw_player(5 * MIB, 15), fourth.framed_player(8 * MIB, MIB, 16))
SCRIPTS = (fourth.pooled_player(10 * MIB, 640 * KIB, 17), third.mapped_player(4 * MIB, 512 * KIB, 18))
FETCHES = (node_bursts(3 * MIB, 10 * MIB, 19), node_bursts(1800 * KIB, 6 * MIB, 20))
CAPTURES = (piped_capture(7 * MIB, 512 * KIB), p.fio_recorder(12 * MIB, 768 * KIB, "direct"), fourth.fio_recorder(4 * MIB, 512 * KIB, "fdatasync"))

ALL = (
  scenario("fifth-direct-ssd", "ssd", *DIRECT, seconds=22, verdicts=QUIET),
  scenario("fifth-direct-hdd-slow-cat", "hdd-slow", *DIRECT[:1], after(7, fourth.CAT), seconds=24, verdicts=BUSY),
  scenario("fifth-video-hdd", "hdd", *VIDEO, seconds=24, verdicts=QUIET),
  scenario("fifth-video-ssd-mixed", "ssd", *VIDEO, after(7, second.mixed(3)), seconds=24, verdicts=LOADED),
  scenario("fifth-scripts-hdd-readers", "hdd", *SCRIPTS, after(7, p.readers(3)), seconds=24, verdicts=BUSY),
  scenario("fifth-scripts-nvme", "nvme", *SCRIPTS, seconds=22, verdicts=QUIET),
  scenario("fifth-fetches-hdd", "hdd", *FETCHES, seconds=40, verdicts=QUIET),
  scenario("fifth-fetches-emmc-cat", "emmc", *FETCHES, after(14, fourth.CAT), seconds=40, verdicts=LOADED),
  scenario("fifth-captures-ssd", "ssd", *CAPTURES, seconds=22, verdicts=QUIET),
  scenario("fifth-captures-hdd-readers", "hdd", *CAPTURES[:2], after(7, p.readers(3)), seconds=24, verdicts=BUSY),
  scenario("fifth-captured-ssd", "ssd", fast.ffmpeg_capture(30), seconds=36, verdicts=LOADED | {"bulk": False}),
  scenario("fifth-network-hdd-readers", "hdd", p.readers(6), after(6, fast.network_copy(7 * MIB, 768 * KIB)), seconds=30, verdicts=BUSY),
  scenario("fifth-served-hdd", "hdd", seeder(5 * MIB, 512 * KIB, 12), seeder(3 * MIB, 2 * MIB, 13), fast.database(40, rate_process="poisson"), seconds=26, verdicts=LOADED),
  scenario("fifth-served-ssd", "ssd", seeder(14 * MIB, 1536 * KIB, 12), fast.database(1500), seconds=26, verdicts=LOADED),
  scenario("fifth-archives-hdd", "hdd", BACKUP, SUM, seconds=24, verdicts=LOADED),
)
