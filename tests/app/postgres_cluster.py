# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of the test's own: a private folder, a Unix socket and nothing else, as a
user that the server accepts. The package postgresql-15 is in tools/debian-packages.txt."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from parley_program import PATIENCE_SECONDS

PROGRAMS = Path("/usr/lib/postgresql/15/bin")


class Cluster:
    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="parley-pg-")
        self._user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self._user:
            os.chown(self._folder, self._user.pw_uid, self._user.pw_gid)
        self._run("initdb", "-D", f"{self._folder}/data", "-U", "parley", "-A", "trust",
                  "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def url(self) -> str:
        return f"postgres://parley@/postgres?host={self._folder}"

    def start(self) -> None:
        with (Path(self._folder) / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [PROGRAMS / "postgres", "-D", f"{self._folder}/data", "-k", self._folder,
                 "-c", "listen_addresses="], stdout=log, stderr=log, **self._as_user())
        end = time.monotonic() + PATIENCE_SECONDS
        while subprocess.run([PROGRAMS / "pg_isready", "-q", "-h", self._folder]).returncode != 0:
            if self._server.poll() is not None or time.monotonic() > end:
                raise AssertionError((Path(self._folder) / "log").read_text())
            time.sleep(0.05)

    def kill(self) -> None:
        """At once, as a crash would, and all that belongs to it."""
        if self._server.poll() is None:
            self._server.send_signal(signal.SIGQUIT)
        self._server.wait()

    def _as_user(self) -> dict:
        if not self._user:
            return {}
        return {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": [],
                "cwd": "/"}

    def _run(self, program: str, *words: str) -> None:
        subprocess.run([PROGRAMS / program, *words], check=True, capture_output=True,
                       **self._as_user())
