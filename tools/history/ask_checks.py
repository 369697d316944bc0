# SPDX-License-Identifier: Apache-2.0
"""Nothing acknowledged is lost; a key is one ask; an ask has one settlement, and all are told it;
timers are never early, and silence decides nothing."""

from collections import defaultdict
from typing import Iterator

from record import FAILED, OK, UNKNOWN, History, Operation

CLOCK_SECONDS = 0.002  # the broker's times are cut to milliseconds
HOLDING_DOORS = {"hook"}  # where who hangs up takes the question back
LATE_SECONDS = 20  # for a timer: it may have been killed, stopped, or kept from writing


def same(one: str, other: str) -> bool:
    """Whether two tellings of a settlement agree in outcome and words; doors tell no more."""
    return one.split("|")[:2] == other.split("|")[:2]


def check_asks(history: History) -> Iterator[str]:
    rows = history.final["asks"]
    by_text = defaultdict(list)
    for row in rows:
        by_text[row["text"]].append(row)
    by_id = {row["id"]: row for row in rows}
    asked = defaultdict(list)
    for operation in history.of("ask"):
        asked[operation.given["text"]].append(operation)
    settled = defaultdict(list)
    for operation in history.of("settle"):
        if operation.worker != "probe":
            settled[operation.given["ask"]].append(operation)

    seen: dict[str, float] = {}  # when somebody was first told of it
    for sighting in history.sightings:
        if sighting.kind == "opened":
            seen.setdefault(sighting.subject, sighting.at)

    for text, operations in asked.items():
        yield from _check_made(text, operations, by_text[text])
    for row in rows:
        if row["text"] not in asked:
            yield f"{row['id']} ({row['text']}) was asked by nobody"
            continue
        yield from _check_settlement(row, settled[row["id"]])
        yield from _check_timer(history, row, asked[row["text"]], seen.get(row["id"], 0.0))
        yield from _check_decider(row, settled[row["id"]], asked[row["text"]])
    yield from _check_delivered(history, by_text)
    yield from _check_probes(history, by_id)
    yield from _check_snapshots(history, rows, asked, settled)


def _check_made(text: str, operations: list[Operation], rows: list[dict]) -> Iterator[str]:
    if len(rows) > 1:
        yield f"{text!r} became {len(rows)} asks"
    ids = {one.got["id"] for one in operations if one.result == OK and "id" in one.got}
    if len(ids) > 1:
        yield f"one key gave {sorted(ids)} for {text!r}"
    if ids and not rows:
        yield f"{text!r} was acknowledged as {sorted(ids)} and is lost"
    if ids and rows and rows[0]["id"] not in ids:
        yield f"{text!r} was acknowledged as {sorted(ids)} and is {rows[0]['id']}"
    if rows and all(one.result == FAILED for one in operations):
        yield f"{text!r} was refused and is there"


def expected(operation: Operation) -> str:
    words = operation.given["words"] if operation.given["outcome"] == "answered" else ""
    return f"{operation.given['outcome']}|{words}|somebody"


def _check_settlement(row: dict, operations: list[Operation]) -> Iterator[str]:
    for one in operations:
        if one.result == OK and one.given.get("ends"):
            if row["state"] == "pending":
                yield f"{row['id']} waits on though its session's end was acknowledged"
        elif one.result == OK:
            if expected(one) != row["told"]:
                yield (f"{row['id']}: {one.door} acknowledged {expected(one)!r} to {one.worker}, "
                       f"and the record says {row['told']!r}")
            elif one.given["outcome"] == "answered" and not (
                    one.begin - CLOCK_SECONDS <= row["at"] <= one.end + CLOCK_SECONDS):
                yield f"{row['id']} was not settled while its winner called"
        standing = one.got.get("standing", "")
        if standing and standing != row["told"]:
            yield (f"{row['id']}: {one.door} told {one.worker} that {standing!r} stands, "
                   f"and the record says {row['told']!r}")
        outcome = one.got.get("outcome", "")
        if one.got.get("status") and one.result == FAILED and not (standing or outcome):
            yield f"{row['id']}: {one.door} refused {one.worker} and did not tell what stands"
        if one.result == FAILED and outcome and outcome != row["state"]:
            yield f"{row['id']}: {one.door} told of {outcome}, and it is {row['state']}"


def _has_sure_deadline(history: History, operations: list[Operation]) -> bool:
    """One that was set by a wrong clock counts by the right one after the next start."""
    return not any(history.had_jump(one.begin, one.end) for one in operations)


def _check_timer(history: History, row: dict, operations: list[Operation],
                 seen: float) -> Iterator[str]:
    given = operations[0].given
    if bool(row["deadline"]) != bool(given["timeout"]):
        yield f"{row['id']} has a deadline that its asker did not give, or none"
    if row["decider"] != "timer":
        if row["state"] == "timed_out":
            yield f"{row['id']} timed out, and not by the timer"
        return
    if not given["timeout"]:
        yield f"{row['id']} was decided by silence"
        return
    right = f"answered|{given['default']}|timer" if given["default"] else "timed_out||timer"
    if row["told"] != right:
        yield f"{row['id']}: the timer decided {row['told']!r} instead of {right!r}"
    if not _has_sure_deadline(history, operations):
        return
    first = min(one.begin for one in operations)
    if row["at"] < max(row["deadline"], first + given["timeout"]) - CLOCK_SECONDS:
        yield f"{row['id']}: the timer was early"
    # One that waited in a halted node to be written had no timer until then.
    if row["at"] > max(row["deadline"], seen) + LATE_SECONDS:
        yield f"{row['id']}: the timer was late"


def _check_decider(row: dict, operations: list[Operation],
                   asked: list[Operation]) -> Iterator[str]:
    """What is decided, somebody has tried to decide so."""
    if row["state"] == "pending" or row["decider"] == "timer":
        return
    if row["state"] == "withdrawn" and any(
            one.door in HOLDING_DOORS and one.result == UNKNOWN for one in asked):
        return
    for one in operations:
        if one.result == FAILED:
            continue
        if one.given["outcome"] == row["state"] and (
                row["state"] != "answered" or expected(one) == row["told"]):
            return
    yield f"{row['id']} ({asked[0].door}) is {row['told']!r}, and nobody has tried that"


def _check_delivered(history: History, by_text: dict[str, list[dict]]) -> Iterator[str]:
    for one in history.of("deliver"):
        rows = by_text[one.given["text"]]
        if not rows:
            yield f"{one.given['text']!r} was delivered by {one.door} and is no ask"
        elif not same(one.got["told"], rows[0]["told"]):
            yield (f"{rows[0]['id']}: {one.door} delivered {one.got['told']!r}, "
                   f"and the record says {rows[0]['told']!r}")
        elif rows[0]["at"] > one.end + CLOCK_SECONDS:
            yield f"{rows[0]['id']} was delivered before it was settled"


def _check_probes(history: History, by_id: dict[str, dict]) -> Iterator[str]:
    for probe in history.final["probes"]:
        row = by_id[probe["ask"]]
        if probe["result"] == OK:
            yield f"{row['id']} was settled once more through {probe['door']}"
        elif probe["door"] == "tool-result":
            if probe["outcome"] != row["state"]:
                yield f"{row['id']}: tool-result shows {probe['outcome']!r}, not {row['state']!r}"
        elif probe["standing"] != row["told"]:
            yield f"{row['id']}: {probe['door']} shows {probe['standing']!r}, not {row['told']!r}"


def _check_snapshots(history: History, rows: list[dict], asked: dict[str, list[Operation]],
                     settled: dict[str, list[Operation]]) -> Iterator[str]:
    """A fresh subscriber is told what is pending, and nothing that is not."""
    known = []  # when it was surely there, when it was perhaps settled, which
    for row in rows:
        ends = [one.end for one in asked.get(row["text"], ()) if one.result == OK and
                one.door == "native"]
        tries = [one.begin for one in settled[row["id"]]]
        if row["deadline"]:
            tries.append(row["deadline"] - CLOCK_SECONDS)
        if ends and _has_sure_deadline(history, asked[row["text"]]):
            known.append((min(ends), min(tries, default=float("inf")), row["id"]))
    known.sort()
    waiting: list[tuple[float, str]] = []
    at = 0
    for snapshot in sorted(history.snapshots, key=lambda one: one.begin):
        while at < len(known) and known[at][0] < history.known_since(snapshot.begin, snapshot.end):
            waiting.append(known[at][1:])
            at += 1
        waiting = [one for one in waiting if one[0] > snapshot.end]
        shown = set(snapshot.asks)
        for _, ask in waiting:
            if ask not in shown:
                yield f"{ask} was pending and in no snapshot"
        known_since = history.known_since(snapshot.begin, snapshot.end)
        for ask in shown:
            if any(one.result == OK and one.end < known_since for one in settled[ask]):
                yield f"{ask} was settled and in a snapshot"
