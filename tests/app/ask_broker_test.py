#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`parley ask` with a broker: answered elsewhere, here, both, across a crash of the broker."""

import json
import os
import signal
import subprocess
import unittest

from broker_process import Broker
from parley_program import LOGIN, PROGRAM, Ended, Terminal, environment, parley

TEA = ("ask", "Tea or coffee?", "-o", "Tea", "-o", "Coffee")


class WithABroker(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)

    def start(self, *arguments: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [PROGRAM, *TEA, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=environment(self.broker.variables))
        self.addCleanup(self.finish, process)
        return process

    @staticmethod
    def finish(process: subprocess.Popen) -> None:
        process.kill()
        process.communicate()

    def ended(self, process: subprocess.Popen) -> Ended:
        out, err = process.communicate(timeout=20)
        return Ended(process.returncode, out, err)

    def settle(self, verb: str, body: dict) -> None:
        ask = self.broker.pending()[0]
        status, answer = self.broker.call("POST", f"/v1/asks/{ask['id']}/{verb}", body)
        self.assertEqual(status, 200, answer)

    def answer(self, label: str) -> None:
        self.settle("answer", {"answers": [{"selected": [label]}], "by": "bob"})

    def test_it_waits_for_an_answer_from_elsewhere(self) -> None:
        process = self.start()
        self.answer("Coffee")
        ended = self.ended(process)
        self.assertEqual((ended.code, ended.out), (0, "Coffee\n"))
        self.assertRegex(ended.err, r"parley ask: answered by \S+ \(as “bob”\) through the API "
                                    r"at \d\d:\d\d\n")

    def test_each_outcome_has_its_code(self) -> None:
        for verb, code, said in (("dismiss", 3, f"dismissed by {LOGIN}"),
                                 ("withdraw", 5, "withdrawn")):
            process = self.start()
            self.settle(verb, {"reason": "no time"})
            ended = self.ended(process)
            self.assertEqual((ended.code, ended.out), (code, ""))
            self.assertIn(said, ended.err)
            self.assertIn("no time", ended.err)
        self.assertEqual(self.ended(self.start("--timeout", "100ms")).code, 4)

    def test_json_is_what_the_broker_has(self) -> None:
        process = self.start("--json", "--session", "mine")
        self.answer("Tea")
        ask = json.loads(self.ended(process).out)
        self.assertEqual((ask["session"], ask["state"]), ("mine", "answered"))
        self.assertEqual(ask["settlement"]["answers"], [{"selected": ["Tea"]}])

    def test_ctrl_c_withdraws_a_question_without_a_key(self) -> None:
        process = self.start()
        ask = self.broker.pending()[0]
        process.send_signal(signal.SIGINT)
        ended = self.ended(process)
        self.assertEqual((ended.code, ended.out), (130, ""))
        self.assertEqual(self.broker.call("GET", f"/v1/asks/{ask['id']}")[1]["state"], "withdrawn")

    def test_a_question_with_a_key_stays_and_can_be_come_back_to(self) -> None:
        process = self.start("--key", "drink")
        ask = self.broker.pending()[0]
        process.send_signal(signal.SIGTERM)
        ended = self.ended(process)
        self.assertEqual(ended.code, 130)
        self.assertIn(f"the question stays open as {ask['id']}", ended.err)
        again = self.start("--key", "drink")
        self.answer("Tea")
        self.assertEqual(self.ended(again).out, "Tea\n")
        self.assertEqual(self.ended(self.start("--key", "drink")).out, "Tea\n")

    def test_it_waits_through_a_crash_of_the_broker(self) -> None:
        process = self.start()
        self.broker.pending()
        self.broker.kill()
        self.broker.start()
        self.answer("Coffee")
        self.assertEqual(self.ended(process).out, "Coffee\n")

    def ask_in_the_background(self, *arguments: str) -> str:
        ended = parley(*TEA, "--background", *arguments, **self.broker.variables)
        self.assertEqual((ended.code, ended.err), (0, ""))
        return ended.out.strip()

    def wait(self, *arguments: str) -> Ended:
        return parley("wait", *arguments, **self.broker.variables)

    def test_in_the_background_it_is_asked_and_waited_for_later(self) -> None:
        ask = self.ask_in_the_background("--session", "mine")
        self.assertEqual(self.broker.pending()[0]["id"], ask)
        waiting = subprocess.Popen(
            [PROGRAM, "wait", ask, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=environment(self.broker.variables))
        self.addCleanup(self.finish, waiting)
        self.assertEqual(waiting.stderr.readline(), "parley wait: waits for 1 ask\n")
        self.broker.kill()
        self.broker.start()
        self.answer("Coffee")
        ended = self.ended(waiting)
        told = json.loads(ended.out)
        self.assertEqual((ended.code, told["id"], told["session"]), (0, ask, "mine"))
        self.assertEqual(told["settlement"]["answers"], [{"selected": ["Coffee"]}])
        again = self.wait(ask)
        self.assertEqual((again.code, again.out), (0, "Coffee\n"))
        self.assertIn("parley wait: answered by", again.err)

    def test_a_wait_for_several_ends_as_the_worst_of_them(self) -> None:
        first = self.ask_in_the_background("--key", "1")
        self.assertEqual(self.ask_in_the_background("--key", "1"), first)
        second = self.ask_in_the_background("--key", "2")
        self.broker.call("POST", f"/v1/asks/{second}/dismiss", {"reason": "no time"})
        ended = self.wait(first, second, "--any")
        self.assertEqual((ended.code, ended.out), (3, ""))
        self.broker.call("POST", f"/v1/asks/{first}/answer",
                         {"answers": [{"selected": ["Tea"]}]})
        ended = self.wait(second, first)
        self.assertEqual((ended.code, ended.out), (3, "Tea\n"))
        self.assertIn("no time", ended.err)

    def test_a_wait_that_is_interrupted_leaves_the_ask_open(self) -> None:
        ask = self.ask_in_the_background()
        waiting = subprocess.Popen([PROGRAM, "wait", ask], stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.PIPE, env=environment(self.broker.variables))
        self.addCleanup(self.finish, waiting)
        waiting.stderr.readline()
        waiting.send_signal(signal.SIGTERM)
        self.assertEqual(self.ended(waiting).code, 130)
        self.assertEqual(self.broker.pending()[0]["id"], ask)

    def test_a_wait_for_what_nobody_asked_is_wrong_usage(self) -> None:
        self.assertEqual(self.wait("que_zz").code, parley("show", "que_zz",
                                                          **self.broker.variables).code)
        self.assertEqual(self.wait().code, 2)
        self.assertEqual(parley(*TEA, "--background", "--here", stdin="1\n").code, 2)

    def test_an_open_prompt_closes_when_it_is_answered_elsewhere(self) -> None:
        with Terminal(*TEA, "--accessible", **self.broker.variables) as terminal:
            terminal.wait_for("> ")
            terminal.type("half a li")
            self.answer("Coffee")
            ended = terminal.end()
        self.assertEqual((ended.code, ended.out), (0, "Coffee\n"))
        self.assertRegex(ended.err,
                         r"\nparley ask: answered by \S+ \(as “bob”\) through the API "
                         r"at \d\d:\d\d\n")

    def test_what_is_typed_here_is_what_the_broker_records(self) -> None:
        ended = parley(*TEA, "--here", "--json", stdin="2\n", **self.broker.variables)
        ask = json.loads(ended.out)
        kept = self.broker.call("GET", f"/v1/asks/{ask['id']}")[1]
        self.assertEqual(kept["settlement"]["answers"], [{"selected": ["Coffee"]}])
        decider = kept["settlement"]["decider"]
        self.assertEqual((decider["name"], decider["claimed"]), (LOGIN, "ada"))
        self.assertEqual(decider["principal"], f"uid:{os.getuid()}")

    def test_the_server_can_be_named_and_wants_its_token(self) -> None:
        url = self.broker.ready["url"]
        ended = parley(*TEA, "--here", "--server", url, stdin="1\n")
        self.assertEqual(ended.code, 1)
        self.assertIn(f"the broker at {url} refuses", ended.err)
        token = (self.broker.folder / "token").read_text().strip()
        ended = parley(*TEA, "--here", "--server", url, "--token", token, stdin="1\n")
        self.assertEqual((ended.code, ended.out), (0, "Tea\n"))


class WithABrokerInMemory(unittest.TestCase):
    def test_it_serves_and_ends_with_an_ask_pending(self) -> None:
        questions = [{"question": "Tea?", "options": [{"label": "Yes"}, {"label": "No"}]}]
        with Broker(store="memory:") as broker:
            for _ in range(2):
                self.assertEqual(broker.call("POST", "/v1/asks", {"questions": questions})[0], 201)
            first, second = broker.pending(2)
            answered = broker.call("POST", f"/v1/asks/{first['id']}/answer",
                                   {"answers": [{"selected": ["Yes"]}]})
            self.assertEqual(answered[0], 200)
            self.assertEqual(broker.call("GET", f"/v1/asks/{first['id']}")[1]["state"], "answered")
            self.assertEqual([ask["id"] for ask in broker.pending(1)], [second["id"]])
            self.assertEqual(broker.stop(), 0)


if __name__ == "__main__":
    unittest.main()
