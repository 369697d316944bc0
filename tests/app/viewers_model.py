# SPDX-License-Identifier: Apache-2.0
"""Who may see what, as simply as it can be said: callers, their sessions and asks, and the marks
that every text of theirs carries. What any door sends to a caller is held against this."""

import random
import re
from dataclasses import dataclass, field
from typing import Callable, Iterable, Optional

MARK = re.compile(r"zq[0-9a-f]{12}|(?:que|ses)_[0-9a-z]{26}")
DEFAULT = "default"


class Principal:
    """Who is behind one token or several; a name that is given anew is somebody else's."""


@dataclass(eq=False)
class Session:
    id: str
    name: str
    owner: Optional[Principal]
    parent: Optional["Session"] = None
    is_ended: bool = False


@dataclass(eq=False)
class Caller:
    """One token and the right that it gives."""
    name: str
    role: str
    secret: str
    principal: Principal
    only: Optional[Session] = None
    is_revoked: bool = False
    snoozed: set[str] = field(default_factory=set)  # ids of asks

    @property
    def is_person(self) -> bool:
        return self.role != "agent"

    @property
    def may_ask(self) -> bool:
        return self.role != "responder"

    def acts_for(self, session: Optional[Session]) -> bool:
        return self.only is not None and session is not None and (
            session is self.only or session.parent is self.only)

    def stands(self, session: Session) -> str:
        """own, free or foreign."""
        if self.is_person or self.acts_for(session):
            return "own"
        if session.owner is not None:
            return "own" if session.owner is self.principal else "foreign"
        return "foreign" if session.name == DEFAULT else "free"

    def sees_session(self, session: Session) -> bool:
        return not self.is_revoked and self.stands(session) != "foreign"

    def sees_ask(self, ask: "Ask") -> bool:
        return not self.is_revoked and (self.is_person or ask.asker is self.principal or (
            self.only is not None and ask.session is self.only))


@dataclass(eq=False)
class Ask:
    id: str
    mark: str
    asker: Principal
    session: Session
    number: int  # in the order of opening
    is_pending: bool = True
    body: dict = field(default_factory=dict)  # as it was sent, with a key or a call's id


class World:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.callers: list[Caller] = []
        self.asks: list[Ask] = []
        self.sessions: dict[str, Session] = {}  # by id
        self._open_to: dict[str, Callable[[Caller], bool]] = {}

    def new_mark(self, is_open_to: Optional[Callable[[Caller], bool]] = None) -> str:
        mark = f"zq{self.rng.getrandbits(48):012x}"
        if is_open_to:
            self._open_to[mark] = is_open_to
        return mark

    def open_mark(self, mark: str, is_open_to: Callable[[Caller], bool]) -> None:
        self._open_to[mark] = is_open_to

    def hidden_in(self, text: str, caller: Caller, sent: str) -> list[str]:
        """The marks and ids in `text` that the caller neither may see nor sent itself."""
        return [mark for mark in sorted(set(MARK.findall(text)))
                if mark not in sent and mark in self._open_to and not self._open_to[mark](caller)]

    def add_session(self, session_id: str, name: str, owner: Optional[Principal],
                    parent: Optional[Session] = None) -> Session:
        session = Session(session_id, name, owner, parent)
        self.sessions[session_id] = session

        def is_open_to(caller: Caller) -> bool:
            return caller.sees_session(session) or any(
                ask.session is session and caller.sees_ask(ask) for ask in self.asks)
        # A session names its parent, by its id alone.
        self.open_mark(session_id, lambda who: is_open_to(who) or any(
            one.parent is session and who.sees_session(one) for one in self.sessions.values()))
        if MARK.fullmatch(name):
            self.open_mark(name, is_open_to)
        return session

    def add_ask(self, ask_id: str, mark: str, caller: Caller, session: Session) -> Ask:
        ask = Ask(ask_id, mark, caller.principal, session, len(self.asks))
        self.asks.append(ask)
        self.open_mark(ask_id, lambda who: who.sees_ask(ask))
        self.open_mark(mark, lambda who: who.sees_ask(ask))
        return ask

    def enter(self, caller: Caller, session: Session) -> None:
        """The caller acts there: what is no agent's becomes the first one's."""
        if caller.stands(session) == "free":
            session.owner = caller.principal

    def end_pending(self, session: Session) -> None:
        for ask in self.pending_in(session):
            ask.is_pending = False

    def pending_in(self, session: Session) -> list[Ask]:
        return [ask for ask in self.asks if ask.session is session and ask.is_pending]

    def seen_by(self, caller: Caller, session: Optional[Session] = None,
                since: int = 0) -> Iterable[Ask]:
        return (ask for ask in self.asks[since:] if caller.sees_ask(ask) and (
            session is None or ask.session is session))

    def live(self) -> list[Session]:
        return [session for session in self.sessions.values() if not session.is_ended]

    def counting(self) -> list[Caller]:
        return [caller for caller in self.callers if not caller.is_revoked]
