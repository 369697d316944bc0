#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layer check: reads every #include of src/, include/ and examples/, and every library's link
list, and fails on an arrow that the table in ARCHITECTURE.md does not permit. That table is the
only list of arrows; the outside headers and who may use them stand below.

    tools/layers.py
"""

import re
import sys
from dataclasses import dataclass
from typing import Iterator, Mapping

from source_text import (ROOT, is_bench, is_cpp, is_fuzz, is_test, list_files, read,
                         without_comments, without_literals)

# The layer of each public header. Those of base are plain vocabulary over the standard library, so
# every layer shares them.
PUBLIC = {
    "error.h": "base",
    "result.h": "base",
    "ids.h": "base",
    "values.h": "base",
    "event.h": "base",
    "requests.h": "base",
    "ticket.h": "client",
    "any_broker.h": "client",
    "broker.h": "client",
    "client.h": "client",
    "tools.h": "client",
    "server.h": "app",
}

COROUTINE_FOLDERS = {"net", "door", "agent"}
# Folders of tests/ whose headers a test beside its source may use.
TEST_FOLDERS = {"support", "simulator"}
# Folders whose functions depend on their arguments alone.
PURE_FOLDERS = {"text", "core", "dialect", "wire", "broker"}


@dataclass(frozen=True)
class Outside:
    """A family of outside headers and the folders that may use it, all of src/ if none is named.
    `headers` are the .h files that may pass it on; elsewhere it stays inside .cc files."""

    pattern: str
    folders: frozenset[str]
    headers: str = r"$^"
    one_file: bool = False  # in each folder; such a header is too costly to compile twice


def outside(pattern: str, folders: str, headers: str = r"$^", one_file: bool = False) -> Outside:
    return Outside(pattern, frozenset(folders.split()), headers, one_file)


POSIX = (r"(unistd|fcntl|ifaddrs|poll|signal|spawn|execinfo|dirent|pwd|netdb|pthread)\.h"
         r"|(sys|net|netinet|arpa|linux)/\w+\.h")

OUTSIDE = (
    outside(r"tl/expected\.hpp", "base", headers=r"include/parley/result\.h"),
    outside(r"fmt/\w+\.h", "", headers=r"src/.*"),
    outside(r"sanitizer/asan_interface\.h", "base"),
    outside(r"utf8proc\.h", "text"),
    outside(r"boost/json(/.*|\.hpp)", "text", headers=r"src/text/json\.h"),
    outside(r"sqlite3\.h", "store", headers=r"src/store/(sqlite_\w+|\w+_vfs)\.h"),
    outside(r"libpq-fe\.h", "store", headers=r"src/store/postgres/libpq\.h"),
    outside(r"dlfcn\.h", "store"),
    outside(r"boost/beast(/.*|\.hpp)", "wire", one_file=True),
    outside(r"boost/(asio|system)(/.*|\.hpp)", "net door agent",
            headers=r"src/(net|door|agent)/.*"),
    outside(r"openssl/.*", "net"),
    outside(r"termios\.h|sys/ioctl\.h", "term"),
    outside(r"md4c(-html)?\.h", "prompt"),
    outside(r"toml\+\+/.*|qrencode\.h", "app"),
    outside(POSIX, "base store term net client agent app", headers=r"src/.*"),
)
FOR_TESTS = re.compile(rf"(gtest|gmock|rapidcheck|benchmark)(/.*|\.h)|(malloc|pty|vterm)\.h"
                       rf"|{POSIX}")

STANDARD = re.compile(r"[a-z_0-9]+")
IMPURE_STANDARD = {"fstream", "filesystem", "iostream", "random"}
INCLUDE = re.compile(r'^[ ]*#[ ]*include[ ]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
# An `operator co_await` makes a plain awaiter; it is no coroutine.
COROUTINE = re.compile(r"(?<!operator )\bco_(await|return|yield)\b")

Arrows = Mapping[str, frozenset[str]]
Fault = tuple[int, str]


def read_arrows(document: str) -> dict[str, frozenset[str]]:
    """The rows "| `folder` | what it may include | …" of ARCHITECTURE.md."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", document, re.M)
    folders = frozenset(folder for folder, _ in rows)
    arrows = {}
    for folder, cell in rows:
        named = frozenset(re.findall(r"\w+", cell))
        arrows[folder] = folders - {folder} if named == {"all"} else named
        if unknown := arrows[folder] - folders:
            raise ValueError(f"ARCHITECTURE.md, row {folder}: no such folder: {sorted(unknown)}")
    return arrows


def reachable(arrows: Arrows, folder: str) -> set[str]:
    """All that `folder` stands on, at any depth. A test may use it."""
    seen: set[str] = set()
    waiting = [folder]
    while waiting:
        for below in arrows.get(waiting.pop(), frozenset()):
            if below not in seen:
                seen.add(below)
                waiting.append(below)
    return seen


def includes_of(source: str) -> Iterator[tuple[int, str, bool]]:
    """Line, header, and whether it was written in quotes."""
    code = without_comments(source)
    for match in INCLUDE.finditer(code):
        line = code.count("\n", 0, match.end()) + 1
        yield line, match[1] or match[2], match[1] is not None


def layer_of_header(header: str) -> str | None:
    folder, _, name = header.partition("/")
    return PUBLIC.get(name) if folder == "parley" else folder


def is_auxiliary(path: str) -> bool:
    return is_test(path) or is_bench(path) or is_fuzz(path)


def check_own(path: str, folder: str, header: str, arrows: Arrows) -> str | None:
    if path.startswith("include/") and not header.startswith("parley/"):
        return f'an installed header may include only "parley/…", not "{header}"'
    layer = layer_of_header(header)
    if is_auxiliary(path) and layer in TEST_FOLDERS:
        return None
    if layer not in arrows:
        return f'"{header}" belongs to no layer: write the folder first, or give it one here'
    allowed = reachable(arrows, folder) if is_auxiliary(path) else arrows[folder]
    if layer != folder and layer not in allowed:
        return f"{folder} may not include {layer} (ARCHITECTURE.md, Layers)"
    return None


def check_outside(path: str, folder: str, header: str) -> str | None:
    if STANDARD.fullmatch(header):
        if header in IMPURE_STANDARD and folder in PURE_FOLDERS and not is_auxiliary(path):
            return f"<{header}>: {folder} reads no file, terminal or random source"
        return None
    if is_auxiliary(path) and FOR_TESTS.fullmatch(header):
        return None
    family = next((entry for entry in OUTSIDE if re.fullmatch(entry.pattern, header)), None)
    if family is None:
        return f"<{header}> is not in the table of outside headers in tools/layers.py"
    if path.startswith("include/"):
        return None if re.fullmatch(family.headers, path) else f"<{header}> in an installed header"
    if family.folders and folder not in family.folders:
        return f"<{header}>: only in {', '.join(sorted(family.folders))}"
    if path.endswith(".h") and not re.fullmatch(family.headers, path):
        return f"<{header}>: only in .cc files"
    return None


def check_example(header: str, quoted: bool) -> str | None:
    if quoted or header.startswith("parley/") or STANDARD.fullmatch(header):
        return None
    return f"<{header}>: an example shows what an embedding program needs, no more"


def folder_of(path: str) -> str | None:
    if path.startswith("include/parley/"):
        return PUBLIC.get(path.removeprefix("include/parley/"))
    return path.split("/")[1] if path.startswith("src/") else None


def check_source(path: str, source: str, arrows: Arrows) -> Iterator[Fault]:
    folder = folder_of(path)
    if path.startswith("examples/"):
        includes = list(includes_of(source))
        # One that reaches a broker from outside uses nothing of ours, and what it likes of others'.
        if any(header.startswith("parley/") for _, header, _ in includes):
            for line, header, quoted in includes:
                if what := check_example(header, quoted):
                    yield line, what
        return
    if folder not in arrows:
        yield 1, "belongs to no layer: give its folder a row in ARCHITECTURE.md, Layers"
        return
    for line, header, quoted in includes_of(source):
        if quoted:
            what = check_own(path, folder, header, arrows)
        else:
            what = check_outside(path, folder, header)
        if what:
            yield line, what
    if folder not in COROUTINE_FOLDERS and not is_test(path):
        code = without_literals(source)
        for match in COROUTINE.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            yield line, f"{match[0]}: coroutines live in {', '.join(sorted(COROUTINE_FOLDERS))}"


def check_links(path: str, text: str, arrows: Arrows) -> Iterator[Fault]:
    """A library links its own folder and what that may include; one with the helpers of its tests,
    NAME_testing, links what a test may use."""
    folder = path.split("/")[1]
    if folder not in arrows:
        return
    for match in re.finditer(r"parley_library\(\s*(\w+)([^)]*)\)", text):
        helpers = match[1].endswith("_testing")
        allowed = {folder} | (reachable(arrows, folder) if helpers else arrows[folder])
        links = re.split(r"\bLINKS\b", match[2])[1:]
        for link in links[0].split() if links else []:
            link = link.removeprefix("parley_")
            if link in arrows and link not in allowed:
                line = text.count("\n", 0, match.start()) + 1
                yield line, f"{match[1]} may not link {link} (ARCHITECTURE.md, Layers)"


def check_one_file(sources: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    for family in (entry for entry in OUTSIDE if entry.one_file):
        users: dict[str, str] = {}
        for path, source in sources.items():
            if is_auxiliary(path) or not path.startswith("src/"):
                continue
            for line, header, quoted in includes_of(source):
                if quoted or not re.fullmatch(family.pattern, header):
                    continue
                first = users.setdefault(path.split("/")[1], path)
                if first != path:
                    yield path, line, f"<{header}>: one file of a folder only, and {first} has it"


def main() -> int:
    arrows = read_arrows(read(ROOT / "ARCHITECTURE.md"))
    files = [path for path in list_files() if path.startswith(("src/", "include/", "examples/"))]
    sources = {path: read(ROOT / path) for path in files if is_cpp(path)}
    faults = [f"{path}:{line}: {what}" for path, source in sources.items()
              for line, what in check_source(path, source, arrows)]
    faults += [f"{path}:{line}: {what}" for path, line, what in check_one_file(sources)]
    faults += [f"{path}:{line}: {what}" for path in files if path.endswith("CMakeLists.txt")
               for line, what in check_links(path, read(ROOT / path), arrows)]
    print("\n".join(faults + [f"{len(sources)} files, {len(faults)} forbidden arrows"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
