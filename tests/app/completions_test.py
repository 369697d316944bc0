#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The completion scripts, each in its shell."""

import subprocess
import unittest
from pathlib import Path

from broker_process import Broker
from parley_program import PROGRAM, environment, parley

COMPLETE_IN_BASH = r"""
eval "$SCRIPT"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_parley
printf '%s\n' "${COMPREPLY[@]}"
"""


# As _describe is called by what compinit loads: its last argument names a list.
ASKS_IN_ZSH = r"""
compdef() { }
_describe() { print -rl -- "${(@P)argv[-1]}" }
eval "$SCRIPT"
parley=$1
_parley_asks
"""


def lines_in(shell: str, script: str, *words: str, **changes: str) -> list[str]:
    ran = subprocess.run([*shell.split(), "-c", script, shell, *words],
                         env={**environment(changes),
                              "SCRIPT": parley("completions", shell.split()[0]).out},
                         capture_output=True, text=True, timeout=60, check=True)
    assert ran.stderr == "", ran.stderr
    return [line for line in ran.stdout.split("\n") if line]


def in_bash(*words: str, **changes: str) -> list[str]:
    return lines_in("bash --norc", COMPLETE_IN_BASH, *words, **changes)


def in_zsh(**changes: str) -> list[str]:
    return lines_in("zsh -f", ASKS_IN_ZSH, PROGRAM, **changes)


def in_fish(line: str, **changes: str) -> list[str]:
    script = f"printf '%s' $SCRIPT | source; complete -C {line!r}"
    return lines_in("fish --no-config", script, **changes)


class Completions(unittest.TestCase):
    def test_bash_completes_commands_options_and_values(self) -> None:
        self.assertEqual(in_bash("parley", "as"), ["ask"])
        self.assertIn("completions", in_bash("parley", ""))
        self.assertEqual(in_bash("parley", "ask", "--on"), ["--on-timeout"])
        self.assertEqual(in_bash("parley", "ask", "Q", "--on-timeout", ""), ["deny", "default="])
        self.assertEqual(in_bash("parley", "completions", "z"), ["zsh"])
        here = str(Path(__file__).with_suffix(""))
        self.assertEqual(in_bash("parley", "ask", "--file", here), [here + ".py"])
        self.assertEqual(in_bash("parley", "--server", "x", "ask", "--mul"), ["--multi"])
        self.assertEqual(in_bash("parley", "ask", "--header", ""), [])

    def test_asks_that_wait_are_completed_by_id(self) -> None:
        with Broker() as broker:
            texts = ("Deploy: now or 'later'?", "Drop $(the) table?")
            deploy, drop = (broker.call("POST", "/v1/asks", {
                "question": text, "options": ["Yes", "No"], "session": "shop"})[1]["id"]
                for text in texts)
            titles = [f"[shop] {text}" for text in texts]
            variables = broker.variables
            for command in ("answer", "show", "dismiss", "withdraw"):
                self.assertEqual(in_bash(PROGRAM, command, "", **variables), [deploy, drop])
            self.assertEqual(in_bash(PROGRAM, "show", drop[:-1], **variables),
                             [drop] if deploy[:-1] != drop[:-1] else [deploy, drop])
            # Where the shell lists them, bash has no other place for the titles.
            self.assertEqual(in_bash(PROGRAM, "show", "", COMP_TYPE="63", **variables),
                             [f"{deploy}  {titles[0]}", f"{drop}  {titles[1]}"])
            self.assertEqual(in_bash(PROGRAM, "show", "--js", **variables), ["--json"])
            self.assertNotIn(drop, in_bash(PROGRAM, "answer", deploy, "", **variables))
            self.assertEqual(in_bash(PROGRAM, "dismiss", "--reason", "", **variables), [])
            self.assertEqual(in_zsh(**variables),
                             [f"{deploy}:{titles[0]}", f"{drop}:{titles[1]}"])
            self.assertEqual(in_fish(f"{PROGRAM} show que_", **variables),
                             [f"{deploy}\t{titles[0]}", f"{drop}\t{titles[1]}"])

    def test_without_a_broker_there_is_nothing_to_complete_and_no_word(self) -> None:
        self.assertIn("--json", in_bash(PROGRAM, "show", ""))
        self.assertEqual(in_bash(PROGRAM, "show", "que_"), [])
        self.assertEqual(in_zsh(), [])
        self.assertEqual(in_fish(f"{PROGRAM} show que_"), [])

    def test_the_scripts_are_valid(self) -> None:
        for shell in ("bash", "zsh", "fish"):
            script = parley("completions", shell)
            self.assertEqual(script.code, 0)
            subprocess.run([shell, "-n"], input=script.out, text=True, check=True, timeout=20)

    def test_another_shell_is_refused(self) -> None:
        ended = parley("completions", "csh")
        self.assertEqual(ended.code, 2)
        self.assertIn('there are no completions for "csh", only for bash, zsh and fish', ended.err)


if __name__ == "__main__":
    unittest.main()
