#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What nodes on one PostgreSQL database have in common beside asks and answers: who holds a chat,
who was invited, who may, where an agent listens, and what becomes of it when its node dies."""

import http.client
import json
import struct
import threading
import unittest
from urllib.parse import quote, urlsplit

from broker_process import Broker
from nodes_test import QUESTION, wait_until
from parley_program import PATIENCE_SECONDS
from postgres_cluster import Cluster
from streams_test import UPGRADE, Wire, token_of

SECRET = "a-token-that-all-nodes-have-alike-0123456789"
CHAT = "/api/v1/chat/ws/talk"


def frame(message: dict) -> bytes:
    """A message of a WebSocket client."""
    text = json.dumps(message).encode()
    size = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + struct.pack(">H", len(text))
    return b"\x81" + size + b"\0\0\0\0" + text


class SharedNodes(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = self.enterContext(Cluster())
        self.one = self.node()
        self.two = self.node()

    def enterContext(self, manager):  # of unittest only since Python 3.11
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def node(self) -> Broker:
        return self.enterContext(Broker("--agent", "demo", "--node-timeout", "2s",
                                        store=self.cluster.url, secret=SECRET))

    def wire(self, broker: Broker, target: str, method: str = "GET", token: str = SECRET,
             body=None, lines: str = "") -> Wire:
        return self.enterContext(Wire(broker, method, target, token, body, lines))

    def chat(self, broker: Broker) -> Wire:
        wire = self.wire(broker, CHAT, lines=UPGRADE)
        wire.read_until('"session_status"')
        return wire

    def ask(self, broker: Broker, **more) -> dict:
        status, ask = broker.call("POST", "/v1/asks", QUESTION | more)
        self.assertEqual(status, 201, ask)
        return ask

    def heard_of(self, broker: Broker, ask: dict) -> None:
        wait_until(lambda: broker.call("GET", f"/v1/asks/{ask['id']}")[0] == 200)

    # Chat seats.

    def test_the_newest_connection_holds_the_session_at_whichever_node(self) -> None:
        for first, second in ((self.one, self.two), (self.two, self.one)):
            older, newer = self.chat(first), self.chat(second)
            older.read_until("the session was taken by a newer connection")
            ask = self.ask(first, session="talk")
            newer.read_until(ask["id"])
            newer.send(frame({"type": "ask_user_response", "data": {
                "question_id": ask["id"], "answers": {"Which drink?": "Tea"}}}))
            newer.read_until('"ask_user_settled"')

    def test_who_lost_the_seat_elsewhere_settles_nothing(self) -> None:
        older = self.chat(self.one)
        ask = self.ask(self.one, session="talk")
        older.read_until(ask["id"])
        # The node does not hear that the session is taken before it reads the response.
        self.one.pause()
        self.addCleanup(self.one.go_on)
        older.send(frame({"type": "ask_user_response", "data": {
            "question_id": ask["id"], "answers": {"Which drink?": "Coffee"}}}))
        self.heard_of(self.two, ask)
        newer = self.chat(self.two)
        newer.read_until(ask["id"])
        self.one.go_on()
        self.assertIn('"session_taken"', older.read_to_end())
        self.assertEqual(self.two.call("GET", f"/v1/asks/{ask['id']}")[1]["state"], "pending")
        newer.send(frame({"type": "ask_user_response", "data": {
            "question_id": ask["id"], "answers": {"Which drink?": "Tea"}}}))
        newer.read_until('"ask_user_settled"')

    # Who may.

    def open_link(self, broker: Broker, link: str) -> str:
        """The cookie that it gives, if it does."""
        place = urlsplit(broker.ready["url"])
        connection = http.client.HTTPConnection(place.hostname, place.port,
                                                timeout=PATIENCE_SECONDS)
        connection.request("GET", f"/?{urlsplit(link).query}")
        cookie = connection.getresponse().headers.get("Set-Cookie", "")
        connection.close()
        return cookie

    def test_a_link_signs_in_once_at_any_node(self) -> None:
        for made, used in ((self.one, self.two), (self.two, self.one)):
            link = made.call("POST", "/sign-in/links", {})[1]["url"]
            self.assertTrue(self.open_link(used, link))
            for node in (made, used):
                self.assertFalse(self.open_link(node, link))

    def test_of_those_who_race_for_a_link_one_is_signed_in(self) -> None:
        for turn in range(5):
            link = self.one.call("POST", "/sign-in/links", {"as": f"guest {turn}"})[1]["url"]
            cookies: list[str] = []
            racers = [threading.Thread(target=lambda node=node: cookies.append(
                self.open_link(node, link))) for node in (self.one, self.two) * 3]
            for racer in racers:
                racer.start()
            for racer in racers:
                racer.join()
            self.assertEqual(len([cookie for cookie in cookies if cookie]), 1, cookies)

    def test_a_name_that_is_invited_at_one_node_is_kept_at_the_other(self) -> None:
        for node in (self.one, self.two):
            status, made = node.call("POST", "/sign-in/links", {"as": "Ada"})
            self.assertEqual(status, 201, made)
        link = self.two.call("POST", "/sign-in/links", {})[1]["url"]
        cookie = self.open_link(self.one, link).split(";")[0]
        place = urlsplit(self.one.ready["url"])
        connection = http.client.HTTPConnection(place.hostname, place.port,
                                                timeout=PATIENCE_SECONDS)
        connection.request("POST", "/v1/self/name", '{"name": "ada"}',
                           {"Cookie": cookie, "Content-Type": "application/json"})
        self.assertEqual(connection.getresponse().status, 409)
        connection.close()

    def test_a_token_that_one_revokes_ends_streams_at_the_other(self) -> None:
        token = token_of(self.one, "phone", "responder")
        wait_until(lambda: self.two.call("GET", "/v1/tokens")[1] == self.one.call(
            "GET", "/v1/tokens")[1])
        stream = self.wire(self.two, "/v1/events", token=token)
        chat = self.wire(self.two, CHAT, token=token, lines=UPGRADE)
        stream.read_until("snapshot.end")
        chat.read_until('"session_status"')
        self.assertEqual(self.one.call("DELETE", "/v1/tokens/phone")[0], 204)
        stream.read_to_end()
        chat.read_to_end()

    def test_a_token_that_one_makes_is_good_at_the_other_at_once(self) -> None:
        for turn in range(20):
            here, there = (self.one, self.two) if turn % 2 else (self.two, self.one)
            with Wire(there, "GET", "/v1/self", token_of(here, f"phone{turn}", "responder")) as own:
                own.read_until(" 200 ")
            token = token_of(here, f"tablet{turn}", "responder")
            with Wire(there, "GET", "/trpc?connectionParams=1", lines=UPGRADE) as socket:
                socket.read_until(" 101 ")
                socket.send(frame({"method": "connectionParams", "data": {"token": token}}))
                socket.send(frame({"id": 1, "method": "query", "params": {
                    "path": "message.pending", "input": {"sessionId": "talk"}}}))
                self.assertNotIn("UNAUTHORIZED", socket.read_until('{"id":1'))
                socket.read_until('"result"')

    # What people keep, and time.

    def test_drafts_and_snoozes_are_kept_for_all_nodes(self) -> None:
        ask = self.ask(self.one)
        self.heard_of(self.two, ask)
        draft = {"answers": [{"selected": ["Tea"]}]}
        person = {"Authorization": f"Bearer {SECRET}"}
        self.assertEqual(self.two.call("PUT", f"/v1/asks/{ask['id']}/draft", draft, person)[0], 200)
        wait_until(lambda: '"Tea"' in self.one.fetch("GET", f"/v1/asks/{ask['id']}/draft",
                                                     headers=person)[1])
        self.assertLess(self.one.call("POST", f"/v1/asks/{ask['id']}/snooze", {"seconds": 3600},
                                      person)[0], 300)

        def listed() -> str:
            with Wire(self.two, "GET", "/v1/events", SECRET) as stream:
                return stream.read_until("snapshot.end")

        wait_until(lambda: "snoozed_until" in listed())

    def test_a_deadline_is_over_once_whichever_node_is_first(self) -> None:
        streams = [self.wire(node, "/v1/events") for node in (self.one, self.two)]
        for stream in streams:
            stream.read_until("snapshot.end")
        asks = [self.ask(node, timeout_seconds=1) for node in (self.one, self.two) * 4]
        last = self.ask(self.one)
        for ask in asks:
            wait_until(lambda: self.one.call(
                "GET", f"/v1/asks/{ask['id']}")[1]["state"] == "timed_out")
        self.one.call("POST", f"/v1/asks/{last['id']}/answer", {"answers": [{"selected": ["Tea"]}]})
        for stream in streams:
            stream.read_until('"answered"')
            self.assertEqual(stream.text.count("event: ask.settled"), len(asks) + 1)

    # Sessions.

    def test_a_session_that_one_opens_is_used_at_the_other_at_once(self) -> None:
        for turn in range(20):
            here, there = (self.one, self.two) if turn % 2 else (self.two, self.one)
            session = here.call("POST", "/v1/sessions", {"name": f"turn {turn}"})[1]["id"]
            base = f"/v1/sessions/{session}"
            for method, target, body, status in (
                    ("POST", f"{base}/events", [{"type": "status", "status": "working"}], 202),
                    ("POST", "/v1/asks", QUESTION | {"session": session}, 201),
                    ("DELETE", base, {}, 200)):
                self.assertEqual(there.call(method, target, body)[0], status, target)

    def test_a_session_that_one_opens_is_named_to_the_other_at_once(self) -> None:
        for turn in range(20):
            here, there = (self.one, self.two) if turn % 2 else (self.two, self.one)
            for target, named in (("/v1/sessions", "parent"), ("/v1/notices", "session"),
                                  ("/v1/tokens", "session"), ("/session", "parentID")):
                session = here.call("POST", "/v1/sessions", {})[1]["id"]
                more = {"/v1/notices": {"text": "Tea is ready"},
                        "/v1/tokens": {"name": f"child{turn}", "role": "agent"}}
                status = there.call("POST", target, {named: session} | more.get(target, {}))[0]
                self.assertIn(status, (200, 201, 202), target)

    # Agents.

    def push(self, broker: Broker, *items: dict) -> int:
        return broker.call("POST", "/v1/sessions/build/events", list(items))[0]

    def test_a_part_is_told_at_its_end_where_the_agent_does_not_stream(self) -> None:
        self.one.call("POST", "/v1/sessions", {"name": "build", "agent": "outside"})
        here, there = (self.wire(node, "/v1/events?session=build") for node in
                       (self.one, self.two))
        start = there.read_until("snapshot.end").split("id: ")[-1].split("\n")[0]
        self.assertLess(self.push(self.one, {"type": "text-start", "part_id": "p", "text": "all "},
                                  {"type": "text-delta", "part_id": "p", "text": "of it"}), 300)
        here.read_until("of it")
        resumed = self.wire(self.two, "/v1/events?session=build",
                            lines=f"Last-Event-ID: {start}\r\n")
        self.assertEqual(self.push(self.two, {"type": "text-delta", "part_id": "p", "text": "!"}),
                         409)
        self.assertLess(self.push(self.one, {"type": "text-end", "part_id": "p"}), 300)
        for stream in (there, resumed):
            stream.read_until("all of it")
        # An agent that comes to another node begins the part again there, and ends it here too.
        self.assertLess(self.push(self.one, {"type": "text-start", "part_id": "q", "text": "a"}),
                        300)
        self.assertLess(self.push(self.two, {"type": "text-start", "part_id": "q", "text": "b"},
                                  {"type": "text-end", "part_id": "q"}), 300)
        here.read_until('"text":"b"')
        late = self.wire(self.one, "/v1/events?session=build",
                         lines=f"Last-Event-ID: {start}\r\n")
        self.assertNotIn('"replace', late.read_until('"text":"b"'))

    def test_messages_and_aborts_reach_an_agent_at_another_node(self) -> None:
        self.one.call("POST", "/v1/sessions", {"name": "build", "agent": "outside"})
        agent = self.wire(self.one, "/v1/events?session=build&as=agent")
        agent.read_until("snapshot.end")
        self.push(self.one, {"type": "status", "status": "working"})
        ask = self.ask(self.one, session="build")
        self.heard_of(self.two, ask)
        self.assertEqual(self.two.call("POST", "/v1/sessions/build/abort")[0], 200)
        agent.read_until('"withdrawn"')
        # That the agent listens at the other node is known here: it is not queued.
        wait_until(lambda: self.two.call("POST", "/v1/sessions/build/messages", {
            "text": "Shorter, please."})[1]["queued"] is False)
        agent.read_until("Shorter, please.")

    def test_one_demo_serves_a_session_and_the_other_takes_it_up(self) -> None:
        self.one.call("POST", "/v1/sessions", {"name": "tour"})
        wait_until(lambda: self.two.call("GET", "/v1/sessions/tour")[0] == 200)
        self.assertLess(self.two.call("POST", "/v1/sessions/tour/messages", {"text": "Hello"})[0],
                        300)
        # Both could; one did.
        first = self.two.pending(1)[0]
        told = self.two.call("GET", "/v1/sessions/tour/events?limit=100")[1]["events"]
        working = [event for event in told if event.get("part", {}).get("type") == "status"]
        self.assertLessEqual(len(working), 1, told)
        hosts = [node for node in (self.one, self.two) if '"demo"' in node.log()]
        self.assertEqual(len(hosts), 1)
        dead, alive = hosts[0], self.one if hosts[0] is self.two else self.two
        watch = self.wire(alive, "/v1/events?session=tour")
        dead.kill()
        # Said before anybody knows of it, it is taken up once that is known.
        self.assertLess(alive.call("POST", "/v1/sessions/tour/messages", {"text": "Still?"})[0],
                        300)
        self.assertIn('"warning"', watch.read_until("is gone"))
        self.assertEqual(alive.call("GET", f"/v1/asks/{first['id']}")[1]["state"], "pending")
        alive.pending(2)
        dead.start()
        dead.pending(2)

    def test_a_node_that_was_only_stopped_is_given_up_and_comes_back(self) -> None:
        self.one.call("POST", "/v1/sessions", {"name": "build", "agent": "outside"})
        agent = self.wire(self.one, "/v1/events?session=build&as=agent")
        agent.read_until("snapshot.end")
        watch = self.wire(self.two, "/v1/events?session=build")
        watch.read_until("snapshot.end")
        # Only then do the others know that it listens there.
        wait_until(lambda: self.cluster.ask(
            "SELECT count(*) FROM parley.marks WHERE convert_from(key, 'UTF8') LIKE 'agent/%'"
        ) == "1")
        self.one.pause()
        self.addCleanup(self.one.go_on)
        watch.read_until("is gone")
        self.one.go_on()
        wait_until(lambda: "joins them again" in self.one.log())
        wait_until(lambda: self.two.call("POST", "/v1/sessions/build/messages", {
            "text": "Are you there?"})[1]["queued"] is False)
        agent.read_until("Are you there?")
        self.assertNotIn("joins them again", self.two.log())

    # Streams of other doors.

    def test_tracked_ids_of_trpc_are_good_at_the_other_node(self) -> None:
        asks = [self.ask(node, session="talk") for node in (self.one, self.two)]
        self.heard_of(self.two, asks[0])

        def stream(node: Broker, last: str = "") -> Wire:
            asked = {"sessionId": "talk", "follow": True} | ({"lastEventId": last} if last else {})
            return self.wire(node, f"/trpc/message.streamTracked?input={quote(json.dumps(asked))}",
                             lines="Accept: text/event-stream\r\n")

        first = stream(self.one).read_until(asks[1]["id"])
        seen = [line.removeprefix("id: ") for line in first.splitlines() if line.startswith("id: ")]
        self.assertLess(self.two.call("POST", f"/v1/asks/{asks[0]['id']}/answer", {
            "answers": [{"selected": ["Tea"]}]})[0], 300)
        third = self.ask(self.one, session="talk")
        resumed = stream(self.two, seen[-1]).read_until(third["id"])
        self.assertIn("ask-settled", resumed)


if __name__ == "__main__":
    unittest.main()
