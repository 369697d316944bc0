# SPDX-License-Identifier: Apache-2.0
"""A broker as the nemesis has it in hand: to start, kill, stop, and keep from writing."""

import asyncio
import json
import os
import resource
import signal
import socket
import struct
import subprocess
from pathlib import Path
from typing import Protocol

START_SECONDS = 60
STOP_SECONDS = 60
ROOM_LEFT_BYTES = 60_000  # of the store's files, once the disk is "full"


class DidNotStart(Exception):
    """With what it wrote at last."""


class Node(Protocol):
    """What a nemesis can do; `CommandNode` does it to a broker that somebody else runs."""

    address: tuple[str, int]

    async def start(self) -> None: ...
    async def kill(self) -> None: ...
    async def terminate(self) -> int: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def fill_disk(self) -> None: ...
    def free_disk(self) -> None: ...


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class LocalNode:
    """`parley serve` in a folder, always on the same port."""

    def __init__(self, program: str, folder: Path, store: str, name: str = "node",
                 clock: str = ""):
        self.folder = folder
        self._clock, self._ahead = clock, folder / f"{name}.ahead"
        self.set_clock(0)
        self._log = folder / f"{name}.log"
        self.address = ("127.0.0.1", free_port())
        self._arguments = [
            program, "serve", "--listen", f"127.0.0.1:{self.address[1]}", "--store", store,
            "--token-file", f"{folder}/token", "--socket", f"{folder}/{name}.sock", "--json"]
        self._process: asyncio.subprocess.Process | None = None

    async def spawn(self) -> None:
        """Starts it and does not wait until it is ready."""
        keep = {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8",
                     "XDG_RUNTIME_DIR": str(self.folder), "XDG_STATE_HOME": str(self.folder),
                     **self._clock_variables(), **keep})

    def _clock_variables(self) -> dict[str, str]:
        if not self._clock:
            return {}
        return {"LD_PRELOAD": self._clock, "PARLEY_TEST_AHEAD_FILE": str(self._ahead)}

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    async def start(self) -> None:
        await self.spawn()
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), START_SECONDS)
            json.loads(line)
        except (TimeoutError, ValueError) as error:
            raise DidNotStart(self._log.read_text()[-2000:]) from error

    async def kill(self) -> None:
        self._signal(signal.SIGKILL)
        await self._process.wait()

    async def terminate(self) -> int:
        """Its exit code."""
        self._signal(signal.SIGTERM)
        return await asyncio.wait_for(self._process.wait(), STOP_SECONDS)

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def fill_disk(self) -> None:
        sizes = [path.stat().st_size for path in self.folder.glob("parley.db*")]
        self._limit_files(max(sizes, default=0) + ROOM_LEFT_BYTES)

    def free_disk(self) -> None:
        self._limit_files(resource.RLIM_INFINITY)

    def set_clock(self, ahead: int) -> None:
        """Its time of day, in seconds ahead of the machine's; where it was given a clock."""
        with self._ahead.open("r+b" if self._ahead.exists() else "wb") as file:
            file.write(struct.pack("q", ahead))

    def _limit_files(self, size: int) -> None:
        _, hard = resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (size, hard))

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)


class CommandNode:
    """A broker elsewhere: COMMAND is called with what to do and returns once that is done."""

    def __init__(self, command: list[str], address: tuple[str, int]):
        self._command, self.address = command, address

    async def _do(self, word: str) -> int:
        process = await asyncio.create_subprocess_exec(*self._command, word)
        return await process.wait()

    async def spawn(self) -> None:
        await self._do("start")

    async def start(self) -> None:
        if await self._do("start") != 0:
            raise DidNotStart(" ".join(self._command))

    async def kill(self) -> None:
        await self._do("kill")

    async def terminate(self) -> int:
        return await self._do("terminate")

    def pause(self) -> None:
        subprocess.run([*self._command, "pause"], check=False)

    def resume(self) -> None:
        subprocess.run([*self._command, "resume"], check=False)

    def fill_disk(self) -> None:
        subprocess.run([*self._command, "fill-disk"], check=False)

    def free_disk(self) -> None:
        subprocess.run([*self._command, "free-disk"], check=False)
