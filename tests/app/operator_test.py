#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one who runs a broker sees: a store that is lost or damaged, the log, the metrics, and that
the documents about them name what there is."""

import http.client
import json
import re
import shutil
import sqlite3
import subprocess
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from broker_process import Broker
from parley_program import PATIENCE_SECONDS, PROGRAM, environment, parley, until

ROOT = Path(__file__).resolve().parents[2]
QUESTION = {"questions": [{"question": "Tea or coffee?", "options": ["Tea", "Coffee"]}]}


class OperatorTest(unittest.TestCase):
    def broker(self, *options: str) -> Broker:
        broker = Broker(*options)
        self.addCleanup(broker.__exit__)
        return broker

    def fetch(self, broker: Broker, target: str, token: str | None = None) -> tuple[int, str]:
        """Over TCP, as one who is not the owner of the socket."""
        request = urllib.request.Request(broker.ready["url"] + target)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def owner(self, broker: Broker) -> str:
        return (broker.folder / "token").read_text().strip()

    def events(self, broker: Broker, name: str) -> list[dict]:
        lines = [json.loads(line) for line in broker.log().splitlines()]
        return [line for line in lines if line["event"] == name]

    def logged(self, broker: Broker, name: str, count: int = 1) -> list[dict]:
        return until(lambda: len(found := self.events(broker, name)) >= count and found,
                     f"{count} x {name} in the log")


class Store(OperatorTest):
    def test_a_store_that_is_removed_turns_red_and_refuses_and_comes_back(self) -> None:
        broker = self.broker()
        self.assertEqual(broker.call("POST", "/v1/asks", QUESTION)[0], 201)
        file = broker.folder / "parley.db"
        file.rename(broker.folder / "elsewhere.db")
        # Nobody writes anything: it is seen all the same.
        until(lambda: self.fetch(broker, "/readyz")[0] == 503, "readiness is red")
        status, problem = broker.call("POST", "/v1/asks", QUESTION)
        self.assertEqual(status, 503)
        self.assertIn("was removed under the running broker", problem["detail"])
        self.assertIn("To fix it: put the file back", problem["detail"])
        failed = self.logged(broker, "store-failed")
        self.assertEqual(len(failed), 1)
        self.assertIn(str(file), failed[0]["detail"])
        self.assertFalse(file.exists())
        (broker.folder / "elsewhere.db").rename(file)
        until(lambda: self.fetch(broker, "/readyz")[0] == 200, "it is ready again")
        self.logged(broker, "store-back")
        self.assertEqual(len(broker.pending()), 1)
        self.assertEqual(broker.call("POST", "/v1/asks", QUESTION)[0], 201)

    def test_a_write_that_meets_it_first_is_refused_and_what_was_there_can_be_saved(self) -> None:
        broker = self.broker()
        self.assertEqual(broker.call("POST", "/v1/asks", QUESTION)[0], 201)
        for file in broker.folder.glob("parley.db*"):
            file.unlink()
        status, problem = broker.call("POST", "/v1/asks", QUESTION)
        self.assertEqual(status, 503)
        saved = re.search(r"/proc/\d+/fd/\d+", problem["detail"])
        self.assertIsNotNone(saved, problem["detail"])
        shutil.copyfile(saved[0], broker.folder / "saved.db")
        with sqlite3.connect(broker.folder / "saved.db") as store:
            self.assertEqual(store.execute("SELECT count(*) FROM asks").fetchone(), (1,))

    def say(self, broker: Broker, path: str, body: dict | None, token: str,
            **headers: str) -> str:
        """What is said to one who asks over TCP, whatever its status; nothing is a DELETE."""
        request = urllib.request.Request(
            broker.ready["url"] + path, None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers},
            method="DELETE" if body is None else "POST")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
                return response.read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def begin_mcp(self, broker: Broker, token: str) -> str:
        """The id of a conversation of the versions that have one."""
        request = urllib.request.Request(broker.ready["url"] + "/mcp", json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "clientInfo": {"name": "c", "version": "1"},
                "capabilities": {}}}).encode(), {
            "Authorization": f"Bearer {token}", "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream"})
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
            return response.headers["Mcp-Session-Id"]

    def test_agents_are_told_what_to_do_and_not_where_the_store_lies(self) -> None:
        broker = self.broker()
        agent = broker.call("POST", "/v1/tokens", {"name": "a", "role": "agent"})[1]["token"]
        broker.call("POST", "/v1/sessions", {"name": "s"},
                    {"Authorization": f"Bearer {agent}"})
        conversation = self.begin_mcp(broker, agent)
        (broker.folder / "parley.db").rename(broker.folder / "elsewhere.db")
        until(lambda: self.fetch(broker, "/readyz")[0] == 503, "readiness is red")
        name = "io.modelcontextprotocol/"
        options = [{"label": "Yes", "description": "y"}, {"label": "No", "description": "n"}]
        asked = {"questions": [{"question": "Go on?", "header": "Go", "multiSelect": False,
                                "options": options}]}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "ask_user", "arguments": asked,
            "_meta": {name + "protocolVersion": "2026-07-28", name + "clientCapabilities": {},
                      name + "clientInfo": {"name": "c", "version": "1"}}}}
        hook = {"session_id": "s1", "cwd": "/", "hook_event_name": "PreToolUse",
                "tool_name": "AskUserQuestion", "tool_input": asked}
        part = [{"type": "text-end", "part_id": "p", "text": "x"}]
        doors = (("/v1/asks", asked, {}), ("/v1/sessions/s/events", part, {}),
                 ("/trpc/message.ask", asked, {}), ("/hooks/claude", hook, {}),
                 ("/session", {"title": "t"}, {}),
                 ("/mcp", call, {"Accept": "application/json, text/event-stream",
                                 "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
                                 "Mcp-Name": "ask_user"}),
                 ("/mcp", None, {"Mcp-Session-Id": conversation}))
        for path, body, headers in doors:
            with self.subTest(path):
                said = self.say(broker, path, body, agent, **headers)
                self.assertNotIn(str(broker.folder), said)
                self.assertNotIn("/proc/", said)
                self.assertIn("try again in a few seconds", said)
        self.assertIn(str(broker.folder), self.say(broker, "/v1/asks", asked, self.owner(broker)))

    def damage(self, broker: Broker, sql: str) -> None:
        with sqlite3.connect(broker.folder / "parley.db") as store:
            self.assertGreater(store.execute(sql).rowcount, 0, sql)
        store.close()

    def test_damaged_rows_are_named_and_nothing_is_served(self) -> None:
        for sql, said in (
                ("UPDATE asks SET deadline_ms = 9223372036854775807", r"table asks, row que_\w+"),
                ("DELETE FROM sessions", r"its session ses_\w+ is not in table sessions")):
            with self.subTest(sql):
                broker = self.broker()
                broker.call("POST", "/v1/asks", {**QUESTION, "timeout_seconds": 600})
                self.assertEqual(broker.stop(), 0)
                self.damage(broker, sql)
                ended = subprocess.run(
                    [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--store",
                     f"sqlite:{broker.folder}/parley.db", "--token-file", f"{broker.folder}/token",
                     "--json"], capture_output=True, text=True, timeout=PATIENCE_SECONDS,
                    check=False, env=environment(broker.variables))
                self.assertEqual(ended.returncode, 1)
                line = json.loads(ended.stderr)
                self.assertEqual(line["event"], "not-started")
                self.assertRegex(line["detail"], said)

    def test_who_reads_over_a_damaged_event_is_cut_and_the_log_names_it(self) -> None:
        broker = self.broker()
        broker.call("POST", "/v1/sessions", {"name": "s"})
        first = broker.call("GET", "/v1/sessions/s/events")[1]["events"][0]["cursor"]
        broker.call("POST", "/v1/sessions/s/events",
                    [{"type": "text-end", "part_id": "p", "text": "x"}])
        broker.call("POST", "/v1/notices", {"text": "behind it"})
        self.assertEqual(broker.stop(), 0)
        self.damage(broker, "UPDATE events SET doc = 'no JSON' WHERE type = 7")
        broker.start()
        token = self.owner(broker)
        for _ in range(2):
            host = broker.ready["url"].removeprefix("http://")
            stream = http.client.HTTPConnection(host, timeout=PATIENCE_SECONDS)
            stream.request("GET", "/v1/events", headers={
                "Authorization": f"Bearer {token}", "Last-Event-ID": str(int(first) - 1)})
            response = stream.getresponse()
            with self.assertRaises((http.client.IncompleteRead, ConnectionError)) as broken:
                response.read()
            if isinstance(broken.exception, http.client.IncompleteRead):
                last = broken.exception.partial.decode().strip().split("\n\n")[-1]
                self.assertIn("event: stream.failed", last)
                self.assertIn("table events", last)
            stream.close()
        status, said = self.fetch(broker, "/readyz")[:2]
        self.assertEqual(status, 503)
        self.assertIn("cannot be read", str(said))
        damaged = self.logged(broker, "store-damaged")
        self.assertEqual(len(damaged), 1)
        self.assertRegex(damaged[0]["detail"], r"damaged event \(table events, row \d+\)")
        status, problem = broker.call("GET", "/v1/sessions/s/events")
        self.assertEqual(status, 500)
        self.assertIn("table events", problem["detail"])


class TheLog(OperatorTest):
    def test_start_and_stop_are_logged_as_json(self) -> None:
        broker = self.broker()
        started = self.logged(broker, "started")[0]
        self.assertEqual(started["url"], broker.ready["url"])
        self.assertEqual(int(started["pid"]), broker.ready["pid"])
        self.assertEqual(broker.stop(), 0)
        self.assertEqual([line["event"] for line in map(json.loads, broker.log().splitlines())],
                         ["started", "stopping", "stopped"])

    def test_wrong_tokens_are_logged_with_their_address_and_without_the_token(self) -> None:
        broker = self.broker()
        for _ in range(12):
            self.fetch(broker, "/v1/asks", "a-guess-of-somebody")
        wrong = self.logged(broker, "wrong-token")
        self.assertEqual({line["address"] for line in wrong}, {"127.0.0.1"})
        self.assertEqual(len(self.logged(broker, "locked-out")), 1)
        self.assertNotIn("a-guess", broker.log())

    def test_tokens_and_sign_ins_are_logged_with_who_made_them(self) -> None:
        broker = self.broker()
        made = parley("token", "create", "phone", **broker.variables)
        rotated = parley("token", "rotate", "phone", **broker.variables)
        status, _ = self.sign_in(broker, rotated.out.strip())
        self.assertEqual(status, 204)
        parley("token", "revoke", "phone", **broker.variables)
        for name in ("token-created", "token-rotated", "token-revoked"):
            line = self.logged(broker, name)[0]
            self.assertEqual((line["token"], line["address"]), ("phone", "local"))
            self.assertTrue(line["by"])
        signed_in = self.logged(broker, "signed-in")[0]
        self.assertEqual((signed_in["person"], signed_in["address"]), ("phone", "127.0.0.1"))
        for secret in (made.out.strip(), rotated.out.strip(), self.owner(broker)):
            self.assertNotIn(secret, broker.log())

    def test_files_that_others_could_read_are_mended_and_told_once(self) -> None:
        broker = self.broker()
        broker.kill()
        names = {str(broker.folder / name) for name in ("parley.db", "parley.db-wal", "token")}
        for name in names:
            Path(name).chmod(0o644)
        broker.start()
        told = self.logged(broker, "file-was-open", len(names))
        self.assertEqual({line["file"] for line in told}, names)
        self.assertEqual({Path(name).stat().st_mode & 0o777 for name in names}, {0o600})
        self.assertEqual(broker.stop(), 0)
        broker.start()
        self.assertEqual(broker.call("POST", "/v1/asks", QUESTION)[0], 201)
        self.assertEqual(len(self.events(broker, "file-was-open")), len(names))

    def sign_in(self, broker: Broker, token: str) -> tuple[int, str]:
        request = urllib.request.Request(broker.ready["url"] + "/sign-in", method="POST",
                                         headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
            return response.status, response.read().decode()


class Metrics(OperatorTest):
    def names(self, text: str) -> set[str]:
        return set(re.findall(r"^# TYPE (\S+)", text, re.M))

    def test_metrics_say_what_runs_and_how_it_fares(self) -> None:
        broker = self.broker()
        broker.call("POST", "/v1/asks", QUESTION)
        self.fetch(broker, "/v1/asks", "wrong")
        look = lambda: self.fetch(broker, "/metrics", self.owner(broker))[1]
        until(lambda: re.search(r"^parley_store_bytes [1-9]", look(), re.M), "its size is known")
        text = look()
        for pattern in (r'parley_build_info\{version="[^"]+",compiler="[^"]+"\} 1',
                        r"process_resident_memory_bytes [1-9]\d{6,}", r"process_open_fds [1-9]",
                        r"parley_store_log_bytes [1-9]",
                        r"parley_asks_oldest_pending_seconds \d",
                        r'parley_store_commit_seconds_bucket\{le="\+Inf"\} [1-9]',
                        r"parley_store_commit_seconds_count [1-9]",
                        r'parley_requests_refused_total\{reason="no-token"\} 1'):
            self.assertRegex(text, re.compile("^" + pattern, re.M))
        label = r'\w+="[^"]*"'
        sample = rf"\w+(\{{{label}(,{label})*\}})? [-+.\deinf]+"
        for line in text.splitlines():
            self.assertRegex(line, rf"^(# (HELP|TYPE) \w+ .+|{sample})$")

    def test_dashboard_and_alerts_name_metrics_that_there_are(self) -> None:
        broker = self.broker()
        exported = self.names(self.fetch(broker, "/metrics", self.owner(broker))[1])
        dashboard = json.loads((ROOT / "docs/operations/grafana.json").read_text())
        expressions = [target["expr"] for panel in dashboard["panels"]
                       for target in panel.get("targets", [])]
        rules = (ROOT / "docs/operations/alerts.yaml").read_text()
        self.assertGreater(len(expressions), 8)
        for text in (*expressions, *re.findall(r"expr: (.+)", rules)):
            for name in re.findall(r"\b(?:parley|process)_\w+", text):
                family = re.sub(r"_(bucket|sum|count)$", "", name)
                self.assertTrue({name, family} & exported, f"{name} in {text}")
        described = (ROOT / "docs/operations.md").read_text()
        for name in exported:
            self.assertIn(f"`{name}`", described)


class Documents(unittest.TestCase):
    def test_every_event_of_the_log_is_described(self) -> None:
        written = set()
        for file in (ROOT / "src").rglob("*.cc"):
            if file.name.endswith("_test.cc"):
                continue
            text = file.read_text()
            written |= set(re.findall(
                r"\blog_(?:\.|->)(?:debug|info|warning|error)\(\s*\"([a-z-]+)\"", text))
            if file.name == "server_log.cc":
                written |= set(re.findall(r"return \{\"([a-z-]+)\",", text))
        described = set(re.findall(r"^\| `([a-z-]+)` \| (?:debug|info|warning|error)",
                                   (ROOT / "docs/operations.md").read_text(), re.M))
        self.assertEqual(written, described)
        self.assertGreater(len(written), 20)


if __name__ == "__main__":
    unittest.main()
