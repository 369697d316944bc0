# SPDX-License-Identifier: Apache-2.0
"""One run: a broker, its workers, its nemesis, an orderly end; the history of it."""

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from agents import Ender, Pusher, Taker
from asking import Asker
from database import Database
from final_state import read_asks, read_final
from nemesis import LONG_SECONDS, Nemesis
from node import CommandNode, LocalNode
from people import Answerer, Drafter, Snoozer, Speaker, settle_the_rest
from record import History, Recorder, Scope
from subscribers import (ChatObserver, ChatSeat, Joiner, NativeSubscriber, OpenCodeSubscriber,
                         Subscriber, TrpcSubscriber, mark_the_end)
from tokens import TokenKeeper
from watch import watch
from wire import StayingWire, Wire
from world import World

SESSIONS = {"talk": "agent-1", "desk": "agent-1", "seat": "agent-2", "left": "agent-2"}
PERSONS = ["anna", "ben"]
TELL_SECONDS = 60
END_SECONDS = 120  # until every subscriber has caught up
LAG_SECONDS = 5.0  # within which a node has heard of what was written at another


@dataclass
class Settings:
    program: str
    seed: int
    seconds: float = 20.0
    kills: int = 0  # at least so many, however long it takes
    nodes: int = 1
    store: str = ""
    control: str = ""  # a command that has the broker in hand, where it is not ours
    address: str = ""
    token: str = ""
    pause_seconds: tuple[float, float] = (0.3, 0.8)
    pace: float = 1.0
    postgres: bool = False  # a database of their own, for the nemesis too
    agents: int = 0  # more than there are anyway
    people: int = 0
    clock: str = ""  # a library that gives a broker the time of day that is wanted


class Run:
    def __init__(self, settings: Settings, folder: Path):
        self.settings, self.folder = settings, folder
        self.recorder = Recorder()
        self.recorder.history.lag = LAG_SECONDS if settings.nodes > 1 else 0.0
        self.database = Database() if settings.postgres else None
        self.nodes = list(self._make_nodes())
        self._next_node = 0
        self.world = World(settings.seed, Wire(self._place, self.recorder.fault), self.recorder,
                           settings.pace)
        self.subscribers: list[Subscriber] = []

    def _make_nodes(self):
        if self.settings.control:
            for address in self.settings.address.split(","):
                host, _, port = address.rpartition(":")
                yield CommandNode([self.settings.control, address], (host, int(port)))
            return
        store = self.settings.store or f"sqlite:{self.folder}/parley.db"
        if self.database:
            store = self.database.url
        for number in range(self.settings.nodes):
            yield LocalNode(self.settings.program, self.folder, store, f"node{number}",
                            self.settings.clock)

    def _place(self) -> tuple[str, int]:
        """Every call goes to the next node."""
        self._next_node = (self._next_node + 1) % len(self.nodes)
        return self.nodes[self._next_node].address

    def _staying(self, number: int) -> World:
        """For those whose work is of one node, as docs/scaling.md says, or who would be told at
        another what it has not heard of yet."""
        places = [node.address for node in self.nodes]
        return self.world.staying(StayingWire(places, number, self.recorder.fault))

    async def run(self) -> History:
        for node in self.nodes:
            await node.start()
        await self._prepare()
        following = self._follow()
        work = self._work()
        begin = time.monotonic()

        def is_over(kills: int) -> bool:
            return (time.monotonic() - begin >= self.settings.seconds and
                    kills >= self.settings.kills)

        nemesis = Nemesis(self.nodes, f"{self.settings.seed}/nemesis", self.recorder,
                          pause_seconds=self.settings.pause_seconds, database=self.database,
                          has_clock=bool(self.settings.clock),
                          is_long=self.settings.seconds >= LONG_SECONDS)
        haunting = asyncio.create_task(nemesis.haunt(is_over))
        telling = asyncio.create_task(self._tell())
        watching = asyncio.create_task(watch(
            [node for node in self.nodes if isinstance(node, LocalNode)], self.recorder.history))
        # A worker that ends before its time has a fault of its own.
        await asyncio.wait([haunting, *work, *following], return_when=asyncio.FIRST_COMPLETED)
        self.world.is_stopping = True
        await haunting
        telling.cancel()
        await self._end(work)
        watching.cancel()
        for task in following:
            task.cancel()
        for result in await asyncio.gather(*work, *following, return_exceptions=True):
            if isinstance(result, Exception):
                self.recorder.fault(f"a worker ended with {result!r}")
        self._count(time.monotonic() - begin)
        for node in self.nodes:
            await node.kill()
        return self.recorder.history

    async def _tell(self) -> None:
        """How far it is, for those who wait."""
        while True:
            await asyncio.sleep(TELL_SECONDS)
            history = self.recorder.history
            print(f"{history.counts.get('kills', 0)} kills, {len(history.operations)} operations, "
                  f"{len(history.sightings)} events told, {len(history.faults)} faults", flush=True)

    async def _prepare(self) -> None:
        self.world.tokens["owner"] = (self.settings.token or
                                      (self.folder / "token").read_text().strip())
        for name, role in (("agent-1", "agent"), ("agent-2", "agent"), ("anna", "responder"),
                           ("ben", "responder")):
            reply = await self.world.insist("POST", "/v1/tokens", "owner",
                                            {"name": name, "role": role})
            self.world.tokens[name] = reply.body["token"]
        for session, who in SESSIONS.items():
            await self.world.insist("POST", "/v1/sessions", who, {"name": session})
        for number in range(3):  # which nobody decides: at the end they wait still
            text = f"left alone {number}"
            operation = self.recorder.begin("closer", "native", "ask", text=text, key=text,
                                            session="left", timeout=0, default="")
            reply = await self.world.insist("POST", "/v1/asks", "agent-2", {
                "session": "left", "key": text, "question": text})
            self.recorder.end(operation, "ok", id=reply.body["id"])

    def _follow(self) -> list[asyncio.Task]:
        lead = NativeSubscriber(self.world, "native lead", "owner", Scope("native"))
        lead.leads = True
        slow = NativeSubscriber(self.world, "native slow", "ben", Scope("native"))
        slow.is_slow = True
        self.subscribers = [
            lead, slow,
            NativeSubscriber(self.world, "native cut", "anna", Scope("native"), cuts=True),
            OpenCodeSubscriber(self.world, "opencode", "ben", Scope("opencode")),
            TrpcSubscriber(self.world, "trpc", "anna", Scope("trpc", "talk"), cuts=True),
            ChatObserver(self.world, "chat observer", "ben",
                         Scope("chat", "talk", shows_openings=False)),
            ChatSeat(self.world, "chat seat", "anna", Scope("chat", "seat", shows_openings=False))]
        return [asyncio.create_task(one.work()) for one in self.subscribers]

    def _work(self) -> list[asyncio.Task]:
        world = self.world
        workers = [Asker(world, "asker-1", "agent-1", "talk"),
                   Asker(world, "asker-2", "agent-1", "desk"),
                   Asker(world, "asker-3", "agent-2", "seat"),
                   Asker(world, "asker-4", "agent-1", "talk"),
                   Answerer(world, "answerer-1", "anna"), Answerer(world, "answerer-2", "ben"),
                   Drafter(self._staying(0), "drafter-1", "anna"),
                   Drafter(self._staying(1), "drafter-2", "ben"),
                   Snoozer(world, "snoozer-1", "anna"), Snoozer(world, "snoozer-2", "ben"),
                   Speaker(world, "speaker-1", "anna", "desk"),
                   Speaker(world, "speaker-2", "ben", "desk"),
                   Taker(self._staying(1), "taker", "agent-1", "desk"),
                   Pusher(self._staying(2), "pusher-1", "agent-1", "talk"),
                   Pusher(self._staying(0), "pusher-2", "agent-1", "desk"),
                   Ender(world, "ender", "agent-2"),
                   TokenKeeper(self._staying(1), "keeper-1"),
                   TokenKeeper(self._staying(2), "keeper-2"),
                   Joiner(world, "joiner", "owner")]
        workers += [Asker(world, f"asker-more-{number}", "agent-1", ("talk", "desk")[number % 2])
                    for number in range(self.settings.agents)]
        workers += [Answerer(world, f"answerer-more-{number}", PERSONS[number % 2])
                    for number in range(self.settings.people)]
        return [asyncio.create_task(worker.work(), name=type(worker).__name__)
                for worker in workers]

    async def _end(self, work: list[asyncio.Task]) -> None:
        """Every asker is told an end, every subscriber catches up, and then one kill more."""
        end = time.monotonic() + END_SECONDS
        while not all(task.done() for task in work) and time.monotonic() < end:
            pending = [ask for ask in (await self.world.insist(
                "GET", "/v1/asks?state=pending&limit=500", "owner")).body["asks"]]
            await settle_the_rest(self.world, pending)
            await asyncio.wait(work, timeout=0.5)
        for task in work:
            if not task.done():
                self.recorder.fault(f"{task.get_name()} still waits for an end")
                task.cancel()
        await settle_the_rest(self.world, [ask for ask in await read_asks(self.world)
                                           if ask["state"] == "pending"])
        marks = {session: await mark_the_end(self.world, session, f"the end of {session}")
                 for session in ("talk", "seat")}
        while time.monotonic() < end and (late := self._late(marks)):
            await asyncio.sleep(0.05)
        for name in late:
            self.recorder.fault(f"{name} was never told of the last ask")
        for node in self.nodes:
            await node.kill()
            await node.start()
        self.recorder.history.final = await read_final(self.world, ["talk", "desk"], PERSONS)

    def _late(self, marks: dict[str, str]) -> list[str]:
        return [one.name for one in self.subscribers
                if marks.get(one.scope.session or "talk") not in one.settled]

    def _count(self, seconds: float) -> None:
        history = self.recorder.history
        history.counts["seconds"] = round(seconds)
        history.counts["operations"] = len(history.operations)
        history.counts["more workers"] = self.settings.agents + self.settings.people
        history.counts["events told"] = len(history.sightings)
        history.counts["asks"] = len(history.final.get("asks", []))
        for kind, name in (("say", "messages"), ("push", "pushes"), ("draft_put", "drafts"),
                           ("snooze", "snoozes"),
                           ("token_make", "tokens"), ("token_revoke", "revocations")):
            history.counts[name] = sum(one.result == "ok" for one in history.of(kind))
        settles = history.of("settle")
        history.counts["settlements won"] = sum(one.result == "ok" for one in settles)
        history.counts["races lost"] = sum(bool(one.got.get("standing") or one.got.get("outcome"))
                                           for one in settles if one.worker != "probe")
        history.counts["without an answer"] = sum(one.result == "unknown"
                                                  for one in history.operations)


async def run(settings: Settings) -> tuple[History, str]:
    """The history, and the last of what the brokers wrote."""
    with tempfile.TemporaryDirectory(prefix="parley-history-") as folder:
        one = Run(settings, Path(folder))
        try:
            history = await one.run()
        finally:
            for node in one.nodes:
                if isinstance(node, LocalNode):
                    await node.kill()
            if one.database:
                one.database.close()
        logs = "".join(path.read_text()[-4000:] for path in Path(folder).glob("*.log"))
        return history, logs
