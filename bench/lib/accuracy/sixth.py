# SPDX-License-Identifier: GPL-3.0-or-later
"""The sixth set of scenarios: fast streams by other rates, blocks and programs than fast.py and fifth.py have, and what moves
as much at random, or as evenly as it can. No threshold is chosen by them."""
from . import fast, fifth, fourth, second, third
from . import programs as p
from .labels import OTHER, STREAM
from .programs import KIB, MIB, Program, shell
from .scenario import BUSY, LOADED, QUIET, after, scenario

TIMER = """
const fs = require('fs'), [file, size, rate] = process.argv.slice(1), fd = fs.openSync(file), data = Buffer.alloc(+size);
let due = Date.now();
(function next() {
  fs.readSync(fd, data, 0, data.length, null);
  due += 1000 * size / rate;
  setTimeout(next, Math.max(0, due - Date.now()));
})();
"""
TEN_MS = """
use Time::HiRes qw(time sleep); use Fcntl;
my ($file, $size, $rate) = @ARGV;
sysopen my $in, $file, O_RDONLY or die;
my $due = time;
while (sysread $in, my $data, $size) { $due += $size / $rate; sleep 0.01 while time < $due }
"""
RANDOM_PAUSES = """
use Time::HiRes qw(sleep); use Fcntl;
my ($file, $size, $least, $most) = @ARGV;
sysopen my $in, $file, O_RDONLY or die;
while (1) { sysread($in, my $data, $size) or sysseek $in, 0, 0; sleep $least + rand($most - $least) }
"""


def timer_player(rate, block, number):
  return Program(f"node by a timer, {rate // KIB} KiB/s by {block // KIB} KiB", "player: node", STREAM, lambda place: ["node", "-e", TIMER, place.big_file(number), block, rate],
                 rate=rate, step=block, tools=("node",))


def sleeping_player(rate, block, number):
  """Sleeps for 10 ms at a time until it is due."""
  return Program(f"perl sleeps 10 ms at a time, {rate // KIB} KiB/s by {block // KIB} KiB", "player: script", STREAM,
                 lambda place: ["perl", "-e", TEN_MS, place.big_file(number), block, rate], rate=rate, step=block, tools=("perl",))


def pausing_reader(block, least_ms, most_ms, number):
  """Works on what it has read for a while that no clock tells."""
  return Program(f"perl pauses for {least_ms} to {most_ms} ms, {block // KIB} KiB", "random pauses", OTHER,
                 lambda place: ["perl", "-e", RANDOM_PAUSES, place.big_file(number), block, least_ms / 1000, most_ms / 1000], tools=("perl",))


BZIP2 = shell("tar | bzip2", "tar", 'tar -C "$0" -cf - noise | bzip2 -1 >"$0/noise.tar.bz2"', role=OTHER, needs=("noise",), tools=("bzip2",), ends=True)
LZOP = shell("lzop", "compressor", 'for i in 0 1 2; do lzop -3 -c "$0/noise/noise$i" >"$0/noise$i.lzo"; done', role=OTHER, needs=("noise",), tools=("lzop",), ends=True)

DIRECT = (p.fio_reader(7 * MIB, 192 * KIB), p.fio_reader(14 * MIB, 512 * KIB, 13), p.fio_reader(10 * MIB, 3 * MIB, 14))
VIDEO = (p.gstreamer(9 * MIB, 256 * KIB, 6 * MIB, 15), fast.ffmpeg_raw(16, 18), fifth.raw_player(8 * MIB, 17))
SCRIPTS = (timer_player(6 * MIB, 384 * KIB, 18), sleeping_player(5 * MIB, 160 * KIB, 19), fourth.pooled_player(12 * MIB, 2 * MIB, 20))
FETCHES = (fast.bursts(4 * MIB, 12 * MIB, 21), fifth.node_bursts(2500 * KIB, 15 * MIB, 22))
CAPTURES = (fifth.piped_capture(9 * MIB, MIB), p.fio_recorder(6 * MIB, 384 * KIB, "direct"), fourth.script_recorder(5 * MIB, 640 * KIB, 3))
PAUSES = (pausing_reader(256 * KIB, 10, 35, 12), pausing_reader(512 * KIB, 15, 120, 13), fifth.seeder(9 * MIB, 256 * KIB, 14))

ALL = (
  scenario("sixth-direct-hdd", "hdd", *DIRECT, seconds=22, verdicts=QUIET),
  scenario("sixth-direct-nvme-mixed", "nvme", *DIRECT, after(7, second.mixed(3)), seconds=24, verdicts=LOADED),
  scenario("sixth-video-hdd-readers", "hdd", *VIDEO[:2], after(7, p.readers(4)), seconds=24, verdicts=BUSY),
  scenario("sixth-video-ssd", "ssd", *VIDEO, seconds=24, verdicts=QUIET),
  scenario("sixth-scripts-hdd", "hdd", *SCRIPTS, seconds=22, verdicts=QUIET),
  scenario("sixth-scripts-ssd-writers", "ssd", *SCRIPTS, after(7, p.writers(4)), seconds=24, verdicts=LOADED),
  scenario("sixth-mapped-emmc-cat", "emmc", third.mapped_player(6 * MIB, 256 * KIB, 12), after(7, fourth.CAT), seconds=24, verdicts=LOADED),
  scenario("sixth-fetches-hdd-slow", "hdd-slow", *FETCHES, seconds=36, verdicts=QUIET),
  scenario("sixth-captures-hdd", "hdd", *CAPTURES, seconds=22, verdicts=QUIET),
  scenario("sixth-captures-ssd-readers", "ssd", *CAPTURES[:2], after(7, p.readers(5)), seconds=24, verdicts=BUSY),
  scenario("sixth-network-ssd-readers", "ssd", p.readers(8), after(6, fast.network_copy(9 * MIB, 512 * KIB)), seconds=30, verdicts=BUSY),
  scenario("sixth-pauses-ssd", "ssd", *PAUSES, seconds=26, verdicts=LOADED),
  scenario("sixth-pauses-hdd", "hdd", *PAUSES[:2], fast.database(50, rate_process="poisson"), seconds=26, verdicts=LOADED),
  scenario("sixth-archives-ssd", "ssd", BZIP2, after(10, LZOP), seconds=24, verdicts=LOADED),
)
