#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The completion scripts, each in its shell."""

import subprocess
import unittest
from pathlib import Path

from parley_program import parley

COMPLETE_IN_BASH = r"""
eval "$SCRIPT"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_parley
printf '%s\n' "${COMPREPLY[@]}"
"""


def in_bash(*words: str) -> list[str]:
    script = parley("completions", "bash").out
    ran = subprocess.run(["bash", "--norc", "-c", COMPLETE_IN_BASH, "bash", *words],
                         env={"SCRIPT": script, "PATH": "/usr/bin:/bin"}, capture_output=True,
                         text=True, timeout=20, check=True)
    return ran.stdout.split()


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
