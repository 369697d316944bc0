# SPDX-License-Identifier: Apache-2.0
"""The client that blocks. It may be used from several threads: each call has its own connection."""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import socket
import ssl
import time
from typing import Any, Iterator, Optional, Union

from .calls import (AWAY, HOLD_SECONDS, READ_SECONDS, STREAM_SECONDS, WITHDRAWAL_SECONDS,
                    EventReader, NewAsk, Reply, Temper, distrust, headers_of, id_of, is_gone,
                    new_ask, page_of, path_of, trust_of)
from .errors import Refused
from .place import Address, Place, find_place
from .values import Answered, Ask, Asked, Event, Json, Session, answers_of


class _LocalConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("parley", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        try:
            self.sock.connect(self._path)
        except OSError:
            self.close()
            raise


class Client:
    """A broker, as `parley` itself would find it. `patience` is how many seconds a call goes on
    trying while a broker that was there is away; `first`, until one is there at all. None is for
    ever."""

    def __init__(self, server: Optional[str] = None, token: Optional[str] = None, *,
                 ca: Optional[str] = None, patience: Optional[float] = None,
                 first: Optional[float] = 0.0) -> None:
        self._place: Place = find_place(server, token, ca)
        self._temper = Temper(patience, first)

    # Asking.

    def ask(self, asked: Asked, options: Any = (), **more: Any) -> Ask:
        """Asks, waits for as long as it takes, and gives the settled ask: across restarts of the
        broker, by its key. Interrupted, it takes an ask without a key of yours back."""
        wanted = new_ask(asked, options, **more)
        opened: Optional[Ask] = None
        try:
            while True:
                opened = self._open(wanted)
                try:
                    return self.wait(opened)
                except Refused as error:
                    if not is_gone(error):
                        raise
        except (KeyboardInterrupt, SystemExit):
            if opened is not None and not wanted.is_lasting:
                self._take_back(opened)
            raise

    def open(self, asked: Asked, options: Any = (), **more: Any) -> Ask:
        """Asks, and gives the ask as it stands, mostly pending."""
        return self._open(new_ask(asked, options, **more))

    def wait(self, ask: Union[Ask, str], timeout: Optional[float] = None) -> Ask:
        """The ask once it is settled; after `timeout` seconds, in whole ones, as it stands
        then."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = HOLD_SECONDS if end is None else max(0.0, end - time.monotonic())
            hold = min(float(HOLD_SECONDS), left)
            path = path_of("asks", id_of(ask), wait=math.ceil(hold))
            seen = Ask.from_json(self._call("GET", path, hold=hold))
            if not seen.is_pending or (end is not None and time.monotonic() >= end):
                return seen

    def withdraw(self, ask: Union[Ask, str], reason: Optional[str] = None) -> Ask:
        """Takes an ask back. Settled by others first: AlreadySettled."""
        return self._settle(ask, "withdraw", {"reason": reason} if reason else {})

    # Answering.

    def get(self, ask: str) -> Ask:
        return Ask.from_json(self._call("GET", path_of("asks", ask)))

    def list(self, state: str = "pending", session: Optional[str] = None) -> Iterator[Ask]:
        """Oldest first; page after page as they are read."""
        after: Optional[str] = None
        while True:
            asks, after = page_of(self._call(
                "GET", path_of("asks", state=state, session=session, after=after)))
            yield from asks
            if after is None:
                return

    def answer(self, ask: Union[Ask, str], answered: Answered, *, by: Optional[str] = None) -> Ask:
        """The first valid answer settles it: later ones get AlreadySettled. A text is the label of
        that name, or else free text; several are in question order."""
        known = ask if isinstance(ask, Ask) else self.get(ask)
        body: Json = {"answers": answers_of(known, answered)}
        return self._settle(known, "answer", {**body, "by": by} if by else body)

    def dismiss(self, ask: Union[Ask, str], reason: Optional[str] = None) -> Ask:
        return self._settle(ask, "dismiss", {"reason": reason} if reason else {})

    def watch(self, session: Optional[str] = None, after: Optional[str] = None) -> Iterator[Event]:
        """What happens, for ever: first what waits, then the event snapshot.end, then the rest. A
        lost connection is made again by the last cursor, so that nothing is missed."""
        reader = EventReader(after)
        patience = self._temper.start()
        while True:
            try:
                path = path_of("events", session=session, after=reader.cursor)
                with contextlib.closing(self._connect(STREAM_SECONDS)) as connection:
                    connection.request("GET", path, headers=headers_of(self._place, None))
                    response = connection.getresponse()
                    if response.status not in AWAY:
                        if response.status != 200:
                            Reply(response.status, response.read()).read()
                        self._temper.was_reached = True
                        reader.begin()
                        patience = self._temper.start()
                        for line in response:
                            yield from reader.feed(line.decode())
                why: object = "the stream ended"
            except ssl.SSLCertVerificationError as error:
                raise distrust(self._place, error) from error
            except (OSError, http.client.HTTPException) as error:
                why = error
            time.sleep(patience.pause(self._place, why))

    # An agent's own session.

    def session(self, name: str, *, title: Optional[str] = None,
                agent: Optional[str] = None) -> Session:
        """Opens it, or finds the one of that name."""
        body = {"name": name, "title": title, "agent": agent}
        given = {key: value for key, value in body.items() if value is not None}
        return Session.from_json(self._call("POST", path_of("sessions"), given))

    def push(self, session: str, *items: Json) -> None:
        """Adds to the session's stream: {"type": "text-end", "part_id": …, "text": …}, …"""
        self._call("POST", path_of("sessions", session, "events"), list(items))

    # The wire.

    def _open(self, wanted: NewAsk) -> Ask:
        return Ask.from_json(self._call("POST", path_of("asks"), wanted.body))

    def _settle(self, ask: Union[Ask, str], act: str, body: Json) -> Ask:
        return Ask.from_json(self._call("POST", path_of("asks", id_of(ask), act), body))

    def _take_back(self, ask: Ask) -> None:
        with contextlib.suppress(Exception):
            self._call("POST", path_of("asks", ask.id, "withdraw"), {},
                       patience=WITHDRAWAL_SECONDS)

    def _call(self, method: str, path: str, body: Any = None, *, hold: float = 0.0,
              patience: Optional[float] = None) -> Any:
        trying = self._temper.start(patience)
        written = None if body is None else json.dumps(body).encode()
        while True:
            try:
                reply = self._fetch(method, path, written, hold)
                self._temper.was_reached = True
                if reply.status not in AWAY:
                    return reply.read()
                why: object = f"status {reply.status}"
            except ssl.SSLCertVerificationError as error:
                raise distrust(self._place, error) from error
            except (OSError, http.client.HTTPException) as error:
                why = error
            time.sleep(trying.pause(self._place, why))

    def _fetch(self, method: str, path: str, body: Optional[bytes], hold: float) -> Reply:
        with contextlib.closing(self._connect(hold + READ_SECONDS)) as connection:
            connection.request(method, path, body, headers_of(self._place, body))
            response = connection.getresponse()
            return Reply(response.status, response.read())

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        """The first address that takes us."""
        for address in self._place.addresses[:-1]:
            connection = self._connection(address, timeout)
            try:
                connection.connect()
                return connection
            except OSError:
                connection.close()
        connection = self._connection(self._place.addresses[-1], timeout)
        connection.connect()
        return connection

    def _connection(self, address: Address, timeout: float) -> http.client.HTTPConnection:
        if address.path is not None:
            return _LocalConnection(address.path, timeout)
        if not address.is_tls:
            return http.client.HTTPConnection(address.host, address.port, timeout=timeout)
        return http.client.HTTPSConnection(address.host, address.port, timeout=timeout,
                                           context=trust_of(self._place))
