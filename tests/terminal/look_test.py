#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a real terminal shows of texts that are hard to show, and how they are read there."""

import json
import tempfile
import unittest

from tmux_terminal import TmuxTerminal


class Look(unittest.TestCase):
    def file(self, text: str) -> str:
        file = self.enterContext(tempfile.NamedTemporaryFile("w"))
        file.write(text)
        file.flush()
        return file.name

    def test_indic_scripts_keep_their_letters(self) -> None:
        words = ("देवनागरी", "தமிழ்", "ខ្មែរ", "বাংলা", "മലയാളം")
        with TmuxTerminal() as terminal:
            options = [word for each in words for word in ("-o", each)]
            terminal.run("ask", "हाँ या नहीं?", "--header", "भाषा", *options)
            screen = terminal.wait_for("❯ 1")
            for word in (*words, "हाँ या नहीं?", "भाषा"):
                self.assertIn(word, screen)
            terminal.keys("Down", "Up", "Down")
            screen = terminal.wait_for("❯ 2")
            for word in words:
                self.assertIn(word, screen, "also when a part of it is drawn again")

    def test_a_long_context_is_read_by_pages(self) -> None:
        context = "\n\n".join(f"Paragraph {number}." for number in range(1, 41))
        with TmuxTerminal() as terminal:
            terminal.run("ask", "Go on?", "-o", "Yes", "-o", "No", "--context", self.file(context))
            terminal.wait_for("more lines: PgDn")
            for _ in range(9):
                terminal.keys("PageDown")
            terminal.wait_for("Paragraph 40.")
            terminal.keys("Home")
            terminal.wait_for("Paragraph 1.")
            terminal.keys("End")
            terminal.wait_for("Paragraph 40.")

    def test_a_preview_keeps_its_lines(self) -> None:
        questions = [{"question": "Which `layout`?", "header": "Layout", "options": [
            {"label": "Menu", "preview": "+------+\n| Menu |\n+------+\n  item 1"},
            {"label": "None"}]}]
        with TmuxTerminal() as terminal:
            terminal.run("ask", "--file", self.file(json.dumps({"questions": questions})))
            screen = terminal.wait_for("❯ 1")
            self.assertRegex(screen, r"│ \+------\+ .*\n│ \| Menu \| .*\n│ \+------\+ .*\n│   item")
            self.assertIn("Which layout?", screen)


if __name__ == "__main__":
    unittest.main()
