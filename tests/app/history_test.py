#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The history checker in its short form: workers at every door, some kills, no violation."""

import asyncio
import os
import sys
import unittest
from pathlib import Path

from parley_program import PROGRAM

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/history"))
from checks import check  # noqa: E402
from run import Settings, run  # noqa: E402

SEED = 20261117
SECONDS = 12
KILLS = 8
NODES_KILLS = 3


class Histories(unittest.TestCase):
    def test_no_promise_is_broken(self) -> None:
        history, logs = asyncio.run(run(Settings(
            PROGRAM, SEED, seconds=SECONDS, kills=KILLS,
            clock=os.environ.get("PARLEY_SHIFTED_CLOCK", ""))))
        self.assertEqual(check(history), [], logs)
        self.assertGreaterEqual(history.counts["kills"], KILLS)
        for name in ("asks", "settlements won", "messages", "pushes", "drafts", "revocations",
                     "events told"):
            self.assertGreater(history.counts[name], 0, name)

    @unittest.skipUnless(os.environ.get("PARLEY_SLOW_NODES"), "half a minute: PARLEY_SLOW_NODES=1")
    def test_no_promise_is_broken_by_nodes_that_share_a_database(self) -> None:
        """Which is cut off, restarted, and replaced by its standby."""
        settings = Settings(PROGRAM, SEED, seconds=SECONDS, kills=NODES_KILLS, nodes=3,
                            postgres=True, agents=8, people=8)
        history, logs = asyncio.run(run(settings))
        self.assertEqual(check(history), [], logs)
        self.assertGreaterEqual(history.counts["kills"], NODES_KILLS)
        for name in ("asks", "settlements won", "reconnects", "events told"):
            self.assertGreater(history.counts[name], 0, name)


if __name__ == "__main__":
    unittest.main()
