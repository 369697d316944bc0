# SPDX-License-Identifier: Apache-2.0
"""A real terminal: tmux with a shell in it, keys sent and the screen read as a person would."""

import itertools
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "app"))

# pylint: disable=wrong-import-position
from parley_program import PATIENCE_SECONDS, PROGRAM, environment  # noqa: E402

_numbers = itertools.count()


class TmuxTerminal:
    """An interactive shell, so that jobs can be stopped and continued."""

    def __init__(self, columns: int = 80, rows: int = 24, **changes: str):
        self._server = f"parley-test-{os.getpid()}-{next(_numbers)}"
        # tmux itself wants UTF-8, whatever the shell inside is told.
        inside = environment({"TERM": "tmux-256color", "PS1": "$ ", "HISTFILE": "", **changes})
        words = [f"{name}={value}" for name, value in inside.items()]
        shell = shlex.join(["env", "-i", *words, "bash", "--norc", "--noprofile"])
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                   shell)
        self.wait_for("$")

    def __enter__(self) -> "TmuxTerminal":
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server", check=False)

    def _tmux(self, *words: str, check: bool = True) -> str:
        ran = subprocess.run(["tmux", "-u", "-L", self._server, *words], capture_output=True,
                             timeout=PATIENCE_SECONDS, check=check,
                             env={**os.environ, "LC_ALL": "C.UTF-8"})
        return ran.stdout.decode()

    def run(self, *arguments: str, before: str = "clear; ") -> None:
        """Types the command and runs it, on a cleared screen."""
        self.type(before + shlex.join([PROGRAM, *arguments]) + "; echo code=$?")
        self.keys("Enter")

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", "--", text)

    def paste(self, text: str) -> None:
        """As a terminal pastes: marked as such."""
        self._tmux("set-buffer", "--", text)
        self._tmux("paste-buffer", "-p")

    def keys(self, *names: str) -> None:
        self._tmux("send-keys", *names)

    def resize(self, columns: int, rows: int) -> None:
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self) -> str:
        """What is to be seen, without blanks at the ends of lines."""
        shown = self._tmux("capture-pane", "-p")
        return "\n".join(line.rstrip() for line in shown.rstrip().split("\n"))

    def styled(self) -> str:
        return self._tmux("capture-pane", "-p", "-e")

    def scrollback(self) -> str:
        return self._tmux("capture-pane", "-p", "-S", "-")

    def title(self) -> str:
        return self._tmux("display-message", "-p", "#{pane_title}").strip()

    def is_alternate(self) -> bool:
        return self._tmux("display-message", "-p", "#{alternate_on}").strip() == "1"

    def pid_of(self, name: str = Path(PROGRAM).name) -> int:
        """The program in the foreground."""
        tty = self._tmux("display-message", "-p", "#{pane_tty}").strip().removeprefix("/dev/")
        listed = subprocess.run(["ps", "-t", tty, "-o", "pid=,comm="], capture_output=True,
                                check=True).stdout.decode()
        for line in listed.splitlines():
            pid, command = line.split(None, 1)
            if command.strip() == name:
                return int(pid)
        raise AssertionError(f"{name} does not run on {tty}:\n{listed}")

    def wait_until(self, condition, what: str) -> str:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            screen = self.screen()
            if condition(screen):
                return screen
            time.sleep(0.02)
        raise AssertionError(f"{what}; the terminal shows:\n{self.screen()}")

    def wait_for(self, text: str) -> str:
        return self.wait_until(lambda screen: text in screen, f"{text!r} did not come")

    def wait_gone(self, text: str) -> str:
        return self.wait_until(lambda screen: text not in screen, f"{text!r} stays")

    def press_until(self, key: str, text: str) -> str:
        """The key, once the picture has stood so long that it counts. What was seen was drawn
        before, so that this holds on a busy machine too."""
        self.let_go()
        self.keys(key)
        return self.wait_for(text)

    def enter_until(self, text: str) -> str:
        return self.press_until("Enter", text)

    @staticmethod
    def wait_until_settled(seconds: float = 0.35) -> None:
        """Longer than a new prompt guards itself against stray keys: time itself is waited for."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.02)

    @classmethod
    def let_go(cls) -> None:
        """Longer than the key that opened or settled something is taken for held down."""
        cls.wait_until_settled(0.8)
