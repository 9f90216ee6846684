# SPDX-License-Identifier: GPL-3.0-or-later
"""blktrace, tracefs and BPF tell of the same run of fio, and the same as fio."""
import tally

from .witnesses import TOLERANCE, WitnessTest

# A source that says that it lost a request (of a processor that stood still in the midst of writing one down, docs/sources.md) shows nothing of
# agreement: the run is done again.
RUNS = 3


class Agreement(WitnessTest):
  # So many requests each that a tenth of a percent is one at least, few enough for an emulated processor.
  jobs = {
    "merged": ("--rw=read", "--bs=4k", "--iodepth=16", "--iodepth_batch_submit=16", "--iodepth_batch_complete_min=16", "--number_ios=2000"),
    "alone": ("--rw=randread", "--bs=4k", "--iodepth=1", "--number_ios=1000"),
    "deep": ("--rw=randread", "--bs=4k", "--iodepth=32", "--number_ios=2000"),
    "written": ("--rw=randwrite", "--bs=4k", "--iodepth=16", "--number_ios=2000"),
    "split": ("--rw=randrw", "--bsrange=4k-64k", "--iodepth=4", "--number_ios=1000"),
  }

  def run_without_loss(self):
    for number in range(1, RUNS + 1):
      results, recorded, fio = self.run_all(f"agreement-{number}")
      lost = {source: [item for item in items if item["kind"] == "lost"] for source, items in recorded.items()}
      if not any(lost.values()):
        return results, recorded, fio
    return self.fail(f"in each of {RUNS} runs something was lost, in the last: {lost}")

  def test_blktrace_tracefs_and_bpf_agree_with_each_other_and_with_fio(self):
    results, recorded, fio = self.run_without_loss()
    witnesses = {source: self.tallies(items) for source, items in recorded.items()}
    (results / "counts.txt").write_text(tally.table(witnesses | {"fio": fio}))
    for source, tallies in witnesses.items():
      self.assertEqual([1] * len(self.jobs), [len(mine.processes) for mine in tallies.values()], f"{source}: each job is one process's")
    differing = [d for d in tally.differences(witnesses | {"fio": fio}) if d[0] > TOLERANCE]
    self.assertEqual([], differing)
