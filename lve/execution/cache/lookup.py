"""The answers of one model that the cache has, and those that it gets."""

from __future__ import annotations

from asyncio import get_running_loop
from collections.abc import Awaitable, Callable, Generator

from lve.errors import SessionError
from lve.execution.cache.contract import CompletionStore
from lve.execution.completions import in_whole_characters, redacted
from lve.execution.stop import Stopped, StopSignal, resolve
from lve.execution.traffic import Traffic
from lve.messages import Completion
from lve.models.chat_model import FAILED_REASONS, ChatRequest
from lve.secrets.redaction import redact

Obtain = Callable[[ChatRequest], Awaitable[Completion]]
"""Gets a completion from the model."""


class StoredAnswer(tuple[Completion]):
    """An answer from the cache. It can be awaited like one that a model is asked for; who looks at
    the class needn't wait."""

    __slots__ = ()

    def __await__(self) -> Generator[None, None, Completion]:
        yield from ()
        return self[0]


class CachedAnswers:
    """Looks up the answers to a model's requests, and stores those that had to be asked for."""

    def __init__(
        self,
        model: str,
        cache: CompletionStore,
        key_of: Callable[[ChatRequest], str],
        stop_signal: StopSignal,
        traffic: Traffic,
        *,
        is_read: bool,
        patience_s: float,
    ) -> None:
        """Args:
        model: the model's name.
        cache: stores completions.
        key_of: returns the cache key of a request.
        stop_signal: the session's; it is set if an answer can't be stored.
        traffic: counts the model's answers.
        is_read: whether stored completions are used (`--refresh` only writes).
        patience_s: seconds to wait for a machine or process that is asking for the same answer.
        """
        self.failure: SessionError | None = None
        """The error, if an answer couldn't be stored."""
        self._model = redact(model)  # a key, by mistake
        self.cache = cache
        self._key_of = key_of
        self._stop_signal = stop_signal
        self._traffic = traffic
        self._is_read = is_read
        self._patience_s = patience_s

    def complete(self, request: ChatRequest, obtain: Obtain) -> Awaitable[Completion]:
        """Return the stored completion of a request (`StoredAnswer`), or what obtains and stores
        it.

        Args:
            request: the request.
            obtain: returns a completion from the model.

        Raises:
            Stopped: the team's store can't be used.
            Exception: as `obtain`.
        """
        key = self._key_of(request)
        if self._is_read:
            stored = self.cache.get(key)
            if stored is not None and self._answers(request, stored):
                return StoredAnswer((in_whole_characters(stored),))
        return self._obtained(key, request, obtain)

    def _answers(self, request: ChatRequest, stored: Completion) -> bool:
        """Whether a stored completion answers a request; counts it then.

        Default args that the model refused (`left_out`) may be set on purpose by this request: then
        it doesn't. Neither does what a server gave up, which earlier versions of lve stored.
        """
        if stored.left_out and not request.by_default.issuperset(stored.left_out):
            return False
        if stored.finish_reason in FAILED_REASONS:
            return False
        self._traffic.cached += 1
        return True

    async def _obtained(self, key: str, request: ChatRequest, obtain: Obtain) -> Completion:
        """Return the completion that others are asking for, or obtain and store it."""
        cache = self.cache
        if self._is_read and (key in cache.asking or cache.claims is not None):
            stored = await self._from_others(key, request)
            if stored is not None:
                return in_whole_characters(stored)
        if key not in cache.asking:
            cache.asking[key] = []
        try:
            completion = await obtain(request)
            if not _has_secret(completion):
                try:
                    await cache.put(key, completion, model=self._model)
                except SessionError as error:
                    # The answer is paid for: let its result be written, then end the session.
                    self._failed(error)
        finally:
            if key in cache.asking:  # not if another row asked, too, and has ended
                for waiting in cache.asking[key]:
                    resolve(waiting)
                del cache.asking[key]
            if cache.claims is not None:
                cache.claims.release(key)
        return completion

    async def _from_others(self, key: str, request: ChatRequest) -> Completion | None:
        """Return the completion that another row, process or machine is asking for; None: ask.

        If that row gets nothing that is stored, all that waited ask at once: each may take minutes
        to learn that the model fails.
        """
        cache = self.cache
        if (waiting := cache.asking.get(key)) is not None:
            waiting.append(get_running_loop().create_future())
            await self._stop_signal.wait(waiting[-1])
            stored = cache.get(key)
            if stored is not None and self._answers(request, stored):
                return stored
        if cache.claims is not None:
            try:
                stored = await cache.claims.claim(key, self._patience_s)
            except SessionError as error:
                self._failed(error)
                raise Stopped("failure") from error
            if stored is not None and self._answers(request, stored):
                return stored
        return None

    def _failed(self, error: SessionError) -> None:
        self.failure = error
        self._stop_signal.set("failure")


def _has_secret(completion: Completion) -> bool:
    """Whether a completion has a secret, so that it can't be cached. Redacted, it would be judged
    later as if the model had said that."""
    clean = redacted(completion) if redact.has_secrets else completion
    return clean is not completion and clean != completion
