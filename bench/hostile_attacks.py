# SPDX-License-Identifier: Apache-2.0
"""What a hostile peer sends: each attack as the bytes of one connection. None of them reads more
than it must to go on."""

import base64
import json
import os
import ssl
import struct
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

MIB = 1024 * 1024
KIB = 1024


@dataclass(frozen=True)
class Target:
    """The broker that is attacked, and what the attacker holds: nothing, or an agent's token."""

    host: str
    port: int
    token: str = ""
    call: Callable[..., tuple[int, Any]] = field(default=lambda *_: (0, None), repr=False)

    @property
    def authority(self) -> str:
        return f"{self.host}:{self.port}"

    def head(self, method: str, path: str, length: int | None = None, lines: str = "") -> bytes:
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.authority}\r\n{lines}"
        if self.token:
            head += f"Authorization: Bearer {self.token}\r\n"
        if length is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {length}\r\n"
        return (head + "\r\n").encode()

    def post(self, path: str, body: Any, lines: str = "") -> bytes:
        text = json.dumps(body).encode()
        return self.head("POST", path, len(text), lines) + text


@dataclass(frozen=True)
class Attack:
    """`first` is sent at once. With `waits`, `second` and the rest go out once a head is back.
    Then `more` is sent again and again, at most `bytes_max` a connection, as far as the broker
    takes it. `prepare` is what the attacker does before, by ordinary calls."""

    name: str
    has_token: bool
    first: Callable[[Target, int], bytes]
    more: Callable[[Target, int], bytes] | None = None
    bytes_max: int = 0
    waits: bool = False
    second: bytes = b""
    prepare: Callable[[Target], None] | None = None
    options: tuple[str, ...] = ()  # of `parley serve`
    reads: bool = False  # a client that reads, and wants much all the same


def upgrade(target: Target, path: str) -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    return target.head("GET", path, lines="Connection: Upgrade\r\nUpgrade: websocket\r\n"
                       f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n")


def frame(opcode: int, payload: bytes, claimed: int | None = None) -> bytes:
    """A masked frame that says to be `claimed` bytes long; the mask is zero, so that the payload
    stands as it is."""
    length = len(payload) if claimed is None else claimed
    first = bytes([0x80 | opcode])
    if length < 126:
        size = bytes([0x80 | length])
    elif length < 65536:
        size = bytes([0xfe]) + struct.pack(">H", length)
    else:
        size = bytes([0xff]) + struct.pack(">Q", length)
    return first + size + bytes(4) + payload


def client_hello(_: Target, __: int) -> bytes:
    context = ssl.create_default_context()
    out = ssl.MemoryBIO()
    engine = context.wrap_bio(ssl.MemoryBIO(), out, server_hostname="localhost")
    try:
        engine.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


PINGS = frame(9, b"p" * 125) * 500
FILLER = b"x" * (64 * KIB)
HALF_A_MESSAGE = frame(1, b"", claimed=4 * MIB)  # of which less will follow


def large_questions(count: int) -> list[dict]:
    return [{"question": f"{number} " + "q" * 15_000} for number in range(count)]


def fill_with_asks(target: Target) -> None:
    """As many large asks as the broker takes of one agent."""
    for number in range(400):
        body = {"session": f"hostile-{number % 50}", "questions": large_questions(16)}
        if target.call("POST", "/v1/asks", body)[0] != 201:
            return


def open_session(target: Target) -> None:
    """One session with parts that are as large as parts may be."""
    target.call("POST", "/v1/sessions", {"name": "hostile-0"})
    for number in range(60):
        items = [{"type": "text-start", "part_id": f"p{number}", "text": "w" * (3 * MIB)},
                 {"type": "text-end", "part_id": f"p{number}"}]
        if target.call("POST", "/v1/sessions/hostile-0/events", items)[0] != 202:
            return


def open_sessions(target: Target) -> None:
    for number in range(1000):
        target.call("POST", "/v1/sessions", {"name": f"hostile-part-{number}"})


def half_body(target: Target, _: int) -> bytes:
    return target.head("POST", "/v1/asks", 4 * MIB - 1) + b'{"question":"'


def initialize(target: Target, number: int) -> bytes:
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": f"hostile-{number}", "version": "1"}}}
    return target.post("/mcp", body, "Accept: application/json, text/event-stream\r\n")


def held_question(target: Target, number: int, beside: Any = None) -> bytes:
    options = [{"label": "Yes", "description": "y"}, {"label": "No", "description": "n"}]
    questions = [{**question, "header": "Head", "multiSelect": False, "options": options}
                 for question in large_questions(4)]
    name = "io.modelcontextprotocol/"
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "ask_user", "arguments": {"questions": questions},
        "_meta": {name + "protocolVersion": "2026-07-28", name + "clientCapabilities": {},
                  name + "clientInfo": {"name": f"h{number}", "version": "1"},
                  "beside": beside}}}
    return target.post("/mcp", body, "Accept: application/json, text/event-stream\r\n"
                       "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
                       "Mcp-Name: ask_user\r\n")


def held_small_call(target: Target, number: int) -> bytes:
    return held_question(target, number, [0] * 250_000)


def held_hook(target: Target, number: int) -> bytes:
    """Asks little, and brings as much beside it as a document may have."""
    return target.post("/hooks/claude", {
        "session_id": f"hostile-{number}", "cwd": "/", "hook_event_name": "PermissionRequest",
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": [0] * 250_000})


def open_part(target: Target, number: int) -> bytes:
    items = [{"type": "text-start", "part_id": f"p{number}", "text": "w" * (3 * MIB)}]
    return target.post(f"/v1/sessions/hostile-part-{number}/events", items)


def whole_part(target: Target, number: int) -> bytes:
    items = [{"type": "tool-output", "call_id": "c", "output": "w" * (3 * MIB)}]
    return target.post(f"/v1/sessions/hostile-part-{number}/events", items)


def part_of_one(target: Target, number: int) -> bytes:
    items = [{"type": "tool-output", "call_id": f"c{number}", "output": "w" * (3 * MIB)}]
    return target.post("/v1/sessions/hostile-part-0/events", items)


def padded_ask(target: Target, number: int) -> bytes:
    """A small ask in a large body, which waits for a person."""
    body = json.dumps({"question": "Go on?", "session": f"hostile-{number}"}).encode()
    body += b" " * (4 * MIB - len(body))
    return target.head("POST", "/v1/asks?wait=600", len(body)) + body


def ask_of_options(target: Target, number: int) -> bytes:
    questions = [{"question": str(each), "options": [str(option) for option in range(200)]}
                 for each in range(32)]
    return target.post("/v1/asks", {"session": f"hostile-{number}", "questions": questions})


def large_ask(target: Target, number: int) -> bytes:
    return target.post("/v1/asks", {"session": f"hostile-{number}",
                                    "questions": large_questions(16)})


def attacks(certificate: str, key: str) -> Iterator[Attack]:
    """All of them; the two files are the broker's, for the handshakes."""
    yield Attack("half a head", False, lambda t, _: t.head("GET", "/v1/asks")[:-4],
                 lambda t, n: b"\r\nX-Filler: " + b"x" * 1000, 30 * KIB)
    yield Attack("a body of 64 KiB, refused", False,
                 lambda t, _: t.head("POST", "/v1/asks", 64 * KIB) + FILLER)
    yield Attack("a body of 4 MiB, refused, half sent", False, half_body,
                 lambda t, _: FILLER, 2 * MIB)
    yield Attack("pipelined requests, answers unread", False, lambda t, _: b"",
                 lambda t, _: t.head("GET", "/v1/asks") * 500, 8 * MIB)
    yield Attack("pipelined pages, answers unread", False, lambda t, _: b"",
                 lambda t, _: t.head("GET", "/") * 500, 2 * MIB)
    yield Attack("pings before the sign-in, pongs unread", False,
                 lambda t, _: upgrade(t, "/trpc?connectionParams=1"), lambda t, _: PINGS, 8 * MIB,
                 waits=True)
    yield Attack("half a message of 4 MiB before the sign-in", False,
                 lambda t, _: upgrade(t, "/trpc?connectionParams=1"),
                 lambda t, _: FILLER, 3 * MIB, waits=True, second=HALF_A_MESSAGE)
    yield Attack("half a TLS handshake", False, client_hello,
                 options=("--tls-cert", certificate, "--tls-key", key))
    yield Attack("bodies of 4 MiB, half sent", True, half_body, lambda t, _: FILLER, 2 * MIB)
    yield Attack("asks as large and as many as it may", True, large_ask, reads=True)
    yield Attack("asks of 6,400 tiny options, as many as it may", True, ask_of_options, reads=True)
    yield Attack("small asks in bodies of 4 MiB, which wait", True, padded_ask, reads=True)
    yield Attack("a list of large asks, unread", True,
                 lambda t, _: t.head("GET", "/v1/asks?limit=1000"), prepare=fill_with_asks)
    yield Attack("lists of large asks pipelined, unread", True,
                 lambda t, _: t.head("GET", "/v1/asks?limit=1000") * 400, prepare=fill_with_asks)
    yield Attack("OpenCode's list of questions, unread", True,
                 lambda t, _: t.head("GET", "/question") * 12, prepare=fill_with_asks)
    yield Attack("event streams of large asks, unread", True,
                 lambda t, _: t.head("GET", "/v1/events"), prepare=fill_with_asks)
    yield Attack("tRPC streams of large parts, unread", True, lambda t, _: t.head(
        "GET", "/trpc/message.streamTracked?input=%7B%22sessionId%22%3A%22hostile-0%22%2C"
        "%22follow%22%3Atrue%7D", lines="Accept: text/event-stream\r\n"), prepare=open_session)
    yield Attack("parts of 3 MiB left open", True, open_part, reads=True,
                 prepare=open_sessions)
    yield Attack("whole parts of 3 MiB", True, whole_part, reads=True, prepare=open_sessions)
    yield Attack("whole parts of 3 MiB, in one session", True, part_of_one, reads=True,
                 prepare=open_sessions)
    yield Attack("MCP conversations", True, initialize, reads=True)
    yield Attack("MCP calls that wait", True, held_question)
    yield Attack("MCP calls that wait, and much beside them", True, held_small_call)
    yield Attack("hooks that wait, and much beside them", True, held_hook)
    yield Attack("half a WebSocket message of 4 MiB", True, lambda t, _: upgrade(t, "/trpc"),
                 lambda t, _: FILLER, 3 * MIB, waits=True, second=HALF_A_MESSAGE)
