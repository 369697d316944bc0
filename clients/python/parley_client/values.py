# SPDX-License-Identifier: Apache-2.0
"""The vocabulary as values. What a newer broker says beside it is left out, never an error."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

Json = Dict[str, Any]


def _time(text: Optional[str]) -> Optional[datetime]:
    return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None


def _without_none(members: Json) -> Json:
    return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True)
class Option:
    """One choice. A preview is markdown that is shown beside it."""

    label: str
    description: str = ""
    preview: Optional[str] = None

    def to_json(self) -> Json:
        return _without_none({"label": self.label, "description": self.description,
                              "preview": self.preview})


@dataclass(frozen=True)
class Question:
    """Without options the answer is a text. `default` is only marked beforehand."""

    question: str
    options: Sequence[Union[str, Option]] = ()
    header: Optional[str] = None
    multi_select: bool = False
    custom: bool = True
    required: Optional[bool] = None
    min: Optional[int] = None
    max: Optional[int] = None
    default: Optional[Sequence[str]] = None

    def to_json(self) -> Json:
        options = [one if isinstance(one, str) else one.to_json() for one in self.options]
        default = None if self.default is None else list(self.default)
        return _without_none({
            "question": self.question, "header": self.header, "options": options,
            "multi_select": self.multi_select, "custom": self.custom, "required": self.required,
            "min": self.min, "max": self.max, "default": default})

    @staticmethod
    def from_json(document: Json) -> Question:
        options = tuple(Option(one["label"], one.get("description", ""), one.get("preview"))
                        for one in document.get("options", []))
        return Question(document["question"], options, document.get("header"),
                        document.get("multi_select", False), document.get("custom", True),
                        document.get("required"), document.get("min"), document.get("max"),
                        document.get("default"))


@dataclass(frozen=True)
class Answer:
    """Of one question: the labels that were chosen, a text, a note."""

    selected: Tuple[str, ...] = ()
    other: Optional[str] = None
    note: Optional[str] = None

    @property
    def text(self) -> str:
        """Labels and text in one."""
        return ", ".join([*self.selected, *([self.other] if self.other else [])])

    def to_json(self) -> Json:
        return _without_none({"selected": list(self.selected), "other": self.other,
                              "note": self.note})

    @staticmethod
    def from_json(document: Json) -> Answer:
        return Answer(tuple(document.get("selected", [])), document.get("other"),
                      document.get("note"))


@dataclass(frozen=True)
class Decider:
    """Who decided: a person, the timer, the agent or a rule."""

    kind: str
    principal: Optional[str] = None
    name: Optional[str] = None
    claimed: Optional[str] = None


@dataclass(frozen=True)
class Settlement:
    """How an ask ended: answered, dismissed, timed_out or withdrawn."""

    outcome: str
    decider: Decider
    door: str
    at: datetime
    answers: Tuple[Answer, ...] = ()
    note: Optional[str] = None

    @staticmethod
    def from_json(document: Json) -> Settlement:
        who = document["decider"]
        at = _time(document["at"])
        assert at is not None
        return Settlement(
            document["outcome"],
            Decider(who["kind"], who.get("principal"), who.get("name"), who.get("claimed")),
            document.get("door", ""), at,
            tuple(Answer.from_json(one) for one in document.get("answers") or []),
            document.get("note"))


@dataclass(frozen=True)
class Permission:
    """What a tool would do if it is allowed. The broker makes the summary."""

    tool: str
    input: Any = field(default_factory=dict)
    diff: Optional[str] = None
    plan: Optional[str] = None
    summary: Optional[str] = None

    def to_json(self) -> Json:
        return _without_none({"tool": self.tool, "input": self.input, "diff": self.diff,
                              "plan": self.plan})


@dataclass(frozen=True)
class Ask:
    """One pause of one agent. `document` is all that the broker says of it."""

    id: str
    session: str
    session_id: str
    state: str
    questions: Tuple[Question, ...]
    created_at: datetime
    deadline: Optional[datetime] = None
    key: Optional[str] = None
    agent: Optional[str] = None
    urgency: str = "normal"
    permission: Optional[Permission] = None
    settlement: Optional[Settlement] = None
    document: Json = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_pending(self) -> bool:
        return self.settlement is None

    @property
    def is_answered(self) -> bool:
        return self.state == "answered"

    @property
    def answers(self) -> Tuple[Answer, ...]:
        """In question order; none unless it was answered."""
        return self.settlement.answers if self.settlement else ()

    @property
    def text(self) -> str:
        """The answer to the first question; empty without one. A yes is never made of silence."""
        return self.answers[0].text if self.answers else ""

    @staticmethod
    def from_json(document: Json) -> Ask:
        created = _time(document["created_at"])
        assert created is not None
        permits = document.get("permission")
        settled = document.get("settlement")
        return Ask(
            document["id"], document["session"], document["session_id"], document["state"],
            tuple(Question.from_json(one) for one in document["questions"]), created,
            _time(document.get("deadline")), document.get("key"), document.get("agent"),
            document.get("urgency", "normal"),
            permits and Permission(permits["tool"], permits.get("input"), permits.get("diff"),
                                   permits.get("plan"), permits.get("summary")),
            settled and Settlement.from_json(settled), document)


@dataclass(frozen=True)
class Session:
    """One conversation of one agent."""

    id: str
    session: str
    state: str
    title: Optional[str] = None
    agent: Optional[str] = None
    pending: int = 0

    @staticmethod
    def from_json(document: Json) -> Session:
        return Session(document["id"], document["session"], document["state"],
                       document.get("title"), document.get("agent"), document.get("pending", 0))


@dataclass(frozen=True)
class Event:
    """What happened. One that stands in the snapshot at the start has no cursor."""

    type: str
    cursor: Optional[str]
    data: Json = field(repr=False)

    @property
    def ask(self) -> Optional[Ask]:
        """Of ask.opened and ask.settled."""
        document = self.data.get("ask")
        return Ask.from_json(document) if isinstance(document, dict) else None


Asked = Union[str, Question, Sequence[Question]]
Answered = Union[str, Answer, Sequence[Union[str, Answer]]]


def questions_of(asked: Asked, options: Sequence[Union[str, Option]], header: Optional[str],
                 multi_select: bool) -> List[Json]:
    if isinstance(asked, str):
        return [Question(asked, options, header, multi_select).to_json()]
    if options or header or multi_select:
        raise TypeError("options, header and multi_select belong to a question that is a text")
    return [one.to_json() for one in ([asked] if isinstance(asked, Question) else asked)]


def answers_of(ask: Ask, answered: Answered) -> List[Json]:
    """A text is the label of that name, or else free text."""
    given = [answered] if isinstance(answered, (str, Answer)) else list(answered)
    written = []
    for place, one in enumerate(given):
        if isinstance(one, str):
            known = ask.questions[place].options if place < len(ask.questions) else ()
            labels = {option if isinstance(option, str) else option.label for option in known}
            one = Answer((one,)) if one in labels else Answer(other=one)
        written.append(one.to_json())
    return written
