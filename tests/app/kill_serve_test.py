#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of `parley serve` amid a thousand asks and answers: what was acknowledged stays, and all
who were connected go on by themselves."""

import asyncio
import json
import random
import resource
import unittest
from typing import Any

from broker_process import Broker
from parley_program import PROGRAM, environment

ASKERS = 1000
COMMANDS = 12
SUBSCRIBERS = 3
KILLS = 4
PATIENCE_SECONDS = 240
LABELS = ["Tea", "Coffee", "Milk"]


class Lost(Exception):
    """The connection broke, or the broker is not there."""


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    return int(lines[0].split()[1]), fields


class Client:
    """Calls on the socket, one connection each; `Lost` when there is no whole answer."""

    def __init__(self, socket: str):
        self._socket = socket

    async def open(self, method: str, target: str, body: Any = None, lines: str = ""):
        text = b"" if body is None else json.dumps(body).encode()
        reader, writer = await asyncio.open_unix_connection(self._socket)
        writer.write(f"{method} {target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                     f"Content-Length: {len(text)}\r\n{lines}\r\n".encode() + text)
        await writer.drain()
        return reader, writer

    async def call(self, method: str, target: str, body: Any = None) -> tuple[int, Any]:
        try:
            reader, writer = await self.open(method, target, body)
            try:
                status, fields = await read_head(reader)
                text = await reader.readexactly(int(fields["content-length"]))
            finally:
                writer.close()
        except (OSError, asyncio.IncompleteReadError) as error:
            raise Lost from error
        if status == 503:
            raise Lost
        return status, json.loads(text)

    async def insist(self, method: str, target: str, body: Any = None) -> tuple[int, Any]:
        """The same call until it is answered; each of those made here may be repeated."""
        while True:
            try:
                return await self.call(method, target, body)
            except Lost:
                await asyncio.sleep(0.02)


class Subscriber:
    """Follows all events across broken connections, by cursor."""

    def __init__(self, client: Client):
        self._client = client
        self._cursor = ""
        self.settled: list[str] = []
        self.opened: asyncio.Queue[dict] = asyncio.Queue()
        self.resets = 0

    async def follow(self) -> None:
        while True:
            lines = f"Last-Event-ID: {self._cursor}\r\n" if self._cursor else ""
            try:
                reader, writer = await self._client.open("GET", "/v1/events", lines=lines)
            except OSError:
                await asyncio.sleep(0.02)
                continue
            try:
                await self._read(reader)
            except (OSError, asyncio.IncompleteReadError):
                pass
            finally:
                writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        await read_head(reader)
        while True:
            frame = {}
            for line in (await reader.readuntil(b"\n\n")).decode().splitlines():
                name, _, value = line.partition(": ")
                frame[name] = value
            self._take(frame)

    def _take(self, frame: dict[str, str]) -> None:
        kind = frame.get("event")
        if kind == "ask.opened":
            self.opened.put_nowait(json.loads(frame["data"])["ask"])
        elif kind == "ask.settled":
            self.settled.append(json.loads(frame["data"])["ask"]["id"])
        elif kind == "reset":
            self.resets += 1
        # Only a whole frame moves the cursor.
        self._cursor = frame.get("id", self._cursor)


class KillServe(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.random = random.Random(20261116)
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)
        self.client = Client(self.broker.socket)
        self.accepted: dict[str, str] = {}  # by ask: the answer that got 200
        self.delivered: dict[str, str] = {}  # by ask: what its asker was given

    async def ask(self, number: int) -> None:
        body = {"session": f"s{number % 50}", "key": f"k{number}",
                "questions": [{"question": f"Number {number}?", "options": LABELS}]}
        status, ask = await self.client.insist("POST", "/v1/asks", body)
        self.assertIn(status, (200, 201))
        while ask["state"] == "pending":
            status, ask = await self.client.insist("GET", f"/v1/asks/{ask['id']}?wait=30")
            self.assertEqual(status, 200, ask)
        self.delivered[ask["id"]] = ask["settlement"]["answers"][0]["selected"][0]

    async def command(self, number: int) -> str:
        options = [word for label in LABELS for word in ("-o", label)]
        process = await asyncio.create_subprocess_exec(
            PROGRAM, "ask", f"Command {number}?", *options, "--broker",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, env=environment(self.broker.variables))
        out, _ = await process.communicate()
        self.assertEqual(process.returncode, 0)
        return out.decode().strip()

    async def answer_all(self, subscriber: Subscriber) -> None:
        while True:
            ask = await subscriber.opened.get()
            if ask["id"] in self.accepted:
                continue
            label = self.random.choice(LABELS)
            status, settled = await self.client.insist(
                "POST", f"/v1/asks/{ask['id']}/answer",
                {"answers": [{"selected": [label]}], "by": "ada"})
            self.assertEqual(status, 200, settled)
            self.accepted[ask["id"]] = label

    async def kill_now_and_then(self) -> None:
        for kill in range(1, KILLS + 1):
            while len(self.accepted) < kill * ASKERS // (KILLS + 1):
                await asyncio.sleep(0.005)
            self.broker.kill()
            self.broker.start()

    async def until_all_seen(self, subscribers: list[Subscriber]) -> None:
        while any(len(subscriber.settled) < len(self.accepted) for subscriber in subscribers):
            await asyncio.sleep(0.02)

    async def test_everything_goes_on(self) -> None:
        asyncio.get_running_loop().set_debug(False)  # which unittest turns on
        subscribers = [Subscriber(self.client) for _ in range(SUBSCRIBERS)]
        following = [asyncio.create_task(subscriber.follow()) for subscriber in subscribers]
        answering = [asyncio.create_task(self.answer_all(subscribers[0])) for _ in range(32)]
        killing = asyncio.create_task(self.kill_now_and_then())
        commands = [asyncio.create_task(self.command(number)) for number in range(COMMANDS)]
        work = asyncio.gather(*(self.ask(number) for number in range(ASKERS)), *commands, killing)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await work
            await self.until_all_seen(subscribers)
        for task in following + answering:
            task.cancel()

        self.assertEqual(len(self.delivered), ASKERS)
        for ask, label in self.delivered.items():
            self.assertEqual(label, self.accepted[ask])
        printed = [task.result() for task in commands]
        others = [label for ask, label in self.accepted.items() if ask not in self.delivered]
        self.assertEqual(sorted(printed), sorted(others))
        for subscriber in subscribers:
            self.assertEqual(subscriber.resets, 0)
            self.assertEqual(sorted(subscriber.settled), sorted(self.accepted))


if __name__ == "__main__":
    unittest.main()
