# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorder, as a program: it writes a file at an even pace until it is ended, and from its beginning again where the file is long enough.

Not fio at a rate: that spins before each write for as long as its slowest sleep of ten took when it began, on a busy processor most of the time.

usage: recorder.py FILE BYTES_PER_S FILE_BYTES
"""
import sys
import time
from pathlib import Path

CALL_BYTES = 128 << 10
NAME = "recorder"


def record(path, bytes_per_s, file_bytes):
  call = bytes(CALL_BYTES)
  whole = file_bytes // CALL_BYTES * CALL_BYTES
  begin, written = time.monotonic(), 0
  with open(path, "wb", buffering=0) as file:
    while True:
      time.sleep(max(begin + written / bytes_per_s - time.monotonic(), 0))
      if written % whole == 0:
        file.seek(0)
      written += file.write(call)


def main(path, bytes_per_s, file_bytes):
  Path("/proc/self/comm").write_text(NAME, encoding="ascii")
  record(path, int(bytes_per_s), int(file_bytes))


if __name__ == "__main__":
  main(*sys.argv[1:])
