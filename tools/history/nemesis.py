# SPDX-License-Identifier: Apache-2.0
"""What is done to the broker while it works: kill -9, also while it starts; SIGTERM; SIGSTOP and
SIGCONT; files that may not grow. One thing at a time, at moments that the seed gives."""

import asyncio
import random

from node import DidNotStart, LocalNode
from record import Recorder

DEEDS = ("kill", "kill_starting", "terminate", "pause", "fill_disk")


class Nemesis:
    def __init__(self, nodes: list[LocalNode], seed: str, recorder: Recorder,
                 weights: tuple[int, ...] = (80, 6, 4, 6, 4),
                 pause_seconds: tuple[float, float] = (0.3, 0.8)):
        self._nodes, self._recorder = nodes, recorder
        self._random = random.Random(seed)
        self._weights, self._pauses = weights, pause_seconds

    async def haunt(self, is_over) -> None:
        """Until `is_over(kills)`; every node runs then."""
        kills = 0
        while not is_over(kills):
            await asyncio.sleep(self._random.uniform(*self._pauses))
            node = self._random.choice(self._nodes)
            deed = self._random.choices(DEEDS, self._weights)[0]
            try:
                kills += await getattr(self, "_" + deed)(node)
            except DidNotStart as error:
                self._recorder.fault(f"the broker did not start after {deed}: {error}")
                return
            self._recorder.count(deed)
            self._recorder.history.counts["kills"] = kills

    async def _kill(self, node: LocalNode) -> int:
        await node.kill()
        await node.start()
        return 1

    async def _kill_starting(self, node: LocalNode) -> int:
        await node.kill()
        await node.spawn()
        await asyncio.sleep(self._random.uniform(0, 0.06))
        await node.kill()
        await node.start()
        return 2

    async def _terminate(self, node: LocalNode) -> int:
        code = await node.terminate()
        if code != 0:
            self._recorder.fault(f"SIGTERM ended the broker with {code}")
        await node.start()
        return 0

    async def _pause(self, node: LocalNode) -> int:
        node.pause()
        await asyncio.sleep(self._random.uniform(0.1, 1.2))
        node.resume()
        return 0

    async def _fill_disk(self, node: LocalNode) -> int:
        """Ends with a kill more often than not: the store is then as the full disk left it."""
        node.fill_disk()
        await asyncio.sleep(self._random.uniform(0.3, 1.5))
        if self._random.random() < 0.6:
            await node.kill()
            await node.start()
            return 1
        node.free_disk()
        return 0
