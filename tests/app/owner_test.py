#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an owner does: tokens, the doctor, the agent of sessions without one, lists with names."""

import json
import os
import unittest

from broker_process import Broker
from parley_program import Ended, parley


class Owner(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)

    def run_here(self, *arguments: str) -> Ended:
        return parley(*arguments, **self.broker.variables)

    def run_with(self, token: str, *arguments: str) -> Ended:
        return parley("--server", self.broker.ready["url"], "--token", token, *arguments)

    def test_a_token_works_until_it_is_revoked(self) -> None:
        made = self.run_here("token", "create", "phone")
        self.assertEqual(made.code, 0)
        secret = made.out.strip()
        self.assertEqual(self.run_with(secret, "list").code, 0)
        self.assertEqual(self.run_here("token", "revoke", "phone").code, 0)
        refused = self.run_with(secret, "list")
        self.assertNotEqual(refused.code, 0)
        self.assertNotIn(secret, refused.err)

    def test_who_has_the_file_has_no_token(self) -> None:
        secrets = [self.run_here("token", "create", "phone").out.strip(),
                   (self.broker.folder / "token").read_text().strip()]
        self.assertEqual(self.run_with(secrets[0], "list").code, 0)
        self.assertEqual(self.broker.stop(), 0)
        stored = b"".join(file.read_bytes() for file in self.broker.folder.glob("parley.db*"))
        self.assertIn(b"phone", stored)
        for secret in secrets:
            self.assertNotIn(secret.encode(), stored)
            self.assertNotIn(max(secret.split("_"), key=len).encode(), stored)
        self.broker.start()

    def test_a_list_shows_names_and_roles_and_no_secret(self) -> None:
        made = json.loads(self.run_here("token", "create", "bot", "--role", "agent", "--expires",
                                        "30d", "--json").out)
        listed = self.run_here("token", "list")
        self.assertRegex(listed.out, r"bot +agent +made \d{4}-\d\d-\d\d  until ")
        self.assertRegex(listed.out, r"owner +owner")
        self.assertNotIn(made["token"], listed.out)
        tokens = json.loads(self.run_here("token", "list", "--json").out)["tokens"]
        self.assertEqual([token["name"] for token in tokens], ["bot", "owner"])

    def test_an_agent_may_not_answer_and_not_make_tokens(self) -> None:
        secret = self.run_here("token", "create", "bot", "--role", "agent").out.strip()
        refused = self.run_with(secret, "token", "create", "more")
        self.assertEqual(refused.code, 1)
        self.assertIn("a token of role agent may not", refused.err)

    def test_wrong_usage_is_named(self) -> None:
        for arguments, said in ((("token", "create", "x", "--role", "king"), "--role must be"),
                                (("token", "create", "x", "--expires", "soon"), "--expires soon"),
                                (("token", "revoke", "nobody"), "nobody")):
            ended = self.run_here(*arguments)
            self.assertIn(ended.code, (1, 2))
            self.assertIn(said, ended.err)
        self.assertEqual(self.run_here("token", "create", "owner").code, 1)

    def test_lists_say_the_session_and_take_its_name(self) -> None:
        for session in ("shop", "blog"):
            self.broker.call("POST", "/v1/asks", {"session": session, "questions": [
                {"question": "Tea or coffee?", "options": ["Tea", "Coffee"]}]})
        self.assertIn("[shop] ", self.run_here("list").out)
        only = self.run_here("list", "--session", "blog").out
        self.assertIn("[blog] ", only)
        self.assertNotIn("[shop] ", only)
        self.assertEqual(self.run_here("list", "--session", "none").code, 1)

    def test_the_doctor_finds_the_broker_and_its_process(self) -> None:
        found = json.loads(self.run_here("doctor", "--json").out)
        broker = [entry for entry in found["findings"] if entry["subject"] == "broker"]
        self.assertIn(f"process {self.broker.ready['pid']} ", broker[0]["detail"])
        self.assertEqual({entry["grade"] for entry in broker}, {"good"})


class WithoutABroker(unittest.TestCase):
    def test_the_doctor_says_that_no_broker_runs_and_how_to_start_one(self) -> None:
        ended = parley("doctor")
        self.assertEqual(ended.code, 1)
        self.assertIn("bad   broker", ended.out)
        self.assertIn("parley serve", ended.out)

    def test_the_doctor_sees_a_token_that_others_can_read(self) -> None:
        with Broker() as broker:
            folder = broker.folder / "parley"
            folder.mkdir()
            (folder / "token").write_text("secret\n")
            os.chmod(folder / "token", 0o644)
            ended = parley("doctor", XDG_STATE_HOME=str(broker.folder), **broker.variables)
        self.assertEqual(ended.code, 1)
        self.assertIn("chmod 600", ended.out)


class DefaultAgent(unittest.TestCase):
    def say(self, broker: Broker) -> dict:
        return broker.call("POST", "/v1/sessions/chat/messages", {"text": "hello"})[1]

    def test_the_demo_answers_who_speaks_in_a_session_without_an_agent(self) -> None:
        with Broker("--agent", "demo") as broker:
            self.say(broker)
            self.assertEqual(broker.pending()[0]["agent"], "demo")

    def test_without_one_the_message_is_kept_and_the_sender_told(self) -> None:
        with Broker() as broker:
            self.assertTrue(self.say(broker)["queued"])

    def test_an_unknown_agent_is_refused(self) -> None:
        self.assertEqual(parley("serve", "--agent", "smith").code, 2)


if __name__ == "__main__":
    unittest.main()
