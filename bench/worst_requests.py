# SPDX-License-Identifier: Apache-2.0
"""What costs a broker most: for every route of docs/doors/access.md requests at the route's limits,
some that no reader would take and some that are as good as any other."""

import json
import re
from dataclasses import dataclass
from typing import Any, Callable, Iterator
from urllib.parse import quote

from hostile_attacks import KIB, MIB, Target, frame, upgrade
from routes import routes

BODY_BYTES = 4 * MIB
HOOK_BYTES = 16 * MIB
TARGET_BYTES = 24 * KIB - 200
EVENTS = "Accept: application/json, text/event-stream\r\n"
META = "io.modelcontextprotocol/"


@dataclass(frozen=True)
class Case:
    """One request, sent at once after `before` was answered by a head. One that settles an ask is
    made anew each time, for another ask."""

    route: str
    what: str
    request: bytes | Callable[[], bytes]
    before: bytes = b""

    def bytes(self) -> bytes:
        return self.request() if callable(self.request) else self.request


@dataclass(frozen=True)
class State:
    """What the broker holds when it is asked: an ask with as many questions and options as one
    may have, a session with a long past, and how each caller is known."""

    targets: dict[str, Target]  # by role
    ask: str
    session: str
    session_id: str
    is_full: bool  # of asks, sessions, drafts, messages and parts
    message: str  # of the session, by its id
    new_ask: Callable[[], str]  # another such ask
    new_crowd: Callable[[], str]  # a session with 1,000 pending asks


def repeated(item: str, size: int, first: str = "[", last: str = "]", sep: str = ",") -> bytes:
    count = (size - len(first) - len(last)) // (len((item + sep).encode()))
    return (first + sep.join([item] * count) + last).encode()


def text_of(piece: str, size: int, first: str, last: str) -> bytes:
    return repeated(piece, size, first, last, "")


def documents(size: int) -> Iterator[tuple[str, bytes]]:
    """JSON that is right as such, whatever its reader wants."""
    members = ",".join(f'"m{number}":{number}' for number in range(2000))
    yield "empty objects", repeated("{}", size)
    yield "small numbers", repeated("1", size)
    yield "long numbers", repeated("-1.7976931348623157e-308", size)
    yield "one number", text_of("7", size, "", "")
    yield "nested lists", repeated("[" * 30 + "]" * 30, size)
    yield "objects of many members", repeated("{" + members + "}", size)
    yield "members with long names", repeated('{"' + "n" * 1000 + '":1}', size)
    yield "short texts", repeated('"a"', size)
    yield "one text of escapes", text_of("\\u00e9", size, '{"question":"', '"}')
    yield "one text of surrogates", text_of("\\ud83d\\ude00", size, '{"text":"', '"}')
    yield "one text of invisible characters", text_of("\u200b", size, '{"title":"', '"}')
    yield "one text of newlines", text_of("\\n", size, '{"text":"', '"}')
    yield "blanks", b" " * (size - 2) + b"{}"


def text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def many_options(count: int, options: int, bytes_each: int) -> list[dict]:
    """Labels of composed characters that differ at their ends only."""
    pad = "e\u0301" * max(0, (bytes_each - 12) // 3)
    return [{"question": f"Which of them, {number}?", "multi_select": True, "options": [
        {"label": f"{pad}{number:02}-{each:03}"} for each in range(options)]}
        for number in range(count)]


def multi_edit(edits: int, lines: int) -> dict:
    return {"file_path": "a.txt", "edits": [
        {"old_string": "a\n" * lines, "new_string": "b\na\n" * (lines // 2)}
        for _ in range(edits)]}


def permission(tool: str, given: dict) -> dict:
    return {"question": "May it?", "options": ["Allow once", "Deny"],
            "permission": {"tool": tool, "input": given}}


def asks() -> Iterator[tuple[str, Any]]:
    large = [{"question": f"{number} " + "w" * 15_900} for number in range(16)]
    yield "16 long questions", {"questions": large}
    yield "6,400 options", {"questions": many_options(32, 200, 38)}
    yield "a context of markdown", {"question": "Go on?", "context": "> - *a* `b` | c\n" * 1000}
    yield "one edit of many lines", permission("Edit", {
        "file_path": "a", "old_string": "a\n" * 990, "new_string": "b\na\n" * 490})
    yield "many edits", permission("MultiEdit", multi_edit(100, 990))
    yield "a command of 1 MiB", permission("Bash", {"command": "x\\\n" * (MIB // 6)})
    yield "a plan of 1 MiB", permission("ExitPlanMode", {"plan": "# a\u0301\n" * (MIB // 8)})
    yield "an input of many members", permission("mcp__a__b", {
        f"m{number}": "`" * 400 for number in range(2000)})
    yield "an input of small numbers", permission("mcp__a__b", {"list": [1] * 250_000})


def answers() -> Iterator[tuple[str, Any]]:
    questions = many_options(32, 200, 38)
    chosen = [[option["label"] for option in question["options"]] for question in questions]
    yield "all options", [{"selected": labels} for labels in chosen]
    yield "the same option again and again", [{"selected": [chosen[0][0]] * 60_000}]
    yield "long texts", [{"selected": [], "other": "e\u0301 " * (15 * KIB)}] * 32
    yield "unknown options", [{"selected": [f"{number} no" for number in range(9000)]}] * 32


def stream_items() -> Iterator[tuple[str, Any]]:
    yield "many items", [{"type": "text-delta", "part_id": "p", "text": "x"}] * 70_000
    yield "one text", [{"type": "text-start", "part_id": "p", "text": "é\n" * (MIB // 2 - 100)}]
    yield "one tool's input", [{"type": "tool-input-available", "call_id": "c", "tool": "t",
                                "input": {"list": [[1]] * 800_000}}]
    yield "one tool's output", [{"type": "tool-output", "call_id": "c",
                                 "output": [{}] * 1_040_000}]


def held_call(target: Target, name: str, arguments: Any) -> bytes:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": name, "arguments": arguments,
        "_meta": {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {},
                  META + "clientInfo": {"name": "worst", "version": "1"}}}}
    return target.post("/mcp", body, EVENTS + "MCP-Protocol-Version: 2026-07-28\r\n"
                       f"Mcp-Method: tools/call\r\nMcp-Name: {name}\r\n")


def own_cases(state: State) -> Iterator[Case]:
    """What a route takes, as much of it as it takes."""
    agent, person = state.targets["agent"], state.targets["responder"]
    for what, body in asks():
        yield Case("POST /v1/asks", what, agent.post("/v1/asks", body))
        hook = {"session_id": "s", "cwd": "/", "hook_event_name": "PermissionRequest",
                "tool_name": body.get("permission", {}).get("tool", "AskUserQuestion"),
                "tool_input": body.get("permission", {}).get("input", body)}
        yield Case("POST /hooks/claude", what, agent.post("/hooks/claude", hook))
        yield Case("POST /mcp", what, held_call(agent, "ask_user", body))
        yield Case("POST /trpc/{path*}", "message.ask, " + what,
                   agent.post("/trpc/message.ask", body))
    for what, given in answers():
        yield from answer_cases(state, what, given)
    for what, items in stream_items():
        yield Case("POST /v1/sessions/{id}/events", what,
                   agent.post(f"/v1/sessions/{state.session}/events", items))
    yield from calls_of_many(state)
    yield from chats(state)
    yield from ends(state)


def ends(state: State) -> Iterator[Case]:
    """What settles all that waits in a session."""
    person = state.targets["responder"]
    for method, path in (("DELETE", "/v1/sessions/{id}"), ("POST", "/v1/sessions/{id}/abort"),
                         ("DELETE", "/session/{sessionID}"),
                         ("POST", "/session/{sessionID}/abort")):
        yield Case(f"{method} {path}", "1,000 pending asks", lambda method=method, path=path:
                   person.head(method, re.sub("{.*}", state.new_crowd(), path), 0))


def answer_cases(state: State, what: str, given: list[dict]) -> Iterator[Case]:
    """One answer at every door that takes answers."""
    person = state.targets["responder"]
    lists = [each["selected"] or [each["other"]] for each in given]
    keyed = {f"q{number}": each for number, each in enumerate(lists)}
    joined = {f"Which of them, {number}?": ", ".join(each) for number, each in enumerate(lists)}
    draft = text({"answers": given})

    def reply(ask: str) -> bytes:
        return person.post(f"/question/{ask}/reply", {"answers": lists})

    def reply_located(ask: str) -> bytes:
        return person.post(f"/api/session/{state.session_id}/question/{ask}/reply",
                           {"answers": lists})

    def answer(ask: str) -> bytes:
        return person.post(f"/v1/asks/{ask}/answer", {"answers": given})

    def put_draft(ask: str) -> bytes:
        return person.head("PUT", f"/v1/asks/{ask}/draft", len(draft)) + draft

    def answer_ask(ask: str) -> bytes:
        return person.post("/trpc/message.answerAsk", {
            "sessionId": state.session, "questionId": ask, "answers": keyed})

    def tool_result(ask: str) -> bytes:
        return person.post("/api/chat/tool-result", {
            "sessionId": state.session, "toolUseId": ask, "answers": joined})

    def chat(ask: str) -> bytes:
        return frame(1, text({"type": "ask_user_response", "data": {
            "question_id": ask, "answers": joined, "cancelled": False}}))

    for route, make in (("POST /v1/asks/{id}/answer", answer),
                        ("PUT /v1/asks/{id}/draft", put_draft),
                        ("POST /question/{requestID}/reply", reply),
                        ("POST /api/session/{sessionID}/question/{requestID}/reply",
                         reply_located),
                        ("POST /trpc/{path*}", answer_ask),
                        ("POST /api/chat/tool-result", tool_result)):
        yield Case(route, "an answer: " + what, lambda make=make: make(state.new_ask()))
    yield Case("GET /api/v1/chat/ws/{session}", "an answer: " + what,
               lambda: chat(state.new_ask()), upgrade(person, f"/api/v1/chat/ws/{state.session}"))


def calls_of_many(state: State) -> Iterator[Case]:
    agent, person = state.targets["agent"], state.targets["responder"]
    for procedure, one in (("message.ask", {"question": "Go on?"}),
                           ("message.abort", {"sessionId": "no-such-session"})):
        inputs = {str(number): one for number in range(1024)}
        yield Case("POST /trpc/{path*}", f"{procedure}, 1,024 of them", agent.post(
            "/trpc/" + ",".join([procedure] * 1024) + "?batch=1", inputs))
        messages = [{"id": number, "method": "mutation",
                     "params": {"path": procedure, "input": one}} for number in range(1024)]
        yield Case("GET /trpc", f"{procedure}, 1,024 of them", frame(1, text(messages)),
                   upgrade(agent, "/trpc"))
    for what, body in documents(BODY_BYTES):
        yield Case("GET /trpc", what, frame(1, body), upgrade(agent, "/trpc"))
        yield Case("GET /api/v1/chat/ws/{session}", what, frame(1, body),
                   upgrade(person, "/api/v1/chat/ws/worst-chat"))


def chats(state: State) -> Iterator[Case]:
    person = state.targets["responder"]
    part = {"type": "text", "text": "a\u0301 " * 100}
    call = {"type": "tool-AskUserQuestion", "toolCallId": "c", "state": "output-available",
            "input": {"questions": []}, "output": {"answers": {"a": "b"}}}
    for what, parts in (("many texts", [part] * 4000), ("many tool calls", [call] * 20_000)):
        for role in ("user", "assistant"):
            body = {"id": "worst-ui", "messages": [{"id": "m", "role": role, "parts": parts}]}
            yield Case("POST /api/chat", f"{what} of the {role}", person.post("/api/chat", body))
    many = [{"id": str(number), "role": "user", "parts": [{"type": "text", "text": "x"}]}
            for number in range(40_000)]
    yield Case("POST /api/chat", "many messages",
               person.post("/api/chat", {"id": "worst-ui", "messages": many}))
    parts = [{"type": "text", "text": "x"}] * 120_000
    for path in ("message", "prompt_async"):
        yield Case(f"POST /session/{{sessionID}}/{path}", "many parts", person.post(
            f"/session/{state.session_id}/{path}", {"parts": parts}))
    for what, said in (("composed letters", "a\u0301 " * (MIB // 4 - 10)),
                       ("control characters", "\x01" * (MIB // 2))):
        yield Case("POST /v1/sessions/{id}/messages", what, person.post(
            "/v1/sessions/worst-chat/messages", {"text": said}))


def filled(pattern: str, state: State) -> str:
    values = {"requestID": state.ask, "sessionID": state.session_id, "session": state.session,
              "path*": "message.pending", "name": "no-such-token", "messageID": state.message}
    if pattern.startswith("/v1/asks"):
        values["id"] = state.ask
    return re.sub(r"{([^}]+)}", lambda name: values.get(name[1], state.session), pattern)


def read_cases(state: State) -> Iterator[Case]:
    """Everything that a full broker can be asked for."""
    for method, pattern, role in routes():
        target, path = state.targets[role], filled(pattern, state)
        route = f"{method} {pattern}"
        if method == "GET":
            yield Case(route, "plain", target.head("GET", path))
    yield from own_reads(state)


def own_reads(state: State) -> Iterator[Case]:
    """Lists and streams, as long as they can be asked for."""
    agent, person = state.targets["agent"], state.targets["responder"]
    yield Case("GET /trpc/{path*}", "message.pending", agent.head(
        "GET", "/trpc/message.pending?input=%7B%22sessionId%22%3A%22" + state.session + "%22%7D"))
    many = ",".join(f'"{number}":{{"sessionId":"{state.session}"}}' for number in range(300))
    yield Case("GET /trpc/{path*}", "message.pending, 300 of them", agent.head(
        "GET", "/trpc/" + ",".join(["message.pending"] * 300) + "?batch=1&input=" +
        quote("{" + many + "}", safe="")))
    messages = [{"id": number, "method": "query", "params": {
        "path": "message.pending", "input": {"sessionId": state.session}}}
        for number in range(1024)]
    yield Case("GET /trpc", "message.pending, 1,024 of them", frame(1, text(messages)),
               upgrade(agent, "/trpc"))
    for query in ("limit=1000", "limit=1000&state=pending", "limit=1000&order=newest",
                  "q=%C3%A9%20w%20no-such-word&limit=1000", "q=" + "w" * 190 + "x&limit=1000",
                  "state=settled&q=zz&limit=1000"):
        for name, target in (("an agent", agent), ("a person", person)):
            yield Case("GET /v1/asks", f"{query[:30]}, {name}",
                       target.head("GET", "/v1/asks?" + query))
    yield Case("GET /v1/sessions", "limit=1000", person.head("GET", "/v1/sessions?limit=1000"))
    for path in ("/v1/events", "/event", "/global/event", "/api/event"):
        yield Case(f"GET {path}", "from the start", agent.head("GET", path))
        yield Case(f"GET {path}", "from the start, a person", person.head("GET", path))
    for session in (state.session, "worst-controls"):
        yield Case("GET /v1/sessions/{id}/events", f"limit=1000, {session}",
                   person.head("GET", f"/v1/sessions/{session}/events?limit=1000"))
    yield Case("GET /v1/sessions/{id}/messages", "all that may wait",
               agent.head("GET", "/v1/sessions/worst-controls/messages"))


def write_cases(state: State) -> Iterator[Case]:
    """What arrives at a broker that has room for it."""
    yield from own_cases(state)
    for method, pattern, role in routes():
        target, path = state.targets[role], filled(pattern, state)
        route = f"{method} {pattern}"
        if method == "DELETE":
            path = path.replace(state.session, "no-such").replace(state.session_id, "no-such")
        if method in ("GET", "DELETE"):
            query = "?q=" + "%20" * (TARGET_BYTES // 3)
            yield Case(route, "a long target", target.head(method, path + query))
            continue
        size = HOOK_BYTES if path == "/hooks/claude" else BODY_BYTES
        lines = EVENTS if path == "/mcp" else ""
        for what, body in documents(size):
            yield Case(route, what, target.head(method, path, len(body), lines) + body)


def cases(state: State) -> Iterator[Case]:
    yield from read_cases(state) if state.is_full else write_cases(state)


def own_routes() -> set[str]:
    """Those that have requests of their own; no broker is needed to know them."""
    nobody = Target("127.0.0.1", 1)
    state = State(dict.fromkeys(("nobody", "agent", "responder", "owner"), nobody), "que_none",
                  "worst", "ses_none", True, "msg_none", str, str)
    return {case.route for made in (own_cases, own_reads) for case in made(state)}
