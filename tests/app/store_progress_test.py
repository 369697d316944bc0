#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `parley store backup` shows at a terminal while it works. It says something ten times a
second, so the store is one that takes longer."""

import re
import sqlite3
import unittest

from broker_process import Broker
from parley_program import Terminal
from store_test import StoreTest

MIB = 1 << 20
LARGE_MIB = 256


class Progress(StoreTest):
    def setUp(self) -> None:
        super().setUp()
        self.store = self.filled(9)
        file = self.folder / "old.db"
        # Pages with nothing in them are copied as all others.
        with sqlite3.connect(file) as database:
            database.execute("CREATE TABLE filler(bytes)")
            database.execute("INSERT INTO filler VALUES (zeroblob(?))", (LARGE_MIB * MIB,))
            database.execute("DROP TABLE filler")
        database.close()
        self.total = file.stat().st_size // MIB

    def back_up(self, **variables: str) -> str:
        with Terminal("store", "backup", str(self.folder / "backup.db"), "--store", self.store,
                      **variables) as terminal:
            ended = terminal.end()
        self.assertEqual(ended.code, 0, ended.err)
        return ended.err

    def check(self, shown: str) -> None:
        told = [int(mib) for mib in
                re.findall(rf"\rCopied (\d+) of {self.total} MiB\x1b\[K", shown)]
        self.assertTrue(told, shown)
        self.assertEqual(told, sorted(told))
        self.assertLess(told[0], self.total)
        # The line is gone before the last word is said.
        self.assertRegex(shown, r"\r\x1b\[KBacked up to \S+ \(\d+ KiB\)\.\n$")

    def test_a_backup_of_a_stopped_store_says_how_far_it_is(self) -> None:
        self.check(self.back_up())

    def test_a_backup_of_a_running_brokers_store_says_how_far_it_is(self) -> None:
        with Broker(store=self.store) as broker:
            shown = self.back_up(**broker.variables)
        self.check(shown)
        self.assertRegex(shown, rf"\rWrote \d+ of {self.total} MiB\x1b\[K")


if __name__ == "__main__":
    unittest.main()
