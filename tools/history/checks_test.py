#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker itself: a history in which all is well passes, and each violation is named."""

import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path

from checks import check
from record import (FAILED, JUMP_SECONDS, OK, UNKNOWN, History, Operation, Scope, Sighting,
                    Snapshot, without_jump)


def operation(kind: str, begin: float, end: float, result: str = OK, got: dict | None = None,
              worker: str = "w", door: str = "native", **given) -> Operation:
    return Operation(0, worker, door, kind, given, begin, end, result, got or {})


def ask(text: str, begin: float, ask_id: str, timeout: float = 0, default: str = "") -> Operation:
    return operation("ask", begin, begin + 0.1, got={"id": ask_id}, text=text, key=text,
                     session="talk", timeout=timeout, default=default)


def settle(ask_id: str, words: str, begin: float, result: str = OK, outcome: str = "answered",
           **got) -> Operation:
    return operation("settle", begin, begin + 0.1, result, got, ask=ask_id, outcome=outcome,
                     words=words, session="talk")


def row(ask_id: str, text: str, told: str = "", created: float = 10, at: float = 0,
        deadline: float = 0, decider: str = "person") -> dict:
    return {"id": ask_id, "text": text, "state": told.split("|")[0] or "pending",
            "session": "ses_1", "name": "talk", "created": created, "deadline": deadline,
            "told": told, "at": at, "decider": decider if told else ""}


def push(begin: float, result: str, *items: tuple[str, str], **got) -> Operation:
    return operation("push", begin, begin + 0.1, result, got, session="talk", part="p",
                     items=[list(item) for item in items])


def good_history() -> History:
    """One of everything, and all is well."""
    return History(
        operations=[
            ask("a?", 10, "que_a"), settle("que_a", "yes", 12),
            settle("que_a", "no", 12.05, FAILED, status=409, standing="answered|yes|somebody"),
            operation("deliver", 12.1, 12.2, got={"told": "answered|yes|somebody"}, text="a?"),
            ask("b?", 20, "que_b", timeout=2, default="ok"),
            ask("c?", 30, "que_c"),
            operation("draft_put", 31, 31.1, ask="que_c", person="anna", words="anna writes 1"),
            operation("draft_get", 32, 32.1, got={"words": "anna writes 1"}, ask="que_c",
                      person="anna", words=""),
            operation("say", 40, 40.1, got={"id": "msg_1"}, session="talk", words="one"),
            operation("say", 41, 41.1, got={"id": "msg_2"}, session="talk", words="two"),
            operation("queue", 42, 42.1, got={"messages": [["msg_1", "one"], ["msg_2", "two"]]},
                      session="talk"),
            operation("take", 43, 43.1, session="talk", up_to="msg_1"),
            operation("queue", 44, 44.1, got={"messages": [["msg_2", "two"]]}, session="talk"),
            push(50, OK, ("text-start", "Do NOT "), ("text-delta", "run ")),
            push(51, OK, ("text-delta", "it"), ("text-end", "")),
            operation("snooze", 52, 52.1, got={"until": "soon"}, ask="que_c", person="anna",
                      seconds=60),
            operation("token_make", 60, 60.1, token="t", expires=0),
            operation("token_use", 61, 61.1, token="t"),
            operation("token_hold", 61, 65, got={"is_told": False}, token="t", ask="que_a"),
            operation("token_revoke", 62, 62.1, token="t"),
            operation("token_use", 63, 63.1, FAILED, {"status": 401}, token="t"),
        ],
        sightings=[
            Sighting("lead", 10, 101, "opened", "que_a", "a?"),
            Sighting("lead", 12, 102, "settled", "que_a", "answered|yes|somebody"),
            Sighting("lead", 20, 103, "opened", "que_b", "b?"),
            Sighting("lead", 22, 104, "settled", "que_b", "answered|ok|timer"),
            Sighting("lead", 30, 105, "opened", "que_c", "c?"),
            Sighting("lead", 40, 106, "message", "msg_1", "one"),
            Sighting("lead", 41, 107, "message", "msg_2", "two"),
            Sighting("lead", 51, 108, "part", "p", "whole"),
            Sighting("lead", 52, 109, "snoozed", "que_c", "soon"),
        ],
        snapshots=[Snapshot(33, 33.1, ["que_c"])],
        scopes={"lead": Scope("native", since=5, first_cursor=100, who="anna")},
        final={
            "asks": [row("que_a", "a?", "answered|yes|somebody", at=12.05),
                     row("que_b", "b?", "answered|ok|timer", 20, 22.05, 22.04, "timer"),
                     row("que_c", "c?", created=30)],
            "logs": {"talk": [{"message": "msg_1", "text": "one"},
                              {"message": "msg_2", "text": "two"},
                              {"part": "p", "text": "Do NOT run it"}]},
            "drafts": {"anna": {"drafts": [
                {"ask": "que_c", "answers": [{"selected": [], "other": "anna writes 1"}]}]}},
            "tokens": {"tokens": [{"name": "owner"}]},
            "probes": [{"ask": "que_a", "door": "trpc", "result": FAILED, "outcome": "",
                        "standing": "answered|yes|somebody"}]})


class Checks(unittest.TestCase):
    def setUp(self) -> None:
        self.history = good_history()

    def of(self, kind: str, number: int = 0) -> Operation:
        return self.history.of(kind)[number]

    def asks(self) -> list[dict]:
        return self.history.final["asks"]

    def assert_caught(self, words: str) -> None:
        violations = check(self.history)
        self.assertTrue(any(words in violation for violation in violations), violations)

    def test_what_is_well_passes_also_after_it_was_kept(self) -> None:
        self.assertEqual(check(self.history), [])
        with tempfile.TemporaryDirectory() as folder:
            self.history.save(Path(folder) / "history")
            self.assertEqual(check(History.load(Path(folder) / "history")), [])

    def test_a_fault_on_the_way_counts(self) -> None:
        self.history.faults.append("GET / was answered 500")
        self.assert_caught("answered 500")

    def test_a_run_without_an_end(self) -> None:
        self.history.final = {}
        self.assert_caught("did not come to its end")

    # Asks.

    def test_a_lost_ask(self) -> None:
        del self.asks()[2]
        self.assert_caught("and is lost")

    def test_an_ask_made_twice_by_one_key(self) -> None:
        self.asks().append(row("que_d", "c?", created=30))
        self.assert_caught("became 2 asks")

    def test_a_key_that_gives_two_ids(self) -> None:
        self.history.operations.append(ask("c?", 35, "que_d"))
        self.assert_caught("one key gave")

    def test_a_refused_ask_that_is_there(self) -> None:
        self.of("ask", 2).result = FAILED
        self.assert_caught("was refused and is there")

    def test_an_ask_of_nobody(self) -> None:
        self.asks().append(row("que_d", "d?"))
        self.assert_caught("asked by nobody")

    def test_a_lost_answer(self) -> None:
        self.asks()[0] = row("que_a", "a?")
        self.assert_caught("acknowledged 'answered|yes|somebody'")

    def test_two_winners(self) -> None:
        self.history.operations.append(settle("que_a", "no", 12.2))
        self.assert_caught("acknowledged 'answered|no|somebody'")

    def test_a_loser_who_is_told_something_else(self) -> None:
        self.of("settle", 1).got["standing"] = "dismissed||somebody"
        self.assert_caught("that 'dismissed||somebody' stands")

    def test_a_loser_who_is_told_nothing(self) -> None:
        self.of("settle", 1).got["standing"] = ""
        self.assert_caught("did not tell what stands")

    def test_a_right_request_that_is_refused(self) -> None:
        self.history.operations.append(
            operation("say", 45, 45.1, FAILED, {"status": 403}, session="talk", words="three"))
        self.assert_caught("refused a right say of w with 403")

    def test_a_settlement_at_another_time(self) -> None:
        self.asks()[0]["at"] = 11
        self.assert_caught("not settled while its winner called")

    def test_an_asker_who_is_told_something_else(self) -> None:
        self.of("deliver").got["told"] = "answered|no|somebody"
        self.assert_caught("delivered 'answered|no|somebody'")

    def test_a_door_that_shows_something_else(self) -> None:
        self.history.final["probes"][0]["standing"] = "answered|no|somebody"
        self.assert_caught("trpc shows")

    def test_a_late_answer_that_is_taken(self) -> None:
        self.history.final["probes"][0]["result"] = OK
        self.assert_caught("settled once more through trpc")

    def test_a_decision_of_nobody(self) -> None:
        self.asks()[2] = row("que_c", "c?", "answered|yes|somebody", 30, 35)
        self.assert_caught("nobody has tried that")

    def test_a_hook_whose_connection_was_cut_has_taken_its_question_back(self) -> None:
        self.history.operations = [one for one in self.history.operations if one.kind != "deliver"]
        del self.history.operations[1:3], self.history.sightings[1], self.history.final["probes"][:]
        self.asks()[0].update(told="withdrawn||somebody", state="withdrawn")
        self.history.sightings.insert(1, Sighting("lead", 12, 102, "settled", "que_a", ""))
        self.assert_caught("nobody has tried that")
        first = self.of("ask")
        first.door, first.result = "hook", UNKNOWN
        self.assertEqual(check(self.history), [])

    def test_an_unknown_answer_may_stand(self) -> None:
        self.of("settle").result = UNKNOWN
        self.assertEqual(check(self.history), [])

    def test_an_ended_session_with_an_ask_that_waits(self) -> None:
        ended = settle("que_c", "", 36, outcome="withdrawn")
        ended.given["ends"] = True
        self.history.operations.append(ended)
        self.assert_caught("waits on though its session's end was acknowledged")

    # Timers.

    def test_a_timer_that_is_early(self) -> None:
        self.asks()[1]["at"] = 21.9
        self.assert_caught("the timer was early")

    def test_a_deadline_that_the_broker_counts_from_too_soon(self) -> None:
        self.asks()[1]["at"] = self.asks()[1]["deadline"] = 21.5
        self.assert_caught("the timer was early")

    def test_a_timer_that_is_late(self) -> None:
        self.asks()[1]["at"] = 80
        self.assert_caught("the timer was late")

    def test_a_timer_of_what_was_written_late(self) -> None:
        self.asks()[1]["at"] = self.history.sightings[2].at = self.history.sightings[3].at = 80
        self.assertEqual(list(check(self.history)), [])

    def test_a_deadline_that_a_wrong_clock_has_set_is_not_judged(self) -> None:
        self.asks()[1]["at"] = 21.9
        self.history.jumps.append((19, 20.05))
        self.assertEqual(check(self.history), [])

    def test_a_clock_that_goes_wrong_later_makes_no_timer_early(self) -> None:
        self.asks()[1]["at"] = 21.9
        self.history.jumps.append((21, 21.5))
        self.assert_caught("the timer was early")

    def test_times_of_a_wrong_clock_are_read_as_what_they_were(self) -> None:
        now = time.time()
        for at in (now, now + JUMP_SECONDS, now - JUMP_SECONDS):
            self.assertAlmostEqual(without_jump(at), now, places=3)

    def test_silence_that_decides(self) -> None:
        self.asks()[2] = row("que_c", "c?", "timed_out||timer", 30, 35, decider="timer")
        self.assert_caught("decided by silence")

    def test_a_default_that_was_not_given(self) -> None:
        self.of("ask", 1).given["default"] = ""
        self.assert_caught("instead of 'timed_out||timer'")

    # Events.

    def test_an_event_twice(self) -> None:
        self.history.sightings.insert(1, self.history.sightings[0])
        self.assert_caught("twice")

    def test_events_out_of_order(self) -> None:
        first, second, *rest = self.history.sightings
        self.history.sightings = [second, first, *rest]
        self.assert_caught("after 102")

    def test_a_hole(self) -> None:
        self.history.scopes["other"] = Scope("native", since=5, first_cursor=100)
        for sighting in list(self.history.sightings):
            if sighting.cursor != 105:
                self.history.sightings.append(replace(sighting, subscriber="other"))
        self.assert_caught("other was not told 105")

    def test_one_cursor_with_two_contents(self) -> None:
        self.history.scopes["other"] = Scope("native", since=90, first_cursor=107)
        self.history.sightings.append(Sighting("other", 91, 108, "part", "p", "half"))
        self.assert_caught("108 is ")

    def test_an_end_that_is_never_told(self) -> None:
        del self.history.sightings[1]
        self.assert_caught("was told 0 ends of que_a")

    def test_an_end_that_is_told_wrongly(self) -> None:
        self.history.sightings[1].content = "answered|no|somebody"
        self.assert_caught("was told 'answered|no|somebody' of que_a")

    def test_a_message_that_is_never_told(self) -> None:
        del self.history.sightings[5]
        self.assert_caught("0 times of msg_1")

    def test_a_part_that_is_never_told(self) -> None:
        del self.history.sightings[7]
        self.assert_caught("0 times of part p")

    def test_a_snooze_that_is_never_told(self) -> None:
        del self.history.sightings[8]
        self.assert_caught("0 times of the snooze of que_c")

    def test_a_snooze_is_told_as_often_as_it_was_made(self) -> None:
        again = replace(self.history.sightings[8], cursor=110)
        self.history.sightings.append(again)
        self.assert_caught("2 times of the snooze of que_c")
        self.history.operations.append(
            operation("snooze", 53, 53.1, got={"until": "soon"}, ask="que_c", person="anna",
                      seconds=60))
        self.assertEqual(list(check(self.history)), [])

    def test_a_snooze_that_is_told_to_another(self) -> None:
        self.history.scopes["other"] = Scope("native", since=51.5, first_cursor=108, who="ben")
        self.history.sightings.append(replace(self.history.sightings[8], subscriber="other"))
        self.assert_caught("which is not ben's")

    def test_a_snapshot_without_what_waits(self) -> None:
        self.history.snapshots[0].asks = []
        self.assert_caught("que_c was pending and in no snapshot")

    def test_a_snapshot_with_what_is_over(self) -> None:
        self.history.snapshots[0].asks.append("que_a")
        self.assert_caught("que_a was settled and in a snapshot")

    def test_a_snapshot_of_a_node_that_stood_still(self) -> None:
        self.history.snapshots[0].asks.append("que_a")
        self.history.lag = 5
        settled = max(one.end for one in self.history.of("settle")
                      if one.given["ask"] == "que_a" and one.result == "ok")
        self.history.halts.append((settled - 1, 32))
        self.assertEqual(list(check(self.history)), [])
        self.history.halts[0] = (settled + 6, 32)
        self.assert_caught("que_a was settled and in a snapshot")

    # Drafts, messages, parts.

    def test_a_lost_draft(self) -> None:
        self.of("draft_get").got["words"] = ""
        self.assert_caught("anna reads ''")

    def test_a_draft_of_somebody_else(self) -> None:
        self.of("draft_get").got["words"] = "ben writes 7"
        self.assert_caught("anna reads 'ben writes 7'")

    def test_a_draft_that_is_lost_at_the_end(self) -> None:
        self.history.final["drafts"]["anna"]["drafts"] = []
        self.assert_caught("the draft of anna for que_c is ''")

    def test_a_draft_that_outlives_its_ask(self) -> None:
        self.history.final["drafts"]["anna"]["drafts"].append(
            {"ask": "que_a", "answers": [{"other": "x"}]})
        self.assert_caught("outlives que_a")

    def test_a_lost_message(self) -> None:
        del self.history.final["logs"]["talk"][0]
        self.assert_caught("is 0 times in the record")

    def test_a_message_twice(self) -> None:
        self.history.final["logs"]["talk"].append({"message": "msg_3", "text": "one"})
        self.assert_caught("is 2 times in the record")

    def test_messages_out_of_order(self) -> None:
        log = self.history.final["logs"]["talk"]
        log[0], log[1] = log[1], log[0]
        self.assert_caught("stands after one that was begun later")

    def test_a_message_that_comes_again(self) -> None:
        self.of("queue", 1).got["messages"].insert(0, ["msg_1", "one"])
        self.assert_caught("msg_1 was taken and comes again")

    def test_a_message_that_is_skipped(self) -> None:
        self.of("queue", 1).got["messages"] = []
        self.assert_caught("neither taken nor in the queue")

    def test_a_part_without_its_beginning(self) -> None:
        self.history.final["logs"]["talk"][2]["text"] = "it"
        self.assert_caught("part p is 'it' in the record")

    def test_a_part_that_was_not_open_and_is_ended(self) -> None:
        self.of("push").result = FAILED
        self.of("push").got = {"status": 503}
        self.history.final["logs"]["talk"][2]["text"] = "it"
        self.assert_caught("part p is 'it' in the record")

    def test_a_lost_part(self) -> None:
        del self.history.final["logs"]["talk"][2]
        self.assert_caught("part p was acknowledged and is lost")

    def test_a_part_twice(self) -> None:
        log = self.history.final["logs"]["talk"]
        log.append(log[2])
        self.assert_caught("part p is 2 times")

    # Tokens.

    def test_a_revoked_token_that_is_let_in(self) -> None:
        self.of("token_use", 1).result = OK
        self.assert_caught("t was revoked and let in")

    def test_a_token_that_has_run_out_and_is_let_in(self) -> None:
        self.of("token_make").given["expires"] = 0.5
        self.assert_caught("t was over and let in")

    def test_a_lost_token(self) -> None:
        first = self.of("token_use")
        first.result, first.got = FAILED, {"status": 401}
        self.assert_caught("t was acknowledged and not let in")

    def test_a_revocation_that_is_lost(self) -> None:
        self.history.final["tokens"]["tokens"].append({"name": "t"})
        self.assert_caught("t was revoked and is in the list")

    def test_a_held_call_that_outlives_its_token(self) -> None:
        self.of("token_hold").got["is_told"] = True
        self.asks()[0]["at"] = 64
        self.assert_caught("t was revoked, and its hold told of the answer")

    # What it uses.

    def test_what_grows_without_end(self) -> None:
        for name in ("MiB of memory", "descriptors", "files"):
            self.history.peaks = {name: 10_000}
            self.assert_caught(f"a broker had 10000 {name}")

    def test_more_workers_may_hold_more_connections(self) -> None:
        self.history.peaks["descriptors"] = 1000
        self.history.counts["more workers"] = 400
        self.assertEqual(check(self.history), [])


if __name__ == "__main__":
    unittest.main()
