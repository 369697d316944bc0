#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two `parley serve` on one PostgreSQL database are one Parley: asked on one, answered on the
other, listed, streamed and waited for on both, also across a restart of the database."""

import json
import socket
import threading
import time
import unittest
import urllib.error
import urllib.request

from broker_process import Broker
from parley_program import PATIENCE_SECONDS
from postgres_cluster import Cluster

QUESTION = {"questions": [{"question": "Which drink?", "header": "Drink",
                           "options": [{"label": "Tea"}, {"label": "Coffee"}]}]}


def read_events(broker: Broker, count: int, after: str | None = None) -> list[dict]:
    """The next events of a node, with their cursors."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE_SECONDS)
        connection.connect(broker.socket)
        resume = f"Last-Event-ID: {after}\r\n" if after else ""
        connection.sendall(f"GET /v1/events HTTP/1.1\r\nHost: x\r\n{resume}\r\n".encode())
        events: list[dict] = []
        fields: dict[str, str] = {}
        for line in connection.makefile(encoding="utf-8"):
            name, _, value = line.rstrip("\r\n").partition(": ")
            if name:
                fields[name] = value
            elif fields:
                if "data" in fields and "id" in fields:
                    # Of a session the document says how many asks wait in it now, not then.
                    ask = json.loads(fields["data"]).get("ask")
                    events.append({"id": fields["id"], "event": fields.get("event"), "ask": ask})
                fields = {}
            if len(events) == count:
                return events
    raise AssertionError("the stream has ended")


def readiness(broker: Broker) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(broker.ready["url"] + "/readyz") as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def wait_until(holds) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("it did not come about")
        time.sleep(0.05)


class Nodes(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = self.enterContext(Cluster())
        self.one = self.enterContext(Broker(store=self.cluster.url))
        self.two = self.enterContext(Broker(store=self.cluster.url))

    def enterContext(self, manager):  # of unittest only since Python 3.11
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def ask(self, broker: Broker, **more) -> dict:
        status, ask = broker.call("POST", "/v1/asks", QUESTION | more)
        self.assertEqual(status, 201, ask)
        return ask

    def answer(self, broker: Broker, ask: dict, label: str = "Tea") -> int:
        return broker.call("POST", f"/v1/asks/{ask['id']}/answer",
                           {"answers": [{"selected": [label]}]})[0]

    def test_asked_on_one_and_answered_on_the_other(self) -> None:
        ask = self.ask(self.one)
        self.assertEqual(self.two.pending()[0]["id"], ask["id"])
        waited: list = []
        waiter = threading.Thread(target=lambda: waited.append(
            self.one.call("GET", f"/v1/asks/{ask['id']}?wait=60")))
        waiter.start()
        self.assertEqual(self.answer(self.two, ask), 200)
        waiter.join()
        self.assertEqual(waited[0][1]["state"], "answered")
        self.assertEqual(self.answer(self.one, ask, "Coffee"), 409)
        for node in (self.one, self.two):
            node.pending(0)
            settled = node.call("GET", f"/v1/asks/{ask['id']}")[1]
            self.assertEqual(settled["settlement"]["answers"][0]["selected"], ["Tea"])

    def test_both_stream_the_same_and_resume_each_others_cursors(self) -> None:
        first = read_events(self.one, 1)[0]["id"]
        asks = [self.ask(node) for node in (self.one, self.two, self.one, self.two)]
        for ask in asks:
            self.assertEqual(self.answer(self.two, ask), 200)
        # The session, and each ask opened and settled.
        told = read_events(self.one, 9, first)
        self.assertEqual(read_events(self.two, 9, first), told)
        middle = told[4]["id"]
        self.assertEqual(read_events(self.two, 4, middle), told[5:])
        cursors = [int(event["id"]) for event in told]
        # What nodes tell each other lies between.
        self.assertEqual(cursors, sorted(set(cursors)))

    def test_a_key_names_one_ask_on_all_nodes(self) -> None:
        ask = self.ask(self.one, key="deploy-7")
        status, again = self.two.call("POST", "/v1/asks", QUESTION | {"key": "deploy-7"})
        self.assertEqual((status, again["id"]), (200, ask["id"]))

    def test_a_killed_node_leaves_its_asks_to_the_other(self) -> None:
        ask = self.ask(self.one)
        self.one.kill()
        self.assertEqual(self.answer(self.two, ask), 200)
        self.one.start()
        self.assertEqual(self.one.call("GET", f"/v1/asks/{ask['id']}")[1]["state"], "answered")

    def test_while_the_database_is_away_nothing_is_acknowledged(self) -> None:
        before = self.ask(self.one)
        self.cluster.kill()
        status, problem = self.one.call("POST", "/v1/asks", QUESTION)
        self.assertEqual(status, 503, problem)
        wait_until(lambda: readiness(self.two)[0] == 503)
        status, problem = self.two.call("POST", "/v1/asks", QUESTION)
        self.assertEqual(status, 503, problem)
        self.assertIn("the database postgres on", problem["detail"])
        self.cluster.start()
        for node in (self.one, self.two):
            wait_until(lambda: readiness(node)[0] == 200)
            self.assertEqual([ask["id"] for ask in node.pending()], [before["id"]])
        self.assertEqual(self.answer(self.two, before), 200)
        self.one.pending(0)


if __name__ == "__main__":
    unittest.main()
