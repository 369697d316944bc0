# SPDX-License-Identifier: Apache-2.0
"""What the repository's own checks share: which files there are, and C++ with its comments and
literals blanked out, so that a rule about code never fires on prose."""

import os
import re
import subprocess
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED_FOLDERS = {".git", ".cache", "__pycache__", "build", "node_modules"}


def list_files(root: Path = ROOT) -> list[str]:
    """Every file that is or would be in the repository, relative to `root`, sorted."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
        names = {name for name in listed.decode().split("\0") if name}
        return sorted(name for name in names if (root / name).is_file())
    except (OSError, subprocess.CalledProcessError):
        return sorted(walk_files(root))  # a source archive, or a checkout that git does not trust


def walk_files(root: Path):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        for name in names:
            yield str((Path(folder) / name).relative_to(root))


def is_cpp(path: str) -> bool:
    return path.endswith((".h", ".cc"))


def is_test(path: str) -> bool:
    """Tests, and what only tests use: test_values.h, x_test_folder.h, x_fixture.h and the like."""
    name = path.rsplit("/", 1)[-1]
    marked = re.search(r"^test_|_(test|fixture|conformance)[_.]", name)
    return path.startswith("tests/") or marked is not None


def is_bench(path: str) -> bool:
    return path.startswith("bench/") or path.endswith("_bench.cc")


def is_fuzz(path: str) -> bool:
    return path.startswith("fuzz/") or path.endswith("_fuzz.cc")


# Numbers come first because of their digit separators: 1'000'000 holds no character literal.
LEXEME = re.compile(
    r"""(?P<number>(?<![\w])\d(?:'?[\w.])*)
      |(?P<raw>\bR"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      |(?P<comment>//[^\n]*|/\*.*?\*/)
      |(?P<string>"(?:\\.|[^"\\\n])*")
      |(?P<char>'(?:\\.|[^'\\\n])*')""",
    re.VERBOSE | re.DOTALL,
)


def blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def lines_in_raw_strings(source: str) -> set[int]:
    """The numbers of the lines that begin inside a raw string: sample text, not code."""
    lines: set[int] = set()
    for match in LEXEME.finditer(source):
        if match["raw"]:
            first = source.count("\n", 0, match.start()) + 1
            lines.update(range(first + 1, first + 1 + match[0].count("\n")))
    return lines


def columns(line: str) -> int:
    """Terminal columns, as clang-format counts them."""
    return sum(columns_of(char) for char in line)


def columns_of(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def without_comments(source: str) -> str:
    def replace(match: re.Match) -> str:
        return blank(match[0]) if match["comment"] else match[0]

    return LEXEME.sub(replace, source)


def without_literals(source: str) -> str:
    """Neither comments nor what stands between quotes. Lines and columns stay where they were."""

    def replace(match: re.Match) -> str:
        if match["number"]:
            return match[0]
        if match["comment"]:
            return blank(match[0])
        return match[0][0] + blank(match[0][1:-1]) + match[0][-1]

    return LEXEME.sub(replace, source)


if __name__ == "__main__":
    print("\n".join(filter(is_cpp, list_files())))
