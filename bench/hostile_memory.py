#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much memory hostile connections can make a broker hold: each attack of hostile_attacks.py by
a thousand connections at once against a broker of its own, the process's memory watched.

    PARLEY_PROGRAM=build/package/parley bench/hostile_memory.py [--connections N] [ATTACK…]

Prints one row for each attack, in MiB above the idle broker, and ends with 1 if one is over its
limit: 64 MiB without a token, 256 MiB with an agent's. An ATTACK is part of a name."""

import argparse
import json
import os
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hostile_attacks import MIB, Attack, Target, attacks

ROOT = Path(__file__).resolve().parent.parent
CERTIFICATES = ROOT / "tests/app/certificates"
LIMIT_MIB = {False: 64, True: 256}
SAMPLE_SECONDS = 0.1
QUIET_SECONDS = 1.5  # an attack is at its height once nothing moves for so long
LONGEST_SECONDS = 25
SEND_BUFFER = 64 * 1024  # so that what is sent lies at the broker and not in our kernel


class Victim:
    """A broker in a folder of its own."""

    def __init__(self, program: str, options: tuple[str, ...]):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self._log = (self.folder / "log").open("wb")
        self._process = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--store",
             f"sqlite:{self.folder}/parley.db", "--token-file", f"{self.folder}/token", "--json",
             *options], stdout=subprocess.PIPE, stderr=self._log,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8",
                 "XDG_RUNTIME_DIR": str(self.folder), "XDG_STATE_HOME": str(self.folder)})
        ready = json.loads(self._process.stdout.readline())
        self.pid = ready["pid"]
        self.port = int(ready["url"].rsplit(":", 1)[1].strip("/"))
        self.is_tls = ready["url"].startswith("https")
        self.owner = (self.folder / "token").read_text().strip()

    def __enter__(self) -> "Victim":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._log.close()
        self._folder.cleanup()

    def memory(self, field: str) -> int:
        """Bytes, of VmRSS (now) or VmHWM (the most there was)."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        raise RuntimeError("the broker is gone")

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def call(self, method: str, path: str, body: Any = None, token: str = "") -> tuple[int, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token or self.owner}",
                     "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.loads(response.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, None

    def make_agent(self) -> str:
        return self.call("POST", "/v1/tokens", {"name": "hostile", "role": "agent"})[1]["token"]


class Connection:
    """One peer of an attack: what it still has to send, and what it was told."""

    def __init__(self, attack: Attack, target: Target, number: int):
        self._attack, self._target, self._number = attack, target, number
        self.sock = socket.socket()
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self.sock.setblocking(False)
        self.sock.connect_ex((target.host, target.port))
        self._left = memoryview(attack.first(target, number))
        self._waits = attack.waits
        self._more_bytes = attack.bytes_max if attack.more else 0
        self.sent = 0
        self.told = b""
        self.is_open = True

    def wants(self) -> int:
        reads = self._attack.reads or self._waits
        writes = self._left or (self._more_bytes > 0 and not self._waits)
        return ((selectors.EVENT_READ if reads else 0) |
                (selectors.EVENT_WRITE if writes else 0))

    def move(self, events: int) -> bool:
        """Whether anything went over."""
        try:
            return self._take() if events & selectors.EVENT_READ else self._send()
        except BlockingIOError:
            return False
        except OSError:
            self.close()
            return True

    def _take(self) -> bool:
        read = self.sock.recv(65536)
        if not read:
            self.close()
        elif len(self.told) < 4096:
            self.told += read
        if self._waits and b"\r\n\r\n" in self.told:
            self._waits = False
            self._left = memoryview(self._attack.second)
        return True

    def _send(self) -> bool:
        if not self._left:
            self._left = memoryview(self._attack.more(self._target, self._number))
        sent = self.sock.send(self._left)
        self._left = self._left[sent:]
        self.sent += sent
        if self.sent > self._more_bytes:
            self._more_bytes = 0
        return True

    def status(self) -> str:
        """What the broker said, also where the attack did not look."""
        if self.is_open and not self.told:
            try:
                self.told = self.sock.recv(64)
            except OSError:
                pass
        words = self.told.split(b" ", 2)
        return words[1].decode() if len(words) > 2 and words[0] == b"HTTP/1.1" else "-"

    def close(self) -> None:
        self.is_open = False
        self.sock.close()


@dataclass
class Outcome:
    name: str
    has_token: bool
    idle: int = 0
    peak: int = 0
    held: int = 0
    sent: int = 0
    cut: int = 0
    statuses: str = ""
    cpu: float = 0
    lives: bool = True

    @property
    def above(self) -> float:
        return (self.peak - self.idle) / MIB

    @property
    def is_within(self) -> bool:
        return self.lives and self.above <= LIMIT_MIB[self.has_token]


def press(victim: Victim, connections: list[Connection], longest: float) -> int:
    """Drives all connections until nothing moves and the broker rests; the highest memory that was
    seen."""
    selector = selectors.DefaultSelector()
    wanted: dict[Connection, int] = {}
    peak, cpu = victim.memory("VmRSS"), victim.cpu_seconds()
    begin = last_move = last_sample = time.monotonic()
    while last_move + QUIET_SECONDS > (now := time.monotonic()) < begin + longest:
        for connection in connections:
            wants = connection.wants() if connection.is_open else 0
            if wanted.get(connection, 0) == wants:
                continue
            if wanted.get(connection, 0) and connection.sock.fileno() >= 0:
                selector.unregister(connection.sock)
            if wants:
                selector.register(connection.sock, wants, connection)
            wanted[connection] = wants
        if not selector.get_map():
            time.sleep(SAMPLE_SECONDS)
        for key, events in selector.select(SAMPLE_SECONDS):
            if key.data.move(events):
                last_move = now
            if not key.data.is_open:
                selector.unregister(key.fileobj)
                wanted[key.data] = 0
        if now - last_sample >= SAMPLE_SECONDS:
            last_sample = now
            peak = max(peak, victim.memory("VmRSS"))
            if victim.cpu_seconds() > cpu:
                cpu, last_move = victim.cpu_seconds(), now
    return max(peak, victim.memory("VmHWM"))


def summary(statuses: list[str]) -> str:
    return " ".join(f"{status}×{statuses.count(status)}" for status in sorted(set(statuses)))


def measure(program: str, attack: Attack, count: int,
            longest: float = LONGEST_SECONDS) -> Outcome:
    outcome = Outcome(attack.name, attack.has_token)
    with Victim(program, attack.options) as victim:
        target = Target("127.0.0.1", victim.port)
        if attack.has_token:
            token = victim.make_agent()
            target = replace(target, token=token,
                             call=lambda *words: victim.call(*words, token=token))
        outcome.idle = victim.memory("VmRSS")
        if attack.prepare:
            attack.prepare(target)
        cpu = victim.cpu_seconds()
        connections = [Connection(attack, target, number) for number in range(count)]
        try:
            outcome.peak = press(victim, connections, longest)
            outcome.held = victim.memory("VmRSS")
            outcome.cpu = victim.cpu_seconds() - cpu
        except (RuntimeError, OSError):
            outcome.lives = victim.is_alive()
        outcome.sent = sum(connection.sent for connection in connections)
        outcome.cut = sum(not connection.is_open for connection in connections)
        outcome.statuses = summary([connection.status() for connection in connections])
        for connection in connections:
            connection.close()
    return outcome


def row(outcome: Outcome) -> str:
    who = "agent" if outcome.has_token else "none"
    verdict = "yes" if outcome.is_within else "NO" if outcome.lives else "DIED"
    return (f"| {outcome.name} | {who} | {outcome.sent / MIB:.0f} | {outcome.above:.0f} "
            f"| {(outcome.held - outcome.idle) / MIB:.0f} | {LIMIT_MIB[outcome.has_token]} "
            f"| {verdict} | {outcome.cpu:.1f} | {outcome.statuses} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("attack", nargs="*")
    arguments = parser.parse_args()
    program = os.environ.get("PARLEY_PROGRAM", str(ROOT / "build/package/parley"))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(f"{arguments.connections} connections at once, memory in MiB above the idle broker\n")
    print("| attack | token | MiB sent | peak | held | limit | within | CPU s | told |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    all_within = True
    for attack in attacks(str(CERTIFICATES / "server.pem"), str(CERTIFICATES / "server.key")):
        if arguments.attack and not any(word in attack.name for word in arguments.attack):
            continue
        outcome = measure(program, attack, arguments.connections)
        all_within = all_within and outcome.is_within
        print(row(outcome), flush=True)
    return 0 if all_within else 1


if __name__ == "__main__":
    sys.exit(main())
