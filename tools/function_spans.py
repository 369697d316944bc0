# SPDX-License-Identifier: Apache-2.0
"""Where the functions of a C++ file begin and end, by counting braces. It need not be a parser:
clang-format has already given the code one shape, and a rare miss only leaves a size unchecked."""

import re

from source_text import blank, without_literals

SCOPE_WORD = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")


def code_only(source: str) -> str:
    """Also without preprocessor lines, whose braces need not match."""
    directive = re.compile(r"^[ ]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
    return directive.sub(lambda match: blank(match[0]), without_literals(source))


def opens_function(head: str) -> bool:
    """Whether the text before a `{` is the head of a function rather than of a type or a value."""
    outside = head
    while (shorter := re.sub(r"\([^()]*\)|<[^<>()]*>", "", outside)) != outside:
        outside = shorter
    is_value = "(" in outside or outside.rstrip().endswith("=")
    return "(" in head and not is_value and not SCOPE_WORD.search(outside)


def function_spans(source: str) -> list[tuple[int, int]]:
    """First and last line of each outermost function, members included."""
    spans: list[tuple[int, int]] = []
    head, head_line, line = "", 1, 1
    depth = 0  # braces open inside the function that is open, its own included
    after_function = False
    for char in code_only(source):
        line += char == "\n"
        if depth > 0:
            depth += {"{": 1, "}": -1}.get(char, 0)
            if depth == 0:
                spans.append((head_line, line))
                head, after_function = "", True
        elif char == "{":
            # A constructor's `: member_{value}` looks like a body; the real one follows it.
            if after_function and re.fullmatch(r"\s*(,.*)?", head, re.DOTALL):
                head_line = spans.pop()[0]
                depth = 1
            elif opens_function(head):
                depth = 1
            head, after_function = "", False
        elif char in "};" or (char == ":" and head in ("public", "private", "protected")):
            head, after_function = "", False
        elif head or not char.isspace():
            if not head and not (after_function and char == ","):
                head_line = line
            head += char
    return spans
