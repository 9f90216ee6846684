# SPDX-License-Identifier: GPL-3.0-or-later
"""What lasts: top on a terminal and in batches, decisions --follow, hold; with a daemon that comes and goes."""
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import tempfile
import termios
import time

from harness import BRIOCTL, Bus, DEADLINE_S, environment, main, read_until

ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"


class Terminal:
    """brioctl with a terminal of its own, as its controlling one."""

    def __init__(self, address, *arguments, lines=24, columns=120):
        self.fd, slave = pty.openpty()
        self.slave = slave
        self.resize(lines, columns)
        self.before = termios.tcgetattr(slave)

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
        self.process = subprocess.Popen([BRIOCTL, *arguments], stdin=slave, stdout=slave, stderr=slave, preexec_fn=own_terminal,
                                        env=environment(BRIO_BUS=address))
        self.seen = ""

    def resize(self, lines, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def until(self, text):
        """Reads on until the text comes (anew); returns what was read."""
        self.seen = read_until(self.fd, text)
        return self.seen

    def frame(self, text):
        """Reads on until a frame with the text has come whole (a terminal gives it in pieces); returns that frame."""
        frame, rest = "", ""
        while text not in frame:
            frame, _, rest = read_until(self.fd, "\x1b[J", rest).partition("\x1b[J")
        return frame

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def end(self):
        """Waits for the end. Returns the exit code and whether the terminal is as it was before."""
        text = self.until(LEAVE)
        code = self.process.wait(DEADLINE_S)
        return code, "\x1b[?25h" in text and "\x1b[?7h" in text and termios.tcgetattr(self.slave) == self.before

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.fd)
        os.close(self.slave)


class TopOnTerminal(Bus):
    def setUp(self):
        super().setUp()
        self.start_daemon()
        self.terminal = Terminal(self.address, "top", "-i100ms")
        self.addCleanup(self.terminal.close)
        self.terminal.until(ENTER)
        self.terminal.until("9.3 MB/s")

    def test_q_ends_it_and_restores_the_terminal(self):
        self.terminal.type("q")
        self.assertEqual(self.terminal.end(), (0, True))

    def test_signals_that_ask_to_end_restore_the_terminal(self):
        self.terminal.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.terminal.end(), (0, True))

    def test_control_c_restores_the_terminal(self):
        self.terminal.type("\x03")
        self.assertEqual(self.terminal.end(), (0, True))

    def test_a_hangup_ends_it(self):
        self.terminal.process.send_signal(signal.SIGHUP)
        self.assertEqual(self.terminal.end(), (0, True))

    def test_a_crash_restores_the_terminal(self):
        self.terminal.process.send_signal(signal.SIGABRT)
        self.assertEqual(self.terminal.end(), (-signal.SIGABRT, True))

    def test_the_screen_follows_the_size(self):
        self.terminal.resize(10, 50)
        self.terminal.process.send_signal(signal.SIGWINCH)
        self.terminal.until("…")
        self.terminal.until("\x1b[H")
        frame = self.terminal.until("\x1b[J").split("\x1b[J")[0]
        self.assertLessEqual(frame.count("\r\n"), 9)

    def test_p_pauses_and_p_goes_on(self):
        self.terminal.type("p")
        self.terminal.until("paused")
        self.control("SetDrive", "sda", json.dumps({"state": "reverting"}))
        self.terminal.type("p")
        self.terminal.until("reverting")

    def test_s_sorts_by_the_next_column(self):
        self.terminal.type("s")
        self.terminal.until("by read")
        self.terminal.type("s")
        frame = self.terminal.frame("by write")
        self.assertLess(frame.index("31337"), frame.index("4242"))

    def test_plus_and_minus_change_the_interval(self):
        self.terminal.type("+")
        self.terminal.until("every 200 ms")
        self.terminal.type("+")
        self.terminal.until("every 500 ms")
        self.terminal.type("-")
        self.terminal.until("every 200 ms")
        self.assertEqual([c[1] for c in self.calls() if c[0] == "OpenSampleStream"], [[100], [200], [500], [200]])

    def test_control_z_gives_the_terminal_back_and_fg_takes_it(self):
        self.terminal.process.send_signal(signal.SIGTSTP)
        self.terminal.until(LEAVE)
        os.waitpid(self.terminal.process.pid, os.WUNTRACED)
        self.assertEqual(termios.tcgetattr(self.terminal.slave), self.terminal.before)
        self.terminal.process.send_signal(signal.SIGCONT)
        self.terminal.until(ENTER)
        self.terminal.type("q")
        self.assertEqual(self.terminal.end(), (0, True))

    def test_it_survives_the_daemon(self):
        self.stop_daemon()
        self.terminal.until("briod is not running")
        self.start_daemon()
        self.terminal.until("9.3 MB/s")
        self.terminal.type("q")
        self.assertEqual(self.terminal.end(), (0, True))

    def test_a_drive_that_comes_is_shown(self):
        self.control("AddDrive", json.dumps({"name": "sdnew"}))
        self.terminal.until("sdnew")


class TopInBatches(Bus):
    def setUp(self):
        super().setUp()
        self.start_daemon()

    def test_frames_are_counted(self):
        text = self.ok("top", "-b", "-n3", "-i100ms")
        self.assertEqual(text.count("Brio "), 3)
        self.assertEqual(text.count("PID"), 3)
        self.assertNotIn("\x1b", text)

    def test_json_is_one_object_a_line(self):
        frames = [json.loads(line) for line in self.ok("top", "--json", "-n2", "-i100ms").splitlines()]
        self.assertEqual(len(frames), 2)
        for frame in frames:
            self.assertEqual([d["name"] for d in frame["drives"]], ["cciss!c0d0", "sda"])
            self.assertEqual(frame["drives"][1]["sample"]["queue_depth_milli"], 31400)
            self.assertEqual(frame["processes"][0]["pid"], 4242)
        self.assertLess(frames[0]["time_usec"], frames[1]["time_usec"])

    def pids(self, *arguments):
        frame = json.loads(self.ok("top", "--json", "-n1", "-i100ms", *arguments))
        return [p["pid"] for p in frame["processes"]]

    def test_processes_come_in_the_order_that_was_asked_for(self):
        self.assertEqual(self.pids(), [4242, 977, 31337])
        for sort, order in (("bytes", [4242, 977, 31337]), ("read", [4242, 977, 31337]), ("write", [31337, 977, 4242]),
                            ("requests", [4242, 977, 31337]), ("wait", [977, 4242, 31337]), ("latency", [4242, 977, 31337]),
                            ("p99", [4242, 977, 31337]), ("pid", [31337, 4242, 977]), ("name", [977, 31337, 4242]),
                            ("drive", [31337, 4242, 977])):
            self.assertEqual(self.pids("--sort", sort), order, sort)

    def test_another_order_asks_for_all_processes(self):
        self.pids()
        self.pids("--sort", "wait")
        self.pids("--device", "sda")
        self.assertEqual([c[1] for c in self.calls() if c[0] == "GetProcesses"][0], [64])
        self.assertEqual({c[1][0] for c in self.calls() if c[0] == "GetProcesses"}, {0, 64})
        self.assertEqual([c[1] for c in self.calls() if c[0] == "GetProcesses"][-1], [0])

    def test_one_drive_alone_and_its_processes(self):
        frame = json.loads(self.ok("top", "--json", "-n1", "-i100ms", "--device", "/dev/cciss!c0d0"))
        self.assertEqual([d["name"] for d in frame["drives"]], ["cciss!c0d0"])
        self.assertEqual([p["pid"] for p in frame["processes"]], [31337])
        text = self.ok("top", "-bn1", "-i100ms", "-d", "sda")
        self.assertNotIn("c0d0", text)
        self.assertNotIn("31337", text)

    def test_what_is_estimated_or_not_known_is_marked(self):
        lines = self.ok("top", "-bn1", "-i100ms").splitlines()
        fio = next(line for line in lines if " 4242 " in line)
        for text in (" root ", " sda ", " 42.0 % ", " 1490 ", " random ", " be/7 "):
            self.assertIn(text, fio)
        other = next(line for line in lines if "  977 " in line)
        for text in (" sda? ", " ~87.5 % "):
            self.assertIn(text, other)
        unknown = next(line for line in lines if "31337 " in line)
        for text in (" 4294967294 ", " cciss!c0d0? ", " idle "):
            self.assertIn(text, unknown)
        self.assertNotIn("%", unknown)

    def test_a_daemon_that_goes_is_said_once_and_awaited(self):
        process = self.start("top", "--json", "-i100ms")
        self.read_until(process.stdout, '"connected":true')
        self.stop_daemon()
        self.read_until(process.stdout, '"connected":false')
        self.start_daemon()
        self.read_until(process.stdout, '"connected":true')

    def test_longer_records_are_read_and_other_drives_ignored(self):
        process = self.start("top", "--json", "-i100ms")
        self.read_until(process.stdout, "31400")
        for garbage in ("bigger", "unknown"):
            self.control("StreamGarbage", garbage)
        text = self.read_until(process.stdout, "\n") + self.read_until(process.stdout, "31400")
        self.assertNotIn('"connected":false', text)

    def test_a_broken_stream_is_opened_anew(self):
        process = self.start("top", "--json", "-i100ms")
        for garbage in ("magic", "size-zero", "size-huge", "random", "short", "name"):
            self.read_until(process.stdout, "31400")
            self.control("StreamGarbage", garbage)
            self.read_until(process.stdout, '"connected":false')
        self.read_until(process.stdout, "31400")

    def test_a_reader_that_goes_ends_it(self):
        process = self.start("top", "--batch", "-i100ms")
        self.read_until(process.stdout, "DRIVE")
        process.stdout.close()
        self.assertNotEqual(process.wait(DEADLINE_S), 0)


class Follow(Bus):
    """GetDecisions() and the signal DecisionMade, without a gap or a repetition."""

    def test_new_decisions_come_after_the_old_ones(self):
        self.start_daemon()
        process = self.start("decisions", "--follow", "--json", "--device", "sda", "--lines", "1")
        self.read_until(process.stdout, '"sda-2"')
        for name, device in (("new-1", "sda"), ("new-2", "other"), ("new-3", "sda")):
            self.control("AddDecision", json.dumps({"id": name, "device": device}))
        text = self.read_until(process.stdout, "new-3")
        self.assertIn("new-1", text)
        self.assertNotIn("new-2", text)

    def test_of_no_lines_only_what_comes_is_told(self):
        self.start_daemon()
        process = self.start("decisions", "--follow", "--json", "--lines", "0")
        while ["GetDecisions", [0]] not in self.calls():
            self.assertIsNone(process.poll())
        self.control("AddDecision", json.dumps({"id": "new-1", "device": "sda"}))
        self.assertNotIn("sda-2", self.read_until(process.stdout, "new-1"))

    def test_it_ends_where_it_can_write_no_more_though_no_signal_ends_it(self):
        self.start_daemon()
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.assertEqual(1, subprocess.run([BRIOCTL, "decisions", "-f"], stdout=full, env=environment(BRIO_BUS=self.address), timeout=DEADLINE_S, check=False).returncode)
        with subprocess.Popen(["sh", "-c", "trap '' PIPE; exec \"$0\" decisions -f", BRIOCTL], stdout=subprocess.PIPE, text=True,
                              env=environment(BRIO_BUS=self.address)) as process:
            self.read_until(process.stdout, "cc-1")
            process.stdout.close()
            self.control("AddDecision", json.dumps({"id": "new-1", "device": "sda"}))
            self.assertEqual(1, process.wait(DEADLINE_S))

    def test_a_decision_comes_again_with_what_its_trial_found(self):
        """The signal TrialEnded; a caller that asks for one drive hears of no others."""
        self.start_daemon()
        process = self.start("decisions", "--follow", "--device", "sda")
        self.read_until(process.stdout, "sda-2")
        self.control("EndTrial", "cc-1", json.dumps({"outcome": "kept", "effect": "of another drive"}))
        self.control("EndTrial", "sda-1", json.dumps({"outcome": "reverted", "effect": "mean read 84 ms → 310 ms"}))
        text = self.read_until(process.stdout, "310 ms")
        self.assertIn("sda-1", text)
        self.assertIn("A trial found it worse, so it went back: mean read 84", text)
        self.assertNotIn("another drive", text)

    def test_it_survives_the_daemon(self):
        self.start_daemon()
        process = self.start("decisions", "-f")
        self.read_until(process.stdout, "cc-1")
        self.stop_daemon()
        self.read_until(process.stderr, "went away")
        self.start_daemon()
        self.read_until(process.stderr, "is back")
        self.read_until(process.stdout, "cc-1")
        self.control("AddDecision", json.dumps({"id": "afterwards"}))
        self.read_until(process.stdout, "afterwards")

    def test_starts_are_told_as_they_end(self):
        """The signal StartupFinished; a caller that asks for one application has no others."""
        self.start_daemon()
        process = self.start("startups", "--follow", "--json", "maps")
        while ["GetStartups", [""]] not in self.calls():
            self.assertIsNone(process.poll())
        for application, sentence in (("org.gnome.Maps", "first"), ("gimp", "second"), ("org.gnome.Maps", "third")):
            self.control("AddStartup", json.dumps({"application": application, "sentence": sentence, "culprits": [["cp", 7, 500]]}))
        text = self.read_until(process.stdout, "third")
        self.assertIn('"culprits":[{"name":"cp","pid":7,"permille":500}]', text)
        self.assertNotIn("second", text)

    def test_without_the_bus_it_ends(self):
        self.start_daemon()
        process = self.start("decisions", "-f")
        self.read_until(process.stdout, "cc-1")
        self.bus.terminate()
        self.read_until(process.stderr, "the bus went away")
        self.assertEqual(process.wait(DEADLINE_S), 1)

    def test_streams_are_told_as_they_begin_and_end(self):
        """StreamStarted and StreamEnded."""
        self.start_daemon()
        process = self.start("streams", "--follow", "--device", "sda")
        self.read_until(process.stdout, "mpv (1200)")
        stream = {"state": "stream", "pid": 55, "device": "sda", "sentence": "a call (55) reads"}
        self.control("SetStreams", json.dumps([stream, {**stream, "pid": 56, "device": "other", "sentence": "elsewhere"}]))
        self.read_until(process.stdout, "stream  sda: a call (55) reads")
        self.control("SetStreams", json.dumps([{**stream, "state": "ended"}]))
        text = self.read_until(process.stdout, "ended   sda: a call (55) reads")
        self.assertNotIn("elsewhere", text)

    def test_what_bfq_itself_says_stands_beside_them(self):
        """GetKernelVerdicts: the most that any thread's queue is raised by."""
        self.start_daemon()
        processes = [self.start("streams", "--kernel", *more) for more in ((), ("--json",))]
        text, streams = (process.communicate(timeout=DEADLINE_S)[0].decode() for process in processes)
        for sentence in ("mpv (1200): the kernel agrees since 3.2 s", "(977): the kernel agrees since 3.2 s", "arecord (1300): the kernel said nothing of it in 5 s"):
            self.assertIn(sentence, text)
        heard = {s["pid"]: (s.get("kernel_heard"), s.get("kernel_heard_usec")) for s in json.loads(streams)}
        self.assertEqual({1200: ("soft-rt", 3200000), 1300: ("nothing", None), 977: ("none", 3200000), 900: (None, None)}, heard)

    def test_what_keeps_bfq_from_being_heard_is_said(self):
        self.start_daemon()
        self.assertIn("--follow", self.fails(2, "streams", "--kernel", "--follow"))
        self.control("SetErrors", json.dumps({"GetKernelVerdicts": ["Failed", "another program uses the kernel's tracing, which is left alone"]}))
        self.assertIn("another program uses the kernel's tracing", self.fails(1, "streams", "--kernel"))


class Hold(Bus):
    def setUp(self):
        super().setUp()
        self.start_daemon()

    def holding(self, script="echo started; exec sleep 60", mode="throughput"):
        process = self.start("hold", mode, "--reason", "a test", "--application", "org.example.Test", "--", "sh", "-c", script)
        self.read_until(process.stdout, "started")
        return process

    def holds(self):
        return json.loads(self.ok("holds", "--json"))

    def test_it_holds_while_the_command_runs(self):
        process = self.holding()
        self.assertEqual(self.holds(), [{"cookie": 1, "mode": "throughput", "reason": "a test", "application_id": "org.example.Test"}])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE_S), 128 + signal.SIGTERM)
        self.assertEqual(self.holds(), [])
        self.assertIn(["ReleaseHold", [1]], self.calls())

    def test_the_exit_code_is_the_command_s(self):
        for script, code in (("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 137)):
            self.assertEqual(self.brioctl("hold", "pause", "--", "sh", "-c", script).returncode, code)
        self.assertIn("No such file", self.fails(127, "hold", "pause", "--", "/nonexistent"))
        self.assertIn("Permission denied", self.fails(126, "hold", "pause", "--", "/"))

    def test_reason_and_application_come_from_the_command(self):
        self.ok("hold", "interactive", "--", "/bin/echo", "two", "words")
        self.ok("hold", "pause", "--", "true", "ä" * 400)
        holds = [c[1] for c in self.calls() if c[0] == "Hold"]
        self.assertEqual(holds[0], ["interactive", "/bin/echo two words", "echo"])
        self.assertLessEqual(len(holds[1][1].encode()), 255)

    def test_signals_reach_the_command(self):
        with tempfile.TemporaryDirectory() as directory:
            process = self.holding("trap 'echo caught > %s/file; exit 3' USR1; echo started; while :; do sleep 0.05; done" % directory)
            process.send_signal(signal.SIGUSR1)
            self.assertEqual(process.wait(DEADLINE_S), 3)
            self.assertTrue(os.path.exists(directory + "/file"))

    def test_a_killed_brioctl_leaves_no_hold(self):
        process = self.holding("echo started; sleep 1")
        process.kill()
        process.wait()
        deadline = time.monotonic() + DEADLINE_S
        while self.holds() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(self.holds(), [])

    def test_an_administrator_ends_the_hold_and_not_the_command(self):
        process = self.holding()
        self.ok("mode", "auto")
        self.read_until(process.stderr, "ended the hold")
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.wait(DEADLINE_S)

    def test_a_hold_is_ended_by_its_cookie_and_its_command_goes_on(self):
        process = self.holding()
        self.assertEqual(json.loads(self.ok("holds", "release", "1", "--json")), {"released": 1})
        self.assertEqual(self.holds(), [])
        self.read_until(process.stderr, "ended the hold")
        self.assertIsNone(process.poll())
        self.assertIn("there is no hold 1", self.fails(1, "holds", "release", "1"))
        for wrong in (["release"], ["release", "0"], ["release", "x"], ["release", "4294967296"], ["keep", "1"]):
            self.fails(2, "holds", *wrong)
        process.send_signal(signal.SIGTERM)
        process.wait(DEADLINE_S)

    def test_a_daemon_that_starts_anew_is_asked_again(self):
        process = self.holding()
        self.stop_daemon()
        self.read_until(process.stderr, "went away")
        self.start_daemon()
        self.read_until(process.stderr, "is back")
        self.assertEqual(len(self.holds()), 1)
        process.send_signal(signal.SIGTERM)
        process.wait(DEADLINE_S)


if __name__ == "__main__":
    main()
