"""Stops asking a model that refuses every request for the same reason.

A wrong key, a wrong name or a server that isn't there fails every instance in the same way. After a
few such errors in a row, no other request to the model is sent.
"""

from __future__ import annotations

from lve.error_kinds import MODEL_WIDE_KINDS, NOT_ASKED
from lve.errors import ModelError, PermanentModelError

LIMIT = 5
"""Equal errors in a row after which the model isn't asked any more."""


class CircuitBreaker:
    """Counts the equal errors in a row of one model."""

    def __init__(self, model: str) -> None:
        self.was_reached = False
        """Whether the model's server has ever said anything."""
        self._model = model
        self._reason = ""
        self._equal = 0

    def check(self) -> None:
        """Refuse a request to a model that refuses everything.

        Raises:
            PermanentModelError: of the kind `not_asked`, with the reason of the refusals.
        """
        if self._equal >= LIMIT:
            message = f"not asked, as {self._model} failed {LIMIT} times in a row: {self._reason}"
            raise PermanentModelError(message, kind=NOT_ASKED)

    def answered(self) -> None:
        """Take note of an answer."""
        self.was_reached = True
        if self._equal < LIMIT:  # one that was under way doesn't begin everything anew
            self._equal = 0

    def failed(self, error: ModelError) -> None:
        """Take note of an error after which a request isn't sent again."""
        self.reached_by(error)
        if self._equal >= LIMIT or error.kind == NOT_ASKED:
            return
        if error.kind not in MODEL_WIDE_KINDS:
            self._equal = 0
            return
        reason = str(error)
        self._equal = self._equal + 1 if _gist(reason) == _gist(self._reason) else 1
        self._reason = reason

    def reached_by(self, error: ModelError) -> None:
        """Take note of a failed attempt."""
        self.was_reached = self.was_reached or error.was_sent


def _gist(reason: str) -> list[str]:
    """Return a reason's words but for those with digits: servers number each request."""
    return [word for word in reason.split() if not any(map(str.isdigit, word))]
