# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL that nodes share, as the nemesis has it in hand: a primary and a synchronous standby
that take turns, each in a folder of its own."""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/app"))
from postgres_cluster import Cluster  # noqa: E402


class Database:
    def __init__(self) -> None:
        self._primary = Cluster()
        self._standby = self._primary.make_standby()
        self.url = Cluster.url_of(self._primary, self._standby)

    def close(self) -> None:
        for cluster in (self._primary, self._standby):
            cluster.__exit__()

    async def cut_connections(self) -> None:
        """Of all nodes, in the middle of whatever they do."""
        await asyncio.to_thread(self._primary.ask, "SELECT pg_terminate_backend(pid) FROM "
                                "pg_stat_activity WHERE application_name = 'parley'")

    async def restart(self) -> None:
        """As after a crash."""
        await asyncio.to_thread(self._primary.kill)
        await asyncio.to_thread(self._primary.start)

    async def fail_over(self) -> None:
        """The primary is killed, its standby takes over and gets a standby of its own."""
        await asyncio.to_thread(self._primary.kill)
        self._primary, self._standby = self._standby, self._primary
        await asyncio.to_thread(self._primary.promote)
        await asyncio.to_thread(self._standby.follow, self._primary)
