"""A request to continue a conversation, as it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lve.models.openai.api_choice import Api

PATHS: Mapping[Api, str] = {"chat": "/chat/completions", "responses": "/responses"}


class Written(NamedTuple):
    """A request's API and its body there."""

    api: Api
    body: dict[str, Any]

    @property
    def path(self) -> str:
        """The path below the server's address."""
        return PATHS[self.api]
