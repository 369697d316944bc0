#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Streams of `parley serve` on real sockets: what a resumed one says of the past, and how all of
them end when their token is revoked."""

import base64
import json
import os
import socket
import time
import unittest
from typing import Any, Callable

from broker_process import Broker
from parley_program import PATIENCE_SECONDS

UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" \
          f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
CLOSE = b"\x88\x80\0\0\0\0"  # as every client answers the server's


class Wire:
    """One request on a connection of its own, and the bytes that come back."""

    def __init__(self, broker: Broker, method: str, target: str, token: str = "",
                 body: Any = None, lines: str = "") -> None:
        host, port = broker.ready["url"].removeprefix("http://").split(":")
        self._socket = socket.create_connection((host, int(port)), timeout=PATIENCE_SECONDS)
        text = "" if body is None else json.dumps(body)
        self._is_upgraded = lines == UPGRADE
        self._socket.sendall(
            f"{method} {target} HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\n{lines}"
            f"Content-Length: {len(text)}\r\n\r\n{text}".encode())
        self.text = ""

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def end(self) -> None:
        """Says nothing more, and listens on."""
        self._socket.shutdown(socket.SHUT_WR)

    def read_until(self, text: str) -> str:
        end = time.monotonic() + PATIENCE_SECONDS
        while text not in self.text:
            # Heartbeats come however long it waits.
            if time.monotonic() > end:
                raise AssertionError(f"there is no {text!r}: {self.text}")
            got = self._receive(repr(text))
            if not got:
                raise AssertionError(f"it ended without {text!r}: {self.text}")
            self.text += got.decode(errors="replace")
        return self.text

    def read_to_end(self, end: bytes = b"") -> str:
        """All of it, or up to that end; fails if the other side leaves it open."""
        while got := self._receive("its end"):
            self.text += got.decode(errors="replace")
            if self._is_upgraded and CLOSE[:1] in got:
                self._answer_close()
            if end and got.endswith(end):
                break
        return self.text

    def _receive(self, wanted: str) -> bytes:
        try:
            return self._socket.recv(65536)
        except TimeoutError:
            raise AssertionError(f"it waits without {wanted}: {self.text}") from None

    def _answer_close(self) -> None:
        try:
            self._socket.sendall(CLOSE)
        except BrokenPipeError:
            pass  # it has ended its side before


def token_of(broker: Broker, name: str, role: str, **more: Any) -> str:
    return broker.call("POST", "/v1/tokens", {"name": name, "role": role, **more})[1]["token"]


def call_of(tool: str, arguments: dict, is_modern: bool = False) -> dict:
    """A call of a tool over MCP."""
    name = "io.modelcontextprotocol/"
    meta = {"_meta": {name + "protocolVersion": "2026-07-28", name + "clientCapabilities": {}}}
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, **(meta if is_modern else {})}}


MODERN = "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: ask_user\r\n"
GO_ON = {"questions": [{"question": "Go on?", "options": ["Yes", "No"]}]}


class HalfClosed(unittest.TestCase):
    def test_a_handshake_whose_client_speaks_no_more_is_no_fault_of_the_server(self) -> None:
        with Broker() as broker:
            token = (broker.folder / "token").read_text().strip()
            for target in ("/api/v1/chat/ws/half", "/api/v1/chat/ws/new", "/trpc"):
                for _ in range(5):
                    with Wire(broker, "GET", target, token, lines=UPGRADE) as wire:
                        wire.end()
                        self.assertNotIn(" 500 ", wire.read_to_end())
            self.assertNotIn("handler-failed", broker.log())
            self.assertEqual(broker.call("GET", "/v1/self")[0], 200)


class Resumed(unittest.TestCase):
    def test_old_events_name_sessions_that_ended_before_a_restart(self) -> None:
        with Broker() as broker:
            token = (broker.folder / "token").read_text().strip()
            with Wire(broker, "GET", "/v1/events", token) as events:
                start = events.read_until("snapshot.end").split("id: ")[1].split("\n")[0]
            session = broker.call("POST", "/v1/sessions", {"name": "night-shift"})[1]
            broker.call("POST", "/v1/asks", {"session": "night-shift", "question": "Still here?"})
            broker.call("DELETE", f"/v1/sessions/{session['id']}")
            broker.stop()
            broker.start()
            broker.call("POST", "/v1/notices", {"text": "nobody's session"})
            with Wire(broker, "GET", f"/v1/events?after={start}", token) as events:
                told = events.read_until("nobody's session")
        names = {kind: data for kind, data in
                 ((block.split("event: ")[1].split("\n")[0],
                   json.loads(block.split("data: ")[1].split("\n")[0]))
                  for block in told.split("\n\n") if "data: " in block)}
        for kind in ("ask.opened", "ask.settled"):
            self.assertEqual(names[kind]["ask"]["session"], "night-shift", kind)
            self.assertEqual(names[kind]["ask"]["session_id"], session["id"], kind)


class Hidden(unittest.TestCase):
    def test_an_agent_is_not_told_that_its_session_waits_for_what_it_may_not_see(self) -> None:
        with Broker() as broker:
            agent = token_of(broker, "bot", "agent")
            ask = {"session": "shared", "question": "Mine?"}
            own = broker.call("POST", "/v1/asks", ask, {"Authorization": f"Bearer {agent}"})[1]
            broker.call("POST", "/v1/asks", {"session": "shared", "question": "Hidden?"})
            with Wire(broker, "GET", "/event", agent) as events:
                events.read_until("server.connected")
                broker.call("POST", f"/v1/asks/{own['id']}/dismiss", {})
                self.assertIn('"session.status"', events.read_until("session.idle"))


class Revoked(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)
        self.person = token_of(self.broker, "ada", "responder")
        self.agent = token_of(self.broker, "bot", "agent")

    def revoke(self, name: str) -> None:
        self.assertEqual(self.broker.call("DELETE", f"/v1/tokens/{name}")[0], 204)

    def test_streams_of_opencodes_interface_end(self) -> None:
        for target in ("/event", "/global/event", "/api/event"):
            token = token_of(self.broker, "eve", "responder")
            with Wire(self.broker, "GET", target, token) as events, \
                 Wire(self.broker, "GET", target, self.person) as others:
                events.read_until("server.connected")
                others.read_until("server.connected")
                self.revoke("eve")
                events.read_to_end()
                self.broker.call("POST", "/v1/asks", {"question": f"After {target}?"})
                others.read_until(f"After {target}?")

    def test_a_chat_socket_ends(self) -> None:
        for session in ("held", "seen?observe=1"):
            token = token_of(self.broker, "eve", "responder")
            with Wire(self.broker, "GET", f"/api/v1/chat/ws/{session}", token,
                      lines=UPGRADE) as chat:
                chat.read_until("session_status")
                self.revoke("eve")
                self.broker.call("POST", "/v1/asks",
                                 {"session": session[:4], "question": "Secret?"})
                self.assertNotIn("Secret?", chat.read_to_end())

    def test_a_trpc_socket_and_its_subscription_end(self) -> None:
        with Wire(self.broker, "GET", "/trpc", self.person, lines=UPGRADE) as trpc:
            trpc.read_until("101")
            self.revoke("ada")
            trpc.read_to_end()

    def initialize(self, token: str = "") -> str:
        with Wire(self.broker, "POST", "/mcp", token or self.agent, {
                "jsonrpc": "2.0", "id": 1, "method": "initialize",
                "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                           "clientInfo": {"name": "test", "version": "1"}}}) as hello:
            head = hello.read_until("serverInfo")
        line = next(line for line in head.split("\r\n") if line.lower().startswith("mcp-session"))
        return line + "\r\nMCP-Protocol-Version: 2025-06-18\r\n"

    def test_a_conversation_of_mcp_ends_with_all_that_it_holds(self) -> None:
        lines = self.initialize()
        call = call_of("ask_user", GO_ON)
        with Wire(self.broker, "GET", "/mcp", self.agent, lines=lines) as listening, \
             Wire(self.broker, "POST", "/mcp", self.agent, call, lines) as held:
            listening.read_until("200 OK")
            ask = self.broker.pending()[0]
            self.revoke("bot")
            self.assertNotIn('"result"', held.read_to_end())
            listening.read_to_end()
        self.broker.call("POST", f"/v1/asks/{ask['id']}/dismiss", {})
        with Wire(self.broker, "POST", "/mcp", self.agent, call, lines) as again:
            again.read_until("401")

    def answer_all(self) -> None:
        for ask in self.broker.call("GET", "/v1/asks?state=pending")[1]["asks"]:
            self.broker.call("POST", f"/v1/asks/{ask['id']}/answer",
                             {"answers": [{"selected": ["Yes"]}]})

    def end_first_of_two(self, end: Callable[[], None], is_modern: bool) -> None:
        """What the one token of an agent began ends with it, what its other token did goes on."""
        other = token_of(self.broker, "bots-second", "agent", **{"as": "bot"})
        lines = MODERN if is_modern else self.initialize()
        call = call_of("ask_user", GO_ON, is_modern)
        with Wire(self.broker, "POST", "/mcp", self.agent, call, lines) as first:
            self.broker.pending(1)
            with Wire(self.broker, "POST", "/mcp", other, call | {"id": 3}, lines) as second:
                self.broker.pending(2)
                end()
                self.assertNotIn('"result"', first.read_to_end())
                # What was asked goes on waiting.
                self.broker.pending(2)
                self.answer_all()
                second.read_until('"Yes"')
        with Wire(self.broker, "POST", "/mcp", self.agent, call, lines) as again:
            again.read_until("401")

    def test_calls_of_another_token_of_the_same_agent_go_on(self) -> None:
        self.end_first_of_two(lambda: self.revoke("bot"), is_modern=False)

    def test_modern_calls_of_another_token_of_the_same_agent_go_on(self) -> None:
        self.end_first_of_two(lambda: self.revoke("bot"), is_modern=True)

    def test_calls_of_another_token_go_on_when_the_first_is_given_another_secret(self) -> None:
        self.end_first_of_two(
            lambda: self.assertEqual(self.broker.call("POST", "/v1/tokens/bot/rotate")[0], 201),
            is_modern=True)

    def begin_all(self, person: str, agent: str) -> list[Wire]:
        """What of each door waits by a token."""
        ask = self.broker.call("POST", "/v1/asks", {"question": "Still there?"})[1]
        begun = []

        def begin(until: str, *request: Any) -> None:
            wire = Wire(self.broker, *request)
            self.addCleanup(wire.__exit__)
            if until:
                wire.read_until(until)
            begun.append(wire)

        begin("snapshot.end", "GET", "/v1/events", person)
        begin("", "GET", f"/v1/asks/{ask['id']}?wait=500", person)
        begin("", "POST", "/trpc/message.ask", agent, {
            "sessionId": "own", "questions": [{"question": "Tea?", "options": [{"label": "Yes"}]}]})
        begin("", "POST", "/mcp", agent, call_of("ask_user", GO_ON, True), MODERN)
        self.broker.pending(3)
        return begun

    def test_all_that_waits_ends_when_its_token_is_revoked(self) -> None:
        begun = self.begin_all(self.person, self.agent)
        self.revoke("ada")
        self.revoke("bot")
        for wire in begun:
            self.assertNotIn('"result"', wire.read_to_end())
        self.assertEqual(len(self.broker.pending(3)), 3)

    def test_all_that_waits_ends_when_its_token_expires(self) -> None:
        soon = {"expires_in_seconds": 3}
        begun = self.begin_all(token_of(self.broker, "eve", "responder", **soon),
                               token_of(self.broker, "short", "agent", **soon))
        for wire in begun:
            self.assertNotIn('"result"', wire.read_to_end())
        self.assertEqual(len(self.broker.pending(3)), 3)

    def test_a_hook_that_waits_ends(self) -> None:
        with Wire(self.broker, "POST", "/hooks/claude", self.agent, {
                "hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": "t",
                "tool_name": "AskUserQuestion", "tool_input": GO_ON}) as hook:
            self.broker.pending()
            self.revoke("bot")
            self.assertNotIn("allow", hook.read_to_end())


if __name__ == "__main__":
    unittest.main()
