#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples in docs and docs/doors: the sh blocks of each page run as they stand, one after the
other in one shell, beside a fresh broker. Packages from npm are those of tests/clients."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from broker_process import Broker
from parley_program import PROGRAM, environment

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
DEFAULT_ADDRESS = "127.0.0.1:7373"
PATIENCE_SECONDS = 120


def script_of(page: Path, address: str) -> str:
    blocks = BLOCK.findall(page.read_text())
    return "set -euo pipefail\n" + "\n".join(blocks).replace(DEFAULT_ADDRESS, address)


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


add_pages()

if __name__ == "__main__":
    unittest.main()
