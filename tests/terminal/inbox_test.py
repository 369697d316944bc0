#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`parley inbox` on a real terminal, with a real broker behind it."""

import os
import signal
import time
import unittest
from typing import Any

from tmux_terminal import TmuxTerminal
from broker_process import Broker
from parley_program import PATIENCE_SECONDS, Terminal


class Inbox(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())

    def ask(self, text: str, header: str = "Ask", **more: Any) -> str:
        body = {"questions": [{"question": text, "header": header,
                               "options": [{"label": "Yes"}, {"label": "No"}]}], **more}
        status, ask = self.broker.call("POST", "/v1/asks", body)
        self.assertEqual(status, 201)
        return ask["id"]

    def state_of(self, ask: str) -> dict:
        return self.broker.call("GET", f"/v1/asks/{ask}")[1]

    def draft_of(self, ask: str) -> str | None:
        """What is typed into its first question and kept by the broker; nothing yet: none."""
        draft = self.broker.call("GET", f"/v1/asks/{ask}/draft")[1]
        return draft["answers"][0].get("other") if draft else None

    def terminal(self, columns: int = 100, rows: int = 30, **changes: str) -> TmuxTerminal:
        terminal = self.enterContext(
            TmuxTerminal(columns, rows, **{**self.broker.variables, **changes}))
        terminal.run("inbox")
        terminal.wait_for("connected")
        return terminal

    def test_the_list_and_an_answer(self) -> None:
        first = self.ask("Deploy now?", session="api-server", agent="claude")
        self.ask("Drop the table?", session="billing", urgency="high")
        terminal = self.terminal()
        screen = terminal.wait_until(
            lambda shown: "api-server / claude" in shown and "Drop the table?" in shown,
            "the list did not come")
        urgent, older = screen.index("Drop the table?"), screen.index("Deploy now?")
        self.assertLess(urgent, older, "by urgency, then by age")
        terminal.keys("Down")
        terminal.press_until("Enter", "❯ 1 ○ Yes")
        terminal.keys("2")
        terminal.press_until("Enter", "✓ Ask: No")
        terminal.wait_for("1 waiting")
        settled = self.state_of(first)
        self.assertEqual(settled["settlement"]["answers"], [{"selected": ["No"]}])
        terminal.keys("h")
        terminal.wait_for("Decided")
        self.assertIn("(as “ada”)", terminal.screen())

    def test_many_asks_are_drawn_at_once(self) -> None:
        """A picture costs the same however many asks it has in it: not one for each of them."""
        for number in range(400):
            self.ask(f"Step {number}?", session=f"s{number % 7}")
        with Terminal("inbox", shows_stdout=True, **self.broker.variables) as terminal:
            terminal.wait_for("400 waiting")
            terminal.wait_for("Step 0?")
            pictures = terminal.screen.count("\x1b[?2026h")
            self.assertLess(pictures, 20)
            terminal.type("q")
            self.assertEqual(terminal.end().code, 0)

    def test_the_history_begins_with_the_last_decision(self) -> None:
        first, second = self.ask("Asked first?"), self.ask("Asked second?")
        for ask in (second, first):
            self.broker.call("POST", f"/v1/asks/{ask}/answer", {"answers": [{"selected": ["Yes"]}]})
        terminal = self.terminal()
        terminal.press_until("h", "Asked first?")
        self.assertNotIn("Asked second?", terminal.screen(), "the first row is in hand")

    def test_what_arrives_moves_nothing_and_loses_nothing(self) -> None:
        self.ask("First?")
        second = self.ask("Second?")
        terminal = self.terminal()
        terminal.wait_for("2 waiting")
        terminal.keys("Down")
        terminal.press_until("Enter", "❯ 1 ○ Yes")
        terminal.keys("o")
        terminal.type("half")
        terminal.wait_for("half")
        self.ask("Third and urgent?", urgency="high")
        terminal.wait_for("3 waiting")
        self.assertIn("half", terminal.screen())
        terminal.type(" a line")
        terminal.keys("Escape", "Escape")
        terminal.wait_for("Third and urgent?")
        self.assertIn("❯   * Ask: Second?", terminal.screen(), "it is still in hand")
        terminal.wait_until(lambda _: self.draft_of(second) == "half a line",
                            "the broker does not keep it")
        terminal.press_until("Enter", "❯ 3 ● Other")
        terminal.press_until("Enter", "✓ Ask: half a line")

    def test_answered_elsewhere_is_said_at_once(self) -> None:
        ask = self.ask("Deploy?")
        terminal = self.terminal()
        terminal.wait_for("1 waiting")
        terminal.press_until("Enter", "❯ 1")
        self.broker.call("POST", f"/v1/asks/{ask}/answer",
                         {"answers": [{"selected": ["Yes"]}], "by": "bob"})
        terminal.wait_for("(as “bob”) through the API")
        terminal.wait_for(": Ask: Yes")
        terminal.keys("x", "Enter")
        terminal.keys("Escape")
        terminal.wait_for("Nothing waits.")

    def test_dismiss_snooze_and_search(self) -> None:
        asks = [self.ask(f"Question {word}?") for word in ("one", "two", "three")]
        terminal = self.terminal()
        terminal.wait_for("3 waiting")
        terminal.press_until("d", "Dismiss without answering?")
        terminal.type("not now")
        terminal.enter_until("2 waiting")
        self.assertEqual(self.state_of(asks[0])["settlement"]["note"], "not now")
        terminal.press_until("s", "1 snoozed")
        self.assertEqual(self.state_of(asks[1])["state"], "pending")
        terminal.keys("/")
        terminal.type("nowhere")
        terminal.wait_for("Nothing matches")
        terminal.keys("Escape")
        terminal.wait_for("Question three?")

    def test_what_was_put_off_stays_so_in_the_next_inbox(self) -> None:
        self.ask("Question one?")
        self.ask("Question two?")
        terminal = self.terminal()
        terminal.wait_for("2 waiting")
        terminal.press_until("s", "1 snoozed")
        terminal.keys("q")
        terminal.wait_gone("1 snoozed")
        again = self.terminal()
        again.wait_for("1 snoozed")
        self.assertIn("1 waiting", again.screen())
        again.keys("z")
        again.wait_for("Question one?")
        # And comes back, here and in the next one.
        again.keys("g")
        again.press_until("s", "2 waiting")
        again.keys("q")
        again.wait_for("code=0")
        last = self.terminal()
        last.wait_for("Question one?")
        self.assertNotIn("snoozed", last.wait_for("2 waiting"))

    def test_a_snooze_of_ones_other_device_is_seen_at_once(self) -> None:
        first = self.ask("Question one?")
        self.ask("Question two?")
        terminal = self.terminal()
        terminal.wait_for("2 waiting")
        self.broker.call("POST", f"/v1/asks/{first}/snooze", {"seconds": 600})
        self.assertNotIn("Question one?", terminal.wait_for("1 snoozed"))
        self.broker.call("POST", f"/v1/asks/{first}/snooze", {"seconds": 0})
        terminal.wait_for("2 waiting")

    def test_what_a_revoked_agent_asked_says_so(self) -> None:
        made = self.broker.call("POST", "/v1/tokens", {"name": "bot", "role": "agent"})[1]
        self.broker.call("POST", "/v1/asks", {"question": "Still there?"},
                         {"Authorization": f"Bearer {made['token']}"})
        terminal = self.terminal()
        terminal.wait_for("Still there?")
        self.broker.call("DELETE", "/v1/tokens/bot")
        terminal.wait_for("(agent revoked)")
        self.assertIn("nobody waits for it", terminal.screen())

    def test_who_thinks_better_of_a_dismissal_is_back_in_the_list(self) -> None:
        self.ask("Question one?")
        terminal = self.terminal()
        terminal.wait_for("1 waiting")
        terminal.press_until("d", "Dismiss without answering?")
        terminal.keys("Escape")
        terminal.wait_for("q quit")
        terminal.keys("/")
        terminal.type("one")
        terminal.keys("Enter")
        self.assertIn("1 waiting", terminal.wait_for("Search: one (1)"), "nothing was answered")

    def test_a_killed_broker_comes_back(self) -> None:
        self.ask("Still there?")
        terminal = self.terminal()
        terminal.wait_for("1 waiting")
        terminal.press_until("Enter", "❯ 1 ○ Yes")
        terminal.keys("o")
        terminal.type("typed")
        terminal.wait_for("typed")
        self.broker.kill()
        terminal.wait_for("reconnecting")
        terminal.type(" on")
        terminal.wait_for("typed on")
        self.broker.start()
        terminal.wait_for("● connected")
        self.assertIn("typed on", terminal.screen())
        terminal.enter_until("✓ Ask: typed on")

    def test_small_and_resized(self) -> None:
        for i in range(20):
            self.ask(f"Question {i} that is rather long for such a narrow terminal?")
        terminal = self.terminal(40, 12)
        screen = terminal.wait_for("20 waiting")
        self.assertIn(" below", screen)
        self.assertLessEqual(max(map(len, screen.split("\n"))), 40)
        terminal.keys("End")
        terminal.wait_for("❯     Ask: Question 19")
        terminal.keys("?")
        self.assertIn("not sent", terminal.wait_for("Any key goes back"), "the help fits")
        terminal.keys("x")
        terminal.resize(120, 40)
        terminal.wait_for("narrow terminal?")
        self.assertIn("○ Yes", terminal.wait_for("No"))

    def test_the_terminal_is_given_back(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT, None):
            with self.subTest(number):
                terminal = self.terminal()
                self.assertTrue(terminal.is_alternate())
                if number is None:
                    terminal.keys("q")
                else:
                    os.kill(terminal.pid_of(), number)
                terminal.wait_for("code=")
                self.assertFalse(terminal.is_alternate())
                terminal.type("echo us''able")
                terminal.keys("Enter")
                terminal.wait_for("\nusable")

    def test_stopped_and_continued(self) -> None:
        self.ask("Deploy?")
        terminal = self.terminal()
        terminal.wait_for("1 waiting")
        terminal.keys("C-z")
        terminal.wait_for("Stopped")
        self.assertFalse(terminal.is_alternate())
        terminal.type("fg")
        terminal.keys("Enter")
        terminal.wait_for("1 waiting")
        self.assertTrue(terminal.is_alternate())

    def test_what_is_permitted_is_read_before_it_is_allowed(self) -> None:
        command = "\n".join(f"echo step {number}" for number in range(1, 31)) + "\nrm -rf /srv/old"
        asked = self.broker.call("POST", "/v1/asks", {
            "questions": [{"question": "May Claude Code use Bash?", "header": "Permission",
                           "options": [{"label": "Allow once"}, {"label": "Deny"}],
                           "custom": False}],
            "permission": {"tool": "Bash", "input": {"command": command}}})[1]["id"]
        terminal = self.terminal(80, 24)
        rows = terminal.wait_for("echo step 1").split("──")[0]
        self.assertNotIn("May Claude Code use Bash?", rows)
        terminal.press_until("Enter", "more lines to read: PgDn")
        terminal.keys("1")
        terminal.wait_for("● Allow once")
        terminal.press_until("Enter", "more lines to read before you allow it")
        self.assertEqual(self.state_of(asked)["state"], "pending")
        terminal.keys("End")
        terminal.wait_for("rm -rf /srv/old")
        terminal.enter_until("0 waiting")
        self.assertEqual(self.state_of(asked)["settlement"]["answers"],
                         [{"selected": ["Allow once"]}])

    def test_a_deadline_is_in_the_list(self) -> None:
        self.ask("Deploy?", timeout_seconds=3000)
        self.ask("And then?")
        for columns, rows in ((40, 12), (80, 24)):
            terminal = self.terminal(columns, rows)
            self.assertRegex(terminal.wait_for("2 waiting"), r"Deploy\?.* ends 49 min")

    def test_ascii_without_colour(self) -> None:
        self.ask("Déployer?", "Übung", agent="claude")
        terminal = self.enterContext(
            TmuxTerminal(LANG="C", LC_ALL="C", NO_COLOR="1", **self.broker.variables))
        terminal.run("inbox")
        screen = terminal.wait_for("1 waiting")
        self.assertTrue(screen.isascii(), screen)
        self.assertIn("(*) connected", screen)
        self.assertNotRegex(terminal.styled(), r"\x1b\[[0-9;]*3[1-7]m")
        terminal.press_until("Enter", "> 1 ( ) Yes")

    def test_in_lines_for_a_screen_reader(self) -> None:
        self.ask("Deploy?")
        terminal = self.enterContext(TmuxTerminal(**self.broker.variables))
        terminal.run("inbox", "--accessible")
        terminal.wait_for("Choose 1-3")
        terminal.type("1")
        terminal.keys("Enter")
        terminal.wait_for("Nothing waits.")
        self.assertIn("✓ Ask: Yes", terminal.screen())


    def wait_for_draft(self, ask: str, text: str) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            status, draft = self.broker.call("GET", f"/v1/asks/{ask}/draft")
            if status == 200 and draft["answers"][0].get("other") == text:
                return
            time.sleep(0.05)
        self.fail(f"the broker never had the draft {text!r}")

    def test_leaving_waits_for_a_draft_that_is_on_its_way(self) -> None:
        ask = self.ask("Which way?")
        terminal = self.terminal()
        terminal.wait_for("Which way?")
        terminal.press_until("Enter", "❯ 1 ○ Yes")
        self.broker.pause()
        terminal.keys("o")
        terminal.type("a long way")
        terminal.wait_for("a long way")
        terminal.keys("Escape")
        terminal.wait_for("Esc back")
        terminal.keys("Escape")
        terminal.wait_for("q quit")
        terminal.keys("q")
        self.assertNotIn("code=", terminal.wait_for("Keeping what you typed"))
        self.broker.go_on()
        self.assertNotIn("not sent", terminal.wait_for("code=0"))
        self.wait_for_draft(ask, "a long way")

    def test_what_is_typed_while_the_broker_is_away_is_saved_when_it_is_back(self) -> None:
        ask = self.ask("Which way?")
        terminal = self.terminal()
        terminal.wait_for("Which way?")
        terminal.press_until("Enter", "❯ 1 ○ Yes")
        self.broker.kill()
        terminal.wait_for("reconnecting")
        terminal.keys("o")
        terminal.type("by night")
        terminal.wait_for("by night")
        self.broker.start()
        self.wait_for_draft(ask, "by night")

    def test_what_no_broker_could_be_given_is_said(self) -> None:
        self.ask("Which way?")
        terminal = self.terminal()
        terminal.wait_for("Which way?")
        terminal.press_until("Enter", "❯ 1 ○ Yes")
        self.broker.kill()
        terminal.wait_for("reconnecting")
        terminal.keys("o")
        terminal.type("by night")
        terminal.wait_for("by night")
        terminal.keys("C-c")
        self.assertIn("not sent to “Which way?”: by night", terminal.wait_for("code=130"))
        self.broker.start()


class Notices(unittest.TestCase):
    """How one who looks elsewhere is told, byte by byte: a terminal would swallow it."""

    @staticmethod
    def focus(terminal: Terminal, change: str) -> None:
        """Until the program has read it: keys are read in their order, and the help is seen."""
        terminal.type(change + "?")
        terminal.wait_for("snooze 10 min")
        terminal.type("x")

    def told(self, *words: str) -> str:
        with Broker() as broker, Terminal("inbox", *words, shows_stdout=True,
                                          **broker.variables) as terminal:
            terminal.wait_for("Nothing waits.")
            self.focus(terminal, "\x1b[O")  # the window has lost it
            broker.call("POST", "/v1/asks", {"questions": [
                {"question": "Deploy\x1b]0;x\x07 now?", "header": "Go", "options": ["Yes"]}]})
            terminal.wait_for("Provide custom input")  # only what differs is painted
            first = terminal.screen
            self.focus(terminal, "\x1b[I")  # and has it again
            broker.call("POST", "/v1/asks", {"questions": [
                {"question": "Seen anyway?", "header": "Go", "options": ["Yes"]}]})
            terminal.wait_for("Seen anyway?")
            self.assertNotIn("\a", terminal.screen[len(first):])
            return first

    def test_by_the_bell(self) -> None:
        told = self.told()
        self.assertEqual(told.count("\a"), 1)
        self.assertNotIn("\x1b]", told)

    def test_by_a_message_of_the_desktop(self) -> None:
        told = self.told("--notify", "notification")
        words = "Go: Deploy\\x1b]0;x\\x07 now?"
        self.assertIn(f"\x1b]9;{words}\x1b\\", told)
        self.assertIn(f"\x1b]777;notify;parley;{words}\x1b\\", told)

    def test_not_at_all(self) -> None:
        told = self.told("--notify", "none")
        self.assertNotIn("\a", told)
        self.assertNotIn("\x1b]", told)


if __name__ == "__main__":
    unittest.main()
