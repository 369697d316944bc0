#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every way a prompt on a real terminal can end, stop and go on; the terminal is as before."""

import os
import signal
import unittest

from tmux_terminal import TmuxTerminal
from broker_process import Broker
from parley_program import LOGIN

TEA = ("ask", "Tea or coffee?", "--header", "Drink", "-o", "Tea", "-o", "Coffee")


class Exits(unittest.TestCase):
    def is_usable(self, terminal: TmuxTerminal) -> None:
        """Typed text is echoed, and a line is a line."""
        terminal.type("echo us''able")
        terminal.wait_for("echo us''able")
        terminal.keys("Enter")
        terminal.wait_for("\nusable")

    def test_the_scrollback_stays(self) -> None:
        with TmuxTerminal(rows=12) as terminal:
            terminal.run(*TEA, before="seq 1 30; ")
            terminal.wait_for("❯ 1")
            terminal.enter_until("code=0")
            self.assertIn("\n27\n28\n29\n30\n✓ Drink: Tea\n", terminal.scrollback())
            terminal.run(*TEA)
            terminal.wait_for("❯ 1")
            terminal.enter_until("code=0")
            self.assertNotIn("┌─ Drink", terminal.scrollback(), "nothing of it stays")
            self.is_usable(terminal)

    def test_ctrl_c_withdraws(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run(*TEA)
            terminal.wait_for("❯ 1")
            terminal.keys("C-c")
            screen = terminal.wait_for("code=130")
            self.assertIn("interrupted; the question is withdrawn", screen)
            self.assertNotIn("┌─", screen)
            self.is_usable(terminal)

    def test_signals_and_a_crash_give_the_terminal_back(self) -> None:
        for number, code in ((signal.SIGTERM, 130), (signal.SIGHUP, 130), (signal.SIGSEGV, 139),
                             (signal.SIGABRT, 134)):
            with self.subTest(number), TmuxTerminal() as terminal:
                terminal.run(*TEA)
                terminal.wait_for("❯ 1")
                os.kill(terminal.pid_of(), number)
                terminal.wait_for(f"code={code}")
                self.is_usable(terminal)

    def test_stopped_and_continued(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run(*TEA)
            terminal.wait_for("❯ 1")
            terminal.keys("o")
            terminal.type("half a tho")
            terminal.wait_for("half a tho")
            terminal.keys("C-z")
            self.assertNotIn("half", terminal.wait_for("Stopped"))
            self.is_usable(terminal)
            terminal.type("fg")
            terminal.keys("Enter")
            terminal.wait_for("half a tho")
            terminal.type("ught")
            self.assertEqual(terminal.wait_for("half a thought").count("┌─"), 1,
                             "it is drawn once")
            terminal.enter_until("✓ Drink: half a thought")

    def test_a_resize_while_text_is_typed_loses_nothing(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run(*TEA)
            terminal.wait_for("❯ 1")
            terminal.keys("o")
            terminal.type("some words that will not fit into one line when it is narrow")
            terminal.wait_for("narrow")
            terminal.resize(40, 14)
            terminal.wait_until(lambda screen: "words that" in screen and screen.count("┌─") == 1
                                and max(map(len, screen.split("\n"))) <= 40, "not redrawn")
            terminal.resize(100, 30)
            terminal.wait_until(lambda screen: screen.count("┌─") == 1 and "is narrow" in screen,
                                "not redrawn")
            terminal.enter_until("✓ Drink: some words that will not fit into one line when it is "
                                 "narrow")

    def test_a_deadline_passes_while_it_is_open(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run(*TEA, "--timeout", "2s")
            terminal.wait_for("ends in 0:0")
            screen = terminal.wait_for("code=4")
            self.assertIn("parley ask: timed out", screen)
            self.assertNotIn("┌─", screen)
            self.is_usable(terminal)

    def test_answered_elsewhere_closes_it_and_says_by_whom(self) -> None:
        with Broker() as broker, TmuxTerminal(**broker.variables) as terminal:
            terminal.run(*TEA)
            terminal.wait_for("❯ 1")
            ask = broker.pending()[0]
            status, _ = broker.call("POST", f"/v1/asks/{ask['id']}/answer",
                                    {"answers": [{"selected": ["Coffee"]}], "by": "bob"})
            self.assertEqual(status, 200)
            screen = terminal.wait_for("code=0")
            self.assertRegex(screen, r"answered by \S+ \(as “bob”\) through the API at \d\d:\d\d")
            self.assertIn("✓ Drink: Coffee", screen)
            self.assertNotIn("┌─", screen)
            self.is_usable(terminal)

    def test_dismissed_and_withdrawn_elsewhere(self) -> None:
        with Broker() as broker, TmuxTerminal(**broker.variables) as terminal:
            for verb, code in (("dismiss", 3), ("withdraw", 5)):
                terminal.run(*TEA)
                terminal.wait_for("❯ 1")
                ask = broker.pending()[0]
                broker.call("POST", f"/v1/asks/{ask['id']}/{verb}", {"reason": "no need"})
                terminal.wait_for(f"code={code}")
                self.assertIn("no need", terminal.screen())

    def test_what_is_typed_too_soon_settles_nothing(self) -> None:
        with TmuxTerminal() as terminal:
            # Typed before the prompt is there, as by someone who goes on working.
            terminal.run(*TEA)
            terminal.keys("Enter", "Enter")
            terminal.wait_for("❯ 1")
            self.assertNotIn("code=", terminal.screen())
            terminal.wait_until_settled()
            terminal.enter_until("code=0")

    def test_parley_answer_leaves_the_same_line(self) -> None:
        with Broker() as broker, TmuxTerminal(**broker.variables) as terminal:
            for number in (1, 2):
                broker.call("POST", "/v1/asks", {"questions": [
                    {"question": f"Go {number}?", "header": "Go", "options": ["Yes", "No"]}]})
            terminal.run("answer")
            terminal.wait_for("❯ 1")
            terminal.keys("Down")
            terminal.enter_until("code=0")
            self.assertTrue(terminal.screen().startswith("✓ Go: No\ncode=0"), terminal.screen())
            terminal.run("answer")
            terminal.wait_for("❯ 1")
            ask = broker.pending()[0]
            broker.call("POST", f"/v1/asks/{ask['id']}/answer",
                        {"answers": [{"selected": ["Yes"]}], "by": "bob"})
            screen = terminal.wait_for("code=1")
            self.assertRegex(
                screen, r"too late: answered by \S+ \(as “bob”\) through the API\s+at ..:..")
            self.is_usable(terminal)

    def test_lines_where_they_are_wanted(self) -> None:
        for changes, words in (({"ACCESSIBLE": "1"}, ()), ({"TERM": "dumb"}, ()),
                               ({}, ("--accessible",))):
            with self.subTest(changes), TmuxTerminal(**changes) as terminal:
                terminal.run(*TEA, *words)
                screen = terminal.wait_for("\n>")
                self.assertNotIn("┌─", screen)
                terminal.type("2")
                terminal.enter_until("code=0")
                self.assertIn("Coffee", terminal.screen())


class TwoTerminals(unittest.TestCase):
    def test_the_slower_one_says_what_was_answered_and_by_whom(self) -> None:
        with Broker() as broker, TmuxTerminal(**broker.variables) as faster, \
                TmuxTerminal(**broker.variables) as slower:
            for terminal in (faster, slower):
                terminal.run(*TEA, "--key", "drink")
                terminal.wait_for("❯ 1 ○ Tea")
            self.assertEqual(len(broker.pending()), 1, "one key is one question")
            faster.keys("2")
            faster.wait_for("2 ● Coffee")
            faster.enter_until("code=0")
            self.assertNotIn("answered by", faster.screen())
            screen = slower.wait_for("code=0")
            self.assertRegex(screen,
                             rf"parley ask: answered by {LOGIN}.* in the terminal at \d\d:\d\d")
            self.assertIn("✓ Drink: Coffee\nCoffee\n", screen)


if __name__ == "__main__":
    unittest.main()
