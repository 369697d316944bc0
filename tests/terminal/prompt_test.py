#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`parley ask` on a real terminal: what it looks like and what the keys do."""

import json
import tempfile
import unittest
from pathlib import Path

from tmux_terminal import TmuxTerminal

DATABASE = ("Which database should we use?", "--header", "Database",
            "-o", "PostgreSQL (Recommended)::Relational DB with rich features",
            "-o", "MongoDB::Document-based NoSQL database",
            "-o", "SQLite::Lightweight embedded database")
FEATURES = ("Which features should we enable?", "--header", "Features", "--multi", "--no-other",
            "-o", "Dark mode::Enable dark theme support",
            "-o", "Notifications::Push notification support",
            "-o", "Offline mode::Work without internet connection")

SINGLE_BOX = """\
┌─ Database ─────────────────────────────────┐
│ Which database should we use?              │
│                                            │
│ ○ PostgreSQL (Recommended)                 │
│   Relational DB with rich features         │
│                                            │
│ ○ MongoDB                                  │
│   Document-based NoSQL database            │
│                                            │
│ ○ SQLite                                   │
│   Lightweight embedded database            │
│                                            │
│ ○ Other                                    │
│   Provide custom input                     │
└────────────────────────────────────────────┘"""
MULTI_BOX = """\
┌─ Features ─────────────────────────────────┐
│ Which features should we enable?           │
│ (Select multiple with space)               │
│                                            │
│ ☑ Dark mode                                │
│   Enable dark theme support                │
│                                            │
│ ☐ Notifications                            │
│   Push notification support                │
│                                            │
│ ☑ Offline mode                             │
│   Work without internet connection         │
└────────────────────────────────────────────┘"""


class Looks(unittest.TestCase):
    def test_one_choice_without_numbers_is_the_documented_box(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run("ask", "--no-numbers", *DATABASE)
            terminal.wait_for("Esc dismiss")
            self.assertTrue(terminal.screen().startswith(SINGLE_BOX), terminal.screen())
            terminal.enter_until("code=0")
            self.assertIn("✓ Database: PostgreSQL\n", terminal.screen())

    def test_several_choices_without_numbers_are_the_documented_box(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run("ask", "--no-numbers", *FEATURES)
            terminal.wait_for("Esc dismiss")
            terminal.keys("Space", "Down", "Down", "Space")
            terminal.wait_for("☑ Offline")
            self.assertTrue(terminal.screen().startswith(MULTI_BOX), terminal.screen())

    def test_numbers_and_a_pointer(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run("ask", *DATABASE)
            terminal.wait_for("❯ 1 ○ PostgreSQL (Recommended)")
            terminal.keys("j")
            terminal.wait_for("❯ 2 ○ MongoDB")
            terminal.keys("3")
            terminal.wait_for("❯ 3 ● SQLite")
            terminal.enter_until("code=0")
            self.assertIn("✓ Database: SQLite\nSQLite\n", terminal.screen())

    def test_a_narrow_terminal_tells_what_is_out_of_sight(self) -> None:
        with TmuxTerminal(40, 12) as terminal:
            terminal.run("ask", *DATABASE)
            terminal.wait_for("more ─┘")
            self.assertLessEqual(max(map(len, terminal.screen().split("\n"))), 40)
            terminal.keys("Up")
            terminal.wait_for("❯ 4 ○ Other")
            self.assertIn("↑", terminal.screen())

    def test_ascii_where_the_locale_is_not_utf8(self) -> None:
        with TmuxTerminal(LANG="C", LC_ALL="C") as terminal:
            terminal.run("ask", *FEATURES)
            screen = terminal.wait_for("> 1 [ ] Dark mode")
            self.assertTrue(screen.isascii(), screen)
            self.assertIn("+- Features -----", screen)

    def test_no_color_keeps_every_sign(self) -> None:
        with TmuxTerminal(NO_COLOR="1") as terminal:
            terminal.run("ask", *FEATURES)
            terminal.wait_for("❯ 1 ☐ Dark mode")
            terminal.keys("Space")
            terminal.wait_for("❯ 1 ☑ Dark mode")
            self.assertNotRegex(terminal.styled(), r"\x1b\[3[1-7]m")

    def test_hostile_text_is_text(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            questions = Path(folder, "q.json")
            questions.write_text(json.dumps({"questions": [{
                "question": "Sure?\x1b[2J\x1b]0;pwned\x07\r" + "\n" * 50
                            + "Delete all? \u202egnp.exe",
                "header": "Sure", "options": [
                    {"label": "Yes", "description": "\x1b[1;1HForged"},
                    {"label": "No", "description": "界👩‍💻 e\u0301"}]}]}))
            with TmuxTerminal() as terminal:
                before = terminal.title()
                terminal.run("ask", "--file", str(questions))
                screen = terminal.wait_for("Esc dismiss")
                self.assertIn("Sure?\\x1b[2J\\x1b]0;pwned\\x07", screen)
                self.assertIn("\\u{202e}gnp.exe", screen)
                self.assertIn("\\x1b[1;1HForged", screen)
                self.assertEqual(terminal.title(), before)
                self.assertTrue(screen.startswith("┌─ Sure ─"), screen)
                self.assertIn("│   ", screen)
                for line in screen.split("\n"):
                    if line.startswith("│"):
                        self.assertTrue(line.endswith("│"), line)

    def test_nothing_that_the_asker_wrote_is_out_of_reach(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            questions = Path(folder, "q.json")
            questions.write_text(json.dumps({"questions": [{
                "question": "\n".join(f"question line {i}" for i in range(60)), "header": "Sure",
                "options": [
                    {"label": "Yes", "description": " ".join(f"word{i}" for i in range(400))},
                    {"label": "No"}]}]}))
            for columns, rows in ((80, 24), (40, 12)):
                with TmuxTerminal(columns, rows) as terminal:
                    terminal.run("ask", "--file", str(questions))
                    terminal.wait_for("❯ 1 ○ Yes")
                    seen = terminal.screen()
                    for key, last in (("M-Down", "question line 59"), ("PgDn", "word399")):
                        for _ in range(200):
                            if last in seen:
                                break
                            before = terminal.screen()
                            terminal.keys(key)
                            seen += terminal.wait_until(lambda now, was=before: now != was,
                                                        "it does not scroll")
                    missing = [text for text in (*(f"question line {i}" for i in range(60)),
                                                 *(f"word{i}" for i in range(400)))
                               if text not in seen]
                    self.assertEqual(missing, [])

    def test_context_and_previews(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            context = Path(folder, "context.md")
            context.write_text("# Plan\n\n" + "\n".join(f"- step {i}" for i in range(1, 31)) + "\n")
            questions = Path(folder, "q.json")
            questions.write_text(json.dumps({"questions": [{
                "question": "Which?", "header": "Which", "options": [
                    {"label": "A", "preview": "```\nalpha()\n```"},
                    {"label": "B", "preview": "beta"}]}]}))
            with TmuxTerminal(100, 24) as terminal:
                terminal.run("ask", *DATABASE[:3], "-o", "A", "-o", "B", "--context", str(context))
                terminal.wait_for("• step 1")
                terminal.keys("M-Down", "M-Down", "M-Down", "M-Down")
                terminal.wait_gone("Plan")
                terminal.keys("C-c")
                terminal.wait_for("code=130")
                terminal.run("ask", "--file", str(questions))
                self.assertIn("Preview", terminal.wait_for("alpha()"))
                terminal.keys("Down")
                terminal.wait_for("beta")


class Keys(unittest.TestCase):
    def test_other_words_with_lines_undo_and_paste(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run("ask", *DATABASE)
            terminal.wait_for("❯ 1")
            terminal.keys("o")
            terminal.type("Redis and more")
            terminal.keys("C-_")
            terminal.wait_gone("more")
            terminal.keys("M-Enter")
            terminal.paste("two\nthree")
            terminal.wait_for("three")
            terminal.keys("Escape")
            terminal.wait_for("Esc dismiss")
            self.assertIn("three", terminal.screen(), "what was typed stays")
            terminal.enter_until("code=0")
            self.assertIn("\nRedis and\ntwo\nthree\n", terminal.scrollback())

    def test_a_note_goes_with_the_choice(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run("ask", *DATABASE, "--json")
            terminal.wait_for("❯ 1")
            terminal.keys("M-n")
            terminal.type("only for now")
            terminal.wait_for("Note: only for now")
            terminal.keys("Enter")
            terminal.enter_until("code=0")
            self.assertIn('"note":"only for now"', terminal.screen().replace("\n", ""))

    def test_several_questions_back_and_review(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            questions = Path(folder, "q.json")
            questions.write_text(json.dumps({"questions": [
                {"question": "Tea or coffee?", "header": "Drink", "options": ["Tea", "Coffee"]},
                {"question": "With what?", "header": "With", "multiSelect": True,
                 "options": ["Milk", "Sugar"]}]}))
            with TmuxTerminal() as terminal:
                terminal.run("ask", "--file", str(questions))
                terminal.wait_for("[Drink]")
                terminal.keys("Enter")
                terminal.wait_for("[With]")
                self.assertIn("✓ Drink", terminal.screen())
                terminal.keys("Tab")
                terminal.wait_for("! With: (unanswered)")
                terminal.keys("Down", "Enter")
                terminal.wait_for("Not sent: With has no answer yet")
                terminal.keys("BTab", "Space", "Left")
                terminal.wait_for("[✓ Drink]")
                terminal.keys("2", "Enter")
                terminal.wait_for("✓ Drink: Coffee")
                terminal.enter_until("code=0")
                self.assertIn("✓ Drink: Coffee\n✓ With: Milk\n", terminal.screen())

    def test_escape_asks_before_it_dismisses(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run("ask", *DATABASE)
            terminal.wait_for("❯ 1")
            terminal.keys("Escape")
            terminal.wait_for("Dismiss without answering?")
            terminal.keys("Escape")
            terminal.wait_for("❯ 1")
            terminal.keys("Escape")
            terminal.wait_for("Dismiss without answering?")
            terminal.type("later")
            terminal.enter_until("code=3")
            self.assertRegex(terminal.screen(), r"dismissed by \S+ in the terminal.*: later")

    def test_what_cannot_be_dismissed_folds(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run("ask", "--no-dismiss", *DATABASE)
            terminal.wait_for("Esc fold")
            terminal.keys("Escape")
            self.assertEqual(len(terminal.wait_gone("┌─").split("\n")), 1)
            terminal.keys("x")
            terminal.wait_for("┌─ Database")

    def test_an_editor_of_ones_own(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            editor = Path(folder, "editor")
            editor.write_text("#!/bin/sh\nread line < /dev/tty\necho \"$line\" >> \"$1\"\n")
            editor.chmod(0o755)
            with TmuxTerminal(EDITOR=str(editor)) as terminal:
                terminal.run("ask", *DATABASE)
                terminal.wait_for("❯ 1")
                terminal.keys("o")
                terminal.type("first")
                terminal.wait_for("first")
                terminal.keys("C-e")
                terminal.wait_gone("┌─ Database")
                terminal.type("second")
                terminal.keys("Enter")
                terminal.wait_for("┌─ Database")
                self.assertIn("second", terminal.screen())
                terminal.enter_until("code=0")
                self.assertIn("first\nsecond\n", terminal.screen())

    def test_many_choices_are_narrowed_by_typing(self) -> None:
        options = [word for i in range(1, 21) for word in ("-o", f"Choice number {i}")]
        with TmuxTerminal() as terminal:
            terminal.run("ask", "Which?", *options)
            terminal.wait_for("20 choices; type to narrow them")
            terminal.type("number 17")
            terminal.wait_for("(1 of 20)")
            terminal.enter_until("code=0")
            self.assertIn("Choice number 17\n", terminal.screen())


if __name__ == "__main__":
    unittest.main()
