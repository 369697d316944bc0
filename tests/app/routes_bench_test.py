#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whoever adds a route says what the worst is that can be asked of it: bench/loop_time.py measures
that. No broker runs here."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from routes import faults, routes  # noqa: E402
from worst_requests import own_routes  # noqa: E402


class RoutesOfTheBench(unittest.TestCase):
    def test_every_route_has_its_worst_request(self) -> None:
        self.assertEqual(faults(own_routes()), [])

    def test_a_route_without_one_is_named(self) -> None:
        self.assertGreater(len(list(routes())), 100)
        (missing,) = faults(own_routes() - {"POST /v1/asks"})
        self.assertIn("POST /v1/asks: what is the worst of it?", missing)
        (unknown,) = faults(own_routes() | {"GET /nowhere"})
        self.assertIn("GET /nowhere: there is no such route", unknown)


if __name__ == "__main__":
    unittest.main()
