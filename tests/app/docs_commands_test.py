#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command that README and docs show is run by a test. Blocks marked `sh` run as they stand
(docs_test.py), recipes where their marks are read; this has README's own, and the list of all
others: which test runs each, or why none can. A command that is new and in neither fails."""

import re
import shlex
import subprocess
import unittest
from pathlib import Path

from broker_process import Broker
from named_tests import is_there
from parley_program import PATIENCE_SECONDS, PROGRAM, Terminal, environment, parley

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md",
         *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.name != "reference.md"),
         *sorted((ROOT / "clients").glob("*/README.md"))]
PROGRAMS = {"parley", "./parley-dev", "claude", "codex", "opencode", "gemini", "npm", "npx", "node",
            "python3", "pip", "venv/bin/pip", "sh", "echo", "export", "ssh", "curl", "apt",
            "apt-get", "systemctl", "createuser", "createdb", "psql", "podman", "docker", "skopeo",
            "sudo", "git", "cmake"}
BLOCK = re.compile(r"(?P<mark><!-- recipe: \S+ -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$",
                   re.M | re.S)
ASKING = 'parley ask "Which database?"'
INDENTED = re.compile(r"(?:^ {4}.*\n)+", re.M)

# The beginning of a command, and the test that runs it, or one with other arguments.
RUN_BY = {
    "./parley-dev test": ".ci/run",
    "./parley-dev run": "tests/package/run_test.sh",
    "./parley-dev soak": "history_test.test_no_promise_is_broken",
    "python3 -B tools/history run": "history_test.test_no_promise_is_broken",
    "echo 2 | parley ask": "pages_test.test_the_readme_answers_by_a_pipe",
    "claude mcp add": "tests/clients/claude/mcp.test.mjs",
    "claude -p --permission-prompt-tool": "tests/clients/claude/mcp.test.mjs",
    "claude": "tests/clients/claude/hook.test.mjs",
    "git diff | parley run claude": "tests/clients/claude/run.test.mjs",
    "parley hook claude": "tests/clients/claude/hook.test.mjs",
    "parley join codex": "tests/clients/agents/codex_join.test.mjs",
    "parley run claude": "tests/clients/claude/run.test.mjs",
    "parley run codex": "tests/clients/agents/codex_run.test.mjs",
    "parley run opencode": "tests/clients/agents/opencode_run.test.mjs",
    "parley run gemini": "tests/clients/agents/gemini.test.mjs",
    "parley run qwen": "tests/clients/acp/run.test.mjs",
    "parley run copilot": "tests/clients/acp/run.test.mjs",
    "parley run acp": "tests/clients/acp/run.test.mjs",
    "parley acp-proxy": "tests/clients/acp/proxy.test.mjs",
    "parley run llm": "tests/clients/llm/run.test.mjs",
    "parley serve --agent llm": "tests/clients/llm/serve.test.mjs",
    "parley inbox": "tests/terminal/inbox_test.py",
    "parley status": "status_test.test_what_waits_is_one_line_and_ten",
    "parley store backup": "store_test.test_a_backup_is_made_while_asks_are_made",
    "parley store check": "store_test.test_a_backup_is_made_while_asks_are_made",
    "parley store restore":
        "store_test.test_a_restore_replaces_nothing_unasked_and_nothing_by_a_bad_backup",
    "parley store migrate": "store_test.test_a_store_goes_to_postgres_and_back_as_it_was",
    "parley store forget": "tests/app/store_forget_test.py",
    "parley serve --store 'postgres://": "nodes_test.test_asked_on_one_and_answered_on_the_other",
    "parley serve --listen 0.0.0.0":
        "remote_test.test_an_authority_of_ones_own_is_named_by_flag_variable_or_file",
    "parley list --server":
        "remote_test.test_an_authority_of_ones_own_is_named_by_flag_variable_or_file",
    "export PARLEY_SERVER=": "proxy_test.test_commands_reach_it",
    "parley ask \"Deploy": "proxy_test.test_commands_reach_it",
    "apt install ./parley_": "tests/package/install_test.sh",
    "sh install.sh": "tests/package/packages_test.sh",
    "export PATH=": "tests/package/run_test.sh",
    "parley serve --demo": "demo_test.test_serve_says_that_the_demo_asks",
    "export PYTHONPATH=": "python_client_test.test_it_is_had_as_its_readme_says",
    "python3 -m venv": "python_client_test.test_it_is_had_as_its_readme_says",
    "venv/bin/pip install": "python_client_test.test_it_is_had_as_its_readme_says",
    "npm install ./parley-client": "tests/clients/typescript/pack.test.mjs",
}
# What calls the scripts among them: a file that is there and that nothing calls runs no command.
CALLED_BY = {
    "tests/package/install_test.sh": ("tools/stages.sh", "./parley-dev fresh package"),
    "tests/package/packages_test.sh": ("tests/package/CMakeLists.txt", "/packages_test.sh "),
    "tests/package/run_test.sh": (".ci/run", "tests/package/run_test.sh "),
}
# And why no test runs it.
RUN_BY_NOBODY = {
    "ssh -L": "it needs a second machine",
    "echo 127.0.0.1 parley.localhost": "it changes the names of the machine",
    "createuser": "PostgreSQL's own; the tests have a cluster that is theirs alone",
    "createdb": "PostgreSQL's own; the tests have a cluster that is theirs alone",
}


def commands_of(text: str) -> list[str]:
    """What a reader would type; where prompts are shown, what follows them."""
    lines = [line.strip() for line in re.sub(r"\\\n\s*", "", text).splitlines()]
    if any(line.startswith("$ ") for line in lines):
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return [line for line in lines if line.split(" ")[0] in PROGRAMS]


def commands_not_run(page: Path) -> list[str]:
    """Those in blocks that are neither marked `sh` nor a recipe."""
    text = page.read_text()
    blocks = [block["text"] for block in BLOCK.finditer(text)
              if not block["mark"] and block["kind"] in ("", "bash", "console", "shell")]
    rest = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return [command for block in blocks + INDENTED.findall(rest) for command in commands_of(block)]


class EveryCommand(unittest.TestCase):
    def test_it_is_run_or_said_why_not(self) -> None:
        used = set()
        for page in PAGES:
            for command in commands_not_run(page):
                if page.name == "README.md" and command in Readme.commands:
                    continue
                known = [begin for begin in {**RUN_BY, **RUN_BY_NOBODY}
                         if command.startswith(begin)]
                self.assertTrue(known, f"{page.relative_to(ROOT)}: no test runs `{command}`: mark "
                                "its block `sh`, or add it to docs_commands_test.py")
                used.add(max(known, key=len))
        self.assertGreater(len(used), 20)
        for begin in used & set(RUN_BY):
            self.assertTrue(is_there(RUN_BY[begin]), RUN_BY[begin])

    def test_scripts_that_run_commands_are_called(self) -> None:
        for script in {test for test in RUN_BY.values() if test.endswith(".sh")}:
            caller, call = CALLED_BY[script]
            self.assertIn(call, (ROOT / caller).read_text(), f"{caller} does not call {script}")

    def test_a_new_one_is_noticed(self) -> None:
        self.assertEqual(commands_of("    $ parley dance  # new\n    no command\n"),
                         ["parley dance  # new"])
        self.assertEqual(commands_of("parley one \\\n  --two\n{\"json\": 1}\n"),
                         ["parley one --two"])


class Readme(unittest.TestCase):
    """What README begins with, as it stands there: ask, list, answer, watch."""

    commands = [command for command in commands_not_run(ROOT / "README.md")
                if command.startswith((ASKING, "parley list", "parley answer", "parley watch"))]

    def words(self, begin: str) -> list[str]:
        [command] = [one for one in self.commands if one.startswith(begin)]
        return shlex.split(command, comments=True)[1:]

    def test_the_program_has_one_name(self) -> None:
        """Whoever installed it has no build folder, but for the line that puts that into PATH."""
        text = (ROOT / "README.md").read_text()
        self.assertEqual(text.count("build/release"), 1)
        self.assertIn('    export PATH="$PWD/build/release:$PATH"\n', text)

    def test_ask_list_answer_and_watch(self) -> None:
        shown = (ROOT / "README.md").read_text().split(ASKING)[1].splitlines()[1].strip()
        with (Broker() as broker,
              Terminal(*self.words("parley watch"), shows_stdout=True, columns=200,
                       **broker.variables) as watching):
            asking = subprocess.Popen([PROGRAM, *self.words(ASKING)], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                      env=environment(broker.variables))
            self.addCleanup(asking.kill)
            broker.pending()
            watching.wait_for("Which database?")
            listed = parley(*self.words("parley list"), **broker.variables)
            self.assertIn("Which database?", listed.out)
            with Terminal(*self.words("parley answer"), ACCESSIBLE="1",
                          **broker.variables) as answering:
                answering.wait_for("> ")
                answering.type("1\n")
                self.assertEqual(answering.end().code, 0)
            out, _ = asking.communicate(timeout=PATIENCE_SECONDS)
            self.assertEqual((out.strip(), asking.returncode), (shown, 0))
            watching.wait_for("PostgreSQL  answered by")


if __name__ == "__main__":
    unittest.main()
