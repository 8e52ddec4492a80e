"""The answers of one model that the cache has, and those that it gets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lve.errors import SessionError
from lve.execution.cache.contract import Claims, CompletionStore
from lve.execution.completions import in_whole_characters, redacted
from lve.execution.stop import Stopped, StopSignal
from lve.execution.traffic import Traffic
from lve.messages import Completion
from lve.models.chat_model import FAILED_REASONS, ChatRequest
from lve.secrets.redaction import redact


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

    async def complete(
        self, request: ChatRequest, obtain: Callable[[ChatRequest], Awaitable[Completion]]
    ) -> Completion:
        """Return the stored completion of a request, or obtain and store it.

        Args:
            request: the request.
            obtain: returns a completion from the model.

        Raises:
            Stopped: the team's store can't be used.
            Exception: as `obtain`.
        """
        key, cache = self._key_of(request), self.cache
        if self._is_read:
            stored = cache.get(key)
            if stored is None and cache.claims is not None:
                stored = await self._claim(cache.claims, key)
            # `left_out`: default args that the model refused. If this request sets one of them on
            # purpose, the stored answer isn't an answer to it. Neither is what a server gave up,
            # which earlier versions of lve stored.
            if (
                stored is not None
                and request.by_default.issuperset(stored.left_out)
                and stored.finish_reason not in FAILED_REASONS
            ):
                self._traffic.cached += 1
                return in_whole_characters(stored)
        cache.asking[key] = None
        try:
            completion = await obtain(request)
            if not _has_secret(completion):
                try:
                    await cache.put(key, completion, model=self._model)
                except SessionError as error:
                    # The answer is paid for: let its result be written, then end the session.
                    self._failed(error)
        finally:
            if key in cache.asking:  # not if another row had the same request
                del cache.asking[key]
            if cache.claims is not None:
                cache.claims.release(key)
        return completion

    async def _claim(self, claims: Claims, key: str) -> Completion | None:
        """Return the completion that others may be asking for."""
        try:
            return await claims.claim(key, self._patience_s)
        except SessionError as error:
            self._failed(error)
            raise Stopped("failure") from error

    def _failed(self, error: SessionError) -> None:
        self.failure = error
        self._stop_signal.set("failure")


def _has_secret(completion: Completion) -> bool:
    """Whether a completion has a secret, so that it can't be cached. Redacted, it would be judged
    later as if the model had said that."""
    clean = redacted(completion) if redact.has_secrets else completion
    return clean is not completion and clean != completion
