"""How checkers ask models.

A checker never waits for a model. It looks up the answers to its questions in its context; while
one is missing, judging ends with `UnansweredError`. The caller (`lve.pipeline.roles.asking`) then
asks the models and judges again, until no answer is missing. So a verdict depends only on the
answers of the tested model and of the asked models, and can be repeated from a journal without
asking again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from lve.data_classes import dataclass, field
from lve.documents.json_lines import canonical_json
from lve.errors import CheckerError
from lve.messages import Completion, Message

MAX_QUESTIONS = 200
"""The most questions about one row."""


class UnansweredError(CheckerError, code="judge"):
    """A question hasn't been asked yet, so there is no verdict."""


class NobodyAskedError(CheckerError, code="judge"):
    """Nobody was asked a question: a replay has no answer to it. It is no vote that can't be read,
    which the other votes may outweigh."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a checker asks a model: to answer messages, or for the embedding of a text."""

    role: str
    """The model's role: `judge`, `embedding`."""
    messages: tuple[Message, ...] = ()
    """The conversation that the model continues."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """Model args; those of the settings take precedence."""
    vote: int = 0
    """Number of the vote, from 0, if the same question is asked several times."""
    text: str | None = None
    """The text to embed, instead of messages."""
    key: str = field(init=False)
    """Identifies the question in a journal."""

    def __post_init__(self) -> None:
        messages = [message.to_json() for message in self.messages]
        whole = canonical_json([self.role, messages, dict(self.args), self.vote, self.text])
        from hashlib import sha256  # late: it loads OpenSSL

        digest = sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
        object.__setattr__(self, "key", digest[:32])


@dataclass(slots=True)
class Answer:
    """A model's answer to a question, or why it has none."""

    key: str
    """The question's key."""
    role: str
    model: str
    """Name of the model that was asked; empty if the role has none."""
    completion: Completion | None = None
    """None if the model failed, or returned a vector."""
    cost: float | None = None
    """US dollars paid for the answer in this run, if the model has a price."""
    vector: Sequence[float] | None = None
    """The embedding of the question's text."""
    problem: str | None = None
    """Why the model failed."""
    problem_kind: str | None = None
    """Same values as `ModelError.kind`."""
    recorded: bool = False
    """Whether nobody was asked, because it is looked up beside the tested model's answer."""
    cause: str | None = None
    """As in `ModelError`. Sessions don't keep it here: the result of whoever asked has it."""


class Answering(Protocol):
    """Asks models on behalf of checkers, through the engine's cache, budget and limits."""

    async def answer(self, question: Question) -> Answer:
        """Return the answer; its `problem` is set if the model fails.

        Raises:
            UsageError: no model has the role, or the model can't be used.
            BudgetError: the question exceeds the session's budget.
            Stopped: the session has stopped sending requests.
        """
        ...


class Answers:
    """The known answers about one instance, and the questions still to be asked.

    Attributes:
        used: the answers that were looked up, by key.
        missing: the questions without an answer, by key.
    """

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        """Args:
        answers: answers from an earlier judgement.
        """
        self._answers = {answer.key: answer for answer in answers}
        self.used: dict[str, Answer] = {}
        self.missing: dict[str, Question] = {}

    def add(self, answers: Iterable[Answer]) -> None:
        """Add answers, before judging starts again."""
        self._answers.update((answer.key, answer) for answer in answers)
        self.used.clear()
        self.missing.clear()

    def look_up(self, questions: Sequence[Question]) -> list[Answer]:
        """Return the answers to `questions`, and note those without one in `missing`.

        Raises:
            UnansweredError: a question hasn't been asked yet.
            CheckerError: there are too many questions about the instance.
        """
        new = {
            question.key: question for question in questions if question.key not in self._answers
        }
        if len(self._answers) + len(self.missing | new) > MAX_QUESTIONS:
            raise CheckerError(
                f"asks more than {MAX_QUESTIONS} questions about one row", code="too_much_work"
            )
        self.missing.update(new)
        if new:
            raise UnansweredError("has not been asked yet")
        answers = [self._answers[question.key] for question in questions]
        self.used.update((answer.key, answer) for answer in answers)
        return answers


def work_of_asking(judge: Callable[[], object]) -> int:
    """Return the work of a check that asks models, a small number, once its questions are answered.

    Args:
        judge: judges, or raises an error.

    Raises:
        UnansweredError: a question hasn't been asked yet.
    """
    try:
        judge()
    except UnansweredError:
        raise
    except CheckerError:
        pass  # judging will raise it again
    return 1000


def answers_to(answers: Answers | None, questions: Sequence[Question]) -> list[Answer]:
    """Return the models' answers to `questions`.

    Args:
        answers: the `answers` of the context.
        questions: at least one question.

    Raises:
        UnansweredError: a question hasn't been asked yet.
        NobodyAskedError: a replay has no answer to a question.
        CheckerError: no model can be asked, or a model failed.
    """
    if answers is None:
        role = questions[0].role
        raise CheckerError(
            f"asks a model, and there is none: give one with --role {role}=MODEL",
            code="missing_role",
        )
    model_answers = answers.look_up(questions)
    for answer in model_answers:
        if answer.problem is not None:
            if not answer.model:
                raise NobodyAskedError(answer.problem)
            who = f"the {answer.role} {answer.model} can't answer: "
            raise CheckerError(f"{who}{answer.problem}", code="judge")
    return model_answers
