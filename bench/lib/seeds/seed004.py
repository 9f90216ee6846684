# SPDX-License-Identifier: GPL-3.0-or-later
"""Seed 004 (Valente 2019): dbench with six clients on a file system with a journal, whose thread has a higher weight.

ext4 gives its journal's thread priority 3 where all others have 4 (journal_ioprio in ext4(5)), so it is heavier under
bfq without our doing. The load is dbench's own recording of a file server's clients, as in the Phoronix suite.
"""
import re
import subprocess
from pathlib import Path

from .. import drive, filesystem, process
from ..experiment import Experiment, Figure, WorkloadError, Share, compared, on

CLIENTS = 6
RECORDING = Path("/usr/share/dbench/client.txt")
GRACE_S = 90  # for what it does before and after: a warm-up, and removing its files
SUMMARY = re.compile(r"^Throughput ([\d.]+) MB/sec .* max_latency=([\d.]+) ms", re.MULTILINE)


def parse(text):
  found = SUMMARY.search(text)
  if not found:
    raise WorkloadError(f"dbench printed no throughput: {process.last_line(text, 'nothing at all')}")
  return {"mbps": float(found[1]), "max_ms": float(found[2])}


def workload(place, runtime_s, _seed, during):
  argv = ["dbench", "-c", str(RECORDING), "-D", str(place.directory), "-t", str(runtime_s), str(CLIENTS)]
  with process.Process(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as dbench:
    text, errors = dbench.finish(runtime_s + GRACE_S, during)
  return parse(text + errors)


def missing():
  return filesystem.missing(("mkfs.ext4", "e2fsprogs"), ("dbench", "dbench")) or \
    (None if RECORDING.exists() else f"there is no {RECORDING} (package dbench)")


def experiments(build_dir, quick):
  return [Experiment(
    title=f"004 dbench, {CLIENTS} clients on ext4", model=drive.USED["ssd"], runtime_s=15 if quick else 60,
    arms=compared(workload, "ssd", build_dir),
    figures=(Figure("mbps", "MB/s", True, 100, 150), Figure("max_ms", "max ms", False)),
    aims=(Share("mbps", "throughput", 150, True),), enter_place=on(filesystem.Ext4), missing=missing(),
  )]
