#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `parley doctor` says of a model that the configuration gives to sessions."""

import json
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from parley_program import parley

KEY = "sk-ant-a-key-that-nobody-is-told"


class ModelServer(ThreadingHTTPServer):
    """Has a list of models for who has the key, as the servers of both APIs do."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []
        self.reply: tuple[int, dict] | None = None
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_GET(self) -> None:
        key = self.headers["x-api-key"] or self.headers["authorization"] or ""
        self.server.seen.append((self.path, key))
        status, body = self.server.reply or (200, {"data": [{"id": "opus"}, {"id": "haiku"}]})
        if not key.endswith(KEY):
            status, body = 401, {"error": {"type": "authentication_error",
                                           "message": f"invalid key {key}"}}
        document = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(document)))
        self.end_headers()
        self.wfile.write(document)

    def log_message(self, *_: object) -> None:
        pass


class DoctorOfModels(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.model = ModelServer()
        self.addCleanup(self.model.server_close)
        self.addCleanup(self.model.shutdown)

    def findings(self, config: str, **variables: str) -> list[tuple[str, str, str]]:
        """Grade, detail and fix of what it says of the model."""
        path = self.folder / "config" / "parley" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(config)
        where = {"XDG_CONFIG_HOME": str(self.folder / "config"),
                 "XDG_STATE_HOME": str(self.folder / "state"),
                 "XDG_RUNTIME_DIR": str(self.folder), **variables}
        plain, ended = parley("doctor", **where), parley("doctor", "--json", **where)
        for text in (plain.out, plain.err, ended.out, ended.err):
            self.assertNotIn(KEY, text)
        self.assertFalse((self.folder / "state").exists(), "it changes nothing")
        found = [(one["grade"], one["detail"], one.get("fix", ""))
                 for one in json.loads(ended.out)["findings"] if one["subject"] == "model"]
        for _, detail, _ in found:
            self.assertIn(detail, plain.out)
        return found

    def config(self, api: str = "anthropic", model: str = "opus", more: str = "") -> str:
        return (f'[serve]\nagent = "llm"\n[llm]\napi = "{api}"\nmodel = "{model}"\n'
                f'base_url = "{self.model.url}"\n{more}')

    def test_nothing_is_said_where_no_model_is_configured(self) -> None:
        self.assertEqual(self.findings(""), [])
        self.assertEqual(self.findings('[serve]\nagent = "demo"\n'), [])

    def test_which_model_whose_key_and_that_it_is_there(self) -> None:
        for api, variable, path in (("anthropic", "ANTHROPIC_API_KEY", "/v1/models?limit=1000"),
                                    ("openai", "OPENAI_API_KEY", "/v1/models")):
            with self.subTest(api):
                found = self.findings(self.config(api), **{variable: KEY})
                self.assertEqual([grade for grade, _, _ in found], ["good"] * 3)
                self.assertIn(f"has opus for sessions without an agent, by the {api} API at "
                              f"{self.model.url}", found[0][1])
                self.assertIn(f"the key is that of {variable}", found[1][1])
                self.assertIn("answers, and has opus", found[2][1])
                self.assertEqual(self.model.seen[-1][0], path)

    def test_a_key_file_that_others_can_read_and_one_that_is_not_there(self) -> None:
        file = self.folder / "key"
        file.write_text(KEY + "\n")
        file.chmod(0o640)
        found = self.findings(self.config(more=f'key_file = "{file}"\n'))
        self.assertIn(("note", f"{file} can be read by others", f"chmod 600 {file}"), found)
        file.chmod(0o600)
        found = self.findings(self.config(more=f'key_file = "{file}"\n'))
        self.assertEqual([grade for grade, _, _ in found], ["good"] * 3)
        self.assertEqual(found[1][1], f"the key is that of {file}")
        file.unlink()
        [(grade, detail, _)] = self.findings(self.config(more=f'key_file = "{file}"\n'))
        self.assertEqual(grade, "bad")
        self.assertIn(f"--key-file: cannot read {file}", detail)

    def test_a_key_that_is_refused_and_repeated_is_not_told_on(self) -> None:
        self.model.reply = (403, {"error": {"message": f"{KEY} may not"}})
        found = self.findings(self.config(), ANTHROPIC_API_KEY=KEY)
        self.assertEqual(found[-1][0], "bad")
        self.assertIn("refuses us: 403 … may not", found[-1][1])
        self.assertIn("the key of ANTHROPIC_API_KEY was sent", found[-1][2])
        found = self.findings(self.config())
        self.assertEqual(found[1][1], "no key is sent")
        self.assertIn("refuses us: 401", found[-1][1])

    def test_a_model_that_is_not_listed_and_a_server_without_a_list_are_notes(self) -> None:
        found = self.findings(self.config(model="hiaku"), ANTHROPIC_API_KEY=KEY)
        self.assertEqual(found[-1][0], "note")
        self.assertIn("does not list hiaku among its 2 models", found[-1][1])
        self.model.reply = (404, {"detail": "Not Found"})
        found = self.findings(self.config("openai"), OPENAI_API_KEY=KEY)
        self.assertEqual(found[-1][:2], ("note", f"{self.model.url} answers, and gives no list of "
                                                 "models"))
        self.model.reply = (503, {"error": {"message": "Loading model"}})
        found = self.findings(self.config("openai"), OPENAI_API_KEY=KEY)
        self.assertEqual(found[-1][:2], ("note", f"{self.model.url} answers: 503 Loading model"))

    def test_a_server_that_does_not_answer_is_a_fault(self) -> None:
        self.model.shutdown()
        self.model.server_close()
        found = self.findings(self.config(), ANTHROPIC_API_KEY=KEY)
        self.assertEqual(found[-1][0], "bad")
        self.assertIn(f"{self.model.url} does not answer: ", found[-1][1])
        self.assertIn("llm.base_url", found[-1][2])

    def test_what_is_missing_is_named(self) -> None:
        for config, fault in (
                ('[serve]\nagent = "llm"\n', "--api is missing"),
                ('[serve]\nagent = "llm"\n[llm]\napi = "openai"\n', "--model is missing"),
                ('[serve]\nagent = "llm"\n[llm]\napi = "openai"\nmodel = "m"\n',
                 "there is no key for https://api.openai.com/v1"),
                ('[llm]\nmodel = "m"\n', "say --agent llm too")):
            with self.subTest(fault):
                [(grade, detail, fix)] = self.findings(config)
                self.assertEqual(grade, "bad")
                self.assertIn(fault, detail)
                self.assertIn("[llm]", fix)

    def test_one_that_serves_nobody_is_said_to(self) -> None:
        [(grade, detail, _)] = self.findings(self.config().replace('"llm"', '"none"'))
        self.assertEqual(grade, "note")
        self.assertIn('serve.agent = "none": it serves no session', detail)
        self.assertEqual(self.model.seen, [])


if __name__ == "__main__":
    unittest.main()
