#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README and docs against the program: every command and option that they name is there, every link
leads somewhere, every message that docs/troubleshooting.md quotes is the program's."""

import functools
import http.client
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from broker_process import Broker
from parley_program import parley

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md")),
         *sorted((ROOT / "clients").glob("*/README.md")), ROOT / "examples/README.md"]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|src=\"([^\"]+)\"")
# Where a command begins; what follows are its words.
CALL = re.compile(r"(?:^\s*(?:\$ )?|[(|&;] ?|-- |=\S* )"
                  r"(?:build/release/parley|\./parley-dev run --|parley) "
                  r"([a-z][a-z-]*(?= |$)[^`#|;&)\n]*)", re.M)


def anchors(text: str) -> set[str]:
    """As they are made from headings where pages are shown."""
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@functools.cache
def commands() -> frozenset[str]:
    listed = re.findall(r"^  ([a-z-]+(?: [a-z]+)?)  ", parley("--help").out, re.M)
    return frozenset(listed)


@functools.cache
def options(command: str) -> frozenset[str]:
    text = parley(*command.split(), "--help").out
    return frozenset(re.findall(r"^ {2,6}(?:-\w, )?(--[a-z-]+)", text, re.M))


def code_of(page: Path) -> str:
    """What stands in blocks and between backticks, without lines that the text is wrapped at."""
    text = re.sub(r"\\\n\s*", " ", page.read_text())
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S)
    blocks += re.findall(r"(?:^ {4}\S.*\n)+", text, re.M)
    prose = re.sub(r"^```\w*\n.*?^```$", "", text, flags=re.M | re.S)
    inline = [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose)]
    return "\n".join(blocks + inline)


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self) -> None:
        for page in PAGES:
            text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
            for found in LINK.findall(text):
                target, _, anchor = (found[0] or found[1]).partition("#")
                if "://" in target or target.startswith("mailto:"):
                    continue
                file = (page.parent / target).resolve() if target else page
                self.assertTrue(file.exists(), f"{page.relative_to(ROOT)} links to {target}")
                if anchor and file.suffix == ".md":
                    self.assertIn(anchor, anchors(file.read_text()),
                                  f"{page.relative_to(ROOT)} links to {target}#{anchor}")


class Commands(unittest.TestCase):
    def check(self, page: Path, call: str) -> bool:
        words = [word.strip("[],") for word in call.split()]
        known = [name for name in commands()
                 if words[:len(name.split())] == name.split()]
        if not known:
            groups = {name.split()[0] for name in commands()}
            self.assertIn(words[0], groups | {"help"}, f"{page.relative_to(ROOT)}: parley {call}")
            return False
        command = max(known, key=len)
        own = words[:words.index("--")] if "--" in words else words
        for word in own:
            if re.fullmatch(r"--[a-z][a-z-]+", word):
                self.assertIn(word, options(command), f"{page.relative_to(ROOT)}: parley {call}")
        return True

    def test_every_command_and_option_is_there(self) -> None:
        checked = 0
        for page in PAGES:
            if page.name == "reference.md":  # made by the program itself
                continue
            checked += sum(self.check(page, call) for call in CALL.findall(code_of(page)))
        self.assertGreater(checked, 150)

    def test_the_readme_answers_by_a_pipe(self) -> None:
        line = re.search(r"^    echo 2 \| parley (ask .*)$",
                         (ROOT / "README.md").read_text(), re.M)[1]
        self.assertEqual(parley(*shlex.split(line), stdin="2\n").out, "Coffee\n")


class Messages(unittest.TestCase):
    """What somebody sees is what they can look for."""

    page = (ROOT / "docs/troubleshooting.md").read_text()

    def assert_quoted(self, message: str) -> None:
        quoted = [text for text in re.findall(r"^\| `([^`]+)`", self.page, re.M) if text in message]
        self.assertTrue(quoted, f"docs/troubleshooting.md has no row for: {message}")
        type(self).seen |= set(quoted)

    seen: set[str] = set()

    def refused_install(self) -> str:
        """What install.sh says where the program does not run."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "bin/parley")
            program.parent.mkdir()
            program.write_text("#!/bin/sh\nexit 1\n")
            program.chmod(0o755)
            script = shutil.copy(ROOT / "packaging/install.sh", folder)
            ended = subprocess.run(["sh", script, "--prefix", f"{folder}/prefix"],
                                   capture_output=True, text=True, check=False)
            self.assertEqual(ended.returncode, 1, ended.stdout)
            return ended.stderr

    def test_each_is_the_programs(self) -> None:
        self.assert_quoted(self.refused_install())
        with tempfile.TemporaryDirectory() as nobody:
            self.assert_quoted(parley("list", XDG_RUNTIME_DIR=nobody, HOME=nobody).err)
        self.assert_quoted(parley("serve", "--listen", "0.0.0.0:0", "--store", "memory:").err)
        with Broker() as broker:
            url = broker.ready["url"]
            address = url.removeprefix("http://")
            own = ["--token-file", str(broker.folder / "token"), "--socket",
                   str(broker.folder / "other.sock")]
            store = f"sqlite:{broker.folder}/parley.db"
            self.assert_quoted(parley("serve", "--store", store, "--listen", "127.0.0.1:0",
                                      *own).err)
            self.assert_quoted(parley("serve", "--store", "memory:", "--listen", address, *own).err)
            self.assert_quoted(parley("list", "--server", url).err)
            for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
                connection = http.client.HTTPConnection(address, timeout=20)
                connection.request("GET", "/v1/asks", headers=headers)
                self.assert_quoted(connection.getresponse().read().decode())
                connection.close()
        rows = {text for text in re.findall(r"^\| `([^`]+)`", self.page, re.M)
                if " " in text and not text.startswith("parley ")}
        self.assertEqual(rows, self.seen, "a quoted message that no test has seen")


if __name__ == "__main__":
    unittest.main()
