"""Decides whether and when a failed attempt is repeated.

Exponential backoff with full jitter ("Exponential Backoff And Jitter", AWS Architecture Blog,
2015): the delay is random between 0 and a ceiling that doubles with every attempt, so that clients
that failed together don't retry together.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from traceback import clear_frames
from typing import NamedTuple

from lve.errors import AdjustedRequestError, ModelError, TransientModelError
from lve.messages import Completion
from lve.timeouts import in_time

DEFAULT_DEADLINE_S = 600.0
FIRST_CONTACTS = 4
"""Most attempts as long as a server was never reached: about two seconds, in case it is just
starting."""


class RetryPolicy(NamedTuple):
    """The limits of the attempts for one completion."""

    max_attempts: int = 12
    """With 12, one completion in 240 million fails if one attempt in five does."""
    base_s: float = 0.5
    """Ceiling of the first delay, in seconds."""
    cap_s: float = 30.0
    """Highest ceiling of a delay that the server didn't ask for, in seconds."""
    deadline_s: float = DEFAULT_DEADLINE_S
    """Seconds for one completion, including all attempts and the delays between them. Waiting for
    rate limits, concurrency or the budget doesn't count."""


@dataclass(slots=True, repr=False, eq=False)
class Attempts:
    """The attempts for one completion so far."""

    count: int = 0
    spent_s: float = 0.0
    """Seconds of all attempts and delays."""


def first_contact(policy: RetryPolicy) -> RetryPolicy:
    """Return the policy for a server that was never reached, whose address may be wrong."""
    return policy._replace(max_attempts=min(policy.max_attempts, FIRST_CONTACTS))


def next_delay(
    error: ModelError, attempts: Attempts, random: float, policy: RetryPolicy
) -> float | None:
    """Return how long to wait before the next attempt, or None to give up.

    Args:
        error: the error of the last attempt.
        attempts: the attempts so far.
        random: a number from [0, 1).
        policy: the limits.

    Returns:
        Seconds, never less than the server asked for. None if the failure is permanent, the
        attempts are used up, or the next attempt would begin after the deadline.
    """
    if not error.retryable or attempts.count >= policy.max_attempts:
        return None
    if isinstance(error, AdjustedRequestError):
        return 0.0
    ceiling = min(policy.cap_s, policy.base_s * 2.0 ** (attempts.count - 1))
    if error.retry_after_s is None:
        delay = random * ceiling
    else:
        # The server's delay is a minimum; the jitter spreads requests that it refused together.
        delay = error.retry_after_s + random * min(ceiling, policy.base_s)
    return None if attempts.spent_s + delay >= policy.deadline_s else delay


def with_attempts(
    error: TransientModelError, attempts: Attempts, policy: RetryPolicy
) -> TransientModelError:
    """Return the error with the number of attempts, and why there are no more, in its message."""
    notes = [f"after {attempts.count} attempts"] if attempts.count > 1 else []
    wait_s = error.retry_after_s
    if wait_s is not None and attempts.spent_s + wait_s >= policy.deadline_s:
        demand = f"the server asks to wait {wait_s:g} s"
        notes.append(f"{demand}, beyond the deadline of {policy.deadline_s:g} s (--deadline)")
    if not notes:
        return error
    return TransientModelError(
        f"{error} ({'; '.join(notes)})",
        kind=error.kind,
        status=error.status,
        retry_after_s=error.retry_after_s,
    )


def forget_values(error: BaseException) -> None:
    """Clear the local variables in an error's traceback, which may hold a large answer."""
    cause: BaseException | None = error
    while cause is not None:
        clear_frames(cause.__traceback__)
        cause = cause.__context__


async def within(answer: Awaitable[Completion], seconds: float, when: str) -> Completion:
    """Return an answer if it comes within `seconds`; otherwise raise a `TransientModelError`, whose
    message says `when` there was none."""
    try:
        return await in_time(answer, max(seconds, 0.001))
    except TimeoutError as error:
        raise TransientModelError(f"no answer {when}", kind="timeout") from error
