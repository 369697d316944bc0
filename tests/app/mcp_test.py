# SPDX-License-Identifier: Apache-2.0
"""parley mcp and parley tool as clients and people start them."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import unittest

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


class Install(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)

    def path(self, *names: str) -> str:
        return os.path.join(self.home.name, *names)

    def install(self, *arguments: str):
        return parley("mcp", "--install", *arguments, HOME=self.home.name)

    def test_prints_what_belongs_into_the_file(self):
        for client, key in {"claude": "mcpServers", "gemini": "mcpServers",
                            "cursor": "mcpServers", "vscode": "servers", "opencode": "mcp"}.items():
            ended = self.install(client)
            self.assertEqual(ended.code, 0, ended.err)
            self.assertIn("mcp", json.loads(ended.out)[key]["parley"].get(
                "args", json.loads(ended.out)[key]["parley"]["command"]))
        self.assertIn("[mcp_servers.parley]", self.install("codex").out)
        self.assertEqual(self.install("nothing").code, 2)
        self.assertEqual(os.listdir(self.home.name), [])

    def test_writes_and_keeps_what_is_there(self):
        os.mkdir(self.path(".cursor"))
        file = self.path(".cursor", "mcp.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump({"mcpServers": {"other": {"command": "x"}}, "more": 1}, out)
        self.assertEqual(self.install("cursor", "--write").code, 0)
        with open(file, encoding="utf-8") as written:
            document = json.load(written)
        self.assertEqual(document["more"], 1)
        self.assertEqual(document["mcpServers"]["other"], {"command": "x"})
        self.assertEqual(document["mcpServers"]["parley"]["args"], ["mcp"])
        again = self.install("cursor", "--write")
        self.assertIn("has it already", again.err)

    def test_leaves_alone_what_it_does_not_understand(self):
        os.mkdir(self.path(".gemini"))
        file = self.path(".gemini", "settings.json")
        with open(file, "w", encoding="utf-8") as out:
            out.write("// mine\n{}\n")
        ended = self.install("gemini", "--write")
        self.assertNotEqual(ended.code, 0)
        with open(file, encoding="utf-8") as kept:
            self.assertEqual(kept.read(), "// mine\n{}\n")

    def test_adds_a_section_once(self):
        self.assertEqual(self.install("codex", "--write").code, 0)
        self.assertNotEqual(self.install("codex", "--write").code, 0)
        with open(self.path(".codex", "config.toml"), encoding="utf-8") as written:
            self.assertEqual(written.read().count("[mcp_servers.parley]"), 1)


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

    def start(self) -> subprocess.Popen:
        server = subprocess.Popen([PROGRAM, "mcp"], stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.PIPE, env=environment(self.variables))
        self.addCleanup(server.wait)
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

    def test_a_server_that_was_named_must_be_there(self):
        ended = parley("mcp", "--server", f"unix:{self.home.name}/nowhere", **self.variables)
        self.assertEqual(ended.code, 6)
        self.assertEqual(ended.out, "")


if __name__ == "__main__":
    unittest.main()
