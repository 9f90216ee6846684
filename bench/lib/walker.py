# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes through many small files, again and again, as a program: a backup, an indexer, a compiler.

Each of them tells the kernel that it needs a file's pages no more, so that the next round reads from the drive again.

usage: walker.py backup|index|compile DIRECTORY TARGET
"""
import marshal
import os
import sys
from pathlib import Path

INDEXED_BYTES = 4096  # of each file's beginning
INDEX_SYNCED_EVERY = 200  # files


def content(path, limit=-1):
  with open(path, "rb") as file:
    data = file.read(limit)
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
  return data


def backup(files, target):
  """All of them into one file."""
  with open(target / "archive", "wb") as archive:
    for path in files:
      archive.write(content(path))


def index(files, target):
  """A bit of each, into a database that is synced now and then."""
  with open(target / "index", "wb") as database:
    for number, path in enumerate(files):
      database.write(f"{path} {hash(content(path, INDEXED_BYTES))}\n".encode())
      if number % INDEX_SYNCED_EVERY == 0:
        database.flush()
        os.fsync(database.fileno())


def compiled(files, target):
  """Each source read, compiled and written, as a build does."""
  for number, path in enumerate(files):
    (target / str(number)).write_bytes(marshal.dumps(compile(content(path), str(path), "exec")))


def main(what, directory, target):
  walk = {"backup": backup, "index": index, "compile": compiled}[what]
  while files := sorted(path for path in Path(directory).rglob("*") if path.is_file()):
    walk(files, Path(target))


if __name__ == "__main__":
  main(*sys.argv[1:])
