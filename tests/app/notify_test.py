#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`notify.command`: the owner's program is run for what opens, waits and is settled. The recipes of
docs/notify.md run against stand-ins, curl against a server of the test and tmux itself."""

import http.server
import json
import os
import subprocess
import tempfile
import threading
import tomllib
import unittest
from pathlib import Path

from broker_process import Broker
from parley_program import parley, until
from postgres_cluster import Cluster
from recipes import recipe

# Writes what it was given, whole, before it gives it its name.
RECORDER = """#!/bin/sh
place="$RECORDS/$PARLEY_EVENT-$PARLEY_ASK"
{ printf '%s\\n' "$#" "$@" "$PARLEY_TITLE" "$PARLEY_OUTCOME" "$PARLEY_LINK"; cat; } >"$place.part"
mv "$place.part" "$place.txt"
"""


class ConfiguredBroker(Broker):
    """With a configuration, a PATH that has stand-ins first, and variables for them."""

    def __init__(self, settings: str, place: Path, store: str | None = None,
                 **variables: str) -> None:
        self._variables = {"XDG_CONFIG_HOME": str(place / "config"),
                           "PATH": f"{place}:{os.environ['PATH']}", **variables}
        (place / "config/parley").mkdir(parents=True, exist_ok=True)
        (place / "config/parley/config.toml").write_text(settings)
        super().__init__(store=store)

    @property
    def variables(self) -> dict[str, str]:
        return {**super().variables, **self._variables}


class NotifyCase(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def script(self, text: str, name: str = "tell-me") -> str:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def broker(self, settings: str, **variables: str) -> Broker:
        return self.enterContext(ConfiguredBroker(
            settings, self.folder, **{"RECORDS": str(self.folder), **variables}))

    @staticmethod
    def ask(broker: Broker, text: str, **more: object) -> str:
        body = {"question": text, "header": "Deploy", "options": ["Yes", "No"], **more}
        status, ask = broker.call("POST", "/v1/asks", body)
        assert status == 201, ask
        return ask["id"]

    def record(self, event: str, ask: str) -> list[str]:
        """The number of arguments, each of them, title, outcome, link, and the document."""
        path = self.folder / f"{event}-{ask}.txt"
        until(path.exists, f"{event} of {ask} is told")
        return path.read_text().splitlines()


class Notify(NotifyCase):
    def test_what_opens_and_is_settled_is_told(self) -> None:
        command = [self.script(RECORDER), "a b", "$(touch run)"]
        broker = self.broker(f"[notify]\ncommand = {json.dumps(command)}\n")
        ask = self.ask(broker, "Now? `touch run` $(touch run)", permission={
            "tool": "Bash", "input": {"command": "make install"}})
        count, *rest = self.record("opened", ask)
        self.assertEqual((count, rest[:2]), ("2", ["a b", "$(touch run)"]))
        title, outcome, link, document = rest[2:]
        told = json.loads(document)
        self.assertEqual((told["event"], told["title"], told["link"]), ("opened", title, link))
        self.assertEqual(told["ask"]["permission"]["summary"], "make install")
        self.assertEqual((outcome, "outcome" in told), ("", False))
        self.assertTrue(link.startswith("http://") and link.endswith(f"/#/ask/{ask}"), link)

        broker.call("POST", f"/v1/asks/{ask}/dismiss", {"reason": "not now"})
        told = json.loads(self.record("settled", ask)[-1])
        self.assertIn("dismissed by", told["outcome"])
        self.assertEqual(told["ask"]["state"], "dismissed")
        self.assertFalse((broker.folder / "run").exists() or Path("run").exists())

    def test_what_waits_long_is_told_once_more(self) -> None:
        command = json.dumps([self.script(RECORDER)])
        broker = self.broker(f'[notify]\ncommand = {command}\nafter = "300ms"\n')
        ask = self.ask(broker, "Now?")
        self.assertEqual(json.loads(self.record("waiting", ask)[-1])["event"], "waiting")

    def test_failures_are_logged_and_stop_nothing(self) -> None:
        command = json.dumps([self.script("#!/bin/sh\necho no display >&2\nexit 3\n")])
        broker = self.broker(f"[notify]\ncommand = {command}\n")
        ask = self.ask(broker, "Now?")
        until(lambda: "exit status 3: no display" in broker.log(), "the failure is logged")
        self.assertIn(ask, broker.log())
        self.assertIn('"event":"notify-failed"', broker.log())

    def test_a_program_that_is_not_there_is_named(self) -> None:
        broker = self.broker('[notify]\ncommand = ["no-such-program"]\n')
        self.ask(broker, "Now?")
        until(lambda: "no-such-program" in broker.log(), "the fault is logged")

    def test_one_that_hangs_keeps_nobody_waiting(self) -> None:
        command = json.dumps([self.script("#!/bin/sh\nexec sleep 600\n")])
        broker = self.broker(f"[notify]\ncommand = {command}\n")
        asks = [self.ask(broker, f"Number {number}?") for number in range(300)]
        for ask in asks[:20]:
            status, _ = broker.call("POST", f"/v1/asks/{ask}/answer",
                                    {"answers": [{"selected": ["Yes"]}]})
            self.assertEqual(status, 200)
        # 4 run, 256 wait, and the rest is not lost without a word.
        until(lambda: "notify-dropped" in broker.log(), "what is dropped is counted")
        self.assertEqual(broker.stop(), 0)
        broker.start()

    def test_a_time_without_a_program_is_refused(self) -> None:
        home = self.enterContext(tempfile.TemporaryDirectory())
        ended = parley("serve", "--store", "memory:", "--notify-after", "10m", HOME=home)
        self.assertEqual(ended.code, 2)
        self.assertIn("there is no program to run", ended.err)
        ended = parley("serve", "--store", "memory:", "--notify-command", "x",
                       "--notify-after", "soon", HOME=home)
        self.assertEqual(ended.code, 2)
        self.assertIn("--notify-after soon", ended.err)


class Hook(http.server.BaseHTTPRequestHandler):
    """Keeps what is posted to it."""

    posts: list[tuple[dict[str, str], str]] = []

    def do_POST(self) -> None:  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.posts.append((dict(self.headers), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


class SeveralNodes(NotifyCase):
    def test_one_node_tells_of_each_event_and_the_other_once_it_is_alone(self) -> None:
        cluster = self.enterContext(Cluster())
        runs = self.folder / "runs"
        runs.touch()
        line = f'echo "$PARLEY_EVENT $PARLEY_ASK" >>{runs}'
        command = json.dumps([self.script(f"#!/bin/sh\n{line}\n")])
        nodes = [self.enterContext(ConfiguredBroker(f"[notify]\ncommand = {command}\n",
                                                    self.folder, store=cluster.url))
                 for _ in range(2)]

        def told() -> list[str]:
            return runs.read_text().splitlines()

        asks = [self.ask(nodes[at % 2], f"Step {at}?") for at in range(20)]
        for ask in asks:
            nodes[0].call("POST", f"/v1/asks/{ask}/dismiss", {})
        wanted = {f"{event} {ask}" for event in ("opened", "settled") for ask in asks}
        until(lambda: set(told()) == wanted, "all is told")
        nodes[0].kill()
        last = self.ask(nodes[1], "Alone?")
        until(lambda: f"opened {last}" in told(), "the one that is left tells")
        self.assertEqual(len(told()), len(wanted) + 1, told())


class Recipes(NotifyCase):
    def setUp(self) -> None:
        super().setUp()
        Hook.posts = []
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.hook = f"http://127.0.0.1:{server.server_address[1]}/hook"

    def command(self, name: str) -> str:
        return f"[notify]\ncommand = {json.dumps([self.script(recipe(name))])}\n"

    def test_desktop(self) -> None:
        self.script('#!/bin/sh\nprintf "%s\\n" "$@" >"$RECORDS/part"\n'
                    'mv "$RECORDS/part" "$RECORDS/shown"\n', "notify-send")
        broker = self.broker(self.command("desktop"))
        ask = self.ask(broker, "--help")
        until((self.folder / "shown").exists, "the notification is shown")
        shown = (self.folder / "shown").read_text().splitlines()
        self.assertEqual(shown[:3], ["--app-name=Parley", "--", "Deploy: --help"])
        self.assertTrue(shown[3].endswith(f"#/ask/{ask}"))

    def test_ntfy(self) -> None:
        broker = self.broker(self.command("ntfy"), NTFY_TOPIC=self.hook)
        ask = self.ask(broker, "@/etc/passwd?")
        until(lambda: Hook.posts, "ntfy is told")
        headers, body = Hook.posts[0]
        self.assertEqual((headers["Title"], body), ("Parley", "Deploy: @/etc/passwd?"))
        self.assertTrue(headers["Click"].endswith(f"#/ask/{ask}"))

    def test_webhook(self) -> None:
        settings = recipe("webhook")
        self.assertEqual(tomllib.loads(settings)["notify"]["command"][0], "curl")
        broker = self.broker(settings.replace("https://hooks.example.org/parley", self.hook))
        ask = self.ask(broker, "Now?")
        broker.call("POST", f"/v1/asks/{ask}/answer", {"answers": [{"selected": ["Yes"]}]})
        until(lambda: len(Hook.posts) == 2, "the hook is told twice")
        told = [json.loads(body) for _, body in Hook.posts]
        self.assertEqual([each["event"] for each in told], ["opened", "settled"])
        self.assertEqual(told[1]["ask"]["settlement"]["answers"], [{"selected": ["Yes"]}])

    def test_tmux(self) -> None:
        """A tmux that a person is attached to shows it, and runs nothing of it."""
        tmux = ["tmux", "-L", f"parley-notify-{os.getpid()}", "-f", "/dev/null"]
        shown = self.folder / "shown"
        subprocess.run([*tmux, "new-session", "-d", "-x", "100", "-y", "10", "cat"], check=True)
        self.addCleanup(subprocess.run, [*tmux, "kill-server"], check=False)
        client = subprocess.Popen(["script", "-qefc", f"{' '.join(tmux)} attach", str(shown)],
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  env={**os.environ, "TERM": "xterm"})
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        self.addCleanup(client.stdin.close)
        list_clients = [*tmux, "list-clients"]
        until(lambda: subprocess.run(list_clients, capture_output=True, check=False).stdout,
                   "somebody is attached")
        socket = subprocess.run([*tmux, "display-message", "-p", "#{socket_path}"], check=True,
                                capture_output=True, text=True).stdout.strip()
        broker = self.broker(self.command("tmux"), TMUX=f"{socket},1,0", TERM="xterm")
        self.ask(broker, f"Now #(touch {self.folder}/run)?")
        until(lambda: "Parley: Deploy: Now" in shown.read_text(errors="replace"),
                   "tmux shows it")
        self.assertFalse((self.folder / "run").exists())


if __name__ == "__main__":
    unittest.main()
