#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nobody is shown, told of, or can settle what it may not, at any door: random callers do random
things, and every byte that comes back is held against a simple model (viewers_model.py). What may
be seen must be shown, too.

PARLEY_SEED runs one seed again, PARLEY_OPERATIONS makes a run longer."""

import json
import os
import random
import time
import unittest
import urllib.parse
from typing import Optional

from broker_process import Broker
from parley_program import PATIENCE_SECONDS
from viewers_doors import Doors, Stream, questions
from viewers_model import Ask, Caller, Principal, Session, World

OPERATIONS = int(os.environ.get("PARLEY_OPERATIONS", "800"))
STREAMS_MAX = 8
TRACED = 12  # operations that a failure prints


def trpc(procedure: str, data: dict) -> str:
    return f"/trpc/{procedure}?input={urllib.parse.quote(json.dumps(data))}"


class Run:
    """One world, and all that may happen in it."""

    def __init__(self, broker: Broker, seed: int) -> None:
        self.rng = random.Random(seed)
        self.world = World(self.rng)
        self.doors = Doors(broker, self.world)
        self.broker = broker
        self.streams: list[Stream] = []
        self.conversations: dict[Caller, str] = {}
        self.left_conversations: list[str] = []  # of tokens that count no longer
        self.cursors: list[tuple[Caller, str, Optional[Session], str, int]] = []
        for name, role in (("second-owner", "owner"), ("ada", "responder"), ("bob", "responder"),
                           ("one", "agent"), ("two", "agent"), ("reborn", "agent"),
                           ("was-owner", "owner"), ("was-person", "responder")):
            self.add_caller(name, role)
        self.run = self.open_session(self.caller("ada"))
        self.add_caller("child", "agent", session=self.run)
        self.add_caller("one-here", "agent", session=self.run, same_as=self.caller("one"))

    # Who calls.

    def caller(self, name: str) -> Caller:
        return next(one for one in self.world.callers if one.name == name and not one.is_revoked)

    def add_caller(self, name: str, role: str, session: Optional[Session] = None,
                   same_as: Optional[Caller] = None) -> Caller:
        body = {"name": name, "role": role} | ({"session": session.id} if session else {}) | (
            {"as": same_as.name} if same_as else {})
        made = self.doors.as_owner("POST", "/v1/tokens", body)
        principal = same_as.principal if same_as else Principal()
        caller = Caller(name, role, made["token"], principal, session)
        if session is not None and session.owner is None:
            session.owner = principal
        self.world.callers.append(caller)
        return caller

    def revoke(self, caller: Caller) -> None:
        """Its streams end, and what they say last is nobody else's."""
        self.doors.as_owner("DELETE", f"/v1/tokens/{caller.name}")
        for stream in [one for one in self.streams if one.caller is caller]:
            stream.read_to_end()
            self.streams.remove(stream)
        caller.is_revoked = True
        self.cursors = [one for one in self.cursors if one[0] is not caller]
        if caller in self.conversations:
            self.left_conversations.append(self.conversations.pop(caller))

    def op_reissue(self) -> None:
        """The same name anew: for agents that were agents, owners or responders."""
        if self.rng.random() > 0.2:
            return
        name = self.rng.choice(("reborn", "was-owner", "was-person", "child"))
        old = self.caller(name)
        only = old.only
        if only is not None and only.is_ended:
            return
        self.revoke(old)
        self.add_caller(name, "agent", session=only)
        self.doors.call(old, "GET", "/v1/asks")

    def op_revoke_under_a_hold(self) -> None:
        """What is held for it ends, whoever has its name afterwards."""
        old = self.caller(self.rng.choice(("reborn", "was-owner", "was-person")))
        if self.rng.random() > 0.2 or not old.may_ask:
            return
        ask = self.doors.ask(old)[1]
        assert ask, self.doors.trace[-1]
        # It may be revoked before it is held.
        held = Stream(self.doors, old, f"/v1/asks/{ask.id}?wait=600", ask.session,
                      lines="Connection: close\r\n")
        self.streams.append(held)
        self.revoke(old)
        self.add_caller(old.name, "agent")

    def op_rotate(self) -> None:
        """Another secret, and the same principal."""
        caller = self.any_agent()
        if caller.name == "one" or self.rng.random() > 0.3:
            return
        made = self.doors.as_owner("POST", f"/v1/tokens/{caller.name}/rotate")
        old = Caller(caller.name, caller.role, caller.secret, Principal(), is_revoked=True)
        for stream in [one for one in self.streams if one.caller is caller]:
            stream.read_to_end()
            self.streams.remove(stream)
        caller.secret = made["token"]
        self.conversations.pop(caller, None)
        self.doors.call(old, "GET", "/v1/asks")

    def op_restart(self) -> None:
        """What was acknowledged is there again, and so is whose it was."""
        if self.rng.random() > 0.1:
            return
        # Whose a session becomes by being listened to is written down beside the reply.
        self.doors.as_owner("POST", "/v1/sessions", {})
        self.broker.kill()
        for stream in self.streams:
            stream.check()
            stream.close()
        self.streams.clear()
        self.conversations.clear()
        self.left_conversations.clear()
        self.broker.start()
        self.doors.trace.append("RESTART")

    def any_caller(self) -> Caller:
        return self.rng.choice(self.world.counting())

    def any_agent(self) -> Caller:
        return self.rng.choice([one for one in self.world.counting() if not one.is_person])

    def any_person(self) -> Caller:
        return self.rng.choice([one for one in self.world.counting() if one.is_person])

    def any_ask(self) -> Optional[Ask]:
        some = self.world.asks if self.rng.random() < 0.3 else [
            one for one in self.world.asks if one.is_pending]
        return self.rng.choice(some) if some else None

    def any_session(self, caller: Optional[Caller] = None) -> Session:
        """Half of the time one that the caller may act in, where one is given."""
        every = list(self.world.sessions.values())
        some = every if self.rng.random() < 0.15 else self.world.live()
        if caller is not None and self.rng.random() < 0.5:
            some = [one for one in some if caller.sees_session(one)]
        return self.rng.choice(some or every)

    def ref_of(self, session: Session) -> str:
        """Its id, or its name, which means it to all while it lives."""
        is_named = session.name.startswith("zq") and not session.is_ended
        return session.name if is_named and self.rng.random() < 0.5 else session.id

    # Sessions.

    def open_session(self, caller: Caller, parent: Optional[Session] = None) -> Session:
        name = self.world.new_mark()
        body = {"name": name} | ({"parent": parent.id} if parent else {})
        made = self.doors.as_owner("POST", "/v1/sessions", body) if caller.role == "responder" \
            else json.loads(self.doors.expect(
                self.doors.call(caller, "POST", "/v1/sessions", body), 201)[1])
        owner = None if caller.is_person else caller.principal
        return self.world.add_session(made["id"], name, owner, parent)

    def op_open(self) -> None:
        caller = self.any_caller()
        parent = None
        if self.rng.random() < 0.3:
            parent = self.any_session()
            if parent.is_ended or not caller.sees_session(parent):
                ref = self.ref_of(parent)
                self.doors.expect(self.doors.call(caller, "POST", "/v1/sessions", {
                    "name": self.world.new_mark(), "parent": ref}), 404 if caller.may_ask else 403)
                self.doors.expect(
                    self.doors.call(caller, "POST", "/session", {"parentID": ref}), 404)
                return
        self.open_session(caller, parent)

    def op_open_anothers(self) -> None:
        caller = self.any_caller()
        session = self.any_session(caller)
        if session.is_ended or session.name == "default" or not session.name.startswith("zq"):
            return
        is_foreign = caller.stands(session) == "foreign" or not caller.may_ask
        self.doors.expect(self.doors.call(caller, "POST", "/v1/sessions", {"name": session.name}),
                          403 if is_foreign else 200)
        if not is_foreign:
            self.world.enter(caller, session)

    def op_read_session(self) -> None:
        caller = self.any_caller()
        session = self.any_session(caller)
        ref = self.ref_of(session)
        seen = 200 if caller.sees_session(session) else 404
        live = 404 if session.is_ended else seen
        people = (lambda status: status if caller.is_person else 403)
        for path, status in ((f"/v1/sessions/{ref}", seen),
                             (f"/v1/sessions/{ref}/messages", live),
                             (f"/v1/sessions/{ref}/events", people(seen)),
                             (f"/session/{ref}", seen),
                             (f"/session/{ref}/message", people(seen)),
                             (f"/session/{ref}/children", people(live)),
                             (f"/api/session/{ref}/question", live)):
            self.doors.expect(self.doors.call(caller, "GET", path), status)
        pending = self.doors.call(caller, "GET", trpc("message.pending", {"sessionId": ref}))[1]
        questioned = self.doors.call(caller, "GET", f"/api/session/{ref}/question")[1]
        for ask in self.world.pending_in(session):
            assert (ask.mark in pending) == caller.sees_ask(ask), (caller.name, pending)
            assert (ask.mark in questioned) == (caller.sees_ask(ask) and live == 200), caller.name

    def op_list_sessions(self) -> None:
        caller = self.any_caller()
        for path in ("/v1/sessions?limit=1000", "/session", "/session/status",
                     "/experimental/session"):
            text = self.doors.expect(self.doors.call(caller, "GET", path),
                                     200 if caller.is_person else 403)[1]
            if caller.is_person and "status" not in path and "v1" not in path:
                assert all(one.id in text for one in self.world.live()), path

    def op_stop(self) -> None:
        """End or abort, at one of the doors."""
        caller = self.any_caller()
        session = self.any_session(caller)
        if session is self.run or self.rng.random() > 0.5:
            return
        how, path, is_people_only = self.rng.choice((
            ("DELETE", f"/v1/sessions/{session.id}", False),
            ("POST", f"/v1/sessions/{session.id}/abort", False),
            ("DELETE", f"/session/{session.id}", True),
            ("POST", f"/session/{session.id}/abort", True),
            ("POST", "/trpc/message.abort", False)))
        body = {"sessionId": session.id} if "trpc" in path else {}
        status = self.doors.call(caller, how, path, None if how == "DELETE" else body)[0]
        if session.is_ended or (is_people_only and not caller.is_person):
            return
        is_foreign = caller.stands(session) == "foreign"
        if not is_foreign:
            self.world.enter(caller, session)
        has_hidden = not all(caller.sees_ask(ask) for ask in self.world.pending_in(session))
        assert (status == 200) == (not is_foreign and not has_hidden), self.doors.trace[-1]
        if status == 200:
            self.world.end_pending(session)
            session.is_ended = how == "DELETE"

    def op_say(self) -> None:
        caller = self.any_caller()
        session = self.any_session(caller)
        mark = self.world.new_mark(lambda who: who.sees_session(session))
        path, body = self.rng.choice((
            (f"/v1/sessions/{session.id}/messages", {"text": mark}),
            (f"/session/{session.id}/prompt_async", {"parts": [{"type": "text", "text": mark}]})))
        status = self.doors.call(caller, "POST", path, body)[0]
        may = caller.is_person and not session.is_ended
        assert (status < 300) == may or (may and status == 503), self.doors.trace[-1]

    def op_push(self) -> None:
        caller = self.any_caller()
        session = self.any_session(caller)
        mark = self.world.new_mark(lambda who: who.sees_session(session))
        path, body = self.rng.choice((
            (f"/v1/sessions/{session.id}/events", [
                {"type": "text-start", "part_id": mark, "text": mark},
                {"type": "text-end", "part_id": mark}][:self.rng.choice((1, 2))]),
            (f"/v1/sessions/{session.id}/messages/taken", {"up_to": "msg_" + "0" * 26}),
            ("/v1/notices", {"session": session.id, "text": mark})))
        status = self.doors.call(caller, "POST", path, body)[0]
        is_let_in = caller.may_ask and not session.is_ended and (
            caller.stands(session) != "foreign")
        assert (status < 300) == is_let_in or (is_let_in and status == 429), self.doors.trace[-1]
        if is_let_in:
            self.world.enter(caller, session)

    def op_notify(self) -> None:
        """In no session: people are told."""
        caller = self.any_caller()
        mark = self.world.new_mark(lambda who: who.is_person)
        self.doors.expect(self.doors.call(caller, "POST", "/v1/notices", {"text": mark}),
                          *((202, 429) if caller.may_ask else (403,)))

    def op_administer(self) -> None:
        caller = self.any_caller()
        self.doors.expect(self.doors.call(caller, "GET", "/v1/tokens"),
                          200 if caller.role == "owner" else 403)
        self.doors.expect(self.doors.call(caller, "GET", "/metrics"),
                          200 if caller.is_person else 403)
        self.doors.expect(self.doors.call(caller, "GET", "/v1/self"), 200)

    def op_chat_page(self) -> None:
        caller = self.any_caller()
        session = self.any_session(caller)
        mark = self.world.new_mark(lambda who: who.sees_session(session))
        body = {"id": session.id, "messages": [
            {"id": "m", "role": "user", "parts": [{"type": "text", "text": mark}]}]}
        if not caller.is_person or session.is_ended:
            self.doors.expect(self.doors.call(caller, "POST", "/api/chat", body), 403, 404, 409)
            return
        stream = Stream(self.doors, caller, "/api/chat", session, body=body)
        stream.wire.read_until('"start"')
        self.streams.append(stream)
        self.leave(stream)

    # Asks.

    def op_ask(self) -> None:
        caller = self.any_caller()
        session = self.any_session(caller) if self.rng.random() < 0.7 else None
        name = f"again-{self.rng.randrange(3)}"
        more = self.rng.choice(({}, {}, {}, {"key": name}, {
            "tool": {"message_id": "m", "call_id": name}}))
        reply, ask = self.doors.ask(caller, self.ref_of(session) if session else "", **more)
        if not caller.may_ask:
            self.doors.expect(reply, 403)
        elif session and session.is_ended:
            self.doors.expect(reply, 404)
        elif session and caller.stands(session) == "foreign":
            self.doors.expect(reply, 403)
        elif not more:
            assert ask, (self.doors.trace[-1], reply[1])
            assert session is None or ask.session is session
        else:
            self.doors.expect(reply, 201, 409)
            if session:
                self.world.enter(caller, session)

    def op_guess(self) -> None:
        """The same again, by whoever has guessed the key or the call's id."""
        some = [ask for ask in self.world.asks if ask.body and not ask.session.is_ended]
        if not some:
            return
        caller, ask = self.any_caller(), self.rng.choice(some)
        status, text = self.doors.call(caller, "POST", "/v1/asks", ask.body)
        if not caller.may_ask or caller.stands(ask.session) == "foreign":
            self.doors.expect((status, text), 403)
            return
        self.world.enter(caller, ask.session)
        if caller.sees_ask(ask):
            self.doors.expect((status, text), 200)
            assert json.loads(text)["id"] == ask.id, text
        elif "key" in ask.body:
            self.doors.expect((status, text), 409)
        elif status == 201:
            self.doors.learn_ask(json.loads(text)["id"], ask.mark, caller)

    def op_ask_elsewhere(self) -> None:
        """By tRPC and by MCP, without waiting for the answer."""
        caller = self.any_caller()
        mark = self.world.new_mark()
        if self.rng.random() < 0.5:
            session = self.any_session(caller)
            status, text = self.doors.call(caller, "POST", "/trpc/message.ask", {
                "sessionId": session.id, "questions": questions(mark), "blocking": False})
            is_let_in = caller.may_ask and not session.is_ended and (
                caller.stands(session) != "foreign")
            assert (status == 200) == is_let_in, (self.doors.trace[-1], text)
            if is_let_in:
                found = json.loads(text)["result"]["data"]["questionId"]
                self.doors.learn_ask(found, mark, caller)
            return
        status, text = self.doors.mcp_call(caller, self.conversation(caller), "ask_user", {
            "questions": questions(mark), "blocking": False})
        assert (status == 200) == caller.may_ask, (self.doors.trace[-1], text)
        if caller.may_ask and '"pending"' in text:
            self.doors.learn_ask(text[text.index("que_"):][:30], mark, caller)

    def conversation(self, caller: Caller) -> str:
        """Legacy or, empty, one that stands for itself."""
        if not caller.may_ask or self.rng.random() < 0.5:
            return ""
        if caller not in self.conversations:
            self.conversations[caller] = self.doors.mcp_open(caller)
        return self.conversations[caller]

    def op_wait_answer(self) -> None:
        caller, ask = self.any_caller(), self.any_ask()
        if ask is None or not caller.may_ask or (ask.is_pending and caller.sees_ask(ask)):
            return
        text = self.doors.mcp_call(caller, self.conversation(caller), "wait_answer",
                                   {"ask_id": ask.id})[1]
        assert ("there is no ask" in text) != caller.sees_ask(ask), text

    def op_anothers_conversation(self) -> None:
        caller = self.any_agent()
        others = self.left_conversations + [
            held for who, held in self.conversations.items()
            if who.principal is not caller.principal or who.only is not caller.only]
        if not others:
            return
        other = self.rng.choice(others)
        self.doors.expect(self.doors.mcp_call(caller, other, "notify_user", {"text": "hello"}), 404)
        for method in ("GET", "DELETE"):
            self.doors.expect(self.doors.call(caller, method, "/mcp", None, Mcp_Session_Id=other,
                                              Accept="text/event-stream"), 404)

    def op_hook(self) -> None:
        """Claude Code's, which is held until a person answers; ada does."""
        caller = self.any_caller()
        session = self.any_session(caller)
        if not session.name.startswith("zq") or session.is_ended:
            return
        mark = self.world.new_mark()
        body = {"hook_event_name": "PreToolUse", "session_id": session.name, "tool_use_id": mark,
                "tool_name": "AskUserQuestion", "tool_input": {"questions": questions(mark)}}
        if not caller.may_ask or caller.stands(session) == "foreign":
            status, text = self.doors.call(caller, "POST", "/hooks/claude", body)
            assert status != 200 or "allow" not in text, text
            return
        held = Stream(self.doors, caller, "/hooks/claude", body=body)
        found = self.find_pending(mark)
        ask = self.doors.learn_ask(found["id"], mark, caller)
        assert ask.session is session
        self.settle(self.caller("ada"), ask, "answer", {"answers": [{"selected": [f"A {mark}"]}]})
        held.wire.read_until(f"A {mark}")
        held.check()
        held.close()

    def find_pending(self, mark: str) -> dict:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            for ask in self.doors.as_owner("GET", f"/v1/asks?state=pending&q={mark}")["asks"]:
                return ask
        raise AssertionError(f"nobody asked {mark}")

    def op_held(self) -> None:
        """A request, or a tool of MCP, that waits until ada answers."""
        caller = self.any_caller()
        if self.rng.random() < 0.5 or not caller.may_ask:
            some = [ask for ask in self.world.seen_by(caller) if ask.is_pending]
            if not some:
                return
            ask = self.rng.choice(some)
            held = Stream(self.doors, caller, f"/v1/asks/{ask.id}?wait=60")
        else:
            mark = self.world.new_mark()
            conversation = self.doors.mcp_open(caller)
            held = Stream(self.doors, caller, "/mcp", body={
                "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                    "name": "ask_user", "arguments": {"questions": questions(mark)}}},
                lines=f"Mcp-Session-Id: {conversation}\r\n"
                      "MCP-Protocol-Version: 2025-06-18\r\n")
            ask = self.doors.learn_ask(self.find_pending(mark)["id"], mark, caller)
        self.settle(self.caller("ada"), ask, "answer", {
            "answers": [{"selected": [f"A {ask.mark}"]}]})
        held.wire.read_until(ask.mark)
        held.check()
        held.close()

    def op_read_ask(self) -> None:
        caller, ask = self.any_caller(), self.any_ask()
        if ask is None:
            return
        seen = 200 if caller.sees_ask(ask) else 404
        text = self.doors.expect(self.doors.call(caller, "GET", f"/v1/asks/{ask.id}"), seen)[1]
        if seen == 200:
            assert ("snoozed_until" in text) <= (ask.id in caller.snoozed), text
        if seen == 404 or not ask.is_pending:
            self.doors.expect(
                self.doors.call(caller, "GET", f"/v1/asks/{ask.id}?wait=5"), seen)

    def op_list_asks(self) -> None:
        """Page by page: all that may be seen, and nothing else."""
        caller = self.any_caller()
        session = self.any_session(caller) if self.rng.random() < 0.4 else None
        state = self.rng.choice(("", "&state=pending", "&state=settled"))
        order = self.rng.choice(("", "&order=newest"))
        base = f"/v1/asks?limit={self.rng.choice((2, 30, 1000))}{state}{order}" + (
            f"&session={session.id}" if session else "")
        listed, path = [], base
        while path:
            page = json.loads(self.doors.expect(self.doors.call(caller, "GET", path), 200)[1])
            listed += [ask["id"] for ask in page["asks"]]
            path = f"{base}&after={page['next']}" if page.get("next") else ""
        # A token for one session that names none means that one.
        of = session or caller.only
        due = [ask.id for ask in self.world.seen_by(caller, of)
               if not state or ask.is_pending == ("pending" in state)]
        assert sorted(listed) == sorted(due), (caller.name, base, listed, due)

    def op_questions(self) -> None:
        caller = self.any_caller()
        for path in ("/question", "/api/question/request"):
            text = self.doors.expect(self.doors.call(caller, "GET", path), 200)[1]
            for ask in self.world.asks:
                is_due = ask.is_pending and caller.sees_ask(ask)
                assert (ask.mark in text) == is_due, (caller.name, path)

    def settle(self, caller: Caller, ask: Ask, how: str, body: dict) -> None:
        status = self.doors.call(caller, "POST", f"/v1/asks/{ask.id}/{how}", body)[0]
        may = caller.may_ask if how == "withdraw" else caller.is_person
        if not may:
            expected = 403
        elif not caller.sees_ask(ask):
            expected = 404
        else:
            expected = 200 if ask.is_pending else 409
        # The same said twice by the same is no conflict.
        assert status == expected or (status == 200 and not ask.is_pending and expected == 409), (
            self.doors.trace[-1], expected)
        if status == 200:
            ask.is_pending = False

    def op_settle(self) -> None:
        caller, ask = self.any_caller(), self.any_ask()
        if ask is None:
            return
        answer = {"answers": [{"selected": [f"A {ask.mark}"]}]}
        how = self.rng.choice(("answer", "dismiss", "withdraw", "reply", "reject", "trpc", "tool"))
        if how == "answer":
            # Who may not see it cannot name its option either.
            return self.settle(caller, ask, how, answer if caller.sees_ask(ask) else {
                "answers": [{"selected": ["B"]}]})
        if how in ("dismiss", "withdraw"):
            return self.settle(caller, ask, how, {})
        path, body = {
            "reply": (f"/question/{ask.id}/reply", {"answers": [["B"]]}),
            "reject": (f"/question/{ask.id}/reject", {}),
            "trpc": ("/trpc/message.answerAsk", {
                "sessionId": ask.session.id, "questionId": ask.id, "answers": {"q0": "B"}}),
            "tool": ("/api/chat/tool-result", {
                "sessionId": ask.session.id, "toolUseId": ask.id,
                "answers": {f"Which {ask.mark}?": "B"}}),
        }[how]
        status, text = self.doors.call(caller, "POST", path, body)
        if not caller.is_person:
            self.doors.expect((status, text), 403)
        elif how != "tool":
            assert (status == 200) == ask.is_pending, (self.doors.trace[-1], text)
            ask.is_pending = False
        elif '"resolved":true' in text:
            ask.is_pending = False

    def op_desk(self) -> None:
        """Drafts and snoozes, which are one person's."""
        caller, ask = self.any_caller(), self.any_ask()
        if ask is None or not ask.is_pending:
            return
        mark = self.world.new_mark(lambda who: who.principal is caller.principal)
        may = 200 if caller.is_person else 403
        self.doors.expect(self.doors.call(caller, "PUT", f"/v1/asks/{ask.id}/draft", {
            "answers": [{"other": mark}]}), may)
        text = self.doors.expect(self.doors.call(caller, "GET", f"/v1/asks/{ask.id}/draft"), may)[1]
        assert (mark in text) == caller.is_person
        if caller.is_person:
            caller.snoozed.add(ask.id)
        self.doors.expect(self.doors.call(caller, "POST", f"/v1/asks/{ask.id}/snooze",
                                          {"seconds": 600}), may)
        reader = self.any_person()
        self.doors.call(reader, "GET", "/v1/drafts")
        self.doors.call(reader, "GET", f"/v1/asks/{ask.id}/draft")

    # Streams.

    def target_of(self, caller: Caller, session: Session) -> tuple[str, Optional[Session]]:
        follow = trpc("message.streamTracked", {"sessionId": session.id, "follow": True})
        kinds = [("/v1/events", None), (f"/v1/events?session={session.id}", session),
                 ("/event", None), ("/global/event", None), ("/api/event", None),
                 (follow, session), ("/trpc", session)]
        if caller.is_person:
            kinds += [(f"/api/v1/chat/ws/{session.id}?observe=1", session)] * 2
        return self.rng.choice(kinds)

    def op_stream(self) -> None:
        caller = self.any_caller()
        # What most streams are of: what may be followed.
        some = [one for one in self.world.live() if caller.stands(one) != "foreign"]
        session = self.rng.choice(some) if some else self.run
        if session not in some:
            return
        target, of = self.target_of(caller, session)
        if of is not None:
            self.world.enter(caller, of)
        stream = Stream(self.doors, caller, target, of)
        self.streams.append(stream)
        if target == "/trpc":
            stream.wire.read_until("101")
            stream.send({"id": 1, "method": "subscription", "params": {
                "path": "message.streamTracked",
                "input": {"sessionId": session.id, "follow": True}}})
        stream.wire.read_until(
            "snapshot.end" if target.startswith("/v1") else '"started"' if target == "/trpc" else
            "event: connected" if "trpc" in target else
            "session_status" if stream.is_socket else "200 OK")
        if len(self.streams) > STREAMS_MAX:
            self.leave(self.rng.choice(self.streams))

    def op_chat_socket(self) -> None:
        """An answer goes to questions of its own session alone."""
        caller, session, ask = self.any_person(), self.any_session(), self.any_ask()
        if ask is None or session.is_ended:
            return
        stream = Stream(self.doors, caller, f"/api/v1/chat/ws/{session.id}", session)
        stream.wire.read_until("session_status")
        stream.send({"type": "ask_user_response", "data": {
            "question_id": ask.id, "answers": {f"Which {ask.mark}?": "B"}, "cancelled": False}})
        if ask.session is session and ask.is_pending:
            # Ends of others may follow first: what was missed since the session was last held.
            stream.wire.read_until(f'"ask_user_settled","question_id":"{ask.id}"')
            ask.is_pending = False
        else:
            stream.wire.read_until('"error"')
        stream.check()
        stream.close()

    def op_foreign_stream(self) -> None:
        caller = self.any_caller()
        session = self.any_session(caller)
        if session.is_ended or caller.stands(session) != "foreign":
            return
        follow = trpc("message.streamTracked", {"sessionId": session.id, "follow": True})
        for target in (f"/v1/events?session={session.id}", follow):
            self.doors.expect(self.doors.call(caller, "GET", target), 403, 200)
        for target in (f"/api/v1/chat/ws/{session.id}", f"/api/chat/{session.id}/stream"):
            self.doors.expect(self.doors.call(caller, "GET", target), 403)

    def op_catch_up(self) -> None:
        if self.streams:
            self.leave(self.rng.choice(self.streams))

    def drop(self, stream: Stream) -> None:
        stream.close()
        self.streams.remove(stream)

    def leave(self, stream: Stream) -> None:
        """Reads all that is due, and remembers where it stood."""
        is_whole = stream.catch_up()
        cursor = stream.cursor() if is_whole and not stream.is_socket else ""
        if cursor and "trpc" not in stream.target:
            self.cursors.append((stream.caller, stream.target, stream.session, cursor,
                                 len(self.world.asks)))
        self.drop(stream)

    def op_resume(self) -> None:
        if not self.cursors:
            return
        caller, target, session, cursor, since = self.rng.choice(self.cursors)
        if caller.is_revoked or (session is not None and session.is_ended):
            return
        stream = Stream(self.doors, caller, target, session, after=cursor, since=since)
        self.streams.append(stream)
        self.leave(stream)

    def op_anothers_place(self) -> None:
        """A cursor is one number for all: whoever resumes there is told its own."""
        if not self.cursors:
            return
        cursor, since = self.rng.choice(self.cursors)[3:]
        stream = Stream(self.doors, self.any_caller(), "/v1/events", None, after=cursor,
                        since=since)
        self.streams.append(stream)
        self.leave(stream)

    def go(self, operations: int) -> None:
        every = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("op_")]
        often = [self.op_ask, self.op_stream, self.op_list_asks, self.op_settle, self.op_read_ask]
        for _ in range(operations):
            self.rng.choice(every + often)()
        for stream in list(self.streams):
            self.leave(stream)
        states = {ask["id"]: ask["state"] for ask in self.doors.as_owner(
            "GET", "/v1/asks?limit=1000")["asks"]}
        for ask in self.world.asks[:1000]:
            if ask.id in states:
                assert (states[ask.id] == "pending") == ask.is_pending, (ask, states[ask.id])


class ViewersProperty(unittest.TestCase):
    def test_nobody_is_shown_told_of_or_settles_what_it_may_not(self) -> None:
        seed = int(os.environ.get("PARLEY_SEED") or random.SystemRandom().getrandbits(32))
        print(f"PARLEY_SEED={seed} PARLEY_OPERATIONS={OPERATIONS}", flush=True)
        with Broker("--quota-sessions", "10000", "--quota-asks", "10000") as broker:
            run = Run(broker, seed)
            try:
                run.go(OPERATIONS)
            except BaseException:
                print(f"PARLEY_SEED={seed}\n" + "\n".join(run.doors.trace[-TRACED:]))
                raise
            finally:
                for stream in run.streams:
                    stream.close()


if __name__ == "__main__":
    unittest.main()
