# SPDX-License-Identifier: GPL-3.0-or-later
"""Which starts count, and what each user is told of others' processes: with the real logind, polkit and /proc."""
import json

from machine.attached import HDD

from .sessions import USER, SessionTest

OTHER = "nobody"
PROGRAM = "brio-program"  # of the user that starts it
SECRET = "brio-secret"  # of the other one, that reads
STARTS = 3
LIVES_S = 2  # long enough to be looked at
RULES = "/etc/polkit-1/rules.d/10-brio-test.rules"
RULE = """polkit.addRule(function(action, subject) {
  if (action.id == "org.brio.Brio1.observe" && subject.user == "tester") return polkit.Result.YES;
});
"""
READER = "while (1) { sysread(STDIN, $b, 262144) or sysseek(STDIN, 0, 0); select(undef, undef, undef, 0.05) }"


class Users(SessionTest):
  def ask(self, verb, *arguments):
    """What the bus tells root, as text."""
    return self.guest.shell(f"busctl --json=short {verb} org.brio.Brio1 /org/brio/Brio1 org.brio.Brio1.Manager {' '.join(arguments)}")

  def refused(self):
    return json.loads(self.ask("get-property", "Counters"))["data"]["startups_refused"]

  def copy(self, program, name):
    self.guest.shell(f"cp $(readlink -f {program}) /usr/local/bin/{name}")
    self.addCleanup(self.guest.shell, f"rm /usr/local/bin/{name}")

  def start(self, times=STARTS):
    for _ in range(times):
      done = self.guest.run_as(USER, "env", "XDG_ACTIVATION_TOKEN=token", f"/usr/local/bin/{PROGRAM}", str(LIVES_S))
      self.assertEqual(0, done.status, done.text)

  def is_known(self):
    return PROGRAM in self.guest.shell("brioctl --json startups")

  def test_a_start_counts_only_while_its_user_is_in_a_session(self):
    self.copy("/usr/bin/sleep", PROGRAM)
    before = self.refused()
    self.start()
    self.guest.wait(lambda: self.refused() >= before + STARTS, "starts that do not count")
    self.assertFalse(self.is_known())
    self.begin_session()
    self.guest.wait(lambda: self.start(1) or self.is_known(), "a start that counts")
    self.end_session()
    before = self.refused()
    self.guest.wait(lambda: self.start(1) or self.refused() > before, "starts that do not count any more")
    self.assert_same_process()

  def begin_reader(self, user, name):
    """Reads 5 MB/s of the disk, which was opened for it."""
    self.copy("/usr/bin/perl", name)
    group = self.guest.shell(f"id --group {user}")
    self.guest.start(f"setpriv --reuid={user} --regid={group} --clear-groups /usr/local/bin/{name} -e '{READER}' </dev/{self.guest.device(HDD)}")
    self.addCleanup(self.guest.run, "pkill", "-KILL", name)

  def told(self, user):
    """All rows that a user is told, and more that a user can ask for."""
    words = "busctl --json=short call org.brio.Brio1 /org/brio/Brio1 org.brio.Brio1.Manager"
    done = self.guest.run_as(user, "sh", "-c", f"{words} GetProcesses u 0; {words} GetDecisions t 0; {words} GetStartups s ''; {words} GetStreams; "
                             "brioctl status; brioctl explain " + self.guest.device(HDD))
    self.assertEqual(0, done.status, done.text)
    return done.out

  def begin_readers(self):
    self.begin_reader(USER, PROGRAM)
    self.begin_reader(OTHER, SECRET)
    self.guest.wait(lambda: all(name in self.ask("call", "GetProcesses", "u", "0") for name in (PROGRAM, SECRET)), "both readers to be seen")

  def assert_told_of_own_alone(self):
    text = self.guest.wait(lambda: (text := self.told(USER)) and PROGRAM in text and '"others"' in text and text, "the own row and that of the others")
    self.assertNotIn(SECRET, text)

  def test_what_is_told_of_another_users_processes_is_a_sum_unless_polkit_allows(self):
    self.begin_readers()
    self.begin_session()  # in front of the machine, too
    self.assert_told_of_own_alone()
    done = self.guest.run_as(USER, "brioctl", "top", "--json", "--all", "--count=2")
    self.assertNotIn(SECRET, done.out)
    self.guest.run("sh", "-c", f"cat >{RULES}", text_in=RULE)
    self.addCleanup(self.guest.shell, f"rm {RULES}")
    self.guest.wait(lambda: SECRET in self.guest.run_as(USER, "brioctl", "top", "--json", "--all", "--count=2").out, "the row of the other user's process")
    self.assertNotIn(PROGRAM, self.guest.run_as(OTHER, "brioctl", "top", "--json", "--all", "--count=2").out)

  def test_what_is_hidden_by_proc_is_hidden_by_brio_which_sees_it(self):
    self.begin_readers()
    pid = self.guest.shell(f"pgrep {SECRET}").split()[0]
    self.guest.shell("mount -o remount,hidepid=invisible /proc")
    self.addCleanup(self.guest.shell, "mount -o remount,hidepid=off /proc && systemctl restart briod")
    self.assertNotEqual(0, self.guest.run_as(USER, "ls", f"/proc/{pid}").status)
    self.guest.shell("systemctl restart briod")
    self.guest.wait(lambda: SECRET in self.ask("call", "GetProcesses", "u", "0"), "what root is told")
    self.assert_told_of_own_alone()
