# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio: the same calls, awaited. Cancelling one closes its connection."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import ssl
from typing import Any, AsyncIterator, Dict, Optional, Tuple, Union

from .calls import (AWAY, HOLD_SECONDS, READ_SECONDS, STREAM_SECONDS, WITHDRAWAL_SECONDS,
                    EventReader, NewAsk, Reply, Temper, distrust, headers_of, id_of, is_gone,
                    new_ask, page_of, path_of, trust_of)
from .errors import ParleyError, Refused
from .place import Address, Place, find_place
from .values import Answered, Ask, Asked, Event, Json, Session, answers_of

LINE_BYTES = 16 * 1024 * 1024  # an ask in a stream is one line
LOST = (OSError, EOFError, asyncio.TimeoutError)


def _status(line: str) -> int:
    words = line.split(" ", 2)
    if not words[0].startswith("HTTP/1.") or len(words) < 2 or not words[1].isdigit():
        raise ParleyError("what answers there is no Parley broker")
    return int(words[1])


class _Exchange:
    """One request over a connection of its own, and its reply."""

    def __init__(self, place: Place, address: Address) -> None:
        self._place = place
        self._address = address
        self._writer: Optional[asyncio.StreamWriter] = None
        self._body: Dict[str, str] = {}

    async def open(self) -> None:
        if self._address.path is not None:
            self._reader, self._writer = await asyncio.open_unix_connection(
                self._address.path, limit=LINE_BYTES)
            return
        trust = trust_of(self._place) if self._address.is_tls else None
        self._reader, self._writer = await asyncio.open_connection(
            self._address.host, self._address.port, ssl=trust, limit=LINE_BYTES)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    async def send(self, method: str, path: str, body: Optional[bytes]) -> int:
        """The status; the body waits to be read."""
        assert self._writer is not None
        host = self._address.host + (f":{self._address.port}" if self._address.port else "")
        headers = {"Host": host, "Connection": "close", **headers_of(self._place, body)}
        if body is not None:
            headers["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + (body or b""))
        await self._writer.drain()
        status = _status(await self._line())
        while line := (await self._line()).rstrip("\r\n"):
            name, _, value = line.partition(":")
            self._body[name.strip().lower()] = value.strip()
        return status

    async def _line(self) -> str:
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            raise EOFError("the connection was closed")
        return line.decode()

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes."""
        if self._body.get("transfer-encoding", "").lower() == "chunked":
            while size := int((await self._line()).split(";")[0], 16):
                yield await self._reader.readexactly(size)
                await self._line()
        elif "content-length" in self._body:
            yield await self._reader.readexactly(int(self._body["content-length"]))
        else:
            while piece := await self._reader.read(65536):
                yield piece


class AsyncClient:
    """As Client. Make it anywhere; each call belongs to the loop that runs it."""

    def __init__(self, server: Optional[str] = None, token: Optional[str] = None, *,
                 ca: Optional[str] = None, patience: Optional[float] = None,
                 first: Optional[float] = 0.0) -> None:
        self._place: Place = find_place(server, token, ca)
        self._temper = Temper(patience, first)

    # Asking.

    async def ask(self, asked: Asked, options: Any = (), **more: Any) -> Ask:
        """Asks, waits for as long as it takes, and gives the settled ask: across restarts of the
        broker, by its key. Cancelled, it takes an ask without a key of yours back."""
        wanted = new_ask(asked, options, **more)
        opened: Optional[Ask] = None
        try:
            while True:
                opened = await self._open(wanted)
                try:
                    return await self.wait(opened)
                except Refused as error:
                    if not is_gone(error):
                        raise
        except asyncio.CancelledError:
            if opened is not None and not wanted.is_lasting:
                await self._take_back(opened)
            raise

    async def open(self, asked: Asked, options: Any = (), **more: Any) -> Ask:
        """Asks, and gives the ask as it stands, mostly pending."""
        return await self._open(new_ask(asked, options, **more))

    async def wait(self, ask: Union[Ask, str], timeout: Optional[float] = None) -> Ask:
        """The ask once it is settled; after `timeout` seconds, in whole ones, as it stands
        then."""
        clock = asyncio.get_running_loop().time
        end = None if timeout is None else clock() + timeout
        while True:
            left = HOLD_SECONDS if end is None else max(0.0, end - clock())
            hold = min(float(HOLD_SECONDS), left)
            path = path_of("asks", id_of(ask), wait=math.ceil(hold))
            seen = Ask.from_json(await self._call("GET", path, hold=hold))
            if not seen.is_pending or (end is not None and clock() >= end):
                return seen

    async def withdraw(self, ask: Union[Ask, str], reason: Optional[str] = None) -> Ask:
        """Takes an ask back. Settled by others first: AlreadySettled."""
        return await self._settle(ask, "withdraw", {"reason": reason} if reason else {})

    # Answering.

    async def get(self, ask: str) -> Ask:
        return Ask.from_json(await self._call("GET", path_of("asks", ask)))

    async def list(self, state: str = "pending",
                   session: Optional[str] = None) -> AsyncIterator[Ask]:
        """Oldest first; page after page as they are read."""
        after: Optional[str] = None
        while True:
            asks, after = page_of(await self._call(
                "GET", path_of("asks", state=state, session=session, after=after)))
            for ask in asks:
                yield ask
            if after is None:
                return

    async def answer(self, ask: Union[Ask, str], answered: Answered, *,
                     by: Optional[str] = None) -> Ask:
        """The first valid answer settles it: later ones get AlreadySettled. A text is the label of
        that name, or else free text; several are in question order."""
        known = ask if isinstance(ask, Ask) else await self.get(ask)
        body: Json = {"answers": answers_of(known, answered)}
        return await self._settle(known, "answer", {**body, "by": by} if by else body)

    async def dismiss(self, ask: Union[Ask, str], reason: Optional[str] = None) -> Ask:
        return await self._settle(ask, "dismiss", {"reason": reason} if reason else {})

    async def watch(self, session: Optional[str] = None,
                    after: Optional[str] = None) -> AsyncIterator[Event]:
        """What happens, for ever: first what waits, then the event snapshot.end, then the rest. A
        lost connection is made again by the last cursor, so that nothing is missed."""
        reader = EventReader(after)
        patience = self._temper.start()
        while True:
            try:
                path = path_of("events", session=session, after=reader.cursor)
                async for line in self._lines(path):
                    if line is None:
                        reader.begin()
                        patience = self._temper.start()
                        continue
                    for event in reader.feed(line):
                        yield event
                why: object = "the stream ended"
            except ssl.SSLCertVerificationError as error:
                raise distrust(self._place, error) from error
            except LOST as error:
                why = error
            await asyncio.sleep(patience.pause(self._place, why))

    # An agent's own session.

    async def session(self, name: str, *, title: Optional[str] = None,
                      agent: Optional[str] = None) -> Session:
        """Opens it, or finds the one of that name."""
        body = {"name": name, "title": title, "agent": agent}
        given = {key: value for key, value in body.items() if value is not None}
        return Session.from_json(await self._call("POST", path_of("sessions"), given))

    async def push(self, session: str, *items: Json) -> None:
        """Adds to the session's stream: {"type": "text-end", "part_id": …, "text": …}, …"""
        await self._call("POST", path_of("sessions", session, "events"), list(items))

    # The wire.

    async def _open(self, wanted: NewAsk) -> Ask:
        return Ask.from_json(await self._call("POST", path_of("asks"), wanted.body))

    async def _settle(self, ask: Union[Ask, str], act: str, body: Json) -> Ask:
        return Ask.from_json(await self._call("POST", path_of("asks", id_of(ask), act), body))

    async def _take_back(self, ask: Ask) -> None:
        with contextlib.suppress(Exception):
            await self._call("POST", path_of("asks", ask.id, "withdraw"), {},
                             patience=WITHDRAWAL_SECONDS)

    async def _call(self, method: str, path: str, body: Any = None, *, hold: float = 0.0,
                    patience: Optional[float] = None) -> Any:
        trying = self._temper.start(patience)
        written = None if body is None else json.dumps(body).encode()
        while True:
            try:
                reply = await asyncio.wait_for(self._fetch(method, path, written),
                                               hold + READ_SECONDS)
                self._temper.was_reached = True
                if reply.status not in AWAY:
                    return reply.read()
                why: object = f"status {reply.status}"
            except ssl.SSLCertVerificationError as error:
                raise distrust(self._place, error) from error
            except LOST as error:
                why = error
            await asyncio.sleep(trying.pause(self._place, why))

    async def _fetch(self, method: str, path: str, body: Optional[bytes]) -> Reply:
        exchange, status = await self._begin(method, path, body)
        with contextlib.closing(exchange):
            return Reply(status, b"".join([piece async for piece in exchange.pieces()]))

    async def _lines(self, path: str) -> AsyncIterator[Optional[str]]:
        """None once the stream has begun, then its lines."""
        exchange, status = await asyncio.wait_for(self._begin("GET", path, None), READ_SECONDS)
        with contextlib.closing(exchange):
            if status in AWAY:
                return
            self._temper.was_reached = True
            if status != 200:
                Reply(status, b"".join([piece async for piece in exchange.pieces()])).read()
            yield None
            rest = b""
            pieces = exchange.pieces()
            while True:
                try:
                    rest += await asyncio.wait_for(pieces.__anext__(), STREAM_SECONDS)
                except StopAsyncIteration:
                    return
                *lines, rest = rest.split(b"\n")
                for line in lines:
                    yield line.decode() + "\n"

    async def _begin(self, method: str, path: str,
                     body: Optional[bytes]) -> Tuple[_Exchange, int]:
        """At the first address that takes us."""
        for place, address in enumerate(self._place.addresses):
            exchange = _Exchange(self._place, address)
            try:
                await exchange.open()
            except OSError:
                if place + 1 < len(self._place.addresses):
                    continue
                raise
            try:
                return exchange, await exchange.send(method, path, body)
            except BaseException:
                exchange.close()
                raise
        raise AssertionError("a place has an address")
