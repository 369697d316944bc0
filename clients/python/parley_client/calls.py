# SPDX-License-Identifier: Apache-2.0
"""What both clients share: requests, replies, and how long to go on trying. No input or output."""

from __future__ import annotations

import json
import ssl
import time
import uuid
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, Union
from urllib.parse import quote, urlencode

from .errors import ParleyError, Refused, Unreachable, refusal
from .place import Place
from .values import Ask, Asked, Event, Json, Option, Permission, questions_of

HOLD_SECONDS = 50  # a request that waits is held so long: proxies often give up after 60
READ_SECONDS = 30  # beyond that, a broker that says nothing is taken for gone
STREAM_SECONDS = 45  # a stream has a heartbeat every 15 seconds
WITHDRAWAL_SECONDS = 2.0  # to take back what a caller gives up on
PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)
AWAY = (502, 503, 504)


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes

    def read(self) -> Any:
        try:
            document = json.loads(self.body) if self.body else None
        except ValueError as error:
            if self.status < 400:
                raise ParleyError("what answers there is no Parley broker") from error
            document = None
        if self.status < 400:
            return document
        raise refusal(self.status, document if isinstance(document, dict) else None)


@dataclass
class Temper:
    """How patient a client is: with a broker that it has reached before, and until it first does.
    None is for ever."""

    away: Optional[float]
    first: Optional[float]
    was_reached: bool = False

    def start(self, seconds: Optional[float] = None) -> "Patience":
        usual = self.away if self.was_reached else self.first
        return Patience(usual if seconds is None else seconds)


class Patience:
    """Of one call."""

    def __init__(self, seconds: Optional[float]) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._tries = 0

    def pause(self, place: Place, why: object) -> float:
        """Seconds until the next try."""
        pause = PAUSES[min(self._tries, len(PAUSES) - 1)]
        self._tries += 1
        if self._end is not None and time.monotonic() + pause > self._end:
            raise Unreachable(f"no broker answers at {place.addresses[0]}: {why}; start one with "
                              "'parley serve', or name another with PARLEY_SERVER")
        return pause


def headers_of(place: Place, body: Optional[bytes]) -> Dict[str, str]:
    headers = {"Accept": "application/json"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    if place.token:
        headers["Authorization"] = f"Bearer {place.token}"
    return headers


def path_of(*parts: str, **query: object) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    path = "/v1/" + "/".join(quote(part, safe="") for part in parts)
    return f"{path}?{urlencode(given)}" if given else path


@dataclass(frozen=True)
class NewAsk:
    """What is asked. Without a key of its own it gets one, so that a request that is sent again is
    the same ask; only one that was given a key outlives a caller who gives up."""

    body: Json
    is_lasting: bool


def new_ask(asked: Asked, options: Sequence[Union[str, Option]] = (), *,
            header: Optional[str] = None, multi_select: bool = False,
            session: Optional[str] = None, key: Optional[str] = None,
            timeout: Optional[float] = None, on_timeout: Any = None, urgency: Optional[str] = None,
            dismissible: Optional[bool] = None, context: Optional[str] = None,
            agent: Optional[str] = None, permission: Optional[Permission] = None) -> NewAsk:
    body: Json = {"questions": questions_of(asked, options, header, multi_select),
                  "key": key or f"once-{uuid.uuid4().hex}"}
    more = {"session": session, "timeout_seconds": timeout, "on_timeout": on_timeout,
            "urgency": urgency, "dismissible": dismissible, "context": context, "agent": agent,
            "permission": permission and permission.to_json()}
    body.update({name: value for name, value in more.items() if value is not None})
    return NewAsk(body, key is not None)


def is_gone(error: Refused) -> bool:
    """A broker without this ask: its store is another one."""
    return error.status == 404


class EventReader:
    """Lines of an event stream as events, across connections: each once, in order."""

    def __init__(self, after: Optional[str] = None) -> None:
        self.cursor = after
        self._snapshot: Set[str] = set()  # asks that were given before the first cursor
        self._id: Optional[str] = None
        self._data: List[str] = []

    def begin(self) -> None:
        """A new connection: what was cut off comes again."""
        self._id, self._data = None, []

    def feed(self, line: str) -> Iterator[Event]:
        name, _, value = line.rstrip("\r\n").partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "id":
            self._id = value
        elif name == "data":
            self._data.append(value)
        elif not line.strip("\r\n") and self._data:
            data, cursor = json.loads("\n".join(self._data)), self._id
            self.begin()
            yield from self._take(Event(data["type"], cursor, data))

    def _take(self, event: Event) -> Iterable[Event]:
        if event.cursor is not None:
            self.cursor = event.cursor
        elif event.type == "ask.opened":
            ask = event.data["ask"]["id"]
            if ask in self._snapshot:
                return
            self._snapshot.add(ask)
        if event.type in ("snapshot.end", "reset"):
            self._snapshot.clear()
        if event.type == "reset":
            self.cursor = None
        yield event
        if event.type == "stream.failed":  # it would fail there again
            problem = event.data["problem"]
            raise refusal(problem["status"], problem)


def page_of(document: Json) -> Tuple[List[Ask], Optional[str]]:
    """The asks, and the `after` of the next page."""
    return [Ask.from_json(one) for one in document["asks"]], document.get("next")


def trust_of(place: Place) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=place.ca)


def distrust(place: Place, error: ssl.SSLCertVerificationError) -> ParleyError:
    """Trying again would not mend it."""
    return ParleyError(f"{place.addresses[0]} is not trusted: {error.verify_message}; if that is "
                       "right, name the authority that signed it with PARLEY_CA")


def id_of(ask: Union[Ask, str]) -> str:
    return ask if isinstance(ask, str) else ask.id
