#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is done to nodes that share a database: clocks that are wrong, tables that are locked or
newer, a database that goes and comes back, here or elsewhere. $PARLEY_SHIFTED_CLOCK gives a node
another time of day; a build with sanitizers has none."""

import os
import subprocess
import tempfile
import threading
import unittest
from datetime import datetime, timezone

from broker_process import Broker
from nodes_test import QUESTION, read_events, readiness, wait_until
from parley_program import PATIENCE_SECONDS, PROGRAM, environment
from postgres_cluster import Cluster

SHIFTED_CLOCK = os.environ.get("PARLEY_SHIFTED_CLOCK", "")
HOUR = 3600


class HostileNodes(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = self.enterContext(Cluster())

    def enterContext(self, manager):  # of unittest only since Python 3.11
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def node(self, store: str = "", ahead: int = 0) -> Broker:
        more = {"LD_PRELOAD": SHIFTED_CLOCK, "PARLEY_TEST_AHEAD": str(ahead)} if ahead else {}
        return self.enterContext(Broker(store=store or self.cluster.url, variables=more))

    def ask(self, broker: Broker, **more) -> dict:
        status, ask = broker.call("POST", "/v1/asks", QUESTION | more)
        self.assertEqual(status, 201, ask)
        return ask

    def answer(self, broker: Broker, ask: dict) -> tuple[int, dict]:
        return broker.call("POST", f"/v1/asks/{ask['id']}/answer",
                           {"answers": [{"selected": ["Tea"]}]})

    @unittest.skipUnless(SHIFTED_CLOCK, "no other clock in this build")
    def test_a_clock_that_is_an_hour_off_ends_nothing_early_and_nothing_late(self) -> None:
        right = self.node()
        patient = self.ask(right, timeout_seconds=HOUR // 2)
        # They load what waits, and judge it by the database's time, not by their own.
        nodes = [self.node(ahead=HOUR), self.node(ahead=-HOUR), right]
        asks = []
        for turn in range(9):
            asks.append(self.ask(nodes[turn % 3]))
            # Clocks that agree may differ by some milliseconds; what was heard of comes before.
            for node in nodes:
                node.pending(turn + 2)
        self.assertEqual([ask["id"] for ask in asks], sorted(ask["id"] for ask in asks))
        now = datetime.now(timezone.utc)
        for ask in asks:
            made = datetime.fromisoformat(ask["created_at"].replace("Z", "+00:00"))
            self.assertLess(abs((now - made).total_seconds()), 600)
        for node in nodes:
            self.assertEqual(node.call("GET", f"/v1/asks/{patient['id']}")[1]["state"], "pending")
        # What was asked where it is late is over in time, whoever is left to say so.
        brief = self.ask(nodes[1], timeout_seconds=1)
        for node in nodes:
            node.kill()
        nodes[0].start()
        wait_until(lambda: nodes[0].call("GET", f"/v1/asks/{brief['id']}")[1]["state"] ==
                   "timed_out")
        self.assertEqual(nodes[0].call("GET", f"/v1/asks/{patient['id']}")[1]["state"], "pending")

    def test_a_full_disk_is_told_until_there_is_room(self) -> None:
        one, two = self.node(), self.node()
        settled = self.ask(one)
        self.assertEqual(self.answer(one, settled)[0], 200)
        waiting = self.ask(one)
        wait_until(lambda: two.call("GET", f"/v1/asks/{waiting['id']}")[0] == 200)
        # The server says so as it does when its disk is full. What is there can be read.
        self.cluster.ask("CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "
                         "RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not extend "
                         "file: No space left on device'; END$$; CREATE TRIGGER full_disk BEFORE "
                         "INSERT ON parley.events EXECUTE FUNCTION fill()")
        self.assertEqual(one.call("POST", "/v1/asks", QUESTION)[0], 503)
        for _ in range(20):
            status, told = readiness(one)
            self.assertEqual(status, 503)
            self.assertIn("No space left", told)
            self.assertEqual(one.call("GET", f"/v1/asks/{waiting['id']}")[1]["state"], "pending")
            self.assertEqual(self.answer(one, waiting)[0], 503)
            # No node remembers it: the store is asked.
            status, page = one.call("GET", "/v1/asks?state=answered")
            self.assertEqual((status, [ask["id"] for ask in page["asks"]]), (200, [settled["id"]]))
        self.cluster.ask("DROP TRIGGER full_disk ON parley.events")
        wait_until(lambda: readiness(one)[0] == 200)
        self.assertEqual(self.answer(one, waiting)[0], 200)
        wait_until(lambda: two.call("GET", f"/v1/asks/{waiting['id']}")[1]["state"] == "answered")

    def test_an_administrators_lock_only_delays(self) -> None:
        one, two = self.node(), self.node()
        ask = self.ask(one)
        holder = subprocess.Popen(
            ["/usr/lib/postgresql/15/bin/psql", "-XAtq", self.cluster.url], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment({}))
        holder.stdin.write("BEGIN; LOCK TABLE parley.asks; SELECT 'locked';\n")
        holder.stdin.flush()
        self.assertEqual(holder.stdout.readline().strip(), "locked")
        answers: list = []
        workers = [threading.Thread(target=lambda: answers.append(self.answer(two, ask)[0])),
                   threading.Thread(target=lambda: answers.append(
                       one.call("POST", "/v1/asks", QUESTION)[0]))]
        for worker in workers:
            worker.start()
        wait_until(lambda: int(self.cluster.ask(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")) >= 2)
        self.assertEqual(answers, [])
        self.assertEqual(readiness(one)[0], 200)
        holder.stdin.close()  # ends the session, and its transaction
        for worker in workers:
            worker.join()
        self.assertEqual(sorted(answers), [200, 201])
        holder.wait()
        holder.stdout.close()

    def test_a_newer_format_is_refused_by_name_at_start_and_by_nodes_that_run(self) -> None:
        node = self.node()
        ask = self.ask(node)
        self.cluster.ask("UPDATE parley.state SET format = format + 1000")
        self.assertEqual(self.answer(node, ask)[0], 503)
        wait_until(lambda: readiness(node)[0] == 503)
        self.assertIn("format 1002", readiness(node)[1])
        ended = subprocess.run([PROGRAM, "serve", "--store", self.cluster.url, "--listen",
                                "127.0.0.1:0", "--socket", f"{node.folder}/other.sock",
                                "--token-file", f"{node.folder}/other"], env=environment({}),
                               capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn("the store has format 1002", ended.stderr)
        self.assertIn("newer version of Parley", ended.stderr)
        self.cluster.ask("UPDATE parley.state SET format = format - 1000")
        wait_until(lambda: readiness(node)[0] == 200)
        self.assertEqual(self.answer(node, ask)[0], 200)

    def test_a_bad_address_is_told_at_once_with_its_remedy(self) -> None:
        home = self.enterContext(tempfile.TemporaryDirectory())
        for url, fault, remedy in (
                ("postgres://parley@host:port/db", "cannot be read", "write postgres://"),
                ("postgres://parley@no-such-host.invalid/db", "could not translate host name",
                 "spelled right"),
                (self.cluster.url.replace("/postgres?", "/nothing?"), "does not exist",
                 "createdb"),
                (self.cluster.url.replace("//parley@", "//nobody@"), "does not exist",
                 "name a user")):
            ended = subprocess.run([PROGRAM, "serve", "--store", url, "--listen", "127.0.0.1:0"],
                                   env=environment({"HOME": home, "XDG_RUNTIME_DIR": home}),
                                   capture_output=True, text=True,
                                   timeout=PATIENCE_SECONDS)
            self.assertNotEqual(ended.returncode, 0, url)
            self.assertIn(fault, ended.stderr)
            self.assertIn(remedy, ended.stderr)

    def test_askers_and_subscribers_outlast_the_database_and_its_primary(self) -> None:
        standby = self.enterContext(self.cluster.make_standby())
        url = Cluster.url_of(self.cluster, standby)
        one, two = self.node(url), self.node(url)
        first = read_events(two, 1)[0]["id"]
        ask = self.ask(one)
        waited: list = []
        waiter = threading.Thread(target=lambda: waited.append(
            one.call("GET", f"/v1/asks/{ask['id']}?wait=60")))
        waiter.start()
        told: list = []
        follower = threading.Thread(target=lambda: told.extend(read_events(two, 3, first)))
        follower.start()
        self.cluster.kill()
        for node in (one, two):
            wait_until(lambda: readiness(node)[0] == 503)
            self.assertIn("the database postgres on", readiness(node)[1])
            self.assertEqual(node.call("POST", "/v1/asks", QUESTION)[0], 503)
        self.assertTrue(waiter.is_alive())
        standby.promote()
        for node in (one, two):
            wait_until(lambda: readiness(node)[0] == 200)
        self.assertEqual(self.answer(two, ask)[0], 200)
        waiter.join()
        self.assertEqual(waited[0][1]["state"], "answered")
        follower.join()
        self.assertEqual([event["event"] for event in told],
                         ["session.created", "ask.opened", "ask.settled"])


if __name__ == "__main__":
    unittest.main()
