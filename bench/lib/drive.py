# SPDX-License-Identifier: GPL-3.0-or-later
"""Emulated drives: brio-drive's file under a loop device, and its complete removal.

Each drive has a directory of its own (state.py) from before its first trace on the machine until after its last; in it a
file says what was taken, so that cleanup() can take down what a killed process left. The loop device is bound with autoclear and held open: the kernel
unbinds it by itself when the holder dies, and brio-drive unmounts when its parent dies. What remains for cleanup()
then is a directory and the settings of the loop device.
"""
import configparser
import contextlib
import errno
import fcntl
import json
import os
import struct
import subprocess
import time
from pathlib import Path

from . import process, settings, state, sysfs, trees

ROOT = Path(__file__).resolve().parent.parent.parent
MODELS = ROOT / "bench" / "drive" / "models"
# The models that the benchmarks measure on, by the name that people know.
USED = {"hdd": "hdd-7200", "ssd": "ssd-sata"}

# linux/loop.h
LOOP_CLR_FD = 0x4C01
LOOP_CONFIGURE = 0x4C0A
LOOP_CTL_GET_FREE = 0x4C82
LO_FLAGS_AUTOCLEAR = 4
LO_FLAGS_DIRECT_IO = 16
# struct loop_config: fd, block_size, struct loop_info64 (232 bytes, lo_flags at 52), 64 reserved bytes
LOOP_CONFIG_SIZE = 8 + 232 + 64
LOOP_CONFIG_FLAGS_AT = 8 + 52

# The kind of directory, and what is in it.
KIND = "drive"
FILE = "drive"
TAKEN = "taken.json"

# What every model's section [model] says besides its kind, which is brio-drive's.
MODEL_KEYS = ("class", "rotational", "queue_depth", "tags")

# brio-drive's switch: an extended attribute of the file that it serves.
TIMING = "user.brio.timing"

READY_TIMEOUT_S = 10
LOOP_TRIES = 16
NOT_OURS = (errno.EBUSY, errno.ENXIO, errno.ENODEV)  # another process has bound the device that we were offered, or removed it
UNBIND_TRIES, UNBIND_POLL_S = 100, 0.02
WITHOUT_MOUNT = "/"  # as which a loop device names the file of a drive whose mount is gone
HOLD_BYTES = 1 << 20  # of nothing, below a loop device that is held
# What emulation and the benchmarks change on the loop device, and so what must be put back, in this order: the depth can only be
# written back while no scheduler is in the way.
SETTINGS = ("nr_requests", "rotational", "read_ahead_kb", "max_sectors_kb", "wbt_lat_usec")
# Of a driver's tags, how many the kernel gives a scheduler at most, and twice as many requests (block/blk-mq-sched.c, blk_mq_init_sched()).
SCHEDULED_TAGS_MAX = 128
# The kernel's default for real drives; a loop device over FUSE would get twenty times that.
READ_AHEAD_KB = 128


class DriveError(Exception):
  """An emulated drive could not be made; the text says why in one line."""


def missing():
  """Why no drive can be emulated here, in one line; None where it can."""
  if os.geteuid() != 0:
    return "needs root"
  if not Path("/dev/fuse").exists():
    return "there is no /dev/fuse"
  if not Path("/dev/loop-control").exists():
    return "there is no /dev/loop-control"
  return None


def program(build_dir, name="brio-drive"):
  path = Path(build_dir) / "bench" / "drive" / name
  if not path.exists():
    raise DriveError(f"{path} is not built: install libfuse3-dev (Fedora: fuse3-devel, Arch: fuse3) and build again")
  return path


def model_names():
  return sorted(p.stem for p in MODELS.glob("*.conf"))


def load_model(model):
  """The model's file and its parsed text, given as a name from models/ or a path."""
  path = Path(model) if "/" in model else MODELS / f"{model}.conf"
  parser = configparser.ConfigParser(interpolation=None)
  try:
    found = parser.read(path)
  except (configparser.Error, UnicodeDecodeError) as e:
    raise DriveError(f"{path} is no model: {str(e).splitlines()[0]}") from e
  if not found:
    raise DriveError(f"there is no model {model}: give one of {', '.join(model_names())}, or a file with its path")
  missing_keys = [key for key in MODEL_KEYS if not parser.has_option("model", key)]
  if missing_keys:
    raise DriveError(f"{path}: [model] lacks {', '.join(missing_keys)}")
  return path, parser


class EmulatedDrive(process.Resource):
  """A context manager: `with EmulatedDrive("hdd-7200", "bfq", build_dir=...) as drive: drive.device`."""

  def __init__(self, model, scheduler, build_dir, size=32 << 30, seed=1):
    self.model_path, self.model = load_model(model)
    self.scheduler = scheduler
    self.size = size
    self.seed = seed
    self.build_dir = build_dir
    self.program = program(build_dir)
    self.device = None
    self.loop_fd = -1
    self.process = None
    self.directory = None
    self.taken = {}

  @property
  def name(self):
    return Path(self.device).name

  @property
  def model_name(self):
    return self.model_path.stem

  @property
  def request_kib(self):
    """The largest request that the drive gets; FUSE splits what is over 1 MiB."""
    return int(self.model["model"].get("request_kib", 1024))

  @property
  def scheduled_requests(self):
    return 2 * min(int(self.model["model"]["tags"]), SCHEDULED_TAGS_MAX)

  @property
  def drive_class(self):
    """As Brio names it: hdd, ssd, sd-card, usb-stick, emmc or nvme."""
    return self.model["model"]["class"]

  def open(self):
    reason = missing()
    if reason:
      raise DriveError(reason)
    self._begin()
    self._serve()
    self._bind()
    self._set_up_queue()

  def _begin(self):
    cleanup(self.build_dir)
    self.directory = Path(state.make(KIND))
    self._save()

  def _save(self):
    """Whole or not at all, and on disk before what it tells of happens."""
    temporary = self.directory / "taken.tmp"
    with open(temporary, "w") as f:
      json.dump(self.taken, f)
      f.flush()
      os.fsync(f.fileno())
    temporary.rename(self.directory / TAKEN)

  def _serve(self):
    self.file = self.directory / FILE
    self.file.touch()
    argv = [str(self.program), "--model", str(self.model_path), "--size", str(self.size), "--seed", str(self.seed),
            "--parent", str(os.getpid()), str(self.file)]
    self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    start_new_session=True)
    if self.process.stdout.readline() != b"ready\n":
      said = self.process.stderr.readline().decode(errors="replace").strip()
      raise DriveError(said or f"brio-drive did not start (status {self.process.wait(READY_TIMEOUT_S)})")

  def _bind(self):
    os.stat(self.file)  # before, a loop device of Linux 6.1 takes a file of FUSE to be empty
    backing = os.open(self.file, os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC)
    try:
      self.device, self.loop_fd = take_loop(backing, LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO, self._about_to_bind)
    except DriveError:
      self.taken.clear()
      self._save()
      raise
    finally:
      os.close(backing)
    if sysfs.read(Path("/sys/block") / self.name / "loop" / "dio") != "1":
      raise DriveError(f"{self.device} refuses direct I/O on this kernel")

  def _about_to_bind(self, device):
    """Written before the first change: a crash in between leaves a state file that names an untouched device."""
    self.taken.update(device=device, before=settings_of(device))
    self._save()

  def _set_up_queue(self):
    directory, model = sysfs.queue(self.device), self.model["model"]
    (directory / "rotational").write_text("1" if model.getboolean("rotational") else "0")
    if "request_kib" in model:
      (directory / "max_sectors_kb").write_text(str(self.request_kib))
    self.reselect(self.scheduler)

  def reselect(self, scheduler):
    """Selects a scheduler that starts anew: with its defaults and without what it learnt. The drive's depth goes first,
    while no scheduler is active: then it is the tag depth, as of a drive with NCQ. The kernel raises less than 4 to 4.
    A scheduler has as many requests as the driver of such a drive would give it; of a loop device's own tags it had more."""
    directory = sysfs.queue(self.device)
    (directory / "scheduler").write_text("none")
    (directory / "nr_requests").write_text(self.model["model"]["queue_depth"])
    write_quietly(directory / "scheduler", scheduler)
    (directory / "read_ahead_kb").write_text(str(READ_AHEAD_KB))
    if sysfs.scheduler(self.device) != scheduler:
      offered = (sysfs.read(directory / "scheduler") or "none").replace("[", "").replace("]", "").split()
      raise DriveError(f"{self.device} has no scheduler '{scheduler}'; this kernel offers {', '.join(offered)}")
    if scheduler != "none":
      (directory / "nr_requests").write_text(str(self.scheduled_requests))

  @contextlib.contextmanager
  def at_once(self):
    """`with drive.at_once():` the drive takes no time, to be prepared (a file system, files) without waiting. What still
    is in the page cache at its end is written at the drive's speed: unmount or sync before."""
    set_timing(self.file, b"off")
    try:
      yield
    finally:
      set_timing(self.file, b"on")

  def close(self):
    """Removes everything. Safe to call at any point and more than once."""
    if self.loop_fd >= 0:
      put_back(self.device, self.taken["before"])
      unbind(self.loop_fd, self.device)
      self.loop_fd = -1
    if self.process:
      stop(self.process)
      self.process.stdout.close()
      self.process.stderr.close()
      self.process = None
    if self.directory:
      remove_traces(self.directory)
      self.directory = None


def set_timing(file, value):
  """FUSE gives up a request that a signal comes to before the drive has read it; Python repeats other calls by itself."""
  while True:
    try:
      os.setxattr(file, TIMING, value)
      return
    except InterruptedError:
      pass


def take_loop(backing, flags, about_to_bind=lambda device: None):
  """A free loop device, bound to an open file: its node, and that open. Another process may bind or remove the one that we were offered first: then the
  next. about_to_bind is called before each try."""
  for _ in range(LOOP_TRIES):
    device = offered_loop()
    about_to_bind(device)
    fd = bound(device, backing, flags)
    if fd is not None:
      return device, fd
  raise DriveError("no free loop device: each one offered was taken by another process first")


def offered_loop():
  control = os.open("/dev/loop-control", os.O_RDWR | os.O_CLOEXEC)
  try:
    number = fcntl.ioctl(control, LOOP_CTL_GET_FREE)
  finally:
    os.close(control)
  device = f"/dev/loop{number}"
  if not os.path.exists(device):
    os.mknod(device, 0o600 | 0o060000, os.makedev(7, number))
  return device


def bound(device, backing, flags):
  """The loop device, open; None where it is not ours to have."""
  fd = -1
  try:
    fd = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    bind(fd, backing, flags)
    return fd
  except OSError as e:
    if fd >= 0:
      os.close(fd)
    if e.errno in NOT_OURS:
      return None
    raise DriveError(f"{device}: {e.strerror}") from e


def bind(fd, backing, flags):
  """An OSError where another process has the loop device."""
  config = bytearray(LOOP_CONFIG_SIZE)
  struct.pack_into("=II", config, 0, backing, 0)
  struct.pack_into("=I", config, LOOP_CONFIG_FLAGS_AT, flags)
  fcntl.ioctl(fd, LOOP_CONFIGURE, bytes(config))


def unbind(fd, device):
  """Unbinds at once where no other process has it open, else with the last close (autoclear); waits for that a little."""
  try:
    fcntl.ioctl(fd, LOOP_CLR_FD)
  except OSError as e:
    if e.errno != errno.ENXIO:
      raise
  finally:
    os.close(fd)
  for _ in range(UNBIND_TRIES):
    if backing_file(device) is None:
      return
    time.sleep(UNBIND_POLL_S)


def stop(process, timeout_s=5):
  """Ends a process that we started, by force if it must be."""
  if process.poll() is None:
    process.terminate()
    try:
      process.wait(timeout_s)
    except subprocess.TimeoutExpired:
      process.kill()
  process.wait()


def backing_file(device):
  return sysfs.read(Path("/sys/block") / Path(device).name / "loop" / "backing_file")


def unmount(path):
  """Undoes what a killed brio-drive left mounted. Lazily: an open file must not keep the rest from going."""
  mounted = sysfs.read("/proc/self/mountinfo") or ""
  if any(line.split()[4] == str(path) for line in mounted.splitlines()):
    subprocess.run(["umount", "--lazy", str(path)], check=False)


def restore(device, before):
  """Puts the settings of a loop device back that a killed process had, unless another process has bound it meanwhile. Bound by us
  until that is done. What the killed process had bound may still be going away: that is waited for."""
  backing = os.memfd_create(KIND, os.MFD_CLOEXEC)
  os.truncate(backing, HOLD_BYTES)
  try:
    for _ in range(UNBIND_TRIES):
      fd = bound(device, backing, LO_FLAGS_AUTOCLEAR)
      if fd is not None:
        put_back(device, before)
        unbind(fd, device)
        return
      if backing_file(device) not in (None, WITHOUT_MOUNT):
        return
      time.sleep(UNBIND_POLL_S)
  finally:
    os.close(backing)


def settings_of(device):
  """What put_back() takes. A scheduler that is selected again has its defaults: what was set in it counts, too."""
  directory = sysfs.queue(device)
  tunables = sorted(path.relative_to(directory) for path in directory.glob("iosched/*"))
  return {"scheduler": sysfs.scheduler(device), **{str(k): sysfs.read(directory / k) for k in (*SETTINGS, *tunables)}}


def put_back(device, before):
  """While it is bound by us: one that is not is offered to others, whose settings we would change."""
  directory = sysfs.queue(device)
  write_quietly(directory / "scheduler", "none")
  for key in SETTINGS:
    if before.get(key) is not None and sysfs.read(directory / key) != before[key]:
      write_quietly(directory / key, before[key])
  if before["scheduler"] == "none":
    return
  write_quietly(directory / "scheduler", before["scheduler"])
  for key, value in before.items():
    if key.startswith("iosched/") and value is not None:
      write_quietly(directory / key, value)


def write_quietly(path, text):
  """A refusal shows in what is read back. Of an unbound loop device it does not matter: the next binding starts from its defaults then."""
  try:
    path.write_text(text)
  except OSError:
    pass


def remove_traces(directory):
  unmount(directory / FILE)
  state.remove(directory)


def cleanup(build_dir=ROOT / "build"):
  """Takes down what processes left that are gone. Returns the devices (or, where none was taken yet, the directories)."""
  removed = []
  for directory in state.orphans(KIND):
    try:
      taken = json.loads(sysfs.read(directory / TAKEN) or "{}")
    except ValueError:
      taken = {}
    device = taken.get("device")
    if device and backing_file(device) in (str(directory / FILE), WITHOUT_MOUNT):
      unbind(os.open(device, os.O_RDWR | os.O_CLOEXEC), device)
    if device and os.path.exists(device):
      restore(device, taken["before"])
    remove_traces(directory)
    removed.append(device or directory.name)
  settings.restore_orphans()
  for kind in ("daemon", "mount", "virtual"):
    for directory in state.orphans(kind):
      state.remove(directory)
  trees.cleanup(build_dir)
  return removed
