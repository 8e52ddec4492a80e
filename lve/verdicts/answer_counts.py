"""Counts answers: those of the tested model, of a replay by the model that gave them, and those of
the models that checkers ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from lve.checkers.questions import Answer
from lve.data_classes import dataclass, field
from lve.escape import one_line
from lve.messages import Usage
from lve.plurals import amount
from lve.sessions.instance_result import InstanceResult

MAX_MODELS = 20
"""Models that are told apart, because their names come from files, and from servers, which may
return a new id with every answer."""
SHOWN_MODELS = 5


@dataclass(slots=True)
class AnsweringModels:
    """How many of a replay's answers each recorded model gave."""

    counts: Counter[str] = field(default_factory=Counter)
    """Name of the model -> answers."""
    of_others: int = 0
    """Answers of models beyond the first `MAX_MODELS`."""
    unnamed: int = 0
    """Answers that a person wrote, or whose file names no model."""

    @property
    def are_several(self) -> bool:
        """Whether the answers aren't all of one model, so that one could cover for another."""
        return len(self.counts) + bool(self.of_others) + bool(self.unnamed) > 1

    def add(self, model: str, answers: int = 1) -> None:
        """Count answers.

        Args:
            model: as the recording names it; empty if it names none.
            answers: how many.
        """
        if not model:
            self.unnamed += answers
        elif model in self.counts or len(self.counts) < MAX_MODELS:
            self.counts[model] += answers
        else:
            self.of_others += answers

    def merge(self, other: AnsweringModels) -> None:
        """Count the answers of another test, too."""
        for model, answers in other.counts.items():
            self.add(model, answers)
        self.of_others += other.of_others
        self.unnamed += other.unnamed

    def __str__(self) -> str:
        ranked = sorted(self.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        parts = [f"{one_line(model)} {answers:,}" for model, answers in ranked[:SHOWN_MODELS]]
        others = self.of_others + sum(answers for _, answers in ranked[SHOWN_MODELS:])
        parts += [f"others {others:,}"] if others else []
        parts += [f"no named model {self.unnamed:,}"] if self.unnamed else []
        more = " or more" if self.of_others else ""
        return (
            f"answers of {amount(len(ranked), 'model')}{more}: {', '.join(parts)}; "
            "`--instances NAME` judges one file alone"
        )


@dataclass(slots=True)
class AnswerCounts:
    """Tokens, cost and origin of the tested model's answers."""

    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    """US dollars; None if the model has no price."""
    cached: int = 0
    """Results whose answers all came from the cache."""
    streamed: int = 0
    """Number of streamed answers, without those from the cache."""
    first_tokens_s: float = 0.0
    """Sum of the seconds until these answers began."""
    served: list[str] = field(default_factory=list)
    """The first ids that the model's server returned, each once. A list, because an empty set takes
    216 bytes, and many tests have no id or one."""
    unbound: int = 0
    """Replayed answers that don't say which prompt they are for."""
    answering: AnsweringModels = field(default_factory=AnsweringModels)
    """The models that gave the replayed answers."""

    def add(self, result: InstanceResult) -> None:
        """Count the answers of a result."""
        self.usage.add(result.usage)
        if result.cost is not None:
            self.cost = (self.cost or 0.0) + result.cost
        self.cached += result.cached
        self.unbound += result.unbound
        if result.answered_by is not None:
            self.answering.add(result.answered_by)
        for transcript in result.transcripts:
            for completion in transcript.completions:
                if completion.first_token_s is not None and not completion.cached:
                    self.streamed += 1
                    self.first_tokens_s += completion.first_token_s
                name = completion.model
                if name is None or name in self.served or len(self.served) >= MAX_MODELS:
                    continue
                self.served.append(name)


@dataclass(slots=True)
class CheckerUsage:
    """Number, tokens and cost of answers to checkers."""

    answers: int = 0
    """Number of answers, including those from the cache."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of all answers."""
    cost: float | None = None
    """US dollars paid in this session; None if no model has a price."""

    def add(self, answers: Iterable[Answer]) -> None:
        """Count the answers to the checkers of one instance; recorded ones took nothing."""
        for answer in answers:
            if answer.recorded:
                continue
            self.answers += 1
            if answer.completion is not None and answer.completion.usage is not None:
                self.usage += answer.completion.usage
            if answer.cost is not None:
                self.cost = (self.cost or 0.0) + answer.cost

    def merge(self, other: CheckerUsage) -> None:
        """Add the usage of another test."""
        self.answers += other.answers
        self.usage += other.usage
        if other.cost is not None:
            self.cost = (self.cost or 0.0) + other.cost

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as in `lve run --json` (schemas/report.schema.json)."""
        return {"answers": self.answers, **tokens_json(self.usage), "cost": self.cost}


def tokens_json(usage: Usage) -> dict[str, int]:
    """Return prompt and completion tokens, as reports have them."""
    return {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
