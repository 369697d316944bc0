#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clients/python before a real broker: the client that blocks and the one for asyncio."""

import asyncio
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import tomllib
import unittest
from pathlib import Path
from unittest import mock

from broker_process import Broker
from parley_program import PATIENCE_SECONDS, environment

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "clients/python"
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
COMMANDS = re.compile(r"(?:^ {4}.*\n)+", re.M)  # one block each
INSTALLED_SECONDS = 120
sys.path.insert(0, str(PACKAGE))

# pylint: disable=wrong-import-position
from parley_client import (AlreadySettled, Answer, AsyncClient, Client, Option,  # noqa: E402
                           ParleyError, Permission, Question, Refused, Unreachable)


# Says which ask it waits for: from then on it knows what to take back.
WAITS_ALOUD = """
from parley_client import Client
class Aloud(Client):
    def wait(self, ask, timeout=None):
        print(ask.id, flush=True)
        return super().wait(ask, timeout)
"""


class Watched(AsyncClient):
    """Says when it waits."""

    async def wait(self, ask, timeout=None):
        self.waits_for.set_result(ask)
        return await super().wait(ask, timeout)


class ClientCase(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())
        self.client = Client(f"unix:{self.broker.socket}", patience=PATIENCE_SECONDS)

    def restart(self) -> None:
        self.broker.kill()
        self.broker.start()

    def answer_when_asked(self, label: str = "Tea", *, after_restart: bool = False) -> None:
        """From elsewhere, once it waits."""
        def run() -> None:
            ask = self.broker.pending()[0]
            if after_restart:
                self.restart()
            self.broker.call("POST", f"/v1/asks/{ask['id']}/answer",
                             {"answers": [{"selected": [label]}]})
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)


class Asking(ClientCase):
    def test_a_typed_answer(self) -> None:
        self.answer_when_asked()
        ask = self.client.ask("Tea or coffee?", [Option("Tea", "Green"), "Coffee"], header="Drink",
                              session="kitchen", agent="cook", urgency="high", context="*Hot*")
        self.assertTrue(ask.is_answered and not ask.is_pending)
        self.assertEqual((ask.text, ask.answers), ("Tea", (Answer(("Tea",)),)))
        self.assertEqual((ask.session, ask.agent, ask.urgency), ("kitchen", "cook", "high"))
        self.assertEqual(ask.questions[0].options[0], Option("Tea", "Green"))
        self.assertEqual((ask.settlement.outcome, ask.settlement.decider.kind),
                         ("answered", "person"))
        self.assertEqual(ask.settlement.at.utcoffset().total_seconds(), 0)

    def test_it_goes_on_through_a_restart(self) -> None:
        self.answer_when_asked(after_restart=True)
        self.assertEqual(self.client.ask("Tea or coffee?", ["Tea", "Coffee"]).text, "Tea")
        self.assertEqual(len(list(self.client.list("answered"))), 1)

    def test_a_key_is_the_same_ask(self) -> None:
        first = self.client.open("Tea?", ["Yes", "No"], key="tea", session="kitchen")
        self.assertEqual(self.client.open("Tea?", ["Yes", "No"], key="tea", session="kitchen").id,
                         first.id)
        self.client.answer(first, "Yes")
        self.assertEqual(self.client.ask("Tea?", ["Yes", "No"], key="tea", session="kitchen").text,
                         "Yes")
        with self.assertRaises(Refused) as caught:
            self.client.open("Coffee?", ["Yes", "No"], key="tea", session="kitchen")
        self.assertEqual(caught.exception.status, 409)

    def test_no_answer_is_an_outcome(self) -> None:
        ask = self.client.ask("Tea?", ["Yes", "No"], timeout=0.1)
        self.assertEqual((ask.state, ask.text, ask.answers), ("timed_out", "", ()))
        self.assertEqual(ask.settlement.decider.kind, "timer")
        pending = self.client.open("Tea?")
        self.client.dismiss(pending, "not now")
        self.assertEqual(self.client.wait(pending).settlement.note, "not now")

    def test_a_form_and_a_permission(self) -> None:
        ask = self.client.open(
            [Question("Which days?", ["Sa", "Su", "Mo"], multi_select=True, min=1, max=2,
                      default=["Su"]), Question("Remarks?", required=False)],
            permission=Permission("Bash", {"command": "make install"}))
        self.assertEqual(ask.permission.summary, "make install")
        self.assertEqual((ask.questions[0].max, ask.questions[0].default), (2, ["Su"]))
        with self.assertRaises(Refused) as caught:
            self.client.answer(ask, [Answer(("Sa", "Su", "Mo")), Answer()])
        self.assertTrue(caught.exception.errors[0]["path"].startswith("/answers/0"))
        settled = self.client.answer(ask, [Answer(("Sa", "Su")), "none"], by="Ada")
        self.assertEqual([one.text for one in settled.answers], ["Sa, Su", "none"])

    def test_what_is_wrong_is_named(self) -> None:
        with self.assertRaises(Refused) as caught:
            self.client.open("")
        [fault] = caught.exception.errors
        self.assertEqual(fault["path"], "/questions/0/question")
        self.assertEqual(str(caught.exception), f"{fault['path']}: {fault['detail']}")
        with self.assertRaises(Refused) as caught:
            self.client.open([Question("Tea?"), Question("Tea?"), Question("")])
        for fault in caught.exception.errors:
            self.assertEqual(str(caught.exception).count(fault["detail"]), 1)
        with self.assertRaises(Refused) as caught:
            self.client.get("que_nobody")
        self.assertEqual(str(caught.exception), caught.exception.detail)
        with self.assertRaises(TypeError):
            self.client.open(Question("Tea?"), ["Yes"])

    def test_waiting_for_a_while(self) -> None:
        ask = self.client.open("Tea?")
        self.assertTrue(self.client.wait(ask, timeout=0.1).is_pending)
        self.client.withdraw(ask, "found out")
        self.assertEqual(self.client.wait(ask.id).state, "withdrawn")

    def test_who_comes_second_learns_what_stands(self) -> None:
        ask = self.client.open("Tea?", ["Yes", "No"])
        self.client.answer(ask, "Yes", by="Ada")
        with self.assertRaises(AlreadySettled) as caught:
            self.client.answer(ask, "No", by="Bob")
        self.assertEqual(caught.exception.ask.text, "Yes")

    def test_ctrl_c_takes_back_what_has_no_key(self) -> None:
        for key, state in ((None, "withdrawn"), ("mine", "pending")):
            script = WAITS_ALOUD + f"Aloud().ask('Tea?', ['Yes', 'No'], key={key!r}, session='s')"
            variables = {**environment(self.broker.variables), "PYTHONPATH": str(PACKAGE)}
            asking = subprocess.Popen([sys.executable, "-B", "-c", script], env=variables,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            ask = asking.stdout.readline().strip()
            asking.send_signal(signal.SIGINT)
            asking.communicate(timeout=PATIENCE_SECONDS)
            self.assertEqual(self.client.get(ask).state, state)

    def test_pages_and_streams(self) -> None:
        for number in range(120):
            self.client.open(f"Number {number}?", session="many")
        asks = list(self.client.list(session="many"))
        self.assertEqual([asks[0].questions[0].question, len(asks)], ["Number 0?", 120])
        self.assertEqual(self.client.session("work", title="Work", agent="bot").title, "Work")
        self.client.push("work", {"type": "text-end", "part_id": "p", "text": "Hello"})
        with self.assertRaises(Refused):
            self.client.push("work", {"type": "nonsense"})

    def test_watching_misses_nothing(self) -> None:
        first = self.client.open("First?")
        events = self.client.watch()
        self.assertEqual((next(events).ask.id, next(events).type), (first.id, "snapshot.end"))
        second = self.client.open("Second?", session=first.session)
        self.assertEqual(next(events).ask.id, second.id)
        self.restart()
        self.client.answer(first, "yes")
        event = next(events)
        self.assertEqual((event.type, event.ask.id), ("ask.settled", first.id))


class Finding(ClientCase):
    def find(self, **variables: str) -> Client:
        with mock.patch.dict(os.environ, environment(variables), clear=True):
            return Client()

    def test_the_default_socket(self) -> None:
        self.assertEqual(list(self.find(**self.broker.variables).list()), [])

    def test_the_variables(self) -> None:
        token = (self.broker.folder / "token").read_text().strip()
        url = self.broker.ready["url"]
        self.assertEqual(list(self.find(PARLEY_SERVER=url, PARLEY_TOKEN=token).list()), [])
        with self.assertRaises(Refused) as caught:
            list(self.find(PARLEY_SERVER=url, PARLEY_TOKEN="wrong").list())
        self.assertEqual(caught.exception.status, 401)
        with self.assertRaises(ParleyError):
            self.find(PARLEY_SERVER="ftp://x")

    def test_the_configuration(self) -> None:
        (self.broker.folder / "parley").mkdir()
        (self.broker.folder / "parley/config.toml").write_text(
            f'server = "unix:{self.broker.socket}"\n')
        self.assertEqual(list(self.find(XDG_CONFIG_HOME=str(self.broker.folder)).list()), [])

    def test_nobody_is_there(self) -> None:
        with self.assertRaises(Unreachable) as caught:
            list(self.find(HOME=str(self.broker.folder / "nobody")).list())
        self.assertIn("parley serve", str(caught.exception))

    def test_something_else_is_there(self) -> None:
        server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with mock.patch("http.server.BaseHTTPRequestHandler.log_message"):
            with self.assertRaises(ParleyError):
                list(Client(f"http://127.0.0.1:{server.server_address[1]}").list())


class BrokenStream(http.server.BaseHTTPRequestHandler):
    """A broker that cannot read what it has stored."""

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        problem = {"type": "about:blank", "status": 500, "title": "Failed", "detail": "row 7"}
        event = json.dumps({"type": "stream.failed", "problem": problem})
        self.wfile.write(f"event: stream.failed\ndata: {event}\n\n".encode())

    def log_message(self, *_: object) -> None:  # pylint: disable=arguments-differ
        pass


class Failing(unittest.TestCase):
    def setUp(self) -> None:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), BrokenStream)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}"

    def test_a_stream_that_cannot_go_on_ends(self) -> None:
        events = Client(self.url).watch()
        self.assertEqual(next(events).type, "stream.failed")
        with self.assertRaisesRegex(Refused, "row 7"):
            next(events)

    def test_the_same_for_asyncio(self) -> None:
        async def work() -> None:
            events = AsyncClient(self.url).watch()
            self.assertEqual((await anext(events)).type, "stream.failed")
            with self.assertRaisesRegex(Refused, "row 7"):
                await anext(events)
        asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))


class Async(ClientCase):
    def run_async(self, work) -> object:
        client = AsyncClient(f"unix:{self.broker.socket}", patience=PATIENCE_SECONDS)
        return asyncio.run(asyncio.wait_for(work(client), PATIENCE_SECONDS))

    def test_two_at_once_and_a_restart(self) -> None:
        async def work(client: AsyncClient) -> list[str]:
            asking = [asyncio.create_task(client.ask(f"Number {number}?", ["Yes", "No"]))
                      for number in range(2)]
            waiting = []
            while len(waiting) < 2:
                waiting = [ask async for ask in client.list()]
            await asyncio.to_thread(self.restart)
            for ask, label in zip(waiting, ("Yes", "No")):
                await client.answer(ask, label)
            return sorted([(await one).text for one in asking])
        self.assertEqual(self.run_async(work), ["No", "Yes"])

    def test_cancelled_it_takes_the_ask_back(self) -> None:
        async def work(_: AsyncClient) -> str:
            client = Watched(f"unix:{self.broker.socket}")
            client.waits_for = asyncio.get_running_loop().create_future()
            asking = asyncio.create_task(client.ask("Tea?", ["Yes", "No"]))
            ask = await client.waits_for
            asking.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await asking
            return ask.id
        self.assertEqual(self.client.get(self.run_async(work)).state, "withdrawn")

    def test_watching_misses_nothing(self) -> None:
        async def work(client: AsyncClient) -> list[str]:
            first = await client.open("First?")
            events = client.watch()
            types = [(await anext(events)).type, (await anext(events)).type]
            await asyncio.to_thread(self.restart)
            await client.dismiss(first, "no")
            event = await anext(events)
            await events.aclose()
            return [*types, event.type, event.ask.settlement.outcome]
        self.assertEqual(self.run_async(work),
                         ["ask.opened", "snapshot.end", "ask.settled", "dismissed"])

    def test_errors_are_the_same(self) -> None:
        async def work(client: AsyncClient) -> None:
            with self.assertRaises(Refused) as caught:
                await client.open("")
            self.assertEqual(caught.exception.errors[0]["path"], "/questions/0/question")
            with self.assertRaises(Unreachable):
                await AsyncClient("unix:/no/such/socket").open("Tea?")
        self.run_async(work)

    def test_over_http(self) -> None:
        token = (self.broker.folder / "token").read_text().strip()

        async def work(_: AsyncClient) -> str:
            client = AsyncClient(self.broker.ready["url"], token)
            ask = await client.open("Tea?", ["Yes", "No"])
            return (await client.answer(ask.id, "Yes")).text
        self.assertEqual(self.run_async(work), "Yes")


class Package(unittest.TestCase):
    def test_its_description_is_true(self) -> None:
        project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
        version = re.search(r"VERSION (\d[\d.]*)", (ROOT / "CMakeLists.txt").read_text().split(
            "project(", 1)[1])[1]
        self.assertEqual((project["version"], project["dependencies"]), (version, []))
        self.assertTrue((PACKAGE / "parley_client/py.typed").exists())

    def run_example(self, script: str, answers: list[dict]) -> str:
        """What it prints when the ask that it makes is answered so."""
        with Broker() as broker:
            variables = {**environment(broker.variables), "PYTHONPATH": str(PACKAGE)}
            asking = subprocess.Popen([sys.executable, "-B", "-c", script], env=variables,
                                      stdout=subprocess.PIPE, text=True)
            self.addCleanup(asking.kill)
            ask = broker.pending()[0]
            broker.call("POST", f"/v1/asks/{ask['id']}/answer", {"answers": answers})
            return asking.communicate(timeout=PATIENCE_SECONDS)[0]

    def test_the_examples_of_its_readme_run(self) -> None:
        first, second = EXAMPLE.findall((PACKAGE / "README.md").read_text())
        self.assertEqual(self.run_example(first, [{"selected": ["SQLite"]}]), "SQLite\n")
        second += "\nimport asyncio\nprint(asyncio.run(deploy()))\n"
        for label, may in (("Yes", "True\n"), ("No", "False\n")):
            answers = [{"selected": [label]}, {"selected": []}]
            self.assertEqual(self.run_example(second, answers), may)

    def test_it_is_had_as_its_readme_says(self) -> None:
        """Each way by itself, in a copy of the checkout, and with no network."""
        ways = COMMANDS.findall((PACKAGE / "README.md").read_text().split("```")[0])
        self.assertEqual(len(ways), 2)
        for way in ways:
            with tempfile.TemporaryDirectory() as folder:
                shutil.copytree(PACKAGE, Path(folder) / "clients/python",
                                ignore=shutil.ignore_patterns("__pycache__"))
                variables = environment({"HOME": folder, "PIP_NO_INDEX": "1"})
                script = f"set -e\n{way}\n" + (
                    "PATH=venv/bin:$PATH\n"
                    "python3 -c 'import parley_client; print(parley_client.__file__)'")
                ran = subprocess.run(["bash", "-c", script], cwd=folder, env=variables, text=True,
                                     capture_output=True, timeout=INSTALLED_SECONDS, check=False)
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
                self.assertIn(folder, ran.stdout.splitlines()[-1])
                self.assertEqual("site-packages" in ran.stdout.splitlines()[-1], "venv" in way)


if __name__ == "__main__":
    unittest.main()
