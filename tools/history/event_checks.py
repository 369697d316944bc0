# SPDX-License-Identifier: Apache-2.0
"""Every event once, in the order of the cursors, with no hole: for all, at every door."""

from collections import Counter, defaultdict
from typing import Iterator

from ask_checks import same
from record import OK, UNKNOWN, History, Scope, Sighting

PERSONAL = {"draft", "snoozed"}  # told to one person
FLEETING = {"session.status", "session.created", "session.ended"}  # say how it stands by now
SLACK_SECONDS = 0.05


def check_events(history: History) -> Iterator[str]:
    told: dict[str, list[Sighting]] = {name: [] for name in history.scopes}
    for sighting in history.sightings:
        told[sighting.subscriber].append(sighting)
    natives = {name: told[name] for name, scope in history.scopes.items()
               if scope.door == "native"}
    for name, sightings in told.items():
        yield from _check_order(name, sightings, is_strict=name in natives)
    yield from _check_agreement(history, natives)
    for name, scope in history.scopes.items():
        yield from _check_asks(history, name, scope, told[name])
        if scope.door == "native":
            yield from _check_words(history, name, scope, told[name])
            yield from _check_snoozes(history, name, scope, told[name])


def _check_order(name: str, sightings: list[Sighting], is_strict: bool) -> Iterator[str]:
    last, seen = 0, set()
    for one in sightings:
        if one.cursor < last or (is_strict and one.cursor == last):
            yield f"{name} was told {one.cursor} ({one.kind} {one.subject}) after {last}"
        what = (one.cursor, one.kind, one.subject)
        if what in seen:
            yield f"{name} was told {what} twice"
        seen.add(what)
        last = max(last, one.cursor)


def _check_agreement(history: History, natives: dict[str, list[Sighting]]) -> Iterator[str]:
    """One cursor is one event, and whoever was there has been told of it."""
    union: dict[int, Sighting] = {}
    for sightings in natives.values():
        for one in sightings:
            if one.kind in PERSONAL:
                continue
            first = union.setdefault(one.cursor, one)
            content = one.content == first.content or one.kind in FLEETING
            if (first.kind, first.subject) != (one.kind, one.subject) or not content:
                yield f"{one.cursor} is {first} and {one}"
    for name, sightings in natives.items():
        mine = {one.cursor for one in sightings}
        end = max(mine, default=0)
        first = history.scopes[name].first_cursor
        for cursor, one in union.items():
            if first < cursor <= end and cursor not in mine:
                yield f"{name} was not told {cursor} ({one.kind} {one.subject})"


def _check_asks(history: History, name: str, scope: Scope,
                sightings: list[Sighting]) -> Iterator[str]:
    opened, settled = defaultdict(list), defaultdict(list)
    for one in sightings:
        if one.kind == "opened":
            opened[one.subject].append(one)
        elif one.kind == "settled":
            settled[one.subject].append(one)
    for row in history.final["asks"]:
        if scope.session and row["name"] != scope.session:
            continue
        ends = settled[row["id"]]
        if row["created"] > scope.since + SLACK_SECONDS:
            wanted = 0 if row["state"] == "pending" else 1
            if len(ends) != wanted:
                yield f"{name} was told {len(ends)} ends of {row['id']}, which is {row['state']}"
            beginnings = len(opened[row["id"]])
            if beginnings > 1 or (scope.shows_openings and beginnings == 0):
                yield f"{name} was told {beginnings} beginnings of {row['id']}"
        for end in ends:
            if end.content and not same(end.content, row["told"]):
                yield f"{name} was told {end.content!r} of {row['id']}, not {row['told']!r}"
            if row["state"] == "answered" and not end.content:
                yield f"{name} was told that {row['id']} was rejected, and it is answered"
            if any(one.cursor >= end.cursor for one in opened[row["id"]]):
                yield f"{name} was told the end of {row['id']} before its beginning"


def _check_words(history: History, name: str, scope: Scope,
                 sightings: list[Sighting]) -> Iterator[str]:
    """Messages and parts that are in the record were told, once."""
    count: dict[tuple[str, str], int] = defaultdict(int)
    for one in sightings:
        count[one.kind, one.subject] += 1
    for say in history.of("say"):
        if say.result == OK and say.begin > scope.since and count["message", say.got["id"]] != 1:
            yield f"{name} was told {count['message', say.got['id']]} times of {say.got['id']}"
    for push in history.of("push"):
        is_end = any(item[0] == "text-end" for item in push.given["items"])
        if push.result == OK and is_end and push.begin > scope.since:
            if count["part", push.given["part"]] != 1:
                yield f"{name} was told {count['part', push.given['part']]} times of " \
                      f"part {push.given['part']}"


def _check_snoozes(history: History, name: str, scope: Scope,
                   sightings: list[Sighting]) -> Iterator[str]:
    """Told to the devices of who put it off, once, and to nobody else's. Of two that end in the
    same millisecond, which hundreds on one ask come to, each may be told."""
    told = Counter((one.subject, one.content) for one in sightings if one.kind == "snoozed")
    own = [one for one in history.of("snooze") if one.given["person"] == scope.who]
    made = Counter((one.given["ask"], one.got.get("until", "")) for one in own
                   if one.result == OK)
    # Nobody was told until when: it was not answered, or the ask was settled before that.
    doubtful = {one.given["ask"] for one in own if one.result == UNKNOWN
                or (one.result == OK and one.given["seconds"] and not one.got.get("until"))}
    for ask, until in told:
        if (ask, until) not in made and ask not in doubtful:
            yield f"{name} was told of a snooze of {ask}, {until!r}, which is not {scope.who}'s"
    for one in own:
        until = one.got.get("until", "")
        times, most = told[one.given["ask"], until], made[one.given["ask"], until]
        if one.result == OK and until and one.begin > scope.since and not 1 <= times <= most:
            yield f"{name} was told {times} times of the snooze of {one.given['ask']} until {until}"
