"""Stops asking a model that refuses every request for the same reason.

A wrong key, a wrong name or a server that isn't there fails every instance in the same way. After a
few such errors in a row, no other request to the model is sent.
"""

from __future__ import annotations

from lve.error_kinds import MODEL_WIDE_KINDS, NOT_ASKED
from lve.errors import ModelError, PermanentModelError

LIMIT = 5
"""The model isn't asked any more after so many equal errors in a row."""


class CircuitBreaker:
    """Counts how often in a row a model failed with the same error."""

    def __init__(self, model: str) -> None:
        self.was_reached = False
        """Whether a request has ever reached the model's server."""
        self._model = model
        self._reason = ""
        self._repeated = 0

    def check(self) -> None:
        """Refuse the next request if the limit is reached.

        Raises:
            PermanentModelError: its kind is `not_asked`; its message has the repeated error.
        """
        if self._repeated >= LIMIT:
            message = f"not asked, as {self._model} failed {LIMIT} times in a row: {self._reason}"
            raise PermanentModelError(message, kind=NOT_ASKED)

    def answered(self) -> None:
        """Record that the model has answered."""
        self.was_reached = True
        if self._repeated < LIMIT:  # an answer to an earlier request doesn't reset it
            self._repeated = 0

    def failed(self, error: ModelError) -> None:
        """Record the error of a request that isn't sent again."""
        self.attempt_failed(error)
        if self._repeated >= LIMIT or error.kind == NOT_ASKED:
            return
        if error.kind not in MODEL_WIDE_KINDS:
            self._repeated = 0
            return
        reason = str(error)
        is_same = _without_numbers(reason) == _without_numbers(self._reason)
        self._repeated = self._repeated + 1 if is_same else 1
        self._reason = reason

    def attempt_failed(self, error: ModelError) -> None:
        """Record the error of an attempt, after which there may be others."""
        self.was_reached = self.was_reached or error.was_sent


def _without_numbers(reason: str) -> list[str]:
    """Return the words of an error without those that have digits: servers number their
    requests."""
    return [word for word in reason.split() if not any(map(str.isdigit, word))]
