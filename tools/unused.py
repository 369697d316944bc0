#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions of src/ that the product does not use, but tests alone or nobody. What is exported is
looked for in the objects of a build, whatever its preset; what stands in a header, in the text.
What a program that embeds the broker may call (include/parley) is used by definition.

    tools/unused.py BUILD_FOLDER
"""

import json
import re
import struct
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator

from source_text import ROOT, is_bench, is_fuzz, is_test, read, without_literals

# What stays although the product does not call it, and why.
KEPT = {
    "parley::net::WebSocket::closed": "tests see with which code a socket ended",
    "parley::net::Router::routes": "tests hold the routes against the documents",
    "router": "tests hold the routes against the documents",
    "held_requests": "tests see that no request is left behind",
    "allocate": "called by the standard library",
    "deallocate": "called by the standard library",
}

SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QQq")
SYMBOL_TABLE, RELOCATIONS, LONG_INDEX = 2, 4, 18  # types of sections
IN_MEMORY = 2  # a flag of a section: not debugging information
GLOBAL, FUNCTION = 1, 2

INCLUDE = re.compile(r'^#include "([^"\n]+)"', re.M)
OUTPUT = re.compile(r" -o (\S*CMakeFiles/([^/]+)\.dir/\S+\.(?:cc|cxx)\.o) ")
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
BODY_IN_HEADER = re.compile(
    r"\b(?!requires)([a-z_]\w*)\([^;{}]*\)(?: const)?(?: noexcept)?(?: override)? \{")
CONSTANT = re.compile(r"\bconstexpr\b[^;=({]*?\b(k[A-Z]\w*)(?:\[\])? ?[={]")
API_NAME = re.compile(r"\b(?:class|struct|enum class)\s+(?:\[\[\w+\]\]\s*)?(\w+)|\b(\w+)\(")


@dataclass
class Object:
    functions: set[str] = field(default_factory=set)  # that others may call
    references: set[str] = field(default_factory=set)  # to itself too


def read_object(data: bytes) -> Object:
    """What an object of ELF, 64 bits, little endian, gives to others and wants."""
    table, = struct.unpack_from("<Q", data, 40)
    count, = struct.unpack_from("<H", data, 60)
    first = SECTION.unpack_from(data, table)
    sections = list(SECTION.iter_unpack(data[table:table + SECTION.size * (count or first[5])]))

    def content(section: tuple) -> bytes:
        return data[section[4]:section[4] + section[5]]

    table_of_symbols = next(section for section in sections if section[1] == SYMBOL_TABLE)
    texts = content(sections[table_of_symbols[6]])
    symbols = [(texts[name:texts.index(b"\0", name)].decode(), info, section)
               for name, info, _, section, _, _ in SYMBOL.iter_unpack(content(table_of_symbols))]
    found = Object()
    for name, info, section in symbols:
        if info >> 4 == GLOBAL and section == 0:
            found.references.add(name)
        elif info >> 4 == GLOBAL and info & 15 == FUNCTION:
            found.functions.add(name)
    for section in sections:
        if section[1] == RELOCATIONS and sections[section[7]][2] & IN_MEMORY:
            for _, info, _ in RELOCATION.iter_unpack(content(section)):
                found.references.add(symbols[info >> 32][0])
    return found


def qualified_name(symbol: str) -> str | None:
    """`parley::net::Router::routes` of a mangled name. None for templates, constructors,
    destructors and operators: the compiler makes and calls those by itself."""
    match = re.match(r"_Z(?:NK?)?(?=6parley)", symbol)
    if match is None:
        return None
    parts, at = [], match.end()
    while length := re.compile(r"\d+").match(symbol, at):
        end = length.end() + int(length[0])
        parts.append(symbol[length.end():end])
        at = end
    after = symbol[at:]
    if after.startswith("B5cxx11"):
        after = after.removeprefix("B5cxx11")
    is_plain = after.startswith("E") if "N" in match[0] else True
    return "::".join(parts) if is_plain and len(parts) > 1 else None


def api_names(headers: list[str]) -> set[str]:
    return {name for header in headers for pair in API_NAME.findall(without_literals(header))
            for name in pair if name}


def is_api(name: str, api: set[str]) -> bool:
    parts = [part for part in name.split("::")[1:] if part != "tools"]
    return parts[0] in api


def definers(name: str, sources: list[str], texts: dict[str, str]) -> list[str]:
    """The sources among those compiled as one in which a function has its body; all of them, if it
    is spelled so that none shows it."""
    *_, scope, word = name.split("::")
    owner = rf"\b{re.escape(scope)}::" if scope[0].isupper() else r"(?<!::)\b"
    body = re.compile(rf"^[^\s#/}}][^({{=;\n]*?{owner}{re.escape(word)}\(", re.M)
    return [source for source in sources if body.search(texts[source])] or sources


def unused_functions(objects: dict[tuple[str, ...], Object], sources: dict[str, str],
                     headers: dict[str, str], api: set[str],
                     is_optimised: bool) -> Iterator[tuple[str, str]]:
    """(source, function) of what nobody refers to; the objects by the sources that each is compiled
    from. An optimised object no longer shows what it calls of its own, be it through a body in a
    header, so there a second mention in its source or in the headers counts, and one in a source
    that is compiled with it and sees the function's header."""
    wanted = Counter(name for each in objects.values() for name in each.references)
    for joined, each in sorted(objects.items()):
        for symbol in sorted(each.functions):
            name = qualified_name(symbol)
            if wanted[symbol] or name is None or is_api(name, api):
                continue
            word = re.compile(rf"\b{re.escape(name.rsplit('::', 1)[-1])}\b")
            own = definers(name, list(joined), sources)
            if is_optimised and (any(len(word.findall(sources[source])) > 1 for source in own)
                                 or sum(len(word.findall(text)) for text in headers.values()) > 1
                                 or is_named_beside(word, own, joined, sources, headers)):
                continue
            yield own[0], name


def is_named_beside(word: re.Pattern, own: list[str], joined: tuple[str, ...],
                    sources: dict[str, str], headers: dict[str, str]) -> bool:
    declaring = {path for path, text in headers.items() if word.search(text)}
    return any(source not in own and word.search(sources[source])
               and declaring & included_by([source]) & included_by(own) for source in joined)


def unused_in_headers(headers: dict[str, str], product: list[str]) -> Iterator[tuple[str, str]]:
    """(header, name) of what has its body in a header and is named nowhere else."""
    named = Counter(word for text in product for word in WORD.findall(text))
    for path, text in sorted(headers.items()):
        for pattern in (BODY_IN_HEADER, CONSTANT):
            yield from ((path, name) for name in pattern.findall(text) if named[name] == 1)


def is_product(source: str, target: str) -> bool:
    is_ours = target == "parley" or target.startswith("parley_")
    return (source.startswith("src/") and is_ours and not target.endswith("_testing")
            and not is_test(source) and not is_bench(source) and not is_fuzz(source))


def compiled_as_one(path: Path) -> list[Path]:
    """The sources of a file that CMake wrote to compile several as one, else the file."""
    joined = INCLUDE.findall(read(path)) if path.suffix == ".cxx" else []
    return [Path(name) for name in joined] or [path]


def product_commands(build: Path) -> Iterator[tuple[tuple[str, ...], Path, str]]:
    """Sources, object and command of everything that is compiled into the product."""
    for entry in json.loads(read(build / "compile_commands.json")):
        output = OUTPUT.search(entry["command"])
        if output is None:
            continue
        paths = [path.resolve() for path in compiled_as_one(Path(entry["file"]))]
        sources = tuple(str(path.relative_to(ROOT)) for path in paths)
        if all(is_product(source, output[2]) for source in sources):
            yield sources, build / output[1], entry["command"]


def included_by(sources: list[str]) -> set[str]:
    """The headers of src/ that these sources see."""
    seen: set[str] = set()
    waiting = list(sources)
    while waiting:
        for header in INCLUDE.findall(read(ROOT / waiting.pop())):
            path = f"src/{header}"
            if path not in seen and (ROOT / path).is_file():
                seen.add(path)
                waiting.append(path)
    return seen


def check(build: Path) -> list[str]:
    commands = list(product_commands(build))
    if missing := [str(path) for _, path, _ in commands if not path.is_file()]:
        return [f"{missing[0]} and {len(missing) - 1} more are not built: build parley first"]
    sources = {source: without_literals(read(ROOT / source))
               for joined, _, _ in commands for source in joined}
    headers = {path: without_literals(read(ROOT / path)) for path in included_by(list(sources))}
    public = [read(path) for path in sorted((ROOT / "include/parley").glob("*.h"))]
    objects = {joined: read_object(path.read_bytes()) for joined, path, _ in commands}
    is_optimised = any(" -O0" not in command for _, _, command in commands)
    found = list(unused_functions(objects, sources, headers, api_names(public), is_optimised))
    product = [*sources.values(), *headers.values(), *map(without_literals, public)]
    found += unused_in_headers(headers, product)
    return [f"{path}: {name} is used by tests alone, or by nobody: take it away, or say in "
            "tools/unused.py why it stays" for path, name in found if name not in KEPT]


if __name__ == "__main__":
    faults = check(Path(sys.argv[1]).resolve())
    print("\n".join(faults))
    sys.exit(1 if faults else 0)
