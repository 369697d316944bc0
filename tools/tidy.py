#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house rules that neither the compiler nor clang-tidy knows: sizes, headers, leftovers, and
calls that have a better replacement here. Prints `path:line: what to do` for each fault.

    tools/tidy.py            every file of the repository
"""

import ast
import os
import re
import sys
from pathlib import Path
from typing import Iterator

from banned_calls import BANNED, in_product
from function_spans import function_spans
from source_text import (ROOT, columns, is_bench, is_cpp, is_test, lines_in_raw_strings,
                         list_files, read, without_literals)

LINE_COLUMNS_MAX = 100
SOURCE_LINES_MAX = 400
TEST_LINES_MAX = 800
FUNCTION_LINES_MAX = 60
README_LINES_MAX = 30
PICTURE_BYTES_MAX = 160 * 1024
FILE_BYTES_MAX = 256 * 1024

Fault = tuple[int, str]

TYPE = re.compile(r"(?:class|struct|enum class) (\w+)(?: final)?(?: :(?!:)[^;]*| \{.*)?$")

# Spelled in pieces, so that this file does not trip over itself.
MARKER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.$}-])/(home|root|work|farm|Users)/\w")
MERGE_MARKER = re.compile(r"^(<<<<" r"<<<|>>>>" r">>>) ")
PACKAGE_HOST = re.compile(
    r"\b(registry\.npm" r"js\.org|(deb|security|snapshot)\.deb" r"ian\.org|archive\.ubu" r"ntu\.com"
    r"|pypi\." r"org|files\.python" r"hosted\.org|crates\." r"io)\b"
)


def is_script(path: str, text: str) -> bool:
    return text.startswith("#!") or path.endswith((".py", ".sh"))


def is_source(path: str, text: str) -> bool:
    return is_cpp(path) or is_script(path, text)


def is_build_file(path: str) -> bool:
    return path.endswith((".cmake", "CMakeLists.txt"))


def sample_lines(path: str, text: str) -> set[int]:
    return lines_in_raw_strings(text) if is_cpp(path) else set()


def check_line_width(path: str, text: str) -> Iterator[Fault]:
    if not (is_source(path, text) or is_build_file(path)):
        return
    samples = sample_lines(path, text)
    for number, line in enumerate(text.split("\n"), 1):
        if columns(line) > LINE_COLUMNS_MAX and number not in samples:
            yield number, f"{columns(line)} columns; the limit is {LINE_COLUMNS_MAX}"


def check_blanks(path: str, text: str) -> Iterator[Fault]:
    if path.startswith("fuzz/corpus/"):
        return
    samples = sample_lines(path, text)
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip() and number not in samples:
            yield number, "blanks at the end of the line"
        if "\t" in line and is_cpp(path):
            yield number, "a tab; indent with spaces and write \\t in literals"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end of the file"
    if text.endswith("\n\n"):
        yield text.count("\n"), "blank lines at the end of the file"


def check_file_size(path: str, text: str) -> Iterator[Fault]:
    if len(text.encode()) > FILE_BYTES_MAX:
        yield 1, f"over {FILE_BYTES_MAX // 1024} KiB; generated data does not belong here"
    lines = text.count("\n")
    most = TEST_LINES_MAX if is_test(path) or is_bench(path) else SOURCE_LINES_MAX
    if is_source(path, text) and lines > most:
        yield most + 1, f"{lines} lines; the limit is {most}: split it by what it is about"
    if re.fullmatch(r"src/[^/]+/README\.md", path) and lines > README_LINES_MAX:
        yield README_LINES_MAX + 1, f"{lines} lines; a folder's README has {README_LINES_MAX}"


def check_function_size(path: str, text: str) -> Iterator[Fault]:
    spans = []
    if is_cpp(path):
        spans = function_spans(text)
    elif path.endswith(".py"):
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
        spans = [(node.lineno, node.end_lineno or node.lineno) for node in nodes]
    samples = sample_lines(path, text)
    for first, last in spans:
        lines = sum(number not in samples for number in range(first, last + 1))
        if lines > FUNCTION_LINES_MAX:
            yield first, f"a function of {lines} lines; the limit is {FUNCTION_LINES_MAX}"


def check_opening(path: str, text: str) -> Iterator[Fault]:
    if not is_source(path, text):
        return
    lines = text.splitlines() + [""] * 3
    number = 1 if lines[0].startswith("#!") else 0
    comment = "//" if is_cpp(path) else "#"
    if lines[number] != f"{comment} SPDX-License-Identifier: Apache-2.0":
        yield number + 1, f"open with '{comment} SPDX-License-Identifier: Apache-2.0'"
    if path.endswith(".h"):
        if not lines[1].startswith("// "):
            yield 2, "a header says first what it is, who owns it, on which thread"
        if "#pragma once" not in lines:
            yield 1, "no '#pragma once'"


def check_leftovers(path: str, text: str) -> Iterator[Fault]:
    for number, line in enumerate(text.splitlines(), 1):
        if found := MARKER.search(line):
            yield number, f"'{found[0]}': do it, or write it down where work is planned"
        if MERGE_MARKER.match(line):
            yield number, "the two sides of a merge are both still here"
        if found := MACHINE_PATH.search(line):
            yield number, f"'{found[0]}…' is a path of one machine"
        if found := PACKAGE_HOST.search(line):
            yield number, f"'{found[0]}': name packages, not the hosts they come from"
        if "NOLINT" in line and is_cpp(path) and not re.search(r"NOLINT\w*\([\w.,-]+\)", line):
            yield number, "name the check that is switched off: NOLINT(check-name)"


def check_banned_calls(path: str, text: str) -> Iterator[Fault]:
    if not is_cpp(path):
        return
    code = without_literals(text)
    for ban in BANNED:
        if not ban.applies_to(path):
            continue
        for found in ban.pattern.finditer(code):
            yield code.count("\n", 0, found.start()) + 1, f"{found[0].strip()}: {ban.instead}"


CHECKS = (
    check_line_width,
    check_blanks,
    check_file_size,
    check_function_size,
    check_opening,
    check_leftovers,
    check_banned_calls,
)


def check_text(path: str, text: str) -> Iterator[Fault]:
    for check in CHECKS:
        yield from check(path, text)


def check_mode(text: str, executable: bool) -> Iterator[Fault]:
    if text.startswith("#!") and not executable:
        yield 1, "has a #! line but is not executable"
    if executable and not text.startswith("#!"):
        yield 1, "is executable but has no #! line"


def check_folders(files: list[str]) -> Iterator[tuple[str, str]]:
    """Every folder of src/ tells its purpose."""
    folders = {match[0] for path in files if (match := re.match(r"src/[^/]+(?=/)", path))}
    for folder in sorted(folders):
        if f"{folder}/README.md" not in files:
            yield folder, "no README.md: purpose, main types, what it must never do"


def types_in(text: str) -> Iterator[tuple[int, str]]:
    """The types that a header defines in a namespace, by their full names."""
    spaces: list[str] = []
    for number, line in enumerate(without_literals(text).splitlines(), start=1):
        if opened := re.fullmatch(r"namespace ([\w:]+) \{", line):
            spaces.append(opened[1])
        elif line.startswith("}") and spaces and not line.startswith("};"):
            spaces.pop()
        elif named := TYPE.match(line):
            yield number, "::".join([*spaces, named[1]])


def check_types(headers: dict[str, str]) -> Iterator[tuple[str, str]]:
    """One name, one type: of two of the same name the linker takes either, without a word."""
    first: dict[str, str] = {}
    for path, text in headers.items():
        for number, name in types_in(text):
            if first.setdefault(name, path) != path:
                yield f"{path}:{number}", f"{name} is the name of a type in {first[name]} too"


# The words of ARCHITECTURE.md, and those that once named several things: each is one type, also
# across namespaces, where the compiler would not mind.
ONE_TYPE = ("Session", "Agent", "Ask", "Question", "Answer", "Settlement", "Responder", "Viewer",
            "Owner", "Door", "Dialect", "Store", "AskRun", "EventStream", "Verdict",
            "AccessOptions", "ServerOptions", "Client", "Wait", "Watch")
NAMED = re.compile(rf"(?:class|struct|enum class|using) ({'|'.join(ONE_TYPE)})\b(?!;|::)")


def check_words(sources: dict[str, str]) -> Iterator[tuple[str, str]]:
    first: dict[str, str] = {}
    for path, text in sources.items():
        for number, line in enumerate(without_literals(text).splitlines(), start=1):
            if (named := NAMED.match(line)) and first.setdefault(named[1], path) != path:
                yield f"{path}:{number}", f"{named[1]} names a type in {first[named[1]]} too"


def check_file(root: Path, path: str) -> Iterator[Fault]:
    data = (root / path).read_bytes()
    if re.fullmatch(r"(docs/pictures|web/src/static)/[\w-]+\.png", path):
        if len(data) > PICTURE_BYTES_MAX:
            yield 1, f"over {PICTURE_BYTES_MAX // 1024} KiB; make the picture smaller"
        return
    try:
        text = data.decode()
    except UnicodeDecodeError:
        if not path.startswith("fuzz/corpus/"):
            yield 1, "is not UTF-8"
        return
    if "\r" in text and not path.startswith("fuzz/corpus/"):
        yield 1, "has carriage returns"
    yield from check_text(path, text)
    yield from check_mode(text, os.access(root / path, os.X_OK))


def main() -> int:
    files = list_files()
    faults = [f"{path}:{line}: {what}" for path in files for line, what in check_file(ROOT, path)]
    faults += [f"{path}: {what}" for path, what in check_folders(files)]
    headers = {path: read(ROOT / path) for path in files if path.endswith(".h")}
    faults += [f"{place}: {what}" for place, what in check_types(headers)]
    sources = {path: read(ROOT / path) for path in files if is_cpp(path) and in_product(path)}
    faults += [f"{place}: {what}" for place, what in check_words(sources)]
    print("\n".join(faults + [f"{len(files)} files, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
