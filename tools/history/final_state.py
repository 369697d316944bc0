# SPDX-License-Identifier: Apache-2.0
"""What the broker shows at the end, read once all is quiet and after one last kill."""

import asyncio
from datetime import datetime
from typing import Any

from record import OK, without_jump
from settling import ANSWERS
from world import World, told


def seconds(moment: str) -> float:
    return without_jump(datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp())


def row(ask: dict) -> dict[str, Any]:
    settlement = ask.get("settlement")
    return {"id": ask["id"], "text": ask["questions"][0]["question"], "state": ask["state"],
            "session": ask["session_id"], "name": ask["session"],
            "created": seconds(ask["created_at"]),
            "deadline": seconds(ask["deadline"]) if ask.get("deadline") else 0,
            "told": told(settlement), "at": seconds(settlement["at"]) if settlement else 0,
            "decider": (settlement or {}).get("decider", {}).get("kind", "")}


async def read_asks(world: World) -> list[dict]:
    asks, after = [], ""
    while True:
        page = (await world.insist("GET", f"/v1/asks?limit=500{after}", "owner")).body
        asks += page["asks"]
        if not page["next"]:
            return asks
        after = f"&after={page['next']}"


async def read_log(world: World, session: str) -> list[dict]:
    """The parts and messages of a session, oldest first."""
    kept: list[dict] = []
    before = ""
    while True:
        page = (await world.insist(
            "GET", f"/v1/sessions/{session}/events?limit=500{before}", "owner")).body
        rows = []
        for entry in page["events"]:
            event = entry["event"]
            if event["type"] == "session.part" and event["part"]["type"] == "text-end":
                rows.append({"part": event["part"]["part_id"], "text": event["part"]["text"]})
            elif event["type"] == "session.message" and "message" in event:
                rows.append({"message": event["message"]["id"], "text": event["message"]["text"]})
        kept = rows + kept
        if not page["next"]:
            return kept
        before = f"&before={page['next']}"


async def probe_doors(world: World, asks: list[dict]) -> list[dict]:
    """What each door says of settled asks to one who comes too late."""
    probes = []
    for ask in asks:
        for settle in ANSWERS:
            operation = await settle(world, "probe", ask, f"too late {ask['id']}", "owner")
            while operation.result != OK and not operation.got.get("status"):
                await asyncio.sleep(0.05)
                operation = await settle(world, "probe", ask, f"too late {ask['id']}", "owner")
            probes.append({"ask": ask["id"], "door": operation.door, "result": operation.result,
                           "standing": operation.got.get("standing", ""),
                           "outcome": operation.got.get("outcome", "")})
    return probes


async def read_final(world: World, sessions: list[str], persons: list[str]) -> dict[str, Any]:
    asks = await read_asks(world)
    settled = [ask for ask in asks if ask["state"] != "pending"]
    rng = world.random_of("probes")
    drafts = {}
    for person in persons:
        reply = await world.insist("GET", "/v1/drafts", person)
        drafts[person] = reply.body
    tokens = (await world.insist("GET", "/v1/tokens", "owner")).body
    return {"asks": [row(ask) for ask in asks],
            "logs": {session: await read_log(world, session) for session in sessions},
            "queues": {session: (await world.insist(
                "GET", f"/v1/sessions/{session}/messages", "owner")).body["messages"]
                for session in sessions},
            "drafts": drafts, "tokens": tokens,
            "probes": await probe_doors(world, rng.sample(settled, min(60, len(settled))))}
