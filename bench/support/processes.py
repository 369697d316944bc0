# SPDX-License-Identifier: Apache-2.0
"""What processes have used of the processor, and how soon one shows its first picture."""

import os
import pty
import select
import struct
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSCTTY, TIOCSWINSZ

ROOT = Path(__file__).resolve().parent.parent.parent
NODE = str(ROOT / "tests/node/node_modules/.bin/node")
PATIENCE_SECONDS = 60


def processor_seconds(pid: int) -> float:
    """Of all threads that a process has now."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


@dataclass(frozen=True)
class Start:
    seconds: float
    processor: float  # seconds


def _wait(process: subprocess.Popen) -> float:
    """Until it is gone; what it and its children used."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def start_on_terminal(command: list[str], wanted: str, variables: Mapping[str, str]) -> Start:
    """To the first bytes that complete `wanted`, on a terminal of 80 x 24; then it is killed."""
    terminal, slave = pty.openpty()
    ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave,
                               env=dict(variables), start_new_session=True,
                               preexec_fn=lambda: ioctl(0, TIOCSCTTY, 0))
    os.close(slave)
    screen = b""
    end = begun + PATIENCE_SECONDS
    while wanted.encode() not in screen and time.perf_counter() < end:
        if select.select([terminal], [], [], 1)[0]:
            screen += os.read(terminal, 65536)
    seconds = time.perf_counter() - begun
    process.kill()
    processor = _wait(process)
    os.close(terminal)
    if wanted.encode() not in screen:
        raise SystemExit(f"{command[0]}: {wanted!r} did not come, but {screen!r}")
    return Start(seconds, processor)


def start_to_end(command: list[str], text: str, variables: Mapping[str, str],
                 code: int = 0) -> Start:
    """A program that reads `text`, says what it has to say, and ends with `code`."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               env=dict(variables), text=True)
    try:
        process.stdin.write(text)
        process.stdin.close()
    except BrokenPipeError:
        pass  # it does not read
    processor = _wait(process)
    if process.returncode != code:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return Start(time.perf_counter() - begun, processor)
