# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of the test's own: a private folder, a Unix socket and nothing else, as a
user that the server accepts; and a standby that can take over from it. The package postgresql-15 is
in tools/debian-packages.txt."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
PATIENCE_SECONDS = 60


class Cluster:
    def __init__(self, primary: "Cluster | None" = None) -> None:
        self._folder = tempfile.mkdtemp(prefix="parley-pg-")
        self._settings = ["listen_addresses="]
        self._user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self._user:
            os.chown(self._folder, self._user.pw_uid, self._user.pw_gid)
        if primary:
            self.follow(primary)
            return
        self._run("initdb", "-D", self._data, "-U", "parley", "-A", "trust",
                  "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def url(self) -> str:
        return self.url_of(self)

    @staticmethod
    def url_of(*clusters: "Cluster") -> str:
        """Of whichever of them takes writes."""
        hosts = ",".join(one._folder for one in clusters)
        return f"postgres://parley@/postgres?host={hosts}"

    def url_in(self, database: str) -> str:
        return f"postgres://parley@/{database}?host={self._folder}"

    @property
    def pid(self) -> int:
        return self._server.pid

    def serve_tls(self, certificate: Path, key: Path) -> int:
        """From now on also on a port of 127.0.0.1, which is told, and encrypted there."""
        for source, name in ((certificate, "server.crt"), (key, "server.key")):
            target = Path(self._data) / name
            target.write_bytes(source.read_bytes())
            target.chmod(0o600)
            if self._user:
                os.chown(target, self._user.pw_uid, self._user.pw_gid)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.kill()
        self._settings = ["ssl=on", "listen_addresses=127.0.0.1", f"port={port}"]
        self.start()
        return port

    def start(self) -> None:
        with (Path(self._folder) / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [PROGRAMS / "postgres", "-D", self._data, "-k", self._folder,
                 *(word for one in self._settings for word in ("-c", one))],
                stdout=log, stderr=log, **self._as_user())
        self._wait_until(lambda: subprocess.run(
            [PROGRAMS / "pg_isready", "-q", *self._place]).returncode == 0)

    def kill(self) -> None:
        """At once, as a crash would, and all that belongs to it."""
        if self._server.poll() is None:
            self._server.send_signal(signal.SIGQUIT)
        self._server.wait()

    def ask(self, sql: str) -> str:
        """What the administrator is told, in one line for each row."""
        return subprocess.run(
            [PROGRAMS / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *self._place, "-U", "parley",
             "-c", sql, "postgres"],
            check=True, capture_output=True, text=True).stdout.strip()

    def make_standby(self) -> "Cluster":
        return Cluster(self)

    def follow(self, primary: "Cluster") -> None:
        """As its standby; from then on nothing is committed there before it is here as well."""
        shutil.rmtree(self._data, ignore_errors=True)
        self._run("pg_basebackup", "-D", self._data, "-h", primary._folder, "-U", "parley",
                  "-R", "-c", "fast", "--no-sync")
        # What the primary waits for is no business of its standby's, once it takes over.
        with Path(f"{self._data}/postgresql.auto.conf").open("a") as settings:
            settings.write("synchronous_standby_names = ''\n")
        self.start()
        primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.ask("SELECT pg_reload_conf()")
        self._wait_until(lambda: primary.ask(
            "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1")

    def promote(self) -> None:
        self.ask("SELECT pg_promote(true, 60)")

    @property
    def _place(self) -> list[str]:
        """Of its socket, which has the port in its name."""
        port = [one[5:] for one in self._settings if one.startswith("port=")]
        return ["-h", self._folder, *(("-p", port[0]) if port else ())]

    @property
    def _data(self) -> str:
        return f"{self._folder}/data"

    def _wait_until(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            if self._server.poll() is not None or time.monotonic() > end:
                raise AssertionError((Path(self._folder) / "log").read_text())
            time.sleep(0.05)

    def _as_user(self) -> dict:
        if not self._user:
            return {}
        return {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": [],
                "cwd": "/"}

    def _run(self, program: str, *words: str) -> None:
        subprocess.run([PROGRAMS / program, *words], check=True, capture_output=True,
                       **self._as_user())
