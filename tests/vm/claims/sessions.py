# SPDX-License-Identifier: GPL-3.0-or-later
"""A user that is logged in."""
from .base import GuestTest

USER = "tester"
SESSION = "brio-test-session"


class SessionTest(GuestTest):
  def begin_session(self, more=""):
    """As a login does: PAM asks logind for it."""
    self.guest.shell(f"systemd-run --quiet --unit={SESSION} --uid={USER} --property=PAMName=login --setenv=XDG_SESSION_CLASS=user "
                     f"--setenv=XDG_SESSION_TYPE=tty {more} sleep 3600")
    self.addCleanup(self.end_session)
    self.guest.wait_shell(f"loginctl show-user {USER} --property=State --value | grep -x active", "the session")

  def end_session(self):
    self.guest.shell(f"systemctl stop {SESSION} 2>/dev/null || true")
    self.guest.wait_shell(f"! loginctl show-user {USER} --property=State --value 2>/dev/null | grep -x active", "the end of the session")
