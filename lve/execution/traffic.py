"""Counts the requests to one model and its answers."""

from __future__ import annotations

from lve.data_classes import dataclass, field
from lve.errors import ModelError
from lve.execution.budgets.cost import cost_of
from lve.messages import Usage
from lve.models.error_kinds import NOT_ASKED
from lve.settings.model_settings import Price

NUMBERS = ("requests", "cached", "prompt_tokens", "completion_tokens", "cost", "waiting_for_retry")
"""The fields of `Traffic` that are numbers."""


@dataclass(slots=True, repr=False, eq=False)
class Traffic:
    """Counts of one model's requests and answers, for progress and summaries."""

    requests: int = 0
    """Number of attempts."""
    failures: dict[str, int] = field(default_factory=dict)
    """Error kind -> number of attempts that failed, even if a later attempt succeeded."""
    last_failure: str = ""
    """Error message of the last failed attempt."""
    cached: int = 0
    """Completions that came from the cache."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    waiting_for_retry: int = 0

    def add(self, more: Traffic) -> None:
        """Add the counts of another process."""
        for kind, number in more.failures.items():
            self.failures[kind] = self.failures.get(kind, 0) + number
        self.last_failure = more.last_failure or self.last_failure
        for name in NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(more, name))

    def count_failure(self, error: ModelError) -> None:
        """Count a failed attempt, unless the circuit breaker refused it."""
        if error.kind != NOT_ASKED:
            self.failures[error.kind] = self.failures.get(error.kind, 0) + 1
            self.last_failure = str(error)

    def count_usage(self, usage: Usage, price: Price | None) -> None:
        """Count the tokens and the cost of an answer."""
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        if price is not None:
            self.cost += cost_of(usage, price) or 0.0
