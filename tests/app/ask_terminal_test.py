#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`parley ask --accessible`, the prompt in lines, on a terminal of its own."""

import signal
import unittest

from parley_program import Terminal

TEA = ("ask", "--accessible", "Tea or coffee?", "-o", "Tea", "-o", "Coffee")


class OnATerminal(unittest.TestCase):
    def test_it_prompts_there_and_prints_the_answer_on_stdout(self) -> None:
        with Terminal(*TEA) as terminal:
            terminal.wait_for("> ")
            terminal.type("coffee\n")
            ended = terminal.end()
        self.assertEqual((ended.code, ended.out), (0, "Coffee\n"))
        self.assertTrue(ended.err.endswith("> coffee\n✓ Tea or coffee: Coffee\n"), ended.err)

    def test_what_is_shown_is_not_repeated_on_the_same_terminal(self) -> None:
        with Terminal(*TEA, shows_stdout=True) as terminal:
            terminal.wait_for("> ")
            terminal.type("1\n")
            ended = terminal.end()
        self.assertTrue(ended.err.endswith("> 1\nTea\n"), ended.err)

    def test_emphasis_is_shown_unless_it_is_not_wanted(self) -> None:
        for changes, has_escapes in (({}, True), ({"NO_COLOR": "1"}, False),
                                     ({"ACCESSIBLE": "1"}, False), ({"TERM": "dumb"}, False)):
            with Terminal(*TEA, **changes) as terminal:
                terminal.wait_for("> ")
                self.assertEqual("\x1b" in terminal.screen, has_escapes, changes)
                terminal.type("1\n")
                terminal.end()

    def test_lines_fit_a_narrow_terminal(self) -> None:
        with Terminal("ask", "--accessible", "A question that needs more than one line of so few",
                      "--multi", "-o", "A::A description that is long as well, and then some",
                      "-o", "B", columns=40, NO_COLOR="1") as terminal:
            terminal.wait_for("> ")
            self.assertLessEqual(max(map(len, terminal.screen.splitlines())), 40)
            terminal.type("1\n")
            self.assertEqual(terminal.end().out, "A\n")

    def test_ctrl_c_interrupts(self) -> None:
        with Terminal(*TEA) as terminal:
            terminal.wait_for("> ")
            terminal.type("\x03")
            ended = terminal.end()
        self.assertEqual((ended.code, ended.out), (130, ""))
        self.assertIn("parley ask: interrupted; the question is withdrawn\n", ended.err)

    def test_ctrl_d_is_no_answer(self) -> None:
        with Terminal(*TEA) as terminal:
            terminal.wait_for("> ")
            terminal.type("\x04")
            self.assertEqual(terminal.end().code, 1)

    def test_a_terminal_that_goes_away_ends_it(self) -> None:
        with Terminal(*TEA) as terminal:
            terminal.wait_for("> ")
            terminal.signal(signal.SIGHUP)
            self.assertEqual(terminal.end().code, 130)

    def test_a_deadline_ends_it_while_a_line_is_being_typed(self) -> None:
        with Terminal(*TEA, "--timeout", "1s") as terminal:
            terminal.wait_for("> ")
            terminal.type("half a li")
            ended = terminal.end()
        self.assertEqual((ended.code, ended.out), (4, ""))
        self.assertRegex(ended.err, r"\nparley ask: timed out at \d\d:\d\d\n")

    def test_questions_on_stdin_are_answered_on_the_terminal(self) -> None:
        # The terminal is the controlling one, so it is there as /dev/tty.
        with Terminal("ask", "--accessible", "--here", "--file", "-") as terminal:
            terminal.type('{"question":"Tea or coffee?","options":["Tea","Coffee"]}\n\x04')
            terminal.wait_for("Choose 1-3")
            terminal.wait_for("> ")
            terminal.type("2\n")
            self.assertEqual(terminal.end().out, "Coffee\n")


if __name__ == "__main__":
    unittest.main()
