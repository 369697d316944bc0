#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/pictures/prompt.svg, permission.svg and inbox.svg from what the built program really
shows in tmux.

    PARLEY_PROGRAM=build/release/parley tools/terminal_pictures.py
"""

import os
import re
import sys
import unicodedata
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ["PARLEY_PROGRAM"] = str(Path(os.environ["PARLEY_PROGRAM"]).resolve())
sys.path.insert(0, str(ROOT / "tests" / "terminal"))

# pylint: disable=wrong-import-position
from tmux_terminal import TmuxTerminal  # noqa: E402
from broker_process import Broker  # noqa: E402

CELL_WIDTH, CELL_HEIGHT, MARGIN = 8.4, 18, 14
COLORS = {31: "#f38ba8", 32: "#a6e3a1", 33: "#f9e2af", 34: "#89b4fa", 35: "#cba6f7",
          36: "#89dceb"}


def further_color(rest: list[int]) -> str:
    """Of the 256 colours, or of all; takes the numbers that say which."""
    if rest.pop(0) == 2:
        red, green, blue = (rest.pop(0) for _ in range(3))
        return f"#{red:02x}{green:02x}{blue:02x}"
    number = rest.pop(0)
    if number < 16:
        return COLORS.get(30 + number % 8, "#7f849c" if number == 8 else "#cdd6f4")
    if number >= 232:
        return f"#{8 + 10 * (number - 232):02x}" + f"{8 + 10 * (number - 232):02x}" * 2
    steps = (0, 95, 135, 175, 215, 255)
    place = number - 16
    return "#" + "".join(f"{steps[place // by % 6]:02x}" for by in (36, 6, 1))


class Style:
    """The attributes that the escape codes of a capture set."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.color: str | None = None
        self.background: str | None = None
        self.bold = self.dim = self.underlined = self.reversed = False

    def apply(self, codes: str) -> None:
        rest = [int(word or 0) for word in codes.split(";")]
        while rest:
            code = rest.pop(0)
            if code == 0:
                self.reset()
            elif code in COLORS:
                self.color = COLORS[code]
            elif code in (38, 39):
                self.color = further_color(rest) if code == 38 else None
            elif code in (48, 49):
                self.background = further_color(rest) if code == 48 else None
            self.bold = code == 1 or (self.bold and code != 22)
            self.dim = code == 2 or (self.dim and code != 22)
            self.underlined = code == 4 or (self.underlined and code != 24)
            self.reversed = code == 7 or (self.reversed and code != 27)

    def attributes(self) -> str:
        color = "#1e1e2e" if self.reversed else self.color or "#cdd6f4"
        words = f'fill="{color}"'
        if self.bold:
            words += ' font-weight="bold"'
        if self.dim:
            words += ' opacity="0.6"'
        if self.underlined:
            words += ' text-decoration="underline"'
        return words


def cells_of(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def draw_line(line: str, row: int, style: Style) -> str:
    """`style` is what the line before has left: a capture goes on with it."""
    column, out = 0, []
    y = MARGIN + row * CELL_HEIGHT
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if piece.startswith("\x1b["):
            style.apply(piece[2:-1])
            continue
        width = cells_of(piece)
        x = MARGIN + column * CELL_WIDTH
        behind = "#cdd6f4" if style.reversed else style.background
        if behind and piece:
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{width * CELL_WIDTH:.1f}" '
                       f'height="{CELL_HEIGHT}" fill="{behind}"/>')
        if text := piece.strip():
            x += (len(piece) - len(piece.lstrip())) * CELL_WIDTH
            shown = escape(text.replace(" ", "\N{NO-BREAK SPACE}"))
            out.append(f'<text x="{x:.1f}" y="{y + 14}" '
                       f'textLength="{cells_of(text) * CELL_WIDTH:.1f}" '
                       f'{style.attributes()}>{shown}</text>')
        column += width
    return "".join(out)


def draw_screen(screen: str) -> str:
    style = Style()
    lines = screen.rstrip().split("\n")
    return "\n".join(draw_line(line, row, style) for row, line in enumerate(lines))


def to_svg(screen: str, columns: int) -> str:
    width = columns * CELL_WIDTH + 2 * MARGIN
    height = (screen.rstrip().count("\n") + 1) * CELL_HEIGHT + 2 * MARGIN
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
            'font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace" '
            f'font-size="14">\n<rect width="100%" height="100%" rx="8" '
            f'fill="#1e1e2e"/>\n{draw_screen(screen)}\n</svg>\n')


def prompt_picture() -> str:
    with TmuxTerminal(72, 20) as terminal:
        terminal.run("ask", "Which database should we use?", "--header", "Database",
                     "-o", "PostgreSQL (Recommended)::Relational DB with rich features",
                     "-o", "MongoDB::Document-based NoSQL database",
                     "-o", "SQLite::Lightweight embedded database", "--timeout", "10m")
        terminal.wait_for("Esc dismiss")
        return to_svg(terminal.styled(), 72)


def permission_picture() -> str:
    with Broker() as broker, TmuxTerminal(80, 24, **broker.variables) as terminal:
        broker.call("POST", "/v1/asks", {
            "questions": [{"question": "May Claude Code use Edit?", "header": "Permission",
                           "options": [{"label": "Allow once"},
                                       {"label": "Allow for this session"}, {"label": "Deny"}],
                           "custom": False}],
            "permission": {"tool": "Edit", "input": {
                "file_path": "/srv/shop/src/payment/retry.ts",
                "old_string": "const LIMIT = 3;\nretry(LIMIT);",
                "new_string": "const LIMIT = 30;\n// The bank is slow.\nretry(LIMIT, 250);",
                "replace_all": True}},
            "session": "shop", "agent": "claude"})
        terminal.run("inbox")
        terminal.wait_for("1 waiting")
        terminal.keys("Enter")
        terminal.wait_for("Esc back")
        return to_svg(terminal.styled(), 80)


def inbox_picture() -> str:
    def ask(text: str, header: str, labels: tuple[str, ...], **more: object) -> None:
        broker.call("POST", "/v1/asks", {"questions": [
            {"question": text, "header": header,
             "options": [{"label": label} for label in labels]}], **more})

    with Broker() as broker, TmuxTerminal(96, 26, **broker.variables) as terminal:
        ask("Which of the two migrations goes first?", "Order", ("users", "billing"),
            session="api-server", agent="claude")
        ask("The tests need a network. May they have it?", "Network", ("Yes", "No"),
            session="ci-runner", agent="opencode", urgency="low")
        ask("Delete 214 rows from production?", "Delete",
            ("Allow once", "Allow for this session", "Deny"), session="billing", agent="claude",
            urgency="high", timeout_seconds=900)
        terminal.run("inbox")
        terminal.wait_for("3 waiting")
        terminal.wait_for("ends")
        return to_svg(terminal.styled(), 96)


if __name__ == "__main__":
    for name, picture in (("prompt", prompt_picture()), ("permission", permission_picture()),
                          ("inbox", inbox_picture())):
        (ROOT / "docs" / "pictures" / f"{name}.svg").write_text(picture)
