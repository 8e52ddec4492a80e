"""When a failed attempt is made again, as a pure function.

Exponential backoff with full jitter ("Exponential Backoff And Jitter", AWS Architecture Blog,
2015): the delay is uniform between 0 and a ceiling that doubles with every attempt, so that many
clients which failed together don't come back together.
"""

from __future__ import annotations

from dataclasses import dataclass

from lve.errors import ModelError

DEFAULT_DEADLINE_S = 600.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently a completion is tried."""

    max_attempts: int = 12
    """With every fifth attempt failing, one completion in 240 million stays an error."""
    base_s: float = 0.5
    """Ceiling of the first delay, in seconds."""
    cap_s: float = 30.0
    """Ceiling of every delay that the server didn't ask for, in seconds."""
    deadline_s: float = DEFAULT_DEADLINE_S
    """Seconds for one completion, with all its attempts and delays."""


def next_delay(
    error: ModelError, attempt: int, random: float, elapsed: float, policy: RetryPolicy
) -> float | None:
    """Return how long to wait before another attempt, or None to give up.

    Args:
        error: why the attempt failed.
        attempt: how many attempts were made, from 1.
        random: a number from [0, 1).
        elapsed: seconds since the first attempt began.
        policy: the limits.

    Returns:
        Seconds; never less than the server asked for. None when the failure is permanent, when the
        attempts are used up, or when the next attempt would begin after the deadline.
    """
    if not error.retryable or attempt >= policy.max_attempts:
        return None
    ceiling = min(policy.cap_s, policy.base_s * 2.0 ** (attempt - 1))
    if error.retry_after_s is None:
        delay = random * ceiling
    else:
        # The server's word is a minimum; the jitter keeps those it refused together apart.
        delay = error.retry_after_s + random * min(ceiling, policy.base_s)
    if elapsed + delay >= policy.deadline_s:
        return None
    return delay
