#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over the sources that a build folder compiles; prints only what it finds.

    tools/lint.py BUILD_FOLDER                     every source
    tools/lint.py BUILD_FOLDER FILE…               these
    tools/lint.py BUILD_FOLDER --changed [MOST]    what differs from the branch this one left, or
                                                   from the last commit; at most MOST files
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_text import ROOT, is_cpp, is_test, read

CLANG_TIDY = "clang-tidy-19"
# clang-tidy does not see that ASSERT_TRUE leaves the function, and a test need not be fast.
NOT_FOR_TESTS = "-bugprone-unchecked-optional-access,-performance-*"
SECONDS_MAX = 300


def git(*arguments: str) -> str | None:
    try:
        command = ["git", *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8",
                              check=True)
        return done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def changed_since() -> str | None:
    """Where this branch left the main one; on the main branch itself, the commit before."""
    head = git("rev-parse", "HEAD")
    for branch in ("origin/HEAD", "origin/main", "main"):
        base = git("merge-base", "HEAD", branch)
        if base and base != head:
            return base
    return git("rev-parse", "--verify", "--quiet", "HEAD~1")


def changed_files() -> list[str] | None:
    base = changed_since()
    if base is None:
        return None
    names = git("diff", "--name-only", "--diff-filter=d", base) or ""
    new = git("ls-files", "--others", "--exclude-standard") or ""
    return [name for name in (names + "\n" + new).splitlines() if is_cpp(name)]


def sources_for(names: list[str], compiled: list[str]) -> list[str]:
    """The compiled sources among `names`; a header is seen through the sources of the same name."""
    stems = {str(Path(name).with_suffix("")) for name in names if name.endswith(".h")}
    through_header = stems | {f"{stem}_test" for stem in stems}
    return [path for path in compiled
            if path in names or str(Path(path).with_suffix("")) in through_header]


def compiled_sources(build: Path) -> list[str]:
    entries = json.loads(read(build / "compile_commands.json"))
    paths = {Path(os.path.normpath(Path(entry["directory"]) / entry["file"])) for entry in entries}
    ours = {path for path in paths if path.is_relative_to(ROOT) and not path.is_relative_to(build)}
    return sorted(str(path.relative_to(ROOT)) for path in ours)


def lint(build: Path, path: str) -> bool:
    command = [CLANG_TIDY, "--quiet", "-p", str(build), path]
    if is_test(path):
        command.append(f"--checks={NOT_FOR_TESTS}")
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8",
                              check=False, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        print(f"{path}: clang-tidy did not end in {SECONDS_MAX} s", flush=True)
        return False
    if done.returncode != 0:
        print(done.stdout.strip() or done.stderr.strip(), flush=True)
    return done.returncode == 0


def choose(arguments: list[str], compiled: list[str]) -> list[str] | None:
    if not arguments:
        return compiled
    if arguments[0] != "--changed":
        return sources_for(arguments, compiled)
    changed = changed_files()
    if changed is None:
        return None
    chosen = sources_for(changed, compiled)
    most = int(arguments[1]) if len(arguments) > 1 else len(chosen)
    if len(chosen) > most:
        print(f"the first {most} of {len(chosen)} changed files; ./parley-dev lint takes all")
    return chosen[:most]


def main(arguments: list[str]) -> int:
    build = Path(arguments[0]).resolve()
    chosen = choose(arguments[1:], compiled_sources(build))
    if chosen is None:
        print("no earlier commit to compare with: nothing to lint")
        return 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        clean = list(pool.map(lambda path: lint(build, path), chosen))
    print(f"{clean.count(True)} files clean, {clean.count(False)} with findings")
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
