#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""list, show, watch, answer, dismiss: how asks are named, and what is said of them."""

import json
import os
import unittest
from typing import Any

from broker_process import Broker
from parley_program import Ended, Terminal, parley


class Commands(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())

    def ask(self, text: str, **more: Any) -> str:
        status, asked = self.broker.call("POST", "/v1/asks", {
            "question": text, "options": ["Yes", "No"], **more})
        self.assertEqual(status, 201)
        return asked["id"]

    def run_parley(self, *arguments: str) -> Ended:
        return parley(*arguments, **self.broker.variables)

    def beginning(self, wanted: str, *others: str) -> str:
        """The shortest beginning of `wanted` that none of the others has."""
        common = max(len(os.path.commonprefix([wanted, other])) for other in others)
        return wanted[:common + 1]

    def test_a_beginning_of_an_id_that_no_other_has_is_enough(self) -> None:
        first, second = self.ask("First?"), self.ask("Second?")
        for wanted, other, text in ((first, second, "First?"), (second, first, "Second?")):
            short = self.beginning(wanted, other)
            self.assertIn(text, self.run_parley("show", short).out)
            self.assertIn(text, self.run_parley("show", short.removeprefix("que_")).out)
        short = self.beginning(first, second)
        self.assertEqual(self.run_parley("answer", short, "No").code, 0)
        self.assertEqual(self.run_parley("dismiss", self.beginning(second, first)).code, 0)
        self.assertIn("dismissed", self.run_parley("show", second).out)

    def test_one_that_several_have_lists_what_it_could_be(self) -> None:
        asked = [self.ask(f"Number {number}?") for number in range(3)]
        for command in (("show",), ("answer",), ("dismiss",), ("withdraw",)):
            ended = self.run_parley(*command, os.path.commonprefix(asked),
                                    *(("Yes",) if command == ("answer",) else ()))
            self.assertEqual(ended.code, 2, command)
            for number, ask in enumerate(asked):
                self.assertRegex(ended.err, rf"{ask}  pending  Number {number}\?")
        self.assertEqual(self.run_parley("show", "que_").code, 2)
        missing = self.run_parley("show", "que_7zz")
        self.assertEqual(missing.code, 1)
        self.assertIn("no ask whose id begins with", missing.err)
        self.assertEqual(self.run_parley("show", "nonsense!").code, 2)

    def test_sessions_too(self) -> None:
        self.ask("Here?", session="one")
        self.ask("There?", session="two")
        sessions = self.broker.call("GET", "/v1/sessions")[1]["sessions"]
        one, two = (next(each["id"] for each in sessions if each["name"] == name)
                    for name in ("one", "two"))
        listed = self.run_parley("list", "--session", self.beginning(one, two)).out
        self.assertIn("Here?", listed)
        self.assertNotIn("There?", listed)
        ended = self.run_parley("list", "--session", os.path.commonprefix([one, two]))
        self.assertEqual(ended.code, 2)
        self.assertIn(two, ended.err)
        self.assertEqual(self.run_parley("list", "--session", "three").code, 1)

    def test_json_has_the_name_of_the_session_beside_its_id(self) -> None:
        named = self.ask("Here?", session="shop")
        bare = self.broker.call("POST", "/v1/sessions", {"title": "Only a title"})[1]["id"]
        nameless = self.ask("There?", session=bare)
        shop = self.broker.call("GET", f"/v1/asks/{named}")[1]["session_id"]
        expected = {named: ("shop", shop), nameless: (bare, bare)}

        def pair(ask: dict) -> tuple[str, str]:
            return ask["session"], ask["session_id"]

        listed = json.loads(self.run_parley("list", "--json").out)["asks"]
        self.assertEqual({each["id"]: pair(each) for each in listed}, expected)
        for ask, both in expected.items():
            self.assertEqual(pair(json.loads(self.run_parley("show", "--json", ask).out)), both)
            ended = self.run_parley("dismiss", "--json", ask)
            self.assertEqual(pair(json.loads(ended.out)), both)

    def test_brief_lines_are_an_id_and_a_title(self) -> None:
        self.assertEqual(self.run_parley("list", "--brief"), Ended(0, "", ""))
        asked = self.ask("Deploy\tnow\nor later?", session="shop")
        self.assertEqual(self.run_parley("list", "--brief").out,
                         f"{asked}\t[shop] Deploy now or later?\n")

    def test_a_question_is_said_once(self) -> None:
        self.ask("Question number 3 of many agents?", session="shop")
        self.assertRegex(self.run_parley("list").out,
                         r"^que_\w+ +\d+ s  \[shop\] Question number 3 of many agents\?\n$")

    def test_list_says_what_was_decided_and_by_whom(self) -> None:
        asked = self.ask("Deploy?", session="shop", header="Deploy")
        gone = self.ask("Delete?", session="shop")
        self.run_parley("answer", asked, "No")
        self.run_parley("dismiss", gone, "--reason", "never")
        listed = self.run_parley("list", "--state", "all").out
        self.assertRegex(listed, rf"{asked}   answered  \[shop\] Deploy: No  answered by .+ in "
                                 r"the terminal at \d\d:\d\d\n")
        self.assertRegex(listed, r"\[shop\] Delete\?  dismissed by .*: never\n")

    def test_so_does_watch(self) -> None:
        self.ask("Is there anybody?", session="before")
        with Terminal("watch", shows_stdout=True, columns=200,
                      **self.broker.variables) as watching:
            watching.wait_for("[before] Is there anybody?")
            asked = self.ask("Deploy?", session="shop", header="Deploy")
            watching.wait_for(f"{asked}  [shop] Deploy?")
            self.run_parley("answer", asked, "No")
            watching.wait_for(f"ask.settled    {asked}  [shop] Deploy: No  answered by ")

    def test_show_is_whole(self) -> None:
        body = {"questions": [{"question": "Which?", "header": "Layout", "options": [
            {"label": "A", "preview": "+--+\n|a |\n+--+"}, {"label": "B"}]}], "session": "shop"}
        asked = self.broker.call("POST", "/v1/asks", body)[1]["id"]
        shown = self.run_parley("show", asked).out
        self.assertIn("session shop, asked", shown)
        self.assertIn("     │ +--+\n     │ |a |\n", shown)

    def test_words_that_look_like_a_number(self) -> None:
        asked = self.ask("How many?")
        self.assertEqual(self.run_parley("answer", asked, "--", "3").code, 0)
        settled = json.loads(self.run_parley("show", asked, "--json").out)["settlement"]
        self.assertEqual(settled["answers"], [{"selected": [], "other": "3"}])

    def test_who_comes_too_late_is_told_what_was_decided(self) -> None:
        asked = self.ask("Deploy?", header="Deploy")
        self.run_parley("answer", asked, "No")
        late = self.run_parley("answer", asked, "Yes")
        self.assertEqual(late.code, 1)
        self.assertRegex(late.err, r"too late: answered by .*\n  Deploy: No\n")

    def test_answer_says_who_asks(self) -> None:
        self.ask("Deploy?", session="shop", agent="claude")
        with Terminal("answer", "--accessible", **self.broker.variables) as terminal:
            terminal.wait_for("shop / claude asks")
            terminal.wait_for("Deploy?")

    def test_an_inbox_without_a_terminal_says_what_to_use_instead(self) -> None:
        for options in ([], ["--accessible"]):
            ended = self.run_parley("inbox", *options)
            self.assertEqual(ended.code, 2)
            self.assertIn("there is no terminal to answer on; use 'parley list'", ended.err)

    def test_a_slip_is_understood(self) -> None:
        self.assertIn('did you mean "ask"?', self.run_parley("aks").err)


if __name__ == "__main__":
    unittest.main()
