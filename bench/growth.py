#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the cost of `parley serve` grows: the broker's processor time of a round (ask, told,
answered, woken) with more and more asks that wait, sessions that listen, and rounds in flight, and
of one event with more and more who watch. Sizes are measured in turn, over and over; what counts is
the median. Beside the rounds in flight stands a bare server that answers as many requests.

    PARLEY_PROGRAM=build/release/parley bench/growth.py [--seconds S] [--repeats N] [--most N]

--most leaves out sizes above N.
"""

import argparse
import json
import resource
import select
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/app"), str(ROOT / "bench/support")]
from broker_process import Broker  # noqa: E402
from figures import PARLEY, record  # noqa: E402
from parley_program import PROGRAM, environment  # noqa: E402
from processes import processor_seconds  # noqa: E402

LOADS = str(Path(PROGRAM).parent / "benchmarks/growth_bench")
BARE_SERVER = "bare Beast server, no store"
PENDING = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
SUBSCRIBERS = [1, 10, 100, 1_000, 10_000]
SESSIONS = [1, 10, 100, 1_000]
IN_FLIGHT = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
AT_ONCE = 16  # while others wait
EVENTS = 20  # to all subscribers, in one measurement
TALK = "talk"
ID_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
ID_SHIFTS = range(125, -1, -5)


def ids_after(first: str, count: int) -> Iterator[str]:
    prefix, _, digits = first.rpartition("_")
    start = 0
    for digit in digits:
        start = start * 32 + ID_DIGITS.index(digit)
    for number in range(start + 1, start + 1 + count):
        text = "".join(ID_DIGITS[number >> shift & 31] for shift in ID_SHIFTS)
        yield f"{prefix}_{text}"


class Crowd:
    """Stores with many asks that wait, each filled once: copies of an ask that a broker took."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        with Broker(store=f"sqlite:{folder}/one.db") as broker:
            broker.call("POST", "/v1/asks", {
                "session": "crowd", "question": "Which database shall the service use?",
                "header": "Database", "options": ["PostgreSQL", "SQLite", "MySQL"]})
            broker.stop()
        text = self._store("export", "one").stdout
        self._rows = [json.loads(line) for line in text.splitlines()]

    def _store(self, command: str, name: str, *more: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [PROGRAM, "store", command, "--store", f"sqlite:{self._folder}/{name}.db", *more],
            check=True, capture_output=True, text=True, env=environment({}))

    def _lines(self, count: int) -> Iterator[str]:
        for row in self._rows:
            if row["type"] == "end":
                row = {**row, "asks": count}
            yield json.dumps(row)
            if row["type"] == "ask":
                before, after = json.dumps({**row, "id": "?"}).split("?", 1)
                yield from (before + copy + after for copy in ids_after(row["id"], count - 1))

    def fill(self, count: int) -> str:
        """The URL of a store in which `count` wait."""
        name = f"crowd-{count}"
        file = Path(self._folder) / f"{name}.jsonl"
        with file.open("w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in self._lines(count))
        self._store("import", name, str(file))
        file.unlink()
        return f"sqlite:{self._folder}/{name}.db"


class Rounds:
    """A load that is connected to a broker and runs when it is told to."""

    def __init__(self, broker: Broker, seconds: float, sessions: int, at_once: int) -> None:
        self._broker = broker
        port = str(urlsplit(broker.ready["url"]).port)
        token = (broker.folder / "token").read_text().strip()
        self._load = subprocess.Popen(
            [LOADS, "rounds", str(seconds), str(sessions), str(at_once), token, port],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._load.stdout.readline()
        self.measure()  # what is done once is not what is measured

    def measure(self) -> float:
        """Microseconds of the broker's processor for a round."""
        before = processor_seconds(self._broker.pid)
        self._load.stdin.write("\n")
        self._load.stdin.flush()
        figures = json.loads(self._load.stdout.readline())
        return (processor_seconds(self._broker.pid) - before) / figures["rounds"] * 1e6

    def close(self) -> None:
        self._load.stdin.close()
        self._load.wait()
        self._load.stdout.close()


class Watchers:
    """Of one session in which an agent speaks."""

    def __init__(self, broker: Broker, count: int) -> None:
        self._broker = broker
        self._said = 0
        broker.call("POST", "/v1/sessions", {"name": TALK})
        address = urlsplit(broker.ready["url"])
        token = (broker.folder / "token").read_text().strip()
        request = (f"GET /v1/events?session={TALK} HTTP/1.1\r\nHost: {address.netloc}\r\n"
                   f"Authorization: Bearer {token}\r\n\r\n").encode()
        self._epoll = select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        for _ in range(count):
            one = socket.create_connection((address.hostname, address.port))
            one.sendall(request)
            self._sockets[one.fileno()] = one
            self._epoll.register(one, select.EPOLLIN)
            self._await(b"snapshot.end", 1)

    def _await(self, word: bytes, missing: int) -> None:
        while missing > 0:
            for descriptor, _ in self._epoll.poll():
                missing -= self._sockets[descriptor].recv(65536).count(word)

    def _say(self) -> None:
        kind = "text-delta" if self._said else "text-start"
        self._said += 1
        word = f"word-{self._said}-of-many"
        status, reply = self._broker.call("POST", f"/v1/sessions/{TALK}/events", [
            {"type": kind, "part_id": "p", "text": word}])
        if status >= 300:
            raise SystemExit(f"nothing was said: {status} {reply}")
        self._await(word.encode(), len(self._sockets))

    def measure(self) -> float:
        """Microseconds of the broker's processor for one event to all of them."""
        before = processor_seconds(self._broker.pid)
        for _ in range(EVENTS):
            self._say()
        return (processor_seconds(self._broker.pid) - before) / EVENTS * 1e6

    def close(self) -> None:
        for one in self._sockets.values():
            one.close()
        self._epoll.close()


# Whose cost, and at which size.
Measures = dict[tuple[str, int], Callable[[], float]]


def measure_in_turn(what: str, measures: Measures, repeats: int) -> None:
    values: dict[tuple[str, int], list[float]] = {key: [] for key in measures}
    for _ in range(repeats):
        for key, measure in measures.items():
            values[key].append(measure())
    for (who, size), each in values.items():
        record(f"{what} @ {size}", "µs", each, who)
        print(f"{what:<24} {size:>9}  {who:<12} {statistics.median(each):>9.1f} us "
              f"({min(each):.1f} to {max(each):.1f})", flush=True)


def grow_pending(sizes: list[int], seconds: float, repeats: int) -> None:
    with ExitStack() as stack:
        crowd = Crowd(stack.enter_context(tempfile.TemporaryDirectory()))
        measures: Measures = {}
        for size in sizes:
            broker = stack.enter_context(Broker(store=crowd.fill(size)))
            rounds = Rounds(broker, seconds, AT_ONCE, AT_ONCE)
            stack.callback(rounds.close)
            measures[PARLEY, size] = rounds.measure
        measure_in_turn("asks that wait", measures, repeats)


def measure_bare(seconds: float, connections: int) -> float:
    out = subprocess.run([LOADS, "bare", str(seconds), str(connections)], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)["cpu_us"]


def grow_in_flight(sizes: list[int], seconds: float, repeats: int) -> None:
    """Each in a session of its own."""
    with ExitStack() as stack:
        measures: Measures = {}
        for size in sizes:
            rounds = Rounds(stack.enter_context(Broker()), seconds, size, size)
            stack.callback(rounds.close)
            measures[PARLEY, size] = rounds.measure
            measures[BARE_SERVER, size] = partial(measure_bare, seconds / 2, size)
        measure_in_turn("rounds in flight", measures, repeats)


def grow_sessions(sizes: list[int], seconds: float, repeats: int) -> None:
    """One round at a time, in each session in turn."""
    with ExitStack() as stack:
        measures: Measures = {}
        for size in sizes:
            rounds = Rounds(stack.enter_context(Broker()), seconds, size, 1)
            stack.callback(rounds.close)
            measures[PARLEY, size] = rounds.measure
        measure_in_turn("sessions", measures, repeats)


def grow_subscribers(sizes: list[int], repeats: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with ExitStack() as stack:
        measures: Measures = {}
        for size in sizes:
            watchers = Watchers(stack.enter_context(Broker()), size)
            stack.callback(watchers.close)
            measures[PARLEY, size] = watchers.measure
        measure_in_turn("subscribers", measures, repeats)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--most", type=int, default=max(PENDING))
    options = parser.parse_args()

    def chosen(sizes: list[int]) -> list[int]:
        return [size for size in sizes if size <= options.most]

    run = options.seconds, options.repeats
    grow_in_flight(chosen(IN_FLIGHT), *run)
    grow_sessions(chosen(SESSIONS), *run)
    grow_subscribers(chosen(SUBSCRIBERS), options.repeats)
    grow_pending(chosen(PENDING), *run)


if __name__ == "__main__":
    main()
