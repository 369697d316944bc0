# SPDX-License-Identifier: Apache-2.0
"""Which benchmarks are published, with which settings, and what the page says before their
figures."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Growth:
    what: str  # as bench/growth.py names it
    title: str
    across: str
    cost: str
    says: str
    is_for_each: bool = False  # whether the table also shares the cost out


@dataclass(frozen=True)
class Benchmark:
    name: str
    title: str
    says: str
    program: str = ""  # of the build; without one it is a script of bench/
    words: tuple[str, ...] = ()
    quick_words: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()  # folders whose packages it needs
    growths: tuple[Growth, ...] = ()


_GROWTHS = (
    Growth("rounds in flight", "A round, with others in flight", "rounds in flight",
           "broker's CPU, µs a round",
           "Each round is in a session of its own, with a stream of its events. The bare server "
           "is one as Beast's documentation builds it, which answers two requests and stores "
           "nothing."),
    Growth("asks that wait", "A round, while other asks wait", "asks that wait",
           "broker's CPU, µs a round",
           "Each size is a store of its own, filled once by `parley store import`; 16 rounds in "
           "flight."),
    Growth("sessions", "A round, with more sessions open", "sessions, each with a stream",
           "broker's CPU, µs a round", "One round at a time, in each session in turn."),
    Growth("subscribers", "One event, to all who watch", "subscribers",
           "broker's CPU, µs an event",
           "A word that an agent says, stored and then sent to every stream of Server-Sent "
           "Events of its session.",
           is_for_each=True),
)

BENCHMARKS = (
    Benchmark("starts", "What is started again and again",
              "The same question on a terminal of its own, to the first picture that shows its "
              "last option; and the hook of Claude Code for a call of `Read`, about which nobody "
              "is asked, with a broker running.",
              words=("25",), quick_words=("5",), npm=("tests/node", "bench/prompts")),
    Benchmark("growth", "How cost grows",
              "The broker's own processor time, from `/proc`, so that what the load or other "
              "programs do is not counted. Dots are medians, the bars through them reach from the "
              "least to the most.",
              quick_words=("--seconds", "0.3", "--repeats", "3", "--most", "10000"),
              growths=_GROWTHS),
    Benchmark("serve", "Whole rounds over HTTP",
              "Ask, told by an event, answered, woken, against `parley serve` on one core with "
              "every answer on disk. The bare server answers as many requests of the same size on "
              "the same core, and does nothing else: it is the floor for this stack. Two "
              "requests: the asker waits by the request that asks; three: by another.",
              program="serve_bench", words=("1",), quick_words=("0.3", "1000")),
    Benchmark("trpc", "tRPC",
              "Ask, told, answered, woken by tRPC's clients. The reference server is "
              "`@trpc/server` with the same procedures, which keeps asks in memory; Parley writes "
              "each to disk first. Bare sockets pass the same frames and know nothing of them.",
              npm=("tests/node", "bench/trpc")),
    Benchmark("opencode", "OpenCode's clients",
              "A client reads the events, lists what is pending, and replies. `opencode serve` "
              "also runs the agents that ask, over a model of ours that only ever asks: its "
              "figures hold that work, Parley's do not.",
              npm=("tests/node", "bench/opencode")),
    Benchmark("nodes", "Several nodes on PostgreSQL, and Restate",
              "Asked at one node, answered at the other. Beside it: the same statements in groups "
              "of the same size by libpq alone. Restate is one server with its own storage, "
              "where a handler waits for an awakeable that another call resolves; its handlers "
              "run outside the server and are not counted, as askers are not.",
              words=("2",), quick_words=("1",), npm=("tests/node", "bench/nodes_restate")),
    Benchmark("rounds", "Rounds inside one process",
              "The broker as a library, without HTTP, beside the same rows written by SQLite "
              "alone. In memory nothing is kept: that row says what a disk costs, not who is "
              "better.",
              program="rounds_bench", quick_words=("--rounds", "3", "--pending", "100000")),
    Benchmark("store", "The store",
              "Changes through the store with its two threads, beside the same rows through "
              "SQLite's own interface.",
              program="store_bench", words=("--pending", "100000"),
              quick_words=("--rounds", "3", "--events", "100000")),
    Benchmark("net", "The network layer",
              "Requests on one core at 64 connections, beside a server as Beast's documentation "
              "builds one. Parley's also routes and keeps its limits.",
              program="net_bench", words=("0.5",), quick_words=("0.2", "1000")),
    Benchmark("text", "Text",
              "Reading and writing documents, beside Boost.JSON where it does the same.",
              program="text_bench",
              words=("--benchmark_repetitions=5", "--benchmark_min_time=0.1"),
              quick_words=("--benchmark_repetitions=3", "--benchmark_min_time=0.05")),
    Benchmark("terminal", "The terminal", "From a key to the bytes of the next picture.",
              program="terminal_bench"),
    Benchmark("inbox_start", "The inbox",
              "The processor time of `parley inbox` until all that waits is shown.",
              quick_words=("1000",)),
    Benchmark("acp_agent", "Agents of the Agent Client Protocol",
              "Through `parley run acp` and the broker to one who watches; and what the proxy "
              "adds.",
              words=("1000",), quick_words=("500",), npm=("tests/node",)),
    Benchmark("page", "The page",
              "In Chromium, beside an empty document in the same browser: its figure is the "
              "machine's own share.",
              npm=("tests/node", "bench/page")),
)
