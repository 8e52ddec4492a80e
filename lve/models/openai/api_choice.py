"""Which of OpenAI's two APIs a model is asked by, where that isn't known before."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from lve.models.http.adjustments import MOST_READ

Api = Literal["chat", "responses"]
_NEEDS_RESPONSES = re.compile(r"v1/responses|responses api|not a chat model", re.IGNORECASE)
_NOT_OFFERED = (404, 405, 501)


class ApiChoice:
    """The API by which a model is asked. It changes once if the server wants the other one."""

    def __init__(
        self,
        name: str,
        api: Api | None = None,
        *,
        is_fixed: bool = False,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Args:
        name: the model's, as the user gave it.
        api: what is known before; chat completions if None.
        is_fixed: whether that can't change, because the user wants it so.
        tell: called if it changes.
        """
        self.current: Api = api or "chat"
        self._name = name
        self._begun_with = self.current
        self._is_fixed = is_fixed
        self._tell = tell

    def is_other_wanted(self, sent_by: Api, status: int, error: Mapping[str, Any]) -> bool:
        """Whether a request that failed is to be sent again by the other API.

        Args:
            sent_by: how it was sent.
            status: of the response.
            error: its error object.
        """
        if sent_by != self.current:
            return True  # it was under way when the API changed
        if self._is_fixed or self.current != self._begun_with or not _wants(sent_by, status, error):
            return False
        self.current = "responses" if sent_by == "chat" else "chat"
        if self._tell is not None:
            words = {"responses": "the Responses API", "chat": "chat completions"}
            self._tell(f"{self._name} is asked by {words[self.current]}: its server wants that")
        return True


def _wants(sent_by: Api, status: int, error: Mapping[str, Any]) -> bool:
    """Whether an error says that the server wants the other API."""
    said = str(error.get("message") or error.get("detail"))[:MOST_READ]
    if sent_by == "chat":
        return status in (400, 404) and _NEEDS_RESPONSES.search(said) is not None
    is_about_model = error.get("code") == "model_not_found" or "model" in said.lower()
    return status in _NOT_OFFERED and not is_about_model
