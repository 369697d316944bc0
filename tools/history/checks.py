# SPDX-License-Identifier: Apache-2.0
"""Holds a history against the promises. Knows the operations and what the broker shows at the end;
knows nothing of how either came about."""

from typing import Iterator

from ask_checks import check_asks
from event_checks import check_events
from record import FAILED, History
from token_checks import check_tokens
from watch import check_peaks
from work_checks import check_drafts, check_messages, check_parts


# Which refusals a right request may get: it came too late, or its token is gone.
REFUSALS = {"settle": {200, 404, 408, 409}, "push": {409}, "draft_put": {404, 409},
            "draft_drop": {404, 409}, "draft_get": {404}, "snooze": {404},
            "token_use": {401, 429}}


def check_refusals(history: History) -> Iterator[str]:
    for one in history.operations:
        status = one.got.get("status")
        if one.result == FAILED and status and status not in REFUSALS.get(one.kind, ()):
            yield f"{one.door} refused a right {one.kind} of {one.worker} with {status}"


def check(history: History) -> list[str]:
    """Every promise that was broken, in words."""
    violations = list(history.faults)
    if not history.final:
        return violations + ["the run did not come to its end"]
    for judge in (check_refusals, check_asks, check_events, check_drafts, check_messages,
                  check_parts, check_tokens, check_peaks):
        violations += judge(history)
    return violations
