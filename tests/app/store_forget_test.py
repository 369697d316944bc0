#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one ask said, and what was said to it, is deleted: from the file, from the database, from
the events, and from what brokers and their readers hold."""

import json
import unittest
import urllib.request
from pathlib import Path

from broker_process import Broker
from parley_program import PATIENCE_SECONDS, parley
from postgres_cluster import Cluster
from store_test import NOBODY, ask_and_answer

SECRET = "hunter2-in-the-open"


class Events:
    def __init__(self, broker: Broker, query: str = "") -> None:
        request = urllib.request.Request(broker.ready["url"] + "/v1/events" + query, headers={
            "Authorization": "Bearer " + (broker.folder / "token").read_text().strip()})
        self._stream = urllib.request.urlopen(request, timeout=PATIENCE_SECONDS)

    def __enter__(self) -> "Events":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def until(self, kind: str) -> list[dict]:
        """All of them, up to the first of this type."""
        told = []
        for line in self._stream:
            if not line.startswith(b"data: "):
                continue
            told.append(json.loads(line[6:]))
            if told[-1]["type"] == kind:
                return told
        raise AssertionError(f"no {kind} in {told}")


class Deleted(unittest.TestCase):
    def settle_one(self, broker: Broker, padding: str = "") -> str:
        """An ask with a secret in every text of it, drafted and answered."""
        secret = SECRET + padding
        _, ask = broker.call("POST", "/v1/asks", {
            "session": "agent-1", "context": secret, "questions": [
                {"question": f"Use {secret}?", "header": "Key",
                 "options": [{"label": f"Yes {SECRET}", "description": secret},
                             {"label": "No", "preview": secret}]}]})
        answers = [{"selected": [f"Yes {SECRET}"], "note": secret}]
        broker.call("PUT", f"/v1/asks/{ask['id']}/draft", {"answers": answers})
        status, _ = broker.call("POST", f"/v1/asks/{ask['id']}/answer", {"answers": answers})
        self.assertEqual(status, 200)
        return ask["id"]

    def is_in_files(self, folder: Path) -> bool:
        return any(SECRET.encode() in path.read_bytes() for path in folder.iterdir()
                   if path.name.startswith("parley.db"))

    def test_no_text_of_it_is_left_in_the_running_brokers_file(self) -> None:
        with Broker() as broker:
            ask_and_answer(broker, 30)
            asks = [self.settle_one(broker), self.settle_one(broker, " x" * 5000)]
            ask_and_answer(broker, 30)
            self.assertTrue(self.is_in_files(broker.folder))
            before = broker.call("GET", f"/v1/asks/{asks[0]}")[1]
            with Events(broker) as events:
                ran = parley("store", "forget", *asks, "--store", broker.ready["store"],
                             **broker.variables)
                self.assertEqual((ran.code, ran.err), (0, "Deleted the content of 2 asks.\n"))
                told = events.until("ask.content_deleted")[-1]
            self.assertEqual((told["ask"], told["session"]), (asks[0], "agent-1"))
            self.assertFalse(self.is_in_files(broker.folder))
            left = broker.call("GET", f"/v1/asks/{asks[0]}")[1]
            self.assertIn("content_deleted_at", left)
            for name in ("id", "session", "session_id", "state", "asker", "created_at"):
                self.assertEqual(left[name], before[name])
            for name in ("outcome", "decider", "door", "at"):
                self.assertEqual(left["settlement"][name], before["settlement"][name])
            log = broker.call("GET", "/v1/sessions/agent-1/events")[1]
            self.assertNotIn(SECRET, json.dumps(log))
            again = broker.call("DELETE", f"/v1/asks/{asks[0]}/content")
            self.assertEqual(again, (200, left))
            self.assertEqual(broker.stop(), 0)
            store = broker.ready["store"]
            checked = parley("store", "check", "--store", store)
            self.assertEqual(checked.code, 0, checked.err)
            lines = parley("store", "export", "--store", store).out
            self.assertNotIn(SECRET, lines)
            new = f"sqlite:{broker.folder}/new.db"
            copied = parley("store", "import", "--store", new, stdin=lines)
            self.assertEqual(copied.code, 0, copied.err)
            self.assertEqual(parley("store", "export", "--store", new).out, lines)

    def test_who_may_and_what_may_not_be_deleted(self) -> None:
        with Broker() as broker:
            settled = self.settle_one(broker)
            _, pending = broker.call("POST", "/v1/asks", {"questions": [{"question": "Now?"}]})
            _, anna = broker.call("POST", "/v1/tokens", {"name": "anna", "role": "responder"})
            target = f"/v1/asks/{settled}/content"
            as_anna = {"Authorization": f"Bearer {anna['token']}"}
            self.assertEqual(broker.call("DELETE", target, headers=as_anna)[0], 403)
            refused = broker.call("DELETE", f"/v1/asks/{pending['id']}/content")
            self.assertEqual(refused[0], 409)
            self.assertIn("withdraw", refused[1]["detail"])
            self.assertEqual(broker.call("DELETE", f"/v1/asks/{NOBODY}/content")[0], 404)
            self.assertIn(SECRET, json.dumps(broker.call("GET", f"/v1/asks/{settled}")))
            unknown = parley("store", "forget", NOBODY, "--store", broker.ready["store"],
                             **broker.variables)
            self.assertEqual(unknown.code, 1)
            self.assertIn(NOBODY, unknown.err)
        self.assertEqual(parley("store", "forget", "que_1").code, 2)

    def test_it_goes_from_a_database_and_its_nodes_are_told(self) -> None:
        with Cluster() as cluster, Broker(store=cluster.url) as broker:
            ask = self.settle_one(broker)
            with Events(broker) as events:
                ran = parley("store", "forget", ask, "--store", cluster.url, "--json")
                self.assertEqual((ran.code, ran.out), (0, '{"asks":1}\n'), ran.err)
                events.until("ask.content_deleted")
            for target in (f"/v1/asks/{ask}", "/v1/sessions/agent-1/events"):
                self.assertNotIn(SECRET, json.dumps(broker.call("GET", target)))
            cursor = cluster.ask("SELECT oldest FROM parley.state")
            with Events(broker, f"?after={cursor}") as events:
                told = events.until("ask.content_deleted")
            self.assertIn("ask.opened", [event["type"] for event in told])
            self.assertNotIn(SECRET, json.dumps(told))
            self.assertEqual(parley("store", "check", "--store", cluster.url).code, 0)


if __name__ == "__main__":
    unittest.main()
