# SPDX-License-Identifier: GPL-3.0-or-later
"""One JSON object a line over a Unix socket: what QEMU's monitor (QMP) and the guest's agent both speak."""
import base64
import json
import random
import select
import socket
import time
from dataclasses import dataclass

CONNECT_POLL_S = 0.1
EXEC_POLL_S = 0.05
RECEIVE_BYTES = 65536


class ChannelError(Exception):
  """The other side is gone, silent or refuses; the text says which, in one line."""


class Channel:
  """Sends commands and returns their answers; keeps what arrives unasked in `events`."""

  def __init__(self, path, name, timeout_s):
    self.name = name
    self.buffer = b""
    self.events = []
    self.socket = socket.socket(socket.AF_UNIX)
    end = time.monotonic() + timeout_s
    while True:
      try:
        self.socket.connect(str(path))
        return
      except OSError as e:
        if time.monotonic() > end:
          self.close()
          raise ChannelError(f"{name}: nothing listens at {path} ({e.strerror})") from e
        time.sleep(CONNECT_POLL_S)

  def close(self):
    self.socket.close()

  def receive(self, timeout_s):
    """The next object, or None when the time is over. What is no JSON (a sync's remains) is passed over."""
    end = time.monotonic() + timeout_s
    while True:
      line, newline, rest = self.buffer.partition(b"\n")
      if newline:
        self.buffer = rest
        try:
          return json.loads(line.rpartition(b"\xff")[2])
        except ValueError:
          continue
      if not select.select([self.socket], [], [], max(end - time.monotonic(), 0))[0]:
        return None
      try:
        data = self.socket.recv(RECEIVE_BYTES)
      except ConnectionResetError:
        data = b""
      if not data:
        raise ChannelError(f"{self.name}: closed by the other side")
      self.buffer += data

  def send(self, command, arguments):
    request = {"execute": command} | ({"arguments": arguments} if arguments else {})
    try:
      self.socket.sendall(json.dumps(request).encode() + b"\n")
    except OSError as e:
      raise ChannelError(f"{self.name}: {e.strerror}") from e

  def ask(self, command, timeout_s, **arguments):
    self.send(command, arguments)
    end = time.monotonic() + timeout_s
    while (answer := self.receive(max(end - time.monotonic(), 0))) is not None:
      if "error" in answer:
        raise ChannelError(f"{self.name}: {command}: {answer['error']['desc']}")
      if "return" in answer:
        return answer["return"]
      self.events.append(answer)
    raise ChannelError(f"{self.name}: no answer to {command} within {timeout_s:.0f} s")


class Monitor(Channel):
  """QEMU's monitor. Names have dashes in QMP and underscores here."""
  ANSWER_S = 60

  def __init__(self, path, timeout_s):
    super().__init__(path, "QEMU's monitor", timeout_s)
    if self.receive(timeout_s) is None:
      raise ChannelError("QEMU's monitor does not greet")
    self.command("qmp_capabilities")

  def command(self, command, **arguments):
    return self.ask(command, self.ANSWER_S, **{k.replace("_", "-"): v for k, v in arguments.items()})

  def collect(self):
    """Takes to `events` what has happened until now."""
    while (event := self.receive(0)) is not None:
      self.events.append(event)

  def forget_events(self):
    """So that wait_event() waits for what is to come."""
    self.collect()
    self.events.clear()

  def wait_event(self, name, timeout_s, **data):
    """Waits for an event with that name whose data has these values; takes those before it along."""
    end = time.monotonic() + timeout_s
    while True:
      for i, event in enumerate(self.events):
        if event["event"] == name and all(event.get("data", {}).get(k) == v for k, v in data.items()):
          del self.events[:i + 1]
          return event
      event = self.receive(max(end - time.monotonic(), 0))
      if event is None:
        raise ChannelError(f"QEMU's monitor: waited {timeout_s:.0f} s in vain for {name}")
      self.events.append(event)


@dataclass
class Done:
  """A command that has ended in the guest."""
  status: int
  out: str
  err: str

  @property
  def text(self):
    return self.out + self.err


class Agent(Channel):
  """qemu-guest-agent, which runs commands in the guest as root."""
  ANSWER_S = 60

  def __init__(self, path, timeout_s):
    super().__init__(path, "the guest's agent", timeout_s)

  def sync(self, timeout_s):
    """Waits until the agent answers, whatever was on the line before: it starts late, and again after each boot."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
      token = random.getrandbits(31)
      self.send("guest-sync-delimited", {"id": token})
      patience = time.monotonic() + 2
      while (answer := self.receive(max(patience - time.monotonic(), 0))) is not None:
        if answer.get("return") == token:
          return
    raise ChannelError(f"the guest's agent does not answer within {timeout_s:.0f} s")

  def start(self, argv, text_in=None, environment=()):
    """Starts a command and returns its number."""
    options = {"path": argv[0], "arg": list(argv[1:]), "capture-output": True, "env": list(environment)}
    if text_in is not None:
      options["input-data"] = base64.b64encode(text_in.encode()).decode()
    return self.ask("guest-exec", self.ANSWER_S, **options)["pid"]

  def poll(self, number):
    """Done, or None while the command runs."""
    status = self.ask("guest-exec-status", self.ANSWER_S, pid=number)
    if not status["exited"]:
      return None
    out, err = (base64.b64decode(status.get(k, "")).decode(errors="replace") for k in ("out-data", "err-data"))
    return Done(status.get("exitcode", 128 + status.get("signal", 0)), out, err)

  def run(self, argv, timeout_s, text_in=None, environment=()):
    number = self.start(argv, text_in, environment)
    end = time.monotonic() + timeout_s
    while (done := self.poll(number)) is None:
      if time.monotonic() > end:
        raise ChannelError(f"the guest: {' '.join(argv)} did not end within {timeout_s:.0f} s")
      time.sleep(EXEC_POLL_S)
    return done
