# SPDX-License-Identifier: GPL-3.0-or-later
"""A real briod on a real, private bus, for tests: everything here is a context manager that cleans up after itself."""
import ctypes
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import uuid
from pathlib import Path

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BRIO_BUILD_DIR", SOURCE / "build"))
NAME = "org.brio.Brio1"
PATH = "/org/brio/Brio1"
MANAGER = NAME + ".Manager"
DEVICE = NAME + ".Device"
SAMPLE = struct.Struct("=II Q 32s 8I QQ 6I 8x")  # common/sample.h
PATIENCE_S = 20  # for what should happen soon; a loaded machine may take its time


def wait_for(condition, what, patience_s=PATIENCE_S):
  """Polls until condition() is true and returns its value."""
  end = time.monotonic() + patience_s
  while True:
    value = condition()
    if value:
      return value
    if time.monotonic() > end:
      raise AssertionError(f"waited {patience_s} s in vain for {what}")
    time.sleep(0.02)


def die_with_parent():
  ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Bus:
  """A dbus-daemon of our own."""

  def __enter__(self):
    self.process = subprocess.Popen(
      ["dbus-daemon", "--config-file", str(SOURCE / "tests/lib/private-bus.conf"), f"--address=unix:abstract=brio-test-{uuid.uuid4()}",
       "--nofork", "--print-address"],
      stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
    self.address = self.process.stdout.readline().strip()
    return self

  def __exit__(self, *_):
    self.process.kill()
    self.process.wait()
    self.process.stdout.close()

  def connect(self):
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(self.address, flags, None, None)


class Briod:
  """briod from the build tree. Extra arguments go to it; log holds what it wrote; prefix is a command that runs it. environment: of systemd's
  variables, which then say where it keeps things."""

  def __init__(self, bus, *arguments, state=None, policies=None, prefix=(), environment=None):
    self.bus, self.arguments, self.prefix, self.environment = bus, arguments, prefix, environment
    self.own_state = state is None
    self.state = state or tempfile.mkdtemp(prefix="brio-state-")
    self.policies = policies or str(SOURCE / "policies")

  def fails_to_start(self):
    """For one that should end by itself: waits for that, and returns the exit status and what it wrote."""
    status = self.spawn().wait(PATIENCE_S)
    text = self.text()
    self.log.close()
    if self.own_state:
      shutil.rmtree(self.state, ignore_errors=True)
    return status, text

  def spawn(self):
    self.log = tempfile.TemporaryFile(mode="w+")
    return subprocess.Popen(
      [*self.prefix, str(BUILD / "daemon/briod"), "--bus", self.bus.address, "--policy-dir", self.policies,
       *(() if self.environment else ("--state-dir", self.state)), *self.arguments],
      stderr=self.log, env=os.environ | (self.environment or {}), preexec_fn=die_with_parent)

  def __enter__(self):
    self.process = self.spawn()
    self.connection = self.bus.connect()
    wait_for(lambda: self.process.poll() is not None or self.owned(), "briod on the bus")
    if self.process.poll() is not None:
      raise AssertionError("briod ended: " + self.text())
    return self

  def __exit__(self, *_):
    self.stop()
    if not self.connection.is_closed():
      self.connection.close_sync(None)
    self.log.close()
    if self.own_state:
      shutil.rmtree(self.state, ignore_errors=True)

  def stop(self, number=signal.SIGTERM):
    if self.process.poll() is None:
      self.process.send_signal(number)
    return self.process.wait(PATIENCE_S)

  def text(self):
    self.log.seek(0)
    return self.log.read()

  def owned(self):
    reply = self.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
                                      GLib.Variant("(s)", (NAME,)), None, Gio.DBusCallFlags.NONE, -1, None)
    return reply.unpack()[0]

  def call(self, method, signature="()", *arguments, connection=None, interface=MANAGER, path=PATH):
    reply = (connection or self.connection).call_sync(NAME, path, interface, method, GLib.Variant(signature, arguments), None,
                                                      Gio.DBusCallFlags.NONE, 10000, None)
    return reply.unpack()

  def get(self, name, device=None):
    path = f"{PATH}/device/{device}" if device else PATH
    return self.call("Get", "(ss)", DEVICE if device else MANAGER, name, interface="org.freedesktop.DBus.Properties", path=path)[0]

  def open_stream(self, interval_ms):
    """The reading end of a sample stream, for read_sample(); the caller closes it."""
    reply, fds = self.connection.call_with_unix_fd_list_sync(NAME, PATH, MANAGER, "OpenSampleStream", GLib.Variant("(u)", (interval_ms,)), None,
                                                             Gio.DBusCallFlags.NONE, -1, None, None)
    return fds.get(reply.unpack()[0])

  def tunable(self, device, name):
    """initial, wanted, current, owner"""
    return self.get("Tunables", device)[name]

  def decisions(self):
    return self.call("GetDecisions", "(t)", 0)[0]


class Diskstats:
  """/proc/diskstats of a recorded machine: every drive at rest, until a test says what one did."""

  def __init__(self, root):
    self.path = Path(root, "proc/diskstats")
    self.path.parent.mkdir(parents=True, exist_ok=True)
    self.counts = {}
    for block in sorted(Path(root, "sys/block").iterdir()):
      if not (block / "dev").exists():  # a hidden path of a drive with several
        continue
      self.counts[block.name] = [*(block / "dev").read_text().strip().split(":"), block.name] + [0] * 17
    self.write()

  def write(self):
    text = "".join(" ".join(map(str, line)) + "\n" for line in self.counts.values())
    new = self.path.with_suffix(".new")
    new.write_text(text)
    new.rename(self.path)

  def add_reads(self, device, reads, sectors, milliseconds):
    line = self.counts[device]
    for field, value in ((3, reads), (5, sectors), (6, milliseconds), (12, milliseconds), (13, milliseconds)):
      line[field] += value
    self.write()


def error_name(call):
  """The D-Bus error that the call ends with."""
  try:
    call()
  except GLib.Error as e:
    return Gio.DBusError.get_remote_error(e)
  return None


LOOP_CTL_GET_FREE, LOOP_CONFIGURE, LOOP_CLR_FD = 0x4C82, 0x4C0A, 0x4C01
LO_FLAGS_AUTOCLEAR, LO_FLAGS_PARTSCAN = 4, 8
BLKPG, BLKPG_ADD_PARTITION, BLKPG_DEL_PARTITION = 0x1269, 1, 2
PARTITION_START_BYTES = 1 << 20


class Loop:
  """A loop device on a sparse file, rotational; whatever its queue's settings were before comes back at the end."""

  def __init__(self, size_bytes=4 << 30, scheduler="bfq", writable=False, partitioned=False, directory=None):
    self.size, self.scheduler, self.mode, self.partitioned = size_bytes, scheduler, "r+b" if writable else "rb", partitioned
    self.directory = directory

  def __enter__(self):
    self.file = tempfile.NamedTemporaryFile(prefix="brio-loop-", dir=self.directory)
    self.file.truncate(self.size)
    self.device = None
    with open("/dev/loop-control", "rb") as control:
      for _ in range(16):
        self.name = f"loop{fcntl.ioctl(control, LOOP_CTL_GET_FREE)}"
        try:
          self.attach()
          break
        except OSError:  # another process was faster
          continue
      else:
        raise AssertionError("no loop device to be had")
    self.queue = Path("/sys/block", self.name, "queue")
    self.former_scheduler = self.active()
    self.former = self.everything()
    self.write("rotational", 1)
    self.write("scheduler", "none")  # a scheduler that stays keeps what others have set; one that is new starts with its defaults
    self.write("scheduler", self.scheduler)
    return self

  def __exit__(self, *_):
    if self.device or not (self.queue.parent / "loop/backing_file").exists():  # else another process has it by now
      self.write("scheduler", self.former_scheduler)
      for name, value in self.everything().items():
        former = self.former.get(name, value)
        if name != "scheduler" and former != value and os.stat(self.queue / name).st_mode & 0o200:
          self.write(name, former.decode())
    if self.device:
      self.detach()
    self.file.close()

  def change_partition(self, operation):
    """One partition, to the end; told to the kernel without a table, which it may not be built to read."""
    partition = ctypes.create_string_buffer(struct.pack("=qqi64x64x4x", PARTITION_START_BYTES, self.size - PARTITION_START_BYTES, 1))
    fcntl.ioctl(self.device, BLKPG, struct.pack("@iiiP", operation, 0, len(partition.raw) - 1, ctypes.addressof(partition)))

  def attach(self):
    """An OSError where another process has the number. Should this process be killed, the kernel detaches it."""
    config = struct.pack("=II 52x I 176x 64x", self.file.fileno(), 0, LO_FLAGS_AUTOCLEAR | (LO_FLAGS_PARTSCAN if self.partitioned else 0))  # struct loop_config
    device = open(f"/dev/{self.name}", self.mode, buffering=0)
    try:
      fcntl.ioctl(device, LOOP_CONFIGURE, config)
    except OSError:
      device.close()
      raise
    self.device = device
    if self.partitioned:
      self.change_partition(BLKPG_ADD_PARTITION)

  def detach(self):
    if self.partitioned:
      self.change_partition(BLKPG_DEL_PARTITION)
    fcntl.ioctl(self.device, LOOP_CLR_FD)
    self.device.close()  # it stays attached until the last one closes it
    self.device = None
    backing = self.queue.parent / "loop/backing_file"
    wait_for(lambda: not backing.exists() or self.file.name not in backing.read_text(), f"the end of {self.name}")

  def read(self, name):
    return (self.queue / name).read_text().strip()

  def write(self, name, value):
    (self.queue / name).write_text(str(value))

  def active(self):
    words = self.read("scheduler").split()
    return next((w.strip("[]") for w in words if w.startswith("[")), words[0])

  def everything(self):
    """Every readable file of the queue directory, as `grep -r .` shows it. That of a scheduler may go while it is walked, where another is chosen."""
    values = {}
    for directory, _, names in os.walk(self.queue):  # which passes over what is gone
      for path in (Path(directory, name) for name in names):
        try:
          values[str(path.relative_to(self.queue))] = path.read_bytes()
        except OSError as e:
          values[str(path.relative_to(self.queue))] = e.errno
    return values


class Freezer:
  """A file system of our own, whose files cannot be written while it is frozen: what stands on one is a drive that does not answer."""

  def __init__(self, size_bytes=256 << 20):
    self.size = size_bytes

  def __enter__(self):
    self.image = tempfile.NamedTemporaryFile(prefix="brio-freezer-")
    self.image.truncate(self.size)
    self.directory = tempfile.mkdtemp(prefix="brio-freezer-")
    subprocess.run(["mkfs.ext4", "-q", "-F", self.image.name], check=True)
    subprocess.run(["mount", "-o", "loop", self.image.name, self.directory], check=True)
    self.writer = None
    return self

  def __exit__(self, *_):
    self.thaw()
    subprocess.run(["umount", self.directory], check=True)
    os.rmdir(self.directory)
    self.image.close()

  def freeze(self, loop):
    """One write to that drive is under way when this returns, and stays so."""
    subprocess.run(["fsfreeze", "--freeze", self.directory], check=True)
    self.writer = subprocess.Popen(["dd", "if=/dev/zero", f"of=/dev/{loop.name}", "bs=4k", "count=1", "oflag=direct"], stderr=subprocess.DEVNULL)
    inflight = Path("/sys/block", loop.name, "inflight")
    wait_for(lambda: inflight.read_text().split()[1] != "0", "a write that does not end")  # a read ends: another program's look at what is on the drive

  def thaw(self):
    if self.writer:
      subprocess.run(["fsfreeze", "--unfreeze", self.directory], check=True)
      self.writer.wait()
      self.writer = None


def why_no_freezer():
  """Why no file system can be frozen here; None where it can."""
  missing = [tool for tool in ("mkfs.ext4", "mount", "fsfreeze") if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
  return why_no_loop() or (f"{missing[0]} is not installed" if missing else None)


def why_no_readers():
  """Why a loop device cannot be read by fio here; None where it can."""
  return why_no_loop() or (None if shutil.which("fio") else "fio is not installed")


LONGER_THAN_ANY_TEST_S = 24 * 3600


class Readers:
  """The load of seed 000: many processes, each of which reads 4 KiB somewhere on the drive every `pause_s`, until stop()."""

  def __init__(self, device, count=150, pause_s=1.0, size_bytes=4 << 30, seed=20261121):
    self.device, self.count, self.pause_s, self.size, self.seed = device, count, pause_s, size_bytes, seed

  def __enter__(self):
    # Each job of fio makes a session of its own, so that neither a process group nor its parent's end would end it. In a
    # PID namespace fio is the first process: the kernel ends the others with it.
    self.namespace = subprocess.Popen(
      ["unshare", "--pid", "--fork", "--kill-child", "fio", "--name=readers", f"--filename={self.device}", "--rw=randread", "--bs=4k",
       f"--numjobs={self.count}", f"--thinktime={int(self.pause_s * 1e6)}", f"--size={self.size}", "--time_based",
       f"--runtime={LONGER_THAN_ANY_TEST_S}", f"--randseed={self.seed}"],
      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
    return self

  def __exit__(self, *_):
    self.stop()

  def running(self):
    return self.namespace.poll() is None

  def stop(self):
    """They are gone when this returns."""
    if self.namespace.returncode is not None:
      return
    children = Path(f"/proc/{self.namespace.pid}/task/{self.namespace.pid}/children")
    wait_for(lambda: self.namespace.poll() is not None or children.read_text(), "fio")
    for child in children.read_text().split():
      os.kill(int(child), signal.SIGKILL)  # unshare, its parent, waits for it: so the number is still its own
    self.namespace.wait()


def why_no_loop():
  """Why no loop device can be made here; None where it can."""
  if os.geteuid() != 0:
    return "needs root"
  if not os.path.exists("/dev/loop-control"):
    return "no /dev/loop-control"
  return None


def bytes_waiting(fd):
  """What a pipe has for its reader."""
  return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, bytes(4)))[0]


def read_sample(fd):
  """One record of a sample stream as a dictionary (common/sample.h)."""
  data = os.read(fd, SAMPLE.size)
  assert len(data) == SAMPLE.size, len(data)
  v = SAMPLE.unpack(data)
  names = ("magic size t_ns device span_us read_iops write_iops read_latency_us write_latency_us utilisation_permille depth_milli "
           "inflight read_bytes_per_s write_bytes_per_s readers dropped read_median_us read_p99_us write_median_us write_p99_us").split()
  sample = dict(zip(names, v))
  sample["device"] = sample["device"].split(b"\0")[0].decode()
  return sample
