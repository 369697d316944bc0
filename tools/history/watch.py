# SPDX-License-Identifier: Apache-2.0
"""Looks at the brokers every second: their memory, their open files, and the files in their folder.
What grows with the work that was done, and not with what is held, goes over a bound some day."""

import asyncio
from pathlib import Path
from typing import Iterator

from node import LocalNode
from record import History

LOOK_SECONDS = 1.0
# Of one broker with the workers of run.py; each more of them may hold connections.
MEMORY_MIB_MAX = 256
DESCRIPTORS_MAX = 250
DESCRIPTORS_PER_WORKER = 4
FILES_MAX = 16


def look(node: LocalNode) -> dict[str, int]:
    """What it uses now; nothing if it has just been killed."""
    try:
        process = Path(f"/proc/{node.pid}")
        fields = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        return {"MiB of memory": int(fields["VmRSS"].split()[0]) // 1024,
                "descriptors": sum(1 for _ in (process / "fd").iterdir()),
                "files": sum(1 for _ in node.folder.iterdir())}
    except (OSError, KeyError):
        return {}


async def watch(nodes: list[LocalNode], history: History) -> None:
    while True:
        for node in nodes:
            for name, value in look(node).items():
                history.peaks[name] = max(value, history.peaks.get(name, 0))
        await asyncio.sleep(LOOK_SECONDS)


def check_peaks(history: History) -> Iterator[str]:
    workers = history.counts.get("more workers", 0)
    bounds = {"MiB of memory": MEMORY_MIB_MAX, "files": FILES_MAX,
              "descriptors": DESCRIPTORS_MAX + DESCRIPTORS_PER_WORKER * workers}
    for name, bound in bounds.items():
        if history.peaks.get(name, 0) > bound:
            yield f"a broker had {history.peaks[name]} {name}, and {bound} are the most"
