# SPDX-License-Identifier: GPL-3.0-or-later
"""A processor that goes and comes back while single requests are recorded."""
import tally

from .witnesses import TOLERANCE, WitnessTest

ONLINE = "/sys/devices/system/cpu/cpu1/online"
# So many reads before the processor goes, while it is away, and after it came back: by their number, so that no speed of the guest matters.
READS = 300
UNDER_WAY = 1 # when fio is told to end, and it need not count that one
UNKNOWN = 0 # how many were lost
MEANWHILE = f"""
reads() {{ awk '{{ print $1 }}' "/sys/block/$drive/stat"; }}
pass() {{ end=$(($(reads) + {READS})); until [ "$(reads)" -ge "$end" ]; do sleep 0.1; done; }}
turn() {{ echo "$1" >{ONLINE} && echo "$1 $(reads)"; }}
(pass; turn 0; pass; turn 1; pass) >"$results/processor.txt"
kill -INT "$fio"
"""
UNTIL_KILLED = ("--rw=randread", "--bs=4k", "--rate_iops=150", "--time_based", "--runtime=300")


class Cpus(WitnessTest):
  # Of two processors one reads on each, so that the one that goes has had its share of the requests; its reader goes on on the other.
  jobs = {"stays": (*UNTIL_KILLED, "--cpus_allowed=0"), "moves": (*UNTIL_KILLED, "--cpus_allowed=1")}

  def setUp(self):
    super().setUp()
    if not self.guest.exists(ONLINE):
      self.skipTest("the guest's second processor cannot be taken away")
    self.addCleanup(self.guest.shell, f"echo 1 >{ONLINE}")

  def test_no_source_loses_a_request_unsaid_while_a_processor_goes_and_comes_back(self):
    results, recorded, fio = self.run_all("cpus", MEANWHILE)
    witnesses = {source: self.tallies(items) for source, items in recorded.items()}
    (results / "counts.txt").write_text(tally.table(witnesses | {"fio": fio}))
    self.assertEqual(["0", "1"], [line.split()[0] for line in (results / "processor.txt").read_text().splitlines()])
    for source, items in recorded.items():
      lost = [item["fields"][0] for item in items if item["kind"] == "lost"]
      for job, truth in fio.items():
        seen, asked = witnesses[source][job].counts["reads"], truth.counts["reads"]
        slack = UNDER_WAY + asked * TOLERANCE
        self.assertGreater(asked, READS, f"{job}: fio")
        self.assertLessEqual(seen, asked + slack, f"{source}: {job}")
        unsaid = 0 if UNKNOWN in lost else asked - seen - sum(lost)
        self.assertLessEqual(unsaid, slack, f"{source}: {job}: {seen} of {asked} seen, lost: {lost}")
    self.assert_goes_on_to_the_end(recorded)
    for source in recorded:
      self.guest.shell(f"brioctl replay /mnt/results/cpus/{source}.recording")

  def assert_goes_on_to_the_end(self, recorded):
    """Whatever one lost: a source that stopped looking when the processor went or came would have seen a shorter time than the others."""
    times = {source: [item["t"] for item in items if item["kind"] == "complete"] for source, items in recorded.items()}
    spans = {source: max(t) - min(t) for source, t in times.items()}
    self.assertGreater(min(spans.values()), max(spans.values()) * 0.95, spans)
