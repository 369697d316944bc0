#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The proxies of docs/team.md as that page has them, before a real broker: nginx and Caddy.
PARLEY_SLOW_PROXY=1 also waits for longer than nginx does by itself."""

import base64
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
from urllib.parse import urlsplit

from broker_process import Broker
from parley_program import PATIENCE_SECONDS, PROGRAM, Ended, environment, parley, until
from recipes import recipe

CERTIFICATES = Path(__file__).parent / "certificates"
AUTHORITY = str(CERTIFICATES / "authority.pem")
CERTIFICATE, KEY = str(CERTIFICATES / "server.pem"), str(CERTIFICATES / "server.key")
PAGE_TIMEOUT = "proxy_read_timeout 15m;"
LONGER_THAN_NGINX_SECONDS = 63


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


class Proxied(unittest.TestCase):
    """What a team needs of any proxy."""

    program: str
    configuration: Any
    end = signal.SIGTERM

    @classmethod
    def setUpClass(cls) -> None:
        if cls is Proxied:
            raise unittest.SkipTest("is for the proxies below")

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

    # What the page promises.

    def test_a_browser_is_signed_in_by_a_secure_cookie(self) -> None:
        link = self.broker.call("POST", "/sign-in/links", {"as": "Anna"})[1]["url"]
        self.assertTrue(link.startswith(f"{self.url}/"), link)
        parts = urlsplit(link)
        cookie = self.request("GET", f"{parts.path}?{parts.query}").getheader("Set-Cookie")
        self.assertIn("; Secure", cookie)
        self.assertIn("; HttpOnly; SameSite=Strict", cookie)
        headers = {"Cookie": cookie.split(";")[0], "Origin": self.url}
        asked = self.broker.call("POST", "/v1/asks", {"question": "Tea?", "options": ["Yes"]})[1]
        path, body = f"/v1/asks/{asked['id']}/answer", {"answers": [{"selected": ["Yes"]}]}
        foreign = self.request("POST", path, body, **{**headers, "Origin": "https://evil.example"})
        self.assertEqual(foreign.status, 403)
        settled = json.loads(self.request("POST", path, body, **headers).read())
        self.assertEqual(settled["settlement"]["decider"]["name"], "Anna")

    def test_events_come_as_they_happen(self) -> None:
        stream = self.request("GET", "/v1/events", Authorization=f"Bearer {self.token}")
        lines = iter(stream.readline, b"")
        self.assertTrue(any(line == b"event: snapshot.end\n" for line in lines))
        ask = self.call("POST", "/v1/asks", {"question": "Tea?", "options": ["Yes"]})
        self.assertTrue(any(line == b"event: ask.opened\n" for line in lines))
        self.answer(ask["id"])
        self.assertTrue(any(line == b"event: ask.settled\n" for line in lines))

    def test_a_websocket_is_passed_on(self) -> None:
        plain = socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS)
        with self.trust().wrap_socket(plain, server_hostname="localhost") as secure:
            key = base64.b64encode(os.urandom(16)).decode()
            secure.sendall((f"GET /api/v1/chat/ws/room HTTP/1.1\r\nHost: localhost:{self.port}\r\n"
                            "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                            f"Authorization: Bearer {self.token}\r\n\r\n").encode())
            seen = b""
            while b'"connected"' not in seen:
                more = secure.recv(4096)
                self.assertTrue(more, seen)
                seen += more
        self.assertTrue(seen.startswith(b"HTTP/1.1 101 "), seen)

    def test_a_request_waits_for_the_answer(self) -> None:
        ask = self.call("POST", "/v1/asks", {"question": "Tea?", "options": ["Yes"]})
        waiting = self.held(lambda: self.call("GET", f"/v1/asks/{ask['id']}?wait=600"))
        self.answer(ask["id"])
        self.assertEqual(waiting()["state"], "answered")

    def test_a_large_answer_passes(self) -> None:
        ask = self.call("POST", "/v1/asks", {"questions": [{"question": f"{place}?"}
                                                           for place in range(3)]})
        text = "x" * 1_000_000
        settled = self.call("POST", f"/v1/asks/{ask['id']}/answer",
                            {"answers": [{"selected": [], "other": text}] * 3})
        self.assertEqual(settled["settlement"]["answers"][2]["other"], text)

    def test_commands_reach_it(self) -> None:
        asking = self.held(lambda: self.commands("ask", "Tea?", "-o", "Yes", "-o", "No"))
        self.answer(self.broker.pending()[0]["id"])
        self.assertEqual((asking().out, asking().code), ("Yes\n", 0))
        self.assertIn(self.url, self.commands("token", "qr", "--as", "anna").out)

    @unittest.skipUnless(os.environ.get("PARLEY_SLOW_PROXY"), "takes more than a minute")
    def test_a_request_waits_for_longer_than_a_minute(self) -> None:
        ask = self.call("POST", "/v1/asks", {"question": "Tea?", "options": ["Yes"],
                                             "timeout_seconds": LONGER_THAN_NGINX_SECONDS})
        seen = self.call("GET", f"/v1/asks/{ask['id']}?wait=600", hold=LONGER_THAN_NGINX_SECONDS)
        self.assertEqual(seen["state"], "timed_out")


class Nginx(Proxied):
    program = "nginx"
    configuration = staticmethod(nginx_configuration)

    def command(self, file: Path) -> list[str]:
        return [self.program, "-c", str(file), "-e", str(file.parent / "error.log")]

    def test_who_is_cut_off_early_waits_again(self) -> None:
        """As with nginx's own 60 s, only sooner."""
        self.stop()
        self.start((PAGE_TIMEOUT, "proxy_read_timeout 1s;"))
        ask = self.call("POST", "/v1/asks", {"question": "Tea?", "options": ["Yes"]})
        path = f"/v1/asks/{ask['id']}?wait=600"
        self.assertEqual(self.status_of(path), 504)
        waiting = subprocess.Popen(
            [PROGRAM, "wait", ask["id"], "--server", self.url, "--token", self.token, "--ca",
             AUTHORITY], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=environment({}))
        errors = self.folder / "error.log"
        until(lambda: errors.read_text().count("upstream timed out") >= 3, "it is cut off, too")
        self.assertIsNone(waiting.poll())
        self.answer(ask["id"])
        self.assertEqual(waiting.communicate(timeout=PATIENCE_SECONDS)[0], "Yes\n")


class Caddy(Proxied):
    program = "caddy"
    end = signal.SIGKILL  # otherwise it waits for streams to end
    configuration = staticmethod(caddy_configuration)

    def command(self, file: Path) -> list[str]:
        return [self.program, "run", "--adapter", "caddyfile", "--config", str(file)]


if __name__ == "__main__":
    unittest.main()
