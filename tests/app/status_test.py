#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`parley status`: one line for prompts, bars and scripts, and an exit code for each case."""

import json
import shutil
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from broker_process import Broker
from parley_program import PROGRAM, Ended, Terminal, environment, parley
from recipes import recipe


class Status(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())

    def status(self, *arguments: str) -> Ended:
        return parley("status", *arguments, HOME=str(self.broker.folder), **self.broker.variables)

    def ask(self, text: str, **more: object) -> str:
        body = {"question": text, "header": "Deploy", "options": ["Yes", "No"], **more}
        status, ask = self.broker.call("POST", "/v1/asks", body)
        self.assertEqual(status, 201, ask)
        return ask["id"]

    def test_nothing_waits(self) -> None:
        self.assertEqual(self.status(), Ended(0, "Nothing waits.\n", ""))
        told = self.status("--json")
        self.assertEqual(json.loads(told.out),
                         {"reachable": True, "waiting": 0, "more": False, "urgent": 0})
        self.assertEqual((told.code, told.err), (0, ""))

    def test_what_waits_is_one_line_and_ten(self) -> None:
        self.ask("Now?")
        self.assertEqual(self.status(), Ended(10, "1 waiting: Deploy: Now?\n", ""))
        urgent = self.ask("At once?\nReally?", urgency="high", timeout_seconds=3600, agent="ci")
        told = self.status()
        self.assertEqual(told.code, 10)
        self.assertRegex(told.out,
                         r"\A2 waiting, 1 urgent, 59 min .*left: Deploy: At once\? .*\n\Z")
        document = json.loads(self.status("--json").out)
        self.assertEqual((document["waiting"], document["urgent"]), (2, 1))
        self.assertEqual((document["first"]["id"], document["first"]["agent"]), (urgent, "ci"))

    def test_what_is_put_off_does_not_wait(self) -> None:
        ask = self.ask("Now?")
        status, _ = self.broker.call("POST", f"/v1/asks/{ask}/snooze", {"seconds": 600})
        self.assertEqual(status, 200)
        self.assertEqual(self.status().code, 0)

    def test_more_than_it_counts_is_told_so(self) -> None:
        for number in range(1001):
            self.ask(f"Number {number}?")
        self.assertRegex(self.status().out, r"\A1000\+ waiting: Deploy: Number 0\?\n\Z")
        self.assertTrue(json.loads(self.status("--json").out)["more"])

    def test_without_a_broker_a_prompt_stays_clean(self) -> None:
        self.broker.kill()
        self.assertEqual(self.status(), Ended(6, "", ""))
        told = self.status("--json")
        self.assertEqual((told.code, json.loads(told.out), told.err), (6, {"reachable": False}, ""))
        self.broker.start()

    def test_a_person_is_told_that_there_is_no_broker(self) -> None:
        with Terminal("status", shows_stdout=True, HOME=str(self.broker.folder)) as terminal:
            terminal.wait_for("cannot reach a broker")
            self.assertEqual(terminal.end().code, 6)

    def test_one_that_does_not_answer_is_not_waited_for(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            silent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.addCleanup(silent.close)
            silent.bind(f"{folder}/parley.sock")
            silent.listen()
            away = parley("status", XDG_RUNTIME_DIR=folder, HOME=folder)
            self.assertEqual(away, Ended(6, "", ""))

    def test_a_token_that_is_not_taken_is_an_error(self) -> None:
        told = parley("status", "--server", self.broker.ready["url"], "--token", "wrong")
        self.assertEqual((told.code, told.out), (1, ""))
        self.assertIn("refuses", told.err)


class Recipes(unittest.TestCase):
    """What docs/notify.md has for prompts and bars, in the real shells."""

    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())
        place = f"{Path(PROGRAM).parent}:"
        self.environment = environment({**self.broker.variables, "HISTFILE": "",
                                        "HOME": str(self.broker.folder)})
        self.environment["PATH"] = place + self.environment["PATH"]

    def shell(self, *command: str) -> str:
        ran = subprocess.run(command, env=self.environment, capture_output=True, text=True,
                             timeout=60, check=False)
        self.assertEqual(ran.stderr, "")
        return ran.stdout.strip()

    def ask(self) -> None:
        self.broker.call("POST", "/v1/asks", {"question": "Now?", "options": ["Yes", "No"]})

    def check(self, *command: str) -> None:
        self.assertNotIn("waiting", self.shell(*command))
        self.ask()
        self.assertIn("1 waiting", self.shell(*command))
        self.broker.kill()
        self.assertNotIn("waiting", self.shell(*command))

    def test_bash(self) -> None:
        self.check("bash", "--norc", "-c", recipe("bash") + '\nprintf "%s\\n" "${PS1@P}"')

    def test_zsh(self) -> None:
        self.check("zsh", "-f", "-c", recipe("zsh") + '\nprint -rP -- "$PROMPT"')

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish(self) -> None:
        self.check("fish", "--no-config", "-c", recipe("fish") + "\nfish_right_prompt")

    def test_tmux(self) -> None:
        """The part of the status line that tmux runs, as tmux runs it."""
        line = next(row for row in recipe("tmux-status").splitlines() if "status-right" in row)
        self.check("sh", "-c", line.split("#(", 1)[1].rsplit(")", 1)[0])


if __name__ == "__main__":
    unittest.main()
