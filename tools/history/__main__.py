# SPDX-License-Identifier: Apache-2.0
"""Makes and judges histories of a broker under attack.

    tools/history run [--seed N] [--seconds S] [--kills N] [--keep FILE] [--nodes 3 --postgres]
    tools/history check FILE

Ends with 0 if every promise was kept."""

import argparse
import asyncio
import os
import random
import sys
from pathlib import Path

from checks import check
from record import History
from run import Settings, run

ROOT = Path(__file__).resolve().parent.parent.parent


def report(history: History, seed: int | None) -> int:
    violations = check(history)
    for name, count in history.counts.items():
        print(f"{name:>20} {count}")
    for name, peak in history.peaks.items():
        print(f"{'at most ' + name:>20} {peak}")
    for violation in violations[:100]:
        print(f"VIOLATION {violation}")
    again = "" if seed is None else f"; the same again: --seed {seed}"
    print(f"{len(violations)} violations{again}")
    return 1 if violations else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/history")
    words = parser.add_subparsers(dest="word", required=True)
    judge = words.add_parser("check", help="judge a history that was kept")
    judge.add_argument("file", type=Path)
    make = words.add_parser("run", help="make one, and judge it")
    make.add_argument("--program", default=os.environ.get("PARLEY_PROGRAM",
                                                          str(ROOT / "build/release/parley")))
    make.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    make.add_argument("--seconds", type=float, default=20)
    make.add_argument("--kills", type=int, default=0, help="at least so many")
    make.add_argument("--pause", type=float, nargs=2, default=(0.3, 0.8),
                      help="seconds between what is done to the broker")
    make.add_argument("--pace", type=float, default=1.0, help="2 is half as fast")
    make.add_argument("--nodes", type=int, default=1, help="brokers on one --store")
    make.add_argument("--store", default="", help="a URL; a file of its own unless given")
    make.add_argument("--postgres", action="store_true", help="nodes share a PostgreSQL of their "
                      "own, whose connections are cut and whose standby takes over")
    make.add_argument("--agents", type=int, default=0, help="so many more that ask")
    make.add_argument("--people", type=int, default=0, help="so many more that answer")
    make.add_argument("--control", default="", help="for brokers that run elsewhere: called with "
                      "HOST:PORT and start, kill, terminate, pause, resume, fill-disk, free-disk")
    make.add_argument("--address", default="", help="of those: HOST:PORT[,…]")
    make.add_argument("--token", default="", help="of their owner")
    make.add_argument("--clock", default="", help="tests/app/shifted_clock.cc as a library: the "
                      "brokers' clocks are put wrong and right again")
    make.add_argument("--keep", type=Path, help="where the history is written")
    arguments = parser.parse_args()
    if arguments.word == "check":
        return report(History.load(arguments.file), None)
    settings = Settings(arguments.program, arguments.seed, arguments.seconds, arguments.kills,
                        arguments.nodes, arguments.store, arguments.control, arguments.address,
                        arguments.token, tuple(arguments.pause), arguments.pace,
                        arguments.postgres, arguments.agents, arguments.people, arguments.clock)
    print(f"seed {arguments.seed}", flush=True)
    history, logs = asyncio.run(run(settings))
    if arguments.keep:
        history.save(arguments.keep)
    code = report(history, arguments.seed)
    if code:
        print(logs[-4000:], file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
