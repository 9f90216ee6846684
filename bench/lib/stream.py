# SPDX-License-Identifier: GPL-3.0-or-later
"""The stream benchmark's experiments: a film beside what keeps its drive busy.

In virtual time a player of any rate that reads ahead (paced.py); really, ffmpeg with a video of 1 MiB/s, and then fio's direct reads of it.
"""
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from . import arms, drive, fio, laws, loads, matrix, paced, player, process, trees
from .virtual import start, without
from .experiment import Experiment, Figure, Limit, Share, WorkloadError

LOADS = {load.name: load for load in (loads.Readers, loads.Writers, loads.Copy, loads.Dd)}
REAL_LOADS = ("readers", "writers")
DRIVES = ("hdd", "disk-2tb", "ssd", "sd-card", "usb-stick", "usb-stick-3")
RATES, QUICK_RATE = (1, 12, 24), 12
STORE_S = 1
LONGEST_WAIT_MS = {"readers": 90, "writers": 60}
BACKGROUND_PERCENT = 90
RUNTIME_S, QUICK_RUNTIME_S = 30, 12
WARM_UP_S = 6  # until all of a load's jobs run and the writers' first pages are written back
# After the film's time the player ends with the read that it is in, which a busy drive may keep for long.
LAST_READ_S = 60
BACKGROUND = Figure("background_mbps", "background MB/s", True)
SEEN = (
  Figure("late_percent", "late frames %", False),
  Figure("stalls", "stalls", False),
  Figure("longest_stall_ms", "longest stall ms", False),
  Figure("behind_ms", "all stalls ms", False),
)
REAL_FIGURES = (*SEEN, Figure("mean_ms", "fio's mean ms", False), Figure("p99_ms", "p99 ms", False), Figure("max_ms", "longest wait ms", False), BACKGROUND)
PACED_FIGURES = (Figure("begins_s", "begins after s", False), *SEEN, Figure("mean_ms", "mean wait ms", False), Figure("max_ms", "longest wait ms", False),
                 Figure("playing_max_ms", "longest while it plays ms", False), BACKGROUND)


def lateness(told, bytes_per_s, seconds):
  """How late each frame was, in seconds, by what the player told; negative where it was there before its time. What never came is as late as the
  viewer's patience lasts."""
  end = seconds + paced.PATIENCE_S
  playing = end if told["playing"] is None else told["playing"]
  late = []
  for frame in range(round(seconds * player.FPS)):
    last_call = -(-round((frame + 1) * bytes_per_s / player.FPS) // paced.CALL_BYTES) - 1
    came = told["came"][last_call] if last_call < len(told["came"]) else max(end, playing)
    late.append(came - (playing + frame / player.FPS))
  return late


def paced_figures(told, bytes_per_s, seconds):
  """Waits are those of single calls, most of which the kernel's read-ahead serves. While it plays, they are those of calls that it made then, not to fill its store."""
  waits, playing = told["waits"], told["playing"]
  while_playing = [wait for wait, came in zip(waits, told["came"]) if playing is not None and came - wait >= playing]
  return player.seen_by_viewer(lateness(told, bytes_per_s, seconds)) | {
    "begins_s": seconds + paced.PATIENCE_S if playing is None else playing,
    "mean_ms": 1000 * sum(waits) / max(len(waits), 1), "max_ms": 1000 * max(waits, default=0.0),
    "playing_max_ms": 1000 * max(while_playing, default=0.0)}


def take_clients(server):
  """Until it is shut down."""
  clients = []
  with contextlib.suppress(OSError):
    while True:
      clients.append(server.accept())
  for client, _ in clients:
    client.close()


@contextlib.contextmanager
def sound_server(below="/run/user"):
  """Where players find one: the path of its socket. It takes each client, and no more: a client that is not taken the kernel does not name."""
  directory = Path(below) / str(4_000_000_000 + os.getpid())  # of no user
  path = directory / "pulse" / "native"
  path.parent.mkdir(parents=True)
  try:
    with socket.socket(socket.AF_UNIX) as server:
      server.bind(str(path))
      server.listen()
      taker = threading.Thread(target=take_clients, args=(server,))
      taker.start()
      try:
        yield str(path)
      finally:
        server.shutdown(socket.SHUT_RDWR)
        taker.join()
  finally:
    shutil.rmtree(directory)


def play_paced(path, bytes_per_s, store_s, seconds, during, priority=None, server=None):
  """In a process of its own, which tells; see paced.play(). priority: of start.PRIORITIES, its I/O priority. server: the sound server that it is connected to."""
  argv = ["ionice", *start.PRIORITIES[priority]] if priority else []
  argv += [sys.executable, "-B", paced.__file__, str(path), "0", str(bytes_per_s), str(store_s), str(seconds), *([server] if server else [])]
  with process.Process(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
    text, errors = child.finish(seconds + paced.PATIENCE_S + LAST_READ_S, during)
  if child.returncode != 0:
    raise WorkloadError(f"the player failed: {process.last_line(errors, f'status {child.returncode}')}")
  playing, came, waits = json.loads(text).values()
  return {"playing": playing, "came": came, "waits": waits}


@contextlib.contextmanager
def warmed_up(load, place, seed, during):
  """The load, which runs already for a while; and what to call now and then."""
  begin = time.monotonic()

  def look(_):
    during(time.monotonic() - begin)

  with load(place.mounted, seed) as running:
    while time.monotonic() - begin < running.ramp_s + WARM_UP_S:
      look(0)
      time.sleep(process.POLL_S)
    yield running, look


def paced_workload(load, rate_mbps, store_s, priority=None, sound=False):
  bytes_per_s = rate_mbps * 1_000_000

  def run(place, runtime_s, seed, during):
    with warmed_up(load, place, seed, during) as (running, look), sound_server() if sound else contextlib.nullcontext() as server:
      meter = loads.Meter(place.device)
      told = play_paced(place.mounted.big_file(loads.BIG_FILES), bytes_per_s, store_s, runtime_s, look, priority, server)
      rates = meter.rates(len(told["came"]) * paced.CALL_BYTES)
      running.check()
    return paced_figures(told, bytes_per_s, runtime_s) | {"background_mbps": rates.read_mbps + rates.write_mbps}
  return run


def real_workload(load):
  def run(place, runtime_s, seed, during):
    video = place.directory / "video" / player.NAME
    with warmed_up(load, place, seed, during) as (running, look):
      seen = player.figures(player.play(video, runtime_s, look), runtime_s)
      meter = loads.Meter(place.device)
      options = {"filename": video, "rw": "read", "bs": "256k", "rate": "1m", "direct": 1, "runtime": runtime_s, "time_based": True,
                 "readonly": True, "randseed": seed}
      read = fio.run("player", options, during=look).as_dict()
      rates = meter.rates(round(read["mbps"] * 1e6 * runtime_s))
      running.check()
    return seen | read | {"background_mbps": rates.read_mbps + rates.write_mbps}
  return run


def enter_place(video_s, build_dir):
  @contextlib.contextmanager
  def enter(emulated):
    trees_on_it = {"video": player.video(build_dir, video_s)}
    with trees.joined(build_dir, trees_on_it) as content, loads.make_filesystem(emulated, content) as mounted:
      mounted.forget()
      yield arms.Place(emulated, mounted)
  return enter


class BrioWithout(arms.Brio):
  """Some laws are off; by their names."""

  def __init__(self, off, *arguments):
    super().__init__(f"bfq + Brio without {', '.join(off)}", *arguments, asked={"off": off})
    self.off = off

  def run(self, *arguments):
    without.drop_in([law for law in laws.of_class(self.drive_class) if laws.name_of(law) in self.off])
    return super().run(*arguments)


class BrioWithSound(arms.Brio):
  """Beside a player that is connected to a sound server; a run in which briod does not see that fails."""

  def workload_with(self, briod):
    def run(place, runtime_s, seed, during):
      asked_s, seen = 0, False

      def look(elapsed):
        nonlocal asked_s, seen
        during(elapsed)
        if not seen and elapsed >= asked_s + 1:
          asked_s, seen = elapsed, any(stream["holds"] == "sound" for stream in json.loads(briod.brioctl("streams", "--json")))

      figures = self.workload(place, runtime_s, seed, look)
      if not seen:
        raise WorkloadError("briod does not see that the player has sound open")
      return figures
    return run


def make_arms(run, build_dir, drive_class, between=()):
  return (
    arms.Plain("kernel default (mq-deadline)", run, "mq-deadline"),
    arms.Plain("bfq", run),
    *between,
    arms.Brio("bfq + Brio", run, build_dir, drive_class),
  )


def further_arms(load, rate_mbps, drive_class, args):
  """The player alone with an I/O priority of its own; Brio without a law; and Brio beside a player that has sound open."""
  priority, off, sound = getattr(args, "priority", None), getattr(args, "off", None), getattr(args, "sound", False)
  workload = paced_workload(load, rate_mbps, args.store, priority)
  found = [arms.Plain(f"{scheduler}, the player at {priority}", workload, scheduler, asked={"priority": priority}) for scheduler in ("mq-deadline", "bfq") if priority]
  found += [BrioWithout(off, paced_workload(load, rate_mbps, args.store), args.build_dir, drive_class)] if off else []
  with_sound = paced_workload(load, rate_mbps, args.store, sound=True)
  return [*found, *([BrioWithSound("bfq + Brio, with sound", with_sound, args.build_dir, drive_class, asked={"sound": True})] if sound else [])]


def runtime_s(args):
  return args.runtime or (QUICK_RUNTIME_S if args.quick else RUNTIME_S)


def real_experiment(load, args):
  seconds = runtime_s(args)
  return Experiment(
    title=f"a video beside {load.title}", model=drive.USED["hdd"], runtime_s=seconds, arms=make_arms(real_workload(load), args.build_dir, "hdd"), figures=REAL_FIGURES,
    aims=(Limit("max_ms", "longest wait", LONGEST_WAIT_MS[load.name], "ms"),
          Share("background_mbps", "background throughput", BACKGROUND_PERCENT, True, against="bfq")),
    enter_place=enter_place(seconds + 1, args.build_dir), missing=load.missing() or player.missing(),
    overhead_s=WARM_UP_S + seconds + arms.OVERHEAD_S,
  )


def paced_experiment(name, rate_mbps, load, args):
  """The longest wait is what a slow film was always promised, and what a fast one has in store."""
  drive_class = matrix.drive_class(name)
  longest_ms = LONGEST_WAIT_MS.get(load.name, max(LONGEST_WAIT_MS.values())) if rate_mbps == 1 else 1000 * args.store
  return Experiment(
    title=f"{name}: {rate_mbps} MB/s beside {load.title}", model=matrix.model(name), runtime_s=runtime_s(args),
    arms=make_arms(paced_workload(load, rate_mbps, args.store), args.build_dir, drive_class, further_arms(load, rate_mbps, drive_class, args)), figures=PACED_FIGURES,
    aims=(Limit("late_percent", "late frames", 0, "%"), Limit("max_ms", "longest wait", longest_ms, "ms"),
          Share("background_mbps", "background throughput", BACKGROUND_PERCENT, True, against="bfq")),
    asked={"drives": [name], "rate": [rate_mbps], "loads": [load.name], "store": args.store}, shared_place=True, overhead_s=WARM_UP_S + arms.OVERHEAD_S,
  )


def experiments(args):
  if args.real:
    return [real_experiment(LOADS[name], args) for name in args.loads]
  return [paced_experiment(name, rate, LOADS[load], args) for name in args.drives for rate in args.rate for load in args.loads]
