# SPDX-License-Identifier: Apache-2.0
"""HTTP for the workers: one connection for each call, and event streams. Tells apart what certainly
did not happen from what may have."""

import asyncio
import json
import random
import socket
import struct
import weakref
from dataclasses import dataclass
from typing import Any, AsyncIterator, Callable, Mapping

PATIENCE_SECONDS = 20
BUFFER_BYTES = 2**26
SLOW_BUFFER_BYTES = 2**12  # of one who reads slowly, and of the system for it
CLOSE_AT_ONCE = struct.pack("ii", 1, 0)
BROKEN = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError)


class NotSent(Exception):
    """The broker was not there: nothing has happened."""


class Lost(Exception):
    """The broker was there and went, or could not say: it may have happened or not."""


@dataclass
class Reply:
    status: int
    fields: dict[str, str]
    text: bytes

    @property
    def body(self) -> Any:
        try:
            return json.loads(self.text) if self.text.strip() else None
        except ValueError as error:
            raise Lost from error  # cut in the middle

    @property
    def is_ok(self) -> bool:
        return 200 <= self.status < 300


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        fields[name.lower()] = value.strip()
    return int(lines[0].split()[1]), fields


async def read_body(reader: asyncio.StreamReader,
                    fields: Mapping[str, str]) -> AsyncIterator[bytes]:
    """The body piece by piece; an end that was not announced is an error."""
    if fields.get("transfer-encoding") == "chunked":
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            yield (await reader.readexactly(size + 2))[:-2]
        return
    if "content-length" in fields:
        yield await reader.readexactly(int(fields["content-length"]))
        return
    while piece := await reader.read(65536):
        yield piece
    if fields.get("content-type", "").startswith("text/event-stream"):
        raise asyncio.IncompleteReadError(b"", None)


@dataclass
class Frame:
    """One frame of Server-Sent Events."""

    event: str = ""
    cursor: str = ""
    data: str = ""

    @property
    def body(self) -> Any:
        return json.loads(self.data) if self.data else None


def parse_frame(text: str) -> Frame:
    frame = Frame()
    for line in text.splitlines():
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            frame.event = value
        elif name == "id":
            frame.cursor = value
        elif name == "data":
            frame.data += value
    return frame


class Wire:
    """Calls on one broker, which `place` finds anew each time: it may be another node."""

    # Of all wires.
    connections: weakref.WeakSet[asyncio.StreamWriter] = weakref.WeakSet()

    def __init__(self, place: Callable[[], tuple[str, int]], on_fault: Callable[[str], None]):
        self.place = place
        self._on_fault = on_fault

    @classmethod
    def cut(cls, rng: random.Random, share: float) -> None:
        """As a network does it: whoever is at either end has not closed them."""
        for writer in list(cls.connections):
            if rng.random() < share and not writer.is_closing():
                raw = writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, CLOSE_AT_ONCE)
                writer.transport.abort()

    async def open(self, method: str, target: str, token: str, body: Any = None,
                   fields: Mapping[str, str] | None = None, is_slow: bool = False):
        """A connection on which the request has been sent."""
        host, port = self.place()
        try:
            reader, writer = await asyncio.wait_for(
                asyncio.open_connection(
                    host, port, limit=SLOW_BUFFER_BYTES if is_slow else BUFFER_BYTES),
                PATIENCE_SECONDS)
            if is_slow:  # refused for one that is broken already
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_BUFFER_BYTES)
        except BROKEN as error:
            raise NotSent from error
        self.connections.add(writer)
        head = f"{method} {target} HTTP/1.1\r\nHost: {host}:{port}\r\n"
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        for name, value in (fields or {}).items():
            head += f"{name}: {value}\r\n"
        text = b"" if body is None else json.dumps(body).encode()
        if body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n"
        writer.write(head.encode() + b"\r\n" + text)
        return reader, writer

    async def call(self, method: str, target: str, token: str, body: Any = None,
                   fields: Mapping[str, str] | None = None,
                   patience: float = PATIENCE_SECONDS) -> Reply:
        reader, writer = await self.open(method, target, token, body, fields)
        try:
            async with asyncio.timeout(patience):
                status, got = await read_head(reader)
                text = b"".join([piece async for piece in read_body(reader, got)]
                                if status != 204 else [])
        except BROKEN as error:
            raise Lost from error
        finally:
            writer.close()
        if status == 500:
            self._on_fault(f"{method} {target} was answered 500: {text[:300]!r}")
        if status >= 500:
            raise Lost
        return Reply(status, got, text)

    async def frames(self, target: str, token: str, fields: Mapping[str, str] | None = None,
                     is_slow: bool = False) -> AsyncIterator[Frame]:
        """The frames of an event stream, until it breaks."""
        reader, writer = await self.open("GET", target, token, fields={
            "Accept": "text/event-stream", **(fields or {})}, is_slow=is_slow)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                status, got = await read_head(reader)
            if status >= 400:
                raise Refused(status)
            rest = b""
            async for piece in read_body(reader, got):
                *whole, rest = (rest + piece).split(b"\n\n")
                for text in whole:
                    yield parse_frame(text.decode())
        except BROKEN as error:
            raise Lost from error
        finally:
            writer.close()
        raise Lost


class StayingWire(Wire):
    """Calls on one node, for as long as that answers: as behind a proxy that keeps clients where
    they are."""

    def __init__(self, places: list[tuple[str, int]], at: int, on_fault: Callable[[str], None]):
        super().__init__(lambda: places[self.at % len(places)], on_fault)
        self.at = at

    async def open(self, *words: Any, **more: Any):
        try:
            return await super().open(*words, **more)
        except NotSent:
            self.at += 1
            raise

    async def call(self, *words: Any, **more: Any) -> Reply:
        try:
            return await super().call(*words, **more)
        except Lost:
            self.at += 1
            raise


class Refused(Exception):
    """A stream was not opened."""

    def __init__(self, status: int):
        super().__init__(f"status {status}")
        self.status = status
