# SPDX-License-Identifier: Apache-2.0
"""Where it was measured, of which commit, and with which versions of the peers."""

import datetime
import json
import os
import platform
import re
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import raw

ROOT = Path(__file__).resolve().parent.parent.parent
PEERS = ("bench/prompts", "bench/trpc", "bench/opencode", "bench/nodes_restate", "tests/node")
PRODUCT = ("src", "include", "web", "cmake", "CMakeLists.txt", "CMakePresets.json")
POSTGRES = "/usr/lib/postgresql/15/bin/postgres"


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def _processor() -> str:
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    return found[1].strip() if found else platform.machine()


def _memory_gib() -> int:
    found = re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())
    return round(int(found[1]) / 1024 / 1024)


def file_system_of(folder: str, mounts: str) -> str:
    """`mounts` as /proc/mounts has them."""
    best, kind = "", "unknown"
    for line in mounts.splitlines():
        _, place, name, *_ = line.split()
        inside = folder == place or folder.startswith(place.rstrip("/") + "/")
        if inside and len(place) >= len(best):
            best, kind = place, name
    return kind


def _packages() -> dict[str, str]:
    found = {}
    for folder in PEERS:
        package = json.loads((ROOT / folder / "package.json").read_text())
        found |= package.get("dependencies", {}) | package.get("optionalDependencies", {})
    return {name: version for name, version in found.items() if "arm64" not in name}


def _postgres() -> str:
    return _said(POSTGRES, "--version").removeprefix("postgres (PostgreSQL) ")


def quiet_load(cores: int) -> float:
    """Above it, a machine has other work to do."""
    return cores / 2


def describe(build: Path) -> dict:
    stores = os.path.realpath(tempfile.gettempdir())
    commit = _said("git", "log", "-1", "--format=%h", "--", *PRODUCT)
    changed = _said("git", "status", "--porcelain", "--untracked-files=no", "--", *PRODUCT)
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        raw.COMMIT: commit + (" (changed)" if changed else ""),
        "build": build.name,
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": f"{_memory_gib()} GiB",
        "kernel": f"{platform.system()} {platform.release()}",
        "file system of the stores": file_system_of(stores, Path("/proc/mounts").read_text()),
        "load before the run": f"{os.getloadavg()[0]:.2f}",
        "versions": {"SQLite": sqlite3.sqlite_version, "PostgreSQL": _postgres(), **_packages()},
    }
