# SPDX-License-Identifier: GPL-3.0-or-later
"""The dashboard on the machine it is made for."""
from machine.attached import HDD

from .base import GuestTest

# Small, since an emulated processor paints each frame.
WIDTH, HEIGHT = 800, 600
SAMPLES_S = 2 # of each drive, which the picture waits for
DIRECTORY = "/run/brio-display"
SETTLE_S, PRESSES = 5, 20
ENVIRONMENT = f"DISPLAY=:9 XDG_RUNTIME_DIR={DIRECTORY} GSK_RENDERER=cairo GTK_A11Y=none GSETTINGS_BACKEND=memory"
DISPLAY = f"""
mkdir -m 700 -p {DIRECTORY}
Xvfb :9 -screen 0 {WIDTH}x{HEIGHT}x24 >/dev/null 2>&1 & display=$!
trap "kill $display; rm -rf {DIRECTORY}" EXIT
until [ -S /tmp/.X11-unix/X9 ]; do sleep 0.2; done
"""
SCRIPT = f"""{DISPLAY}
chown tester {DIRECTORY}
runuser -u tester -- env HOME=/home/tester {ENVIRONMENT} dbus-run-session -- brio --screenshot {DIRECTORY}/shot.png --screenshot-width {WIDTH} --screenshot-height {HEIGHT} \\
  --screenshot-page overview --screenshot-samples {SAMPLES_S}
cp {DIRECTORY}/shot.png /mnt/results/dashboard.png
"""
# The page that greets has its button focused, and so has the next one. An emulated processor paints them when it can.
START = f"""{DISPLAY}
export {ENVIRONMENT}
dbus-run-session -- sh -c 'brio & dashboard=$!
  for i in $(seq {PRESSES}); do sleep {SETTLE_S}; xdotool key Return; systemctl is-active --quiet briod && break; done
  kill $dashboard'
systemctl is-active briod
"""
PNG = "89504e470d0a1a0a"


class Dashboard(GuestTest):
  def test_an_ordinary_user_sees_the_drives(self):
    self.wait_scheduler(HDD, "bfq")
    self.readers(HDD)
    self.guest.shell(SCRIPT, timeout_s=240)
    self.assertEqual(PNG, self.guest.shell("od -An -tx1 -N8 /mnt/results/dashboard.png | tr -d ' '"))

  def test_its_button_starts_the_daemon_for_a_user_who_may(self):
    self.guest.shell("systemctl stop briod")
    self.assertEqual("active", self.guest.shell(START, timeout_s=240).splitlines()[-1])
