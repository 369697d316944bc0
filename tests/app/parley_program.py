# SPDX-License-Identifier: Apache-2.0
"""Runs the built program, on pipes or on a terminal of its own. $PARLEY_PROGRAM names it."""

import os
import pty
import pwd
import select
import signal
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass
from fcntl import ioctl
from termios import TIOCSCTTY, TIOCSWINSZ
from typing import Any, Callable, Mapping

PROGRAM = os.environ["PARLEY_PROGRAM"]
LOGIN = pwd.getpwuid(os.getuid()).pw_name  # what the local socket's owner is called
PATIENCE_SECONDS = 40  # a machine may be slow; a test that hangs must still end


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    """An environment that depends on nobody's home folder, locale or broker."""
    # Of this test alone: a broker that one starts there must not be found by another.
    empty = f"{tempfile.gettempdir()}/parley-no-such-home-{os.getpid()}"
    base = {"PATH": os.environ["PATH"], "HOME": empty, "LANG": "C.UTF-8", "TERM": "xterm",
            "USER": "ada", "XDG_RUNTIME_DIR": empty}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        if name in os.environ:
            base[name] = os.environ[name]
    return {**base, **changes}


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


def parley(*arguments: str, stdin: str | bytes = "", folder: str | None = None,
           **changes: str) -> Ended:
    """Runs to the end with `stdin` piped in, in `folder` or here."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    ran = subprocess.run([PROGRAM, *arguments], input=given, capture_output=True,
                         cwd=folder, env=environment(changes), timeout=PATIENCE_SECONDS,
                         check=False)
    return Ended(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def until(look: Callable[[], Any], what: str) -> Any:
    """Waits for something true, and gives it."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if seen := look():
            return seen
        time.sleep(0.02)
    raise AssertionError(f"this did not happen: {what}")


class Terminal:
    """The program with stdin and stderr on a terminal; stdout is a pipe, or the terminal too."""

    def __init__(self, *arguments: str, columns: int = 80, shows_stdout: bool = False,
                 **changes: str):
        self.screen = ""
        self._master, slave = pty.openpty()
        ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=slave, stderr=slave,
            stdout=slave if shows_stdout else subprocess.PIPE, env=environment(changes),
            start_new_session=True, preexec_fn=lambda: ioctl(0, TIOCSCTTY, 0))
        os.close(slave)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        os.close(self._master)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            read = os.read(self._master, 65536)
        except OSError:  # the other side is closed
            return False
        self.screen += read.decode().replace("\r\n", "\n")
        return bool(read)

    def wait_for(self, text: str) -> None:
        """Until the terminal has shown `text`, counting from the last call."""
        end = time.monotonic() + PATIENCE_SECONDS
        seen = getattr(self, "_seen", 0)
        while text not in self.screen[seen:]:
            left = end - time.monotonic()
            if left <= 0 or (not self._read(left) and self._process.poll() is not None):
                raise AssertionError(f"{text!r} did not come; the terminal shows:\n{self.screen}")
        self._seen = self.screen.index(text, seen) + len(text)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self) -> Ended:
        """Waits until the program has ended by itself."""
        end = time.monotonic() + PATIENCE_SECONDS
        while self._process.poll() is None and time.monotonic() < end:
            self._read(0.05)
        while self._read(0):
            pass
        if self._process.poll() is None:
            raise AssertionError(f"it goes on; the terminal shows:\n{self.screen}")
        out = self._process.stdout.read().decode() if self._process.stdout else ""
        return Ended(self._process.returncode, out, self.screen)
