#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The prompt in lines, for screen readers: texts of several lines, and one's own editor."""

import tempfile
import unittest
from pathlib import Path

from tmux_terminal import TmuxTerminal
from broker_process import Broker

PLAN = ("ask", "--accessible", "What is the plan?")


class Lines(unittest.TestCase):
    def setUp(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        # Adds one line that is typed while it has the terminal.
        self.editor = Path(folder, "editor")
        self.editor.write_text(
            "#!/bin/sh\necho editing\nread line < /dev/tty\necho \"$line\" >> \"$1\"\n")
        self.editor.chmod(0o755)

    @staticmethod
    def line(terminal: TmuxTerminal, text: str) -> None:
        terminal.type(text)
        terminal.keys("Enter")

    def test_lines_that_are_pasted_are_one_text(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run(*PLAN)
            terminal.wait_for("/lines = several lines")
            self.line(terminal, "/lines")
            terminal.wait_for("A full stop on a line of its own ends it.")
            terminal.paste("first\n\n  third\n.\n")
            terminal.wait_for("Your text (3 lines):")
            self.line(terminal, "y")
            screen = terminal.wait_for("code=0")
            self.assertIn("\nfirst\n\n  third\ncode=0", screen)

    def test_an_editor_of_ones_own(self) -> None:
        with TmuxTerminal(VISUAL=str(self.editor)) as terminal:
            terminal.run(*PLAN)
            terminal.wait_for("/edit = editor")
            self.line(terminal, "/edit")
            terminal.wait_for("editing")
            self.line(terminal, "first")
            terminal.wait_for("Your text (1 line):")
            self.line(terminal, "edit")
            terminal.wait_until(lambda screen: screen.count("editing") == 2, "no editor came")
            self.line(terminal, "second")
            terminal.wait_for("Your text (2 lines):")
            self.line(terminal, "y")
            self.assertIn("\nfirst\nsecond\ncode=0", terminal.wait_for("code=0"))

    def test_an_editor_that_fails_loses_nothing(self) -> None:
        with TmuxTerminal(EDITOR="false") as terminal:
            terminal.run(*PLAN)
            terminal.wait_for("/edit = editor")
            self.line(terminal, "/edit")
            terminal.wait_for("the editor failed")
            self.line(terminal, "by hand")
            self.assertIn("\nby hand\ncode=0", terminal.wait_for("code=0"))

    def test_what_is_answered_elsewhere_waits_for_the_editor_and_keeps_the_text(self) -> None:
        with Broker() as broker:
            ask = broker.call("POST", "/v1/asks", {"question": "What is the plan?"})[1]["id"]
            with TmuxTerminal(EDITOR=str(self.editor), **broker.variables) as terminal:
                terminal.run("inbox", "--accessible")
                terminal.wait_for("/edit = editor")
                self.line(terminal, "/edit")
                terminal.wait_for("editing")
                broker.call("POST", f"/v1/asks/{ask}/answer", {"answers": [{"other": "theirs"}]})
                self.line(terminal, "mine")
                screen = terminal.wait_for("not sent: mine")
                self.assertRegex(screen, r"answered by \S+")
                self.assertIn("theirs", screen)


if __name__ == "__main__":
    unittest.main()
