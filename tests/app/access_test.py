#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/doors/access.md against a running broker: every route, for everyone who may come. That every
route has its row is the test `Routes` of src/app."""

import http.client
import json
import re
import socket
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from broker_process import Broker
from parley_program import PATIENCE_SECONDS

TABLE = Path(__file__).resolve().parents[2] / "docs/doors/access.md"
COMERS = ("nobody", "agent", "responder", "owner", "revoked")
FILLED = {"id": "que_01m7m1xbc31vead1eff711gcwk", "name": "no-such-token",
          "path*": "message.pending", "session": "no-such-session"}
PROCEDURES = {  # of tRPC, which all have one route
    "message.ask": {"questions": []}, "message.answerAsk": {"sessionId": "s", "questionId": "q",
                                                           "answers": {}},
    "message.abort": {"sessionId": "no-such-session"}}


@dataclass(frozen=True)
class Row:
    method: str
    path: str
    cells: tuple[str, ...]


def read_table() -> list[Row]:
    rows = []
    for line in TABLE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and cells[1].startswith("`/"):
            rows.append(Row(cells[0], cells[1].strip("`"), tuple(cells[3:])))
    return rows


def fill(pattern: str) -> str:
    return re.sub(r"{([^}]+)}", lambda name: FILLED.get(name[1], "no-such-thing"), pattern)


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.broker = Broker()
        cls.addClassCleanup(cls.broker.__exit__)
        cls.tokens = {"nobody": "", "owner": (cls.broker.folder / "token").read_text().strip()}
        for name, role in (("agent", "agent"), ("responder", "responder"), ("revoked", "owner")):
            cls.tokens[name] = cls.make(name, role)
        cls.broker.call("DELETE", "/v1/tokens/revoked")
        cls.tokens["expired"] = cls.make("expired", "owner", expires_in_seconds=1)

    @classmethod
    def make(cls, name: str, role: str, **more: int) -> str:
        return cls.broker.call("POST", "/v1/tokens", {"name": name, "role": role, **more})[1][
            "token"]

    def connect(self, is_local: bool) -> http.client.HTTPConnection:
        address = self.broker.ready["url"].removeprefix("http://")
        connection = http.client.HTTPConnection(address, timeout=PATIENCE_SECONDS)
        if is_local:
            connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.sock.settimeout(PATIENCE_SECONDS)
            connection.sock.connect(self.broker.socket)
        return connection

    def request(self, method: str, path: str, comer: str, body: object = None) -> tuple[int, str]:
        """The status, and the body of a refusal; the rest of what comes is not waited for."""
        # Who shows many wrong tokens at one address is slowed down there, but not on the socket.
        connection = self.connect(is_local=comer in ("revoked", "expired"))
        headers = {"Content-Type": "application/json"}
        if self.tokens[comer]:
            headers["Authorization"] = f"Bearer {self.tokens[comer]}"
        text = None if method == "GET" else json.dumps({} if body is None else body)
        connection.request(method, path, text, headers)
        response = connection.getresponse()
        said = response.read().decode() if response.status in (401, 403) else ""
        connection.close()
        return response.status, said

    def outcome(self, method: str, path: str, comer: str) -> str:
        """As the table writes it."""
        status, _ = self.request(method, path, comer)
        self.assertLess(status, 500, f"{method} {path} for {comer}")
        return str(status) if status in (401, 403) else "yes"

    def test_every_row_is_true(self) -> None:
        rows = read_table()
        self.assertGreater(len(rows), 50)
        for row in rows:
            with self.subTest(f"{row.method} {row.path}"):
                got = tuple(self.outcome(row.method, fill(row.path), comer) for comer in COMERS)
                self.assertEqual(dict(zip(COMERS, got)), dict(zip(COMERS, row.cells)))

    def test_a_token_that_has_run_out_is_as_good_as_revoked(self) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while self.outcome("GET", "/v1/self", "expired") != "401":
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        for row in read_table():
            with self.subTest(f"{row.method} {row.path}"):
                self.assertEqual(self.outcome(row.method, fill(row.path), "expired"),
                                 row.cells[COMERS.index("revoked")])

    def test_the_procedures_of_trpc(self) -> None:
        may = {"message.ask": ("agent", "owner"), "message.answerAsk": ("responder", "owner"),
               "message.abort": ("agent", "responder", "owner")}
        for procedure, body in PROCEDURES.items():
            for comer in ("agent", "responder", "owner"):
                with self.subTest(f"{procedure} for {comer}"):
                    status, said = self.request("POST", f"/trpc/{procedure}", comer, body)
                    self.assertEqual(status != 403, comer in may[procedure], said)


if __name__ == "__main__":
    unittest.main()
