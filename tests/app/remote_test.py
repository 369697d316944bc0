#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A broker that is reached over the network, where its answers come from, and what it logs."""

import http.client
import json
import os
import shlex
import socket
import tempfile
import threading
import time
import unittest
from pathlib import Path

from broker_process import Broker
from parley_program import PATIENCE_SECONDS, Ended, parley

CERTIFICATES = Path(__file__).parent / "certificates"
AUTHORITY = str(CERTIFICATES / "authority.pem")
TEA = {"questions": [{"question": "Tea or coffee?", "options": ["Tea", "Coffee"]}]}


class Rogue(unittest.TestCase):
    """What listens there is no broker, or means no good."""

    def answered_with(self, answer: bytes) -> Ended:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def serve() -> None:
                connection, _ = listener.accept()
                with connection:
                    # The same to every request; it neither sends more nor hangs up by itself.
                    while connection.recv(65536):
                        connection.sendall(answer)
            server = threading.Thread(target=serve, daemon=True)
            server.start()
            ended = parley("list", "--server", f"http://127.0.0.1:{listener.getsockname()[1]}",
                           "--token", "x" * 32)
            server.join(PATIENCE_SECONDS)
        return ended

    def test_a_reply_that_is_no_brokers_is_not_wrong_usage(self) -> None:
        for body in (b"[]", b"{}", b"Hello", b'{"asks":[{"id":7}],"next":null}'):
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            ended = self.answered_with(head + body)
            self.assertEqual(ended.code, 1, ended.err)
            self.assertIn("this is not what a broker answers", ended.err)

    def test_nobody_waits_for_a_reply_that_would_not_be_taken(self) -> None:
        ended = self.answered_with(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n{")
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("999999999999 bytes", ended.err)


class Https(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = Broker("--tls-cert", str(CERTIFICATES / "server.pem"), "--tls-key",
                             str(CERTIFICATES / "server.key"))
        self.addCleanup(self.broker.__exit__)
        self.token = (self.broker.folder / "token").read_text().strip()

    def list_asks(self, *arguments: str, **changes: str) -> Ended:
        return parley("list", "--server", self.broker.ready["url"], "--token", self.token,
                      *arguments, **changes)

    def test_an_authority_of_ones_own_is_named_by_flag_variable_or_file(self) -> None:
        self.assertEqual(self.list_asks("--ca", AUTHORITY).code, 0)
        self.assertEqual(self.list_asks(PARLEY_CA=AUTHORITY).code, 0)
        config = self.broker.folder / "parley"
        config.mkdir()
        (config / "config.toml").write_text(f"ca = {json.dumps(AUTHORITY)}\n")
        self.assertEqual(self.list_asks(XDG_CONFIG_HOME=str(self.broker.folder)).code, 0)

    def test_an_unknown_authority_is_refused_and_the_way_out_named(self) -> None:
        ended = self.list_asks()
        self.assertEqual(ended.code, 6)
        self.assertIn("certificate; if that is right, name the authority that signed it with --ca",
                      ended.err)

    def test_a_file_that_is_none_is_wrong_usage(self) -> None:
        for file in ("/nonexistent/ca.pem", str(CERTIFICATES / "server.key")):
            ended = self.list_asks("--ca", file)
            self.assertEqual(ended.code, 2)
            self.assertIn(f"{file}", ended.err)

    def test_a_wrong_token_is_told_how_to_give_a_right_one(self) -> None:
        ended = parley("list", "--server", self.broker.ready["url"], "--ca", AUTHORITY)
        self.assertEqual(ended.code, 1)
        self.assertIn("give --token or PARLEY_TOKEN", ended.err)


class Hooks(unittest.TestCase):
    def test_an_installed_hook_reaches_the_same_broker_from_any_folder(self) -> None:
        with tempfile.TemporaryDirectory() as home:
            ended = parley("hook", "claude", "--install", "--server", "unix:/a b/parley.sock",
                           "--ca", "ca.pem", HOME=home)
            self.assertEqual(ended.code, 0, ended.err)
            self.assertTrue(ended.out.endswith("}\n"), "the shell's prompt has a line of its own")
            settings = json.loads((Path(home) / ".claude/settings.json").read_text())
            command = settings["hooks"]["PermissionRequest"][0]["hooks"][0]["command"]
        words = shlex.split(command)
        self.assertEqual(words[words.index("--server") + 1], "unix:/a b/parley.sock")
        self.assertEqual(words[words.index("--ca") + 1], f"{os.getcwd()}/ca.pem")


class Names(unittest.TestCase):
    def test_a_server_answers_to_names_that_its_owner_gave_it(self) -> None:
        with Broker("--allow-host", "parley.example.org", "--allow-host", "box:80") as broker:
            port = int(broker.ready["url"].rsplit(":", 1)[1])
            for host, status in (("parley.example.org", 200), ("PARLEY.example.org:443", 200),
                                 ("box:80", 200), ("box", 403), ("box:81", 403),
                                 ("example.org", 403), (f"localhost:{port}", 200),
                                 (f"parley.localhost:{port}", 200),
                                 (f"evil.localhost:{port}", 403)):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                connection.request("GET", "/healthz", headers={"Host": host})
                self.assertEqual(connection.getresponse().status, status, host)
                connection.close()


class Agents(unittest.TestCase):
    def test_an_agent_lists_its_own_asks(self) -> None:
        with Broker() as broker:
            token = parley("token", "create", "bot", "--role", "agent", **broker.variables).out
            broker.call("POST", "/v1/asks", {**TEA, "session": "other"})
            bot = {"PARLEY_SERVER": broker.ready["url"], "PARLEY_TOKEN": token.strip()}
            parley("ask", "Mine?", "-o", "A", "-o", "B", "--timeout", "100ms", **bot)
            ended = parley("list", "--state", "all", **bot)
            self.assertEqual((ended.code, ended.err), (0, ""))
            self.assertRegex(ended.out,
                             r"^que_\w{26}  timed_out  Mine\?  timed out at \d\d:\d\d\n$")


class Answers(unittest.TestCase):
    def test_a_label_comes_before_a_number_and_a_stray_number_is_a_slip(self) -> None:
        with Broker() as broker:
            asked = broker.call("POST", "/v1/asks", {"question": "How many?",
                                                     "options": ["2", "10", "1"]})[1]["id"]
            for wrong in ("4", "7", "1,9"):
                ended = parley("answer", asked, wrong, **broker.variables)
                self.assertEqual(ended.code, 2, wrong)
                self.assertIn(f'has no choice "{wrong}"', ended.err)
            ended = parley("answer", asked, "2", "--json", **broker.variables)
            answers = json.loads(ended.out)["settlement"]["answers"]
            self.assertEqual(answers, [{"selected": ["2"]}])


class Doors(unittest.TestCase):
    def test_what_is_settled_by_a_command_was_settled_in_the_terminal(self) -> None:
        with Broker() as broker:
            asked = broker.call("POST", "/v1/asks", TEA)[1]
            parley("answer", asked["id"], "Tea", **broker.variables)
            settled = broker.call("GET", f"/v1/asks/{asked['id']}")[1]
            self.assertEqual(settled["settlement"]["door"], "terminal")

    def test_a_program_may_not_claim_to_be_the_page(self) -> None:
        with Broker() as broker:
            for claimed, recorded in (("page", "native"), ("nonsense", "native"), ("mcp", "mcp")):
                asked = broker.call("POST", "/v1/asks", TEA)[1]
                status, settled = broker.call("POST", f"/v1/asks/{asked['id']}/answer",
                                              {"answers": [{"selected": ["Tea"]}]},
                                              {"Parley-Door": claimed})
                self.assertEqual((status, settled["settlement"]["door"]), (200, recorded))


class Logs(unittest.TestCase):
    def log_of(self, *options: str) -> str:
        """What a broker logs of one ask that is answered."""
        with Broker("--log-level", "debug", *options) as broker:
            asked = broker.call("POST", "/v1/asks", TEA)[1]
            parley("answer", asked["id"], "Coffee", "--note", "Black", **broker.variables)
            end = time.monotonic() + PATIENCE_SECONDS
            while "ask-settled" not in (log := broker.log()) and time.monotonic() < end:
                time.sleep(0.02)
        self.assertIn(f'"event":"ask-opened","ask":"{asked["id"]}"', log)
        self.assertIn('"outcome":"answered"', log)
        return log

    def test_what_is_asked_and_answered_is_not_logged(self) -> None:
        log = self.log_of()
        for text in ("Tea", "Coffee", "Black"):
            self.assertNotIn(text, log)

    def test_unless_it_is_asked_for(self) -> None:
        log = self.log_of("--log-text")
        self.assertIn('"question":"Tea or coffee?"', log)
        self.assertIn("Coffee", log.split("ask-settled")[1])


if __name__ == "__main__":
    unittest.main()
