#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""While the database is away, those who wait and listen are kept, and told where their protocol has
words for it; nothing is acknowledged; and all go on when it is back."""

import threading
import unittest
from urllib.parse import quote

from broker_process import Broker
from nodes_shared_test import CHAT, SECRET
from nodes_test import QUESTION, readiness, wait_until
from parley_program import Terminal
from postgres_cluster import Cluster
from streams_test import UPGRADE, Wire, token_of

MCP = {"jsonrpc": "2.0", "id": 1}


class Away(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = self.enterContext(Cluster())
        self.node = self.enterContext(Broker(store=self.cluster.url, secret=SECRET))
        _, self.asked = self.node.call("POST", "/v1/asks", QUESTION | {"session": "talk"})

    def enterContext(self, manager):  # of unittest only since Python 3.11
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def wire(self, target: str, *arguments, token: str = SECRET, **more) -> Wire:
        method = "POST" if arguments else "GET"
        return self.enterContext(Wire(self.node, method, target, token, *arguments, **more))

    def lose_database(self) -> None:
        self.cluster.kill()
        wait_until(lambda: readiness(self.node)[0] == 503)

    def subscribers(self) -> int:
        metrics = self.node.fetch("GET", "/metrics")[1]
        return int(metrics.split("\nparley_subscribers ")[1].split()[0])

    def answer(self) -> int:
        return self.node.call("POST", f"/v1/asks/{self.asked['id']}/answer",
                              {"answers": [{"selected": ["Tea"]}]})[0]

    def test_readers_of_events_are_told_why_and_when_it_is_over(self) -> None:
        person = self.wire("/v1/events")
        agent = self.wire("/v1/events?session=own&as=agent",
                          token=token_of(self.node, "bot", "agent"))
        for stream in (person, agent):
            stream.read_until("snapshot.end")
        self.lose_database()
        told = person.read_until("event: store.away").split("snapshot.end")[-1]
        self.assertIn("the database postgres on", person.read_until("}}\n\n"))
        self.assertNotIn("\nid:", told.split("event: store.away")[-1])
        agent.read_until("event: store.away")
        # Causes are for people; who comes while it is away is told too.
        self.assertNotIn("postgres", agent.read_until("}}\n\n"))
        late = self.wire("/v1/events")
        late.read_until(self.asked["id"])
        late.read_until("event: store.away")
        self.cluster.start()
        for stream in (person, agent, late):
            stream.read_until("event: store.back")
        self.assertEqual(self.answer(), 200)
        for stream in (person, late):
            stream.read_until("event: ask.settled")
            self.assertEqual(stream.text.count(self.asked["id"] + '"'), 2, stream.text)

    def test_people_at_terminals_are_told(self) -> None:
        before = self.subscribers()
        inbox = self.enterContext(Terminal("inbox", shows_stdout=True, **self.node.variables))
        watch = self.enterContext(Terminal("watch", **self.node.variables))
        inbox.wait_for("connected")
        wait_until(lambda: self.subscribers() == before + 2)
        self.lose_database()
        inbox.wait_for("store is away")
        watch.wait_for("the broker's store is away: ")
        self.cluster.start()
        inbox.wait_for("connected")
        watch.wait_for("the broker's store is back")

    def test_all_who_wait_are_kept_and_nothing_is_acknowledged(self) -> None:
        held: list = []
        waiter = threading.Thread(target=lambda: held.append(
            self.node.call("GET", f"/v1/asks/{self.asked['id']}?wait=60")))
        waiter.start()
        asking = self.enterContext(Terminal("ask", "--session", "talk", "Go on?", "--option", "Yes",
                                            "--option", "No", **self.node.variables))
        asking.wait_for("Go on?")
        follow = quote('{"sessionId": "talk", "follow": true}')
        trpc = self.wire(f"/trpc/message.streamResponse?input={follow}",
                         lines="Accept: text/event-stream\r\n")
        chat = self.wire(CHAT, lines=UPGRADE)
        opencode = self.wire("/event")
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}
        mcp = self.wire("/mcp", MCP | {"method": "tools/call", "params": {
            "name": "wait_answer", "arguments": {"ask_id": self.asked["id"]}, "_meta": meta}},
            lines="Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
                  "Mcp-Name: wait_answer\r\n")
        for stream in (trpc, chat, opencode):
            stream.read_until(self.asked["id"])
        mcp.read_until("text/event-stream")
        self.lose_database()
        for stream in (trpc, chat, opencode):
            stream.read_until("The broker's store is away: the database postgres on")
        self.assertEqual(self.answer(), 503)
        refused = self.wire("/trpc/message.answerAsk", {
            "sessionId": "talk", "questionId": self.asked["id"], "answers": {"q0": "Tea"}})
        refused.read_until("503")
        self.assertEqual(self.node.call("POST", "/v1/asks", QUESTION)[0], 503)
        self.assertFalse(held)
        self.cluster.start()
        wait_until(lambda: readiness(self.node)[0] == 200)
        for stream in (trpc, chat, opencode):
            stream.read_until("The broker's store is back.")
        self.assertEqual(self.answer(), 200)
        waiter.join()
        self.assertEqual(held[0][1]["state"], "answered")
        trpc.read_until("ask-settled")
        chat.read_until("ask_user_settled")
        opencode.read_until("question.replied")
        mcp.read_until('"answered"')
        other = self.node.pending(1)[0]
        self.assertEqual(self.node.call("POST", f"/v1/asks/{other['id']}/answer",
                                        {"answers": [{"selected": ["No"]}]})[0], 200)
        self.assertEqual(asking.end().code, 0)

    def test_what_another_node_may_have_made_is_not_called_missing(self) -> None:
        result = {"sessionId": "elsewhere", "toolUseId": "t", "answers": {"Which drink?": "Tea"}}
        calls = [("/api/chat/tool-result", result, 403),
                 ("/v1/sessions", {"parent": "elsewhere"}, 404),
                 ("/v1/tokens", {"name": "bot", "role": "agent", "session": "elsewhere"}, 404),
                 ("/v1/tokens/elsewhere/rotate", {}, 404)]
        for target, body, status in calls:
            self.assertEqual(self.node.call("POST", target, body)[0], status, target)
        self.lose_database()
        for target, body, _ in calls:
            self.assertEqual(self.node.call("POST", target, body)[0], 503, target)


if __name__ == "__main__":
    unittest.main()
