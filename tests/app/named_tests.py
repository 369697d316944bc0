# SPDX-License-Identifier: Apache-2.0
"""Whether a test that a page names is there. A name is one of

    Suite.Case              a case of GoogleTest, in any *_test.cc of src and tests
    file_test.test_case     a case of tests/**/file_test.py
    file.test.mjs: words    a case of tests/page or web/test whose title has these words
    NAME.mutation           a fault of tests/mutations
    path/to/something       a file or folder of the repository
"""

import functools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP_CASE = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.M)


@functools.cache
def cpp_cases() -> frozenset[str]:
    sources = [*(ROOT / "src").rglob("*.cc"), *(ROOT / "tests").rglob("*.cc")]
    return frozenset(f"{suite}.{case}" for source in sources
                     for suite, case in CPP_CASE.findall(source.read_text()))


def is_case(name: str) -> bool:
    """A case of a test, as against a whole file or a mutation."""
    file, words, title = name.partition(": ")
    if words:
        sources = [*(ROOT / "tests/page").glob(file), *(ROOT / "web/test").glob(file)]
        return any(re.search(rf"\btest\([\"`]{re.escape(title)}", source.read_text())
                   for source in sources)
    module, _, case = name.partition(".")
    if module.endswith("_test"):
        return any(f"def {case}(" in source.read_text()
                   for source in (ROOT / "tests").rglob(f"{module}.py"))
    return name in cpp_cases()


def is_there(name: str) -> bool:
    if name.endswith(".mutation"):
        return (ROOT / "tests/mutations" / name).exists()
    return is_case(name) or ("/" in name and (ROOT / name).exists())


def names_in_last_column(table: str) -> list[list[str]]:
    """Of each row of a Markdown table but its head: what its last column has between backticks."""
    rows = [line for line in table.splitlines() if line.startswith("|")]
    return [re.findall(r"`([^`]+)`", row.rsplit("|", 2)[1]) for row in rows[2:]]
