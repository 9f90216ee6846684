# SPDX-License-Identifier: GPL-3.0-or-later
"""Which process began which, and when: told by the kernel itself (linux/cn_proc.h), on the clock that recordings have."""
import os
import select
import socket
import struct
import threading
from dataclasses import dataclass, field

from .. import process
from . import AccuracyError

NETLINK_CONNECTOR = 11
CN_IDX_PROC = CN_VAL_PROC = 1
PROC_CN_MCAST_LISTEN, PROC_CN_MCAST_IGNORE = 1, 2
NLMSG_DONE = 3
NLMSG_HEAD = struct.Struct("=IHHII")
CN_HEAD = struct.Struct("=IIIIHH")
EVENT_HEAD = struct.Struct("=IIQ")  # what, cpu, timestamp_ns
EVENT_FORK, EVENT_EXEC, EVENT_EXIT = 1, 2, 0x80000000
FORK = struct.Struct("=iiii")       # parent's thread and process, child's thread and process
ONE = struct.Struct("=ii")          # thread, process
BUFFER_BYTES = 4 << 20
LOOK_S = 0.2
NS_PER_US = 1000


@dataclass
class Life:
  """Of one process, in µs of CLOCK_MONOTONIC; end None: it lives."""
  pid: int
  parent: int
  begin: int
  execs: list = field(default_factory=list)
  end: int | None = None


class Witness(process.Resource):
  """A context manager: notes every fork, exec and exit of the machine meanwhile."""

  def __init__(self):
    self.socket = None
    self.thread = None
    self.over = threading.Event()
    self.lives = []
    self.by_pid = {}  # the latest that had it
    self.lost = False

  def open(self):
    try:
      self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC, NETLINK_CONNECTOR)
      self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
      self.socket.bind((0, CN_IDX_PROC))
      self._ask(PROC_CN_MCAST_LISTEN)
    except OSError as e:
      raise AccuracyError(f"the kernel does not tell about processes: {e.strerror}") from e
    self.thread = threading.Thread(target=self._listen, daemon=True)
    self.thread.start()

  def close(self):
    self.over.set()
    if self.thread:
      self.thread.join()
      self.thread = None
    if self.socket:
      self._ask(PROC_CN_MCAST_IGNORE)
      self.socket.close()
      self.socket = None

  def _ask(self, what):
    body = CN_HEAD.pack(CN_IDX_PROC, CN_VAL_PROC, 0, 0, 4, 0) + struct.pack("=I", what)
    self.socket.send(NLMSG_HEAD.pack(NLMSG_HEAD.size + len(body), NLMSG_DONE, 0, 0, os.getpid()) + body)

  def _listen(self):
    while not self.over.is_set():
      if not select.select([self.socket], [], [], LOOK_S)[0]:
        continue
      try:
        self.take(self.socket.recv(1 << 16))
      except OSError:  # ENOBUFS: we were too slow
        self.lost = True

  def take(self, message):
    at = NLMSG_HEAD.size + CN_HEAD.size
    if len(message) < at + EVENT_HEAD.size + ONE.size:
      return
    what, _cpu, t = EVENT_HEAD.unpack_from(message, at)
    at += EVENT_HEAD.size
    t //= NS_PER_US
    if what == EVENT_FORK:
      _, parent, thread, child = FORK.unpack_from(message, at)
      if thread == child:
        self._born(Life(child, parent, t))
      return
    thread, pid = ONE.unpack_from(message, at)
    life = self.by_pid.get(pid)
    if life and what == EVENT_EXEC:
      life.execs.append(t)
    elif life and what == EVENT_EXIT and thread == pid:
      life.end = t

  def _born(self, life):
    self.by_pid[life.pid] = life
    self.lives.append(life)

  def family(self, pid, begin):
    """The life of that process, which began at `begin` or after, and of all that came from it, in the order of their births."""
    root = next((life for life in self.lives if life.pid == pid and life.begin >= begin), None)
    if not root:
      return []
    found = [root]
    for life in self.lives:
      if life is not root and any(life.parent == each.pid and each.begin <= life.begin <= (each.end or life.begin) for each in found):
        found.append(life)
    return found
