#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long one request can keep a broker's only loop from everybody else: for each route the worst
of worst_requests.py, by the CPU time of the loop's thread, so that a busy machine counts for
nothing.

    PARLEY_PROGRAM=build/package/parley bench/loop_time.py [--all] [ROUTE…]

"in one go" is the most that the loop did between the sending of somebody else's small request and
its answer; such requests are sent one after another all the time. The kernel counts in steps of a
few milliseconds. "altogether" is what the whole request cost. Prints the worst request of each
route, with --all every one, and ends with 1 if one is over the limit. A ROUTE is part of a name."""

import argparse
import contextlib
import itertools
import os
import socket
import statistics
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

from hostile_attacks import MIB, Target
from hostile_memory import ROOT, Victim
from routes import faults
from worst_requests import Case, State, cases, many_options, own_routes

LIMIT_MS = 50
QUIET_SECONDS = 0.12  # nothing comes any more and the loop rests: the request is done
HELD_SECONDS = 1.5  # one that is not answered by then waits for a person
LONGEST_SECONDS = 20
SMALL_MS = 4  # of the loop; as exact as the kernel counts
TRIES = 3
NO_QUOTA = ("--quota-asks", "1000000", "--quota-bytes", "1000000000",
            "--quota-sessions", "100000")


class Loop:
    """The thread of the broker that does everything but write to its store."""

    def __init__(self, pid: int):
        self._folder = Path(f"/proc/{pid}/task/{pid}")

    def milliseconds(self) -> float:
        return int((self._folder / "schedstat").read_text().split()[0]) / 1e6

    def sleeps(self) -> bool:
        return (self._folder / "stat").read_text().rsplit(") ", 1)[1].startswith("S")


class Probe:
    """Somebody else, with a small request always under way."""

    def __init__(self, target: Target, loop: Loop):
        self._loop = loop
        self._request = target.head("GET", "/healthz")
        self._sock = socket.create_connection((target.host, target.port))
        self._over = False
        self.longest = 0.0
        self._since = time.monotonic()  # the last that was not short
        self._answered = self._since
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._over:
            before = self._loop.milliseconds()
            self._sock.sendall(self._request)
            if not self._sock.recv(65536):
                return
            took = self._loop.milliseconds() - before
            self._answered = time.monotonic()
            self.longest = max(self.longest, took)
            if took > SMALL_MS:
                self._since = self._answered

    def is_quiet(self, since: float) -> bool:
        return self._answered > max(self._since, since) + QUIET_SECONDS

    def __enter__(self) -> "Probe":
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._thread.join()
        self._sock.close()


class Exchange:
    """One case on a connection of its own: a thread sends, since a broker may answer before all of
    it is there."""

    def __init__(self, target: Target, case: Case):
        self._sock = socket.create_connection((target.host, target.port))
        self._bytes = case.bytes()
        self.sent = len(self._bytes)
        self.told = b""
        self.read = 0
        if case.before:
            self._sock.sendall(case.before)
            while b"\r\n\r\n" not in self.told:
                self.told += self._sock.recv(65536)
        self._sock.settimeout(0.01)
        self._sender = threading.Thread(target=self._send)

    def run(self, is_quiet: Callable[[float], bool]) -> None:
        """Until all is sent, what comes back is read, and it is quiet since then."""
        self._sender.start()
        last = begin = time.monotonic()
        is_over = False
        while (now := time.monotonic()) < begin + LONGEST_SECONDS:
            if self._sender.is_alive():
                last = now
            elif is_quiet(last) and (self.read > 0 or now > last + HELD_SECONDS):
                return
            if is_over:
                time.sleep(QUIET_SECONDS / 10)
                continue
            try:
                read = self._sock.recv(1 << 20)
                self.told, self.read = (self.told + read)[:64], self.read + len(read)
                is_over, last = not read, now
            except TimeoutError:
                pass
            except OSError:
                is_over = True

    def _send(self) -> None:
        left = memoryview(self._bytes)
        end = time.monotonic() + LONGEST_SECONDS
        while left and time.monotonic() < end:
            try:
                left = left[self._sock.send(left):]
            except TimeoutError:
                continue
            except OSError:
                return

    def close(self) -> None:
        self._sender.join()
        self._sock.close()

    def status(self) -> str:
        words = self.told.split(b" ", 2)
        return words[1].decode() if len(words) > 2 and words[0] == b"HTTP/1.1" else "-"


@dataclass
class Outcome:
    case: Case
    longest: float  # milliseconds
    total: float
    mebibytes: float  # of the request, or of its answer if that is larger
    status: str

    def row(self) -> str:
        per = f"{self.total / self.mebibytes:.0f}" if self.mebibytes >= 0.5 else "–"
        return (f"| `{self.case.route}` | {self.case.what} | {self.mebibytes:.1f} | "
                f"{self.longest:.0f} | {self.total:.0f} | {per} | {self.status} |")


def rests(loop: Loop) -> Callable[[float], bool]:
    seen = [-1.0, 0.0]

    def is_quiet(since: float) -> bool:
        now, spent = time.monotonic(), loop.milliseconds()
        if spent != seen[0] or not loop.sleeps():
            seen[:] = [spent, now]
        return now > max(seen[1], since) + QUIET_SECONDS

    return is_quiet


def measure_total(loop: Loop, target: Target, case: Case) -> tuple[float, Exchange]:
    exchange = Exchange(target, case)
    before = loop.milliseconds()
    exchange.run(rests(loop))
    total = loop.milliseconds() - before
    exchange.close()
    return total, exchange


def measure_longest(loop: Loop, target: Target, case: Case) -> float:
    exchange = Exchange(target, case)
    with Probe(target, loop) as probe:
        exchange.run(probe.is_quiet)
        longest = probe.longest
    exchange.close()
    return longest


def measure(loop: Loop, target: Target, case: Case) -> Outcome:
    total, exchange = measure_total(loop, target, case)
    # What is short altogether has no long part.
    tries = [measure_longest(loop, target, case) for _ in range(TRIES if total > 8 else 0)]
    longest = min(statistics.median(tries), total) if tries else total
    mebibytes = max(exchange.sent, exchange.read) / MIB
    return Outcome(case, longest, total, mebibytes, exchange.status())


def fill(victim: Victim, state: State) -> None:
    """Large asks and small ones, pending and settled, drafts, sessions, and some with a long
    past."""
    agent, person = state.targets["agent"].token, state.targets["responder"].token
    large = [{"question": f"{number} " + "w" * 15_000} for number in range(16)]
    controls = "\x01" * 600_000  # six bytes each, where they are told
    for number in range(250):
        made = victim.call("POST", "/v1/asks", {"session": "worst", "questions": large}, agent)[1]
        if number < 60:
            victim.call("PUT", f"/v1/asks/{made['id']}/draft",
                        {"answers": [{"selected": [], "other": controls}]}, person)
    for number in range(1000):
        victim.call("POST", "/v1/sessions", {
            "name": f"worst-{number}", "title": "\u00e9" * 200, "parent": "worst",
            "directory": "/" + "d" * 4000}, agent)
    for number in range(4000):
        made = victim.call("POST", "/v1/asks", {
            "session": f"worst-{number % 1000}", "question": f"Which one, {number}?",
            "options": ["one", "two", "three"]}, agent)[1]
        if number % 2:
            victim.call("POST", f"/v1/asks/{made['id']}/answer",
                        {"answers": [{"selected": ["two"]}]})
    victim.call("POST", "/v1/sessions", {"name": "worst-controls"}, agent)
    for session, said in (("worst", "w\n" * (3 * MIB // 2)), ("worst-controls", controls)):
        for number in range(40):
            victim.call("POST", f"/v1/sessions/{session}/events", [
                {"type": "text-start", "part_id": f"p{number}", "text": said},
                {"type": "text-end", "part_id": f"p{number}"}], agent)
    for number in range(4000):
        victim.call("POST", "/v1/sessions/worst/events", [
            {"type": "tool-input-available", "call_id": f"c{number}", "tool": "t", "input": {}},
            {"type": "tool-output", "call_id": f"c{number}", "output": "done"}], agent)
    while victim.call("POST", "/v1/sessions/worst-controls/messages", {"text": controls},
                      person)[0] == 202:
        pass


def crowd(victim: Victim, agent: Target, name: str) -> str:
    """A session in which 1,000 asks of one agent wait. A connection has one request under way at a
    time: a hundred of them share their transactions."""
    session = victim.call("POST", "/v1/sessions", {"name": name}, agent.token)[1]["id"]
    requests = agent.post("/v1/asks", {"session": session, "question": "Go on?"}) * 10
    with contextlib.ExitStack() as stack:
        socks = [stack.enter_context(socket.create_connection((agent.host, agent.port)))
                 for _ in range(100)]
        for sock in socks:
            sock.sendall(requests)
        for sock in socks:
            told = b""
            while told.count(b"HTTP/1.1 201") < 10:
                told += sock.recv(1 << 20)
    return session


def prepare(victim: Victim, is_full: bool) -> State:
    nobody = Target("127.0.0.1", victim.port)
    targets = {"nobody": nobody, "owner": replace(nobody, token=victim.owner)}
    for role in ("agent", "responder"):
        made = victim.call("POST", "/v1/tokens", {"name": f"worst-{role}", "role": role})
        targets[role] = replace(nobody, token=made[1]["token"])
    session = victim.call("POST", "/v1/sessions", {"name": "worst"}, targets["agent"].token)[1]
    crowds = itertools.count()

    def new_ask() -> str:
        return victim.call("POST", "/v1/asks", {
            "session": "worst", "questions": many_options(32, 200, 38)},
            targets["agent"].token)[1]["id"]

    def new_crowd() -> str:
        return crowd(victim, targets["agent"], f"crowd-{next(crowds)}")

    state = State(targets, new_ask(), "worst", session["id"], is_full, "msg_none", new_ask,
                  new_crowd)
    if not is_full:
        return state
    fill(victim, state)
    messages = victim.call("GET", f"/session/{session['id']}/message?limit=1")[1]
    return replace(state, message=messages[0]["info"]["id"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("route", nargs="*")
    arguments = parser.parse_args()
    if wrong := faults(own_routes()):
        sys.exit("\n".join(wrong))
    program = os.environ.get("PARLEY_PROGRAM", str(ROOT / "build/package/parley"))
    print("milliseconds of the loop's CPU time\n")
    print("| route | what | MiB | in one go | altogether | per MiB | told |")
    print("|---|---|---|---|---|---|---|", flush=True)
    worst: dict[str, Outcome] = {}
    for is_full in (False, True):
        with Victim(program, NO_QUOTA) as victim:
            state, loop = prepare(victim, is_full), Loop(victim.pid)
            for case in cases(state):
                if arguments.route and not any(word in case.route for word in arguments.route):
                    continue
                outcome = measure(loop, state.targets["nobody"], case)
                if arguments.all:
                    print(outcome.row(), flush=True)
                known = worst.get(case.route)
                if known is None or known.longest < outcome.longest:
                    worst[case.route] = outcome
    if not arguments.all:
        for outcome in sorted(worst.values(), key=lambda each: -each.longest):
            print(outcome.row())
    return 0 if all(each.longest <= LIMIT_MS for each in worst.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
