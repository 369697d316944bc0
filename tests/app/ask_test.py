#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`parley ask` as scripts use it: piped input, output and exit codes."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from parley_program import LOGIN, PROGRAM, environment, parley

TEA = ("ask", "--here", "Tea or coffee?", "-o", "Tea::Green or black", "-o", "Coffee")
TWO = json.dumps({"questions": [
    {"question": "Which database?", "header": "Database", "options": ["PostgreSQL", "SQLite"]},
    {"question": "Which features?", "header": "Features", "multiSelect": True,
     "options": [{"label": "Dark mode"}, {"label": "Offline"}]}]})


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, text: str) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)


class Answered(Folder):
    def test_a_choice_is_printed_alone_on_stdout(self) -> None:
        ended = parley(*TEA, stdin="2\n")
        self.assertEqual((ended.code, ended.out), (0, "Coffee\n"))
        self.assertEqual(ended.err, """Tea or coffee?

  1) Tea
     Green or black
  2) Coffee
  3) Other
     Provide custom input

Choose 1-3 (d = dismiss, ? = help)
> 2
✓ Tea or coffee: Coffee
""")

    def test_several_choices_are_a_line_each(self) -> None:
        ended = parley("ask", "--here", "Which?", "--multi", "-o", "A", "-o", "B", "-o", "C",
                       stdin="3,1\n")
        self.assertEqual((ended.code, ended.out), (0, "A\nC\n"))

    def test_free_text_is_printed_as_typed(self) -> None:
        self.assertEqual(parley(*TEA, stdin="3\n  milk, please \n").out, "  milk, please \n")
        self.assertEqual(parley(*TEA, stdin="water\ny\n").out, "water\n")
        self.assertEqual(parley("ask", "--here", "Name?", stdin="Zoë\n").out, "Zoë\n")

    def test_a_last_line_without_newline_counts(self) -> None:
        self.assertEqual(parley(*TEA, stdin="1").out, "Tea\n")

    def test_questions_from_a_file_end_in_a_review(self) -> None:
        ended = parley("ask", "--here", "--file", self.file("q.json", TWO), stdin="2\n1,2\ny\n")
        self.assertEqual((ended.code, ended.out), (0, "SQLite\nDark mode\nOffline\n"))
        self.assertIn("✓ Database: SQLite\n✓ Features: Dark mode, Offline\n", ended.err)

    def test_json_is_the_settled_ask(self) -> None:
        ended = parley(*TEA, "--json", "--session", "mine", stdin="1\n")
        ask = json.loads(ended.out)
        self.assertEqual(ask["state"], "answered")
        self.assertEqual(ask["session"], "mine")
        self.assertEqual(ask["questions"][0]["options"][0]["description"], "Green or black")
        settlement = ask["settlement"]
        self.assertEqual(settlement["answers"], [{"selected": ["Tea"]}])
        self.assertEqual(settlement["decider"]["kind"], "person")
        self.assertEqual(settlement["decider"]["name"], LOGIN)
        self.assertEqual(settlement["door"], "terminal")

    def test_context_is_shown_with_the_question(self) -> None:
        ended = parley(*TEA, "--context", self.file("c.md", "# Why\n\n*Thirst.*\n"), stdin="1\n")
        self.assertIn("│ # Why\n│\n│ *Thirst.*\n\nTea or coffee?", ended.err)

    def test_a_plain_locale_gets_plain_characters(self) -> None:
        ended = parley("ask", "--here", "Größe?", "-o", "Groß", "-o", "Klein", stdin="1\n",
                       LANG="C")
        self.assertEqual((ended.code, ended.out), (0, "Groß\n"))
        self.assertTrue(ended.err.isascii(), ended.err)
        self.assertIn("[ok] Gr\\u{f6}\\u{df}e: Gro\\u{df}", ended.err)

    def test_nothing_in_the_question_reaches_the_terminal(self) -> None:
        ended = parley("ask", "--here", "Sure?\x1b[2J\x07", "-o", "Yes::\x1b]0;title\x07",
                       "-o", "No", stdin="2\n")
        self.assertEqual((ended.code, ended.out), (0, "No\n"))
        self.assertNotIn("\x1b", ended.err)
        self.assertIn("Sure?\\x1b[2J\\x07", ended.err)


class NotAnswered(Folder):
    def test_dismissed_is_3(self) -> None:
        ended = parley(*TEA, stdin="d\ny\nneither\n")
        self.assertEqual((ended.code, ended.out), (3, ""))
        self.assertRegex(ended.err, r"\nparley ask: dismissed by \S+ in the terminal "
                                    r"at \d\d:\d\d: neither\n$")

    def test_what_may_not_be_dismissed_is_asked_on(self) -> None:
        ended = parley(*TEA, "--no-dismiss", stdin="d\n1\n")
        self.assertEqual((ended.code, ended.out), (0, "Tea\n"))
        self.assertIn("The asker does not let this be dismissed.", ended.err)

    def test_the_end_of_the_input_is_1_and_never_an_answer(self) -> None:
        for lines in ("", "\n", "?\n", "water\n", "3\n", "d\n"):
            ended = parley(*TEA, stdin=lines)
            self.assertEqual((ended.code, ended.out), (1, ""), lines)
            self.assertIn("parley ask: no answer: the input ended", ended.err)

    def test_a_review_that_is_not_sent_is_1(self) -> None:
        ended = parley("ask", "--here", "--file", self.file("q.json", TWO), stdin="1\n1\n")
        self.assertEqual((ended.code, ended.out), (1, ""))

    def test_a_deadline_ends_the_prompt_with_4(self) -> None:
        ended = self.run_with_open_input("--timeout", "200ms")
        self.assertEqual((ended.returncode, ended.stdout), (4, b""))
        self.assertIn(b"Without an answer in 1 s, this ends as timed out.", ended.stderr)
        self.assertRegex(ended.stderr, rb"> \nparley ask: timed out at \d\d:\d\d\n$")

    def test_a_default_at_the_deadline_is_the_timers_answer(self) -> None:
        ended = self.run_with_open_input("--timeout", "200ms", "--on-timeout", "default=Tea")
        self.assertEqual((ended.returncode, ended.stdout), (0, b"Tea\n"))
        self.assertIn(b"parley ask: answered by the timer with the asker's default at ",
                      ended.stderr)

    def test_json_tells_that_the_timer_decided(self) -> None:
        ended = self.run_with_open_input("--timeout", "200ms", "--on-timeout", "default=Tea",
                                         "--json")
        self.assertEqual(json.loads(ended.stdout)["settlement"]["decider"]["kind"], "timer")
        ended = self.run_with_open_input("--timeout", "200ms", "--json")
        self.assertEqual(json.loads(ended.stdout)["state"], "timed_out")
        self.assertEqual(ended.returncode, 4)

    def run_with_open_input(self, *arguments: str) -> subprocess.CompletedProcess:
        """With an input that neither says anything nor ends."""
        reader, writer = os.pipe()
        try:
            return subprocess.run([PROGRAM, *TEA, *arguments], stdin=reader, capture_output=True,
                                  env=environment({}), timeout=20, check=False)
        finally:
            os.close(reader)
            os.close(writer)

    def test_a_signal_is_130(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with subprocess.Popen([PROGRAM, *TEA], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=environment({})) as process:
                while not process.stderr.readline().startswith(b"Choose"):
                    pass
                process.send_signal(number)
                process.wait(timeout=20)  # before its input is closed, which would end it too
                out, err = process.communicate()
            self.assertEqual((process.returncode, out), (130, b""))
            self.assertTrue(
                err.endswith(b"parley ask: interrupted; the question is withdrawn\n"), err)

    def test_without_a_broker_it_is_6(self) -> None:
        for arguments in (("--broker",), ()):
            ended = parley("ask", "Tea?", *arguments, stdin="1\n", XDG_RUNTIME_DIR="/nonexistent")
            self.assertEqual((ended.code, ended.out), (6, ""))
            self.assertIn("parley ask: cannot reach a broker: cannot connect to "
                          "unix:/nonexistent/parley.sock: ", ended.err)
            self.assertTrue(ended.err.endswith(
                "; start one with 'parley serve', or name another with --server\n"), ended.err)
        ended = parley("ask", "Tea?", PARLEY_SERVER="http://127.0.0.1:9")
        self.assertEqual(ended.code, 6)
        self.assertIn("http://127.0.0.1:9", ended.err)


class Refused(Folder):
    def refused(self, *arguments: str, **changes: str) -> str:
        ended = parley(*arguments, **changes)
        self.assertEqual((ended.code, ended.out), (2, ""), ended.err)
        return ended.err

    def test_usage_errors_name_the_fault_and_the_fix(self) -> None:
        help_line = "'parley ask --help' shows how it is used.\n"
        for arguments, said in (
                ((), "QUESTION is missing; write it in quotes, or give --file FILE"),
                (("Q", "--multy"), "there is no option --multy; did you mean --multi?"),
                (("Q", "--timeout"), "--timeout needs a value"),
                (("Which", "one?"),
                 'unexpected argument "one?"; put a text that contains spaces in quotes'),
                (("Q", "--here", "--broker"),
                 "--here and --broker exclude each other; give one of them"),
                (("Q", "--on-timeout", "default=A"), "--on-timeout needs a --timeout")):
            self.assertEqual(self.refused("ask", *arguments), f"parley ask: {said}\n{help_line}")

    def test_every_fault_of_a_question_is_told(self) -> None:
        said = self.refused("ask", "", "-o", "A", "-o", "A", "-o", "B\x1b")
        self.assertIn("  QUESTION: the question is empty", said)
        self.assertIn("  --option 2: the label is the same as that of option 1", said)
        self.assertIn("  --option 3: the label contains U+001B", said)

    def test_faults_of_a_file_are_told_by_their_place(self) -> None:
        path = self.file("q.json", '{"questions":[{"question":"A?","options":[{"label":""}]}]}')
        self.assertIn(f"{path} at /questions/0/options/0/label: the label is empty",
                      self.refused("ask", "--file", path))
        self.assertIn("cannot read /nonexistent: No such file",
                      self.refused("ask", "--file", "/nonexistent"))

    def test_questions_on_stdin_leave_no_way_to_answer_here(self) -> None:
        with subprocess.Popen([PROGRAM, "ask", "--here", "--file", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment({}),
                              start_new_session=True) as process:
            _, err = process.communicate(TWO.encode(), timeout=20)
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"there is no terminal for the answers", err)


class Program(Folder):
    def test_the_overview_and_the_help_name_everything(self) -> None:
        overview = parley("--help")
        self.assertEqual((overview.code, overview.err), (0, ""))
        self.assertIn("  ask ", overview.out)
        for arguments in (("ask", "--help"), ("help", "ask"), ("ask", "-h", "Q")):
            ended = parley(*arguments)
            self.assertEqual((ended.code, ended.err), (0, ""))
            for part in ("usage: parley ask [OPTIONS] [QUESTION]", "--on-timeout", "examples:",
                         "exit codes:"):
                self.assertIn(part, ended.out)
            self.assertLessEqual(max(map(len, ended.out.splitlines())), 80)

    def test_without_a_command_the_overview_is_on_stderr(self) -> None:
        ended = parley()
        self.assertEqual((ended.code, ended.out), (2, ""))
        self.assertIn("usage: parley COMMAND", ended.err)

    def test_a_wrong_command_gets_a_suggestion(self) -> None:
        ended = parley("asks", "Q")
        self.assertEqual(ended.code, 2)
        self.assertTrue(ended.err.startswith(
            'parley: there is no command "asks"; did you mean "ask"?\n'), ended.err)

    def test_the_version_is_printed(self) -> None:
        """With its commit, where git knows one."""
        source = Path(__file__).resolve().parents[2]
        commit = r"[0-9a-f]{10,}\+?, \d{4}-\d\d-\d\d, "
        if not shutil.which("git") or subprocess.run(
                ["git", "-C", source, "rev-parse", "--verify", "-q", "HEAD"],
                capture_output=True, check=False).returncode != 0:
            commit = ""
        self.assertRegex(parley("--version").out,
                         rf"^parley \d+\.\d+\.\d+ \({commit}[A-Z]\w+(, LTO)?, "
                         r"clang \d+\.\d+\.\d+\)\n$")

    def test_the_file_is_read_and_its_faults_have_a_place(self) -> None:
        path = self.file("parley/config.toml", 'server = "unix:/of/file"\n')
        changes = {"XDG_CONFIG_HOME": str(self.folder)}  # no broker is at any of these
        self.assertIn("unix:/of/file", parley("ask", "Q", **changes).err)
        self.assertIn("unix:/env",
                      parley("ask", "Q", **changes, PARLEY_SERVER="unix:/env").err)
        self.assertIn("unix:/flag", parley("--server", "unix:/flag", "ask", "Q", **changes).err)
        self.file("parley/config.toml", 'server = "x"\n colour = 1\n')
        ended = parley("ask", "Q", **changes)
        self.assertEqual((ended.code, ended.err),
                         (2, f'parley ask: {path}:2:2: there is no setting "colour"\n'))

    def test_output_that_cannot_be_written_is_a_failure(self) -> None:
        with open("/dev/full", "w") as full:
            ended = subprocess.run([PROGRAM, *TEA], input=b"1\n", stdout=full,
                                   stderr=subprocess.PIPE, env=environment({}), timeout=20,
                                   check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertTrue(ended.stderr.endswith(b"cannot write to standard output\n"))


if __name__ == "__main__":
    unittest.main()
