# SPDX-License-Identifier: Apache-2.0
"""How an ask is answered or dismissed at each door. Every answer has words of its own, so that the
record at the end says whose it was."""

from typing import Any, Awaitable, Callable

from record import FAILED, OK, UNKNOWN, Operation
from wire import Lost, NotSent, Reply
from world import World, told

Judge = Callable[[Reply], tuple[str, dict[str, Any]]]


async def _settle(world: World, worker: str, door: str, ask: dict, outcome: str, words: str,
                  who: str, target: str, body: Any, judge: Judge) -> Operation:
    operation = world.recorder.begin(worker, door, "settle", ask=ask["id"], outcome=outcome,
                                     words=words, session=ask["session_id"])
    try:
        reply = await world.call("POST", target, who, body)
        result, got = judge(reply)
    except NotSent:
        result, got = FAILED, {}
    except Lost:
        result, got = UNKNOWN, {}
    world.recorder.end(operation, result, **got)
    return operation


def _native(reply: Reply) -> tuple[str, dict]:
    if reply.is_ok:
        return OK, {}
    standing = told((reply.body.get("ask") or {}).get("settlement")) if reply.status == 409 else ""
    return FAILED, {"status": reply.status, "standing": standing}


def _opencode(reply: Reply) -> tuple[str, dict]:
    if reply.is_ok:
        return OK, {}
    return FAILED, {"status": reply.status, "standing": told(reply.body.get("settlement"))}


def _trpc(reply: Reply) -> tuple[str, dict]:
    error = reply.body.get("error")
    if not error:
        return OK, {}
    return FAILED, {"status": reply.status, "standing": told(error["data"].get("settlement"))}


def _tool_result(reply: Reply) -> tuple[str, dict]:
    if reply.is_ok and reply.body.get("resolved"):
        return OK, {}
    return FAILED, {"status": reply.status, "outcome": reply.body.get("outcome", "")}


async def answer_natively(world: World, worker: str, ask: dict, words: str, who: str) -> Operation:
    return await _settle(world, worker, "native", ask, "answered", words, who,
                         f"/v1/asks/{ask['id']}/answer",
                         {"answers": [{"selected": [], "other": words}]}, _native)


async def dismiss_natively(world: World, worker: str, ask: dict, words: str,
                           who: str) -> Operation:
    return await _settle(world, worker, "native", ask, "dismissed", words, who,
                         f"/v1/asks/{ask['id']}/dismiss", {"reason": words}, _native)


async def withdraw(world: World, worker: str, ask: dict, words: str, who: str) -> Operation:
    return await _settle(world, worker, "native", ask, "withdrawn", words, who,
                         f"/v1/asks/{ask['id']}/withdraw", {"reason": words}, _native)


async def reply_by_opencode(world: World, worker: str, ask: dict, words: str,
                            who: str) -> Operation:
    return await _settle(world, worker, "opencode", ask, "answered", words, who,
                         f"/question/{ask['id']}/reply", {"answers": [[words]]}, _opencode)


async def answer_by_trpc(world: World, worker: str, ask: dict, words: str, who: str) -> Operation:
    return await _settle(world, worker, "trpc", ask, "answered", words, who,
                         "/trpc/message.answerAsk",
                         {"sessionId": ask["session_id"], "questionId": ask["id"],
                          "answers": {"q0": words}}, _trpc)


async def click_tool_result(world: World, worker: str, ask: dict, words: str,
                            who: str) -> Operation:
    call = (ask.get("tool") or {}).get("call_id") or ask["id"]
    return await _settle(world, worker, "tool-result", ask, "answered", words, who,
                         "/api/chat/tool-result",
                         {"sessionId": ask["session_id"], "toolUseId": call,
                          "answers": {ask["questions"][0]["question"]: words}}, _tool_result)


Settler = Callable[[World, str, dict, str, str], Awaitable[Operation]]
ANSWERS: tuple[Settler, ...] = (answer_natively, reply_by_opencode, answer_by_trpc,
                                click_tool_result)
SETTLERS: tuple[Settler, ...] = (*ANSWERS, dismiss_natively)
