#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: run-target.py TARGET CORPUS...

Has a libFuzzer target look for inputs that break it, for BRIO_TEST_FUZZ_SECONDS (default: 120), and says what it came to. What breaks it is
kept in finds/ beside the target, and what it has learned in learned/, where the next run begins."""
import contextlib
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

SECONDS = int(os.environ.get("BRIO_TEST_FUZZ_SECONDS", "120"))
INPUT_S = 30  # that one input may take, beside all else that the processors do
BYTES = 4096  # of an input
MEMORY_MB = 2048
COVERAGE = re.compile(r"^#\d+\s+[A-Za-z]+\s+cov: (\d+)", re.M)
RUNS = re.compile(r"number_of_executed_units: (\d+)")


def main():
  target, corpora = Path(sys.argv[1]).resolve(), sys.argv[2:]
  name = target.name.removeprefix("fuzz-")
  finds, learned = target.parent / "finds" / name, target.parent / "learned" / name
  for directory in (finds, learned):
    directory.mkdir(parents=True, exist_ok=True)
  options = [f"-max_total_time={SECONDS}", f"-timeout={INPUT_S}", f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={finds}/", f"-max_len={BYTES}",
             "-print_final_stats=1"]
  # Where the kernel shares out the processors by session, each test has one, and a nice value counts within it alone.
  with contextlib.suppress(OSError):
    Path("/proc/self/autogroup").write_text("10")
  environment = os.environ | {"ASAN_OPTIONS": "strict_string_checks=1", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
  begin = time.monotonic()
  done = subprocess.run([target, *options, learned, *corpora], capture_output=True, text=True, errors="replace", check=False, env=environment)
  took = time.monotonic() - begin
  used = resource.getrusage(resource.RUSAGE_CHILDREN)
  coverage = [int(number) for number in COVERAGE.findall(done.stderr)]
  runs = RUNS.search(done.stderr)
  if runs and coverage:
    cpu = used.ru_utime + used.ru_stime
    print(f"## {name}: {runs[1]} runs in {took:.0f} s ({cpu:.0f} s of a CPU: {int(runs[1]) / cpu:.0f} a second), coverage {coverage[0]} to {coverage[-1]}")
  if done.returncode != 0:
    print("\n".join(done.stderr.splitlines()[-60:]))
    print(f"What breaks it is in {finds}")
  return 1 if done.returncode != 0 or not runs else 0


if __name__ == "__main__":
  sys.exit(main())
