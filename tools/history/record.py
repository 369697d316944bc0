# SPDX-License-Identifier: Apache-2.0
"""A history: every operation with its begin, its end and what came of it, what each subscriber was
told, and what the broker shows at the end. Kept as lines of JSON, to be judged again."""

import itertools
import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

OK = "ok"  # acknowledged
FAILED = "failed"  # refused: nothing may have come of it
UNKNOWN = "unknown"  # no answer: it may have happened or not
FOREVER = 1e18
# By which a broker's time of day is moved, to either side: so far that it is seen of any time
# whether it was.
JUMP_SECONDS = 30 * 86400


def without_jump(at: float) -> float:
    """A time that a broker gave, by the clock of this machine."""
    return at - JUMP_SECONDS * round((at - time.time()) / JUMP_SECONDS)


@dataclass(slots=True)
class Operation:
    number: int
    worker: str
    door: str
    kind: str
    given: dict[str, Any]
    begin: float
    end: float = FOREVER
    result: str = UNKNOWN
    got: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Sighting:
    """One event as a subscriber was told it."""

    subscriber: str
    at: float
    cursor: int
    kind: str
    subject: str = ""
    content: str = ""


@dataclass(slots=True)
class Snapshot:
    """What a subscriber that came without a cursor was told to be pending."""

    begin: float
    end: float
    asks: list[str]


@dataclass(slots=True)
class Scope:
    """What a subscriber follows: everything, or one session; from its first cursor on."""

    door: str
    session: str = ""
    since: float = FOREVER
    first_cursor: int = 0
    shows_openings: bool = True
    who: str = ""


@dataclass
class History:
    operations: list[Operation] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    scopes: dict[str, Scope] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)  # seen on the way, by whoever made a call
    final: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    lag: float = 0.0  # seconds by which one who is asked may be behind
    jumps: list[tuple[float, float]] = field(default_factory=list)  # when the clock was wrong
    halts: list[tuple[float, float]] = field(default_factory=list)  # when one of them stood still
    peaks: dict[str, int] = field(default_factory=dict)  # what a broker used at most

    def of(self, *kinds: str) -> list[Operation]:
        return [operation for operation in self.operations if operation.kind in kinds]

    def had_jump(self, begin: float, end: float) -> bool:
        return any(begin <= last and first <= end for first, last in self.jumps)

    def known_since(self, begin: float, end: float) -> float:
        """Whoever answered in that time had heard of all before this: one of several brokers that
        stood still shows what it knew until it has read on."""
        halts = [first for first, last in self.halts if first <= end and begin <= last + self.lag]
        return min(halts, default=begin) - self.lag

    def save(self, path: Path) -> None:
        with path.open("w", encoding="utf-8") as file:
            for name in ("operations", "sightings", "snapshots"):
                for one in getattr(self, name):
                    print(json.dumps({name: asdict(one)}), file=file)
            rest = {"scopes": {name: asdict(scope) for name, scope in self.scopes.items()},
                    "faults": self.faults, "final": self.final, "counts": self.counts,
                    "lag": self.lag, "jumps": self.jumps, "halts": self.halts, "peaks": self.peaks}
            print(json.dumps(rest), file=file)

    @staticmethod
    def load(path: Path) -> "History":
        history = History()
        kinds = {"operations": Operation, "sightings": Sighting, "snapshots": Snapshot}
        for line in path.read_text(encoding="utf-8").splitlines():
            for name, value in json.loads(line).items():
                if name in kinds:
                    getattr(history, name).append(kinds[name](**value))
                elif name == "scopes":
                    history.scopes = {key: Scope(**scope) for key, scope in value.items()}
                else:
                    setattr(history, name, value)
        return history


class Recorder:
    """Writes a history while it happens. Times are those of the wall clock, as the broker's are."""

    def __init__(self) -> None:
        self.history = History()
        self._numbers = itertools.count(1)

    def begin(self, worker: str, door: str, kind: str, **given: Any) -> Operation:
        operation = Operation(next(self._numbers), worker, door, kind, given, time.time())
        self.history.operations.append(operation)
        return operation

    def end(self, operation: Operation, result: str, **got: Any) -> None:
        operation.end, operation.result, operation.got = time.time(), result, got

    def saw(self, subscriber: str, cursor: int, kind: str, subject: str = "",
            content: str = "") -> None:
        self.history.sightings.append(
            Sighting(subscriber, time.time(), cursor, kind, subject, content))

    def fault(self, text: str) -> None:
        self.history.faults.append(text)

    def count(self, name: str, by: int = 1) -> None:
        self.history.counts[name] = self.history.counts.get(name, 0) + by
