# SPDX-License-Identifier: Apache-2.0
"""What can go wrong. That a person declined, or nobody was there in time, is no error: it is the
outcome of the ask."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .values import Ask


class ParleyError(Exception):
    """All of them."""


class Unreachable(ParleyError):
    """No broker answers, and the patience of the call is over."""


class Refused(ParleyError):
    """The broker said no: `errors` names each field that is wrong by its JSON pointer."""

    def __init__(self, status: int, problem: Dict[str, Any]) -> None:
        self.status = status
        self.type: str = problem.get("type", "about:blank")
        self.detail: str = problem.get("detail") or problem.get("title") or f"status {status}"
        self.errors: List[Dict[str, str]] = problem.get("errors", [])
        said = [f"{one.get('path', '')}: {one.get('detail', '')}" for one in self.errors]
        # The broker's sentence is that of the first field, where fields are what is wrong.
        details = [one.get("detail") for one in self.errors]
        if not any(detail and detail in self.detail for detail in details):
            said.insert(0, self.detail)
        super().__init__("; ".join(said))


class AlreadySettled(Refused):
    """Somebody else was first: `ask` carries what was decided, by whom and when."""

    def __init__(self, status: int, problem: Dict[str, Any], ask: Ask) -> None:
        super().__init__(status, problem)
        self.ask = ask


def refusal(status: int, problem: Optional[Dict[str, Any]]) -> Refused:
    problem = problem or {}
    if status == 409 and isinstance(problem.get("ask"), dict):
        ask = Ask.from_json(problem["ask"])
        if not ask.is_pending:
            return AlreadySettled(status, problem, ask)
    return Refused(status, problem)
