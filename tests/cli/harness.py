# SPDX-License-Identifier: GPL-3.0-or-later
"""A bus of one's own with the scripted daemon on it, and brioctl run against it."""
import json
import os
import select
import signal
import subprocess
import time
import unittest
import uuid

SOURCE = os.environ["BRIO_SOURCE"]
BUILD = os.environ["BRIO_BUILD"]
BRIOCTL = os.path.join(BUILD, "cli", "brioctl")
SCENARIO = os.path.join(SOURCE, "tests", "cli", "scenario.json")
VERBS = ["status", "devices", "top", "startups", "prefetch", "explain", "streams", "decisions", "advise", "apply", "undo", "mode", "hold", "holds", "restore", "lower", "program", "policy",
         "record", "replay", "probe", "metrics", "version", "help"]
# What each verb needs to be a whole command.
OPERANDS = {"explain": ["sda"], "apply": ["a1"], "undo": ["sda-1"], "lower": ["4242"], "hold": ["pause", "--", "true"], "policy": ["list"],
            "top": ["--batch", "-n1", "-i100ms"], "record": ["-o", "-", "-d1s"],
            "replay": [os.path.join(SOURCE, "tests", "replay", "one-reader.recording"), "--policy-dir", os.path.join(SOURCE, "policies")]}
NO_JSON = ("hold", "metrics", "record", "replay")  # not with these operands, or not one value
DEADLINE_S = 30  # far beyond what anything here takes, sanitizers on a loaded machine included


def environment(**changes):
    clean = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "BRIO_BUS", "TERM", "LC_ALL", "LANG")}
    return {**clean, "TZ": "UTC", "LC_ALL": "C.UTF-8", "TERM": "xterm", **changes}


def stop(process):
    """Ends a process that the tests started."""
    if process and process.poll() is None:
        process.terminate()
        process.wait(DEADLINE_S)
    for stream in (process.stdout, process.stderr) if process else ():
        if stream:
            stream.close()


class Bus(unittest.TestCase):
    """With a private bus; start_daemon() puts the scripted daemon on it."""

    daemon = None

    def setUp(self):
        config = os.path.join(SOURCE, "tests", "lib", "private-bus.conf")
        # pylint: disable=consider-using-with
        self.bus = subprocess.Popen(["dbus-daemon", "--config-file=" + config, f"--address=unix:abstract=brio-test-{uuid.uuid4()}",
                                     "--nofork", "--print-address"],
                                    stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: stop(self.bus))
        self.address = self.bus.stdout.readline().strip()
        self.assertTrue(self.address, "dbus-daemon did not start")
        self.addCleanup(lambda: stop(self.daemon))

    def start_daemon(self, *options, scenario=SCENARIO, program="tests/lib/fake-daemon.py"):
        arguments = [*options, "--scenario", scenario] if scenario else options
        # pylint: disable=consider-using-with
        self.daemon = subprocess.Popen(["/usr/bin/python3", os.path.join(SOURCE, program), "--bus", self.address, *arguments],
                                       stdout=subprocess.PIPE, text=True)
        self.assertEqual(self.daemon.stdout.readline().strip(), "ready")

    def stop_daemon(self):
        stop(self.daemon)

    def control(self, method, *arguments):
        """Pulls a string of the scripted daemon."""
        return subprocess.run(["dbus-send", "--bus=" + self.address, "--print-reply=literal", "--dest=org.brio.Brio1", "/org/brio/FakeControl",
                               "org.brio.FakeControl." + method, *["string:" + a for a in arguments]],
                              check=True, capture_output=True, text=True, timeout=DEADLINE_S).stdout

    def calls(self):
        return json.loads(self.control("Calls"))

    def brioctl(self, *arguments, **changes):
        return subprocess.run([BRIOCTL, *arguments], capture_output=True, text=True, timeout=DEADLINE_S, check=False,
                              env=environment(**{"BRIO_BUS": self.address, **changes}))

    def start(self, *arguments, stdin=None, **changes):
        # pylint: disable=consider-using-with
        process = subprocess.Popen([BRIOCTL, *arguments], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(**{"BRIO_BUS": self.address, **changes}))
        self.addCleanup(lambda: stop(process))
        return process

    def ok(self, *arguments, **changes):
        """Runs brioctl, which must do well, and returns what it printed."""
        result = self.brioctl(*arguments, **changes)
        self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
        return result.stdout

    def fails(self, code, *arguments, **changes):
        """Runs brioctl, which must end with this code, and returns what it said."""
        result = self.brioctl(*arguments, **changes)
        self.assertEqual(result.returncode, code, (arguments, result.stdout, result.stderr))
        self.assertRegex(result.stderr, r"\Abrioctl: ")
        return result.stderr

    def read_until(self, stream, text):
        """Reads a pipe until the text is there."""
        return read_until(stream.fileno(), text)


def read_until(fd, text, seen=""):
    deadline = time.monotonic() + DEADLINE_S
    while text not in seen:
        ready, _, _ = select.select([fd], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            raise AssertionError("%r did not come; there was %r" % (text, seen[-2000:]))
        try:
            data = os.read(fd, 65536)
        except OSError:  # a pty whose other end is closed
            data = b""
        if not data:
            raise AssertionError("the end came before %r; there was %r" % (text, seen[-2000:]))
        seen += data.decode(errors="replace")
    return seen


def main():
    # A test of signals must not inherit what a shell without job control ignores for its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, signal.SIG_DFL)
    unittest.main()
