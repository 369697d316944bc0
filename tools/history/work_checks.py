# SPDX-License-Identifier: Apache-2.0
"""Drafts are their person's and the last that was acknowledged; messages come once and in order;
parts are whole or refused."""

from bisect import bisect_left
from collections import defaultdict
from typing import Iterable, Iterator

from record import FAILED, OK, UNKNOWN, History, Operation

CLOCK_SECONDS = 0.002


def check_drafts(history: History) -> Iterator[str]:
    """Each person writes one draft after the other, so what may stand is known at each moment."""
    ends = {row["id"]: row["at"] for row in history.final["asks"]}
    possible: dict[tuple[str, str], set[str]] = defaultdict(lambda: {""})
    for one in sorted(history.of("draft_put", "draft_drop", "draft_get"),
                      key=lambda operation: operation.begin):
        place = (one.given["person"], one.given["ask"])
        if one.kind == "draft_get":
            if one.result != OK:
                continue
            words = one.got.get("words", "")
            is_over = not words and 0 < ends.get(one.given["ask"], 0) <= one.end + CLOCK_SECONDS
            if words not in possible[place] and not is_over:
                yield (f"{place[0]} reads {words!r} as the draft of {place[1]}; "
                       f"written was {sorted(possible[place])}")
        elif one.result == OK:
            possible[place] = {one.given["words"]}
        elif one.result == UNKNOWN:
            possible[place].add(one.given["words"])
    for person, answer in history.final["drafts"].items():
        standing = {draft["ask"]: draft["answers"][0].get("other", "")
                    for draft in answer["drafts"]}
        for (who, ask), words in possible.items():
            if who == person and ends.get(ask) == 0 and standing.get(ask, "") not in words:
                yield (f"the draft of {person} for {ask} is {standing.get(ask, '')!r}; "
                       f"written was {sorted(words)}")
        for ask in standing:
            if ends.get(ask):
                yield f"a draft of {person} outlives {ask}"


def check_messages(history: History) -> Iterator[str]:
    for session, log in history.final["logs"].items():
        said = [one for one in history.of("say") if one.given["session"] == session]
        rows = [row for row in log if "message" in row]
        place = {row["message"]: number for number, row in enumerate(rows)}
        yield from _check_said(said, rows)
        yield from _check_order(said, place)
        yield from _check_queue(history, session, said, place)
        yield from _check_takes(history, session, place)


def _check_said(said: list[Operation], rows: list[dict]) -> Iterator[str]:
    times = defaultdict(int)
    for row in rows:
        times[row["text"]] += 1
    for one in said:
        count = times[one.given["words"]]
        if one.result == OK and count != 1:
            yield f"{one.given['words']!r} was acknowledged and is {count} times in the record"
        if one.result == UNKNOWN and count > 1:
            yield f"{one.given['words']!r} was said once and is {count} times in the record"
        if one.result == FAILED and count:
            yield f"{one.given['words']!r} was refused and is in the record"


def _check_order(said: list[Operation], place: dict[str, int]) -> Iterator[str]:
    """Who began after another's acknowledgement comes after it."""
    done = sorted((one for one in said if one.result == OK and one.got["id"] in place),
                  key=lambda one: place[one.got["id"]])
    latest = float("-inf")  # begin of any message so far
    for one in done:
        if one.end < latest:
            yield f"{one.given['words']!r} stands after one that was begun later"
        latest = max(latest, one.begin)


def _check_takes(history: History, session: str, place: dict[str, int]) -> Iterator[str]:
    """Who takes up to a message has been shown all that it takes."""
    ids = {number: message for message, number in place.items()}
    shown: set[str] = set()
    taken = -1
    for one in sorted(history.of("queue", "take"), key=lambda operation: operation.begin):
        if one.given["session"] != session or one.worker != "taker":
            continue
        if one.kind == "queue":
            shown = {message[0] for message in one.got.get("messages", ())} or shown
            continue
        up_to = place.get(one.given["up_to"], -1)
        for number in range(taken + 1, up_to + 1):
            if ids[number] not in shown:
                yield f"{ids[number]} was taken by one who was never shown it"
        if one.result != FAILED:
            taken = max(taken, up_to)


def _check_queue(history: History, session: str, said: list[Operation],
                 place: dict[str, int]) -> Iterator[str]:
    takes = [one for one in history.of("take") if one.given["session"] == session]
    surely = _Highest((one.end, place.get(one.given["up_to"], -1)) for one in takes
                      if one.result == OK)
    perhaps = _Highest((one.begin, place.get(one.given["up_to"], -1)) for one in takes
                       if one.result != FAILED)
    done = {place[one.got["id"]]: one for one in said
            if one.result == OK and one.got["id"] in place}
    for read in history.of("queue"):
        if read.given["session"] != session or read.result != OK:
            continue
        shown = [message[0] for message in read.got["messages"]]
        places = [place.get(message, -1) for message in shown]
        if places != sorted(set(places)):
            yield f"a queue of {session} is out of order: {shown}"
        for message in shown:
            if place.get(message, -1) <= surely.before(read.begin):
                yield f"{message} was taken and comes again"
        for number in range(perhaps.before(read.end) + 1, len(place)):
            one = done.get(number)
            if one is not None and one.begin > read.end:
                break
            if (one is not None and one.end + history.lag < read.begin and
                    one.got["id"] not in shown):
                yield f"{one.given['words']!r} was neither taken nor in the queue"


class _Highest:
    """The highest place up to a moment."""

    def __init__(self, moments: Iterable[tuple[float, int]]):
        self._times: list[float] = []
        self._places: list[int] = []
        for moment, number in sorted(moments):
            self._times.append(moment)
            self._places.append(max(number, self._places[-1] if self._places else -1))

    def before(self, moment: float) -> int:
        at = bisect_left(self._times, moment)
        return self._places[at - 1] if at else -1


def check_parts(history: History) -> Iterator[str]:
    pushes = defaultdict(list)
    for one in history.of("push"):
        pushes[one.given["session"], one.given["part"]].append(one)
    for session, log in history.final["logs"].items():
        stored = defaultdict(list)
        for row in log:
            if "part" in row:
                stored[row["part"]].append(row["text"])
        for (where, part), operations in pushes.items():
            if where == session:
                yield from _check_part(part, operations, stored.pop(part, []))
        for part in stored:
            yield f"part {part} was pushed by nobody"


def _check_part(part: str, operations: list[Operation], texts: list[str]) -> Iterator[str]:
    """Follows all that the part may be: not open (also after any restart), or a text so far."""
    states: set[str | None] = {None}
    ends: set[str] = set()
    is_acknowledged = False
    for one in operations:
        items = one.given["items"]
        if one.result == OK:
            states, whole = _apply(states, items)
            ends |= whole
            is_acknowledged |= any(item[0] == "text-end" for item in items)
        elif one.result == UNKNOWN or one.got.get("status"):
            for count in range(1, len(items) + 1):
                after, whole = _apply(states, items[:count])
                states, ends = states | after, ends | whole
        states.add(None)
    if len(texts) > 1:
        yield f"part {part} is {len(texts)} times in the record"
    if is_acknowledged and not texts:
        yield f"part {part} was acknowledged and is lost"
    for text in texts:
        if text not in ends:
            yield f"part {part} is {text!r} in the record; whole it is {sorted(ends)}"


def _apply(states: set[str | None], items: list[list[str]]) -> tuple[set[str | None], set[str]]:
    """The states after these items, and the texts that they ended. What is closed takes no more."""
    ends: set[str] = set()
    for kind, text in items:
        if kind == "text-start":
            states = {text}
        elif kind == "text-delta":
            states = {state + text for state in states if state is not None}
        else:
            ends |= {state for state in states if state is not None}
            states = {None}
    return set(states), ends
