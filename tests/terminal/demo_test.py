#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The demo in two terminals: what the agent says in one, what a person answers in the other."""

import unittest

from tmux_terminal import TmuxTerminal
from broker_process import Broker


class Demo(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())

    def terminal(self) -> TmuxTerminal:
        return self.enterContext(TmuxTerminal(100, 40, **self.broker.variables))

    def test_a_newcomer_is_told_what_to_do_and_chooses_a_scene(self) -> None:
        agent, person = self.terminal(), self.terminal()
        agent.run("run", "demo")
        agent.wait_for("in another terminal with `parley inbox`")
        agent.wait_for("Choose what you want to see.")
        self.broker.pending()
        person.run("inbox")
        person.wait_for("What shall I show you?")
        person.press_until("Enter", "○ Previews side by side")
        person.keys("2")
        person.press_until("Enter", "Which layout should the dashboard have?")
        person.press_until("Enter", "│ Home │ Revenue")
        person.keys("3")
        person.press_until("Enter", "What shall I show you next?")
        agent.wait_for("I would now build this layout: Cards.")
        agent.keys("C-c")
        agent.wait_for("code=130")
        # Nobody waits for an answer any more, so nothing waits for one.
        self.broker.pending(0)
        person.wait_for("0 waiting")

    def test_one_scene_and_no_menu(self) -> None:
        agent, person = self.terminal(), self.terminal()
        agent.run("run", "demo", "--scene", "plan")
        self.broker.pending()
        person.run("answer")
        person.wait_for("Remove the old code")
        person.press_until("2", "Deny")
        person.press_until("Enter", "code=0")
        agent.wait_for("The plan is not approved, so I change nothing.")
        agent.wait_for("code=0")

    def test_an_unknown_scene_names_those_that_there_are(self) -> None:
        agent = self.terminal()
        agent.run("run", "demo", "--scene", "opera")
        agent.wait_for("code=2")
        for name in ("interview", "previews", "form", "plan", "two", "urgent"):
            self.assertIn(name, agent.screen())

    def test_serve_says_that_the_demo_asks(self) -> None:
        served = self.enterContext(TmuxTerminal(
            110, 40, **{**self.broker.variables, "XDG_RUNTIME_DIR": str(self.broker.folder / ".."),
                        "HOME": str(self.broker.folder)}))
        served.run("serve", "--demo", "--listen", "127.0.0.1:0", "--store", "memory:", "--socket",
                   str(self.broker.folder / "demo.sock"))
        served.wait_for("A scripted agent asks you already what it shall show.")
        served.wait_for("?token=")
        # A window that closes does not end a broker.
        served.keys("C-c")
        served.wait_for("code=0")


if __name__ == "__main__":
    unittest.main()
