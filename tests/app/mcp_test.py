# SPDX-License-Identifier: Apache-2.0
"""parley mcp and parley tool as clients and people start them."""

import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from parley_program import PROGRAM, environment, parley

DRINK = {"questions": [{
    "question": "Tea or coffee?", "header": "Drink", "multiSelect": False,
    "options": [{"label": "Tea", "description": ""}, {"label": "Coffee", "description": ""}]}]}


class Tool(unittest.TestCase):
    def test_every_format_is_one_document_with_the_schema_in_its_place(self):
        places = {"anthropic": ["input_schema"], "openai": ["function", "parameters"],
                  "mcp": ["inputSchema"], "json-schema": []}
        for name, path in places.items():
            ended = parley("tool", "--format", name)
            self.assertEqual(ended.code, 0)
            document = json.loads(ended.out)
            for key in path:
                document = document[key]
            questions = document["properties"]["questions"]
            self.assertEqual((questions["minItems"], questions["maxItems"]), (1, 4))
            fields = questions["items"]["properties"]
            self.assertEqual(fields["header"]["maxLength"], 12)
            self.assertEqual((fields["options"]["minItems"], fields["options"]["maxItems"]), (2, 4))
        self.assertEqual(parley("tool", "--format", "yaml").code, 2)


class Stdio(unittest.TestCase):
    """A client that comes where no broker runs."""

    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)
        self.variables = {"HOME": self.home.name, "XDG_RUNTIME_DIR": self.home.name,
                          "PARLEY_SERVE_LISTEN": "127.0.0.1:0"}
        self.addCleanup(self.stop_broker)

    def stop_broker(self):
        with socket.socket(socket.AF_UNIX) as broker:
            try:
                broker.connect(self.home.name + "/parley.sock")
            except OSError:
                return
            peer = broker.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        os.kill(struct.unpack("3i", peer)[0], signal.SIGKILL)

    @staticmethod
    def open_page(address: urllib.parse.SplitResult) -> http.client.HTTPMessage:
        """The headers of the first answer."""
        connection = http.client.HTTPConnection(address.netloc, timeout=20)
        connection.request("GET", f"{address.path}?{address.query}")
        headers = connection.getresponse().headers
        connection.close()
        return headers

    def brokers(self) -> list[int]:
        """The processes that serve in this home."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", encoding="utf-8") as command, \
                        open(f"/proc/{pid}/environ", encoding="utf-8") as variables:
                    is_ours = f"HOME={self.home.name}\0" in variables.read()
                    if is_ours and "serve\0--detached" in command.read():
                        found.append(int(pid))
            except OSError:
                continue  # it has ended, or is somebody else's
        return found

    def start(self) -> subprocess.Popen:
        server = subprocess.Popen([PROGRAM, "mcp"], stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.PIPE, env=environment(self.variables))
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.addCleanup(server.stdout.close)
        return server

    @staticmethod
    def call(server: subprocess.Popen, number: int, method: str, params: dict) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()

    def test_a_broker_is_started_and_stays(self):
        server = self.start()
        self.call(server, 1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                            "clientInfo": {"name": "test", "version": "1"}})
        self.assertEqual(json.loads(server.stdout.readline())["id"], 1)
        self.call(server, 2, "tools/call", {"name": "ask_user", "arguments": DRINK,
                                            "_meta": {"progressToken": "p"}})
        progress = json.loads(server.stdout.readline())
        self.assertEqual(progress["method"], "notifications/progress")
        ask = re.search("que_[0-9a-z]+", parley("list", "--json", **self.variables).out)[0]
        self.assertEqual(parley("answer", ask, "Tea", **self.variables).code, 0)
        answer = {}
        while answer.get("id") != 2:
            answer = json.loads(server.stdout.readline())
        self.assertEqual(answer["result"]["structuredContent"]["status"], "answered")
        server.stdin.close()
        self.assertEqual(server.wait(timeout=20), 0)
        # The broker belongs to nobody, and the doctor tells of it.
        self.assertEqual(parley("list", **self.variables).code, 0)
        self.assertIn("in the background", parley("doctor", **self.variables).out)

    def test_of_several_that_come_at_once_one_broker_is_left(self):
        servers = [self.start() for _ in range(5)]
        for server in servers:
            self.call(server, 1, "initialize", {"protocolVersion": "2025-11-25",
                                                "capabilities": {}})
        for server in servers:
            self.assertEqual(json.loads(server.stdout.readline())["id"], 1)
            self.call(server, 2, "tools/call", {"name": "notify_user", "arguments": {"text": "Hi"}})
            self.assertNotIn("isError", json.loads(server.stdout.readline())["result"])
            server.stdin.close()
            self.assertEqual(server.wait(timeout=20), 0)
        end = time.monotonic() + 20  # those that came second may still be ending
        while len(self.brokers()) > 1 and time.monotonic() < end:
            time.sleep(0.05)
        [pid] = self.brokers()
        # It is stopped as the doctor says.
        advice = re.search(r"`(kill \d+)` stops it", parley("doctor", **self.variables).out)
        self.assertEqual(advice[1], f"kill {pid}")
        subprocess.run(advice[1].split(), check=True)
        while self.brokers() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(self.brokers(), [])
        self.assertEqual(parley("list", **self.variables).code, 6)

    def ask_stripped(self) -> subprocess.Popen:
        """A client that keeps its environment to itself, as Codex and the SDKs do; it has asked."""
        server = subprocess.Popen([PROGRAM, "mcp"], stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.PIPE,
                                  env={"HOME": self.home.name, "PATH": os.environ["PATH"],
                                       "PARLEY_SERVE_LISTEN": "127.0.0.1:0"})
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.addCleanup(server.stdout.close)
        self.call(server, 1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                            "clientInfo": {"name": "codex-mcp-client"}})
        self.assertEqual(json.loads(server.stdout.readline())["id"], 1)
        self.call(server, 2, "tools/call", {"name": "ask_user", "arguments": DRINK,
                                            "_meta": {"progressToken": "p"}})
        server.stdout.readline()
        return server

    def answer_tea(self, server: subprocess.Popen) -> None:
        """From a terminal whose environment is whole."""
        ask = re.search("que_[0-9a-z]+", parley("list", "--json", **self.variables).out)[0]
        self.assertEqual(parley("answer", ask, "Tea", **self.variables).code, 0)
        answer = {}
        while answer.get("id") != 2:
            answer = json.loads(server.stdout.readline())
        self.assertEqual(answer["result"]["structuredContent"]["status"], "answered")

    def test_a_broker_is_found_by_a_client_that_keeps_the_environment_back(self):
        run = os.path.join(self.home.name, "run")
        os.mkdir(run)
        self.variables["XDG_RUNTIME_DIR"] = run
        broker = subprocess.Popen([PROGRAM, "serve", "--json"], stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.DEVNULL, env=environment(self.variables))
        self.addCleanup(broker.stdout.close)
        self.addCleanup(broker.wait)
        self.addCleanup(broker.kill)
        self.assertEqual(json.loads(broker.stdout.readline())["socket"], run + "/parley.sock")
        self.answer_tea(self.ask_stripped())
        self.assertEqual(self.brokers(), [])
        broker.terminate()
        broker.wait()
        self.assertFalse(os.path.exists(self.home.name + "/.local/state/parley/socket"))

    def test_a_broker_that_such_a_client_starts_is_everybodys(self):
        os.mkdir(self.home.name + "/run")
        self.variables["XDG_RUNTIME_DIR"] = self.home.name + "/run"
        server = self.ask_stripped()
        self.addCleanup(lambda: [os.kill(pid, signal.SIGKILL) for pid in self.brokers()])
        self.answer_tea(server)
        [pid] = self.brokers()
        self.assertIn(f"process {pid} listens", parley("doctor", **self.variables).out)
        with open(f"/proc/{pid}/comm", encoding="utf-8") as name:
            self.assertEqual(name.read().strip(), "parley")

    def test_a_form_that_is_accepted_is_answered_through_mcp(self):
        server = self.start()
        self.call(server, 1, "initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {"form": {}}},
            "clientInfo": {"name": "test", "version": "1"}})
        server.stdout.readline()
        self.call(server, 2, "tools/call", {"name": "ask_user", "arguments": DRINK})
        form = json.loads(server.stdout.readline())
        self.assertEqual(form["method"], "elicitation/create")
        reply = {"jsonrpc": "2.0", "id": form["id"],
                 "result": {"action": "accept", "content": {"q0": "Tea"}}}
        server.stdin.write(json.dumps(reply) + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())["result"]["structuredContent"]
        shown = json.loads(parley("show", answer["ask_id"], "--json", **self.variables).out)
        self.assertEqual(shown["settlement"]["door"], "mcp")
        self.assertEqual(shown["settlement"]["decider"]["kind"], "person")
        server.stdin.close()

    def test_a_client_that_opens_addresses_is_given_one_that_signs_in(self):
        server = self.start()
        self.call(server, 1, "initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {"url": {}}},
            "clientInfo": {"name": "test", "version": "1"}})
        server.stdout.readline()
        self.call(server, 2, "tools/call", {"name": "ask_user", "arguments": DRINK})
        shown = json.loads(server.stdout.readline())["params"]
        self.assertEqual(shown["mode"], "url")
        self.assertRegex(shown["url"], r"^http://127\.0\.0\.1:\d+/\?token=.+#/ask/que_")
        self.assertTrue(shown["url"].endswith(shown["elicitationId"]))
        # Whoever opens it first is signed in, and nobody after that.
        address = urllib.parse.urlsplit(shown["url"])
        self.assertIn("set-cookie", self.open_page(address))
        self.assertNotIn("set-cookie", self.open_page(address))
        server.stdin.close()

    def test_a_server_that_was_named_must_be_there(self):
        ended = parley("mcp", "--server", f"unix:{self.home.name}/nowhere", **self.variables)
        self.assertEqual(ended.code, 6)
        self.assertEqual(ended.out, "")


if __name__ == "__main__":
    unittest.main()
