# SPDX-License-Identifier: Apache-2.0
"""Where the broker is, as the commands of Parley find it: what was given, then PARLEY_SERVER and
PARLEY_TOKEN, then the configuration file, then this user's own socket."""

from __future__ import annotations

import os
import pwd
import stat
from dataclasses import dataclass
from typing import Dict, List, Optional
from urllib.parse import urlsplit

from .errors import ParleyError

try:
    import tomllib
except ImportError:  # Python before 3.11: the variables and the socket are left
    tomllib = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Address:
    """A socket's path, or a host and port, with or without TLS."""

    path: Optional[str] = None
    host: str = "parley"
    port: int = 0
    is_tls: bool = False

    def __str__(self) -> str:
        if self.path is not None:
            return f"unix:{self.path}"
        return f"http{'s' if self.is_tls else ''}://{self.host}:{self.port}"


@dataclass(frozen=True)
class Place:
    addresses: List[Address]  # the first that answers is it
    token: Optional[str] = None
    ca: Optional[str] = None


def parse_address(text: str) -> Address:
    if text.startswith("unix:"):
        return Address(path=text[len("unix:"):])
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ParleyError(f"{text}: expected http(s)://HOST:PORT or unix:PATH")
    is_tls = parts.scheme == "https"
    return Address(host=parts.hostname, port=parts.port or (443 if is_tls else 80), is_tls=is_tls)


def _settings() -> Dict[str, str]:
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    try:
        with open(os.path.join(folder, "parley", "config.toml"), "rb") as file:
            read = tomllib.load(file) if tomllib else {}
    except (OSError, ValueError):
        return {}
    return {name: value for name, value in read.items() if isinstance(value, str)}


def _is_own_socket(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISSOCK(status.st_mode) and status.st_uid == os.geteuid()


def _marked_socket(state: str) -> Optional[str]:
    """Where a broker that listens elsewhere says it is, in a file that nobody else can write."""
    try:
        with open(os.path.join(state, "socket"), "rb") as file:
            status = os.fstat(file.fileno())
            is_own = status.st_uid == os.geteuid() and not status.st_mode & 0o022
            text = file.read(109).decode() if is_own else ""
    except (OSError, UnicodeDecodeError):
        return None
    return text[:-1] if text.startswith("/") and text.endswith("\n") else None


def own_sockets() -> List[str]:
    """The usual one first, whether it is there or not, then those that are."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    home = os.environ.get("HOME")
    base = os.environ.get("XDG_STATE_HOME") or (home and os.path.join(home, ".local/state"))
    state = base and os.path.join(base, "parley")
    usual = runtime or state
    sockets = [os.path.join(usual, "parley.sock")] if usual else []
    further = [_marked_socket(state), os.path.join(state, "parley.sock")] if state else []
    if not runtime and home == pwd.getpwuid(os.geteuid()).pw_dir:
        further.append(f"/run/user/{os.geteuid()}/parley.sock")
    sockets += [path for path in further if path and path not in sockets and _is_own_socket(path)]
    return sockets


def find_place(server: Optional[str] = None, token: Optional[str] = None,
               ca: Optional[str] = None) -> Place:
    settings = _settings()

    def setting(given: Optional[str], name: str) -> Optional[str]:
        return given or os.environ.get(f"PARLEY_{name.upper()}") or settings.get(name)

    named = setting(server, "server")
    if named:
        addresses = [parse_address(named)]
    else:
        addresses = [Address(path=path) for path in own_sockets()]
    if not addresses:
        raise ParleyError("there is no HOME to find a broker in; set PARLEY_SERVER")
    return Place(addresses, setting(token, "token"), setting(ca, "ca"))
