# SPDX-License-Identifier: Apache-2.0
"""Holds a history against the promises. Knows the operations and what the broker shows at the end;
knows nothing of how either came about."""

from ask_checks import check_asks
from event_checks import check_events
from record import History
from token_checks import check_tokens
from work_checks import check_drafts, check_messages, check_parts


def check(history: History) -> list[str]:
    """Every promise that was broken, in words."""
    violations = list(history.faults)
    if not history.final:
        return violations + ["the run did not come to its end"]
    for judge in (check_asks, check_events, check_drafts, check_messages, check_parts,
                  check_tokens):
        violations += judge(history)
    return violations
