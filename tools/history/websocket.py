# SPDX-License-Identifier: Apache-2.0
"""As much of a WebSocket client as the chat socket needs: texts, pings, the end."""

import asyncio
import base64
import json
import os
import struct
from typing import Any

from wire import BROKEN, Lost, Refused, Wire, read_head

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class WebSocket:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._reader, self._writer = reader, writer

    @staticmethod
    async def connect(wire: Wire, target: str, token: str) -> "WebSocket":
        key = base64.b64encode(os.urandom(16)).decode()
        reader, writer = await wire.open("GET", target, token, fields={
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key})
        try:
            status, _ = await read_head(reader)
        except BROKEN as error:
            writer.close()
            raise Lost from error
        if status != 101:
            writer.close()
            raise Refused(status)
        return WebSocket(reader, writer)

    def send(self, message: Any) -> None:
        self._write(TEXT, json.dumps(message).encode())

    async def receive(self) -> Any:
        """The next message; `Lost` when there is none any more."""
        text = b""
        try:
            while True:
                first, second = await self._reader.readexactly(2)
                payload = await self._reader.readexactly(await self._length(second & 0x7f))
                opcode = first & 0x0f
                if opcode == CLOSE:
                    raise Lost
                if opcode == PING:
                    self._write(PONG, payload)
                if opcode < CLOSE:
                    text += payload
                    if first & 0x80:
                        return json.loads(text)
        except BROKEN as error:
            raise Lost from error

    def close(self) -> None:
        self._writer.close()

    async def _length(self, short: int) -> int:
        if short < 126:
            return short
        size, form = (2, ">H") if short == 126 else (8, ">Q")
        return struct.unpack(form, await self._reader.readexactly(size))[0]

    def _write(self, opcode: int, payload: bytes) -> None:
        length = len(payload)
        if length < 126:
            size = bytes([0x80 | length])
        elif length < 65536:
            size = bytes([0xfe]) + struct.pack(">H", length)
        else:
            size = bytes([0xff]) + struct.pack(">Q", length)
        # A mask of zeros is a mask.
        self._writer.write(bytes([0x80 | opcode]) + size + bytes(4) + payload)
