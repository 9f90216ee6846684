# SPDX-License-Identifier: GPL-3.0-or-later
"""A guest from its boot to its end: with the packages on it, and the claims or a person at its console."""
import functools
import os
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from claims import ORDER
from claims.base import GuestTest
from claims.package import install, take_stock
from lib import channel, process

from . import attached, guest, image, tap


@dataclass
class Plan:
  """What a guest is made of, and where its results go."""
  image: image.Image
  packages: Path
  results: Path
  build_dir: Path
  accelerator: str


@contextmanager
def booted(plan, tell):
  """A guest that has started everything and is as Debian made it: Brio's packages lie in /mnt/packages."""
  plan.results.mkdir(parents=True, exist_ok=True)
  shared = {"packages": plan.packages, "results": plan.results, "tests": plan.build_dir / "tests/lib"}
  with attached.Drives(plan.build_dir) as drives:
    tell("booting")
    begin = time.monotonic()
    with guest.Guest(plan.image, plan.accelerator, drives, plan.results, shared) as machine:
      machine.wait_booted()
      tell(f"booted in {time.monotonic() - begin:.0f} s")
      yield machine


def test_guest(plan, patterns, say):
  """The claims on one guest. Returns the exit status."""
  with booted(plan, lambda text: say(f"# {text}")) as machine:
    GuestTest.guest, GuestTest.before = machine, take_stock(machine)
    say("# installing the packages")
    install(machine)
    try:
      failed = tap.run(tap.claims(ORDER, patterns), say)
    finally:
      keep_journal(machine, plan.results)
    say("# powering off")
    machine.power_off()
  return 1 if failed else 0


def keep_journal(machine, results):
  """It is wanted most where the guest is in no state to give it."""
  try:
    machine.shell("journalctl --no-pager --output=short-precise >/mnt/results/journal.txt")
  except (channel.ChannelError, guest.GuestError) as e:
    (results / "journal.txt").write_text(f"The journal could not be read: {e}\n")


def shell(plan, say):
  """The guest's console on this terminal. socat puts the terminal into raw mode and back."""
  name = plan.image.name
  with booted(plan, lambda text: say(f"{name}: {text}")) as machine:
    say(f"{name}: installing the packages")
    install(machine)
    say("The console of the guest, where you are root. Ctrl-] leaves it, and the guest ends; so does poweroff.")
    # The shell's prompt was printed before the console was read: it comes again.
    machine.shell("systemd-run --quiet --on-active=1 --timer-property=AccuracySec=100ms systemctl restart serial-getty@ttyS0")
    subprocess.run(["socat", "-,raw,echo=0,escape=0x1d", f"UNIX-CONNECT:{machine.directory / 'console'}"],
                   preexec_fn=functools.partial(process.follow, os.getpid()), check=False)
  return 0
