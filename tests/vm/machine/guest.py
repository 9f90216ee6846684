# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine under QEMU: booted, asked to run commands, plugged and unplugged, reset, and gone when its context ends."""
import contextlib
import shlex
import subprocess
import time
from pathlib import Path

from lib import channel, process, state

KIND = "vm"  # of state directory: sockets
MEMORY_MIB = 1536
PROCESSORS = 2
CONNECT_S = 30
BOOT_S = 900
COMMAND_S = 120
SHUTDOWN_S = 120
POLL_S = 0.5
# No mitigations: what they guard against is not in this guest, and each costs an emulated processor dearly. Emulated processors have one time
# stamp counter between them, which Debian 12's kernel takes for unsynchronized and then reads the slow HPET for each time.
KERNEL_LINE = "root=/dev/vda rw console=ttyS0 mitigations=off tsc=reliable panic=10"
# Emulated processors take turns in one thread: in threads of their own, QEMU before 8.1 (commit deba78709a) may keep a translation of code that the
# other processor just changed, so that the breakpoint by which a kernel switches a tracepoint stays on one processor after it was taken back.
ACCELERATION = {"kvm": "kvm", "tcg": "tcg,thread=single"}
# Of what a kernel says at its end.
LAST_WORDS = ("BUG:", "Oops", "RIP:", "Kernel panic")
# The agent gives its commands no environment of their own.
ENVIRONMENT = ("PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "HOME=/root", "DEBIAN_FRONTEND=noninteractive")


class GuestError(Exception):
  """The guest does not do what it should; the text says what."""


class Guest:
  """A context manager. `shared` maps names to directories of the host, which the guest sees below /mnt."""

  def __init__(self, image, accelerator, drives, results, shared):
    self.image = image
    self.accelerator = accelerator
    self.drives = drives
    self.results = results
    self.console = results / "console.txt"
    self.shared = shared
    self.names = {}
    self.panics = 0
    self.qemu = self.monitor = self.agent = self.directory = None

  def __enter__(self):
    for left in state.orphans(KIND):
      state.remove(left)
    self.directory = Path(state.make(KIND))
    try:
      self.qemu = process.Process(self._argv(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={"PATH": "/usr/bin:/bin", "TMPDIR": str(self.image.directory.parent)})
      self.monitor = channel.Monitor(self.directory / "monitor", CONNECT_S)
      self.agent = channel.Agent(self.directory / "agent", CONNECT_S)
    except channel.ChannelError as e:
      words = self.qemu.text("stderr").strip()
      self.__exit__()
      raise GuestError(f"QEMU did not start: {words or e}") from e
    except BaseException:
      self.__exit__()
      raise
    return self

  def __exit__(self, *_):
    for each in (self.agent, self.monitor):
      if each:
        each.close()
    if self.qemu:
      self.qemu.__exit__()
    state.remove(self.directory)

  def _argv(self):
    """The root is a snapshot: QEMU writes to a file without a name, which ends with it."""
    argv = ["qemu-system-x86_64", "-name", self.image.name, "-nodefaults", "-no-user-config", "-display", "none",
            "-machine", "q35", "-accel", ACCELERATION[self.accelerator], "-cpu", "host" if self.accelerator == "kvm" else "max",
            "-smp", str(PROCESSORS), "-m", str(MEMORY_MIB),
            "-kernel", str(self.image.kernel), "-initrd", str(self.image.initrd), "-append", KERNEL_LINE,
            "-drive", f"file={self.image.root},format=raw,if=none,id=root,snapshot=on,cache=unsafe", "-device", "virtio-blk-pci,drive=root",
            "-device", "virtio-rng-pci", "-device", "virtio-serial-pci",
            *self._socket("agent"), "-device", "virtserialport,chardev=agent,name=org.qemu.guest_agent.0",
            *self._socket("console", f",logfile={self.console}"), "-serial", "chardev:console",
            *self._socket("monitor"), "-mon", "chardev=monitor,mode=control", *self.drives.qemu_options()]
    for name, path in self.shared.items():
      argv += ["-virtfs", f"local,path={path},mount_tag={name},security_model=none"]
    return argv

  def _socket(self, name, more=""):
    return ["-chardev", f"socket,id={name},path={self.directory / name},server=on,wait=off{more}"]

  def wait_booted(self):
    """Until systemd has started everything. The host's directories are mounted then, as soon as their devices are found."""
    self.names.clear()
    self.agent.sync(BOOT_S)
    self.run("systemctl", "is-system-running", "--wait", timeout_s=BOOT_S)
    for name in self.shared:
      self.wait_shell(f"mkdir -p /mnt/{name} && mount -t 9p -o trans=virtio,msize=262144 {name} /mnt/{name}", f"the shared directory {name}")

  def run(self, *argv, timeout_s=COMMAND_S, text_in=None):
    """Runs a program as root, and returns its end whatever that is."""
    with self._explained():
      return self.agent.run(["/usr/bin/env", *argv], timeout_s, text_in, ENVIRONMENT)

  @contextlib.contextmanager
  def _explained(self):
    """Where the agent fails us because the guest's kernel panicked: says so, once that has booted again for what comes next."""
    try:
      yield
    except channel.ChannelError as e:
      said = [line.strip() for line in self.console.read_text(errors="replace").splitlines() if any(word in line for word in LAST_WORDS)]
      panics = sum("Kernel panic" in line for line in said)
      if panics == self.panics:
        raise
      self.panics = panics
      self.wait_booted()
      raise GuestError(f"the guest's kernel panicked: {'; '.join(said)}") from e

  def run_as(self, user, *argv):
    return self.run("runuser", "-u", user, "--", *argv)

  def shell(self, script, timeout_s=COMMAND_S):
    """Runs a script, which must succeed, and returns what it printed."""
    done = self.run("sh", "-c", script, timeout_s=timeout_s)
    if done.status != 0:
      raise GuestError(f"in the guest, `{script}` ended with status {done.status}: {done.text.strip()}")
    return done.out.strip()

  def start(self, script):
    """Starts a script that goes on beside us; returns what finish() and stop() know it by."""
    with self._explained():
      return self.agent.start(["/usr/bin/env", "sh", "-c", f"exec {script}"], None, ENVIRONMENT)

  def poll(self, number):
    """Its end, or None while it runs."""
    with self._explained():
      return self.agent.poll(number)

  def finish(self, number, timeout_s=COMMAND_S):
    return self.wait(lambda: self.poll(number), "the end of a command", timeout_s)

  def stop(self, number):
    self.run("kill", str(number))
    self.finish(number)

  def wait(self, condition, what, timeout_s=COMMAND_S):
    """Polls until condition() is true and returns its value."""
    end = time.monotonic() + timeout_s
    while not (value := condition()):
      if time.monotonic() > end:
        raise GuestError(f"waited {timeout_s} s in vain for {what}")
      time.sleep(POLL_S)
    return value

  def wait_shell(self, condition, what, timeout_s=COMMAND_S):
    """The same for a command of the guest's shell, which is repeated there."""
    loop = f"until {condition} >/dev/null; do sleep {POLL_S}; done"
    if self.run("timeout", str(timeout_s), "sh", "-c", loop, timeout_s=2 * timeout_s).status != 0:
      raise GuestError(f"waited {timeout_s} s in vain for {what}")

  def read(self, path):
    return self.shell(f"cat {shlex.quote(str(path))}")

  def exists(self, path):
    return self.run("test", "-e", str(path)).status == 0

  def plug(self, kind):
    driver, _, properties = kind.device.partition(",")
    options = dict(p.split("=", 1) for p in properties.split(",") if p)
    options = {k: {"on": True, "off": False}.get(v, v) for k, v in options.items()}
    self.monitor.command("device_add", driver=driver, id=f"d{kind.serial}", drive=kind.serial, serial=kind.serial, **options)

  def unplug(self, kind):
    """As a stick that is pulled out: the guest is not asked."""
    self.names.pop(kind, None)
    self.monitor.forget_events()
    self.monitor.command("device_del", id=f"d{kind.serial}")
    self.monitor.wait_event("DEVICE_DELETED", COMMAND_S, device=f"d{kind.serial}")

  def find_device(self, kind):
    """The guest's name for a drive, or None where it has none."""
    if kind not in self.names:
      lines = self.shell("lsblk --nodeps --noheadings --output NAME,SERIAL").splitlines()
      self.names |= {kind: line.split()[0] for line in lines if line.split()[1:] == [kind.serial]}
    return self.names.get(kind)

  def device(self, kind):
    """The same, waited for: a slow guest may have booted before it has found all of its drives."""
    return self.wait(lambda: self.find_device(kind), f"{kind.serial} to appear")

  def power_loss(self):
    """The reset button: what the guest had not yet written is lost."""
    self.monitor.forget_events()
    self.monitor.command("system_reset")
    self.monitor.wait_event("RESET", COMMAND_S)
    self.wait_booted()

  def reboot(self):
    self.monitor.forget_events()
    self.agent.send("guest-shutdown", {"mode": "reboot"})
    self.monitor.wait_event("RESET", SHUTDOWN_S)
    self.wait_booted()

  def suspend(self):
    self.monitor.forget_events()
    self.agent.send("guest-exec", {"path": "/usr/bin/systemctl", "arg": ["suspend"]})
    self.monitor.wait_event("SUSPEND", COMMAND_S)

  def wake(self):
    self.monitor.command("system_wakeup")
    self.monitor.wait_event("WAKEUP", COMMAND_S)
    self.agent.sync(COMMAND_S)

  def power_off(self):
    """An orderly end; QEMU ends with it."""
    self.agent.send("guest-shutdown", {"mode": "powerdown"})
    try:
      self.qemu.popen.wait(SHUTDOWN_S)
    except subprocess.TimeoutExpired as e:
      raise GuestError(f"the guest did not power off within {SHUTDOWN_S} s") from e
