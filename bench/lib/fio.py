# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs fio and reads its JSON."""
import json
import shutil
import subprocess
from dataclasses import asdict, dataclass

from . import process

# What fio may take beyond the runtime: starting hundreds of jobs, waiting for their last reads, writing its report.
GRACE_S = 90


class FioError(Exception):
  """fio failed; the text says why in one line."""


@dataclass
class Result:
  """One direction of one run. Latencies are completion latencies, in milliseconds."""
  iops: float
  mbps: float
  mean_ms: float
  p99_ms: float
  max_ms: float
  cpu_s: float = 0.0  # of all jobs, in user and kernel mode

  def as_dict(self):
    return asdict(self)


def missing():
  return None if shutil.which("fio") else "there is no fio (package fio)"


def command(name, options):
  return [*command_of_jobs({name: options}), "--output-format=json", "--group_reporting"]


def command_of_jobs(jobs):
  """Several jobs side by side: name → options. Options whose value is True stand alone."""
  argv = ["fio"]
  for name, options in jobs.items():
    argv.append(f"--name={name}")
    argv += [f"--{key}" if value is True else f"--{key}={value}" for key, value in options.items()]
  return argv


def parse(text, direction="read"):
  """fio may print notes before its JSON."""
  job = json.loads(text[text.index("{"):])["jobs"][0]
  if job["error"]:
    raise FioError(f"fio reports error {job['error']}")
  side = job[direction]
  if side["total_ios"] == 0:
    raise FioError("fio finished no request")
  latency = side["clat_ns"]
  return Result(iops=side["iops"], mbps=side["bw_bytes"] / 1e6, mean_ms=latency["mean"] / 1e6,
                p99_ms=latency["percentile"]["99.000000"] / 1e6, max_ms=latency["max"] / 1e6,
                cpu_s=(job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000)


def run(name, options, direction="read", during=None):
  """Runs fio for its runtime. `during`, where given, is called about every 20 ms with the seconds since its start."""
  with process.Process(command(name, options), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as fio:
    text, errors = fio.finish(float(options["runtime"]) + GRACE_S, during)
  if fio.returncode != 0:
    raise FioError(f"fio ended with status {fio.returncode}: {process.last_line(errors)}")
  return parse(text, direction)
