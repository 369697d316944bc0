# SPDX-License-Identifier: Apache-2.0
"""Those who follow events at each door and come back with the last cursor that they saw. Only a
whole event moves a cursor: where a door tells one event in several frames, they count together."""

import asyncio
import hashlib
import json
import time
from typing import AsyncIterator
from urllib.parse import quote

from record import Scope, Snapshot
from settling import answer_natively
from websocket import WebSocket
from wire import Frame, Lost, NotSent, Refused
from world import RETRY_SECONDS, World, told

Seen = tuple[str, str, str]  # kind, subject, content
DAWDLE_SHARE = 0.0003  # of the events after which a slow reader stops reading
DAWDLE_SECONDS = (1.0, 12.0)


def digest(value: object) -> str:
    return hashlib.sha1(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


class Subscriber:
    """Follows a stream for ever; `cuts` also breaks off by itself now and then."""

    def __init__(self, world: World, name: str, who: str, scope: Scope, cuts: bool = False):
        self.world, self.name, self.who, self.scope, self.cuts = world, name, who, scope, cuts
        self.cursor = 0
        self.random = world.random_of(name)
        self.settled: set[str] = set()
        scope.who = who
        world.recorder.history.scopes[name] = scope

    async def work(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self.random.uniform(0.5, 5) if self.cuts else None):
                    await self._follow()
            except (Lost, NotSent, TimeoutError):
                self.world.recorder.count("reconnects")
            except Refused as error:
                if error.status == 503:  # the database is away: come back later
                    self.world.recorder.count("reconnects")
                    await asyncio.sleep(RETRY_SECONDS)
                    continue
                self.world.recorder.fault(f"{self.name} was refused its stream: {error}")
                return
            await asyncio.sleep(RETRY_SECONDS)

    async def _follow(self) -> None:
        raise NotImplementedError

    def _take(self, cursor: int, seen: list[Seen]) -> None:
        for kind, subject, content in seen:
            self.world.recorder.saw(self.name, cursor, kind, subject, content)
            if kind == "settled":
                self.settled.add(subject)
        self._move(cursor)

    def _move(self, cursor: int) -> None:
        if self.cursor == 0:
            self.scope.since, self.scope.first_cursor = time.time(), cursor
        self.cursor = cursor


class NativeSubscriber(Subscriber):
    """`/v1/events`. The one that leads tells the workers what waits."""

    leads = False
    is_slow = False  # stops reading now and then, and lets what it is told pile up

    async def _follow(self) -> None:
        fields = {"Last-Event-ID": str(self.cursor)} if self.cursor else {}
        has_cursor = bool(self.cursor)
        is_slow = self.is_slow and not self.world.is_stopping
        async for frame in self.world.wire.frames("/v1/events", self.world.tokens[self.who],
                                                  fields, is_slow):
            if is_slow:
                await self._dawdle()
            if frame.event == "reset" and has_cursor:
                self.world.recorder.fault(f"{self.name} was reset at {self.cursor}")
            if not frame.event:
                continue
            if self.leads:
                self._lead(frame)
            if frame.event == "snapshot.end":
                self._move(int(frame.cursor))
            elif frame.cursor:
                self._take(int(frame.cursor), [self._read(frame)])
            # What it has not read by the end, it reads as others do.
            if is_slow and self.world.is_stopping:
                return

    async def _dawdle(self) -> None:
        if self.random.random() < DAWDLE_SHARE and not self.world.is_stopping:
            self.world.recorder.count("pauses of a slow reader")
            await asyncio.sleep(self.random.uniform(*DAWDLE_SECONDS))

    def _lead(self, frame: Frame) -> None:
        if frame.event == "ask.opened":
            ask = frame.body["ask"]
            self.world.open[ask["id"]] = ask
        elif frame.event == "ask.settled":
            self.world.open.pop(frame.body["ask"]["id"], None)

    def _read(self, frame: Frame) -> Seen:
        body = frame.body
        if frame.event == "ask.opened":
            return "opened", body["ask"]["id"], body["ask"]["questions"][0]["question"]
        if frame.event == "ask.settled":
            return "settled", body["ask"]["id"], told(body["ask"]["settlement"])
        if frame.event == "session.part":
            return "part", body["part"].get("part_id", ""), digest(body["part"])
        if frame.event == "session.message" and "message" in body:
            return "message", body["message"]["id"], body["message"]["text"]
        if frame.event == "ask.draft":
            return "draft", body["ask"], ""
        if frame.event == "ask.snoozed":
            return "snoozed", body["ask"], body.get("snoozed_until", "")
        return frame.event, body.get("session_id", ""), ""


class OpenCodeSubscriber(Subscriber):
    """`/global/event`: several frames for one event, the last of which has the id."""

    async def _follow(self) -> None:
        fields = {"Last-Event-ID": str(self.cursor)} if self.cursor else {}
        seen: list[Seen] = []
        async for frame in self.world.wire.frames("/global/event", self.world.tokens[self.who],
                                                  fields):
            if frame.data:
                seen += self._read(frame.body["payload"])
            if frame.cursor:
                self._take(int(frame.cursor), seen if self.cursor else [])
                seen = []

    def _read(self, event: dict) -> list[Seen]:
        of = event["properties"]
        if event["type"] == "question.asked":
            return [("opened", of["id"], of["questions"][0]["question"])]
        if event["type"] == "question.replied":
            return [("settled", of["requestID"], f"answered|{', '.join(of['answers'][0])}|")]
        if event["type"] == "question.rejected":
            return [("settled", of["requestID"], "")]
        return []


class TrpcSubscriber(Subscriber):
    """`message.streamTracked` of one session, over Server-Sent Events."""

    async def _follow(self) -> None:
        given = {"sessionId": self.scope.session, "follow": True}
        if self.cursor:
            given["lastEventId"] = str(self.cursor)
        target = "/trpc/message.streamTracked?input=" + quote(json.dumps(given))
        async for frame in self.world.wire.frames(target, self.world.tokens[self.who]):
            if not frame.cursor or not frame.data:
                continue
            is_first = self.cursor == 0
            self._take(int(frame.cursor), [] if is_first else self._read(frame.body))

    def _read(self, event: dict) -> list[Seen]:
        if event["type"] == "ask-question":
            return [("opened", event["questionId"], event["questions"][0]["question"])]
        if event["type"] == "ask-settled":
            words = next(iter((event.get("answers") or {"": ""}).values()))
            return [("settled", event["questionId"], f"{event['outcome']}|{words}|")]
        return []


class ChatObserver(Subscriber):
    """The chat socket of one session. What was settled meanwhile is not shown as open."""

    suffix = "observe=1"

    async def _follow(self) -> None:
        after = f"&after={self.cursor}" if self.cursor else ""
        socket = await WebSocket.connect(
            self.world.wire, f"/api/v1/chat/ws/{self.scope.session}?{self.suffix}{after}",
            self.world.tokens[self.who])
        try:
            async for message in self._messages(socket):
                if "cursor" in message:
                    cursor = int(message["cursor"])
                    self._take(cursor, self._read(message) if self.cursor else [])
        finally:
            socket.close()

    async def _messages(self, socket: WebSocket) -> AsyncIterator[dict]:
        while True:
            yield await socket.receive()

    def _read(self, message: dict) -> list[Seen]:
        kind = message["type"]
        if kind == "ask_user_question":
            return [("opened", message["question_id"], "")]
        if kind == "ask_user_timeout" and message["outcome"] != "timed_out":
            return []  # for apps that know no other word; its end follows
        if kind in ("ask_user_settled", "ask_user_timeout"):
            words = next(iter((message.get("answers") or {"": ""}).values()))
            return [("settled", message["question_id"], f"{message['outcome']}|{words}|")]
        return []


class ChatSeat(ChatObserver):
    """The same from the seat: answers what it is asked, sometimes at once by another door too."""

    suffix = "timeout_seconds=0"

    async def _messages(self, socket: WebSocket) -> AsyncIterator[dict]:
        under_way: dict[str, tuple] = {}
        while True:
            message = await socket.receive()
            yield message
            question = message.get("question_id", "")
            if message["type"] == "ask_user_question" and not message.get("deadline"):
                words = f"{self.name} says {self.world.next_number()}"
                under_way[question] = (self.world.recorder.begin(
                    self.name, "chat", "settle", ask=question, outcome="answered", words=words,
                    session=""), words)
                socket.send({"type": "ask_user_response", "data": {
                    "question_id": question, "cancelled": False,
                    "answers": {message["questions"][0]["question"]: words}}})
            elif question in under_way and message["type"] in ("ask_user_settled", "error"):
                operation, words = under_way.pop(question)
                is_ours = message["type"] == "ask_user_settled" and words in str(
                    message.get("answers"))
                self.world.recorder.end(operation, "ok" if is_ours else "failed",
                                        outcome=message.get("outcome", ""))


class Joiner:
    """Comes without a cursor, again and again, and looks what it is told to be pending."""

    def __init__(self, world: World, name: str, who: str):
        self.world, self.name, self.who = world, name, who
        self.random = world.random_of(name)

    async def work(self) -> None:
        while not self.world.is_stopping:
            await self.world.rest(self.random, 0.3, 1.5)
            begin, asks = time.time(), []
            try:
                async for frame in self.world.wire.frames("/v1/events",
                                                          self.world.tokens[self.who]):
                    if frame.event == "snapshot.end":
                        self.world.recorder.history.snapshots.append(
                            Snapshot(begin, time.time(), asks))
                        break
                    if frame.event == "ask.opened":
                        asks.append(frame.body["ask"]["id"])
            except (Lost, NotSent, Refused):
                pass


async def mark_the_end(world: World, session: str, text: str) -> str:
    """One more ask, answered, which every subscriber of its session must see at last."""
    reply = await world.insist("POST", "/v1/asks", "owner",
                               {"session": session, "key": text, "question": text})
    operation = world.recorder.begin("closer", "native", "ask", text=text, key=text,
                                     session=session, timeout=0, default="")
    world.recorder.end(operation, "ok", id=reply.body["id"])
    await answer_natively(world, "closer", reply.body, f"answer of {text}", "owner")
    return reply.body["id"]
