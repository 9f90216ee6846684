#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single requests of a real drive, through BPF, tracefs and blktrace: complete, attributed, and nothing left behind."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402
import mounts  # noqa: E402

TRACING = Path("/sys/kernel/tracing")
INSTANCES = TRACING / "instances"
BLOCKS = Path("/sys/kernel/debug/block")
PATIENCE_S = 120  # the load has to start, be noticed and end, on a busy machine too
BPF_PROG_TYPE_TRACING = 26  # linux/bpf.h
READERS = 24     # more than the 16 from which on a detector finds them worth it
# What a user's own tracing is made of.
USER_FILES = ("tracing_on", "current_tracer", "trace_clock", "buffer_size_kb", "set_event", "events/block/enable", "events/block/block_rq_issue/filter")


def why_not():
  return brio.why_no_readers() or mounts.mount("tracefs", TRACING, INSTANCES, "the kernel has no tracefs") or (None if has(b"trace_pipe_raw") else "briod was built without libtracefs")


def why_no_bpf():
  if not has(b"tp_btf/block_rq_issue"):
    return "briod was built without BPF"
  return brio.why_no_readers() or (None if os.path.exists("/sys/kernel/btf/vmlinux") else "the kernel has no BTF")


def has(text):
  return text in (brio.BUILD / "daemon/briod").read_bytes()


def is_locked_down():
  """Lockdown keeps from us what could be written in debugfs, as it does blktrace's buffers."""
  for path in BLOCKS.glob("*/state"):
    try:
      path.open("rb").close()
    except PermissionError:
      return True
  return False


WHY_NOT = why_not()
WHY_NO_BPF = why_no_bpf()
WHY_NO_BLKTRACE = brio.why_no_readers() or mounts.mount("debugfs", BLOCKS.parent, BLOCKS, "the kernel has no blktrace")
IS_LOCKED_DOWN = not WHY_NO_BLKTRACE and is_locked_down()


def user_tracing(directory):
  return {name: (directory / name).read_text() for name in USER_FILES}


class Drive(unittest.TestCase):
  """A loop device with many small readers, and briod with it as its drive."""

  partitioned = False
  source_name = None
  prefix = ()

  def setUp(self):
    self.loop = self.enterContext(brio.Loop(scheduler="bfq", writable=True, partitioned=self.partitioned))
    self.target = f"/dev/{self.loop.name}" + ("p1" if self.partitioned else "")
    self.bus = self.enterContext(brio.Bus())
    self.briod = self.enterContext(self.new_briod())

  def new_briod(self, *arguments):
    others = [block for block in os.listdir("/sys/block") if block != self.loop.name]
    return brio.Briod(self.bus, "--include", f"{self.loop.name}=hdd", *(f"--exclude={name}" for name in others),
                      f"--source={self.source_name}", *arguments, prefix=self.prefix)

  def instances(self, briod=None):
    """Those of a briod of ours; other tests run their own at the same time."""
    prefix = f"briod.{(briod or self.briod).process.pid}."
    return [path.name for path in INSTANCES.iterdir() if path.name.startswith(prefix)]

  def programs(self):
    """Those in the kernel by which a briod of ours looks at requests. There are others while any program of the machine starts."""
    def is_one(path):
      with contextlib.suppress(FileNotFoundError):  # a file that it read meanwhile, and has closed
        info = path.parent.parent / "fdinfo" / path.name
        return os.readlink(path) == "anon_inode:bpf-prog" and f"prog_type:\t{BPF_PROG_TYPE_TRACING}\n" in info.read_text()
      return False
    return [path for path in Path(f"/proc/{self.briod.process.pid}/fd").iterdir() if is_one(path)]

  def source(self, briod=None, name=None):
    """state, sentence"""
    wanted = name or {"auto": "bpf", "proc": "bpf"}.get(self.source_name, self.source_name)
    return next((state, note) for name, state, note in (briod or self.briod).get("Sources") if name == wanted)

  def wait(self, condition, what):
    try:
      return brio.wait_for(condition, what, PATIENCE_S)
    except AssertionError as e:
      raise AssertionError(f"{e}; {self.source()}; its log:\n{self.briod.text()}") from e

  def look_closely(self):
    """Until the drive's requests are looked at, and for as long as the load lasts."""
    readers = self.enterContext(brio.Readers(f"/dev/{self.loop.name}", READERS, pause_s=0.1))
    self.wait(lambda: self.briod.get("AttentionReason", self.loop.name), "attention level 2")
    # The attention is known before the source has begun: what is queued until then is not told.
    self.wait(lambda: any(p.get("read_latency_p99_usec") for p in self.briod.call("GetProcesses", "(u)", 0)[0]), "the latency of a reader")
    return readers


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Tracefs(Drive):
  source_name = "tracefs"
  tolerance = 0.001


@unittest.skipIf(WHY_NO_BPF, WHY_NO_BPF)
class Bpf(Drive):
  source_name = "bpf"
  tolerance = 0.001


class Stacked:
  """Readers of a loop device on a file on the drive: the drive's own requests are then those of a kernel thread."""

  SIZE = 96 << 20
  READERS = 20

  def setUp(self):
    # A test beside this one that begins a mount namespace would keep the mount in it, and so the drive, after we have unmounted it.
    why = mounts.leave_mount_namespace()
    if why:
      self.skipTest(why)
    super().setUp()
    device = f"/dev/{self.loop.name}"
    subprocess.run(["mkfs.ext4", "-q", "-F", device, str((2 * self.SIZE) >> 10)], check=True)
    self.mountpoint = tempfile.mkdtemp(prefix="brio-stack-")
    self.addCleanup(os.rmdir, self.mountpoint)
    subprocess.run(["mount", device, self.mountpoint], check=True)
    self.addCleanup(subprocess.run, ["umount", self.mountpoint], check=True)
    path = os.path.join(self.mountpoint, "file")
    with open(path, "wb") as f:
      f.write(os.urandom(1 << 20) * (self.SIZE >> 20))
      os.fsync(f.fileno())
      os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    run = subprocess.run(["losetup", "--find", "--show", path], stdout=subprocess.PIPE, text=True, check=True)
    self.upper = run.stdout.strip()
    self.addCleanup(subprocess.run, ["losetup", "--detach", self.upper], check=True)

  def test_readers_of_what_stands_on_a_drive_are_its_own(self):
    readers = self.enterContext(brio.Readers(self.upper, self.READERS, pause_s=0.1, size_bytes=self.SIZE))
    self.wait(lambda: self.briod.get("AttentionReason", self.loop.name), "attention level 2")
    self.wait(lambda: self.briod.get("Readers", self.loop.name) == self.READERS, "exactly its readers")
    self.wait(lambda: [v for v in self.briod.get("Verdicts", self.loop.name) if v["confidence"] == 1000], "a finding that is certain")
    self.assertLess(self.briod.get("Requests", self.loop.name)["anonymous_permille"], 50)
    readers.stop()


class TracefsStacked(Stacked, Tracefs):
  pass


class BpfStacked(Stacked, Bpf):
  pass


@unittest.skipIf(WHY_NO_BLKTRACE, WHY_NO_BLKTRACE)
class Blktrace(Drive):
  source_name = "blktrace"

  def traces(self):
    return [path.name for path in (BLOCKS / self.loop.name).iterdir() if path.name == "dropped" or path.name.startswith("trace")]

  def state_file(self):
    return Path(self.briod.state, "blktrace")


@unittest.skipIf(IS_LOCKED_DOWN, "the kernel is locked down")
class Readable(Blktrace):
  pass


class Looks(Tracefs):
  def test_processes_and_streams_tell_what_requests_show(self):
    self.look_closely()

    def readers():
      processes = self.briod.call("GetProcesses", "(u)", 0)[0]
      return [p for p in processes if p["device"] == self.loop.name and p["source"] == "requests" and p.get("reads_per_second")]
    found = self.wait(readers, "a reader")
    for p in found:
      self.assertEqual((os.geteuid(), False), (p["uid"], p["inferred"]))
      self.assertLessEqual(p["wait_permille"], 1000)
    self.wait(lambda: any(p["wait_permille"] > 0 for p in readers()), "one that waited")
    fd = self.briod.open_stream(250)
    self.addCleanup(os.close, fd)
    sample = self.wait(lambda: next((s for s in (brio.read_sample(fd),) if s["read_median_us"]), None), "the reads' times")
    self.assertGreaterEqual(sample["read_p99_us"], sample["read_median_us"])

  def test_there_is_an_instance_exactly_while_a_drive_needs_it(self):
    self.assertEqual("works", self.source()[0])
    self.assertEqual([], self.instances())
    readers = self.look_closely()
    self.assertEqual(1, len(self.instances()))
    self.assertIn("[mono]", (INSTANCES / self.instances()[0] / "trace_clock").read_text())  # the wall's clock may jump
    self.assertEqual(2, self.briod.get("AttentionLevel"))
    self.assertIn(self.loop.name, self.briod.get("AttentionReason"))
    figures = self.wait(lambda: self.briod.get("Requests", self.loop.name), "figures")
    self.wait(lambda: self.briod.get("Requests", self.loop.name)["reads"] > 0, "completed reads")
    self.assertIn("read_service_p99_usec", figures)
    self.wait(lambda: [v for v in self.briod.get("Verdicts", self.loop.name) if v["confidence"] == 1000], "a finding that is certain")
    self.wait(lambda: self.briod.get("Readers", self.loop.name) == READERS, "exactly its readers")
    readers.stop()
    self.wait(lambda: not self.briod.get("AttentionReason", self.loop.name), "the end of attention level 2")
    self.assertEqual([], self.instances())
    self.assertEqual({}, self.briod.get("Requests", self.loop.name))

  def test_nothing_is_left_after_the_end(self):
    self.look_closely()
    self.assertEqual(0, self.briod.stop())
    self.assertEqual([], self.instances())


class KilledWhileItLooks(Tracefs):
  """Not beside other tests: any briod that begins removes what a killed one left."""

  def test_what_a_killed_briod_left_is_removed_by_the_next(self):
    self.look_closely()
    self.assertEqual(1, len(self.instances()))
    self.briod.stop(signal.SIGKILL)
    self.assertEqual(1, len(self.instances()))
    strange = INSTANCES / f"briod.{os.getpid()}.not-a-number"
    strange.mkdir()
    self.addCleanup(strange.rmdir)
    after = self.enterContext(self.new_briod())
    self.assertEqual([], self.instances())
    self.assertIn("removed at the start: 1 tracing instance", self.source(after)[1])
    self.assertTrue(strange.exists(), "not one of ours")

  def test_a_killed_briod_goes_on_recording_until_restore(self):
    self.look_closely()
    self.briod.stop(signal.SIGKILL)
    self.assertEqual(1, len(self.instances()))
    status, text = self.new_briod("--restore").fails_to_start()
    self.assertEqual(0, status, text)
    self.assertEqual([], self.instances())


class BpfLooks(Bpf):
  def test_there_are_programs_exactly_while_a_drive_needs_them(self):
    self.assertEqual("works", self.source()[0])
    self.assertEqual([], self.programs())
    readers = self.look_closely()
    self.assertEqual(5, len(self.programs()))
    self.assertEqual([], self.instances())
    self.wait(lambda: self.briod.get("Requests", self.loop.name).get("reads", 0) > 0, "completed reads")
    self.wait(lambda: [v for v in self.briod.get("Verdicts", self.loop.name) if v["confidence"] == 1000], "a finding that is certain")
    self.wait(lambda: self.briod.get("Readers", self.loop.name) == READERS, "exactly its readers")
    readers.stop()
    self.wait(lambda: not self.briod.get("AttentionReason", self.loop.name), "the end of attention level 2")
    self.assertEqual([], self.programs())
    self.assertEqual({}, self.briod.get("Requests", self.loop.name))


@unittest.skipUnless(IS_LOCKED_DOWN, "the kernel is not locked down")
class BlktraceLocked(Blktrace):
  def test_a_locked_down_kernel_is_named_and_nothing_is_left(self):
    self.enterContext(brio.Readers(f"/dev/{self.loop.name}", READERS, pause_s=0.1))
    self.wait(lambda: "requests cannot be told by blktrace" in self.briod.text(), "the attempt")
    state, note = self.source()
    self.assertEqual("unavailable", state)
    self.assertIn("locked down", note)
    self.assertEqual(1, self.briod.get("AttentionLevel"))
    self.assertEqual([], self.traces())
    self.assertFalse(self.state_file().exists())


class BlktraceLooks(Readable):
  def test_there_is_a_trace_exactly_while_a_drive_needs_it(self):
    self.assertEqual("works", self.source()[0])
    self.assertEqual([], self.traces())
    readers = self.look_closely()
    self.assertIn("dropped", self.traces())
    self.assertTrue(self.state_file().exists())
    self.wait(lambda: [v for v in self.briod.get("Verdicts", self.loop.name) if v["confidence"] == 1000], "a finding that is certain")
    self.wait(lambda: self.briod.get("Readers", self.loop.name) == READERS, "exactly its readers")
    readers.stop()
    self.wait(lambda: not self.briod.get("AttentionReason", self.loop.name), "the end of attention level 2")
    self.assertEqual([], self.traces())
    self.assertFalse(self.state_file().exists())

  def test_what_a_killed_briod_left_is_removed_by_restore(self):
    self.look_closely()
    self.briod.stop(signal.SIGKILL)
    self.assertIn("dropped", self.traces())
    status, text = self.restore()
    self.assertEqual(0, status, text)
    self.assertEqual([], self.traces())

  def restore(self):
    return brio.Briod(self.bus, "--restore", state=self.briod.state).fails_to_start()


class Best(Bpf):
  source_name = "auto"

  def test_bpf_is_used_before_tracefs(self):
    self.assertIn("in reserve: bpf is better", self.source(name="tracefs")[1])
    self.look_closely()
    self.assertIn("on 1 drive now", self.source(name="bpf")[1])
    self.assertEqual([], self.instances())


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Forbidden(Bpf):
  """Without the capabilities that BPF needs."""
  source_name = "auto"
  prefix = ("setpriv", "--bounding-set", "-bpf,-perfmon,-sys_admin")

  def test_tracefs_is_used_where_bpf_is_forbidden_and_probe_says_so(self):
    state, note = self.source(name="bpf")
    self.assertEqual("unavailable", state)
    self.assertIn("CAP_BPF", note)
    self.look_closely()
    self.assertEqual([], self.programs())
    self.assertEqual(1, len(self.instances()))
    self.assertIn("single requests cannot be told by bpf: ", self.briod.text())


class Nothing(Bpf):
  source_name = "proc"

  def test_without_a_source_no_request_is_looked_at(self):
    self.assertIn("not used", self.source(name="bpf")[1])
    self.enterContext(brio.Readers(f"/dev/{self.loop.name}", READERS, pause_s=0.1))
    self.wait(lambda: self.briod.get("Verdicts", self.loop.name), "a finding")
    self.assertEqual(1, self.briod.get("AttentionLevel"))
    self.assertEqual([], self.programs())


class UserTracing(Tracefs):
  def test_what_the_user_traces_is_not_touched(self):
    own = INSTANCES / f"brio-test-{os.getpid()}"
    own.mkdir()
    self.addCleanup(own.rmdir)
    (own / "events/block/block_rq_issue/filter").write_text("nr_sector > 3")
    (own / "events/block/block_rq_issue/enable").write_text("1")
    before = user_tracing(TRACING), user_tracing(own)
    self.look_closely()
    self.assertEqual(before, (user_tracing(TRACING), user_tracing(own)))
    self.wait(lambda: "entries: 0\n" not in (own / "per_cpu/cpu0/stats").read_text(), "the user's own events")
    self.assertEqual(0, self.briod.stop())
    self.assertEqual(before, (user_tracing(TRACING), user_tracing(own)))


PROCESSOR = Path("/sys/devices/system/cpu/cpu1/online")


class Fio:
  """A load of one process."""
  IO_BYTES = 64 << 20

  def setUp(self):
    super().setUp()
    self.directory = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-fio-"))
    self.release = Path(self.directory, "release")
    os.mkfifo(self.release)
    self.report = Path(self.directory, "report.json")

  def start_fio(self, name, *arguments):
    """One process, which stays when its I/O is done until it is released: its figures end with it."""
    process = subprocess.Popen(
      ["fio", f"--name={name}", f"--filename={self.target}", "--thread", "--direct=1", "--ioengine=libaio", "--iodepth=16",
       f"--io_size={self.IO_BYTES}", "--output-format=json", f"--output={self.report}", f"--exec_postrun=cat {self.release}", *arguments],
      cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=brio.die_with_parent)
    self.addCleanup(process.wait)
    self.addCleanup(process.kill)
    self.addCleanup(self.end_postrun)
    return process

  def end_postrun(self):
    """What waits for the release would outlive fio, and keep the drive."""
    with contextlib.suppress(OSError):
      os.close(os.open(self.release, os.O_WRONLY | os.O_NONBLOCK))


class Counts(Fio):
  """fio's own count is the truth. Where briod gets no processor for as long as the kernel keeps events, it says how many were lost; so what is missing is no
  more than that."""

  def told(self, process):
    """What is told of it, with or without its requests."""
    return next((p for p in self.briod.call("GetProcesses", "(u)", 0)[0] if p.get("pid") == process.pid), {})

  def settled(self, name, process):
    """Its figures once its I/O is done: it waits for its release, and no more was counted in two looks a second apart. They are taken from its
    begin on: of one that is at rest, another drive may be told, which it has read its own program from."""
    waits = Path(self.directory, f"{name}.postrun.txt") # which fio makes for what it runs then
    figures = {}

    def look():
      told = self.told(process)
      figures.update(told if "reads" in told else {})
      return waits.exists() and "reads" in figures
    try:
      self.wait(look, "the end of its I/O")
    except AssertionError as e:
      raise AssertionError(f"{'waits' if waits.exists() else 'works'}, ends with {process.poll()}, told {self.told(process)}: {e}") from e
    while True:
      before = figures["reads"], figures["writes"]
      time.sleep(1)
      look()
      if before == (figures["reads"], figures["writes"]):
        return figures

  def compare(self, name, *arguments):
    process = self.start_fio(name, *arguments)
    seen = self.settled(name, process)
    self.release.write_text("")
    process.wait(PATIENCE_S)
    text = self.report.read_text()
    job = json.loads(text[text.index("{"):])["jobs"][0] # it says where it saves the output of exec_postrun before
    self.assertEqual(0, job["error"])
    counters = {name: value for name, value in self.briod.get("Counters").items() if name.startswith(("requests_", "events_"))}
    self.assertLess(counters["events_lost"], job["read"]["total_ios"] + job["write"]["total_ios"])  # each has three
    for key, side in (("reads", "read"), ("writes", "write")):
      self.assertAlmostEqual(job[side]["total_ios"], seen[key], delta=job[side]["total_ios"] * self.tolerance + counters["events_lost"],
                             msg=f"{seen}; {counters}; {self.source()}")
    self.assertEqual(self.loop.name, seen["device"])
    self.assertFalse(seen["inferred"])
    return seen

  def test_counts_of_merged_requests_are_fios(self):
    self.look_closely()
    seen = self.compare("merged", "--rw=read", "--bs=4k")
    self.assertFalse(seen["seeks"])
    self.assertEqual(("requests", os.geteuid()), (seen["source"], seen["uid"]))

  def test_counts_of_split_requests_are_fios(self):
    self.loop.write("max_sectors_kb", 64)
    self.look_closely()
    self.compare("split", "--rw=randrw", "--bsrange=4k-256k")

  @unittest.skipUnless(os.environ.get("BRIO_TEST_CPUS"), "only with BRIO_TEST_CPUS=1: it takes a processor away from the machine for a second")
  def test_counts_are_fios_while_a_processor_goes_and_comes_back(self):
    self.look_closely()
    self.addCleanup(PROCESSOR.write_text, "1")

    def go_and_come_back():
      time.sleep(1)
      PROCESSOR.write_text("0")
      time.sleep(1)
      PROCESSOR.write_text("1")

    away = threading.Thread(target=go_and_come_back)
    away.start()
    self.compare("away", "--rw=randread", "--bs=4k", "--rate_iops=4000")  # four seconds
    away.join()


class Losses(Fio):
  """A flood while briod does not run, of more than the kernel keeps for it."""
  IO_BYTES = 256 << 20
  EVENTS = 3 * IO_BYTES // 4096 # queued, issued, completed: random requests do not merge

  def counters(self):
    values = self.briod.get("Counters")
    return values["request_events"], values["events_lost"]

  def test_what_could_not_be_kept_is_counted_as_lost(self):
    self.look_closely()
    told, lost = self.counters()
    self.briod.process.send_signal(signal.SIGSTOP)
    process = self.start_fio("flood", "--rw=randread", "--bs=4k")
    try:
      brio.wait_for(Path(self.directory, "flood.postrun.txt").exists, "the end of the flood", PATIENCE_S)
    finally:
      self.briod.process.send_signal(signal.SIGCONT)
    self.wait(lambda: self.counters()[1] > lost, "losses")
    self.wait(lambda: sum(self.counters()) - told - lost >= self.EVENTS * 0.999, "all of them, told or lost")
    state, note = self.source()
    self.assertEqual("reduced", state)
    self.assertIn("events lost: ", note)
    self.release.write_text("")
    process.wait(PATIENCE_S)


class TracefsCounts(Counts, Tracefs):
  pass


class BpfCounts(Counts, Bpf):
  pass


class BlktraceCounts(Counts, Readable):
  pass


class BlktracePartitions(Counts, Readable):
  """What is asked of a partition is the drive's."""
  partitioned = True


class TracefsPartitions(Counts, Tracefs):
  """What is asked of a partition is the drive's."""
  partitioned = True


class TracefsLatePartitions(Counts, Tracefs):
  """One that is made while its drive is watched is found within a second."""
  partitioned = True

  def setUp(self):
    super().setUp()
    self.loop.change_partition(brio.BLKPG_DEL_PARTITION)
    self.addCleanup(lambda: os.path.exists(self.target) or self.loop.change_partition(brio.BLKPG_ADD_PARTITION))

  def look_closely(self):
    super().look_closely()
    self.loop.change_partition(brio.BLKPG_ADD_PARTITION)
    # Whether its requests carry its own number or the drive's depends on the kernel: the filter lets both through.
    number = brio.wait_for(lambda: os.path.exists(self.target) and os.stat(self.target).st_rdev, "the partition")
    events = INSTANCES / self.instances()[0] / "events/block"
    for event in ("block_bio_queue", "block_split"):
      self.wait(lambda e=event: f"dev == {os.major(number) << 20 | os.minor(number)}" in (events / e / "filter").read_text(), "the partition in the filter")


class TracefsLosses(Losses, Tracefs):
  pass


class BpfLosses(Losses, Bpf):
  pass


class BpfPartitions(Counts, Bpf):
  """What is asked of a partition is the drive's."""
  partitioned = True


if __name__ == "__main__":
  unittest.main()
