#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is settled is what the person last saw marked, on the ask that they saw; and what they type
is not lost. On real terminals, with asks of many agents around it."""

import unittest
from typing import Any

from tmux_terminal import TmuxTerminal
from broker_process import Broker
from parley_program import Terminal

AGENTS = ("claude", "opencode", "codex", "nightly-build", "release-bot", "db-migrator")


class WithBroker(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())

    def ask(self, text: str, options: tuple[str, ...] = ("Yes", "No"), **more: Any) -> str:
        body = {"questions": [{"question": text, "header": "Ask",
                               "options": [{"label": label} for label in options]}], **more}
        status, ask = self.broker.call("POST", "/v1/asks", body)
        self.assertEqual(status, 201)
        return ask["id"]

    def crowd(self, count: int = 120) -> None:
        """So many others that wait, of several agents, with long titles, not urgent."""
        for i in range(count):
            agent = AGENTS[i % len(AGENTS)]
            self.ask(f"Ticket {i}: may {agent} go on with the migration of the customer table, "
                     "although the nightly backup has not finished yet?",
                     session=f"{agent}-{i % 17}", agent=agent, urgency="low")

    def answer(self, ask: str, label: str) -> None:
        status, _ = self.broker.call("POST", f"/v1/asks/{ask}/answer",
                                     {"answers": [{"selected": [label]}], "by": "bob"})
        self.assertEqual(status, 200)

    def settlement(self, ask: str) -> dict | None:
        return self.broker.call("GET", f"/v1/asks/{ask}")[1].get("settlement")

    def pending(self) -> int:
        return len(self.broker.call("GET", "/v1/asks?state=pending&limit=200")[1]["asks"])

    def inbox(self) -> TmuxTerminal:
        terminal = self.enterContext(TmuxTerminal(100, 30, **self.broker.variables))
        terminal.run("inbox")
        terminal.wait_for("● connected")
        return terminal


class InTheInbox(WithBroker):
    def test_typing_on_after_an_answer_elsewhere_reaches_nothing(self) -> None:
        self.crowd()
        first = self.ask("Shall we talk?")
        self.ask("Drop the production table?", urgency="high")
        terminal = self.inbox()
        terminal.wait_for("122 waiting")
        terminal.keys("Down")
        terminal.press_until("Enter", "Esc back")
        terminal.keys("M-o")
        terminal.type("we had a long talk ")
        terminal.wait_for("a long talk")
        self.answer(first, "No")
        self.assertIn("Ask: No", terminal.wait_for("answered by"), "and what")
        terminal.type("and done, so quit")
        terminal.keys("Enter")
        self.assertIn("we had a long talk", terminal.wait_for("Esc goes back to the list."))
        terminal.keys("Escape")
        terminal.wait_for("h history")
        self.assertEqual(self.pending(), 121, "nothing else was dismissed or put off")
        terminal.keys("q")
        terminal.wait_for("not sent to “Shall we talk?”: we had a long talk")

    def test_enter_held_down_answers_nothing_that_it_opened(self) -> None:
        for i in range(5):
            self.ask(f"Delete volume {i}?", ("Yes, delete", "No"))
        terminal = self.inbox()
        terminal.wait_for("5 waiting")
        for _ in range(30):
            terminal.keys("Enter")
        terminal.wait_for("Let go of Enter")
        self.assertEqual(self.pending(), 5)

    def test_a_restored_draft_is_what_enter_sends(self) -> None:
        ask = self.ask("Delete the branch?")
        terminal = self.inbox()
        terminal.wait_for("1 waiting")
        terminal.press_until("Enter", "❯ 1 ○ Yes")
        terminal.keys("2")
        terminal.wait_for("❯ 2 ● No")
        terminal.keys("Escape")
        terminal.wait_for("* ")
        terminal.keys("q")
        terminal.wait_for("code=0")
        again = self.inbox()
        again.wait_for("1 waiting")
        again.press_until("Enter", "❯ 2 ● No")
        again.press_until("Enter", "✓ Ask: No")
        self.assertEqual(self.settlement(ask)["answers"], [{"selected": ["No"]}])

    def test_the_cursor_stays_where_it_is(self) -> None:
        asks = [self.ask(f"Question {word}?") for word in ("one", "two", "three")]
        terminal = self.inbox()
        terminal.wait_for("3 waiting")
        self.ask("Urgent?", urgency="high")
        terminal.wait_for("4 waiting")
        self.assertRegex(terminal.screen(), r"❯ .*Question one\?")
        terminal.keys("Down")
        terminal.wait_until(lambda screen: "❯     Question two?" in screen
                            or "❯     Ask: Question two?" in screen, "it does not move")
        self.answer(asks[1], "Yes")
        terminal.wait_for("3 waiting")
        self.assertRegex(terminal.screen(), r"❯ .*Question three\?")

    def test_what_is_typed_outlives_a_closed_window(self) -> None:
        ask = self.ask("Say it?")
        terminal = self.inbox()
        terminal.wait_for("1 waiting")
        terminal.press_until("Enter", "❯ 1 ○ Yes")
        terminal.keys("o")
        terminal.type("a long thought")
        terminal.wait_for("a long thought")
        terminal.__exit__()
        again = self.inbox()
        again.wait_for("* ")
        again.press_until("Enter", "a long thought")
        self.assertIsNone(self.settlement(ask))


class InThePrompt(WithBroker):
    def test_the_mark_goes_with_the_cursor(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run("ask", "Which?", "-o", "One", "-o", "Two", "-o", "Three")
            terminal.wait_for("❯ 1")
            terminal.keys("2", "Down")
            terminal.wait_for("❯ 3 ● Three")
            terminal.enter_until("code=0")
            self.assertIn("✓ Which: Three", terminal.screen())

    def test_letters_answer_yes_and_no(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run("ask", "Sure?", "-o", "Yes", "-o", "No")
            terminal.wait_for("❯ 1")
            terminal.keys("n")
            terminal.wait_for("❯ 2")
            terminal.enter_until("code=0")
            self.assertIn("✓ Sure: No", terminal.screen())

    def test_versions_are_found_by_their_digits(self) -> None:
        options = [word for i in range(15) for word in ("-o", f"{i // 5 + 1}.{i % 5}.0")]
        with TmuxTerminal() as terminal:
            terminal.run("ask", "Which version?", *options)
            terminal.wait_for("type to narrow")
            terminal.type("2.3")
            terminal.wait_for("(1 of 15)")
            terminal.enter_until("code=0")
            self.assertIn("\n2.3.0\n", terminal.screen())

    def test_what_is_typed_outlives_ctrl_c_where_there_is_a_key(self) -> None:
        command = ("ask", "Why?", "-o", "Yes", "--key", "why-1")
        with TmuxTerminal(**self.broker.variables) as terminal:
            terminal.run(*command)
            terminal.wait_for("❯ 1")
            terminal.keys("o")
            terminal.type("because of this")
            terminal.wait_for("because of this")
            terminal.keys("C-c")
            terminal.wait_for("with what you typed")
            terminal.wait_for("code=130")
            terminal.run(*command)
            terminal.wait_for("because of this")
            terminal.enter_until("code=0")
            self.assertIn("✓ Why: because of this", terminal.screen())

    def test_what_was_not_sent_is_said(self) -> None:
        with TmuxTerminal() as terminal:
            terminal.run("ask", "Why?", "-o", "Yes", "--timeout", "3s")
            terminal.wait_for("❯ 1")
            terminal.keys("o")
            terminal.type("half a thought")
            terminal.wait_for("code=4")
            self.assertIn("not sent: half a thought", terminal.screen())


class InLines(WithBroker):
    def test_a_line_for_one_question_does_not_answer_the_next(self) -> None:
        first = self.ask("Remove the temp file?")
        second = self.ask("Drop the production table?")
        with Terminal("inbox", "--accessible", **self.broker.variables) as terminal:
            terminal.wait_for("Remove the temp file?")
            terminal.wait_for("> ")
            self.answer(first, "Yes")
            terminal.wait_for("Drop the production table?")
            terminal.type("1\n")
            terminal.wait_for("answers nothing")
            self.assertIsNone(self.settlement(second))

    def test_a_line_that_was_begun_before_does_not_either(self) -> None:
        first = self.ask("Remove the temp file?")
        second = self.ask("Drop the production table?")
        with Terminal("inbox", "--accessible", **self.broker.variables) as terminal:
            terminal.wait_for("> ")
            terminal.type("ye")
            terminal.wait_for("ye")
            self.answer(first, "Yes")
            terminal.wait_for("Drop the production table?")
            TmuxTerminal.wait_until_settled(1.1)
            terminal.type("s\n")
            terminal.wait_for("answers nothing")
            terminal.type("2\n")
            terminal.wait_for("✓ Ask: No")
            self.assertEqual(self.settlement(second)["answers"], [{"selected": ["No"]}])


if __name__ == "__main__":
    unittest.main()
