#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An administrator locks a table that nodes write for half a minute: what is asked and answered
meanwhile, at every door, waits in the database and is taken. It is the server that waits there;
nothing here works meanwhile."""

import subprocess
import unittest

from broker_process import Broker
from nodes_shared_test import CHAT, SECRET, frame
from nodes_test import wait_until
from parley_program import PATIENCE_SECONDS, PROGRAM, environment
from postgres_cluster import PROGRAMS, Cluster
from streams_test import UPGRADE, Wire

HELD_SECONDS = 30  # docs/scaling.md promises that a commit waits for longer
ASKED = {"questions": [{"question": "Which drink?", "header": "Drink", "multiSelect": False,
                        "options": [{"label": "Tea", "description": ""},
                                    {"label": "Coffee", "description": ""}]}]}
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
MCP = "io.modelcontextprotocol/"


class Locked(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = self.enterContext(Cluster())
        self.one, self.two = (self.enterContext(Broker(store=self.cluster.url, secret=SECRET))
                              for _ in range(2))

    def enterContext(self, manager):  # of unittest only since Python 3.11
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def post(self, node: Broker, target: str, body: dict, lines: str = "") -> Wire:
        """Sent, and not waited for."""
        return self.enterContext(Wire(node, "POST", target, SECRET, body, lines))

    def run_at(self, node: Broker, *words: str) -> subprocess.Popen:
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(node.variables))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def lock(self) -> subprocess.Popen:
        holder = subprocess.Popen([PROGRAMS / "psql", "-XAtq", self.cluster.url], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  env=environment({}))
        self.addCleanup(holder.communicate)
        holder.stdin.write("BEGIN; LOCK TABLE parley.asks; SELECT 'locked';\n")
        holder.stdin.flush()
        self.assertEqual(holder.stdout.readline().strip(), "locked")
        return holder

    def hold(self, holder: subprocess.Popen) -> int:
        """For that long once both nodes wait for it; how many wait at its end."""
        wait_until(lambda: int(self.cluster.ask(WAITING)) >= 2)
        holder.stdin.write(f"SELECT pg_sleep({HELD_SECONDS});\n{WAITING};\nCOMMIT;\n")
        holder.stdin.flush()
        self.assertEqual(holder.stdout.readline().strip(), "")  # what pg_sleep gives
        return int(holder.stdout.readline())

    def ask_at_every_door(self) -> tuple[list[tuple[Wire, str]], Wire, subprocess.Popen]:
        """Those that are told that their question is taken, and with which words; and Claude Code's
        hook and `parley ask`, which are told no less than the answer."""
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "ask_user", "arguments": ASKED | {"blocking": False},
            "_meta": {MCP + "protocolVersion": "2026-07-28", MCP + "clientCapabilities": {}}}}
        taken = [
            (self.post(self.one, "/v1/asks", ASKED), " 201 "),
            (self.post(self.one, "/trpc/message.ask",
                       ASKED | {"sessionId": "trpc", "blocking": False}), '"questionId"'),
            (self.post(self.one, "/mcp", call,
                       "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
                       "Mcp-Name: ask_user\r\n"), '"status":"pending"')]
        hook = self.post(self.one, "/hooks/claude", {
            "hook_event_name": "PreToolUse", "session_id": "hook", "tool_use_id": "toolu_1",
            "tool_name": "AskUserQuestion", "tool_input": ASKED})
        command = self.run_at(self.one, "ask", "Which drink?", "-o", "Tea", "-o", "Coffee",
                              "--session", "command", "--broker")
        return taken, hook, command

    def answer_at_every_door(self, asks: dict[str, str], chat: Wire) -> tuple[
            list[tuple[Wire, str]], subprocess.Popen]:
        """By session; those that are told, with which words, and `parley answer`."""
        chat.send(frame({"type": "ask_user_response", "data": {
            "question_id": asks["talk"], "answers": {"Which drink?": "Tea"}}}))
        told = [
            (chat, '"ask_user_settled"'),
            (self.post(self.two, f"/v1/asks/{asks['native']}/answer",
                       {"answers": [{"selected": ["Tea"]}]}), '"answered"'),
            (self.post(self.two, "/trpc/message.answerAsk", {
                "sessionId": "trpc", "questionId": asks["trpc"], "answers": {"q0": "Tea"}}),
             '"success":true'),
            (self.post(self.two, f"/question/{asks['opencode']}/reply", {"answers": [["Tea"]]}),
             "\r\n\r\ntrue"),
            (self.post(self.two, "/api/chat/tool-result", {
                "sessionId": "page", "toolUseId": asks["page"],
                "answers": {"Which drink?": "Tea"}}), '"resolved":true')]
        return told, self.run_at(self.two, "answer", asks["command"], "Tea")

    def test_every_doors_calls_outlast_a_lock_of_half_a_minute(self) -> None:
        chat = self.enterContext(Wire(self.two, "GET", CHAT, SECRET, lines=UPGRADE))
        asks = {}
        for session in ("native", "trpc", "talk", "opencode", "page", "command"):
            status, ask = self.one.call("POST", "/v1/asks", ASKED | {"session": session})
            self.assertEqual(status, 201, ask)
            asks[session] = ask["id"]
        self.two.pending(len(asks))
        chat.read_until(asks["talk"])

        holder = self.lock()
        taken, hook, asking = self.ask_at_every_door()
        told, answering = self.answer_at_every_door(asks, chat)
        self.assertGreaterEqual(self.hold(holder), 2)

        for wire, words in taken + told:
            wire.read_until(words)
        self.assertIn("Drink: Tea", answering.communicate(timeout=PATIENCE_SECONDS)[1])
        self.assertEqual(answering.returncode, 0)
        for node in (self.one, self.two):
            self.assertNotIn("store-failed", node.log())  # given up, and tried again
        for ask in asks.values():
            self.assertEqual(self.one.call("GET", f"/v1/asks/{ask}?wait=20")[1]["state"],
                             "answered")
        for ask in self.two.pending(len(taken) + 2):
            self.two.call("POST", f"/v1/asks/{ask['id']}/answer",
                          {"answers": [{"selected": ["Tea"]}]})
        hook.read_until('"allow"')
        self.assertEqual(asking.communicate(timeout=PATIENCE_SECONDS)[0], "Tea\n")

    def test_who_shows_a_wrong_token_does_not_wait_as_long_as_the_database_does(self) -> None:
        holder = self.lock()
        asked = self.post(self.two, "/v1/asks", ASKED)
        wait_until(lambda: int(self.cluster.ask(WAITING)) >= 1)
        # While the node waits for it: nothing is unlocked before.
        with Wire(self.two, "GET", "/v1/asks", "wrong") as stranger:
            stranger.read_until(" 401 ")
        self.assertNotIn("store-failed", self.two.log())  # it has not given up
        holder.stdin.write(f"{WAITING};\nCOMMIT;\n")
        holder.stdin.flush()
        self.assertGreaterEqual(int(holder.stdout.readline()), 1)
        asked.read_until(" 201 ")


if __name__ == "__main__":
    unittest.main()
