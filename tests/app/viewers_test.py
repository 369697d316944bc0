#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two agents and a person at the doors of `parley serve`: what is one's, the other neither sees,
hears nor changes; and a name that is given anew inherits nothing."""

import json
import unittest
import urllib.parse
from typing import Any

from broker_process import Broker
from parley_program import parley
from streams_test import Wire, token_of

QUESTION = {"questions": [{"question": "Which one?", "options": ["A", "B"]}]}


def problem_of(answer: tuple[int, Any]) -> tuple[int, str]:
    status, body = answer
    return status, body["type"].removeprefix("urn:parley:problem:")


class ViewersTest(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)
        self.one = token_of(self.broker, "one", "agent")
        self.two = token_of(self.broker, "two", "agent")

    def call(self, token: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        return self.broker.call(method, path, body, {"Authorization": f"Bearer {token}"})

    def test_a_session_of_another_agent_is_not_there(self) -> None:
        asked = self.call(self.one, "POST", "/v1/asks", QUESTION | {"session": "a"})[1]
        for path in ("/v1/sessions/a", f"/v1/sessions/{asked['session_id']}",
                     "/v1/sessions/a/messages", f"/v1/asks/{asked['id']}"):
            self.assertEqual(self.call(self.one, "GET", path)[0], 200, path)
            self.assertEqual(problem_of(self.call(self.two, "GET", path)), (404, "not-found"), path)
        for path in ("/v1/asks?session=a", "/v1/asks?session=nobodys"):
            self.assertEqual(problem_of(self.call(self.two, "GET", path)), (404, "not-found"), path)
        foreign = (403, "session-of-another")
        for method, path, body in (
                ("POST", "/v1/asks", QUESTION | {"session": "a"}),
                ("POST", "/v1/sessions", {"name": "a"}),
                ("POST", "/v1/sessions/a/events", [{"type": "finish"}]),
                ("POST", "/v1/sessions/a/messages/taken", {"up_to": "msg_" + "0" * 26}),
                ("POST", "/v1/notices", {"session": "a", "text": "x"}),
                ("POST", "/v1/sessions/a/abort", {}),
                ("GET", "/v1/events?session=a", None),
                ("DELETE", "/v1/sessions/a", None)):
            self.assertEqual(problem_of(self.call(self.two, method, path, body)), foreign, path)
        withdraw = f"/v1/asks/{asked['id']}/withdraw"
        self.assertEqual(self.call(self.two, "POST", withdraw, {})[0], 404)
        self.assertEqual(self.call(self.one, "DELETE", "/v1/sessions/a")[0], 200)

    def test_what_people_say_to_one_agent_the_other_does_not_hear(self) -> None:
        self.call(self.one, "POST", "/v1/sessions", {"name": "a"})
        with Wire(self.broker, "GET", "/v1/events?session=a", self.one) as mine, \
                Wire(self.broker, "GET", "/v1/events", self.two) as other:
            mine.read_until("snapshot")
            other.read_until("snapshot")
            self.broker.call("POST", "/v1/sessions/a/messages", {"text": "it is hunter2"})
            mine.read_until("hunter2")
            self.call(self.two, "POST", "/v1/asks", QUESTION | {"key": "the-end"})
            self.assertNotIn("hunter2", other.read_until("the-end"))

    def test_agents_that_name_no_session_do_not_meet(self) -> None:
        asks = [self.call(token, "POST", "/v1/asks", QUESTION)[1]
                for token in (self.one, self.two)] + [
                    self.broker.call("POST", "/v1/asks", QUESTION)[1]]
        self.assertEqual({ask["session"] for ask in asks}, {"default"})
        self.assertEqual(len({ask["session_id"] for ask in asks}), 3)

    def test_an_agents_list_goes_on_behind_the_asks_of_others(self) -> None:
        for number in range(5):
            self.call(self.one, "POST", "/v1/asks", QUESTION | {"key": str(number)})
        own = self.call(self.two, "POST", "/v1/asks", QUESTION)[1]["id"]
        listed, path = [], "/v1/asks?limit=2"
        while path:
            page = self.call(self.two, "GET", path)[1]
            listed += [ask["id"] for ask in page["asks"]]
            path = f"/v1/asks?limit=2&after={page['next']}" if page.get("next") else ""
        self.assertEqual(listed, [own])

    def test_a_name_that_is_given_anew_inherits_nothing(self) -> None:
        asked = self.call(self.one, "POST", "/v1/asks", QUESTION | {"session": "a"})[1]
        self.broker.call("DELETE", "/v1/tokens/one")
        again = token_of(self.broker, "one", "agent")
        self.assertEqual(self.call(again, "GET", f"/v1/asks/{asked['id']}")[0], 404)
        self.assertEqual(self.call(again, "GET", "/v1/sessions/a")[0], 404)
        self.assertEqual(self.broker.call("POST", f"/v1/asks/{asked['id']}/withdraw", {})[0], 200)

    def test_what_a_revoked_agent_asked_waits_on_marked_until_the_owner_withdraws_it(self) -> None:
        mine = self.call(self.one, "POST", "/v1/asks", QUESTION)[1]
        other = self.call(self.two, "POST", "/v1/asks", QUESTION)[1]
        person = token_of(self.broker, "ada", "responder")
        with Wire(self.broker, "GET", "/v1/events", person) as told, \
                Wire(self.broker, "GET", "/v1/events", self.two) as agents:
            told.read_until("snapshot.end")
            agents.read_until("snapshot.end")
            self.broker.call("DELETE", "/v1/tokens/one")
            self.assertIn(f'"asker":"{mine["asker"]}"', told.read_until("agent.revoked"))
            self.broker.call("POST", f"/v1/asks/{other['id']}/dismiss", {})
            self.assertNotIn("revoked", agents.read_until("ask.settled"))
        token_of(self.broker, "one", "agent")
        for life in ("now", "after a restart"):
            pending = self.call(person, "GET", "/v1/asks?state=pending")[1]["asks"]
            self.assertEqual([(ask["id"], ask["asker_revoked"]) for ask in pending],
                             [(mine["id"], True)], life)
            self.broker.kill()
            self.broker.start()
        listed = parley("list", **self.broker.variables)
        self.assertIn("(agent revoked) ", listed.out)
        self.assertEqual(self.call(person, "POST", f"/v1/asks/{mine['id']}/withdraw", {})[0], 403)
        settled = self.broker.call("POST", f"/v1/asks/{mine['id']}/withdraw", {})
        self.assertEqual((settled[0], settled[1]["state"]), (200, "withdrawn"))
        self.assertNotIn("asker_revoked", settled[1])

    def test_a_snooze_is_told_to_its_person_alone_and_a_token_to_nobody(self) -> None:
        asked = self.call(self.one, "POST", "/v1/asks", QUESTION | {"session": "a"})[1]
        people = {name: token_of(self.broker, name, "responder") for name in ("ada", "bob")}
        followed = urllib.parse.quote(json.dumps({"sessionId": "a", "follow": True}))
        targets = {"/v1/events": "ask.settled", "/v1/events?session=a": "ask.settled",
                   "/event": "question.replied", "/api/event": "question.v2.replied",
                   f"/trpc/message.streamTracked?input={followed}": "ask-settled"}
        streams = [(who, target, Wire(self.broker, "GET", target, token))
                   for who, token in (*people.items(), ("one", self.one)) for target in targets]
        for _, _, wire in streams:
            self.addCleanup(wire.__exit__)
            wire.read_until("Which one?")
        snooze = f"/v1/asks/{asked['id']}/snooze"
        self.assertEqual(self.call(people["ada"], "POST", snooze, {"seconds": 600})[0], 200)
        token_of(self.broker, "eve", "owner")
        self.broker.call("DELETE", "/v1/tokens/eve")
        self.broker.call("POST", f"/v1/asks/{asked['id']}/answer", {"answers": [
            {"selected": ["A"]}]})
        for who, target, wire in streams:
            text = wire.read_until(targets[target])
            is_told = who == "ada" and target.startswith("/v1")
            self.assertEqual("ask.snoozed" in text, is_told, (who, target))
            self.assertNotIn('"eve"', text, (who, target))
            self.assertNotIn("token.changed", text, (who, target))

    def test_the_other_doors_know_the_same_owners(self) -> None:
        asked = self.call(self.one, "POST", "/v1/asks", QUESTION | {"session": "a"})[1]
        status, body = self.call(self.two, "POST", "/trpc/message.ask",
                                 {"sessionId": "a"} | QUESTION)
        self.assertEqual((status, body["error"]["data"]["code"]), (403, "FORBIDDEN"))
        question = urllib.parse.quote(json.dumps({"sessionId": "a"}))
        for token, count in ((self.one, 1), (self.two, 0)):
            pending = self.call(token, "GET", f"/trpc/message.pending?input={question}")[1]
            self.assertEqual(len(pending["result"]["data"]), count)
        for token, ids in ((self.one, [asked["id"]]), (self.two, [])):
            self.assertEqual([one["id"] for one in self.call(token, "GET", "/question")[1]], ids)
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "wait_answer", "arguments": {"ask_id": asked["id"]}}}
        init = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}}
        with Wire(self.broker, "POST", "/mcp", self.two, init) as wire:
            head = wire.read_until("serverInfo")
        session = next(line for line in head.split("\r\n")
                       if line.lower().startswith("mcp-session-id:"))
        with Wire(self.broker, "POST", "/mcp", self.two, call, session + "\r\n") as wire:
            self.assertIn("there is no ask", wire.read_until('"id":1'))

    def test_a_token_for_one_session_acts_there_and_nowhere_else(self) -> None:
        self.broker.call("POST", "/v1/sessions", {"name": "run"})
        made = self.broker.call("POST", "/v1/tokens", {"name": "child-1", "role": "agent",
                                                       "session": "run"})[1]
        self.assertIn("session_id", made)
        asked = self.call(made["token"], "POST", "/v1/asks", QUESTION)[1]
        self.assertEqual(asked["session"], "run")
        self.assertEqual(self.call(self.two, "GET", "/v1/sessions/run")[0], 404)
        self.broker.call("DELETE", "/v1/tokens/child-1")
        later = self.broker.call("POST", "/v1/tokens", {"name": "child-2", "role": "agent",
                                                        "session": "run"})[1]["token"]
        self.assertEqual(self.call(later, "GET", f"/v1/asks/{asked['id']}")[0], 200)
        self.call(self.one, "POST", "/v1/sessions", {"name": "elsewhere"})
        self.assertEqual(problem_of(self.call(later, "POST", "/v1/asks",
                                              QUESTION | {"session": "elsewhere"})),
                         (403, "session-of-another"))
        for body in ({"session": "nowhere", "role": "agent"}, {"session": "run"}):
            status, refused = self.broker.call("POST", "/v1/tokens", {"name": "x"} | body)
            self.assertIn(status, (400, 404))
            self.assertEqual(refused["errors"][0]["path"], "/session")

    def test_a_conversation_of_mcp_is_held_with_one_right(self) -> None:
        self.broker.call("POST", "/v1/sessions", {"name": "run"})
        asked = self.broker.call("POST", "/v1/asks", QUESTION | {"session": "run"})[1]
        self.broker.call("POST", f"/v1/asks/{asked['id']}/dismiss", {"reason": "hunter2"})
        there = self.broker.call("POST", "/v1/tokens", {
            "name": "one-there", "role": "agent", "as": "one", "session": "run"})[1]["token"]
        version = "2026-07-28"
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "wait_answer", "arguments": {"ask_id": asked["id"]}, "_meta": {
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientCapabilities": {}}}}
        for token, is_shown in ((there, True), (self.one, False), (there, True)):
            text = self.broker.fetch("POST", "/mcp", call, {
                "Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": version, "MCP-Method": "tools/call",
                "MCP-Name": "wait_answer"})[1]
            self.assertEqual("hunter2" in text, is_shown, text)
            self.assertEqual("there is no ask" in text, not is_shown, text)


if __name__ == "__main__":
    unittest.main()
