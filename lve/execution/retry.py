"""Decides whether and when a failed attempt is repeated.

Exponential backoff with full jitter ("Exponential Backoff And Jitter", AWS Architecture Blog,
2015): the delay is random between 0 and a ceiling that doubles with every attempt, so that clients
that failed together don't retry together. A wrong key, a wrong name, or a server that isn't there
or only hangs up fails every instance in the same way: after a few such errors in a row, no other
request is sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lve.data_classes import dataclass
from lve.errors import AdjustedRequestError, ModelError, PermanentModelError, TransientModelError
from lve.limits.timeouts import in_time
from lve.messages import Completion
from lve.models.error_kinds import MODEL_WIDE_KINDS, NOT_ASKED, UNANSWERED_KINDS
from lve.named_tuples import NamedTuple

DEFAULT_DEADLINE_S = 600.0
FIRST_CONTACTS = 4
"""Most attempts as long as a server has never answered: about two seconds, in case it is just
starting."""
FIRST_CONTACT_S = 10.0
"""Seconds in which they begin, if the server doesn't even refuse: one attempt to connect."""
REFUSALS = 5
"""The model isn't asked any more after so many equal errors in a row."""


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
    """Seconds of all failed attempts and of the delays after them."""
    began: float = 0.0
    """When the latest request was sent, by the completer's clock."""


class CircuitBreaker:
    """Counts how often in a row a model failed with the same error."""

    def __init__(self, model: str) -> None:
        self.has_answered = False
        """Whether the server has ever given an answer, be it an error."""
        self._model = model
        self._reason = ""
        self._repeated = 0

    @property
    def is_open(self) -> bool:
        """Whether the model isn't asked any more."""
        return self._repeated >= REFUSALS

    def check(self) -> None:
        """Refuse the next request if the limit is reached.

        Raises:
            PermanentModelError: its kind is `not_asked`; its message has the repeated error.
        """
        if self._repeated >= REFUSALS:
            message = (
                f"not asked, as {self._model} failed {REFUSALS} times in a row: {self._reason}"
            )
            error = PermanentModelError(message, kind=NOT_ASKED)
            error.cause = self._reason
            raise error

    def answered(self) -> None:
        """Record that the model has answered."""
        self.has_answered = True
        if self._repeated < REFUSALS:  # an answer to an earlier request doesn't reset it
            self._repeated = 0

    def failed(self, error: ModelError) -> None:
        """Record the error of a request that isn't sent again, or of an attempt at a server that
        has never answered."""
        self.attempt_failed(error)
        if self.is_open or error.kind == NOT_ASKED:
            return
        is_unanswered = self.is_unanswered(error)
        if not (error.kind in MODEL_WIDE_KINDS or is_unanswered):
            self._repeated = 0
            return
        reason = str(error)
        is_same = is_unanswered or _without_numbers(reason) == _without_numbers(self._reason)
        self._repeated = self._repeated + 1 if is_same else 1
        self._reason = reason

    def attempt_failed(self, error: ModelError) -> None:
        """Record the error of an attempt, after which there may be others."""
        self.has_answered = self.has_answered or error.status is not None

    def is_unanswered(self, error: ModelError) -> bool:
        """Return whether an error says that no answer came, and none ever has. Then the address may
        be wrong."""
        return error.kind in UNANSWERED_KINDS and not self.has_answered


class Retries:
    """Applies the policy, and a stricter one as long as the model's server has never answered."""

    def __init__(self, model: str, policy: RetryPolicy, rng: Callable[[], float]) -> None:
        """Args:
        model: the model's name.
        policy: says which failed attempts are repeated, and when.
        rng: returns random numbers from [0, 1).
        """
        self.policy = policy
        self.breaker = CircuitBreaker(model)
        """Refuses requests once the model has refused several in a row."""
        self._first_contact = first_contact(policy)
        self._rng = rng

    def note(self, error: TransientModelError, attempts: Attempts) -> str:
        """Return why there is no other attempt, and what may be wrong with the address; empty if
        there is nothing to say."""
        notes = [why_no_more(error, attempts, self.policy)]
        message = str(error)
        is_silent = self.breaker.is_unanswered(error) and "connection refused" not in message
        if is_silent and (scheme := other_scheme(message)):  # where nothing listens, none helps
            notes.append(f"it has never answered: does it want {scheme}?")
        return "; ".join(filter(None, notes))

    def delay_s(self, error: TransientModelError, attempts: Attempts) -> float | None:
        """Return the seconds until the next attempt; None if there is none.

        Args:
            error: the error of the last attempt.
            attempts: the attempts so far. The delay is added to their time.
        """
        self.breaker.attempt_failed(error)
        is_unanswered = self.breaker.is_unanswered(error)
        policy = self._first_contact if is_unanswered else self.policy
        delay = next_delay(error, attempts, self._rng(), policy)
        if delay is None or is_unanswered:
            self.breaker.failed(with_note(error, self.note(error, attempts)))
        if delay is None or (is_unanswered and self.breaker.is_open):
            return None
        attempts.spent_s += delay
        return delay


def first_contact(policy: RetryPolicy) -> RetryPolicy:
    """Return the policy for a server that has never answered, whose address may be wrong."""
    return policy._replace(
        max_attempts=min(policy.max_attempts, FIRST_CONTACTS),
        deadline_s=min(policy.deadline_s, FIRST_CONTACT_S),
    )


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


def other_scheme(message: str) -> str:
    """Return the scheme that a server may want instead, if a message begins with its address."""
    schemes = {"http://": "https://", "https://": "http://"}
    return next((other for scheme, other in schemes.items() if message.startswith(scheme)), "")


def why_no_more(error: TransientModelError, attempts: Attempts, policy: RetryPolicy) -> str:
    """Return the number of attempts, if there were several, and what the server asked for that they
    had no time for; empty if there is nothing to say."""
    notes = [f"after {attempts.count} attempts"] if attempts.count > 1 else []
    wait_s = error.retry_after_s
    if wait_s is not None and attempts.spent_s + wait_s >= policy.deadline_s:
        demand = f"the server asks to wait {wait_s:g} s"
        notes.append(f"{demand}, beyond the deadline of {policy.deadline_s:g} s (--deadline)")
    return "; ".join(notes)


def with_note(error: TransientModelError, note: str) -> TransientModelError:
    """Return the error with a note in its message, if there is one."""
    noted = TransientModelError(
        f"{error} ({note})" if note else str(error),
        kind=error.kind,
        status=error.status,
        retry_after_s=error.retry_after_s,
    )
    noted.cause = str(error)
    return noted


def forget_values(error: BaseException) -> None:
    """Clear the local variables in an error's traceback, which may hold a large answer."""
    from traceback import clear_frames  # late: most requests succeed at once

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


def _without_numbers(reason: str) -> list[str]:
    """Return the words of an error without those that have digits: servers number their
    requests."""
    return [word for word in reason.split() if not any(map(str.isdigit, word))]
