# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings: what `brioctl record` writes, and what `brioctl replay` says of good and bad files."""
import json
import os
import signal
import tempfile
import time

from harness import Bus, DEADLINE_S, SOURCE, main

RECORDING = os.path.join(SOURCE, "tests", "replay", "one-reader.recording")
POLICIES = ["--policy-dir", os.path.join(SOURCE, "policies")]
VERSION_AT = 8  # in a file


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Files(Bus):
    def setUp(self):
        super().setUp()
        # pylint: disable=consider-using-with
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.path = os.path.join(self.directory, "a.recording")

    def write(self, data):
        with open(self.path, "wb") as file:
            file.write(data)
        return self.path


class Record(Files):
    def setUp(self):
        super().setUp()
        self.start_daemon()

    def test_what_the_daemon_sends_is_what_the_file_has_and_it_is_complete(self):
        said = self.ok("record", "-o", self.path, "-d", "300ms", "sda")
        self.assertRegex(said, r"\A%s: .* 708 events, 13 kB, lost: 0\.\n\Z" % self.path)
        self.assertEqual(read(self.path), read(RECORDING))
        self.assertIn(["OpenRecording", [["sda"]]], self.calls())

    def test_a_drive_may_be_named_by_its_device_file_and_all_by_none(self):
        self.ok("record", "-o", self.path, "-d", "100ms", "/dev/sda", "cciss!c0d0")
        os.unlink(self.path)
        self.ok("record", "-o", self.path, "-d", "100ms")
        self.assertEqual([c[1] for c in self.calls() if c[0] == "OpenRecording"], [[["sda", "cciss!c0d0"]], [[]]])

    def test_json_tells_of_the_file(self):
        value = json.loads(self.ok("record", "--json", "-o", self.path, "-d", "200ms"))
        self.assertEqual((value["file"], value["events"], value["events_lost"], value["bytes"]), (self.path, 708, 0, len(read(RECORDING))))
        self.assertGreaterEqual(value["duration_usec"], 200000)

    def test_signals_end_it_well(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("record", "-o", self.path)
            deadline = time.monotonic() + DEADLINE_S
            while not os.path.exists(self.path) or os.path.getsize(self.path) < len(read(RECORDING)) - 32:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(DEADLINE_S), 0)
            self.assertEqual(read(self.path), read(RECORDING))
            os.unlink(self.path)

    def test_the_end_of_the_daemon_ends_it_and_what_is_there_is_whole(self):
        process = self.start("record", "-o", self.path)
        deadline = time.monotonic() + DEADLINE_S
        while not os.path.exists(self.path) or os.path.getsize(self.path) == 0:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.stop_daemon()
        self.assertEqual(process.wait(DEADLINE_S), 1)
        self.assertIn(b"briod ended", process.stderr.read())
        self.assertEqual(read(self.path), read(RECORDING))

    def test_the_file_is_for_its_owner_alone(self):
        self.ok("record", "-o", self.path, "-d", "100ms")
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)

    def test_a_file_that_is_there_is_left_alone(self):
        self.write(b"precious")
        self.assertIn("is there already", self.fails(1, "record", "-o", self.path, "-d", "100ms"))
        self.assertEqual(read(self.path), b"precious")

    def test_no_user_is_told_to_remove_what_is_no_file(self):
        pipe, link = self.directory + "/pipe", self.directory + "/link"
        os.mkfifo(pipe)
        os.symlink("/nowhere", link)
        for name, words in (("/dev/null", 'use "-o - > /dev/null"'), (pipe, f'use "-o - > {pipe}"'),
                            (self.directory, "name a new one with -o.\n"), (link, "name a new one with -o.\n")):
            said = self.fails(1, "record", "-o", name, "-d", "100ms")
            self.assertIn(words, said)
            self.assertNotIn("Remove", said)
        self.assertTrue(os.path.lexists("/dev/null") and os.path.lexists(pipe) and os.path.lexists(link))

    def test_a_recording_that_cannot_begin_leaves_no_file(self):
        self.assertIn('no drive "sdz"', self.fails(1, "record", "-o", self.path, "-d", "100ms", "sdz"))
        self.assertEqual(os.listdir(self.directory), [])
        self.assertIn("cannot make", self.fails(1, "record", "-o", self.directory + "/no/file"))

    def test_the_standard_output_takes_one_too(self):
        process = self.start("record", "-o", "-", "-d", "200ms")
        out, err = process.communicate(timeout=DEADLINE_S)
        self.assertEqual((process.returncode, out), (0, read(RECORDING)))
        self.assertIn(b"708 events", err)


class Replay(Files):
    def replay(self, *arguments):
        result = self.brioctl("replay", *POLICIES, *arguments)
        return result.returncode, result.stdout, result.stderr

    def test_what_is_no_recording_is_named_for_what_it_is(self):
        whole = read(RECORDING)
        newer = bytearray(whole)
        newer[VERSION_AT] = 2
        for data, words in ((b"", "is empty"), (b"x", "is no recording"), (b"[Policy]\n" * 100, "is no recording"), (whole[:15], "is no recording"),
                            (bytes(newer), "another version")):
            code, out, err = self.replay(self.write(data))
            self.assertEqual((code, out), (1, ""))
            self.assertIn(words, err)
            self.assertIn(self.path, err)
        self.assertIn("Is a directory", self.replay(self.directory)[2])
        self.assertIn("No such file", self.replay(self.directory + "/none")[2])
        self.assertIn("No such file", self.fails(1, "replay", RECORDING, "--policy-dir", self.directory + "/none"))

    def test_a_file_cut_short_is_replayed_and_told(self):
        whole = read(RECORDING)
        for size in (16, 40, len(whole) // 2, len(whole) - 32, len(whole) - 1):
            code, out, err = self.replay(self.write(whole[:size]))
            self.assertEqual(code, 1)
            self.assertIn("ends too early", err)
            self.assertIn(" ticks over ", out)

    def test_a_damaged_file_is_replayed_and_told(self):
        data = bytearray(read(RECORDING))
        data[len(data) // 2] ^= 0xff
        code, out, err = self.replay(self.write(data))
        self.assertEqual(code, 1)
        self.assertRegex(err, r"damaged in 1 place\(s\): \d+ bytes were passed over")
        self.assertIn("Events lost: 1;", out)

    def test_the_standard_input_will_do(self):
        with open(RECORDING, "rb") as file:
            process = self.start("replay", "-", *POLICIES, stdin=file)
            out, _ = process.communicate(timeout=DEADLINE_S)
        self.assertEqual((process.returncode, out.decode()), (0, self.replay(RECORDING)[1]))

    def test_json_is_an_object_a_line_with_the_keys_of_the_manual(self):
        with open(os.path.join(SOURCE, "docs", "brioctl.1.scd"), encoding="utf-8") as file:
            manual = file.read().split("# JSON")[1].replace("\\", "")
        many = os.path.join(SOURCE, "tests", "replay", "many-readers.recording")
        lines = [json.loads(line) for line in self.replay(many, "--json")[1].splitlines()]
        self.assertLessEqual({"environment", "drive", "verdict-begins", "verdict-ends", "change", "summary"}, {line["type"] for line in lines})
        for line in lines:
            self.assertIn("*%s*" % line["type"], manual)
            for key in line:
                self.assertIn("*%s*" % key, manual)

    def test_from_proc_alone_single_requests_are_passed_over(self):
        many = os.path.join(SOURCE, "tests", "replay", "many-readers.recording")
        kinds = []
        for option in ([], ["--proc-only"]):
            lines = [json.loads(line) for line in self.replay(many, "--json", *option)[1].splitlines()]
            found = [line for line in lines if line["type"] == "verdict-begins" and line["verdict"] == "many-sync"]
            self.assertEqual(1, len(found), option)
            kinds.append(found[0]["evidence"])
        self.assertIn("read-latency-p99", kinds[0])
        self.assertNotIn("read-latency-p99", kinds[1])

    def test_without_policies_it_says_that_nothing_would_be_set(self):
        result = self.brioctl("replay", RECORDING, "--policy-dir", self.directory)
        self.assertEqual(result.returncode, 0)
        self.assertIn("there are no policies", result.stderr)
        self.assertIn("no policy for it", result.stdout)

    def test_the_speed_is_told_where_it_does_not_matter(self):
        _, out, err = self.replay(RECORDING)
        self.assertRegex(err, r"\A708 events in \d+ ms: \d+ a second\.\n\Z")
        self.assertNotIn("a second", out)


if __name__ == "__main__":
    main()
