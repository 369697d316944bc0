#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Parley costs between an agent of the Agent Client Protocol and those who watch or edit: the
processor's time of each word that an agent streams, through `parley run acp` and the broker to
one who watches by Server-Sent Events; and what `parley acp-proxy` adds to a tool call that needs
nobody. Both beside `node -e 0` of the same run.

    PARLEY_PROGRAM=build/release/parley bench/acp_agent.py [WORDS]
"""

import http.client
import json
import resource
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "app"), str(ROOT / "bench/support")]
from broker_process import Broker  # noqa: E402
from figures import record  # noqa: E402
from parley_program import PATIENCE_SECONDS, PROGRAM, environment  # noqa: E402

NODE = str(ROOT / "tests/node/node_modules/.bin/node")
WORDS = 4000
WORDS_A_SECOND = 500  # faster than models speak, and slow enough that few are told together
CALLS = 400
ROUNDS = 5


def agent_command(words: int) -> list[str]:
    return [sys.executable, str(ROOT / "bench/support/streaming_agent.py"), str(words),
            str(WORDS_A_SECOND)]


def used(pid: int) -> float:
    """Seconds of the processor that a process has had, in all its threads."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def node_once() -> tuple[float, float]:
    """The time and the processor's time of `node -e 0`."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([NODE, "-e", "0"], check=True)
    took, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Watcher(threading.Thread):
    """A browser in the session: counts what it is told."""

    def __init__(self, broker: Broker, session: str) -> None:
        super().__init__(daemon=True)
        address = urlsplit(broker.ready["url"])
        self.told = 0
        self.is_begun = threading.Event()
        self.is_over = threading.Event()
        self._connection = http.client.HTTPConnection(address.hostname, address.port,
                                                      timeout=PATIENCE_SECONDS * 3)
        token = (broker.folder / "token").read_text().strip()
        self._connection.request("GET", f"/v1/events?session={session}",
                                 headers={"Authorization": f"Bearer {token}"})
        self._stream = self._connection.getresponse()

    def run(self) -> None:
        for line in self._stream:
            self.told += b'"text-delta"' in line
            if b" names this session " in line:
                self.is_begun.set()
            if b'"finish"' in line:
                self.is_over.set()
                return


def stream(broker: Broker, words: int) -> tuple[float, float, int]:
    """Seconds of the driver's and the broker's processor for one turn, and the deltas told."""
    session = f"words-{time.monotonic_ns()}"
    broker.call("POST", "/v1/sessions", {"name": session})
    watcher = Watcher(broker, session)
    watcher.start()
    run = subprocess.Popen(
        [PROGRAM, "run", "acp", "--session", session, "--json", "--", *agent_command(words)],
        env=environment(broker.variables), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    # Without a prompt it waits; its start is not what is measured.
    if not watcher.is_begun.wait(PATIENCE_SECONDS):
        raise SystemExit("the agent did not begin")
    before = used(run.pid), used(broker.pid)
    broker.call("POST", f"/v1/sessions/{session}/messages", {"text": "go"})
    if not watcher.is_over.wait(words / WORDS_A_SECOND + PATIENCE_SECONDS):
        raise SystemExit("the turn did not end")
    after = used(run.pid), used(broker.pid)
    run.terminate()
    run.wait()
    return after[0] - before[0], after[1] - before[1], watcher.told


class Editor:
    def __init__(self, command: list[str], variables: dict[str, str]) -> None:
        self._agent = subprocess.Popen(command, env=environment(variables), text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._id = 0

    def call(self) -> float:
        """One turn with one tool call: how long it took."""
        self._id += 1
        begun = time.perf_counter()
        line = {"jsonrpc": "2.0", "id": self._id, "method": "session/prompt",
                "params": {"sessionId": "s"}}
        self._agent.stdin.write(json.dumps(line) + "\n")
        self._agent.stdin.flush()
        while json.loads(self._agent.stdout.readline()).get("id") != self._id:
            pass
        return time.perf_counter() - begun

    def close(self) -> None:
        self._agent.stdin.close()
        self._agent.stdout.close()
        self._agent.wait()


def report_stream(words: int) -> None:
    rounds, nodes = [], []
    with Broker() as broker:
        for _ in range(ROUNDS):
            nodes.append(node_once()[1])
            rounds.append(stream(broker, words))
    driver = statistics.median(each[0] for each in rounds) / words * 1e6
    server = statistics.median(each[1] for each in rounds) / words * 1e6
    node = statistics.median(nodes) * 1e6
    print(f"a word from the agent to one who watches: {driver + server:.0f} µs of the processor "
          f"(run acp {driver:.0f}, broker {server:.0f}); {rounds[-1][2]} of {words} told apart; "
          f"node -e 0: {node / 1000:.0f} ms, as {node / (driver + server):.0f} words")
    record("a streamed word to one who watches, processor", "µs",
           [(each[0] + each[1]) / words * 1e6 for each in rounds])


def report_proxy() -> None:
    with Broker() as broker:
        bare = Editor(agent_command(0), broker.variables)
        proxied = Editor([PROGRAM, "acp-proxy", "--", *agent_command(0)], broker.variables)
        times: dict[str, list[float]] = {"bare": [], "proxied": [], "node": []}
        for number in range(CALLS):
            times["bare"].append(bare.call())
            times["proxied"].append(proxied.call())
            if number % 20 == 0:
                times["node"].append(node_once()[0])
        bare.close()
        proxied.close()
    median = {name: statistics.median(each) * 1e6 for name, each in times.items()}
    added = median["proxied"] - median["bare"]
    print(f"a tool call that needs nobody: {median['bare']:.0f} µs without, "
          f"{median['proxied']:.0f} µs with acp-proxy, which adds {added:.0f} µs; node -e 0: "
          f"{median['node'] / 1000:.0f} ms, {median['node'] / max(added, 1):.0f} times that")
    record("what acp-proxy adds to a tool call that needs nobody", "µs", [added])


def main() -> None:
    report_stream(int(sys.argv[1]) if len(sys.argv) > 1 else WORDS)
    report_proxy()


if __name__ == "__main__":
    main()
