#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a real terminal shows of texts that are hard to show."""

import unittest

from tmux_terminal import TmuxTerminal


class Look(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
