# SPDX-License-Identifier: GPL-3.0-or-later
"""A player of any rate that reads ahead, as a program: it reads a file through the page cache and tells when each call had come.

It fills its store as fast as the drive gives, plays from then on, and reads on whenever the store has room for another call.

usage: paced.py FILE FIRST_BYTE BYTES_PER_S STORE_S SECONDS [SOUND_SERVER]
"""
import json
import os
import socket
import sys
import time
from pathlib import Path

CALL_BYTES = 128 << 10
# How long a viewer waits for what does not come, beyond the film's own time.
PATIENCE_S = 10
NAME = "player"


def play(path, first_byte, bytes_per_s, store_s, seconds):
  """Reads so many seconds of it, from its beginning and the drive again where it ends before. Returns (when the store was full, when each call had come, how long each took), in seconds since the begin."""
  total, store = round(bytes_per_s * seconds), bytes_per_s * store_s
  buffer = bytearray(CALL_BYTES)
  descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
  whole = os.fstat(descriptor).st_size // CALL_BYTES * CALL_BYTES
  begin, playing, have, came, waits = time.monotonic(), None, 0, [], []
  while have < total and (now := time.monotonic() - begin) < seconds + PATIENCE_S:
    if playing is None and have >= min(store, total):
      playing = now
    played = 0 if playing is None else min((now - playing) * bytes_per_s, have)
    too_much = have + CALL_BYTES - played - max(store, CALL_BYTES)
    if playing is not None and too_much > 0:
      time.sleep(too_much / bytes_per_s)
      continue
    at = (first_byte + have) % whole
    if at == 0:
      os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    have += os.preadv(descriptor, [buffer], at)
    came.append(time.monotonic() - begin)
    waits.append(came[-1] - now)
  os.close(descriptor)
  return playing, came, waits


def main(path, first_byte, bytes_per_s, store_s, seconds, sound_server=None):
  Path("/proc/self/comm").write_text(NAME, encoding="ascii")
  with socket.socket(socket.AF_UNIX) as sound:
    if sound_server:
      sound.connect(sound_server)
    playing, came, waits = play(path, int(first_byte), float(bytes_per_s), float(store_s), float(seconds))
  json.dump({"playing": playing, "came": came, "waits": waits}, sys.stdout)


if __name__ == "__main__":
  main(*sys.argv[1:])
