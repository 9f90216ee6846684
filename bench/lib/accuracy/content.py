# SPDX-License-Identifier: GPL-3.0-or-later
"""What the corpus's programs read, as trees that are made once and kept (trees.py).

Media have a constant rate, so that the label's rate is true by construction: MPEG-TS is padded to it, and sound is stored plain.
The film is the exception: its rate varies, as that of most films does.
"""
import hashlib
import random
import shutil
from pathlib import Path

from .. import debian, trees

SOURCE = Path(__file__).resolve().parent.parent.parent.parent
MEDIA_S = 60         # longer than any scenario
VIDEO_KBIT_S = (512, 2000, 8389, 24000)  # the third is 1 MiB/s, the last just below what the kernel takes for a stream
MORE_VIDEO_KBIT_S = (1200, 4000, 12000)
THIRD_VIDEO_KBIT_S = (3000, 6000)
FOURTH_VIDEO_KBIT_S = (5000, 10000)
FPS = 25
NOISE_BYTES = 64 << 20
NOISE_FILES = 3
SMALL_FILE_BYTES = 128 << 10
SECTIONS = ("common", "core")  # of Brio's own source: a C project of a hundred files
MADE_BY_MESON = b'#include "config.h"'
MAKEFILE = """OBJECTS := $(patsubst %.c,%.o,$(wildcard *.c))
all: $(OBJECTS)
%.o: %.c
\tgcc -std=gnu17 -D_GNU_SOURCE -O1 -c -o $@ $<
"""
GIT = ("git", "-c", "user.name=nobody", "-c", "user.email=nobody@localhost", "-c", "init.defaultBranch=main", "-c", "gc.auto=0")


def media(build_dir):
  return trees.kept(build_dir, "media", f"3 {MEDIA_S} {VIDEO_KBIT_S} {FPS}", make_media)


def ffmpeg(*arguments):
  trees.run("ffmpeg", "-nostdin", "-loglevel", "error", *map(str, arguments))


def make_videos(tree, rates):
  picture = ("-f", "lavfi", "-i", f"testsrc2=size=640x360:rate={FPS}", "-t", MEDIA_S)
  for kbit_s in rates:
    codec = ("-c:v", "mpeg2video", "-b:v", f"{kbit_s * 6 // 10}k", "-maxrate", f"{kbit_s * 6 // 10}k", "-bufsize", f"{kbit_s // 4}k")
    size = ("-s", "320x180") if kbit_s < 1000 else ()
    ffmpeg(*picture, *size, *codec, "-muxrate", f"{kbit_s}k", "-f", "mpegts", tree / f"video-{kbit_s}.ts")


def make_media(tree):
  make_videos(tree, VIDEO_KBIT_S)
  ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=640x360:rate={FPS}", "-t", MEDIA_S, "-s", "1280x720", "-c:v", "mpeg4", "-q:v", 2, tree / "film.mkv")
  sound = ("-f", "lavfi", "-i", "anoisesrc=sample_rate=44100:amplitude=0.3:seed=1", "-ac", 2, "-t", MEDIA_S)
  ffmpeg(*sound, "-c:a", "pcm_s16le", tree / "album.wav")
  ffmpeg(*sound, "-c:a", "libmp3lame", "-b:a", "320k", tree / "song.mp3")


def more_media(build_dir):
  return trees.kept(build_dir, "more-media", f"1 {MEDIA_S} {MORE_VIDEO_KBIT_S} {FPS}", make_more_media)


def make_more_media(tree):
  make_videos(tree, MORE_VIDEO_KBIT_S)
  sound = ("-f", "lavfi", "-i", "anoisesrc=sample_rate=48000:amplitude=0.3:seed=2", "-ac", 2, "-t", MEDIA_S)
  ffmpeg(*sound, "-c:a", "pcm_s16le", tree / "studio.wav")
  ffmpeg(*sound, "-c:a", "libvorbis", "-b:a", "192k", tree / "radio.ogg")


def third_media(build_dir):
  return trees.kept(build_dir, "third-media", f"1 {MEDIA_S} {THIRD_VIDEO_KBIT_S} {FPS}", make_third_media)


def make_third_media(tree):
  make_videos(tree, THIRD_VIDEO_KBIT_S)
  ffmpeg("-f", "lavfi", "-i", "anoisesrc=sample_rate=48000:amplitude=0.3:seed=3", "-ac", 1, "-t", MEDIA_S, "-c:a", "libmp3lame", "-b:a", "256k", tree / "talk.mp3")
  ffmpeg("-f", "lavfi", "-i", "anoisesrc=sample_rate=48000:amplitude=0.3:seed=4", "-ac", 2, "-t", MEDIA_S, "-c:a", "pcm_s24le", tree / "wide.wav")


def fourth_media(build_dir):
  return trees.kept(build_dir, "fourth-media", f"1 {MEDIA_S} {FOURTH_VIDEO_KBIT_S} {FPS}", make_fourth_media)


def make_fourth_media(tree):
  make_videos(tree, FOURTH_VIDEO_KBIT_S)
  sound = ("-f", "lavfi", "-i", "anoisesrc=sample_rate=44100:amplitude=0.3:seed=5", "-ac", 2, "-t", MEDIA_S)
  ffmpeg(*sound, "-c:a", "pcm_s16le", tree / "plain.wav")
  ffmpeg(*sound, "-c:a", "flac", tree / "loud.flac")


def noise(build_dir):
  """Files that do not compress."""
  return trees.kept(build_dir, "noise", f"{NOISE_FILES} {NOISE_BYTES}", make_noise)


def make_noise(tree):
  for number in range(NOISE_FILES):
    (tree / f"noise{number}").write_bytes(random.Random(number).randbytes(NOISE_BYTES))


def repository(build_dir):
  """A git repository with Python's library in it."""
  source = trees.python(build_dir)
  return trees.kept(build_dir, "repository", source.name, lambda tree: make_repository(tree, source))


def make_repository(tree, source):
  files = (f for f in sorted(source.rglob("*.py")) if f.is_file() and not f.is_symlink() and f.stat().st_size <= SMALL_FILE_BYTES)
  for file in files:
    target = tree / file.relative_to(source)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, target)
  trees.run(*GIT, "-C", str(tree), "init", "--quiet")
  trees.run(*GIT, "-C", str(tree), "add", ".")
  trees.run(*GIT, "-C", str(tree), "commit", "--quiet", "--message=everything")


def sources_of_project():
  """What compiles with nothing but each other."""
  return sorted(f for name in SECTIONS for f in (SOURCE / name).glob("*.[ch]") if MADE_BY_MESON not in f.read_bytes())


def project(build_dir):
  """A C program to be compiled."""
  sources = sources_of_project()
  texts = hashlib.sha256(b"".join(f.name.encode() + f.read_bytes() for f in sources)).hexdigest()
  return trees.kept(build_dir, "project", f"{texts} {MAKEFILE}", lambda tree: make_project(tree, sources))


def make_project(tree, sources):
  for file in sources:
    shutil.copy(file, tree)
  (tree / "Makefile").write_text(MAKEFILE)


ALL = {"media": media, "more-media": more_media, "third-media": third_media, "fourth-media": fourth_media, "noise": noise, "repository": repository, "project": project, "packages": trees.packages, "python": trees.python,
       "debian": debian.programs}


def wanted(names, build_dir):
  return {name: ALL[name](build_dir) for name in names}
