# SPDX-License-Identifier: Apache-2.0
"""The other workers of agents: parts of a stream, messages taken, sessions ended."""

from record import OK
from world import World


class Pusher:
    """Streams texts in pieces. What was refused is sent again from its start; after a push without
    an answer it goes on as a careless client would, or gives the part up."""

    def __init__(self, world: World, name: str, who: str, session: str):
        self.world, self.name, self.who, self.session = world, name, who, session
        self.random = world.random_of(name)

    async def work(self) -> None:
        while not self.world.is_stopping:
            part = f"{self.name}-{self.world.next_number()}"
            pieces = [f"{part}.{number} " for number in range(self.random.randint(2, 5))]
            await self._stream(part, pieces)
            await self.world.rest(self.random, 0.05, 0.3)

    async def _stream(self, part: str, pieces: list[str]) -> None:
        items = [{"type": "text-start", "part_id": part, "text": pieces[0]}]
        items += [{"type": "text-delta", "part_id": part, "text": piece} for piece in pieces[1:]]
        items.append({"type": "text-end", "part_id": part})
        at = 0
        while at < len(items):
            count = self.random.randint(1, len(items) - at)
            operation, reply = await self._push(part, items[at:at + count])
            if operation.result == OK:
                at += count
            elif reply is not None:
                if self.world.is_stopping:
                    return
                at = 0  # refused: from its start again
            elif self.random.random() < 0.5:
                return
            else:
                at += count
            await self.world.rest(self.random, 0.0, 0.25)

    async def _push(self, part: str, items: list[dict]):
        operation = self.world.recorder.begin(
            self.name, "native", "push", session=self.session, part=part,
            items=[[item["type"], item.get("text", "")] for item in items])
        reply = await self.world.record(
            operation, "POST", f"/v1/sessions/{self.session}/events", self.who, items)
        if reply is not None and not reply.is_ok:
            operation.got["applied"] = (reply.body or {}).get("applied", 0)
        return operation, reply


class Taker:
    """Reads the messages that wait for a session's agent, and takes them."""

    def __init__(self, world: World, name: str, who: str, session: str):
        self.world, self.name, self.who, self.session = world, name, who, session
        self.random = world.random_of(name)

    async def work(self) -> None:
        while not self.world.is_stopping:
            await self.world.rest(self.random, 0.1, 0.6)
            messages = await self.read()
            if messages:
                up_to = self.random.choice(messages)["id"]
                operation = self.world.recorder.begin(self.name, "native", "take", up_to=up_to,
                                                      session=self.session)
                await self.world.record(
                    operation, "POST", f"/v1/sessions/{self.session}/messages/taken", self.who,
                    {"up_to": up_to})

    async def read(self) -> list[dict]:
        operation = self.world.recorder.begin(self.name, "native", "queue", session=self.session)
        reply = await self.world.record(operation, "GET",
                                        f"/v1/sessions/{self.session}/messages", self.who)
        if reply is None or not reply.is_ok:
            return []
        messages = reply.body["messages"]
        operation.got["messages"] = [[message["id"], message["text"]] for message in messages]
        return messages


class Ender:
    """Opens a session, asks in it, and ends it: what it asked is withdrawn with it."""

    def __init__(self, world: World, name: str, who: str):
        self.world, self.name, self.who = world, name, who
        self.random = world.random_of(name)

    async def work(self) -> None:
        while not self.world.is_stopping:
            await self.world.rest(self.random, 0.3, 1.5)
            number = self.world.next_number()
            session, text = f"{self.name}-{number}", f"{self.name} asks {number}"
            asked = self.world.recorder.begin(self.name, "native", "ask", text=text, key=text,
                                              session=session, timeout=0, default="")
            reply = await self.world.record(
                asked, "POST", "/v1/asks", self.who,
                {"session": session, "key": text, "question": text})
            if reply is None or not reply.is_ok:
                continue
            ask = reply.body
            asked.got = {"id": ask["id"]}
            ended = self.world.recorder.begin(
                self.name, "native", "settle", ask=ask["id"], outcome="withdrawn", words="",
                session=ask["session_id"], ends=True)
            await self.world.record(ended, "DELETE", f"/v1/sessions/{ask['session_id']}", self.who)
