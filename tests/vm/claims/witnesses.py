# SPDX-License-Identifier: GPL-3.0-or-later
"""Several briods beside each other, each with a source of its own, record the same run of fio."""
import json
from pathlib import Path

import recordings
import tally
from machine.attached import SSD

from .base import GuestTest

SCRIPT = Path(__file__).resolve().parent.parent / "witnesses.sh"
SOURCES = ("blktrace", "tracefs", "bpf")
TOLERANCE = 0.001
RUN_S = 400
STRETCH_MIB = 1024
SECTORS_PER_MIB = 2048
# What is submitted in one go is merged, and what is larger than this is split.
REQUEST_MAX_KIB = 16


class WitnessTest(GuestTest):
  """A module of claims has its jobs: fio's options for each. Each has a stretch of the drive to itself."""
  jobs = {}

  def offsets_mib(self):
    """The first stretch is kept for programs that look at what a drive begins with."""
    return {job: number * STRETCH_MIB for number, job in enumerate(self.jobs, 1)}

  def stretches(self):
    return {job: (begin * SECTORS_PER_MIB, (begin + STRETCH_MIB) * SECTORS_PER_MIB) for job, begin in self.offsets_mib().items()}

  def fio_arguments(self, name):
    arguments = [f"--filename=/dev/{name}", f"--size={STRETCH_MIB}m", "--direct=1", "--ioengine=libaio", "--randseed=7"]
    for job, begin in self.offsets_mib().items():
      arguments += [f"--name={job}", f"--offset={begin}m", *self.jobs[job]]
    return arguments

  def run_all(self, directory, meanwhile=""):
    """meanwhile: a script of the guest that runs beside fio. Returns the recordings' items by source, and fio's own tallies."""
    results = self.guest.results / directory
    results.mkdir()
    name = self.guest.device(SSD)
    largest = f"{self.queue(SSD)}/max_sectors_kb"
    before = self.guest.read(largest)
    briod = self.guest.shell(f"systemctl stop briod; echo {REQUEST_MAX_KIB} >{largest}; systemctl cat briod | sed -n 's/^ExecStart=//p'")
    self.addCleanup(self.guest.shell, f"echo {before} >{largest}; systemctl start briod")
    done = self.guest.run("sh", "-s", "--", briod, name, f"/mnt/results/{directory}", " ".join(SOURCES), meanwhile, *self.fio_arguments(name),
                          text_in=SCRIPT.read_text(), timeout_s=RUN_S)
    self.assertEqual(0, done.status, done.text)
    text = (results / "fio.json").read_text()
    fio = tally.of_fio(json.loads(text[text.index("{"):])) # it says before where it keeps the output of exec_postrun
    return results, {source: recordings.read((results / f"{source}.recording").read_bytes())[2] for source in SOURCES}, fio

  def tallies(self, items):
    """Of one recording: a tally for each job."""
    major, minor = (int(number) for number in self.guest.read(f"/sys/block/{self.guest.device(SSD)}/dev").split(":"))
    return tally.of_recording(items, major << 20 | minor, self.stretches())
