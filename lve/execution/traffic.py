"""Counts the requests to one model."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Traffic:
    """Counts of requests to and answers from one model, for progress and summaries."""

    requests: int = 0
    """Number of attempts."""
    failures: dict[str, int] = field(default_factory=dict)
    """Error kind -> number of attempts that failed, even if a later attempt succeeded."""
    cached: int = 0
    """Completions that came from the cache."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    waiting_for_retry: int = 0
