# SPDX-License-Identifier: Apache-2.0
"""Callers of a broker at its doors: every byte that comes back is held against the model."""

import json
import re
from typing import Any, Optional

from broker_process import Broker
from streams_test import UPGRADE, Wire
from viewers_model import Ask, Caller, Session, World

Reply = tuple[int, str]


def questions(mark: str) -> list[dict]:
    return [{"question": f"Which {mark}?", "header": "Which", "multiSelect": False,
             "options": [{"label": f"A {mark}", "description": ""},
                         {"label": "B", "description": ""}]}]


def ws_frame(text: str) -> bytes:
    """A client's text frame, masked with zeros."""
    data = text.encode()
    assert len(data) < 65536
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
    return b"\x81" + size + bytes(4) + data


class Doors:
    def __init__(self, broker: Broker, world: World) -> None:
        self.broker = broker
        self.world = world
        self.trace: list[str] = []

    def check(self, caller: Caller, text: str, sent: str, where: str) -> None:
        hidden = self.world.hidden_in(text, caller, sent)
        assert not hidden, f"{caller.name} ({caller.role}) was shown {hidden} at {where}: {text}"
        for secret in ("token.changed", "TokenChanged", "mark.changed", "MarkChanged"):
            assert secret not in text, f"{caller.name} was told of a token at {where}: {text}"
        if "snoozed" not in text:
            return
        assert "/v1" in where, f"{caller.name} was told of a snooze at {where}: {text}"
        for line in text.split("\n"):
            if "ask.snoozed" in line and "data:" in line:
                told = json.loads(line.split("data:", 1)[1])["ask"]
                told = told if isinstance(told, str) else told["id"]
                assert told in caller.snoozed, f"{caller.name} was told of another's snooze: {line}"

    def call(self, caller: Caller, method: str, path: str, body: Any = None,
             **headers: str) -> Reply:
        """Over the local socket, where guesses slow nobody down."""
        status, text = self.broker.fetch(method, path, body, {
            "Authorization": f"Bearer {caller.secret}",
            **{name.replace("_", "-"): value for name, value in headers.items()}})
        self.trace.append(f"{caller.name} {method} {path} {json.dumps(body)} -> {status}")
        self.check(caller, text, path + json.dumps(body), path)
        assert status != 500, self.trace[-1] + text
        if caller.is_revoked:
            assert status == 401, self.trace[-1]
        return status, text

    def expect(self, reply: Reply, *allowed: int) -> Reply:
        assert reply[0] in allowed, f"not {allowed}: {self.trace[-1]} {reply[1]}"
        return reply

    def as_owner(self, method: str, path: str, body: Any = None) -> Any:
        status, answer = self.broker.call(method, path, body)
        assert status < 300, (method, path, status, answer)
        return answer

    # Asks, as the owner finds them.

    def learn_ask(self, ask_id: str, mark: str, caller: Caller) -> Ask:
        """Of an ask that was taken: where it stands, and that it may stand there."""
        found = self.as_owner("GET", f"/v1/asks/{ask_id}")
        session = self.world.sessions.get(found["session_id"])
        if session is None:
            owner = None if caller.is_person else caller.principal
            session = self.world.add_session(found["session_id"], found["session"], owner)
        assert caller.stands(session) != "foreign", f"asked in another's session: {self.trace[-1]}"
        self.world.enter(caller, session)
        return self.world.add_ask(ask_id, mark, caller, session)

    def ask(self, caller: Caller, session: str = "", **more: Any) -> tuple[Reply, Optional[Ask]]:
        mark = self.world.new_mark()
        body = {"questions": questions(mark), **more} | ({"session": session} if session else {})
        reply = self.call(caller, "POST", "/v1/asks", body)
        if reply[0] != 201:
            return reply, None
        ask = self.learn_ask(json.loads(reply[1])["id"], mark, caller)
        ask.body = body | {"session": ask.session.id} if more else {}
        return reply, ask

    # MCP, in both eras.

    def mcp_open(self, caller: Caller) -> str:
        init = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}}
        with Wire(self.broker, "POST", "/mcp", caller.secret, init) as wire:
            head = wire.read_until("serverInfo")
        return re.search(r"(?i)mcp-session-id: (\S+)", head)[1]

    def mcp_call(self, caller: Caller, conversation: str, tool: str, arguments: dict) -> Reply:
        """A tool's result; without a conversation as a request that stands for itself."""
        params: dict = {"name": tool, "arguments": arguments}
        headers = {"Accept": "application/json, text/event-stream"}
        if conversation:
            headers |= {"Mcp_Session_Id": conversation, "MCP_Protocol_Version": "2025-06-18"}
        else:
            headers |= {"MCP_Protocol_Version": "2026-07-28", "MCP_Method": "tools/call",
                        "MCP_Name": tool}
            params["_meta"] = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                               "io.modelcontextprotocol/clientCapabilities": {}}
        return self.call(caller, "POST", "/mcp", {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, **headers)


class Stream:
    """One caller's stream: all that comes is checked, and what may be seen must come."""

    def __init__(self, doors: Doors, caller: Caller, target: str, session: Optional[Session] = None,
                 after: str = "", since: Optional[int] = None, body: Any = None,
                 lines: str = "") -> None:
        self.doors = doors
        self.caller = caller
        self.session = session
        self.target = target
        self.is_socket = "/ws/" in target or target == "/trpc"
        # What it is told of: what is pending now, or what was asked since, and all from now on.
        pending = [ask for ask in doors.world.seen_by(caller, session) if ask.is_pending]
        self._due = pending if since is None else list(
            doors.world.seen_by(caller, session, since))
        self._from = len(doors.world.asks)
        self._checked = 0
        if self.is_socket:
            lines = UPGRADE
        elif after:
            lines = f"Last-Event-ID: {after}\r\n"
        self.wire = Wire(doors.broker, "POST" if body else "GET", target, caller.secret, body,
                         lines)
        doors.trace.append(f"{caller.name} STREAM {target} after {after!r}")

    def send(self, message: Any) -> None:
        self.wire.send(ws_frame(json.dumps(message)))

    def check(self) -> None:
        text = self.wire.text[max(0, self._checked - 64):]
        # What stands at the end may be half a frame.
        end = text.rfind("\n\n") + 2 if "\n\n" in text and not self.is_socket else len(text)
        self.doors.check(self.caller, text[:end], self.target, self.target)
        self._checked = len(self.wire.text)

    def catch_up(self) -> bool:
        """Reads up to an ask that is made for that; false where none can be made any more."""
        session = self.session
        if session is not None and session.is_ended:
            return False
        world = self.doors.world
        asker = world.callers[0] if self.caller.is_person else self.caller
        last = self.doors.ask(asker, session.id if session else "")[1]
        assert last is not None, self.doors.trace[-1]
        due = self._due + [ask for ask in world.seen_by(self.caller, session, self._from)]
        self.wire.read_until(last.mark)
        self.check()
        # A chat shows no question that is settled before its turn.
        missing = [ask.mark for ask in due if ask.mark not in self.wire.text and (
            ask.is_pending or not self.is_socket)]
        assert not missing, f"{self.caller.name} was not shown {missing} at {self.target}"
        return True

    def read_to_end(self) -> None:
        """Fails if it goes on."""
        self.wire.read_to_end(b"\r\n0\r\n\r\n")
        self.check()
        self.close()

    def close(self) -> None:
        self.wire.__exit__()

    def cursor(self) -> str:
        found = re.findall(r"\nid: (\S+)", self.wire.text)
        return found[-1] if found else ""
