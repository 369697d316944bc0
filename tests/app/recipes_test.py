#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts of docs/recipes.md as they stand there, with somebody who answers, or does not; and
the broker for a phone."""

import http.client
import json
import os
import shlex
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

from broker_process import Broker
from parley_program import PATIENCE_SECONDS, PROGRAM, environment
from recipes import recipe

LONG_AGO_SECONDS = 1_000_000_000


class Scripts(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())
        self.folder = self.broker.folder / "work"
        self.folder.mkdir()
        programs = self.broker.folder / "bin"
        programs.mkdir()
        (programs / "parley").symlink_to(Path(PROGRAM).resolve())
        self.variables = {**self.broker.variables,
                          "PATH": f"{programs}:{os.environ['PATH']}"}

    def start(self, name: str, *arguments: str, **changes: str) -> subprocess.Popen[str]:
        script = self.broker.folder / name
        script.write_text(recipe(name, "recipes.md"))
        process = subprocess.Popen(
            ["sh", str(script), *arguments], cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment({**self.variables, **changes}))
        self.addCleanup(process.kill)
        return process

    def answer(self, label: str) -> dict:
        ask = self.broker.pending()[0]
        self.broker.call("POST", f"/v1/asks/{ask['id']}/answer",
                         {"answers": [{"selected": [label]}]})
        return ask

    def end(self, process: subprocess.Popen[str]) -> int:
        return process.wait(PATIENCE_SECONDS)

    def test_rm_waits_for_a_yes(self) -> None:
        names = ["a b.txt", "-rf", "`id`.md"]
        for label, is_left in (("Keep", True), ("Delete", False)):
            for name in names:
                (self.folder / name).write_text("x")
            process = self.start("asked-rm", *names)
            ask = self.answer(label)
            self.assertIn("Delete 3 files in ", ask["questions"][0]["question"])
            self.assertEqual(ask["context"].splitlines(), [f"    {name}" for name in names])
            self.assertEqual(self.end(process), 1 if is_left else 0)
            self.assertEqual([(self.folder / name).exists() for name in names], [is_left] * 3)

    def test_rm_takes_nothing_else_for_a_yes(self) -> None:
        (self.folder / "a").write_text("x")
        process = self.start("asked-rm", "a")
        ask = self.broker.pending()[0]
        self.broker.call("POST", f"/v1/asks/{ask['id']}/withdraw", {})
        self.assertEqual(self.end(process), 5)
        self.assertTrue((self.folder / "a").exists())

    def test_rm_of_nothing_asks_nothing(self) -> None:
        self.assertEqual(self.end(self.start("asked-rm")), 2)
        self.assertEqual(self.broker.call("GET", "/v1/asks")[1]["asks"], [])

    def test_a_job_that_runs_again_has_its_answer(self) -> None:
        build = {"TAG": "v2.4", "PROJECT": "shop"}
        first = self.start("ci", **build)
        self.broker.pending()
        first.kill()  # the runner is gone; the question stays
        first.wait()
        second = self.start("ci", **build)
        self.answer("Deploy")
        self.assertEqual(self.end(second), 0)
        self.assertEqual(self.end(self.start("ci", **build)), 0)
        other = self.start("ci", **{**build, "TAG": "v2.5"})
        self.answer("Stop")
        self.assertEqual(self.end(other), 1)

    def test_cron_removes_what_is_old_once_it_may(self) -> None:
        old, new = self.folder / "old.tar.gz", self.folder / "new.tar.gz"
        for file in (old, new):
            file.write_text("x")
        os.utime(old, (LONG_AGO_SECONDS, LONG_AGO_SECONDS))
        process = self.start("cron", str(self.folder))
        ask = self.broker.pending()[0]
        self.assertEqual(ask["on_timeout"], {"default": [{"selected": ["Keep"]}]})
        self.assertTrue(old.exists())
        self.answer("Remove")
        self.assertEqual(self.end(process), 0)
        self.assertEqual((old.exists(), new.exists()), (False, True))


class Phone(unittest.TestCase):
    """The recipe as it stands, but for its port and where the certificate lies."""

    def setUp(self) -> None:
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def serve(self, *arguments: str) -> dict:
        serving = subprocess.Popen(
            [PROGRAM, *arguments, "--store", "memory:", "--json", "--print-sign-in"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment({"HOME": self.folder, "XDG_RUNTIME_DIR": self.folder}))
        self.addCleanup(serving.stdout.close)
        self.addCleanup(serving.wait)
        self.addCleanup(serving.kill)
        return json.loads(serving.stdout.readline())

    def test_a_phone_is_signed_in_by_the_name_that_is_given(self) -> None:
        certificates = Path(__file__).parent / "certificates"
        public = "https://parley.example.org:7373"
        changes = {"0.0.0.0:7373": "0.0.0.0:0", "cert.pem": str(certificates / "server.pem"),
                   "key.pem": str(certificates / "server.key")}
        words = shlex.split(recipe("phone", "recipes.md").replace("\\\n", " "))
        self.assertEqual({*changes, public} - set(words), set())
        ready = self.serve(*(changes.get(word, word) for word in words[1:]))
        self.assertTrue(ready["sign_in"].startswith(f"{public}/?token="), ready)
        trusted = ssl.create_default_context(cafile=str(certificates / "authority.pem"))
        connection = http.client.HTTPSConnection(
            "localhost", int(ready["url"].rsplit(":", 1)[1]), context=trusted,
            timeout=PATIENCE_SECONDS)
        self.addCleanup(connection.close)
        connection.request("GET", ready["sign_in"].removeprefix(public),
                           headers={"Host": public.removeprefix("https://")})
        signed_in = connection.getresponse()
        self.assertEqual(signed_in.status, 303)
        self.assertIn("; Secure", signed_in.headers["Set-Cookie"])


if __name__ == "__main__":
    unittest.main()
