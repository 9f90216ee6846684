# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's block events, and blktrace, which a locked-down kernel does not give."""
import json
import re

from machine.attached import HDD

from .base import GuestTest

TRACER = "/sys/kernel/tracing/current_tracer"
CONFIG = "/etc/brio/briod.conf"
DROP_INS = "/etc/systemd/system/briod.service.d"
RESTART = "systemctl daemon-reload && systemctl restart briod"
READS, LEAST = 2000, 1998 # so that a tenth of a percent of them is more than one
RUNS = 3
FIO_S = 240
POSTRUN = "/counted.postrun.txt" # where fio keeps what exec_postrun says

TRACE = "blktrace -d /dev/{0} -w 6 -o - | blkparse -q -i - -f '%a %S %n %C\\n' >/tmp/brio-events"


class Tracing(GuestTest):
  def test_blktrace_tells_which_process_read_what(self):
    name = self.guest.device(HDD)
    trace = self.guest.start(f"timeout --signal=INT 60 sh -c \"{TRACE.format(name)}\"")
    sector = 204800
    read = f"dd if=/dev/{name} of=/dev/null bs=4k count=1 skip={sector // 8} iflag=direct status=none"
    while self.guest.poll(trace) is None:
      self.guest.shell(read)
    events = self.guest.read("/tmp/brio-events").splitlines()
    for action in "QDC":
      self.assertTrue(any(e.startswith(f"{action} {sector} 8") for e in events), f"no {action} event of sector {sector}")
    self.assertIn(f"Q {sector} 8 dd", events)

  def test_every_source_works_that_the_kernel_lets_it_have(self):
    self.account_delays()
    refused = {"psi"} if self.is_before(5, 13) else set()
    states = {source["name"]: (source["state"], source["note"]) for source in self.brioctl("probe")}
    self.assertEqual({"blktrace"} | refused, {name for name, state in states.items() if state[0] != "works"}, states)
    self.assertEqual("unneeded", states["blktrace"][0])
    self.assertIn("--source in briod(8)", states["blktrace"][1])

  def use_blktrace(self):
    """As briod(8) says: a drop-in that shows the unit the drives' nodes."""
    self.addCleanup(self.guest.shell, f"rm -r {DROP_INS}; sed -i 's/^Source=blktrace/#Source=auto/' {CONFIG}; {RESTART}")
    self.guest.shell(f"mkdir -p {DROP_INS} && printf '[Service]\\nPrivateDevices=no\\nDeviceAllow=block-* r\\n' >{DROP_INS}/blktrace.conf && "
                     f"sed -i 's/^#Source=auto/Source=blktrace/' {CONFIG} && {RESTART}")
    self.assertEqual("works", self.blktrace()["state"], self.blktrace())

  def blktrace(self):
    return next(source for source in self.brioctl("probe") if source["name"] == "blktrace")

  def has_trace(self):
    return self.guest.exists(f"/sys/kernel/debug/block/{self.guest.device(HDD)}/dropped")

  def counted(self, pid):
    """How many of a process's reads briod has seen so far; None: it does not look at single requests yet."""
    processes = self.brioctl("top", "--count", "1")["processes"]
    return next((p["reads"] for p in processes if p["pid"] == pid and "reads" in p), None)

  def lost(self):
    """Events that briod says it has not heard of, so far."""
    return int((re.search(r"events lost: (\d+)", self.blktrace()["note"]) or (0, 0))[1])

  def count_run(self):
    """fio's reads as briod counts them, and how many events were lost meanwhile."""
    lost = self.lost()
    pid = self.guest.start(
      f"fio --name=counted --filename=/dev/{self.guest.device(HDD)} --readonly --rw=read --bs=4k --direct=1 --thread "
      f"--io_size={READS * 4}k --output=/dev/null --exec_postrun='sleep 600'")
    self.guest.wait(lambda: self.guest.exists(POSTRUN), "the end of fio's reads", FIO_S)
    counts = [self.counted(pid) or 0]
    while counts[-1] < LEAST and counts[-3:] != 3 * counts[-1:]: # the last ones are told a moment later
      counts.append(self.counted(pid) or 0)
    self.guest.run("pkill", "-KILL", "-f", "name=counted")
    self.guest.run("rm", POSTRUN)
    return max(counts), self.lost() - lost

  def test_blktrace_is_a_source_inside_the_sandbox_and_counts_as_fio_does(self):
    """As does one that a processor's pause made lose an event (docs/sources.md), once that is done again."""
    self.use_blktrace()
    self.readers(HDD)
    self.guest.wait(self.has_trace, "a trace of the drive")
    self.assertIn("on 1 drive now", self.blktrace()["note"])
    runs = [self.count_run()]
    while runs[-1][1] > 0 and len(runs) < RUNS:
      runs.append(self.count_run())
    told = f"reads and losses of each run: {runs}; {self.blktrace()['note']}; {self.drive(HDD)['attention_reason']!r}"
    self.assertEqual(0, runs[-1][1], told)
    self.assertAlmostEqual(READS, runs[-1][0], delta=READS - LEAST, msg=told)
    self.guest.run("pkill", "-KILL", "fio")
    self.guest.wait(lambda: not self.has_trace(), "the end of the trace")
    self.assert_no_complaint()

  def test_a_trace_that_a_killed_briod_left_goes_and_another_programs_stays(self):
    self.use_blktrace()
    self.readers(HDD)
    self.guest.wait(self.has_trace, "a trace of the drive")
    # Of the main process alone: the unit's others are what puts everything back.
    self.guest.shell("kill -KILL $(systemctl show --property=MainPID --value briod); systemctl stop briod")
    self.assertFalse(self.has_trace(), "ExecStopPost= ends it")
    self.assertFalse(self.guest.exists("/var/lib/brio/blktrace"))
    trace = self.guest.start(f"blktrace -d /dev/{self.guest.device(HDD)} -w 600 -o /tmp/another-programs")
    self.addCleanup(self.guest.run, "pkill", "-INT", "blktrace")
    self.guest.wait(self.has_trace, "another program's trace")
    self.guest.shell("systemctl start briod")
    self.guest.wait(lambda: "another program traces" in self.blktrace()["note"], "the refusal")
    self.guest.shell("systemctl stop briod")
    self.assertTrue(self.has_trace())
    self.assertIsNone(self.guest.poll(trace), "blktrace still runs")

  def kernel_verdict(self, pid, seconds=60):
    """What bfq says that it takes the process for; the first time that is nothing yet."""
    answer = self.guest.shell(f"busctl --json=short call org.brio.Brio1 /org/brio/Brio1 org.brio.Brio1.Manager GetKernelVerdicts u {seconds}")
    return next((v["verdict"]["data"] for v in json.loads(answer)["data"][0] if v["pid"]["data"] == pid), None)

  def test_bfqs_own_verdicts_are_heard_inside_the_sandbox_and_as_blktrace_has_them(self):
    self.wait_scheduler(HDD, "bfq")
    self.assertEqual("nop", self.guest.read(TRACER))
    pid = self.guest.start(f"fio --name=player --filename=/dev/{self.guest.device(HDD)} --readonly --rw=read --bs=128k --direct=1 --thread --rate=512k "
                           "--time_based --runtime=600 --output=/dev/null")
    self.addCleanup(self.guest.run, "pkill", "-KILL", "fio")
    self.guest.wait(lambda: self.kernel_verdict(pid) == "soft-rt", "bfq's verdict")
    self.assertEqual("blk", self.guest.read(TRACER))
    self.kernel_verdict(pid, 1)
    self.guest.wait(lambda: self.guest.read(TRACER) == "nop", "the end of that second")
    said = self.guest.shell(f"blktrace -d /dev/{self.guest.device(HDD)} -a notify -w 5 -o - | grep -a -o 'bfq[^ ]* raising period [^,]*, old coeff [0-9]*,'")
    self.assertRegex(said, r"bfq\d+S raising period dur \d+/300 msec, old coeff 3000,")
