"""Chooses which of OpenAI's two APIs to use for a model, chat completions or Responses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from lve.models.http.adjustments import MAX_ERROR_CHARS

Api = Literal["chat", "responses"]
PATHS: Mapping[Api, str] = {"chat": "/chat/completions", "responses": "/responses"}
_NEEDS_RESPONSES = re.compile(r"v1/responses|responses api|not a chat model", re.IGNORECASE)
_NO_SUCH_PATH = (404, 405, 501)


class ApiRequest(NamedTuple):
    """A request to continue a conversation, in the format of one API."""

    api: Api
    body: dict[str, Any]

    @property
    def path(self) -> str:
        """The path below the server's address."""
        return PATHS[self.api]


class ApiChoice:
    """The API that is used for a model. It changes once if the server wants the other one."""

    def __init__(
        self,
        name: str,
        api: Api | None = None,
        *,
        is_fixed: bool = False,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Args:
        name: the model's name as the user gave it.
        api: the API to begin with; None: chat completions.
        is_fixed: whether the API can't change, because the user has set it.
        tell: called if the API changes.
        """
        self.current: Api = api or "chat"
        self._name = name
        self._initial = self.current
        self._is_fixed = is_fixed
        self._tell = tell

    def is_other_wanted(self, sent_by: Api, status: int, error: Mapping[str, Any]) -> bool:
        """Return whether to resend a failed request through the other API.

        Args:
            sent_by: the API through which it was sent.
            status: the response's status.
            error: the response's error object.
        """
        if sent_by != self.current:
            return True  # it was in flight when the API changed
        if (
            self._is_fixed
            or self.current != self._initial
            or not _wants_other_api(sent_by, status, error)
        ):
            return False
        self.current = "responses" if sent_by == "chat" else "chat"
        if self._tell is not None:
            words = {"responses": "the Responses API", "chat": "chat completions"}
            self._tell(f"{self._name} is asked by {words[self.current]}: its server wants that")
        return True


def _wants_other_api(sent_by: Api, status: int, error: Mapping[str, Any]) -> bool:
    """Return whether an error means that the server wants the other API."""
    message = str(error.get("message") or error.get("detail"))[:MAX_ERROR_CHARS]
    if sent_by == "chat":
        return status in (400, 404) and _NEEDS_RESPONSES.search(message) is not None
    is_about_model = error.get("code") == "model_not_found" or "model" in message.lower()
    return status in _NO_SUCH_PATH and not is_about_model
