#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command that README and docs show is run by a test. Blocks marked `sh` run as they stand
(docs_test.py), recipes where their marks are read; this has README's own, and the list of all
others: which test runs each, or why none can. A command that is new and in neither fails, and so
does one whose test says nothing of it."""

import functools
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

INSTALLED_BY_APT = ("tests/package/install_test.sh",
                    '"$@" install "$folder"/parley_*_amd64.deb')
INSTALLED_BY_SCRIPT = ("tests/package/install_test.sh",
                       '"$folder/install.sh" "$folder"/parley-*-linux-x86_64.tar.gz')
TYPED_FROM_README = ("python_client_test.test_it_is_had_as_its_readme_says",
                     'COMMANDS.findall((PACKAGE / "README.md")')
# The beginning of a command, and the test that runs it, or one with other arguments. In the test,
# or in what it imports of ours, stand the words of that beginning one after the other, and every
# option that a page shows with it. A test that says it otherwise has its own words beside it.
RUN_BY = {
    "./parley-dev test": ".ci/run",
    "./parley-dev run": "tests/package/run_test.sh",
    "echo 2 | parley ask": ("pages_test.test_the_readme_answers_by_a_pipe",
                            r"echo 2 \| parley (ask .*)"),
    "claude mcp add": ("tests/clients/claude/mcp.test.mjs",
                       '["mcp", "add", "parley", "--", PROGRAM, "mcp"]'),
    "claude -p --permission-prompt-tool": ("tests/clients/claude/surroundings.test.mjs",
                                           '"--permission-prompt-tool", "mcp__parley__ask_user"'),
    "claude": ("tests/clients/claude/terminal.test.mjs", "Screen.claude("),
    "git diff | parley run claude": ("tests/clients/claude/surroundings.test.mjs",
                                     '["run", "claude"], { input: "pipe" }'),
    "parley run claude \"Tidy up\" -- --model": ("tests/clients/claude/surroundings.test.mjs",
                                                 'w.run("go", "--", "--allowedTools"'),
    "parley hook claude": "tests/clients/claude/hook.test.mjs",
    "parley join codex": "tests/clients/agents/codex_join.test.mjs",
    "parley run claude": "tests/clients/claude/run.test.mjs",
    "parley run codex": "tests/clients/agents/codex_run.test.mjs",
    "parley run opencode": "tests/clients/agents/opencode_run.test.mjs",
    "parley run gemini": "tests/app/known_agents_test.py",
    "parley run qwen": "tests/app/known_agents_test.py",
    "parley run acp": "tests/clients/acp/run.test.mjs",
    "parley acp-proxy": "tests/clients/acp/proxy.test.mjs",
    "parley run llm": "tests/clients/llm/run.test.mjs",
    "parley serve --agent llm": ("tests/clients/llm/serve.test.mjs", '"--agent", "llm", "--api",'),
    "parley inbox": "tests/terminal/inbox_test.py",
    "parley status": "status_test.test_what_waits_is_one_line_and_ten",
    "parley store backup": "store_test.test_a_backup_is_made_while_asks_are_made",
    "parley store check": "store_test.test_a_backup_is_made_while_asks_are_made",
    "parley store restore":
        "store_test.test_a_restore_replaces_nothing_unasked_and_nothing_by_a_bad_backup",
    "parley store migrate": "store_test.test_a_store_goes_to_postgres_and_back_as_it_was",
    "parley store forget": "tests/app/store_forget_test.py",
    "parley serve --store 'postgres://": (
        "nodes_test.test_asked_on_one_and_answered_on_the_other", "postgres://parley@/postgres"),
    "parley serve --listen 0.0.0.0": (
        "recipes_test.test_a_phone_is_signed_in_by_the_name_that_is_given", '"0.0.0.0:7373"'),
    "parley list --server":
        "remote_test.test_an_authority_of_ones_own_is_named_by_flag_variable_or_file",
    "export PARLEY_SERVER=": (
        "remote_test.test_an_agent_lists_its_own_asks",
        '{"PARLEY_SERVER": broker.ready["url"], "PARLEY_TOKEN": token.strip()}'),
    "parley ask \"Deploy": ("proxy_test.test_commands_reach_it",
                           'self.commands("ask", "Tea?", "-o", "Yes", "-o", "No")'),
    "apt install ./build/packages/parley_": INSTALLED_BY_APT,
    "apt install ./parley_": INSTALLED_BY_APT,
    "sh build/packages/install.sh": INSTALLED_BY_SCRIPT,
    "sh install.sh": INSTALLED_BY_SCRIPT,
    "export PATH=": ("tests/package/run_test.sh", r"s/^    \(export PATH=.*\)/\1/p"),
    "cmake --install build/release": ("tests/package/package_test.sh",
                                      "type_line 'cmake --install build/release --component"),
    "cmake -G Ninja -S examples/embed": ("tests/package/package_test.sh",
                                         "type_line 'cmake -G Ninja -S '"),
    "cmake --build build/embed": ("tests/package/package_test.sh",
                                  "type_line 'cmake --build build/embed'"),
    "export PKG_CONFIG_PATH=": ("tests/package/package_test.sh",
                                "type_line 'export PKG_CONFIG_PATH='"),
    "parley serve --demo": "demo_test.test_serve_says_that_the_demo_asks",
    "export PYTHONPATH=": TYPED_FROM_README,
    "python3 -m venv": TYPED_FROM_README,
    "venv/bin/pip install": TYPED_FROM_README,
    "npm install ./parley-client": ("tests/clients/typescript/pack.test.mjs",
                                    "parley-client-${version}.tgz"),
}
# What calls the scripts among them: a file that is there and that nothing calls runs no command.
CALLED_BY = {
    "tests/package/install_test.sh": (".ci/run", "tests/package/install_test.sh "),
    "tests/package/package_test.sh": ("tests/package/CMakeLists.txt", "/package_test.sh\n"),
    "tests/package/run_test.sh": (".ci/run", "tests/package/run_test.sh "),
}
# And why no test runs it.
RUN_BY_NOBODY = {
    "ssh -L": "it needs a second machine",
    "echo 127.0.0.1 parley.localhost": "it changes the names of the machine",
    "createuser": "PostgreSQL's own; the tests have a cluster that is theirs alone",
    "createdb": "PostgreSQL's own; the tests have a cluster that is theirs alone",
    "claude mcp add --transport http": "no test has Claude Code come by HTTP; other clients do, in "
                                       "tests/clients/mcp/http.test.mjs",
    "cmake --build --preset release": "what the tests run is built so (tools/build.sh)",
    "./parley-dev soak": "it takes minutes; history_test.py has what it calls, for seconds",
    "python3 -B tools/history run": "history_test.py has what it calls, on one broker for seconds, "
                                    "and on nodes that share a database where PARLEY_SLOW_NODES=1",
    "apt install g++": "the packages are those of the build: test_packages_to_embed",
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


def name_of(begin: str) -> str:
    test = RUN_BY[begin]
    return test if isinstance(test, str) else test[0]


def imports_of(file: Path, text: str) -> list[Path]:
    if file.suffix == ".mjs":
        found = [file.parent / name for name in re.findall(r'from "(\.[^"]+)"', text)]
    else:
        found = [file.parent / f"{name}.py"
                 for name in re.findall(r"^(?:from|import) (\w+)", text, re.M)]
    return [one.resolve() for one in found if one.exists()]


@functools.cache
def text_of(test: str) -> str:
    """The file that has the test, and what it imports of ours, without comments of whole lines."""
    file = ROOT / test
    if "/" not in test:
        [file] = (ROOT / "tests").rglob(test.split(".")[0] + ".py")
    texts, waiting = {}, [file.resolve()]
    while waiting:
        one = waiting.pop()
        if one not in texts:
            texts[one] = one.read_text()
            waiting += imports_of(one, texts[one])
    return re.sub(r"^\s*(#|//).*", "", "\n".join(texts.values()), flags=re.M)


def unsaid(begin: str, command: str, test: str | tuple[str, str]) -> list[str]:
    """What the test of a command would say if it ran it, and does not."""
    if not isinstance(test, str):
        return [words for words in test[1:] if words not in text_of(test[0])]
    said = text_of(test)
    words = [re.escape(word.strip("'\"")) for word in begin.split() if word != "parley"]
    # In a shell, or in a list of another language.
    wanted = {begin: r"[\"',\s]+".join(words)}
    # What follows `--` is another program's.
    own = re.sub(r" (?:-- |# ).*", "", command)
    for option in re.findall(r"(?<= )--[a-z][a-z-]*", own):
        wanted[option] = rf"{option}(?![\w-])"
    return [name for name, pattern in wanted.items() if not re.search(pattern, said)]


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
                begin = max(known, key=len)
                used.add(begin)
                if begin in RUN_BY:
                    self.assertEqual(unsaid(begin, command, RUN_BY[begin]), [],
                                     f"{page.relative_to(ROOT)}: `{command}` is not what "
                                     f"{name_of(begin)} runs")
        self.assertEqual(set(RUN_BY) | set(RUN_BY_NOBODY), used, "no page shows it any more")
        for begin in RUN_BY:
            self.assertTrue(is_there(name_of(begin)), name_of(begin))

    def test_one_that_says_nothing_of_it_is_noticed(self) -> None:
        gemini, acp = "tests/clients/agents/gemini.test.mjs", "tests/clients/acp/run.test.mjs"
        self.assertEqual(unsaid("parley run gemini", "parley run gemini", gemini),
                         ["parley run gemini"])
        self.assertEqual(unsaid("parley run acp", "parley run acp --mode a -- b --c", acp), [])
        self.assertEqual(unsaid("parley run acp", "parley run acp --dance -- b  # d", acp),
                         ["--dance"])
        self.assertEqual(unsaid("claude mcp add", "claude mcp add", (gemini, '"mcp", "add"')),
                         ['"mcp", "add"'])

    def test_packages_to_embed(self) -> None:
        wanted = re.search(r"^    apt install (g\+\+ (?:.*\\\n)*.*)",
                           (ROOT / "docs/embedding.md").read_text(), re.M)[1]
        listed = (ROOT / "tools/debian-packages.txt").read_text().split()
        self.assertGreater(len(wanted.split()), 8)
        self.assertEqual(set(wanted.replace("\\\n", " ").split()) - set(listed), set())

    def test_scripts_that_run_commands_are_called(self) -> None:
        for script in {name for name in map(name_of, RUN_BY) if name.endswith(".sh")}:
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
