"""How checkers ask models.

A checker judges at once or not at all, so it never waits. It looks up the answers to its questions
in its context; while one is missing, judging ends with `UnansweredError`. Who judges then asks the
models and judges again, until nothing is missing: `lve.pipeline.roles.asking`. So a checker's
verdict depends on nothing but the answers of the tested model and those of the asked ones, and it
can be reached again from a journal without asking anybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol

from lve.documents.json_lines import canonical_json
from lve.errors import CheckerError
from lve.messages import Completion, Message

MAX_QUESTIONS = 200
"""Most questions about one instance."""


class UnansweredError(CheckerError, code="judge"):
    """A question hasn't been asked yet; the verdict means nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a checker asks a model."""

    role: str
    """The model's role: `judge`, `embedding`."""
    messages: tuple[Message, ...] = ()
    """To be continued."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """Model args, unless the settings say otherwise."""
    vote: int = 0
    """Which of several votes on the same question, from 0."""
    text: str | None = None
    """To be made a vector of, instead of messages."""
    key: str = field(init=False)
    """What identifies it in a journal."""

    def __post_init__(self) -> None:
        said = [message.to_json() for message in self.messages]
        whole = canonical_json([self.role, said, dict(self.args), self.vote, self.text])
        digest = sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
        object.__setattr__(self, "key", digest[:32])


@dataclass(slots=True)
class Answer:
    """What came of a question."""

    key: str
    """The question's."""
    role: str
    model: str
    """Name of the model that was asked; empty if the role has none."""
    completion: Completion | None = None
    """None if it could not answer, or made a vector."""
    cost: float | None = None
    """US dollars paid for it now, if the model has a price."""
    vector: Sequence[float] | None = None
    problem: str | None = None
    """Why it could not answer."""
    problem_kind: str | None = None
    """As `ModelError.kind`."""


class Answering(Protocol):
    """Asks models on behalf of checkers, through the engine's cache, budget and limits."""

    async def answer(self, question: Question) -> Answer:
        """Return the answer, or why there is none.

        Raises:
            UsageError: no model has the role, or it can't be used.
            BudgetError: the session's budget doesn't allow it.
            Stopped: the session stops sending.
        """
        ...


class Answers:
    """The answers about one instance so far, and what is still to be asked.

    Attributes:
        used: those that were looked up, by key.
        missing: questions without an answer, by key.
    """

    def __init__(self, known: Iterable[Answer] = ()) -> None:
        """Args:
        known: from an earlier judgement.
        """
        self._known = {answer.key: answer for answer in known}
        self.used: dict[str, Answer] = {}
        self.missing: dict[str, Question] = {}

    def add(self, answers: Iterable[Answer]) -> None:
        """Take answers that have come; judging begins anew."""
        self._known.update((answer.key, answer) for answer in answers)
        self.used.clear()
        self.missing.clear()

    def of(self, questions: Sequence[Question]) -> list[Answer]:
        """Return the answers to some questions.

        Raises:
            UnansweredError: one hasn't been asked yet.
            CheckerError: the instance has led to too many questions.
        """
        new = {one.key: one for one in questions if one.key not in self._known}
        if len(self._known) + len(self.missing | new) > MAX_QUESTIONS:
            raise CheckerError(
                f"asks more than {MAX_QUESTIONS} questions about one instance", code="too_much_work"
            )
        self.missing.update(new)
        if new:
            raise UnansweredError("has not been asked yet")
        found = [self._known[one.key] for one in questions]
        self.used.update((answer.key, answer) for answer in found)
        return found


def asked(answers: Answers | None, questions: Sequence[Question]) -> list[Answer]:
    """Return what models said to some questions.

    Args:
        answers: those of the context.
        questions: at least one.

    Raises:
        UnansweredError: one hasn't been asked yet.
        CheckerError: nothing can be asked here, or a model couldn't answer.
    """
    if answers is None:
        role = questions[0].role
        raise CheckerError(
            f"asks a model, and there is none: give one with --role {role}=MODEL",
            code="missing_role",
        )
    found = answers.of(questions)
    for answer in found:
        if answer.problem is not None:
            who = f"the {answer.role} {answer.model} can't answer: " if answer.model else ""
            raise CheckerError(f"{who}{answer.problem}", code="judge")
    return found
