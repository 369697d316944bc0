#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is done to the program by a system that runs short, and by text that wants to be more."""

import json
import resource
import time
import unittest
from pathlib import Path

from broker_process import Broker
from parley_program import PATIENCE_SECONDS, parley

# Clears a screen, turns the text around, hides: in the forms that JSON need not escape.
HOSTILE = "\x9b2J\u202etxt.exe\u2066\u200b\x7f\u2028"


class HostileSystem(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)

    def ask(self, text: str) -> tuple[int, dict]:
        return self.broker.call("POST", "/v1/asks", {"session": "s", "question": text})

    def limit_files(self, size: int) -> None:
        _, hard = resource.prlimit(self.broker.ready["pid"], resource.RLIMIT_FSIZE)
        resource.prlimit(self.broker.ready["pid"], resource.RLIMIT_FSIZE, (size, hard))

    def test_files_that_may_not_grow_refuse_and_lose_nothing(self) -> None:
        sizes = [path.stat().st_size for path in Path(self.broker.folder).glob("parley.db*")]
        self.limit_files(max(sizes) + 100_000)
        acknowledged = []
        for number in range(1000):
            status, ask = self.ask(f"{number} " + "x" * 9000)
            if status != 201:
                break
            acknowledged.append(ask["id"])
        self.assertEqual(status, 503)
        self.limit_files(resource.RLIM_INFINITY)
        end = time.monotonic() + PATIENCE_SECONDS
        while self.ask("again?")[0] != 201:
            self.assertLess(time.monotonic(), end, "the store did not come back")
            time.sleep(0.02)
        listed = self.broker.call("GET", "/v1/asks?limit=1000")[1]["asks"]
        self.assertLessEqual(set(acknowledged), {ask["id"] for ask in listed})


class HostileText(unittest.TestCase):
    def test_json_for_a_terminal_moves_and_hides_nothing(self) -> None:
        with Broker() as broker:
            _, ask = broker.call("POST", "/v1/asks", {"session": "s", "question": HOSTILE})
            broker.call("POST", f"/v1/asks/{ask['id']}/answer",
                        {"answers": [{"selected": [], "other": HOSTILE}], "by": "me"})
            for arguments in (("show", ask["id"]), ("list", "--state", "all"),
                              ("ask", "Again?", "--session", "s", "--key", "k", "--timeout", "1s",
                               "--on-timeout", "default=Ok", "-o", f"Ok::{HOSTILE}")):
                out = parley(*arguments, "--json", **broker.variables).out
                for character in HOSTILE:
                    if not character.isascii() or character == "\x7f":
                        self.assertNotIn(character, out, arguments[0])
                self.assertIn(HOSTILE, json.dumps(json.loads(out), ensure_ascii=False))


if __name__ == "__main__":
    unittest.main()
