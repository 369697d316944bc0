#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks of bench/hostile_memory.py by fewer connections, the memory of the process watched: those
which fifty connections once made many times what a thousand may."""

import resource
import sys
import unittest
from pathlib import Path

from parley_program import PROGRAM

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from hostile_attacks import attacks  # noqa: E402
from hostile_memory import CERTIFICATES, measure, row  # noqa: E402

CONNECTIONS = 60
LONGEST_SECONDS = 6
ABOVE_IDLE_MIB = 32
NAMES = ("pipelined requests, answers unread", "pipelined pages, answers unread",
         "pings before the sign-in, pongs unread", "half a message of 4 MiB before the sign-in")


class HostileMemory(unittest.TestCase):
    def test_no_attack_makes_the_broker_grow(self) -> None:
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        certificate, key = (str(CERTIFICATES / name) for name in ("server.pem", "server.key"))
        chosen = [attack for attack in attacks(certificate, key) if attack.name in NAMES]
        self.assertEqual(len(chosen), len(NAMES))
        for attack in chosen:
            with self.subTest(attack.name):
                outcome = measure(PROGRAM, attack, CONNECTIONS, LONGEST_SECONDS)
                self.assertTrue(outcome.lives)
                self.assertLess(outcome.above, ABOVE_IDLE_MIB, row(outcome))


if __name__ == "__main__":
    unittest.main()
