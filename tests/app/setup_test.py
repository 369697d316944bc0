#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Setting up: folders and addresses that are mistyped, proxies, sign-ins, tokens of one person, and
a doctor who goes on."""

import http.client
import json
import os
import stat
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlsplit

from broker_process import Broker
from parley_program import LOGIN, Ended, parley


class Mistyped(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def serve(self, *options: str) -> Ended:
        return parley("serve", "--listen", "127.0.0.1:0", *options,
                      XDG_STATE_HOME=str(self.folder / "state"), XDG_RUNTIME_DIR=str(self.folder))

    def test_a_folder_that_is_not_there_is_named_and_not_made(self) -> None:
        missing = self.folder / "mistyped"
        for option, value in (("--store", f"sqlite:{missing}/parley.db"),
                              ("--token-file", f"{missing}/token"),
                              ("--socket", f"{missing}/parley.sock")):
            with self.subTest(option):
                ended = self.serve(option, value)
                self.assertEqual(ended.code, 2)
                self.assertIn(f"there is no folder {missing};", ended.err)
                self.assertIn("mkdir -p", ended.err)
                self.assertFalse(missing.exists())

    def test_addresses_are_checked(self) -> None:
        for option, value in (("--allow-host", "https://parley.example.org"),
                              ("--allow-host", "a b"),
                              ("--allow-origin", "parley.example.org"),
                              ("--allow-origin", "*"),
                              ("--public-url", "parley.example.org"),
                              ("--public-url", "https://parley.example.org/path")):
            with self.subTest(f"{option} {value}"):
                ended = self.serve(option, value)
                self.assertEqual(ended.code, 2)
                self.assertIn(f"{option} {value}: expected ", ended.err)
        with Broker() as broker:
            ended = parley("token", "qr", "--url", "parley.example.org", **broker.variables)
            self.assertEqual(ended.code, 2)
            self.assertIn("--url parley.example.org: expected ", ended.err)

    def test_the_state_folder_is_for_its_owner_alone_also_when_mcp_starts_the_broker(self) -> None:
        state = self.folder / "state"
        old = os.umask(0o022)
        try:
            ended = parley("mcp", stdin="", XDG_STATE_HOME=str(state),
                           XDG_RUNTIME_DIR=str(self.folder))
        finally:
            os.umask(old)
        self.addCleanup(self.stop_broker)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(stat.S_IMODE((state / "parley").stat().st_mode), 0o700)

    def stop_broker(self) -> None:
        found = json.loads(parley("doctor", "--json", XDG_STATE_HOME=str(self.folder / "state"),
                                  XDG_RUNTIME_DIR=str(self.folder)).out)
        for entry in found["findings"]:
            if entry["detail"].startswith("process "):
                os.kill(int(entry["detail"].split()[1]), 9)


class Doctor(unittest.TestCase):
    def test_it_goes_on_past_a_configuration_that_cannot_be_read(self) -> None:
        with Broker() as broker:
            config = broker.folder / "config" / "parley"
            config.mkdir(parents=True)
            (config / "config.toml").write_text("colour = 'red'\n")
            variables = {**broker.variables, "XDG_CONFIG_HOME": str(config.parent)}
            self.assertEqual(parley("list", **variables).code, 2)
            ended = parley("doctor", "--json", **variables)
        self.assertEqual(ended.code, 1)
        found = json.loads(ended.out)["findings"]
        bad = [entry["detail"] for entry in found if entry["grade"] == "bad"]
        self.assertEqual(len(bad), 1)
        self.assertIn("config.toml:1", bad[0])
        self.assertIn("answers, and takes us", [entry["detail"] for entry in found])

    def test_it_names_the_page_and_both_versions(self) -> None:
        with Broker() as broker:
            ended = parley("doctor", **broker.variables)
            version = parley("--version").out.split()[1]
        self.assertIn(f"{broker.ready['url']}/;", ended.out)
        self.assertIn(f"this program is {version}", ended.out)
        self.assertIn(f"the broker is {version} too", ended.out)


def fetch(url: str, target: str, **headers: str) -> http.client.HTTPResponse:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    connection.request("GET", target, headers=headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response


class BehindAProxy(unittest.TestCase):
    def test_the_public_address_is_printed_allowed_and_makes_cookies_secure(self) -> None:
        with Broker("--public-url", "https://parley.example.org/", "--print-sign-in") as broker:
            self.assertEqual(broker.ready["public_url"], "https://parley.example.org")
            link = broker.ready["sign_in"]
            self.assertTrue(link.startswith("https://parley.example.org/?token="), link)
            made = json.loads(parley("token", "qr", "--json", **broker.variables).out)
            self.assertTrue(made["url"].startswith("https://parley.example.org/?token="))
            target = link.removeprefix("https://parley.example.org")
            opened = fetch(broker.ready["url"], target, Host="parley.example.org")
            self.assertEqual(opened.status, 303)
            self.assertIn("; Secure", opened.headers["Set-Cookie"])
            for origin, status in (("https://parley.example.org", 200),
                                   ("https://elsewhere.example.org", 403)):
                self.assertEqual(fetch(broker.ready["url"], "/healthz", Origin=origin).status,
                                 status)
            self.assertEqual(fetch(broker.ready["url"], "/healthz", Host="other.org").status, 403)

    def test_without_one_the_cookie_is_for_plain_http(self) -> None:
        with Broker("--print-sign-in") as broker:
            link = urlsplit(broker.ready["sign_in"])
            opened = fetch(broker.ready["url"], f"/?{link.query}")
        self.assertNotIn("Secure", opened.headers["Set-Cookie"])


class Persons(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = Broker()
        self.addCleanup(self.broker.__exit__)

    def run_here(self, *arguments: str) -> Ended:
        return parley(*arguments, **self.broker.variables)

    def self_of(self, secret: str) -> dict:
        return self.broker.call("GET", "/v1/self", headers={"Authorization": f"Bearer {secret}"})[1]

    def test_a_rotated_token_and_a_second_one_are_the_same_persons(self) -> None:
        first = self.run_here("token", "create", "anna").out.strip()
        who = self.self_of(first)
        self.assertEqual(who["name"], "anna")
        second = self.run_here("token", "create", "anna-script", "--as", "anna").out.strip()
        self.assertEqual(self.self_of(second)["principal"], who["principal"])
        again = self.run_here("token", "rotate", "anna").out.strip()
        self.assertNotEqual(again, first)
        self.assertEqual(self.self_of(again)["principal"], who["principal"])
        self.assertEqual(self.self_of(first)["status"], 401)
        taken = self.run_here("token", "create", "Anna")
        self.assertEqual(taken.code, 1)
        self.assertIn("--as", taken.err)
        for name in ("anna", "anna-script"):
            self.assertEqual(self.run_here("token", "revoke", name).code, 0)
        anew = self.run_here("token", "create", "anna").out.strip()
        self.assertNotEqual(self.self_of(anew)["principal"], who["principal"])

    def test_a_link_is_for_a_person_and_the_list_says_whose_it_is(self) -> None:
        self.run_here("token", "create", "anna")
        link = json.loads(self.run_here("token", "qr", "--as", "anna", "--json").out)["url"]
        opened = fetch(self.broker.ready["url"], f"/?{urlsplit(link).query}",
                       **{"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"})
        cookie = opened.headers["Set-Cookie"].split(";")[0]
        who = self.broker.call("GET", "/v1/self", headers={"Authorization": "Bearer x"})[0]
        self.assertEqual(who, 401)
        self.assertEqual(fetch(self.broker.ready["url"], "/v1/self", Cookie=cookie).status, 200)
        listed = self.run_here("token", "list").out
        self.assertRegex(listed, r"browser:\w+ +responder .* of anna  Firefox on Linux  "
                                 r"used \d{4}-")
        self.assertEqual(self.run_here("token", "qr", "--as", "..").code, 2)

    def test_the_owner_of_the_socket_is_the_login_name(self) -> None:
        who = self.broker.call("GET", "/v1/self")[1]
        self.assertEqual((who["principal"], who["name"], who["role"]),
                         (f"uid:{os.getuid()}", LOGIN, "owner"))


if __name__ == "__main__":
    unittest.main()
