#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the code on purpose, one mutation at a time, and expects a test to notice.

    tools/mutate.py [NAME…]     tries all of tests/mutations, or those named
    tools/mutate.py --check     only sees to it that each of them fits the code as it stands

It works in a copy of the tree with a build folder of its own, build/mutate, which the next run
takes up again. A test that fails without the mutation, and a mutation that does not compile, are
errors.
"""

import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from source_text import ROOT, list_files, read

FOLDER = ROOT / "tests" / "mutations"
SCRATCH = ROOT / "build" / "mutate"
PRESET = "debug"
TAIL_LINES = 25
PARTS = re.compile(
    r"(?P<why>(?:#[^\n]*\n)+)(?P<keys>(?:\w+:[^\n]*\n)+)"
    r"--- replace\n(?P<before>.*?)\n--- with\n(?P<after>.*)", re.S)
KEYS = {"file", "build", "test"}


class Misfit(Exception):
    """A mutation that says nothing, or not about this code."""


@dataclass(frozen=True)
class Mutation:
    name: str
    why: str  # what it breaks
    file: str
    targets: tuple[str, ...]  # of the build; none for tests that need no build
    test: str  # names of ctest, as a regular expression
    before: str
    after: str


def parse(name: str, text: str) -> Mutation:
    parts = PARTS.fullmatch(text)
    if not parts:
        raise Misfit(f"{name}: not of the form that tests/mutations/README.md shows")
    keys = dict(line.split(":", 1) for line in parts["keys"].splitlines())
    if set(keys) != KEYS:
        raise Misfit(f"{name}: has {', '.join(sorted(keys))} and not {', '.join(sorted(KEYS))}")
    mutation = Mutation(
        name, " ".join(line.lstrip("# ") for line in parts["why"].splitlines()),
        keys["file"].strip(), tuple(keys["build"].split()), keys["test"].strip(),
        parts["before"], parts["after"].removesuffix("\n"))
    if not mutation.test:
        raise Misfit(f"{name}: names no test")
    if mutation.before == mutation.after:
        raise Misfit(f"{name}: changes nothing")
    return mutation


def apply(mutation: Mutation, text: str) -> str:
    found = text.count(mutation.before)
    if found != 1:
        raise Misfit(f"{mutation.name}: what it replaces is {found} times in {mutation.file}")
    return text.replace(mutation.before, mutation.after)


def load(names: list[str]) -> list[Mutation]:
    """Those named, or all; each fits the tree."""
    paths = [FOLDER / f"{name}.mutation" for name in names] or sorted(FOLDER.glob("*.mutation"))
    faults, mutations = [], []
    for path in paths:
        try:
            if not path.exists():
                raise Misfit(f"{path.stem}: there is no {path.relative_to(ROOT)}")
            mutation = parse(path.stem, read(path))
            if not (ROOT / mutation.file).is_file():
                raise Misfit(f"{mutation.name}: there is no {mutation.file}")
            apply(mutation, read(ROOT / mutation.file))
            mutations.append(mutation)
        except Misfit as fault:
            faults.append(str(fault))
    if faults:
        raise Misfit("\n".join(faults))
    return mutations


def copy_tree(source: Path, target: Path) -> None:
    """Every file as it stands; one that is the same already keeps its time."""
    wanted = set(list_files(source))
    known = target / "build" / "copied-files"
    for name in set(known.read_text().split("\n") if known.exists() else []) - wanted - {""}:
        (target / name).unlink(missing_ok=True)
    for name in wanted:
        copy, original = target / name, source / name
        if copy.is_file() and copy.read_bytes() == original.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(original, copy)
    known.parent.mkdir(parents=True, exist_ok=True)
    known.write_text("\n".join(sorted(wanted)))


def run(*command: str) -> tuple[bool, str]:
    done = subprocess.run(command, cwd=SCRATCH, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace", check=False)
    return done.returncode == 0, done.stdout


def demand(what: str, *command: str) -> str:
    succeeded, output = run(*command)
    if not succeeded:
        raise Misfit(f"{what}:\n" + "\n".join(output.splitlines()[-TAIL_LINES:]))
    return output


def build(what: str, targets: tuple[str, ...]) -> None:
    if targets:
        demand(what, "cmake", "--build", f"build/{PRESET}", "--target", *targets)


def test_command(test: str) -> list[str]:
    return ["ctest", "--test-dir", f"build/{PRESET}", "--no-tests=error", "-R", f"^({test})$",
            "--output-on-failure"]


def prepare(mutations: list[Mutation]) -> None:
    """A copy of the tree in which every test that is to fail passes."""
    print("copying, building and testing the code as it stands", flush=True)
    copy_tree(ROOT, SCRATCH)
    demand("the copy cannot be configured", "cmake", "--preset", PRESET)
    build("the code does not build as it stands",
          tuple(sorted({target for mutation in mutations for target in mutation.targets})))
    for test in sorted({mutation.test for mutation in mutations}):
        demand(f"{test} fails without any mutation", *test_command(test))


def is_caught(mutation: Mutation) -> bool:
    path = SCRATCH / mutation.file
    text = read(path)
    try:
        path.write_text(apply(mutation, text))
        build(f"{mutation.name}: does not compile", mutation.targets)
        passed, _ = run(*test_command(mutation.test))
        return not passed
    finally:
        path.write_text(text)


def try_all(mutations: list[Mutation]) -> int:
    caught = survived = erred = 0
    for mutation in mutations:
        started = time.monotonic()
        try:
            noticed = is_caught(mutation)
        except Misfit as fault:
            erred += 1
            print(f"ERROR     {fault}", flush=True)
            continue
        caught += noticed
        survived += not noticed
        word = "caught" if noticed else "SURVIVED"
        print(f"{word:<9} {mutation.name} by {mutation.test} ({time.monotonic() - started:.0f} s): "
              f"{mutation.why}", flush=True)
    more = f", {erred} in error" if erred else ""
    print(f"{caught} caught, {survived} survived{more}")
    return 1 if survived or erred else 0


def main(arguments: list[str]) -> int:
    try:
        if arguments == ["--check"]:
            print(f"{len(load([]))} mutations fit")
            return 0
        mutations = load(arguments)
        prepare(mutations)
    except Misfit as fault:
        print(fault, file=sys.stderr)
        return 2
    return try_all(mutations)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
