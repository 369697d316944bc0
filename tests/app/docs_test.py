#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples in docs and docs/doors: the sh blocks of each page run as they stand, one after the
other in one shell, beside a fresh broker. Packages from npm are those of tests/clients."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from broker_process import Broker
from named_tests import is_case, is_there, names_in_last_column
from parley_program import PROGRAM, environment, parley

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
DEFAULT_ADDRESS = "127.0.0.1:7373"
PATIENCE_SECONDS = 120


def script_of(page: Path, address: str) -> str:
    blocks = BLOCK.findall(page.read_text())
    return "set -euo pipefail\n" + "\n".join(blocks).replace(DEFAULT_ADDRESS, address)


class Table(unittest.TestCase):
    def test_every_test_that_the_table_names_is_there(self) -> None:
        page = (ROOT / "docs/doors/README.md").read_text()
        rows = [line for line in page.splitlines() if line.startswith("|")]
        start = next(i for i, line in enumerate(rows) if line.startswith("| case |"))
        names = {name for row in rows[start + 2:] for name in re.findall(r"`([^`]+)`", row)}
        self.assertGreater(len(names), 20)
        sources = [path.read_text() for path in (ROOT / "tests/clients").glob("*/*.test.mjs")]
        for name in names:
            self.assertTrue(any(f'test("{name}"' in source for source in sources), name)


class NamedTests(unittest.TestCase):
    def check(self, page: str, heading: str, rows: int) -> None:
        section = (ROOT / page).read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
        named = names_in_last_column(section)
        self.assertEqual(len(named), rows)
        for names in named:
            for name in names:
                self.assertTrue(is_there(name), f"{page} names {name}, which is not there")
            self.assertTrue(any(is_case(name) for name in names), f"{page} names no case: {names}")

    def test_those_of_the_threats_are_there(self) -> None:
        self.check("SECURITY.md", "Threats", 9)

    def test_those_of_the_promises_are_there(self) -> None:
        self.check("docs/reliability.md", "Promise by promise", 7)

    def test_a_name_of_none_is_noticed(self) -> None:
        for name in ("Settle.Nothing", "owner_test.test_nothing", "hostile.test.mjs: nothing",
                     "nothing.mutation", "docs/nothing", "access.test.mjs"):
            self.assertFalse(is_there(name), name)


class Examples(unittest.TestCase):
    def run_page(self, page: Path) -> None:
        with Broker() as broker:
            folder = broker.folder / "work"
            folder.mkdir()
            (folder / "node_modules").symlink_to(ROOT / "tests/clients/node_modules")
            state = broker.folder / "state" / "parley"
            state.mkdir(parents=True)
            (state / "token").symlink_to(broker.folder / "token")
            variables = environment({
                **broker.variables, "HOME": str(broker.folder),
                "XDG_STATE_HOME": str(state.parent),
                "PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}"})
            address = broker.ready["url"].removeprefix("http://")
            ran = subprocess.run(["bash", "-c", script_of(page, address)], cwd=folder,
                                 env=variables, capture_output=True, text=True,
                                 stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS, check=False)
            self.assertEqual(ran.returncode, 0, f"{page.name}:\n{ran.stdout}\n{ran.stderr}")


def add_pages() -> None:
    docs = ROOT / "docs"
    for page in sorted([*docs.glob("*.md"), *(docs / "doors").glob("*.md")]):
        if BLOCK.search(page.read_text()):
            setattr(Examples, f"test_{page.stem}", lambda self, page=page: self.run_page(page))


class Reference(unittest.TestCase):
    def test_lists_what_there_is(self) -> None:
        page = (ROOT / "docs/reference.md").read_text()
        self.assertEqual(page, parley("man", "--markdown").out,
                         "write it again: parley man --markdown > docs/reference.md")


class Settings(unittest.TestCase):
    def setUp(self) -> None:
        text = (ROOT / "docs/running.md").read_text().split("| table |")[1].split("\n\n")[0]
        rows = re.findall(r"^\| (none|`\w+`) \| (`.*) \|$", text, re.M)
        self.assertGreater(len(rows), 4)
        self.tables = {table.strip("`"): re.findall(r"`(\w+)`", settings)
                       for table, settings in rows}

    def test_every_setting_is_in_the_tables(self) -> None:
        told = {name if table == "none" else f"{table}.{name}"
                for table, names in self.tables.items() for name in names}
        settings = set(re.findall(r"\| `([\w.]+)`, `PARLEY_\w+` \|$",
                                  parley("man", "--markdown").out, re.M))
        self.assertGreater(len(settings), 40)
        self.assertEqual(settings - told, set())

    def test_every_setting_in_the_tables_exists(self) -> None:
        lines = []
        for table, names in self.tables.items():
            if table != "none":
                lines.append(f"[{table}]")
            lines += [f'{name} = "x"' for name in names]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "parley/config.toml"
            file.parent.mkdir()
            file.write_text("\n".join(lines))
            # It reads the file and uses none of these.
            ended = parley("completions", "bash", XDG_CONFIG_HOME=folder)
            self.assertEqual(ended.code, 0, ended.err)
            file.write_text("nonsense = 1\n")
            self.assertEqual(parley("completions", "bash", XDG_CONFIG_HOME=folder).code, 2)


add_pages()

if __name__ == "__main__":
    unittest.main()
