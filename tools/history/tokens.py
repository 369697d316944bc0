# SPDX-License-Identifier: Apache-2.0
"""The worker that makes tokens, uses them, and revokes them, with a stream and a held call
of theirs still open."""

import asyncio

from record import OK, UNKNOWN
from settling import answer_natively
from wire import Lost, NotSent, Refused
from world import World


class TokenKeeper:
    def __init__(self, world: World, name: str):
        self.world, self.name = world, name
        self.random = world.random_of(name)

    @property
    def _at(self) -> int:
        """At which node; what it makes there counts there at once."""
        return self.world.wire.at

    async def work(self) -> None:
        while not self.world.is_stopping:
            await self.world.rest(self.random, 0.1, 0.6)
            name = f"{self.name}-{self.world.next_number()}"
            expires = self.random.choice((0, 0, 0, 1))
            secret = await self._make(name, expires)
            if not secret:
                continue
            await self._use(name, secret)
            if not expires:
                await self._revoke_while_it_waits(name, secret)
            else:
                await asyncio.sleep(1.1)
            await self._use(name, secret)

    async def _make(self, name: str, expires: int) -> str:
        body = {"name": name, "role": "agent"}
        if expires:
            body["expires_in_seconds"] = expires
        operation = self.world.recorder.begin(self.name, "native", "token_make", token=name,
                                              expires=expires, at=self._at)
        reply = await self.world.record(operation, "POST", "/v1/tokens", "owner", body)
        return reply.body["token"] if reply is not None and reply.is_ok else ""

    async def _use(self, name: str, secret: str) -> None:
        operation = self.world.recorder.begin(self.name, "native", "token_use", token=name,
                                              at=self._at)
        await self.world.record(operation, "GET", "/v1/self", secret)

    async def _revoke(self, name: str) -> bool:
        operation = self.world.recorder.begin(self.name, "native", "token_revoke", token=name,
                                              at=self._at)
        await self.world.record(operation, "DELETE", f"/v1/tokens/{name}", "owner")
        return operation.result == OK

    async def _revoke_while_it_waits(self, name: str, secret: str) -> None:
        """Its held call and its stream must not bring what happens after the acknowledgement."""
        ask = await self._ask(name, secret)
        if ask is None:
            await self._revoke(name)
            return
        held = asyncio.create_task(self._hold(name, secret, ask["id"]))
        stream = asyncio.create_task(self._follow(name, secret, ask["id"]))
        await asyncio.sleep(self.random.uniform(0.0, 0.1))
        if await self._revoke(name):
            await self._answer(ask)
            await asyncio.wait([held, stream], timeout=5)
        else:
            await self._answer(ask)
        held.cancel()
        stream.cancel()
        await asyncio.gather(held, stream, return_exceptions=True)

    async def _ask(self, name: str, secret: str) -> dict | None:
        text = f"{name} asks"
        operation = self.world.recorder.begin(self.name, "native", "ask", text=text, key=text,
                                              session=name, timeout=0, default="")
        reply = await self.world.record(operation, "POST", "/v1/asks", secret,
                                        {"session": name, "key": text, "question": text})
        if reply is None or not reply.is_ok:
            return None
        operation.got = {"id": reply.body["id"]}
        return reply.body

    async def _answer(self, ask: dict) -> None:
        words = f"{self.name} says {self.world.next_number()}"
        operation = await answer_natively(self.world, self.name, ask, words, "owner")
        if operation.result == OK:
            self.world.open.pop(ask["id"], None)

    async def _hold(self, name: str, secret: str, ask: str) -> None:
        operation = self.world.recorder.begin(self.name, "native", "token_hold", token=name,
                                              ask=ask)
        try:
            reply = await self.world.call("GET", f"/v1/asks/{ask}?wait=10", secret)
            is_told = reply.is_ok and reply.body["state"] == "answered"
            self.world.recorder.end(operation, OK, is_told=is_told)
        except (Lost, NotSent):
            self.world.recorder.end(operation, UNKNOWN)

    async def _follow(self, name: str, secret: str, ask: str) -> None:
        operation = self.world.recorder.begin(self.name, "native", "token_follow", token=name,
                                              ask=ask)
        try:
            async for frame in self.world.wire.frames("/v1/events", secret):
                if frame.event == "ask.settled" and frame.body["ask"]["id"] == ask:
                    self.world.recorder.end(operation, OK, is_told=True)
                    return
        except (Lost, NotSent, Refused):
            self.world.recorder.end(operation, OK, is_told=False)
