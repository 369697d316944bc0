# SPDX-License-Identifier: Apache-2.0
"""The workers that stand for people: they answer, race each other, keep drafts, put off, speak."""

import asyncio

from record import FAILED, OK
from settling import ANSWERS, SETTLERS, answer_natively
from world import World


class Answerer:
    """Settles what waits, at any door; every other time two doors race for the same ask. Leaves
    most asks with a deadline to the timer, and those of a session that is called `left` alone."""

    def __init__(self, world: World, name: str, who: str):
        self.world, self.name, self.who = world, name, who
        self.random = world.random_of(name)

    async def work(self) -> None:
        while not self.world.is_stopping:
            await self.world.rest(self.random, 0.01, 0.15)
            ask = self._choose()
            if ask is None:
                continue
            rivals = 2 if self.random.random() < 0.5 else 1
            await asyncio.gather(*(self._settle(ask) for _ in range(rivals)))

    def _choose(self) -> dict | None:
        waiting = [ask for ask in self.world.open.values() if ask.get("session") != "left"]
        if not waiting:
            return None
        ask = self.random.choice(waiting)
        if ask.get("deadline") and self.random.random() < 0.8:
            return None
        return ask

    async def _settle(self, ask: dict) -> None:
        settle = self.random.choice(SETTLERS if self.random.random() < 0.3 else ANSWERS)
        words = f"{self.name} says {self.world.next_number()}"
        operation = await settle(self.world, self.name, ask, words, self.who)
        if operation.result == OK or operation.got.get("standing") or operation.got.get("outcome"):
            self.world.open.pop(ask["id"], None)
        elif operation.result == FAILED and operation.got.get("status", 0) in (400, 403, 401):
            self.world.recorder.fault(f"{operation.door} refused an answer: {operation.got}")


class Drafter:
    """Writes, reads and drops drafts of one person, one after the other for each ask."""

    def __init__(self, world: World, name: str, who: str):
        self.world, self.name, self.who = world, name, who
        self.random = world.random_of(name)

    async def work(self) -> None:
        while not self.world.is_stopping:
            await self.world.rest(self.random, 0.05, 0.5)
            if not self.world.open:
                continue
            ask = self.random.choice(list(self.world.open.values()))
            for _ in range(self.random.randint(1, 3)):
                await self._one(ask["id"])

    async def _one(self, ask: str) -> None:
        draw = self.random.random()
        if draw < 0.1:
            await self._call("draft_drop", ask, "DELETE", None, "")
        elif draw < 0.6:
            words = f"{self.who} writes {self.world.next_number()}"
            await self._call("draft_put", ask, "PUT",
                             {"answers": [{"selected": [], "other": words}]}, words)
        else:
            await self.read(ask)

    async def read(self, ask: str) -> None:
        operation, reply = await self._call("draft_get", ask, "GET", None, "")
        if reply is not None and reply.status == 200:
            operation.got["words"] = reply.body["answers"][0].get("other", "")

    async def _call(self, kind: str, ask: str, method: str, body, words: str):
        operation = self.world.recorder.begin(self.name, "native", kind, ask=ask, person=self.who,
                                              words=words)
        reply = await self.world.record(operation, method, f"/v1/asks/{ask}/draft", self.who, body)
        return operation, reply


class Snoozer:
    """Puts off what waits for one person, and brings it back, one after the other."""

    def __init__(self, world: World, name: str, who: str):
        self.world, self.name, self.who = world, name, who
        self.random = world.random_of(name)

    async def work(self) -> None:
        while not self.world.is_stopping:
            await self.world.rest(self.random, 0.05, 0.5)
            if not self.world.open:
                continue
            ask = self.random.choice(list(self.world.open.values()))["id"]
            seconds = 0 if self.random.random() < 0.3 else self.random.randint(60, 9999)
            operation = self.world.recorder.begin(self.name, "native", "snooze", ask=ask,
                                                  person=self.who, seconds=seconds)
            reply = await self.world.record(operation, "POST", f"/v1/asks/{ask}/snooze", self.who,
                                            {"seconds": seconds})
            if reply is not None and reply.status == 200:
                operation.got["until"] = reply.body.get("snoozed_until", "")


class Speaker:
    """Says one thing after the other to a session."""

    def __init__(self, world: World, name: str, who: str, session: str):
        self.world, self.name, self.who, self.session = world, name, who, session
        self.random = world.random_of(name)

    async def work(self) -> None:
        while not self.world.is_stopping:
            await self.world.rest(self.random, 0.1, 0.5)
            words = f"{self.name} tells {self.world.next_number()}"
            operation = self.world.recorder.begin(self.name, "native", "say", words=words,
                                                  session=self.session)
            reply = await self.world.record(
                operation, "POST", f"/v1/sessions/{self.session}/messages", self.who,
                {"text": words})
            if reply is not None and reply.is_ok:
                operation.got["id"] = reply.body["id"]


async def settle_the_rest(world: World, pending: list[dict]) -> None:
    """Answers what nobody did, so that every asker is told an end."""
    for ask in pending:
        if ask.get("session") == "left":
            continue
        while True:
            operation = await answer_natively(world, "closer", ask, f"closed {ask['id']}", "owner")
            if operation.result == OK or operation.got.get("status"):
                break
            await asyncio.sleep(0.05)
