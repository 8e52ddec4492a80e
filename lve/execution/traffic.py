"""What went over the wire, counted."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Traffic:
    """What went to and came from one model, for progress and summaries."""

    requests: int = 0
    """Attempts that were sent."""
    failures: dict[str, int] = field(default_factory=dict)
    """Error kind -> attempts that failed with it, later successes included."""
    cached: int = 0
    """Completions that came from the cache."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    waiting_for_retry: int = 0
