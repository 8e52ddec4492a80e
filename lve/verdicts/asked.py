"""What the models took that checkers asked: judges, embeddings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lve.checkers.asking import Answer
from lve.messages import Usage


@dataclass(slots=True)
class Asked:
    """Answers of such models, and their tokens and cost."""

    answers: int = 0
    """Those from the cache included."""
    usage: Usage = field(default_factory=Usage)
    """Tokens of all of them."""
    cost: float | None = None
    """US dollars paid now; None if no such model has a price."""

    def add(self, answers: Iterable[Answer]) -> None:
        """Count the answers about an instance."""
        for answer in answers:
            self.answers += 1
            if answer.completion is not None and answer.completion.usage is not None:
                self.usage += answer.completion.usage
            if answer.cost is not None:
                self.cost = (self.cost or 0.0) + answer.cost

    def merge(self, other: Asked) -> None:
        """Add what another test took."""
        self.answers += other.answers
        self.usage += other.usage
        if other.cost is not None:
            self.cost = (self.cost or 0.0) + other.cost

    def to_json(self) -> dict[str, Any]:
        """Return it as in `lve run --json` (schemas/report.schema.json)."""
        return {
            "answers": self.answers,
            "prompt_tokens": self.usage.prompt_tokens,
            "completion_tokens": self.usage.completion_tokens,
            "cost": self.cost,
        }
