"""Tokens and cost of the models that checkers ask, such as judges and embedding models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lve.checkers.asking import Answer
from lve.messages import Usage


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
        return {
            "answers": self.answers,
            "prompt_tokens": self.usage.prompt_tokens,
            "completion_tokens": self.usage.completion_tokens,
            "cost": self.cost,
        }
