# SPDX-License-Identifier: Apache-2.0
"""parley mcp --install: what each client is told, and how its file is treated."""

import json
import os
import tempfile
import tomllib
import unittest

from parley_program import PROGRAM, parley

WAITS = ["mcp", "--wait", "0"]
DAY = 86_400

# Client → its file, where its servers are, and what it is told about this one.
CLIENTS = {
    "claude": ("project/.mcp.json", "mcpServers", {"command": PROGRAM, "args": ["mcp"]}),
    "codex": ("home/.codex/config.toml", "mcp_servers",
              {"command": PROGRAM, "args": WAITS, "tool_timeout_sec": DAY,
               "env_vars": ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME",
                            "PARLEY_SERVER", "PARLEY_TOKEN", "PARLEY_CA"]}),
    "gemini": ("home/.gemini/settings.json", "mcpServers",
               {"command": PROGRAM, "args": WAITS, "timeout": DAY * 1000, "trust": True}),
    "qwen": ("home/.qwen/settings.json", "mcpServers",
             {"command": PROGRAM, "args": WAITS, "timeout": DAY * 1000, "trust": True,
              "alwaysLoadTools": True}),
    "copilot": ("home/.copilot/mcp-config.json", "mcpServers",
                {"type": "local", "command": PROGRAM, "args": ["mcp"], "tools": ["*"]}),
    "cline": ("home/.cline/data/settings/cline_mcp_settings.json", "mcpServers",
              {"command": PROGRAM, "args": WAITS, "timeout": DAY}),
    "cursor": ("home/.cursor/mcp.json", "mcpServers", {"command": PROGRAM, "args": ["mcp"]}),
    "vscode": ("project/.vscode/mcp.json", "servers",
               {"type": "stdio", "command": PROGRAM, "args": ["mcp"]}),
    "opencode": ("home/.config/opencode/opencode.json", "mcp",
                 {"type": "local", "command": [PROGRAM, *WAITS], "enabled": True,
                  "timeout": DAY * 1000}),
}


def parse(file: str, text: str) -> dict:
    return tomllib.loads(text) if file.endswith(".toml") else json.loads(text)


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        for name in ("home", "project"):
            os.mkdir(os.path.join(self.folder, name))

    def install(self, *arguments: str):
        return parley("mcp", "--install", *arguments, folder=self.path("project"),
                      HOME=self.path("home"))

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def read(self, name: str) -> str:
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def put(self, name: str, text: str) -> None:
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_prints_what_belongs_into_the_file_and_touches_nothing(self):
        for client, (file, servers, entry) in CLIENTS.items():
            with self.subTest(client):
                ended = self.install(client)
                self.assertEqual(ended.code, 0, ended.err)
                self.assertEqual(parse(file, ended.out), {servers: {"parley": entry}})
                self.assertIn(self.path(file), ended.err)
        self.assertEqual(os.listdir(self.path("home")) + os.listdir(self.path("project")), [])

    def test_writes_a_file_that_is_not_there_and_only_once(self):
        for client, (file, servers, entry) in CLIENTS.items():
            with self.subTest(client):
                ended = self.install(client, "--write")
                self.assertEqual(ended.code, 0, ended.err)
                written = self.read(file)
                self.assertEqual(parse(file, written), {servers: {"parley": entry}})
                again = self.install(client, "--write")
                self.assertEqual(again.code, 0, again.err)
                self.assertIn("has it already", again.err)
                self.assertEqual(self.read(file), written)

    def test_keeps_what_is_there_and_shows_the_change(self):
        for client, (file, servers, entry) in CLIENTS.items():
            with self.subTest(client):
                if file.endswith(".toml"):
                    self.put(file, "model = 'x'  # mine\n\n"
                                   "[mcp_servers.other]\ncommand = 'y'\n\n"
                                   "[mcp_servers.parley]\ncommand = 'old'\n"
                                   "startup_timeout_sec = 5\n")
                else:
                    self.put(file, json.dumps({"more": [1], servers: {
                        "other": {"command": "y"}, "parley": {"command": "old"}}}, indent=4) + "\n")
                ended = self.install(client, "--write")
                self.assertEqual(ended.code, 0, ended.err)
                document = parse(file, self.read(file))
                self.assertEqual(document[servers]["other"], {"command": "y"})
                self.assertEqual({**document[servers]["parley"], **entry},
                                 document[servers]["parley"])
                self.assertIn("old", ended.err)
                self.assertIn(PROGRAM, ended.err)
                if file.endswith(".toml"):
                    self.assertIn("model = 'x'  # mine\n", self.read(file))
                    self.assertEqual(document[servers]["parley"]["startup_timeout_sec"], 5)
                else:
                    self.assertEqual(document["more"], [1])
                    self.assertIn('\n    "more"', self.read(file))  # the indent of its author

    def test_refuses_a_file_that_it_does_not_understand_and_leaves_it(self):
        for client, (file, servers, _) in CLIENTS.items():
            with self.subTest(client):
                texts = ["// mine\n{}\n", "{", "[]", json.dumps({servers: []}),
                         json.dumps({servers: 1})]
                if file.endswith(".toml"):
                    texts = ["a = 1\nb =\n", "mcp_servers = { parley = { command = 'x' } }\n"]
                for text in texts:
                    self.put(file, text)
                    ended = self.install(client, "--write")
                    self.assertEqual(ended.code, 1, text)
                    self.assertIn(self.path(file), ended.err)
                    self.assertEqual(self.read(file), text)

    def uninstall(self, client: str):
        return parley("mcp", "--uninstall", client, folder=self.path("project"),
                      HOME=self.path("home"))

    def files(self) -> list[str]:
        return [name for _, _, names in os.walk(self.folder) for name in names]

    def test_taken_out_again_nothing_is_left(self):
        for client in CLIENTS:
            with self.subTest(client):
                self.assertEqual(self.install(client, "--write").code, 0)
                self.assertNotEqual(self.files(), [])
                ended = self.uninstall(client)
                self.assertEqual(ended.code, 0, ended.err)
                self.assertEqual(self.files(), [])
                self.assertIn("has nothing of Parley", self.uninstall(client).err)

    def test_taken_out_again_what_was_there_is_as_it_was(self):
        for client, (file, servers, _) in CLIENTS.items():
            with self.subTest(client):
                before = "model = 'x'  # mine\n\n[mcp_servers.other]\ncommand = 'y'\n"
                if not file.endswith(".toml"):
                    before = json.dumps({"more": [1], servers: {"other": {"command": "y"}}},
                                        indent=4) + "\n"
                self.put(file, before)
                self.assertEqual(self.install(client, "--write").code, 0)
                self.assertNotEqual(self.read(file), before)
                self.assertEqual(self.uninstall(client).code, 0)
                self.assertEqual(self.read(file), before)

    def test_claude_code_need_not_ask_before_it_asks(self):
        rules = "project/.claude/settings.json"
        mine = {"permissions": {"allow": ["Bash(ls)"], "deny": ["WebFetch"]}, "model": "x"}
        self.put(rules, json.dumps(mine, indent=2) + "\n")
        self.assertEqual(self.install("claude", "--write").code, 0)
        allowed = json.loads(self.read(rules))["permissions"]
        self.assertEqual(allowed, {"allow": ["Bash(ls)", "mcp__parley"], "deny": ["WebFetch"]})
        self.assertEqual(self.uninstall("claude").code, 0)
        self.assertEqual(json.loads(self.read(rules)), mine)

    def test_says_what_trust_means_and_where_a_token_belongs(self):
        for client in ("gemini", "qwen"):
            for ended in (self.install(client), self.install(client, "--write")):
                self.assertIn('With "trust" it asks for no permission', ended.err)
                self.assertIn("PARLEY_TOKEN", ended.err)

    def test_a_link_stays_a_link_and_a_mode_stays(self):
        self.put("elsewhere/mcp.json", "{}\n")
        os.chmod(self.path("elsewhere/mcp.json"), 0o600)
        os.mkdir(self.path("home/.cursor"))
        os.symlink(self.path("elsewhere/mcp.json"), self.path("home/.cursor/mcp.json"))
        self.assertEqual(self.install("cursor", "--write").code, 0)
        self.assertTrue(os.path.islink(self.path("home/.cursor/mcp.json")))
        self.assertIn("parley", self.read("elsewhere/mcp.json"))
        self.assertEqual(os.stat(self.path("elsewhere/mcp.json")).st_mode & 0o777, 0o600)

    def test_gives_on_what_it_is_given(self):
        more = ["--server", "https://parley.example", "--ca", self.path("project/ca.pem"),
                "--session", "work", "--timeout", "1h", "--no-forms"]
        for client, (file, servers, _) in CLIENTS.items():
            with self.subTest(client):
                ended = self.install(client, "--no-forms", "--timeout", "1h", "--session", "work",
                                     "--ca", "ca.pem", "--server", "https://parley.example",
                                     "--token", "secret-token")
                self.assertEqual(ended.code, 0, ended.err)
                entry = parse(file, ended.out)[servers]["parley"]
                arguments = entry["command"][1:] if client == "opencode" else entry["args"]
                limit = ["--wait", "0"] if "timeout" in str(CLIENTS[client][2]) else []
                self.assertEqual(arguments, ["mcp", *more, *limit])
                self.assertNotIn("secret-token", ended.out)
                self.assertIn("PARLEY_TOKEN", ended.err)
        ended = self.install("codex", "--wait", "50s")
        self.assertEqual(tomllib.loads(ended.out)["mcp_servers"]["parley"]["args"],
                         ["mcp", "--wait", "50s"])
        self.assertEqual(self.install("codex", "--wait", "soon").code, 2)

    def test_every_other_byte_of_a_file_stays(self):
        text = '{"more":[1, 2],\t"mcpServers": {"other": {}},\n\n  "last" : true}\n'
        self.put("home/.cursor/mcp.json", text)
        self.assertEqual(self.install("cursor", "--write").code, 0)
        written = self.read("home/.cursor/mcp.json")
        self.assertTrue(written.startswith('{"more":[1, 2],\t"mcpServers": {'), written)
        self.assertTrue(written.endswith(',\n\n  "last" : true}\n'), written)
        self.assertEqual(set(json.loads(written)["mcpServers"]), {"other", "parley"})

    def test_names_the_clients_it_knows(self):
        ended = self.install("emacs")
        self.assertEqual(ended.code, 2)
        for client in CLIENTS:
            self.assertIn(client, ended.err)
        self.assertEqual(parley("mcp", "--write", HOME=self.path("home")).code, 2)


if __name__ == "__main__":
    unittest.main()
