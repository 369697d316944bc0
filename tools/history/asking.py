# SPDX-License-Identifier: Apache-2.0
"""How an agent asks at each door and waits for what becomes of it, across every loss of the broker.
A question's text is its own, so that the record at the end says which ask it became."""

import asyncio
from typing import Any

from record import FAILED, OK, UNKNOWN
from settling import withdraw
from wire import Lost, NotSent, Reply, parse_frame
from world import RETRY_SECONDS, World, told

OPTIONS = [{"label": "Yes", "description": "y"}, {"label": "No", "description": "n"}]
ACCEPT = {"Accept": "application/json, text/event-stream"}


class Asker:
    """One agent's worker: asks, waits, asks again. Each call may be repeated by its key."""

    def __init__(self, world: World, name: str, who: str, session: str):
        self.world, self.name, self.who, self.session = world, name, who, session
        self.random = world.random_of(name)
        self._mcp = ""

    async def work(self) -> None:
        doors = (self._native, self._native, self._native, self._trpc, self._mcp_call, self._hook)
        while not self.world.is_stopping:
            await self.world.rest(self.random, 0.02, 0.4)
            text = f"{self.name} asks {self.world.next_number()}"
            await self.random.choice(doors)(text)

    def _deliver(self, door: str, text: str, told_text: str) -> None:
        operation = self.world.recorder.begin(self.name, door, "deliver", text=text)
        self.world.recorder.end(operation, OK, told=told_text)

    # The native API: asked once or twice at the same time under one key, with a deadline or none.

    async def _native(self, text: str) -> None:
        body: dict[str, Any] = {"session": self.session, "key": text, "question": text}
        timeout, default = 0.0, ""
        if self.random.random() < 0.25:
            timeout = round(self.random.uniform(0.5, 2.5), 1)
            body["timeout_seconds"] = timeout
            if self.random.random() < 0.5:
                default = f"default of {text}"
                body["on_timeout"] = {"default": [{"selected": [], "other": default}]}
        while True:
            twice = self.random.random() < 0.1
            asks = await asyncio.gather(*(self._ask_natively(body, timeout, default)
                                          for _ in range(2 if twice else 1)))
            if ask := next((ask for ask in asks if ask), None):
                break
            if self.world.is_stopping:
                return
            await asyncio.sleep(RETRY_SECONDS)
        if self.random.random() < 0.05 and not timeout:
            await withdraw(self.world, self.name, ask, f"{self.name} takes back", self.who)
        await self._wait_natively(text, ask["id"])

    async def _ask_natively(self, body: dict, timeout: float, default: str) -> dict | None:
        operation = self.world.recorder.begin(
            self.name, "native", "ask", text=body["question"], key=body["key"],
            session=self.session, timeout=timeout, default=default)
        reply = await self.world.record(operation, "POST", "/v1/asks", self.who, body)
        if reply is None or not reply.is_ok:
            return None
        ask = reply.body
        operation.got = {"id": ask["id"]}
        return ask

    async def _wait_natively(self, text: str, ask_id: str) -> None:
        while True:
            reply = await self.world.insist("GET", f"/v1/asks/{ask_id}?wait=10", self.who)
            if not reply.is_ok:
                self.world.recorder.fault(f"{ask_id} of an acknowledged ask is {reply.status}")
                return
            if reply.body["state"] != "pending":
                return self._deliver("native", text, told(reply.body["settlement"]))

    # tRPC: one held call, repeated with its key.

    async def _trpc(self, text: str) -> None:
        body = {"sessionId": self.session, "key": text, "timeoutMs": 0,
                "questions": [{"question": text, "header": "History", "multiSelect": False,
                               "options": OPTIONS}]}
        while True:
            operation = self.world.recorder.begin(self.name, "trpc", "ask", text=text, key=text,
                                                  session=self.session, timeout=0, default="")
            reply = await self.world.record(operation, "POST", "/trpc/message.ask", self.who, body,
                                            patience=60)
            got = self._read_trpc(reply)
            if got is None:
                operation.result = UNKNOWN if operation.result == OK else operation.result
                await asyncio.sleep(RETRY_SECONDS)
                continue
            operation.result = OK
            return self._deliver("trpc", text, got)

    def _read_trpc(self, reply: Reply | None) -> str | None:
        if reply is None:
            return None
        try:
            body = reply.body
        except Lost:
            return None
        if body is None:
            return None
        if "result" in body:
            return f"answered|{next(iter(body['result']['data']['answers'].values()))}|somebody"
        message = body["error"]["message"]
        for outcome in ("dismissed", "withdrawn"):
            if outcome in message:
                return f"{outcome}||somebody"
        if body["error"]["data"]["code"] in ("CLIENT_CLOSED_REQUEST", "INTERNAL_SERVER_ERROR",
                                             "SERVICE_UNAVAILABLE"):
            return None
        self.world.recorder.fault(f"tRPC's message.ask said {message!r}")
        return "failed||"

    # Claude Code's hook over HTTP: one held call, repeated with its tool call.

    async def _hook(self, text: str) -> None:
        call = "toolu_" + text.replace(" ", "_")
        body = {"hook_event_name": "PreToolUse", "session_id": self.session, "tool_use_id": call,
                "tool_name": "AskUserQuestion", "tool_input": {"questions": [
                    {"question": text, "header": "History", "multiSelect": False,
                     "options": OPTIONS}]}}
        silent = 0
        while silent < 4:
            operation = self.world.recorder.begin(self.name, "hook", "ask", text=text, key=call,
                                                  session=self.session, timeout=0, default="")
            reply = await self.world.record(operation, "POST", "/hooks/claude", self.who, body,
                                            patience=60)
            decided = self._read_hook(reply)
            if decided is None:
                operation.result = UNKNOWN if operation.result == OK else operation.result
                silent += reply is not None
                await asyncio.sleep(0.2 if reply is not None else RETRY_SECONDS)
                continue
            return self._deliver("hook", text, decided)

    def _read_hook(self, reply: Reply | None) -> str | None:
        try:
            said = reply.body if reply is not None and reply.is_ok else None
        except Lost:
            return None
        if not said:
            return None  # no opinion: the broker stops, or the ask was withdrawn
        decision = said["hookSpecificOutput"]
        if decision["permissionDecision"] == "allow":
            return f"answered|{next(iter(decision['updatedInput']['answers'].values()))}|somebody"
        return "dismissed||somebody"

    # MCP over HTTP: asked without blocking, then waited for, in conversations that may be lost.

    async def _mcp_call(self, text: str) -> None:
        operation = self.world.recorder.begin(self.name, "mcp", "ask", text=text, key="",
                                              session="", timeout=0, default="")
        question = {"question": text, "header": "History", "multiSelect": False,
                    "options": OPTIONS}
        try:
            result = await self._call_tool("ask_user", {"questions": [question],
                                                        "blocking": False})
        except NotSent:
            return self.world.recorder.end(operation, FAILED)
        except Lost:
            return self.world.recorder.end(operation, UNKNOWN)
        if "ask_id" not in result:
            self.world.recorder.fault(f"MCP's ask_user said {result}")
            return self.world.recorder.end(operation, FAILED)
        self.world.recorder.end(operation, OK, id=result["ask_id"])
        while True:
            try:
                result = await self._call_tool("wait_answer", {"ask_id": result["ask_id"]})
            except (Lost, NotSent):
                await asyncio.sleep(RETRY_SECONDS)
                continue
            if result.get("status") != "pending":
                break
        words = ""
        for answer in result.get("answers") or []:
            words = answer.get("customInput") or ", ".join(answer["selectedOptions"])
        self._deliver("mcp", text, f"{result.get('status')}|{words}|somebody")

    async def _call_tool(self, tool: str, arguments: dict) -> dict:
        """The structured result of one call; a conversation is begun where there is none."""
        if not self._mcp:
            await self._initialize()
        reply = await self.world.call(
            "POST", "/mcp", self.who, {"jsonrpc": "2.0", "id": self.world.next_number(),
                                       "method": "tools/call",
                                       "params": {"name": tool, "arguments": arguments}},
            fields={**ACCEPT, "Mcp-Session-Id": self._mcp}, patience=70)
        if reply.status == 404:
            self._mcp = ""
            raise NotSent
        message = _last_message(reply)
        if "result" not in message or "structuredContent" not in message["result"]:
            raise Lost
        return message["result"]["structuredContent"]

    async def _initialize(self) -> None:
        reply = await self.world.call(
            "POST", "/mcp", self.who,
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": f"history-{self.name}", "version": "1"}}}, fields=ACCEPT)
        if not reply.is_ok:
            raise NotSent
        self._mcp = reply.fields["mcp-session-id"]
        await self.world.call("POST", "/mcp", self.who,
                              {"jsonrpc": "2.0", "method": "notifications/initialized"},
                              fields={**ACCEPT, "Mcp-Session-Id": self._mcp})


def _last_message(reply: Reply) -> dict:
    """The result of a call, which comes as JSON or at the end of an event stream."""
    if reply.fields.get("content-type", "").startswith("application/json"):
        return reply.body or {}
    message: dict = {}
    for text in reply.text.decode().split("\n\n"):
        frame = parse_frame(text)
        if frame.data:
            message = frame.body
    return message
