# SPDX-License-Identifier: Apache-2.0
"""What the workers of one run share: the wire, the tokens, the recorder, and the asks that are
known to wait."""

import asyncio
import itertools
import random
from typing import Any

from record import FAILED, OK, UNKNOWN, Operation, Recorder
from wire import Lost, NotSent, Reply, Wire

RETRY_SECONDS = 0.03


def told(settlement: dict | None) -> str:
    """A settlement in one line: the outcome, the first answer's words, and what kind decided."""
    if not settlement:
        return ""
    words = ""
    for answer in settlement.get("answers") or []:
        words = answer.get("other") or ", ".join(answer.get("selected", []))
        break
    kind = settlement.get("decider", {}).get("kind", "")
    return f"{settlement['outcome']}|{words}|{'timer' if kind == 'timer' else 'somebody'}"


class World:
    def __init__(self, seed: int, wire: Wire, recorder: Recorder, pace: float = 1.0):
        self.seed, self.wire, self.recorder, self.pace = seed, wire, recorder, pace
        self.tokens: dict[str, str] = {}  # by name: the secret
        self.open: dict[str, dict] = {}  # asks that the leading subscriber knows to be pending
        self.is_stopping = False
        self._numbers = itertools.count(1)

    def staying(self, wire: Wire) -> "World":
        """The same world, as one sees it who stays at a node."""
        return StayingWorld(self, wire)

    def random_of(self, name: str) -> random.Random:
        return random.Random(f"{self.seed}/{name}")

    def next_number(self) -> int:
        return next(self._numbers)

    async def rest(self, rng: random.Random, low: float, high: float) -> None:
        await asyncio.sleep(rng.uniform(low, high) * self.pace)

    async def call(self, method: str, target: str, who: str, body: Any = None,
                   **more: Any) -> Reply:
        return await self.wire.call(method, target, self.tokens.get(who, who), body, **more)

    async def insist(self, method: str, target: str, who: str, body: Any = None,
                     tries: int = 2000) -> Reply:
        """The same call until it is answered; for what may be repeated."""
        for _ in range(tries):
            try:
                return await self.call(method, target, who, body)
            except (Lost, NotSent):
                await asyncio.sleep(RETRY_SECONDS)
        raise RuntimeError(f"{method} {target} was never answered")

    async def record(self, operation: Operation, method: str, target: str, who: str,
                     body: Any = None, **more: Any) -> Reply | None:
        """One call as an operation. None if there was no answer."""
        try:
            reply = await self.call(method, target, who, body, **more)
        except NotSent:
            self.recorder.end(operation, FAILED)
            return None
        except Lost:
            self.recorder.end(operation, UNKNOWN)
            return None
        self.recorder.end(operation, OK if reply.is_ok else FAILED, status=reply.status)
        return reply


class StayingWorld(World):
    def __init__(self, whole: World, wire: Wire):
        self._whole, self.wire = whole, wire

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)
