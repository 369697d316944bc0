# SPDX-License-Identifier: Apache-2.0
"""A token works from its acknowledgement on, and does nothing after that of its revocation, nor
once it has run out."""

from typing import Iterator

from record import FAILED, OK, FOREVER, History, Operation

CLOCK_SECONDS = 0.002


def check_tokens(history: History) -> Iterator[str]:
    made = {one.given["token"]: one for one in history.of("token_make") if one.result == OK}
    revoked = {one.given["token"]: one for one in history.of("token_revoke")}
    for use in history.of("token_use"):
        token = use.given["token"]
        if token not in made:
            continue
        make, revoke = made[token], revoked.get(token)
        expires = make.given["expires"]
        if expires and history.had_jump(make.begin, use.end):
            continue  # a wrong clock ends it too soon, or too late
        is_gone = (revoke is not None and revoke.result == OK and
                   revoke.end + _lag(history, revoke, use) < use.begin)
        is_over = expires and use.begin > make.end + expires
        if use.result == OK and (is_gone or is_over):
            yield f"{token} was {'revoked' if is_gone else 'over'} and let in"
        is_live = (revoke is None or use.end < revoke.begin) and (
            not expires or use.end < make.begin + expires)
        is_known = make.end + _lag(history, make, use) <= use.begin
        if use.result == FAILED and use.got.get("status") in (401, 403) and is_live and is_known:
            yield f"{token} was acknowledged and not let in"
    yield from _check_held(history, revoked)
    names = {token["name"] for token in history.final["tokens"]["tokens"]}
    for token, make in made.items():
        revoke = revoked.get(token)
        if revoke is not None and revoke.result == OK and token in names:
            yield f"{token} was revoked and is in the list"
        if revoke is None and not make.given["expires"] and token not in names:
            yield f"{token} was acknowledged and is not in the list"


def _lag(history: History, done: Operation, use: Operation) -> float:
    """What was done at one node, another may not have heard of yet."""
    return 0.0 if done.given.get("at") == use.given.get("at") else history.lag


def _check_held(history: History, revoked: dict) -> Iterator[str]:
    """What was open when its token was revoked brings nothing that happened later."""
    ends = {row["id"]: row["at"] or FOREVER for row in history.final["asks"]}
    for one in history.of("token_hold", "token_follow"):
        revoke = revoked.get(one.given["token"])
        if revoke is None or revoke.result != OK or not one.got.get("is_told"):
            continue
        if ends.get(one.given["ask"], FOREVER) > revoke.end + CLOCK_SECONDS:
            yield f"{one.given['token']} was revoked, and its {one.kind[6:]} told of the answer"
