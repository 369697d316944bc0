#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries the newest agents and SDKs of npm: installs them into a copy of the client tests, runs
these against a program, and says which versions passed. The tree's lock files stay as they are.

    tools/newest.py [--program FILE] [--look] [FOLDER…]
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build" / "newest"
FOLDERS = ("acp", "agents", "claude", "mcp")
# What the tests read beside themselves.
COPIED = ("tests/clients", "docs", "tools/npm.sh", "src/dialect/mcp")
SHARED = ("tests/clients/node_modules", "tests/node")
KINDS = ("dependencies", "optionalDependencies")


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def pinned(folder: Path) -> dict[str, str]:
    package = json.loads((folder / "package.json").read_text())
    return {name: version for kind in KINDS for name, version in package.get(kind, {}).items()}


def release(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version.split("-")[0])]


def newest(name: str, version: str) -> str:
    """What npm calls the latest, unless what is pinned is from beyond it."""
    latest = run("npm", "view", f"{name}@latest", "version").strip()
    return latest if release(latest) >= release(version) else version


def copy_tree() -> None:
    """The files that git knows, so that no installed package comes along."""
    shutil.rmtree(COPY, ignore_errors=True)
    for name in run("git", "ls-files", "-co", "--exclude-standard", *COPIED, cwd=ROOT).splitlines():
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, COPY / name)
    for name in SHARED:
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        (COPY / name).symlink_to(ROOT / name)


def install(folder: Path, versions: dict[str, str]) -> None:
    package = json.loads((folder / "package.json").read_text())
    for kind in KINDS:
        for name in package.get(kind, {}):
            package[kind][name] = versions[name]
    (folder / "package.json").write_text(json.dumps(package, indent=2))
    (folder / "package-lock.json").unlink(missing_ok=True)
    run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", cwd=folder)
    # As tools/npm.sh leaves it, so that the tests install nothing.
    shutil.copy(folder / "package-lock.json", folder / "node_modules" / ".installed-for")


def try_file(file: Path, program: Path) -> tuple[int, int, int]:
    """Runs one file of tests: how many passed, failed, and were skipped."""
    node = ROOT / "tests/node/node_modules/.bin/node"
    done = subprocess.run(
        [node, "--test", "--test-reporter=tap", file], capture_output=True, text=True, check=False,
        env={**os.environ, "PARLEY_PROGRAM": str(program), "PARLEY_SLOW_AGENTS": "1"})
    file.with_suffix(".log").write_text(done.stdout + done.stderr)
    counts = dict(re.findall(r"^# (pass|fail|cancelled|skipped) (\d+)$", done.stdout, re.MULTILINE))
    failed = int(counts.get("fail", 1)) + int(counts.get("cancelled", 0))
    return int(counts.get("pass", 0)), failed, int(counts.get("skipped", 0))


def try_folder(name: str, program: Path, *, only_look: bool) -> bool:
    folder = COPY / "tests/clients" / name
    before = pinned(ROOT / "tests/clients" / name)
    after = {package: newest(package, version) for package, version in before.items()}
    for package in sorted(before):
        mark = "as pinned" if before[package] == after[package] else f"pinned {before[package]}"
        print(f"{name}: {package} {after[package]} ({mark})", flush=True)
    if only_look:
        return True
    install(folder, after)
    is_good = True
    for file in sorted(folder.glob("*.test.mjs")):
        passed, failed, skipped = try_file(file, program)
        is_good = is_good and failed == 0
        words = f"{passed} passed, {failed} failed, {skipped} skipped"
        more = f"; see {file.with_suffix('.log').relative_to(ROOT)}" if failed else ""
        print(f"{name}: {'FAILED' if failed else 'passed'} {file.name}: {words}{more}", flush=True)
    return is_good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/parley")
    parser.add_argument("--look", action="store_true", help="say the versions, try nothing")
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help=f"of {', '.join(FOLDERS)}")
    options = parser.parse_args()
    folders = options.folders or FOLDERS
    if unknown := set(folders) - set(FOLDERS):
        parser.error(f"no such folder: {', '.join(sorted(unknown))}; known: {', '.join(FOLDERS)}")
    if not options.look:
        copy_tree()
    program = options.program.resolve()
    results = [try_folder(name, program, only_look=options.look) for name in folders]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
