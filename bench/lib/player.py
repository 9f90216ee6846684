# SPDX-License-Identifier: GPL-3.0-or-later
"""A video, and ffmpeg reading it at its native rate as a player does: when each frame was there, and when it should have been.

The video has a constant rate of 1 MiB/s, padding included, so that what the drive sees does not depend on the picture.
"""
import os
import select
import shutil
import subprocess
import time

from . import process, trees
from .experiment import WorkloadError

FPS = 25
FRAME_S = 1 / FPS
BITS_PER_S = 8 << 20
PICTURE_BITS_PER_S = 7_000_000  # the rest is the container's, and padding
NAME = "video.ts"
# ffmpeg sends its first frames together; from here on each comes at its time or late.
BEGINNING_S = 0.5
# How long a viewer waits for a stream that does not come: what is missing then counts as coming at that time.
PATIENCE_S = 30


def missing():
  return None if shutil.which("ffmpeg") else "there is no ffmpeg (package ffmpeg)"


def video(build_dir, seconds):
  """A directory with the video, made once by ffmpeg's own test source."""
  return trees.kept(build_dir, "video", f"{seconds} s, {FPS}/s, {BITS_PER_S} bit/s", lambda tree: make_video(tree / NAME, seconds))


def make_video(path, seconds):
  source = ["-f", "lavfi", "-i", f"testsrc2=size=1280x720:rate={FPS}", "-t", str(seconds)]
  codec = ["-c:v", "mpeg2video", "-b:v", str(PICTURE_BITS_PER_S), "-maxrate", str(PICTURE_BITS_PER_S), "-bufsize", "2M"]
  trees.run("ffmpeg", "-nostdin", "-loglevel", "error", *source, *codec, "-muxrate", str(BITS_PER_S), "-f", "mpegts", str(path))


def command(path, seconds):
  """Prints a line for each frame as soon as it is read, at the frame's time and never before."""
  reading = ["-re", "-probesize", "32768", "-analyzeduration", "0", "-i", str(path), "-t", str(seconds)]
  return ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", *reading, "-map", "0:v", "-c", "copy", "-f", "framecrc", "-flush_packets", "1", "-"]


def play(path, seconds, during):
  """Plays the first seconds of it and returns (when each frame came, when it is due), both in seconds from the start."""
  ours, theirs = os.pipe2(os.O_CLOEXEC)
  try:
    with process.Process(command(path, seconds), stdout=theirs, stderr=subprocess.PIPE) as ffmpeg:
      os.close(theirs)
      theirs = -1
      lines = timed_lines(ours, seconds + PATIENCE_S, during)
      if not frames_due(lines) and ffmpeg.popen.poll() is not None:
        raise WorkloadError(f"ffmpeg: {process.last_line(ffmpeg.text('stderr'), 'it read no frame')}")
  finally:
    os.close(ours)
    if theirs >= 0:
      os.close(theirs)
  return frames_due(lines)


def timed_lines(descriptor, timeout_s, during):
  """Lines from a pipe until its end, each with the time since the call."""
  begin = time.monotonic()
  lines, rest = [], b""
  while (elapsed := time.monotonic() - begin) < timeout_s:
    during(elapsed)
    if not select.select([descriptor], [], [], process.POLL_S)[0]:
      continue
    now, data = time.monotonic() - begin, os.read(descriptor, 65536)
    if not data:
      break
    *whole, rest = (rest + data).split(b"\n")
    lines += [(now, line.decode()) for line in whole]
  return lines


def frames_due(lines):
  """From framecrc's lines (stream, dts, pts, duration, size, checksum) to pairs of when a frame came and when it is due."""
  ticks_per_s, frames = None, []
  for came_s, line in lines:
    if line.startswith("#tb 0:"):
      numerator, denominator = map(int, line.partition(":")[2].split("/"))
      ticks_per_s = denominator / numerator
    elif line and not line.startswith("#"):
      frames.append((came_s, int(line.split(",")[1]) / ticks_per_s))
  return frames


def lateness(frames, seconds):
  """How late each frame after the beginning was, in seconds, against the most punctual one. The frames of `seconds` that never
  came are as late as the end of the viewer's patience."""
  first_due = frames[0][1] if frames else 0.0
  steady = [came - due for came, due in frames if due - first_due >= BEGINNING_S]
  start = min(steady, default=-first_due)
  missing_due = (first_due + i * FRAME_S for i in range(len(frames), round(seconds * FPS)))
  never = [seconds + PATIENCE_S - due for due in missing_due if due - first_due >= BEGINNING_S]
  return [each - start for each in steady + never]


def stalls(late):
  """What a viewer sees, whose picture stands until the next frame is there and then goes on: the length of each stall."""
  behind, lengths = 0.0, []
  for each in late:
    if each > behind:
      lengths.append(each - behind)
      behind = each
  return lengths


def figures(frames, seconds):
  """Of what play() returned."""
  return seen_by_viewer(lateness(frames, seconds))


def seen_by_viewer(late):
  """late: of each frame, in seconds. A frame is late from one frame's time on; so long a stall is one that can be seen."""
  seen = [length for length in stalls(late) if length >= FRAME_S]
  return {"late_percent": 100 * sum(each >= FRAME_S for each in late) / len(late), "longest_stall_ms": 1000 * max(stalls(late), default=0.0),
          "stalls": len(seen), "behind_ms": 1000 * max(late)}
