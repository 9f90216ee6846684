# SPDX-License-Identifier: GPL-3.0-or-later
"""What guests measured before. In virtual time the same run gives the same figures, so none has to be made twice: what a guest told is kept in
BUILD_DIR/bench-runs, in a file whose name changes with all that it depends on."""
import json
from pathlib import Path

from .. import trees
from . import machine, system


def files(jobs, build_dir, tested):
  """Where the figures of each job are kept, or will be. jobs, tested: as of machine.run_all()."""
  kinds = {kind: system.digest(kind[0] / system.KERNEL, kind[0] / system.INITRAMFS, archive) for kind, archive in tested.items()}
  names = (system.digest(job[0].name, kinds[machine.kind_of(job)], json.dumps(job[2], sort_keys=True)) for job in jobs)
  return [Path(build_dir) / "bench-runs" / f"{name}.json" for name in names]


def kept(file):
  """What a guest told; None where it was never measured."""
  try:
    return json.loads(file.read_text(encoding="utf-8"))
  except FileNotFoundError:
    return None


def keep(file, told):
  """As a whole or not at all."""
  if not file.parent.exists():
    file.parent.mkdir()
    trees.run("chown", f"--reference={file.parent.parent}", str(file.parent))  # the building user may remove it, also where root has made it
  unfinished = file.with_suffix(".unfinished")
  unfinished.write_text(json.dumps(told, sort_keys=True), encoding="utf-8")
  unfinished.rename(file)
