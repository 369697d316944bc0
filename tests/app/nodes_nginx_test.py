#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two nodes behind nginx, set up as docs/scaling.md says, which keeps no client at a node: every
door goes through it, whichever node a request reaches, also when one of them is killed."""

import http.client
import json
import re
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.parse import quote

from broker_process import Broker
from nodes_mcp_test import ASK, VERSION
from nodes_shared_test import CHAT, SECRET, frame
from nodes_test import QUESTION, wait_until
from parley_program import PATIENCE_SECONDS
from postgres_cluster import Cluster
from streams_test import UPGRADE, Wire

GUIDE = Path(__file__).parents[2] / "docs" / "scaling.md"
AROUND = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{servers}
}}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Proxy:
    """nginx with the text of the guide, but for addresses and the certificate."""

    def __init__(self, port: int, nodes: list[Broker]) -> None:
        self._folder = tempfile.TemporaryDirectory()
        text = re.search(r"```nginx\n(.*?)```", GUIDE.read_text(), re.DOTALL).group(1)
        text = re.sub(r" *ssl_certificate.*\n", "", text)
        text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
        for number, node in enumerate(nodes, 1):
            text = text.replace(f"10.0.0.{number}:7373", node.ready["url"].removeprefix("http://"))
        config = Path(self._folder.name) / "nginx.conf"
        config.write_text(AROUND.format(folder=self._folder.name, servers=text))
        self._process = subprocess.Popen(["/usr/sbin/nginx", "-c", config, "-e",
                                          f"{self._folder.name}/log"])
        self.ready = {"url": f"http://127.0.0.1:{port}"}
        wait_until(lambda: answers(port))

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE_SECONDS)
        self._folder.cleanup()


class BehindNginx(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = self.enterContext(Cluster())
        self.port = free_port()
        self.nodes = [self.enterContext(Broker(
            "--public-url", f"http://127.0.0.1:{self.port}", store=self.cluster.url,
            secret=SECRET)) for _ in range(2)]
        self.proxy = self.enterContext(Proxy(self.port, self.nodes))

    def enterContext(self, manager):  # of unittest only since Python 3.11
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def call(self, method: str, target: str, body=None, **headers: str) -> tuple[int, str, dict]:
        """A request on a connection of its own, so that each may reach another node."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        connection.request(method, target, None if body is None else json.dumps(body),
                           {"Authorization": f"Bearer {SECRET}",
                            "Content-Type": "application/json",
                            "Accept": "application/json, text/event-stream",
                            **{name.replace("_", "-"): text for name, text in headers.items()}})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text, dict(response.headers)

    def ask(self, **more) -> dict:
        status, text, _ = self.call("POST", "/v1/asks", QUESTION | more)
        self.assertEqual(status, 201, text)
        return json.loads(text)

    def settled(self, ask: dict) -> bool:
        return json.loads(self.call("GET", f"/v1/asks/{ask['id']}")[1])["state"] != "pending"

    def answer(self, ask: dict) -> None:
        # The node that it reaches may have to hear of the ask first.
        wait_until(lambda: self.call("POST", f"/v1/asks/{ask['id']}/answer", {
            "answers": [{"selected": ["Tea"]}]})[0] == 200)

    def wire(self, target: str, method: str = "GET", body=None, lines: str = "") -> Wire:
        return self.enterContext(Wire(self.proxy, method, target, SECRET, body, lines))

    def test_asks_streams_and_the_page_go_through_also_when_a_node_is_killed(self) -> None:
        self.assertIn("<html", self.call("GET", "/")[1])
        streams = [self.wire("/v1/events") for _ in range(4)]
        start = [stream.read_until("snapshot.end") for stream in streams][0]
        for _ in range(4):
            self.answer(self.ask())
        self.nodes[0].kill()
        last = self.ask()
        self.answer(last)
        cut = 0
        for stream in streams:
            try:
                stream.read_until(last["id"])
            except AssertionError:
                cut += 1  # it was at the node that is gone, and resumes at the other
                resumed = self.wire("/v1/events", lines="Last-Event-ID: " + start.split(
                    "id: ")[-1].split("\n")[0] + "\r\n")
                told = resumed.read_until(last["id"])
                wait_until(lambda: told.count("event: ask.opened") == 5)
        self.assertEqual(cut, 2)
        waited = self.call("GET", f"/v1/asks/{last['id']}?wait=5")
        self.assertEqual(json.loads(waited[1])["state"], "answered")

    def test_sockets_and_trpc(self) -> None:
        older = self.wire(CHAT, lines=UPGRADE)
        older.read_until('"session_status"')
        newer = self.wire(CHAT, lines=UPGRADE)
        newer.read_until('"session_status"')
        older.read_until('"session_taken"')
        ask = self.ask(session="talk")
        newer.read_until(ask["id"])
        newer.send(frame({"type": "ask_user_response", "data": {
            "question_id": ask["id"], "answers": {"Which drink?": "Tea"}}}))
        newer.read_until('"ask_user_settled"')
        asked = self.ask(session="talk")
        wanted = quote(json.dumps({"sessionId": "talk"}))
        wait_until(lambda: asked["id"] in self.call(
            "GET", f"/trpc/message.pending?input={wanted}")[1])
        stream = self.wire(f"/trpc/message.streamTracked?input={wanted}",
                           lines="Accept: text/event-stream\r\n")
        stream.read_until(asked["id"])
        status, text, _ = self.call("POST", "/trpc/message.answerAsk", {
            "sessionId": "talk", "questionId": asked["id"], "answers": {"q0": "Tea"}})
        self.assertEqual(status, 200, text)
        stream.read_until("ask-settled")

    def test_mcp(self) -> None:
        def say(message: dict, **headers: str) -> tuple[int, str, dict]:
            return self.call("POST", "/mcp", {"jsonrpc": "2.0"} | message, **headers)

        _, _, headers = say({"id": 1, "method": "initialize", "params": {
            "protocolVersion": VERSION, "clientInfo": {"name": "tester", "version": "1"},
            "capabilities": {}}})
        session = {"Mcp_Session_Id": headers["Mcp-Session-Id"]}
        self.assertEqual(say({"method": "notifications/initialized"}, **session)[0], 202)
        for turn in range(4):
            self.assertEqual(say({"id": 2 + turn, "method": "tools/list"}, **session)[0], 200)
        call = self.wire("/mcp", "POST", {"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                                          "params": ASK},
                         f"Mcp-Session-Id: {headers['Mcp-Session-Id']}\r\n")
        self.answer(self.nodes[1].pending()[0])
        call.read_until("Tea")


if __name__ == "__main__":
    unittest.main()
