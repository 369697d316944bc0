#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`parley store` with the real program: whole stores exported, imported, migrated and checked,
backed up while their broker works, restored, and pruned."""

import json
import os
import signal
import sqlite3
import struct
import subprocess
import tempfile
import threading
import unittest
import urllib.request
from fcntl import ioctl
from pathlib import Path
from termios import FIONREAD

from broker_process import Broker
from parley_program import PROGRAM, Ended, environment, parley
from postgres_cluster import Cluster

NOBODY = "que_01j8z3m4n5p6q7r8s9t0v1w2x3"
LONG = "Which of these? \U0001f600 \u0000 \x1b[31m " + "a long line of context. " * 2000


def ask_and_answer(broker: Broker, asks: int, agents: int = 5) -> None:
    """Asks of several agents, of which two thirds are settled, with drafts, snoozes, messages,
    tokens and long texts among them."""
    for agent in range(agents):
        broker.call("POST", "/v1/sessions", {"name": f"agent-{agent}", "title": f"Agent {agent}"})
        broker.call("POST", f"/v1/sessions/agent-{agent}/messages", {"text": "Carry on."})
    for number in range(asks):
        body = {"session": f"agent-{number % agents}", "key": f"k{number}",
                "context": LONG if number % 50 == 0 else "short",
                "questions": [{"question": f"Question {number}?", "header": "Q",
                               "options": [{"label": "Yes"}, {"label": "No"}]}]}
        _, ask = broker.call("POST", "/v1/asks", body)
        if number % 3 == 0:
            broker.call("POST", f"/v1/asks/{ask['id']}/answer",
                        {"answers": [{"selected": ["Yes"], "note": "because"}]})
        elif number % 3 == 1:
            broker.call("POST", f"/v1/asks/{ask['id']}/dismiss", {"reason": "no"})
        elif number % 5 == 0:
            broker.call("PUT", f"/v1/asks/{ask['id']}/draft", {"answers": [{"selected": ["No"]}]})
            broker.call("POST", f"/v1/asks/{ask['id']}/snooze", {"seconds": 3600})
    broker.call("POST", "/v1/tokens", {"name": "bot", "role": "agent"})
    broker.call("DELETE", "/v1/sessions/agent-0")


def size_of(file: Path) -> int:
    """None at all is nothing: it may go at any moment."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def first_event(broker: Broker, after: int) -> str:
    """What a reader is told first that comes back with this cursor."""
    url = urllib.request.Request(broker.ready["url"] + f"/v1/events?after={after}", headers={
        "Authorization": "Bearer " + (broker.folder / "token").read_text().strip()})
    with urllib.request.urlopen(url) as stream:
        for line in stream:
            if line.startswith(b"event: "):
                return line.decode().split()[1]
    return "nothing"


class StoreTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def sqlite(self, name: str) -> str:
        return f"sqlite:{self.folder / name}"

    def export(self, store: str, name: str) -> list[str]:
        ran = parley("store", "export", "--store", store, str(self.folder / name))
        self.assertEqual(ran.code, 0, ran.err)
        return (self.folder / name).read_text().splitlines()

    def filled(self, asks: int = 90) -> str:
        """A store that a broker has left."""
        with Broker(store=self.sqlite("old.db")) as broker:
            ask_and_answer(broker, asks)
            self.assertEqual(broker.stop(), 0)
        return self.sqlite("old.db")

    def refused(self, ran: Ended, *words: str) -> None:
        self.assertEqual(ran.code, 1, ran.err)
        for word in words:
            self.assertIn(word, ran.err)

    def interrupt_import(self, store: str, lines: list[str], how: signal.Signals) -> int:
        """Sends half of an export, and then `how`."""
        running = subprocess.Popen(
            [PROGRAM, "store", "import", "--store", store], stdin=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment({}))
        running.stdin.write(("\n".join(lines[:len(lines) // 2]) + "\n").encode())
        running.stdin.flush()
        while struct.unpack("i", ioctl(running.stdin, FIONREAD, bytes(4)))[0] > 0:
            os.sched_yield()  # until it has read what was sent, and waits for more
        running.send_signal(how)
        code = running.wait()
        running.stdin.close()
        running.stderr.close()
        return code


class WholeStores(StoreTest):
    def test_a_store_goes_to_postgres_and_back_as_it_was(self) -> None:
        old = self.filled()
        lines = self.export(old, "old.jsonl")
        self.assertEqual(json.loads(lines[-1])["asks"], 90)
        self.assertEqual(json.loads(lines[-1])["sessions"], 5)
        with Cluster() as cluster:
            imported = parley("store", "import", "--store", cluster.url, "--json",
                              str(self.folder / "old.jsonl"))
            self.assertEqual(imported.code, 0, imported.err)
            self.assertEqual(json.loads(imported.out)["asks"], 90)
            self.assertEqual(self.export(cluster.url, "postgres.jsonl"), lines)
            back = parley("store", "migrate", "--from", cluster.url, "--to", self.sqlite("new.db"))
            self.assertEqual(back.code, 0, back.err)
            self.assertEqual(parley("store", "check", "--store", cluster.url).code, 0)
        self.assertEqual(self.export(self.sqlite("new.db"), "new.jsonl"), lines)
        self.assertEqual(parley("store", "check", "--store", self.sqlite("new.db")).code, 0)

    def test_a_migrated_store_is_served_and_its_cursors_go_on(self) -> None:
        old = self.filled()
        with Broker(store=old) as broker:
            before = broker.call("GET", "/v1/asks?limit=1000")[1]
        copied = parley("store", "migrate", "--from", old, "--to", self.sqlite("new.db"))
        self.assertEqual(copied.code, 0, copied.err)
        head = json.loads(self.export(self.sqlite("new.db"), "new.jsonl")[0])["head"]
        with Broker(store=self.sqlite("new.db")) as broker:
            self.assertEqual(broker.call("GET", "/v1/asks?limit=1000")[1], before)
            again, ask = broker.call("POST", "/v1/asks", {
                "session": "agent-1", "key": "k1", "questions": [
                    {"question": "Question 1?", "header": "Q",
                     "options": [{"label": "Yes"}, {"label": "No"}]}]})
            self.assertEqual((again, ask["state"]), (200, "dismissed"))
            broker.call("POST", "/v1/asks", {"questions": [{"question": "New?"}]})
            self.assertEqual(broker.stop(), 0)
        lines = self.export(self.sqlite("new.db"), "after.jsonl")
        self.assertGreater(json.loads(lines[0])["head"], head)
        self.assertEqual(parley("store", "check", "--store", self.sqlite("new.db")).code, 0)

    def test_an_export_is_written_to_a_pipe_and_read_from_one(self) -> None:
        old = self.filled(9)
        out = parley("store", "export", "--store", old)
        self.assertEqual((out.code, out.err[:8]), (0, "Exported"))
        for line in out.out.splitlines():
            json.loads(line)
        again = parley("store", "import", "--store", self.sqlite("new.db"), stdin=out.out)
        self.assertEqual(again.code, 0, again.err)
        self.assertEqual(self.export(self.sqlite("new.db"), "new.jsonl"), out.out.splitlines())

    def test_an_import_that_ends_early_leaves_nothing(self) -> None:
        lines = self.export(self.filled(300), "old.jsonl")
        new = self.sqlite("new.db")
        self.assertEqual(self.interrupt_import(new, lines, signal.SIGINT), 130)
        self.assertFalse((self.folder / "new.db").exists())
        self.assertEqual(self.interrupt_import(new, lines, signal.SIGKILL), -signal.SIGKILL)
        whole = parley("store", "import", "--store", new, str(self.folder / "old.jsonl"))
        self.assertEqual(whole.code, 0, whole.err)
        self.assertEqual(self.export(new, "new.jsonl"), lines)

    def test_what_is_no_export_or_no_empty_store_is_refused(self) -> None:
        old = self.filled(9)
        lines = self.export(old, "old.jsonl")
        new = self.sqlite("new.db")
        self.refused(parley("store", "import", "--store", old, str(self.folder / "old.jsonl")),
                     "is not empty")
        self.refused(parley("store", "import", "--store", new, stdin="hello\n"), "no whole export")
        self.refused(parley("store", "import", "--store", new, stdin="\n".join(lines[:-1])),
                     "its end is missing")
        newer = lines[0].replace('"format":1', '"format":9')
        self.refused(parley("store", "import", "--store", new, stdin=newer), "format 9", "newer")
        self.refused(parley("store", "import", "--store", new, "nowhere.jsonl"), "nowhere.jsonl")
        self.refused(parley("store", "export", "--store", self.sqlite("nowhere.db")),
                     "there is no store")
        self.assertEqual(parley("store", "export", "--store", "memory:").code, 2)
        self.assertFalse((self.folder / "new.db").exists())

    def test_a_check_names_what_is_wrong(self) -> None:
        old = self.filled(9)
        well = parley("store", "check", "--store", old, "--json")
        self.assertEqual((well.code, json.loads(well.out)["ok"]), (0, True))
        with sqlite3.connect(self.folder / "old.db") as database:
            database.execute("UPDATE asks SET spec = '{' WHERE opened IN "
                             "(SELECT opened FROM asks ORDER BY id LIMIT 1)")
            database.execute("DELETE FROM events WHERE type = 2 AND cursor = "
                             "(SELECT max(cursor) FROM events WHERE type = 2)")
        database.close()
        ill = parley("store", "check", "--store", old)
        self.assertEqual(ill.code, 1)
        self.assertRegex(ill.err, r"damaged ask \(table asks, row que_\w+\)")
        self.assertRegex(ill.err, r"ask que_\w+: the event of its settlement is not there")
        self.assertRegex(ill.err, r"event \d+: the event before it is missing")
        self.refused(parley("store", "export", "--store", old, str(self.folder / "x")), "que_")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("x")], [])

    def test_another_programs_file_and_a_newer_format_are_refused(self) -> None:
        with sqlite3.connect(self.folder / "other.db") as database:
            database.execute("CREATE TABLE things(id)")
        database.close()
        self.refused(parley("store", "check", "--store", self.sqlite("other.db")),
                     "another program")
        old = self.filled(3)
        with sqlite3.connect(self.folder / "old.db") as database:
            database.execute("PRAGMA user_version=99")
        database.close()
        self.refused(parley("store", "export", "--store", old), "format 99", "newer version")

    def test_a_running_brokers_store_is_migrated_as_it_stands(self) -> None:
        with Broker() as broker:
            ask_and_answer(broker, 12)
            copied = parley("store", "migrate", "--from", broker.ready["store"], "--to",
                            self.sqlite("new.db"), **broker.variables)
            self.assertEqual(copied.code, 0, copied.err)
            running = parley("store", "export", "--store", broker.ready["store"],
                             **broker.variables)
            refused = parley("store", "import", "--store", broker.ready["store"],
                             stdin=running.out, **broker.variables)
            self.refused(refused, "in use")
        self.assertEqual(self.export(self.sqlite("new.db"), "new.jsonl"),
                         running.out.splitlines())


class OlderNodes(StoreTest):
    """A program that is newer than the nodes changes nothing under them."""

    def test_a_database_of_an_older_format_is_refused_and_left_alone(self) -> None:
        with Cluster() as cluster:
            imported = parley("store", "import", "--store", cluster.url,
                              stdin=parley("store", "export", "--store", self.filled(3)).out)
            self.assertEqual(imported.code, 0, imported.err)
            cluster.ask("DROP TABLE parley.marks; UPDATE parley.state SET format = 1")
            tables = "SELECT string_agg(tablename, ' ' ORDER BY 1) FROM pg_tables " \
                "WHERE schemaname = 'parley'"
            before = cluster.ask(tables)
            for words in (("check",), ("export",), ("import", "/dev/null"),
                          ("prune", "--older-than", "1d", "--dry-run"),
                          ("prune", "--older-than", "1d"),
                          ("forget", NOBODY)):
                ran = parley("store", *words, "--store", cluster.url)
                self.refused(ran, "format 1", "older", "To fix it")
            migrated = parley("store", "migrate", "--from", cluster.url, "--to",
                              self.sqlite("new.db"))
            self.refused(migrated, "format 1")
            self.assertEqual(cluster.ask("SELECT format FROM parley.state"), "1")
            self.assertEqual(cluster.ask(tables), before)

    def test_a_broker_on_postgres_says_what_to_name_instead(self) -> None:
        with Cluster() as cluster, Broker(store=cluster.url) as broker:
            for words in (("check",), ("export",), ("backup", str(self.folder / "b.db"))):
                ran = parley("--server", f"unix:{broker.socket}", "store", *words)
                self.refused(ran, "PostgreSQL", "--store postgres://")


class Backups(StoreTest):
    """Of a broker that works meanwhile."""

    def backup(self, broker: Broker, *more: str) -> Ended:
        return parley("store", "backup", str(self.folder / "backup.db"), "--store",
                      broker.ready["store"], *more, **broker.variables)

    def test_a_backup_is_made_while_asks_are_made(self) -> None:
        with Broker() as broker:
            ask_and_answer(broker, 120)
            acknowledged: list[str] = []
            is_over = threading.Event()

            def ask_on() -> None:
                while not is_over.is_set():
                    status, ask = broker.call("POST", "/v1/asks", {
                        "context": LONG, "questions": [{"question": "During the backup?"}]})
                    self.assertEqual(status, 201)
                    acknowledged.append(ask["id"])

            asking = threading.Thread(target=ask_on)
            asking.start()
            try:
                while len(acknowledged) < 5:
                    os.sched_yield()
                before = list(acknowledged)
                made = self.backup(broker, "--json")
            finally:
                is_over.set()
                asking.join()
            self.assertEqual(made.code, 0, made.err)
            self.assertEqual(json.loads(made.out)["bytes"],
                             (self.folder / "backup.db").stat().st_size)
            self.assertEqual((self.folder / "backup.db").stat().st_mode & 0o777, 0o600)
            self.assertEqual(broker.fetch("GET", "/readyz")[0], 200)
            listed = broker.call("GET", "/v1/asks?limit=1000&state=answered")[1]["asks"]
        restored = parley("store", "restore", str(self.folder / "backup.db"), "--store",
                          self.sqlite("new.db"))
        self.assertEqual(restored.code, 0, restored.err)
        with Broker(store=self.sqlite("new.db")) as broker:
            kept = {ask["id"] for ask in broker.call("GET", "/v1/asks?limit=1000")[1]["asks"]}
            self.assertEqual(set(before) - kept, set())
            self.assertEqual(
                broker.call("GET", "/v1/asks?limit=1000&state=answered")[1]["asks"], listed)

    def test_what_runs_is_checked_and_exported_too(self) -> None:
        with Broker() as broker:
            ask_and_answer(broker, 30)
            store = broker.ready["store"]
            checked = parley("store", "check", "--store", store, **broker.variables)
            self.assertEqual(checked.code, 0, checked.err)
            running = parley("store", "export", "--store", store, **broker.variables)
            self.assertEqual(running.code, 0, running.err)
            anyhow = parley("--server", f"unix:{broker.socket}", "store", "export")
            self.assertEqual(anyhow.out, running.out)
            self.assertEqual(broker.stop(), 0)
            stopped = parley("store", "export", "--store", store)
            self.assertEqual(stopped.out, running.out)
            self.assertEqual([name for name in os.listdir(broker.folder) if "copy" in name], [])

    def test_a_backup_of_a_stopped_store_is_the_same(self) -> None:
        old = self.filled(30)
        made = parley("store", "backup", str(self.folder / "backup.db"), "--store", old)
        self.assertEqual(made.code, 0, made.err)
        self.assertEqual((self.folder / "backup.db").stat().st_mode & 0o777, 0o600)
        lines = self.export(self.sqlite("backup.db"), "backup.jsonl")
        self.assertEqual(lines, self.export(old, "old.jsonl"))
        restored = parley("store", "restore", str(self.folder / "backup.db"), "--store",
                          self.sqlite("new.db"), "--json")
        self.assertEqual(restored.code, 0, restored.err)
        self.assertEqual(self.export(self.sqlite("new.db"), "new.jsonl"), lines)

    def test_another_brokers_store_is_not_taken_for_the_one_that_was_named(self) -> None:
        with Broker() as broker, Broker() as other:
            refused = parley("store", "backup", str(self.folder / "backup.db"), "--store",
                             other.ready["store"], **broker.variables)
            self.refused(refused, "another store", "--server")
            self.assertEqual(os.listdir(self.folder), [])

    def test_a_restore_replaces_nothing_unasked_and_nothing_by_a_bad_backup(self) -> None:
        old = self.filled(12)
        lines = self.export(old, "old.jsonl")
        backup = str(self.folder / "backup.db")
        self.assertEqual(parley("store", "backup", backup, "--store", old).code, 0)
        self.refused(parley("store", "restore", backup, "--store", old), "--force")
        with Broker(store=old):
            self.refused(parley("store", "restore", backup, "--store", old, "--force"), "in use")
        (self.folder / "bad.db").write_bytes(b"hello")
        self.refused(parley("store", "restore", str(self.folder / "bad.db"), "--store", old,
                            "--force"), "not a database")
        with sqlite3.connect(backup) as database:
            database.execute("UPDATE asks SET spec = '{' WHERE state = 1")
        database.close()
        self.refused(parley("store", "restore", backup, "--store", old, "--force"), "damaged")
        self.assertGreaterEqual(len(self.export(old, "again.jsonl")), len(lines))
        self.assertEqual([name for name in os.listdir(self.folder) if "restored" in name], [])

    def test_a_full_disk_is_said_and_leaves_nothing_half(self) -> None:
        old = self.filled(300)
        limited = subprocess.run(
            ["bash", "-c", 'ulimit -f 64; trap "" XFSZ; exec "$0" "$@"', PROGRAM, "store",
             "backup", str(self.folder / "backup.db"), "--store", old],
            capture_output=True, env=environment({}), check=False)
        self.assertEqual(limited.returncode, 1)
        self.assertIn("To fix it", limited.stderr.decode())
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if "backup" in name), [])
        self.assertEqual(parley("store", "check", "--store", old).code, 0)


class Pruning(StoreTest):
    def test_what_is_over_goes_from_a_running_broker(self) -> None:
        with Broker() as broker:
            ask_and_answer(broker, 300)
            store = broker.ready["store"]
            pending = broker.call("GET", "/v1/asks?limit=1000&state=pending")[1]
            dry = self.prune(broker, store, "--dry-run")
            self.assertEqual(broker.call("GET", "/v1/asks?limit=1000")[1]["asks"][0]["state"],
                             "answered")
            pruned = self.prune(broker, store)
            self.assertEqual(pruned, dry)
            self.assertGreater(pruned["asks"], 150)
            self.assertGreater(pruned["events"], 300)
            self.assertEqual(broker.call("GET", "/v1/asks?limit=1000&state=pending")[1], pending)
            self.assertLessEqual(
                len(broker.call("GET", "/v1/asks?limit=1000")[1]["asks"]),
                len(pending["asks"]) + 1)
            self.assertEqual(first_event(broker, after=1), "reset")
            self.assertEqual(broker.stop(), 0)
            checked = parley("store", "check", "--store", store)
            self.assertEqual(checked.code, 0, checked.err)

    def prune(self, broker: Broker, store: str, *more: str) -> dict:
        ran = parley("store", "prune", "--older-than", "1ms", "--store", store, "--json", *more,
                     **broker.variables)
        self.assertEqual(ran.code, 0, ran.err)
        return json.loads(ran.out)

    def test_what_went_is_said_by_its_name(self) -> None:
        old = self.filled(30)
        words = ("store", "prune", "--older-than", "1ms", "--store", old)
        gone = json.loads(parley(*words, "--dry-run", "--json").out)
        said = parley(*words)
        self.assertEqual(said.code, 0, said.err)
        self.assertEqual(said.err, f"Removed {gone['asks']} asks, {gone['messages']} message, "
                                   f"{gone['events']} events.\n")

    def test_it_goes_from_a_stopped_store_of_either_kind(self) -> None:
        old = self.filled(60)
        with Cluster() as cluster:
            copied = parley("store", "migrate", "--from", old, "--to", cluster.url)
            self.assertEqual(copied.code, 0, copied.err)
            words = ("store", "prune", "--older-than", "1ms", "--json", "--store")
            dry = parley(*words, old, "--dry-run")
            here, there = parley(*words, old), parley(*words, cluster.url)
            self.assertEqual((here.code, there.code), (0, 0), here.err + there.err)
            self.assertEqual(dry.out, here.out)
            self.assertGreater(json.loads(here.out)["asks"], 30)
            self.assertEqual(json.loads(here.out), json.loads(there.out))
            self.assertEqual(self.export(old, "here.jsonl"),
                             self.export(cluster.url, "there.jsonl"))
            self.assertEqual(parley("store", "check", "--store", cluster.url).code, 0)
        self.assertEqual(parley("store", "check", "--store", old).code, 0)

    def test_one_that_is_killed_leaves_a_store_that_is_whole(self) -> None:
        old = self.filled(600)
        running = subprocess.Popen([PROGRAM, "store", "prune", "--older-than", "1ms", "--store",
                                    old], env=environment({}), stderr=subprocess.DEVNULL)
        size = (self.folder / "old.db").stat().st_size
        while running.poll() is None and size_of(self.folder / "old.db-wal") < size // 20:
            os.sched_yield()
        running.kill()
        running.wait()
        checked = parley("store", "check", "--store", old)
        self.assertEqual(checked.code, 0, checked.err)
        rest = parley("store", "prune", "--older-than", "1ms", "--store", old)
        self.assertEqual(rest.code, 0, rest.err)

    def test_what_is_asked_wrongly_is_said(self) -> None:
        self.assertEqual(parley("store", "prune").code, 2)
        self.assertEqual(parley("store", "prune", "--older-than", "soon").code, 2)
        bad = parley("serve", "--keep-asks", "soon")
        self.assertEqual(bad.code, 2)
        self.assertIn("--keep-asks soon", bad.err)


if __name__ == "__main__":
    unittest.main()
