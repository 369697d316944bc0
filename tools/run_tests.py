#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ctest in a build folder, prints a line for each test program as it ends, with the number of
its cases, how long it took and how much of that a processor worked, and the end of the output of
those that failed. ctest alone counts programs.

    tools/run_tests.py BUILD_FOLDER COUNT_FILE [--once-more LABELS] [CTEST_OPTIONS…]

A few programs of those labels that failed are run once more, one at a time: they have browsers and
agents of others in them, which on a busy machine take longer than anybody would wait. One that
passes then counts as passed, and is named as unsteady: it fails beside others for a reason, and
that is to be found.

COUNT_FILE receives "passed failed", and below it "FAILED name" and "UNSTEADY name" of programs.
"""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable

TAIL_LINES = 40
ONCE_MORE_MAX = 3  # more than that has another cause than a busy machine
FAILURE_LINES = 25
OUTPUT = re.compile(r"(\d+): (?!Test command: |Working Directory: |Test timeout computed)(.*)")
ENDED = re.compile(r"\s*\d+/\d+ Test\s+#(\d+): (\S+) [ .]*(.+?)\s+([\d.]+) sec")
NOT_STARTED = re.compile(r"(?:Unable to find executable|Failed test dependencies): ")
SKIPPED = ("***Skipped", "***Not Run (Disabled)")
UNITTEST_RAN = re.compile(r"^Ran (\d+) tests? in ", re.M)
NODE_FAILED = re.compile(r"^ *not ok \d+ - ")
NODE_NEXT = re.compile(r"^ *(?:not ok|ok|#|1\.\.)(?: |\d)")
# Output of a test file, which the runner passes on as comments, and of Node itself.
NODE_REMARK = re.compile(r"^# (?!Subtest: )|^(?! |ok |not ok |#|1\.\.|TAP version)")
SANITIZER = re.compile(r"^==\d+==\s*ERROR: |^WARNING: ThreadSanitizer|: runtime error: ")
NODE_COUNT = re.compile(r"^# (pass|fail|cancelled) (\d+)$", re.M)
UNITTEST_FAILED = re.compile(r"^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?", re.M)


@dataclass(frozen=True)
class Count:
    passed: int = 0
    failed: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(self.passed + other.passed, self.failed + other.failed)


def count_gtest(report: str) -> Count:
    """From the XML that a GoogleTest program writes (parley_test asks for it)."""
    cases = list(ElementTree.fromstring(report).iter("testcase"))
    ran = [case for case in cases if case.get("status") == "run"]
    failed = sum(1 for case in ran if case.find("failure") is not None)
    return Count(len(ran) - failed, failed)


def count_unittest(output: str) -> Count | None:
    """From what Python's unittest prints."""
    ran = UNITTEST_RAN.search(output)
    if not ran:
        return None
    faults = UNITTEST_FAILED.search(output)
    failed = sum(int(number or 0) for number in faults.groups()) if faults else 0
    return Count(int(ran[1]) - failed, failed)


def count_node(output: str) -> Count | None:
    """From the TAP of Node's test runner."""
    counts = {word: int(number) for word, number in NODE_COUNT.findall(output)}
    if "pass" not in counts:
        return None
    return Count(counts["pass"], counts.get("fail", 0) + counts.get("cancelled", 0))


def count_cases(passed: bool, output: str, gtest_report: str | None) -> Count:
    """A program that failed counts at least one failure, whatever it managed to report: it may have
    crashed, timed out, or been stopped by a sanitizer after its last case."""
    try:
        count = (count_gtest(gtest_report) if gtest_report
                 else count_unittest(output) or count_node(output))
    except ElementTree.ParseError:
        count = None
    if count is None:
        return Count(1, 0) if passed else Count(0, 1)
    if not passed and count.failed == 0:
        return count + Count(0, 1)
    return count


def failures_of(gtest_report: str | None) -> list[str]:
    """The name and the messages of each failed case, the long ones cut."""
    try:
        root = ElementTree.fromstring(gtest_report or "<none/>")
    except ElementTree.ParseError:
        return []
    shown = []
    for case in root.iter("testcase"):
        for failure in case.iter("failure"):
            lines = (failure.text or failure.get("message") or "").splitlines()
            cut = ["…"] if len(lines) > FAILURE_LINES else []
            shown.append(f"{case.get('classname')}.{case.get('name')}")
            shown += ["  " + line for line in lines[:FAILURE_LINES] + cut]
    return shown


def node_failures_of(printed: list[str]) -> list[str]:
    """Each failed case in the TAP of Node's test runner, with its first lines, and before them what
    was said since the last one: a file that cannot be loaded tells why there, and there alone."""
    shown: list[str] = []
    remarks: list[str] = []
    room = 0
    for line in printed:
        if NODE_FAILED.match(line):
            shown += remarks[-FAILURE_LINES:]
            remarks = []
            room = FAILURE_LINES
        elif NODE_REMARK.match(line):
            remarks.append(line)
            room = 0
        elif NODE_NEXT.match(line):
            room = 0
        if room:
            shown.append(line)
            room -= 1
    return shown


def sanitizer_report_of(printed: list[str]) -> list[str]:
    """The start of what a sanitizer says: below its stacks it goes on about its own memory."""
    for at, line in enumerate(printed):
        if SANITIZER.search(line):
            return printed[at:at + TAIL_LINES]
    return []


def explain(output: str, gtest_report: str | None) -> str:
    """Why a program failed: its failed cases, or the end of its output if it told of none."""
    printed = output.rstrip().splitlines()
    lines = (sanitizer_report_of(printed) or failures_of(gtest_report)
             or node_failures_of(printed))
    if not lines:
        cut = [f"… {len(printed) - TAIL_LINES} lines before"] if len(printed) > TAIL_LINES else []
        lines = cut + printed[-TAIL_LINES:]
    return "\n".join("      | " + line for line in lines)


class Work:
    """Processor seconds of what ctest ran, from what the kernel adds to a process when it takes
    leave of a child. What no parent waited for is not in it."""

    def __init__(self, pid: int) -> None:
        self._stat = Path(f"/proc/{pid}/stat")
        self._known = 0.0

    def since_last(self) -> float:
        try:
            fields = self._stat.read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        total = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
        spent, self._known = total - self._known, total
        return spent


def describe(name: str, outcome: str, count: Count, seconds: str, worked: float) -> str:
    what = f"{count.passed:>6} passed"
    if count.failed:
        why = "" if outcome == "***Failed" else f" ({outcome.replace('***', ' ').strip(' :')})"
        what += f", {count.failed} FAILED{why}"
    elif outcome.startswith(SKIPPED):
        what = "       skipped"
    return f"      {name:<28} {what:<24} {float(seconds):>6.1f} s {worked:>6.1f} s"


def follow(lines: Iterable[str], reports: Path,
           worked: Callable[[], float] = lambda: 0.0) -> dict[str, Count]:
    """Reads what `ctest -V` prints, which numbers each line of output with its test. `worked` tells
    the processor seconds since it was asked before. Returns what each program came to."""
    counts: dict[str, Count] = {}
    outputs: dict[str, list[str]] = {}
    not_started: list[str] = []
    for line in lines:
        if match := OUTPUT.match(line):
            outputs.setdefault(match[1], []).append(match[2])
        elif NOT_STARTED.match(line):
            not_started.append(line.rstrip())
        elif match := ENDED.match(line):
            number, name, outcome, seconds = match.groups()
            output = "\n".join(outputs.pop(number, []) + not_started)
            not_started = []
            report = reports / f"{name}.xml"
            text = report.read_text(errors="replace") if report.exists() else None
            count = Count()
            if not outcome.startswith(SKIPPED):
                count = count_cases(outcome == "Passed", output, text)
            counts[name] = count
            print(describe(name, outcome, count, seconds, worked()), flush=True)
            if count.failed:
                print(explain(output, text), flush=True)
    return counts


def names_of_failed(counts: dict[str, Count]) -> list[str]:
    return [name for name, count in counts.items() if count.failed]


def settle(counts: dict[str, Count], again: dict[str, Count]) -> list[str]:
    """Takes the second word of those that failed, where it is that they passed; returns those."""
    unsteady = [name for name in names_of_failed(counts)
                if again.get(name, Count()).passed and not again[name].failed]
    counts.update({name: again[name] for name in unsteady})
    return unsteady


def run(build: Path, options: list[str]) -> dict[str, Count]:
    reports = build / "test-reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    command = ["ctest", "--test-dir", str(build), "-V", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as ctest:
        counts = follow(ctest.stdout or (), reports, Work(ctest.pid).since_last)
    if ctest.returncode != 0 and not names_of_failed(counts):
        print(f"      ctest itself ended with {ctest.returncode}")
        counts["ctest"] = Count(0, 1)
    return counts


def main(arguments: list[str]) -> int:
    build, count_file, options = Path(arguments[0]), Path(arguments[1]), arguments[2:]
    labels = ""
    if options[:1] == ["--once-more"]:
        labels, options = options[1], options[2:]
    counts = run(build, options)
    unsteady: list[str] = []
    failed = names_of_failed(counts)
    if labels and 0 < len(failed) <= ONCE_MORE_MAX:
        print("      once more, one at a time:", flush=True)
        names = "|".join(re.escape(name) for name in failed)
        unsteady = settle(counts, run(build, ["-L", labels, "-R", f"^({names})$"]))
    total = sum(counts.values(), Count())
    lines = [f"{total.passed} {total.failed}",
             *(f"FAILED {name}" for name in names_of_failed(counts)),
             *(f"UNSTEADY {name}" for name in unsteady)]
    count_file.write_text("\n".join(lines) + "\n")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
