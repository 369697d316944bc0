#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The agents of examples/ as somebody would run them: each pushes its stream and asks, the broker
is killed while it waits, and it goes on with the answer that the next one is given."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from broker_process import Broker
from parley_program import PATIENCE_SECONDS, environment

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
NODE = os.environ.get("PARLEY_NODE", "node")


class Examples(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())

    def start(self, *command: str) -> subprocess.Popen:
        agent = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env=environment(self.broker.variables))
        self.addCleanup(self.end, agent)
        return agent

    @staticmethod
    def end(agent: subprocess.Popen) -> None:
        agent.kill()
        agent.communicate()

    def stream(self) -> list[str]:
        """What the session's log shows, in order: texts, asks and ends."""
        status, log = self.broker.call("GET", "/v1/sessions/release-notes/events")
        self.assertEqual(status, 200)
        said = []
        for event in (kept["event"] for kept in log["events"]):
            if event["type"] == "session.part" and event["part"].get("text"):
                said.append(event["part"]["text"])
            elif event["type"].startswith("ask."):
                said.append(event["type"])
        return said

    def check(self, *command: str) -> None:
        agent = self.start(*command)
        asked = self.broker.pending()[0]
        self.assertEqual(asked["questions"][0]["header"], "Publish")
        self.broker.kill()
        self.broker.start()
        self.assertEqual(self.broker.pending()[0]["id"], asked["id"])
        status, _ = self.broker.call("POST", f"/v1/asks/{asked['id']}/answer",
                                     {"answers": [{"selected": ["Publish"]}]})
        self.assertEqual(status, 200)
        out, err = agent.communicate(timeout=PATIENCE_SECONDS)
        self.assertEqual((agent.returncode, out), (0, "answered: Publish\n"), err)
        self.assertEqual(self.stream(), ["I read what changed and wrote the notes of 2.4.",
                                         "ask.opened", "ask.settled",
                                         "Then this it is: Publish."])
        # The key makes a second run the same ask: nobody is asked twice.
        again = self.start(*command)
        out, err = again.communicate(timeout=PATIENCE_SECONDS)
        self.assertEqual((again.returncode, out), (0, "answered: Publish\n"), err)

    def test_python(self) -> None:
        self.check("python3", "-B", str(EXAMPLES / "python/agent.py"))

    def test_typescript(self) -> None:
        self.check(NODE, str(EXAMPLES / "typescript/agent.ts"))

    def test_cpp(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            agent = f"{folder}/agent"
            subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-Wall", "-Wextra",
                            "-Werror", str(EXAMPLES / "cpp/agent.cc"), "-o", agent], check=True)
            self.check(agent)


if __name__ == "__main__":
    unittest.main()
