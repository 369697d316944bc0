#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`parley run gemini`, `qwen` and `copilot`: what each of them starts. The real ones, with the same
words, are under `parley run acp` in tests/clients/agents/acp.test.mjs."""

import json
import os
import sys
import unittest

from broker_process import Broker
from parley_program import Ended, Terminal, parley, until

# An agent of the protocol that says by which words it was started, in which session, and what it
# was told.
STAND_IN = f"""#!{sys.executable} -B
import json, os, sys

def say(**message):
    print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params", {{}})
    result = {{}}
    if method == "initialize":
        result = {{"protocolVersion": 1, "agentCapabilities": {{"loadSession": True}}}}
    elif method == "session/new":
        result = {{"sessionId": "begun"}}
    elif method == "session/prompt":
        words = [os.path.basename(sys.argv[0]), *sys.argv[1:], params["sessionId"],
                 *(part["text"] for part in params["prompt"])]
        say(method="session/update", params={{"sessionId": params["sessionId"], "update": {{
            "sessionUpdate": "agent_message_chunk",
            "content": {{"type": "text", "text": " ".join(words)}}}}}})
        result = {{"stopReason": "end_turn"}}
    if "id" in message and method:
        say(id=message["id"], result=result)
"""


class ShortForms(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())
        programs = self.broker.folder / "bin"
        programs.mkdir()
        for name in ("gemini", "qwen", "copilot"):
            (programs / name).write_text(STAND_IN)
            (programs / name).chmod(0o755)
        self.variables = {**self.broker.variables, "PATH": f"{programs}:{os.environ['PATH']}"}

    def parley(self, *arguments: str) -> Ended:
        return parley(*arguments, folder=str(self.broker.folder), **self.variables)

    def test_each_starts_its_agent(self) -> None:
        for ended, said in (
                (self.parley("run", "gemini", "Tidy up"), "gemini --acp begun Tidy up\n"),
                (self.parley("run", "qwen", "Tidy up"), "qwen --acp begun Tidy up\n"),
                (self.parley("run", "copilot", "Tidy up"), "copilot --acp begun Tidy up\n"),
                (self.parley("run", "gemini", "Tidy up", "--", "-m", "gemini-2.5-pro"),
                 "gemini --acp -m gemini-2.5-pro begun Tidy up\n")):
            self.assertEqual((ended.code, ended.out), (0, said), ended.err)

    def test_its_session_is_gone_on_with(self) -> None:
        self.assertEqual(self.parley("run", "qwen", "--session", "shop", "Tidy up").code, 0)
        ended = self.parley("run", "qwen", "--resume", "shop", "Go on")
        self.assertEqual((ended.code, ended.out), (0, "qwen --acp begun Go on\n"), ended.err)

    def test_for_a_program(self) -> None:
        ended = self.parley("run", "gemini", "Tidy up", "--json")
        last = json.loads(ended.out.splitlines()[-1])
        self.assertEqual((last["type"], last["result"]),
                         ("run.ended", "gemini --acp begun Tidy up"))

    def test_without_a_prompt_it_stays_open_for_messages_from_every_door(self) -> None:
        with Terminal("run", "gemini", "--session", "shop", shows_stdout=True,
                      **self.variables) as running:
            until(lambda: self.broker.call("GET", "/v1/sessions/shop")[0] == 200, "it has begun")
            self.broker.call("POST", "/v1/sessions/shop/messages", {"text": "Tidy up"})
            running.wait_for("gemini --acp begun Tidy up")


if __name__ == "__main__":
    unittest.main()
