# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program reads at its start is read ahead for the next one, by the unit as it is installed."""
from machine.attached import HDD

from .sessions import USER, SessionTest

POINT = "/mnt/brio-cold"
NAME = "brio-cold"
FILES, FILE_KIB = 40, 256
FILES_BYTES = FILES * FILE_KIB << 10
TRIES = 5
LEARN_S = 30
SESSION_S = 60  # until it is quiet, and somewhat longer
# Reads a page now and then and never rests, so that its start goes on while its files are read ahead; then these, each of which is closed again.
PROGRAM = """
sub bytes { open(my $io, "<", "/proc/self/io"); my ($n) = join("", <$io>) =~ /^read_bytes: (\\d+)/m; $n }
open(my $pace, "<", "pace");
for my $i (0 .. 149) { sysseek($pace, $i << 18, 0); sysread($pace, my $page, 4096); 1 for 1 .. 20000 }
my $before = bytes();
for my $i (1 .. shift) { open(my $file, "<", "data$i"); 1 while sysread($file, my $part, 65536) }
print bytes() - $before;
"""
FILL = f"""
mkfs.ext4 -q -F /dev/{{0}} 256M && mkdir -p {POINT} && mount /dev/{{0}} {POINT} && cd {POINT} && cp $(readlink -f /usr/bin/perl) {NAME} &&
dd if=/dev/urandom of=pace bs=1M count=38 status=none &&
for i in $(seq {FILES}); do dd if=/dev/urandom of=data$i bs={FILE_KIB}k count=1 status=none; done
"""
POLICIES = "/etc/brio/policies.d"  # not there without a test
POLICY = f"{POLICIES}/10-virtual.conf.d"
# Of the session, beside what systemd's own manager maps already and no cache drops. A drop-in that is no link is none for systemd 252.
SESSION_UNIT, WANTS = "/etc/systemd/user/brio-session.service", "/etc/systemd/user/default.target.wants"
READ_AT_LOGIN = f"""
dd if=/dev/urandom of=/usr/local/share/brio-session bs=1M count=4 status=none && mkdir -p {WANTS} && ln -s {SESSION_UNIT} {WANTS} &&
printf '[Unit]\\nDefaultDependencies=no\\n[Service]\\nExecStart=cat /usr/local/share/brio-session\\nStandardOutput=null\\n' > {SESSION_UNIT}
"""
# What learns has it open for a moment.
COLD = f"until umount {POINT}; do sleep 0.2; done 2>/dev/null; mount /dev/{{0}} {POINT}"


class Prefetch(SessionTest):
  def setUp(self):
    super().setUp()
    self.node = self.guest.device(HDD)

  def start(self):
    """Returns how many bytes of its files it had to read itself."""
    self.guest.shell(COLD.format(self.node))
    done = self.guest.run_as(USER, "env", "--chdir", POINT, "XDG_ACTIVATION_TOKEN=token", f"{POINT}/{NAME}", "-e", PROGRAM, str(FILES))
    self.assertEqual(0, done.status, done.text)
    return int(done.out)

  def fill(self):
    self.guest.shell(FILL.format(self.node))
    self.addCleanup(self.guest.shell, f"umount {POINT}; rmdir {POINT}; wipefs --all --quiet /dev/{self.node}")

  def learn(self):
    """Of a start that the machine let stand still for a second no more is known than what came before."""
    learnt = f"until test $(brioctl --json prefetch show {NAME} | grep -o '{POINT}/data[0-9]*' | wc -l) -gt {FILES // 2}; do sleep 1; done"
    for _ in range(TRIES):
      self.assertGreaterEqual(self.start(), FILES_BYTES)
      if self.guest.run("timeout", str(LEARN_S), "sh", "-c", learnt).status == 0:
        return
    self.fail(f"started {TRIES} times and not learnt; {self.told()}")

  def told(self):
    pages = [source["note"] for source in self.brioctl("probe") if source["name"] == "pages"]
    return f"{pages}; {self.guest.run('sh', '-c', f'brioctl prefetch; brioctl startups; brioctl startups {NAME}').text}"

  def assert_read_ahead(self, source):
    self.assertIn(f"through {source}, ", self.told())
    self.learn()
    read = [self.start()]
    while read[-1] >= FILES_BYTES // 10 and len(read) < TRIES:
      read.append(self.start())
    self.assertLess(read[-1], FILES_BYTES // 10, f"read by itself at each start: {read}; {self.told()}")
    self.guest.shell("brioctl prefetch forget --all")

  def test_what_a_program_read_at_its_start_is_read_ahead_inside_the_sandbox_also_without_bpf(self):
    self.fill()
    self.begin_session()
    self.assert_read_ahead("bpf")
    # Then the kernel tells numbers of files, whose names open_by_handle_at() finds.
    self.addCleanup(self.restore_unit)
    self.change_unit("CapabilityBoundingSet=~CAP_BPF")
    self.assert_read_ahead("tracefs")
    self.assert_no_complaint()

  def test_what_lies_in_an_encrypted_volume_is_read_ahead_from_the_disk_below(self):
    self.guest.shell(f"modprobe dm_crypt && dmsetup create {NAME} --table '0 524288 crypt aes-xts-plain64 {'5a' * 32} 0 /dev/{self.node} 0'")
    self.addCleanup(self.guest.shell, f"dmsetup remove --retry {NAME}")
    self.node = f"mapper/{NAME}"
    self.fill()
    self.begin_session()
    self.assert_read_ahead("bpf")

  def test_a_session_that_begins_at_a_seat_is_learnt_and_read_ahead(self):
    self.guest.shell(f"mkdir -p {POLICY} && printf '[Prefetch]\\nEnabled = yes\\nSession = yes\\n' > {POLICY}/session.conf && systemctl restart briod")
    self.addCleanup(self.guest.shell, f"rm -r {POLICIES} && systemctl restart briod && brioctl prefetch forget --all")
    self.guest.shell(READ_AT_LOGIN)
    self.addCleanup(self.guest.shell, f"rm /usr/local/share/brio-session {SESSION_UNIT} {WANTS}/brio-session.service")
    self.begin_until("brioctl --json prefetch | grep user-session", "learnt")
    self.begin_until("brioctl decisions | grep user-session", "read ahead")

  def begin_until(self, expected, what):
    """See learn()."""
    for _ in range(TRIES):
      self.guest.wait_shell(f"! systemctl --quiet is-active user@$(id -u {USER})", "the end of the manager of the session before")
      self.guest.shell("sync; echo 3 > /proc/sys/vm/drop_caches")
      self.begin_session("--setenv=XDG_SEAT=seat0 --setenv=XDG_VTNR=1")
      found = self.guest.run("timeout", str(SESSION_S), "sh", "-c", f"until {expected} >/dev/null; do sleep 1; done").status == 0
      self.end_session()
      if found:
        return
    self.fail(f"{TRIES} sessions and not {what}; {self.told()}")
