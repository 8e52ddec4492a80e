"""What all targets have in common: a model that asks an application."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from lve.errors import PermanentModelError, SettingsError
from lve.extensions.targets.reply import Reply
from lve.extensions.targets.request import (
    ARGS,
    AppRequest,
    Takes,
    app_request,
    state_of,
)
from lve.messages import Completion
from lve.models.chat_model import MAX_TOKENS_ARGS, ChatRequest
from lve.models.config import ModelConfig

TIMEOUT_S = 120.0
"""Seconds for one attempt, if neither the run nor the settings say."""


class Attempt:
    """One attempt at an answer.

    Attributes:
        ends_at: when it must be there, by `time.monotonic`.
        first_token_s: seconds until the answer's beginning was there, if it is streamed.
    """

    def __init__(self, timeout_s: float, on_text: Callable[[str], None] | None) -> None:
        self.timeout_s = timeout_s
        self.started = time.perf_counter()
        self.ends_at = time.monotonic() + timeout_s
        self.first_token_s: float | None = None
        self._on_text = on_text

    @property
    def left_s(self) -> float:
        """Seconds that are left."""
        return max(0.0, self.ends_at - time.monotonic())

    def add_text(self, text: str) -> None:
        """Pass on a piece of a streamed answer's text as it arrives."""
        if text and self.first_token_s is None:
            self.first_token_s = time.perf_counter() - self.started
        self.show(text)

    def show(self, text: str) -> None:
        """Pass on a text to who listens."""
        if text and self._on_text is not None:
            self._on_text(text)


class TargetModel(ABC):
    """A model that is an application."""

    holds_timeout = True
    states_cost = True

    def __init__(
        self, config: ModelConfig, takes: Takes, identity: Mapping[str, object], version: str | None
    ) -> None:
        """Args:
        config: the model's configuration.
        takes: what the application gets of a request.
        identity: what beside its version can change an answer.
        version: its version. None, or an application that remembers conversations: its answers
            aren't cached.

        Raises:
            SettingsError: the command line or the settings give it a `base_url`.
        """
        if config.base_url or config.entry.base_url:
            raise SettingsError(
                f"model {config.name!r}: an application's address or command stands in its "
                "`options` in lve.yaml, not in `base_url` or --base-url",
                code="base_url",
            )
        self.name = config.name
        self.takes = takes
        self.identity: Mapping[str, object] | None = None
        if version is not None and not takes.is_remembered:
            self.identity = {"provider": "target", "version": version, **identity}
        self.sent_differently = {} if version is None else {"version": version}
        self._timeout_s = config.entry.timeout_s or TIMEOUT_S
        self._tell = config.tell
        self._warned: set[str] = set()

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the application's answer. Makes one attempt.

        Raises:
            ModelError: there is none.
        """
        asked_for = app_request(request, self.name, self.takes)
        self._warn_of_args(asked_for.args)
        on_text = request.listen() if request.stream and request.listen is not None else None
        attempt = Attempt(request.timeout_s or self._timeout_s, on_text)
        reply = await self.answer(asked_for, attempt)
        session = self._session_after(asked_for, reply)
        return reply.completion(
            model=self.name,
            latency_s=time.perf_counter() - attempt.started,
            first_token_s=attempt.first_token_s,
            state=state_of(self.name, session),
        )

    @abstractmethod
    async def answer(self, request: AppRequest, attempt: Attempt) -> Reply:
        """Return the application's answer to a request.

        Raises:
            ModelError: there is none.
        """

    @abstractmethod
    async def aclose(self) -> None:
        """End what the target has started."""

    def _session_after(self, request: AppRequest, reply: Reply) -> str | None:
        """Return the session of the conversation.

        Raises:
            PermanentModelError: the answer belongs to another one.
        """
        if request.session is None or reply.session in (None, request.session):
            return reply.session if request.session is None else request.session
        raise PermanentModelError(
            f"the answer is of the session {reply.session!r}, not of {request.session!r}: "
            "the application mixes conversations",
            kind="application",
        )

    def _warn_of_args(self, args: Mapping[str, object]) -> None:
        """Say once of each model arg that the application doesn't get it."""
        if ARGS in self.takes.names or self._tell is None:
            return
        for name in args.keys() - self._warned - {*MAX_TOKENS_ARGS}:  # the settings' caps add these
            self._warned.add(name)
            lacks = f"no parameter `{ARGS}`" if self.takes.is_function else f"no `{{args.{name}}}`"
            self._tell(f"{self.name}: `{name}` isn't sent to the application ({lacks})")
