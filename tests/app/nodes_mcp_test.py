#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An MCP client whose requests reach now this node, now that one, as behind a load balancer that
keeps nobody at a node."""

import http.client
import json
import unittest
from urllib.parse import urlsplit

from broker_process import Broker
from nodes_shared_test import SECRET
from nodes_test import wait_until
from parley_program import PATIENCE_SECONDS
from postgres_cluster import Cluster
from streams_test import Wire

ASK = {"name": "ask_user", "arguments": {"questions": [
    {"question": "Which drink?", "header": "Drink",
     "options": [{"label": "Tea", "description": ""}, {"label": "Coffee", "description": ""}]}]}}
VERSION = "2025-11-25"


class McpNodes(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = self.enterContext(Cluster())
        self.one, self.two = (self.enterContext(Broker(store=self.cluster.url, secret=SECRET))
                              for _ in range(2))

    def enterContext(self, manager):  # of unittest only since Python 3.11
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def call(self, node: Broker, message: dict | None, session: str = "",
             method: str = "POST") -> tuple[int, dict, str]:
        place = urlsplit(node.ready["url"])
        connection = http.client.HTTPConnection(place.hostname, place.port,
                                                timeout=PATIENCE_SECONDS)
        headers = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream"}
        if session:
            headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": VERSION}
        connection.request(method, "/mcp", None if message is None else json.dumps(
            {"jsonrpc": "2.0"} | message), headers)
        response = connection.getresponse()
        text = response.read().decode()
        name = response.headers.get("Mcp-Session-Id", "")
        connection.close()
        return response.status, json.loads(text) if text else {}, name

    def begin(self, node: Broker, **capabilities) -> str:
        status, _, session = self.call(node, {"id": 1, "method": "initialize", "params": {
            "protocolVersion": VERSION, "clientInfo": {"name": "tester", "version": "1"},
            "capabilities": capabilities}})
        self.assertEqual(status, 200)
        return session

    def ask(self, node: Broker, session: str, number: int = 7) -> Wire:
        """A call that waits for its answer."""
        return self.enterContext(Wire(
            node, "POST", "/mcp", SECRET, {"jsonrpc": "2.0", "id": number, "method": "tools/call",
                                           "params": ASK},
            f"Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: {VERSION}\r\n"))

    def test_each_request_of_a_conversation_may_come_to_another_node(self) -> None:
        session = self.begin(self.one)
        self.assertEqual(self.call(self.two, {"method": "notifications/initialized"}, session)[0],
                         202)
        tools = self.call(self.two, {"id": 2, "method": "tools/list"}, session)[1]
        self.assertIn("ask_user", json.dumps(tools))
        call = self.ask(self.one, session)
        ask = self.two.pending()[0]
        self.two.call("POST", f"/v1/asks/{ask['id']}/answer", {"answers": [{"selected": ["Tea"]}]})
        call.read_until("Tea")
        # The asks of both nodes are of one session.
        other = self.ask(self.two, session)
        again = self.two.pending()[0]
        self.assertEqual(again["session_id"], ask["session_id"])
        self.one.pending()
        self.one.call("POST", f"/v1/asks/{again['id']}/answer",
                      {"answers": [{"selected": ["Coffee"]}]})
        other.read_until("Coffee")

    def test_what_is_cancelled_at_one_node_is_withdrawn_at_the_other(self) -> None:
        session = self.begin(self.one)
        self.ask(self.one, session)
        ask = self.two.pending()[0]
        self.assertEqual(self.call(self.two, {"method": "notifications/cancelled", "params": {
            "requestId": 7}}, session)[0], 202)
        wait_until(lambda: self.two.call(
            "GET", f"/v1/asks/{ask['id']}")[1]["state"] == "withdrawn")

    def test_a_form_that_one_node_sent_is_filled_in_at_the_other(self) -> None:
        session = self.begin(self.one, elicitation={})
        call = self.ask(self.one, session)
        shown = call.read_until("elicitation/create").split("data: ")[-1]
        while not shown.rstrip().endswith("}"):
            call.read_until("\n\n")
            shown = call.text.split("data: ")[-1]
        form = json.loads(shown.splitlines()[0])
        fields = form["params"]["requestedSchema"]["properties"]
        name = next(name for name, field in fields.items() if "Tea" in json.dumps(field))
        self.assertEqual(self.call(self.two, {"id": form["id"], "result": {
            "action": "accept", "content": {name: "Tea"}}}, session)[0], 202)
        call.read_until('"id":7')
        self.one.pending(0)

    def test_a_conversation_that_ended_is_over_everywhere(self) -> None:
        session = self.begin(self.one)
        self.ask(self.one, session)
        ask = self.two.pending()[0]
        self.assertEqual(self.call(self.two, None, session, "DELETE")[0], 204)
        for node in (self.two, self.one):
            wait_until(lambda: self.call(node, {"id": 3, "method": "ping"}, session)[0] == 404)
        wait_until(lambda: self.two.call(
            "GET", f"/v1/asks/{ask['id']}")[1]["state"] == "withdrawn")

    def test_what_waits_for_other_nodes_is_bounded(self) -> None:
        session = self.begin(self.one)

        def cancel(request: object) -> int:
            return self.call(self.one, {"method": "notifications/cancelled", "params": {
                "requestId": request}}, session)[0]

        self.assertEqual(cancel("x" * 300_000), 413)
        sent = [cancel(number) for number in range(257)]
        self.assertEqual(sent, [202] * 256 + [503])
        # What no call can wait for is nobody else's.
        self.assertEqual(self.call(self.one, {"method": "notifications/initialized"}, session)[0],
                         202)

    def test_an_id_is_good_for_its_caller_alone_and_after_a_restart(self) -> None:
        session = self.begin(self.one)
        self.assertEqual(self.call(self.two, {"id": 3, "method": "ping"}, session + "0")[0], 404)
        self.one.kill()
        self.one.start()
        self.assertEqual(self.call(self.one, {"id": 3, "method": "ping"}, session)[0], 200)
        stranger = self.one.call("POST", "/v1/tokens", {"name": "bot", "role": "agent"})[1]["token"]
        with Wire(self.one, "POST", "/mcp", stranger, {"jsonrpc": "2.0", "id": 1, "method": "ping"},
                  f"Mcp-Session-Id: {session}\r\n") as wire:
            self.assertIn(" 404 ", wire.read_until("\r\n"))


if __name__ == "__main__":
    unittest.main()
