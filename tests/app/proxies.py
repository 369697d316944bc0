# SPDX-License-Identifier: Apache-2.0
"""The proxies of docs/team.md as that page has them, before a real broker: nginx and Caddy."""

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

from broker_process import Broker
from parley_program import PATIENCE_SECONDS, Ended, environment, parley, until
from recipes import recipe

CERTIFICATES = Path(__file__).parent / "certificates"
AUTHORITY = str(CERTIFICATES / "authority.pem")
CERTIFICATE, KEY = str(CERTIFICATES / "server.pem"), str(CERTIFICATES / "server.key")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def replaced(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, f"the page does not say {old!r} any more"
        text = text.replace(old, new)
    return text


def nginx_configuration(folder: Path, port: int, broker: str) -> str:
    site = replaced(recipe("nginx", "team.md"),
                    ("listen 443 ", f"listen 127.0.0.1:{port} "), ("127.0.0.1:7373", broker),
                    ("parley.example.org", "localhost"), ("/etc/ssl/parley.crt", CERTIFICATE),
                    ("/etc/ssl/parley.key", KEY))
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n"
                        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return (f"pid {folder}/pid; error_log {folder}/error.log; daemon off; worker_processes 1;\n"
            f"events {{}}\nhttp {{ access_log off;\n{temporary}{site}}}\n")


def caddy_configuration(_: Path, port: int, broker: str) -> str:
    site = replaced(recipe("caddy", "team.md"), ("127.0.0.1:7373", broker),
                    ("parley.example.org {", f"https://localhost:{port} {{\n"
                     f"    bind 127.0.0.1\n    tls {CERTIFICATE} {KEY}"))
    return "{\n    admin off\n    auto_https disable_redirects\n}\n" + site


class ProxyCase(unittest.TestCase):
    """One proxy before one broker; which, the classes below say."""

    program: str
    configuration: Any
    end = signal.SIGTERM

    def setUp(self) -> None:
        self.port = free_port()
        self.url = f"https://localhost:{self.port}"
        self.broker = self.enterContext(Broker("--public-url", self.url))
        self.token = (self.broker.folder / "token").read_text().strip()
        self.start()

    def start(self, *changes: tuple[str, str]) -> None:
        self.folder = folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        folder.chmod(0o711)  # nginx, started by root, works as another user
        file = folder / "configuration"
        file.write_text(replaced(type(self).configuration(
            folder, self.port, self.broker.ready["url"].removeprefix("http://")), *changes))
        variables = environment({"HOME": str(folder), "PATH": f"{os.environ['PATH']}:/usr/sbin"})
        with (folder / "log").open("wb") as log:
            self.proxy = subprocess.Popen(self.command(file), stdout=log, stderr=log, env=variables)
        self.addCleanup(self.stop)
        until(self.is_up, f"{self.program} listens: {(folder / 'log').read_text()}")

    def command(self, file: Path) -> list[str]:
        raise NotImplementedError

    def is_up(self) -> bool:
        self.assertIsNone(self.proxy.poll(), f"{self.program} ended")
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        if self.proxy.poll() is None:
            self.proxy.send_signal(self.end)
        self.proxy.wait(PATIENCE_SECONDS)

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=AUTHORITY)

    def request(self, method: str, target: str, body: Any = None, *,
                hold: float = 0, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPSConnection("localhost", self.port, context=self.trust(),
                                                 timeout=PATIENCE_SECONDS + hold)
        self.addCleanup(connection.close)
        written = None if body is None else json.dumps(body)
        connection.request(method, target, written,
                           {"Content-Type": "application/json", **headers})
        return connection.getresponse()

    def call(self, method: str, target: str, body: Any = None, *, hold: float = 0) -> Any:
        response = self.request(method, target, body, hold=hold,
                                Authorization=f"Bearer {self.token}")
        self.assertLess(response.status, 300)
        return json.loads(response.read())

    def status_of(self, target: str) -> int:
        return self.request("GET", target, Authorization=f"Bearer {self.token}").status

    def commands(self, *arguments: str) -> Ended:
        return parley(*arguments, "--server", self.url, "--token", self.token, "--ca", AUTHORITY)

    def held(self, work: Any) -> Any:
        """Runs `work` beside the test; gives a function that waits for what it gives."""
        given: list[Any] = []
        thread = threading.Thread(target=lambda: given.append(work()))
        thread.start()

        def result() -> Any:
            thread.join(PATIENCE_SECONDS)
            return given[0]
        return result

    def answer(self, ask: str, label: str = "Yes") -> None:
        self.broker.call("POST", f"/v1/asks/{ask}/answer", {"answers": [{"selected": [label]}]})


class NginxCase(ProxyCase):
    program = "nginx"
    configuration = staticmethod(nginx_configuration)

    def command(self, file: Path) -> list[str]:
        return [self.program, "-c", str(file), "-e", str(file.parent / "error.log")]


class CaddyCase(ProxyCase):
    program = "caddy"
    end = signal.SIGKILL  # otherwise it waits for streams to end
    configuration = staticmethod(caddy_configuration)

    def command(self, file: Path) -> list[str]:
        return [self.program, "run", "--adapter", "caddyfile", "--config", str(file)]
