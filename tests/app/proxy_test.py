#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/team.md says of its proxies, nginx and Caddy, but for the longest of it, for which see
proxy_wait_test.py."""

import base64
import json
import os
import socket
import subprocess
import unittest
from urllib.parse import urlsplit

from parley_program import PATIENCE_SECONDS, PROGRAM, environment, until
from proxies import AUTHORITY, CaddyCase, NginxCase

PAGE_TIMEOUT = "proxy_read_timeout 15m;"


class Proxied:
    """What a team needs of any proxy."""

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


class Nginx(Proxied, NginxCase):
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


class Caddy(Proxied, CaddyCase):
    pass


if __name__ == "__main__":
    unittest.main()
