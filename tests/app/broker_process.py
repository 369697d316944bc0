# SPDX-License-Identifier: Apache-2.0
"""A broker of the built program in a folder of its own, and calls on its socket."""

import http.client
import json
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Mapping

from parley_program import PATIENCE_SECONDS, PROGRAM, environment


class SocketConnection(http.client.HTTPConnection):
    def __init__(self, path: str):
        super().__init__("localhost", timeout=PATIENCE_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(PATIENCE_SECONDS)
        self.sock.connect(self._path)


class Broker:
    """`parley serve` over an SQLite file, so that it can be killed and started again, unless a
    store is given."""

    def __init__(self, *options: str, store: str | None = None, secret: str | None = None,
                 variables: Mapping[str, str] | None = None) -> None:
        self._options = options
        self._store = store
        self._more = variables or {}
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self.socket = str(self.folder / "parley.sock")
        if secret:
            (self.folder / "token").write_text(secret + "\n")
            (self.folder / "token").chmod(0o600)
        self.start()

    def __enter__(self) -> "Broker":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._folder.cleanup()

    @property
    def variables(self) -> dict[str, str]:
        """What makes a command find this broker."""
        return {"XDG_RUNTIME_DIR": str(self.folder)}

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--store",
                 self._store or f"sqlite:{self.folder}/parley.db", "--token-file",
                 f"{self.folder}/token", "--json", *self._options],
                stdout=subprocess.PIPE, stderr=log,
                env=environment({**self.variables, **self._more}))
        self.ready = json.loads(self._process.stdout.readline())

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()

    def pause(self) -> None:
        """It neither reads nor replies, and its connections stay."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> int:
        """Asks it to end; with which code it did."""
        self._process.terminate()
        code = self._process.wait(PATIENCE_SECONDS)
        self._process.stdout.close()
        return code

    def log(self) -> str:
        """What it has written on stderr."""
        return (self.folder / "log").read_text()

    def fetch(self, method: str, target: str, body: Any = None,
              headers: Mapping[str, str] | None = None) -> tuple[int, str]:
        """The status and what came with it, as it came."""
        connection = SocketConnection(self.socket)
        connection.request(method, target, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def call(self, method: str, target: str, body: Any = None,
             headers: Mapping[str, str] | None = None) -> tuple[int, Any]:
        status, text = self.fetch(method, target, body, headers)
        return status, json.loads(text) if text else None

    def pending(self, count: int = 1) -> list[dict]:
        """The pending asks, once there are so many."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            asks = self.call("GET", "/v1/asks?state=pending")[1]["asks"]
            if len(asks) == count:
                return asks
            time.sleep(0.02)
        raise AssertionError(f"there are not {count} pending asks")
