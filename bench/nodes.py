#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Brokers that share a PostgreSQL: asked at one, answered at another, released at the first; beside
the same statements in groups of the same size by libpq alone, beside a broker with SQLite, and
beside Restate where npm has it. The server, its clients and the load share the machine, so what
counts is processor time.
Usage: nodes.py [SECONDS for each measurement]"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/app"), str(ROOT / "bench/support")]
from figures import PARLEY, record  # noqa: E402
from postgres_cluster import Cluster  # noqa: E402

PROGRAM = os.environ["PARLEY_PROGRAM"]
LOADS = str(Path(PROGRAM).parent / "benchmarks/nodes_bench")
SECONDS = sys.argv[1] if len(sys.argv) > 1 else "2"
REPEATS = 3
TICKS = os.sysconf("SC_CLK_TCK")
MILLION = 1_000_000
# A database of its own: its rows lack what nodes fold, and no node shall read them.
BARE = "bare"
RESTATE = "bench/nodes_restate"


def cpu_of(pid: int) -> float:
    """Of a process and those of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[at]) for at in (11, 12, 13, 14)) / TICKS


def cpu_of_server(cluster: Cluster) -> float:
    """Its own and that of who serves a connection; one that ends meanwhile is its own from then."""
    children = Path(f"/proc/{cluster.pid}/task/{cluster.pid}/children").read_text().split()
    total = cpu_of(cluster.pid)
    for child in children:
        with suppress(FileNotFoundError, ProcessLookupError):
            total += cpu_of(int(child))
    return total


class Node:
    def __init__(self, folder: str, store: str, name: str):
        begin = time.monotonic()
        self._process = subprocess.Popen(
            [PROGRAM, "serve", "--json", "--listen", "127.0.0.1:0", "--store", store, "--socket",
             f"{folder}/{name}.sock", "--token-file", f"{folder}/token"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        ready = json.loads(self._process.stdout.readline())
        self.ready_seconds = time.monotonic() - begin
        self.url = ready["url"]
        self.port = self.url.rpartition(":")[2].strip("/")
        self.token = Path(f"{folder}/token").read_text().strip()

    def __enter__(self) -> "Node":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    @property
    def cpu(self) -> float:
        return cpu_of(self._process.pid)

    @property
    def memory_mib(self) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def commits(self) -> tuple[float, float]:
        """Transactions, and changes in them."""
        request = urllib.request.Request(self.url + "/metrics",
                                         headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request) as response:
            text = response.read().decode()
        return tuple(float(re.search(rf"^parley_store_{name}_total (\S+)", text, re.M)[1])
                     for name in ("commits", "changes"))


def load(*words: str) -> dict:
    return json.loads(subprocess.run([LOADS, *words], check=True, capture_output=True,
                                     text=True).stdout)


def measure(nodes: list[Node], sessions: int, cluster: Cluster | None = None) -> dict:
    """What a round costs, in microseconds, and how large the groups were."""
    words = ("rounds", SECONDS, str(sessions), nodes[0].token, *(node.port for node in nodes))
    load("rounds", "1", *words[2:])
    before = [node.cpu for node in nodes], [node.commits() for node in nodes]
    server = cpu_of_server(cluster) if cluster else 0.0
    figures = load(*words)
    rounds = figures["rounds"]
    figures["nodes_us"] = sum(node.cpu - cpu for node, cpu in zip(nodes, before[0])) / rounds * 1e6
    figures["server_us"] = ((cpu_of_server(cluster) - server) if cluster else 0.0) / rounds * 1e6
    done = [tuple(now - then for now, then in zip(node.commits(), commits))
            for node, commits in zip(nodes, before[1])]
    figures["group"] = sum(changes for _, changes in done) / sum(commits for commits, _ in done)
    return figures


def measure_bare(cluster: Cluster, group: float) -> dict:
    server = cpu_of_server(cluster)
    figures = load("bare", SECONDS, str(max(1, round(group))), cluster.url_in(BARE))
    rounds = figures["rounds"]
    figures["server_us"] = (cpu_of_server(cluster) - server) / rounds * 1e6
    figures["client_us"] = figures["cpu"] / rounds * 1e6
    return figures


def measure_restate(sessions: int) -> dict | str:
    """What another durable engine does, one server of it (bench/nodes_restate), or why not."""
    node = "tests/node/node_modules/.bin/node"
    try:
        subprocess.run(["tools/npm.sh", "tests/node", RESTATE], check=True, capture_output=True,
                       cwd=ROOT)
        out = subprocess.run([node, f"{RESTATE}/rounds.mjs", SECONDS, str(sessions)], check=True,
                             capture_output=True, text=True, cwd=ROOT).stdout
        return json.loads(out)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"not measured here: {error}"


def compare_once(nodes: list[Node], sqlite: Node, sessions: int,
                 cluster: Cluster) -> tuple[dict, dict, dict]:
    ours = measure(nodes, sessions, cluster)
    return ours, measure_bare(cluster, ours["group"]), measure([sqlite], sessions)


def medians(run: Callable[[], tuple[dict, dict, dict]], sessions: int) -> list[dict]:
    """Of each figure, over repeated runs."""
    runs = [run() for _ in range(REPEATS)]
    what = f"a round on PostgreSQL, {sessions} at once, processor with the server"
    record(what, "µs", [ours["nodes_us"] + ours["server_us"] for ours, _, _ in runs])
    record(what, "µs", [bare["client_us"] + bare["server_us"] for _, bare, _ in runs],
           "libpq alone, groups of the same size")
    nodes = f"a round on two nodes, {sessions} at once, processor of the nodes"
    record(nodes, "µs", [ours["nodes_us"] for ours, _, _ in runs])
    record(nodes, "µs", [one["nodes_us"] for _, _, one in runs], "Parley with SQLite, one node")
    return [{name: statistics.median(each[name] for each in side) for name in side[0]}
            for side in zip(*runs)]


def compare_restate(sqlite: Node, sessions: int) -> None:
    """Each one server with its own storage."""
    theirs, ours = [], []
    for _ in range(REPEATS):
        figures = measure_restate(sessions)
        if isinstance(figures, str):
            print(f"    Restate: {figures}", flush=True)
            return
        theirs.append(figures)
        ours.append(measure([sqlite], sessions))
    what = f"a durable round, {sessions} at once"
    for who, runs, cpu in ((PARLEY, ours, "nodes_us"), ("Restate", theirs, "cpu_us")):
        record(what, "rounds/s", [run["rate"] for run in runs], who)
        record(f"{what}, processor of the server", "µs", [run[cpu] for run in runs], who)
        print(f"    {who}, one server: {statistics.median(run['rate'] for run in runs):.0f} "
              f"rounds/s, CPU {statistics.median(run[cpu] for run in runs):.0f} us a round",
              flush=True)


def compare(folder: str, cluster: Cluster) -> None:
    with ExitStack() as stack:
        nodes = [stack.enter_context(Node(folder, cluster.url, f"node{at}")) for at in range(2)]
        sqlite = stack.enter_context(Node(folder, f"sqlite:{folder}/one.db", "one"))
        for sessions in (1, 64, 256):
            ours, bare, one = medians(
                lambda: compare_once(nodes, sqlite, sessions, cluster), sessions)
            both = ours["nodes_us"] + ours["server_us"]
            plain = bare["client_us"] + bare["server_us"]
            print(f"{sessions:>3} at once: {ours['rate']:.0f} rounds/s, round p50 "
                  f"{ours['p50_ms']:.2f} ms, {ours['group']:.1f} changes a commit\n"
                  f"    CPU of a round: {both:.0f} us (server {ours['server_us']:.0f}, nodes "
                  f"{ours['nodes_us']:.0f}); libpq alone {plain:.0f} us (server "
                  f"{bare['server_us']:.0f}, client {bare['client_us']:.0f}): "
                  f"{both / plain:.2f} x, the server alone "
                  f"{ours['server_us'] / bare['server_us']:.2f} x\n"
                  f"    nodes beside the broker with SQLite: {ours['nodes_us']:.0f} and "
                  f"{one['nodes_us']:.0f} us: {ours['nodes_us'] / one['nodes_us']:.2f} x "
                  f"({one['rate']:.0f} rounds/s there)", flush=True)
            if sessions == 64:
                compare_restate(sqlite, sessions)
            if sessions == 1:
                limit = 2 * bare["commit_p50_ms"] + 2
                print(f"    from the answer at B to the asker at A: p50 "
                      f"{ours['released_p50_ms']:.2f} ms; a commit takes "
                      f"{bare['commit_p50_ms']:.2f} ms, two of them and 2 ms {limit:.2f} ms",
                      flush=True)


def compare_counts(folder: str, cluster: Cluster) -> None:
    for sessions in (64, 256):
        compare_counts_at(sessions, folder, cluster)


def compare_counts_at(sessions: int, folder: str, cluster: Cluster) -> None:
    """The same load on one node and on three, by turns: what is in the tables, and the server's
    tidying of it, must not count for one of them alone."""
    counts = (1, 3)
    runs: dict[int, list[dict]] = {count: [] for count in counts}
    for _ in range(REPEATS):
        for count in counts:
            with ExitStack() as stack:
                nodes = [stack.enter_context(Node(folder, cluster.url, f"of{count}-{at}"))
                         for at in range(count)]
                runs[count].append(measure(nodes, sessions, cluster))
    for count in counts:
        median = {name: statistics.median(run[name] for run in runs[count])
                  for name in ("rate", "server_us", "nodes_us", "group")}
        print(f"{count} node{'s' if count > 1 else ''}, {sessions} at once: "
              f"{median['rate']:.0f} rounds/s, CPU of a round: server "
              f"{median['server_us']:.0f} us, nodes {median['nodes_us']:.0f} us, "
              f"{median['group']:.1f} changes a commit", flush=True)
    ratios = [three["server_us"] / one["server_us"] for one, three in zip(*runs.values())]
    print(f"    three beside one: {statistics.median(ratios):.2f} x", flush=True)
    record(f"a round on three nodes, {sessions} at once, processor of the server", "× one node",
           ratios)


def measure_many(folder: str, cluster: Cluster) -> None:
    """Asks that wait, put there by the database itself as copies of one."""
    with Node(folder, cluster.url, "first") as node:
        request = urllib.request.Request(
            node.url + "/v1/asks", method="POST",
            data=json.dumps({"question": "Which drink?", "options": ["Tea", "Coffee"]}).encode(),
            headers={"Authorization": f"Bearer {node.token}", "Content-Type": "application/json"})
        urllib.request.urlopen(request).close()
    cluster.ask("INSERT INTO parley.asks(id, session, state, created_ms, asker, spec) "
                "SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, session, "
                "0, created_ms, asker, spec FROM generate_series(1, "
                f"{MILLION}) n, (SELECT * FROM parley.asks WHERE state = 0 LIMIT 1) a")
    with Node(folder, cluster.url, "second") as node:
        print(f"{MILLION:,} asks that wait: ready in {node.ready_seconds:.1f} s, "
              f"{node.memory_mib:.0f} MiB")
        record(f"start on PostgreSQL with {MILLION} asks that wait", "s", [node.ready_seconds])


def main() -> None:
    for part in (compare, compare_counts, measure_many):
        with tempfile.TemporaryDirectory() as folder, Cluster() as cluster:
            cluster.ask(f"CREATE DATABASE {BARE}")
            part(folder, cluster)


if __name__ == "__main__":
    main()
