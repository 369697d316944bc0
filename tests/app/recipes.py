# SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/notify.md and of other pages, as they stand there."""

from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def recipe(name: str, page: str = "notify.md") -> str:
    """The block that follows its mark."""
    after = (DOCS / page).read_text().split(f"<!-- recipe: {name} -->\n", 1)[1]
    return after.split("```", 2)[1].split("\n", 1)[1]
