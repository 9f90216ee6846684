# SPDX-License-Identifier: GPL-3.0-or-later
"""Three briods beside each other, each with a source of its own, see the same run of fio."""
import json
from pathlib import Path

import recordings
import tally
from machine.attached import SSD

from .base import GuestTest

SCRIPT = Path(__file__).resolve().parent.parent / "agreement.sh"
SOURCES = ("blktrace", "tracefs", "bpf")
TOLERANCE = 0.001
RUN_S = 400
STRETCH_MIB = 1024
SECTORS_PER_MIB = 2048
# What is submitted in one go is merged, and what is larger than this is split.
REQUEST_MAX_KIB = 16
# So many requests each that a tenth of a percent is one at least, few enough for an emulated processor.
JOBS = {
  "merged": ("--rw=read", "--bs=4k", "--iodepth=16", "--iodepth_batch_submit=16", "--iodepth_batch_complete_min=16", "--number_ios=2000"),
  "alone": ("--rw=randread", "--bs=4k", "--iodepth=1", "--number_ios=1000"),
  "deep": ("--rw=randread", "--bs=4k", "--iodepth=32", "--number_ios=2000"),
  "written": ("--rw=randwrite", "--bs=4k", "--iodepth=16", "--number_ios=2000"),
  "split": ("--rw=randrw", "--bsrange=4k-64k", "--iodepth=4", "--number_ios=1000"),
}
# Each job has a stretch to itself. The first is kept for those who look at what a drive begins with.
OFFSETS_MIB = {job: number * STRETCH_MIB for number, job in enumerate(JOBS, 1)}
STRETCHES = {job: (begin * SECTORS_PER_MIB, (begin + STRETCH_MIB) * SECTORS_PER_MIB) for job, begin in OFFSETS_MIB.items()}


def fio_arguments(name):
  arguments = [f"--filename=/dev/{name}", f"--size={STRETCH_MIB}m", "--direct=1", "--ioengine=libaio", "--randseed=7"]
  for job, options in JOBS.items():
    arguments += [f"--name={job}", f"--offset={OFFSETS_MIB[job]}m", *options]
  return arguments


class Agreement(GuestTest):
  def run_all(self, name):
    """Returns where the results are."""
    results = self.guest.results / "agreement"
    results.mkdir()
    largest = f"{self.queue(SSD)}/max_sectors_kb"
    before = self.guest.read(largest)
    briod = self.guest.shell(f"systemctl stop briod; echo {REQUEST_MAX_KIB} >{largest}; systemctl cat briod | sed -n 's/^ExecStart=//p'")
    self.addCleanup(self.guest.shell, f"echo {before} >{largest}; systemctl start briod")
    done = self.guest.run("sh", "-s", "--", briod, name, f"/mnt/results/{results.name}", " ".join(SOURCES), *fio_arguments(name),
                          text_in=SCRIPT.read_text(), timeout_s=RUN_S)
    self.assertEqual(0, done.status, done.text)
    return results

  def recorded(self, path, dev):
    """The tallies of a recording in which nothing is lost."""
    _, _, items = recordings.read(path.read_bytes())
    self.assertEqual([], [item for item in items if item["kind"] == "lost"], path.name)
    return tally.of_recording(items, dev, STRETCHES)

  def test_blktrace_tracefs_and_bpf_agree_with_each_other_and_with_fio(self):
    name = self.guest.device(SSD)
    major, minor = (int(number) for number in self.guest.read(f"/sys/block/{name}/dev").split(":"))
    results = self.run_all(name)
    text = (results / "fio.json").read_text()
    fio = tally.of_fio(json.loads(text[text.index("{"):])) # it says before where it keeps the output of exec_postrun
    witnesses = {source: self.recorded(results / f"{source}.recording", major << 20 | minor) for source in SOURCES}
    (results / "counts.txt").write_text(tally.table(witnesses | {"fio": fio}))
    for source, tallies in witnesses.items():
      self.assertEqual([1] * len(JOBS), [len(mine.processes) for mine in tallies.values()], f"{source}: each job is one process's")
    differing = [d for d in tally.differences(witnesses | {"fio": fio}) if d[0] > TOLERANCE]
    self.assertEqual([], differing)
