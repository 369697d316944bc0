#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `parley inbox` costs until its first whole picture, with many asks that wait: the
processor's time, the pictures that were drawn, and what `parley list` of the same asks takes.

    PARLEY_PROGRAM=build/release/parley bench/inbox_start.py [ASKS]
"""

import os
import pty
import resource
import select
import struct
import subprocess
import sys
import time
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSCTTY, TIOCSWINSZ

BENCH = Path(__file__).resolve().parent
sys.path[:0] = [str(BENCH.parent / "tests" / "app"), str(BENCH / "support")]
from broker_process import Broker  # noqa: E402
from figures import record  # noqa: E402
from parley_program import PROGRAM, environment  # noqa: E402

LIMIT_SECONDS = 0.3  # of the processor, to the first picture, with 10,000 asks
PATIENCE_SECONDS = 120
ROUNDS = 5


def fill(broker: Broker, asks: int) -> None:
    options = [{"label": label, "description": "d" * 190} for label in ("Now", "Later", "Never")]
    for number in range(asks):
        question = {"question": f"Step {number}? " + "q" * 200, "header": "Step",
                    "options": options}
        broker.call("POST", "/v1/asks", {"questions": [question], "session": f"s{number % 50}"})


def used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def open_inbox(broker: Broker, wanted: str) -> tuple[float, int]:
    """Seconds of the processor, and pictures, until the terminal shows `wanted`."""
    master, slave = pty.openpty()
    ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    before = used()
    process = subprocess.Popen(
        [PROGRAM, "inbox"], stdin=slave, stdout=slave, stderr=slave,
        env=environment(broker.variables), start_new_session=True,
        preexec_fn=lambda: ioctl(0, TIOCSCTTY, 0))
    os.close(slave)
    screen = b""
    end = time.monotonic() + PATIENCE_SECONDS
    while wanted.encode() not in screen and time.monotonic() < end:
        if select.select([master], [], [], 1)[0]:
            screen += os.read(master, 65536)
    process.kill()
    process.wait()
    os.close(master)
    if wanted.encode() not in screen:
        raise SystemExit(f"{wanted!r} did not come")
    return used() - before, screen.count(b"\x1b[?2026h")


def main() -> None:
    asks = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with Broker() as broker:
        fill(broker, asks)
        rounds = [open_inbox(broker, f"{asks} waiting") for _ in range(ROUNDS)]
        before = used()
        subprocess.run([PROGRAM, "list", "--brief"], env=environment(broker.variables),
                       stdout=subprocess.DEVNULL, check=True)
        listing = used() - before
        seconds, pictures = sorted(rounds)[ROUNDS // 2]
        print(f"inbox  {asks} asks: first whole picture after {seconds:.3f} s of the "
              f"processor, {pictures} drawn; `parley list` takes {listing:.3f} s; "
              f"the limit is {LIMIT_SECONDS} s")
        record(f"inbox of {asks} asks to its first whole picture, processor", "s",
               [each[0] for each in rounds])


if __name__ == "__main__":
    main()
