"""Follows the requests to a model: what is looked up, asked, answered, tried again and waited for.

It puts itself around the parts of a completer, from outside: without `--trace`, requests pass
nothing of it.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from itertools import count

from lve.errors import ModelError, TransientModelError
from lve.escape import excerpt, head
from lve.execution.cache.contract import CompletionStore
from lve.execution.cache.key import key_maker
from lve.execution.completer import Completer
from lve.execution.retry import Attempts
from lve.extensions.accounts.log import TraceLog
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.plurals import amount

NOTICED_S = 0.01
"""Seconds from which a wait is told."""
KEY_CHARACTERS = 12
"""Characters of a cache key that are shown."""
CURRENT: ContextVar[int] = ContextVar("request")
"""The number of the request that a task makes."""


class FollowedModel:
    """A model of the session, whose requests are written to the log."""

    def __init__(
        self, name: str, completer: Completer, log: TraceLog, *, lookup: Callable[[], str]
    ) -> None:
        """Args:
        name: as the session calls the model.
        completer: asks it. Its parts are replaced by ones that write what they do.
        log: gets a line per step.
        lookup: returns why the cache isn't looked at; empty if it is.
        """
        self._who = name
        self._log = log
        self._lookup = lookup
        self._numbers = count(1)
        identity = completer.model.identity
        self._key_of = key_maker(identity) if identity else None
        self._caches = completer.answers is not None
        self._stored = completer.answers.cache if completer.answers else None
        complete, ask = completer.complete, completer.caller.ask
        completer.complete = partial(self._complete, complete)  # type: ignore[method-assign]
        completer.caller.ask = partial(self._ask, ask)
        delay_s = completer.retries.delay_s
        completer.retries.delay_s = partial(self._delay_s, delay_s)  # type: ignore[method-assign]
        limits = completer.limits
        if not isinstance(limits.pace, partial):  # another completer of the model shares them
            limits.pace = partial(self._pace, limits.pace)  # type: ignore[method-assign]
            enter = limits.concurrency.enter
            limits.concurrency.enter = partial(self._enter, enter)  # type: ignore[method-assign]

    async def _complete(
        self, complete: Callable[[ChatRequest], Awaitable[Completion]], request: ChatRequest
    ) -> Completion:
        number = next(self._numbers)
        CURRENT.set(number)
        self._say(
            f"needs an answer to {_said(request)}{_args_text(request)}, repeat {request.repeat}"
        )
        if self._caches and self._key_of is not None:
            key = head(self._key_of(request), KEY_CHARACTERS)
            why_not = self._lookup()
            self._say(f"cache key {key}: {why_not or 'looks it up'}")
        else:
            self._say(f"cache: {self._lookup() or 'answers of this model are never stored'}")
        try:
            completion = await complete(request)
        except BaseException as error:
            self._say(f"no answer: {type(error).__name__}: {error}")
            raise
        if completion.cached:
            self._say(f"found it in the cache: {excerpt(completion.text)!r}")
        return completion

    async def _ask(
        self, ask: Callable[[ChatRequest], Awaitable[Completion]], request: ChatRequest
    ) -> Completion:
        self._say(f"asks{self._why_asked(request)}")
        began = time.monotonic()
        try:
            completion = await ask(request)
        except ModelError as error:
            status = "" if error.status is None else f" (HTTP {error.status})"
            self._say(f"{error.kind}{status} after {time.monotonic() - began:.3f} s: {error}")
            raise
        usage = completion.usage
        tokens = (
            "it says no usage"
            if usage is None
            else f"{usage.prompt_tokens} tokens in, {usage.completion_tokens} out"
        )
        self._say(
            f"answered after {time.monotonic() - began:.3f} s: {tokens}, "
            f"finish reason {completion.finish_reason}: {excerpt(completion.text)!r}"
        )
        return completion

    def _why_asked(self, request: ChatRequest) -> str:
        """Return why the model is asked, and not the cache."""
        if self._stored is None or self._key_of is None or self._lookup():
            return ""
        return f", because {why_missed(self._stored, self._key_of(request), request)}"

    def _delay_s(
        self,
        delay_s: Callable[[TransientModelError, Attempts], float | None],
        error: TransientModelError,
        attempts: Attempts,
    ) -> float | None:
        seconds = delay_s(error, attempts)
        if seconds is None:
            self._say(f"isn't asked again after {amount(attempts.count, 'attempt')}")
        else:
            asked = "" if error.retry_after_s is None else ", as the server wishes"
            self._say(f"attempt {attempts.count + 1} comes in {seconds:.3f} s{asked}")
        return seconds

    async def _pace(self, pace: Callable[[float], Awaitable[float]], expected: float) -> float:
        began = time.monotonic()
        taken = await pace(expected)
        self._waited(time.monotonic() - began, "requests_per_minute or tokens_per_minute")
        return taken

    async def _enter(self, enter: Callable[[], Awaitable[int]]) -> int:
        began = time.monotonic()
        ticket = await enter()
        self._waited(time.monotonic() - began, "a free connection (max_connections)")
        return ticket

    def _waited(self, seconds: float, what: str) -> None:
        if seconds >= NOTICED_S:
            self._say(f"waited {seconds:.3f} s for {what}")

    def _say(self, text: str) -> None:
        self._log.step(f"{self._who} #{CURRENT.get(0)}", text)


def why_missed(store: CompletionStore, key: str, request: ChatRequest) -> str:
    """Return why what a cache has isn't the answer to a request."""
    stored = store.get(key)
    if stored is None:
        return "nothing is stored under this key"
    if not request.by_default.issuperset(stored.left_out):
        return f"the stored answer was given without {', '.join(stored.left_out)}"
    return "the stored answer is a failure"


def _said(request: ChatRequest) -> str:
    """Return the last of what a request says."""
    if request.prompt is not None:
        return repr(excerpt(request.prompt))
    if not request.messages:
        return "nothing"
    last = request.messages[-1]
    return f"{amount(len(request.messages), 'message')}, the last: {excerpt(_text(last))!r}"


def _text(message: Message) -> str:
    return message.content if isinstance(message.content, str) else "(several parts)"


def _args_text(request: ChatRequest) -> str:
    args = ", ".join(f"{name}={value!r}" for name, value in request.args.items())
    return f", with {args}" if args else ""
