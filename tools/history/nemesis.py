# SPDX-License-Identifier: Apache-2.0
"""What is done to the broker while it works: kill -9, also while it starts; SIGTERM; SIGSTOP and
SIGCONT; files that may not grow; connections that are cut; a clock that is put wrong and right
again; nothing, for a while, so that what grows can be seen; and to the database that nodes share.
One thing at a time, at moments that the seed gives."""

import asyncio
import random
import time

from database import Database
from node import DidNotStart, LocalNode
from record import JUMP_SECONDS, Recorder
from wire import Wire

DEEDS = {"kill": 80, "kill_starting": 6, "terminate": 4, "pause": 6, "fill_disk": 4, "cut": 8}
CLOCK_DEEDS = {"jump_clock": 8}
LONG_DEEDS = {"leave_alone": 1}
LONG_SECONDS = 300  # a run that takes so long may be left alone now and then
CUT_SHARE = (0.1, 1.0)
# Nodes that share a database keep nothing on their disks.
SHARED_DEEDS = {"kill": 40, "kill_starting": 6, "terminate": 6, "pause": 20, "cut_connections": 20,
                "restart_database": 4, "fail_over": 8}
LONG_SHARED_DEEDS = {"pause_long": 8}  # for so long that whoever waits for a node gives it up


class Nemesis:
    def __init__(self, nodes: list[LocalNode], seed: str, recorder: Recorder,
                 pause_seconds: tuple[float, float] = (0.3, 0.8),
                 database: Database | None = None, has_clock: bool = False,
                 is_long: bool = False):
        self._nodes, self._recorder, self._database = nodes, recorder, database
        self._random = random.Random(seed)
        if database:
            self._deeds = {**SHARED_DEEDS, **(LONG_SHARED_DEEDS if is_long else {})}
        else:
            self._deeds = {**DEEDS, **(CLOCK_DEEDS if has_clock else {}),
                           **(LONG_DEEDS if is_long else {})}
        self._pauses = pause_seconds

    async def haunt(self, is_over) -> None:
        """Until `is_over(kills)`; every node runs then."""
        kills = 0
        while not is_over(kills):
            await asyncio.sleep(self._random.uniform(*self._pauses))
            node = self._random.choice(self._nodes)
            deed = self._random.choices(list(self._deeds), list(self._deeds.values()))[0]
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
        await self._halt(node, (0.1, 1.2))
        return 0

    async def _pause_long(self, node: LocalNode) -> int:
        await self._halt(node, (15, 30))
        return 0

    async def _halt(self, node: LocalNode, seconds: tuple[float, float]) -> None:
        begin = time.time()
        node.pause()
        await asyncio.sleep(self._random.uniform(*seconds))
        node.resume()
        if len(self._nodes) > 1:
            self._recorder.history.halts.append((begin, time.time()))

    async def _cut(self, _: LocalNode) -> int:
        Wire.cut(self._random, self._random.uniform(*CUT_SHARE))
        return 0

    async def _jump_clock(self, node: LocalNode) -> int:
        """A month ahead or back, and right again before anybody starts by it: what is due is
        measured while the process lives."""
        begin = time.time()
        node.set_clock(self._random.choice((-1, 1)) * JUMP_SECONDS)
        await asyncio.sleep(self._random.uniform(0.2, 2.0))
        node.set_clock(0)
        self._recorder.history.jumps.append((begin, time.time()))
        return 0

    async def _leave_alone(self, _: LocalNode) -> int:
        await asyncio.sleep(self._random.uniform(20, 60))
        return 0

    async def _cut_connections(self, _: LocalNode) -> int:
        await self._database.cut_connections()
        return 0

    async def _restart_database(self, _: LocalNode) -> int:
        await self._database.restart()
        return 0

    async def _fail_over(self, _: LocalNode) -> int:
        await self._database.fail_over()
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
