"""The model `replay`, which answers with recorded completions: no network, no key, no cost."""

from __future__ import annotations

from lve.errors import PermanentModelError
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.error_kinds import NOT_RECORDED


class ReplayModel:
    """Returns the completion that is recorded in `instances/` for each open turn."""

    identity = None
    """None: answers aren't cached, because they come from files."""
    is_free = True
    holds_timeout = True  # it answers at once

    def __init__(self, name: str = "replay") -> None:
        self.name = name

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the recorded completion.

        Raises:
            PermanentModelError: none is recorded, kind `not_recorded`.
        """
        if request.recorded is None:
            raise PermanentModelError(
                "no completion is recorded for this turn (record one: lve record TEST --model M)",
                kind=NOT_RECORDED,
            )
        calls = request.recorded_calls
        finish_reason = "tool_calls" if calls else "stop"
        return Completion(
            request.recorded, finish_reason=finish_reason, model=self.name, tool_calls=calls
        )

    async def aclose(self) -> None:
        """Nothing to close."""
