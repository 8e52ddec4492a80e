"""The model that says again what was recorded: no network, no key, no cost."""

from __future__ import annotations

from lve.errors import PermanentModelError
from lve.messages import Completion
from lve.models.chat_model import ChatRequest


class ReplayModel:
    """Returns the completion recorded in `instances/` for each open turn."""

    identity = None
    """Never cached: the instance files are the cache."""
    is_free = True
    holds_timeout = True  # it answers at once

    def __init__(self, name: str = "replay") -> None:
        self.name = name

    async def complete(self, request: ChatRequest) -> Completion:
        """Return what was recorded.

        Raises:
            PermanentModelError: nothing was, kind `not_recorded`.
        """
        if request.recorded is None:
            raise PermanentModelError(
                "no completion is recorded for this turn (record one: lve record TEST --model M)",
                kind="not_recorded",
            )
        return Completion(request.recorded, finish_reason="stop", model=self.name)

    async def aclose(self) -> None:
        """Nothing to close."""
